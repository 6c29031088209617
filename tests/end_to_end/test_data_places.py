"""Where a feed's samples may lie and how its peers reach each other: S3, shards, records, TLS."""

from __future__ import annotations

import io
import shutil
import subprocess
import tarfile
from pathlib import Path
from typing import Iterator

import pytest

from data_house import DataHouse
from object_store import ObjectStore
from person import store  # noqa: F401

RECORDS = """
[source]
kind = "records"
location = "{location}"
fields = [{{name = "label", type = "uint8"}}, {{name = "image", type = "uint8", shape = [3, 8, 8]}}]
[batch]
size = 7
last = "short"
"""


@pytest.fixture
def house(evener: Path, tmp_path: Path, environment: dict[str, str]) -> Iterator[DataHouse]:
    environment.pop("EVENER_DATA_TOKEN", None)
    one = DataHouse(evener, tmp_path, environment)
    yield one
    one.close()


def digests(house: DataHouse, pipeline: Path, **environment: str) -> dict:
    """What a reader gets from a worker with this environment."""
    dispatcher = house.dispatcher()
    house.worker(dispatcher, **environment)
    read = house.read(dispatcher, "--pipeline", str(pipeline))
    assert read.code == 0, read.err + house.log()
    return read.digests()


def shards_of(root: Path, folder: Path, each: int) -> Path:
    """The photographs with their classes as numbers, in tar files."""
    folder.mkdir()
    files = sorted(path for path in root.rglob("*") if path.is_file())
    classes = sorted({path.parent.name for path in files})
    for begin in range(0, len(files), each):
        with tarfile.open(folder / f"{begin:04}.tar", "w") as shard:
            for path in files[begin:begin + each]:
                shard.add(path, f"{path.parent.name}/{path.name}")
                label = str(classes.index(path.parent.name)).encode()
                member = tarfile.TarInfo(f"{path.parent.name}/{path.stem}.cls")
                member.size = len(label)
                shard.addfile(member, io.BytesIO(label))
    return folder


def test_shards_give_what_their_files_give(house: DataHouse) -> None:
    root = house.data_set()
    expected = digests(house, house.pipeline(root))
    shards = house.pipeline(shards_of(root, house.folder / "shards", 17), "shards.toml")
    shards.write_text(shards.read_text().replace('"images"', '"shards"'))
    assert digests(house, shards) == expected


def test_an_object_store_gives_what_a_folder_gives(
        house: DataHouse, store: ObjectStore) -> None:  # noqa: F811
    root = house.data_set(24)
    expected = digests(house, house.pipeline(root))
    store.start()
    for path in root.rglob("*.*"):
        store.put(f"own/photographs/{path.relative_to(root)}", path.read_bytes())
    objects = house.pipeline(Path("s3:own/photographs"), "objects.toml")
    objects.write_text(objects.read_text().replace("s3:own", "s3://own"))
    assert digests(house, objects, **store.variables()) == expected
    shards = shards_of(root, house.folder / "shards", 9)
    for path in shards.iterdir():
        store.put(f"own/shards/{path.name}", path.read_bytes())
    objects.write_text(objects.read_text().replace("own/photographs", "own/shards")
                       .replace('"images"', '"shards"'))
    assert digests(house, objects, **store.variables()) == expected


def test_records_come_whole_and_the_last_batch_is_short(house: DataHouse) -> None:
    folder = house.folder / "records"
    folder.mkdir()
    for number in range(3):
        (folder / f"{number}.bin").write_bytes(bytes(range(193)) * 10)
    pipeline = house.folder / "records.toml"
    pipeline.write_text(RECORDS.format(location=folder))
    dispatcher = house.dispatcher()
    house.worker(dispatcher)
    read = house.read(dispatcher, "--pipeline", str(pipeline))
    assert read.code == 0, read.err
    assert [one["samples"] for one in read.batches] == [7, 7, 7, 7, 2]


def test_tls_is_asked_of_dispatcher_and_worker(house: DataHouse) -> None:
    if shutil.which("openssl") is None:
        pytest.skip("openssl is not installed")
    certificate, key = house.folder / "cert.pem", house.folder / "key.pem"
    subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2",
                    "-subj", "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1",
                    "-keyout", str(key), "-out", str(certificate)], check=True, capture_output=True)
    files = ["--tls-certificate", str(certificate), "--tls-key", str(key)]
    pipeline = house.pipeline(house.data_set(24))
    dispatcher = house.dispatcher(*files)
    house.worker(dispatcher, *files, "--tls-ca", str(certificate))
    trusting = house.read(dispatcher, "--pipeline", str(pipeline), "--tls-ca", str(certificate))
    assert trusting.code == 0, trusting.err
    assert len(trusting.batches) == 6
    plain = house.read(dispatcher, "--pipeline", str(pipeline))
    assert plain.code == 1 and not plain.batches
