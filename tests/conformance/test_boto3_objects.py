"""Objects in the S3 of `evener up`, by boto3 as it is; whoever asks for a key service is served, too."""

from __future__ import annotations

import hashlib
import io
import os
from concurrent.futures import ThreadPoolExecutor

import boto3
import pytest
from boto3.s3.transfer import TransferConfig
from botocore.config import Config
from botocore.exceptions import ClientError
from serving import new_name

BUCKET = "evener"
KMS = {"ServerSideEncryption": "aws:kms"}
PARTS = TransferConfig(multipart_threshold=5 << 20, multipart_chunksize=5 << 20)


@pytest.fixture
def s3(cloud):
    return boto3.client("s3")


class Stream(io.RawIOBase):
    """Bytes whose number nobody knows before."""

    def __init__(self, content: bytes) -> None:
        self.rest = io.BytesIO(content)

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        return self.rest.read(size)


@pytest.mark.parametrize("wish", [{}, KMS, {**KMS, "SSEKMSKeyId": "alias/mine"},
                                  {"ServerSideEncryption": "AES256"}])
@pytest.mark.parametrize("size", [0, 5, 7 << 20, 23 << 20])
def test_an_object_comes_back_as_it_went(s3, tmp_path, wish, size):
    content, key = os.urandom(size), f"{new_name()}/a b+ü"
    (tmp_path / "up").write_bytes(content)
    s3.upload_file(str(tmp_path / "up"), BUCKET, key, ExtraArgs=wish, Config=PARTS)
    s3.download_file(BUCKET, key, str(tmp_path / "down"), Config=PARTS)
    assert (tmp_path / "down").read_bytes() == content
    assert s3.head_object(Bucket=BUCKET, Key=key)["ContentLength"] == size


def test_a_stream_of_unknown_size_is_taken(s3):
    content, key = os.urandom(11 << 20), new_name()
    s3.upload_fileobj(Stream(content), BUCKET, key, ExtraArgs=KMS, Config=PARTS)
    got = s3.get_object(Bucket=BUCKET, Key=key, Range="bytes=6000000-6000009")
    assert got["Body"].read() == content[6000000:6000010]


def test_a_connection_is_used_again_for_all_kinds_of_requests(cloud):
    s3 = boto3.client("s3", config=Config(max_pool_connections=1))
    for number in range(20):
        s3.put_object(Bucket=BUCKET, Key=f"again/{number}", Body=b"%d" % number,
                      **(KMS if number % 2 else {}))
    listed = s3.list_objects_v2(Bucket=BUCKET, Prefix="again/", MaxKeys=7)
    assert listed["KeyCount"] == 7 and listed["IsTruncated"]
    for number in range(20):
        body = s3.get_object(Bucket=BUCKET, Key=f"again/{number}")["Body"]
        assert body.read() == b"%d" % number


def test_many_connections_at_once(s3):
    content = os.urandom(300_000)

    def there_and_back(number: int) -> str:
        s3.put_object(Bucket=BUCKET, Key=f"many/{number}", Body=content, **KMS)
        return hashlib.md5(s3.get_object(Bucket=BUCKET, Key=f"many/{number}")["Body"].read()).hexdigest()

    with ThreadPoolExecutor(16) as pool:
        assert set(pool.map(there_and_back, range(64))) == {hashlib.md5(content).hexdigest()}


def test_a_wrong_key_is_refused_and_so_is_a_writer_with_the_key_for_readers(cloud):
    wrong = boto3.client("s3", aws_secret_access_key="wrong",
                         aws_access_key_id=os.environ["AWS_ACCESS_KEY_ID"])
    read_only = cloud.exports("--read-only")
    reader = boto3.client("s3", aws_access_key_id=read_only["AWS_ACCESS_KEY_ID"],
                          aws_secret_access_key=read_only["AWS_SECRET_ACCESS_KEY"])
    for client, code in ((wrong, "SignatureDoesNotMatch"), (reader, "AccessDenied")):
        for wish in ({}, KMS):
            with pytest.raises(ClientError, match=code):
                client.put_object(Bucket=BUCKET, Key="refused", Body=b"x", **wish)
    assert reader.list_objects_v2(Bucket=BUCKET, Prefix="refused")["KeyCount"] == 0
