"""A data service of real processes on loopback, and data sets for it."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from evener.data import Pipeline, records

ROOT = Path(__file__).resolve().parents[2]
TOKEN = "a-token-of-this-test"
TIMEOUT_SECONDS = 30
RECORD = np.dtype([("index", "<i8"), ("image", "u1", (32, 32, 3))])


def binary() -> Path:
    return Path(os.environ.get("EVENER", ROOT / "build/evener"))


class Service:
    """One dispatcher and so many workers; ended with the test."""

    def __init__(self, workers: int = 1, threads: int = 1) -> None:
        self.port = free_port()
        self.address = f"127.0.0.1:{self.port}"
        self.dispatcher = self._start("dispatcher", "--listen", self.address)
        self.workers = [self._start("worker", "--dispatcher", self.address, "--listen",
                                    "127.0.0.1:0", "--threads", str(threads))
                        for _ in range(workers)]
        try:
            wait_until(lambda: listens(self.port))
        except AssertionError:
            self.end()
            raise

    def _start(self, kind: str, *arguments: str) -> subprocess.Popen[bytes]:
        environment = dict(os.environ, EVENER_DATA_TOKEN=TOKEN)
        return subprocess.Popen([binary(), "data", kind, *arguments], env=environment,
                                stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)

    def end(self) -> list[int]:
        """Exit codes."""
        processes = [*self.workers, self.dispatcher]
        for process in processes:
            process.send_signal(signal.SIGTERM)
        return [process.wait(timeout=TIMEOUT_SECONDS) for process in processes]


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        return server.getsockname()[1]


def wait_until(is_so: Callable[[], bool]) -> None:
    deadline = time.monotonic() + TIMEOUT_SECONDS
    while not is_so():
        assert time.monotonic() < deadline, "waited too long"
        time.sleep(0.01)


def listens(port: int) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port)).close()
    except OSError:
        return False
    return True


def numbered_records(path: Path, count: int) -> Path:
    """Each image is filled with the low byte of its number."""
    rows = np.zeros(count, RECORD)
    rows["index"] = np.arange(count)
    rows["image"] = (np.arange(count) % 256).astype(np.uint8)[:, None, None, None]
    rows.tofile(path)
    return path


def numbered(path: Path, *, batch: int = 1, last: str = "short", **members) -> Pipeline:
    source = records(path, [("index", "int64", []), ("image", "uint8", [32, 32, 3])])
    return Pipeline(source, **members).batch(batch, last=last)
