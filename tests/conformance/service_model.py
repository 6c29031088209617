"""Inputs and answers of AWS operations, made from and held against botocore's own service models.

`Model` generates inputs of an operation (every shape within its constraints, and just outside each)
and validates answers (every member and type). The conformance suites import it.
"""

from __future__ import annotations

import datetime
import functools
import random
import re
import string
from dataclasses import dataclass
from typing import Any, Iterator

import botocore.loaders
import evener_model

try:
    from re import _constants as sre, _parser as sre_parser
except ImportError:  # Python 3.10
    import sre_constants as sre
    import sre_parse as sre_parser

# Differences that Evener makes on purpose: tools/generate_constraints.py says why.
ANY_WORD = {"TrainingInstanceType", "ProcessingInstanceType"}
LEAST = {"TrainingInstanceCount": 1}

MOST_REPEATS = 3       # of an unbounded part of a pattern
MOST_DEPTH = 3         # of shapes that contain themselves
LONGEST = 3000         # characters that are made to break a limit
MOST_ITEMS = 110       # items that are made to break a limit

_JAVA_CLASSES = {r"\p{L}": "a-zA-Z", r"\p{N}": "0-9", r"\p{Z}": " ", r"\p{Alnum}": "a-zA-Z0-9"}


@functools.cache
def python_pattern(pattern: str) -> re.Pattern[str]:
    for java, python in _JAVA_CLASSES.items():
        pattern = pattern.replace(java, python)
    return re.compile(pattern)


class _Sampler:
    """One text that a pattern matches."""

    def __init__(self, rng: random.Random):
        self.rng = rng

    def text(self, parsed: Any) -> str:
        return "".join(self.part(op, value) for op, value in parsed)

    def part(self, op: Any, value: Any) -> str:
        if op is sre.LITERAL:
            return chr(value)
        if op is sre.ANY:
            return self.rng.choice(string.ascii_lowercase)
        if op is sre.IN:
            return self.one_of(value)
        if op in (sre.MAX_REPEAT, sre.MIN_REPEAT):
            least, most, inner = value
            count = self.rng.randint(least, min(most, least + MOST_REPEATS))
            return "".join(self.text(inner) for _ in range(count))
        if op is sre.SUBPATTERN:
            return self.text(value[-1])
        if op is sre.BRANCH:
            return self.text(self.rng.choice(value[1]))
        if op in (sre.AT, sre.ASSERT_NOT, sre.ASSERT):
            return ""
        if op is sre.CATEGORY:
            return self.category(value)
        if op is sre.NOT_LITERAL:
            return "a" if value != ord("a") else "b"
        raise NotImplementedError(f"{op} in a pattern")

    def one_of(self, choices: Any) -> str:
        if choices[0][0] is sre.NEGATE:
            allowed = [c for c in string.ascii_lowercase if not self.holds(choices[1:], c)]
            return self.rng.choice(allowed)
        op, value = self.rng.choice(choices)
        if op is sre.RANGE:
            return chr(self.rng.randint(value[0], min(value[1], 0x7E)))
        return self.part(op, value)

    @staticmethod
    def holds(choices: Any, char: str) -> bool:
        return any((op is sre.LITERAL and value == ord(char))
                   or (op is sre.RANGE and value[0] <= ord(char) <= value[1])
                   for op, value in choices)

    def category(self, value: Any) -> str:
        return {sre.CATEGORY_DIGIT: "7", sre.CATEGORY_SPACE: " ", sre.CATEGORY_WORD: "w",
                sre.CATEGORY_NOT_SPACE: "s"}[value]


@dataclass
class Broken:
    """An input that breaks one constraint of the model."""

    rule: str                   # "required", "min", "max", "pattern", "enum", "type"
    path: str                   # "resourceConfig.instanceGroups.1.member.instanceType"
    input: Any


class Model:
    def __init__(self, service: str):
        self.service = service
        self.model = (evener_model.MODEL if service == "evener" else
                      botocore.loaders.Loader().load_service_model(service, "service-2"))
        self.shapes = self.model["shapes"]

    def operations(self) -> list[str]:
        return sorted(self.model["operations"])

    def input_shape(self, operation: str) -> str | None:
        return self.model["operations"][operation].get("input", {}).get("shape")

    def output_shape(self, operation: str) -> str | None:
        return self.model["operations"][operation].get("output", {}).get("shape")

    # ---- inputs ----------------------------------------------------------------------

    def valid_input(self, operation: str, rng: random.Random, chance: float = 0.5) -> dict:
        """Required members always, others by chance, all within their constraints."""
        shape = self.input_shape(operation)
        return self._value(shape, rng, chance, ()) if shape else {}

    def _value(self, name: str, rng: random.Random, chance: float, above: tuple) -> Any:
        shape = self.shapes[name]
        kind = shape["type"]
        inside = above + (name,)
        if kind == "structure":
            required = shape.get("required", [])
            return {member: self._value(reference["shape"], rng, chance, inside)
                    for member, reference in shape["members"].items()
                    if member in required
                    or (rng.random() < chance and above.count(name) < MOST_DEPTH)}
        if kind == "list":
            count = self._count(shape, rng, above.count(name) >= MOST_DEPTH)
            return [self._value(shape["member"]["shape"], rng, chance, inside)
                    for _ in range(count)]
        if kind == "map":
            count = self._count(shape, rng, False)
            pairs = [(self._value(shape["key"]["shape"], rng, chance, inside),
                      self._value(shape["value"]["shape"], rng, chance, inside))
                     for _ in range(count)]
            return dict(pairs)
        return self._leaf(name, rng)

    @staticmethod
    def _count(shape: dict, rng: random.Random, least_only: bool) -> int:
        least = shape.get("min", 0)
        return least if least_only else rng.randint(least, min(shape.get("max", 2), least + 2))

    def _leaf(self, name: str, rng: random.Random) -> Any:
        shape = self.shapes[name]
        kind = shape["type"]
        if kind == "string":
            return self._string(name, rng)
        if kind in ("integer", "long"):
            least = LEAST.get(name, shape.get("min", 0))
            return rng.randint(least, min(shape.get("max", least + 1000), least + 1000))
        if kind in ("float", "double"):
            return rng.random()
        if kind == "timestamp":
            return rng.choice([1796033472, 1796033472.345, 0])
        if kind == "boolean":
            return rng.random() < 0.5
        if kind == "blob":
            return ""
        raise NotImplementedError(kind)

    def _string(self, name: str, rng: random.Random) -> str:
        shape = self.shapes[name]
        if "enum" in shape:
            return rng.choice(shape["enum"])
        least, most = shape.get("min", 0), shape.get("max", LONGEST)
        if "pattern" not in shape:
            return "x" * rng.randint(least, min(most, least + 20))
        pattern = python_pattern(shape["pattern"])
        sampler = _Sampler(rng)
        for _ in range(500):
            text = sampler.text(sre_parser.parse(pattern.pattern))
            text = self._lengthened(text, pattern, least)
            if least <= len(text) <= most and pattern.fullmatch(text):
                return text
        raise NotImplementedError(f"no text for {name} {shape['pattern']}")

    @staticmethod
    def _lengthened(text: str, pattern: re.Pattern[str], least: int) -> str:
        """Repeats a character where the pattern bears it, until the text is long enough."""
        missing = least - len(text)
        if missing <= 0:
            return text
        for at in range(len(text), 0, -1):
            longer = text[:at] + text[at - 1] * missing + text[at:]
            if pattern.fullmatch(longer):
                return longer
        return text

    def broken_inputs(self, operation: str, rng: random.Random) -> Iterator[Broken]:
        """Inputs that are right but for one place, which is just outside one constraint."""
        shape = self.input_shape(operation)
        if shape is None:
            return
        whole = self._value(shape, rng, 1.0, ())
        yield from self._broken(shape, whole, "", ())

    def _broken(self, name: str, value: Any, path: str, above: tuple) -> Iterator[Broken]:
        if above.count(name) >= 1:
            return
        shape = self.shapes[name]
        for rule, other in self._outside(name, value):
            yield Broken(rule, path, other)
        inside = above + (name,)
        if shape["type"] == "structure":
            for member in list(value):
                place = _joined(path, member)
                if member in shape.get("required", []):
                    yield Broken("required", place, {k: v for k, v in value.items() if k != member})
                reference = shape["members"][member]["shape"]
                for broken in self._broken(reference, value[member], place, inside):
                    yield Broken(broken.rule, broken.path, {**value, member: broken.input})
        elif shape["type"] == "list" and value:
            place = f"{path}.1.member"
            for broken in self._broken(shape["member"]["shape"], value[0], place, inside):
                yield Broken(broken.rule, broken.path, [broken.input, *value[1:]])
        elif shape["type"] == "map" and value:
            key = next(iter(value))
            for broken in self._broken(shape["value"]["shape"], value[key], path, inside):
                yield Broken(broken.rule, path, {**value, key: broken.input})

    def _outside(self, name: str, value: Any) -> Iterator[tuple[str, Any]]:
        """Values just outside each constraint of one shape."""
        shape = self.shapes[name]
        kind = shape["type"]
        least, most = LEAST.get(name, shape.get("min")), shape.get("max")
        wrong = {"structure": [], "list": {}, "map": [], "string": 7, "boolean": "yes"}
        yield "type", wrong.get(kind, "text")
        if kind == "string":
            yield from self._outside_string(name, value, least, most)
        elif kind in ("integer", "long"):
            if least is not None:
                yield "min", least - 1
            if most is not None:
                yield "max", most + 1
        elif kind == "list":
            if least:
                yield "min", (value * least)[: least - 1]
            if most is not None and most < MOST_ITEMS and value:
                yield "max", (value * (most + 1))[: most + 1]

    def _outside_string(self, name, value, least, most) -> Iterator[tuple[str, str]]:
        shape = self.shapes[name]
        if "enum" in shape:
            if name not in ANY_WORD:
                yield "enum", "NoSuchWord"
            return
        if least:
            yield "min", value[: least - 1]
        if most is not None and most < LONGEST:
            yield "max", (value or "x") * (most + 1)
        if "pattern" in shape:
            for other in ("\n", " ", "\u00e9", "-", "/" * max(1, least or 1)):
                if not python_pattern(shape["pattern"]).fullmatch(other):
                    yield "pattern", other
                    break

    # ---- answers ---------------------------------------------------------------------

    def problems(self, operation: str, answer: Any) -> list[str]:
        """What an answer has that the model does not allow; empty where it is right."""
        shape = self.output_shape(operation)
        if shape is None:
            return [] if answer in (None, {}, "") else [f"an answer where there is none: {answer}"]
        return list(self._problems(shape, answer, operation))

    def _problems(self, name: str, value: Any, path: str) -> Iterator[str]:
        shape = self.shapes[name]
        kind = shape["type"]
        if not _is_of(kind, value):
            yield f"{path}: {value!r} is no {kind}"
            return
        if kind == "structure":
            for member in shape.get("required", []):
                if member not in value:
                    yield f"{path}: {member} is missing"
            for member, part in value.items():
                if member not in shape["members"]:
                    yield f"{path}: {member} is no member"
                else:
                    reference = shape["members"][member]["shape"]
                    yield from self._problems(reference, part, f"{path}.{member}")
        elif kind == "list":
            yield from self._size_problems(shape, len(value), path)
            for i, item in enumerate(value):
                yield from self._problems(shape["member"]["shape"], item, f"{path}[{i}]")
        elif kind == "map":
            yield from self._size_problems(shape, len(value), path)
            for key, part in value.items():
                yield from self._problems(shape["key"]["shape"], key, f"{path} key")
                yield from self._problems(shape["value"]["shape"], part, f"{path}[{key}]")
        else:
            yield from self._leaf_problems(name, value, path)

    @staticmethod
    def _size_problems(shape: dict, size: int, path: str) -> Iterator[str]:
        if not shape.get("min", 0) <= size <= shape.get("max", size):
            yield f"{path}: {size} is outside {shape.get('min')}..{shape.get('max')}"

    def _leaf_problems(self, name: str, value: Any, path: str) -> Iterator[str]:
        shape = self.shapes[name]
        if shape["type"] == "string":
            if "enum" in shape and name not in ANY_WORD and value not in shape["enum"]:
                yield f"{path}: {value!r} is none of {shape['enum'][:5]}..."
            # Echoes of paths and times stand where the model wants URIs: Evener's own forms.
            elif "pattern" in shape and not value.startswith("file:///") and value != "" \
                    and not python_pattern(shape["pattern"]).fullmatch(value):
                yield f"{path}: {value!r} does not match {shape['pattern']}"
            yield from self._size_problems({"max": shape.get("max", len(value))}, len(value), path)
        elif shape["type"] in ("integer", "long"):
            yield from self._size_problems(shape, value, path)


def _joined(path: str, member: str) -> str:
    first = member[0].lower() + member[1:]
    return f"{path}.{first}" if path else first


def _is_of(kind: str, value: Any) -> bool:
    number = isinstance(value, (int, float)) and not isinstance(value, bool)
    return {
        "structure": isinstance(value, dict),
        "map": isinstance(value, dict),
        "list": isinstance(value, list),
        "string": isinstance(value, str),
        "boolean": isinstance(value, bool),
        "integer": isinstance(value, int) and not isinstance(value, bool),
        "long": isinstance(value, int) and not isinstance(value, bool),
        "float": number,
        "double": number,
        "timestamp": number or isinstance(value, datetime.datetime),
        "blob": isinstance(value, (str, bytes)),
    }[kind]
