# SPDX-License-Identifier: GPL-2.0-or-later
"""Incoming messages that the gateway has stored and reported."""

from __future__ import annotations

from agent import Agent
from lab import Lab, wait_until

SENDER = "+36209876543"


def newest(lab: Lab) -> int:
    """The message_id of the newest message in either direction; 0 if there is none."""
    page = Agent(lab).call("list_sms", limit=1).structured["messages"]
    return page[0]["message_id"] if page else 0


def receive(lab: Lab, text: str, sender: str = SENDER) -> int:
    """Delivers a message and returns its message_id."""
    before = newest(lab)
    lab.modems[0].deliver(sender, text)
    return wait_until(lambda: (now := newest(lab)) > before and now,
                      what=f"{text!r} came in")
