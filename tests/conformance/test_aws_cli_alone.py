"""The AWS CLI beside `evener up`, with nothing but loopback in reach: a job from data to model."""

from __future__ import annotations

import json
import os
import select
import subprocess
import tarfile
import time
from urllib.parse import urlsplit

import boto3
import pytest
from aws_programs import find_cli
from sdk_programs import put_objects, source_folder
from serving import GROUP, job_body, new_name, wait_for_line, wait_until_ended

BUCKET = "evener"
FOLLOW_SECONDS = 60


@pytest.fixture(params=["v1", "v2"])
def aws(request, cloud):
    """Runs one command of the CLI. Debian's v2 does not know the variables of endpoints."""
    program = find_cli(request.param)
    if program is None:
        pytest.skip(f"AWS CLI {request.param} is not installed")

    def command(words: tuple[str, ...]) -> list[str]:
        endpoint = "AWS_ENDPOINT_URL_S3" if words[0] == "s3" else "AWS_ENDPOINT_URL"
        more = ["--endpoint-url", os.environ[endpoint]] if request.param == "v2" else []
        return [*program, *words, *more]

    def run(*words: str, code: int = 0) -> str:
        done = subprocess.run(command(words), env=dict(os.environ, AWS_PAGER=""), text=True,
                              capture_output=True, timeout=120)
        assert done.returncode == code, (done.returncode, done.stdout, done.stderr)
        return done.stdout + done.stderr

    run.line = request.param
    run.command = command
    return run


def job_file(cloud, aws, folder, name: str, **hyperparameters: str) -> str:
    """A job with source, data and output in S3, all of it brought there by the CLI."""
    archive = folder / "sourcedir.tar.gz"
    with tarfile.open(archive, "w:gz") as tar:
        tar.add(source_folder(cloud.folder), arcname=".")
    aws("s3", "cp", "--quiet", str(archive), f"s3://{BUCKET}/{name}/sourcedir.tar.gz")
    body = job_body(cloud.folder, name)
    body["HyperParameters"] |= {
        "sagemaker_submit_directory": f"s3://{BUCKET}/{name}/sourcedir.tar.gz", **hyperparameters}
    body["OutputDataConfig"]["S3OutputPath"] = f"s3://{BUCKET}/out"
    body["InputDataConfig"] = [{"ChannelName": "training", "DataSource": {"S3DataSource": {
        "S3DataType": "S3Prefix", "S3Uri": f"s3://{BUCKET}/{name}/data/"}}}]
    file = folder / "job.json"
    file.write_text(json.dumps(body))
    return f"file://{file}"


def wait(aws, name: str, code: int = 0) -> str:
    """The CLI looks at once and then each two minutes: it is asked once the job has ended."""
    wait_until_ended(boto3.client("sagemaker"), name)
    return aws("sagemaker", "wait", "training-job-completed-or-stopped", "--training-job-name",
               name, code=code)


def test_a_job_from_local_data_to_its_model(cloud, aws, tmp_path):
    name = new_name()
    data = tmp_path / "data"
    (data / "deep er").mkdir(parents=True)
    (data / "a b.txt").write_text("one")
    (data / "deep er" / "c+d.txt").write_text("two")
    for file in (data / "a b.txt", data / "deep er" / "c+d.txt"):
        os.utime(file, (0, time.time() - 60))  # a store's times are whole seconds: sync compares them
    aws("s3", "sync", "--quiet", str(data), f"s3://{BUCKET}/{name}/data")
    assert "a b.txt" in aws("s3", "ls", f"s3://{BUCKET}/{name}/data/")
    assert "upload" not in aws("s3", "sync", str(data), f"s3://{BUCKET}/{name}/data")
    aws("sagemaker", "create-training-job", "--cli-input-json",
        job_file(cloud, aws, tmp_path, name))
    wait(aws, name)
    found = json.loads(aws("logs", "filter-log-events", "--log-group-name", GROUP,
                           "--log-stream-name-prefix", f"{name}/"))
    assert "algo-1 of homogeneousCluster has training: a b.txt c+d.txt" in [
        event["message"] for event in found["events"]]
    aws("s3", "cp", "--quiet", f"s3://{BUCKET}/out/{name}/output/model.tar.gz", str(tmp_path))
    with tarfile.open(tmp_path / "model.tar.gz") as archive:
        assert archive.extractfile("algo-1.txt").read() == b"model of algo-1"
    back = tmp_path / "back"
    aws("s3", "sync", "--quiet", f"s3://{BUCKET}/{name}/data", str(back))
    assert (back / "deep er" / "c+d.txt").read_text() == "two"


def test_wait_tells_a_failure_from_an_end(cloud, aws, tmp_path):
    name = new_name()
    put_objects(BUCKET, f"{name}/data", 1)
    aws("sagemaker", "create-training-job", "--cli-input-json",
        job_file(cloud, aws, tmp_path, name, luck="no luck today"))
    assert "Waiter TrainingJobCompletedOrStopped failed" in wait(aws, name, code=255)


def test_logs_are_followed_while_the_job_runs(cloud, aws, tmp_path):
    """`logs tail`, which only v2 has, asks each five seconds."""
    if aws.line == "v1":
        pytest.skip("AWS CLI v1 has no `logs tail`")
    name = new_name()
    put_objects(BUCKET, f"{name}/data", 1)
    aws("sagemaker", "create-training-job", "--cli-input-json",
        job_file(cloud, aws, tmp_path, name, pause="8", lines="3"))
    wait_for_line(boto3.client("logs"), name, "epoch=0; loss=1.0000;")
    tail = subprocess.Popen(
        aws.command(("logs", "tail", GROUP, "--log-stream-name-prefix", f"{name}/", "--since", "1h",
                     "--follow")),
        env=dict(os.environ, AWS_PAGER="", PYTHONUNBUFFERED="1"), stdout=subprocess.PIPE, text=True)
    try:
        end, lines = time.monotonic() + FOLLOW_SECONDS, ""
        while "last words 2" not in lines:
            ready, _, _ = select.select([tail.stdout], [], [], max(0, end - time.monotonic()))
            assert ready, lines
            lines += os.read(tail.stdout.fileno(), 65536).decode()
    finally:
        tail.kill()
        tail.wait()
    told = [line.split(" ", 2)[2] for line in lines.splitlines()]
    assert told[-4:] == ["epoch=0; loss=1.0000;", "last words 0", "last words 1", "last words 2"]


def test_the_endpoints_are_of_this_machine(cloud):
    for name in ("AWS_ENDPOINT_URL", "AWS_ENDPOINT_URL_S3"):
        assert urlsplit(os.environ[name]).hostname == "127.0.0.1"
