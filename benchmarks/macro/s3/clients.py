"""The S3 clients that s3_bench.py runs, and the command of each for each task."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

# Tasks: put and get one large object, get-sink to nowhere, put-many and get-many small ones.
BOTO3 = """
import os, sys, boto3
from concurrent.futures import ThreadPoolExecutor
what, source, target = sys.argv[1:]
s3 = boto3.client("s3", endpoint_url=os.environ["AWS_ENDPOINT_URL_S3"])
split = lambda uri: uri.removeprefix("s3://").split("/", 1)
if what == "get": s3.download_file(*split(source), target)
elif what == "get-sink": s3.download_fileobj(*split(source), open(os.devnull, "wb"))
elif what == "put": s3.upload_file(source, *split(target))
elif what == "put-many":
    bucket, key = split(target)
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda n: s3.upload_file(f"{source}/{n}", bucket, f"{key}/{n}"), os.listdir(source)))
else:
    bucket, key = split(source)
    names = [o["Key"] for page in s3.get_paginator("list_objects_v2").paginate(Bucket=bucket, Prefix=key + "/")
             for o in page.get("Contents", [])]
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda n: s3.download_file(bucket, n, target + "/" + n.split("/")[-1]), names))
"""


@dataclass(frozen=True)
class Task:
    what: str
    source: str
    target: str


def installed(driver: Path, tools: Path, clients: Path) -> dict[str, list[str] | None]:
    """The first words of each client's command; None where it is not installed."""
    rclone = shutil.which("rclone")
    # The program itself: the environment's bin has a script of Python that starts it.
    s5cmd = next(tools.glob("lib/python*/site-packages/s5cmd/bin/s5cmd"), None)
    python, aws = clients / "bin/python", clients / "bin/aws"
    return {"evener": [str(driver)],
            "rclone": [rclone, "--config", os.devnull] if rclone else None,
            "s5cmd": [str(s5cmd)] if s5cmd else None,
            "boto3": [str(python), "-c", BOTO3] if python.exists() else None,
            "aws": [str(aws)] if aws.exists() else None}


def words(name: str, command: list[str], task: Task) -> list[str]:
    many, sink = task.what.endswith("many"), task.what == "get-sink"
    if name == "rclone":
        remote = [text.replace("s3://", "bench:") for text in (task.source, task.target)]
        if sink:
            return [*command, "cat", remote[0]]
        verb = "copy" if many else "copyto"
        return [*command, verb, *remote, "--transfers", "8", "--multi-thread-streams", "8"]
    if name == "s5cmd":
        if sink:
            return [*command, "cat", task.source]
        star = f"{task.source}/*" if many else task.source
        return [*command, "cp", star, f"{task.target}/" if many else task.target]
    if name == "aws":
        return [*command, "s3", "cp", "--only-show-errors", *(["--recursive"] if many else []),
                task.source, "-" if sink else task.target]
    if name == "evener" and sink:
        return [*command, "get", task.source, os.devnull]
    return [*command, task.what, task.source, task.target]


def environment(endpoint: str, key: str, secret: str) -> dict[str, str]:
    # The server speaks plain HTTP, and rclone fails over a CA file that AWS's clients take.
    inherited = {name: value for name, value in os.environ.items() if name != "AWS_CA_BUNDLE"}
    return dict(
        inherited, AWS_ENDPOINT_URL_S3=endpoint, AWS_ENDPOINT_URL=endpoint,
        S3_ENDPOINT_URL=endpoint, AWS_ACCESS_KEY_ID=key, AWS_SECRET_ACCESS_KEY=secret,
        AWS_REGION="us-east-1", AWS_DEFAULT_REGION="us-east-1", AWS_EC2_METADATA_DISABLED="true",
        AWS_CONFIG_FILE=os.devnull, AWS_SHARED_CREDENTIALS_FILE=os.devnull,
        RCLONE_CONFIG_BENCH_TYPE="s3", RCLONE_CONFIG_BENCH_PROVIDER="Other",
        RCLONE_CONFIG_BENCH_ENV_AUTH="true", RCLONE_CONFIG_BENCH_ENDPOINT=endpoint)


def run(command: list[str], variables: dict[str, str]) -> dict[str, float]:
    """Seconds, CPU seconds and peak memory of this process and what it started, alone.

    The kernel counts what this script held when it started the other: no peak is below that.
    """
    os.sync()
    begin = time.monotonic()
    process = subprocess.Popen(command, env=variables, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    seconds = time.monotonic() - begin
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        raise subprocess.CalledProcessError(process.returncode, command[:2])
    return {"seconds": round(seconds, 3), "cpu_seconds": round(usage.ru_utime + usage.ru_stime, 3),
            "peak_mib": round(usage.ru_maxrss / 1024, 1)}
