#!/usr/bin/env python3
"""Time to bring a channel's files to a job, beside `cp -r` of the same folder.

    staging_bench.py --evener build/evener --driver build/benchmarks/micro/packing/artifacts_bench
                     [--mib 512] [--rounds 7]

Shown: FullyReplicated input comes through an overlay where the machine has one, without copying;
seconds of the job's Downloading phase. Copied: the staging module alone against `cp -r`, both as
whole processes, small and large files, on the disk and in memory. Pairs are interleaved, their
order turns round with each, and all that is dirty is written back before each sample: whoever
comes first would else pay for the making of the input. Prints one JSON object a line.
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
from pathlib import Path

RUN_TIMEOUT_SECONDS = 600
MEMORY = Path("/dev/shm")
# Name of the input, count of files per GiB.
INPUTS = {"photographs of 110 KB": 9532, "files of 512 KB": 2048, "files of 64 MB": 16}


def make_input(folder: Path, files: int, mib: int) -> None:
    folder.mkdir()
    block = os.urandom(max(1, mib * 2**20 // files))
    for number in range(files):
        (folder / f"{number:06d}.bin").write_bytes(number.to_bytes(8, "little") + block[8:])


def copy_once(command: list[str], target: Path) -> float:
    os.sync()
    before = time.monotonic()
    subprocess.run([*command, str(target)], check=True, stdout=subprocess.DEVNULL)
    seconds = time.monotonic() - before
    shutil.rmtree(target)
    return round(seconds, 4)


def bench_copying(name: str, driver: Path, source: Path, folder: Path,
                  rounds: int) -> dict[str, object]:
    """The driver takes its number of workers last, cp its target."""
    ways = {"cp": ["cp", "-r", str(source)],
            "evener": ["sh", "-c", 'exec "$0" stage "$1" "$2" 2', str(driver), str(source)]}
    samples: dict[str, list[float]] = {way: [] for way in ways}
    for number in range(-1, rounds):   # the first is warm-up
        for way in list(ways)[::1 if number % 2 == 0 else -1]:
            seconds = copy_once(ways[way], folder / way)
            if number >= 0:
                samples[way].append(seconds)
    pairs = [cp / ours for cp, ours in zip(samples["cp"], samples["evener"], strict=True)]
    return {"copied": name, "folder": "memory" if MEMORY in folder.parents else "disk",
            "speed_over_cp": {"median": round(statistics.median(pairs), 3),
                              "min": round(min(pairs), 3), "max": round(max(pairs), 3)},
            "seconds": samples}


def train(evener: Path, source: Path, folder: Path, name: str) -> dict[str, float]:
    """Seconds of the job's Downloading phase, by its own summary, and bytes it copied."""
    job = folder / "job.json"
    job.write_text(json.dumps({
        "TrainingJobName": name,
        "RoleArn": "arn:aws:iam::000000000000:role/staging",
        "AlgorithmSpecification": {"TrainingImage": "host", "TrainingInputMode": "File",
                                   "ContainerEntrypoint": ["/bin/true"]},
        "InputDataConfig": [{"ChannelName": "data", "DataSource": {"S3DataSource": {
            "S3DataType": "S3Prefix", "S3Uri": str(source)}}}],
        "ResourceConfig": {"InstanceType": "local", "InstanceCount": 1, "VolumeSizeInGB": 5},
        "OutputDataConfig": {"S3OutputPath": str(folder / "out")},
        "StoppingCondition": {"MaxRuntimeInSeconds": 600},
    }))
    done = subprocess.run([str(evener), "train", str(job), "--json", "--home",
                           str(folder / "home")], capture_output=True, text=True, stdin=subprocess.DEVNULL,
                          timeout=RUN_TIMEOUT_SECONDS, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"evener ended with {done.returncode}: {done.stdout[-600:]}")
    summary = json.loads(done.stdout.splitlines()[-1])
    return {"seconds": summary["phases"]["downloading"],
            "bytes_copied": summary["bytes"]["copied"]}


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--evener", type=Path, required=True)
    parser.add_argument("--driver", type=Path, required=True)
    parser.add_argument("--mib", type=int, default=512)
    parser.add_argument("--rounds", type=int, default=7)
    options = parser.parse_args()
    evener, driver = options.evener.resolve(), options.driver.resolve()
    with contextlib.ExitStack() as endings:
        # Not below /tmp, which a job does not see; on the disk where a home would be.
        disk = Path(endings.enter_context(
            tempfile.TemporaryDirectory(prefix="staging-bench-", dir=evener.parent)))
        places = [disk]
        if MEMORY.is_dir():
            places.append(Path(endings.enter_context(
                tempfile.TemporaryDirectory(prefix="staging-bench-", dir=MEMORY))))
        for name, per_gib in INPUTS.items():
            source = disk / "input"
            make_input(source, max(1, per_gib * options.mib // 1024), options.mib)
            shown = [train(evener, source, disk, f"{per_gib}-{n}") for n in range(3)]
            print(json.dumps({"shown": name, "mib": options.mib, "samples": shown}))
            for place in places:
                print(json.dumps(bench_copying(name, driver, source, place, options.rounds)
                                 | {"mib": options.mib, "load_after": os.getloadavg()[0]}),
                      flush=True)
            shutil.rmtree(source)
    return 0


if __name__ == "__main__":
    sys.exit(main())
