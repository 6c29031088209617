"""What a web page, a broken client or an attacker sends to the server, and what it answers."""

from __future__ import annotations

import fcntl
import json
import os
import subprocess

import pytest

JSON = {"Content-Type": "application/x-amz-json-1.1", "Host": "127.0.0.1"}


def target(operation: str, **extra: str) -> dict[str, str]:
    return {**JSON, "X-Amz-Target": operation, **extra}


def kind(body: bytes) -> str:
    return json.loads(body)["__type"]


@pytest.mark.parametrize("operation", ["SageMaker.ListTrainingJobs", "Evener.GetServer",
                                       "Evener.StopJob"])
def test_a_request_without_a_signature_does_nothing(server, operation):
    status, _, body = server.ask(b"{}", target(operation))
    assert status == 400 and kind(body) == "MissingAuthenticationTokenException"


@pytest.mark.parametrize("host", ["evil.example", "evil.example:80", "169.254.169.254", "[::2]"])
def test_a_rebound_name_is_refused(open_server, host):
    status, _, body = open_server.ask(b"{}", target("SageMaker.ListTrainingJobs", Host=host))
    assert status == 403, body


@pytest.mark.parametrize("header", [{"Origin": "http://evil.example"}, {"Origin": "null"},
                                    {"Sec-Fetch-Site": "cross-site"}])
def test_a_web_page_is_refused(open_server, header):
    status, headers, body = open_server.ask(b"{}", target("SageMaker.ListTrainingJobs", **header))
    assert status == 403, body
    assert not [name for name in headers if name.lower().startswith("access-control")]
    status, headers, _ = open_server.ask(b"", {"Host": "127.0.0.1", **header}, method="OPTIONS")
    assert status >= 400
    assert not [name for name in headers if name.lower().startswith("access-control")]


BODIES = {
    "deep": b'{"a":' * 20_000,
    "deep lists": b"[" * 20_000,
    "twice": b'{"TrainingJobName":"a","TrainingJobName":"b"}',
    "nan": b'{"MaxResults":NaN}',
    "infinity": b'{"MaxResults":Infinity}',
    "not utf-8": b'{"TrainingJobName":"\xff\xfe"}',
    "surrogate": b'{"TrainingJobName":"\\ud800"}',
    "nul": b'{"TrainingJobName":"a\\u0000b"}',
    "no object": b"[]",
    "text": b"hello",
    "torn": b'{"TrainingJobName":"a',
    "large": b'{"a":"' + b"x" * 1_500_000 + b'"}',
    "wide": b'{"a":[1' + b",1" * 100_000 + b"]}",
}


NAMED = ["SageMaker.DescribeTrainingJob", "Evener.GetServer", "Evener.GetJobs", "Evener.FollowJob",
         "Evener.GetJobCost", "Evener.StopJob"]


@pytest.mark.parametrize("operation", NAMED)
@pytest.mark.parametrize("name", BODIES)
def test_a_bad_body_is_refused(open_server, name, operation):
    status, _, body = open_server.ask(BODIES[name], target(operation))
    assert status == 400, body
    assert kind(body) in ("SerializationException", "ValidationException")


@pytest.mark.parametrize("value", ["1e999", "123456789012345678901234567890", "-1", "1.5", '"x"', "{}"])
def test_a_number_that_does_not_fit_is_refused(open_server, value):
    body = f'{{"MaxResults":{value}}}'.encode()
    status, _, answer = open_server.ask(body, target("SageMaker.ListTrainingJobs"))
    assert status == 400, answer
    assert kind(answer) in ("SerializationException", "ValidationException")


@pytest.mark.parametrize("operation", [
    "SageMaker.Nothing", "SageMaker.", "SageMaker", "", "Nobody.List", "SageMaker.List Jobs",
    "SageMaker.__proto__", "Logs_20140328.PutLogEvents", "X" * 5000])
def test_an_unknown_target_is_unknown(open_server, operation):
    status, headers, body = open_server.ask(b"{}", target(operation))
    assert status == 400, body
    assert kind(body) == "UnknownOperationException"
    assert headers["x-amzn-RequestId"]


def test_other_forms_are_unknown_too(open_server):
    status, _, body = open_server.ask(
        b"Action=RunInstances&Version=2016-11-15",
        {"Host": "localhost", "Content-Type": "application/x-www-form-urlencoded"})
    assert status == 400 and b"<Code>InvalidAction</Code>" in body
    status, _, body = open_server.ask(b"", {"Host": "localhost"}, method="GET")
    assert status == 404 and body.startswith(b"<Error>")
    status, headers, body = open_server.ask(
        b"\xa0", {"Host": "localhost", "smithy-protocol": "rpc-v2-cbor",
                  "Content-Type": "application/cbor"},
        path="/service/GraniteServiceVersion20100801/operation/Nothing")
    assert status == 404 and headers["smithy-protocol"] == "rpc-v2-cbor"
    assert b"UnknownOperationException" in body


@pytest.mark.parametrize("name", ["../../../etc", "a/../b", "..", "a\r\nX-Evil: 1", "%2e%2e"])
def test_a_name_that_leads_elsewhere_leads_nowhere(open_server, name):
    body = json.dumps({"TrainingJobName": name}).encode()
    for operation in ("DescribeTrainingJob", "StopTrainingJob", "DeleteTrainingJob"):
        status, headers, answer = open_server.ask(body, target(f"SageMaker.{operation}"))
        assert status == 400 and kind(answer) == "ValidationException", answer
        assert "X-Evil" not in headers
    for operation in ("FollowJob", "GetJobCost", "StopJob"):
        status, headers, answer = open_server.ask(body, target(f"Evener.{operation}"))
        assert status == 400 and kind(answer) in ("ResourceNotFound", "ValidationException"), answer
        assert "X-Evil" not in headers
    status, _, answer = open_server.ask(json.dumps({"TrainingJobNames": [name]}).encode(),
                                        target("Evener.GetJobs"))
    assert status == 200 and json.loads(answer) == {"Jobs": []}
    body = json.dumps({"logGroupName": "/aws/sagemaker/TrainingJobs", "logStreamName": name}).encode()
    status, _, answer = open_server.ask(body, target("Logs_20140328.GetLogEvents"))
    assert status == 400
    assert kind(answer) in ("ResourceNotFoundException", "InvalidParameterException")


def test_a_server_for_everyone_without_signatures_does_not_start(evener, tmp_path):
    run = subprocess.run(
        [str(evener), "serve", "--listen", "0.0.0.0:0", "--insecure", "--home", str(tmp_path / "h")],
        capture_output=True, text=True, timeout=60)
    assert run.returncode == 2 and "--insecure" in run.stderr


def test_keys_that_others_can_read_are_not_used(evener, tmp_path):
    home = tmp_path / "h"
    home.mkdir(mode=0o700)
    (home / "keys.json").write_text('{"keys":[{"id":"a","secret":"b","role":"full"}]}')
    (home / "keys.json").chmod(0o644)
    run = subprocess.run([str(evener), "serve", "--listen", "127.0.0.1:0", "--home", str(home)],
                         capture_output=True, text=True, timeout=60)
    assert run.returncode == 1 and "chmod 600" in run.stderr


def test_who_has_the_seat_of_a_home_is_named(evener, tmp_path):
    home = tmp_path / "h"
    home.mkdir(mode=0o700)
    with (home / "engine.lock").open("w") as seat:
        fcntl.flock(seat, fcntl.LOCK_EX)
        run = subprocess.run([str(evener), "serve", "--listen", "127.0.0.1:0", "--home", str(home)],
                             capture_output=True, text=True, timeout=60)
    assert run.returncode == 1 and f"process {os.getpid()} (" in run.stderr, run.stderr
    assert "evener jobs stop" in run.stderr
