#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""What the daemon costs with a small and a large ledger, side by side in one run.

    make bench [BENCH_MESSAGES=100000] [BENCH_SECONDS=40]

Two daemons on one bus, with one ofonod and two modems; in each round every row is measured
on both, in an order that is shuffled anew.  Ratios are made inside a round.  Everything
runs on one CPU: with two, the machine's idle wake-up would be measured.  doc/performance.md
says what the rows mean.  BENCH_SECONDS is shared among all rows.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import random
import sys
from contextlib import ExitStack
from pathlib import Path
from time import perf_counter
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))    # packages lab and modem

from contender import Contender
from lab import Lab
from rows import ANCHOR, ROWS, Samples
from table import Cell, lines

SMALL = 100
ROUNDS = 7
STARTS = 7
Cells = dict[tuple[str, int], Cell]


def use_one_cpu() -> None:
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})


def take(samples: Samples, seconds: float) -> list[int]:
    """For so long, at least one."""
    taken: list[int] = []
    end = perf_counter() + seconds
    for sample in samples:
        taken.append(sample)
        if perf_counter() >= end:
            break
    return taken


def measure(contenders: list[Contender], seconds: float) -> Cells:
    streams = {(name, site.messages): row(site)
               for name, row in ROWS.items() for site in contenders}
    cells = {key: Cell() for key in streams}
    share = seconds / ROUNDS / len(cells)
    for samples in streams.values():            # warm-up, and what rows ask first
        take(samples, share)
    for _ in range(ROUNDS):
        for name in random.sample(list(ROWS), len(ROWS)):
            for site in random.sample(contenders, len(contenders)):
                key = (name, site.messages)
                cells[key].rounds.append(take(streams[key], share))
    return cells


def timed_rows(cells: Cells, counts: list[int]) -> dict[str, Any]:
    small, large = counts
    return {name: {
        "contenders": {count: cells[name, count].figures() | {
            "anchor_ratio": cells[name, count].ratio(cells[ANCHOR, count])}
            for count in counts},
        "large_to_small": cells[name, large].ratio(cells[name, small]),
    } for name in ROWS}


def best_ms(samples: list[int]) -> str:
    return f"{min(samples) / 1e6:.1f} ms"


def facts(contenders: list[Contender]) -> dict[str, Any]:
    """Memory first, while they run; they are stopped at the end."""
    small, large = contenders
    memory = {f"memory, {site.messages:,} messages": {
        name: f"{kib:,} KiB" for name, kib in site.memory_kib().items()} for site in contenders}
    for site in contenders:
        site.stop()
    octets = (large.disk_octets() - small.disk_octets()) / (large.messages - small.messages)
    starts: dict[int, list[int]] = {site.messages: [] for site in contenders}
    checks: dict[int, list[int]] = {site.messages: [] for site in contenders}
    for _ in range(STARTS):
        for site in contenders:
            starts[site.messages].append(site.start_ns())
            checks[site.messages].append(site.check_ns())
    return memory | {
        "disk, one message more": {"octets": round(octets)},
        "start to READY, best of 7": {f"{count:,}:": best_ms(ns) for count, ns in starts.items()},
        "  of that quick_check": {f"{count:,}:": best_ms(ns) for count, ns in checks.items()},
    }


def run(counts: list[int], seconds: float, ledger: Path) -> dict[str, Any]:
    with ExitStack() as exits:
        lab = exits.enter_context(Lab(modem_count=2))
        contenders = [Contender(lab, count, ledger) for count in counts]
        for site in contenders:
            exits.callback(site.stop)
            site.open()
        cells = measure(contenders, seconds)
        return {
            "messages": counts, "seconds": seconds, "rounds": ROUNDS,
            "machine": f"{platform.system()} {platform.release()}, {os.cpu_count()} CPUs, "
                       f"load {os.getloadavg()[0]:.1f}, of which 1 is ours",
            "rows": timed_rows(cells, counts), "facts": facts(contenders),
        }


def setting(name: str, kind: type, otherwise: float, above: float) -> Any:
    """From the environment, as make hands it on."""
    text = os.environ.get(name, str(otherwise))
    try:
        value = kind(text)
    except ValueError:
        value = above
    if not value > above:
        sys.exit(f"{name} is a number above {above}, not {text}")
    return value


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=Path, default=Path("build"))
    build = parser.parse_args().build.resolve()
    counts = [SMALL, setting("BENCH_MESSAGES", int, 100_000, above=SMALL)]
    seconds = setting("BENCH_SECONDS", float, 40, above=0)
    use_one_cpu()
    os.environ.setdefault("GATEWAY_BINARY", str(build / "ofono-mcp"))
    report = run(counts, seconds, build / "bench" / "ledger")
    json_file = Path(os.environ.get("BENCH_JSON", build / "bench.json"))
    json_file.write_text(json.dumps(report, indent=1) + "\n")
    print(*lines(report), sep="\n")


if __name__ == "__main__":
    main()
