# SPDX-License-Identifier: GPL-2.0-or-later
"""Clients whose messages need approval, and the owner who is asked for it."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from typing import Any

from agent import Agent, pair
from lab import Lab, wait_until
from owner import Owner as Terminal

def write_past_the_gateway(lab: Lab, sql: str, *values: object) -> None:
    """Writes to the gateway's message store, whether the gateway runs or not."""
    with closing(sqlite3.connect(lab.gateway.state / "gateway.db", timeout=10)) as ledger:
        ledger.execute(sql, values)
        ledger.commit()


def set_ask(lab: Lab, name: str, ask: str) -> None:
    Terminal(lab.gateway.state).do("change", "--ask", ask, name)


def new_client(lab: Lab, name: str = "careful", ask: str = "always") -> str:
    """Returns the client's token."""
    token = pair(lab.gateway, name)
    set_ask(lab, name, ask)
    return token


def new_agent(lab: Lab, name: str = "careful", ask: str = "always") -> Agent:
    """This agent cannot ask its user."""
    agent = Agent(lab, new_client(lab, name, ask))
    agent.wait_states(*["ready"] * len(lab.modems), timeout=10)
    return agent


class Owner(Terminal):
    def __init__(self, lab: Lab) -> None:
        super().__init__(lab.gateway.state)
        self._lab = lab

    def approvals(self, *arguments: object) -> list[dict[str, Any]]:
        said = self.do("approvals", "--json", *arguments).splitlines()
        *items, result = map(json.loads, said)
        assert result["listed"] == len(items)
        return items

    def wait_asked(self, count: int = 1) -> list[int]:
        """Waits until that many messages need approval; returns their IDs."""
        found = wait_until(lambda: self._asked(count), what=f"{count} wait for the owner")
        return [item["message_id"] for item in found]

    def _asked(self, count: int) -> list[dict[str, Any]]:
        items = self.approvals()
        return items if len(items) == count else []
