"""Hosts of a job as processes on loopback addresses, with a stand-in for the program evener."""

from __future__ import annotations

import json
import os
import random
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

from test_roles import resource_config

TIMEOUT_SECONDS = 30
TOKEN = "a-token-of-this-job"

# Notes how it was started, and ends by SIGTERM with 0, as the data service's programs do.
STAND_IN = """#!{python}
import json, os, signal, sys
from pathlib import Path

print("listening", flush=True)
signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
kind = sys.argv[2]
note = Path(os.environ["NOTES"]) / f"{{kind}}-{{os.getpid()}}.json"
part = note.with_suffix(".part")
part.write_text(json.dumps({{"pid": os.getpid(), "kind": kind, "arguments": sys.argv[3:],
                            "token": os.environ.get("EVENER_DATA_TOKEN")}}))
part.rename(note)
if os.environ.get("BREAKS") == kind:
    sys.exit(9)
signal.pause()
"""


class Job:
    """Starts hosts; ends what is left of them."""

    def __init__(self, folder: Path, groups: dict[str, int]) -> None:
        self.folder = folder
        network = f"127.{random.randrange(16, 250)}.{random.randrange(1, 250)}"
        numbers = iter(range(1, 250))
        self.groups = {name: [f"{network}.{next(numbers)}" for _ in range(count)]
                       for name, count in groups.items()}
        self.port = random.randrange(20_000, 30_000)
        self.notes = folder / "notes"
        self.notes.mkdir()
        self.binary = folder / "evener"
        self.binary.write_text(STAND_IN.format(python=sys.executable))
        self.binary.chmod(0o755)
        self.hosts: list[subprocess.Popen[str]] = []

    def script(self, text: str) -> Path:
        path = self.folder / f"script-{len(list(self.folder.glob('script-*')))}.py"
        path.write_text(f"import json, os, signal, sys, time\nfrom pathlib import Path\n{text}\n")
        return path

    def start(
        self, host: str, script: Path, *arguments: str, options: tuple[str, ...] = (),
        **variables: str,
    ) -> subprocess.Popen[str]:
        base = self.folder / host
        if host != "outside":
            config = base / "input/config/resourceconfig.json"
            config.parent.mkdir(parents=True, exist_ok=True)
            config.write_text(json.dumps(resource_config(host, self.groups)))
        environment = {name: value for name, value in os.environ.items()
                       if not name.startswith(("EVENER", "SM_", "OMPI_"))}
        environment |= {"SAGEMAKER_BASE_DIR": str(base), "EVENER_BINARY": str(self.binary),
                        "EVENER_DATA_TOKEN": TOKEN, "NOTES": str(self.notes)}
        environment |= variables
        command = [sys.executable, "-m", "evener.launch", "--port", str(self.port),
                   "--start-seconds", "20", "--lost-seconds", "0.3", *options, str(script),
                   *arguments]
        process = subprocess.Popen(
            command, env=environment, text=True, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.hosts.append(process)
        return process

    def started(self, kind: str, count: int = 1) -> list[dict]:
        """What the stand-ins noted, once there are `count` of them."""
        wait_until(lambda: len(list(self.notes.glob(f"{kind}-*.json"))) >= count)
        return [json.loads(path.read_text()) for path in sorted(self.notes.glob(f"{kind}-*.json"))]

    def end(self) -> None:
        for process in self.hosts:
            if process.poll() is None:
                process.kill()
            process.communicate()
        for note in self.notes.glob("*.json"):
            wait_until(lambda: not is_running(json.loads(note.read_text())["pid"]))


def wait_until(is_so) -> None:
    deadline = time.monotonic() + TIMEOUT_SECONDS
    while not is_so():
        assert time.monotonic() < deadline, "waited too long"
        time.sleep(0.01)


def is_running(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state != "Z"


def ended(process: subprocess.Popen[str]) -> tuple[int, str, str]:
    """Exit code, output, errors."""
    output, errors = process.communicate(timeout=TIMEOUT_SECONDS)
    return process.returncode, output, errors


def stop(process: subprocess.Popen[str], number: int = signal.SIGTERM) -> None:
    process.send_signal(number)


def answered(address: tuple[str, int]) -> socket.socket:
    """A connection to a port that someone is about to listen on."""
    deadline = time.monotonic() + TIMEOUT_SECONDS
    while True:
        try:
            return socket.create_connection(address, timeout=TIMEOUT_SECONDS)
        except OSError:
            assert time.monotonic() < deadline
            time.sleep(0.01)
