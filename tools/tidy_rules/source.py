"""Files as the rules see them: text, lines, and C++ without comments and strings."""

from __future__ import annotations

import re
import subprocess
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Iterable


@dataclass(frozen=True, order=True)
class Finding:
    """One broken rule at one place."""

    path: str
    line: int
    rule: str
    reason: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.rule}: {self.reason}"


@dataclass
class SourceFile:
    """A text file by its path relative to the root."""

    path: str
    text: str
    lines: list[str] = field(init=False)

    def __post_init__(self) -> None:
        self.lines = self.text.splitlines()

    @property
    def suffix(self) -> str:
        return Path(self.path).suffix

    @property
    def name(self) -> str:
        return Path(self.path).name

    @property
    def is_cxx(self) -> bool:
        return self.suffix in {".cc", ".h"}

    @property
    def is_python(self) -> bool:
        return self.suffix == ".py" or self.text.startswith("#!/usr/bin/env python3")

    @property
    def is_test(self) -> bool:
        return (
            self.path.endswith(("_test.cc", "_test.h"))
            or self.path.startswith(("tests/", "benchmarks/"))
            or self.name.startswith("test_")
        )

    @cached_property
    def code(self) -> str:
        """C++ with comments, strings and characters blanked; same length and line breaks."""
        return blank_comments_and_strings(self.text)

    def line_of(self, offset: int) -> int:
        return self.text.count("\n", 0, offset) + 1


_TOKENS = re.compile(
    r'//[^\n]*|/\*.*?\*/|R"(?P<tag>[^()\\\s]{0,16})\(.*?\)(?P=tag)"'
    r"|\"(?:\\.|[^\"\\\n])*\"|(?<![0-9a-fA-F])'(?:\\.|[^'\\\n])+'",
    re.DOTALL,
)


def blank_comments_and_strings(text: str) -> str:
    """Every comment and literal becomes spaces, so that offsets and lines stay."""

    def blank(match: re.Match[str]) -> str:
        return re.sub(r"[^\n]", " ", match.group(0))

    return _TOKENS.sub(blank, text)


_TEXT_SUFFIXES = {
    ".cc", ".h", ".py", ".sh", ".md", ".txt", ".cmake", ".json", ".toml", ".yml", ".csv",
}
_TEXT_NAMES = {"Makefile", "run", "train", ".clang-format", ".gitignore"}


def is_text_file(path: str) -> bool:
    return Path(path).suffix in _TEXT_SUFFIXES or Path(path).name in _TEXT_NAMES


def list_paths(root: Path) -> list[str]:
    """Files that git tracks or would track; without git, all but built ones."""
    listing = subprocess.run(
        ["git", "-c", "safe.directory=*", "ls-files", "-z", "--cached", "--others",
         "--exclude-standard"],
        cwd=root, capture_output=True, check=False,
    )
    if listing.returncode == 0:
        names = [name.decode() for name in listing.stdout.split(b"\0") if name]
    else:
        skipped = {"build", ".venv", ".git", "__pycache__"}
        names = [
            str(path.relative_to(root)) for path in root.rglob("*")
            if not skipped & set(path.relative_to(root).parts)
        ]
    return sorted(name for name in set(names) if (root / name).is_file())


def load(root: Path, paths: Iterable[str]) -> list[SourceFile]:
    files = []
    for path in paths:
        if is_text_file(path):
            text = (root / path).read_text(encoding="utf-8", errors="replace")
            files.append(SourceFile(path, text))
    return files
