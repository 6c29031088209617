"""PyTorch's DataLoader with torchvision's decode_jpeg and transforms of tensors."""

from __future__ import annotations

from typing import Any, Iterator

import numpy
import torch
from torchvision.io import ImageReadMode, decode_jpeg, read_file
from torchvision.transforms import v2

import feed
import torch_feed


def decode(path: str) -> torch.Tensor:
    return decode_jpeg(read_file(path), mode=ImageReadMode.RGB)


def batches(options: feed.Options) -> Iterator[Any]:
    end = ([v2.ToDtype(torch.float32, scale=True), v2.Normalize(feed.MEAN, feed.DEVIATION)]
           if options.format == "f32" else [])
    steps = v2.Compose([v2.RandomResizedCrop(feed.SIDE, antialias=True), v2.RandomHorizontalFlip(),
                        *end])
    return torch_feed.loader(options, lambda path: steps(decode(path)))


def crops(wanted: list[tuple[str, feed.Box]]) -> numpy.ndarray:
    return numpy.stack([v2.functional.resized_crop(
        decode(path), box.top, box.left, box.height, box.width, [feed.SIDE, feed.SIDE],
        antialias=True).permute(1, 2, 0).numpy() for path, box in wanted])


feed.main("torch_tensors", batches, crops)
