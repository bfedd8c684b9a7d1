# SPDX-License-Identifier: GPL-2.0-or-later
"""The doctor finds what is wrong, and says what to do about it."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from agent import TO, Agent, pair
from lab import Lab, wait_until
from lab.bus import Bus
from lab.dial import make_certificate
from lab.gateway import BINARY, Gateway, free_port
from lab.ofono_line import OFONOD, line
from lab.ofonod import PLUGIN
from lab.process import CONFINE
from lab.programs import find
from modem import DENIED, SEARCHING, Outcome, Sim
from other_users import with_other_users
from owner import FAILED, OK, run
from terminal import on_terminal
from test_delivery_reports import StubOfono
from texting import enrol, section

LEVELS = ["ok", "note", "warning", "problem"]


class Findings:
    def __init__(self, done: subprocess.CompletedProcess[str]) -> None:
        assert done.stderr == "", done
        self.code = done.returncode
        report = json.loads(done.stdout)
        self.all: list[dict[str, Any]] = report["findings"]
        for level in LEVELS[1:]:
            assert report[f"{level}s"] == sum(f["level"] == level for f in self.all)
        assert self.code == (FAILED if report["problems"] else OK)
        assert all("fix" in f for f in self.all if f["level"] != "ok")

    def about(self, about: str) -> dict[str, Any]:
        [finding] = [f for f in self.all if f["about"] == about]
        return finding

    def has(self, level: str, about: str, words: str) -> bool:
        return any(f["level"] == level and f["about"] == about
                   and words in f["message"] + "; " + f.get("fix", "") for f in self.all)


def arguments(gateway: Gateway) -> list[str]:
    return ["doctor", "--config", str(gateway._config_file),
            "--state-dir", str(gateway.state)]


@pytest.fixture
def look() -> Callable[[Lab], Findings]:
    def at(lab: Lab) -> Findings:
        config = lab.gateway._config_file
        listen = f"listen = 127.0.0.1:{lab.gateway.port}\n"
        if listen not in config.read_text():
            config.write_text(config.read_text() + f"[server]\n{listen}")
        return Findings(run(*arguments(lab.gateway), "--json",
                            DBUS_SYSTEM_BUS_ADDRESS=lab.bus.address))
    return at


Look = Callable[[Lab], Findings]


def wait_found(lab: Lab, look: Look, level: str, about: str, words: str) -> Findings:
    """oFono and the gateway may need a moment to know it."""
    seen: list[Findings] = []

    def is_found() -> bool:
        seen.append(look(lab))
        return seen[-1].has(level, about, words)
    wait_until(is_found, timeout=20, what=f"{level}: {about}: {words}")
    return seen[-1]


@pytest.fixture
def one(make_lab: Callable[..., Lab]) -> Lab:
    """One modem and a paired agent."""
    lab = make_lab(modem_count=1, gateway_open=False)
    Agent(lab, pair(lab.gateway, "laptop")).wait_states("ready", timeout=10)
    return lab


def path_of(lab: Lab) -> str:
    return f"modem /{lab.modems[0].name}"


def pretend(monkeypatch: pytest.MonkeyPatch, when: str) -> None:
    """Sets the time that the doctor alone sees: "1970-01-01", "+3 days"."""
    monkeypatch.setenv("GATEWAY_WRAPPER", f"faketime -f {shlex.quote(when)}")
    monkeypatch.setenv("FAKETIME_DONT_FAKE_MONOTONIC", "1")


def test_a_healthy_gateway_has_only_upstream_warnings(one: Lab, look: Look) -> None:
    found = wait_found(one, look, "ok", path_of(one), "it can send: Telekom HU, registered, "
                       "signal 64 %, service centre set")
    assert found.code == OK
    assert {f["about"] for f in found.all if f["level"] != "ok"} == {"oFono"}
    assert found.has("note", "oFono", "without the plugin for delivery reports")
    if line().version == (1, 31):
        for words in ("length 0xFD", "USSD answer of 1,500 characters", "cannot prevent that"):
            assert found.has("ok", "oFono crashes", words)
    for about, words in [("clock", "it is 2"), ("storage", "enough free space"),
                         ("gateway", "running, version"), ("sending", "could be sent now"),
                         ("tokens", "paired agents: 1"),
                         ("policy", "the bus allows user root everything"),
                         ("last message", "none sent yet"),
                         ("port", "for programs on this machine only, over HTTP")]:
        assert found.has("ok", about, words), (about, found.all)


def test_doctor_shows_the_ofono_version(one: Lab, look: Look) -> None:
    """The doctor runs only root's ofonod, which a user namespace may not show."""
    version = ".".join(map(str, line().version))
    if os.stat(find(OFONOD)).st_uid != 0:
        version = "an unknown version"
    assert f"running: {version}, upstream, " in look(one).about("oFono")["message"]


def test_doctor_prints_coloured_findings_on_a_terminal(one: Lab, look: Look) -> None:
    look(one)
    with on_terminal(*arguments(one.gateway),
                     DBUS_SYSTEM_BUS_ADDRESS=one.bus.address) as terminal:
        text = terminal.read_all()
        assert terminal.process.wait() == OK
    assert "\x1b[32mok      \x1b[0m clock: it is 2" in text
    assert "\x1b[1mnote    \x1b[0m oFono: running" in text
    assert text.rstrip().endswith("Everything is fine. Notes: 1.")


def test_doctor_reports_a_stopped_gateway(one: Lab, look: Look) -> None:
    one.gateway.stop()
    found = look(one)
    assert found.code == FAILED
    assert found.has("problem", "gateway", "systemctl start ofono-mcp")
    assert found.has("ok", "tokens", "paired agents: 1")
    assert found.has("ok", path_of(one), "it can send")
    with socket.create_server(("127.0.0.1", one.gateway.port)):
        assert look(one).has("problem", "port", "another program listens at 127.0.0.1:")
    one.gateway.start()


def test_doctor_reports_a_gateway_that_never_ran(one: Lab, folder: Path) -> None:
    state = folder / "nothing"
    done = run("doctor", "--json", "--state-dir", state,
               DBUS_SYSTEM_BUS_ADDRESS=one.bus.address)
    found = Findings(done)
    assert found.has("problem", "gateway", "never run here")
    assert found.has("warning", "storage", "does not exist")
    assert not state.exists()


def test_doctor_reports_a_newer_message_store(folder: Path) -> None:
    assert run("clients", "--state-dir", folder).returncode == OK
    ledger = sqlite3.connect(folder / "gateway.db")
    ledger.execute("PRAGMA user_version = 99")
    ledger.close()
    found = Findings(run("doctor", "--json", "--state-dir", folder))
    assert found.has("problem", "gateway", "made by a newer ofono-mcp"), found.all
    assert found.has("problem", "gateway", "Correct that, then start it"), found.all


def test_doctor_warns_when_no_agent_is_paired(make_lab: Callable[..., Lab], look: Look) -> None:
    lab = make_lab(modem_count=1, gateway_open=False)
    assert look(lab).has("warning", "tokens", "ofono-mcp pair NAME")


def test_doctor_warns_when_running_settings_differ(one: Lab, look: Look) -> None:
    """After a change of the file, or with options: the doctor warns, and everything else
    concerns the running settings."""
    assert not look(one).has("warning", "settings", "")
    one.gateway.args += ["--open"]
    one.gateway.restart()
    config = one.gateway._config_file
    written = config.read_text()
    config.write_text(written + f"[server]\nlisten = 127.0.0.1:{free_port()}\n")
    found = look(one)
    assert found.about("settings")["message"].endswith(": server.listen, server.open"), found.all
    assert found.has("ok", "tokens", "none is needed (open)")
    assert f"127.0.0.1:{one.gateway.port} is served" in found.about("port")["message"]
    one.gateway.stop()                          # then only the file is left
    config.write_text(written)
    found = look(one)
    assert found.has("ok", "tokens", "paired agents: 1")
    assert not found.has("warning", "settings", "")
    one.gateway.start()


def test_doctor_warns_about_plain_http_on_the_network(one: Lab, look: Look) -> None:
    one.gateway.args += ["--listen", f"0.0.0.0:{(port := free_port())}"]
    one.gateway.restart()
    look(one)
    config = one.gateway._config_file
    config.write_text(config.read_text() + f"listen = 0.0.0.0:{port}\n")
    assert look(one).has("warning", "port", "HTTP, which exposes tokens")


def test_doctor_reports_a_missing_system_bus(one: Lab, look: Look) -> None:
    one.bus.stop()
    found = wait_found(one, look, "problem", "oFono", "no D-Bus system bus")
    assert found.has("problem", "oFono", "systemctl start dbus")
    one.bus.start()


def test_doctor_reports_a_bus_refusal(one: Lab, look: Look) -> None:
    config = one.bus._config
    config.write_text(config.read_text().replace(
        "</policy>", '<deny send_destination="org.ofono"/></policy>'))
    one.bus.reload()
    found = wait_found(one, look, "problem", "oFono", "the bus refuses")
    assert found.has("problem", "oFono", "/etc/dbus-1/system.d")


@pytest.mark.parametrize("rule,refused", [
    ('send_interface="org.ofono.MessageManager" send_member="SendMessage"',
     ["org.ofono.MessageManager.SendMessage"]),
    ('send_interface="org.ofono.Message"',
     ["org.ofono.Message.GetProperties", "org.ofono.Message.Cancel"])], ids=["one", "some"])
def test_doctor_lists_calls_the_bus_policy_refuses(one: Lab, look: Look, rule: str,
                                      refused: list[str]) -> None:
    config = one.bus._config
    config.write_text(config.read_text().replace(
        "</policy>", f'<deny send_destination="org.ofono" {rule}/></policy>'))
    one.bus.reload()
    found = look(one)
    assert found.code == FAILED
    told = [f["message"] for f in found.all if f["about"] == "policy"]
    assert told == [f"the bus refuses user root {call}, which the gateway needs"
                    for call in refused]
    assert found.has("ok", path_of(one), "it can send")
    assert one.modems[0].offered == []          # asking sent nothing


def deny(one: Lab, interface: str, member: str = "") -> None:
    """The bus no longer allows this call to oFono; without a member, the whole interface."""
    rule = (f'<deny send_destination="org.ofono" send_interface="org.ofono.{interface}"'
            + (f' send_member="{member}"' if member else "") + "/>")
    one.bus.deny(rule)


def configure(one: Lab, lines: str) -> None:
    config = one.gateway._config_file
    config.write_text(config.read_text() + lines)


@pytest.mark.parametrize("interface, member, lines, refused", [
    ("Modem", "SetProperty", "[sim]\npower_modems = yes\n", ["SetProperty"]),
    ("SupplementaryServices", "", "[ussd]\nallow = *100#\n",
     ["Initiate", "Respond", "Cancel"]),
    ("VoiceCallManager", "Dial", "[call]\nplace = yes\n", ["Dial"]),
    ("SimManager", "EnterPin", "[sim]\npin_file = /etc/ofono-mcp/pins\n", ["EnterPin"])])
def test_doctor_reports_settings_the_bus_policy_blocks(
        one: Lab, look: Look, interface: str, member: str, lines: str,
        refused: list[str]) -> None:
    deny(one, interface, member)
    assert look(one).has("ok", "policy", "everything that the gateway needs")  # it does not need it
    configure(one, lines)
    found = look(one)
    assert found.code == FAILED
    for call in refused:
        assert found.has("problem", "policy", f"{interface}.{call}")
        assert found.has("problem", "policy", "/usr/share/doc/ofono-mcp/examples")
    assert one.modems[0].calls.dialled == []    # asking did nothing


def test_doctor_reports_that_ofono_is_not_running(one: Lab, look: Look) -> None:
    one.ofonod.stop()
    found = wait_found(one, look, "problem", "oFono", "oFono is not running")
    assert found.has("problem", "oFono", "systemctl start ofono")
    assert wait_found(one, look, "problem", "sending", "out of reach").code == FAILED
    one.ofonod.start()


def test_doctor_reports_a_missing_modem(make_lab: Callable[..., Lab], look: Look) -> None:
    lab = make_lab(modem_count=0)
    assert look(lab).has("problem", "modems", "oFono has no modem")


def test_doctor_reports_flight_mode(one: Lab, look: Look) -> None:
    one.radios[0].online(False)
    found = wait_found(one, look, "problem", path_of(one), "the modem is in flight mode")
    assert found.has("problem", path_of(one), f"ofono-mcp modem on /{one.modems[0].name}")


def test_doctor_reports_a_missing_network(one: Lab, look: Look) -> None:
    one.modems[0].set_registration(SEARCHING)
    found = wait_found(one, look, "problem", path_of(one), "is not registered with a network")
    assert found.code == FAILED


def test_doctor_reports_a_denied_registration(one: Lab, look: Look) -> None:
    one.modems[0].set_registration(DENIED)
    found = wait_found(one, look, "problem", path_of(one), "(denied)")
    assert found.has("problem", path_of(one), "ask the operator whether it is active")


def test_doctor_advises_how_to_unlock_a_card(make_lab: Callable[..., Lab], look: Look) -> None:
    lab = make_lab(modem_count=1, powered=False)
    lab.modems[0].sim = replace(lab.modems[0].sim, pin="1234")
    assert wait_found(lab, look, "problem", path_of(lab), "the modem is off")
    assert look(lab).has("problem", path_of(lab), "ofono-mcp modem on /sim0")
    lab.bring_up()
    assert wait_found(lab, look, "problem", path_of(lab), "needs its PIN")
    assert look(lab).has("problem", path_of(lab), "Unlock it: ofono-mcp sim unlock /sim0")
    deny(lab, "SimManager", "EnterPin")                 # like the policy of the package
    assert look(lab).has("problem", "policy", "unlock.conf")


def test_doctor_reports_network_locks_and_fixed_dialing(
        make_lab: Callable[..., Lab], look: Look) -> None:
    """A card that needs only its PIN2 is fine."""
    cards = [Sim.numbered(0, asks_else="PH-NET PIN"), Sim.numbered(1, fixed_dialing=True),
             Sim.numbered(2, asks_else="SIM PIN2")]
    lab = make_lab(sims=cards, powered=False)
    for radio in lab.radios:
        radio.power()
        radio.wait_for("SimManager")
        radio.online()
    assert wait_found(lab, look, "problem", "modem /sim0", "seller of the phone")
    assert wait_found(lab, look, "problem", "modem /sim1", "restricted to a list of numbers")
    assert wait_found(lab, look, "ok", "modem /sim2", "it can send")
    table = run("modem", DBUS_SYSTEM_BUS_ADDRESS=lab.bus.address).stdout.splitlines()
    assert "locked (network)  " in table[1] and "ready  " in table[3]
    assert "limited to a list (FDN) " in table[2]


def test_doctor_warns_about_a_missing_sim_card(make_lab: Callable[..., Lab], look: Look) -> None:
    lab = make_lab(sims=[None], gateway_open=False)
    assert wait_found(lab, look, "warning", path_of(lab), "there is no SIM card")


def test_doctor_reports_one_card_in_two_modems(make_lab: Callable[..., Lab], look: Look) -> None:
    lab = make_lab(sims=[Sim.numbered(0), Sim.numbered(0)], gateway_open=False)
    found = wait_found(lab, look, "problem", "modem /sim0", "is in modem /sim1 too")
    assert found.has("problem", "modem /sim1", "would be sent twice")


def test_doctor_reports_a_missing_service_centre(make_lab: Callable[..., Lab], look: Look) -> None:
    card = replace(Sim.numbered(0), smsc="")
    lab = make_lab(sims=[card], gateway_open=False)
    assert wait_found(lab, look, "problem", path_of(lab), "knows no service centre")
    assert look(lab).has("problem", path_of(lab), "--dest=org.ofono /sim0 org.ofono.Mess")


def test_doctor_recognises_our_plugin(make_lab: Callable[..., Lab], look: Look) -> None:
    lab = make_lab(modem_count=1, gateway_open=False, plugin=PLUGIN)
    assert look(lab).has("ok", "oFono", "with the plugin for delivery reports")


@pytest.mark.parametrize("words,fork", [
    ("org.nemomobile.ofono.ModemManager", "of Sailfish OS, Droidian and FuriOS"),
    ("StatusReport", "of UBports")])
def test_doctor_recognises_ofono_forks(folder: Path, words: str, fork: str) -> None:
    bus = Bus(folder)
    bus.start()
    ofono = StubOfono(bus.address, words=words)
    found = Findings(run("doctor", "--json", "--state-dir", folder / "state",
                         DBUS_SYSTEM_BUS_ADDRESS=bus.address))
    ofono.stop()
    bus.stop()
    assert found.has("ok", "oFono", f"a fork with delivery reports that sends emoji ({fork})")
    assert found.has("ok", "oFono crashes", "an empty answer to a USSD code crashes this ofonod")
    assert found.has("ok", "modem /stub", "it can send: Stub, registered")


def test_doctor_promises_no_delivery_reports_for_an_old_fork(folder: Path) -> None:
    """UBports 1.17 is one of them; it has NetworkTime. The doctor promises neither reports nor
    a plugin."""
    bus = Bus(folder)
    bus.start()
    ofono = StubOfono(bus.address)
    ofono.do(set=[["/stub", "Modem", "Interfaces", ["SimManager", "MessageManager",
                                                    "NetworkRegistration", "NetworkTime"]]])
    found = Findings(run("doctor", "--json", "--state-dir", folder / "state",
                         DBUS_SYSTEM_BUS_ADDRESS=bus.address))
    ofono.stop()
    bus.stop()
    assert found.has("note", "oFono", "an old fork (of UBports) that sends emoji")
    assert found.has("note", "oFono", "has no delivery reports and cannot load our plugin")
    assert "ofono-plugin-sms-history" not in found.about("oFono")["fix"]


def test_doctor_reports_fork_calls_the_bus_refuses(folder: Path) -> None:
    bus = Bus(folder)
    bus._config.write_text(bus._config.read_text().replace(
        "</policy>", '<deny send_destination="org.ofono" '
        'send_interface="org.nemomobile.ofono.SimInfo"/></policy>'))
    bus.start()
    ofono = StubOfono(bus.address, "forks")
    found = Findings(run("doctor", "--json", "--state-dir", folder / "state",
                         DBUS_SYSTEM_BUS_ADDRESS=bus.address))
    ofono.stop()
    bus.stop()
    assert found.has("problem", "policy", "refuses user root org.nemomobile.ofono.SimInfo")
    assert found.has("ok", "modem /ril_1", "it can send: Network 1, registered")


def test_doctor_reports_access_control_inside_ofono(folder: Path) -> None:
    """SendMessage for a modem that does not exist is refused only for that reason: the policy
    looked good."""
    bus = Bus(folder)
    bus.start()
    ofono = StubOfono(bus.address, "forks")

    def look() -> Findings:
        return Findings(run("doctor", "--json", "--state-dir", folder / "state",
                            DBUS_SYSTEM_BUS_ADDRESS=bus.address))
    assert look().has("ok", "policy", "the bus allows user root everything")
    ofono.do(errors={"SendMessage": "org.ofono.Error.AccessDenied"})
    found = look()
    assert ofono.do(finish=[]) == []                    # and nothing was sent
    ofono.stop()
    bus.stop()
    assert found.has("problem", "policy", "oFono itself, not the bus, refuses user root")
    assert found.has("problem", "policy", "usermod -aG sailfish-radio")
    assert found.has("problem", "policy", "/etc/ofono/dbusaccess.conf")
    assert not found.has("ok", "policy", "the bus allows")


def test_doctor_confirms_https(make_lab: Callable[..., Lab], look: Look) -> None:
    lab = make_lab(modem_count=1, gateway_open=False, tls=True)
    assert look(lab).has("ok", "port", "over HTTPS")


def test_doctor_checks_the_certificate(make_lab: Callable[..., Lab], look: Look,
                       monkeypatch: pytest.MonkeyPatch) -> None:
    lab = make_lab(modem_count=1, gateway_open=False, tls=True)     # it is valid for two days
    file = lab.gateway.state / "tls" / "cert.pem"
    soon = look(lab)
    assert soon.code == OK and soon.has("warning", "certificate", "expires soon, at 2")
    assert soon.has("warning", "certificate", "ofono-mcp client rotate --tls NAME")
    people = run(*arguments(lab.gateway), DBUS_SYSTEM_BUS_ADDRESS=lab.bus.address).stdout
    assert re.search(r"expires soon, at \d+ [A-Z][a-z]{2} (?:\d{4} )?\d\d:\d\d$", people, re.MULTILINE), people
    pretend(monkeypatch, "+3 days")
    late = look(lab)
    assert late.code == FAILED and late.has("problem", "certificate", "expired at 2")
    pretend(monkeypatch, "-3 days")
    assert look(lab).has("problem", "certificate", "is not valid before 2")
    monkeypatch.undo()
    make_certificate(file.parent, "-days", "90")
    assert look(lab).has("ok", "certificate", f"{file} is valid until 2")
    file.write_text("no certificate")
    assert look(lab).has("problem", "certificate", "is not a PEM certificate")


def test_doctor_advises_replacing_the_owners_certificate(one: Lab, look: Look, folder: Path) -> None:
    make_certificate(folder / "mine")
    config = one.gateway._config_file
    config.write_text(config.read_text() + f"[server]\ntls_certificate = {folder}/mine/cert.pem\n"
                                           f"tls_key = {folder}/mine/key.pem\n")
    found = Findings(run(*arguments(one.gateway), "--json",
                         DBUS_SYSTEM_BUS_ADDRESS=one.bus.address))
    assert found.has("warning", "certificate", "Put a new one there, then: ofono-mcp reload")


def own_config(lab: Lab, text: str) -> None:
    config = lab.gateway._config_file
    config.write_text(config.read_text() + text)


def test_doctor_reports_an_unusable_key(one: Lab, look: Look, folder: Path) -> None:
    """What the gateway would find at its next start."""
    make_certificate(folder / "mine", "-days", "90")
    key = folder / "mine" / "key.pem"
    own_config(one, f"[server]\ntls_certificate = {folder}/mine/cert.pem\ntls_key = {key}\n")
    assert look(one).code == OK
    key.chmod(0o644)
    found = look(one)
    assert found.code == FAILED
    assert found.has("problem", "certificate", f"{key}: every user of this machine can read")
    assert found.has("problem", "certificate", "The gateway's user is root.")


def test_doctor_checks_the_pin_file(one: Lab, look: Look, folder: Path) -> None:
    pins = folder / "pins"
    own_config(one, f"[sim]\npin_file = {pins}\n")
    assert look(one).has("problem", "PINs", f"{pins} is not used: No such file or directory")
    pins.write_text("8936 1234\n")
    pins.chmod(0o640)
    found = look(one)
    assert found.has("problem", "PINs", "others may read or change it")
    assert found.has("problem", "PINs", "chown root FILE; chmod 600 FILE")
    pins.chmod(0o600)
    assert look(one).has("ok", "PINs", f"{pins} is readable")
    pins.write_text("1234\n")
    assert look(one).has("problem", "PINs", 'a line in it is not "ICCID PIN"')


def test_doctor_reports_a_clock_in_1970(one: Lab, look: Look, monkeypatch: pytest.MonkeyPatch) -> None:
    pretend(monkeypatch, "1970-01-02 00:00:00")
    found = look(one)
    assert found.code == FAILED and found.has("problem", "clock", "it says 1970-01-0")
    assert found.has("problem", "clock", "timedatectl set-ntp true")


def test_doctor_reports_a_full_disk(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A disk of its own with less free space than the gateway reserves."""
    state = folder / "state"
    state.mkdir()
    monkeypatch.setenv("GATEWAY_WRAPPER", f"{sys.executable} -I -S {CONFINE} {os.getpid()} "
                                          f"--disk 1m {state}")
    found = Findings(run("doctor", "--json", "--state-dir", state,
                         DBUS_SYSTEM_BUS_ADDRESS=f"unix:path={folder}/none"))
    assert found.has("problem", "storage", "less than 16 MiB are free")
    assert found.has("problem", "storage", "Free space on that disk")


def test_doctor_reports_that_ofono_does_not_answer(one: Lab, look: Look) -> None:
    """On a terminal the doctor shows what it waits for."""
    look(one)
    one.ofonod.pause()
    with on_terminal(*arguments(one.gateway),
                     DBUS_SYSTEM_BUS_ADDRESS=one.bus.address) as terminal:
        text = terminal.read_all()
        assert terminal.process.wait() == FAILED
    one.ofonod.resume()
    assert "\r\x1b[Kasking oFono (1 s)" in text
    assert "oFono does not answer yet" in text and "restart it" in text


def test_doctor_reports_a_frozen_gateway(one: Lab, look: Look) -> None:
    """The gateway accepts connections and never answers: reported once, after seconds, and the
    port is not blamed."""
    look(one)
    one.gateway.send_signal(signal.SIGSTOP)
    try:
        found = look(one)
    finally:
        one.gateway.send_signal(signal.SIGCONT)
    assert found.has("problem", "gateway", "has not answered for 8 seconds")
    assert found.has("problem", "gateway", "systemctl restart ofono-mcp")
    assert not [f for f in found.all if f["about"] in ("port", "tokens", "last message")]


def as_nobody(lab: Lab, folder: Path) -> Findings:
    """Neither root nor the gateway's user."""
    program = shutil.copy(os.environ.get("GATEWAY_BINARY", BINARY), folder)
    for place in (lab.folder, folder):
        place.chmod(0o755)
    lab.gateway._config_file.chmod(0o644)
    return Findings(subprocess.run(
        ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", program,
         *arguments(lab.gateway), "--json"],
        env=os.environ | {"DBUS_SYSTEM_BUS_ADDRESS": lab.bus.address},
        capture_output=True, text=True))


@with_other_users
def test_doctor_says_what_only_root_can_see(one: Lab, look: Look, folder: Path) -> None:
    """The doctor says that it cannot see this; it does not claim that the gateway is down or
    that another program has its port."""
    look(one)
    found = as_nobody(one, folder)
    assert found.has("note", "oFono", "only root can see which version"), found.all
    assert found.has("note", "gateway", "run this as root"), found.all
    assert found.has("ok", "port", "only root can see"), found.all
    assert found.code == OK, found.all


@with_other_users
def test_doctor_without_ofono_access_reports_no_problem(one: Lab, look: Look, folder: Path) -> None:
    """The rights of strangers say nothing about the gateway, whose policy is fine."""
    look(one)
    config = one.bus._config
    config.write_text(config.read_text().replace(
        "</busconfig>",
        '<policy user="65534"><deny send_destination="org.ofono"/></policy></busconfig>'))
    one.bus.reload()
    found = as_nobody(one, folder)
    assert found.has("note", "oFono", "sudo ofono-mcp doctor"), found.all
    assert not [f for f in found.all if f["level"] == "problem"], found.all


def test_doctor_warns_about_a_failed_last_message(one: Lab, look: Look) -> None:
    one.modems[0].plan(Outcome.cms(38))
    result = run("send", "--state-dir", one.gateway.state, TO, "no")
    assert result.returncode == FAILED
    finding = look(one).about("last message")
    assert finding["level"] == "warning" and "failed" in finding["message"]
    assert f"ending in {TO[-3:]}:" in finding["message"] and TO not in finding["message"]


def test_doctor_shows_when_the_last_message_was_sent(one: Lab, look: Look) -> None:
    result = run("send", "--state-dir", one.gateway.state, TO, "yes")
    assert result.returncode == OK
    finding = look(one).about("last message")
    assert re.fullmatch(rf"of \d{{4}}-.*\d, to a number ending in {TO[-3:]}: sent",
                        finding["message"]), finding


def test_doctor_warns_while_paused(one: Lab, look: Look) -> None:
    run("pause", "--state-dir", one.gateway.state)
    assert look(one).has("warning", "sending", "ofono-mcp resume")


def test_doctor_reports_a_wrong_configuration(folder: Path) -> None:
    file = folder / "gateway.conf"
    file.write_text("[server]\nlisten = nowhere\n")
    found = Findings(run("doctor", "--json", "--config", file))
    assert found.code == FAILED and found.about("configuration")["level"] == "problem"


# ---- text the agent

AGENT_FLAWS = [
    (section(), "is not enrolled"), (section(code="none"), "anybody who forges the sender"),
    (section("word = stop"), "opts you out"), (section("sim = 99"), "no SIM in this phone"),
]


@pytest.mark.parametrize(("config", "words"), AGENT_FLAWS, ids=[words for _, words in AGENT_FLAWS])
def test_doctor_warns_about_commands_that_cannot_work(make_lab: Callable[..., Lab], look: Look,
                                                      config: str, words: str) -> None:
    lab = make_lab(config, modem_count=1)
    found = wait_found(lab, look, "warning", "agent", words)
    assert not found.has("ok", "agent", "")


def test_doctor_is_content_with_an_enrolled_number(make_lab: Callable[..., Lab],
                                                   look: Look) -> None:
    lab = make_lab(section("word = phone"), modem_count=1)
    enrol(lab)
    wait_found(lab, look, "ok", "agent", "can text commands: 1")


@pytest.mark.parametrize("line", [
    "owner_numbers = mum", "approvals = yes\ncode = none\nowner_numbers = +36201234567"])
def test_doctor_names_an_agent_section_that_cannot_be(one: Lab, look: Look, line: str) -> None:
    config = one.gateway._config_file
    config.write_text(config.read_text() + f"[agent]\n{line}\n")
    assert any("agent." in finding["message"] for finding in look(one).all)
