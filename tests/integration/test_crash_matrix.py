# SPDX-License-Identifier: GPL-2.0-or-later
"""kill -9 at every boundary on the path of a message: before and after each commit, each D-Bus
call, each reply, each signal and each answer; and again during recovery."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest

from crash_cells import CELLS, DOUBLED, LOST_MESSAGE, UNTRUE, Cell, Evidence, SendTwo
from fault_plan import faulty_binary
from journal import Stored
from lab import Lab
from lab.gateway import BINARY
from matrix import Matrix


@pytest.mark.parametrize("scenario", CELLS, ids=lambda scenario: scenario.name())
def test_a_crash_at_any_boundary_loses_and_repeats_nothing(
        scenario: type[Cell], record_property: Callable[[str, object], None]) -> None:
    matrix = Matrix(scenario)
    with matrix.opened():
        matrix.kill_everywhere()
    for what, count in matrix.tally.counts():
        record_property(f"crash matrix: {what}", count)
    assert matrix.complaints == [], f"CRASH_SEED={matrix.seed}"


FIRST, SECOND = "SendTwo 1 0", "SendTwo 1 1"
BOTH = [FIRST, SECOND]


@pytest.mark.parametrize("at_kill, handed_over, taken, stored, found", [
    ("queued", BOTH, BOTH, ["sent", "sent"], []),
    ("submitting", BOTH, [SECOND], ["unknown", "sent"], []),
    ("queued", [FIRST, *BOTH], BOTH, ["sent", "sent"], [DOUBLED]),
    ("queued", BOTH, [FIRST, *BOTH], ["sent", "sent"], [DOUBLED, UNTRUE]),
    ("queued", BOTH, BOTH, ["sent"], [LOST_MESSAGE, UNTRUE, UNTRUE]),
    ("queued", BOTH, [SECOND], ["sent", "sent"], [UNTRUE]),
    ("queued", BOTH, BOTH, ["unknown", "sent"], [UNTRUE]),
    ("queued", BOTH, [SECOND, FIRST], ["sent", "sent"], [UNTRUE]),
])
def test_the_checker_finds_each_kind_of_violation(at_kill: str, handed_over: list[str], taken: list[str],
                                       stored: list[str], found: list[str]) -> None:
    lab = SimpleNamespace(modems=[None], gateway=SimpleNamespace(state=Path()))
    cell = SendTwo(cast(Lab, lab), 1, cast(ThreadPoolExecutor, None))
    cell.at_kill = [at_kill, "queued"]
    evidence = Evidence(handed_over, taken, [
        Stored(number, "", text, 0, state)
        for number, (text, state) in enumerate(zip(BOTH, stored))])
    assert [kind for kind, _ in cell.complaints(evidence)] == found


def test_the_program_itself_has_no_fault_points() -> None:
    traces = (b"OFONO_MCP_FAULTS", b"__wrap_")
    program = Path(os.environ.get("GATEWAY_BINARY", BINARY)).read_bytes()
    assert not any(trace in program for trace in traces)
    assert all(trace in faulty_binary().read_bytes() for trace in traces)
