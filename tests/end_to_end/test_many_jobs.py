"""Many jobs, and many programs, on one home."""

from __future__ import annotations

import os
import subprocess

from house_of_jobs import LONG, HouseOfJobs, eventually, house  # noqa: F401

HELLO = "print('hello')"
WAITS = "import time\nprint('ready', flush=True)\ntime.sleep(600)"
QUEUED = 200 if LONG else 40


def test_ten_programs_at_once_in_one_home(house: HouseOfJobs) -> None:
    programs = [house.start(*house.train(f"job-{n}", HELLO), stdout=subprocess.PIPE)
                for n in range(10)]
    for n, program in enumerate(programs):
        out, error = program.communicate(timeout=60)
        assert program.returncode == 0, error
        assert "algo-1 (all) | hello" in out
        assert f"job-{n}: Completed" in out


def test_one_name_is_given_once(house: HouseOfJobs) -> None:
    arguments = house.train("same", HELLO)
    programs = [house.start(*arguments) for _ in range(4)]
    codes = sorted(program.wait(timeout=60) for program in programs)
    assert codes == [0, 2, 2, 2]


def test_hundreds_of_jobs_wait_in_line_and_say_why(house: HouseOfJobs) -> None:
    house.home.mkdir()
    (house.home / "config.toml").write_text(
        '[[instance]]\ntype = "ml.all"\nvcpus = 1\nmemory_gib = 0.05\n'
        '[[instance]]\ntype = "ml.machine"\nvcpus = MACHINE\nmemory_gib = 0.05\n'
        .replace("MACHINE", str(cpus())))
    first = house.start(*house.train("first", WAITS, "--fit", "strict", groups="a=ml.machine:1"))
    house.wait_for_line("first", "ready")
    for start in range(0, QUEUED, 20):
        programs = [house.start(*house.train("queued", HELLO)[:-6], "--name", f"q-{n}", "--group",
                                "a=ml.all:1", "--fit", "strict", "--detach")
                    for n in range(start, start + 20)]
        assert {program.wait(timeout=60) for program in programs} == {0}
    # Those that came second leave once they have seen the first.
    eventually(lambda: sum(" engine " in line for line in house.processes().values()) <= 1,
               "one engine is left", 10)
    assert "waiting for" in house.run("jobs", "show", f"q-{QUEUED - 1}").stdout
    # Whoever of the first twenty came first; the others wait for it.
    eventually(lambda: any("held by job first" in house.run("jobs", "show", f"q-{n}").stdout
                           for n in range(20)), "the reason of the first that waits")
    assert house.run("jobs", "stop", "q-7").returncode == 0
    eventually(lambda: house.status("q-7") == "Stopped", "a queued job is stopped")
    assert house.run("jobs", "stop", "first").returncode == 0
    eventually(lambda: all(house.status(f"q-{n}") == "Completed"
                           for n in range(0, QUEUED, 9)), "the queue is done", 120)


def cpus() -> int:
    return len(os.sched_getaffinity(0))
