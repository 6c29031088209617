"""The server with TLS: boto3 trusts the certificate that it is told to, and no other."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import Iterator

import boto3
import pytest
from botocore.exceptions import SSLError
from conftest import served


@pytest.fixture
def tls_server(evener: Path, tmp_path: Path) -> Iterator:
    if shutil.which("openssl") is None:
        pytest.skip("openssl is not installed")
    certificate, key = tmp_path / "cert.pem", tmp_path / "key.pem"
    subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2",
                    "-subj", "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1",
                    "-keyout", str(key), "-out", str(certificate)], check=True, capture_output=True)
    for server in served(evener, "--tls-certificate", str(certificate), "--tls-key", str(key)):
        server.certificate = certificate
        yield server


def test_a_client_that_trusts_the_certificate_is_answered(tls_server):
    exports = tls_server.exports()
    assert exports["AWS_ENDPOINT_URL"].startswith("https://127.0.0.1:")

    def client(verify):
        return boto3.client("sagemaker", endpoint_url=exports["AWS_ENDPOINT_URL"], verify=verify,
                            region_name="us-east-1",
                            aws_access_key_id=exports["AWS_ACCESS_KEY_ID"],
                            aws_secret_access_key=exports["AWS_SECRET_ACCESS_KEY"])

    assert client(str(tls_server.certificate)).list_training_jobs()["TrainingJobSummaries"] == []
    with pytest.raises(SSLError):
        client(None).list_training_jobs()
