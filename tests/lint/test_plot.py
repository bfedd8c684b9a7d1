# SPDX-License-Identifier: GPL-2.0-or-later
"""doc/performance.svg shows the last table of doc/performance.md."""

from __future__ import annotations

import plot


def test_the_plot_is_up_to_date() -> None:
    assert plot.PAGE.with_suffix(".svg").read_text() == plot.draw()
    assert "](performance.svg)" in plot.PAGE.read_text()
