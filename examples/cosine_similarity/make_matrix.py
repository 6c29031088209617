#!/usr/bin/env python3
"""Writes FOLDER/matrix.npy: float32, normally distributed by a seed, with one row of zeros."""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[2]


def make(folder: Path, rows: int, columns: int, seed: int) -> Path:
    matrix = np.random.default_rng(seed).standard_normal((rows, columns), dtype=np.float32)
    matrix[rows // 2] = 0
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "matrix.npy"
    np.save(path, matrix)
    return path


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--folder", type=Path, default=ROOT / "build/cosine_similarity/matrix")
    parser.add_argument("--rows", type=int, default=3000)
    parser.add_argument("--columns", type=int, default=256)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    print(make(options.folder, options.rows, options.columns, options.seed))


if __name__ == "__main__":
    main()
