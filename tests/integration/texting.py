# SPDX-License-Identifier: GPL-2.0-or-later
"""The owner who texts the phone: an authenticator app, and commands with its codes."""

from __future__ import annotations

import base64
import hashlib
import hmac
import struct
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import parse_qs, urlsplit

from agent import Agent
from conftest import new_lab, wait_until_known
from incoming import receive
from lab import Lab, wait_until
from lab.clock import Clock
from owner import Owner

OWNER = "+36201234567"
SECOND = "+36301234599"
STEP_S = 30


def section(*lines: str, code: str = "totp", numbers: str = OWNER) -> str:
    """The section [agent] of the configuration."""
    return "\n".join(["[agent]", f"owner_numbers = {numbers}", f"code = {code}", *lines, ""])


class Authenticator:
    """By RFC 6238, and not by the gateway's own code."""

    def __init__(self, url: str) -> None:
        self.url = url
        parts = urlsplit(url)
        assert (parts.scheme, parts.netloc) == ("otpauth", "totp")
        query = {name: values[0] for name, values in parse_qs(parts.query).items()}
        assert (query["algorithm"], query["digits"], query["period"]) == ("SHA1", "6", "30")
        self.secret = base64.b32decode(query["secret"])
        assert len(self.secret) == 20
        self._last = 0

    def at(self, step: int) -> str:
        digest = hmac.new(self.secret, struct.pack(">q", step), hashlib.sha1).digest()
        place = digest[-1] & 15
        number = struct.unpack(">I", digest[place:place + 4])[0] & 0x7fffffff
        return f"{number % 10**6:06d}"

    def code(self) -> str:
        """A code that was not used yet, and counts for half a minute at least: that of this step or
        the next one. The one before would count, too, but maybe for a moment only."""
        def find() -> int:
            return next((step for step in (now(), now() + 1) if step > self._last), 0)
        self._last = wait_until(find, 2 * STEP_S, "there is a new code")
        return self.at(self._last)

    def last(self) -> str:
        """The code that code() returned last."""
        return self.at(self._last)

    def wrong(self) -> str:
        right = {self.at(now() + ahead) for ahead in range(-3, 4)}
        return next(code for code in (f"{n:06d}" for n in range(100000, 100010))
                    if code not in right)


def now() -> int:
    return int(time.time()) // STEP_S


def enrol(lab: Lab, number: str = OWNER) -> Authenticator:
    said = Owner(lab.gateway.state).json("agent", "enrol", number)
    assert said["number"] == number
    return Authenticator(said["url"])


@contextmanager
def timed_lab(config: str, ahead_s: float = 0, **options: Any) -> Iterator[tuple[Lab, Clock]]:
    """The gateway has a clock that the test sets."""
    lab = new_lab(config, modem_count=1, **options)
    clock = Clock(lab.folder)
    clock.set(ahead_s)
    lab.gateway.environment |= clock.environment
    with lab:
        if options.get("gateway_open", True):
            wait_until_known(lab, True)
        yield lab, clock


def text(lab: Lab, body: str, sender: str = OWNER) -> dict[str, Any]:
    """The message as an agent without the scope codes could list it, and its ID."""
    return listed(lab, receive(lab, body, sender))


def listed(lab: Lab, message_id: int, agent: Agent | None = None) -> dict[str, Any]:
    page = (agent or Agent(lab)).call("list_sms", limit=100).structured["messages"]
    return next(row for row in page if row["message_id"] == message_id)


def flags(message: dict[str, Any]) -> set[str]:
    return set(message.get("flags", [])) & {"command", "command_refused", "approval_answer"}


def numbers(lab: Lab) -> dict[str, dict[str, Any]]:
    """What the owner sees of each number."""
    rows = Owner(lab.gateway.state).json("status")["agent"]["numbers"]
    return {row["number"]: row for row in rows}

