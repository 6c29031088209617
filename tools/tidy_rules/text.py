"""Plain text: unfinished marks, machine paths, white space, skipped tests without a reason."""

from __future__ import annotations

import re

from tidy_rules.source import Finding, SourceFile

# Written in two parts, so that this file does not break its own rules.
_UNFINISHED = re.compile(r"\b(" + "|".join(["TO" + "DO", "FIX" + "ME", "XX" + "X"]) + r")\b")
_MACHINE_PATH = re.compile(r"(?<![\w.])/wo" + r"rk/\w")
_SKIP_WITHOUT_REASON = re.compile(r"\bGTEST_SKIP\s*\(\s*\)\s*;|\bpytest\.skip\s*\(\s*\)")
_DISABLED = re.compile(r"\bDISABLED" + r"_\w+")

_TAB_FILES = {"Makefile", ".csv"}


def check(file: SourceFile) -> list[Finding]:
    findings = []

    def report(line: int, rule: str, reason: str) -> None:
        findings.append(Finding(file.path, line, rule, reason))

    for number, line in enumerate(file.lines, start=1):
        if line != line.rstrip():
            report(number, "white-space", "ends with white space.")
        if "\t" in line and file.name not in _TAB_FILES and file.suffix not in _TAB_FILES:
            report(number, "white-space", "has a tab.")
        mark = _UNFINISHED.search(line)
        if mark:
            report(number, "unfinished", f"{mark.group(0)}: finish it, or open an issue.")
        if _MACHINE_PATH.search(line):
            report(number, "machine-path", "names a path of one machine.")
        if _SKIP_WITHOUT_REASON.search(line) or _DISABLED.search(line):
            report(number, "skipped-test", "a test that is left out must say why.")
    if file.text and not file.text.endswith("\n"):
        report(len(file.lines), "white-space", "has no line end at the end.")
    if file.text.endswith("\n\n"):
        report(len(file.lines), "white-space", "ends with empty lines.")
    return findings
