"""Jobs whose input, code and results are in a real S3 server, which may be away at any moment."""

from __future__ import annotations

import json
import subprocess

from conftest import ROOT
from object_store import KEY, SECRET, ObjectStore
from person import WITHIN, Person, model_of, person, store  # noqa: F401


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
