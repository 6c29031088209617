#!/usr/bin/env python3
"""Computes the similarity matrix on 1, 2 and 5 hosts and checks the results.

    run.py [--evener build/evener] [--output build/cosine_similarity] [--rows 3000] [--hosts 1 2 5]
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

from check import check  # noqa: E402
from make_matrix import make  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]
EXAMPLE = Path(__file__).resolve().parent


def write_job(hosts: int, matrix: Path, output: Path) -> tuple[str, Path]:
    """The job's name and its file, with the paths of this machine."""
    body = json.loads((EXAMPLE / "job.json").read_text())
    name = f"cosine-{hosts}-hosts-{time.strftime('%Y%m%d-%H%M%S', time.gmtime())}-{os.getpid()}"
    folders = {"code": EXAMPLE / "code", "matrix": matrix.parent}
    for channel in body["InputDataConfig"]:
        source = channel["DataSource"]["S3DataSource"]
        source["S3Uri"] = folders[channel["ChannelName"]].as_uri() + "/"
    body["TrainingJobName"] = name
    body["OutputDataConfig"]["S3OutputPath"] = (output / "output").as_uri()
    body["ResourceConfig"]["InstanceCount"] = hosts
    path = output / f"{hosts}-hosts.json"
    path.write_text(json.dumps(body, indent=2) + "\n")
    return name, path


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--evener", type=Path, default=ROOT / "build/evener")
    parser.add_argument("--output", type=Path, default=ROOT / "build/cosine_similarity")
    parser.add_argument("--rows", type=int, default=3000)
    parser.add_argument("--columns", type=int, default=256)
    parser.add_argument("--hosts", type=int, nargs="+", default=[1, 2, 5])
    options = parser.parse_args()
    output = options.output.resolve()
    matrix = make(output / "matrix", options.rows, options.columns, seed=1)
    environment = dict(os.environ, EVENER_HOME=str(output / "home"))
    environment["PATH"] = f"{Path(sys.executable).parent}:{environment['PATH']}"
    archives = []
    for hosts in options.hosts:
        name, job = write_job(hosts, matrix, output)
        done = subprocess.run([str(options.evener.resolve()), "train", str(job)], env=environment,
                              check=False)
        if done.returncode != 0:
            print(f"{name} did not complete", file=sys.stderr)
            return done.returncode
        archives.append(output / "output" / name / "output/model.tar.gz")
    wrong = check(matrix, archives)
    for line in wrong:
        print(line, file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
