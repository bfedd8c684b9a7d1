# SPDX-License-Identifier: GPL-2.0-or-later
"""Who can reach the gateway over a network: addresses, interfaces, wrong tokens.

Each test has a phone with wlan0 and wwan0, and machines at the other ends (phone.py).
"""

from __future__ import annotations

import math
import re
import signal
import ssl
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path

import pytest

from agent import pair
from lab import wait_until
from lab.dial import make_certificate
from lone_gateway import LoneGateway
from owner import Owner
from phone import LAPTOP, LAPTOP_6, MOBILE, PHONE, PHONE_6, PING, Phone
from wire import Wire, request

ANY, ANY_6 = "0.0.0.0", "[::]"
WRONG = "f00d" * 16
TOKENS = 5                  # wrong ones, before 429
DELAYS_S = [0.1, 0.2, 0.4, 0.8, 1.6]
ROOT = Path(__file__).resolve().parents[2]


# ---- listening

def test_the_network_is_closed_before_the_first_client(phone: Phone) -> None:
    with phone.serving(ANY, ANY_6) as gateway:
        assert f"not listening on 0.0.0.0:{phone.port} before a client is paired" in (
            gateway.log)
        assert phone.is_refused("laptop", PHONE)
        assert phone.is_refused("laptop", PHONE_6)
        assert phone.ask("phone", "127.0.0.1").status == 401
        token = pair(gateway, "agent")
        wait_until(lambda: not phone.is_refused("laptop", PHONE), what="the port is open")
        assert phone.ask("laptop", PHONE, token).result == {}
        assert phone.ask("laptop", PHONE_6, token).result == {}
        assert f"http: 0.0.0.0:{phone.port} is open to the network now" in gateway.log


def test_the_network_closes_with_the_last_client_and_reopens(phone: Phone) -> None:
    with phone.serving(PHONE) as gateway:
        token = pair(gateway, "agent")
        gateway.restart()
        with phone.wire("laptop", PHONE) as idle, phone.wire("laptop", PHONE) as other:
            asked = request(PING, {"Authorization": f"Bearer {token}"})
            assert idle.ask(asked).result == {}
            assert other.ask(asked).result == {}
            Owner(gateway.state).do("revoke", "agent")
            idle.wait_closed()
            other.wait_closed()
        assert phone.is_refused("laptop", PHONE)
        assert "is closed, because no client has a token any more" in gateway.log
        assert phone.ask("phone", "127.0.0.1", token).status == 401
        second = pair(gateway, "other")
        wait_until(lambda: not phone.is_refused("laptop", PHONE), what="open again")
        assert phone.ask("laptop", PHONE, second).result == {}


def test_an_address_in_use_prevents_the_start(phone: Phone) -> None:
    """Even if the gateway would not listen yet."""
    with phone.serving(PHONE) as gateway:
        pair(gateway, "agent")
        gateway.restart()
        second = LoneGateway(open=False)
        second.network = gateway.network
        second.args += ["--listen", f"{PHONE}:{phone.port}"]
        try:
            second.launch()
            wait_until(lambda: not second.is_running, what="it does not start")
            assert f"{PHONE}:{phone.port} is in use by another program" in second.log
        finally:
            second._clear()


# ---- TLS

def test_the_network_speaks_tls_and_loopback_does_not(phone: Phone) -> None:
    """The certificate may be made together with the first client, while the gateway runs."""
    with phone.serving(PHONE) as gateway:
        make_certificate(gateway.state / "tls")
        token = pair(gateway, "agent")
        wait_until(lambda: not phone.is_refused("laptop", PHONE), what="the port is open")
        assert f"{PHONE}:{phone.port} is open to the network now, with TLS" in gateway.log
        assert phone.ask("phone", "127.0.0.1", token).result == {}
        with phone.trusted():
            assert phone.ask("laptop", PHONE, token).result == {}
            gateway.restart()
            assert phone.ask("laptop", PHONE, token).result == {}
        with phone.wire("laptop", PHONE) as plain:
            plain.send(request(PING, {"Authorization": f"Bearer {token}"}))
            assert b"HTTP" not in plain.wait_closed()


def test_mobile_data_gets_no_tls_handshake(phone: Phone) -> None:
    with phone.serving(ANY) as gateway:
        make_certificate(gateway.state / "tls")
        pair(gateway, "agent")
        gateway.restart()
        with phone.trusted():
            with pytest.raises((ssl.SSLError, ConnectionError)):
                phone.wire("stranger", MOBILE).close()
            phone.wire("laptop", PHONE).close()


def test_a_bad_certificate_keeps_the_network_closed(phone: Phone) -> None:
    with phone.serving(PHONE) as gateway:
        make_certificate(gateway.state / "tls")
        (gateway.state / "tls" / "key.pem").chmod(0o644)
        token = pair(gateway, "agent")
        said = f"{PHONE}:{phone.port} stays closed until SIGHUP: {gateway.state}/tls/key.pem"
        wait_until(lambda: said in gateway.log, what="it is told")
        assert phone.is_refused("laptop", PHONE)
        (gateway.state / "tls" / "key.pem").chmod(0o640)
        gateway.send_signal(signal.SIGHUP)
        wait_until(lambda: not phone.is_refused("laptop", PHONE), what="the port is open")
        with phone.trusted():
            assert phone.ask("laptop", PHONE, token).result == {}


# ---- interfaces

@pytest.fixture
def everywhere(phone: Phone) -> Iterator[tuple[Phone, str]]:
    """Listens on all addresses, and has a client."""
    with phone.serving(ANY, ANY_6) as gateway:
        token = pair(gateway, "agent")
        gateway.restart()
        yield phone, token


def test_mobile_data_is_never_served(everywhere: tuple[Phone, str]) -> None:
    phone, token = everywhere
    assert phone.ask("laptop", PHONE, token).result == {}
    assert phone.is_closed_silently("stranger", MOBILE, token)
    assert (f"http: refused a connection to {MOBILE} on wwan0: mobile data is never "
            "served") in phone.gateway.log


def test_a_lan_address_is_not_served_over_mobile_data(everywhere: tuple[Phone, str]) -> None:
    """Linux also accepts a packet for wlan0's address on wwan0."""
    phone, token = everywhere
    networks = phone.networks
    networks["stranger"].ip("route", "add", f"{PHONE}/32", "via", MOBILE)
    assert phone.is_closed_silently("stranger", PHONE, token)
    assert f"http: refused a connection to {PHONE} on wwan0" in phone.gateway.log
    networks["phone"].add("wwan0", "2001:db8:1::1", 64)
    networks["stranger"].add("eth0", "2001:db8:1::2", 64)
    networks["stranger"].ip("-6", "route", "add", f"{PHONE_6}/128", "via",
                            "2001:db8:1::1")
    assert phone.is_closed_silently("stranger", PHONE_6, token)


def test_link_local_addresses_are_distinguished_by_scope(everywhere: tuple[Phone, str]) -> None:
    """The same address may exist on every interface; its scope says which one is meant."""
    phone, token = everywhere
    for interface in ("wlan0", "wwan0"):
        phone.networks["phone"].add(interface, "fe80::1", 64)
    for who in ("laptop", "stranger"):
        phone.networks[who].add("eth0", "fe80::2", 64)
    assert phone.ask("laptop", "fe80::1%eth0", token).result == {}
    assert phone.is_closed_silently("stranger", "fe80::1%eth0", token)


def test_the_phone_itself_reaches_its_addresses(everywhere: tuple[Phone, str]) -> None:
    phone, token = everywhere
    for host in ("127.0.0.1", "::1", PHONE, PHONE_6):
        assert phone.ask("phone", host, token).result == {}
    assert phone.is_closed_silently("phone", MOBILE, token)


def test_an_address_that_moves_to_mobile_data_is_closed(everywhere: tuple[Phone, str]) -> None:
    phone, token = everywhere
    assert phone.ask("laptop", PHONE, token).result == {}
    networks = phone.networks
    networks["phone"].ip("address", "del", f"{PHONE}/24", "dev", "wlan0")
    networks["phone"].add("wwan0", PHONE, 32)
    networks["stranger"].ip("route", "add", f"{PHONE}/32", "via", MOBILE)
    assert phone.is_closed_silently("stranger", PHONE, token)


def test_a_later_interface_is_served_unless_mobile_data(everywhere: tuple[Phone, str]) -> None:
    phone, token = everywhere
    assert phone.ask("laptop", PHONE, token).result == {}
    networks = phone.networks
    networks["phone"].connect("usb0", "203.0.113.1", networks["laptop"], "usb0",
                              "203.0.113.2")
    assert phone.ask("laptop", "203.0.113.1", token).result == {}
    networks["phone"].connect("rmnet_data0", "203.0.113.129", networks["stranger"], "x",
                              "203.0.113.130", 25)
    assert phone.is_closed_silently("stranger", "203.0.113.129", token)


@pytest.mark.parametrize("names", ["wlan0", "usb0 wlan0", "usb0,wlan0"])
def test_only_listed_interfaces_are_served(phone: Phone, names: str) -> None:
    networks = phone.networks
    networks["phone"].connect("eth1", "203.0.113.1", networks["stranger"], "eth1",
                              "203.0.113.2")
    with phone.serving(ANY, interfaces=names) as gateway:
        token = pair(gateway, "agent")
        gateway.restart()
        assert phone.ask("laptop", PHONE, token).result == {}
        assert phone.ask("phone", "127.0.0.1", token).result == {}
        assert phone.is_closed_silently("stranger", "203.0.113.1", token)
        assert "on eth1: it is not listed in server.interfaces" in gateway.log


def test_the_interface_list_is_read_again_on_reload(everywhere: tuple[Phone, str]) -> None:
    phone, token = everywhere
    config = phone.gateway.folder / "gateway.conf"
    config.write_text("[server]\ninterfaces = usb0\n")
    phone.gateway.send_signal(signal.SIGHUP)
    wait_until(lambda: phone.is_closed_silently("laptop", PHONE, token),
               what="wlan0 is not served any more")
    assert phone.ask("phone", "127.0.0.1", token).result == {}


# ---- wrong tokens

def seconds_until_401(phone: Phone, host: str = PHONE) -> float:
    """No answer is early; how late it is depends on the machine."""
    begin = time.monotonic()
    reply = phone.ask("laptop", host, WRONG)
    assert reply.status == 401
    assert 'error="invalid_token"' in reply.header("www-authenticate")
    return time.monotonic() - begin


def test_wrong_tokens_are_delayed_and_then_refused(
        everywhere: tuple[Phone, str]) -> None:
    phone, token = everywhere
    begun = time.monotonic()
    for delay_s in DELAYS_S:
        assert seconds_until_401(phone) >= delay_s
    reply = phone.ask("laptop", PHONE, WRONG)
    assert reply.status == 429
    spent_s = math.ceil(time.monotonic() - begun)
    assert 60 - spent_s <= int(reply.header("retry-after")) <= 60
    assert "a right token is accepted at any time" in reply.json["error"]["message"]
    assert phone.ask("laptop", PHONE).status == 401         # a missing token is not a wrong one
    assert phone.ask("phone", "127.0.0.1", WRONG).status == 401
    assert phone.ask("laptop", PHONE, token).result == {}
    assert seconds_until_401(phone) >= DELAYS_S[0]          # it cleared the count


def test_wrong_tokens_do_not_delay_other_clients(everywhere: tuple[Phone, str]) -> None:
    phone, token = everywhere
    with ExitStack() as wires:
        guessing = [wires.enter_context(phone.wire("laptop", PHONE))
                    for _ in range(TOKENS)]
        for wire in guessing:
            wire.send(request(PING, {"Authorization": f"Bearer {WRONG}"}))
        assert phone.ask("phone", "127.0.0.1", token).result == {}
        assert not all(wire.has_news(0) for wire in guessing)
        assert [wire.receive().status for wire in guessing] == [401] * TOKENS


@pytest.mark.parametrize("leave", [Wire.close, Wire.reset, Wire.end])
def test_a_disconnect_during_the_delay_is_harmless(everywhere: tuple[Phone, str],
                                  leave: Callable[[Wire], None]) -> None:
    phone, token = everywhere
    wires = [phone.wire("laptop", PHONE) for _ in range(TOKENS)]
    for wire in wires:
        wire.send(request(PING, {"Authorization": f"Bearer {WRONG}"}))
    for wire in wires:
        leave(wire)
    wait_until(lambda: not phone.peers, what="all are gone")
    assert phone.ask("laptop", PHONE, token).result == {}
    for wire in wires:
        wire.close()


def test_stopping_does_not_wait_for_delayed_answers(everywhere: tuple[Phone, str]) -> None:
    phone, _ = everywhere
    with ThreadPoolExecutor(1) as pool:
        for _ in range(TOKENS - 1):
            seconds_until_401(phone)
        with phone.wire("laptop", PHONE) as wire:
            wire.send(request(PING, {"Authorization": f"Bearer {WRONG}"}))
            wait_until(lambda: len(phone.peers) == 1, what="it was accepted")
            stopped = pool.submit(phone.gateway.stop)
            assert wire.receive().status == 401
            assert stopped.result() == 0
    phone.gateway.start()


def fail2ban_rule() -> re.Pattern[str]:
    """The failregex of doc/security.md."""
    text = (ROOT / "doc" / "security.md").read_text()
    [rule] = re.findall(r"^ *failregex = (.+)$", text, re.MULTILINE)
    return re.compile(rule.replace("<HOST>", r"(?P<host>[0-9a-f.:]+)"))


def test_wrong_tokens_are_logged_for_fail2ban(everywhere: tuple[Phone, str]) -> None:
    """At most one line a second, with the number of attempts that it stands for."""
    phone, _ = everywhere
    rule = fail2ban_rule()

    def failures() -> list[str]:
        return [match["host"] for line in phone.gateway.log.splitlines()
                if (match := rule.search(line))]

    for _ in range(3):
        seconds_until_401(phone)
    assert failures() == [LAPTOP]
    wait_until(lambda: phone.ask("laptop", PHONE_6, WRONG).status and len(failures()) > 1,
               what="the next line")
    assert failures()[1] == LAPTOP_6
    assert re.search(r"auth failure from 2001:db8::2 \(\d+ more since", phone.gateway.log)
    assert WRONG not in phone.gateway.log
