"""A DataLoader over an endless order of files."""

from __future__ import annotations

import random
from typing import Any, Callable, Iterator

import torch
from torch.utils.data import DataLoader, Dataset, Sampler

from feed import BATCH, Options


class Images(Dataset):
    def __init__(self, files: list[str], load: Callable[[str], Any]) -> None:
        self.files, self.load = files, load

    def __len__(self) -> int:
        return len(self.files)

    def __getitem__(self, at: int) -> Any:
        return self.load(self.files[at])


class EndlessOrder(Sampler):
    """Epoch after epoch, each in an order of its own, so that no end is measured."""

    def __init__(self, count: int) -> None:
        self.count = count

    def __iter__(self) -> Iterator[int]:
        dice = random.Random(1)
        while True:
            order = list(range(self.count))
            dice.shuffle(order)
            yield from order


def loader(options: Options, load: Callable[[str], Any]) -> Iterator[Any]:
    torch.set_num_threads(1)
    files = options.files
    return iter(DataLoader(Images(files, load), batch_size=BATCH, sampler=EndlessOrder(len(files)),
                           num_workers=options.workers, drop_last=True))
