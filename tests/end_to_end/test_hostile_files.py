"""Files made to do harm, in archives, channels, models and failure files: the machine stays whole."""

from __future__ import annotations

import hashlib
import io
import os
import shutil
import socket
import subprocess
import tarfile
import time
from pathlib import Path

import pytest

from trial import NOBODY, Outcome, Trial, channel, check_refusal, job_body

SHARDED = {"S3DataDistributionType": "ShardedByS3Key"}


def parameters(trial: Trial, source: Path) -> dict:
    return job_body(trial.folder, "x")["HyperParameters"] | {"sagemaker_submit_directory": str(source)}


def run_program(trial: Trial, text: str, **changes) -> Outcome:
    trial.program(text)
    return trial.train(**changes)


def notices(outcome: Outcome) -> str:
    return "\n".join(outcome.summary()["notices"])


# Source archives


ARCHIVES = {
    "a path upwards": [("../evil", tarfile.REGTYPE, "")],
    "an absolute path": [("/tmp/evener-evil", tarfile.REGTYPE, "")],
    "a device": [("null", tarfile.CHRTYPE, "")],
    "a block device": [("sda", tarfile.BLKTYPE, "")],
    "a FIFO": [("pipe", tarfile.FIFOTYPE, "")],
    "a symlink and a file through it": [("l", tarfile.SYMTYPE, "/tmp"),
                                        ("l/evener-evil", tarfile.REGTYPE, "")],
    "a relative symlink outwards": [("l", tarfile.SYMTYPE, "../../../../../../tmp"),
                                    ("l/evener-evil", tarfile.REGTYPE, "")],
    "a hard link outwards": [("h", tarfile.LNKTYPE, "/etc/passwd")],
    "a symlink to a secret": [("l", tarfile.SYMTYPE, "/etc/shadow")],
}


@pytest.mark.parametrize("case", ARCHIVES)
def test_an_archive_that_reaches_outside_is_refused_whole(trial: Trial, case: str):
    archive = trial.folder / "source.tar.gz"
    with tarfile.open(archive, "w:gz") as tar:
        tar.add(trial.folder / "source/train.py", "train.py")
        for name, kind, target in ARCHIVES[case]:
            member = tarfile.TarInfo(name)
            member.type, member.linkname, member.size = kind, target, 0
            tar.addfile(member, io.BytesIO(b""))
    outcome = trial.train(HyperParameters=parameters(trial, archive))
    assert outcome.code == 1 and outcome.log() == []
    assert f"ClientError: source code: unpack {archive}: " in outcome.reason()
    assert any(f'"{name}"' in outcome.reason() for name, _, _ in ARCHIVES[case])
    assert not Path("/tmp/evener-evil").exists()


@pytest.mark.parametrize("cut", [0, 7, 90])
def test_an_archive_cut_off_is_refused(trial: Trial, cut: int):
    archive = trial.folder / "source.tar.gz"
    with tarfile.open(archive, "w:gz") as tar:
        tar.add(trial.folder / "source/train.py", "train.py")
    archive.write_bytes(archive.read_bytes()[:cut])
    outcome = trial.train(HyperParameters=parameters(trial, archive))
    assert outcome.code == 1 and str(archive) in outcome.reason()


def test_a_missing_source_folder_or_entry_point_is_refused_with_a_hint(trial: Trial):
    trial.refused(str(trial.folder / "absent"), "does not exist",
                  HyperParameters=parameters(trial, trial.folder / "absent"))
    wrong = parameters(trial, trial.folder / "source") | {"sagemaker_program": "trian.py"}
    trial.refused("'trian.py'", "did you mean 'train.py'?", HyperParameters=wrong)
    outside = wrong | {"sagemaker_program": "../../etc/passwd"}
    trial.refused("inside the source folder", HyperParameters=outside)
    flags = ["--entry-point", "train.py", "--source-dir", "absent", "--name", "x"]
    check_refusal(trial, trial.run("train", *flags), "does not exist")


def test_a_source_that_goes_before_the_job_starts_fails_the_job(trial: Trial):
    """The first job holds the only CPUs until the second one's source is gone."""
    (trial.home / "config.toml").write_text(
        f'[[instance]]\ntype = "ml.all"\nvcpus = {len(os.sched_getaffinity(0))}\nmemory_gib = 0.05\n')
    groups = [{"InstanceGroupName": "a", "InstanceType": "ml.all", "InstanceCount": 1}]
    trial.program("import time\ntime.sleep(0.5)\n")
    all_cpus = {"ResourceConfig": {"VolumeSizeInGB": 1, "InstanceGroups": groups}}
    assert trial.train("--fit", "strict", "--detach", **all_cpus).code == 0
    shutil.copytree(trial.folder / "source", trial.folder / "other")
    second = trial.train("--fit", "strict", "--detach",
                         HyperParameters=parameters(trial, trial.folder / "other"), **all_cpus)
    assert second.code == 0, second.err
    shutil.rmtree(trial.folder / "other")
    end = time.monotonic() + 30
    while "InProgress" in (status := {job["TrainingJobName"]: job["TrainingJobStatus"]
                                      for job in trial.jobs()}).values():
        assert time.monotonic() < end, status
        time.sleep(0.05)
    assert status[second.name] == "Failed"
    assert "does not exist" in trial.run("jobs", "show", second.name).out.decode()


# Channels


LIST_INPUT = """
import os
raw = os.fsencode(os.environ["SM_CHANNEL_RAW"])
for folder, folders, files in os.walk(raw):
    for name in sorted(files): print(ascii(os.path.relpath(os.path.join(folder, name), raw)))
"""


def make_socket(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as one:
        one.bind(str(path))


BAD_ENTRIES = {
    "a FIFO": (lambda folder: os.mkfifo(folder / "odd"), "not a regular file"),
    "a socket": (lambda folder: make_socket(folder / "odd"), "not a regular file"),
    "a symlink to nothing": (lambda folder: (folder / "odd").symlink_to("gone"), "symlink to nothing"),
    "a symlink to itself": (lambda folder: (folder / "odd").symlink_to("odd"), "symbolic links"),
    "a symlink to its folder": (lambda folder: (folder / "odd").symlink_to("."), "leads back"),
}


@pytest.mark.parametrize("share", [{}, SHARDED], ids=["all", "sharded"])
@pytest.mark.parametrize("case", BAD_ENTRIES)
def test_a_channel_with_an_entry_that_is_no_data_names_it(trial: Trial, case: str, share: dict):
    make, why = BAD_ENTRIES[case]
    data = trial.folder / "data"
    data.mkdir()
    (data / "plain").write_text("1")
    make(data)
    outcome = trial.train(InputDataConfig=[channel("raw", data, **share)])
    assert outcome.code == 1
    for part in ("channel raw", str(data / "odd"), why):
        assert part in outcome.reason(), outcome.reason()


def test_a_missing_or_empty_channel_is_refused(trial: Trial):
    (trial.folder / "empty/below").mkdir(parents=True)
    for name in ("empty", "empty/", "absent", "absent/", "absent/below"):
        path = f"{trial.folder}/{name}"
        trial.refused(f'channel raw: No objects found under "file://{path}"',
                      InputDataConfig=[channel("raw", path)])
    check_refusal(trial, trial.run("train", "--entry-point", "train.py", "--source-dir", "source",
                                   "--channel", "raw=empty"), "channel raw: No objects found")
    manifest = channel("raw", trial.folder / "absent.json", S3DataType="ManifestFile")
    trial.refused("channel raw", "absent.json", InputDataConfig=[manifest])


def test_a_channel_is_a_prefix_of_names(trial: Trial):
    (trial.folder / "train-1").mkdir()
    (trial.folder / "train-1/a").write_text("1")
    outcome = run_program(trial, LIST_INPUT, InputDataConfig=[channel("raw", trial.folder / "train-")])
    assert outcome.code == 0, outcome.err


def test_symlinks_out_of_a_channel_are_followed_and_their_targets_safe(trial: Trial):
    target = trial.folder / "target"
    target.mkdir()
    (target / "t").write_text("mine")
    data = trial.folder / "data"
    data.mkdir()
    (data / "file").symlink_to(target / "t")
    (data / "folder").symlink_to(target)
    text = "for name in ('file', 'folder/t'):\n  open(os.environ['SM_CHANNEL_RAW'] + '/' + name, 'a').write('x')\n"
    outcome = run_program(trial, LIST_INPUT + text, InputDataConfig=[channel("raw", data)])
    assert outcome.code == 0, outcome.reason()
    assert outcome.log() == ["b'file'", "b'folder/t'"]
    assert (target / "t").read_text() == "mine"


@pytest.mark.parametrize("share", [{}, SHARDED], ids=["all", "sharded"])
def test_names_of_any_bytes_arrive(trial: Trial, share: dict):
    names = [b"new\nline", b"not\xffutf", b"n" * 255, b" sp ace ", b"-rf", b"back\\slash", b"#?%20",
             b"*", b"\xe6\xbc\xa2"]
    data = trial.folder / "data"
    data.mkdir()
    for name in names:
        Path(os.fsdecode(os.path.join(os.fsencode(data), name))).write_text("x")
    outcome = run_program(trial, LIST_INPUT, InputDataConfig=[channel("raw", data, **share)])
    assert outcome.code == 0, outcome.reason()
    assert sorted(outcome.log()) == sorted(ascii(name) for name in names)


def test_a_channel_of_100000_files_arrives(trial: Trial):
    data = trial.folder / "data"
    data.mkdir()
    for i in range(100_000):
        os.close(os.open(data / f"{i:06}", os.O_CREAT | os.O_WRONLY))
    outcome = run_program(trial, "import os; print(len(os.listdir(os.environ['SM_CHANNEL_RAW'])))\n",
                          InputDataConfig=[channel("raw", data)])
    assert outcome.log() == ["100000"], outcome.reason()


def test_fewer_files_than_hosts_is_said_and_works(trial: Trial):
    data = trial.folder / "data"
    data.mkdir()
    (data / "only").write_text("1")
    config = {"VolumeSizeInGB": 1, "InstanceGroups": [
        {"InstanceGroupName": "a", "InstanceType": "ml.c5.xlarge", "InstanceCount": 3}]}
    outcome = run_program(trial, LIST_INPUT, ResourceConfig=config,
                          InputDataConfig=[channel("raw", data, **SHARDED)])
    assert outcome.code == 0 and outcome.log() == ["b'only'"]
    assert "algo-2 receives no object of channel raw" in notices(outcome)


MANIFESTS = {
    '[{"prefix": }': "not valid JSON",
    '["a"]': "prefix",
    '[]': "manifest",
    '[{"prefix":"%s/"},"../../etc/passwd"]': "leads out",
    '[{"prefix":"%s/"},"absent"]': "absent",
}


@pytest.mark.parametrize("text", MANIFESTS)
def test_a_manifest_with_an_error_is_named(trial: Trial, text: str):
    manifest = trial.folder / "manifest.json"
    manifest.write_text(text.replace("%s", str(trial.folder)))
    source = {"S3DataType": "ManifestFile", "S3Uri": str(manifest)}
    data = [{"ChannelName": "raw", "DataSource": {"S3DataSource": source}}]
    outcome = trial.train(InputDataConfig=data)
    assert outcome.code == 1 and "channel raw" in outcome.reason()
    assert MANIFESTS[text] in outcome.reason()


def test_gzip_that_is_none_is_named(trial: Trial):
    data = trial.folder / "data"
    data.mkdir()
    (data / "x.gz").write_text("plain")
    outcome = trial.train(InputDataConfig=[dict(channel("raw", data), CompressionType="Gzip")])
    assert outcome.code == 1
    assert str(data / "x.gz") in outcome.reason() and "gzip" in outcome.reason()


HARM_INPUT = """
import os
def attempt(call):
    try: call()
    except OSError: pass
    else: print("done")
root = os.environ["SM_CHANNEL_RAW"]
for folder, folders, files in os.walk(root):
    for name in files:
        path = os.path.join(folder, name)
        attempt(lambda: os.chmod(path, 0o777))
        attempt(lambda: os.utime(path, (1, 1)))
        attempt(lambda: open(path, "r+b").write(b"EVIL"))
        attempt(lambda: os.setxattr(path, "user.evil", b"1"))
        attempt(lambda: os.link(path, path + ".link"))
        attempt(lambda: os.truncate(path, 0))
        attempt(lambda: os.unlink(path))
    attempt(lambda: os.chmod(folder, 0o700))
attempt(lambda: open(root + "/new", "w").write("x"))
attempt(lambda: os.rename(root + "/sub", root + "/bus"))
attempt(lambda: open(__file__, "a").write("evil"))
"""


def snapshot(folder: Path) -> dict[str, tuple]:
    """All that a program could change of a tree."""
    found = {}
    for path in [folder, *sorted(folder.rglob("*"))]:
        status = path.lstat()
        content = hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else ""
        found[str(path)] = (status.st_mode, status.st_uid, status.st_gid, status.st_mtime_ns,
                            status.st_ctime_ns, status.st_nlink, status.st_size, content,
                            tuple(os.listxattr(path)))
    return found


@pytest.mark.parametrize("isolation", ["namespaces", "plain"])
@pytest.mark.parametrize("user", [None, NOBODY], ids=["root", "nobody"])
def test_input_is_the_same_after_a_program_that_tried_everything(trial: Trial, user, isolation: str):
    if user is not None and os.getuid() != 0:
        pytest.skip("only root can run as another user")
    trial.program(HARM_INPUT)
    data = trial.folder / "data"
    (data / "sub").mkdir(parents=True)
    for name in ("a.gz", "sub/b.gz"):
        (data / name).write_bytes(subprocess.run(["gzip"], input=b"x" * 9000, capture_output=True,
                                                 check=True).stdout)
    if user is not None:
        subprocess.run(["chown", "-R", str(user), str(trial.folder), str(trial.home)], check=True)
        trial.user = user
    before = snapshot(data) | snapshot(trial.folder / "source")
    for share, compression in (({}, "None"), (SHARDED, "None"), ({}, "Gzip")):
        one = dict(channel("raw", data, **share), CompressionType=compression)
        outcome = trial.train("--isolation", isolation, InputDataConfig=[one])
        assert outcome.code == 0, outcome.reason()
        assert "done" in outcome.log()
        assert snapshot(data) | snapshot(trial.folder / "source") == before


def test_what_a_user_cannot_read_is_named(trial: Trial):
    if os.getuid() != 0:
        pytest.skip("only root can run as another user")
    data = trial.folder / "data"
    data.mkdir()
    (data / "secret").write_text("1")
    (data / "secret").chmod(0)
    trial.home.chmod(0o777)
    trial.folder.chmod(0o777)
    trial.user = NOBODY
    outcome = trial.train(InputDataConfig=[channel("raw", data)])
    assert outcome.code == 1 and f"{data / 'secret'}: Permission denied" in outcome.reason()
    (trial.folder / "source/train.py").chmod(0)
    trial.refused("train.py: Permission denied")
    data.chmod(0)
    trial.refused("channel raw", f"{data}: Permission denied", InputDataConfig=[channel("raw", data)])
    data.chmod(0o755)


# Models


def model_names(outcome: Outcome) -> list[tarfile.TarInfo]:
    uri = outcome.summary()["artifacts"]["model"]
    with tarfile.open(uri.removeprefix("file://")) as tar:
        return tar.getmembers()


IN_MODEL = "import os, socket\nos.chdir(os.environ['SM_MODEL_DIR'])\nopen('plain', 'w').write('x')\n"


def test_what_is_no_file_is_left_out_of_the_model_and_said(trial: Trial):
    outcome = run_program(trial, IN_MODEL + """
os.symlink('/etc/passwd', 'absolute')
os.symlink('../../../../../etc', 'upwards')
os.symlink('plain', 'inside')
os.mkfifo('fifo')
socket.socket(socket.AF_UNIX).bind('socket')
""")
    assert outcome.code == 0, outcome.reason()
    assert {member.name for member in model_names(outcome)} == {"plain", "inside"}
    for name in ("absolute", "upwards", "fifo", "socket"):
        assert f"left out of the results: algo-1: {name}: " in notices(outcome)


@pytest.mark.parametrize("user", [None, NOBODY], ids=["root", "nobody"])
def test_closed_folders_and_files_of_the_model_are_packed(trial: Trial, user):
    if user is not None and os.getuid() != 0:
        pytest.skip("only root can run as another user")
    if user is not None:
        subprocess.run(["chown", "-R", str(user), str(trial.folder), str(trial.home)], check=True)
        trial.user = user
    trial.program(IN_MODEL + "os.mkdir('d')\nopen('d/x', 'w').write('x')\nos.chmod('d', 0)\n"
                             "os.chmod('plain', 0)\n")
    outcome = trial.train()
    assert outcome.code == 0, outcome.reason()
    names = {member.name.rstrip("/") for member in model_names(outcome)}
    assert {"plain", "d/x"} <= names or "left out of the results" in notices(outcome)


def test_odd_names_hard_links_and_holes_are_packed(trial: Trial):
    outcome = run_program(trial, IN_MODEL + """
os.link('plain', 'hard')
for name in (b'--checkpoint-action=exec=sh x', b'-rf', b'new\\nline', b'\\xff', b'n' * 255):
    open(name, 'w').write('x')
open('holes', 'w').truncate(10 << 30)
""")
    assert outcome.code == 0, outcome.reason()
    members = {member.name: member for member in model_names(outcome)}
    assert set(members) == {"plain", "hard", "--checkpoint-action=exec=sh x", "-rf", "new\nline",
                            "\udcff", "n" * 255, "holes"}
    assert members["holes"].size == 10 << 30
    archive = outcome.summary()["artifacts"]["model"].removeprefix("file://")
    listed = subprocess.run(["tar", "tzf", archive], capture_output=True, check=True)
    assert len(listed.stdout.splitlines()) == len(members)
    assert os.stat(archive).st_size < 64 << 20


ML = "import os, shutil; ml = os.path.dirname(os.environ['SM_MODEL_DIR'])"
REPLACED = {
    "model gone": "shutil.rmtree(ml + '/model')",
    "model a symlink": "os.rename(ml + '/model', ml + '/m'); os.symlink('/etc', ml + '/model')",
    "model a file": "os.rmdir(ml + '/model'); open(ml + '/model', 'w').write('x')",
    "output gone": "shutil.rmtree(ml + '/output')",
    "output a symlink": "shutil.rmtree(ml + '/output'); os.symlink('/etc', ml + '/output')",
    "all gone": "shutil.rmtree(ml, ignore_errors=True)",
}


@pytest.mark.parametrize("case", REPLACED)
def test_folders_that_a_program_replaced_leak_nothing(trial: Trial, case: str):
    outcome = run_program(trial, f"{ML}\n{REPLACED[case]}\n")
    assert outcome.code == 0, outcome.reason()
    assert outcome.summary()["artifacts"] == {"model": None, "output": None}


# Failure files


FAILURES = {
    "a FIFO": "os.mkfifo(path)",
    "a symlink": "os.symlink('/etc/shadow', path)",
    "a folder": "os.mkdir(path)",
    "1 GB": "f = open(path, 'w'); f.write('E' * 100); f.truncate(1 << 30)",
    "odd bytes": r"open(path, 'wb').write(b'\xff\x00\x1b[31mred\x07\r\nsecond')",
}


@pytest.mark.parametrize("case", FAILURES)
def test_a_failure_file_of_any_kind_gives_a_reason_in_plain_text(trial: Trial, case: str):
    outcome = run_program(trial, "import os\npath = os.environ['SM_OUTPUT_DIR'] + '/failure'\n"
                                 f"{FAILURES[case]}\n"
                                 "raise SystemExit(3)\n")
    reason = outcome.reason()
    assert outcome.code == 1 and reason.startswith("AlgorithmError: ")
    assert "3 on host algo-1 of group a" in reason.replace("exit code: ", "").replace("Exit Code: ", "")
    assert len(reason) <= 1024 and "root:" not in reason
    assert all(character.isprintable() or character in "\n\t" for character in reason), ascii(reason)
    if case == "1 GB":
        assert "E" * 100 in reason and len(reason) < 200
    if case == "odd bytes":
        assert "red" in reason and "second" in reason
