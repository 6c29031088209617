"""Jobs and command lines that must be refused: exit code 2, what is wrong, where, what to try."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
from pathlib import Path

import pytest

from trial import Trial, channel, check_refusal, job_body


def group(name: str, count: int = 1) -> dict:
    return {"InstanceGroupName": name, "InstanceType": "ml.c5.xlarge", "InstanceCount": count}


def resources(*groups: dict, **more) -> dict:
    return {"VolumeSizeInGB": 1, "InstanceGroups": list(groups), **more}


def test_a_channel_for_an_unknown_group_is_refused_with_the_groups_there_are(trial: Trial):
    data = [channel("raw", trial.folder, InstanceGroupNames=["date_group"])]
    trial.refused("'raw'", "'date_group'", "did you mean 'data_group'?", InputDataConfig=data,
                  ResourceConfig=resources(group("data_group")))


REFUSED_RESOURCES = {
    "six groups": (resources(*[group(f"g{i}") for i in range(6)]),
                   ["resourceConfig.instanceGroups", "less than or equal to 5"]),
    "count 0": (resources(group("a", 0)),
                ["resourceConfig.instanceGroups.1.member.instanceCount", "greater than or equal to 1"]),
    "groups and a type": (resources(group("a"), InstanceType="ml.c5.xlarge", InstanceCount=1),
                          ["InstanceType or InstanceCount cannot be specified with InstanceGroups"]),
    "a group twice": (resources(group("a"), group("a")), ["InstanceGroupName", "'a'"]),
    "a count with a fraction": (resources(group("a", 1.5)), ["instanceCount", "whole number"]),
}


@pytest.mark.parametrize("case", REFUSED_RESOURCES)
def test_resources_that_break_a_rule_are_refused(trial: Trial, case: str):
    config, parts = REFUSED_RESOURCES[case]
    trial.refused(*parts, ResourceConfig=config)


def test_a_channel_given_twice_is_refused(trial: Trial):
    data = [channel("raw", trial.folder), channel("raw", trial.folder)]
    trial.refused("ChannelName must be unique", "'raw'", InputDataConfig=data)


def test_a_used_name_is_refused_and_the_first_job_stays(trial: Trial):
    first = trial.train()
    assert first.code == 0, first.err
    again = trial.train(TrainingJobName=first.name)
    assert again.code == 2
    assert f"a job {first.name} exists already; choose another name" in again.err
    assert [job["TrainingJobStatus"] for job in trial.jobs()] == ["Completed"]


@pytest.mark.parametrize("name", ["n" * 64, "../x", "a b", "-a", "é"])
def test_a_name_that_sagemaker_refuses_is_refused(trial: Trial, name: str):
    trial.refused("trainingJobName", "failed to satisfy constraint", TrainingJobName=name)


def test_a_hyperparameter_over_2500_characters_is_refused_and_2500_pass(trial: Trial):
    trial.program("import sys; print(len(sys.argv[2]))\n")
    for size, code in ((2500, 0), (2501, 2)):
        parameters = job_body(trial.folder, "x")["HyperParameters"] | {"x": "é" * size}
        outcome = trial.train(HyperParameters=parameters)
        assert outcome.code == code, outcome.err
        if code == 0:
            assert outcome.log() == [str(size)]
        else:
            assert "hyperParameters" in outcome.err and "2500" in outcome.err


def test_object_stores_are_refused_where_no_endpoint_is_known(trial: Trial):
    hint = "no S3 endpoint is known: set AWS_ENDPOINT_URL_S3"
    trial.refused("s3://", hint, OutputDataConfig={"S3OutputPath": "s3://b/k"})
    trial.refused("s3://", hint, InputDataConfig=[channel("raw", "s3://b/k")])


def test_an_output_that_is_a_file_is_refused_before_the_job_runs(trial: Trial):
    place = trial.folder / "file"
    place.write_text("mine")
    for path in (place, place / "below"):
        trial.refused(str(place), "Not a directory", "choose a folder",
                      OutputDataConfig={"S3OutputPath": str(path)})
    assert place.read_text() == "mine"


BAD_JSON = {
    "a value is missing": (b'{\n "a": 1,\n "b": }\n', "line 3, column 7"),
    "empty": (b"", "line 1, column 1"),
    "zero bytes": (b"\0\0", "line 1, column 1"),
    "more after it": (b"{} x", "line 1, column 4"),
    "not UTF-8": (b'{"TrainingJobName":"\xff"}', "line 1, column 21"),
    "a list": (b"[]", "must be an object, not a list"),
    "null": (b"null", "must be an object"),
    "deep": (b"[" * 100_000, "nested more than"),
    "a member twice": (b'{"RoleArn":"a","RoleArn":"b"}', '"RoleArn" is given twice'),
    "over 1 MiB": (b'{"a":"' + b"x" * 3_000_000 + b'"}', "over 1 MiB"),
}


@pytest.mark.parametrize("case", BAD_JSON)
def test_json_that_is_none_is_refused_with_its_place(trial: Trial, case: str):
    text, part = BAD_JSON[case]
    outcome = trial.run("train", "-", "--json", stdin=text)
    check_refusal(trial, outcome, part)
    assert len(outcome.err) < 2000 and outcome.out == b""


def test_a_job_file_that_cannot_be_read_is_named(trial: Trial):
    for path in ("absent.json", ".", "/dev/zero"):
        check_refusal(trial, trial.run("train", path), path)


def test_a_number_beyond_64_bits_is_refused(trial: Trial):
    body = json.dumps(job_body(trial.folder, trial.new_name())).replace("600", "9" * 30)
    check_refusal(trial, trial.run("train", "-", stdin=body.encode()), "maxRuntimeInSeconds")


FLAGS = {
    "--group a=ml.c5.xlarge:0": "at least 1",
    "--group a=ml.c5.xlarge:x": "at least 1",
    "--group a=ml.c5.xlarge:99999999999999999999": "at least 1",
    "--group =ml.c5.xlarge:1": "the name is missing",
    "--channel raw": "NAME= is missing",
    "--channel raw=": "the path is missing",
    "--channel raw=source@alpah": "did you mean 'alpha'?",
    "--hyperparameter x": "NAME=VALUE",
    "--hyperparameter x=1 --hyperparameter x=2": "x is given twice",
    "--hyperparameter x=\udcff": "not UTF-8",
    "--env x": "NAME=VALUE",
    "--env X=1 --env X=1": "X is given twice",
    "--env X=\udcff": "not UTF-8",
    "--env 1a=x": "[a-zA-Z_]",
    "--max-runtime soon": "--max-runtime",
    "--max-runtime 0": "maxRuntimeInSeconds",
    "--fit tight": "share, strict or scaled:FACTOR",
    "--fit scaled:nan": "share, strict or scaled:FACTOR",
    "--fit scaled:-1": "share, strict or scaled:FACTOR",
    "--isolation none": "namespaces or plain",
    "--region ../x": "us-east-1",
    "--entry-point -c": "--entry-point",
    "--auxiliary-group b": "no instance group 'b'",
    "--auxiliary-group alpha": "at least one group",
    "--goup a=b": "'--goup' is no command or flag of evener train; did you mean '--group'?",
}


@pytest.mark.parametrize("words", FLAGS)
def test_flags_that_make_no_sense_are_refused(trial: Trial, words: str):
    own = [] if words.startswith("--group") else ["--group", "alpha=ml.c5.xlarge:1"]
    outcome = trial.run("train", "--entry-point", "train.py", "--source-dir", "source", *own,
                        *[os.fsencode(word) for word in words.split(" ")])
    check_refusal(trial, outcome, FLAGS[words])


COMMANDS = {
    "trian": "did you mean 'train'?",
    "jobs shwo x": "'shwo' is no command or flag of evener jobs; did you mean 'show'?",
    "jobs": "subcommand is required",
    "": "subcommand is required",
    "jobs show": "name is required",
    "train": "--entry-point",
    "train x.json --group a=b": "--group",
    "train x.json --network-isolation": "--network-isolation",
    "jobs stop x --region y": "'--region' is no command or flag of evener jobs stop",
    "jobs logs x --since yesterday": "yesterday",
    "jobs list --limit many": "--limit",
    "jobs list --limit 0": "--limit",
    "jobs list --limit -1": "--limit",
    "jobs list --limit 99999999999999999999999": "--limit",
    "jobs list --status Runing": "Runing",
    "completion tcsh": "bash, zsh or fish",
}


@pytest.mark.parametrize("words", COMMANDS)
def test_command_lines_that_make_no_sense_are_refused(trial: Trial, words: str):
    check_refusal(trial, trial.run(*words.split()), COMMANDS[words])


def test_what_was_typed_is_cut_in_a_message(trial: Trial):
    assert trial.train().code == 0
    for words in (["jobs", "show"], ["jobs", "stop"], ["instances"]):
        outcome = trial.run(*words, "a" * 100_000)
        assert outcome.code == 2 and len(outcome.err) < 5000, words


def test_an_output_that_takes_nothing_is_a_failure_and_a_reader_that_left_is_none(trial: Trial):
    assert trial.train().code == 0
    for words in (["jobs", "list"], ["instances"], ["prices"], ["doctor"]):
        with open("/dev/full", "wb") as full:
            done = subprocess.run([trial.evener, *words], stdout=full, stderr=subprocess.PIPE,
                                  env=trial.environment, check=False)
        assert done.returncode == 1 and b"standard output" in done.stderr, words
        read, write = os.pipe()
        os.close(read)
        done = subprocess.run([trial.evener, *words], stdout=write, stderr=subprocess.PIPE,
                              env=trial.environment, check=False)
        os.close(write)
        assert done.returncode in (0, -signal.SIGPIPE) and done.stderr == b"", words


def test_a_limit_on_file_sizes_is_an_error_and_no_crash(trial: Trial):
    done = subprocess.run(["bash", "-c", 'ulimit -f 1; exec "$@"', "bash", trial.evener, "train",
                           "--entry-point", "train.py", "--source-dir", "source"],
                          cwd=trial.folder, env=trial.environment, capture_output=True, check=False)
    assert done.returncode in (1, 2) and done.stderr.startswith(b"evener: "), done.stderr


def test_every_command_has_help_and_its_flags_in_it(trial: Trial):
    waiting = [[]]
    seen = []
    while waiting:
        path = waiting.pop()
        outcome = trial.run(*path, "--help")
        assert outcome.code == 0 and outcome.err == "", path
        text = outcome.out.decode()
        assert "Usage: evener" in text or "Usage:" in text
        seen.append(" ".join(path))
        below = text.split("\nSubcommands:\n")[1:]
        for line in below[0].splitlines() if below else []:
            if line.startswith("  ") and not line.startswith("   "):
                name, description = line.split(maxsplit=1)
                assert description
                waiting.append([*path, name])
    assert {"train", "jobs list", "jobs show", "jobs logs", "jobs stop", "jobs delete",
            "instances", "prices", "doctor", "completion"} <= set(seen)
    assert list(trial.home.iterdir()) == []


@pytest.mark.parametrize("command", ["show", "logs", "stop", "delete"])
def test_a_job_that_is_not_there_is_named(trial: Trial, command: str):
    outcome = trial.run("jobs", command, "absent")
    assert outcome.code == 2 and "no jobs yet in the home" in outcome.err
    there = trial.train()
    for name, hint in (("absent", ""), (there.name + "x", f"; did you mean '{there.name}'?")):
        outcome = trial.run("jobs", command, name)
        assert outcome.code == 2
        assert outcome.err == f"evener: no job {name}{hint}; `evener jobs list` shows what there is\n"


def test_looking_for_jobs_makes_no_home(trial: Trial):
    trial.environment["EVENER_HOME"] = str(trial.home / "absent/home")
    outcome = trial.run("jobs", "list")
    assert outcome.code == 0 and "no jobs yet in the home" in outcome.out.decode()
    assert trial.run("jobs", "list", "--json").out == b""
    assert trial.run("jobs", "stop", "x").code == 2
    assert list(trial.home.iterdir()) == []


def test_a_home_that_is_a_file_is_refused(trial: Trial):
    trial.home = trial.folder / "file"
    trial.home.write_text("mine")
    trial.environment["EVENER_HOME"] = str(trial.home)
    for outcome in (trial.train(), trial.run("jobs", "list"), trial.run("jobs", "show", "x")):
        assert outcome.code == 2
        for part in (str(trial.home), "not a folder", "--home"):
            assert part in outcome.err
    assert trial.home.read_text() == "mine"


def test_a_store_that_is_no_database_is_left_as_it_is(trial: Trial):
    store = trial.home / "evener.db"
    store.write_bytes(b"no database " * 100)
    for outcome in (trial.train(), trial.run("jobs", "list")):
        assert outcome.code == 2 and str(store) in outcome.err and "move this file" in outcome.err
    assert store.read_bytes() == b"no database " * 100


def test_a_store_of_a_newer_version_is_left_as_it_is(trial: Trial):
    assert trial.train().code == 0
    with sqlite3.connect(trial.home / "evener.db") as store:
        store.execute("UPDATE meta SET value = 99 WHERE name = 'schema_version'")
        assert store.total_changes == 1
    for outcome in (trial.train(), trial.run("jobs", "list")):
        assert outcome.code == 2 and "newer" in outcome.err, outcome.err
    with sqlite3.connect(trial.home / "evener.db") as store:
        assert store.execute("SELECT count(*) FROM jobs").fetchone() == (1,)


@pytest.mark.parametrize("text,line", [("x = ", 1), ("\nfoo = 1\n", 2), ("[catalog]\nx = 1\n", 1),
                                       ("\udcff\udcfe", 1)])
def test_settings_with_an_error_are_named_with_file_and_line(trial: Trial, text: str, line: int):
    settings = trial.home / "config.toml"
    settings.write_bytes(os.fsencode(text))
    for outcome in (trial.train(), trial.run("instances"), trial.run("prices")):
        assert outcome.code == 2 and f"{settings}:{line}: " in outcome.err, outcome.err
        assert "overrides.toml" not in outcome.err


@pytest.mark.parametrize("below", ["with é 漢 space", "/".join(["long" * 10] * 6)])
def test_a_home_may_have_any_name_and_length(trial: Trial, below: str):
    trial.home = trial.home / below
    trial.environment["EVENER_HOME"] = str(trial.home)
    outcome = trial.train()
    assert outcome.code == 0, outcome.err + str(outcome.out)
    shown = trial.run("jobs", "show", outcome.name, "--json")
    assert shown.code == 0 and json.loads(shown.out)["TrainingJobStatus"] == "Completed"


def test_a_home_without_write_permission_is_refused(trial: Trial):
    trial.home.chmod(0o555)
    trial.user = 65534
    for outcome in (trial.train(), trial.run("jobs", "list")):
        assert outcome.code == 2
        assert str(trial.home) in outcome.err and "--home" in outcome.err
    assert list(Path(trial.home).iterdir()) == []
