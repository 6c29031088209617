"""boto3 as it is, with real jobs: create, describe, list, stop, delete, tags, waiters, errors."""

from __future__ import annotations

import pytest
from botocore.exceptions import ClientError, WaiterError
from serving import job_body, lines_of, new_name, wait_for_line, wait_until_ended

HELLO = "print('hello from the job')\n"
SLEEPER = "import time\nprint('started', flush=True)\ntime.sleep(600)\n"
FAILING = "import sys\nprint('about to fail')\nsys.exit(3)\n"


@pytest.fixture(scope="module")
def sagemaker(server):
    return server.client("sagemaker")


@pytest.fixture(scope="module")
def logs(server):
    return server.client("logs")


@pytest.fixture(scope="module")
def finished(server, sagemaker):
    """The name of a job that ran to its end."""
    server.program(HELLO)
    name = new_name()
    sagemaker.create_training_job(**job_body(server.folder, name, hosts=2))
    sagemaker.get_waiter("training_job_completed_or_stopped").wait(
        TrainingJobName=name, WaiterConfig={"Delay": 1, "MaxAttempts": 60})
    return name


def code_of(call, **members) -> tuple[str, str]:
    with pytest.raises(ClientError) as caught:
        call(**members)
    error = caught.value.response["Error"]
    return error["Code"], error["Message"]


def test_a_job_runs_to_its_end(sagemaker, finished):
    job = sagemaker.describe_training_job(TrainingJobName=finished)
    assert job["TrainingJobStatus"] == job["SecondaryStatus"] == "Completed"
    assert job["TrainingJobArn"] == (
        f"arn:aws:sagemaker:us-east-1:000000000000:training-job/{finished}")
    statuses = [one["Status"] for one in job["SecondaryStatusTransitions"]]
    assert statuses[0] == "Starting" and statuses[-2:] == ["Uploading", "Completed"]
    assert all(one["StatusMessage"] for one in job["SecondaryStatusTransitions"])
    assert job["CreationTime"] <= job["TrainingStartTime"] <= job["TrainingEndTime"]
    assert job["OutputDataConfig"]["KmsKeyId"] == ""
    assert job["ModelArtifacts"]["S3ModelArtifacts"].endswith("/output/model.tar.gz")


def test_every_line_is_there_once_the_status_is_terminal(logs, finished):
    lines = lines_of(logs, finished)
    assert len(lines) == 2, lines
    for stream, messages in lines.items():
        assert stream.startswith(f"{finished}/algo-")
        assert messages.count("hello from the job") == 1, messages


def test_a_failing_job_fails_and_the_waiter_says_so(server, sagemaker, logs):
    server.program(FAILING)
    name = new_name()
    sagemaker.create_training_job(**job_body(server.folder, name))
    with pytest.raises(WaiterError, match="terminal failure state"):
        sagemaker.get_waiter("training_job_completed_or_stopped").wait(
            TrainingJobName=name, WaiterConfig={"Delay": 1, "MaxAttempts": 60})
    job = sagemaker.describe_training_job(TrainingJobName=name)
    assert job["TrainingJobStatus"] == "Failed"
    assert "algo-1" in job["FailureReason"] and "3" in job["FailureReason"]
    assert "about to fail" in next(iter(lines_of(logs, name).values()))


def test_a_job_is_stopped_and_deleted_and_its_name_is_free(server, sagemaker, logs):
    server.program(SLEEPER)
    name = new_name()
    body = job_body(server.folder, name, Environment={"EVENER_STOP_GRACE_SECONDS": "1"})
    sagemaker.create_training_job(**body)
    wait_for_line(logs, name, "started")
    assert code_of(sagemaker.delete_training_job, TrainingJobName=name)[0] != "InternalFailure"
    sagemaker.stop_training_job(TrainingJobName=name)
    assert wait_until_ended(sagemaker, name)["TrainingJobStatus"] == "Stopped"
    code, message = code_of(sagemaker.stop_training_job, TrainingJobName=name)
    assert (code, message) == (
        "ValidationException",
        "The request was rejected because the training job is in status Stopped.")
    sagemaker.delete_training_job(TrainingJobName=name)
    assert code_of(sagemaker.describe_training_job, TrainingJobName=name) == (
        "ValidationException", "Requested resource not found.")
    server.program(HELLO)
    sagemaker.create_training_job(**body)
    assert wait_until_ended(sagemaker, name)["TrainingJobStatus"] == "Completed"
    assert "hello from the job" in next(iter(lines_of(logs, name).values()))


def test_a_used_name_is_refused_whatever_its_case(server, sagemaker, finished):
    with pytest.raises(sagemaker.exceptions.ResourceInUse, match="must be unique"):
        sagemaker.create_training_job(**job_body(server.folder, finished))
    with pytest.raises(sagemaker.exceptions.ResourceInUse):
        sagemaker.create_training_job(**job_body(server.folder, finished.upper()))


def test_what_breaks_a_rule_is_refused_in_the_words_of_the_service(server, sagemaker):
    code, message = code_of(sagemaker.create_training_job, **job_body(server.folder, "bad_name"))
    assert code == "ValidationException"
    assert "at 'trainingJobName' failed to satisfy constraint" in message
    code, message = code_of(
        sagemaker.create_training_job,
        **job_body(server.folder, new_name(),
                   AlgorithmSpecification={"TrainingImage": "x", "TrainingInputMode": "Tape"}))
    assert code == "ValidationException" and "enum value set" in message


def test_jobs_are_listed_by_name_status_and_time_in_pages(sagemaker, finished):
    summaries = sagemaker.list_training_jobs(
        NameContains=finished, StatusEquals="Completed")["TrainingJobSummaries"]
    assert [one["TrainingJobName"] for one in summaries] == [finished]
    pages = list(sagemaker.get_paginator("list_training_jobs").paginate(
        PaginationConfig={"PageSize": 1}))
    names = [one["TrainingJobName"] for page in pages for one in page["TrainingJobSummaries"]]
    assert finished in names and len(names) == len(set(names))


def test_tags_are_added_listed_and_removed(sagemaker, finished):
    arn = sagemaker.describe_training_job(TrainingJobName=finished)["TrainingJobArn"]
    sagemaker.add_tags(ResourceArn=arn, Tags=[{"Key": "a", "Value": "1"}, {"Key": "b", "Value": "2"}])
    sagemaker.delete_tags(ResourceArn=arn, TagKeys=["a"])
    assert sagemaker.list_tags(ResourceArn=arn)["Tags"] == [{"Key": "b", "Value": "2"}]


def test_a_read_only_key_reads_and_may_not_write(server, finished):
    reader = server.client("sagemaker", "--read-only")
    assert reader.describe_training_job(TrainingJobName=finished)["TrainingJobName"] == finished
    for call, members in ((reader.stop_training_job, {"TrainingJobName": finished}),
                          (reader.create_training_job, job_body(server.folder, new_name()))):
        code, message = code_of(call, **members)
        assert code == "AccessDeniedException" and "read-only" in message


def test_a_wrong_key_is_refused(server):
    import boto3

    for key_id, code in (("AKNOBODY", "UnrecognizedClientException"),
                         (server.exports()["AWS_ACCESS_KEY_ID"], "InvalidSignatureException")):
        client = boto3.client("sagemaker", endpoint_url=server.endpoint, region_name="us-east-1",
                              aws_access_key_id=key_id, aws_secret_access_key="guess")
        assert code_of(client.list_training_jobs)[0] == code


def test_other_operations_are_unknown(sagemaker):
    assert code_of(sagemaker.list_endpoints)[0] == "UnknownOperationException"


def test_who_am_i_and_what_may_i(server):
    identity = server.client("sts").get_caller_identity()
    assert identity["Account"] == "000000000000" and ":user/" in identity["Arn"]
    iam = server.client("iam")
    role = iam.get_role(RoleName="local")["Role"]
    assert role["Arn"] == "arn:aws:iam::000000000000:role/local"
    answer = iam.simulate_principal_policy(
        PolicySourceArn=role["Arn"], ActionNames=["sagemaker:CreateTrainingJob", "s3:GetObject"])
    assert [one["EvalDecision"] for one in answer["EvaluationResults"]] == ["allowed"] * 2


def test_logs_are_read_from_both_ends_and_filtered(server, sagemaker, logs):
    server.program("for i in range(2500):\n    print('line', i)\n")
    name = new_name()
    sagemaker.create_training_job(**job_body(server.folder, name))
    wait_until_ended(sagemaker, name)
    (stream, lines), = lines_of(logs, name).items()
    wanted = [f"line {i}" for i in range(2500)]
    assert [line for line in lines if line.startswith("line ")] == wanted
    group = {"logGroupName": "/aws/sagemaker/TrainingJobs"}
    last = logs.get_log_events(**group, logStreamName=stream, limit=10)
    assert [one["message"] for one in last["events"]] == lines[-10:]
    back = logs.get_log_events(
        **group, logStreamName=stream, limit=10, nextToken=last["nextBackwardToken"])
    assert [one["message"] for one in back["events"]] == lines[-20:-10]
    filtered = [event["message"]
                for page in logs.get_paginator("filter_log_events").paginate(
                    **group, logStreamNamePrefix=f"{name}/", filterPattern='"line 24"',
                    PaginationConfig={"PageSize": 7})
                for event in page["events"]]
    assert filtered == [line for line in wanted if "line 24" in line]
    with pytest.raises(logs.exceptions.ResourceNotFoundException):
        logs.get_log_events(**group, logStreamName=f"{name}/../x")
