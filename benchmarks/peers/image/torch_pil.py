"""PyTorch's DataLoader with torchvision's default loader and transforms, on Pillow."""

from __future__ import annotations

from typing import Any, Iterator

import numpy
from torchvision import transforms
from torchvision.datasets.folder import default_loader
from torchvision.transforms import functional

import feed
import torch_feed


def batches(options: feed.Options) -> Iterator[Any]:
    end = ([transforms.ToTensor(), transforms.Normalize(feed.MEAN, feed.DEVIATION)]
           if options.format == "f32" else [transforms.PILToTensor()])
    steps = transforms.Compose([transforms.RandomResizedCrop(feed.SIDE),
                                transforms.RandomHorizontalFlip(), *end])
    return torch_feed.loader(options, lambda path: steps(default_loader(path)))


def crops(wanted: list[tuple[str, feed.Box]]) -> numpy.ndarray:
    return numpy.stack([numpy.asarray(functional.resized_crop(
        default_loader(path), box.top, box.left, box.height, box.width, [feed.SIDE, feed.SIDE]))
        for path, box in wanted])


feed.main("torch_pil", batches, crops)
