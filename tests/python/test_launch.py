"""python -m evener.launch with real processes: who runs what, and how a job ends."""

from __future__ import annotations

import json
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from launched import TOKEN, Job, answered, ended, is_running, stop, wait_until

GROUPS = {"data_group": 1, "dnn_group": 1}
WAITS = "Path(sys.argv[1]).touch()\nsignal.pause()"


@pytest.fixture
def job(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Job]:
    job = Job(tmp_path, getattr(request, "param", GROUPS))
    yield job
    job.end()


def groups(**counts: int) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("job", [counts], indirect=True)


def test_a_job_of_two_groups_runs_and_ends_by_itself(job: Job) -> None:
    [data], [training] = job.groups.values()
    script = job.script("print(json.dumps([sys.argv[1:], dict(os.environ)]))")
    data_host = job.start(data, script, "--epochs", "3")
    [dispatcher], [worker] = job.started("dispatcher"), job.started("worker")
    training_host = job.start(training, script, "--epochs", "3")
    code, output, errors = ended(training_host)
    assert (code, errors) == (0, "")
    arguments, variables = json.loads(output)
    assert arguments == ["--epochs", "3"]
    assert variables["EVENER_DATA_ADDRESS"] == f"{data}:{job.port}"
    assert variables["EVENER_DATA_TOKEN"] == TOKEN
    assert ended(data_host) == (0, "", "listening\n" * 2)
    assert dispatcher["token"] == worker["token"] == TOKEN
    assert f"{data}:{job.port}" in dispatcher["arguments"]
    assert f"{data}:{job.port}" in worker["arguments"]
    assert f"{data}:{job.port + 1}" in worker["arguments"]
    assert not is_running(dispatcher["pid"]) and not is_running(worker["pid"])
    assert not any(TOKEN in word for word in dispatcher["arguments"] + worker["arguments"])


@pytest.mark.parametrize("end, code", [
    ("sys.exit(7)", 7),
    ("os.kill(os.getpid(), signal.SIGKILL)", 137),
    ("raise ValueError('no')", 1),
])
def test_the_scripts_exit_code_is_kept_and_its_failure_ends_the_data_group(
    job: Job, end: str, code: int
) -> None:
    [data], [training] = job.groups.values()
    data_host = job.start(data, job.script(""))
    job.started("worker")
    assert ended(job.start(training, job.script(end)))[0] == code
    assert ended(data_host)[0] == 0


@groups(data_group=2, dnn_group=2)
def test_the_data_group_waits_for_every_training_host(job: Job, tmp_path: Path) -> None:
    datas, (one, other) = job.groups.values()
    data_hosts = [job.start(host, job.script("")) for host in datas]
    waits = job.start(one, job.script(WAITS), str(tmp_path / "waits"))
    assert ended(job.start(other, job.script("")))[0] == 0
    assert all(host.poll() is None for host in data_hosts)
    assert len(job.started("dispatcher")) == 1 and len(job.started("worker", 2)) == 2
    wait_until((tmp_path / "waits").exists)
    stop(waits, signal.SIGTERM)
    assert ended(waits)[0] == 128 + signal.SIGTERM
    assert [ended(host)[0] for host in data_hosts] == [0, 0]


def test_every_process_of_mpirun_is_waited_for(job: Job, tmp_path: Path) -> None:
    [data], [training] = job.groups.values()
    data_host = job.start(data, job.script(""))

    def rank(number: int, *arguments: str, script: str):
        return job.start(training, job.script(script), *arguments,
                         OMPI_COMM_WORLD_RANK=str(number), OMPI_COMM_WORLD_SIZE="2",
                         OMPI_COMM_WORLD_LOCAL_RANK=str(number), OMPI_COMM_WORLD_LOCAL_SIZE="2")

    waits = rank(1, str(tmp_path / "waits"), script=WAITS)
    assert ended(rank(0, script=""))[0] == 0
    wait_until((tmp_path / "waits").exists)
    assert data_host.poll() is None
    stop(waits)
    ended(waits)
    assert ended(data_host)[0] == 0


def test_a_training_host_that_dies_without_a_word_ends_the_data_group(
    job: Job, tmp_path: Path
) -> None:
    [data], [training] = job.groups.values()
    data_host = job.start(data, job.script(""))
    killed = job.start(training, job.script("Path(sys.argv[1]).write_text(str(os.getpid()))\n"
                                            "signal.pause()"), str(tmp_path / "pid"))
    wait_until(lambda: (tmp_path / "pid").exists() and (tmp_path / "pid").read_text())
    job.started("worker")
    with answered((data, job.port + 2)):
        killed.kill()
    code, _, errors = ended(data_host)
    assert code == 1 and "lost: rank 0" in errors or "never came" in errors
    wait_until(lambda: not is_running(int((tmp_path / "pid").read_text())))


def test_a_training_host_that_never_comes_ends_the_data_group(job: Job) -> None:
    [data], _ = job.groups.values()
    code, _, errors = ended(job.start(data, job.script(""), options=("--start-seconds", "0.2")))
    assert code == 1 and "a training process never came: rank 0" in errors


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_stopped_data_host_ends_its_programs_and_then_itself(job: Job, number: int) -> None:
    [data], _ = job.groups.values()
    data_host = job.start(data, job.script(""))
    pids = [note["pid"] for kind in ("dispatcher", "worker") for note in job.started(kind)]
    stop(data_host, number)
    assert ended(data_host)[0] == 0
    assert not any(is_running(pid) for pid in pids)


@pytest.mark.parametrize("number", [
    signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGUSR1, signal.SIGUSR2])
def test_signals_reach_the_script_which_decides(job: Job, tmp_path: Path, number: int) -> None:
    [data], [training] = job.groups.values()
    job.start(data, job.script(""))
    script = job.script(f"signal.signal({int(number)}, lambda *_: sys.exit(40))\n{WAITS}")
    host = job.start(training, script, str(tmp_path / "ready"))
    wait_until((tmp_path / "ready").exists)
    stop(host, number)
    assert ended(host)[0] == 40


@pytest.mark.parametrize("kind", ["dispatcher", "worker"])
def test_a_program_of_the_service_that_ends_early_fails_the_data_host(job: Job, kind: str) -> None:
    [data], _ = job.groups.values()
    code, _, errors = ended(job.start(data, job.script(""), BREAKS=kind))
    assert code == 9 and f"the {kind} of the data service has ended with exit code 9" in errors
    for name in ("dispatcher", "worker"):
        assert not any(is_running(note["pid"]) for note in job.started(name, 0))


@pytest.mark.parametrize("line", [
    b"ended 0\n", b'{"rank": 0, "ranks": 1, "proof": "00"}\nended 0\n', b"\xff\xfe\n", b"[]\n",
    b"x" * 4096, b'{"rank": 0, "ranks": 1e9, "proof": "\xc3\xa9"}\n',
])
def test_a_stranger_cannot_end_the_data_group(job: Job, line: bytes) -> None:
    [data], [training] = job.groups.values()
    data_host = job.start(data, job.script(""))
    job.started("worker")
    with answered((data, job.port + 2)) as stranger:
        assert stranger.recv(200).startswith(b"evener-launch 1 ")
        stranger.sendall(line)
        try:
            assert stranger.recv(200) == b""
        except ConnectionResetError:
            pass
    assert data_host.poll() is None
    assert ended(job.start(training, job.script("")))[0] == 0
    assert ended(data_host)[0] == 0


@groups(gpus=1)
def test_a_host_alone_serves_itself(job: Job) -> None:
    [[host]] = job.groups.values()
    script = job.script("print(os.environ['EVENER_DATA_ADDRESS'])\nsys.exit(3)")
    code, output, _ = ended(job.start(host, script))
    assert (code, output) == (3, f"{host}:{job.port}\n")
    assert len(job.started("dispatcher")) == len(job.started("worker")) == 1


@groups(gpus=2)
def test_without_a_data_group_the_first_host_serves_until_the_last_has_ended(
    job: Job, tmp_path: Path
) -> None:
    [[first, second]] = job.groups.values()
    waits = job.start(second, job.script(WAITS), str(tmp_path / "waits"))
    leads = job.start(first, job.script("Path(sys.argv[1]).touch()"), str(tmp_path / "done"))
    wait_until(lambda: (tmp_path / "waits").exists() and (tmp_path / "done").exists())
    [dispatcher] = job.started("dispatcher")
    assert len(job.started("worker", 2)) == 2
    assert leads.poll() is None and is_running(dispatcher["pid"])
    stop(waits)
    assert ended(waits)[0] == 128 + signal.SIGTERM
    assert ended(leads)[0] == 0


def test_outside_a_job_the_service_runs_on_loopback_with_a_token_of_its_own(job: Job) -> None:
    host = job.start("outside", job.script("print(os.environ['EVENER_DATA_ADDRESS'])"),
                     EVENER_DATA_TOKEN="")
    assert ended(host)[:2] == (0, f"127.0.0.1:{job.port}\n")
    [dispatcher] = job.started("dispatcher")
    assert len(dispatcher["token"]) >= 32


@pytest.mark.parametrize("variables, words", [
    ({"EVENER_DATA_TOKEN": ""}, "put EVENER_DATA_TOKEN"),
    ({"EVENER_DATA_TOKEN": "", "EVENER_DATA_TOKEN_FILE": "/nowhere"}, "/nowhere cannot be read"),
    ({"EVENER_BINARY": "/nowhere"}, "EVENER_BINARY=/nowhere is not a program"),
    ({"EVENER_DATA_GROUPS": "x"}, "no group 'x'"),
])
def test_what_keeps_a_host_from_starting_is_said(
    job: Job, variables: dict[str, str], words: str
) -> None:
    [data], _ = job.groups.values()
    code, _, errors = ended(job.start(data, job.script(""), **variables))
    assert code == 2 and errors.count("\n") == 1 and words in errors


def test_a_token_may_come_from_a_file(job: Job, tmp_path: Path) -> None:
    [data], _ = job.groups.values()
    (tmp_path / "token").write_text("from a file\n")
    job.start(data, job.script(""), EVENER_DATA_TOKEN="",
              EVENER_DATA_TOKEN_FILE=str(tmp_path / "token"))
    assert job.started("worker")[0]["token"] == "from a file"


def test_hosts_with_different_tokens_say_so_once(job: Job) -> None:
    [data], [training] = job.groups.values()
    data_host = job.start(data, job.script(""), options=("--start-seconds", "1"))
    script = job.script("time.sleep(0.05)\nsys.exit(1)")
    _, _, errors = ended(job.start(training, script, EVENER_DATA_TOKEN="another"))
    assert errors.count("does not know this host's token") == 1
    code, _, errors = ended(data_host)
    assert code == 1 and errors.count("without the job's token") == 1
