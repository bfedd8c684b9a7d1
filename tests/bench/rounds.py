# SPDX-License-Identifier: GPL-2.0-or-later
"""Side by side: contenders take turns in rounds, in a newly shuffled order, and ratios are
made inside a round.

A round in which other programs kept more than a tenth of a CPU busy is repeated, at most
twice, and is then kept and counted as noisy.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from statistics import median, quantiles

ROUNDS = 7
NOISE_CPUS = 0.10
REPEATS = 2


@dataclass(frozen=True)
class Sample:
    """The result of one contender in one round."""

    answers: int
    seconds: float
    cpu_us: float = 0           # of the server, for all of them; 0 if not measured
    p50_us: float = 0
    p99_us: float = 0
    foreign_cpus: float = 0

    @property
    def rate(self) -> float:
        return self.answers / self.seconds

    @property
    def cpu_each_us(self) -> float:
        return self.cpu_us / self.answers


Measure = Callable[[], Sample]
Figure = Callable[[Sample], float]


@dataclass
class Comparison:
    """Of two contenders, "ours" and "anchor"."""

    rounds: list[Mapping[str, Sample]] = field(default_factory=list)
    noisy: int = 0

    def figure(self, name: str, figure: Figure) -> float:
        return median(figure(one[name]) for one in self.rounds)

    def ratios(self, figure: Figure) -> list[float]:
        return [figure(one["ours"]) / figure(one["anchor"]) for one in self.rounds]

    def ratio(self, figure: Figure) -> float:
        return median(self.ratios(figure))

    def spread(self, figure: Figure) -> float:
        """Between the quartiles."""
        low, _, high = quantiles(self.ratios(figure), n=4)
        return high - low

    @property
    def is_noisy(self) -> bool:
        return self.noisy * 3 > len(self.rounds)


def play(contenders: Mapping[str, Measure]) -> Mapping[str, Sample]:
    order = random.sample(list(contenders), len(contenders))
    return {name: contenders[name]() for name in order}


def is_noisy(samples: Mapping[str, Sample]) -> bool:
    return any(sample.foreign_cpus > NOISE_CPUS for sample in samples.values())


def compare(ours: Measure, anchor: Measure, rounds: int = ROUNDS) -> Comparison:
    comparison = Comparison()
    repeats = REPEATS
    while len(comparison.rounds) < rounds:
        samples = play({"ours": ours, "anchor": anchor})
        if is_noisy(samples) and repeats:
            repeats -= 1
            continue
        comparison.noisy += is_noisy(samples)
        comparison.rounds.append(samples)
    return comparison
