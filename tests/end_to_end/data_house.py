"""The data service as real processes: a dispatcher, workers, readers, and a data set of photographs."""

from __future__ import annotations

import json
import shutil
import subprocess
import time
from dataclasses import dataclass, field
from pathlib import Path

PHOTOGRAPHS = Path(__file__).resolve().parents[2] / "src/data/images/testdata"
GOOD = ["base_420.jpg", "base_444.jpg", "progressive.jpg", "gray.jpg", "rgb.png", "lossy.webp"]
LISTEN_SECONDS = 20.0
READ_SECONDS = 60.0

PIPELINE = """
seed = 7
epochs = {epochs}
on_error = "{on_error}"
[source]
kind = "images"
location = "{location}"
[[stage]]
name = "random_resized_crop"
size = 48
[[stage]]
name = "flip"
[output]
image = "uint8"
[batch]
size = {batch}
last = "short"
"""


@dataclass
class Process:
    """One of ours that serves, and where it listens."""

    child: subprocess.Popen
    endpoint: str
    metrics_port: int = 0

    def kill(self) -> None:
        self.child.kill()
        self.child.wait()

    def stop(self) -> int:
        self.child.terminate()
        return self.child.wait(timeout=10)


@dataclass
class Read:
    """What a reader printed."""

    code: int
    err: str
    batches: list[dict]
    summary: dict

    def digests(self) -> dict[tuple[int, int], str]:
        """Each batch by epoch and number; twice the same is an error."""
        found = {(one["epoch"], one["batch"]): one["sha256"] for one in self.batches}
        assert len(found) == len(self.batches), "a batch came twice"
        return found


@dataclass
class DataHouse:
    evener: Path
    folder: Path
    environment: dict[str, str]
    processes: list[Process] = field(default_factory=list)

    def data_set(self, files: int = 60, classes: int = 3) -> Path:
        root = self.folder / "photographs"
        for number in range(files):
            source = PHOTOGRAPHS / GOOD[number % len(GOOD)]
            target = root / f"class{number % classes}" / f"{number:03}{source.suffix}"
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source, target)
        return root

    def pipeline(self, location: Path, name: str = "pipeline.toml", *, epochs: int = 1,
                 batch: int = 4, on_error: str = "raise") -> Path:
        path = self.folder / name
        path.write_text(PIPELINE.format(location=location, epochs=epochs, batch=batch,
                                        on_error=on_error))
        return path

    def dispatcher(self, *more: str, **environment: str) -> Process:
        listen = [] if "--listen" in more else ["--listen", "127.0.0.1:0"]
        return self._serve("dispatcher", *listen, *more, **environment)

    def worker(self, dispatcher: Process, *more: str, threads: int = 2,
               **environment: str) -> Process:
        return self._serve("worker", "--dispatcher", dispatcher.endpoint, "--threads",
                           str(threads), *more, **environment)

    def _serve(self, role: str, *arguments: str, **environment: str) -> Process:
        child = subprocess.Popen([self.evener, "data", role, "--json", *arguments],
                                 env={**self.environment, **environment}, text=True,
                                 stdout=subprocess.PIPE,
                                 stderr=open(self.folder / "log.txt", "a", encoding="utf-8"))
        line = child.stdout.readline()
        assert line, f"{role} ended with {child.wait()}: {self.log()}"
        said = json.loads(line)
        process = Process(child, said["endpoint"], said.get("metrics_port", 0))
        self.processes.append(process)
        return process

    def log(self) -> str:
        return (self.folder / "log.txt").read_text(encoding="utf-8")

    def start_reader(self, dispatcher: Process, *arguments: str,
                     **environment: str) -> subprocess.Popen:
        return subprocess.Popen(
            [self.evener, "data", "read", "--dispatcher", dispatcher.endpoint, "--json", "--digest",
             *arguments], env={**self.environment, **environment}, text=True,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    @staticmethod
    def finish(reader: subprocess.Popen, before: str = "") -> Read:
        out, err = reader.communicate(timeout=READ_SECONDS)
        events = [json.loads(line) for line in (before + out).splitlines()]
        summary = events[-1] if events and events[-1]["event"] == "summary" else {}
        return Read(reader.returncode, err, [one for one in events if one["event"] == "batch"],
                    summary)

    def read(self, dispatcher: Process, *arguments: str, **environment: str) -> Read:
        return self.finish(self.start_reader(dispatcher, *arguments, **environment))

    def close(self) -> None:
        for process in self.processes:
            if process.child.poll() is None:
                process.kill()
            process.child.stdout.close()


def wait_for(condition, what: str, seconds: float = LISTEN_SECONDS) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, f"{what} did not come about"
        time.sleep(0.02)
