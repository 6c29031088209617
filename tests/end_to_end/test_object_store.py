"""Jobs whose input, code and results are in a real S3 server, which may be away at any moment."""

from __future__ import annotations

import io
import json
import subprocess
import tarfile
import tempfile
import time
from pathlib import Path
from typing import Iterator

import pytest

from conftest import ROOT
from object_store import KEY, SECRET, ObjectStore

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


def test_input_comes_from_and_results_go_to_the_store(person: Person, store: ObjectStore) -> None:
    store.start()
    store.put("own/in/a b.txt", b"hello")
    store.put("own/in/deep/er.txt", b"world")
    ended = person.train("walk", "--channel", "words=s3://own/in")
    output, _ = ended.communicate(timeout=WITHIN)
    assert ended.returncode == 0, output
    assert model_of(store, "walk") == "hello world"
    assert "s3://own/out/walk/output/model.tar.gz" in person.show("walk")


def test_keys_are_seen_by_no_job_and_stay_nowhere(person: Person, store: ObjectStore) -> None:
    store.start()
    store.put("own/in/x", b"x")
    output, _ = person.train("secrets", "--channel", "words=s3://own/in").communicate(timeout=WITHIN)
    assert "read: x" in output
    assert SECRET not in output and KEY not in output
    for path in person.home.rglob("*"):
        if path.is_file():
            assert SECRET.encode() not in path.read_bytes(), path


def test_staging_waits_for_a_store_that_is_away(person: Person, store: ObjectStore) -> None:
    store.start()
    store.put("own/in/x", b"late")
    store.kill()
    running = person.train("patient", "--channel", "words=s3://own/in")
    person.wait_for("patient", "Waiting for the object store")
    store.start()
    output, _ = running.communicate(timeout=WITHIN)
    assert running.returncode == 0, output
    assert model_of(store, "patient") == "late"


def test_results_that_could_not_be_stored_are_uploaded_later(person: Person,
                                                             store: ObjectStore) -> None:
    store.start()
    store.put("own/in/x", b"kept")
    person.environment["EVENER_S3_PATIENCE_SECONDS"] = "2"
    running = person.train("keeper", "--channel", "words=s3://own/in", "--env", "PAUSE=3")
    person.wait_for("keeper", '"Training"')
    store.kill()
    output, _ = running.communicate(timeout=WITHIN)
    assert running.returncode == 1, output
    assert "evener jobs upload keeper" in output
    assert person.run("jobs", "upload", "keeper").returncode == 1
    store.start()
    uploaded = person.run("jobs", "upload", "keeper")
    assert uploaded.returncode == 0, uploaded.stderr
    assert uploaded.stdout == "s3://own/out/keeper/output/model.tar.gz\n"
    assert model_of(store, "keeper") == "kept"
    assert person.run("jobs", "upload", "keeper").returncode == 2, "nothing is left"


def test_a_stop_is_heard_while_the_store_is_away(person: Person, store: ObjectStore) -> None:
    running = person.train("stopped", "--channel", "words=s3://own/in")
    person.wait_for("stopped", "Waiting for the object store")
    assert person.run("jobs", "stop", "stopped").returncode == 0
    output, _ = running.communicate(timeout=WITHIN)
    assert running.returncode == 3, output


def test_a_store_that_nobody_knows_is_refused_at_once(person: Person, store: ObjectStore) -> None:
    for name in store.variables():
        del person.environment[name]
    refused = person.train("unknown", "--channel", "words=s3://own/in")
    output, _ = refused.communicate(timeout=WITHIN)
    assert refused.returncode == 2
    assert "AWS_ENDPOINT_URL_S3" in output and "evener up" in output


def test_up_brings_its_own_store(person: Person, store: ObjectStore) -> None:
    del store
    for name in list(person.environment):
        if name.startswith("AWS_"):
            del person.environment[name]
    up = subprocess.Popen([person.evener, "up", "--listen", "127.0.0.1:0", "--s3-program",
                           ROOT / ".venv/bin/weed", "--json"], env=person.environment, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    try:
        assert up.stdout is not None
        assert "listening" in up.stdout.readline()
        variables = json.loads(person.run("env", "--json").stdout)
        assert variables["AWS_ENDPOINT_URL_S3"].startswith("http://127.0.0.1:")
        running = person.train("upper", output="s3://evener/out")
        output, _ = running.communicate(timeout=WITHIN)
        assert running.returncode == 0, output
    finally:
        up.terminate()
        up.communicate(timeout=WITHIN)
    left = subprocess.run(["pgrep", "-f", str(person.home / "s3/data")], capture_output=True)
    assert left.stdout == b""
