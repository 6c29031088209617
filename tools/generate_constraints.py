#!/usr/bin/env python3
"""Writes the table of constraints on a CreateTrainingJob request from an installed botocore.

    python3 -m venv /tmp/b && /tmp/b/bin/pip install botocore
    /tmp/b/bin/python tools/generate_constraints.py > src/training/api/constraint_table.h

The table holds what the service model states (required members, lengths, ranges, patterns, words
of enumerations) for every shape that the request reaches. Differences from the model, each with
its reason, are in CHANGES.
"""
import gzip
import json
import pathlib
import sys

import botocore

ROOT = "CreateTrainingJobRequest"

CHANGES = {
    # Any type that the catalogue of the caller knows is accepted; the empty name never is.
    "TrainingInstanceType": {"enum": None, "min": 1},
    "ProcessingInstanceType": {"enum": None},
    # The service refuses a count of 0 although its model allows it.
    "TrainingInstanceCount": {"min": 1},
}

KINDS = {
    "structure": "kStructure",
    "list": "kList",
    "map": "kMap",
    "string": "kString",
    "integer": "kInteger",
    "long": "kInteger",
    "boolean": "kBoolean",
}


HEAD = """\
// The constraints of CreateTrainingJob. Written by tools/generate_constraints.py from the service
// model of botocore {version} (sagemaker, 2017-07-24); changed by running it again, never by hand.
//
// Used by:  constraints.cc.
// Threads:  constants.
// Fails:    nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>

namespace evener::api::model {{

inline constexpr std::string_view kVersion = "botocore {version}";

enum class ShapeKind {{ kStructure, kList, kMap, kString, kInteger, kBoolean }};
enum class Need {{ kOptional, kRequired }};
inline constexpr std::int64_t kNoLimit = std::numeric_limits<std::int64_t>::min();

struct MemberRow {{
  std::string_view name;
  std::size_t shape;
  Need need;
}};

// min and max: characters of a string, elements of a list or map, or the number itself.
struct ShapeRow {{
  ShapeKind kind;
  std::int64_t min;
  std::int64_t max;
  std::string_view pattern;
  std::size_t first_member;
  std::size_t member_count;
  std::size_t first_word;
  std::size_t word_count;
  std::size_t key;
  std::size_t element;
}};
"""


def service_model():
    folder = pathlib.Path(botocore.__file__).parent / "data" / "sagemaker" / "2017-07-24"
    return json.loads(gzip.decompress((folder / "service-2.json.gz").read_bytes()))


def reachable(shapes, name, order):
    """Shape names in the order of first use, the root first."""
    if name in order:
        return order
    order.append(name)
    shape = shapes[name]
    for part in list(shape.get("members", {}).values()) + [
        shape[key] for key in ("member", "key", "value") if key in shape
    ]:
        reachable(shapes, part["shape"], order)
    return order


def quoted(text):
    return json.dumps(text, ensure_ascii=True)


def main():
    shapes = service_model()["shapes"]
    order = reachable(shapes, ROOT, [])
    index = {name: i for i, name in enumerate(order)}
    members, words, rows = [], [], []
    for name in order:
        shape = {**shapes[name], **CHANGES.get(name, {})}
        first_member, first_word = len(members), len(words)
        for member, reference in shape.get("members", {}).items():
            need = "kRequired" if member in shape.get("required", []) else "kOptional"
            members.append(f"{{{quoted(member)}, {index[reference['shape']]}, Need::{need}}}")
        words += [quoted(word) for word in shape.get("enum") or []]
        element = shape.get("member", shape.get("value", {})).get("shape", name)
        key = shape.get("key", {}).get("shape", name)
        rows.append(
            f"{{ShapeKind::{KINDS[shape['type']]}, "
            f"{shape.get('min', 'kNoLimit')}, {shape.get('max', 'kNoLimit')}, "
            f"{quoted(shape.get('pattern', ''))}, "
            f"{first_member}, {len(members) - first_member}, "
            f"{first_word}, {len(words) - first_word}, {index[key]}, {index[element]}}},"
            f"  // {index[name]} {name}"
        )
    out = [
        HEAD.format(version=botocore.__version__),
        "inline constexpr MemberRow kMembers[] = {",
        *[f"    {row}," for row in members],
        "};",
        "",
        "inline constexpr std::string_view kWords[] = {",
        *[f"    {row}," for row in words],
        "};",
        "",
        "inline constexpr ShapeRow kShapes[] = {",
        *[f"    {row}" for row in rows],
        "};",
        "",
        "}  // namespace evener::api::model",
    ]
    sys.stdout.write("\n".join(out) + "\n")


if __name__ == "__main__":
    main()
