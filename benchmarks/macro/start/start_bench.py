#!/usr/bin/env python3
"""Time from a request to the first instruction of the user's program, beside what else starts one.

    start_bench.py --evener build/evener [--rounds 20] [--instances 1,8]

The program is static and prints the clock at its start. Rounds are interleaved: each runs every
way once. Prints one JSON object a line; raw samples in ms.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

HERE = Path(__file__).resolve().parent
RUN_TIMEOUT_SECONDS = 60
# The kernel takes namespaces apart after the program has ended; a machine that does so is not idle.
SETTLE_SECONDS = 0.7
CONTAINERS_CONF = """[containers]
default_ulimits = ["nofile=1024:1024", "nproc=32768:32768"]
[network]
network_backend = "netavark"
[engine]
cgroup_manager = "cgroupfs"
runtime = "runc"
events_logger = "file"
"""
# One sample: name of the measurement -> ms.
Sample = dict[str, float]
Way = Callable[[], Sample]


def milliseconds(nanoseconds: int) -> float:
    return round(nanoseconds / 1e6, 3)


def run(command: list[str], environment: dict[str, str] | None = None) -> str:
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False,
                          stdin=subprocess.DEVNULL, timeout=RUN_TIMEOUT_SECONDS)
    if done.returncode != 0:
        raise RuntimeError(f"{command[0]} ended with {done.returncode}: {done.stdout[-600:]} "
                           f"{done.stderr[-600:]}")
    return done.stdout


def first_instructions(text: str) -> list[int]:
    """The times that the programs printed, in nanoseconds; container tools put a name before."""
    return [int(line.rpartition("first ")[2]) for line in text.splitlines() if "first " in line]


def timed(command: list[str], environment: dict[str, str] | None = None) -> Sample:
    before = time.time_ns()
    text = run(command, environment)
    after = time.time_ns()
    return {"first_ms": milliseconds(max(first_instructions(text)) - before),
            "whole_ms": milliseconds(after - before)}


def bare(program: Path) -> Way:
    return lambda: timed([str(program)])


class Evener:
    def __init__(self, binary: Path, program: Path, folder: Path) -> None:
        self.binary = binary
        self.program = program
        self.folder = folder
        self.number = 0

    def way(self, instances: int) -> Way:
        return lambda: self.sample(instances)

    def request(self, instances: int) -> dict[str, object]:
        self.number += 1
        return {
            "TrainingJobName": f"start-{self.number}",
            "RoleArn": "arn:aws:iam::000000000000:role/start",
            "AlgorithmSpecification": {"TrainingImage": "host", "TrainingInputMode": "File",
                                       "ContainerEntrypoint": [str(self.program)]},
            "ResourceConfig": {"InstanceType": "local", "InstanceCount": instances,
                               "VolumeSizeInGB": 1},
            "OutputDataConfig": {"S3OutputPath": str(self.folder / "out")},
            "StoppingCondition": {"MaxRuntimeInSeconds": 60},
        }

    def sample(self, instances: int) -> Sample:
        job = self.folder / "job.json"
        job.write_text(json.dumps(self.request(instances)))
        command = [str(self.binary), "train", str(job), "--home", str(self.folder / "home"),
                   "--json"]
        before = time.time_ns()
        text = run(command)
        after = time.time_ns()
        events = [json.loads(line) for line in text.splitlines()]
        submitted = next(one for one in events if one["event"] == "submitted")
        accepted = int(submitted["time"]) * 1_000_000
        firsts = first_instructions("\n".join(str(one.get("text", "")) for one in events))
        if len(firsts) != instances:
            raise RuntimeError(f"{len(firsts)} of {instances} instances printed: {text[-800:]}")
        return {"accept_to_first_ms": milliseconds(max(firsts) - accepted),
                "accept_ms": milliseconds(accepted - before),
                "first_ms": milliseconds(max(firsts) - before),
                "whole_ms": milliseconds(after - before)}


def podman_state(folder: Path) -> Path:
    """podman wants this path to be under 50 characters."""
    return Path("/tmp") / f"{folder.name}-run"


def podman(program: Path, folder: Path) -> tuple[Way, str]:
    """podman with runc, one image from scratch that holds the program alone."""
    missing = [name for name in ("podman", "runc") if shutil.which(name) is None]
    if missing:
        raise LookupError(f"{' and '.join(missing)} not installed")
    if os.geteuid() != 0:
        raise LookupError("measured as root only")
    configuration = folder / "containers.conf"
    configuration.write_text(CONTAINERS_CONF)
    environment = dict(os.environ, CONTAINERS_CONF=str(configuration))
    context = folder / "image"
    context.mkdir()
    shutil.copy(program, context / "first")
    base = ["podman", "--root", str(folder / "podman"), "--runroot", str(podman_state(folder))]
    archive = folder / "image.tar"
    run(["tar", "-C", str(context), "-cf", str(archive), "first"])
    run([*base, "import", str(archive), "first:bench"], environment)
    version = run(["podman", "--version"]).strip()
    command = [*base, "run", "--rm", "--network", "none", "first:bench", "/first"]
    return (lambda: timed(command, environment)), version


def remove_podman(folder: Path) -> None:
    """podman's storage holds a mount and files that only podman takes away."""
    if (folder / "podman").exists():
        subprocess.run(["podman", "--root", str(folder / "podman"), "--runroot",
                        str(podman_state(folder)), "system", "reset", "--force"],
                       capture_output=True, check=False,
                       env=dict(os.environ, CONTAINERS_CONF=str(folder / "containers.conf")))
        shutil.rmtree(podman_state(folder), ignore_errors=True)
        subprocess.run(["umount", str(folder / "podman" / "overlay")], capture_output=True,
                       check=False)


def compose(program: Path, folder: Path) -> tuple[Way, str]:
    """Two services of one local image, from `up` to the later first instruction."""
    if shutil.which("docker-compose") is None:
        raise LookupError("docker-compose not installed")
    answer = subprocess.run(["docker", "info"], capture_output=True, check=False)
    if answer.returncode != 0:
        raise LookupError("no docker engine answers")
    context = folder / "compose"
    context.mkdir()
    shutil.copy(program, context / "first")
    run(["tar", "-C", str(context), "-cf", str(context / "image.tar"), "first"])
    run(["docker", "import", str(context / "image.tar"), "evener-first:bench"])
    service = "\n    image: evener-first:bench\n    command: [/first]\n    network_mode: none\n"
    file = context / "docker-compose.yml"
    file.write_text(f"version: '2'\nservices:\n  one:{service}  two:{service}")
    command = ["docker-compose", "-f", str(file), "up", "--no-color"]

    def sample() -> Sample:
        try:
            return timed(command)
        finally:
            run(["docker-compose", "-f", str(file), "down"])

    return sample, run(["docker-compose", "--version"]).strip()


def ways(options: argparse.Namespace, program: Path, folder: Path) -> dict[str, Way]:
    evener = Evener(options.evener.resolve(), program, folder)
    found: dict[str, Way] = {"fork_exec": bare(program)}
    for count in (int(text) for text in options.instances.split(",")):
        found[f"evener_{count}"] = evener.way(count)
    for name, make in (("podman_run", podman), ("compose_up_2", compose)):
        try:
            found[name], version = make(program, folder)
            print(json.dumps({"way": name, "version": version}))
        except (LookupError, RuntimeError) as reason:
            print(json.dumps({"way": name, "skipped": str(reason)}))
    return found


def report(name: str, samples: list[Sample]) -> dict[str, float]:
    medians: dict[str, float] = {}
    line: dict[str, object] = {"way": name, "rounds": len(samples)}
    for key in samples[0]:
        values = [one[key] for one in samples]
        medians[key] = statistics.median(values)
        line[key] = {"median": round(medians[key], 3), "min": min(values), "samples": values}
    print(json.dumps(line))
    return medians


def ratios(medians: dict[str, dict[str, float]]) -> None:
    """Accept to first instruction over what a peer takes from its start to the same point."""
    one = medians.get("evener_1", {}).get("accept_to_first_ms")
    for peer in ("podman_run", "compose_up_2"):
        if one and peer in medians:
            print(json.dumps({"ratio": f"evener_1 / {peer}",
                              "value": round(one / medians[peer]["first_ms"], 4)}))


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--evener", type=Path, required=True)
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--instances", default="1,8")
    options = parser.parse_args()
    # Not below /tmp: a job has a /tmp of its own and would not see the program.
    place = tempfile.TemporaryDirectory(prefix="start-bench-", dir=options.evener.resolve().parent,
                                        ignore_cleanup_errors=True)
    with place as name, contextlib.ExitStack() as endings:
        folder = Path(name)
        endings.callback(remove_podman, folder)
        program = folder / "first"
        run(["cc", "-O2", "-static", "-o", str(program), str(HERE / "first_instruction.c")])
        found = ways(options, program, folder)
        for way in found.values():   # warm
            way()
        samples: dict[str, list[Sample]] = {key: [] for key in found}
        for number in range(options.rounds):
            for key, way in found.items():
                time.sleep(SETTLE_SECONDS)
                samples[key].append(way())
            print(f"round {number + 1} of {options.rounds}", end="\r", file=sys.stderr)
        print(json.dumps({"load_after": os.getloadavg()[0]}))
        ratios({key: report(key, many) for key, many in samples.items()})
    return 0


if __name__ == "__main__":
    sys.exit(main())
