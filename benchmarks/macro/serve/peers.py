"""What serve_bench.py runs beside `evener serve`: moto_server, and a server that does nothing."""

from __future__ import annotations

import socket
import subprocess
import time
import urllib.error
import urllib.request
from contextlib import contextmanager
from pathlib import Path
from typing import Iterator

from wire import Client, signed_headers

UP_WITHIN = 60
LOG_GROUP, LOG_STREAM = "/aws/sagemaker/TrainingJobs", "peer/algo-1"


class Moto(Client):
    """It checks no signature, but tells services apart by the one that a signature names."""

    def __init__(self, python: Path) -> None:
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            port = taken.getsockname()[1]
        self.endpoint = f"http://127.0.0.1:{port}"
        self.key = {"AWS_ACCESS_KEY_ID": "moto", "AWS_SECRET_ACCESS_KEY": "moto"}
        command = [str(python), "-m", "moto.server", "-H", "127.0.0.1", "-p", str(port)]
        self.process = subprocess.Popen(command, stdout=subprocess.DEVNULL,
                                        stderr=subprocess.DEVNULL)
        end = time.monotonic() + UP_WITHIN
        while not self._answers():
            if time.monotonic() > end or self.process.poll() is not None:
                self.stop()
                raise RuntimeError("moto_server does not answer")
            time.sleep(0.1)

    def _answers(self) -> bool:
        try:
            urllib.request.urlopen(self.endpoint + "/moto-api/data.json", timeout=5).close()
        except (urllib.error.URLError, OSError):
            return False
        return True

    def authorization(self, target: str) -> str:
        return signed_headers("sagemaker", target, "", self.endpoint, self.key)["Authorization"]

    def write_log(self, lines: int, line: str) -> dict[str, object]:
        """A stream with these lines; returns the GetLogEvents request of its first page."""
        names = {"logGroupName": LOG_GROUP, "logStreamName": LOG_STREAM}
        self.ask("Logs_20140328.CreateLogGroup", {"logGroupName": LOG_GROUP}, "logs")
        self.ask("Logs_20140328.CreateLogStream", names, "logs")
        now = int(time.time() * 1000)
        events = [{"timestamp": now, "message": line} for _ in range(lines)]
        self.ask("Logs_20140328.PutLogEvents", {**names, "logEvents": events}, "logs")
        return {**names, "startFromHead": True}

    def stop(self) -> None:
        self.process.terminate()
        self.process.wait(30)


@contextmanager
def moto(python: Path) -> Iterator[Moto | None]:
    """Of the environment of this Python; None where it is not installed."""
    if not python.exists():
        yield None
        return
    server = Moto(python)
    try:
        yield server
    finally:
        server.stop()


@contextmanager
def null_server(program: Path, body_bytes: int) -> Iterator[str | None]:
    """The endpoint of one thread that answers whatever comes with the same bytes, as many as those of
    the answer that it stands beside: a client reads two kilobytes slower than two bytes."""
    if not program.exists():
        yield None
        return
    with subprocess.Popen([str(program), "floor", str(body_bytes)], stdin=subprocess.PIPE,
                          stdout=subprocess.PIPE) as server:
        try:
            yield f"http://127.0.0.1:{int(server.stdout.readline())}"
        finally:
            server.stdin.close()
            server.wait(30)
