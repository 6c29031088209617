"""What a job sees and cannot reach: the host's files, keys, network; and what it prints."""

from __future__ import annotations

import gzip
import json
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

import pytest
from house_of_jobs import ENDED, LONG, HouseOfJobs, eventually, house  # noqa: F401
from isolation import needs_namespaces


def printed(house: HouseOfJobs, name: str) -> dict:
    """The JSON object that a job printed."""
    [line] = [line for line in house.lines(name) if "| {" in line]
    return json.loads(line.split("| ", 1)[1])


LOOKS = """
import json, os, pathlib
def attempt(act):
    try:
        act()
        return "done"
    except OSError as error:
        return os.strerror(error.errno)
user = pathlib.Path(os.environ["USER_HOME"])
def names(path):
    try:
        return sorted(p.name for p in pathlib.Path(path).iterdir())
    except OSError as error:
        return [os.strerror(error.errno)]
print(json.dumps({
    "write /etc": attempt(lambda: open("/etc/evener-was-here", "w")),
    "write /usr": attempt(lambda: open("/usr/evener-was-here", "w")),
    "write input": attempt(lambda: open("/opt/ml/input/data/raw/a.txt", "w").write("mine")),
    "write tmp": attempt(lambda: open("/tmp/mine", "w")),
    "ssh": names(user / ".ssh"), "home": names(os.environ["PLACE_OF_JOBS"]),
    "processes": sum(p.name.isdigit() for p in pathlib.Path("/proc").iterdir()),
    "host": os.uname().nodename,
}), flush=True)
"""


@needs_namespaces("the machine's files are the job's too")
def test_the_host_is_read_only_and_keys_are_masked(house: HouseOfJobs) -> None:
    user = house.root / "user"
    (user / ".ssh").mkdir(parents=True)
    (user / ".ssh/id_ed25519").write_text("secret")
    raw = house.root / "raw"
    raw.mkdir()
    (raw / "a.txt").write_text("theirs")
    house.environment["HOME"] = str(user)
    done = house.run(*house.train("looks", LOOKS, "--env", f"USER_HOME={user}", "--env",
                                  f"PLACE_OF_JOBS={house.home}", "--channel", f"raw={raw}"))
    assert done.returncode == 0, done.stdout + done.stderr
    seen = printed(house, "looks")
    assert seen["write /etc"] == seen["write /usr"] == os.strerror(30)
    assert seen["write input"] == seen["write tmp"] == "done"
    assert "id_ed25519" not in seen["ssh"] and "evener.db" not in seen["home"], seen
    assert seen["processes"] < 10 and seen["host"] == "algo-1"
    assert (raw / "a.txt").read_text() == "theirs"
    assert not Path("/etc/evener-was-here").exists() and not Path("/tmp/mine").exists()


# A server on an address that only this network namespace has. The job must come to it through
# user-mode networking, or not at all.
NETWORK = """
set -eu
ip link set lo up
ip address add 198.51.100.7/32 dev lo
"$PYTHON" -m http.server 8099 --bind 198.51.100.7 --directory "$SERVED" >"$SERVED/log" 2>&1 &
server=$!
trap 'kill $server' EXIT
"$@"
"""
CALLS = """
import json, os, socket, time, urllib.request
def reach(name):
    for _ in range(20):
        try:
            return urllib.request.urlopen(name, timeout=2).read().decode()
        except OSError as error:
            answer = type(error).__name__
            if "refused" not in str(error): break
            time.sleep(0.1)
    return answer
try:
    socket.create_connection(("127.0.0.1", 8099), timeout=1)
    local = "reached"
except OSError:
    local = "nobody"
print(json.dumps({"outside": reach("http://198.51.100.7:8099/word"), "local": local,
                  "links": sorted(os.listdir("/sys/class/net"))}), flush=True)
"""


@needs_namespaces("the machine's network is the job's too")
@pytest.mark.parametrize("isolated", [False, True])
def test_network_isolation_isolates(house: HouseOfJobs, isolated: bool) -> None:
    if os.geteuid() != 0 or not shutil.which("ip") or not shutil.which("slirp4netns"):
        pytest.skip("needs root, ip and slirp4netns for a network of its own")
    served = house.root / "served"
    served.mkdir()
    (served / "word").write_text("hello from the host")
    arguments = house.train("calls", CALLS, *(["--network-isolation"] if isolated else []))
    house.environment.update(SERVED=str(served), PYTHON=shutil.which("python3") or "python3")
    done = subprocess.run(["unshare", "--net", "bash", "-c", NETWORK, "bash",
                           *house.command(*arguments)],
                          env=house.environment, capture_output=True, text=True, timeout=60,
                          check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    seen = printed(house, "calls")
    assert seen["local"] == "nobody"
    if isolated:
        assert seen["outside"] != "hello from the host"
    else:
        assert seen["outside"] == "hello from the host", (seen, done.stdout)


def test_requirements_go_into_a_layer_of_the_job(house: HouseOfJobs) -> None:
    package = house.root / "package"
    (package / "only_in_the_job").mkdir(parents=True)
    (package / "only_in_the_job/__init__.py").write_text("WORD = 'from the layer'\n")
    wheel = house.root / "only_in_the_job-1.0-py3-none-any.whl"
    make_wheel(wheel, package)
    source = house.source("import only_in_the_job\nprint(only_in_the_job.WORD)\n", "source-needs")
    shutil.copy(wheel, source)
    (source / "requirements.txt").write_text(f"./{wheel.name}\n")
    done = house.run(*house.train("needs", (source / "train.py").read_text()))
    assert done.returncode == 0, done.stdout + done.stderr
    assert "from the layer" in "\n".join(house.lines("needs"))
    python = shutil.which("python3", path=house.environment["PATH"])
    here = subprocess.run([str(python), "-c", "import only_in_the_job"], capture_output=True,
                          check=False)
    assert here.returncode == 1, "it came into the host's packages"


USES_LAYER = """
import errno, os, pathlib
import only_in_the_job
layer = pathlib.Path(only_in_the_job.__file__).parent
try:
    (layer / "mine").write_text("mine")
    print(only_in_the_job.WORD, "written", flush=True)
except OSError as error:
    print(only_in_the_job.WORD, errno.errorcode[error.errno], flush=True)
"""


@needs_namespaces("nothing can be closed for writing to the job")
@pytest.mark.parametrize("told_by", ["file", "environment"])
def test_requirements_come_from_an_index_and_stay_as_installed(house: HouseOfJobs,
                                                               told_by: str) -> None:
    if os.geteuid() != 0 or not shutil.which("ip") or not shutil.which("slirp4netns"):
        pytest.skip("needs root, ip and slirp4netns for a network of its own")
    package = house.root / "package"
    (package / "only_in_the_job").mkdir(parents=True)
    (package / "only_in_the_job/__init__.py").write_text("WORD = 'from the index'\n")
    served = house.root / "served"
    project = served / "simple/only-in-the-job"
    project.mkdir(parents=True)
    wheel = "only_in_the_job-1.0-py3-none-any.whl"
    make_wheel(project / wheel, package)
    (served / "simple/index.html").write_text('<a href="only-in-the-job/">only-in-the-job</a>')
    (project / "index.html").write_text(f'<a href="{wheel}">{wheel}</a>')
    index = "http://198.51.100.7:8099/simple"
    source = house.source(USES_LAYER, "source-index")
    (source / "requirements.txt").write_text(
        (f"--index-url {index}\n--trusted-host 198.51.100.7\n" if told_by == "file" else "")
        + "only-in-the-job==1.0\n")
    told = ["--env", f"PIP_INDEX_URL={index}", "--env", "PIP_TRUSTED_HOST=198.51.100.7"]
    arguments = house.train("index", USES_LAYER, *(told if told_by == "environment" else []),
                            groups="all=ml.c5.large:2")
    house.environment.update(SERVED=str(served), PYTHON=shutil.which("python3") or "python3")
    done = subprocess.run(["unshare", "--net", "bash", "-c", NETWORK, "bash",
                           *house.command(*arguments)],
                          env=house.environment, capture_output=True, text=True, timeout=120,
                          check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    printed_lines = [line for line in house.lines("index") if "from the index" in line]
    assert sorted(printed_lines) == [f"algo-{n} (all) | from the index EROFS" for n in (1, 2)]
    assert f"GET /simple/only-in-the-job/{wheel}" in (served / "log").read_text()


def make_wheel(path: Path, package: Path) -> None:
    import zipfile
    name = "only_in_the_job-1.0.dist-info"
    with zipfile.ZipFile(path, "w") as wheel:
        for file in package.rglob("*.py"):
            wheel.write(file, file.relative_to(package))
        wheel.writestr(f"{name}/METADATA", "Metadata-Version: 2.1\nName: only_in_the_job\n"
                                           "Version: 1.0\n")
        wheel.writestr(f"{name}/WHEEL", "Wheel-Version: 1.0\nGenerator: test\n"
                                        "Root-Is-Purelib: true\nTag: py3-none-any\n")
        wheel.writestr(f"{name}/RECORD", "")


PRINTS = """
import json, os, sys
count, hosts = int(os.environ["COUNT"]), json.loads(os.environ["SM_HOSTS"])
host = f"algo-{hosts.index(os.environ['SM_CURRENT_HOST']) + 1}"
for start in range(0, count, 1000):
    sys.stdout.write("".join(f"{host} {n} {'x' * (n % 50)}\\n" for n in range(start, start + 1000)))
"""


def test_no_line_is_lost_or_out_of_order(house: HouseOfJobs) -> None:
    count = 100_000 if LONG else 20_000
    done = house.run(*house.train("torrent", PRINTS, "--env", f"COUNT={count}",
                                  groups="all=ml.c5.large:4"))
    assert done.returncode == 0, done.stderr
    for n in range(4):
        host = f"algo-{n + 1}"
        expected = [f"{host} (all) | {host} {i} {'x' * (i % 50)}" for i in range(count)]
        assert house.lines("torrent", "--host", host) == expected
        live = [line for line in done.stdout.splitlines() if line.startswith(f"{host} (all) | ")]
        assert live == expected
    whole = house.lines("torrent")
    assert len(whole) == 4 * count


def test_lines_of_a_megabyte_are_whole(house: HouseOfJobs) -> None:
    script = "print('a' * (1 << 20)); print('b' * (3 << 20) + 'end', end='')"
    done = house.run(*house.train("wide", script))
    assert done.returncode == 0, done.stderr
    text = "".join(line.split("| ", 1)[1] for line in house.lines("wide"))
    assert text.count("a") == 1 << 20
    assert text.count("b") == 3 << 20 and text.endswith("end")


STAGED_MIB = 4096
MEMBER_MIB = 64


@pytest.mark.parametrize("ending", ["runtime", "stop"])
def test_a_stop_while_a_large_channel_is_staged(house: HouseOfJobs, ending: str) -> None:
    raw = house.root / "raw"
    raw.mkdir()
    member = gzip.compress(bytes(MEMBER_MIB << 20), compresslevel=1)
    (raw / "big.gz").write_bytes(member * (STAGED_MIB // MEMBER_MIB))
    channel = ["--channel", f"raw={raw}:gzip"]
    if ending == "runtime":
        done = house.run(*house.train("staged", "print('ran')", *channel, "--max-runtime", "1s"))
        assert done.returncode == 3, done.stdout
        assert house.show("staged")["SecondaryStatus"] == "MaxRuntimeExceeded"
    else:
        process = house.start(*house.train("staged", "print('ran')", *channel, "--json"),
                              stdout=subprocess.PIPE)
        assert process.stdout is not None
        for line in process.stdout:
            if '"Downloading"' in line:
                break
        process.send_signal(2)
        process.stdout.read()
        assert process.wait(timeout=30) == 3
        assert house.lines("staged") == []


def test_a_job_without_root(evener: Path, environment: dict[str, str]) -> None:
    if os.geteuid() != 0:
        pytest.skip("all other tests run without root already")
    root = Path(tempfile.mkdtemp(prefix="evener-"))
    try:
        house = HouseOfJobs(evener, root, environment)
        house.environment["HOME"] = str(root)
        house.prefix = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
        arguments = house.train("rootless", PRINTS, "--env", "COUNT=1000",
                                groups="all=ml.c5.large:2")
        subprocess.run(["chown", "-R", "65534:65534", root], check=True)
        done = house.run(*arguments)
        assert done.returncode == 0, done.stdout + done.stderr
        assert len(house.lines("rootless")) >= 2000
        process = house.start(*house.train("stopped", "import time\nprint('ready', flush=True)\n"
                                                      "time.sleep(600)"))
        house.wait_for_line("stopped", "ready")
        process.send_signal(2)
        assert process.wait(timeout=30) == 3
        process = house.start(*house.train("killed", "import time\nprint('ready', flush=True)\n"
                                                     "time.sleep(600)"))
        house.wait_for_line("killed", "ready")
        os.kill(house.supervisor("killed"), 9)
        assert process.wait(timeout=30) == 1
        house.audit()
    finally:
        shutil.rmtree(root, ignore_errors=True)


def isolation_told(house: HouseOfJobs, name: str) -> str:
    shown = house.run("jobs", "show", name).stdout
    return "plain" if "plain isolation: the instances share" in shown else "namespaces"


@needs_namespaces("there are no two isolations to tell apart")
def test_a_job_keeps_the_isolation_it_was_submitted_with(house: HouseOfJobs) -> None:
    """Whichever process has the engine's seat, and whichever takes it over."""
    wishes = {"a": "plain", "b": "namespaces", "c": "plain", "d": "namespaces"}
    programs = [house.start(*house.train(name, "print('fine')"), "--isolation", wish)
                for name, wish in wishes.items()]
    assert [program.wait(timeout=60) for program in programs] == [0, 0, 0, 0]
    away = house.run(*house.train("e", "print('fine')"), "--isolation", "plain", "--detach")
    assert away.returncode == 0, away.stderr
    eventually(lambda: house.status("e") in ENDED, "the detached job is done")
    for name, wish in (wishes | {"e": "plain"}).items():
        assert house.status(name) == "Completed"
        assert isolation_told(house, name) == wish


# A user namespace whose root allows no further namespaces, as some containers do.
REFUSES = """
for kind in /proc/sys/user/max_*_namespaces; do echo 0 > $kind; done
exec "$@"
"""


def test_a_machine_that_refuses_namespaces_runs_jobs_all_the_same(house: HouseOfJobs) -> None:
    house.environment.pop("EVENER_ISOLATION", None)
    if subprocess.run(["unshare", "--user", "--map-root-user", "sh", "-c", REFUSES, "sh", "true"],
                      capture_output=True, check=False).returncode != 0:
        pytest.skip("needs a user namespace of its own to refuse others in")
    house.prefix = ["unshare", "--user", "--map-root-user", "sh", "-c", REFUSES, "sh"]
    done = house.run(*house.train("plain", PRINTS, "--env", "COUNT=1000",
                                  groups="all=ml.c5.large:2"))
    assert done.returncode == 0, done.stdout + done.stderr
    assert isolation_told(house, "plain") == "plain"
    assert len(house.lines("plain", "--host", "algo-2")) == 1000
    wanted = house.run(*house.train("wanted", PRINTS), "--isolation", "namespaces")
    assert wanted.returncode == 1
    assert "plain isolation works without" in house.show("wanted")["FailureReason"]


def test_plain_isolation_says_that_it_cannot_cut_the_network(house: HouseOfJobs) -> None:
    done = house.run(*house.train("open", "print('fine')"), "--isolation", "plain",
                     "--network-isolation")
    assert done.returncode == 0 and "does not have it" in done.stdout


def test_an_entry_point_below_opt_ml_runs_under_plain_isolation(house: HouseOfJobs) -> None:
    code = house.source("import sys\nprint(open(sys.argv[1]).read())\n", "code")
    job = {"TrainingJobName": "words", "RoleArn": "arn:aws:iam::000000000000:role/evener",
           "AlgorithmSpecification": {
               "TrainingInputMode": "File",
               "ContainerEntrypoint": ["python3", "/opt/ml/input/data/code/train.py"],
               "ContainerArguments": ["/opt/ml/input/config/hyperparameters.json"]},
           "HyperParameters": {"depth": "7"},
           "InputDataConfig": [{"ChannelName": "code", "DataSource": {
               "S3DataSource": {"S3DataType": "S3Prefix", "S3Uri": str(code)}}}],
           "OutputDataConfig": {"S3OutputPath": str(house.root / "out")},
           "ResourceConfig": {"InstanceType": "ml.c5.large", "InstanceCount": 1,
                              "VolumeSizeInGB": 1},
           "StoppingCondition": {"MaxRuntimeInSeconds": 60}}
    (house.root / "job.json").write_text(json.dumps(job))
    done = house.run("train", house.root / "job.json", "--isolation", "plain")
    assert done.returncode == 0, done.stdout + done.stderr
    assert any('"depth"' in line for line in house.lines("words"))
