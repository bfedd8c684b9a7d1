#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""What the daemon costs, each row beside its anchor in the same run: one table.

    make bench [BENCH_ROWS=1,3,8] [BENCH_MESSAGES=1000,100000,1000000]

doc/performance.md says what the rows mean.  The table goes to stdout as it grows, all
figures to build/bench.json.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import asdict
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))    # packages lab and modem

import machine
from daemon import Daemon
from http_rows import call_lines, floor_line, list_lines
from incoming_rows import incoming_lines
from lab import Lab
from ledger_lines import ledger_lines
from memory_rows import Idle, memory_lines
from peer_rows import is_installed, peer_lines
from row_limit import row_seconds, within
from sending_rows import in_flight_lines, sending_lines
from table import HEADINGS, Line, aligned, cells

Row = Callable[[Path], Iterator[Line]]


def http_lines(build: Path) -> Iterator[Line]:
    with ExitStack() as exits:
        daemon = Daemon(exits.enter_context(Lab(modem_count=2)), "http")
        daemon.start()
        exits.callback(daemon.stop)
        yield floor_line(build, daemon)
        yield from list_lines(build, daemon)
        yield from call_lines(build, daemon)


ROWS: dict[str, Row] = {
    "1": http_lines,
    "3": sending_lines,
    "4": in_flight_lines,
    "5": incoming_lines,
    "6": memory_lines,
    "7": peer_lines,
    "8": ledger_lines,
}
WITH = {"2": "1"}               # measured together


NO_PEER = "Row 7, beside a server of the official SDK, is there after: make bench-peers"


def lines(build: Path, wanted: list[str], seconds: int) -> Iterator[Line]:
    with ExitStack() as exits:
        idle = exits.enter_context(Idle()) if "6" in wanted else None
        for name, row in ROWS.items():
            if name in wanted:
                yield from within(seconds, int(name), row(build))
        if idle:
            yield idle.line()


def wanted_rows(text: str) -> list[str]:
    """All rows if it names none."""
    asked = text.replace(",", " ").split()
    if unknown := [row for row in asked if row not in ROWS and row not in WITH]:
        sys.exit(f"BENCH_ROWS: there is no row {', '.join(unknown)}; the rows are 1 to 8, "
                 "separated by commas or spaces")
    return list(dict.fromkeys(WITH.get(row, row) for row in asked)) or list(ROWS)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=Path, default=Path("build"))
    build = parser.parse_args().build.resolve()
    os.environ.setdefault("GATEWAY_BINARY", str(build / "ofono-mcp"))
    wanted = wanted_rows(os.environ.get("BENCH_ROWS", ""))
    seconds = row_seconds()
    no_peer = "7" in wanted and not is_installed(build)
    if no_peer:
        wanted.remove("7")
    began = time.monotonic()
    print(aligned(HEADINGS), flush=True)
    table = []
    for line in lines(build, wanted, seconds):
        table.append(line)
        print(aligned(cells(line)), flush=True)
    print(f"\n{machine.description()}, {time.monotonic() - began:.0f} s. "
          "Only ratios of one run can be compared.")
    if no_peer:
        print(NO_PEER)
    json_file = Path(os.environ.get("BENCH_JSON", build / "bench.json"))
    json_file.write_text(json.dumps(
        {"machine": machine.description(),
         "lines": [asdict(line) | {"verdict": line.verdict} for line in table]},
        indent=1) + "\n")


if __name__ == "__main__":
    main()
