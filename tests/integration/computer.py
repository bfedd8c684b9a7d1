# SPDX-License-Identifier: GPL-2.0-or-later
"""A computer that asks to be paired: what its browser, or its curl, sends and gets."""

from __future__ import annotations

import re
from urllib.parse import quote_plus

from lone_gateway import LoneGateway
from wire import Reply, Wire, request

BROWSER = "text/html,application/xhtml+xml;q=0.9,*/*;q=0.8"
FORM = "application/x-www-form-urlencoded"


class Computer:
    """`cookie` is what its browser has kept."""

    def __init__(self, gateway: LoneGateway, source: str = "127.0.0.1",
                 accept: str = BROWSER, cookie: str = "") -> None:
        self._gateway = gateway
        self._source = source
        self._accept = accept
        self.cookie = cookie

    def ask(self, path: str, method: str = "GET", body: bytes = b"",
            **headers: str | None) -> Reply:
        given = {"Accept": self._accept, "Content-Type": FORM if body else None,
                 "Cookie": self.cookie or None} | headers
        with Wire(self._gateway.port, self._source) as wire:
            wire.send(request(body, given, method, path))
            reply = wire.receive(head_only=method == "HEAD")
        kept = re.match(r"([^=]+=[^;]+);", reply.header("set-cookie") or "")
        self.cookie = kept[1] if kept else self.cookie
        return reply

    def begin(self, name: str) -> Reply:
        return self.ask("/pair", "POST", f"name={quote_plus(name)}".encode())

    def wait_page(self, **headers: str | None) -> Reply:
        return self.ask("/pair/wait", **headers)

    @property
    def code(self) -> str:
        """The code that its page shows."""
        shown = re.search(r'<p class="code">(\d{3}) (\d{3})</p>', self.wait_page().body.decode())
        assert shown
        return shown[1] + shown[2]


def member(reply: Reply, name: str) -> str:
    """A line "name: value" of a text page."""
    found = re.search(rf"^{name}: (.*)$", reply.body.decode(), re.MULTILINE)
    assert found, reply
    return found[1]


def state(computer: Computer) -> tuple[int, str]:
    reply = computer.wait_page(Accept="*/*")
    return reply.status, member(reply, "state")


def token_on(reply: Reply) -> str:
    """The token that a page shows."""
    found = re.search(r"<pre>([0-9a-f]{64})</pre>", reply.body.decode())
    assert found, reply
    return found[1]
