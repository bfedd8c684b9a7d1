# SPDX-License-Identifier: GPL-2.0-or-later
"""The mDNS advertisement: a real Avahi on the phone and on the machines at the other ends,
which see only what arrives over the wire."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import pytest

from agent import pair
from lab import wait_until
from lab.avahi import Avahi, Seen
from lab.bus import Bus
from lab.dial import make_certificate
from lone_gateway import LoneGateway
from owner import Owner
from phone import PHONE, Phone

ANY, ANY_6 = "0.0.0.0", "[::]"
NAME = "ofono-mcp on phone"
TEXTS = {"txtvers=1", "path=/mcp", "proto=http", "auth=bearer"}
DENY = ('<busconfig><policy context="default">'
        '<deny send_destination="org.freedesktop.Avahi"/></policy></busconfig>')


@dataclass
class Air:
    """The test starts the phone's Avahi; those of the others always run."""

    phone: Phone
    bus: Bus
    avahi: Avahi
    laptop: Avahi
    folder: Path

    @property
    def gateway(self) -> LoneGateway:
        return self.phone.gateway

    @property
    def status(self) -> dict[str, object]:
        return Owner(self.gateway.state).json("status")

    @property
    def said(self) -> str:
        return str(self.status["advertisement"])

    def seen(self) -> list[Seen]:
        return [one for one in self.laptop.browse() if one.family == "IPv4"]

    def wait_seen(self, name: str = NAME) -> Seen:
        found: list[Seen] = []

        def look() -> bool:
            found[:] = self.seen()
            return [one.name for one in found] == [name]

        wait_until(look, 30, f"the laptop sees it\n{self.gateway.log}")
        assert self.status["advertised"] is True
        return found[0]

    def wait_unseen(self, reason: str) -> None:
        wait_until(lambda: not self.seen(), 30, "the laptop sees it no more")
        wait_until(lambda: reason in self.said, what=reason)
        assert self.status["advertised"] is False

    def reload(self, **server: str) -> None:
        lines = [f"{key} = {value}\n" for key, value in server.items()]
        (self.gateway.folder / "gateway.conf").write_text("[server]\n" + "".join(lines))
        self.gateway.send_signal(signal.SIGHUP)


def machine(stack: ExitStack, phone: Phone, name: str, folder: Path) -> Avahi:
    """Has its own bus; its Avahi is not started."""
    (folder / name).mkdir()
    bus = Bus(folder / name)
    stack.callback(bus.stop)
    bus.start()
    avahi = Avahi(folder, bus, phone.networks[name], name)
    stack.callback(avahi.kill)
    return avahi


@pytest.fixture
def air(phone: Phone, folder: Path) -> Iterator[Air]:
    with ExitStack() as stack:
        bus = Bus(folder)
        stack.callback(bus.stop)
        bus.start()
        phone.environment = bus.environment
        avahi = Avahi(folder, bus, phone.networks["phone"], "phone")
        stack.callback(avahi.kill)
        laptop = machine(stack, phone, "laptop", folder)
        laptop.start()
        yield Air(phone, bus, avahi, laptop, folder)


@pytest.fixture
def told(air: Air) -> Iterator[Air]:
    """The gateway is advertised, and the laptop has seen it."""
    air.avahi.start()
    with air.phone.serving(ANY, ANY_6, advertise="yes") as gateway:
        pair(gateway, "agent")
        air.wait_seen()
        yield air


def test_the_service_is_advertised_except_on_mobile_data(told: Air, folder: Path) -> None:
    """Multicast DNS works on mobile data, but does not mention the gateway."""
    seen = told.wait_seen()
    assert (seen.address, seen.port, seen.host) == (PHONE, told.phone.port, "phone.local")
    assert seen.texts == TEXTS
    assert told.said.startswith(f'"{NAME}" at phone.local')
    assert "advertised as" in Owner(told.gateway.state).do("status")
    with ExitStack() as stack:
        stranger = machine(stack, told.phone, "stranger", folder)
        stranger.start()
        wait_until(lambda: "phone.local" in stranger.run(
            "avahi-resolve", "-4", "-n", "phone.local"), what="the host is known there")
        assert stranger.browse() == []


def test_advertising_is_off_by_default_and_reloadable(air: Air) -> None:
    air.avahi.start()
    with air.phone.serving(ANY) as gateway:
        pair(gateway, "agent")
        wait_until(lambda: not air.phone.is_refused("laptop", PHONE), what="it is open")
        assert air.said == "advertise = no"
        assert air.seen() == []
        air.reload(advertise="yes")
        air.wait_seen()
        air.reload(advertise="no")
        air.wait_unseen("advertise = no")


def test_it_is_advertised_only_while_a_client_is_paired(air: Air) -> None:
    """Not before the first client, not after the last; with TLS once TLS is on."""
    air.avahi.start()
    with air.phone.serving(ANY, advertise="yes") as gateway:
        owner = Owner(gateway.state)
        assert air.said == "no client is paired"
        assert air.seen() == []
        pair(gateway, "agent")
        assert "proto=http" in air.wait_seen().texts
        owner.do("revoke", "agent")
        air.wait_unseen("no client is paired")
        make_certificate(gateway.state / "tls")
        pair(gateway, "agent")
        assert "proto=https" in air.wait_seen().texts


def test_stopping_withdraws_the_advertisement(told: Air) -> None:
    """Switching TLS on meanwhile is advertised; after the stop nothing is."""
    make_certificate(told.gateway.state / "tls")
    told.gateway.send_signal(signal.SIGHUP)
    wait_until(lambda: "proto=https" in told.wait_seen().texts, 30, "it says so")
    assert told.gateway.stop() == 0
    wait_until(lambda: not told.seen(), 30, "nothing is told of one that does not run")


def test_loopback_alone_is_not_advertised(air: Air) -> None:
    with air.phone.serving(advertise="yes") as gateway:
        pair(gateway, "agent")
        assert air.said == "only loopback addresses are configured (listen)"


def test_advertising_resumes_when_avahi_starts_again(air: Air) -> None:
    with air.phone.serving(ANY, advertise="yes") as gateway:
        pair(gateway, "agent")
        wait_until(lambda: air.said == "Avahi is not running", what="that is told")
        assert "Avahi is not running" in Owner(gateway.state).run("doctor").stdout
        air.avahi.start()
        air.wait_seen()
        air.avahi.kill()
        wait_until(lambda: air.said == "Avahi is not running", what="that is told, too")
        air.avahi.start()
        air.wait_seen()


def test_advertising_resumes_after_a_bus_restart(told: Air) -> None:
    told.avahi.stop()       # without its bus it would end by itself
    told.bus.stop()
    wait_until(lambda: told.said.startswith("no D-Bus system bus"), what="that is told")
    told.bus.start()
    told.avahi.start()
    told.wait_seen()


def test_a_name_already_in_use_gets_a_suffix(air: Air) -> None:
    air.avahi.start()
    other = air.laptop.background(air.folder / "publish.log", "avahi-publish", "-s", NAME,
                                  "_mcp._tcp", "1")
    try:
        wait_until(lambda: "Established" in other.log, 30, "the other one is there")
        with air.phone.serving(ANY, advertise="yes") as gateway:
            pair(gateway, "agent")
            wait_until(lambda: {one.port: one.name for one in air.seen()} ==
                       {1: NAME, air.phone.port: f"{NAME} #2"}, 30,
                       f"both are seen\n{gateway.log}")
            assert air.said.startswith(f'"{NAME} #2"')
    finally:
        other.terminate()


def test_the_advertisement_follows_the_served_interfaces(told: Air) -> None:
    networks = told.phone.networks
    networks["phone"].connect("usb0", "203.0.113.1", networks["laptop"], "usb0",
                              "203.0.113.2")
    wait_until(lambda: {one.interface for one in told.seen()} == {"eth0", "usb0"}, 30,
               "usb0 is told, too")
    told.reload(advertise="yes", interfaces="usb0")
    wait_until(lambda: {one.interface for one in told.seen()} == {"usb0"}, 30,
               "wlan0 is served no more")
    networks["phone"].ip("link", "del", "usb0")
    told.wait_unseen("no served interface has an address")


def test_a_bus_refusal_is_logged_once_and_retried_on_reload(air: Air) -> None:
    """The owner's reload tries again."""
    policy = air.folder / "deny.conf"
    config = air.folder / "bus.conf"
    text = config.read_text()
    config.write_text(text.replace("</busconfig>", f"<include>{policy}</include></busconfig>"))
    policy.write_text(DENY)
    air.bus.restart()
    air.avahi.start()
    with air.phone.serving(ANY, advertise="yes") as gateway:
        pair(gateway, "agent")
        wait_until(lambda: "the bus refuses" in air.said, what="that is told")
        assert gateway.log.count("the bus refuses") == 1
        policy.write_text("<busconfig></busconfig>")
        air.avahi.run("dbus-send", "--system", "--print-reply",
                      "--dest=org.freedesktop.DBus", "/",
                      "org.freedesktop.DBus.ReloadConfig")
        gateway.send_signal(signal.SIGHUP)
        air.wait_seen()
