# SPDX-License-Identifier: GPL-2.0-or-later
"""ofono-mcp modem: root lists modems, and switches them on and off, without the gateway."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from agent import TO, Agent
from lab import Lab
from lab.gateway import BINARY
from modem import SEARCHING, Sim
from modem.commands import HANDLERS, Refusal
from modem.patience import patience
from other_users import with_other_users
from owner import FAILED, OK, run
from terminal import on_terminal

NOBODY = 65534


class Owner:
    """The owner at a terminal of this lab's machine."""

    def __init__(self, lab: Lab) -> None:
        self.lab = lab
        self.environment = {"DBUS_SYSTEM_BUS_ADDRESS": lab.bus.address}

    def run(self, *arguments: object) -> subprocess.CompletedProcess[str]:
        return run("modem", *arguments, **self.environment)

    def json(self, *arguments: object) -> list[dict[str, Any]]:
        done = self.run("--json", *arguments)
        assert (done.returncode, done.stderr) == (OK, ""), done
        return json.loads(done.stdout)["modems"]


@pytest.fixture
def owner_of() -> Iterator[Callable[..., Owner]]:
    """The owner of modems that are still off."""
    labs: list[Lab] = []

    def make(*cards: Sim | None) -> Owner:
        labs.append(Lab(sims=cards, powered=False).__enter__())
        return Owner(labs[-1])
    yield make
    for lab in labs:
        lab.__exit__(None, None, None)


OwnerOf = Callable[..., Owner]


@pytest.fixture
def owner(owner_of: OwnerOf) -> Owner:
    return owner_of(Sim.numbered(0))


# ---- on, off, list

def test_modems_are_listed_and_switched_on_and_off(owner: Owner) -> None:
    radio = owner.lab.radios[0]
    assert "off" in owner.run().stdout and "ofono-mcp modem on /sim0" in owner.run().stdout
    assert re.search(r"^/sim0 +off +unknown ", owner.run().stdout, re.MULTILINE)
    [modem] = owner.json("on", "--registered")
    assert (modem["outcome"], modem["changed"], modem["state"]) == ("on", True, "on")
    assert (modem["sim"], modem["registration"]) == ("ready", "registered")
    assert radio.properties()["Powered"] and radio.properties()["Online"]
    radio.wait_property("NetworkRegistration", "Name", "Telekom HU")
    text = owner.run("list").stdout
    assert text.splitlines()[1].split()[:4] == ["/sim0", "on", "ready", "registered,"]
    assert "Telekom HU" in text and "To switch it on" not in text
    [modem] = owner.json("off")
    assert (modem["outcome"], modem["state"]) == ("off", "off")
    assert not radio.properties()["Powered"]


def test_switching_twice_changes_nothing(owner: Owner) -> None:
    assert owner.run("off").stdout == "/sim0: already off.\n"
    assert owner.run("on").stdout.startswith("/sim0: on, SIM card: ready")
    again = owner.run("on")
    assert again.returncode == OK and again.stdout.startswith("/sim0: already on, ")
    assert owner.json("on")[0]["changed"] is False


def test_switching_on_ends_flight_mode(owner: Owner) -> None:
    owner.lab.radios[0].power()
    assert owner.json()[0]["state"] == "flight_mode"
    assert "flight mode" in owner.run().stdout
    assert owner.json("on")[0]["state"] == "on"


def test_the_gateway_sends_once_the_modem_is_on(make_lab: Callable[..., Lab]) -> None:
    """The owner does what the error says, and the same message is sent."""
    lab = make_lab(modem_count=1)
    agent = Agent(lab)
    agent.wait_states("ready", timeout=10)
    [sim] = agent.ids()
    lab.radios[0].online(False)
    agent.wait_states("offline", timeout=10)
    send = ("send", "--state-dir", lab.gateway.state, "--sim", sim, TO, "hello")
    refused = run(*send)
    assert refused.returncode == FAILED and "as root: ofono-mcp modem on" in refused.stderr
    assert Owner(lab).json("on", "--registered")[0]["changed"]
    agent.wait_states("ready", timeout=10)
    assert run(*send).returncode == OK


# ---- several

def test_several_modems_need_a_name_or_all(owner_of: OwnerOf) -> None:
    owner = owner_of(Sim.numbered(0), Sim.numbered(1), Sim.numbered(2))

    def powered() -> list[bool]:
        return [bool(radio.properties()["Powered"]) for radio in owner.lab.radios]
    unnamed = owner.run("on")
    assert unnamed.returncode == FAILED
    assert "more than one modem.\nName one, or use all: /sim0, /sim1, /sim2.\n" in unnamed.stderr
    assert powered() == [False] * 3
    assert [modem["modem"] for modem in owner.json("on", "sim1", "/sim1")] == ["/sim1"]
    assert powered() == [False, True, False]
    assert [modem["changed"] for modem in owner.json("on", "all")] == [True, False, True]
    assert powered() == [True] * 3
    missing = owner.run("off", "sim0", "sim9")
    assert missing.returncode == FAILED
    assert 'there is no modem "sim9".\nThe modems are: /sim0, /sim1, /sim2.\n' in missing.stderr
    assert powered() == [True] * 3          # all or nothing
    error = json.loads(owner.run("off", "--json", "sim9").stdout)["error"]
    assert error["code"] == "no_such_modem" and "/sim2" in error["fix"]


# ---- cards and networks

def test_switching_on_reports_a_locked_sim(owner_of: OwnerOf) -> None:
    owner = owner_of(Sim.numbered(0, pin="1234"))
    done = owner.run("on")
    assert (done.returncode, done.stderr) == (OK, "")
    assert "SIM card: needs its PIN" in done.stdout
    assert "Unlock its SIM card: ofono-mcp sim unlock /sim0\n" in done.stdout
    waiting = owner.run("on", "--registered", "--json")
    assert waiting.returncode == FAILED and "needs its PIN" in waiting.stderr
    [modem] = json.loads(waiting.stdout)["modems"]
    assert (modem["outcome"], modem["sim"], modem["lock"]) == ("locked", "locked", "pin")


def test_switching_on_reports_a_missing_sim(owner_of: OwnerOf) -> None:
    owner = owner_of(None)
    done = owner.run("on")
    assert done.returncode == OK and "Insert a SIM card" in done.stdout
    assert owner.run("on", "--registered").returncode == FAILED


def test_waiting_for_registration_times_out_without_a_network(owner: Owner) -> None:
    owner.lab.modems[0].set_registration(SEARCHING)
    done = owner.run("on", "--registered", "--timeout", 2)
    assert done.returncode == FAILED and "network: searching" in done.stderr
    assert "wait longer with --timeout" in done.stderr


# ---- what goes wrong

def refuse(modem: Any, argument: str) -> list[str]:
    raise Refusal("ERROR")


def test_switching_on_fails_after_three_refusals(owner: Owner, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(HANDLERS, "+CFUN=", refuse)
    failed = owner.run("on")
    assert failed.returncode == FAILED and "oFono tried and failed" in failed.stderr
    assert owner.lab.modems[0].commands.count("AT+CFUN=1") == 3


def test_switching_on_is_retried_after_a_refusal(owner: Owner, monkeypatch: pytest.MonkeyPatch) -> None:
    usual = HANDLERS["+CFUN="]
    answers = iter([refuse])
    monkeypatch.setitem(HANDLERS, "+CFUN=",
                        lambda modem, argument: next(answers, usual)(modem, argument))
    assert owner.json("on")[0]["outcome"] == "on"


def test_a_stuck_modem_shows_progress_and_times_out(owner: Owner, monkeypatch: pytest.MonkeyPatch) -> None:
    """On a terminal it shows what it waits for."""
    monkeypatch.setitem(HANDLERS, "+CFUN=", lambda modem, argument: None)
    with on_terminal("modem", "on", "--timeout", 3, **owner.environment) as terminal:
        text = terminal.read_all()
        assert terminal.process.wait(patience(10)) == FAILED
    assert "\r\x1b[Kswitching on (1 s)" in text
    assert "it did not happen in time" in text and "systemctl restart ofono" in text


def test_an_ofono_crash_while_switching_on_is_reported(owner: Owner, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(HANDLERS, "+CFUN=", lambda modem, argument: owner.lab.ofonod.kill())
    gone = owner.run("on")
    assert gone.returncode == FAILED and "oFono stopped meanwhile" in gone.stderr
    assert "systemctl start ofono" in gone.stderr
    done = owner.run("list", "--json")
    assert done.returncode == FAILED
    assert json.loads(done.stdout)["error"]["code"] == "ofono_unavailable"
    assert "oFono is not running.\nStart it: systemctl start ofono.\n" in done.stderr


def test_a_silent_ofono_times_out(owner: Owner) -> None:
    owner.lab.ofonod.pause()
    with on_terminal("modem", "--timeout", 2, **owner.environment) as terminal:
        text = terminal.read_all()
        assert terminal.process.wait(patience(10)) == FAILED
    owner.lab.ofonod.resume()
    assert "asking oFono (1 s)" in text and "oFono does not answer yet" in text


def test_a_missing_bus_is_reported(folder: Path) -> None:
    done = run("modem", DBUS_SYSTEM_BUS_ADDRESS=f"unix:path={folder}/none")
    assert done.returncode == FAILED and "Start the system bus" in done.stderr


def test_a_missing_modem_is_reported(owner_of: OwnerOf) -> None:
    done = owner_of().run("on")
    assert done.returncode == FAILED and "oFono has no modem" in done.stderr


@with_other_users
@pytest.mark.parametrize("rule", [
    '<deny send_interface="org.ofono.Modem" send_member="SetProperty"/>',
    '<deny send_destination="org.ofono"/>'], ids=["switching", "all"])
def test_users_other_than_root_are_advised_to_use_sudo(owner: Owner, folder: Path, rule: str) -> None:
    """oFono's own policy admits only root."""
    owner.lab.bus.deny(rule, NOBODY)
    program = shutil.copy(os.environ.get("GATEWAY_BINARY", BINARY), folder)
    for place in (owner.lab.folder, folder):
        place.chmod(0o755)
    done = subprocess.run(
        ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups", program,
         "modem", "on"], env=os.environ | owner.environment, capture_output=True, text=True)
    assert done.returncode == FAILED, done
    assert "Run it as root: sudo ofono-mcp modem on" in done.stderr
    assert not owner.lab.radios[0].properties()["Powered"]


# ---- options
