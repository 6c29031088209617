"""benchmarks/run.py stores what a benchmark prints, with the environment."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "benchmarks"))

import run  # noqa: E402


def test_the_list_is_read_and_its_commands_exist() -> None:
    for bench in run.parse_benches((ROOT / "benchmarks/benches.txt").read_text()):
        program = bench.command.split()[0]
        assert "/" not in program or "$" in program or (ROOT / program).exists(), bench


def test_a_bad_line_is_named() -> None:
    with pytest.raises(SystemExit, match="benches.txt:2"):
        run.parse_benches("# comment\nname | other | true\n")


def test_results_are_stored_with_the_environment(tmp_path: Path) -> None:
    bench = run.Bench("sample", "own", """echo words >&2; echo '{"ms": 1.5}'""")
    assert run.run_bench(bench, ROOT / "build/evener", tmp_path)
    [stored] = list(tmp_path.iterdir())
    record = json.loads(stored.read_text())
    assert record["results"] == [{"ms": 1.5}] and record["exit_code"] == 0
    assert record["environment"]["cpus"] >= 1 and record["environment"]["kernel"]


def test_a_benchmark_that_fails_or_prints_nothing_counts_as_failed(tmp_path: Path) -> None:
    assert not run.run_bench(run.Bench("a", "own", "exit 3"), ROOT / "build/evener", tmp_path)
    assert not run.run_bench(run.Bench("b", "own", "true"), ROOT / "build/evener", tmp_path)
