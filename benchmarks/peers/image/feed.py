"""What the programs of the image peers share: their options, the crop, and the clock.

Each program gives batches without end, of 64 images 224 x 224 from files of --input, cropped at
random, flipped half of the time, and as --format f32 (normalised, N x 3 x 224 x 224) or u8 (bytes,
either order). With --crops it writes what it makes of given crops instead, N x 224 x 224 x 3 bytes,
without a flip, for image_bench.py to compare.
"""

from __future__ import annotations

import argparse
import json
import math
import multiprocessing
import os
import random
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Callable, Iterator

import numpy

SIDE = 224
BATCH = 64
MEAN, DEVIATION = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)
SCALE, RATIO = (0.08, 1.0), (3 / 4, 4 / 3)
WARM_SECONDS, WARM_BATCHES = 1.0, 3


@dataclass(frozen=True)
class Box:
    left: int
    top: int
    width: int
    height: int


@dataclass(frozen=True)
class Options:
    files: list[str]
    cores: int
    format: str

    @property
    def workers(self) -> int:
        """Of a loader: none on one core, where they would only cost."""
        return self.cores if self.cores > 1 else 0


def random_box(width: int, height: int, dice: random.Random) -> Box:
    """torchvision's RandomResizedCrop."""
    for _ in range(10):
        area = width * height * dice.uniform(*SCALE)
        ratio = math.exp(dice.uniform(math.log(RATIO[0]), math.log(RATIO[1])))
        wide, high = round(math.sqrt(area * ratio)), round(math.sqrt(area / ratio))
        if 0 < wide <= width and 0 < high <= height:
            return Box(dice.randint(0, width - wide), dice.randint(0, height - high), wide, high)
    side = min(width, height)
    return Box((width - side) // 2, (height - side) // 2, side, side)


def cpu_seconds() -> float:
    """Of this process and all that it started and that still run."""
    parents, ticks = {}, {}
    for folder in Path("/proc").iterdir():
        if not folder.name.isdigit():
            continue
        try:
            fields = (folder / "stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        parents[int(folder.name)] = int(fields[1])
        ticks[int(folder.name)] = int(fields[11]) + int(fields[12])

    def is_ours(pid: int) -> bool:
        while pid and pid != os.getpid():
            pid = parents.get(pid, 0)
        return pid != 0

    return sum(ticks[pid] for pid in ticks if is_ours(pid)) / os.sysconf("SC_CLK_TCK")


def check(batch: Any, form: str) -> None:
    shape = tuple(batch.shape)
    wanted = {"f32": {(BATCH, 3, SIDE, SIDE)},
              "u8": {(BATCH, 3, SIDE, SIDE), (BATCH, SIDE, SIDE, 3)}}[form]
    if shape not in wanted:
        raise SystemExit(f"a batch has the shape {shape}")


def measure(batches: Iterator[Any], seconds: float, form: str) -> dict[str, float]:
    begin = time.monotonic()
    warm = 0
    while warm < WARM_BATCHES or time.monotonic() < begin + WARM_SECONDS:
        check(next(batches), form)
        warm += 1
    images, cpu, begin = 0, cpu_seconds(), time.monotonic()
    while time.monotonic() < begin + seconds:
        next(batches)
        images += BATCH
    seconds, cpu = time.monotonic() - begin, cpu_seconds() - cpu
    return {"images_per_second": round(images / seconds, 1),
            "cpu_seconds_per_1000": round(cpu / images * 1000, 3)}


def main(peer: str, batches: Callable[[Options], Iterator[Any]],
         crops: Callable[[list[tuple[str, Box]]], numpy.ndarray]) -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--input", type=Path, required=True)
    parser.add_argument("--cores", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=3)
    parser.add_argument("--format", choices=("f32", "u8"), default="f32")
    parser.add_argument("--crops", type=Path, help="JSON lines of path, left, top, width, height")
    parser.add_argument("--out", type=Path, help="the bytes of the --crops")
    args = parser.parse_args()
    if args.crops:
        lines = [json.loads(line) for line in args.crops.read_text().splitlines()]
        made = crops([(line["path"], Box(line["left"], line["top"], line["width"], line["height"]))
                      for line in lines])
        assert made.shape == (len(lines), SIDE, SIDE, 3), made.shape
        args.out.write_bytes(as_bytes(made).tobytes())
        return
    files = sorted(str(path) for path in args.input.glob("*/*.jpg"))
    options = Options(files, args.cores, args.format)
    result = measure(batches(options), args.seconds, args.format)
    print(json.dumps({"peer": peer, "cores": args.cores, "format": args.format, **result}), flush=True)
    for worker in multiprocessing.active_children():
        worker.kill()
    os._exit(0)   # threads that make batches have no end


def as_bytes(pixels: numpy.ndarray) -> numpy.ndarray:
    if pixels.dtype == numpy.uint8:
        return pixels
    return numpy.clip(numpy.rint(pixels), 0, 255).astype(numpy.uint8)
