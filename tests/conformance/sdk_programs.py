"""Training programs of the SDKs' tests, and what is looked at afterwards."""

from __future__ import annotations

import io
import tarfile
from pathlib import Path
from urllib.parse import urlsplit

import boto3

# What each host got, some figures, a model of each host; then as its hyperparameters say.
TRAIN = """
import argparse, json, os, pathlib, sys, time
parser = argparse.ArgumentParser()
parser.add_argument("--epochs", type=int, default=1)
parser.add_argument("--lines", type=int, default=0)
parser.add_argument("--pause", type=float, default=0)
parser.add_argument("--luck", default="good luck")
asked, _ = parser.parse_known_args()   # TensorFlow adds --model_dir
host = os.environ["SM_CURRENT_HOST"]
group = os.environ.get("SM_CURRENT_INSTANCE_GROUP", "")
for folder in sorted(pathlib.Path("/opt/ml/input/data").iterdir()):
    if folder.is_dir() and folder.name not in ("code", "sm_drivers"):
        files = sorted(file.name for file in folder.rglob("*") if file.is_file())
        print(f"{host} of {group} has {folder.name}: {' '.join(files)}", flush=True)
for epoch in range(asked.epochs):
    print(f"epoch={epoch}; loss={1 / (1 + epoch):.4f};", flush=True)
time.sleep(asked.pause)
if asked.luck != "good luck":
    raise ValueError(asked.luck)
pathlib.Path(os.environ["SM_MODEL_DIR"], f"{host}.txt").write_text(f"model of {host}")
for line in range(asked.lines):
    print(f"last words {line}")
"""


def source_folder(folder: Path) -> str:
    source = folder / "source"
    source.mkdir(exist_ok=True)
    (source / "train.py").write_text(TRAIN)
    return str(source)


def put_objects(bucket: str, prefix: str, count: int) -> str:
    """Objects 0.txt, 1.txt, ... and where they are."""
    s3 = boto3.client("s3")
    for number in range(count):
        s3.put_object(Bucket=bucket, Key=f"{prefix}/{number}.txt", Body=b"%d" % number)
    return f"s3://{bucket}/{prefix}/"


def files_of_archive(uri: str) -> dict[str, str]:
    """The files of a model.tar.gz in S3."""
    place = urlsplit(uri)
    body = boto3.client("s3").get_object(Bucket=place.netloc, Key=place.path[1:])["Body"].read()
    with tarfile.open(fileobj=io.BytesIO(body)) as archive:
        return {member.name: archive.extractfile(member).read().decode()
                for member in archive if member.isfile()}
