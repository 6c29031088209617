"""The package as it is built: beside the program, or as `make build` has installed it."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from served import Service

ROOT = Path(__file__).resolve().parents[2]
_BINARY = Path(os.environ.get("EVENER", ROOT / "build/evener"))
_BUILT = _BINARY.parent / "python"
# Builds with sanitizers have no extension module: Python could not load it.
if any((_BUILT / "evener").glob("_native.*.so")):
    sys.path.insert(0, str(_BUILT))
    os.environ["PYTHONPATH"] = str(_BUILT)


@pytest.fixture(scope="session")
def service() -> Iterator[Service]:
    """Shared by tests that leave it as it is; each has feeds of its own."""
    from served import Service, binary
    if not os.access(binary(), os.X_OK):
        pytest.skip(f"{binary()} is not built; run make build")
    service = Service()
    yield service
    assert service.end() == [0, 0]


@pytest.fixture
def feed(request: pytest.FixtureRequest) -> str:
    """A name of the test's own, so that feeds do not meet."""
    return request.node.name
