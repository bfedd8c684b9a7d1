# SPDX-License-Identifier: GPL-2.0-or-later
"""What other users of the machine can send the gateway over the system bus."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from agent import Agent
from lab import Lab, wait_until
from lab.bus import Bus
from lab.flood import CONNECTED, Flood
from lab.gateway import Gateway
from lab.stock_bus import StockBus

POLICY = Path(__file__).resolve().parents[2] / "etc" / "dbus" / "ofono-mcp.conf"
USER = "daemon"                 # not the user of ofonod or of the sender
SENDER = "+36209876543"
SIZE = 30_000_000


class PackagedBus(StockBus):
    """The stock policy and ours, for a user other than ofonod's."""

    def __init__(self, folder: Path) -> None:
        folder.chmod(0o755)
        self.policy = folder / "ofono-mcp.conf"
        self.policy.write_text(POLICY.read_text().replace('user="ofono-mcp"',
                                                          f'user="{USER}"'))
        super().__init__(folder)


class OpenStockBus(PackagedBus):
    """With the owner's own policy, which lets the gateway call and no more."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        lines = self.policy.read_text().splitlines(keepends=True)
        self.policy.write_text("".join(line for line in lines if "receive_" not in line))


def hears(lab: Lab, text: str) -> bool:
    """A new SMS reaches the gateway."""
    agent = Agent(lab)
    cursor = agent.call("list_sms").structured["wait_cursor"]
    lab.modems[0].deliver(SENDER, text)
    heard = agent.call("wait_for_sms", after=cursor, timeout_seconds=60)
    return heard.structured["message"]["text"] == text


@contextmanager
def running(bus: type[Bus]) -> Iterator[Lab]:
    lab = Lab(gateway=True, bus=bus)
    lab.gateway = Gateway(lab.folder, lab.bus,
                          wrapper=f"setpriv --reuid={USER} --regid={USER} --clear-groups")
    lab.gateway.prepare()
    shutil.chown(lab.gateway.state, USER, USER)
    with lab:
        Agent(lab).wait_states("ready", "ready", timeout=20)
        yield lab


@pytest.fixture(scope="module")
def packaged() -> Iterator[Lab]:
    with running(PackagedBus) as lab:
        yield lab


@pytest.fixture
def unprotected() -> Iterator[Lab]:
    with running(OpenStockBus) as lab:
        yield lab


def test_large_signals_from_other_users_cost_little_memory(packaged: Lab) -> None:
    assert hears(packaged, "before")
    flood = Flood(packaged.gateway)
    flood.send(packaged.bus, count=100, size=SIZE)
    assert hears(packaged, "after")
    assert flood.cost < 2_000_000, f"{flood.cost} bytes"
    assert "connection lost" not in packaged.gateway.log


def test_signals_from_other_users_are_not_received(packaged: Lab) -> None:
    """They do not become incoming messages either."""
    cursor = Agent(packaged).call("list_sms").structured["wait_cursor"]
    Flood(packaged.gateway).send(packaged.bus, count=1000, size=1000)
    packaged.modems[0].deliver(SENDER, "the only one")
    heard = Agent(packaged).call("wait_for_sms", after=cursor, timeout_seconds=60)
    assert heard.structured["message"]["text"] == "the only one"
    assert packaged.gateway.log.count("bus: connected") == 1


def flood_until_it_reconnects(lab: Lab) -> Flood:
    connections = len(CONNECTED.findall(lab.gateway.log))
    flood = Flood(lab.gateway)
    flood.send(lab.bus, count=3, size=SIZE)
    wait_until(lambda: len(CONNECTED.findall(lab.gateway.log)) > connections,
               what="the gateway is back on the bus")
    return flood


def test_without_the_policy_a_large_signal_costs_little_memory(unprotected: Lab) -> None:
    """Memory stays below the unit's limit."""
    flood = flood_until_it_reconnects(unprotected)
    assert flood.cost < 2_000_000, f"{flood.cost} bytes"


def test_without_the_policy_a_large_signal_drops_the_bus(unprotected: Lab) -> None:
    """libdbus disconnects."""
    lab = unprotected
    flood_until_it_reconnects(lab)
    Agent(lab).wait_states("ready", "ready")
    assert hears(lab, "it is back")


def test_without_the_policy_smaller_signals_are_survived(unprotected: Lab) -> None:
    lab = unprotected
    flood = Flood(lab.gateway)
    flood.send(lab.bus, count=100, size=4_000_000)
    assert hears(lab, "undisturbed")
    assert flood.cost < 12_000_000, f"{flood.cost} bytes"
    assert "connection lost" not in lab.gateway.log
