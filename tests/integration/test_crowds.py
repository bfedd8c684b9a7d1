# SPDX-License-Identifier: GPL-2.0-or-later
"""Strangers hold all connections, and token holders are served at once.

The gateway has a network of its own; the strangers and the agent are at the other end of a
cable, with an address for each stranger, or all at the agent's address.
"""

from __future__ import annotations

import socket
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, nullcontext, suppress

import pytest

from agent import pair
from lab import wait_until
from lab.dial import make_certificate
from lone_gateway import LoneGateway
from modem.patience import patience
from owner import Owner
from phone import LAPTOP, PHONE, PING, Phone, new_phone
from wire import Closed, Wire, request

STRANGERS = "198.18.0.0/16"
ADDRESSES, CROWD = 200, 300             # more than max_connections
AT_ONCE_S = 1
HOLD_S = 60                             # strangers keep what they have for so long
HEALTHZ = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"
HELLO = bytes.fromhex("160301020001fc0303") + bytes(100)    # of TLS, cut off


@pytest.fixture(scope="module", params=["http", "https"])
def crowded(request: pytest.FixtureRequest, phone_networks: Phone) -> Iterator[Phone]:
    yield from serving(phone_networks, tls=request.param == "https")


@pytest.fixture(scope="module")
def phone_networks() -> Iterator[Phone]:
    with new_phone() as phone:
        laptop, here = phone.networks["laptop"], phone.networks["phone"]
        laptop.ip("route", "add", "local", STRANGERS, "dev", "lo")
        here.ip("route", "add", STRANGERS, "via", LAPTOP)
        yield phone


def serving(phone: Phone, tls: bool) -> Iterator[Phone]:
    with phone.serving(PHONE, request_timeout_seconds=str(HOLD_S)) as gateway:
        if tls:
            make_certificate(gateway.state / "tls")
        gateway.token = pair(gateway, "agent")
        gateway.restart()
        with phone.trusted() if tls else nullcontext():
            yield phone


def asked(gateway: LoneGateway) -> bytes:
    return request(PING, {"Authorization": f"Bearer {gateway.token}"})


def source(number: int) -> str:
    return f"198.18.{number // 250}.{1 + number % 250}"


def plain(phone: Phone, own: str) -> socket.socket:
    """TCP alone, whatever protocol is spoken above it."""
    with phone.networks["laptop"].inside():
        return socket.create_connection((PHONE, phone.port), patience(5), (own, 0))


class Stranger:
    """A connection that does one thing and then nothing more."""

    def __init__(self, phone: Phone, act: str, own: str) -> None:
        self.kept: Wire | socket.socket
        if act in ("connects", "begins a handshake"):
            self.kept = plain(phone, own)
            self.kept.sendall(HELLO if act != "connects" else b"")
            return
        self.kept = phone.wire("laptop", PHONE, own)
        if act == "asks /healthz":
            with suppress(Closed, OSError):
                self.kept.ask(HEALTHZ)
        elif act == "sends half a request":
            self.kept.send(request(PING)[:-1])
        elif act == "sends a wrong token":
            self.kept.send(request(PING, {"Authorization": "Bearer " + "f00d" * 16}))


ACTS = ["connects", "begins a handshake", "asks /healthz", "sends half a request",
        "sends a wrong token"]


@contextmanager
def crowd(phone: Phone, act: str, addresses: int) -> Iterator[list[Stranger]]:
    with ExitStack() as stack:
        strangers = []
        for number in range(CROWD):
            own = source(number % addresses) if addresses > 1 else LAPTOP
            with suppress(OSError):     # the kernel may know before us that it is closed
                strangers.append(Stranger(phone, act, own))
                stack.callback(strangers[-1].kept.close)
        yield strangers


def waits_in_a_crowd(phone: Phone, act: str, addresses: int) -> list[float]:
    """What each call of a token holder took, in seconds; no call waits until strangers leave."""
    gateway, took_s = phone.gateway, []
    with phone.wire("laptop", PHONE) as kept:
        assert kept.ask(asked(gateway)).result == {}
        with crowd(phone, act, addresses):
            for _ in range(20):
                begin = time.monotonic()
                with phone.wire("laptop", PHONE) as wire:
                    assert wire.ask(asked(gateway)).result == {}
                took_s.append(time.monotonic() - begin)
            begin = time.monotonic()
            assert kept.ask(asked(gateway)).result == {}    # it was not disconnected
            took_s.append(time.monotonic() - begin)
    wait_until(lambda: not phone.peers, what="all are gone")
    return took_s


@pytest.mark.parametrize("addresses", [1, ADDRESSES], ids=["one address", "many addresses"])
@pytest.mark.parametrize("act", ACTS)
def test_a_valid_token_is_served_while_any_crowd_stays(
        crowded: Phone, act: str, addresses: int) -> None:
    waits_in_a_crowd(crowded, act, addresses)


@pytest.mark.parametrize("addresses", [1, ADDRESSES], ids=["one address", "many addresses"])
@pytest.mark.parametrize("act", ACTS)
def test_a_valid_token_is_served_at_once_in_any_crowd(
        crowded: Phone, act: str, addresses: int) -> None:
    assert max(waits_in_a_crowd(crowded, act, addresses)) < patience(AT_ONCE_S)


def test_strangers_are_disconnected_before_token_holders(crowded: Phone) -> None:
    """The one that has waited longest goes first; a connection with a call in progress never
    does."""
    gateway = crowded.gateway
    with ExitStack() as stack:
        holders = [stack.enter_context(crowded.wire("laptop", PHONE, source(number)))
                   for number in range(250)]
        for wire in holders:
            assert wire.ask(asked(gateway)).result == {}
        strangers = [plain(crowded, source(number)) for number in range(250, 260)]
        for one in strangers:
            stack.callback(one.close)
        assert not any(wire.has_news(0) for wire in holders[4:])
        for number in range(260, 270):      # they take the strangers' places
            with crowded.wire("laptop", PHONE, source(number)) as wire:
                assert wire.ask(asked(gateway)).result == {}
        assert not any(wire.has_news(0) for wire in holders[4:])
    wait_until(lambda: not crowded.peers, what="all are gone")


def test_a_revoked_client_loses_its_connection_priority(crowded: Phone) -> None:
    gateway = crowded.gateway
    token = pair(gateway, "another")
    with crowded.wire("laptop", PHONE, source(1)) as old:
        assert old.ask(request(PING, {"Authorization": f"Bearer {token}"})).result == {}
        Owner(gateway.state).do("revoke", "another")
        with crowd(crowded, "asks /healthz", ADDRESSES):
            assert old.wait_closed() == b""
    wait_until(lambda: not crowded.peers, what="all are gone")
