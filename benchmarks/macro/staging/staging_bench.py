#!/usr/bin/env python3
"""Time to bring a channel's files to a job, beside `cp -r` of the same folder.

    staging_bench.py --evener build/evener [--files 2000] [--mib 1024] [--rounds 3]

FullyReplicated input is shown through an overlay where the machine has one, without copying;
`plain` isolation copies. Rounds are interleaved, the order turns round with each, and all that is
dirty is written back before each sample: copying a file whose pages are dirty waits for the disk,
so that whoever comes first would pay for the making of the input. Prints one JSON object a line.
"""

from __future__ import annotations

import argparse
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
WAYS = ("namespaces", "plain")


def make_input(folder: Path, files: int, mib: int) -> None:
    folder.mkdir()
    block = os.urandom(max(1, mib * 2**20 // files))
    for number in range(files):
        (folder / f"{number:06d}.bin").write_bytes(number.to_bytes(8, "little") + block[8:])


def copy(source: Path, folder: Path) -> dict[str, float]:
    target = folder / "copy"
    before = time.monotonic()
    subprocess.run(["cp", "-r", str(source), str(target)], check=True)
    seconds = time.monotonic() - before
    shutil.rmtree(target)
    return {"seconds": round(seconds, 4)}


def train(evener: Path, isolation: str, source: Path, folder: Path,
          name: str) -> dict[str, float]:
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
    done = subprocess.run([str(evener), "train", str(job), "--json", "--isolation", isolation,
                           "--home", str(folder / "home")], capture_output=True, text=True,
                          stdin=subprocess.DEVNULL, timeout=RUN_TIMEOUT_SECONDS, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"evener ended with {done.returncode}: {done.stdout[-600:]}")
    summary = json.loads(done.stdout.splitlines()[-1])
    return {"seconds": summary["phases"]["downloading"],
            "bytes_copied": summary["bytes"]["copied"]}


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--evener", type=Path, required=True)
    parser.add_argument("--files", type=int, default=2000)
    parser.add_argument("--mib", type=int, default=1024)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    evener = options.evener.resolve()
    samples: dict[str, list[dict[str, float]]] = {way: [] for way in ("cp", *WAYS)}
    # Not below /tmp, which a job does not see; on the disk where a home would be.
    with tempfile.TemporaryDirectory(prefix="staging-bench-", dir=evener.parent) as name:
        folder = Path(name)
        source = folder / "input"
        make_input(source, options.files, options.mib)
        for number in range(options.rounds):
            for way in list(samples)[::1 if number % 2 == 0 else -1]:
                os.sync()
                samples[way].append(copy(source, folder) if way == "cp" else
                                    train(evener, way, source, folder, f"{way}-{number}"))
            print(f"round {number + 1} of {options.rounds}", file=sys.stderr)
    print(json.dumps({"files": options.files, "mib": options.mib,
                      "load_after": os.getloadavg()[0]}))
    medians = {way: statistics.median(one["seconds"] for one in many)
               for way, many in samples.items()}
    for way, many in samples.items():
        print(json.dumps({"way": way, "median_seconds": medians[way],
                          "min_seconds": min(one["seconds"] for one in many), "samples": many}))
    if medians["plain"] > 0:
        print(json.dumps({"ratio": "plain copy over cp -r, in speed",
                          "value": round(medians["cp"] / medians["plain"], 3)}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
