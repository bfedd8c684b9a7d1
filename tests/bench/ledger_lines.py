# SPDX-License-Identifier: GPL-2.0-or-later
"""Row 8, and the effect of a large message store on row 6: daemons of the same program with
stores of several sizes, side by side on one bus, each row of ledger_rows.py on all of them."""

from __future__ import annotations

import os
import random
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from statistics import median
from time import perf_counter

import machine
from lab import Lab
from ledger_rows import PAGES, ROWS, Samples
from ledger_site import Contender
from table import Line, number

ROUNDS, SECONDS, STARTS = 7, 30.0, 5
SIZES = "1000,100000"
PAGE_TARGET = 1.5
Taken = dict[tuple[str, int], list[list[int]]]      # nanoseconds, round by round


def sizes() -> list[int]:
    """BENCH_MESSAGES, from the smallest, which is the reference."""
    text = os.environ.get("BENCH_MESSAGES", SIZES)
    counts = sorted(int(word) if word.isdecimal() else 0 for word in text.split(","))
    if counts[0] < 1 or len(counts) < 2:
        sys.exit(f"BENCH_MESSAGES is two numbers or more, with commas between, not {text}")
    return counts


@contextmanager
def one_cpu() -> Iterator[None]:
    """For everything that is started meanwhile: with two CPUs the wake-up of an idle one would
    be measured."""
    os.sched_setaffinity(0, {machine.SERVER_CPU})
    try:
        yield
    finally:
        os.sched_setaffinity(0, machine.CPUS)


def take(samples: Samples, seconds: float) -> list[int]:
    """Samples for that long, at least one."""
    taken: list[int] = []
    end = perf_counter() + seconds
    for sample in samples:
        taken.append(sample)
        if perf_counter() >= end:
            break
    return taken


def measure(sites: list[Contender]) -> Taken:
    streams = {(name, site.messages): row(site)
               for name, row in ROWS.items() for site in sites}
    taken: Taken = {key: [] for key in streams}
    share = float(os.environ.get("BENCH_SECONDS", SECONDS)) / ROUNDS / len(streams)
    for samples in streams.values():            # warm-up, and what rows ask first
        take(samples, share)
    for _ in range(ROUNDS):
        for name in random.sample(list(ROWS), len(ROWS)):
            for site in random.sample(sites, len(sites)):
                key = (name, site.messages)
                taken[key].append(take(streams[key], share))
    return taken


def compared(name: str, count: int, ours: list[list[int]], small: list[list[int]],
             least: int) -> Line:
    """The medians inside each round."""
    mine, theirs = [median(one) for one in ours], [median(one) for one in small]
    return Line(8, f"{name}, {count:,} messages, beside {least:,}",
                f"{number(median(mine) / 1e6)} ms", f"{number(median(theirs) / 1e6)} ms",
                median(a / b for a, b in zip(mine, theirs)),
                target=-PAGE_TARGET if name in PAGES else None)


def timed_lines(taken: Taken, counts: list[int]) -> Iterator[Line]:
    least, *larger = counts
    for name in ROWS:
        for count in larger:
            yield compared(name, count, taken[name, count], taken[name, least], least)


def fact_lines(sites: list[Contender]) -> Iterator[Line]:
    """Memory first, while they run; they are stopped at the end."""
    least, *larger = sites
    memory = {site.messages: site.memory_kib() for site in sites}
    for site in sites:
        site.stop()
    for site in larger:
        ours, small = memory[site.messages], memory[least.messages]
        yield Line(6, f"RSS with {site.messages:,} messages, beside {least.messages:,}",
                   f"{ours['Rss']:,} KiB", f"{small['Rss']:,} KiB",
                   ours["Rss"] / small["Rss"])
        started, small_started = ([one.start_ns() for _ in range(STARTS)]
                                  for one in (site, least))
        yield Line(6, f"start to READY with {site.messages:,} messages",
                   f"{number(min(started) / 1e6)} ms", f"{number(min(small_started) / 1e6)} ms",
                   min(started) / min(small_started))


def ledger_lines(build: Path) -> Iterator[Line]:
    counts = sizes()
    with one_cpu(), ExitStack() as exits:
        lab = exits.enter_context(Lab(modem_count=2))
        sites = [Contender(lab, count, build / "bench" / "ledger") for count in counts]
        for site in sites:
            exits.callback(site.stop)
            site.open()
        yield from timed_lines(measure(sites), counts)
        yield from fact_lines(sites)
