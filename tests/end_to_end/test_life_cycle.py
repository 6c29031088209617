"""How a job ends, by whatever brings it to its end; afterwards nothing of it is left."""

from __future__ import annotations

import json
import signal
import subprocess
import time
from pathlib import Path

import pytest
from house_of_jobs import ENDED, LONG, HouseOfJobs, eventually, house  # noqa: F401

MODEL = """
import os, pathlib
pathlib.Path(os.environ["SM_MODEL_DIR"], os.environ["SM_CURRENT_HOST"]).write_text("model")
"""
SLEEPS = MODEL + """
import time
print("ready", flush=True)
time.sleep(600)
"""
IGNORES = """
import signal
signal.signal(signal.SIGTERM, signal.SIG_IGN)
""" + SLEEPS
SLOW_TO_STOP = MODEL + """
import signal, sys, time
def leave(*_):
    for n in range(5):
        print("leaving", n, flush=True)
        time.sleep(0.05)
    print("left", flush=True)
    sys.exit(0)
signal.signal(signal.SIGTERM, leave)
print("ready", flush=True)
while True:
    print("x" * 100, flush=True)
    time.sleep(0.01)
"""


def has_model(house: HouseOfJobs, name: str) -> bool:
    return (house.home / "output" / name / "output/model.tar.gz").exists()


def summary(process: "subprocess.Popen[str]") -> dict:
    out, _ = process.communicate(timeout=60)
    return json.loads(out.splitlines()[-1])


@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_stops_the_job_and_keeps_its_model(house: HouseOfJobs, sent: int) -> None:
    process = house.start(*house.train("once", SLEEPS))
    house.wait_for_line("once", "ready")
    process.send_signal(sent)
    assert process.wait(timeout=30) == 3
    assert house.show("once")["TrainingJobStatus"] == "Stopped"
    assert has_model(house, "once")


def test_a_program_that_ignores_sigterm_is_killed_after_its_grace(house: HouseOfJobs) -> None:
    process = house.start(*house.train("stubborn", IGNORES, grace=1))
    house.wait_for_line("stubborn", "ready")
    process.send_signal(signal.SIGINT)
    assert process.wait(timeout=30) == 3
    assert house.show("stubborn")["TrainingJobStatus"] == "Stopped"
    assert has_model(house, "stubborn")


def test_a_second_signal_does_not_wait_for_the_grace(house: HouseOfJobs) -> None:
    process = house.start(*house.train("twice", IGNORES, grace=600))
    house.wait_for_line("twice", "ready")
    process.send_signal(signal.SIGINT)
    eventually(lambda: house.show("twice")["SecondaryStatus"] == "Stopping", "stopping")
    process.send_signal(signal.SIGINT)
    assert process.wait(timeout=30) == 3
    assert house.show("twice")["TrainingJobStatus"] == "Stopped"


def test_what_a_job_prints_while_it_is_stopped_is_kept(house: HouseOfJobs) -> None:
    process = house.start(*house.train("last-words", SLOW_TO_STOP), stdout=subprocess.PIPE)
    house.wait_for_line("last-words", "ready")
    process.send_signal(signal.SIGINT)
    out, _ = process.communicate(timeout=30)
    assert process.returncode == 3
    assert "algo-1 (all) | left" in out
    assert [line for line in house.lines("last-words") if line.endswith("| left")]


def test_a_closed_output_ends_the_view_and_not_the_job(house: HouseOfJobs) -> None:
    process = house.start(*house.train("closed", SLEEPS.replace("600", "1")),
                          stdout=subprocess.PIPE)
    assert process.stdout is not None
    process.stdout.readline()
    process.stdout.close()
    process.wait(timeout=30)
    assert house.show("closed")["TrainingJobStatus"] == "Completed"


def test_a_reader_that_does_not_read_cannot_keep_the_job_from_stopping(
        house: HouseOfJobs) -> None:
    process = house.start(*house.train("unread", SLOW_TO_STOP.replace("100", "100_000")),
                          stdout=subprocess.PIPE)
    house.wait_for_line("unread", "ready")
    process.send_signal(signal.SIGINT)
    eventually(lambda: house.status("unread") == "Stopped", "the job is stopped")
    process.send_signal(signal.SIGINT)
    assert process.wait(timeout=10) == 3


def test_following_a_log_ends_when_its_reader_is_gone(house: HouseOfJobs) -> None:
    house.run(*house.train("endless", SLOW_TO_STOP), "--detach")
    house.wait_for_line("endless", "ready")
    follower = house.start("jobs", "logs", "endless", "--follow", stdout=subprocess.PIPE)
    assert follower.stdout is not None
    follower.stdout.readline()
    follower.stdout.close()
    follower.wait(timeout=10)
    assert house.run("jobs", "stop", "endless").returncode == 0


def test_max_runtime_stops_the_job_and_keeps_its_model(house: HouseOfJobs) -> None:
    done = house.run(*house.train("limited", SLEEPS), "--max-runtime", "1s")
    assert done.returncode == 3, done.stderr
    shown = house.show("limited")
    assert (shown["TrainingJobStatus"], shown["SecondaryStatus"]) == ("Stopped",
                                                                      "MaxRuntimeExceeded")
    assert has_model(house, "limited")


def test_detached_jobs_are_followed_stopped_and_deleted(house: HouseOfJobs) -> None:
    done = house.run(*house.train("away", SLEEPS), "--detach")
    assert (done.returncode, done.stdout) == (0, "away\n")
    follower = house.start("jobs", "logs", "away", "--follow", stdout=subprocess.PIPE)
    assert follower.stdout is not None and follower.stdout.readline().endswith("ready\n")
    refused = house.run("jobs", "delete", "away")
    assert refused.returncode == 2 and "jobs stop" in refused.stderr
    assert house.run("jobs", "stop", "away").returncode == 0
    follower.wait(timeout=30)
    assert house.show("away")["TrainingJobStatus"] == "Stopped"
    assert house.run("jobs", "delete", "away").returncode == 0
    assert house.run("jobs", "show", "away").returncode == 2
    assert not (house.home / "jobs/away").exists()
    assert has_model(house, "away")


@pytest.mark.parametrize("name, ending, code, words", [
    ("one", "sys.exit(1)", 1, "Exit Code: 1"),
    ("much", "sys.exit(255)", 255, "255"),
    ("term", "os.kill(os.getpid(), 15)", 143, "143"),
    ("killed", "os.kill(os.getpid(), 9)", 137, "137"),
    ("crash", "os.kill(os.getpid(), 11)", 139, "139"),
])
def test_exit_codes_and_signals_are_told(house: HouseOfJobs, name: str, ending: str, code: int,
                                         words: str) -> None:
    process = house.start(*house.train(name, "import os, sys\n" + ending), "--json",
                          stdout=subprocess.PIPE)
    out, _ = process.communicate(timeout=60)
    assert process.returncode == 1
    exits = [json.loads(row) for row in out.splitlines() if '"event":"exit"' in row]
    assert [(row["exit_code"], row["out_of_memory"]) for row in exits] == [(code, False)]
    assert words in house.show(name)["FailureReason"]


def test_every_exit_code_is_told(house: HouseOfJobs) -> None:
    codes = range(256) if LONG else (0, 2, 77, 126, 127, 128, 129, 254)
    arguments = house.train("code", "import os, sys\nsys.exit(int(os.environ['CODE']))")
    for code in codes:
        arguments[arguments.index("--name") + 1] = f"code-{code}"
        done = house.run(*arguments, "--env", f"CODE={code}", "--detach")
        assert done.returncode == 0, done.stderr
    eventually(lambda: all(house.status(f"code-{code}") in ENDED for code in codes),
               "all have ended", 300)
    for code in codes:
        shown = house.show(f"code-{code}")
        assert shown["TrainingJobStatus"] == ("Failed" if code else "Completed")
        assert not code or f"Exit Code: {code} " in shown["FailureReason"], shown["FailureReason"]


def test_the_first_failing_host_is_named_and_stops_the_others(house: HouseOfJobs) -> None:
    script = SLEEPS.replace("time.sleep(600)", """
import json
if json.loads(os.environ["SM_HOSTS"]).index(os.environ["SM_CURRENT_HOST"]) == 1:
    time.sleep(0.3)
    print("no data", flush=True)
    raise SystemExit(7)
time.sleep(600)""")
    done = house.run(*house.train("chain", script, groups="data=ml.c5.large:1,train=ml.c5.large:2"))
    assert done.returncode == 1
    reason = house.show("chain")["FailureReason"]
    assert "algo-2" in reason and "train" in reason and "7" in reason, reason


AUXILIARY = """
import os, signal, time
if os.environ["SM_CURRENT_INSTANCE_GROUP"] == "train":
    raise SystemExit(0)
print("ready", flush=True)
"""


@pytest.mark.parametrize("name, body, code", [
    ("serving", "time.sleep(600)", 0),
    ("deaf", "signal.signal(15, signal.SIG_IGN)\nwhile True: time.sleep(1)", None),
    ("failing", "signal.signal(15, lambda *_: os._exit(5))\nwhile True: time.sleep(1)", None),
])
def test_auxiliary_groups_end_with_the_primary_ones(house: HouseOfJobs, name: str, body: str,
                                                    code: int | None) -> None:
    script = AUXILIARY + body
    script = script.replace("raise SystemExit(0)", "time.sleep(0.5)\n    raise SystemExit(0)")
    done = house.run(*house.train(name, script, groups="data=ml.c5.large:1,train=ml.c5.large:1",
                                  grace=1), "--auxiliary-group", "data")
    shown = house.show(name)
    print(done.returncode, shown.get("FailureReason"))
    if code is not None:
        assert done.returncode == code, shown.get("FailureReason")


DAEMON = """
import os, subprocess, sys, time
def daemon(**files):
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            if files.get("closes"):
                null = os.open("/dev/null", os.O_RDWR)
                for descriptor in (0, 1, 2): os.dup2(null, descriptor)
            time.sleep(600)
        os._exit(0)
daemon(closes=True)
daemon(closes=False)
print("the program ends", flush=True)
"""


def test_daemons_that_a_program_leaves_do_not_outlive_it(house: HouseOfJobs) -> None:
    done = house.run(*house.train("parent", DAEMON))
    assert done.returncode == 0, done.stderr
    assert any("the program ends" in line for line in house.lines("parent"))


NUMBER = """
import json
hosts = json.loads(os.environ["SM_HOSTS"])
print(f"algo-{hosts.index(os.environ['SM_CURRENT_HOST']) + 1} of {len(set(hosts))}")
"""


@pytest.mark.parametrize("count", [8, 40])
def test_many_instances_in_one_job(house: HouseOfJobs, count: int) -> None:
    done = house.run(*house.train("many", MODEL + NUMBER,
                                  groups=f"all=ml.c5.large:{count}"))
    assert done.returncode == 0, done.stdout + done.stderr
    hosts = [line.split("| ")[-1] for line in house.lines("many")]
    assert sorted(hosts) == sorted(f"algo-{n + 1} of {count}" for n in range(count))


FORK_BOMB = """
import os, time
forked = 0
try:
    while True:
        if os.fork() == 0:
            time.sleep(600)
        forked += 1
except OSError as error:
    print("forked", forked, error, flush=True)
    raise SystemExit(9)
"""


def test_a_fork_bomb_meets_the_limit_of_its_instance(house: HouseOfJobs) -> None:
    done = house.run(*house.train("bomb", FORK_BOMB))
    assert done.returncode == 1, done.stdout
    assert "9" in house.show("bomb")["FailureReason"]


HOG = """
blocks = []
while True:
    blocks.append(bytearray(1 << 20))
    blocks[-1][::4096] = b"x" * 256
"""


def test_memory_over_the_limit_is_told_from_other_kills(house: HouseOfJobs) -> None:
    house.home.mkdir(exist_ok=True)
    (house.home / "config.toml").write_text(
        '[[instance]]\ntype = "ml.tiny"\nvcpus = 1\nmemory_gib = 0.1\n')
    process = house.start(*house.train("hog", HOG, "--fit", "strict", groups="all=ml.tiny:1"),
                          "--json", stdout=subprocess.PIPE)
    out, _ = process.communicate(timeout=60)
    assert process.returncode == 1, out
    exits = [json.loads(row) for row in out.splitlines() if '"event":"exit"' in row]
    assert [(row["exit_code"], row["out_of_memory"]) for row in exits] == [(137, True)]
    assert "memory" in house.show("hog")["FailureReason"].lower()
