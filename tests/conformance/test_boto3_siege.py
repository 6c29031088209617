"""Thousands of mixed requests while the server is killed at random: then every job that it
acknowledged is there, as it was told to be, and every line of every log."""

from __future__ import annotations

import os
import random
import threading
import time

from botocore.exceptions import BotoCoreError, ClientError
from serving import job_body, lines_of, new_name, wait_until_ended

# EVENER_TEST_LONG=1 runs the long form.
LONG = os.environ.get("EVENER_TEST_LONG") == "1"
SEED = int(os.environ.get("EVENER_TEST_SEED", "1"))
REQUESTS = 20_000 if LONG else 400
CLIENTS = 4
RUNNING_JOBS = 10 if LONG else 2     # of each client; the others are refused for their size
LINES = 400
PAUSES = (0.5, 3.0)   # seconds between kills
GIVE_UP_SECONDS = 60

PROGRAM = f"""
import time
for i in range({LINES}):
    print("line", i, flush=True)
    time.sleep(0.005)
"""
NONE_SUCH = "Requested resource not found"


class Client(threading.Thread):
    """Asks for things with jobs of its own, each until it is answered, and notes what must hold."""

    def __init__(self, server, seed: int, requests: int) -> None:
        super().__init__()
        self.server, self.requests, self.random = server, requests, random.Random(seed)
        self.sagemaker = server.client("sagemaker", retries={"total_max_attempts": 1})
        self.logs = server.client("logs", retries={"total_max_attempts": 1})
        self.asked = 0
        self.tags: dict[str, dict[str, str]] = {}    # of every job that must be there
        self.deleted: list[str] = []
        self.running: list[str] = []
        self.problems: list[str] = []

    def run(self) -> None:
        try:
            while self.asked < self.requests and not self.problems:
                self.step()
        except Exception as error:  # noqa: BLE001: a thread's failure is the test's
            self.problems.append(repr(error))

    def step(self) -> None:
        """One request, or the few of one log."""
        steps = [self.create, self.describe, self.tag, self.list, self.stop, self.delete, self.read]
        step = self.random.choices(steps, weights=[20, 30, 15, 10, 10, 5, 10])[0]
        if step == self.create or self.tags:
            step()

    def until_answered(self, call, *, fine: tuple[str, ...] = (), **parameters):
        """The answer; None where it is one of the errors that say that it was done before."""
        end = time.monotonic() + GIVE_UP_SECONDS
        while True:
            self.asked += 1
            try:
                return call(**parameters)
            except ClientError as error:
                status = error.response["ResponseMetadata"]["HTTPStatusCode"]
                if status < 500:
                    if any(text in str(error) for text in fine):
                        return None
                    raise
                if status != 503:
                    raise
            except BotoCoreError:
                pass    # dead just now
            assert time.monotonic() < end, "the server does not come back"
            time.sleep(0.02)

    def pick(self) -> str:
        return self.random.choice(list(self.tags))

    def arn(self, name: str) -> str:
        return f"arn:aws:sagemaker:us-east-1:000000000000:training-job/{name}"

    def create(self) -> None:
        name = new_name()
        body = job_body(self.server.folder, name)
        if len(self.running) < RUNNING_JOBS:
            self.running.append(name)
        else:
            body["ResourceConfig"]["InstanceType"] = "ml.p4d.24xlarge"
            body["Environment"] = {"EVENER_FIT": "strict"}
        self.until_answered(self.sagemaker.create_training_job, fine=("ResourceInUse",), **body)
        self.tags[name] = {}

    def describe(self) -> None:
        name = self.pick()
        job = self.until_answered(self.sagemaker.describe_training_job, TrainingJobName=name)
        assert job["TrainingJobName"] == name

    def tag(self) -> None:
        name, tag = self.pick(), {"Key": f"k{self.random.randrange(5)}", "Value": new_name()}
        self.until_answered(self.sagemaker.add_tags, ResourceArn=self.arn(name), Tags=[tag])
        self.tags[name][tag["Key"]] = tag["Value"]

    def list(self) -> None:
        self.until_answered(self.sagemaker.list_training_jobs, MaxResults=20)

    def stop(self) -> None:
        name = self.pick()
        if name not in self.running:     # the lines of those that run are counted
            self.until_answered(self.sagemaker.stop_training_job, fine=("in status",),
                                TrainingJobName=name)

    def delete(self) -> None:
        name = self.pick()
        if name in self.running:
            return
        job = self.until_answered(self.sagemaker.describe_training_job, TrainingJobName=name)
        if job["TrainingJobStatus"] in ("InProgress", "Stopping"):
            return
        self.until_answered(self.sagemaker.delete_training_job, fine=(NONE_SUCH,),
                            TrainingJobName=name)
        del self.tags[name]
        self.deleted.append(name)

    def read(self) -> None:
        self.until_answered(self.logs.filter_log_events, limit=50,
                            logGroupName="/aws/sagemaker/TrainingJobs")

    def audit(self) -> None:
        """With a server that lives."""
        for name, tags in self.tags.items():
            self.sagemaker.describe_training_job(TrainingJobName=name)
            found = self.sagemaker.list_tags(ResourceArn=self.arn(name))["Tags"]
            assert {tag["Key"]: tag["Value"] for tag in found} == tags, name
        for name in self.deleted:
            try:
                self.sagemaker.describe_training_job(TrainingJobName=name)
            except ClientError as error:
                assert NONE_SUCH in str(error), error
            else:
                raise AssertionError(f"{name} was deleted")
        for name in self.running:
            job = wait_until_ended(self.sagemaker, name)
            assert job["TrainingJobStatus"] == "Completed", job
            (_, lines), = lines_of(self.logs, name).items()
            counted = [line for line in lines if line.startswith("line ")]
            assert counted == [f"line {i}" for i in range(LINES)], name


def test_what_was_acknowledged_is_there_after_many_kills(own_server):
    own_server.program(PROGRAM)
    dice = random.Random(SEED)
    clients = [Client(own_server, SEED * 100 + i, REQUESTS // CLIENTS) for i in range(CLIENTS)]
    for client in clients:
        client.start()
    kills = 0
    while any(client.is_alive() for client in clients) or kills < 2:
        time.sleep(dice.uniform(*PAUSES))
        own_server.kill()
        own_server.start()
        kills += 1
    for client in clients:
        client.join()
    assert [problem for client in clients for problem in client.problems] == []
    assert sum(client.asked for client in clients) >= REQUESTS
    for client in clients:
        client.audit()
