"""Programs that fail, print anything, or attack what runs them; and --json through all of it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time

import pytest

from isolation import needs_namespaces
from trial import Trial, job_body


def test_a_syntax_error_is_in_the_reason_with_the_exit_code(trial: Trial):
    trial.program("def x(:\n")
    outcome = trial.train()
    assert outcome.code == 1
    for part in ("AlgorithmError: ExecuteUserScriptError:", "ExitCode 1", "train.py", "line 1",
                 "SyntaxError: invalid syntax", "exit code: 1 on host algo-1 of group a"):
        assert part in outcome.reason(), outcome.reason()


def test_the_reason_of_a_silent_failure_is_its_exit_code(trial: Trial):
    trial.program("raise SystemExit(7)\n")
    outcome = trial.train()
    assert outcome.code == 1
    assert outcome.reason() == "AlgorithmError: Exit Code: 7 on host algo-1 of group a"


def test_the_reason_after_much_output_is_its_end(trial: Trial):
    trial.program("for i in range(50000): print('line', i)\nraise ValueError('loss is NaN')\n")
    outcome = trial.train()
    assert "ValueError: loss is NaN" in outcome.reason() and len(outcome.reason()) <= 1024


def test_output_of_any_bytes_is_shown_as_valid_json(trial: Trial):
    trial.program(r"""
import sys
out = sys.stdout.buffer
out.write(b"a\xff\xfeb\nnul\0x\n10%\r20%\r30%\n\x1b[31mred\x1b[0m\n\xc3\xa9 \xf0\x9f\x98\x80\nlast \xe2\x82")
""")
    outcome = trial.train()
    assert outcome.code == 0
    log = outcome.log()
    assert log[0] == "a\ufffd\ufffdb" and log[1] == "nul\0x"
    assert "30%" in log and "é 😀" in log and log[-1] == "last \ufffd"


def test_lines_of_1_mb_lose_nothing(trial: Trial):
    trial.program("for i in range(3): print(str(i) * (1 << 20))\n")
    text = "".join(trial.train().log())
    assert len(text) == 3 << 20 and text == "".join(str(i) * (1 << 20) for i in range(3))


def test_environment_values_arrive_as_they_are(trial: Trial):
    values = {"A": "a\nb", "B": "\"q\" 'p' $HOME `x` \\ é 漢", "C": "", "D": "=x=", "E": "-rf *"}
    trial.program("import json, os; print(json.dumps({k: os.environ[k] for k in 'ABCDE'}))\n")
    outcome = trial.train(Environment=values)
    assert outcome.code == 0, outcome.reason()
    assert json.loads(outcome.log()[0]) == values


def test_hyperparameters_arrive_as_they_are(trial: Trial):
    values = {"quotes": "a \"b\" 'c'", "unicode": "é漢😀", "dashes": "--rm -rf", "empty": "",
              "list": "[1, 2]", "shell": "$(id) `id` ; | &", "star": "*"}
    trial.program("""
import json, os, sys
print(json.dumps(dict(zip(sys.argv[1::2], sys.argv[2::2]))))
print(json.dumps(json.load(open(os.environ["SM_INPUT_CONFIG_DIR"] + "/hyperparameters.json"))))
""")
    outcome = trial.train(HyperParameters=job_body(trial.folder, "x")["HyperParameters"] | values)
    assert outcome.code == 0, outcome.reason()
    words, file = [json.loads(line) for line in outcome.log()]
    assert {key: value for key, value in file.items() if key in values} == values
    for key in set(values) - {"list"}:
        assert words["--" + key] == values[key], key


ATTACKS = {
    "kill its parent": "os.kill(os.getppid(), 9)",
    "kill process 1": "os.kill(1, 9)",
    "stop process 1": "os.kill(1, signal.SIGSTOP)",
    "kill everyone": "os.kill(-1, 9)",
    "close all": "os.closerange(0, 1000)",
    "fill /tmp": "file = open(tempfile.gettempdir() + '/x', 'wb')\nfor _ in range(64): file.write(b'x' * (1 << 20))",
    "leave a daemon": "os.fork() or (os.setsid(), time.sleep(60))",
    "unmount": "import ctypes; [ctypes.CDLL(None).umount2(p, 2) for p in (b'/opt/ml', b'/proc', b'/')]",
}


# Under plain isolation these reach the machine, as they would without Evener.
REACH_THE_MACHINE = {"kill process 1", "stop process 1", "kill everyone", "unmount"}


@pytest.mark.parametrize("attack", [
    pytest.param(name, marks=needs_namespaces("this attack reaches the machine"))
    if name in REACH_THE_MACHINE else name for name in ATTACKS])
def test_a_program_that_attacks_its_instance_leaves_nothing(trial: Trial, attack: str):
    trial.program(f"import os, signal, tempfile, time\ntry:\n  pass\n  {ATTACKS[attack].replace(chr(10), chr(10) + '  ')}\n"
                  "except OSError: pass\n")
    begin = time.monotonic()
    outcome = trial.train()
    assert outcome.summary()["status"] in ("Completed", "Failed")
    assert time.monotonic() - begin < 30
    assert trial.train(TrainingJobName=trial.new_name()).summary()["status"] in ("Completed", "Failed")


def test_json_of_a_failed_job_is_objects_with_the_summary_last(trial: Trial):
    trial.program("print('{\"event\":\"summary\"}'); raise SystemExit(1)\n")
    outcome = trial.train()
    assert outcome.code == 1
    events = outcome.events()
    assert [event["event"] for event in events].count("summary") == 1
    assert events[-1]["status"] == "Failed" and events[-1]["job"] == outcome.name


def test_json_of_a_stopped_job_is_objects_with_the_summary_last(trial: Trial):
    trial.program("print('ready', flush=True)\nimport time\ntime.sleep(60)\n")
    name = trial.new_name()
    text = json.dumps(job_body(trial.folder, name)).encode()
    with subprocess.Popen([trial.evener, "train", "-", "--json"], stdin=subprocess.PIPE,
                          stdout=subprocess.PIPE, env=trial.environment) as process:
        process.stdin.write(text)
        process.stdin.close()
        lines = []
        for line in process.stdout:
            lines.append(json.loads(line))
            if lines[-1].get("text") == "ready":
                process.send_signal(signal.SIGINT)
    assert process.returncode == 3
    assert lines[-1]["event"] == "summary" and lines[-1]["status"] == "Stopped"
    assert [line["event"] for line in lines].count("summary") == 1


def test_a_reader_that_goes_away_does_not_lose_the_job(trial: Trial):
    trial.program("for i in range(20000): print('x' * 100)\n")
    name = trial.new_name()
    text = json.dumps(job_body(trial.folder, name)).encode()
    read, write = os.pipe()
    os.close(read)
    subprocess.run([trial.evener, "train", "-", "--json"], input=text, stdout=write,
                   env=trial.environment, timeout=60, check=False)
    os.close(write)
    end = time.monotonic() + 30
    while trial.jobs()[0]["TrainingJobStatus"] in ("InProgress", "Stopping"):
        assert time.monotonic() < end
        time.sleep(0.1)
    assert trial.jobs()[0]["TrainingJobStatus"] in ("Completed", "Stopped", "Failed")


def test_a_large_job_file_runs(trial: Trial):
    values = {f"p{i}": "v" * 2000 for i in range(60)}
    trial.program("import sys; print(len(sys.argv))\n")
    body = job_body(trial.folder, trial.new_name())
    body["HyperParameters"] |= values
    body["Tags"] = [{"Key": f"k{i}", "Value": "v" * 256} for i in range(50)]
    path = trial.folder / "job.json"
    path.write_text(json.dumps(body, indent=4))
    outcome = trial.run("train", str(path), "--json")
    assert outcome.code == 0, outcome.err
    assert outcome.log() == [str(1 + 2 * 60)]


def test_more_hyperparameters_than_linux_passes_on_are_named(trial: Trial):
    values = {f"p{i}": "v" * 2000 for i in range(90)}
    outcome = trial.train(HyperParameters=job_body(trial.folder, "x")["HyperParameters"] | values)
    assert outcome.code == 1
    for part in ("ClientError: ", "environment variable SM_", "131071", "in a channel"):
        assert part in outcome.reason(), outcome.reason()
