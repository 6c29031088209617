"""Which module may include which: tools/layers.txt, one public header each, no cycles."""

from __future__ import annotations

import re
from dataclasses import dataclass

from tidy_rules.source import Finding, SourceFile

LAYERS_PATH = "tools/layers.txt"
_INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.MULTILINE)

# Sets of small modules: any of their headers may be included.
OPEN_MODULES = {"base", "os"}


@dataclass(frozen=True)
class Layers:
    edges: dict[str, set[str]]
    lines: dict[str, int]

    def module_of(self, path: str) -> str | None:
        """The module with the longest name that holds `path`, a path below src/."""
        holding = [name for name in self.edges if path.startswith(name + "/")]
        return max(holding, key=len, default=None)


def parse(text: str) -> Layers:
    edges: dict[str, set[str]] = {}
    lines: dict[str, int] = {}
    for number, line in enumerate(text.splitlines(), start=1):
        line = line.split("#", 1)[0].strip()
        if line:
            name, _, allowed = line.partition(":")
            edges[name.strip()] = set(allowed.split())
            lines[name.strip()] = number
    return Layers(edges, lines)


def check(files: list[SourceFile], layers: Layers) -> list[Finding]:
    findings = _check_list(layers)
    known = {file.path.removeprefix("src/") for file in files if file.path.startswith("src/")}
    for file in files:
        if file.is_cxx:
            findings += _check_includes(file, layers, known)
    return findings


def public_header(module: str) -> str:
    return f"{module}/{module.rsplit('/', 1)[-1]}.h"


def _check_list(layers: Layers) -> list[Finding]:
    findings = []
    for name, allowed in layers.edges.items():
        for other in sorted(allowed - set(layers.edges) - {"*"}):
            reason = f"{name} may include {other}, which is no module of the list."
            findings.append(Finding(LAYERS_PATH, layers.lines[name], "layer-unknown", reason))
    cycle = find_cycle(layers.edges)
    if cycle:
        reason = "modules include each other in a circle: " + " -> ".join(cycle)
        findings.append(Finding(LAYERS_PATH, layers.lines[cycle[0]], "layer-cycle", reason))
    return findings


def find_cycle(edges: dict[str, set[str]]) -> list[str]:
    """One circle of the graph, its first name repeated at the end; empty without one."""
    done: set[str] = set()

    def visit(name: str, path: list[str]) -> list[str]:
        if name in path:
            return path[path.index(name) :] + [name]
        if name in done:
            return []
        for other in sorted(edges.get(name, set()) - {name, "*"}):
            cycle = visit(other, path + [name])
            if cycle:
                return cycle
        done.add(name)
        return []

    for name in sorted(edges):
        cycle = visit(name, [])
        if cycle:
            return cycle
    return []


def _check_includes(file: SourceFile, layers: Layers, known: set[str]) -> list[Finding]:
    inside = file.path.startswith("src/")
    module = layers.module_of(file.path.removeprefix("src/")) if inside else None
    if inside and module is None:
        reason = f"is in no module of {LAYERS_PATH}; add a line for its folder there."
        return [Finding(file.path, 1, "layer-unknown", reason)]
    findings = []
    for match in _INCLUDE.finditer(file.text):
        line, target = file.line_of(match.start()), match.group(1)
        rule, reason = _judge(module, target, layers, known, file)
        if rule:
            findings.append(Finding(file.path, line, rule, reason))
    return findings


def _judge(
    module: str | None, target: str, layers: Layers, known: set[str], file: SourceFile
) -> tuple[str, str]:
    """The rule that an include breaks and why; two empty texts where it breaks none."""
    if target not in known:
        folder = file.path.rsplit("/", 1)[0]
        outside = module is None and "src/" not in folder
        if outside and not target.startswith("src/"):
            return "", ""  # headers among apps, tests and benchmarks
        return "include-path", f'"{target}" is no header below src/; write the path from there.'
    other = layers.module_of(target)
    if other is None or other == module:
        return "", ""
    if module is not None and other not in layers.edges[module]:
        return "layer-edge", f"{module} may not include {other} ({LAYERS_PATH})."
    if other in OPEN_MODULES or target == public_header(other):
        return "", ""
    if file.path.startswith("tests/") or (file.is_test and target.endswith("_test.h")):
        return "", ""  # tests see inside; samples and fakes serve the tests of modules above
    return "public-header", f"of {other} only {public_header(other)} is public."
