"""Signed requests, and wrk to send them."""

from __future__ import annotations

import hashlib
import hmac
import json
import socket
import subprocess
import tempfile
import time
import urllib.request
from contextlib import contextmanager
from typing import Iterator
from urllib.parse import urlsplit

DONE = """
function done(summary, latency, requests)
  io.write(string.format('{"requests":%d,"micros":%d,"p50_micros":%d,"p99_micros":%d,"failed":%d}',
    summary.requests, summary.duration, latency:percentile(50), latency:percentile(99),
    summary.errors.connect + summary.errors.read + summary.errors.write + summary.errors.status +
    summary.errors.timeout))
end
"""


def signed_headers(service: str, target: str, body: str, endpoint: str, key: dict) -> dict[str, str]:
    """SigV4 as boto3 makes it."""
    now = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime())
    headers = {"content-type": "application/x-amz-json-1.1", "host": urlsplit(endpoint).netloc,
               "x-amz-date": now, "x-amz-target": target}
    names = ";".join(headers)
    canonical = "\n".join(["POST", "/", "", *(f"{k}:{v}" for k, v in headers.items()), "", names,
                           hashlib.sha256(body.encode()).hexdigest()])
    scope = f"{now[:8]}/us-east-1/{service}/aws4_request"
    text = "\n".join(["AWS4-HMAC-SHA256", now, scope,
                      hashlib.sha256(canonical.encode()).hexdigest()])
    secret = ("AWS4" + key["AWS_SECRET_ACCESS_KEY"]).encode()
    for part in (now[:8], "us-east-1", service, "aws4_request", text):
        secret = hmac.new(secret, part.encode(), hashlib.sha256).digest()
    return {"Content-Type": headers["content-type"], "X-Amz-Date": now, "X-Amz-Target": target,
            "Authorization": f"AWS4-HMAC-SHA256 Credential={key['AWS_ACCESS_KEY_ID']}/{scope}, "
                             f"SignedHeaders={names}, Signature={secret.hex()}"}


class Client:
    """An endpoint and the key that opens it."""

    endpoint: str
    key: dict[str, str]

    def ask(self, target: str, body: dict, service: str = "sagemaker") -> dict:
        text = json.dumps(body)
        request = urllib.request.Request(
            self.endpoint, data=text.encode(),
            headers=signed_headers(service, target, text, self.endpoint, self.key))
        with urllib.request.urlopen(request) as answer:
            return json.loads(answer.read() or b"{}")


def load(endpoint: str, script: str, connections: int, seconds: int) -> dict:
    with tempfile.NamedTemporaryFile("w", suffix=".lua") as file:
        file.write(script + DONE)
        file.flush()
        out = subprocess.run(["wrk", "-t1", f"-c{connections}", f"-d{seconds}s", "-s", file.name,
                              endpoint + "/"], capture_output=True, text=True, check=True)
    result = json.loads(out.stdout.splitlines()[-1])
    result["per_second"] = round(result["requests"] * 1e6 / result.pop("micros"))
    return result


def lua(text: str) -> str:
    return "[==[" + text + "]==]"


def fixed(client: Client, service: str, target: str, bodies: list[dict]) -> str:
    """A script that sends these requests in turn."""
    made = []
    for body in bodies:
        text = json.dumps(body)
        headers = signed_headers(service, target, text, client.endpoint, client.key)
        fields = ",".join(f'["{name}"]={lua(value)}' for name, value in headers.items())
        made.append(f"wrk.format('POST', '/', {{{fields}}}, {lua(text)})")
    return ("local all = {}\nfunction init(args)\n"
            + "\n".join(f"all[{i + 1}] = {one}" for i, one in enumerate(made))
            + "\nend\nlocal at = 0\nfunction request()\nat = at % #all + 1\nreturn all[at]\nend\n")


def creating(body: dict, mark: str, authorization: str = "") -> str:
    """A script that creates jobs whose names never repeat; wrk cannot sign them."""
    text = json.dumps(body | {"TrainingJobName": "NAME"})
    signed = f",['Authorization']={lua(authorization)}" if authorization else ""
    return (f"local body = {lua(text)}\nlocal at = 0\n"
            "local headers = {['Content-Type']='application/x-amz-json-1.1',"
            f"['X-Amz-Target']='SageMaker.CreateTrainingJob'{signed}}}\nfunction request()\nat = at + 1\n"
            f"local text = body:gsub('NAME', '{mark}-' .. at)\n"
            "return wrk.format('POST', '/', headers, text)\nend\n")


def is_open(connection: socket.socket) -> bool:
    """False when the other side has closed it or sent what nobody asked for."""
    connection.setblocking(False)
    try:
        connection.recv(1)
    except BlockingIOError:
        return True
    except OSError:
        return False
    return False


@contextmanager
def silent_connections(client: Client, count: int, target: str,
                       body: dict) -> Iterator[list[socket.socket]]:
    """Open ones that have had one answer each, as a client that keeps its connection has."""
    text = json.dumps(body)
    place = urlsplit(client.endpoint)
    headers = signed_headers("sagemaker", target, text, client.endpoint, client.key)
    lines = [f"{name}: {value}\r\n" for name, value in headers.items()]
    request = (f"POST / HTTP/1.1\r\nHost: {place.netloc}\r\nContent-Length: {len(text)}\r\n"
               + "".join(lines) + "\r\n" + text).encode()
    opened: list[socket.socket] = []
    try:
        for _ in range(count):
            one = socket.create_connection((place.hostname, place.port), timeout=30)
            opened.append(one)
            one.sendall(request)
            answer = one.recv(65_536)
            if not answer.startswith(b"HTTP/1.1 200"):
                raise RuntimeError(answer[:300])
        yield opened
    finally:
        for one in opened:
            one.close()
