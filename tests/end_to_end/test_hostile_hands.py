"""Hands that reach into a home while jobs run, and commands that cross each other."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess

from house_of_jobs import ENDED, HouseOfJobs, eventually, house  # noqa: F401

SLEEPS = """
import os, time
print("ready", flush=True)
time.sleep(float(os.environ.get("SECONDS", "600")))
"""


def test_a_job_whose_folder_is_deleted_ends_all_the_same(house: HouseOfJobs) -> None:
    process = house.start(*house.train("a", SLEEPS, "--env", "SECONDS=0.7"))
    house.wait_for_line("a", "ready")
    shutil.rmtree(house.home / "jobs/a", ignore_errors=True)
    assert process.wait(timeout=30) in (0, 1)
    assert house.status("a") in ENDED
    assert "what it had written is lost" in house.run("jobs", "show", "a").stdout
    assert house.run(*house.train("b", "print('fine')")).returncode == 0


def test_a_home_that_is_deleted_ends_its_program_and_leaves_nothing(house: HouseOfJobs) -> None:
    process = house.start(*house.train("a", SLEEPS, "--env", "SECONDS=0.7"))
    house.wait_for_line("a", "ready")
    shutil.rmtree(house.home, ignore_errors=True)
    process.wait(timeout=60)
    eventually(lambda: not house.processes(), "all processes are gone", 20)
    assert not (house.home / "evener.db").exists()


def test_stops_that_cross_each_other_stop_once(house: HouseOfJobs) -> None:
    house.run(*house.train("a", SLEEPS, grace=600), "--detach")
    house.wait_for_line("a", "ready")
    stops = [house.start("jobs", "stop", "a", *more) for more in ([], [], ["--at-once"], [])]
    codes = {stop.wait(timeout=30) for stop in stops}
    assert codes <= {0, 2} and 0 in codes
    eventually(lambda: house.status("a") == "Stopped", "the job is stopped", 20)
    late = house.run("jobs", "stop", "a")
    assert late.returncode == 2 and "in status Stopped" in late.stderr


def test_deletes_that_cross_a_stop_or_each_other(house: HouseOfJobs) -> None:
    house.run(*house.train("a", SLEEPS, grace=1), "--detach")
    house.wait_for_line("a", "ready")
    refused = house.run("jobs", "delete", "a")
    assert refused.returncode == 2 and "evener jobs stop a" in refused.stderr
    assert house.run("jobs", "stop", "a", "--at-once").returncode == 0
    eventually(lambda: house.status("a") in ENDED, "the job is stopped", 20)
    deletes = [house.start("jobs", "delete", "a") for _ in range(4)]
    codes = sorted(delete.wait(timeout=30) for delete in deletes)
    assert 0 in codes and set(codes) <= {0, 1, 2}
    assert house.run("jobs", "show", "a").returncode == 2
    assert house.run(*house.train("a", "print('again')")).returncode == 0


def test_all_processes_killed_at_once_leave_a_home_that_tells_so(house: HouseOfJobs) -> None:
    for name in ("a", "b"):
        house.run(*house.train(name, SLEEPS), "--detach")
        house.wait_for_line(name, "ready")
    while left := [pid for pid in house.processes()]:
        for pid in left:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
    eventually(lambda: not house.run("jobs", "list", "--status", "InProgress",
                                     "--json").stdout, "both have ended", 20)
    for name in ("a", "b"):
        assert house.status(name) == "Failed"
        assert "ended without a word" in house.run("jobs", "show", name).stdout
    assert house.run(*house.train("c", "print('fine')")).returncode == 0


def test_few_descriptors_and_closed_ones(house: HouseOfJobs) -> None:
    for limit in ('ulimit -n 12; exec "$@"', 'exec "$@" 0<&- 1>&- 2>&-'):
        arguments = house.train("a", "print('fine')")
        done = subprocess.run(["bash", "-c", limit, "bash", *house.command(*arguments)],
                              env=house.environment, capture_output=True, text=True, timeout=60,
                              check=False)
        assert done.returncode in (0, 1, 2), done.stderr
        house.settle()
        house.run("jobs", "delete", "a")
