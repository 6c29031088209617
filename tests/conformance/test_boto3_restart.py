"""The server is killed while jobs run: nothing that it acknowledged is lost."""

from __future__ import annotations

import subprocess
import threading

import pytest
from botocore.exceptions import BotoCoreError, ClientError
from serving import job_body, lines_of, new_name, wait_for_line, wait_until_ended

COUNTING = """
import os, time
for i in range(1, 10_000_000):
    print("line", i, flush=True)
    if os.path.exists("GO"):
        break
    time.sleep(0.005)
"""


def test_a_job_goes_on_while_the_server_is_dead_and_no_line_is_lost(own_server):
    flag = own_server.folder / "data"
    flag.mkdir()
    (flag / "x").write_text("x")
    own_server.program(COUNTING.replace("GO", "/opt/ml/output/data/go").replace(
        "time.sleep(0.005)", "time.sleep(0.005)\n    if i == 1500: break"))
    sagemaker, logs = own_server.client("sagemaker"), own_server.client("logs")
    name = new_name()
    sagemaker.create_training_job(**job_body(own_server.folder, name))
    wait_for_line(logs, name, "line 20")
    own_server.kill()
    own_server.start()
    assert sagemaker.describe_training_job(TrainingJobName=name)["TrainingJobStatus"] == "InProgress"
    own_server.kill()
    own_server.start()
    assert wait_until_ended(sagemaker, name)["TrainingJobStatus"] == "Completed"
    (_, lines), = lines_of(logs, name).items()
    numbers = [line for line in lines if line.startswith("line ")]
    assert numbers == [f"line {i}" for i in range(1, 1501)]


def test_acknowledged_jobs_are_there_after_a_kill(own_server):
    own_server.program("print('fine')\n")
    acknowledged: list[str] = []

    def create() -> None:
        client = own_server.client("sagemaker", retries={"total_max_attempts": 1})
        while True:
            name = new_name()
            try:
                client.create_training_job(**job_body(own_server.folder, name))
            except (BotoCoreError, ClientError):
                return
            acknowledged.append(name)

    threads = [threading.Thread(target=create) for _ in range(4)]
    for thread in threads:
        thread.start()
    while len(acknowledged) < 40:
        threads[0].join(0.02)
    own_server.kill()
    for thread in threads:
        thread.join()
    own_server.start()
    client = own_server.client("sagemaker")
    for name in acknowledged:
        assert client.describe_training_job(TrainingJobName=name)["TrainingJobName"] == name
    for page in client.get_paginator("list_training_jobs").paginate(StatusEquals="InProgress"):
        for job in page["TrainingJobSummaries"]:
            try:
                client.stop_training_job(TrainingJobName=job["TrainingJobName"])
            except ClientError as error:
                assert "in status" in str(error)
    for name in acknowledged:
        wait_until_ended(client, name)


def test_a_second_server_on_the_home_is_refused(own_server):
    second = subprocess.run(
        [str(own_server.evener), "serve", "--listen", "127.0.0.1:0"], env=own_server.environment,
        capture_output=True, text=True, timeout=60)
    assert second.returncode == 1
    assert "another evener serve runs on the home" in second.stderr


def test_other_commands_work_beside_the_server(own_server):
    own_server.program("print('from the command line')\n")
    name = new_name()
    import json

    text = json.dumps(job_body(own_server.folder, name))
    run = subprocess.run([str(own_server.evener), "train", "-"], input=text, text=True,
                         env=own_server.environment, capture_output=True, timeout=120)
    assert run.returncode == 0, run.stderr
    job = own_server.client("sagemaker").describe_training_job(TrainingJobName=name)
    assert job["TrainingJobStatus"] == "Completed"
    deleted = subprocess.run([str(own_server.evener), "jobs", "delete", name],
                             env=own_server.environment, capture_output=True, timeout=60)
    assert deleted.returncode == 0
    with pytest.raises(ClientError, match="Requested resource not found"):
        own_server.client("sagemaker").describe_training_job(TrainingJobName=name)
