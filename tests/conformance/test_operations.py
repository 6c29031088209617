"""SageMaker's operations held against botocore's model of them: whatever the model allows is answered
in its shapes or refused with a known class, and whatever it forbids is refused as ValidationException
that names the place."""

from __future__ import annotations

import json
import os
import random
import subprocess
from pathlib import Path
from typing import Iterator

import pytest

from service_model import Model

ROOT = Path(__file__).resolve().parents[2]
EVENER = Path(os.environ.get("EVENER", ROOT / "build/evener"))
PROBE = EVENER.parent / "tests/conformance/operations_probe"
SEED = int(os.environ.get("EVENER_TEST_SEED", "1"))

OPERATIONS = ["AddTags", "CreateTrainingJob", "DeleteTags", "DeleteTrainingJob",
              "DescribeTrainingJob", "ListTags", "ListTrainingJobs", "Search", "StopTrainingJob",
              "UpdateTrainingJob"]
CLASSES = {"ValidationException", "ResourceInUse", "ResourceLimitExceeded"}
ARN = "arn:aws:sagemaker:us-east-1:000000000000:training-job/"

MODEL = Model("sagemaker")


class Operations:
    """The operations on a store of their own, one call at a time."""

    def __init__(self, folder: Path):
        self.process = subprocess.Popen([PROBE, str(folder)], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True)

    def call(self, operation: str, given: object) -> dict:
        return self.send(json.dumps({"operation": operation, "input": given}))

    def send(self, line: str) -> dict:
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline()
        assert answer, f"the program died of {line}"
        return json.loads(answer)

    def close(self) -> None:
        self.process.stdin.close()
        assert self.process.wait(timeout=60) == 0


@pytest.fixture
def operations(tmp_path: Path) -> Iterator[Operations]:
    if not os.access(PROBE, os.X_OK):
        pytest.skip(f"{PROBE} is not built; run make build")
    one = Operations(tmp_path)
    yield one
    one.close()


def a_job(name: str) -> dict:
    return {
        "TrainingJobName": name,
        "AlgorithmSpecification": {"TrainingInputMode": "File",
                                   "MetricDefinitions": [{"Name": "loss", "Regex": "x"}]},
        "RoleArn": "arn:aws:iam::000000000000:role/local",
        "InputDataConfig": [{"ChannelName": "train", "DataSource": {"S3DataSource": {
            "S3DataType": "S3Prefix", "S3Uri": "s3://b/train"}}}],
        "OutputDataConfig": {"S3OutputPath": "s3://b/out"},
        "ResourceConfig": {"InstanceType": "ml.c5.xlarge", "InstanceCount": 1,
                           "VolumeSizeInGB": 1},
        "Tags": [{"Key": "team", "Value": "a"}],
    }


@pytest.mark.parametrize("operation", OPERATIONS)
def test_what_the_model_allows_is_answered_in_its_shapes_or_refused(operations, operation):
    operations.call("CreateTrainingJob", a_job("known"))
    rng = random.Random(SEED)
    answered = 0
    for trial in range(150):
        given = MODEL.valid_input(operation, rng, chance=rng.choice([0, 0.2, 0.5, 1]))
        if "ResourceArn" in given:
            given["ResourceArn"] = ARN + "known"
        if "TrainingJobName" in given and operation != "CreateTrainingJob":
            given["TrainingJobName"] = "known"
        outcome = operations.call(operation, given)
        if "answer" in outcome:
            answered += 1
            assert MODEL.problems(operation, outcome["answer"]) == [], given
        else:
            assert outcome["code"] in CLASSES, (given, outcome)
            assert "constraint" not in outcome["message"], (given, outcome)
    if operation != "DeleteTrainingJob":  # a job that goes on cannot be deleted
        assert answered > 0 or operation == "CreateTrainingJob"


@pytest.mark.parametrize("operation", OPERATIONS)
def test_what_the_model_forbids_is_refused_with_its_place(operations, operation):
    rng = random.Random(SEED)
    count = 0
    for broken in MODEL.broken_inputs(operation, rng):
        count += 1
        outcome = operations.call(operation, broken.input)
        what = (broken.rule, broken.path, json.dumps(broken.input)[:2000], outcome)
        assert outcome.get("code") == "ValidationException", what
        assert broken.path in outcome["message"] or not broken.path, what
    assert count > 3


def test_describe_and_list_show_what_the_model_has(operations):
    for i in range(30):
        assert "answer" in operations.call("CreateTrainingJob", a_job(f"job-{i}"))
    described = operations.call("DescribeTrainingJob", {"TrainingJobName": "job-3"})["answer"]
    assert MODEL.problems("DescribeTrainingJob", described) == []
    assert described["OutputDataConfig"]["KmsKeyId"] == ""
    page = operations.call("ListTrainingJobs", {"MaxResults": 20})["answer"]
    assert MODEL.problems("ListTrainingJobs", page) == []
    rest = operations.call("ListTrainingJobs", {"MaxResults": 20, "NextToken": page["NextToken"]})
    names = [job["TrainingJobName"]
             for part in (page, rest["answer"]) for job in part["TrainingJobSummaries"]]
    assert names == [f"job-{i}" for i in range(30)]
    found = operations.call("Search", {"Resource": "TrainingJob", "MaxResults": 5})["answer"]
    assert MODEL.problems("Search", found) == []
    assert len(found["Results"]) == 5


@pytest.mark.parametrize("operation", OPERATIONS)
def test_mutated_inputs_are_answered_or_refused_and_never_crash(operations, operation):
    rng = random.Random(SEED)
    operations.call("CreateTrainingJob", a_job("known"))
    for _ in range(300):
        given = mutated(MODEL.valid_input(operation, rng, chance=0.3), rng)
        outcome = operations.call(operation, given)
        assert "answer" in outcome or outcome["code"] in CLASSES, (given, outcome)


def test_broken_bytes_are_refused_and_never_crash(operations):
    rng = random.Random(SEED)
    for trial in range(1500):
        operation = rng.choice(OPERATIONS)
        given = MODEL.valid_input(operation, rng, chance=0.3)
        line = list(json.dumps({"operation": operation, "input": given}))
        for _ in range(rng.randint(1, 4)):
            at = rng.randrange(len(line))
            line[at: at + rng.randint(0, 3)] = rng.choice(['"', "{", "]", ",", "\\u12", "9" * 30,
                                                           "NaN", "\x00", "\u00ff", ""])
        outcome = operations.send("".join(line))
        if "answer" not in outcome:
            assert outcome["code"] in CLASSES or outcome["message"].startswith("no operation"), outcome


STRANGE = [None, True, -1, 0, 2**63, -(2**63), 1e308, 1e-320, "", "\u0000", "a" * 10_000, [], {},
           [[[[]]]], {"Name": {"Name": {}}}, "\ud83d\ude00", "../..", "%s", "'; DROP TABLE jobs; --"]


def mutated(value: object, rng: random.Random) -> object:
    """The value with one place, anywhere in it, replaced by something strange."""
    if isinstance(value, dict) and value and rng.random() < 0.8:
        key = rng.choice(sorted(value))
        return {**value, key: mutated(value[key], rng)}
    if isinstance(value, list) and value and rng.random() < 0.8:
        at = rng.randrange(len(value))
        return [*value[:at], mutated(value[at], rng), *value[at + 1:]]
    return rng.choice(STRANGE)
