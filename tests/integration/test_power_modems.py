# SPDX-License-Identifier: GPL-2.0-or-later
"""[sim] power_modems: the gateway switches each modem on when it appears, and then leaves it
alone."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest

import test_forks

from agent import Agent, assert_sent
from lab import Lab, wait_until
from modem.commands import HANDLERS, Refusal

make_phone = test_forks.make_phone

ON = "[sim]\npower_modems = yes\n"
STAYS = "it was on before, and stays as it is"
REFUSED = "does not let the gateway switch modems on"


@pytest.fixture
def start() -> Iterator[Callable[..., Lab]]:
    """Modems that ofonod leaves off, and a gateway with this configuration."""
    with ExitStack() as labs:
        def make(config: str, modem_count: int = 1) -> Lab:
            lab = Lab(modem_count, gateway=True, powered=False)
            lab.gateway.config += config
            return labs.enter_context(lab)
        yield make


Start = Callable[..., Lab]


def wait_logged(lab: Lab, words: str, times: int = 1) -> None:
    wait_until(lambda: lab.gateway.log.count(words) >= times, 20, f"the log says {words}")


def test_modems_are_switched_on_at_startup_and_with_ofono(start: Start) -> None:
    lab = start(ON, 2)
    agent = Agent(lab)
    agent.wait_states("ready", "ready", timeout=10)
    assert_sent(agent.send("by itself", agent.ids()[0]))
    lab.ofonod.restart()
    for radio in lab.radios:
        wait_until(lambda: radio.properties()["Online"], what="it is on again")
    agent.wait_states("ready", "ready", timeout=10)


def test_a_modem_switched_off_by_hand_stays_off(start: Start) -> None:
    lab = start(ON)
    agent, radio = Agent(lab), lab.radios[0]
    agent.wait_states("ready", timeout=10)
    radio.online(False)
    agent.wait_states("offline")
    radio.power(False)
    agent.wait_states()
    assert lab.gateway.log.count("switched on") == 1
    assert not radio.properties()["Powered"]


def test_a_modem_switched_off_stays_off_over_restarts(start: Start) -> None:
    """A restart of the gateway does not end flight mode; when ofonod starts, all modems are
    off."""
    lab = start(ON, 2)
    agent, [flying, other] = Agent(lab), lab.radios
    agent.wait_states("ready", "ready", timeout=10)
    flying.online(False)
    agent.wait_states("offline", "ready")
    for number, end in enumerate((lab.gateway.stop, lab.gateway.kill), 1):
        end()
        lab.gateway.start()
        wait_logged(lab, f"/sim0: {STAYS}", number)
        agent.wait_states("offline", "ready", timeout=10)
    lab.gateway.stop()
    other.power(False)
    lab.gateway.start()
    wait_logged(lab, f"/sim1: {STAYS}")
    assert not flying.properties()["Online"] and not other.properties()["Powered"]
    assert lab.gateway.log.count("switched on") == 2
    lab.gateway.stop()
    lab.ofonod.restart()
    lab.gateway.start()
    agent.wait_states("ready", "ready", timeout=10)


def test_a_modem_plugged_in_again_is_switched_on(make_phone: test_forks.MakePhone) -> None:
    """It is a new modem, so it is switched on again, whatever happened to it before."""
    phone = make_phone(ON, "forks")
    phone.ofono.do(set=[["/ril_0", "Modem", name, False] for name in ("Online", "Powered")])
    phone.gateway.restart()
    wait_until(lambda: f"/ril_0: {STAYS}" in phone.gateway.log, what="it is left alone")
    assert "switched on" not in phone.gateway.log
    phone.ofono.do(close=["/ril_0"])
    phone.ofono.do(open=[["/ril_0", "/ril_0"]])
    wait_until(lambda: "power: modem /ril_0: switched on" in phone.gateway.log,
               what="it is on")
    test_forks.wait_sims(phone, state=["ready", "ready"])


def test_a_modem_that_borrows_a_sim_is_left_alone(make_phone: test_forks.MakePhone) -> None:
    """The phone behind it would lose its network. A modem of ours that cannot be switched on
    is reported."""
    phone = make_phone(ON, "plain")
    phone.ofono.do(errors={"SetProperty": "org.ofono.Error.NotImplemented"}, emit=[
        ["/", "Manager", "ModemAdded", "oa{sv}", path, {"Powered": False, "Type": kind}]
        for path, kind in (("/borrowed", "sap"), ("/ours", "hardware"))])
    wait_until(lambda: "power: modem /ours: oFono could not switch it on" in phone.gateway.log,
               what="the log says so")
    assert "power: modem /borrowed" not in phone.gateway.log
    assert phone.ofono.do(calls="SetProperty") == ["2"]     # delivery reports of the first modem


def test_modems_stay_off_by_default(start: Start) -> None:
    lab = start("")
    wait_logged(lab, "modem /sim0: added")
    assert Agent(lab).states() == [] and not lab.radios[0].properties()["Powered"]
    assert "AT+CFUN=1" not in lab.modems[0].commands


def test_a_bus_refusal_is_logged_once(start: Start) -> None:
    lab = start("", 2)
    config = lab.bus._config
    config.write_text(config.read_text().replace(
        "</policy>", '<deny send_destination="org.ofono" send_interface="org.ofono.Modem" '
        'send_member="SetProperty"/></policy>'))
    lab.gateway.stop()
    lab.ofonod.stop()
    lab.bus.restart()
    lab.ofonod.start()
    lab.gateway.config += ON
    lab.gateway.start()
    wait_logged(lab, REFUSED)
    lab.ofonod.restart()
    wait_until(lambda: lab.gateway.log.count(": added") >= 4, what="the modems are back")
    assert lab.gateway.log.count(REFUSED) == 1


def test_switching_on_is_retried_after_a_failure(start: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    usual = HANDLERS["+CFUN="]
    refusals = iter([Refusal("ERROR")])

    def answer(modem: object, argument: str) -> object:
        for refusal in refusals:
            raise refusal
        return usual(modem, argument)
    monkeypatch.setitem(HANDLERS, "+CFUN=", answer)
    lab = start(ON)
    Agent(lab).wait_states("ready", timeout=20)
