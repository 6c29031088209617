"""What is killed at any moment leaves nothing behind, and the store tells the truth."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import time

import pytest
from house_of_jobs import ENDED, LONG, HouseOfJobs, eventually, house  # noqa: F401

SEEDS = 100 if LONG else 12
FIRST_SEED = int(os.environ.get("EVENER_TEST_SEED", "1"))

READY = """
import os, pathlib, time
pathlib.Path(os.environ["SM_MODEL_DIR"], "weights").write_text("weights")
print("ready", flush=True)
time.sleep(float(os.environ.get("SECONDS", "600")))
print("done", flush=True)
"""


def kill(pid: int) -> None:
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        pass


def running(house: HouseOfJobs, name: str, *more: object, seconds: float = 600,
            groups: str = "all=ml.c5.large:1") -> subprocess.Popen[str]:
    process = house.start(*house.train(name, READY, "--env", f"SECONDS={seconds}", *more,
                                       groups=groups, grace=1))
    house.wait_for_line(name, "ready")
    return process


def test_without_its_program_a_job_is_stopped_after_ten_seconds(house: HouseOfJobs) -> None:
    kill(running(house, "alone").pid)
    eventually(lambda: not house.supervisor("alone"), "the supervisor leaves", 30)
    assert house.status("alone") == "InProgress", "nobody was there to write into the store"
    shown = house.show("alone")
    assert shown["TrainingJobStatus"] == "Failed"
    assert "InternalServerError" in shown["FailureReason"]
    assert "no other evener" in house.run("jobs", "show", "alone").stdout
    assert (house.home / "output/alone/output/model.tar.gz").exists()


def test_another_train_takes_the_job_over(house: HouseOfJobs) -> None:
    kill(running(house, "first", seconds=1.5).pid)
    done = house.run(*house.train("second", READY, "--env", "SECONDS=3"))
    assert done.returncode == 0, done.stderr
    assert house.show("first")["TrainingJobStatus"] == "Completed"


@pytest.mark.parametrize("command", ["list", "show", "logs"])
def test_looking_at_a_job_takes_it_over(house: HouseOfJobs, command: str) -> None:
    kill(running(house, "seen", seconds=2).pid)
    name = [] if command == "list" else ["seen"]
    assert house.run("jobs", command, *name).returncode == 0
    eventually(lambda: house.status("seen") in ENDED, "the job ends", 40)
    assert house.status("seen") == "Completed"


def test_a_job_whose_program_was_killed_can_be_stopped(house: HouseOfJobs) -> None:
    kill(running(house, "orphan").pid)
    assert house.run("jobs", "stop", "orphan").returncode == 0
    eventually(lambda: house.status("orphan") in ENDED, "the job ends", 20)
    assert house.status("orphan") == "Stopped"


def test_following_a_log_outlives_the_program_of_the_job(house: HouseOfJobs) -> None:
    process = running(house, "followed", seconds=3)
    follower = house.start("jobs", "logs", "followed", "--follow", stdout=subprocess.PIPE)
    kill(process.pid)
    out, _ = follower.communicate(timeout=40)
    assert follower.returncode == 0 and out.endswith("| done\n")


def test_followers_go_on_when_the_leader_leaves(house: HouseOfJobs) -> None:
    leader = running(house, "leader", seconds=0.5)
    followers = [house.start(*house.train(f"follower-{n}", READY, "--env", "SECONDS=2"))
                 for n in range(3)]
    assert leader.wait(timeout=30) == 0
    assert [follower.wait(timeout=60) for follower in followers] == [0, 0, 0]


def test_followers_go_on_when_the_leader_is_killed(house: HouseOfJobs) -> None:
    leader = running(house, "leader", seconds=2)
    followers = [house.start(*house.train(f"follower-{n}", READY, "--env", "SECONDS=2"))
                 for n in range(3)]
    eventually(lambda: house.status("follower-2"), "all are submitted")
    kill(leader.pid)
    assert [follower.wait(timeout=60) for follower in followers] == [0, 0, 0]
    eventually(lambda: house.status("leader") in ENDED, "the leader's job ends")
    assert house.status("leader") == "Completed"


def test_a_killed_supervisor_ends_its_job(house: HouseOfJobs) -> None:
    process = running(house, "lost", groups="a=ml.c5.large:2")
    kill(house.supervisor("lost"))
    assert process.wait(timeout=30) == 1
    shown = house.show("lost")
    assert shown["TrainingJobStatus"] == "Failed"
    assert "InternalServerError" in shown["FailureReason"]


def test_a_supervisor_that_is_told_to_end_stops_its_job(house: HouseOfJobs) -> None:
    process = running(house, "told")
    os.kill(house.supervisor("told"), signal.SIGTERM)
    assert process.wait(30) == 3
    shown = house.show("told")
    assert shown["TrainingJobStatus"] == "Stopped", shown
    assert "got SIGTERM" in house.run("jobs", "show", "told").stdout
    assert (house.home / "output/told/output/model.tar.gz").exists()


def test_program_and_supervisor_killed_at_once(house: HouseOfJobs) -> None:
    process = running(house, "both", groups="a=ml.c5.large:2")
    supervisor = house.supervisor("both")
    kill(process.pid)
    kill(supervisor)
    eventually(lambda: house.show("both")["TrainingJobStatus"] == "Failed", "the loss is told")


def test_a_killed_init_ends_its_instance(house: HouseOfJobs) -> None:
    process = running(house, "headless", groups="a=ml.c5.large:2")
    inits = [pid for pid in house.children(house.supervisor("headless"))
             if "supervise" in open(f"/proc/{pid}/cmdline", encoding="utf8").read()]
    assert len(inits) >= 2
    kill(inits[0])
    assert process.wait(timeout=30) == 1
    assert "algo-" in house.show("headless")["FailureReason"]


def test_a_killed_user_program_is_no_lack_of_memory(house: HouseOfJobs) -> None:
    process = running(house, "shot", "--json")
    programs = [pid for pid, line in house.processes().items() if line.rstrip().endswith("train.py")
                or "/ml/code/train.py" in line]
    assert programs
    kill(programs[0])
    assert process.wait(timeout=30) == 1
    reason = house.show("shot")["FailureReason"]
    assert "137" in reason and "memory" not in reason.lower(), reason


# ---- anything, at any time -------------------------------------------------------------------

def victims(house: HouseOfJobs, chance: random.Random) -> list[int]:
    """One living process of the home, of a kind chosen first."""
    kinds: dict[str, list[int]] = {}
    for pid, line in house.processes().items():
        parts = line.split()
        kind = next((part for part in parts if part in ("supervise", "train", "engine", "jobs")),
                    "program")
        kinds.setdefault(kind, []).append(pid)
    return [chance.choice(kinds[chance.choice(sorted(kinds))])] if kinds else []


@pytest.mark.parametrize("seed", range(FIRST_SEED, FIRST_SEED + SEEDS))
def test_kills_at_random_times(house: HouseOfJobs, seed: int) -> None:
    chance = random.Random(seed)
    groups = f"data=ml.c5.large:{chance.randint(1, 2)},train=ml.c5.large:1"
    for n in range(chance.randint(1, 3)):
        house.start(*house.train(f"job-{seed}-{n}", READY, "--env",
                                 f"SECONDS={chance.choice([0, 0.1, 0.5])}", groups=groups, grace=1),
                    *(["--detach"] if chance.random() < 0.3 else []))
    for _ in range(chance.randint(1, 4)):
        time.sleep(chance.random() * 0.09)
        for pid in victims(house, chance):
            kill(pid)
    if chance.random() < 0.3:
        house.run("jobs", "list")
