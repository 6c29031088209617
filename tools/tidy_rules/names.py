"""Words that say nothing, in names of types, namespaces and files; parameters that say nothing."""

from __future__ import annotations

import ast
import re
from pathlib import Path

from tidy_rules.source import Finding, SourceFile

BANNED_WORDS = {
    "manager", "helper", "util", "utility", "common", "handler", "context", "info", "impl",
}

_CXX_TYPE = re.compile(
    r"\b(?:class|struct|union|enum(?:\s+class)?|namespace)\s+(?:\[\[[^\]]*\]\]\s*)?([\w:]+)"
    r"(?=[^;()=]*\{)"
    r"|\busing\s+(\w+)\s*="
)


def words_of(name: str) -> list[str]:
    """The words of CamelCase and snake_case names, in lower case."""
    return [word.lower() for word in re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+", name)]


_TEST_NAME = re.compile(r"^TEST(?:_F|_P)?\(\s*\w+,\s*([a-z]\w*)\)", re.MULTILINE)


def check_test_names(file: SourceFile) -> list[Finding]:
    """Names of C++ tests are sentences in CamelCase."""
    if not file.is_cxx:
        return []
    return [
        Finding(file.path, file.line_of(match.start()), "test-name",
                f"{match.group(1)} is to be a sentence in CamelCase.")
        for match in _TEST_NAME.finditer(file.code)
    ]


def check(file: SourceFile) -> list[Finding]:
    findings = []
    for part in Path(file.path).parts:
        findings += _judge(file, 1, Path(part).stem, "the path")
    if file.is_cxx:
        for match in _CXX_TYPE.finditer(file.code):
            name = match.group(1) or match.group(2)
            findings += _judge(file, file.line_of(match.start()), name, f"the type {name}")
    elif file.is_python:
        for name, line in _python_classes(file.text):
            findings += _judge(file, line, name, f"the class {name}")
    return findings


# Where a truth is the value itself: make_boolean(bool value).
_TRUTH_AS_A_VALUE = "value"
_ARGUMENTS = re.compile(r"<[^<>;{}]*>")
_PARAMETERS = re.compile(r"\(([^()]*)\)")
_BOOL = re.compile(r"(?:^|,)\s*(?:const\s+)?bool\b\s*&?\s*(\w*)\s*(?=,|=|$)")


def check_parameters(file: SourceFile) -> list[Finding]:
    """At a call, `true` says nothing: a choice between two is a two-value enum."""
    if file.suffix != ".h":
        return []
    code = file.code
    while (plain := _ARGUMENTS.sub(_blank, code)) != code:
        code = plain
    findings = []
    for parameters in _PARAMETERS.finditer(code):
        for match in _BOOL.finditer(parameters.group(1)):
            if match.group(1) != _TRUTH_AS_A_VALUE:
                line = file.line_of(parameters.start(1) + match.start())
                reason = f"`bool {match.group(1)}` as a parameter; take an enum of two values."
                findings.append(Finding(file.path, line, "bool-parameter", reason))
    return findings


def _blank(match: re.Match[str]) -> str:
    return re.sub(r"[^\n]", " ", match.group(0))


def _judge(file: SourceFile, line: int, name: str, what: str) -> list[Finding]:
    banned = sorted(BANNED_WORDS & {word.removesuffix("s") for word in words_of(name)})
    return [
        Finding(file.path, line, "empty-word", f"{what} says '{word}'; name what it does instead.")
        for word in banned
    ]


def _python_classes(text: str) -> list[tuple[str, int]]:
    try:
        tree = ast.parse(text)
    except SyntaxError:
        return []
    return [(node.name, node.lineno) for node in ast.walk(tree) if isinstance(node, ast.ClassDef)]
