#!/usr/bin/env python3
"""Bytes a second from a worker process to a reader: ours, its peers, and the floors, in turn.

    transport_bench.py --evener build/evener --floor transport_floor [--rounds 5] [--seconds 3]
                       [--only NAME]...

Batches of 19.3 MB that cost nothing to make, over loopback TCP and through shared memory; and samples
of 3 KB, one a message. Each sample is a reader and its worker, both new. Ratios last.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[2]
sys.path.insert(0, str(ROOT / "benchmarks"))

from rounds import Rounds  # noqa: E402

LARGE, SMALL = 19_267_584, 3_072
START_WITHIN = 120
RATE, MESSAGES = "gigabytes_per_second", "messages_per_second"
READER, WORKER = "reader_cpu_seconds_per_gigabyte", "worker_cpu_seconds_per_gigabyte"
TOTAL = "cpu_seconds_per_gigabyte"


@dataclass
class Way:
    name: str
    command: list[str]
    program: Path            # without it the way is skipped


def ways_of(options: argparse.Namespace, size: int) -> list[Way]:
    torch, tensorflow = (environment / "bin/python" for environment in (options.torch, options.tf))
    given = ["--bytes", str(size), "--seconds", str(options.seconds)]

    def ours(kind: str) -> Way:
        words = [str(options.evener), "data", "bench", "transport", "--kind", kind, "--json", *given]
        return Way(f"evener_{kind}", words, options.evener)

    def floor(kind: str) -> Way:
        words = [str(options.floor), kind, str(size), str(options.seconds)]
        return Way(f"floor_{kind}", words, options.floor)

    def peer(name: str, python: Path, program: str, *more: str) -> Way:
        return Way(name, [str(python), str(HERE / program), *more, *given], python)

    service, stream = ("tf_data_service.py", "grpc_stream.py")
    shared = [ours("tcp"), floor("tcp"), peer("tf_data_service", tensorflow, service),
              peer("grpc_bytes", torch, stream)]
    if size == SMALL:
        return [*shared, ours("shm")]
    return [*shared, peer("tf_data_service_compressed", tensorflow, service, "--compression", "auto"),
            peer("grpc_torch", torch, stream, "--encoding", "torch"),
            ours("shm"), floor("ring"), floor("ring-reader"),
            peer("torch_clone", torch, "torch_loader.py"),
            peer("torch_collate", torch, "torch_loader.py", "--way", "collate")]


def run(way: Way, seconds: float) -> dict[str, float]:
    done = subprocess.run(way.command, capture_output=True, text=True, timeout=START_WITHIN + seconds,
                          check=False)
    lines = [line for line in done.stdout.splitlines() if line.startswith("{")]
    if done.returncode != 0 or not lines:
        tail = (done.stderr or done.stdout).strip().splitlines()[-1:]
        raise RuntimeError(f"exit code {done.returncode}: {' '.join(tail)}")
    figures = json.loads(lines[-1])
    kept = {name: figures[name] for name in (RATE, MESSAGES, READER, WORKER)}
    return kept | {TOTAL: round(kept[READER] + kept[WORKER], 4)}


def measure(options: argparse.Namespace, rounds: Rounds, size: int, what: str) -> None:
    ways = []
    for way in ways_of(options, size):
        if options.only and way.name not in options.only:
            continue
        if way.program.exists():
            ways.append(way)
        else:
            rounds.skip(f"{way.name} is not installed: there is no {way.program}")
    for number in range(1, options.rounds + 1):
        for way in list(ways):
            try:
                rounds.sample(what, way.name, round=number, **run(way, options.seconds))
            except (RuntimeError, subprocess.SubprocessError) as error:
                rounds.skip(f"{way.name} does not run: {error}")
                ways.remove(way)


def compare(rounds: Rounds) -> None:
    what = "batches"
    tcp = "evener_tcp"
    rounds.ratio(what, RATE, tcp, "floor_tcp", at_least=0.85)
    rounds.ratio(what, READER, tcp, "floor_tcp")
    rounds.ratio(what, READER, tcp, "tf_data_service", at_most=0.45)
    for name in ("tf_data_service", "tf_data_service_compressed", "grpc_bytes", "grpc_torch"):
        rounds.ratio(what, RATE, tcp, name)
    for name in ("grpc_bytes", "grpc_torch"):
        rounds.ratio(what, TOTAL, tcp, name, at_most=round(1 / 7, 4))
        rounds.ratio(what, TOTAL, "floor_tcp", name)   # what the kernel alone takes of it
    shared = "evener_shm"
    rounds.ratio(what, RATE, shared, "floor_ring", at_least=0.9)
    rounds.ratio(what, RATE, shared, "floor_ring-reader")
    best = rounds.highest(what, ["torch_clone", "torch_collate"], RATE)
    rounds.ratio(what, RATE, shared, best, at_least=3)
    rounds.ratio(what, READER, shared, best)
    what = "samples"
    rounds.ratio(what, MESSAGES, tcp, "tf_data_service", at_least=100)
    rounds.ratio(what, MESSAGES, tcp, "grpc_bytes")
    rounds.ratio(what, MESSAGES, tcp, "floor_tcp")


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--evener", type=Path, required=True)
    parser.add_argument("--floor", type=Path, required=True, help="the built transport_floor")
    parser.add_argument("--torch", type=Path, default=ROOT / ".venv-peers-torch")
    parser.add_argument("--tf", type=Path, default=ROOT / ".venv-peers-tf")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=3)
    parser.add_argument("--only", action="append", default=[], metavar="NAME")
    return parser.parse_args()


def main() -> int:
    options = parse()
    rounds = Rounds("transport")
    measure(options, rounds, LARGE, "batches")
    measure(options, rounds, SMALL, "samples")
    compare(rounds)
    return 0


if __name__ == "__main__":
    sys.exit(main())
