"""Disks that run full while a job is staged, runs, is packed and is recorded: a clear reason or a
wait, a store that tells the truth, and nothing lost without a word."""

from __future__ import annotations

import gzip
import os
import subprocess
from pathlib import Path
from typing import Callable, Iterator

import pytest

from trial import Outcome, Trial, channel, remove_disk, small_disk

NO_SPACE = "No space left on device"


@pytest.fixture
def disk(trial: Trial) -> Iterator[Callable[[str], Path]]:
    """Makes small disks, and takes them away."""
    if os.getuid() != 0:
        pytest.skip("only root can mount a small disk")
    made: list[Path] = []

    def make(size: str) -> Path:
        made.append(small_disk(size))
        return made[-1]

    yield make
    left = trial.leftovers()
    for path in made:
        remove_disk(path)
    assert not left, left


def home_on(trial: Trial, disk: Path) -> None:
    trial.home = disk / "home"
    trial.environment["EVENER_HOME"] = str(trial.home)


def grow(disk: Path) -> None:
    subprocess.run(["mount", "-o", "remount,size=1G", str(disk)], check=True)


def check_store(trial: Trial, outcome: Outcome) -> None:
    """The job is known as it was told, and the home goes on working."""
    status = outcome.summary()["status"]
    assert [job["TrainingJobStatus"] for job in trial.jobs()] == [status]
    shown = trial.run("jobs", "show", outcome.name)
    assert shown.code == 0 and f"{outcome.name}: {status}" in shown.out.decode()
    assert trial.run("jobs", "logs", outcome.name).code == 0
    trial.program()
    again = trial.train()
    assert again.code == 0 and again.log() == ["fine"], again.err


WRITE_MODEL = """
import os
with open(os.environ["SM_MODEL_DIR"] + "/weights", "wb") as file:
    for _ in range(20): file.write(os.urandom(1 << 20))
"""


def test_a_full_output_keeps_the_results_and_says_where(trial: Trial, disk):
    full = disk("4M")
    trial.program(WRITE_MODEL)
    outcome = trial.train(OutputDataConfig={"S3OutputPath": str(full / "results")})
    assert outcome.code == 1
    for part in ("Artifact upload failed", "model.tar.gz", NO_SPACE, "results are kept in "):
        assert part in outcome.reason()
    kept = Path(outcome.reason().split("results are kept in ")[1].split(", `evener jobs upload ")[0])
    assert any(path.stat().st_size == 20 << 20 for path in kept.rglob("weights"))
    assert not [path for path in full.rglob("*") if path.is_file()]
    check_store(trial, outcome)


def test_staging_into_a_full_home_fails_with_the_file_and_why(trial: Trial, disk):
    full = disk("8M")
    home_on(trial, full)
    data = trial.folder / "data"
    data.mkdir()
    (data / "big.gz").write_bytes(gzip.compress(b"0" * (64 << 20), 1))
    one = dict(channel("raw", data), CompressionType="Gzip")
    outcome = trial.train(InputDataConfig=[one])
    assert outcome.code == 1
    for part in ("Data download failed: channel raw", "big.gz", NO_SPACE):
        assert part in outcome.reason()
    assert os.statvfs(full).f_bavail > 0.9 * os.statvfs(full).f_blocks
    grow(full)
    check_store(trial, outcome)


def test_a_model_that_fills_the_home_fails_the_program_only(trial: Trial, disk):
    full = disk("8M")
    home_on(trial, full)
    trial.program(WRITE_MODEL)
    outcome = trial.train()
    assert outcome.code == 1 and outcome.reason().startswith("AlgorithmError: ")
    assert NO_SPACE in outcome.reason()
    grow(full)
    check_store(trial, outcome)


def test_lines_that_a_full_home_cannot_take_are_counted(trial: Trial, disk):
    full = disk("3M")
    home_on(trial, full)
    trial.program("for number in range(2000): print(number, 'x' * 3000)\n")
    outcome = trial.train()
    assert outcome.code == 0, outcome.reason()
    lost = [note for note in outcome.summary()["notices"] if "log line(s) could not be written" in note]
    shown = [line for line in outcome.log() if not line.startswith("evener: ")]
    assert len(lost) == 1
    assert int(lost[0].split()[0]) + len(shown) == 2000
    assert [int(line.split()[0]) for line in shown] == list(range(len(shown)))
    grow(full)
    check_store(trial, outcome)


def test_events_that_a_full_home_cannot_take_wait_for_space(trial: Trial, disk):
    full = disk("1M")
    home_on(trial, full)
    # A disk with no byte left while the job goes on; the program, which sees the home's disk
    # through its folders, frees it again at its end.
    trial.program("""
import os, time
path = os.environ["SM_OUTPUT_DATA_DIR"] + "/fill"
file = open(path, "wb", buffering=0)
try:
    while True: file.write(b"x" * 4096)
except OSError as error:
    print(error.strerror)
time.sleep(0.4)
os.unlink(path)
""")
    outcome = trial.train()
    assert outcome.code == 0, outcome.reason() + outcome.err
    grow(full)
    check_store(trial, outcome)


@pytest.mark.parametrize("size", ["16k", "64k"])
def test_a_home_too_small_for_a_store_is_refused(trial: Trial, disk, size: str):
    full = disk(size)
    home_on(trial, full)
    outcome = trial.train()
    assert outcome.code == 2 and "free space" in outcome.err, outcome.err
    grow(full)
    trial.program()
    assert trial.train().code == 0


def test_a_home_on_a_read_only_disk_is_refused(trial: Trial, disk):
    full = disk("1M")
    home_on(trial, full)
    trial.home.mkdir()
    subprocess.run(["mount", "-o", "remount,ro", str(full)], check=True)
    for outcome in (trial.train(), trial.run("jobs", "list")):
        assert outcome.code == 2
        for part in (str(trial.home), "Read-only file system", "--home"):
            assert part in outcome.err
