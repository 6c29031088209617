#!/usr/bin/env python3
"""Writes docs/reference/compatibility.md: each operation that Evener answers and each member of its
input, with what becomes of it.

    .venv/bin/python tools/write_compatibility.py            # writes the page
    .venv/bin/python tools/write_compatibility.py --check    # fails if the page is not up to date

The operations are those of tools/generate_constraints.py, the members those of botocore's service
models; what CreateTrainingJob does with each is what src/training/api/support.cc says.
"""
import pathlib
import re
import sys

import botocore

from generate_constraints import OPERATIONS, service_model

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "reference" / "compatibility.md"
SUPPORT = ROOT / "src" / "training" / "api" / "support.cc"

MOST_LEVELS = 4   # of members inside members

NAMES = {"sagemaker": "SageMaker", "logs": "CloudWatch Logs", "cloudwatch": "CloudWatch",
         "sts": "STS", "iam": "IAM"}

NOTED = "accepted; it means nothing in File mode"
# What support.cc has no row for: path: (state, why).
OTHERS = {
    "CreateTrainingJob.RoleArn": ("stored only", "the job has the rights of who started Evener"),
    "CreateTrainingJob.InputDataConfig.ShuffleConfig": ("stored only", NOTED),
    "CreateTrainingJob.InputDataConfig.ShuffleConfig.Seed": ("stored only", NOTED),
    "CreateTrainingJob.InputDataConfig.DataSource.S3DataSource.AttributeNames":
        ("stored only", NOTED),
    "CreateTrainingJob.InputDataConfig.DataSource.S3DataSource.ModelAccessConfig":
        ("stored only", "no effect here"),
    "CreateTrainingJob.InputDataConfig.DataSource.S3DataSource.HubAccessConfig":
        ("stored only", "no effect here"),
    "CreateTrainingJob.InputDataConfig.CompressionType":
        ("works", "Gzip also in File mode, where the service has it in Pipe mode only"),
    "CreateTrainingJob.ResourceConfig.InstanceType":
        ("works", "any name; one that the catalogue does not have counts as the whole machine"),
    "CreateTrainingJob.ResourceConfig.VolumeSizeInGB":
        ("stored only", "the instances share this machine's disk"),
    "CreateTrainingJob.ResourceConfig.SelectedInstanceType": ("stored only", "no effect here"),
    "CreateTrainingJob.ResourceConfig.SelectedInstanceCount": ("stored only", "no effect here"),
    "UpdateTrainingJob.ProfilerConfig": ("stored only", "Describe shows it"),
    "UpdateTrainingJob.ProfilerRuleConfigurations": ("stored only", "Describe shows it"),
    "UpdateTrainingJob.ResourceConfig": ("stored only", "Describe shows it: there is no warm pool"),
    "UpdateTrainingJob.RemoteDebugConfig": ("stored only", "Describe shows it"),
    "ListTrainingJobs.WarmPoolStatusEquals": ("works", "no job has a warm pool: nothing is listed"),
    "ListTrainingJobs.TrainingPlanArnEquals": ("works", "no job has a plan: nothing is listed"),
    "CreateTrainingJob.AlgorithmSpecification.MetricDefinitions.Regex":
        ("works", "RE2's syntax; refused: looking ahead or behind, back-references, possessive "
                  "quantifiers"),
    "GetMetricData.MetricDataQueries.MetricStat.Stat":
        ("works", "Average, Sum, Minimum, Maximum, SampleCount, pNN; others are refused"),
    "GetMetricData.MetricDataQueries.Expression": ("refused", "metric math is not supported"),
    "GetMetricData.MetricDataQueries.Period": ("no effect", "it belongs to expressions"),
    "GetMetricData.MetricDataQueries.AccountId": ("no effect", "there is one account"),
    "GetMetricData.LabelOptions": ("no effect", "labels are taken as they are"),
    "GetMetricData.LabelOptions.Timezone": ("no effect", "labels are taken as they are"),
    "GetMetricStatistics.ExtendedStatistics": ("works", "pNN; others are refused"),
    "ListMetrics.IncludeLinkedAccounts": ("no effect", "there is one account"),
    "ListMetrics.OwningAccount": ("no effect", "there is one account"),
    "Search.Resource": ("works", "TrainingJob; of other resources there are none"),
    "Search.CrossAccountFilterOption": ("no effect", "there is one account"),
    "Search.VisibilityConditions": ("no effect", "every key sees every job"),
}

HEAD = """\
# What Evener does with each member of AWS's API

Written by `tools/write_compatibility.py` from the service models of botocore {version} and from the
tables in `src/training/api/support.cc`; changed by running it again, never by hand.

- **works**: it does what the service does.
- **stored only**: it is accepted, kept and shown by Describe, and has no effect; the job's notices say so.
- **no effect**: it is accepted and changes nothing.
- **refused**: the request is answered with ValidationException and the reason.

A member that the models do not have is accepted, stored and shown, with a notice. Every operation
that is not on this page is answered with UnknownOperationException.
"""


def strings_of(text):
    """C++ string literals that stand side by side, joined."""
    return "".join(re.findall(r'"((?:[^"\\]|\\.)*)"', text)).replace('\\"', '"')


def table_of(source, name):
    """The rows of a constexpr table, each as its top-level fields."""
    body = re.search(rf"{name}\[\] = {{(.*?)\n}};", source, re.S).group(1)
    rows = re.findall(r"\{((?:[^{}\"]|\"(?:[^\"\\]|\\.)*\")*)\}", body)
    return [re.findall(r'((?:"(?:[^"\\]|\\.)*"\s*)+|k\w+)', row) for row in rows]


def support():
    """Path: (state, why), as support.cc has it."""
    source = SUPPORT.read_text()
    constants = {match[0]: strings_of(match[1]) for match in re.findall(
        r"constexpr std::string_view (k\w+) =\s*((?:\"(?:[^\"\\]|\\.)*\"\s*)+);", source)}

    def text(field):
        return constants.get(field) or strings_of(field)

    states = {}
    for owner, member, effect in table_of(source, "kIdle"):
        path = ".".join(filter(None, (text(owner), text(member))))
        states[path] = ("stored only", text(effect))
    for path, word, reason in table_of(source, "kRefusals"):
        path, word, reason = text(path), text(word), text(reason)
        if not word:
            states[path] = ("refused", reason)
        else:
            before = states.get(path, ("works", ""))[1]
            words = re.sub(r" refused:.*", "", before)
            words = f"{words}, {word}" if words else word
            states[path] = ("works", f"{words} refused: {reason}")
    return states


def members_of(shapes, name, path, level, above):
    """(path, required) of every member, outer before inner."""
    shape = shapes[name]
    if shape["type"] == "list":
        yield from members_of(shapes, shape["member"]["shape"], path, level, above)
    if shape["type"] != "structure" or level > MOST_LEVELS or name in above:
        return
    for member, reference in shape["members"].items():
        inner = f"{path}.{member}" if path else member
        yield inner, member in shape.get("required", [])
        yield from members_of(shapes, reference["shape"], inner, level + 1, above + (name,))


def state_of(operation, path, states):
    if f"{operation}.{path}" in OTHERS:
        return OTHERS[f"{operation}.{path}"]
    if operation == "CreateTrainingJob":
        found = states.get(path)
        above = path
        while found is None and "." in above:  # what is inside follows what is around it
            above = above.rpartition(".")[0]
            found = states.get(above)
            if found is not None:
                return None if found[0] != "works" else ("works", "")
        return found or ("works", "")
    return ("works", "")


def operation_lines(model, operation, states):
    yield f"### {operation}"
    yield ""
    shape = model["operations"][operation].get("input", {}).get("shape")
    rows = []
    if shape:
        for path, required in members_of(model["shapes"], shape, "", 1, ()):
            state = state_of(operation, path, states)
            if state is not None:
                rows.append(f"| `{path}`{' (required)' if required else ''} | {state[0]} |"
                            f" {state[1]} |")
    if rows:
        yield "| member | what becomes of it | |"
        yield "|---|---|---|"
        yield from rows
    else:
        yield "It has no input."
    yield ""


def page():
    states = support()
    lines = [HEAD.format(version=botocore.__version__)]
    for service, operations in OPERATIONS.items():
        lines += [f"## {NAMES[service]}", ""]
        model = service_model(service)
        for operation in operations:
            lines += operation_lines(model, operation, states)
    return "\n".join(lines).rstrip() + "\n"


def main():
    text = page()
    if "--check" in sys.argv[1:]:
        if not PAGE.exists() or PAGE.read_text() != text:
            sys.exit(f"{PAGE.relative_to(ROOT)} is not up to date; run tools/write_compatibility.py")
        return
    PAGE.parent.mkdir(parents=True, exist_ok=True)
    PAGE.write_text(text)


if __name__ == "__main__":
    main()
