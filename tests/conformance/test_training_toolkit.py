"""The real training toolkit reads what the runner writes, and says the same as built-in script mode.

`contract_dump` prints the runner's files and variables for a request; the package
`sagemaker-training` (tests/requirements-conformance.txt, an environment of its own in the build
folder) reads them from SAGEMAKER_BASE_DIR.
"""

from __future__ import annotations

import hashlib
import json
import os
import random
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
EVENER = Path(os.environ.get("EVENER", ROOT / "build/evener"))
BUILD = EVENER.parent
CONTRACT_DUMP = BUILD / "tests/conformance/contract_dump"
REQUIREMENTS = ROOT / "tests/requirements-conformance.txt"
INSTALL_LIMIT_S = 500
RUN_LIMIT_S = 120

READ_ENVIRONMENT = """
import json, os
from sagemaker_training import environment
before = dict(os.environ)
env = environment.Environment()
print(json.dumps({
    "variables": env.to_env_vars(),
    "arguments": env.to_cmd_args(),
    "properties": {name: env[name] for name in env.properties()},
    "channels": env.channel_input_dirs,
}))
"""


@pytest.fixture(scope="session")
def contract_dump() -> Path:
    if not os.access(CONTRACT_DUMP, os.X_OK):
        pytest.skip(f"{CONTRACT_DUMP} is not built; run make build")
    return CONTRACT_DUMP


@pytest.fixture(scope="session")
def toolkit() -> Path:
    """The bin folder of an environment that has the pinned toolkit; made once per set of pins."""
    if sys.version_info < (3, 11):
        pytest.skip("the pinned packages of the toolkit need Python 3.11 or later")
    pins = hashlib.sha256(REQUIREMENTS.read_bytes()).hexdigest()[:16]
    folder = BUILD / f"training-toolkit-{pins}"
    done = folder / "done"
    if not done.exists():
        subprocess.run([sys.executable, "-m", "venv", "--clear", folder], check=True)
        pip = [folder / "bin/python", "-m", "pip", "install", "-q", "--no-input", "-r", REQUIREMENTS]
        try:
            installed = subprocess.run(pip, capture_output=True, text=True, timeout=INSTALL_LIMIT_S)
        except subprocess.TimeoutExpired:
            pytest.skip(f"sagemaker-training was not installed within {INSTALL_LIMIT_S} s")
        if installed.returncode != 0:
            pytest.skip(f"sagemaker-training cannot be installed here: {installed.stderr[-300:]}")
        done.touch()
    return folder / "bin"


def request_body(hyperparameters: dict[str, str], **members: object) -> dict:
    def channel(name: str, uri: str, groups: list[str], **more: object) -> dict:
        source = {"S3DataType": "S3Prefix", "S3Uri": uri, "InstanceGroupNames": groups}
        return {"ChannelName": name, "DataSource": {"S3DataSource": source}, **more}

    return {
        "TrainingJobName": "het-1",
        "HyperParameters": hyperparameters,
        "AlgorithmSpecification": {"TrainingInputMode": "File"},
        "RoleArn": "arn:aws:iam::000000000000:role/local",
        "InputDataConfig": [
            channel("raw", "s3://b/raw/", ["data_group"]),
            channel("labels-1.x", "s3://b/l/", ["data_group", "dnn_group"], ContentType="text/csv"),
        ],
        "OutputDataConfig": {"S3OutputPath": "s3://out/"},
        "ResourceConfig": {
            "InstanceGroups": [
                {"InstanceGroupName": "data_group", "InstanceType": "ml.c5.xlarge", "InstanceCount": 2},
                {"InstanceGroupName": "dnn_group", "InstanceType": "ml.m5.xlarge", "InstanceCount": 9},
            ]
        },
        **members,
    }


class Instance:
    """One host's /opt/ml in a folder, and the runner's view of it."""

    def __init__(self, contract_dump: Path, folder: Path, body: dict, host: str):
        self.ml = folder / "ml"
        request = folder / "request.json"
        request.write_text(json.dumps(body))
        output = subprocess.run(
            [contract_dump, request, host, self.ml, str(os.cpu_count())],
            capture_output=True, text=True, check=True, timeout=RUN_LIMIT_S,
        ).stdout
        self.dump = json.loads(output)
        for name in self.dump["folders"]:
            (self.ml / name).mkdir(parents=True, exist_ok=True)
        for name, text in self.dump["files"].items():
            (self.ml / name).write_text(text)

    def variables(self) -> dict[str, str]:
        return {
            "PATH": os.environ["PATH"],
            "HOME": str(self.ml),
            "SAGEMAKER_BASE_DIR": str(self.ml),
            "TRAINING_JOB_NAME": self.dump["environment"]["TRAINING_JOB_NAME"],
            # The hosts have no names outside of a job's network.
            "SM_STUDIO_LOCAL_MODE": "true",
        }

    def read_by(self, toolkit: Path) -> dict:
        ran = subprocess.run(
            [toolkit / "python", "-c", READ_ENVIRONMENT], env=self.variables(),
            capture_output=True, text=True, timeout=RUN_LIMIT_S,
        )
        assert ran.returncode == 0, ran.stderr
        return json.loads(ran.stdout.splitlines()[-1])


HYPERPARAMETERS = {
    "epochs": "3",
    "lr": "1e-05",
    "name": '"a b"',
    "flag": "true",
    "nothing": "null",
    "layers": '[1, 2.50, "x", null]',
    "nested": '{"b": [1], "a": "it\'s"}',
    "é": "ü \"quoted\"",
    "k": "raw text",
    "big": "1e22",
    "sagemaker_program": '"train.py"',
    "sagemaker_submit_directory": '"s3://b/source/sourcedir.tar.gz"',
    "sagemaker_container_log_level": "20",
    "sagemaker_job_name": '"het-1"',
    "sagemaker_region": '"us-east-1"',
    "sagemaker_custom": '"kept"',
}


@pytest.mark.parametrize("host, group", [("algo-1", "data_group"), ("algo-11", "dnn_group")])
def test_environment_reads_hosts_groups_channels_and_hyperparameters(
    contract_dump: Path, toolkit: Path, tmp_path: Path, host: str, group: str
) -> None:
    read = Instance(contract_dump, tmp_path, request_body(HYPERPARAMETERS), host).read_by(toolkit)
    properties = read["properties"]
    hosts = [f"algo-{i}" for i in range(1, 12)]
    assert properties["hosts"] == hosts
    assert properties["current_host"] == host
    assert properties["instance_groups"] == ["data_group", "dnn_group"]
    assert properties["current_instance_group"] == group
    assert properties["current_instance_group_hosts"] == (hosts[:2] if group == "data_group" else hosts[2:])
    assert properties["is_hetero"] is True
    assert properties["network_interface_name"] == "eth0"
    assert properties["num_cpus"] == os.cpu_count()
    assert properties["job_name"] == "het-1"
    names = ["labels-1.x", "raw"] if group == "data_group" else ["labels-1.x"]
    assert sorted(read["channels"]) == names
    assert properties["hyperparameters"]["layers"] == [1, 2.5, "x", None]


@pytest.mark.parametrize("host", ["algo-1", "algo-11"])
def test_script_mode_gives_the_variables_and_arguments_of_the_toolkit(
    contract_dump: Path, toolkit: Path, tmp_path: Path, host: str
) -> None:
    instance = Instance(contract_dump, tmp_path, request_body(HYPERPARAMETERS), host)
    read = instance.read_by(toolkit)
    ours = instance.dump["environment"]
    # Accelerators are this machine's in the toolkit; the facts of the dump say none.
    left_out = {"SM_TRAINING_ENV", "SM_NUM_GPUS"}
    for name, value in read["variables"].items():
        # Python's upper() knows letters beyond ASCII; both spellings name the same value.
        if name not in left_out and name.isascii():
            assert ours[name] == value, name
    assert instance.dump["argv"][:2] == ["/usr/bin/python3", "train.py"]
    assert instance.dump["argv"][2:] == read["arguments"]
    theirs = json.loads(read["variables"]["SM_TRAINING_ENV"])
    mine = json.loads(ours["SM_TRAINING_ENV"])
    for name in set(mine) - {"num_gpus"}:
        assert mine[name] == theirs[name], name


def random_value(rng: random.Random, depth: int = 0) -> object:
    kind = rng.randrange(9 if depth < 2 else 6)
    if kind == 0:
        return rng.choice([None, True, False])
    if kind == 1:
        return rng.randrange(-10**rng.randrange(1, 18), 10**rng.randrange(1, 18))
    if kind in (2, 3):
        return rng.choice([rng.random(), rng.uniform(-1e18, 1e18), 10.0 ** rng.randrange(-20, 25)])
    if kind in (4, 5):
        return "".join(rng.choice("ab'\"\\ \t$;é€=,") for _ in range(rng.randrange(8)))
    if kind in (6, 7):
        return [random_value(rng, depth + 1) for _ in range(rng.randrange(4))]
    return {rng.choice("abcd"): random_value(rng, depth + 1) for _ in range(rng.randrange(4))}


def test_a_hundred_random_hyperparameters_are_given_as_by_the_toolkit(
    contract_dump: Path, toolkit: Path, tmp_path: Path
) -> None:
    rng = random.Random(20260701)
    hyperparameters = {f"p{i}": json.dumps(random_value(rng)) for i in range(98)}
    hyperparameters["sagemaker_program"] = "train.py"
    instance = Instance(contract_dump, tmp_path, request_body(hyperparameters), "algo-1")
    read = instance.read_by(toolkit)
    assert instance.dump["argv"][2:] == read["arguments"]
    for name, value in read["variables"].items():
        if name.startswith("SM_HP"):
            assert instance.dump["environment"][name] == value, name


def test_a_homogeneous_job_is_one_group(contract_dump: Path, toolkit: Path, tmp_path: Path) -> None:
    body = request_body({}, ResourceConfig={"InstanceType": "ml.c5.xlarge", "InstanceCount": 2})
    del body["InputDataConfig"]
    properties = Instance(contract_dump, tmp_path, body, "algo-2").read_by(toolkit)["properties"]
    assert properties["instance_groups"] == ["homogeneousCluster"]
    assert properties["current_instance_group"] == "homogeneousCluster"
    assert properties["is_hetero"] is False
    assert properties["hosts"] == ["algo-1", "algo-2"]
    assert properties["channel_input_dirs"] == {}


SCRIPT = """
import argparse, json, os, sys
parser = argparse.ArgumentParser()
parser.add_argument("--epochs", type=int)
parser.add_argument("--fail", type=int, default=0)
args = parser.parse_args()
if args.fail:
    sys.exit(args.fail)
with open(os.path.join(os.environ["SM_MODEL_DIR"], "seen.json"), "w") as file:
    json.dump({"epochs": args.epochs, "group": os.environ["SM_CURRENT_INSTANCE_GROUP"],
               "host": os.environ["SM_CURRENT_HOST"], "folder": os.getcwd()}, file)
"""


def run_train(toolkit: Path, instance: Instance) -> subprocess.CompletedProcess:
    (instance.ml / "code/train.py").write_text(SCRIPT)
    return subprocess.run([toolkit / "train"], env=instance.variables(), capture_output=True,
                          text=True, timeout=RUN_LIMIT_S)


def test_the_toolkits_train_runs_a_script(contract_dump: Path, toolkit: Path, tmp_path: Path) -> None:
    body = request_body({"epochs": "3", "sagemaker_program": "train.py"})
    instance = Instance(contract_dump, tmp_path, body, "algo-3")
    ran = run_train(toolkit, instance)
    assert ran.returncode == 0, ran.stderr
    seen = json.loads((instance.ml / "model/seen.json").read_text())
    assert seen == {"epochs": 3, "group": "dnn_group", "host": "algo-3",
                    "folder": str(instance.ml / "code")}
    assert (instance.ml / "output/success").exists()


def test_the_toolkits_train_reports_a_script_that_fails(
    contract_dump: Path, toolkit: Path, tmp_path: Path
) -> None:
    body = request_body({"epochs": "3", "fail": "7", "sagemaker_program": "train.py"})
    instance = Instance(contract_dump, tmp_path, body, "algo-1")
    assert run_train(toolkit, instance).returncode != 0
    assert "ExecuteUserScriptError" in (instance.ml / "output/failure").read_text()


def test_the_toolkits_train_runs_inside_real_instances(toolkit: Path, tmp_path: Path) -> None:
    if not os.access(EVENER, os.X_OK):
        pytest.skip(f"{EVENER} is not built; run make build")
    source = tmp_path / "source"
    source.mkdir()
    (source / "train.py").write_text(SCRIPT.replace("seen.json", "seen-%s.json").replace(
        '"seen-%s.json")', '"seen-%s.json" % os.environ["SM_CURRENT_HOST"])'))
    body = request_body(
        {"epochs": "3", "sagemaker_program": "train.py",
         "sagemaker_submit_directory": str(source)},
        AlgorithmSpecification={"TrainingInputMode": "File",
                                "ContainerEntrypoint": [str(toolkit / "train")]},
        OutputDataConfig={"S3OutputPath": str(tmp_path / "out")},
        ResourceConfig={"InstanceGroups": [
            {"InstanceGroupName": "data_group", "InstanceType": "ml.c5.large", "InstanceCount": 1},
            {"InstanceGroupName": "dnn_group", "InstanceType": "ml.m5.large", "InstanceCount": 1}]},
    )
    del body["InputDataConfig"]
    job = tmp_path / "job.json"
    job.write_text(json.dumps(body))
    ran = subprocess.run([EVENER, "train", job, "--json", "--home", tmp_path / "h"],
                         capture_output=True, text=True, timeout=RUN_LIMIT_S)
    assert ran.returncode == 0, ran.stdout[-3000:] + ran.stderr[-3000:]
    assert json.loads(ran.stdout.splitlines()[-1])["status"] == "Completed"
    archive = tmp_path / "out/het-1/output/model.tar.gz"
    names = subprocess.run(["tar", "tzf", archive], capture_output=True, text=True, check=True).stdout
    assert {"seen-algo-1.json", "seen-algo-2.json"} <= {Path(name).name for name in names.split()}
