# SPDX-License-Identifier: GPL-2.0-or-later
"""A phone with two SIMs, its owner's page, and an agent whose messages need approval."""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from agent import Agent
from lab import Lab
from modem import Sim
from owner import Owner

CONTACT = ("Kov\u00e1cs Anna", "+36205550199")
TOKEN = re.compile(r"\b[0-9a-f]{64}\b")


class Desk:
    """`page` is the token of the owner's page, `agent` the careful one. `policy` replaces the
    default, which lifts all limits; the second SIM may be `locked`; with our `plugin`, ofonod tells
    of deliveries."""

    def __init__(self, policy: str | None = None, locked: bool = False,
                 contacts: Sequence[tuple[str, str]] = (CONTACT,), plugin: Path | None = None) -> None:
        sims = [Sim.numbered(0, contacts=list(contacts)), Sim.numbered(1, pin="1234" if locked else None)]
        self.lab = Lab(gateway=True, gateway_open=False, sims=sims, plugin=plugin)
        self._states = ["ready", "locked" if locked else "ready"]
        if policy is not None:
            self.lab.gateway.policy = policy
        self._exit = ExitStack()

    def __enter__(self) -> Desk:
        self._exit.enter_context(self.lab)
        self.owner = Owner(self.lab.gateway.state)
        self.page = self.pair("page", "read,send,codes,admin", "--ask", "never")
        self.agent_token = self.pair("laptop", "read,send", "--ask", "always")
        self.agent = Agent(self.lab, self.agent_token)
        self.agent.wait_states(*self._states, timeout=20)
        self.sims = self.agent.ids()
        return self

    def __exit__(self, *error: Any) -> None:
        self._exit.__exit__(*error)

    def pair(self, name: str, scopes: str, *options: str) -> str:
        """Returns the token."""
        [token] = set(TOKEN.findall(self.owner.do("pair", "--scope", scopes, *options, name)))
        return token

    def ask(self, text: str, number: str) -> int:
        """The agent asks for a message, which waits for approval."""
        waits = self.agent.send(text, self.sims[0], number, wait_for="none")
        assert waits.structured["state"] == "waiting_approval"
        return waits.message_id

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.lab.gateway.port}/"

    @property
    def link(self) -> str:
        return f"{self.url}#token={self.page}"

    def sent(self, modem: int = 0) -> list[str]:
        """The texts that the network took from a modem."""
        return [submit.text for submit in self.lab.modems[modem].taken]
