#!/usr/bin/env python3
"""Packing beside tar, pigz and the disk's own pace, interleaved on the same data.

    packing_bench.py --driver BUILD/benchmarks/micro/packing/artifacts_bench [--mib 1024]
                     [--rounds 3] [--folder DIR]

Every round runs every program once, so that a busy machine slows all of them. A result line holds
the seconds of each round and, as ratio, the median over rounds of ours to theirs.
"""

from __future__ import annotations

import argparse
import array
import json
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

BLOCK = 8 << 20  # repeated at a distance that deflate cannot see (its window is 32 KiB)


def weights(rng: random.Random) -> bytes:
    """float32 normals: what trained weights look like to a compressor."""
    return array.array("f", (rng.gauss(0.0, 1.0) for _ in range(BLOCK // 4))).tobytes()


def noise(rng: random.Random) -> bytes:
    return rng.randbytes(BLOCK)


def text(rng: random.Random) -> bytes:
    words = ["".join(rng.choices("etaoinshrdlu", k=rng.randint(2, 9))) for _ in range(2000)]
    made = bytearray()
    while len(made) < BLOCK:
        made += (" ".join(rng.choices(words, k=12)) + "\n").encode()
    return bytes(made[:BLOCK])


def repeating(_: random.Random) -> bytes:
    """A log of equal lines: what compresses to nearly nothing."""
    line = b"2026-11-30T10:00:00 INFO step 0001 loss 0.123 lr 0.001 images/s 812\n"
    return (line * (BLOCK // len(line) + 1))[:BLOCK]


def write_file(path: Path, block: bytes, size: int) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("wb") as file:
        while size > 0:
            size -= file.write(block[:size])


def seconds_of(command: str) -> float:
    start = time.perf_counter()
    subprocess.run(command, shell=True, check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - start


def run_rounds(commands: dict[str, str], rounds: int, clean: Callable[[], None]) -> dict[str, list[float]]:
    times: dict[str, list[float]] = {name: [] for name in commands}
    for _ in range(rounds):
        for name, command in commands.items():
            clean()
            times[name].append(seconds_of(command))
    return times


def ratios(times: dict[str, list[float]]) -> dict[str, float]:
    ours = times["evener"]
    return {name: round(statistics.median(t / o for t, o in zip(theirs, ours)), 2)
            for name, theirs in times.items() if name != "evener"}


def report(name: str, size: int, times: dict[str, list[float]], **facts: object) -> None:
    median = statistics.median(times["evener"])
    line = {"measured": name, "bytes": size, "mb_per_s": round(size / 1e6 / median, 1),
            "times_faster_than": ratios(times),
            "seconds": {key: [round(value, 3) for value in values] for key, values in times.items()},
            **facts}
    print(json.dumps(line), flush=True)
    print(f"   {name}: {line['mb_per_s']} MB/s, faster than {line['times_faster_than']}",
          file=sys.stderr)


def bench_packing(kind: str, block: bytes, options: argparse.Namespace, folder: Path) -> None:
    source, out = folder / kind, folder / "out"
    size = options.mib << 20
    write_file(source / "model.bin", block, size)
    ours = out / "evener.tar.gz"
    driver = f"{options.driver} pack '{source}' '{ours}' 2"
    seconds_before = seconds_of(f"mkdir -p '{out}' && {driver}")  # also warms the page cache
    packed = ours.stat().st_size
    check = subprocess.run(f"tar xzf '{ours}' -O model.bin | cmp - '{source}/model.bin'", shell=True)
    if check.returncode != 0:
        raise SystemExit(f"{kind}: the archive does not hold what was packed")
    commands = {"evener": driver,
                # The disk's pace: as many bytes read and written as packing reads and writes.
                "disk": f"cat '{source}/model.bin' >/dev/null && head -c {packed} '{source}/model.bin' >'{out}/plain'"}
    if kind == "weights":
        if shutil.which("pigz"):
            commands["pigz -p 2"] = f"tar cf - -C '{source}' . | pigz -p 2 >'{out}/pigz.tar.gz'"
        else:
            print(json.dumps({"skipped": "pigz is not installed"}))
        commands["tar czf"] = f"tar czf '{out}/tar.tar.gz' -C '{source}' ."

    def clean() -> None:
        for path in out.iterdir():
            path.unlink()

    times = run_rounds(commands, options.rounds, clean)
    sizes = {"evener": round(packed / size, 4)}
    tar_gz = out / "tar.tar.gz"
    if tar_gz.exists():
        sizes["gzip -6"] = round(tar_gz.stat().st_size / size, 4)
    report(f"pack {kind}", size, times, ratio=sizes, first_seconds=round(seconds_before, 3))
    shutil.rmtree(source)
    shutil.rmtree(out)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--driver", required=True)
    parser.add_argument("--mib", type=int, default=1024)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--folder", default=None, help="where the data is made (default: temporary)")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="evener-packing-", dir=options.folder) as made:
        folder = Path(made)
        for kind, make in (("weights", weights), ("noise", noise), ("text", text),
                           ("repeating", repeating)):
            bench_packing(kind, make(random.Random(1)), options, folder)


if __name__ == "__main__":
    main()
