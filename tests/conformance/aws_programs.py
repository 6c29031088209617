"""Where the lines of the AWS CLI are."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path


def find_cli(line: str) -> list[str] | None:
    if line == "v1":
        program = Path(sys.executable).parent / "aws"
        return [sys.executable, str(program)] if program.exists() else None
    program = shutil.which("aws", path="/usr/bin:/usr/local/bin")
    if program is None:
        return None
    version = subprocess.run([program, "--version"], capture_output=True, text=True).stdout
    return [program] if version.startswith("aws-cli/2") else None
