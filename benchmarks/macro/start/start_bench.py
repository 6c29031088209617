#!/usr/bin/env python3
"""Time from a request to the first instruction of the user's program, beside what else starts one.

    start_bench.py --evener build/evener [--rounds 20] [--instances 1,2,8] [--quiet-load 1.5]

The program is static and prints the clock at its start. Rounds are interleaved: each runs every
way once, after the machine has become quiet. Prints one JSON object a line with what it means;
raw samples in ms.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import signal
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from container_peers import Compose, PeerCommand, Podman, laboratory, run

HERE = Path(__file__).resolve().parent
# The kernel takes namespaces apart after the program has ended; a machine that does so is not idle.
SETTLE_SECONDS = 0.7
MOST_WAITING_SECONDS = 900   # for a quiet machine, all rounds together
MEANINGS = {
    "fork_exec": "a bare fork and exec of the program, no isolation",
    "evener": "evener train: namespaces, own address, way to the outside, limits, logs, archives",
    "podman_none": "podman run --network none: a container without a network",
    "podman_bridge": "podman run with its default network: own address on a bridge",
    "compose_2": "docker-compose up of two services with their default network",
}
# An instance has an address and a way to the outside: podman's default network is its like.
COMPARED = [("evener_1", "podman_bridge"), ("evener_1", "podman_none"),
            ("evener_1", "compose_2"), ("evener_2", "compose_2")]
# One sample: name of the measurement -> ms.
Sample = dict[str, float]
Way = Callable[[], Sample]


def milliseconds(nanoseconds: int) -> float:
    return round(nanoseconds / 1e6, 3)


def first_instructions(text: str) -> list[int]:
    """The times that the programs printed, in nanoseconds; container tools put a name before."""
    return [int(line.rpartition("first ")[2]) for line in text.splitlines() if "first " in line]


def timed(command: list[str], environment: dict[str, str] | None = None) -> Sample:
    before = time.time_ns()
    text = run(command, environment)
    after = time.time_ns()
    return {"first_ms": milliseconds(max(first_instructions(text)) - before),
            "whole_ms": milliseconds(after - before)}


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


def peer(one: PeerCommand) -> Way:
    def sample() -> Sample:
        try:
            return timed(one.command, one.environment)
        finally:
            if one.undo:
                run(one.undo, one.environment)

    return sample


def own_ways(options: argparse.Namespace, program: Path, folder: Path) -> dict[str, Way]:
    evener = Evener(options.evener.resolve(), program, folder)
    found: dict[str, Way] = {"fork_exec": lambda: timed([str(program)])}
    for count in (int(text) for text in options.instances.split(",")):
        found[f"evener_{count}"] = evener.way(count)
    return found


def peer_ways(program: Path, folder: Path, endings: contextlib.ExitStack) -> dict[str, Way]:
    """What is installed; what is not is named."""
    found: dict[str, Way] = {}
    lab: list[str] = []
    for make in (Podman, Compose):
        try:
            lab = lab or endings.enter_context(laboratory())
            engine = make(program, folder, lab)
        except (LookupError, RuntimeError) as reason:
            print(json.dumps({"way": make.__name__, "skipped": str(reason)}))
            continue
        endings.callback(engine.close)
        print(json.dumps({"way": make.__name__, "version": engine.version}))
        found.update({name: peer(one) for name, one in engine.commands().items()})
    return found


def wait_until_quiet(most_load: float, deadline: float) -> float:
    """Until the load average of a minute is at most this, or until the deadline: the load then."""
    while os.getloadavg()[0] > most_load and time.monotonic() < deadline:
        time.sleep(1)
    return os.getloadavg()[0]


def report(name: str, samples: list[Sample]) -> dict[str, float]:
    medians: dict[str, float] = {}
    line: dict[str, object] = {"way": name, "means": meaning(name), "rounds": len(samples)}
    for key in samples[0]:
        values = [one[key] for one in samples]
        medians[key] = statistics.median(values)
        line[key] = {"median": round(medians[key], 3), "min": min(values), "samples": values}
    print(json.dumps(line))
    return medians


def meaning(name: str) -> str:
    kind, _, count = name.partition("_")
    return MEANINGS.get(name) or f"{MEANINGS[kind]}, instances: {count}"


def ratios(medians: dict[str, dict[str, float]]) -> None:
    """Accept to first instruction over what a peer takes, to the same point and as a whole."""
    for own, other in COMPARED:
        if own not in medians or other not in medians:
            continue
        ours = medians[own]["accept_to_first_ms"]
        print(json.dumps({"ratio": f"{own} / {other}",
                          "over_first_instruction": round(ours / medians[other]["first_ms"], 4),
                          "over_whole_command": round(ours / medians[other]["whole_ms"], 4)}))


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--evener", type=Path, required=True)
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--instances", default="1,2,8")
    parser.add_argument("--quiet-load", type=float, default=1.5,
                        help="wait before each round until the load average is at most this")
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))   # so that the engines end too
    # Not below /tmp: a job has a /tmp of its own and would not see the program.
    place = tempfile.TemporaryDirectory(prefix="start-bench-", dir=options.evener.resolve().parent,
                                        ignore_cleanup_errors=True)
    with place as name, contextlib.ExitStack() as endings:
        folder = Path(name)
        program = folder / "first"
        run(["cc", "-O2", "-static", "-o", str(program), str(HERE / "first_instruction.c")])
        found = own_ways(options, program, folder) | peer_ways(program, folder, endings)
        for way in found.values():   # warm
            way()
        samples: dict[str, list[Sample]] = {key: [] for key in found}
        loads = []
        deadline = time.monotonic() + MOST_WAITING_SECONDS
        for number in range(options.rounds):
            loads.append(wait_until_quiet(options.quiet_load, deadline))
            for key, way in found.items():
                time.sleep(SETTLE_SECONDS)
                samples[key].append(way())
            print(f"round {number + 1} of {options.rounds}", end="\r", file=sys.stderr)
        print(json.dumps({"load_before_each_round": loads}))
        ratios({key: report(key, many) for key, many in samples.items()})
    return 0


if __name__ == "__main__":
    sys.exit(main())
