# SPDX-License-Identifier: GPL-2.0-or-later
"""doc/performance.svg shows the last table of doc/performance.md."""

from __future__ import annotations

import pytest

import plot


def test_the_plot_is_up_to_date() -> None:
    assert plot.PAGE.with_suffix(".svg").read_text() == plot.draw()
    assert "](performance.svg)" in plot.PAGE.read_text()


@pytest.mark.parametrize("rows", [rows for rows, _, _ in plot.PANELS])
def test_each_panel_has_the_rows_of_the_table(rows: tuple[int, ...]) -> None:
    table = plot.PAGE.read_text().partition("\n## The last table\n")[2].partition("\n## ")[0]
    lines = [line for line in table.splitlines()
             if line[:3].strip() in map(str, rows) and line[5:].lstrip()[:5] not in ("RSS i", "RSS u", "start")]
    assert len(lines) == len(plot.bars(rows)) > 5


def test_a_goal_belongs_to_its_row() -> None:
    goals = {what: goal for what, _, goal in plot.bars((1, 2))}
    assert goals["tools/list, legacy, 16 connections"] == 0.95
    assert goals["tools/list, legacy, 1 connection"] is None
