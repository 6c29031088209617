"""A home with the real program, and an audit of what jobs leave behind."""

from __future__ import annotations

import json
import os
import shutil
import signal
import sqlite3
import stat
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any, Callable, Iterator, TypeVar

import pytest

# EVENER_TEST_LONG=1 runs the long forms: 100 seeds of kills, 200 jobs in line, 400,000 lines.
LONG = os.environ.get("EVENER_TEST_LONG") == "1"
COMMAND_SECONDS = 60
CLEAR_SECONDS = 20
ENDED = ("Completed", "Failed", "Stopped")


def eventually(check: Callable[[], Any], what: str, seconds: float = COMMAND_SECONDS) -> Any:
    """The first true answer of `check`."""
    deadline = time.monotonic() + seconds
    while True:
        answer = check()
        if answer:
            return answer
        assert time.monotonic() < deadline, f"not within {seconds} s: {what}"
        time.sleep(0.02)


def processes_that(mentions: Callable[[Path], bool]) -> dict[int, str]:
    """Command lines of the live processes for whose /proc folder `mentions` holds."""
    found = {}
    for folder in Path("/proc").iterdir():
        if not folder.name.isdigit() or int(folder.name) == os.getpid():
            continue
        try:
            if mentions(folder) and not (folder / "stat").read_text().split(") ")[-1].startswith("Z"):
                found[int(folder.name)] = (folder / "cmdline").read_text().replace("\0", " ")
        except OSError:
            continue
    return found


def everything_in(folder: Path) -> Iterator[Path]:
    """Files and folders, also while others remove some."""
    for parent, folders, files in os.walk(folder):
        for name in folders + files:
            yield Path(parent, name)


def checksum(text: str) -> int:
    """FNV-1a, 32 bits."""
    value = 2166136261
    for byte in text.encode():
        value = (value ^ byte) * 16777619 % (1 << 32)
    return value


class HouseOfJobs:
    """One home: runs `evener` on it, and knows every process, mount and group that names it."""

    def __init__(self, binary: Path, root: Path, environment: dict[str, str]) -> None:
        self.binary = binary
        self.root = root
        self.temporary = root / "temporary"
        self.temporary.mkdir()
        self.home = root / "home"
        self.environment = dict(environment, EVENER_HOME=str(self.home),
                                TMPDIR=str(self.temporary))
        self.prefix: list[str] = []          # of every command, such as setpriv
        self.started: list[subprocess.Popen[str]] = []

    def source(self, script: str, name: str = "source") -> Path:
        """A source folder whose train.py is `script`."""
        folder = self.root / name
        folder.mkdir(exist_ok=True)
        (folder / "train.py").write_text(script)
        return folder

    def command(self, *arguments: object) -> list[str]:
        return [*self.prefix, str(self.binary), *map(str, arguments)]

    def run(self, *arguments: object, seconds: float = COMMAND_SECONDS,
            **options: Any) -> subprocess.CompletedProcess[str]:
        return subprocess.run(self.command(*arguments), env=self.environment, text=True,
                              capture_output=True, timeout=seconds, check=False, **options)

    def start(self, *arguments: object, **options: Any) -> subprocess.Popen[str]:
        options = {"stdout": subprocess.DEVNULL, "stderr": subprocess.PIPE, **options}
        process = subprocess.Popen(self.command(*arguments), env=self.environment, text=True,
                                   **options)
        self.started.append(process)
        return process

    def train(self, name: str, script: str, *more: object, groups: str = "all=ml.c5.large:1",
              grace: int = 20) -> list[object]:
        """Arguments of a job that runs `script`."""
        folder = self.source(script, f"source-{name}")
        chosen = [flag for group in groups.split(",") for flag in ("--group", group)]
        return ["train", "--entry-point", "train.py", "--source-dir", folder, "--name", name,
                "--env", f"EVENER_STOP_GRACE_SECONDS={grace}", *chosen, *more]

    def show(self, name: str) -> dict[str, Any]:
        done = self.run("jobs", "show", name, "--json")
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    def status(self, name: str) -> str:
        """As the store has it; starts nothing and takes nothing over."""
        return self.column(name, "status")

    def column(self, name: str, column: str) -> str:
        path = self.home / "evener.db"
        if not path.exists():
            return ""
        with sqlite3.connect(f"file:{path}?mode=ro", uri=True, timeout=10) as base:
            rows = base.execute(f"select {column} from jobs where name = ? and deleted = 0",
                                (name,)).fetchall()
        return str(rows[0][0]) if rows else ""

    def lines(self, name: str, *more: object) -> list[str]:
        done = self.run("jobs", "logs", name, *more)
        assert done.returncode == 0, done.stderr
        return done.stdout.splitlines()

    def wait_for_line(self, name: str, text: str, host: str = "algo-1") -> None:
        log = self.home / "jobs" / name / "logs" / f"{host}.log"
        eventually(lambda: log.exists() and text.encode() in log.read_bytes(),
                   f"{text!r} in {log}")

    def supervisor(self, name: str) -> int:
        folder = str(self.home / "jobs" / name)
        found = {pid: line for pid, line in self.processes().items()
                 if "supervise" in line and line.rstrip().endswith(folder)}
        return min(found, default=0)

    def children(self, pid: int) -> list[int]:
        try:
            return [int(child) for task in Path(f"/proc/{pid}/task").iterdir()
                    for child in (task / "children").read_text().split()]
        except OSError:
            return []

    def processes(self) -> dict[int, str]:
        """Processes that name this home, see it mounted, or are of one of its instances."""
        word = self.root.name.encode()

        def mentions(folder: Path) -> bool:
            if any(word in (folder / name).read_bytes() for name in ("cmdline", "environ")):
                return True
            return word in (folder / "mountinfo").read_bytes()

        return processes_that(mentions)

    def groups(self) -> list[Path]:
        """Control groups of this home's jobs; their names end in a checksum of the job's folder."""
        jobs = {f"{path.name[:80]}-{checksum(str(path / 'instances')):x}"
                for path in (self.home / "jobs").glob("*")}
        return [path for path in Path("/sys/fs/cgroup").glob("*/evener/*") if path.name in jobs]

    # ---- the audit ---------------------------------------------------------------------

    def settle(self) -> None:
        """Until no job is active any more, looked at through `evener jobs list`."""
        def ended() -> bool:
            done = self.run("jobs", "list", "--json")
            assert done.returncode == 0, done.stderr
            rows = [json.loads(row) for row in done.stdout.splitlines()]
            return all(row["TrainingJobStatus"] in ENDED for row in rows)

        if (self.home / "evener.db").exists():
            eventually(ended, "every job has ended")

    def left(self) -> list[str]:
        found = [f"process {pid}: {line}" for pid, line in self.processes().items()]
        found += [f"mount: {line}" for line in Path("/proc/self/mountinfo").read_text().splitlines()
                  if self.root.name in line]
        found += [f"group: {path}" for path in self.groups()]
        found += [f"temporary: {path}" for path in everything_in(self.temporary)]
        for path in everything_in(self.home):
            try:
                mode = path.lstat().st_mode
            except OSError:
                continue
            if stat.S_ISSOCK(mode) or stat.S_ISFIFO(mode):
                found.append(f"socket: {path}")
            if path.name.startswith((".tmp", "tmp.")) or path.suffix in (".tmp", ".partial"):
                found.append(f"half a file: {path}")
        found += [f"instances: {path}" for path in self.home.glob("jobs/*/instances")]
        return found

    def lies(self) -> list[str]:
        """Where what the store answers differs from what the events say."""
        path = self.home / "evener.db"
        if not path.exists():
            return []
        rows = [json.loads(row) for row in self.run("doctor", "--json").stdout.splitlines()]
        return [row["detail"] for row in rows if row["name"] == "store" and not row["works"]]

    def audit(self) -> None:
        for process in self.started:
            if process.poll() is None:
                process.send_signal(signal.SIGINT)
        for process in self.started:
            process.wait(timeout=COMMAND_SECONDS)
            if process.stderr:
                process.stderr.close()
        self.settle()
        deadline = time.monotonic() + CLEAR_SECONDS
        while self.left() and time.monotonic() < deadline:
            time.sleep(0.05)
        left = self.left()
        assert not left, "\n".join(left)
        lies = self.lies()
        assert not lies, "\n".join(lies)


House = TypeVar("House", bound="HouseOfJobs")


def furnished(make: Callable[[Path], House]) -> Iterator[House]:
    """A house in a folder of its own, audited; no process of it is left, whatever the test did."""
    root = Path(tempfile.mkdtemp(prefix="evener-"))
    house = make(root)
    try:
        yield house
        house.audit()
    finally:
        for pid in house.processes():
            os.kill(pid, signal.SIGKILL)
        for process in house.started:
            process.wait()
        shutil.rmtree(root, ignore_errors=True)


@pytest.fixture
def house(evener: Path, environment: dict[str, str]) -> Iterator[HouseOfJobs]:
    """A home of its own, of which nothing may be left when the test is over."""
    yield from furnished(lambda root: HouseOfJobs(evener, root, environment))
