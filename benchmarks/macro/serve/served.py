"""`evener serve` on a home of its own, and what it costs."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import tempfile
import time
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Iterator

from wire import Client, creating, load


FITS = "ml.m5.large"
TOO_LARGE = "ml.p4d.24xlarge"    # a job that asks for it is refused, and so ended at once


class Served(Client):
    """One server on a home of its own."""

    def __init__(self, evener: Path, home: Path, *words: str) -> None:
        self.evener, self.home = evener, home
        self.environment = dict(os.environ, EVENER_HOME=str(home))
        self.process = subprocess.Popen(
            [str(evener), "serve", "--json", "--listen", "127.0.0.1:0", *words],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=self.environment)
        self.endpoint = json.loads(self.process.stdout.readline())["endpoint"]
        self.key = json.loads(subprocess.run([str(evener), "env", "--json"], check=True,
                                             env=self.environment, capture_output=True).stdout)

    def end(self) -> None:
        if self.process.poll() is not None:
            return
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(60)


@contextmanager
def served(evener: Path, *words: str) -> Iterator[Served]:
    home = Path(tempfile.mkdtemp(prefix="evener-bench-"))
    server = Served(evener, home, *words)
    try:
        yield server
    finally:
        server.end()
        end_supervisors(home)
        shutil.rmtree(home, ignore_errors=True)


def supervisors(home: Path) -> list[int]:
    found = []
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                words = (folder / "cmdline").read_bytes()
            except OSError:
                continue
            if f"{home}/jobs/".encode() in words:
                found.append(int(folder.name))
    return found


def end_supervisors(home: Path) -> None:
    """Jobs outlive their server: those of a bench's home end with it, at once."""
    deadline = time.monotonic() + 20
    while (left := supervisors(home)) and time.monotonic() < deadline:
        for pid in left:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGTERM)
        time.sleep(0.2)


def write_program(home: Path, text: str) -> None:
    source = home / "source"
    source.mkdir(exist_ok=True)
    (source / "train.py").write_text(text)


def job_body(home: Path, name: str, instance_type: str = FITS) -> dict:
    return {
        "TrainingJobName": name,
        "RoleArn": "arn:aws:iam::000000000000:role/evener",
        "AlgorithmSpecification": {"TrainingImage": "local", "TrainingInputMode": "File"},
        "HyperParameters": {"epochs": "3", "sagemaker_program": "train.py",
                            "sagemaker_submit_directory": f"file://{home}/source"},
        "OutputDataConfig": {"S3OutputPath": f"file://{home}/out"},
        "ResourceConfig": {"VolumeSizeInGB": 1, "InstanceType": instance_type, "InstanceCount": 1},
        "StoppingCondition": {"MaxRuntimeInSeconds": 600},
        "Environment": {"EVENER_FIT": "strict", "EVENER_STOP_GRACE_SECONDS": "0"},
    }


def wake_ups(pid: int) -> int:
    """Of all its threads, until now."""
    total = 0
    for task in Path(f"/proc/{pid}/task").iterdir():
        for line in (task / "status").read_text().splitlines():
            if line.startswith("voluntary_ctxt_switches:"):
                total += int(line.split()[1])
    return total


def resident_bytes(pid: int) -> int:
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) * 1024
    return 0


def fill(server: Served, count: int) -> int:
    """At least so many ended jobs; needs a server that asks for no signature."""
    write_program(server.home, "print('never runs')\n")
    jobs = 0
    for turn in range(10_000):
        if jobs >= count:
            break
        script = creating(job_body(server.home, "", TOO_LARGE), f"i{turn}")
        jobs += load(server.endpoint, script, 16, 1)["requests"]
    for _ in range(600):
        going = server.ask("SageMaker.ListTrainingJobs", {"StatusEquals": "InProgress"})
        if not going["TrainingJobSummaries"]:
            break
        time.sleep(0.2)
    return jobs
