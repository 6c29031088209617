"""The parts of the examples alone, without the program."""

from __future__ import annotations

import importlib.machinery
import importlib.util
import json
import socket
import sys
import tarfile
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from PIL import Image

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
for folder in ("heterogeneous", "heterogeneous/source", "cosine_similarity"):
    sys.path.insert(0, str(EXAMPLES / folder))

import check  # noqa: E402
import frames  # noqa: E402
import make_matrix  # noqa: E402
import network  # noqa: E402
import photos  # noqa: E402
import prepare_photos  # noqa: E402


def load_program(path: Path) -> ModuleType:
    loader = importlib.machinery.SourceFileLoader("cosine_train", str(path))
    spec = importlib.util.spec_from_loader("cosine_train", loader)
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    loader.exec_module(module)
    return module


cosine = load_program(EXAMPLES / "cosine_similarity/code/train")


def make_packages(folder: Path) -> Path:
    """Two pictures where the photographs are looked for."""
    place = folder / "lomiri-wallpapers-16.04/usr/share/backgrounds"
    place.mkdir(parents=True)
    rng = np.random.default_rng(1)
    for name in ("a.jpg", "b.jpg"):
        pixels = rng.integers(0, 255, (60, 80, 3), dtype=np.uint8)
        Image.fromarray(pixels).resize((1280, 960)).save(place / name)
    return folder


def test_frames_arrive_as_they_were_sent() -> None:
    left, right = socket.socketpair()
    array = np.arange(24, dtype=np.uint8).reshape(2, 3, 4)[:, ::-1]
    with left, right:
        frames.send_frame(left, array, {"names": ["a", "b"]})
        frames.send_frame(left, np.float32([1.5]), {})
        received, words = frames.receive_frame(right)
        assert np.array_equal(received, array) and words == {"names": ["a", "b"]}
        assert frames.receive_frame(right)[0].tolist() == [1.5]


def test_a_frame_that_is_cut_off_is_an_error() -> None:
    left, right = socket.socketpair()
    with right:
        left.sendall(b"\0\0")
        left.close()
        with pytest.raises(ConnectionError):
            frames.receive_frame(right)


def test_a_frame_that_is_too_large_is_refused_before_it_is_read() -> None:
    left, right = socket.socketpair()
    with left, right:
        left.sendall(b"\xff" * 12)
        with pytest.raises(ConnectionError, match="too large"):
            frames.receive_frame(right)


def test_gradients_agree_with_differences() -> None:
    net = network.Network(16, 3, seed=1)
    net.parameters = {name: value.astype(np.float64) for name, value in net.parameters.items()}
    rng = np.random.default_rng(2)
    pixels = rng.integers(0, 255, (4, 16, 16, 3), dtype=np.uint8)
    labels = np.array([0, 1, 2, 1])
    _, _, gradients = net.gradients(pixels, labels)
    for name, value in net.parameters.items():
        index = tuple(rng.integers(0, size) for size in value.shape)
        before = value[index]
        value[index] = before + 1e-5
        above = net.gradients(pixels, labels)[0]
        value[index] = before - 1e-5
        below = net.gradients(pixels, labels)[0]
        value[index] = before
        assert (above - below) / 2e-5 == pytest.approx(gradients[name][index], abs=1e-5), name


def test_the_network_learns() -> None:
    rng = np.random.default_rng(3)
    labels = np.arange(32) % 2
    pixels = rng.integers(0, 128, (32, 16, 16, 3)) + labels[:, None, None, None] * 127
    net = network.Network(16, 2, seed=1)
    first = net.gradients(pixels.astype(np.uint8), labels)[0]
    for _ in range(30):
        net.step(net.gradients(pixels.astype(np.uint8), labels)[2], 0.02)
    assert net.gradients(pixels.astype(np.uint8), labels)[0] < first / 4


def test_photographs_are_cut_the_same_every_time(tmp_path: Path) -> None:
    packages = make_packages(tmp_path / "packages")
    for name in ("one", "two"):
        assert prepare_photos.prepare(packages, tmp_path / name, crops=3) == 6
    one = {path.name: path.read_bytes() for path in (tmp_path / "one/raw").iterdir()}
    two = {path.name: path.read_bytes() for path in (tmp_path / "two/raw").iterdir()}
    assert len(one) == 6 and one == two
    lines = (tmp_path / "one/labels/labels.csv").read_text().splitlines()
    assert lines[0] == "file,label,photograph" and lines[4] == "01-000.jpg,1,b"


def test_batches_show_every_photograph_once_an_epoch(tmp_path: Path) -> None:
    prepare_photos.prepare(make_packages(tmp_path / "packages"), tmp_path / "set", crops=3)
    source = photos.batches_of(tmp_path / "set/raw", batch_size=3, seed=1)
    epoch = [next(source), next(source)]
    assert len({name for batch in epoch for name in batch.names}) == 6
    assert all(batch.pixels.shape == (3, 64, 64, 3) for batch in epoch)
    again = photos.batches_of(tmp_path / "set/raw", batch_size=3, seed=1)
    assert next(again).pixels.tobytes() == epoch[0].pixels.tobytes()


@pytest.mark.parametrize("count", [1, 2, 5, 7, 300])
def test_hosts_share_the_rows_without_gap_or_overlap(count: int) -> None:
    hosts = [f"algo-{number + 1}" for number in range(count)]
    parts = [cosine.host_rows(257, hosts, host) for host in hosts]
    assert parts[0][0] == 0 and parts[-1][1] == 257
    assert all(left[1] == right[0] for left, right in zip(parts, parts[1:]))


def test_similarity_is_the_same_bits_for_any_split(tmp_path: Path) -> None:
    matrix = np.load(make_matrix.make(tmp_path, rows=600, columns=32, seed=4))
    whole = cosine.similarity(matrix, 0, 600)
    cuts = [0, 1, 255, 256, 257, 400, 600]
    parts = [cosine.similarity(matrix, low, high) for low, high in zip(cuts, cuts[1:])]
    assert np.concatenate(parts).tobytes() == whole.tobytes()
    assert np.abs(whole - check.direct(matrix)).max() <= check.TOLERANCE
    assert not whole[300].any()


def test_check_finds_missing_rows_and_other_bits(tmp_path: Path) -> None:
    path = make_matrix.make(tmp_path, rows=300, columns=8, seed=5)
    result = cosine.similarity(np.load(path), 0, 300)

    def archive(name: str, array: np.ndarray, last: int) -> Path:
        part = tmp_path / f"rows-00000000-{last:08}.npy"
        np.save(part, array)
        with tarfile.open(tmp_path / name, "w:gz") as tar:
            tar.add(part, part.name)
        return tmp_path / name

    good = archive("good.tar.gz", result, 300)
    assert check.check(path, [good, good]) == []
    other = result.copy()
    other[1, 2] = np.nextafter(other[1, 2], np.float32(2))
    assert len(check.check(path, [good, archive("other.tar.gz", other, 300)])) == 1
    with pytest.raises(ValueError, match="missing"):
        check.check(path, [archive("short.tar.gz", result[:200], 200)])


def test_job_files_are_json_with_the_groups_that_the_scripts_know() -> None:
    body = json.loads((EXAMPLES / "heterogeneous/job.json").read_text())
    names = [group["InstanceGroupName"] for group in body["ResourceConfig"]["InstanceGroups"]]
    assert names == ["data_group", "dnn_group"]
