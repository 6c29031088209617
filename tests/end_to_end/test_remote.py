"""`evener train` and `evener jobs` with a server: as without one, and what only a server can do."""

from __future__ import annotations

import http.server
import json
import re
import signal
import subprocess
import threading
from typing import Iterator

import pytest
from house_of_jobs import HouseOfJobs, eventually
from house_of_jobs import house as house_without_server  # noqa: F401
from house_with_server import (  # noqa: F401
    HouseWithServer,
    Way,
    house_with_objects,
    house_with_server,
)
from test_life_cycle import (  # noqa: F401  the same stories, told to a server
    MODEL,
    SLEEPS,
    test_a_closed_output_ends_the_view_and_not_the_job,
    test_a_program_that_ignores_sigterm_is_killed_after_its_grace,
    test_a_second_signal_does_not_wait_for_the_grace,
    test_a_signal_stops_the_job_and_keeps_its_model,
    test_auxiliary_groups_end_with_the_primary_ones,
    test_detached_jobs_are_followed_stopped_and_deleted,
    test_exit_codes_and_signals_are_told,
    test_following_a_log_ends_when_its_reader_is_gone,
    test_many_instances_in_one_job,
    test_max_runtime_stops_the_job_and_keeps_its_model,
    test_memory_over_the_limit_is_told_from_other_kills,
    test_the_first_failing_host_is_named_and_stops_the_others,
    test_what_a_job_prints_while_it_is_stopped_is_kept,
)

TALKS = MODEL + r"""
import sys
sys.stdout.buffer.write(b"bytes \xff\xfe and nul \x00 and esc \x1b[31m\n")
for n in range(3000):
    print("line", n)
print("an unfinished one", end="", flush=True)
"""
TWO = "data=ml.c5.large:1,train=ml.c5.large:2"


def plain(text: str) -> list[str]:
    """Without what differs from run to run: times, use of CPU and memory."""
    text = re.sub(r"\d+(\.\d+)? s\b", "N s", text)
    text = re.sub(r"(ml\.c5\.large\s+\d) .*", r"\1", text)
    return [line for line in text.splitlines()
            if not line.startswith(("cost ", "verdict ", "status ", "staged ", "metric "))]


def by_host(lines: list[str]) -> list[str]:
    """Hosts print at the same time; within one the order holds."""
    return sorted(lines, key=lambda line: line.split(" ")[0] if " | " in line else "")


def seen(house: HouseOfJobs) -> dict[str, object]:
    """What a job and the commands about it print."""
    done = house.run(*house.train("told", TALKS, groups=TWO))
    assert done.returncode == 0, done.stderr
    source, home = str(house.root), str(house.home)
    told = [line.replace(home, "HOME").replace(source, "ROOT") for line in plain(done.stdout)]
    listed = json.loads(house.run("jobs", "list", "--json").stdout)
    shown = house.show("told")
    return {
        "train": [line for line in by_host(told) if not line.startswith("algo-")
                  or " | " in line],
        "logs": by_host(house.lines("told")),
        "one host": house.lines("told", "--host", "algo-2"),
        "list": sorted(listed),
        "row": {key: listed[key] for key in ("TrainingJobName", "TrainingJobStatus", "SecondaryStatus")
                if key in listed},
        "table": re.sub(r"\d+(\.\d+)? m?s", "N s", house.run("jobs", "list").stdout).split(),
        "show": sorted(shown.keys() - {"TrainingTimeInSeconds"}),   # absent below one second
        "hosts": [line for line in house.run("jobs", "show", "told").stdout.splitlines()
                  if line.startswith("host ")],
        "unknown": house.run("jobs", "show", "tolt").stderr,
        "no host": house.run("jobs", "logs", "told", "--host", "algo-9").stderr,
        "ended": house.run("jobs", "stop", "told").stderr,
        "again": house.run(*house.train("told", TALKS)).stderr,
        "no type": house.run(*house.train("bad", TALKS, groups="a=ml.c5.large:0")).stderr,
        "deleted": house.run("jobs", "delete", "told").stdout,
        "none": house.run("jobs", "show", "told").returncode,
    }


def test_output_is_the_same_as_without_a_server(house: HouseWithServer,
                                                house_without_server: HouseOfJobs) -> None:
    remote, local = seen(house), seen(house_without_server)
    for part in local:
        assert remote[part] == local[part], part


def test_json_events_are_the_same_as_without_a_server(house: HouseWithServer,
                                                      house_without_server: HouseOfJobs) -> None:
    def events(house: HouseOfJobs) -> list[tuple[object, ...]]:
        done = house.run(*house.train("told", TALKS), "--json")
        assert done.returncode == 0, done.stderr
        rows = [json.loads(line) for line in done.stdout.splitlines()]
        assert any(row["event"] == "usage" for row in rows)
        return [(row["event"], row.get("status"), row.get("text"), sorted(row)) for row in rows
                if row["event"] not in ("sample", "progress", "message", "notice")]

    def texts(rows: list[tuple[object, ...]]) -> list[object]:
        return [row[2] for row in rows if row[0] == "log"]

    remote, local = events(house), events(house_without_server)
    assert texts(remote) == texts(local)
    assert ([row for row in remote if row[0] != "log"] == [row for row in local if row[0] != "log"])


def test_a_server_that_is_killed_and_back_is_waited_for(house: HouseWithServer) -> None:
    process = house.start(*house.train("through", SLEEPS.replace("600", "2") + "print('after')\n"),
                          stdout=subprocess.PIPE)
    house.wait_for_line("through", "ready")
    house.kill_server()
    assert process.stderr is not None
    assert "does not answer" in process.stderr.readline()
    house.serve()
    out, err = process.communicate(timeout=60)
    assert process.returncode == 0, err
    assert "answers again" in err
    assert out.count("| ready") == 1 and out.count("| after") == 1, out


def test_a_signal_while_the_way_is_cut_stops_the_job_once_it_is_mended(
        house: HouseWithServer) -> None:
    way = Way(house.listen)
    house.environment["EVENER_SERVER"] = f"http://{way.address}"
    process = house.start(*house.train("cut", SLEEPS), stdout=subprocess.PIPE)
    house.wait_for_line("cut", "ready")
    way.cut()
    assert process.stderr is not None
    assert "does not answer" in process.stderr.readline()
    way.mend()
    assert "answers again" in process.stderr.readline()
    process.send_signal(signal.SIGINT)
    assert process.wait(timeout=30) == 3
    assert house.show("cut")["TrainingJobStatus"] == "Stopped"
    way.close()


def test_a_create_whose_answer_was_lost_is_told_from_anothers(house: HouseWithServer) -> None:
    mine = house.train("mine", "print('ran')\n")
    theirs = house.train("theirs", "print('ran')\n")
    assert house.run(*theirs).returncode == 0
    way = Way(house.listen)
    house.environment["EVENER_SERVER"] = f"http://{way.address}"
    way.lose = "answer"
    done = house.run(*mine)
    assert (way.lost, done.returncode) == (1, 0), done.stdout + done.stderr
    assert any("ran" in line for line in house.lines("mine"))
    again = house.run(*mine)
    assert again.returncode == 2 and "exists already" in again.stderr, "nothing was lost: a new one"
    way.lose = "request"
    refused = house.run(*house.train("theirs", "print('ran')\n", groups="other=ml.c5.large:1"))
    assert way.lost == 2
    assert refused.returncode == 2 and "exists already" in refused.stderr, refused.stderr
    way.close()


def test_paths_of_another_machine_are_refused_with_what_to_do(house: HouseWithServer) -> None:
    way = Way(house.listen)
    way.elsewhere = True
    house.environment["EVENER_SERVER"] = f"http://{way.address}"
    data = house.source("", "data")
    job = house.train("far", SLEEPS)
    refused = house.run(*job, "--channel", f"raw={data}")
    assert refused.returncode == 2 and "channel raw" in refused.stderr, refused.stderr
    assert "s3://" in refused.stderr
    refused = house.run(*job, "--output", data)
    assert refused.returncode == 2 and "output" in refused.stderr
    refused = house.run(*job)
    assert refused.returncode == 2 and "AWS_ENDPOINT_URL_S3" in refused.stderr, refused.stderr
    assert house.run("jobs", "list", "--json").stdout == ""
    way.close()


@pytest.mark.parametrize("form", ["folder", "script", "archive"])
def test_source_code_of_another_machine_goes_through_the_servers_bucket(
        house_with_objects: HouseWithServer, form: str) -> None:
    house = house_with_objects
    way = Way(house.listen)
    way.elsewhere = True
    house.environment["EVENER_SERVER"] = f"http://{way.address}"
    folder = house.source("print('brought', __file__)\n")
    words = {"folder": ["--entry-point", "train.py", "--source-dir", folder],
             "script": ["--entry-point", folder / "train.py"],
             "archive": ["--entry-point", "train.py", "--source-dir", house.root / "s.tar.gz"]}
    subprocess.run(["tar", "czf", house.root / "s.tar.gz", "-C", folder, "train.py"], check=True)
    done = house.run("train", *words[form], "--name", "brought", "--group", "all=ml.c5.large:1")
    assert done.returncode == 0, done.stdout + done.stderr
    assert any("brought" in line for line in house.lines("brought"))
    source = house.show("brought")["HyperParameters"]["sagemaker_submit_directory"]
    assert json.loads(source) == "s3://evener/brought/source/sourcedir.tar.gz"
    way.close()


def test_a_wrong_key_is_refused_and_a_read_only_one_may_look(house: HouseWithServer) -> None:
    house.environment["AWS_SECRET_ACCESS_KEY"] = "wrong"
    refused = house.run("jobs", "list")
    assert refused.returncode == 2 and "refuses the access key" in refused.stderr, refused.stderr
    del house.environment["AWS_ACCESS_KEY_ID"]
    refused = house.run("jobs", "list")
    assert refused.returncode == 2 and "evener env" in refused.stderr, refused.stderr
    allowed = house.run("jobs", "list", "--json", "--key-file", house.home / "keys.json")
    assert (allowed.returncode, allowed.stdout) == (0, ""), allowed.stderr
    house.environment.update(AWS_ACCESS_KEY_ID=house.keys["read-only"]["id"],
                             AWS_SECRET_ACCESS_KEY=house.keys["read-only"]["secret"])
    assert house.run("jobs", "list").returncode == 0
    refused = house.run(*house.train("none", SLEEPS))
    assert refused.returncode == 2 and "read-only" in refused.stderr, refused.stderr
    house.environment.update(AWS_ACCESS_KEY_ID=house.keys["full"]["id"],
                             AWS_SECRET_ACCESS_KEY=house.keys["full"]["secret"])


class Stranger(http.server.BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        self.send_response(404)
        self.end_headers()
        self.wfile.write(b"<html>no</html>")

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def stranger() -> Iterator[str]:
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Stranger) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


@pytest.mark.parametrize("words", [("jobs", "list"), ("jobs", "logs", "x"),
                                   ("train", "--entry-point", "train.py")])
def test_a_wrong_address_is_refused(house: HouseWithServer, stranger: str,
                                    words: tuple[str, ...]) -> None:
    for url, part in ((stranger, "is not Evener's"), ("http://127.0.0.1:1", "no server answers"),
                      ("127.0.0.1:8900", "http://HOST:PORT")):
        refused = house.run(*words, "--server", url)
        assert refused.returncode == 2 and part in refused.stderr, (url, refused.stderr)


def test_a_named_home_counts_before_the_servers_variable(house: HouseWithServer) -> None:
    other = house.root / "other"
    listed = house.run("jobs", "list", "--home", other)
    assert listed.returncode == 0 and "no jobs yet" in listed.stdout
    refused = house.run("jobs", "list", "--home", other, "--server", "http://127.0.0.1:1")
    assert refused.returncode == 2
    assert eventually(lambda: house.run("jobs", "list").returncode == 0, "the server's jobs")
