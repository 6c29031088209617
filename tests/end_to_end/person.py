"""Someone at a shell whose jobs read from and write to an object store."""

from __future__ import annotations

import io
import subprocess
import tarfile
import tempfile
import time
from pathlib import Path
from typing import Iterator

import pytest

from conftest import ROOT
from object_store import ObjectStore

WITHIN = 90

SCRIPT = """
import os, pathlib, time
data = pathlib.Path("/opt/ml/input/data/words")
if data.is_dir():
    text = " ".join(sorted(f.read_text() for f in data.rglob("*") if f.is_file()))
else:
    text = "nothing"
print("read:", text, flush=True)
pathlib.Path("/opt/ml/model/words.txt").write_text(text)
print("environment:", sorted(os.environ.items()), flush=True)
time.sleep(float(os.environ.get("PAUSE", "0")))
"""


@pytest.fixture
def store() -> Iterator[ObjectStore]:
    weed = ROOT / ".venv/bin/weed"
    if not weed.exists():
        pytest.skip("there is no .venv/bin/weed; run tools/setup.sh")
    with tempfile.TemporaryDirectory(prefix="evener-s3-") as folder:
        one = ObjectStore(weed, Path(folder))
        yield one
        one.kill()


class Person:
    """Someone at a shell with the store's variables in it."""

    def __init__(self, evener: Path, environment: dict[str, str], store: ObjectStore,
                 home: Path) -> None:
        self.evener, self.home = evener, home
        self.environment = dict(environment, **store.variables(), EVENER_S3_PATIENCE_SECONDS="60")
        self.script = home / "train.py"
        self.script.write_text(SCRIPT)

    def train(self, name: str, *more: str,
              output: str = "s3://own/out") -> subprocess.Popen[str]:
        return subprocess.Popen(
            [self.evener, "train", "--entry-point", self.script, "--name", name,
             "--output", output, *more], env=self.environment, text=True,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT)

    def run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run([self.evener, *arguments], env=self.environment, text=True,
                              capture_output=True, timeout=WITHIN)

    def show(self, name: str) -> str:
        return self.run("jobs", "show", name, "--json").stdout

    def wait_for(self, name: str, text: str) -> None:
        end = time.monotonic() + WITHIN
        while time.monotonic() < end:
            if text in self.show(name):
                return
            time.sleep(0.1)
        raise TimeoutError(f"{text!r} is not in {self.show(name)}")


@pytest.fixture
def person(evener: Path, environment: dict[str, str], store: ObjectStore, home: Path) -> Person:
    return Person(evener, environment, store, home)


def model_of(store: ObjectStore, name: str) -> str:
    archive = tarfile.open(fileobj=io.BytesIO(store.get(f"own/out/{name}/output/model.tar.gz")))
    words = archive.extractfile("words.txt")
    assert words is not None
    return words.read().decode()
