"""benchmarks/rounds.py: ratios of rounds, and bars."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "benchmarks"))

from rounds import Rounds  # noqa: E402


def sampled(**ways: list[float]) -> Rounds:
    rounds = Rounds("bench")
    for way, figures in ways.items():
        for figure in figures:
            rounds.sample("get", way, rate=figure)
    return rounds


def last(capsys: pytest.CaptureFixture[str]) -> dict:
    return json.loads(capsys.readouterr().out.splitlines()[-1])


def test_a_ratio_is_taken_in_each_round_and_its_median_counts(
        capsys: pytest.CaptureFixture[str]) -> None:
    rounds = sampled(ours=[100, 10, 300], theirs=[50, 10, 100])
    rounds.ratio("get", "rate", "ours", "theirs", at_least=2)
    line = last(capsys)
    assert line["ratio"] == 2 and line["reached"]
    assert (line["lowest"], line["highest"]) == (1, 3)


def test_a_ratio_above_its_upper_bar_is_not_reached(capsys: pytest.CaptureFixture[str]) -> None:
    sampled(ours=[8], theirs=[10]).ratio("get", "rate", "ours", "theirs", at_most=0.7)
    assert not last(capsys)["reached"]


def test_without_a_peer_there_is_no_ratio(capsys: pytest.CaptureFixture[str]) -> None:
    rounds = sampled(ours=[8])
    capsys.readouterr()
    rounds.ratio("get", "rate", "ours", None, at_least=1)
    rounds.ratio("get", "rate", "ours", "absent", at_least=1)
    rounds.bar("get", "absent", "rate", at_least=1)
    assert capsys.readouterr().out == ""
    assert rounds.highest("get", ["absent"], "rate") is None


def test_the_best_peer_has_the_highest_median() -> None:
    rounds = sampled(one=[1, 9, 1], two=[2, 2, 2])
    assert rounds.highest("get", ["one", "two"], "rate") == "two"


def test_a_bar_may_be_for_the_worst_sample(capsys: pytest.CaptureFixture[str]) -> None:
    rounds = sampled(ours=[60, 61, 70])
    rounds.bar("get", "ours", "rate", at_most=64)
    assert last(capsys)["reached"]
    rounds.bar("get", "ours", "rate", at_most=64, of=max)
    assert not last(capsys)["reached"]
