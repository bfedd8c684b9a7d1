# SPDX-License-Identifier: GPL-2.0-or-later
"""The serial line by itself, with a plain socket in ofonod's place."""

from __future__ import annotations

import queue
import socket
from collections.abc import Iterator

import pytest

from modem.link import Link
from modem.patience import patience


class User:
    """Reports its events to the test."""

    def __init__(self) -> None:
        self._told: queue.SimpleQueue[str] = queue.SimpleQueue()

    def connected(self) -> None:
        self._told.put("connected")

    def disconnected(self) -> None:
        self._told.put("disconnected")

    def line(self, text: str) -> None:
        self._told.put(text)

    def wait(self, what: str) -> None:
        assert self._told.get(timeout=patience(10)) == what


@pytest.fixture
def user() -> User:
    return User()


@pytest.fixture
def link(user: User) -> Iterator[Link]:
    link = Link(user)
    link.start()
    yield link
    link.stop()


def test_an_undelivered_line_is_not_sent_to_the_next_connection(link: Link, user: User) -> None:
    """Otherwise a card that was removed and inserted again would be reported as removed."""
    with socket.create_connection(("127.0.0.1", link.port)) as first:
        user.wait("connected")
        first.sendall(b"AT\r")
        user.wait("AT")
    user.wait("disconnected")
    link.call(lambda: link.send_when_quiet("+USIMSTATE: 0"))
    with socket.create_connection(("127.0.0.1", link.port)) as second:
        user.wait("connected")
        link.call(lambda: link.send_when_quiet("+USIMSTATE: 1"))
        second.settimeout(patience(10))
        assert second.recv(100) == b"\r\n+USIMSTATE: 1\r\n"
    user.wait("disconnected")
