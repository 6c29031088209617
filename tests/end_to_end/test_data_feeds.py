"""Dispatcher, workers and readers as real processes: every batch once, with the right bytes."""

from __future__ import annotations

import json
import signal
import subprocess
import urllib.error
import urllib.request
from pathlib import Path
from typing import Iterator

import pytest

from data_house import DataHouse, wait_for

# Workers cannot be far ahead of such a reader.
SMALL = ["--memory", "128k"]


@pytest.fixture
def house(evener: Path, tmp_path: Path, environment: dict[str, str]) -> Iterator[DataHouse]:
    environment.pop("EVENER_DATA_TOKEN", None)
    one = DataHouse(evener, tmp_path, environment)
    yield one
    one.close()


def alone(house: DataHouse, pipeline: Path) -> dict:
    """What one reader gets from one worker with one thread."""
    dispatcher = house.dispatcher()
    house.worker(dispatcher, threads=1)
    read = house.read(dispatcher, "--pipeline", str(pipeline))
    assert read.code == 0, read.err
    return read.digests()


def in_order(batches: list[dict]) -> bool:
    places = [(one["epoch"], one["batch"]) for one in batches]
    return places == sorted(places)


def test_ranks_share_what_one_reader_gets(house: DataHouse) -> None:
    pipeline = house.pipeline(house.data_set(), epochs=2)
    expected = alone(house, pipeline)
    assert len(expected) == 30
    dispatcher = house.dispatcher()
    for _ in range(2):
        house.worker(dispatcher)
    readers = [house.start_reader(dispatcher, "--pipeline", str(pipeline), "--ranks", "2", "--rank",
                                  str(rank)) for rank in range(2)]
    reads = [house.finish(reader) for reader in readers]
    assert [read.code for read in reads] == [0, 0], reads
    assert all(in_order(read.batches) for read in reads)
    assert {**reads[0].digests(), **reads[1].digests()} == expected
    assert all(one["batch"] % 2 == 1 for one in reads[1].batches)


def test_a_reader_begins_where_it_is_told(house: DataHouse) -> None:
    pipeline = house.pipeline(house.data_set(), epochs=2)
    dispatcher = house.dispatcher()
    house.worker(dispatcher)
    whole = house.read(dispatcher, "--pipeline", str(pipeline))
    rest = house.read(dispatcher, "--pipeline", str(pipeline), "--from-epoch", "1", "--from-batch", "3")
    assert rest.code == 0, rest.err
    assert rest.digests() == {at: sha for at, sha in whole.digests().items() if at >= (1, 3)}


def test_a_killed_worker_costs_no_batch(house: DataHouse) -> None:
    pipeline = house.pipeline(house.data_set(), epochs=4)
    expected = alone(house, pipeline)
    dispatcher = house.dispatcher()
    workers = [house.worker(dispatcher, "--metrics", "127.0.0.1:0") for _ in range(2)]
    reader = house.start_reader(dispatcher, "--pipeline", str(pipeline), "--step-ms", "10", *SMALL)
    before = "".join(reader.stdout.readline() for _ in range(10))
    workers[0].kill()
    read = house.finish(reader, before)
    assert read.code == 0, read.err
    assert in_order(read.batches)
    assert status(workers[1])["sent_units"] > 30      # all of the rest
    assert read.digests() == expected


def test_a_worker_that_comes_late_takes_part(house: DataHouse) -> None:
    pipeline = house.pipeline(house.data_set(), epochs=100, batch=60)
    dispatcher = house.dispatcher()
    first = house.worker(dispatcher)
    reader = house.start_reader(dispatcher, "--pipeline", str(pipeline), "--step-ms", "10", *SMALL)
    before = "".join(reader.stdout.readline() for _ in range(5))
    second = house.worker(dispatcher, "--metrics", "127.0.0.1:0")
    wait_for(lambda: status(second)["sent_units"] > 0, "a batch of the second worker")
    first.kill()
    read = house.finish(reader, before)
    assert read.code == 0, read.err
    assert len(read.digests()) == 100


def test_a_dispatcher_that_is_replaced_costs_no_batch(house: DataHouse) -> None:
    pipeline = house.pipeline(house.data_set(), epochs=4)
    expected = alone(house, pipeline)
    dispatcher = house.dispatcher()
    house.worker(dispatcher)
    reader = house.start_reader(dispatcher, "--pipeline", str(pipeline), "--step-ms", "10", *SMALL)
    before = "".join(reader.stdout.readline() for _ in range(10))
    dispatcher.kill()
    house.dispatcher("--listen", dispatcher.endpoint)
    read = house.finish(reader, before)
    assert read.code == 0, read.err
    assert in_order(read.batches)
    assert read.digests() == expected


def test_nobody_reads_without_the_token(house: DataHouse) -> None:
    pipeline = house.pipeline(house.data_set(8))
    dispatcher = house.dispatcher(EVENER_DATA_TOKEN="right")
    house.worker(dispatcher, EVENER_DATA_TOKEN="right")
    for environment in ({}, {"EVENER_DATA_TOKEN": "wrong"}):
        read = house.read(dispatcher, "--pipeline", str(pipeline), **environment)
        assert read.code == 1
        assert "token" in read.err and not read.batches
    read = house.read(dispatcher, "--pipeline", str(pipeline), EVENER_DATA_TOKEN="right")
    assert read.code == 0, read.err
    house.worker(dispatcher, EVENER_DATA_TOKEN="wrong")
    wait_for(lambda: "no dispatcher" in house.log(), "a worker that is refused")


def test_other_machines_need_a_token(house: DataHouse) -> None:
    done = subprocess.run([house.evener, "data", "dispatcher", "--listen", "0.0.0.0:0"],
                          env=house.environment, text=True, capture_output=True, timeout=20,
                          check=False)
    assert done.returncode == 2
    assert "--token-file" in done.stderr


def test_a_data_set_that_changes_is_an_error_by_name(house: DataHouse) -> None:
    root = house.data_set(8)
    pipeline = house.pipeline(root, epochs=2)
    dispatcher = house.dispatcher()
    house.worker(dispatcher)
    assert house.read(dispatcher, "--pipeline", str(pipeline)).code == 0
    changed = sorted(root.rglob("*.jpg"))[0]
    changed.write_bytes(changed.read_bytes() + b"more")
    read = house.read(dispatcher, "--pipeline", str(pipeline))
    assert read.code == 1
    assert f"{changed.name} changed since it was listed" in read.err
    assert read.summary["failed"] == 2      # the batch with it, in each epoch


def test_a_worker_without_the_data_says_so(house: DataHouse) -> None:
    missing = house.folder / "missing"
    pipeline = house.pipeline(missing)
    dispatcher = house.dispatcher()
    house.worker(dispatcher)
    read = house.read(dispatcher, "--pipeline", str(pipeline))
    assert read.code == 1
    assert "no worker can serve feed 'default'" in read.err and str(missing) in read.err


def test_without_a_worker_the_reader_hears_it(house: DataHouse) -> None:
    pipeline = house.pipeline(house.data_set(4))
    read = house.read(house.dispatcher(), "--pipeline", str(pipeline))
    assert read.code == 1
    assert "no worker is connected" in read.err


@pytest.mark.parametrize("policy", ["raise", "skip", "replace"])
def test_lying_photographs_follow_the_policy(house: DataHouse, policy: str) -> None:
    root = house.data_set(24)
    files = sorted(root.rglob("*.jpg"))
    files[0].write_bytes(b"")
    files[1].write_bytes(files[1].read_bytes()[:200])
    files[2].write_bytes(b"no photograph at all")
    pipeline = house.pipeline(root, on_error=policy)
    dispatcher = house.dispatcher("--metrics", "127.0.0.1:0")
    worker = house.worker(dispatcher, "--metrics", "127.0.0.1:0")
    read = house.read(dispatcher, "--pipeline", str(pipeline))
    samples = sum(one["samples"] for one in read.batches)
    if policy == "raise":
        assert read.code == 1 and 1 <= read.summary["failed"] <= 3
        assert samples == 24 - 4 * read.summary["failed"]
        assert any(name.name in read.err for name in files[:3])
    else:
        assert read.code == 0, read.err
        assert samples == (21 if policy == "skip" else 24)
        told = {fault["id"] for fault in status(worker)["faults"]}
        assert told == {str(file.relative_to(root)) for file in files[:3]}


def page(port: int, path: str) -> str:
    with urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=10) as answer:
        return answer.read().decode()


def status(process) -> dict:
    return json.loads(page(process.metrics_port, "/status"))


def test_dispatcher_and_worker_have_pages_for_prometheus(house: DataHouse) -> None:
    pipeline = house.pipeline(house.data_set(12))
    dispatcher = house.dispatcher("--metrics", "127.0.0.1:0")
    worker = house.worker(dispatcher, "--metrics", "127.0.0.1:0")
    assert house.read(dispatcher, "--pipeline", str(pipeline)).code == 0
    assert "evener_data_worker_samples_total 12\n" in page(worker.metrics_port, "/metrics")
    assert "evener_data_workers 1\n" in page(dispatcher.metrics_port, "/metrics")
    feed = status(dispatcher)["feeds"][0]
    assert (feed["name"], feed["samples"], feed["batches_per_epoch"]) == ("default", 12, 3)
    with pytest.raises(urllib.error.HTTPError) as refused:
        page(worker.metrics_port, "/other")
    assert refused.value.code == 404


def test_servers_end_by_a_signal(house: DataHouse) -> None:
    dispatcher = house.dispatcher()
    worker = house.worker(dispatcher)
    for process in (worker, dispatcher):
        process.child.send_signal(signal.SIGTERM)
        assert process.child.wait(timeout=10) == 0


def run(house: DataHouse, *arguments: str) -> subprocess.CompletedProcess:
    return subprocess.run([house.evener, "data", "run", *arguments], env=house.environment,
                          text=True, capture_output=True, timeout=60, check=False)


def test_run_needs_no_other_process(house: DataHouse) -> None:
    pipeline = house.pipeline(house.data_set(40), epochs=3)
    done = run(house, str(pipeline), "--json")
    assert done.returncode == 0, done.stderr
    summary = json.loads(done.stdout)
    assert (summary["samples"], summary["batches"]) == (120, 30)
    assert summary["images_per_second"] > 0 and summary["verdict"]


def test_run_names_the_line_of_a_fault(house: DataHouse) -> None:
    pipeline = house.pipeline(house.data_set(4))
    pipeline.write_text(pipeline.read_text().replace('"flip"', '"filp"'))
    done = run(house, str(pipeline))
    assert done.returncode == 2
    assert f"{pipeline}:12: stage[1].name is 'filp'" in done.stderr
    assert "did you mean 'flip'?" in done.stderr
    assert run(house, str(house.folder / "none.toml")).returncode == 2


def test_image_bench_says_how_fast_and_how_right(house: DataHouse) -> None:
    root = house.data_set(60)
    for form in ("f32", "u8"):
        done = subprocess.run([house.evener, "data", "bench", "image", "--input", root, "--cores",
                               "1", "--seconds", "0.2", "--format", form, "--json"],
                              env=house.environment, text=True, capture_output=True, timeout=60,
                              check=False)
        assert done.returncode == 0, done.stderr
        result = json.loads(done.stdout)
        assert set(result) == {"images_per_second", "cpu_seconds_per_1000", "psnr_db"}
        assert result["images_per_second"] > 0 and result["psnr_db"] >= 40
    done = subprocess.run([house.evener, "data", "bench", "stages", "--input", root, "--seconds",
                           "0.2", "--json"], env=house.environment, text=True, capture_output=True,
                          timeout=60, check=False)
    assert done.returncode == 0 and len(done.stdout.splitlines()) == 5, done.stderr
