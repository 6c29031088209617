"""Calls that read time, randomness or the environment anywhere but at the edge."""

from __future__ import annotations

import re

from tidy_rules.source import Finding, SourceFile

# Files that may read them, each with its reason.
ALLOWED_PLACES = {
    "src/base/clock.cc": "is the clock",
    "src/base/ids.cc": "is the random generator",
    "apps/": "is the edge that passes clock, randomness and environment in",
}

_BANNED = {
    r"::now\s*\(": "reads a clock",
    r"\bsystem_clock\b": "is a clock",
    r"\b(?:clock_gettime|gettimeofday|timespec_get)\s*\(": "reads a clock",
    r"(?<![\w.>:])(?:::|std::)?time\s*\(\s*(?:nullptr|NULL|0|&)": "reads a clock",
    r"\brandom_device\b": "is a source of randomness",
    r"(?<![\w.>:])(?:::|std::)?s?rand\s*\(": "is a source of randomness",
    r"\bgetrandom\s*\(": "is a source of randomness",
    r"\b(?:secure_)?getenv\s*\(": "reads the environment",
    r"(?<![\w.>])(?:set|put|unset)env\s*\(": "changes the environment",
}
_PATTERNS = [(re.compile(pattern), what) for pattern, what in _BANNED.items()]


def check(file: SourceFile) -> list[Finding]:
    if not file.is_cxx or file.is_test or file.path.startswith(tuple(ALLOWED_PLACES)):
        return []
    findings = []
    for pattern, what in _PATTERNS:
        for match in pattern.finditer(file.code):
            reason = f"`{match.group(0).strip()}` {what}; take it as an argument (Clock, Random, "
            reason += "an option) so that a run can be repeated."
            line = file.line_of(match.start())
            findings.append(Finding(file.path, line, "outside-world", reason))
    return findings
