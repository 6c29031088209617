#!/usr/bin/env python3
"""Writes the tables of constraints on the inputs of the operations that Evener answers, from the
pinned botocore (tools/requirements.txt).

    .venv/bin/python tools/generate_constraints.py            # src/service_model/*_table.cc
    .venv/bin/python tools/generate_constraints.py FOLDER     # the same files in that folder

The tables hold what the service models state (required members, lengths, ranges, patterns, words
of enumerations) for every shape that an input reaches. Differences from the models, each with its
reason, are in CHANGES.
"""
import json
import pathlib
import sys

import botocore
import botocore.loaders

FOLDER = pathlib.Path(__file__).resolve().parent.parent / "src" / "service_model"

# The operations that Evener answers, by botocore's name of the service.
OPERATIONS = {
    "sagemaker": [
        "AddTags", "CreateTrainingJob", "DeleteTags", "DeleteTrainingJob", "DescribeTrainingJob",
        "ListTags", "ListTrainingJobs", "Search", "StopTrainingJob", "UpdateTrainingJob",
    ],
    "logs": ["DescribeLogGroups", "DescribeLogStreams", "FilterLogEvents", "GetLogEvents"],
    "cloudwatch": ["GetMetricData", "GetMetricStatistics", "ListMetrics"],
    "sts": ["GetCallerIdentity"],
    "iam": ["GetRole", "SimulatePrincipalPolicy"],
}

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
    "float": "kNumber",
    "double": "kNumber",
    "timestamp": "kTimestamp",
    "boolean": "kBoolean",
}

WIDTH = 100  # columns

HEAD = """\
// The constraints of {service}'s inputs. Written by tools/generate_constraints.py from the service
// model of botocore {version} ({service}, {api}); changed by running it again, never by hand.
#include "service_model/table.h"

namespace evener::service_model {{
namespace {{
"""


def service_model(service):
    return botocore.loaders.Loader().load_service_model(service, "service-2")


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


def filled(pieces):
    """As many pieces on a line as fit."""
    lines, line = [], "   "
    for piece in pieces:
        if len(line) + len(piece) + 2 > WIDTH and line.strip():
            lines.append(line)
            line = "   "
        line += f" {piece},"
    return lines + ([line] if line.strip() else [])


def array(kind, name, pieces):
    if not pieces:
        return [f"constexpr std::span<const {kind}> {name}{{}};", ""]
    return [f"constexpr {kind} {name}[] = {{", *filled(pieces), "};", ""]


class TableText:
    """The rows of one service."""

    def __init__(self, shapes, order):
        self.shapes, self.order = shapes, order
        self.index = {name: i for i, name in enumerate(order)}
        self.members, self.words, self.rows = [], [], []
        for name in order:
            self.add(name)

    def add(self, name):
        shape = {**self.shapes[name], **CHANGES.get(name, {})}
        fields = [f".kind = ShapeKind::{KINDS[shape['type']]}"]
        for limit in ("min", "max"):
            if limit in shape:
                fields.append(f".{limit} = {int(shape[limit])}")
        if "pattern" in shape:
            fields.append(f".pattern = {quoted(shape['pattern'])}")
        if shape.get("members"):
            fields += [f".first_member = {len(self.members)}",
                       f".member_count = {len(shape['members'])}"]
        for member, reference in shape.get("members", {}).items():
            need = "kRequired" if member in shape.get("required", []) else "kOptional"
            self.members.append(
                f"{{{quoted(member)}, {self.index[reference['shape']]}, Need::{need}}}")
        if shape.get("enum"):
            fields += [f".first_word = {len(self.words)}", f".word_count = {len(shape['enum'])}"]
            self.words += [quoted(word) for word in shape["enum"]]
        if "key" in shape:
            fields.append(f".key = {self.index[shape['key']['shape']]}")
        element = shape.get("member", shape.get("value"))
        if element:
            fields.append(f".element = {self.index[element['shape']]}")
        self.rows.append(f"{{{', '.join(fields)}}},  // {self.index[name]} {name}")


def write_table(service, operations, folder):
    model = service_model(service)
    shapes = {**model["shapes"], "NoInput": {"type": "structure", "members": {}}}
    inputs = [model["operations"][each].get("input", {"shape": "NoInput"})["shape"]
              for each in operations]
    order = []
    for name in inputs:
        reachable(shapes, name, order)
    table = TableText(shapes, order)
    out = [
        HEAD.format(service=service, version=botocore.__version__,
                    api=model["metadata"]["apiVersion"]),
        *array("std::string_view", "kOperations", [quoted(each) for each in operations]),
        *array("std::size_t", "kInputs", [str(table.index[name]) for name in inputs]),
        *array("MemberRow", "kMembers", table.members),
        *array("std::string_view", "kWords", table.words),
        "constexpr ShapeRow kShapes[] = {",
        *[f"    {row}" for row in table.rows],
        "};",
        "constexpr Table kTable{kOperations, kInputs, kMembers, kWords, kShapes};",
        "",
        "}  // namespace",
        "",
        f"const Table& {service}_table() {{ return kTable; }}",
        "",
        "}  // namespace evener::service_model",
    ]
    (folder / f"{service}_table.cc").write_text("\n".join(out) + "\n")


def main():
    folder = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER
    for service, operations in OPERATIONS.items():
        write_table(service, operations, folder)
    (folder / "model_source.cc").write_text(
        "// Written by tools/generate_constraints.py.\n"
        '#include "service_model/service_model.h"\n\n'
        "namespace evener::service_model {\n\n"
        f'std::string_view model_source() {{ return "botocore {botocore.__version__}"; }}\n\n'
        "}  // namespace evener::service_model\n")


if __name__ == "__main__":
    main()
