#!/usr/bin/env python3
"""Checks the rules of this repository's code that a compiler does not check.

    tools/tidy.py [--root DIR] [PATH...]

Prints one line per broken rule, `file:line: rule: reason`, and exits with 1 if there is any.
PATHs narrow what is printed; the whole tree is always read, since some rules join files.
The rules are in tools/tidy_rules, the allowed include edges in tools/layers.txt.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent))

from tidy_rules import calls, headers, layers, lengths, lifetimes, names, text  # noqa: E402
from tidy_rules.source import Finding, SourceFile, list_paths, load  # noqa: E402


def check_files(files: list[SourceFile], layers_text: str) -> list[Finding]:
    """All findings of all rules, by path and line."""
    edges = layers.parse(layers_text)
    findings = layers.check(files, edges)
    for file in files:
        findings += lengths.check(file)
        findings += names.check(file)
        findings += names.check_parameters(file)
        findings += names.check_test_names(file)
        findings += calls.check(file)
        findings += lifetimes.check(file)
        findings += headers.check_third_party(file)
        findings += headers.check_form(file)
        findings += text.check(file)
    return sorted(findings)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--root", type=Path, default=Path(__file__).resolve().parent.parent)
    parser.add_argument("paths", nargs="*", help="print findings below these paths only")
    options = parser.parse_args()
    files = load(options.root, list_paths(options.root))
    findings = check_files(files, (options.root / layers.LAYERS_PATH).read_text())
    if options.paths:
        findings = [one for one in findings if one.path.startswith(tuple(options.paths))]
    for finding in findings:
        print(finding)
    print(f"tidy: {len(files)} files, {len(findings)} findings")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
