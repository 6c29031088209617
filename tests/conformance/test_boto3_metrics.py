"""CloudWatch's metrics of a real job: boto3 in each wire form, and the AWS CLI's."""

from __future__ import annotations

import datetime
import json
import os
import shutil
import subprocess

import pytest
from botocore.exceptions import ClientError
from serving import job_body, new_name, wait_until_ended

NAMESPACE = "/aws/sagemaker/TrainingJobs"
VALUES = [1.0, 0.5, 0.25]
PRINTER = """
import time
for i, loss in enumerate([1.0, 0.5, 0.25]):
    print(f"epoch {i}: loss={loss}; rate={100 + i}", flush=True)
    end = time.monotonic() + 0.7
    while time.monotonic() < end:
        pass
print("loss=nan; done")
"""
DEFINITIONS = [
    {"Name": "train:loss", "Regex": "loss=(.*?);"},
    {"Name": "rate", "Regex": "rate=([0-9]+)"},
    {"Name": "never", "Regex": "never=([0-9]+)"},
]


@pytest.fixture(scope="module")
def job(server) -> dict:
    """What Describe says of a job of two hosts that has printed its metrics and ended."""
    server.program(PRINTER)
    sagemaker = server.client("sagemaker")
    name = new_name()
    algorithm = {"TrainingImage": "local", "TrainingInputMode": "File",
                 "MetricDefinitions": DEFINITIONS}
    sagemaker.create_training_job(
        **job_body(server.folder, name, hosts=2, AlgorithmSpecification=algorithm))
    ended = wait_until_ended(sagemaker, name)
    assert ended["TrainingJobStatus"] == "Completed", ended
    return ended


@pytest.fixture(scope="module", params=["json", "query", "cbor"])
def cloudwatch(request, server):
    """A client that speaks one of the service's protocols."""
    wanted = {"cbor": "smithy-rpc-v2-cbor"}.get(request.param, request.param)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("botocore.model.PRIORITY_ORDERED_SUPPORTED_PROTOCOLS", [wanted])
        client = server.client("cloudwatch")
    assert client.meta.service_model.resolved_protocol == wanted
    return client


def range_of(job: dict) -> dict:
    """As the SageMaker SDK's training_job_analytics asks."""
    return {"StartTime": job["TrainingStartTime"],
            "EndTime": job["TrainingEndTime"] + datetime.timedelta(minutes=1)}


def of_job(job: dict) -> list[dict]:
    return [{"Name": "TrainingJobName", "Value": job["TrainingJobName"]}]


def of_host(job: dict, host: str) -> list[dict]:
    return [{"Name": "Host", "Value": f"{job['TrainingJobName']}/{host}"}]


def code_of(call, **members) -> str:
    with pytest.raises(ClientError) as caught:
        call(**members)
    return caught.value.response["Error"]["Code"]


def test_describe_tells_the_last_value_of_each_metric(job):
    found = {one["MetricName"]: one["Value"] for one in job["FinalMetricDataList"]}
    assert found == {"train:loss": 0.25, "rate": 102}
    for one in job["FinalMetricDataList"]:
        assert job["TrainingStartTime"] <= one["Timestamp"] <= job["TrainingEndTime"]


def test_statistics_as_the_sagemaker_sdk_asks_for_them(job, cloudwatch):
    answer = cloudwatch.get_metric_statistics(
        Namespace=NAMESPACE, MetricName="train:loss", Dimensions=of_job(job), Period=60,
        Statistics=["Average", "Sum", "Minimum", "Maximum", "SampleCount"], **range_of(job))
    points = answer["Datapoints"]
    assert answer["Label"] == "train:loss" and points
    assert sum(one["SampleCount"] for one in points) == 2 * len(VALUES)
    assert sum(one["Sum"] for one in points) == pytest.approx(2 * sum(VALUES))
    assert min(one["Minimum"] for one in points) == 0.25
    assert max(one["Maximum"] for one in points) == 1.0
    for one in points:
        assert one["Unit"] == "None"
        assert one["Average"] == pytest.approx(one["Sum"] / one["SampleCount"])
        assert isinstance(one["Timestamp"], datetime.datetime) and one["Timestamp"].second == 0


def test_percentiles_and_nothing_of_what_is_not_there(job, cloudwatch):
    asked = {"Namespace": NAMESPACE, "Period": 3600, "ExtendedStatistics": ["p0", "p100"],
             **range_of(job)}
    points = cloudwatch.get_metric_statistics(
        MetricName="train:loss", Dimensions=of_job(job), **asked)["Datapoints"]
    assert [one["ExtendedStatistics"] for one in points] == [{"p0": 0.25, "p100": 1.0}]
    for name, dimensions in (("never", of_job(job)), ("train:loss", []),
                             ("train:loss", [{"Name": "TrainingJobName", "Value": "nobody"}])):
        assert cloudwatch.get_metric_statistics(
            MetricName=name, Dimensions=dimensions, **asked)["Datapoints"] == []


def test_use_of_cpu_and_memory_of_each_host(job, cloudwatch):
    queries = [
        {"Id": f"{kind}{number}", "MetricStat": {
            "Metric": {"Namespace": NAMESPACE, "MetricName": metric,
                       "Dimensions": of_host(job, f"algo-{number}")},
            "Period": 60, "Stat": "Maximum"}}
        for kind, metric in (("cpu", "CPUUtilization"), ("memory", "MemoryUtilization"))
        for number in (1, 2)]
    results = cloudwatch.get_metric_data(
        MetricDataQueries=queries, **range_of(job))["MetricDataResults"]
    assert [one["Id"] for one in results] == ["cpu1", "cpu2", "memory1", "memory2"]
    for one in results:
        assert one["StatusCode"] == "Complete" and len(one["Values"]) == len(one["Timestamps"])
        assert one["Values"], one
        limit = 100 if one["Id"].startswith("memory") else 100 * (os.cpu_count() or 1) * 1.5
        assert 0 < max(one["Values"]) <= limit, one


def test_data_comes_in_pages_from_either_end(job, cloudwatch):
    queries = [{"Id": "m1", "Label": "the loss", "MetricStat": {
        "Metric": {"Namespace": NAMESPACE, "MetricName": "train:loss", "Dimensions": of_job(job)},
        "Period": 1, "Stat": "SampleCount"}}]
    pages = list(cloudwatch.get_paginator("get_metric_data").paginate(
        MetricDataQueries=queries, ScanBy="TimestampAscending", MaxDatapoints=1, **range_of(job)))
    assert len(pages) > 1
    times = [time for page in pages for one in page["MetricDataResults"] for time in one["Timestamps"]]
    assert times == sorted(times)
    assert sum(value for page in pages for one in page["MetricDataResults"]
               for value in one["Values"]) == 2 * len(VALUES)
    whole = cloudwatch.get_metric_data(MetricDataQueries=queries, **range_of(job))
    assert whole["MetricDataResults"][0]["Label"] == "the loss"
    assert whole["MetricDataResults"][0]["Timestamps"] == times[::-1]


def test_metrics_are_listed_by_name_and_dimension(job, cloudwatch):
    names = {metric["MetricName"]
             for page in cloudwatch.get_paginator("list_metrics").paginate(
                 Namespace=NAMESPACE, Dimensions=of_job(job))
             for metric in page["Metrics"]}
    assert names == {"train:loss", "rate"}
    hosts = cloudwatch.list_metrics(Namespace=NAMESPACE, MetricName="CPUUtilization",
                                    Dimensions=[{"Name": "Host"}])["Metrics"]
    wanted = {f"{job['TrainingJobName']}/algo-{number}" for number in (1, 2)}
    assert wanted <= {metric["Dimensions"][0]["Value"] for metric in hosts}
    assert cloudwatch.list_metrics(Namespace="AWS/EC2")["Metrics"] == []


def test_what_cloudwatch_refuses_is_refused(job, cloudwatch):
    asked = {"Namespace": NAMESPACE, "MetricName": "rate", **range_of(job)}
    statistics = cloudwatch.get_metric_statistics
    assert code_of(statistics, Period=60, **asked) in (
        "MissingParameter", "MissingRequiredParameterException")
    assert code_of(statistics, Period=7, Statistics=["Sum"], **asked) in (
        "InvalidParameterValue", "InvalidParameterValueException")
    backwards = dict(asked, StartTime=asked["EndTime"], EndTime=asked["StartTime"])
    assert code_of(statistics, Period=60, Statistics=["Sum"], **backwards) in (
        "InvalidParameterValue", "InvalidParameterValueException")
    expression = [{"Id": "e1", "Expression": "m1 * 2"}]
    assert code_of(cloudwatch.get_metric_data, MetricDataQueries=expression, **range_of(job)) in (
        "ValidationError", "ValidationException")


def test_a_metric_of_a_running_job_is_there_at_once(server):
    server.program("import time\nprint('loss=7;', flush=True)\ntime.sleep(600)\n")
    sagemaker, cloudwatch = server.client("sagemaker"), server.client("cloudwatch")
    name = new_name()
    algorithm = {"TrainingImage": "local", "TrainingInputMode": "File",
                 "MetricDefinitions": DEFINITIONS[:1]}
    sagemaker.create_training_job(**job_body(
        server.folder, name, AlgorithmSpecification=algorithm,
        Environment={"EVENER_STOP_GRACE_SECONDS": "1"}))
    dimensions = [{"Name": "TrainingJobName", "Value": name}]
    end = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(seconds=60)
    while not cloudwatch.list_metrics(Dimensions=dimensions)["Metrics"]:
        assert datetime.datetime.now(datetime.timezone.utc) < end
    now = datetime.datetime.now(datetime.timezone.utc)
    points = cloudwatch.get_metric_statistics(
        Namespace=NAMESPACE, MetricName="train:loss", Dimensions=dimensions, Period=1,
        Statistics=["Maximum"], StartTime=now - datetime.timedelta(minutes=10),
        EndTime=now + datetime.timedelta(minutes=1))["Datapoints"]
    assert [one["Maximum"] for one in points] == [7]
    sagemaker.stop_training_job(TrainingJobName=name)
    stopped = wait_until_ended(sagemaker, name)
    assert stopped["TrainingJobStatus"] == "Stopped"
    assert [one["Value"] for one in stopped["FinalMetricDataList"]] == [7]


def test_a_pattern_that_cannot_be_used_is_refused_at_once(server):
    sagemaker = server.client("sagemaker")
    algorithm = {"TrainingImage": "local", "TrainingInputMode": "File",
                 "MetricDefinitions": [{"Name": "x", "Regex": "(?=loss)(.*)"}]}
    with pytest.raises(ClientError, match="metric 'x' cannot be used") as caught:
        sagemaker.create_training_job(
            **job_body(server.folder, new_name(), AlgorithmSpecification=algorithm))
    assert caught.value.response["Error"]["Code"] == "ValidationException"


def test_the_aws_cli_of_debian_asks_in_the_query_form(server, job):
    program = shutil.which("aws", path="/usr/bin:/usr/local/bin")
    if program is None:
        pytest.skip("AWS CLI v2 (Debian's awscli) is not installed")
    times = range_of(job)
    environment = dict(os.environ, **server.exports(), AWS_PAGER="", HOME=str(server.home))
    done = subprocess.run(
        [program, "cloudwatch", "get-metric-statistics", "--namespace", NAMESPACE, "--metric-name",
         "rate", "--dimensions", f"Name=TrainingJobName,Value={job['TrainingJobName']}",
         "--start-time", times["StartTime"].isoformat(), "--end-time", times["EndTime"].isoformat(),
         "--period", "3600", "--statistics", "Maximum", "--endpoint-url", server.endpoint,
         "--output", "json"],
        env=environment, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert [one["Maximum"] for one in json.loads(done.stdout)["Datapoints"]] == [102]
