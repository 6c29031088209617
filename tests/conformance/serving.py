"""A server of its own for tests with real clients: started, killed, asked."""

from __future__ import annotations

import http.client
import json
import os
import select
import signal
import subprocess
import time
import uuid
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

import boto3
from botocore.config import Config

ROOT = Path(__file__).resolve().parents[2]
GROUP = "/aws/sagemaker/TrainingJobs"
START_SECONDS = 30.0
END_SECONDS = 60.0


def job_body(folder: Path, name: str, hosts: int = 1, **changes) -> dict:
    """A job whose program is folder/source/train.py, with local places."""
    body = {
        "TrainingJobName": name,
        "RoleArn": "arn:aws:iam::000000000000:role/evener",
        "AlgorithmSpecification": {"TrainingImage": "local", "TrainingInputMode": "File"},
        "HyperParameters": {
            "sagemaker_program": "train.py",
            "sagemaker_submit_directory": f"file://{folder}/source",
        },
        "OutputDataConfig": {"S3OutputPath": f"file://{folder}/out"},
        "ResourceConfig": {
            "VolumeSizeInGB": 1,
            "InstanceType": "ml.c5.xlarge",
            "InstanceCount": hosts,
        },
        "StoppingCondition": {"MaxRuntimeInSeconds": 600},
    }
    body.update(changes)
    return body


@dataclass
class Server:
    """`evener serve` (or `up`) on one home; may be killed and started again."""

    evener: Path
    home: Path
    folder: Path
    words: tuple[str, ...] = ()
    verb: str = "serve"   # or up
    process: subprocess.Popen | None = None
    endpoint: str = ""
    listen: str = "127.0.0.1:0"
    environment: dict[str, str] = field(default_factory=dict)

    def start(self) -> None:
        python = ROOT / ".venv/bin"
        self.environment = dict(
            os.environ, EVENER_HOME=str(self.home), PATH=f"{python}:{os.environ['PATH']}")
        command = [str(self.evener), self.verb, "--json", "--listen", self.listen, *self.words]
        with open(self.home / "test-server.log", "ab") as log:
            self.process = subprocess.Popen(
                command, stdout=subprocess.PIPE, stderr=log, env=self.environment)
        ready, _, _ = select.select([self.process.stdout], [], [], START_SECONDS)
        line = self.process.stdout.readline() if ready else b""
        assert line, (self.home / "test-server.log").read_text()
        self.endpoint = json.loads(line)["endpoint"]
        self.listen = urlsplit(self.endpoint).netloc   # a restart keeps its address

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()

    def stop(self) -> int:
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        return self.process.wait(timeout=END_SECONDS)

    def exports(self, *words: str) -> dict[str, str]:
        text = subprocess.run([str(self.evener), "env", "--json", *words], env=self.environment,
                              check=True, capture_output=True, text=True).stdout
        return json.loads(text)

    def client(self, service: str, *words: str, **config):
        exports = self.exports(*words)
        return boto3.client(
            service, endpoint_url=exports["AWS_ENDPOINT_URL"],
            region_name=exports["AWS_DEFAULT_REGION"],
            aws_access_key_id=exports["AWS_ACCESS_KEY_ID"],
            aws_secret_access_key=exports["AWS_SECRET_ACCESS_KEY"],
            config=Config(**config))

    def program(self, text: str) -> None:
        source = self.folder / "source"
        source.mkdir(exist_ok=True)
        (source / "train.py").write_text(text)

    def ask(self, body: bytes, headers: dict[str, str], method: str = "POST",
            path: str = "/") -> tuple[int, dict[str, str], bytes]:
        """One request as it is given."""
        connection = http.client.HTTPConnection(urlsplit(self.endpoint).netloc, timeout=30)
        try:
            connection.putrequest(method, path, skip_host="Host" in headers)
            for name, value in headers.items():
                connection.putheader(name, value)
            connection.putheader("Content-Length", str(len(body)))
            connection.endheaders(body)
            response = connection.getresponse()
            return response.status, dict(response.getheaders()), response.read()
        finally:
            connection.close()


def new_name() -> str:
    return f"t{uuid.uuid4().hex[:10]}"


def wait_until_ended(client, name: str, seconds: float = END_SECONDS) -> dict:
    end = time.monotonic() + seconds
    while True:
        job = client.describe_training_job(TrainingJobName=name)
        if job["TrainingJobStatus"] in ("Completed", "Failed", "Stopped"):
            return job
        assert time.monotonic() < end, job
        time.sleep(0.1)


def wait_for_line(logs, name: str, text: str, seconds: float = END_SECONDS) -> None:
    end = time.monotonic() + seconds
    while text not in [line for lines in lines_of(logs, name).values() for line in lines]:
        assert time.monotonic() < end, lines_of(logs, name)
        time.sleep(0.1)


def lines_of(logs, name: str) -> dict[str, list[str]]:
    """The messages of every stream of a job, read page by page."""
    found = {}
    streams = logs.describe_log_streams(logGroupName=GROUP, logStreamNamePrefix=f"{name}/")
    for stream in streams["logStreams"]:
        lines, token = [], None
        while True:
            extra = {"nextToken": token} if token else {"startFromHead": True}
            page = logs.get_log_events(
                logGroupName=GROUP, logStreamName=stream["logStreamName"], **extra)
            lines += [event["message"] for event in page["events"]]
            if page["nextForwardToken"] == token:
                break
            token = page["nextForwardToken"]
        found[stream["logStreamName"]] = lines
    return found
