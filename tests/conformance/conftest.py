"""Servers for the tests with real clients."""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path
from typing import Iterator

import lonely_network
import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="session")
def evener() -> Path:
    """The binary, from EVENER or build/evener."""
    path = Path(os.environ.get("EVENER", ROOT / "build/evener")).resolve()
    if not os.access(path, os.X_OK):
        pytest.skip(f"{path} is not built; run make build")
    return path


def served(evener: Path, *words: str, verb: str = "serve") -> Iterator:
    """A server on a home of its own, and its end."""
    from serving import Server   # not every environment here has boto3

    home = Path(tempfile.mkdtemp(prefix="evener-"))
    folder = Path(tempfile.mkdtemp(prefix="evener-in-"))
    folder.chmod(0o755)
    server = Server(evener, home, folder, words, verb)
    server.start()
    try:
        yield server
        assert server.stop() == 0, (home / "test-server.log").read_text()
    finally:
        if server.process.poll() is None:
            server.kill()
        shutil.rmtree(home, ignore_errors=True)
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="module")
def server(evener: Path) -> Iterator:
    """One for all tests of a file."""
    yield from served(evener)


@pytest.fixture
def own_server(evener: Path) -> Iterator:
    """One that a test may kill."""
    yield from served(evener)


@pytest.fixture(scope="module")
def open_server(evener: Path) -> Iterator:
    """One that takes requests without signatures."""
    yield from served(evener, "--insecure")


@pytest.fixture(scope="session")
def lonely() -> None:
    """From here on nothing but loopback can be reached."""
    why = lonely_network.enter()
    if why:
        pytest.skip(why)


@pytest.fixture(scope="module")
def cloud(lonely: None, evener: Path) -> Iterator:
    """`evener up` alone with its clients, whose environment is what `evener env --config` prints.

    At the end nobody has tried to reach anything else.
    """
    if not (ROOT / ".venv/bin/weed").exists():
        pytest.skip("there is no .venv/bin/weed; run tools/setup.sh")
    before = dict(os.environ)
    for up in served(evener, verb="up"):
        os.environ.update(up.exports("--config", str(up.folder / "config")), HOME=str(up.home))
        try:
            yield up
        finally:
            os.environ.clear()
            os.environ.update(before)
    assert lonely_network.refused() == 0
