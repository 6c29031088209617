"""What tests of the real program share: the binary, and a home of their own."""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path
from typing import Iterator

import pytest

from isolation import CHOSEN
from trial import Trial

if CHOSEN:
    os.environ["EVENER_ISOLATION"] = CHOSEN

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="session")
def evener() -> Path:
    """The binary, from EVENER or build/evener."""
    path = Path(os.environ.get("EVENER", ROOT / "build/evener")).resolve()
    if not os.access(path, os.X_OK):
        pytest.skip(f"{path} is not built; run make build")
    return path


@pytest.fixture
def home() -> Iterator[Path]:
    """An empty home with a short path, since it holds sockets."""
    path = Path(tempfile.mkdtemp(prefix="evener-"))
    yield path
    shutil.rmtree(path, ignore_errors=True)


@pytest.fixture
def environment(home: Path) -> dict[str, str]:
    """The caller's environment with that home, and the Python that has numpy first in PATH."""
    python = ROOT / ".venv/bin"
    return dict(os.environ, EVENER_HOME=str(home), PATH=f"{python}:{os.environ['PATH']}")


@pytest.fixture
def trial(evener: Path, home: Path, environment: dict[str, str]) -> Iterator[Trial]:
    """Inputs and a home for runs that must leave nothing behind."""
    folder = Path(tempfile.mkdtemp(prefix="evener-in-"))
    folder.chmod(0o755)
    one = Trial(evener, folder, home, environment)
    one.program()
    yield one
    left = one.leftovers()
    shutil.rmtree(folder, ignore_errors=True)
    assert not left, left
