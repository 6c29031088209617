"""PyTorch's DataLoader: one worker process to the main one, through shared memory.

clone: the worker hands over a copy of a batch that it has; collate: it puts 128 images that it has
together. Without a copy there would be one segment for all, which no loader of real data has.
"""

from __future__ import annotations

import multiprocessing
import os
from typing import Iterator

import torch
from torch.utils.data import DataLoader, IterableDataset

import flow

IMAGES = 128


class Cloned(IterableDataset):
    def __init__(self, size: int) -> None:
        self.batch = torch.randint(0, 256, (size,), dtype=torch.uint8)

    def __iter__(self) -> Iterator[torch.Tensor]:
        while True:
            yield self.batch.clone()


class Single(IterableDataset):
    def __init__(self, size: int) -> None:
        self.image = torch.randint(0, 256, (size // IMAGES,), dtype=torch.uint8)

    def __iter__(self) -> Iterator[torch.Tensor]:
        while True:
            yield self.image


def main() -> None:
    args = flow.options(way=("clone", "collate"))
    torch.set_num_threads(1)
    if args.way == "clone":
        loader = DataLoader(Cloned(args.bytes), batch_size=None, num_workers=1)
    else:
        loader = DataLoader(Single(args.bytes), batch_size=IMAGES, num_workers=1)
    batches = iter(loader)
    flow.measure(f"torch_{args.way}", batches,
                 lambda: [one.pid for one in multiprocessing.active_children() if one.pid], args)
    for one in multiprocessing.active_children():
        one.kill()
    os._exit(0)


main()
