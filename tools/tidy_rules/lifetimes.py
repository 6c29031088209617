"""Loops over a part of a value that has ended: `for (x : call().value())`.

Only the whole of a loop's range is kept until its end, before C++23.
"""

from __future__ import annotations

import re

from tidy_rules.source import Finding, SourceFile

_LOOP = re.compile(r"\bfor\s*\(")
_BETWEEN = re.compile(r"(?<!:):(?!:)")
_PART_OF_A_CALL = re.compile(r"\*\s*(?:\w|::|\.|->)*\(.*\)|.*\)\s*\.\s*value\(\)", re.DOTALL)


def check(file: SourceFile) -> list[Finding]:
    if not file.is_cxx:
        return []
    findings = []
    for match in _LOOP.finditer(file.code):
        header = _up_to_its_end(file.code, match.end())
        parts = _BETWEEN.split(header, maxsplit=1)
        if ";" in header or len(parts) < 2 or not _PART_OF_A_CALL.fullmatch(parts[1].strip()):
            continue
        reason = "the result whose value this loop reads ends before the loop; give it a name."
        line = file.line_of(match.start())
        findings.append(Finding(file.path, line, "ended-range", reason))
    return findings


def _up_to_its_end(code: str, start: int) -> str:
    """What stands between the parenthesis before `start` and its partner."""
    depth = 1
    for at in range(start, len(code)):
        depth += (code[at] == "(") - (code[at] == ")")
        if depth == 0:
            return code[start:at]
    return code[start:]
