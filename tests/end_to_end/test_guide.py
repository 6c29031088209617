"""The commands in the README and the guide run as they are written."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from isolation import needs_namespaces

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs/guide").glob("*.md"))]
TIMEOUT_SECONDS = 300

_BLOCK = re.compile(r"^```sh\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def case(page: Path):
    why = needs_namespaces("hosts have no names, which this page uses")
    marks = [why] if "algo-1" in "".join(_BLOCK.findall(page.read_text())) else []
    return pytest.param(page, id=page.name, marks=marks)


@pytest.mark.parametrize("page", map(case, PAGES))
def test_page_runs(page: Path, evener: Path, environment: dict[str, str], home: Path) -> None:
    """In a folder that looks like the repository, so that nothing is written into it."""
    tree = home / "tree"
    (tree / "build").mkdir(parents=True)
    (tree / "build/evener").symlink_to(evener.resolve())
    shutil.copytree(ROOT / "examples", tree / "examples")
    commands = "set -eu\n" + "".join(_BLOCK.findall(page.read_text()))
    done = subprocess.run(["bash", "-c", commands], cwd=tree, env=environment, text=True,
                          capture_output=True, timeout=TIMEOUT_SECONDS, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_links_of_pages_lead_somewhere() -> None:
    pages = [page for page in ROOT.glob("**/*.md")
             if not page.relative_to(ROOT).parts[0].startswith(("build", ".venv"))]
    broken = []
    for page in pages:
        for target in re.findall(r"\]\(([^)#:]+)\)", page.read_text()):
            if not (page.parent / target).exists():
                broken.append(f"{page.relative_to(ROOT)}: {target}")
    assert broken == []
