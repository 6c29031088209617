#!/usr/bin/env python3
"""Small batches a second through evener.data.Reader, the trainer on one core.

    python_reader_bench.py --evener build/evener [--seconds 2] [--rounds 5]

A worker on the other cores reads records of 3 KB, one to a batch, through loopback TCP and through
shared memory. One JSON object a line on stdout.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tests/python"))


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--evener", type=Path, default=ROOT / "build/evener")
    parser.add_argument("--seconds", type=float, default=2.0)
    parser.add_argument("--rounds", type=int, default=5)
    return parser.parse_args()


def measure(service, pipeline, shared_memory: bool, seconds: float, feed: str) -> dict[str, float]:
    from evener.data import Reader
    from served import TOKEN
    with Reader(service.address, pipeline=pipeline, rank=0, ranks=1, feed=feed, token=TOKEN,
                shared_memory=shared_memory) as reader:
        for _ in range(1000):
            next(reader)
        usage = resource.getrusage(resource.RUSAGE_SELF)
        began, count = time.perf_counter(), 0
        end = began + seconds
        while time.perf_counter() < end:
            for _ in range(1000):
                next(reader)
            count += 1000
        took = time.perf_counter() - began
        after = resource.getrusage(resource.RUSAGE_SELF)
    cpu = after.ru_utime + after.ru_stime - usage.ru_utime - usage.ru_stime
    return {"batches_per_second": count / took, "reader_cpu_microseconds": cpu / count * 1e6}


def main() -> None:
    options = parse()
    os.environ["EVENER"] = str(options.evener.resolve())
    sys.path.insert(0, str(options.evener.resolve().parent / "python"))
    from served import Service, numbered, numbered_records
    cores = sorted(os.sched_getaffinity(0))
    with tempfile.TemporaryDirectory() as folder:
        os.sched_setaffinity(0, cores[1:] or cores)
        service = Service(threads=max(1, len(cores) - 1))
        os.sched_setaffinity(0, cores[:1])
        pipeline = numbered(numbered_records(Path(folder) / "rows.bin", 20_000), epochs=0)
        results: dict[str, list[dict[str, float]]] = {"tcp": [], "shared memory": []}
        for number in range(options.rounds):
            for way, samples in results.items():
                sample = measure(service, pipeline, way != "tcp", options.seconds,
                                 f"{way}-{number}")
                samples.append(sample)
                print(json.dumps({"way": way, "round": number, **sample}), flush=True)
        service.end()
    for way, samples in results.items():
        middle = median(sample["batches_per_second"] for sample in samples)
        print(json.dumps({"way": way, "median_batches_per_second": middle}), flush=True)


if __name__ == "__main__":
    main()
