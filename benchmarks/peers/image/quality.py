#!/usr/bin/env python3
"""Fixed crops, what Pillow makes of them, and how far a peer's are from that.

    quality.py choose --input DIR --count 50 --crops FILE --reference FILE
    quality.py compare --reference FILE --made FILE

`choose` writes the crops as JSON lines and Pillow's antialiased result as bytes. `compare` prints
the peak signal-to-noise ratio: {"psnr_db": median, "psnr_db_lowest": minimum}; equal ones are 99.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from pathlib import Path

import numpy
from PIL import Image

from feed import SIDE, Box, random_box

SEED = 50
EQUAL_DB = 99.0


def reference(path: Path, box: Box) -> bytes:
    image = Image.open(path).convert("RGB")
    cut = image.crop((box.left, box.top, box.left + box.width, box.top + box.height))
    return cut.resize((SIDE, SIDE), Image.Resampling.BILINEAR).tobytes()


def choose(args: argparse.Namespace) -> None:
    dice = random.Random(SEED)
    paths = dice.sample(sorted(args.input.glob("*/*.jpg")), args.count)
    lines, pixels = [], []
    for path in paths:
        box = random_box(*Image.open(path).size, dice)
        lines.append(json.dumps({"path": str(path), "left": box.left, "top": box.top,
                                 "width": box.width, "height": box.height}))
        pixels.append(reference(path, box))
    args.crops.write_text("\n".join(lines) + "\n")
    args.reference.write_bytes(b"".join(pixels))


def compare(args: argparse.Namespace) -> None:
    wanted, made = (numpy.fromfile(path, dtype=numpy.uint8).reshape(-1, SIDE * SIDE * 3)
                    for path in (args.reference, args.made))
    errors = ((wanted.astype(numpy.float64) - made) ** 2).mean(axis=1)
    with numpy.errstate(divide="ignore"):
        decibels = numpy.minimum(10 * numpy.log10(255 ** 2 / errors), EQUAL_DB)
    print(json.dumps({"psnr_db": round(float(numpy.median(decibels)), 1),
                      "psnr_db_lowest": round(float(decibels.min()), 1)}))


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("task", choices=("choose", "compare"))
    parser.add_argument("--input", type=Path)
    parser.add_argument("--count", type=int, default=50)
    parser.add_argument("--crops", type=Path)
    parser.add_argument("--reference", type=Path, required=True)
    parser.add_argument("--made", type=Path)
    args = parser.parse_args()
    choose(args) if args.task == "choose" else compare(args)
    return 0


if __name__ == "__main__":
    sys.exit(main())
