"""Samples of several ways in turn, and what they come to: medians, and ratios against a bar.

A ratio is taken in each round and its median is what counts, since a machine that others use
swings between rounds more than within one.
"""

from __future__ import annotations

import json
import statistics
from collections import defaultdict
from typing import Callable


class Rounds:
    """Prints each sample as a JSON line and keeps its figures for the end."""

    def __init__(self, bench: str) -> None:
        self.bench = bench
        self._kept: dict[tuple[str, str, str], list[float]] = defaultdict(list)

    def say(self, **members: object) -> None:
        print(json.dumps({"bench": self.bench, **members}), flush=True)

    def skip(self, why: str) -> None:
        self.say(skipped=why)

    def sample(self, what: str, way: str, **figures: object) -> None:
        self.say(what=what, way=way, **figures)
        for name, figure in figures.items():
            if isinstance(figure, (int, float)) and not isinstance(figure, bool):
                self._kept[what, way, name].append(figure)

    def figures(self, what: str, way: str, name: str) -> list[float]:
        return self._kept.get((what, way, name), [])

    def median(self, what: str, way: str, name: str) -> float | None:
        found = self.figures(what, way, name)
        return statistics.median(found) if found else None

    def highest(self, what: str, ways: list[str], name: str) -> str | None:
        """The way with the highest median."""
        medians = {way: self.median(what, way, name) for way in ways}
        found = {way: median for way, median in medians.items() if median is not None}
        return max(found, key=found.__getitem__) if found else None

    def ratio(self, what: str, name: str, ours: str, theirs: str | None, *,
              at_least: float | None = None, at_most: float | None = None,
              what_theirs: str | None = None) -> None:
        """Prints ours over theirs. `what_theirs` is for a peer measured under another name."""
        mine = self.figures(what, ours, name)
        other = self.figures(what_theirs or what, theirs or "", name)
        pairs = [one / two for one, two in zip(mine, other) if two]
        if not pairs:
            return
        ratio = statistics.median(pairs)
        line: dict[str, object] = {
            "what": what, "figure": name, "way": ours, "median": statistics.median(mine),
            "over": theirs, "their_median": statistics.median(other), "ratio": round(ratio, 4),
            "lowest": round(min(pairs), 4), "highest": round(max(pairs), 4)}
        if at_least is not None:
            line |= {"bar": f">= {at_least}", "reached": ratio >= at_least}
        if at_most is not None:
            line |= {"bar": f"<= {at_most}", "reached": ratio <= at_most}
        self.say(**line)

    def bar(self, what: str, way: str, name: str, *, at_least: float | None = None,
            at_most: float | None = None,
            of: Callable[[list[float]], float] = statistics.median) -> None:
        """Prints the median, or another figure `of` the samples, beside what it has to reach."""
        found = self.figures(what, way, name)
        if not found:
            return
        figure = of(found)
        line = {"what": what, "figure": name, "way": way, of.__name__: figure}
        if at_least is not None:
            self.say(**line, bar=f">= {at_least}", reached=figure >= at_least)
        if at_most is not None:
            self.say(**line, bar=f"<= {at_most}", reached=figure <= at_most)
