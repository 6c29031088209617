#!/usr/bin/env python3
"""Moving objects to and from a real S3 server, beside other clients on the same machine.

One object of --mib MiB and --small objects of 110 KB, put and got, by storage/s3 (s3_driver), and by
rclone, s5cmd, boto3 and the AWS CLI where they are installed. Each sample is its own process; ways
take turns. Prints one JSON object a line: seconds, CPU seconds and peak memory of the client.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
KEY, SECRET, BUCKET = "EVENERBENCH", "only-for-the-benchmark", "bench"
SMALL_BYTES = 110_000
UP_WITHIN = 60

BOTO3 = """
import os, sys, boto3
from concurrent.futures import ThreadPoolExecutor
what, source, target = sys.argv[1:]
s3 = boto3.client("s3", endpoint_url=os.environ["AWS_ENDPOINT_URL_S3"])
split = lambda uri: uri.removeprefix("s3://").split("/", 1)
if what == "get": s3.download_file(*split(source), target)
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


class Server:
    """SeaweedFS with its data in `folder`."""

    def __init__(self, weed: Path, folder: Path) -> None:
        first = 22000 + os.getpid() % 5000
        ports = {name: first + i for i, name in
                 enumerate(("s3", "filer", "master", "volume", "admin"))}
        (folder / "data").mkdir()
        identity = {"name": "bench", "credentials": [{"accessKey": KEY, "secretKey": SECRET}],
                    "actions": ["Admin", "Read", "Write", "List", "Tagging"]}
        (folder / "identities.json").write_text(json.dumps({"identities": [identity]}))
        command = [str(weed), "mini", f"-dir={folder / 'data'}", "-ip=127.0.0.1",
                   "-ip.bind=127.0.0.1", f"-s3.config={folder / 'identities.json'}",
                   "-admin.ui=false", "-webdav=false", "-s3.port.iceberg=0", "-s3.port.lance=0",
                   "-master.telemetry=false", f"-bucket={BUCKET}"]
        command += [f"-{name}.port={port}" for name, port in ports.items()]
        self.log = open(folder / "log", "wb")
        self.process = subprocess.Popen(command, stdout=self.log, stderr=self.log, cwd=folder)
        self.endpoint = f"http://127.0.0.1:{ports['s3']}"
        end = time.monotonic() + UP_WITHIN
        while b"S3 Endpoint" not in (folder / "log").read_bytes():
            if time.monotonic() > end or self.process.poll() is not None:
                raise RuntimeError((folder / "log").read_text())
            time.sleep(0.1)

    def stop(self) -> None:
        self.process.terminate()
        self.process.wait()
        self.log.close()


def clients(driver: str, environment: dict[str, str]) -> dict[str, list[str] | None]:
    """The command of each client but for what, from and to; None where it is not installed."""
    python = environment.get("PYTHON", sys.executable)
    has_boto3 = subprocess.run([python, "-c", "import boto3"], capture_output=True).returncode == 0
    return {"evener": [driver],
            "boto3": [python, "-c", BOTO3] if has_boto3 else None,
            "rclone": [shutil.which("rclone")] if shutil.which("rclone") else None,
            "s5cmd": [shutil.which("s5cmd")] if shutil.which("s5cmd") else None,
            "aws": [shutil.which("aws")] if shutil.which("aws") else None}


def words(name: str, command: list[str], what: str, source: str, target: str) -> list[str]:
    many = what.endswith("many")
    if name == "rclone":
        remote = [text.replace("s3://", "bench:") for text in (source, target)]
        verb = "copy" if many else "copyto"
        return [*command, verb, *remote, "--transfers", "8", "--multi-thread-streams", "8"]
    if name == "s5cmd":
        star = f"{source}/*" if many else source
        return [*command, "cp", star, f"{target}/" if many else target]
    if name == "aws":
        return [*command, "s3", "cp", "--only-show-errors", *(["--recursive"] if many else []),
                source, target]
    return [*command, what, source, target]


def sample(command: list[str], environment: dict[str, str]) -> dict[str, float]:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    begin = time.monotonic()
    subprocess.run(command, env=environment, check=True, stdout=subprocess.DEVNULL)
    seconds = time.monotonic() - begin
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return {"seconds": round(seconds, 3), "cpu_seconds": round(cpu, 3)}


def measure(options: argparse.Namespace, folder: Path, server: Server) -> None:
    environment = dict(
        os.environ, AWS_ENDPOINT_URL_S3=server.endpoint, AWS_ENDPOINT_URL=server.endpoint,
        S3_ENDPOINT_URL=server.endpoint, AWS_ACCESS_KEY_ID=KEY, AWS_SECRET_ACCESS_KEY=SECRET,
        AWS_REGION="us-east-1", AWS_DEFAULT_REGION="us-east-1", AWS_EC2_METADATA_DISABLED="true",
        RCLONE_CONFIG_BENCH_TYPE="s3", RCLONE_CONFIG_BENCH_PROVIDER="Other",
        RCLONE_CONFIG_BENCH_ENV_AUTH="true", RCLONE_CONFIG_BENCH_ENDPOINT=server.endpoint)
    large, small = folder / "large", folder / "small"
    with open(large, "wb") as file:
        for _ in range(options.mib):
            file.write(os.urandom(1 << 20))
    small.mkdir()
    for number in range(options.small):
        (small / f"{number:06}").write_bytes(os.urandom(SMALL_BYTES))
    for turn in range(options.rounds):
        for name, command in clients(options.driver, environment).items():
            if command is None:
                if turn == 0:
                    print(json.dumps({"skipped": f"{name} is not installed"}), flush=True)
                continue
            got = folder / "got"
            got.mkdir()
            place = f"s3://{BUCKET}/{name}-{turn}"
            steps = [("put", str(large), f"{place}/large"), ("get", f"{place}/large", f"{got}/large"),
                     ("put-many", str(small), f"{place}/small"),
                     ("get-many", f"{place}/small", str(got))]
            if name == "evener":
                steps.insert(2, ("get", f"{place}/large", "/dev/null"))
            for what, source, target in steps:
                taken = sample(words(name, command, what, source, target), environment)
                sink = " to a sink" if target == "/dev/null" else ""
                print(json.dumps({"what": what + sink, "client": name, **taken}), flush=True)
            shutil.rmtree(got)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--driver", required=True, help="the built s3_driver")
    parser.add_argument("--mib", type=int, default=1024)
    parser.add_argument("--small", type=int, default=2000)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    weed = ROOT / ".venv/bin/weed"
    if not weed.exists():
        print(json.dumps({"skipped": "there is no .venv/bin/weed; run tools/setup.sh"}))
        return 0
    with tempfile.TemporaryDirectory(prefix="evener-s3-bench-") as name:
        server = Server(weed, Path(name))
        try:
            measure(options, Path(name), server)
        finally:
            server.stop()
    return 0


if __name__ == "__main__":
    sys.exit(main())
