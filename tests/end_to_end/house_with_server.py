"""A home behind `evener serve`: the same commands, given to the server."""

from __future__ import annotations

import json
import shutil
import signal
import socket
import subprocess
import threading
from pathlib import Path
from typing import Iterator
from urllib.parse import urlsplit

import pytest
from house_of_jobs import COMMAND_SECONDS, HouseOfJobs, furnished


class HouseWithServer(HouseOfJobs):
    """Commands run with EVENER_SERVER; `kill_server` and `serve` are its failures."""

    def __init__(self, binary: Path, root: Path, environment: dict[str, str],
                 command: str = "serve") -> None:
        super().__init__(binary, root, environment)
        self.word = command
        self.home.mkdir()
        self.local = dict(self.environment)
        self.listen = "127.0.0.1:0"
        self.server: subprocess.Popen[str] | None = None
        self.serve()
        keys = json.loads((self.home / "keys.json").read_text())["keys"]
        self.keys = {key["role"]: key for key in keys}
        self.environment.update(EVENER_SERVER=f"http://{self.listen}",
                                AWS_ACCESS_KEY_ID=self.keys["full"]["id"],
                                AWS_SECRET_ACCESS_KEY=self.keys["full"]["secret"])

    def serve(self) -> None:
        self.server = subprocess.Popen(
            [str(self.binary), self.word, "--json", "--listen", self.listen], env=self.local,
            text=True, stdout=subprocess.PIPE, stderr=(self.root / "server.log").open("a"))
        assert self.server.stdout is not None
        line = self.server.stdout.readline()
        assert line, (self.root / "server.log").read_text()
        self.listen = urlsplit(json.loads(line)["endpoint"]).netloc   # a restart keeps it

    def kill_server(self) -> None:
        assert self.server is not None
        self.server.kill()
        self.server.wait()

    def stop_server(self) -> None:
        assert self.server is not None
        if self.server.poll() is None:
            self.server.send_signal(signal.SIGTERM)
        assert self.server.wait(timeout=COMMAND_SECONDS) == 0, (self.root / "server.log").read_text()

    def audit(self) -> None:
        for process in self.started:
            if process.poll() is None:
                process.send_signal(signal.SIGINT)
        for process in self.started:
            process.wait(timeout=COMMAND_SECONDS)
        self.environment["EVENER_SERVER"] = f"http://{self.listen}"   # by no way that is cut
        self.settle()
        self.stop_server()
        self.environment = self.local
        super().audit()


@pytest.fixture(name="house")
def house_with_server(evener: Path, environment: dict[str, str]) -> Iterator[HouseWithServer]:
    yield from furnished(lambda root: HouseWithServer(evener, root, environment, "serve"))


@pytest.fixture
def house_with_objects(evener: Path, environment: dict[str, str]) -> Iterator[HouseWithServer]:
    """Behind `evener up`."""
    if not shutil.which("weed", path=environment["PATH"]):
        pytest.skip("the S3 server's program weed is not installed; run tools/setup.sh")
    yield from furnished(lambda root: HouseWithServer(evener, root, environment, "up"))


class Way:
    """A way to a server that can be cut, and that can make it look like another machine."""

    def __init__(self, server: str) -> None:
        host, port = server.split(":")
        self.target = (host, int(port))
        self.open = True
        self.elsewhere = False
        self.lose = ""   # "request" or "answer": of the next CreateTrainingJob
        self.lost = 0
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.address = f"127.0.0.1:{self.listener.getsockname()[1]}"
        self.sockets: list[socket.socket] = []
        threading.Thread(target=self._accept, daemon=True).start()

    def cut(self) -> None:
        self.open = False
        for one in self.sockets:
            try:
                one.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
        self.sockets.clear()

    def mend(self) -> None:
        self.open = True

    def close(self) -> None:
        self.cut()
        self.listener.close()

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            if not self.open:
                client.close()
                continue
            server = socket.create_connection(self.target)
            self.sockets += [client, server]
            answer_is_lost = threading.Event()
            threading.Thread(target=self._pump, args=(client, server, answer_is_lost, True),
                             daemon=True).start()
            threading.Thread(target=self._pump, args=(server, client, answer_is_lost, False),
                             daemon=True).start()

    def _loses(self, piece: bytes, answer_is_lost: threading.Event, to_server: bool) -> bool:
        if not to_server:
            return answer_is_lost.is_set()
        if not self.lose or b"SageMaker.CreateTrainingJob" not in piece:
            return False
        what, self.lose = self.lose, ""
        self.lost += 1
        if what == "answer":
            answer_is_lost.set()
        return what == "request"

    def _pump(self, source: socket.socket, sink: socket.socket, answer_is_lost: threading.Event,
              to_server: bool) -> None:
        try:
            while piece := source.recv(1 << 16):
                if self._loses(piece, answer_is_lost, to_server):
                    break
                if self.elsewhere:
                    piece = piece.replace(b'"Inode":"', b'"inode":"')   # of GetServer's answer
                sink.sendall(piece)
        except OSError:
            pass
        for one in (source, sink):
            try:
                one.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
