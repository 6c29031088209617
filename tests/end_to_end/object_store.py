"""A SeaweedFS of a test's own, which can be killed and started again at the same place."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import time
import urllib.error
import urllib.parse
import urllib.request
from pathlib import Path

KEY = "EVENERENDTOEND"
SECRET = "end-to-end-not-for-jobs"
UP_WITHIN = 60


def free_port() -> int:
    """A port that is free, and so is the one 10,000 above it."""
    for port in range(21000 + os.getpid() % 9000, 45000):
        sockets = []
        try:
            for number in (port, port + 10000):
                one = socket.socket()
                sockets.append(one)
                one.bind(("127.0.0.1", number))
            return port
        except OSError:
            continue
        finally:
            for one in sockets:
                one.close()
    raise OSError("no free port")


class ObjectStore:
    """Objects are put and looked at through the server's own door, not through S3."""

    def __init__(self, weed: Path, folder: Path) -> None:
        self.weed = weed
        self.folder = folder
        self.process: subprocess.Popen[bytes] | None = None
        taken: list[int] = []
        for _ in range(5):
            port = free_port()
            while port in taken:
                port += 1
            taken.append(port)
        self.ports = dict(zip(("s3", "filer", "master", "volume", "admin"), taken))
        (folder / "data").mkdir(parents=True)
        identity = {"name": "test", "credentials": [{"accessKey": KEY, "secretKey": SECRET}],
                    "actions": ["Admin", "Read", "Write", "List", "Tagging"]}
        (folder / "identities.json").write_text(json.dumps({"identities": [identity]}))

    def variables(self) -> dict[str, str]:
        return {"AWS_ENDPOINT_URL_S3": f"http://127.0.0.1:{self.ports['s3']}",
                "AWS_ACCESS_KEY_ID": KEY, "AWS_SECRET_ACCESS_KEY": SECRET,
                "AWS_REGION": "us-east-1"}

    def start(self) -> None:
        command = [str(self.weed), "mini", f"-dir={self.folder / 'data'}", "-ip=127.0.0.1",
                   "-ip.bind=127.0.0.1", f"-s3.config={self.folder / 'identities.json'}",
                   "-admin.ui=false", "-webdav=false", "-s3.port.iceberg=0", "-s3.port.lance=0",
                   "-master.telemetry=false", "-bucket=own"]
        command += [f"-{name}.port={port}" for name, port in self.ports.items()]
        with open(self.folder / "log", "ab") as log:
            self.process = subprocess.Popen(command, stdout=log, stderr=log, cwd=self.folder)
        end = time.monotonic() + UP_WITHIN
        while time.monotonic() < end:
            try:
                self.put("own/.up", b"up")
                with urllib.request.urlopen(self.variables()["AWS_ENDPOINT_URL_S3"] + "/", timeout=5):
                    return
            except urllib.error.HTTPError as error:
                if error.code == 403:
                    return
            except OSError:
                pass
            time.sleep(0.1)
        raise TimeoutError((self.folder / "log").read_text())

    def kill(self) -> None:
        if self.process is None:
            return
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()
        self.process = None
        for left in Path("/tmp").glob("seaweedfs-*.sock"):
            if any(left.stem.endswith(f"-{port}") or left.stem.endswith(f"-{port + 10000}")
                   for port in self.ports.values()):
                left.unlink(missing_ok=True)

    def _url(self, name: str) -> str:
        return f"http://127.0.0.1:{self.ports['filer']}/buckets/{urllib.parse.quote(name)}"

    def put(self, name: str, content: bytes) -> None:
        request = urllib.request.Request(self._url(name), data=content, method="PUT")
        with urllib.request.urlopen(request, timeout=10):
            pass

    def get(self, name: str) -> bytes:
        with urllib.request.urlopen(self._url(name), timeout=10) as answer:
            return bytes(answer.read())
