# SPDX-License-Identifier: GPL-2.0-or-later
"""Some kills under load; kills.py has the figures of many."""

from __future__ import annotations

import random

import pytest

from kills import count

KILLS = 20


@pytest.mark.parametrize("with_plugin", [False, True], ids=["without", "with"])
def test_kills_under_load_lose_and_repeat_nothing(with_plugin: bool) -> None:
    found = count(KILLS, with_plugin, random.randrange(1_000_000))
    assert found["messages"] > KILLS
    assert (found["lost"], found["doubled"], found["other"], found["rows beyond"]) == (0, 0, 0, 0)
    # without the plugin a kill leaves at most one message of the one SIM in doubt
    assert found["unknown"] <= (1 if with_plugin else KILLS), found
