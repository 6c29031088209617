"""One try of the real program: its home, its inputs, and the look around for what it left behind."""

from __future__ import annotations

import glob
import itertools
import json
import os
import subprocess
import tempfile
import time
import uuid
from dataclasses import dataclass, field
from pathlib import Path

LEFT_BEHIND_SECONDS = 10.0
RUN_SECONDS = 60.0
NOBODY = 65534
_numbers = itertools.count(1)
_MARK = uuid.uuid4().hex[:6]


@dataclass
class Outcome:
    """What a run of evener gave back."""

    code: int
    out: bytes
    err: str
    name: str = ""

    def events(self) -> list[dict]:
        """The lines of --json; each must be one object."""
        lines = self.out.decode("utf-8").splitlines()
        return [json.loads(line, parse_constant=_refuse_constant) for line in lines]

    def summary(self) -> dict:
        last = self.events()[-1]
        assert last["event"] == "summary", last
        return last

    def reason(self) -> str:
        return self.summary()["failure_reason"] or ""

    def log(self) -> list[str]:
        return [event["text"] for event in self.events() if event["event"] == "log"]


def _refuse_constant(word: str):
    raise ValueError(f"{word} is not JSON")


def job_body(folder: Path, name: str, **changes) -> dict:
    """A job of one group of one instance whose program is folder/source/train.py."""
    body = {
        "TrainingJobName": name,
        "RoleArn": "arn:aws:iam::000000000000:role/evener",
        "AlgorithmSpecification": {"TrainingImage": "python", "TrainingInputMode": "File"},
        "HyperParameters": {
            "sagemaker_program": "train.py",
            "sagemaker_submit_directory": str(folder / "source"),
        },
        "OutputDataConfig": {"S3OutputPath": str(folder / "out")},
        "ResourceConfig": {
            "VolumeSizeInGB": 1,
            "InstanceGroups": [
                {
                    "InstanceGroupName": "a",
                    "InstanceType": "ml.c5.xlarge",
                    "InstanceCount": 1,
                }
            ],
        },
        "StoppingCondition": {"MaxRuntimeInSeconds": 600},
    }
    body.update(changes)
    return body


def channel(name: str, uri: Path | str, **s3) -> dict:
    source = {"S3DataType": "S3Prefix", "S3Uri": str(uri), **s3}
    return {"ChannelName": name, "DataSource": {"S3DataSource": source}}


@dataclass
class Trial:
    """A folder of inputs, a home, and runs of evener on them."""

    evener: Path
    folder: Path
    home: Path
    environment: dict[str, str]
    user: int | None = None
    names: list[str] = field(default_factory=list)

    def new_name(self) -> str:
        name = f"t{_MARK}-{next(_numbers)}"
        self.names.append(name)
        return name

    def program(self, text: str | bytes = "print('fine')\n") -> Path:
        source = self.folder / "source"
        source.mkdir(exist_ok=True)
        data = text.encode() if isinstance(text, str) else text
        (source / "train.py").write_bytes(data)
        return source

    def run(self, *words: str | bytes, stdin: bytes = b"", seconds: float = RUN_SECONDS,
            cwd: Path | None = None) -> Outcome:
        command: list[str | bytes] = [str(self.evener), *words]
        result = subprocess.run(
            command, input=stdin, capture_output=True, timeout=seconds, env=self.environment,
            cwd=cwd or self.folder, user=self.user, group=self.user,
            extra_groups=[] if self.user is not None else None)
        return Outcome(result.returncode, result.stdout, result.stderr.decode("utf-8", "replace"))

    def train(self, *words: str, seconds: float = RUN_SECONDS, **changes) -> Outcome:
        """Runs a job file with those members changed, --json."""
        name = changes.pop("TrainingJobName", None) or self.new_name()
        text = json.dumps(job_body(self.folder, name, **changes)).encode()
        outcome = self.run("train", "-", "--json", *words, stdin=text, seconds=seconds)
        outcome.name = name
        return outcome

    def refused(self, *parts: str, **changes) -> str:
        """The job must be refused with a message that has these parts, and leave no job."""
        return check_refusal(self, self.train(**changes), *parts)

    def jobs(self) -> list[dict]:
        listed = self.run("jobs", "list", "--json")
        assert listed.code == 0, listed.err
        return listed.events()

    def leftovers(self) -> list[str]:
        """What still exists after the last run, once it had time to go."""
        end = time.monotonic() + LEFT_BEHIND_SECONDS
        while left := self._left_now():
            if time.monotonic() > end:
                break
            time.sleep(0.05)
        return left

    def _left_now(self) -> list[str]:
        left = [f"process {words}" for words in _processes_with(os.fsencode(str(self.home)))]
        mounts = Path("/proc/self/mountinfo").read_bytes().splitlines()
        mark = os.fsencode(str(self.home / "jobs"))
        left += [f"mount {line!r}" for line in mounts if mark in line]
        for name in self.names:
            left += glob.glob(f"/sys/fs/cgroup/**/{name}-*", recursive=True)
        for pattern in ("**/.*.tmp*", "**/*.partial", "**/.evener*"):
            for folder in (self.folder / "out", self.home):
                left += [str(path) for path in folder.glob(pattern)]
        return left


def check_refusal(trial: Trial, outcome: Outcome, *parts: str) -> str:
    assert outcome.code == 2, (outcome.code, outcome.out[-2000:], outcome.err)
    assert outcome.err.startswith("evener: "), outcome.err
    for part in parts:
        assert part in outcome.err, outcome.err
    if (trial.home / "evener.db").exists():
        assert outcome.name not in [job["TrainingJobName"] for job in trial.jobs()]
    return outcome.err


def _processes_with(mark: bytes) -> list[bytes]:
    found = []
    for entry in os.listdir("/proc"):
        if not entry.isdigit() or int(entry) == os.getpid():
            continue
        try:
            words = Path(f"/proc/{entry}/cmdline").read_bytes()
        except OSError:
            continue
        if mark in words and b"pytest" not in words:
            found.append(entry.encode() + b" " + words.replace(b"\0", b" "))
    return found


def small_disk(size: str, prefix: str = "evener-disk-") -> Path:
    """A tmpfs of that size; the caller unmounts it."""
    path = Path(tempfile.mkdtemp(prefix=prefix))
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size},mode=777", "tmpfs", str(path)],
                   check=True)
    return path


def remove_disk(path: Path) -> None:
    subprocess.run(["umount", "-l", str(path)], check=False)
    path.rmdir()
