"""What the programs of the transport peers share: options, the worker process, and the clock.

Each program is a reader that starts a worker, takes messages of --bytes from it for --seconds, and
prints what `evener data bench transport` prints. The worker has its message ready: only the way is
measured. A message is bytes and, where it is small, a label beside them, as a sample is.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path
from typing import Callable, Iterator

LARGE = 128 * 224 * 224 * 3     # bytes of a batch
WARM_SECONDS, WARM_MESSAGES = 1.0, 5
TICK = os.sysconf("SC_CLK_TCK")


def options(**extra: tuple[str, ...]) -> argparse.Namespace:
    """--serve makes the program the worker. `extra` are options with their choices."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--bytes", type=int, default=LARGE)
    parser.add_argument("--seconds", type=float, default=3)
    parser.add_argument("--serve", action="store_true")
    for name, choices in extra.items():
        parser.add_argument(f"--{name}", choices=choices, default=choices[0])
    return parser.parse_args()


def cpu_seconds(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICK


@contextmanager
def worker() -> Iterator[tuple[int, str]]:
    """This program as a worker, with the same options: its process, and the line that it prints."""
    with subprocess.Popen([sys.executable, *sys.argv, "--serve"], stdin=subprocess.PIPE,
                          stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout
            yield process.pid, process.stdout.readline().strip()
        finally:
            process.send_signal(signal.SIGKILL)


def serve(line: str) -> None:
    """Called by a worker that is ready: says so, and ends with its reader."""
    print(line, flush=True)
    sys.stdin.read()
    os._exit(0)


def measure(peer: str, messages: Iterator[object], workers: Callable[[], list[int]],
            args: argparse.Namespace) -> None:
    begin, warm = time.monotonic(), 0
    while warm < WARM_MESSAGES or time.monotonic() < begin + WARM_SECONDS:
        next(messages)
        warm += 1
    pids, count = workers(), 0
    reader, work = cpu_seconds(os.getpid()), sum(map(cpu_seconds, pids))
    begin = time.monotonic()
    end = begin + args.seconds
    while time.monotonic() < end:
        next(messages)
        count += 1
    seconds = time.monotonic() - begin
    reader = cpu_seconds(os.getpid()) - reader
    work = sum(map(cpu_seconds, pids)) - work
    gigabytes = count * args.bytes / 1e9
    print(json.dumps({
        "peer": peer, "bytes": args.bytes,
        "gigabytes_per_second": round(gigabytes / seconds, 4),
        "messages_per_second": round(count / seconds, 1),
        "reader_cpu_seconds_per_gigabyte": round(reader / gigabytes, 4),
        "worker_cpu_seconds_per_gigabyte": round(work / gigabytes, 4)}), flush=True)
