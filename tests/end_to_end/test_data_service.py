"""The data service in a job: what its programs find there, and a whole job that uses it."""

from __future__ import annotations

import json

from trial import Trial

TWO_GROUPS = {"VolumeSizeInGB": 1, "InstanceGroups": [
    {"InstanceGroupName": "data_group", "InstanceType": "ml.c5.xlarge", "InstanceCount": 1},
    {"InstanceGroupName": "dnn_group", "InstanceType": "ml.c5.xlarge", "InstanceCount": 1}]}

SHOW = """
import json, os, subprocess
done = subprocess.run([os.environ["EVENER_BINARY"], "--version"], capture_output=True, text=True)
print(json.dumps([os.environ["EVENER_DATA_TOKEN"], done.returncode, done.stdout]))
"""


def test_programs_of_a_job_find_this_program_and_share_a_secret(trial: Trial) -> None:
    trial.program(SHOW)
    version = trial.run("--version").out.decode()
    seen = []
    for _ in range(2):
        outcome = trial.train(ResourceConfig=TWO_GROUPS)
        assert outcome.code == 0, outcome.err
        one, other = (json.loads(line) for line in outcome.log())
        assert one == other and one[1:] == [0, version]
        assert len(one[0]) >= 32
        seen.append(one[0])
        described = trial.run("jobs", "show", outcome.name, "--json").out.decode()
        assert one[0] not in described
    assert seen[0] != seen[1]


def test_a_request_may_name_its_own_secret(trial: Trial) -> None:
    trial.program(SHOW)
    outcome = trial.train(Environment={"EVENER_DATA_TOKEN": "0123456789abcdef"})
    assert outcome.code == 0, outcome.err
    assert json.loads(outcome.log()[0])[0] == "0123456789abcdef"
