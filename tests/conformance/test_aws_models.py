"""Every operation of the server held against botocore's own models, and Evener's own against one of
that form: no input brings a failure of the server, what the model forbids is refused with the right
class, and every answer has the model's shapes. Needs no client: requests are made from the model
itself."""

from __future__ import annotations

import http.client
import json
import os
import random
from urllib.parse import urlencode, urlsplit

import pytest

from service_model import Model

SEED = int(os.environ.get("EVENER_TEST_SEED", "1"))
VALID_TRIALS = 25
LIMIT_S = 60

# Service: target prefix, JSON version, class of what the model forbids.
JSON_SERVICES = {
    "sagemaker": ("SageMaker", "1.1", {"ValidationException"}),
    "evener": ("Evener", "1.1", {"ValidationException"}),
    "logs": ("Logs_20140328", "1.1", {"InvalidParameterException", "ValidationException"}),
    "cloudwatch": ("GraniteServiceVersion20100801", "1.0",
                   {"ValidationError", "InvalidParameterValue", "InvalidParameterCombination",
                    "MissingParameter", "MissingRequiredParameterException",
                    "InvalidParameterValueException", "InvalidParameterCombinationException",
                    "ValidationException"}),
}
SERVED = {
    "sagemaker": ["AddTags", "CreateTrainingJob", "DeleteTags", "DeleteTrainingJob",
                  "DescribeTrainingJob", "ListTags", "ListTrainingJobs", "Search",
                  "StopTrainingJob", "UpdateTrainingJob"],
    "evener": ["FollowJob", "GetJobCost", "GetJobs", "GetServer", "StopJob"],
    "logs": ["DescribeLogGroups", "DescribeLogStreams", "FilterLogEvents", "GetLogEvents"],
    "cloudwatch": ["GetMetricData", "GetMetricStatistics", "ListMetrics"],
}
QUERY = [("sts", "2011-06-15", "GetCallerIdentity"), ("iam", "2010-05-08", "GetRole"),
         ("iam", "2010-05-08", "SimulatePrincipalPolicy"),
         ("cloudwatch", "2010-08-01", "GetMetricStatistics"),
         ("cloudwatch", "2010-08-01", "ListMetrics"),
         ("cloudwatch", "2010-08-01", "GetMetricData")]
JSON_CASES = [(service, operation) for service, all_of in SERVED.items() for operation in all_of]


def post(endpoint: str, headers: dict[str, str], body: bytes) -> tuple[int, bytes]:
    connection = http.client.HTTPConnection(urlsplit(endpoint).netloc, timeout=LIMIT_S)
    try:
        connection.request("POST", "/", body, headers)
        answer = connection.getresponse()
        return answer.status, answer.read()
    finally:
        connection.close()


def call(endpoint: str, service: str, operation: str, given: object) -> tuple[int, dict]:
    prefix, version, _ = JSON_SERVICES[service]
    headers = {"X-Amz-Target": f"{prefix}.{operation}",
               "Content-Type": f"application/x-amz-json-{version}"}
    status, body = post(endpoint, headers, json.dumps(given).encode())
    return status, json.loads(body) if body else {}


def class_of(answer: dict) -> str:
    return answer.get("__type", "").rpartition("#")[2].partition(":")[0]


@pytest.mark.parametrize("service,operation", JSON_CASES)
def test_whatever_the_model_allows_is_answered_in_its_shapes_or_refused(
        open_server, service, operation):
    model, rng = Model(service), random.Random(SEED)
    for _ in range(VALID_TRIALS):
        given = model.valid_input(operation, rng, chance=rng.choice([0, 0.3, 1]))
        status, answer = call(open_server.endpoint, service, operation, given)
        assert status in (200, 400), (given, status, answer)
        if status == 200:
            assert model.problems(operation, answer) == [], given
        else:
            assert class_of(answer) not in ("", "InternalFailure"), (given, answer)


@pytest.mark.parametrize("service,operation", JSON_CASES)
def test_whatever_the_model_forbids_is_refused_with_the_right_class(
        open_server, service, operation):
    model, rng = Model(service), random.Random(SEED)
    expected = JSON_SERVICES[service][2] | {"SerializationException"}
    for broken in model.broken_inputs(operation, rng):
        status, answer = call(open_server.endpoint, service, operation, broken.input)
        what = (broken.rule, broken.path, json.dumps(broken.input)[:1000], status, answer)
        assert status == 400, what
        assert class_of(answer) in expected, what


@pytest.mark.parametrize("service,version,operation", QUERY)
def test_query_forms_are_answered_or_refused_in_xml(open_server, service, version, operation):
    model, rng = Model(service), random.Random(SEED)
    for _ in range(VALID_TRIALS):
        form = {"Action": operation, "Version": version}
        flatten(model.valid_input(operation, rng, chance=0.5), "", form)
        headers = {"Content-Type": "application/x-www-form-urlencoded; charset=utf-8"}
        status, body = post(open_server.endpoint, headers, urlencode(form).encode())
        assert status in (200, 400, 403, 404), (form, status, body[:300])
        assert body.lstrip().startswith(b"<"), (form, body[:300])


def flatten(value: object, name: str, form: dict[str, str]) -> None:
    """As the query protocol writes members, lists and leaves."""
    if isinstance(value, dict):
        for member, part in value.items():
            flatten(part, f"{name}.{member}" if name else member, form)
    elif isinstance(value, list):
        for i, item in enumerate(value, 1):
            flatten(item, f"{name}.member.{i}", form)
    elif isinstance(value, bool):
        form[name] = "true" if value else "false"
    else:
        form[name] = str(value)
