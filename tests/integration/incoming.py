# SPDX-License-Identifier: GPL-2.0-or-later
"""Messages that come in, and that the gateway has told of."""

from __future__ import annotations

from agent import Agent
from lab import Lab, wait_until

SENDER = "+36209876543"


def newest(lab: Lab) -> int:
    """The message_id of the last one, in or out; 0: there is none."""
    page = Agent(lab).call("list_sms", limit=1).structured["messages"]
    return page[0]["message_id"] if page else 0


def receive(lab: Lab, text: str, sender: str = SENDER) -> int:
    """The message_id of one that comes in now."""
    before = newest(lab)
    lab.modems[0].deliver(sender, text)
    return wait_until(lambda: (now := newest(lab)) > before and now,
                      what=f"{text!r} came in")
