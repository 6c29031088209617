"""The SageMaker Python SDK v3 as it is: real jobs, data through S3, nothing but loopback in reach.

All it is told is in the environment that `evener env --config` prints.
"""

from __future__ import annotations

import logging
import time

import boto3
import lonely_network
import pytest
from botocore.exceptions import EndpointConnectionError
from sagemaker.core.helper.session_helper import Session, get_execution_role
from sagemaker.core.resources import TrainingJob
from sagemaker.core.shapes import InstanceGroup, S3DataSource
from sagemaker.core.training.configs import Compute, InputData, SourceCode
from sagemaker.core.utils.exceptions import FailedStatusError
from sagemaker.train import ModelTrainer
from sdk_programs import files_of_archive, put_objects, source_folder
from serving import new_name

pytestmark = pytest.mark.filterwarnings("ignore")
ONE = Compute(instance_type="ml.c5.xlarge", instance_count=1)
GROUPS = [InstanceGroup(instance_group_name="data_group", instance_type="ml.c5.xlarge", instance_count=2),
          InstanceGroup(instance_group_name="dnn_group", instance_type="ml.g5.xlarge", instance_count=1)]


@pytest.fixture(scope="module")
def bucket(cloud) -> str:
    return Session().default_bucket()


@pytest.fixture
def said(caplog):
    """What the SDK logs: the status and the job's lines."""
    caplog.set_level(logging.INFO)
    return lambda: "\n".join(record.getMessage() for record in caplog.records)


def trainer(cloud, **more) -> ModelTrainer:
    """Neither role nor bucket: they are in the config file."""
    options = {"training_image": "local", "base_job_name": new_name(), "compute": ONE, **more}
    return ModelTrainer(
        source_code=SourceCode(source_dir=source_folder(cloud.folder), entry_script="train.py"),
        **options)


def source(uri: str, groups: list[str], distribution: str = "FullyReplicated") -> S3DataSource:
    return S3DataSource(s3_data_type="S3Prefix", s3_uri=uri, instance_group_names=groups,
                        s3_data_distribution_type=distribution)


def job_of(model_trainer: ModelTrainer) -> TrainingJob:
    return model_trainer._latest_training_job


def test_a_job_of_two_groups(cloud, bucket, said):
    data = [
        InputData(channel_name="shards", data_source=source(
            put_objects(bucket, "v3/shards", 4), ["data_group"], "ShardedByS3Key")),
        InputData(channel_name="whole", data_source=source(
            put_objects(bucket, "v3/whole", 2), ["data_group", "dnn_group"])),
    ]
    model_trainer = trainer(cloud, compute=Compute(instance_groups=GROUPS),
                            hyperparameters={"epochs": 3})
    model_trainer.train(input_data_config=data, wait=True, logs=True)

    text = said()
    assert "has whole: 0.txt 1.txt" in text and "algo-3 of dnn_group has shards" not in text
    halves = [line.split(": ", 1)[1].split() for line in text.splitlines() if "has shards" in line]
    assert len(halves) == 2 and sorted(sum(halves, [])) == ["0.txt", "1.txt", "2.txt", "3.txt"]
    assert text.count("epoch=2; loss=0.3333;") == 3
    assert "Final Resource Status" in text and "Completed" in text

    job = TrainingJob.get(job_of(model_trainer).training_job_name)
    assert job.training_job_status == "Completed"
    assert [group.instance_group_name for group in job.resource_config.instance_groups] == [
        "data_group", "dnn_group"]
    assert files_of_archive(job.model_artifacts.s3_model_artifacts) == {
        f"algo-{host}.txt": f"model of algo-{host}" for host in (1, 2, 3)}


def test_a_local_folder_is_uploaded_and_found_by_the_job(cloud, said):
    folder = cloud.folder / "local-data"
    folder.mkdir(exist_ok=True)
    (folder / "of this machine.txt").write_text("data")
    model_trainer = trainer(cloud, environment={"COLOUR": "blue"})
    model_trainer.train([InputData(channel_name="training", data_source=str(folder))])
    assert "has training: of this machine.txt" in said()
    job = job_of(model_trainer).refresh()
    assert job.environment == {"COLOUR": "blue"}
    assert files_of_archive(job.model_artifacts.s3_model_artifacts) == {
        "algo-1.txt": "model of algo-1"}


def test_a_failing_job_raises_its_reason(cloud, said):
    model_trainer = trainer(cloud, hyperparameters={"luck": "no luck today"})
    with pytest.raises(FailedStatusError) as caught:
        model_trainer.train()
    reason = job_of(model_trainer).refresh().failure_reason
    assert reason and f"Failure Reason: {reason}" in str(caught.value)
    assert "ValueError: no luck today" in said()


def test_a_stopped_job_is_no_failure(cloud, said):
    model_trainer = trainer(cloud, hyperparameters={"pause": 300})
    model_trainer.train(wait=False)
    job = job_of(model_trainer)
    while job.refresh().secondary_status != "Training":
        time.sleep(0.1)
    job.stop()
    job.wait(poll=1, logs=True)
    assert job.training_job_status == "Stopped"


def test_every_line_is_there_when_the_sdk_looks_last(cloud, said):
    model_trainer = trainer(cloud, hyperparameters={"lines": 5000, "pause": 3})
    model_trainer.train(wait=False)
    job_of(model_trainer).wait(poll=1, logs=True)
    printed = [line for line in said().splitlines() if line.startswith("last words")]
    assert printed == [f"last words {line}" for line in range(5000)]


def test_a_job_that_is_not_there_is_the_services_error(cloud):
    with pytest.raises(boto3.client("sagemaker").exceptions.ClientError, match="ValidationException"):
        TrainingJob.get("nobody")


def test_a_helper_that_ignores_the_endpoint_is_seen_to_leave_the_machine(cloud):
    """It is named in docs/guide/serve.md; here it shows that attempts are counted, and how."""
    with lonely_network.expected_to_be_refused() as attempts:
        with pytest.raises(EndpointConnectionError, match="sts.us-east-1.amazonaws.com"):
            get_execution_role()
    assert attempts.count > 0
