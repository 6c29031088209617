#!/usr/bin/env python3
"""Requests a second of `evener serve`, as clients see them.

    serve_bench.py --evener build/evener [--seconds 5] [--rounds 3]

wrk asks over 1, 16 and 64 connections: DescribeTrainingJob of one job and of many, signed;
CreateTrainingJob with names that never repeat, each durable before it is answered; GetLogEvents
pages of a megabyte. Creation runs without signatures, since wrk cannot sign. The jobs wait for a
machine that is taken, so that nothing else runs. Then what a server costs that has ten thousand
ended jobs and nothing to do: memory, and how often its threads wake up. One JSON object a line on
stdout.
"""

from __future__ import annotations

import argparse
import hashlib
import hmac
import json
import os
import shutil
import signal
import subprocess
import tempfile
import time
import urllib.request
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Iterator
from urllib.parse import urlsplit

LOG_PAGE_LINES = 10_000
MANY_JOBS = 200
IDLE_JOBS = 10_000
IDLE_SECONDS = 10
DONE = """
function done(summary, latency, requests)
  io.write(string.format('{"requests":%d,"micros":%d,"p50_micros":%d,"p99_micros":%d,"failed":%d}',
    summary.requests, summary.duration, latency:percentile(50), latency:percentile(99),
    summary.errors.connect + summary.errors.read + summary.errors.write + summary.errors.status +
    summary.errors.timeout))
end
"""


def signed_headers(service: str, target: str, body: str, endpoint: str, key: dict) -> dict[str, str]:
    """SigV4 as boto3 makes it."""
    now = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime())
    headers = {"content-type": "application/x-amz-json-1.1", "host": urlsplit(endpoint).netloc,
               "x-amz-date": now, "x-amz-target": target}
    names = ";".join(headers)
    canonical = "\n".join(["POST", "/", "", *(f"{k}:{v}" for k, v in headers.items()), "", names,
                           hashlib.sha256(body.encode()).hexdigest()])
    scope = f"{now[:8]}/us-east-1/{service}/aws4_request"
    text = "\n".join(["AWS4-HMAC-SHA256", now, scope,
                      hashlib.sha256(canonical.encode()).hexdigest()])
    secret = ("AWS4" + key["AWS_SECRET_ACCESS_KEY"]).encode()
    for part in (now[:8], "us-east-1", service, "aws4_request", text):
        secret = hmac.new(secret, part.encode(), hashlib.sha256).digest()
    return {"Content-Type": headers["content-type"], "X-Amz-Date": now, "X-Amz-Target": target,
            "Authorization": f"AWS4-HMAC-SHA256 Credential={key['AWS_ACCESS_KEY_ID']}/{scope}, "
                             f"SignedHeaders={names}, Signature={secret.hex()}"}


class Served:
    """One server on a home of its own."""

    def __init__(self, evener: Path, home: Path, *words: str) -> None:
        self.evener, self.home = evener, home
        self.environment = dict(os.environ, EVENER_HOME=str(home))
        self.process = subprocess.Popen(
            [str(evener), "serve", "--json", "--listen", "127.0.0.1:0", *words],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=self.environment)
        self.endpoint = json.loads(self.process.stdout.readline())["endpoint"]
        self.key = json.loads(subprocess.run([str(evener), "env", "--json"], check=True,
                                             env=self.environment, capture_output=True).stdout)

    def ask(self, target: str, body: dict, service: str = "sagemaker") -> dict:
        text = json.dumps(body)
        request = urllib.request.Request(
            self.endpoint, data=text.encode(),
            headers=signed_headers(service, target, text, self.endpoint, self.key))
        with urllib.request.urlopen(request) as answer:
            return json.loads(answer.read() or b"{}")

    def end(self) -> None:
        if self.process.poll() is not None:
            return
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(60)


@contextmanager
def served(evener: Path, *words: str) -> Iterator[Served]:
    home = Path(tempfile.mkdtemp(prefix="evener-bench-"))
    server = Served(evener, home, *words)
    try:
        yield server
    finally:
        server.end()
        end_supervisors(home)
        shutil.rmtree(home, ignore_errors=True)


def supervisors(home: Path) -> list[int]:
    found = []
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                words = (folder / "cmdline").read_bytes()
            except OSError:
                continue
            if f"{home}/jobs/".encode() in words:
                found.append(int(folder.name))
    return found


def end_supervisors(home: Path) -> None:
    """Jobs outlive their server: those of a bench's home end with it, at once."""
    deadline = time.monotonic() + 20
    while (left := supervisors(home)) and time.monotonic() < deadline:
        for pid in left:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGTERM)
        time.sleep(0.2)


def job_body(home: Path, name: str, instance_type: str = "ml.m5.large") -> dict:
    return {
        "TrainingJobName": name,
        "RoleArn": "arn:aws:iam::000000000000:role/evener",
        "AlgorithmSpecification": {"TrainingImage": "local", "TrainingInputMode": "File"},
        "HyperParameters": {"epochs": "3", "sagemaker_program": "train.py",
                            "sagemaker_submit_directory": f"file://{home}/source"},
        "OutputDataConfig": {"S3OutputPath": f"file://{home}/out"},
        "ResourceConfig": {"VolumeSizeInGB": 1, "InstanceType": instance_type, "InstanceCount": 1},
        "StoppingCondition": {"MaxRuntimeInSeconds": 600},
        "Environment": {"EVENER_FIT": "strict", "EVENER_STOP_GRACE_SECONDS": "0"},
    }


def load(server: Served, script: str, connections: int, seconds: int) -> dict:
    with tempfile.NamedTemporaryFile("w", suffix=".lua") as file:
        file.write(script + DONE)
        file.flush()
        out = subprocess.run(["wrk", "-t1", f"-c{connections}", f"-d{seconds}s", "-s", file.name,
                              server.endpoint + "/"], capture_output=True, text=True, check=True)
    result = json.loads(out.stdout.splitlines()[-1])
    result["per_second"] = round(result["requests"] * 1e6 / result.pop("micros"))
    return result


def lua(text: str) -> str:
    return "[==[" + text + "]==]"


def fixed(server: Served, service: str, target: str, bodies: list[dict]) -> str:
    """A script that sends these requests in turn."""
    made = []
    for body in bodies:
        text = json.dumps(body)
        headers = signed_headers(service, target, text, server.endpoint, server.key)
        fields = ",".join(f'["{name}"]={lua(value)}' for name, value in headers.items())
        made.append(f"wrk.format('POST', '/', {{{fields}}}, {lua(text)})")
    return ("local all = {}\nfunction init(args)\n"
            + "\n".join(f"all[{i + 1}] = {one}" for i, one in enumerate(made))
            + "\nend\nlocal at = 0\nfunction request()\nat = at % #all + 1\nreturn all[at]\nend\n")


def creating(server: Served, mark: str, instance_type: str = "ml.m5.large") -> str:
    body = json.dumps(job_body(server.home, "NAME", instance_type))
    return (f"local body = {lua(body)}\nlocal at = 0\n"
            "local headers = {['Content-Type']='application/x-amz-json-1.1',"
            "['X-Amz-Target']='SageMaker.CreateTrainingJob'}\nfunction request()\nat = at + 1\n"
            f"local text = body:gsub('NAME', '{mark}-' .. at)\n"
            "return wrk.format('POST', '/', headers, text)\nend\n")


def report(what: str, connections: int, number: int, result: dict) -> None:
    print(json.dumps({"bench": "serve", "what": what, "connections": connections, "round": number,
                      **result}), flush=True)


def measure_reads(args: argparse.Namespace, number: int) -> None:
    with served(args.evener) as server:
        source = server.home / "source"
        source.mkdir()
        (source / "train.py").write_text(
            f"for i in range({LOG_PAGE_LINES}):\n    print(str(i).rjust(78, '.'))\n")
        names = [f"job-{i}" for i in range(MANY_JOBS)]
        server.ask("SageMaker.CreateTrainingJob", job_body(server.home, names[0]))
        while True:
            job = server.ask("SageMaker.DescribeTrainingJob", {"TrainingJobName": names[0]})
            if job["TrainingJobStatus"] not in ("InProgress", "Stopping"):
                break
            time.sleep(0.1)
        for name in names[1:]:   # refused for their size, and so ended at once
            server.ask("SageMaker.CreateTrainingJob",
                       job_body(server.home, name, "ml.p4d.24xlarge"))
        time.sleep(1)
        group = {"logGroupName": "/aws/sagemaker/TrainingJobs"}
        stream = server.ask("Logs_20140328.DescribeLogStreams",
                            {**group, "logStreamNamePrefix": f"{names[0]}/"}, "logs")
        page = {**group, "logStreamName": stream["logStreams"][0]["logStreamName"],
                "startFromHead": True}
        scripts = {
            "describe": fixed(server, "sagemaker", "SageMaker.DescribeTrainingJob",
                              [{"TrainingJobName": names[0]}]),
            "describe_many": fixed(server, "sagemaker", "SageMaker.DescribeTrainingJob",
                                   [{"TrainingJobName": name} for name in names]),
            "log_page": fixed(server, "logs", "Logs_20140328.GetLogEvents", [page]),
        }
        for connections in (1, 16, 64):
            for what, script in scripts.items():
                report(what, connections, number, load(server, script, connections, args.seconds))


def measure_creates(args: argparse.Namespace, number: int) -> None:
    for connections in (1, 16, 64):
        with served(args.evener, "--insecure") as server:
            source = server.home / "source"
            source.mkdir()
            (source / "train.py").write_text("import time\ntime.sleep(3600)\n")
            for i in range(16):   # takes the machine
                server.ask("SageMaker.CreateTrainingJob",
                           job_body(server.home, f"taken-{i}"))
            time.sleep(2)
            result = load(server, creating(server, f"c{connections}"), connections, args.seconds)
            report("create", connections, number, result)
            for i in range(16):
                server.ask("SageMaker.StopTrainingJob", {"TrainingJobName": f"taken-{i}"})
            time.sleep(3)


def wake_ups(pid: int) -> int:
    """Of all its threads, until now."""
    total = 0
    for task in Path(f"/proc/{pid}/task").iterdir():
        for line in (task / "status").read_text().splitlines():
            if line.startswith("voluntary_ctxt_switches:"):
                total += int(line.split()[1])
    return total


def resident_bytes(pid: int) -> int:
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) * 1024
    return 0


def measure_idle(args: argparse.Namespace, number: int) -> None:
    with served(args.evener, "--insecure") as server:
        source = server.home / "source"
        source.mkdir()
        (source / "train.py").write_text("print('never runs')\n")
        jobs = 0
        for turn in range(1000):   # each is refused for its size, and so ends at once
            script = creating(server, f"i{turn}", "ml.p4d.24xlarge")
            jobs += load(server, script, 16, 2)["requests"]
            if jobs >= IDLE_JOBS:
                break
        time.sleep(2)
        server.end()
        again = Served(args.evener, server.home)
        try:
            page = again.ask("SageMaker.ListTrainingJobs", {"MaxResults": 100})
            assert len(page["TrainingJobSummaries"]) == 100, page
            time.sleep(2)
            before = wake_ups(again.process.pid)
            time.sleep(IDLE_SECONDS)
            rate = (wake_ups(again.process.pid) - before) / IDLE_SECONDS
            report("idle", 0, number, {"jobs": jobs, "wake_ups_per_second": rate,
                                       "resident_bytes": resident_bytes(again.process.pid)})
        finally:
            again.end()


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--evener", type=Path, required=True)
    parser.add_argument("--seconds", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=3)
    args = parser.parse_args()
    if shutil.which("wrk") is None:
        print(json.dumps({"bench": "serve", "skipped": "wrk is not installed"}))
        return
    for number in range(1, args.rounds + 1):
        measure_reads(args, number)
        measure_creates(args, number)
        measure_idle(args, number)


main()
