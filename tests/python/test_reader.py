"""evener.data.Reader against real processes: batches, memory, threads, endings, errors."""

from __future__ import annotations

import gc
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from evener.data import DataError, Pipeline, Reader, images
from served import TOKEN, Service, free_port, numbered, numbered_records, wait_until

COUNT = 300
LONG_SECONDS = 60.0


@pytest.fixture(scope="module")
def rows(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return numbered_records(tmp_path_factory.mktemp("rows") / "rows.bin", COUNT)


@pytest.fixture
def opened(service: Service, feed: str, rows: Path) -> Callable[..., Reader]:
    """Opens readers of this test's feed; closes them at its end."""
    readers: list[Reader] = []

    def open_reader(**changes) -> Reader:
        pipeline = changes.pop("pipeline", None) or numbered(rows, batch=changes.pop("batch", 7))
        options = {"rank": 0, "ranks": 1, "feed": feed, "token": TOKEN, **changes}
        readers.append(Reader(service.address, pipeline=pipeline, **options))
        return readers[-1]

    yield open_reader
    for reader in readers:
        reader.close()


def in_thread(call: Callable[[], object]) -> tuple[threading.Thread, list[BaseException]]:
    caught: list[BaseException] = []

    def run() -> None:
        try:
            call()
        except BaseException as error:
            caught.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    return thread, caught


def test_every_sample_of_an_epoch_comes_once_in_arrays_of_the_schema(opened) -> None:
    reader = opened()
    assert [(field.name, field.dtype, field.shape) for field in reader.fields] == [
        ("index", "int64", ()), ("image", "uint8", (32, 32, 3))]
    assert (reader.batch_size, reader.batches_per_epoch, reader.epochs) == (7, 43, 1)
    seen: list[int] = []
    for batch in reader:
        index, image = batch["index"], batch["image"]
        assert index.dtype == np.int64 and image.dtype == np.uint8
        assert image.shape == (len(index), 32, 32, 3) and image.flags.c_contiguous
        assert np.array_equal(image[:, 5, 6, 2], index % 256)
        seen += index.tolist()
    assert sorted(seen) == list(range(COUNT)) and seen != sorted(seen)
    with pytest.raises(StopIteration):
        next(reader)


def test_epochs_can_be_taken_one_at_a_time_and_begun_anywhere(opened, rows: Path) -> None:
    pipeline = numbered(rows, batch=100, epochs=2)
    reader = opened(pipeline=pipeline)
    assert reader.position == (0, 0)
    first = [batch["index"].copy() for batch in reader.epoch()]
    assert len(first) == 3 and reader.position[0] == 1
    second = [batch["index"].copy() for batch in reader.epoch()]
    assert len(second) == 3 and not np.array_equal(np.concatenate(first), np.concatenate(second))
    reader.close()
    later = opened(pipeline=pipeline, start=(1, 1))
    assert np.array_equal(next(later)["index"], second[1])


def test_ranks_share_the_batches_out(opened) -> None:
    pair = [opened(rank=rank, ranks=2) for rank in range(2)]
    taken: list[list[int]] = [[], []]
    threads = [in_thread(lambda rank=rank: [taken[rank].extend(batch["index"].tolist())
                                            for batch in pair[rank]]) for rank in range(2)]
    for thread, caught in threads:
        thread.join()
        assert not caught
    assert sorted(taken[0] + taken[1]) == list(range(COUNT)) and all(taken)


def test_arrays_outlive_their_reader_and_may_be_changed(opened) -> None:
    reader = opened()
    batch = next(reader)
    image = batch["image"]
    before = image.copy()
    reader.close()
    del reader, batch
    gc.collect()
    assert np.array_equal(image, before)
    image += 1
    assert np.array_equal(image, before + 1)


def test_memory_of_a_batch_is_given_back_with_its_last_array(opened) -> None:
    reader = opened(batch=100, shared_memory=False)
    held = [batch for batch in reader]
    assert reader.statistics().memory_bytes >= COUNT * (32 * 32 * 3 + 8)
    part = held[0]["image"][3:5]
    held.clear()
    gc.collect()
    one_batch = 100 * (32 * 32 * 3 + 8) + 4096
    wait_until(lambda: reader.statistics().memory_bytes <= one_batch)   # told a moment later
    assert reader.statistics().memory_bytes > 0
    del part
    gc.collect()
    wait_until(lambda: reader.statistics().memory_bytes == 0)


def test_a_trainer_that_keeps_little_gets_any_number_of_batches(opened, rows: Path) -> None:
    reader = opened(pipeline=numbered(rows, batch=10, epochs=20), memory_bytes=1 << 20)
    most = 0
    for batch in reader:
        most = max(most, reader.statistics().memory_bytes)
    assert 0 < most <= 1 << 20


def test_arrays_of_dlpack_share_the_memory_too(opened) -> None:
    reader = opened(as_="dlpack")
    batch = next(reader)
    image, again = np.from_dlpack(batch["image"]), np.from_dlpack(batch["image"])
    index = np.from_dlpack(batch["index"])
    assert np.shares_memory(image, again) and image.shape == (7, 32, 32, 3)
    del batch, reader
    gc.collect()
    assert np.array_equal(image[:, 0, 0, 0], index % 256)


def test_torch_tensors_share_the_memory(opened) -> None:
    torch = pytest.importorskip("torch", reason="torch is not installed")
    batch = next(opened(as_="torch"))
    assert batch["image"].dtype == torch.uint8 and batch["image"].shape == (7, 32, 32, 3)
    assert torch.equal(batch["image"][:, 0, 0, 0].long(), batch["index"] % 256)


def test_several_threads_take_every_batch_once(opened, rows: Path) -> None:
    reader = opened(pipeline=numbered(rows, batch=1))
    taken: list[list[int]] = [[] for _ in range(4)]
    threads = [in_thread(lambda one=one: [one.append(int(batch["index"][0])) for batch in reader])
               for one in taken]
    for thread, caught in threads:
        thread.join()
        assert not caught
    assert sorted(sum(taken, [])) == list(range(COUNT))


def take_all(reader: Reader) -> None:
    while True:
        next(reader)


class TestWaits:
    """Once the only worker is gone, next() waits when it has given what had come."""

    @pytest.fixture
    def waiting(self, feed: str, rows: Path) -> Reader:
        service = Service()
        try:
            with Reader(service.address, pipeline=numbered(rows, epochs=0), rank=0, ranks=1,
                        feed=feed, token=TOKEN, memory_bytes=1 << 20,
                        patience_seconds=LONG_SECONDS) as reader:
                next(reader)
                service.workers[0].kill()
                yield reader
        finally:
            codes = service.end()
        assert codes == [-signal.SIGKILL, 0]

    def test_other_threads_run_meanwhile(self, waiting: Reader) -> None:
        thread, caught = in_thread(lambda: take_all(waiting))
        count = sum(1 for _ in range(100_000))
        assert count == 100_000 and thread.is_alive()
        waiting.close()
        thread.join()
        assert isinstance(caught[0], DataError) and caught[0].code == "Cancelled"

    def test_closing_ends_them_and_every_later_one(self, waiting: Reader) -> None:
        threads = [in_thread(lambda: take_all(waiting)) for _ in range(3)]
        began = time.monotonic()
        waiting.close()
        for thread, caught in threads:
            thread.join()
            assert isinstance(caught[0], DataError)
        assert time.monotonic() - began < LONG_SECONDS / 2
        assert waiting.closed
        waiting.close()
        with pytest.raises(DataError) as raised:
            next(waiting)
        assert raised.value.code == "Cancelled"

    def test_ctrl_c_ends_them_and_the_reader_stays(self, waiting: Reader) -> None:
        timer = threading.Timer(0.1, os.kill, (os.getpid(), signal.SIGINT))
        timer.start()
        with pytest.raises(KeyboardInterrupt):
            take_all(waiting)
        timer.join()
        assert not waiting.closed and waiting.statistics().batches > 0
        assert waiting.statistics().wait_seconds > 0

    def test_a_reader_may_be_dropped_while_a_thread_waits_in_it(self, waiting: Reader) -> None:
        native = waiting._native

        def take() -> None:
            while True:
                native.next()

        thread, caught = in_thread(take)
        gc.collect()
        assert thread.is_alive()
        waiting.close()
        thread.join()
        assert isinstance(caught[0], DataError)

    def test_a_forked_child_is_told_to_open_its_own(self, waiting: Reader) -> None:
        child = os.fork()
        if child == 0:
            try:
                take_all(waiting)
            except DataError as error:
                waiting.close()
                os._exit(0 if "os.fork()" in str(error) else 1)
            os._exit(2)
        assert os.waitpid(child, 0)[1] == 0


def descriptors_and_threads() -> tuple[int, int]:
    return len(os.listdir("/proc/self/fd")), len(os.listdir("/proc/self/task"))


def test_a_thousand_rounds_leave_no_thread_and_no_descriptor(service: Service, feed: str,
                                                             rows: Path) -> None:
    pipeline = numbered(rows, epochs=0)

    def round_trip() -> None:
        with Reader(service.address, pipeline=pipeline, rank=0, ranks=1, feed=feed,
                    token=TOKEN) as reader:
            next(reader)

    round_trip()
    before = descriptors_and_threads()
    for _ in range(1000):
        round_trip()
    assert descriptors_and_threads() == before


def test_a_program_ends_with_a_reader_open(service: Service, feed: str, rows: Path) -> None:
    text = f"""
import sys
sys.path.insert(0, {str(Path(__file__).parent)!r})
from pathlib import Path
from evener.data import Reader
from served import numbered
reader = Reader({service.address!r}, pipeline=numbered(Path({str(rows)!r})), rank=0, ranks=1,
                feed={feed!r}, token={TOKEN!r})
kept = next(reader)["image"]
"""
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True,
                          timeout=LONG_SECONDS, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_the_environment_says_where_the_service_is(
    service: Service, feed: str, rows: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("EVENER_DATA_ADDRESS", service.address)
    monkeypatch.delenv("EVENER_DATA_TOKEN", raising=False)
    (tmp_path / "token").write_text(TOKEN + "\n")
    monkeypatch.setenv("EVENER_DATA_TOKEN_FILE", str(tmp_path / "token"))
    with Reader(pipeline=numbered(rows), feed=feed) as reader:
        assert next(reader)["index"].shape == (1,)


def test_a_batch_that_cannot_be_made_is_named_and_the_next_comes(opened, tmp_path: Path) -> None:
    folder = tmp_path / "photos/one"
    folder.mkdir(parents=True)
    for number in range(6):
        Image.new("RGB", (32, 32), (number, 0, 0)).save(folder / f"{number}.jpg")
    (folder / "3.jpg").write_bytes((folder / "3.jpg").read_bytes()[:40])
    pipeline = Pipeline(images(tmp_path / "photos"), shuffle=False).centre_crop(16).batch(2)
    reader = opened(pipeline=pipeline)
    assert next(reader)["image"].shape == (2, 3, 16, 16)
    with pytest.raises(DataError, match="3.jpg") as raised:
        next(reader)
    error = raised.value
    assert (error.epoch, error.batch, error.samples) == (0, 1, (3,))
    assert error.worker is not None and error.code
    assert next(reader)["label"].tolist() == [0, 0]
    assert reader.statistics().failed_units == 1


def test_a_second_reader_joins_the_feed_without_a_pipeline(opened, service: Service,
                                                           feed: str) -> None:
    opened(rank=0, ranks=2)
    with Reader(service.address, rank=1, ranks=2, feed=feed, token=TOKEN) as other:
        assert other.batch_size == 7 and len(next(other)["index"]) == 7


@pytest.mark.parametrize("options, code", [
    ({"as_": "lists"}, "InvalidArgument"),
    ({"token": "another-token-than-the-service"}, "PermissionDenied"),
    ({"rank": 2, "ranks": 2}, "InvalidArgument"),
])
def test_what_is_wrong_is_said(opened, options: dict, code: str) -> None:
    with pytest.raises(DataError) as raised:
        opened(shared_memory=False, **options)
    assert raised.value.code == code and str(raised.value)


def test_where_nobody_listens_a_reader_gives_up_in_its_time(rows: Path) -> None:
    address = f"127.0.0.1:{free_port()}"
    with pytest.raises(DataError) as raised:
        Reader(address, pipeline=numbered(rows), rank=0, ranks=1, token=TOKEN,
               connect_seconds=0.2)
    assert raised.value.code in ("Unavailable", "TimedOut") and address in str(raised.value)


def test_ctrl_c_ends_the_opening_too(rows: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        timer = threading.Timer(0.1, os.kill, (os.getpid(), signal.SIGINT))
        timer.start()
        with pytest.raises(KeyboardInterrupt):
            Reader(f"127.0.0.1:{silent.getsockname()[1]}", pipeline=numbered(rows), rank=0, ranks=1,
                   token=TOKEN, connect_seconds=LONG_SECONDS)
        timer.join()


def test_without_an_address_the_variable_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("EVENER_DATA_ADDRESS", raising=False)
    with pytest.raises(DataError, match="EVENER_DATA_ADDRESS"):
        Reader()
