"""examples/native_trainer learns from what the data service feeds it."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path
from typing import Iterator

import pytest
from PIL import Image

from data_house import DataHouse

ROOT = Path(__file__).resolve().parents[2]
EXAMPLE = ROOT / "examples/native_trainer"
COLOURS = [(200, 40, 40), (40, 200, 40), (40, 40, 200)]


@pytest.fixture
def house(evener: Path, tmp_path: Path, environment: dict[str, str]) -> Iterator[DataHouse]:
    environment.pop("EVENER_DATA_TOKEN", None)
    one = DataHouse(evener, tmp_path, environment)
    yield one
    one.close()


def photographs(folder: Path) -> None:
    """Noise in a colour for each class."""
    for number in range(96):
        kind = number % len(COLOURS)
        noise = Image.effect_noise((40, 30), 60 + number).convert("RGB")
        path = folder / f"class{kind}" / f"{number:03}.png"
        path.parent.mkdir(parents=True, exist_ok=True)
        Image.blend(noise, Image.new("RGB", noise.size, COLOURS[kind]), 0.4).save(path)


def train(house: DataHouse, endpoint: str, classes: str, *token: Path) -> subprocess.CompletedProcess:
    program = house.evener.parent / "examples/native_trainer/native_trainer"
    return subprocess.run([program, endpoint, house.folder / "pipeline.toml", classes, *token],
                          env=house.environment, capture_output=True, text=True, timeout=60)


def test_a_trainer_in_cpp_learns_from_the_service(house: DataHouse) -> None:
    photographs(house.folder / "photographs")
    shutil.copy(EXAMPLE / "pipeline.toml", house.folder)
    dispatcher = house.dispatcher()
    for _ in range(2):
        house.worker(dispatcher)
    done = train(house, dispatcher.endpoint, "3")
    assert done.returncode == 0, done.stderr
    epochs = re.findall(r"epoch=(\d); loss=([\d.]+); accuracy=([\d.]+);", done.stdout)
    assert [int(epoch) for epoch, _, _ in epochs] == [0, 1, 2, 3], done.stdout
    assert float(epochs[-1][1]) < float(epochs[0][1]) / 2, done.stdout
    assert float(epochs[-1][2]) == 1.0, done.stdout
    again = train(house, dispatcher.endpoint, "3")
    assert again.stdout == done.stdout


def test_a_label_beyond_the_classes_is_told(house: DataHouse) -> None:
    photographs(house.folder / "photographs")
    shutil.copy(EXAMPLE / "pipeline.toml", house.folder)
    dispatcher = house.dispatcher()
    house.worker(dispatcher)
    done = train(house, dispatcher.endpoint, "2")
    assert done.returncode == 1
    assert "none of the classes" in done.stderr


def test_a_trainer_shows_the_token_of_a_file(house: DataHouse) -> None:
    photographs(house.folder / "photographs")
    shutil.copy(EXAMPLE / "pipeline.toml", house.folder)
    token = house.folder / "token"
    token.write_text("a secret of the trainer's house\n")
    dispatcher = house.dispatcher("--token-file", str(token))
    house.worker(dispatcher, "--token-file", str(token))
    assert train(house, dispatcher.endpoint, "3", token).returncode == 0
    (house.folder / "wrong").write_text("another secret of some other house\n")
    assert train(house, dispatcher.endpoint, "3", house.folder / "wrong").returncode == 1


@pytest.mark.parametrize("classes", ["0", "-1", "three", "3x"])
def test_a_number_of_classes_that_is_none_is_wrong_usage(house: DataHouse, classes: str) -> None:
    done = train(house, "127.0.0.1:1", classes)
    assert (done.returncode, done.stderr.split()[0]) == (2, "usage:")
