# SPDX-License-Identifier: GPL-2.0-or-later
"""kill -9 at every boundary of the path of a message: before and after each commit, each
D-Bus call, each reply, each signal and each answer; and again while it recovers."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from crash_cells import CELLS, Cell
from fault_plan import faulty_binary
from lab.gateway import BINARY
from matrix import Matrix


@pytest.mark.parametrize("scenario", CELLS, ids=lambda scenario: scenario.name())
def test_killed_at_every_boundary(
        scenario: type[Cell], record_property: Callable[[str, object], None]) -> None:
    matrix = Matrix(scenario)
    with matrix.opened():
        matrix.kill_everywhere()
    for what, count in matrix.tally.counts():
        record_property(f"crash matrix: {what}", count)
    assert matrix.complaints == [], f"CRASH_SEED={matrix.seed}"


def test_the_program_itself_has_no_fault_points() -> None:
    traces = (b"OFONO_MCP_FAULTS", b"__wrap_")
    program = Path(os.environ.get("GATEWAY_BINARY", BINARY)).read_bytes()
    assert not any(trace in program for trace in traces)
    assert all(trace in faulty_binary().read_bytes() for trace in traces)
