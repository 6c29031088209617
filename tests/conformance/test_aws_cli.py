"""The AWS CLI as it is, both lines: v1 from PyPI, v2 where Debian's package is installed."""

from __future__ import annotations

import json
import os
import subprocess

import pytest
from aws_programs import find_cli
from serving import job_body, new_name


@pytest.fixture(params=["v1", "v2"])
def aws(request, server):
    """Runs one command of the CLI, with the variables of `evener env`."""
    program = find_cli(request.param)
    if program is None:
        pytest.skip(f"AWS CLI {request.param} is not installed")
    environment = dict(os.environ, **server.exports(), AWS_PAGER="", HOME=str(server.home))

    def run(*words: str, code: int = 0) -> subprocess.CompletedProcess:
        done = subprocess.run([*program, *words, "--endpoint-url", server.endpoint],
                              env=environment, capture_output=True, text=True, timeout=120)
        assert done.returncode == code or code < 0, (done.returncode, done.stdout, done.stderr)
        return done

    run.line = request.param
    return run


def test_a_job_from_a_file_to_its_logs(server, aws, tmp_path):
    server.program("print('hello from the job')\n")
    name = new_name()
    file = tmp_path / "job.json"
    file.write_text(json.dumps(job_body(server.folder, name)))
    created = json.loads(aws("sagemaker", "create-training-job", "--cli-input-json",
                             f"file://{file}").stdout)
    assert created["TrainingJobArn"].endswith(f"training-job/{name}")
    end = 60
    while True:
        job = json.loads(aws("sagemaker", "describe-training-job", "--training-job-name", name).stdout)
        if job["TrainingJobStatus"] != "InProgress":
            break
        end -= 1
        assert end > 0, job
    assert job["TrainingJobStatus"] == "Completed", job
    aws("sagemaker", "wait", "training-job-completed-or-stopped", "--training-job-name", name)
    found = json.loads(aws("logs", "filter-log-events", "--log-group-name",
                           "/aws/sagemaker/TrainingJobs", "--log-stream-name-prefix",
                           f"{name}/").stdout)
    assert "hello from the job" in [event["message"] for event in found["events"]]
    if aws.line == "v2":
        tail = aws("logs", "tail", "/aws/sagemaker/TrainingJobs", "--log-stream-name-prefix",
                   f"{name}/", "--since", "1h").stdout
        assert "hello from the job" in tail
    listed = json.loads(aws("sagemaker", "list-training-jobs", "--name-contains", name).stdout)
    assert len(listed["TrainingJobSummaries"]) == 1


def test_errors_are_told_in_the_words_of_the_service(aws):
    done = aws("sagemaker", "describe-training-job", "--training-job-name", "nobody", code=-1)
    assert done.returncode in (254, 255)
    assert ("An error occurred (ValidationException) when calling the DescribeTrainingJob "
            "operation: Requested resource not found.") in done.stderr
    done = aws("sagemaker", "wait", "training-job-completed-or-stopped", "--training-job-name",
               "nobody", code=-1)
    assert done.returncode == 255 and "Waiter TrainingJobCompletedOrStopped failed" in done.stderr


def test_who_am_i(aws):
    assert json.loads(aws("sts", "get-caller-identity").stdout)["Account"] == "000000000000"
    role = json.loads(aws("iam", "get-role", "--role-name", "local").stdout)["Role"]
    assert role["RoleName"] == "local"
