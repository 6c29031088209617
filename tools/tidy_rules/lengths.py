"""Length of files and functions."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass

from tidy_rules.source import Finding, SourceFile

MAX_FILE_LINES = 500
MAX_FUNCTION_LINES = 60

_MEASURED_SUFFIXES = {".cc", ".h", ".py", ".sh", ".cmake"}


def check(file: SourceFile) -> list[Finding]:
    findings = []
    if file.suffix in _MEASURED_SUFFIXES and len(file.lines) > MAX_FILE_LINES:
        reason = f"{len(file.lines)} lines; at most {MAX_FILE_LINES}. Split it by what it does."
        findings.append(Finding(file.path, len(file.lines), "file-length", reason))
    if file.is_cxx:
        functions = cxx_functions(file)
    elif file.is_python:
        functions = python_functions(file)
    else:
        functions = []
    for function in functions:
        length = function.last_line - function.first_line + 1
        if length > MAX_FUNCTION_LINES:
            reason = f"{function.name} has {length} lines; at most {MAX_FUNCTION_LINES}."
            findings.append(Finding(file.path, function.first_line, "function-length", reason))
    return findings


@dataclass(frozen=True)
class Function:
    name: str
    first_line: int
    last_line: int


def python_functions(file: SourceFile) -> list[Function]:
    try:
        tree = ast.parse(file.text)
    except SyntaxError:
        return []  # an example of broken input; the tests that use it know
    return [
        Function(node.name, node.lineno, node.end_lineno or node.lineno)
        for node in ast.walk(tree)
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
    ]


_TYPE_HEADER = re.compile(
    r"^(?:typedef\s+|static\s+|inline\s+|constexpr\s+|extern\s+)*"
    r"(namespace|class|struct|union|extern)\b(?!\s+\w+[\s*&]+\w+\s*\()"
)
_OPERATOR = re.compile(r"operator\s*[^\w\s(]+|operator\s*\(\s*\)")
_INITIALISERS = re.compile(r"\)\s*(?:noexcept\s*)?:(?!:)")


def cxx_functions(file: SourceFile) -> list[Function]:
    """Function bodies at namespace or class level, found by matching braces.

    Blocks and lambdas inside a function count towards it.
    """
    code = re.sub(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", _blank, file.code, flags=re.MULTILINE)
    found: list[Function] = []
    position = start = 0
    while position < len(code):
        character = code[position]
        if character in ";}" or (character == ":" and _is_label(code[start:position])):
            start = position + 1
        elif character == "(":
            position = _matching(code, position)
        elif character == "{":
            header = code[start:position]
            kind = _kind_of(header, code[position - 1 : position])
            if kind == "container":
                start = position + 1
            else:
                end = _matching(code, position)
                if kind == "function":
                    found.append(_function(file, header, start, end))
                if kind != "member":
                    start = end + 1
                position = end
        position += 1
    return found


def _blank(match: re.Match[str]) -> str:
    return re.sub(r"[^\n]", " ", match.group(0))


def _is_label(header: str) -> bool:
    return header.strip() in {"public", "private", "protected"}


def _kind_of(header: str, before_brace: str) -> str:
    """What a brace opens: a container, a function, a member's value, or another value."""
    text = _without_template(header.strip())
    if _TYPE_HEADER.match(text) or text in {"", "extern"}:
        return "container"
    plain = _OPERATOR.sub("operator_", text)
    if ")" not in plain or re.match(r"^enum\b", plain):
        return "value"
    if "=" in re.sub(r"\([^()]*\)", "", _without_parentheses(plain)):
        return "value"
    if _INITIALISERS.search(plain) and not before_brace.isspace():
        return "member"
    return "function"


def _without_template(text: str) -> str:
    while text.startswith("template"):
        depth = 0
        for index, character in enumerate(text):
            depth += (character == "<") - (character == ">")
            if character == ">" and depth == 0:
                text = text[index + 1 :].lstrip()
                break
        else:
            return text
    return re.sub(r"^(\[\[[^\]]*\]\]\s*)+", "", text)


def _without_parentheses(text: str) -> str:
    kept, depth = [], 0
    for character in text:
        depth += (character == "(") - (character == ")")
        if depth == 0:
            kept.append(character)
    return "".join(kept)


def _matching(code: str, opening: int) -> int:
    """Offset of the bracket that closes the one at `opening`, or the end of the text."""
    pairs = {"(": ")", "{": "}"}
    opener, closer = code[opening], pairs[code[opening]]
    depth = 0
    for match in re.finditer(r"[(){}]", code[opening:]):
        depth += (match.group(0) == opener) - (match.group(0) == closer)
        if depth == 0:
            return opening + match.start()
    return len(code) - 1


def _function(file: SourceFile, header: str, start: int, end: int) -> Function:
    first = start + len(header) - len(header.lstrip())
    macro = re.match(r"\s*(TEST(?:_F|_P)?\s*\([^)]*\))", header)
    named = re.search(r"([\w:~]+)\s*\(", header)
    name = macro.group(1) if macro else named.group(1) if named else "function"
    return Function(name, file.line_of(first), file.line_of(end))
