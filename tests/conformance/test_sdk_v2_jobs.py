"""The SageMaker Python SDK v2 as it is: real jobs, data through S3, nothing but loopback in reach.

All it is told is in the environment that `evener env --config` prints.
"""

from __future__ import annotations

import time

import boto3
import lonely_network
import pytest
from botocore.exceptions import ClientError, EndpointConnectionError
from sagemaker import Session, get_execution_role
from sagemaker.estimator import Estimator
from sagemaker.exceptions import UnexpectedStatusException
from sagemaker.inputs import TrainingInput
from sagemaker.instance_group import InstanceGroup
from sagemaker.pytorch import PyTorch
from sagemaker.tensorflow import TensorFlow
from sdk_programs import files_of_archive, put_objects, source_folder
from serving import new_name

pytestmark = pytest.mark.filterwarnings("ignore")
DATA = InstanceGroup("data_group", "ml.c5.xlarge", 2)
DNN = InstanceGroup("dnn_group", "ml.g5.xlarge", 1)
ONE = {"instance_type": "ml.c5.xlarge", "instance_count": 1}
LOSS = [{"Name": "train:loss", "Regex": "loss=([0-9.]+);"}]
PYTORCH = {"framework_version": "2.1.0", "py_version": "py310"}


@pytest.fixture(scope="module")
def session(cloud) -> Session:
    return Session()


def options(cloud, **more) -> dict:
    """Neither role nor bucket: they are in the config file."""
    return {"entry_point": "train.py", "source_dir": source_folder(cloud.folder),
            "base_job_name": new_name(), **more}


def describe(estimator) -> dict:
    return boto3.client("sagemaker").describe_training_job(
        TrainingJobName=estimator.latest_training_job.name)


def test_a_pytorch_job_of_two_groups(cloud, session, capsys):
    inputs = {
        "shards": TrainingInput(put_objects(session.default_bucket(), "shards", 4),
                                distribution="ShardedByS3Key", instance_groups=["data_group"]),
        "whole": TrainingInput(put_objects(session.default_bucket(), "whole", 2),
                               instance_groups=["data_group", "dnn_group"]),
    }
    estimator = PyTorch(image_uri="local", instance_groups=[DATA, DNN], metric_definitions=LOSS,
                        hyperparameters={"epochs": 3, "pause": 1.5},
                        **PYTORCH, **options(cloud))
    estimator.fit(inputs, wait=True, logs="All")

    printed = capsys.readouterr().out
    assert "algo-3 of dnn_group has whole: 0.txt 1.txt" in printed
    assert "algo-3 of dnn_group has shards" not in printed
    halves = [line.split(": ", 1)[1].split() for line in printed.splitlines()
              if "of data_group has shards" in line]
    assert len(halves) == 2 and sorted(sum(halves, [])) == ["0.txt", "1.txt", "2.txt", "3.txt"]
    assert printed.count("epoch=2; loss=0.3333;") == 3
    for status in ("Starting - ", "Downloading - ", "Training - ", "Uploading - ", "Completed - "):
        assert status in printed
    assert "Training seconds: " in printed

    assert files_of_archive(estimator.model_data) == {
        f"algo-{host}.txt": f"model of algo-{host}" for host in (1, 2, 3)}
    figures = estimator.training_job_analytics.dataframe()
    assert set(figures["metric_name"]) == {"train:loss"} and 0.3 < figures["value"].iloc[0] < 1


def test_a_tensorflow_job_of_a_registry_image_is_attached_to_later(cloud, capsys):
    estimator = TensorFlow(framework_version="2.13", py_version="py310", tags=[
        {"Key": "team", "Value": "vision"}], hyperparameters={"epochs": 2}, **ONE, **options(cloud))
    estimator.fit(wait=False)
    job = describe(estimator)
    assert "tensorflow-training:2.13-cpu-py310" in job["AlgorithmSpecification"]["TrainingImage"]
    estimator.latest_training_job.wait(logs="All")
    assert "epoch=1; loss=0.5000;" in capsys.readouterr().out
    attached = TensorFlow.attach(estimator.latest_training_job.name)
    assert attached.model_data == estimator.model_data
    assert {"Key": "team", "Value": "vision"} in attached.tags
    assert attached.hyperparameters()["epochs"] == "2"


def test_a_generic_estimator_with_uploaded_data(cloud, session, capsys):
    data = session.upload_data(source_folder(cloud.folder), key_prefix="uploaded")
    estimator = Estimator("local", max_run=600, environment={"COLOUR": "blue"}, **ONE,
                          **options(cloud))
    estimator.fit({"training": data})
    printed = capsys.readouterr().out
    assert "algo-1 of homogeneousCluster has training: train.py" in printed
    assert "Billable seconds: " in printed
    assert describe(estimator)["Environment"] == {"COLOUR": "blue"}
    attached = Estimator.attach(estimator.latest_training_job.name)
    assert (attached.max_run, attached.image_uri) == (600, "local")
    assert files_of_archive(estimator.model_data) == {"algo-1.txt": "model of algo-1"}


def test_a_failing_job_raises_its_reason(cloud):
    estimator = PyTorch(image_uri="local", hyperparameters={"luck": "no luck today"},
                        **PYTORCH, **ONE, **options(cloud))
    with pytest.raises(UnexpectedStatusException) as caught:
        estimator.fit()
    reason = describe(estimator)["FailureReason"]
    assert "ValueError: no luck today" in reason
    assert caught.value.actual_status == "Failed" and f"Reason: {reason}" in str(caught.value)


def test_a_stopped_job_is_no_failure(cloud, session, capsys):
    estimator = Estimator("local", hyperparameters={"pause": 300}, **ONE, **options(cloud))
    estimator.fit(wait=False)
    while describe(estimator)["SecondaryStatus"] != "Training":
        time.sleep(0.1)
    estimator.latest_training_job.stop()
    job = session.wait_for_job(estimator.latest_training_job.name, poll=1)
    assert job["TrainingJobStatus"] == "Stopped"
    session.logs_for_job(estimator.latest_training_job.name)
    assert "loss=1.0000;" in capsys.readouterr().out


def test_every_line_is_there_when_the_sdk_looks_last(cloud, session, capsys):
    estimator = Estimator("local", hyperparameters={"lines": 5000, "pause": 3}, **ONE,
                          **options(cloud))
    estimator.fit(wait=False)
    session.logs_for_job(estimator.latest_training_job.name, wait=True, poll=1)
    printed = [line for line in capsys.readouterr().out.splitlines() if "last words" in line]
    assert printed == [f"last words {line}" for line in range(5000)]


@pytest.mark.parametrize("wish", [{"use_spot_instances": True, "max_run": 600, "max_wait": 1200},
                                  {"checkpoint_s3_uri": "s3://evener/checkpoints"}])
def test_what_is_not_there_yet_is_refused_in_words(cloud, wish):
    estimator = Estimator("local", **wish, **ONE, **options(cloud))
    with pytest.raises(ClientError, match="ValidationException.*comes in a later version"):
        estimator.fit()


def test_mpi_in_one_group_is_accepted(cloud):
    estimator = PyTorch(
        image_uri="local", instance_groups=[DATA, DNN], distribution={
            "mpi": {"enabled": True, "processes_per_host": 2, "custom_mpi_options": "-verbose"},
            "instance_groups": [DNN]}, **PYTORCH, **options(cloud))
    estimator.fit(wait=False)
    asked = describe(estimator)["HyperParameters"]
    assert asked["sagemaker_distribution_instance_groups"] == '["dnn_group"]'
    assert asked["sagemaker_mpi_enabled"] == "true"
    estimator.latest_training_job.stop()


def test_a_helper_that_ignores_the_endpoint_is_seen_to_leave_the_machine(cloud):
    """It is named in docs/guide/serve.md; here it shows that attempts are counted, and how."""
    with lonely_network.expected_to_be_refused() as attempts:
        with pytest.raises(EndpointConnectionError, match="sts.us-east-1.amazonaws.com"):
            get_execution_role()
    assert attempts.count > 0
