# SPDX-License-Identifier: GPL-2.0-or-later
""""Ready" means that the gateway receives every later signal of oFono; and a bad bus does not
delay it for long."""

from __future__ import annotations

import http.client
import socket
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))    # packages lab and modem

from bus_relay import BusRelay
from lab import Lab, wait_until
from lab.gateway import Gateway
from ledger import Ledger
from lone_gateway import NoBus
from modem.patience import patience
from systemd import Systemd

SENDER = "+36201234567"
IN_VAIN = "the bus does not answer; ready without it"      # the gateway's log
LOOK_S = 0.5                    # of the 3 s that it waits for the bus


@pytest.fixture(scope="module")
def phone() -> Iterator[Lab]:
    """Its own gateway does not run."""
    with Lab(modem_count=1) as lab:
        yield lab


@contextmanager
def launched(folder: Path, bus: object, systemd: Systemd) -> Iterator[Gateway]:
    """Does not wait for it; it must exit cleanly."""
    gateway = Gateway(folder, bus)
    systemd.heard.clear()
    gateway.launch()
    try:
        yield gateway
        assert gateway.stop() == 0, gateway.log
    finally:
        gateway.kill()


def is_healthy(gateway: Gateway, timeout: float) -> bool:
    """False: it listens, and does not answer."""
    connection = http.client.HTTPConnection("127.0.0.1", gateway.port, timeout=timeout)
    try:
        connection.request("GET", "/healthz")
        return connection.getresponse().status == http.HTTPStatus.OK
    except TimeoutError:
        return False
    finally:
        connection.close()


# ---- with a bus

def test_a_message_arriving_at_readiness_is_stored(phone: Lab, systemd: Systemd) -> None:
    """From a running ofonod, and from one that signals a message at its start."""
    texts = [f"message {i}" for i in range(20)]
    for i, text in enumerate(texts):
        if i % 2:
            phone.ofonod.pause()
            phone.modems[0].deliver(SENDER, text)
        systemd.heard.clear()
        phone.gateway.launch()
        systemd.wait("READY=1")
        if i % 2:
            phone.ofonod.resume()
        else:
            phone.modems[0].deliver(SENDER, text)
        Ledger(phone).wait(i + 1)
        assert phone.gateway.stop() == 0
    assert Ledger(phone).texts == texts
    assert IN_VAIN not in phone.gateway.log
    assert "no D-Bus system bus" not in phone.gateway.log       # there always was one


def test_readiness_waits_for_the_match_rules(
        phone: Lab, systemd: Systemd, folder: Path) -> None:
    with (BusRelay(folder, phone.bus) as relay,
          launched(folder, relay, systemd) as gateway):
        relay.wait_greeted()
        assert not is_healthy(gateway, LOOK_S)
        assert not any("READY=1" in line for line in systemd.heard)
        assert not systemd.hears("READY=1", 0.1)
        relay.release()
        systemd.wait("READY=1")
        assert is_healthy(gateway, patience(5))
        assert IN_VAIN not in gateway.log


def test_the_gateway_stops_cleanly_before_it_is_ready(phone: Lab, systemd: Systemd, folder: Path) -> None:
    with (BusRelay(folder, phone.bus) as relay,
          launched(folder, relay, systemd) as gateway):
        relay.wait_greeted()
        assert gateway.stop() == 0
        systemd.wait("STOPPING=1")
        assert "READY=1" not in systemd.heard


# ---- what is told of it

def statuses(systemd: Systemd) -> list[str]:
    return [line for line in systemd.heard if line.startswith("STATUS=")]


def test_the_service_status_says_that_ofono_is_down(systemd: Systemd) -> None:
    with Lab(modem_count=1) as lab:
        lab.ofonod.stop()
        lab.gateway.launch()
        systemd.wait("STATUS=")             # before READY=1
        assert statuses(systemd) == ["STATUS=oFono is not running; 0 of 0 SIMs can send"]
        lab.bus.stop()
        systemd.wait("STATUS=no D-Bus system bus")
        lab.bus.start()
        systemd.wait("STATUS=oFono is not running", count=2)
        lab.ofonod.start()
        systemd.wait("STATUS=oFono answers")
        assert lab.gateway.stop() == 0


def test_the_service_status_says_that_the_bus_refuses(systemd: Systemd) -> None:
    with Lab(modem_count=1) as lab:
        lab.bus.refuse("org.ofono")
        lab.gateway.launch()
        systemd.wait("STATUS=the bus refuses: it has not read a D-Bus policy yet")
        assert lab.gateway.stop() == 0


# ---- without

def test_a_missing_bus_does_not_delay_readiness(systemd: Systemd, folder: Path) -> None:
    with launched(folder, NoBus(folder), systemd) as gateway:
        systemd.wait("READY=1")
        assert is_healthy(gateway, patience(5))
        assert IN_VAIN not in gateway.log


class MuteBus:
    """Accepts connections and never answers."""

    def __init__(self, folder: Path) -> None:
        self.environment = {"DBUS_SYSTEM_BUS_ADDRESS": f"unix:path={folder}/mute"}
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.bind(f"{folder}/mute")
        self.socket.listen()

    def hang_up(self) -> None:
        with suppress(OSError):
            while True:
                self.socket.accept()[0].close()


def test_a_silent_bus_does_not_prevent_readiness(systemd: Systemd, folder: Path) -> None:
    bus = MuteBus(folder)
    with bus.socket, launched(folder, bus, systemd) as gateway:
        systemd.wait("READY=1")
        assert is_healthy(gateway, patience(5))
        assert IN_VAIN in gateway.log


def test_a_bus_that_disconnects_does_not_delay_readiness(systemd: Systemd, folder: Path) -> None:
    bus = MuteBus(folder)
    thread = threading.Thread(target=bus.hang_up)
    thread.start()
    try:
        with launched(folder, bus, systemd) as gateway:
            systemd.wait("READY=1")
            assert is_healthy(gateway, patience(5))
            assert IN_VAIN not in gateway.log
    finally:
        bus.socket.shutdown(socket.SHUT_RDWR)
        thread.join()
        bus.socket.close()


def test_messages_arrive_over_a_bus_that_starts_later(systemd: Systemd) -> None:
    with Lab(modem_count=1) as lab:
        lab.ofonod.stop()
        lab.bus.stop()
        lab.gateway.launch()
        systemd.wait("READY=1")
        lab.bus.start()
        wait_until(lambda: "bus: connected" in lab.gateway.log, what="it is on the bus")
        lab.ofonod.start()
        lab.bring_up()
        lab.modems[0].deliver(SENDER, "after all")
        Ledger(lab).wait(1)
        assert lab.gateway.stop() == 0
        assert Ledger(lab).texts == ["after all"]
