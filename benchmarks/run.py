#!/usr/bin/env python3
"""Runs the benchmarks of benches.txt and stores their raw results with the environment.

    benchmarks/run.py [--evener build/evener] [--peers] [--only NAME]... [--results DIR]

Writes one file per benchmark and run, DIR/<time>-<name>.json: the environment, the command, and
every JSON line that the benchmark printed.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
KINDS = {"own", "peers"}
TIMEOUT_SECONDS = 3600


@dataclass(frozen=True)
class Bench:
    name: str
    kind: str
    command: str


def parse_benches(text: str) -> list[Bench]:
    benches = []
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip() or line.startswith("#"):
            continue
        parts = [part.strip() for part in line.split("|", 2)]
        if len(parts) != 3 or parts[1] not in KINDS:
            raise SystemExit(f"benches.txt:{number}: want `name | own or peers | command`")
        benches.append(Bench(*parts))
    return benches


def first_line(command: list[str]) -> str:
    try:
        done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=False)
    except OSError:
        return ""
    return (done.stdout.splitlines() or [""])[0]


def cpu_model() -> str:
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.partition(":")[2].strip()
    return platform.machine()


def environment(evener: Path) -> dict[str, object]:
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return {
        "time": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        "cpu": cpu_model(),
        "cpus": os.cpu_count(),
        "memory_gib": round(memory / 2**30, 1),
        "kernel": platform.release(),
        "load_before": os.getloadavg()[0],
        "compiler": first_line(["g++", "--version"]),
        "evener": first_line([str(evener), "--version"]),
        "revision": first_line(["git", "describe", "--always", "--dirty"]),
    }


def run_bench(bench: Bench, evener: Path, results: Path) -> bool:
    """Runs one benchmark and stores what it printed; False when it failed."""
    print(f"== {bench.name}", file=sys.stderr)
    facts = environment(evener)
    variables = dict(os.environ, EVENER=str(evener), BUILD=str(evener.parent),
                     PYTHON=sys.executable)
    done = subprocess.run(["/bin/sh", "-c", bench.command], cwd=ROOT, env=variables, text=True,
                          stdout=subprocess.PIPE, timeout=TIMEOUT_SECONDS, check=False)
    lines = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    for line in lines:
        print(json.dumps(line))
    results.mkdir(parents=True, exist_ok=True)
    stamp = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime())
    record = {"bench": bench.name, "command": bench.command, "exit_code": done.returncode,
              "environment": facts, "results": lines}
    path = results / f"{stamp}-{bench.name}.json"
    path.write_text(json.dumps(record, indent=1) + "\n")
    print(f"   stored in {path}", file=sys.stderr)
    return done.returncode == 0 and bool(lines)


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--evener", type=Path, default=ROOT / "build/evener")
    parser.add_argument("--peers", action="store_true", help="those that run other programs too")
    parser.add_argument("--only", action="append", default=[], metavar="NAME")
    parser.add_argument("--results", type=Path, default=ROOT / "benchmarks/results")
    options = parser.parse_args()
    evener = options.evener.resolve()
    kind = "peers" if options.peers else "own"
    benches = [bench for bench in parse_benches((ROOT / "benchmarks/benches.txt").read_text())
               if (bench.name in options.only if options.only else bench.kind == kind)]
    failed = [bench.name for bench in benches if not run_bench(bench, evener, options.results)]
    print(f"{len(benches)} benchmarks run, failed: {', '.join(failed) or 'none'}", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
