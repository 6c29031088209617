#!/usr/bin/env python3
"""Writes botocore_vectors.json: requests and what botocore's own signers make of them.

    python make_vectors.py > botocore_vectors.json      (with botocore installed)
"""

from __future__ import annotations

import datetime
import json
import random
import urllib.parse

import botocore.auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials

NOW = datetime.datetime(2026, 11, 30, 10, 11, 12, tzinfo=datetime.timezone.utc)
SIGNERS = {
    ("s3", "header"): botocore.auth.S3SigV4Auth,
    ("s3", "presigned"): botocore.auth.S3SigV4QueryAuth,
    ("other", "header"): botocore.auth.SigV4Auth,
    ("other", "presigned"): botocore.auth.SigV4QueryAuth,
}
PATHS = ["/", "/key", "/a/b/c", "/a%20b", "/a%2Fb", "/%C3%A9t%C3%A9", "/a//b", "/a/../b/./c/",
         "/..", "/%2E%2E/x", "/a+b", "/~user/-_.", "/a%252Fb", "/bucket/key%3Dvalue%26x"]
QUERY_WORDS = ["a", "A", "list-type", "prefix", "x y", "é", "a/b", "a+b", "a=b", "&", "~", "",
               "%41"]
HEADERS = [("Content-Type", "application/x-amz-json-1.1"), ("X-Amz-Target", "SageMaker.ListTags"),
           ("My-Header", "  two   spaces "), ("Range", "bytes=0-9"), ("User-Agent", "Boto3/1"),
           ("amz-sdk-invocation-id", "0f8e"), ("X-Amz-Meta-Name", "a, b"),
           ("Expect", "100-continue")]
BODIES = ["", "{}", '{"TrainingJobName":"été"}', "x" * 1000]


def query(source: random.Random) -> str:
    words = [(source.choice(QUERY_WORDS[:-2]), source.choice(QUERY_WORDS))
             for _ in range(source.choice([0, 0, 1, 3]))]
    return urllib.parse.urlencode(words, safe="-._~", quote_via=urllib.parse.quote)


def vector(source: random.Random) -> dict:
    service = source.choice(["s3", "sagemaker", "logs", "monitoring"])
    form = source.choice(["header", "header", "presigned"])
    region = source.choice(["us-east-1", "eu-west-3"])
    token = source.choice(["", "", "token/+=" * 5])
    headers = [("Host", "127.0.0.1:4600")] + source.sample(HEADERS, source.choice([0, 1, 3]))
    if form == "presigned":
        headers = [one for one in headers if not one[0].startswith("X-Amz-")]
    path, asked = source.choice(PATHS), query(source)
    method = "POST" if form == "header" else source.choice(["GET", "PUT"])
    body = source.choice(BODIES) if form == "header" else ""
    url = f"http://127.0.0.1:4600{path}" + (f"?{asked}" if asked else "")
    request = AWSRequest(method=method, url=url, data=body.encode())
    for name, value in headers:
        request.headers[name] = value
    signer = SIGNERS["s3" if service == "s3" else "other", form]
    more = {"expires": 600} if form == "presigned" else {}
    credentials = Credentials("AKIDEXAMPLE", "secret/+=", token or None)
    signer(credentials, service, region, **more).add_auth(request)
    return {
        "form": form, "service": service, "region": region, "token": token, "method": method,
        "path": path, "query": asked, "headers": headers, "body": body,
        "authorization": request.headers.get("Authorization", ""),
        "signed_query": urllib.parse.urlsplit(request.url).query if form == "presigned" else "",
    }


def main() -> None:
    botocore.auth.get_current_datetime = lambda *_: NOW.replace(tzinfo=None)
    source = random.Random(4)
    print("[")
    print(",\n".join(json.dumps(vector(source)) for _ in range(120)))
    print("]")


main()
