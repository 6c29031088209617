"""What scripts write is as the scripts would write it now, and pages name what the code has."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TOOLS = ROOT / "tools"


def run(script: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, str(TOOLS / script), *arguments], cwd=ROOT, text=True,
                          capture_output=True, timeout=120)


def test_the_tables_of_constraints_are_those_of_the_pinned_service_models(tmp_path):
    done = run("generate_constraints.py", str(tmp_path))
    assert done.returncode == 0, done.stderr
    written = sorted(tmp_path.iterdir())
    assert len(written) == 6
    for table in written:
        assert table.read_text() == (ROOT / "src/service_model" / table.name).read_text(), table.name


def test_the_page_of_compatibility_is_up_to_date():
    done = run("write_compatibility.py", "--check")
    assert done.returncode == 0, done.stderr


def test_every_member_that_the_code_refuses_or_ignores_is_on_the_page():
    page = (ROOT / "docs/reference/compatibility.md").read_text()
    states = dict(re.findall(r"\| `([\w.]+)`(?: \(required\))? \| ([\w ]+) \|", page))
    assert states["CheckpointConfig"] == "refused"
    assert states["VpcConfig"] == "stored only"
    assert states["TrainingJobName"] == "works"
    assert set(states.values()) == {"works", "stored only", "refused", "no effect"}


def test_every_switch_of_a_job_is_documented():
    source = (ROOT / "src/training/api/switches.cc").read_text()
    table = re.search(r"kSwitches\[\] = {(.*?)};", source, re.S).group(1)
    switches = re.findall(r'"(EVENER_\w+)"', table)
    assert len(switches) >= 4
    page = (ROOT / "docs/reference/environment.md").read_text()
    assert [name for name in switches if f"| `{name}` |" not in page] == []
    assert sorted(set(re.findall(r"\| `(EVENER_\w+)` \|", page))) == sorted(switches)
