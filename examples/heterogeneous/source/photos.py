"""Reads photographs: JPEG -> random crop, resized -> random flip -> one batch of uint8."""

from __future__ import annotations

import math
import queue
import random
import threading
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from PIL import Image

IMAGE_SIZE = 64


@dataclass(frozen=True)
class Batch:
    pixels: np.ndarray  # uint8, (batch, IMAGE_SIZE, IMAGE_SIZE, 3)
    names: list[str]
    labels: np.ndarray | None = None  # where the feed knows them


def random_region(width: int, height: int, rng: random.Random) -> tuple[float, ...]:
    """25 to 100 % of the area, sides 3:4 to 4:3, where it fits; else the whole."""
    for _ in range(10):
        area = width * height * rng.uniform(0.25, 1.0)
        ratio = math.exp(rng.uniform(math.log(3 / 4), math.log(4 / 3)))
        crop_width, crop_height = math.sqrt(area * ratio), math.sqrt(area / ratio)
        if crop_width <= width and crop_height <= height:
            left = rng.uniform(0, width - crop_width)
            top = rng.uniform(0, height - crop_height)
            return (left, top, left + crop_width, top + crop_height)
    return (0.0, 0.0, float(width), float(height))


def decode(path: Path, rng: random.Random) -> np.ndarray:
    with Image.open(path) as photo:
        box = random_region(*photo.size, rng)
        image = photo.convert("RGB").resize((IMAGE_SIZE, IMAGE_SIZE), Image.Resampling.BILINEAR, box)
    pixels = np.asarray(image)
    return pixels[:, ::-1] if rng.random() < 0.5 else pixels


def batches_of(folder: Path, batch_size: int, seed: int):
    """Batches without end, each epoch in another order. One thread."""
    files = sorted(folder.rglob("*.jpg"))
    if not files:
        raise SystemExit(f"no photographs below {folder}")
    rng = random.Random(seed)
    pending: list[Path] = []
    while True:
        while len(pending) < batch_size:
            pending += rng.sample(files, len(files))
        chosen, pending = pending[:batch_size], pending[batch_size:]
        pixels = np.stack([decode(path, rng) for path in chosen])
        yield Batch(pixels, [path.name for path in chosen])


class PhotoReader:
    """Threads that keep a bounded queue of batches full; Pillow decodes without Python's lock."""

    def __init__(self, folder: Path, batch_size: int, threads: int, seed: int) -> None:
        self._queue: queue.Queue[Batch] = queue.Queue(maxsize=2 * threads)
        for number in range(threads):
            source = batches_of(folder, batch_size, seed * 1000 + number)
            threading.Thread(target=self._fill, args=(source,), daemon=True).start()

    def _fill(self, source) -> None:
        for batch in source:
            self._queue.put(batch)

    def next(self) -> Batch:
        return self._queue.get()
