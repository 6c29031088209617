#!/usr/bin/env python3
"""Moving objects to and from a real S3 server, beside other clients, and beside plain sockets.

    s3_bench.py --driver s3_driver --floor s3_floor [--mib 1024] [--small 2000] [--rounds 3]

One object of --mib MiB and --small objects of 110 KB: put, got to the disk and, the large one, to
nowhere; by storage/s3 (s3_driver) and by rclone, s5cmd, boto3 and the AWS CLI where they are
installed. All get the same objects. Then s3_driver and plain sockets (s3_floor) get the same files
from nginx. Each sample is a process of its own; ways take turns, in an order that turns too. One
JSON object a line, ratios last.
"""

from __future__ import annotations

import argparse
import filecmp
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "benchmarks"))

import clients  # noqa: E402
from clients import Task  # noqa: E402
from rounds import Rounds  # noqa: E402
from servers import BUCKET, KEY, SECRET, SeaweedFs, StaticServer  # noqa: E402

SMALL_BYTES = 110_000
MEMORY_MIB = 64e6 / 2**20
FLOORS = {"sockets-1": 1, "sockets-8": 8}


class Data:
    """What is moved, and where it arrives."""

    def __init__(self, folder: Path, mib: int, small: int) -> None:
        self.large, self.small, self.got = folder / "large", folder / "small", folder / "got"
        self.count = small
        with open(self.large, "wb") as file:
            for _ in range(mib):
                file.write(os.urandom(1 << 20))
        self.small.mkdir()
        for number in range(small):
            (self.small / f"{number:06}").write_bytes(os.urandom(SMALL_BYTES))
        self.large_bytes = mib << 20
        self.small_bytes = small * SMALL_BYTES

    def fresh(self) -> None:
        shutil.rmtree(self.got, ignore_errors=True)
        self.got.mkdir()

    def check(self, what: str) -> None:
        """That what was got is what was put."""
        if what == "get" and not filecmp.cmp(self.large, self.got / "large", shallow=False):
            raise RuntimeError("the large object arrived changed")
        if what == "get-many":
            names = [path.name for path in self.small.iterdir()]
            _, different, missing = filecmp.cmpfiles(self.small, self.got, names, shallow=False)
            if different or missing:
                raise RuntimeError(f"{len(different)} objects differ, {len(missing)} are missing")


class Bench:
    def __init__(self, data: Data, rounds: Rounds) -> None:
        self.data, self.rounds = data, rounds

    def sample(self, kind: str, what: str, way: str, command: list[str],
               variables: dict[str, str], number: int) -> None:
        self.data.fresh()
        try:
            taken = clients.run(command, variables)
        except subprocess.CalledProcessError as error:
            if way == "evener":
                raise
            self.rounds.say(what=f"{kind}{what}", way=way, round=number, failed=str(error))
            return
        many = what.endswith("many")
        moved = self.data.small_bytes if many else self.data.large_bytes
        figures = {"mb_per_second": round(moved / 1e6 / taken["seconds"], 1),
                   "cpu_seconds_per_gb": round(taken["cpu_seconds"] / moved * 1e9, 3)}
        if many:
            figures["objects_per_second"] = round(self.data.count / taken["seconds"], 1)
        self.rounds.sample(f"{kind}{what}", way, **taken, **figures, round=number)
        if number == 1:
            self.data.check(what)


def tasks(data: Data, way: str, number: int) -> list[Task]:
    place, shared = f"s3://{BUCKET}/{way}-{number}", f"s3://{BUCKET}/shared"
    return [Task("put", str(data.large), f"{place}/large"),
            Task("get", f"{shared}/large", f"{data.got}/large"),
            Task("get-sink", f"{shared}/large", ""),
            Task("put-many", str(data.small), f"{place}/small"),
            Task("get-many", f"{shared}/small", str(data.got))]


def turned(ways: list[str], number: int) -> list[str]:
    at = number % len(ways)
    return ways[at:] + ways[:at]


def measure_clients(bench: Bench, options: argparse.Namespace, server: SeaweedFs) -> list[str]:
    """Every client against the real server; returns those that ran."""
    found = clients.installed(options.driver, options.tools, options.clients)
    for name, command in found.items():
        if command is None:
            bench.rounds.skip(f"{name} is not installed")
    ways = [name for name, command in found.items() if command]
    variables = clients.environment(server.endpoint, KEY, SECRET)
    for what, source, target in (("put", bench.data.large, "large"),
                                 ("put-many", bench.data.small, "small")):
        task = Task(what, str(source), f"s3://{BUCKET}/shared/{target}")
        clients.run(clients.words("evener", found["evener"] or [], task), variables)
    for number in range(1, options.rounds + 1):
        for step in range(5):
            for way in turned(ways, number + step):
                task = tasks(bench.data, way, number)[step]
                command = clients.words(way, found[way] or [], task)
                bench.sample("", task.what, way, command, variables, number)
    return ways


def static_commands(options: argparse.Namespace, data: Data,
                    server: StaticServer) -> dict[str, dict[str, list[str]]]:
    """By what is done and by whom."""
    place, port = f"s3://{BUCKET}", str(server.port)
    driver, floor = str(options.driver), str(options.floor)
    commands: dict[str, dict[str, list[str]]] = {
        "get": {"evener": [driver, "get", f"{place}/large", f"{data.got}/large"]},
        "get-sink": {"evener": [driver, "get", f"{place}/large", os.devnull]},
        "get-many": {"evener": [driver, "get-many", f"{place}/small", str(data.got)]}}
    for name, connections in FLOORS.items():
        large = [floor, "large", port, f"/{BUCKET}/large", str(connections)]
        commands["get"][name] = [*large, f"{data.got}/large"]
        commands["get-sink"][name] = [*large, "-"]
        commands["get-many"][name] = [floor, "many", port, str(server.names), str(connections),
                                      str(data.got)]
    return commands


def measure_static(bench: Bench, options: argparse.Namespace, server: StaticServer) -> None:
    variables = clients.environment(server.endpoint, KEY, SECRET)
    commands = static_commands(options, bench.data, server)
    for number in range(1, options.rounds + 1):
        for what, ways in commands.items():
            for way in turned(list(ways), number):
                bench.sample("static ", what, way, ways[way], variables, number)


def compare(rounds: Rounds, ways: list[str]) -> None:
    others = [way for way in ways if way != "evener"]
    rate, cpu, objects = "mb_per_second", "cpu_seconds_per_gb", "objects_per_second"

    def against_best(what: str, figure: str, bar: float) -> str | None:
        best = rounds.highest(what, others, figure)
        rounds.ratio(what, figure, "evener", best, at_least=bar)
        return best

    against_best("get-sink", rate, 1.2)
    best = against_best("get", rate, 1.0)
    rounds.ratio("get", cpu, "evener", best, at_most=0.7)
    against_best("get-many", objects, 1.2)
    against_best("put-many", objects, 1.2)
    # The server bounds it: no slower, but for what two runs of the same differ by.
    against_best("put", rate, 0.95)
    for what in ("static get", "static get-sink", "static get-many"):
        best = rounds.highest(what, list(FLOORS), rate)
        rounds.ratio(what, rate, "evener", best, at_least=0.9)
        rounds.ratio(what, cpu, "evener", best)
    for what in ("put", "get", "get-sink", "put-many", "get-many"):
        rounds.bar(what, "evener", "peak_mib", at_most=round(MEMORY_MIB, 1), of=max)


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--driver", type=Path, required=True, help="the built s3_driver")
    parser.add_argument("--floor", type=Path, required=True, help="the built s3_floor")
    parser.add_argument("--tools", type=Path, default=ROOT / ".venv-peers-tools")
    parser.add_argument("--clients", type=Path, default=ROOT / ".venv-clients")
    parser.add_argument("--mib", type=int, default=1024)
    parser.add_argument("--small", type=int, default=2000)
    parser.add_argument("--rounds", type=int, default=3)
    return parser.parse_args()


def main() -> int:
    options = parse()
    rounds = Rounds("s3")
    weed, nginx = ROOT / ".venv/bin/weed", shutil.which("nginx", path=os.environ["PATH"] + ":/usr/sbin")
    with tempfile.TemporaryDirectory(prefix="evener-s3-bench-") as name:
        folder = Path(name)
        bench = Bench(Data(folder, options.mib, options.small), rounds)
        ways: list[str] = []
        if weed.exists():
            server = SeaweedFs(weed, folder)
            try:
                ways = measure_clients(bench, options, server)
            finally:
                server.stop()
        else:
            rounds.skip("there is no .venv/bin/weed; run tools/setup.sh")
        if nginx:
            static = StaticServer(nginx, folder, bench.data.large, bench.data.small)
            try:
                measure_static(bench, options, static)
            finally:
                static.stop()
        else:
            rounds.skip("nginx is not installed")
        compare(rounds, ways)
    return 0


if __name__ == "__main__":
    sys.exit(main())
