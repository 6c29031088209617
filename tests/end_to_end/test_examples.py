"""Every example runs as its README says, and its results are right."""

from __future__ import annotations

import io
import json
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

import numpy as np

from isolation import PLAIN

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "examples"
TIMEOUT_SECONDS = 300


def run_script(path: Path, *arguments: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(path), *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT_SECONDS,
                          check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done


def test_heterogeneous_runs_three_ways_and_reports(evener: Path, home: Path) -> None:
    done = run_script(EXAMPLES / "heterogeneous/run.py", "--evener", evener, "--output", home,
                      "--steps", 30)
    assert str(home / "report.md") in done.stdout
    report = json.loads((home / "report.json").read_text())
    alone, split, serviced = report["runs"]
    for run in (split, serviced):
        assert [group["name"] for group in run["groups"]] == ["data_group", "dnn_group"]
    assert len(alone["groups"]) == 1
    for run in report["runs"]:
        assert 0 <= run["wait_fraction"] <= 1
        assert run["step_seconds"] > 0 and run["usd_per_1000_steps"] > 0
        with tarfile.open(run["model"]) as tar:
            assert tar.getnames() == ["model.npz"]
            content = tar.extractfile("model.npz")
            assert content is not None
            model = np.load(io.BytesIO(content.read()))
        assert model["classes"].shape == (128, 25)
        assert all(np.isfinite(model[name]).all() for name in model.files)


def test_cosine_similarity_is_right_and_the_same_on_1_2_and_5_hosts(
    evener: Path, home: Path
) -> None:
    done = run_script(EXAMPLES / "cosine_similarity/run.py", "--evener", evener, "--output", home,
                      "--rows", 700, "--columns", 64, "--hosts", 1, 2, 5)
    assert done.stdout.count("the same bits: ") == 2


def test_groups_hello_shows_every_host(
    evener: Path, environment: dict[str, str], home: Path
) -> None:
    """The job file in place: its relative paths start at its own folder."""
    shutil.copytree(EXAMPLES, home / "tree/examples")
    job = home / "tree/examples/groups_hello/job.json"
    done = subprocess.run([evener, "train", job, "--json"], env=environment, capture_output=True,
                          text=True, timeout=TIMEOUT_SECONDS, check=False, cwd=home)
    assert done.returncode == 0, done.stdout + done.stderr
    events = [json.loads(line) for line in done.stdout.splitlines()]
    assert events[-1]["event"] == "summary" and events[-1]["status"] == "Completed"
    said: dict[str, list[str]] = {}
    for event in events:
        if event["event"] == "log":
            said.setdefault(event["host"], []).append(event["text"])
    groups = {"algo-1": "data_group", "algo-2": "data_group", "algo-3": "dnn_group"}
    assert sorted(said) == sorted(groups)
    [hosts] = [line for line in said["algo-1"] if line.startswith("SM_HOSTS=")]
    names = json.loads(hosts.removeprefix("SM_HOSTS="))
    assert PLAIN or names == sorted(groups)   # addresses, where names do not resolve
    for (host, group), name in zip(groups.items(), names):
        assert said[host][0] == f"hello from {name} of {group}"
        assert hosts in said[host]
        assert any(line.startswith("resourceconfig.json: ") for line in said[host])
        assert any(line.startswith(f"{names[2]} is ") for line in said[host])
