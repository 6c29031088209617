"""PyTorch's DataLoader over OpenCV: decoded, cropped and scaled (bilinear, not antialiased)."""

from __future__ import annotations

import random
from typing import Any, Iterator

import cv2
import numpy

import feed
import torch_feed

MEAN = numpy.array(feed.MEAN, dtype=numpy.float32) * 255
SCALE = 1 / (numpy.array(feed.DEVIATION, dtype=numpy.float32) * 255)


def decode(path: str) -> numpy.ndarray:
    return cv2.imdecode(numpy.fromfile(path, dtype=numpy.uint8), cv2.IMREAD_COLOR)


def scaled(image: numpy.ndarray, box: feed.Box) -> numpy.ndarray:
    cut = image[box.top:box.top + box.height, box.left:box.left + box.width]
    made = cv2.resize(cut, (feed.SIDE, feed.SIDE), interpolation=cv2.INTER_LINEAR)
    return cv2.cvtColor(made, cv2.COLOR_BGR2RGB)


def load(path: str, form: str) -> numpy.ndarray:
    image = decode(path)
    made = scaled(image, feed.random_box(image.shape[1], image.shape[0], random))
    if random.random() < 0.5:
        made = cv2.flip(made, 1)
    if form == "u8":
        return made
    return numpy.ascontiguousarray(((made.astype(numpy.float32) - MEAN) * SCALE).transpose(2, 0, 1))


def batches(options: feed.Options) -> Iterator[Any]:
    cv2.setNumThreads(1)
    return torch_feed.loader(options, lambda path: load(path, options.format))


def crops(wanted: list[tuple[str, feed.Box]]) -> numpy.ndarray:
    return numpy.stack([scaled(decode(path), box) for path, box in wanted])


feed.main("torch_opencv", batches, crops)
