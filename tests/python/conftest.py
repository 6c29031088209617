"""The package as it is built: beside the program, or as `make build` has installed it."""

from __future__ import annotations

import os
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
_BINARY = Path(os.environ.get("EVENER", ROOT / "build/evener"))
_BUILT = _BINARY.parent / "python"
if (_BUILT / "evener").is_dir():
    sys.path.insert(0, str(_BUILT))
    os.environ["PYTHONPATH"] = str(_BUILT)
