"""The server's API is reachable from inside its jobs, under a fixed name and without a key."""

from __future__ import annotations

from urllib.parse import urlsplit

import pytest
from serving import job_body, lines_of, new_name, wait_until_ended

ASKING = """
import urllib.error, urllib.request
try:
    urllib.request.urlopen("http://host.evener.internal:PORT/", timeout=20)
except urllib.error.HTTPError as error:
    print("status", error.code, error.read().decode()[:300])
except OSError as error:
    print("unreachable")
"""


@pytest.mark.parametrize("isolated", [False, True])
def test_a_job_reaches_the_api_unless_its_network_is_isolated(server, isolated):
    server.program(ASKING.replace("PORT", str(urlsplit(server.endpoint).port)))
    sagemaker, logs = server.client("sagemaker"), server.client("logs")
    name = new_name()
    sagemaker.create_training_job(
        **job_body(server.folder, name, EnableNetworkIsolation=isolated))
    job = wait_until_ended(sagemaker, name)
    assert job["TrainingJobStatus"] == "Completed", job
    (_, lines), = lines_of(logs, name).items()
    said = [line for line in lines if line.startswith(("status", "unreachable"))]
    assert len(said) == 1, lines
    if isolated:
        assert said == ["unreachable"]
    else:
        assert said[0].startswith(("status 400", "status 403")), said
        assert "MissingAuthenticationToken" in said[0]
