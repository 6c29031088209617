#!/usr/bin/env python3
"""Requests a second of our HTTP server beside the floor, and what idle connections cost.

    http_server_bench.py --servers build/benchmarks/micro/http_server/http_server_bench
                         [--seconds 3] [--rounds 3] [--idle 10000]

wrk sends a small JSON POST over 1, 16 and 64 connections, to each server in turn, and again over
16 while --idle connections are open and silent. One JSON object a line on stdout.
"""

from __future__ import annotations

import argparse
import json
import resource
import shutil
import socket
import subprocess
import sys
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import Iterator

WAYS = {"floor": ["floor"], "evener_1_thread": ["evener", "1"], "evener_2_threads": ["evener", "2"]}
# As a client of SageMaker sends it: a signature, a target, a small body.
SCRIPT = """
wrk.method = "POST"
wrk.body = '{"TrainingJobName":"job-1"}'
wrk.headers["Content-Type"] = "application/x-amz-json-1.1"
wrk.headers["X-Amz-Target"] = "SageMaker.DescribeTrainingJob"
wrk.headers["X-Amz-Date"] = "20261130T101112Z"
wrk.headers["User-Agent"] = "Boto3/1.44.8 md/Botocore#1.44.8 ua/2.1 os/linux lang/python#3.11"
wrk.headers["Authorization"] = "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20261130/us-west-2/" ..
  "sagemaker/aws4_request, SignedHeaders=content-type;host;x-amz-date;x-amz-target, Signature=" ..
  string.rep("0", 64)
function done(summary, latency, requests)
  io.write(string.format('{"requests":%d,"micros":%d,"p50_micros":%d,"p99_micros":%d,"failed":%d}',
    summary.requests, summary.duration, latency:percentile(50), latency:percentile(99),
    summary.errors.connect + summary.errors.read + summary.errors.write + summary.errors.status +
    summary.errors.timeout))
end
"""


@contextmanager
def running(program: Path, way: str) -> Iterator[tuple[subprocess.Popen, int]]:
    command = [str(program), *WAYS[way]]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as server:
        try:
            yield server, int(server.stdout.readline())
        finally:
            server.stdin.close()
            server.wait(30)


def load(script: Path, port: int, connections: int, seconds: int) -> dict:
    command = ["wrk", "-t1", f"-c{connections}", f"-d{seconds}s", "-s", str(script),
               f"http://127.0.0.1:{port}/"]
    out = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    result = json.loads(out.splitlines()[-1])
    result["per_second"] = round(result["requests"] * 1e6 / result.pop("micros"))
    return result


def resident_bytes(pid: int) -> int:
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) * 1024
    return 0


def report(**members: object) -> None:
    print(json.dumps({"bench": "http_server", **members}), flush=True)


def with_idle(args: argparse.Namespace, script: Path, way: str, number: int) -> None:
    with running(args.servers, way) as (server, port):
        load(script, port, 16, 1)
        before = resident_bytes(server.pid)
        silent = [socket.create_connection(("127.0.0.1", port)) for _ in range(args.idle)]
        # Each has had an answer, as a client that keeps its connection has.
        for one in silent:
            one.sendall(b"GET / HTTP/1.1\r\nHost: h\r\n\r\n")
        for one in silent:
            one.recv(4096)
        idle_bytes = resident_bytes(server.pid) - before
        result = load(script, port, 16, args.seconds)
        report(way=way, connections=16, idle=args.idle, idle_bytes=idle_bytes, round=number, **result)
        for one in silent:
            one.close()


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--servers", type=Path, required=True)
    parser.add_argument("--seconds", type=int, default=3)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--idle", type=int, default=10_000)
    args = parser.parse_args()
    if shutil.which("wrk") is None:
        report(skipped="wrk is not installed")
        return
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    if hard != resource.RLIM_INFINITY and hard < args.idle + 200:
        print(f"only {hard} descriptors: fewer idle connections", file=sys.stderr)
        args.idle = hard - 200
    with tempfile.NamedTemporaryFile("w", suffix=".lua") as script:
        script.write(SCRIPT)
        script.flush()
        for number in range(1, args.rounds + 1):
            for connections in (1, 16, 64):
                for way in WAYS:
                    with running(args.servers, way) as (_, port):
                        result = load(Path(script.name), port, connections, args.seconds)
                    report(way=way, connections=connections, idle=0, round=number, **result)
            for way in WAYS:
                with_idle(args, Path(script.name), way, number)


main()
