"""`evener up` and the object store killed at bad moments; clients with a store of somebody else."""

from __future__ import annotations

import glob
import hashlib
import io
import json
import os
import signal
import subprocess
import tarfile
from pathlib import Path
from typing import Any, Callable, Iterator

import pytest

from conftest import ROOT
from house_of_jobs import eventually
from object_store import KEY, ObjectStore
from person import WITHIN, Person, person, store  # noqa: F401

LARGE_BYTES = 256 << 20
CLIENTS = ROOT / ".venv-clients/bin/python"

READS_LARGE = """
import hashlib, pathlib
data = pathlib.Path("/opt/ml/input/data/large/big").read_bytes()
print("sum:", hashlib.sha256(data).hexdigest(), flush=True)
"""

WRITES_LARGE = """
import hashlib, os, pathlib
data = os.urandom(1 << 20) * 256
pathlib.Path("/opt/ml/model/big").write_bytes(data)
print("sum:", hashlib.sha256(data).hexdigest(), flush=True)
"""

# A job through the API, whose code, input and output are in the store; the client knows nothing
# but what `evener env` told it.
CLIENT = """
import io, sys, tarfile, time, boto3
code = io.BytesIO()
with tarfile.open(fileobj=code, mode="w:gz") as archive:
    text = b"import pathlib; pathlib.Path('/opt/ml/model/words.txt').write_text('from an archive')"
    member = tarfile.TarInfo("train.py")
    member.size = len(text)
    archive.addfile(member, io.BytesIO(text))
s3, sagemaker = boto3.client("s3"), boto3.client("sagemaker")
s3.put_object(Bucket="own", Key="code/source.tar.gz", Body=code.getvalue())
sagemaker.create_training_job(
    TrainingJobName="client", RoleArn="arn:aws:iam::000000000000:role/evener",
    AlgorithmSpecification={"TrainingImage": "local", "TrainingInputMode": "File"},
    HyperParameters={"sagemaker_program": "train.py",
                     "sagemaker_submit_directory": "s3://own/code/source.tar.gz"},
    OutputDataConfig={"S3OutputPath": "s3://own/out"},
    ResourceConfig={"VolumeSizeInGB": 1, "InstanceType": "ml.c5.large", "InstanceCount": 1},
    StoppingCondition={"MaxRuntimeInSeconds": 600})
while (job := sagemaker.describe_training_job(TrainingJobName="client"))["TrainingJobStatus"] == "InProgress":
    time.sleep(0.2)
assert job["TrainingJobStatus"] == "Completed", job
bucket, key = job["ModelArtifacts"]["S3ModelArtifacts"].removeprefix("s3://").split("/", 1)
with tarfile.open(fileobj=io.BytesIO(s3.get_object(Bucket=bucket, Key=key)["Body"].read())) as archive:
    print(archive.extractfile("words.txt").read().decode())
"""


class Up:
    """`evener up` of one home, killed and started again."""

    def __init__(self, person: Person) -> None:
        # Of a shell that knows no store yet.
        self.person = person
        self.environment = {name: value for name, value in person.environment.items()
                            if not name.startswith("AWS_")}
        person.environment = self.environment
        self.process: subprocess.Popen[str] | None = None

    def start(self, *words: object, environment: dict[str, str] | None = None) -> None:
        self.process = subprocess.Popen(
            [self.person.evener, "up", "--listen", "127.0.0.1:0", "--json", *map(str, words)],
            env=environment or self.environment, text=True, stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL)
        assert self.process.stdout is not None
        assert "listening" in self.process.stdout.readline()

    def start_own(self) -> None:
        self.start("--s3-program", ROOT / ".venv/bin/weed")

    def env(self) -> dict[str, str]:
        done = subprocess.run([self.person.evener, "env", "--json"], env=self.environment,
                              capture_output=True, text=True, check=True, timeout=WITHIN)
        return dict(json.loads(done.stdout))

    def ports(self) -> list[int]:
        return [int(port) for port in (self.person.home / "s3/ports").read_text().split()]

    def servers(self) -> list[int]:
        found = subprocess.run(["pgrep", "-f", str(self.person.home / "s3/data")],
                               capture_output=True, text=True)
        return [int(pid) for pid in found.stdout.split()]

    def end(self, how: int = signal.SIGTERM) -> None:
        if self.process is None:
            return
        self.process.send_signal(how)
        self.process.communicate(timeout=WITHIN)
        self.process = None


@pytest.fixture
def up(person: Person) -> Iterator[Up]:
    if not (ROOT / ".venv/bin/weed").exists():
        pytest.skip("there is no .venv/bin/weed; run tools/setup.sh")
    one = Up(person)
    yield one
    one.end()


def sockets_of(ports: list[int]) -> list[str]:
    return [path for path in glob.glob("/tmp/seaweedfs-*.sock")
            if any(path.endswith((f"-{port}.sock", f"-{port + 10000}.sock")) for port in ports)]


def test_a_killed_up_takes_its_store_along_and_the_next_goes_on(up: Up) -> None:
    up.start_own()
    before, ports = up.env(), up.ports()
    running = up.person.train("before", output="s3://evener/out")
    output, _ = running.communicate(timeout=WITHIN)
    assert running.returncode == 0, output
    up.end(signal.SIGKILL)
    eventually(lambda: not up.servers(), "the S3 server has ended with evener")
    up.start_own()
    assert len(up.servers()) == 1
    assert up.env()["AWS_ENDPOINT_URL_S3"] == before["AWS_ENDPOINT_URL_S3"]
    assert up.env()["AWS_SECRET_ACCESS_KEY"] == before["AWS_SECRET_ACCESS_KEY"]
    gone = [port for port in ports if port not in up.ports()]
    assert sockets_of(gone) == []
    now = up.ports()
    up.end()
    eventually(lambda: not up.servers(), "the S3 server has ended")
    assert sockets_of(now) == []


def test_a_second_up_leaves_the_store_of_the_first_alone(up: Up) -> None:
    up.start_own()
    servers = up.servers()
    second = subprocess.run(
        [up.person.evener, "up", "--listen", "127.0.0.1:0", "--s3-program",
         ROOT / ".venv/bin/weed"], env=up.environment, text=True, capture_output=True,
        timeout=WITHIN)
    assert second.returncode == 1
    assert "another evener" in second.stderr
    assert up.servers() == servers


def run_client(exports: dict[str, str]) -> str:
    if not CLIENTS.exists():
        pytest.skip("there is no .venv-clients; run tools/setup.sh")
    plain = {name: value for name, value in os.environ.items() if not name.startswith("AWS_")}
    done = subprocess.run([CLIENTS, "-c", CLIENT], env=dict(plain, **exports), text=True,
                          capture_output=True, timeout=WITHIN)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_a_client_needs_only_the_exports_with_our_store(up: Up) -> None:
    up.start("--s3-program", ROOT / ".venv/bin/weed", "--bucket", "own")
    assert run_client(up.env()) == "from an archive"


def test_a_client_needs_only_the_exports_with_another_store(up: Up, store: ObjectStore) -> None:
    store.start()
    up.start("--s3", store.variables()["AWS_ENDPOINT_URL_S3"],
             environment=dict(up.environment, **store.variables()))
    exports = up.env()
    assert exports["AWS_ENDPOINT_URL_S3"] == store.variables()["AWS_ENDPOINT_URL_S3"]
    assert exports["AWS_ACCESS_KEY_ID"] == KEY
    assert run_client(exports) == "from an archive"
    reader = subprocess.run([up.person.evener, "env", "--read-only"], env=up.environment, text=True,
                            capture_output=True, timeout=WITHIN)
    assert KEY not in reader.stdout
    assert "does not know this read-only key" in reader.stderr


def grown(pattern: str, home: Path) -> Callable[[], Any]:
    """Whether a file of that name has some bytes."""
    return lambda: any(path.stat().st_size for path in home.rglob(pattern) if path.exists())


def test_staging_goes_on_after_the_store_died_in_mid_object(person: Person,
                                                            store: ObjectStore) -> None:
    store.start()
    content = os.urandom(1 << 20) * (LARGE_BYTES >> 20)
    store.put("own/in/big", content)
    person.script.write_text(READS_LARGE)
    running = person.train("midway", "--channel", "large=s3://own/in")
    eventually(grown("big*", person.home), "bytes come")
    store.kill()
    store.start()
    output, _ = running.communicate(timeout=WITHIN)
    assert running.returncode == 0, output
    assert f"sum: {hashlib.sha256(content).hexdigest()}" in output


def test_an_upload_goes_on_after_the_store_died_in_its_middle(person: Person,
                                                              store: ObjectStore) -> None:
    store.start()
    person.script.write_text(WRITES_LARGE)
    running = person.train("halfway")
    person.wait_for("halfway", '"Uploading"')
    store.kill()
    store.start()
    output, _ = running.communicate(timeout=WITHIN)
    assert running.returncode == 0, output
    archive = tarfile.open(
        fileobj=io.BytesIO(store.get("own/out/halfway/output/model.tar.gz")))
    member = archive.extractfile("big")
    assert member is not None
    content = member.read()
    assert len(content) == LARGE_BYTES
    assert f"sum: {hashlib.sha256(content).hexdigest()}" in output
