#!/usr/bin/env python3
"""Cuts labelled JPEGs from real photographs of Debian packages; the same bytes on every run.

    prepare_photos.py [--packages build/photo-packages] [--output build/photos] [--crops 12]

Writes OUTPUT/raw/<class>-<crop>.jpg and OUTPUT/labels/labels.csv (file, label, photograph). What
is there already is kept; tools/setup.sh fetches the packages.
"""

from __future__ import annotations

import argparse
import csv
import random
import shutil
from pathlib import Path

from PIL import Image

ROOT = Path(__file__).resolve().parents[2]
CROP_SIZE = (500, 375)
JPEG_QUALITY = 92
COLUMNS = ("file", "label", "photograph")
# Drawings and patterns among the photographs.
NOT_PHOTOGRAPHS = {"analogpattern_by_Peter_Nerlich.jpg", "umang_by_Abhishek_Mudgal.jpg"}


def find_photographs(packages: Path) -> list[Path]:
    found = [
        *packages.glob("lomiri-wallpapers-16.04/usr/share/backgrounds/*.jpg"),
        *packages.glob("mate-backgrounds/usr/share/backgrounds/mate/nature/*.jpg"),
    ]
    return sorted((path for path in found if path.name not in NOT_PHOTOGRAPHS),
                  key=lambda path: path.name)


def cut(photo: Image.Image, rng: random.Random) -> Image.Image:
    """A random region of the crop's shape, 30 to 100 % of what fits, scaled to the crop's size."""
    width, height = photo.size
    fits = min(width / CROP_SIZE[0], height / CROP_SIZE[1])
    scale = fits * rng.uniform(0.3, 1.0)
    region = (CROP_SIZE[0] * scale, CROP_SIZE[1] * scale)
    left = rng.uniform(0, width - region[0])
    top = rng.uniform(0, height - region[1])
    box = (left, top, left + region[0], top + region[1])
    return photo.resize(CROP_SIZE, Image.Resampling.BICUBIC, box=box, reducing_gap=3.0)


def cut_all(photographs: list[Path], folder: Path, crops: int) -> list[tuple[str, int, str]]:
    rows = []
    for label, path in enumerate(photographs):
        rng = random.Random(path.name)
        with Image.open(path) as opened:
            photo = opened.convert("RGB")
        for number in range(crops):
            name = f"{label:02}-{number:03}.jpg"
            cut(photo, rng).save(folder / name, quality=JPEG_QUALITY)
            rows.append((name, label, path.stem))
    return rows


def prepare(packages: Path, output: Path, crops: int) -> int:
    """Makes the data set unless it is there; returns its number of files."""
    labels = output / "labels/labels.csv"
    photographs = find_photographs(packages)
    if len(photographs) < 2:
        raise SystemExit(f"no photographs below {packages}; run tools/setup.sh first")
    wanted = len(photographs) * crops
    lines = labels.read_text().splitlines() if labels.is_file() else []
    if len(lines) == wanted + 1 and lines[0] == ",".join(COLUMNS):
        return wanted
    part = output.with_name(output.name + ".part")
    shutil.rmtree(part, ignore_errors=True)
    (part / "raw").mkdir(parents=True)
    (part / "labels").mkdir()
    rows = cut_all(photographs, part / "raw", crops)
    with (part / "labels/labels.csv").open("w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(COLUMNS)
        writer.writerows(rows)
    shutil.rmtree(output, ignore_errors=True)
    part.rename(output)
    return wanted


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--packages", type=Path, default=ROOT / "build/photo-packages")
    parser.add_argument("--output", type=Path, default=ROOT / "build/photos")
    parser.add_argument("--crops", type=int, default=12, help="files per photograph")
    options = parser.parse_args()
    count = prepare(options.packages, options.output, options.crops)
    print(f"{count} photographs in {options.output}")


if __name__ == "__main__":
    main()
