"""Jobs whose every host starts with python -m evener.launch, and which end by themselves."""

from __future__ import annotations

import json

import numpy as np
import pytest

from trial import Trial, channel

RECORDS = 200
START = '#!/bin/sh\nexec python3 -m evener.launch train.py "$@"\n'
TRAIN = """
import argparse, json, os, sys
from evener.data import Pipeline, Reader, channel, records, roles

parser = argparse.ArgumentParser()
parser.add_argument("--code", type=int)
source = records(channel("raw"), [("number", "int64", [])])
with Reader(pipeline=Pipeline(source).batch(8, last="short")) as reader:
    numbers = [number for batch in reader for number in batch["number"].tolist()]
me = roles()
print(json.dumps({"rank": me.rank, "numbers": sorted(numbers)}), flush=True)
sys.exit(parser.parse_args().code)
"""


def groups(**counts: int) -> dict:
    return {"VolumeSizeInGB": 1, "InstanceGroups": [
        {"InstanceGroupName": name, "InstanceType": "ml.c5.xlarge", "InstanceCount": count}
        for name, count in counts.items()]}


def launched(trial: Trial, resources: dict, readers: list[str], code: int = 0):
    source = trial.program(TRAIN)
    (source / "start").write_text(START)
    (source / "start").chmod(0o755)
    raw = trial.folder / "raw"
    raw.mkdir(exist_ok=True)
    np.arange(RECORDS, dtype="<i8").tofile(raw / "numbers.bin")
    return trial.train(
        ResourceConfig=resources,
        HyperParameters={"sagemaker_program": "start", "code": str(code),
                         "sagemaker_submit_directory": str(source)},
        InputDataConfig=[channel("raw", raw, InstanceGroupNames=readers)])


def said(outcome) -> dict[int, list[int]]:
    lines = [json.loads(line) for line in outcome.log() if line.startswith("{")]
    return {line["rank"]: line["numbers"] for line in lines}


@pytest.mark.parametrize("resources, readers, ranks", [
    (groups(data_group=1, dnn_group=1), ["data_group"], 1),
    (groups(data_group=2, dnn_group=2), ["data_group"], 2),
    (groups(all_in_one=1), ["all_in_one"], 1),
], ids=["two hosts", "two groups of two", "one host"])
def test_every_sample_is_read_once_and_the_job_ends_by_itself(
    trial: Trial, resources: dict, readers: list[str], ranks: int
) -> None:
    outcome = launched(trial, resources, readers)
    assert outcome.code == 0, outcome.err
    assert outcome.summary()["status"] == "Completed"
    numbers = said(outcome)
    assert sorted(numbers) == list(range(ranks))
    assert sorted(sum(numbers.values(), [])) == list(range(RECORDS))


def test_a_script_that_fails_fails_the_job_with_its_own_code(trial: Trial) -> None:
    outcome = launched(trial, groups(data_group=1, dnn_group=1), ["data_group"], code=3)
    assert outcome.summary()["status"] == "Failed"
    assert "algo-2" in outcome.reason() and "3" in outcome.reason()
