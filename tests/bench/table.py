# SPDX-License-Identifier: GPL-2.0-or-later
"""Figures of samples, and the one table of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from statistics import median
from typing import Any

NAME_WIDTH, WIDTH = 35, 7
SHOWN = ("p50", "p99", "min", "max")


def percentile(ordered: Sequence[float], part: float) -> float:
    return ordered[min(len(ordered) - 1, int(len(ordered) * part))]


@dataclass
class Cell:
    """The samples of one row and one contender, round by round; nanoseconds."""

    rounds: list[list[int]] = field(default_factory=list)

    def figures(self) -> dict[str, float]:
        """Milliseconds."""
        ordered = sorted(ns for samples in self.rounds for ns in samples)
        return {"p50": percentile(ordered, 0.50) / 1e6, "p99": percentile(ordered, 0.99) / 1e6,
                "min": ordered[0] / 1e6, "max": ordered[-1] / 1e6, "samples": len(ordered)}

    def ratio(self, reference: Cell) -> float:
        """Of the medians inside each round, of these the median."""
        return median(median(ours) / median(theirs)
                      for ours, theirs in zip(self.rounds, reference.rounds))


def number(value: float) -> str:
    """Three digits that count."""
    places = 3 if value < 1 else 2 if value < 10 else 1 if value < 100 else 0
    return f"{value:{WIDTH},.{places}f}"


def headings(counts: Sequence[int]) -> Iterator[str]:
    groups = "".join(f"{f'{count:,} messages, ms':^{WIDTH * (len(SHOWN) + 1)}}"
                     for count in counts)
    columns = "".join(f"{name:>{WIDTH}}" for name in SHOWN + ("/ping",)) * len(counts)
    yield " " * NAME_WIDTH + groups.rstrip()
    yield " " * NAME_WIDTH + columns + f"{'large/small':>{WIDTH + 5}}"


def timed_line(name: str, record: dict[str, Any]) -> str:
    cells = "".join(
        "".join(number(contender[shown]) for shown in SHOWN) + number(contender["anchor_ratio"])
        for contender in record["contenders"].values())
    return f"{name:{NAME_WIDTH}}{cells}{number(record['large_to_small']):>{WIDTH + 5}}"


def fact_line(name: str, values: dict[str, Any]) -> str:
    return f"{name:{NAME_WIDTH}}" + "  ".join(f"{key} {value}" for key, value in values.items())


def lines(report: dict[str, Any]) -> Iterator[str]:
    yield from headings(report["messages"])
    for name, record in report["rows"].items():
        yield timed_line(name, record)
    yield ""
    for name, values in report["facts"].items():
        yield fact_line(name, values)
    yield ""
    yield f"{report['machine']}. Only ratios of one run can be compared."
