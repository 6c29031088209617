#!/usr/bin/env python3
"""Assembles the result from model.tar.gz, compares it with a direct computation, and the results
of several jobs with each other bit for bit.

    check.py MATRIX.npy MODEL.tar.gz...
"""

from __future__ import annotations

import argparse
import io
import re
import sys
import tarfile
from pathlib import Path

import numpy as np

_PART = re.compile(r"(?:\./)?rows-(\d{8})-(\d{8})\.npy")
# float32 sums of 256 products of numbers below 1.
TOLERANCE = 1e-5


def assemble(archive: Path, rows: int) -> np.ndarray:
    """The whole matrix; ValueError when rows are missing or there twice."""
    parts = {}
    with tarfile.open(archive) as tar:
        for member in tar.getmembers():
            name = _PART.fullmatch(member.name)
            file = tar.extractfile(member) if name else None
            if name and file:
                parts[int(name[1]), int(name[2])] = np.load(io.BytesIO(file.read()))
    expected = 0
    for (first, last), part in sorted(parts.items()):
        if first != expected or part.shape != (last - first, rows):
            raise ValueError(f"{archive}: rows {first} to {last} do not follow row {expected}")
        expected = last
    if expected != rows:
        raise ValueError(f"{archive}: rows {expected} to {rows} are missing")
    return np.concatenate([part for _, part in sorted(parts.items())])


def direct(matrix: np.ndarray) -> np.ndarray:
    """The same in float64 and one multiplication."""
    wide = matrix.astype(np.float64)
    lengths = np.linalg.norm(wide, axis=1, keepdims=True)
    wide /= np.where(lengths > 0, lengths, 1)
    return wide @ wide.T


def check(matrix_path: Path, archives: list[Path]) -> list[str]:
    """What is wrong; nothing when all is well."""
    matrix = np.load(matrix_path)
    results = [assemble(archive, len(matrix)) for archive in archives]
    wrong = []
    error = float(np.abs(results[0] - direct(matrix)).max())
    print(f"largest difference from the direct computation: {error:.2e}")
    if not error <= TOLERANCE:
        wrong.append(f"{archives[0]}: differs by {error:.2e}, more than {TOLERANCE:g}")
    for archive, result in zip(archives[1:], results[1:]):
        if result.tobytes() != results[0].tobytes():
            wrong.append(f"{archive}: not the same bits as {archives[0]}")
        else:
            print(f"the same bits: {archive}")
    return wrong


def main() -> int:
    parser = argparse.ArgumentParser(description="Checks results of the example.")
    parser.add_argument("matrix", type=Path)
    parser.add_argument("archives", type=Path, nargs="+")
    options = parser.parse_args()
    wrong = check(options.matrix, options.archives)
    for line in wrong:
        print(line, file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
