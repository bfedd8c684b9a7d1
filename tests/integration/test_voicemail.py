# SPDX-License-Identifier: GPL-2.0-or-later
"""Voicemail: what the network reports, as oFono passes it on."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

import pytest

from agent import Agent
from incoming import newest
from lab import Lab, wait_until
from modem import Sim
from subscriber import subscribed, told
from views import ERAS, Eye, result

URI = "sms://voicemail"


def read(lab: Lab, era: str) -> Any:
    [content] = result(Eye(lab, era).read(URI))["contents"]
    return json.loads(content["text"])["subscriptions"]


def states(lab: Lab, era: str) -> list[tuple[str, int]]:
    return [(row["voicemail"], row["message_count"]) for row in read(lab, era)]


def wait_settled(lab: Lab) -> None:
    """Waits until the log has the arrival of the cards, so later notifications are about other
    things."""
    for sim_id in Agent(lab).ids():
        wait_until(lambda: re.search(rf"sim {sim_id}: .*\bready\b", lab.gateway.log),
                   what=f"SIM {sim_id} was told of")


@pytest.mark.parametrize("era", ERAS)
def test_waiting_voicemail_notifies_subscribers(lab: Lab, era: str) -> None:
    """Also when it was listened to; it is not a message."""
    wait_settled(lab)
    before = newest(lab)
    assert states(lab, era) == [("none", 0), ("none", 0)]
    with subscribed(lab, era, URI) as events:
        lab.modems[1].set_voicemail(3)
        told(events, URI)
        assert states(lab, era) == [("none", 0), ("waiting", 3)]
        lab.modems[1].set_voicemail(0)
        told(events, URI)
        assert states(lab, era) == [("none", 0), ("none", 0)]
    assert newest(lab) == before


def test_the_gateway_status_shows_waiting_voicemail(lab: Lab, agent: Agent) -> None:
    """A call that waits for a change returns, too."""
    first, second = agent.ids()
    status = agent.call("get_gateway_status", detail=True).structured
    lab.modems[0].set_voicemail(1)
    status = agent.call("get_gateway_status", detail=True, after=status["cursor"],
                        wait_seconds=30).structured
    assert [(row["subscription_id"], row["voicemail"]) for row in status["voicemail"]] == [
        (first, "waiting"), (second, "none")]
    lab.modems[0].set_voicemail(0)
    wait_until(lambda: states(lab, ERAS[0])[0] == ("none", 0), what="it was listened to")


def test_voicemail_causes_no_update_of_the_sim_list(lab: Lab) -> None:
    """The list of SIMs does not show it."""
    wait_settled(lab)
    with subscribed(lab, ERAS[1], "sms://subscriptions") as cards, \
            subscribed(lab, ERAS[1], URI) as events:
        lab.modems[0].set_voicemail(2)
        told(events, URI)
        lab.modems[0].set_voicemail(0)
        told(events, URI)
        assert cards.poll(0.3) is None


def test_the_mailbox_number_is_shown(make_lab: Callable[..., Lab]) -> None:
    lab = make_lab(sims=[Sim.numbered(0, mailbox="+36209000000")])
    wait_until(lambda: read(lab, ERAS[0])[0]["mailbox_number"] == "+36209000000",
               what="the number of the mailbox")
