#!/usr/bin/env python3
"""Makes the images that image_bench.py decodes: 2,000 JPEGs as a photo collection has them.

    dataset.py --photos build/photo-packages --output build/bench-data/images

Cuts of 21 photographs in Debian's packages, by a seed: mostly 500 x 375, 4:2:0, mean 97 KB, in
folders by photograph. The sources are soft for having been large, so cuts are scaled down and saved
with a quality of 97 or 98, which gives the bytes a pixel that sharp ones have at 92. Made once; made
anew when this file changes. Prints what there is as a JSON object.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import random
import shutil
import statistics
import sys
from pathlib import Path

from PIL import Image

COUNT = 2_000
SEED = 20_261
LOMIRI = "lomiri-wallpapers-16.04/usr/share/backgrounds"
LOMIRI_20 = "lomiri-wallpapers-20.04/usr/share/backgrounds"
MATE = "mate-backgrounds/usr/share/backgrounds/mate"
PLASMA = "plasma-workspace-wallpapers/usr/share/wallpapers"
LARGEST = "contents/images/2560x1600.jpg"
PHOTOS = [
    f"{LOMIRI}/Bridge_by_Sander_Klootwijk.jpg", f"{LOMIRI}/Dragonfly_by_Bolly.jpg",
    f"{LOMIRI}/Picture_0B_by_freespace.jpg", f"{LOMIRI}/Wine_by_Jakkub_Mede.jpg",
    f"{LOMIRI}/aitzgorri_by_Aitzol_Berasategi.jpg", f"{LOMIRI}/analogpattern_by_Peter_Nerlich.jpg",
    f"{LOMIRI}/friends_by_Aitzol_Berasategi.jpg", f"{LOMIRI}/greentock_by_Peter_Nerlich.jpg",
    f"{LOMIRI}/life_by_Aitzol_Berasategi.jpg", f"{LOMIRI}/picosdeeuropa_by_Aitzol_Berasategi.jpg",
    f"{LOMIRI}/seeding_by_Clements_Engelhardt.jpg", f"{LOMIRI}/sunset_by_Aitzol_Berasategi.jpg",
    f"{LOMIRI_20}/Infinite-Sea_by_Aury88.jpg", f"{LOMIRI_20}/Kleiber_by_Lukas_Baubkus.jpg",
    f"{MATE}/nature/Blinds.jpg", f"{MATE}/nature/RainDrops.jpg", f"{MATE}/nature/Wood.jpg",
    f"{PLASMA}/Autumn/{LARGEST}", f"{PLASMA}/ColorfulCups/{LARGEST}",
    f"{PLASMA}/OneStandsOut/{LARGEST}", f"{PLASMA}/Path/{LARGEST}",
]
# Width and height of the cuts, and how many of a hundred have them.
SIZES = {(500, 375): 53, (375, 500): 12, (500, 333): 14, (333, 500): 5, (640, 480): 7,
         (800, 600): 3, (400, 300): 4, (1024, 768): 2}


def cut(photo: Image.Image, dice: random.Random) -> Image.Image:
    width, height = dice.choices(list(SIZES), weights=list(SIZES.values()))[0]
    most = min(photo.width / width, photo.height / height)
    scale = dice.uniform(1.0, min(5.0, most)) if most > 1 else most
    wide, high = int(width * scale), int(height * scale)
    left, top = dice.randint(0, photo.width - wide), dice.randint(0, photo.height - high)
    box = (left, top, left + wide, top + high)
    return photo.resize((width, height), Image.Resampling.LANCZOS, box=box)


def make(photos: Path, folder: Path) -> None:
    dice = random.Random(SEED)
    for number, name in enumerate(PHOTOS):
        photo = Image.open(photos / name).convert("RGB")
        place = folder / f"{number:02}"
        place.mkdir(parents=True)
        for at in range(number, COUNT, len(PHOTOS)):
            cut(photo, dice).save(place / f"{at:06}.jpg", quality=dice.randint(97, 98),
                                  subsampling="4:2:0")


def describe(folder: Path) -> dict[str, object]:
    paths = sorted(folder.glob("*/*.jpg"))
    sizes = [path.stat().st_size for path in paths]
    pixels = [width * height for width, height in (Image.open(path).size for path in paths)]
    digest = hashlib.sha256()
    for path in paths:
        digest.update(path.read_bytes())
    return {"images": len(paths), "mean_bytes": round(statistics.mean(sizes)),
            "median_bytes": round(statistics.median(sizes)),
            "mean_megapixels": round(statistics.mean(pixels) / 1e6, 3),
            "sha256": digest.hexdigest()}


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--photos", type=Path, required=True)
    parser.add_argument("--output", type=Path, required=True)
    options = parser.parse_args()
    recipe = hashlib.sha256(Path(__file__).read_bytes()).hexdigest()
    facts = options.output.with_suffix(".json")
    if facts.exists() and options.output.exists():
        known = json.loads(facts.read_text())
        if known.pop("recipe") == recipe:
            print(json.dumps(known))
            return 0
    absent = [name for name in PHOTOS if not (options.photos / name).exists()]
    if absent:
        print(f"dataset: there is no {options.photos / absent[0]}", file=sys.stderr)
        return 1
    part = options.output.with_suffix(".part")
    for folder in (part, options.output):
        shutil.rmtree(folder, ignore_errors=True)
    make(options.photos, part)
    part.rename(options.output)
    known = describe(options.output)
    facts.write_text(json.dumps(known | {"recipe": recipe}) + "\n")
    print(json.dumps(known))
    return 0


if __name__ == "__main__":
    sys.exit(main())
