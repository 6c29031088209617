"""`evener data bench`: what its parts print, and that nothing of them stays behind."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from trial import Trial

KEYS = {"gigabytes_per_second", "messages_per_second", "reader_cpu_seconds_per_gigabyte",
        "worker_cpu_seconds_per_gigabyte"}


def processes_of(name: str) -> list[str]:
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            words = (folder / "cmdline").read_bytes().split(b"\0")
        except OSError:
            continue
        if name.encode() in words:
            found.append(folder.name)
    return found


@pytest.mark.parametrize("kind", ["tcp", "shm"])
@pytest.mark.parametrize("size", ["3072", "1000000"])
def test_batches_go_from_one_process_to_another(trial: Trial, kind: str, size: str) -> None:
    done = trial.run("data", "bench", "transport", "--kind", kind, "--bytes", size,
                     "--seconds", "0.2", "--json")
    assert done.code == 0, done.err
    told = json.loads(done.out)
    assert KEYS <= set(told)
    assert all(told[key] > 0 for key in KEYS)
    assert told["gigabytes_per_second"] * 1e9 == pytest.approx(
        told["messages_per_second"] * int(size), rel=1e-6)
    assert not processes_of("transport-worker")


def test_a_checksum_of_every_body_may_be_asked_for(trial: Trial) -> None:
    done = trial.run("data", "bench", "transport", "--checksum", "--seconds", "0.2")
    assert done.code == 0, done.err
    assert b"GB/s" in done.out


def test_kinds_that_are_none_are_refused(trial: Trial) -> None:
    done = trial.run("data", "bench", "transport", "--kind", "pigeon")
    assert done.code == 2
    assert "pigeon" in done.err
