#!/usr/bin/env python3
"""Requests a second of `evener serve`, as clients see them, beside moto_server and a null server.

    serve_bench.py --evener build/evener [--seconds 2] [--rounds 3]

wrk asks over 1, 16 and 64 connections, each server in turn: DescribeTrainingJob of one job and of
many, pages of ListTrainingJobs, GetLogEvents pages of a megabyte, signed; CreateTrainingJob with
names that never repeat, each durable before it is answered, without signatures since wrk cannot
sign. The jobs wait for a machine that is taken, so that nothing else runs. Then a page of a list of
100,000; what ten thousand silent connections cost; and what a server costs that has ten thousand
ended jobs and nothing to do. One JSON object a line on stdout, ratios last.
"""

from __future__ import annotations

import argparse
import json
import resource
import shutil
import sys
import time
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "benchmarks"))

from peers import Moto, moto, null_server  # noqa: E402
from rounds import Rounds  # noqa: E402
from served import (TOO_LARGE, Served, fill, job_body, resident_bytes, served,  # noqa: E402
                    wake_ups, write_program)
from wire import Client, creating, fixed, is_open, load, silent_connections  # noqa: E402

CONNECTIONS = (1, 16, 64)
LOG_PAGE_LINES = 10_000
LOG_LINE_BYTES = 78
MANY_JOBS = 200
IDLE_JOBS = 10_000
IDLE_SECONDS = 10
CREATE = "SageMaker.CreateTrainingJob"
DESCRIBE = "SageMaker.DescribeTrainingJob"
LIST = "SageMaker.ListTrainingJobs"
PAGE = {"MaxResults": 100}


@dataclass
class Bench:
    evener: Path
    moto: Path
    null: Path
    seconds: int
    listed: int
    silent: int
    rounds: Rounds

    def load(self, what: str, way: str, where: str, script: str, connections: int,
             number: int) -> None:
        result = load(where, script, connections, self.seconds)
        self.rounds.sample(f"{what}, {connections} connections", way, connections=connections,
                           round=number, **result)


def read_scripts(client: Client, names: list[str], page: dict) -> dict[str, str]:
    return {
        "describe": fixed(client, "sagemaker", DESCRIBE, [{"TrainingJobName": names[0]}]),
        "describe_many": fixed(client, "sagemaker", DESCRIBE,
                               [{"TrainingJobName": name} for name in names]),
        "list": fixed(client, "sagemaker", LIST, [PAGE]),
        "log_page": fixed(client, "logs", "Logs_20140328.GetLogEvents", [page]),
    }


def our_scripts(server: Served, names: list[str]) -> dict[str, str]:
    """Makes the jobs: one that ran and wrote its log, the others ended at once."""
    write_program(server.home, f"for i in range({LOG_PAGE_LINES}):\n"
                               f"    print(str(i).rjust({LOG_LINE_BYTES}, '.'))\n")
    server.ask(CREATE, job_body(server.home, names[0]))
    while server.ask(DESCRIBE, {"TrainingJobName": names[0]})["TrainingJobStatus"] in (
            "InProgress", "Stopping"):
        time.sleep(0.1)
    for name in names[1:]:
        server.ask(CREATE, job_body(server.home, name, TOO_LARGE))
    time.sleep(1)
    group = {"logGroupName": "/aws/sagemaker/TrainingJobs"}
    stream = server.ask("Logs_20140328.DescribeLogStreams",
                        {**group, "logStreamNamePrefix": f"{names[0]}/"}, "logs")
    page = {**group, "logStreamName": stream["logStreams"][0]["logStreamName"],
            "startFromHead": True}
    return read_scripts(server, names, page)


def moto_scripts(peer: Moto, home: Path, names: list[str]) -> dict[str, str]:
    for name in names:
        peer.ask(CREATE, job_body(home, name))
    return read_scripts(peer, names, peer.write_log(LOG_PAGE_LINES, "." * LOG_LINE_BYTES))


def measure_reads(bench: Bench, number: int) -> None:
    names = [f"job-{i}" for i in range(MANY_JOBS)]
    with ExitStack() as stack:
        server = stack.enter_context(served(bench.evener))
        ours = our_scripts(server, names)
        peer = stack.enter_context(moto(bench.moto))
        theirs = moto_scripts(peer, server.home, names) if peer else {}
        described = server.ask("SageMaker.DescribeTrainingJob", {"TrainingJobName": names[0]})
        null = stack.enter_context(null_server(bench.null, len(json.dumps(described))))
        for connections in CONNECTIONS:
            for what, script in ours.items():
                bench.load(what, "evener", server.endpoint, script, connections, number)
                if null and what == "describe":
                    bench.load(what, "null", null, script, connections, number)
                if peer and what in theirs:
                    bench.load(what, "moto", peer.endpoint, theirs[what], connections, number)


def measure_creates(bench: Bench, number: int) -> None:
    for connections in CONNECTIONS:
        with served(bench.evener, "--insecure") as server, moto(bench.moto) as peer:
            write_program(server.home, "import time\ntime.sleep(3600)\n")
            for i in range(16):   # takes the machine
                server.ask(CREATE, job_body(server.home, f"taken-{i}"))
            time.sleep(2)
            body = job_body(server.home, "")
            bench.load("create", "evener", server.endpoint, creating(body, f"c{connections}"),
                       connections, number)
            if peer:
                peer.ask(CREATE, job_body(server.home, "first"))   # it loads its models then
                script = creating(body, f"c{connections}", peer.authorization(CREATE))
                bench.load("create", "moto", peer.endpoint, script, connections, number)
            for i in range(16):
                server.ask("SageMaker.StopTrainingJob", {"TrainingJobName": f"taken-{i}"})
            time.sleep(3)


def measure_long_list(bench: Bench, rounds: int) -> None:
    with served(bench.evener, "--insecure") as server:
        jobs = fill(server, bench.listed)
        bench.rounds.say(what="long_list", jobs=jobs)
        ways = {"newest": PAGE, "by name": {**PAGE, "SortBy": "Name"},
                "failed": {**PAGE, "StatusEquals": "Failed"}}
        for number in range(1, rounds + 1):
            for connections in CONNECTIONS:
                for way, request in ways.items():
                    script = fixed(server, "sagemaker", LIST, [request])
                    bench.load("long_list", way, server.endpoint, script, connections, number)


def measure_silent(bench: Bench, number: int) -> None:
    with served(bench.evener) as server:
        write_program(server.home, "print('never runs')\n")
        server.ask(CREATE, job_body(server.home, "job", TOO_LARGE))
        time.sleep(1)
        body = {"TrainingJobName": "job"}
        script = fixed(server, "sagemaker", DESCRIBE, [body])
        what, few = "describe beside silent", (1, 16)
        for connections in few:
            bench.load(what, "without", server.endpoint, script, connections, number)
        before = resident_bytes(server.process.pid)
        with silent_connections(server, bench.silent, DESCRIBE, body) as opened:
            more = resident_bytes(server.process.pid) - before
            for connections in few:
                bench.load(what, "with", server.endpoint, script, connections, number)
            left = sum(is_open(one) for one in opened)
        bench.rounds.sample("silent connections", "evener", opened=bench.silent,
                            still_open=left, more_bytes=more, round=number)


def measure_idle(bench: Bench, number: int) -> None:
    with served(bench.evener, "--insecure") as server:
        jobs = fill(server, IDLE_JOBS)
        server.end()
        again = Served(bench.evener, server.home)
        try:
            page = again.ask(LIST, PAGE)
            assert len(page["TrainingJobSummaries"]) == 100, page
            time.sleep(2)
            before = wake_ups(again.process.pid)
            time.sleep(IDLE_SECONDS)
            rate = (wake_ups(again.process.pid) - before) / IDLE_SECONDS
            bench.rounds.sample("idle", "evener", jobs=jobs, wake_ups_per_second=rate,
                                resident_bytes=resident_bytes(again.process.pid), round=number)
        finally:
            again.end()


def compare(rounds: Rounds) -> None:
    def name(what: str, connections: int) -> str:
        return f"{what}, {connections} connections"

    rate = "per_second"
    rounds.ratio(name("describe", 1), rate, "evener", "null", at_least=0.7)
    for connections in CONNECTIONS:
        bar = 100 if connections > 1 else None
        rounds.ratio(name("describe", connections), rate, "evener", "moto", at_least=bar)
        for what in ("describe_many", "list", "log_page", "create"):
            rounds.ratio(name(what, connections), rate, "evener", "moto")
    for way in ("newest", "by name", "failed"):
        rounds.bar(name("long_list", 1), way, "p99_micros", at_most=10_000)
    rounds.bar(name("describe", 16), "evener", "p99_micros", at_most=2_000)
    rounds.bar(name("create", 16), "evener", rate, at_least=2_000)
    for connections in (1, 16):
        # No slower, but for what two runs of the same differ by.
        what = name("describe beside silent", connections)
        rounds.ratio(what, rate, "with", "without", at_least=0.95)
        rounds.ratio(what, "p99_micros", "with", "without")
    rounds.bar("silent connections", "evener", "more_bytes", at_most=100_000_000)
    rounds.bar("idle", "evener", "resident_bytes", at_most=60_000_000)
    rounds.bar("idle", "evener", "wake_ups_per_second", at_most=1)


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    parser.add_argument("--evener", type=Path, required=True)
    parser.add_argument("--moto", type=Path, default=ROOT / ".venv-peers-tools/bin/python",
                        help="the Python of an environment that has moto_server")
    parser.add_argument("--null", type=Path, help="the built http_server_bench")
    parser.add_argument("--seconds", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--listed", type=int, default=100_000)
    parser.add_argument("--silent", type=int, default=10_000)
    return parser.parse_args()


def main() -> None:
    args = parse()
    rounds = Rounds("serve")
    if shutil.which("wrk") is None:
        rounds.skip("wrk is not installed")
        return
    null = args.null or args.evener.parent / "benchmarks/micro/http_server/http_server_bench"
    for program, what in ((args.moto, "moto_server"), (null, "the null server")):
        if not program.exists():
            rounds.skip(f"{what} is not installed: there is no {program}")
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    bench = Bench(args.evener, args.moto, null, args.seconds, args.listed, args.silent, rounds)
    for number in range(1, args.rounds + 1):
        measure_reads(bench, number)
        measure_creates(bench, number)
        measure_silent(bench, number)
        measure_idle(bench, number)
    measure_long_list(bench, args.rounds)
    compare(rounds)


if __name__ == "__main__":
    main()
