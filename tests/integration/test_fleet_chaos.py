# SPDX-License-Identifier: GPL-2.0-or-later
"""Several phones and a hub that moves messages between them, in a network that loses, delays and
repeats requests, while gateways and the hub are killed: nothing is lost, nothing is sent twice.
test_hub_chaos.py does it with the real hub, whose broker repeats and delays nothing."""

from __future__ import annotations

from collections.abc import Callable

import fleet_chaos
from lab.seed import seed


def judge(outcome: fleet_chaos.Outcome, record_property: Callable[[str, object], None]) -> None:
    record_property("fleet chaos", str(outcome))
    print(outcome)
    assert (outcome.lost, outcome.doubled, outcome.untrue) == ([], [], []), str(outcome)
    assert outcome.replaced or len(outcome.unknown) <= outcome.counts["gateway killed"]
    assert not [text for text in outcome.taken if text.startswith("stale")]


def test_three_phones_lose_and_double_nothing(
        record_property: Callable[[str, object], None]) -> None:
    with fleet_chaos.phones(3) as phones:
        judge(fleet_chaos.run(phones, seed("CHAOS_SEED"), 40), record_property)


def test_a_phone_whose_store_was_replaced_doubles_nothing(
        record_property: Callable[[str, object], None]) -> None:
    """An older copy of its store: messages of then are unknown, and none is sent again."""
    with fleet_chaos.phones(2) as phones:
        outcome = fleet_chaos.run(phones, seed("CHAOS_SEED"), 30, replaces_a_store=True)
        assert outcome.replaced
        judge(outcome, record_property)
