#!/usr/bin/env python3
"""Cuts JPEGs like those of ImageNet from the photographs of Debian packages; the same on every run.

    cut_photos.py [--packages build/photo-packages] --output DIR [--count 400] [--quality 98]

Most are 500x375 or 375x500, 4:2:0, of about 85 KB in the mean: a part of a photograph, scaled down,
so that it is as sharp as a photograph of that size. Prints one JSON object: count, mean and median
bytes, mean pixels.
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
from pathlib import Path

from PIL import Image

# Drawings and patterns among the photographs.
NOT_PHOTOGRAPHS = {"GreenTraditional.jpg", "Elephants.jpg", "Elephants_3840x2160.jpg",
                   "Elephants_5640x3172.jpg", "analogpattern_by_Peter_Nerlich.jpg"}
SIZES = [(500, 375)] * 6 + [(375, 500)] * 2 + [(500, 333), (640, 480)]


def find_photographs(packages: Path) -> list[Path]:
    found = (path for path in packages.rglob("*.jpg") if path.name not in NOT_PHOTOGRAPHS)
    return sorted(found, key=lambda path: path.name)


def cut(photo: Image.Image, rng: random.Random) -> Image.Image:
    width, height = rng.choice(SIZES)
    largest = min(photo.width / width, photo.height / height)
    scale = rng.uniform(min(1.5, largest), largest)
    box_width, box_height = width * scale, height * scale
    left = rng.uniform(0, photo.width - box_width)
    top = rng.uniform(0, photo.height - box_height)
    box = (left, top, left + box_width, top + box_height)
    return photo.resize((width, height), Image.Resampling.LANCZOS, box)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--packages", type=Path, default=Path("build/photo-packages"))
    parser.add_argument("--output", type=Path, required=True)
    parser.add_argument("--count", type=int, default=400)
    parser.add_argument("--quality", type=int, default=98)
    options = parser.parse_args()
    rng = random.Random(1)
    photographs = find_photographs(options.packages)
    if not photographs:
        raise SystemExit(f"no photographs below {options.packages}; tools/setup.sh fetches them")
    options.output.mkdir(parents=True, exist_ok=True)
    sizes, pixels = [], []
    for number, path in enumerate(photographs):
        mine = range(number, options.count, len(photographs))
        with Image.open(path) as opened:
            photo = opened.convert("RGB")
        for index in mine:
            target = options.output / f"{index:05}.jpg"
            image = cut(photo, rng)
            image.save(target, quality=options.quality, subsampling="4:2:0")
            sizes.append(target.stat().st_size)
            pixels.append(image.width * image.height)
    print(json.dumps({"count": len(sizes), "mean_bytes": round(statistics.mean(sizes)),
                      "median_bytes": round(statistics.median(sizes)),
                      "mean_pixels": round(statistics.mean(pixels))}))


if __name__ == "__main__":
    main()
