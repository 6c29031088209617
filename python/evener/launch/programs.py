"""What the entry point starts: the user's script, and the data service's programs."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from evener.launch.errors import LaunchError

_PACKAGE = Path(__file__).resolve().parents[1]


def find_binary(environment: Mapping[str, str]) -> str:
    """EVENER_BINARY, else beside the package, else beside Python, else on PATH."""
    named = environment.get("EVENER_BINARY")
    if named:
        if os.access(named, os.X_OK):
            return named
        raise LaunchError(f"EVENER_BINARY={named} is not a program")
    for candidate in (_PACKAGE / "bin/evener", Path(sys.executable).with_name("evener")):
        if os.access(candidate, os.X_OK):
            return str(candidate)
    found = shutil.which("evener", path=environment.get("PATH"))
    if found is None:
        raise LaunchError("the program evener was not found: put it on PATH, or name it in "
                          "EVENER_BINARY")
    return found


def find_token(environment: Mapping[str, str]) -> str | None:
    """EVENER_DATA_TOKEN, else the first line of the file EVENER_DATA_TOKEN_FILE."""
    token = environment.get("EVENER_DATA_TOKEN", "").strip()
    path = environment.get("EVENER_DATA_TOKEN_FILE", "")
    if token or not path:
        return token or None
    try:
        lines = Path(path).read_text().splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise LaunchError(f"EVENER_DATA_TOKEN_FILE={path} cannot be read: {error}") from error
    if not lines or not lines[0].strip():
        raise LaunchError(f"EVENER_DATA_TOKEN_FILE={path} is empty")
    return lines[0].strip()


def script_command(script: str, arguments: Sequence[str]) -> list[str]:
    """`x.py` runs in this Python, `-m` names a module of it, anything else is a program."""
    if script == "-m" or script.endswith(".py"):
        return [sys.executable, script, *arguments]
    return [shutil.which(script) or script, *arguments]


def dispatcher_command(binary: str, address: str, port: int) -> list[str]:
    return [binary, "data", "dispatcher", "--listen", f"{address}:{port}"]


def worker_command(
    binary: str, dispatcher: str, address: str, port: int, name: str
) -> list[str]:
    """`name` is what other hosts know the address by."""
    return [binary, "data", "worker", "--dispatcher", dispatcher,
            "--listen", f"{address}:{port}", "--advertise", name]
