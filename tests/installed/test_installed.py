# SPDX-License-Identifier: GPL-2.0-or-later
"""The installed package: its user, its bus policy, its program.

debian/tests runs this where the package is installed, and tests/deb where it was just built.
It does not use the system's own bus and oFono.
"""

from __future__ import annotations

import os
import pwd
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from agent import Agent, assert_sent
from lab import Lab, wait_until
from lab.flood import Flood
from lab.gateway import Gateway, free_port
from lab.stock_bus import StockBus, allowing

USER = "ofono-mcp"
PROGRAM = Path("/usr/bin/ofono-mcp")
AS_USER = f"setpriv --reuid={USER} --regid={USER} --clear-groups"
EXAMPLES = Path("/usr/share/doc/ofono-mcp/examples")
POWER = "[sim]\npower_modems = yes\n"
SENDER = "+36209876543"
FORKS = [("/", "ModemManager.GetDefaultVoiceModem"), ("/", "ModemManager.GetReady"),
         ("/sim0", "SimInfo.GetAll")]
REFUSED = [
    ("/sim0", "org.ofono.Modem.SetProperty", ["string:Powered", "variant:boolean:false"]),
    ("/sim0", "org.ofono.SimManager.EnterPin", ["string:pin", "string:0000"]),
    ("/sim0", "org.ofono.VoiceCallManager.Dial", ["string:112", "string:default"]),
    ("/sim0", "org.ofono.SupplementaryServices.Initiate", ["string:*100#"]),
    ("/", "org.freedesktop.DBus.Introspectable.Introspect", []),
]


def own(path: Path) -> None:
    user = pwd.getpwnam(USER)
    os.chown(path, user.pw_uid, user.pw_gid)


def new_lab(bus: type[StockBus] = StockBus, config: str = "", **options: object) -> Lab:
    """With the installed gateway running as its user; not yet entered."""
    lab = Lab(gateway=True, bus=bus, **options)
    lab.folder.chmod(0o755)
    lab.gateway = Gateway(lab.folder, lab.bus, binary=PROGRAM, wrapper=AS_USER)
    lab.gateway.config += config
    lab.gateway.prepare()
    own(lab.gateway.state)
    return lab


@pytest.fixture(scope="module")
def lab() -> Iterator[Lab]:
    with new_lab() as lab:
        Agent(lab).wait_states("ready", "ready", timeout=20)
        yield lab


def call_as_user(lab: Lab, path: str, member: str,
                 arguments: list[str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*AS_USER.split(), "dbus-send", "--print-reply", f"--bus={lab.bus.address}",
         "--dest=org.ofono", path, member, *arguments], capture_output=True, text=True)


def test_the_installed_gateway_sends_and_receives(lab: Lab) -> None:
    agent = Agent(lab)
    assert_sent(agent.send("from a package", agent.ids()[0]))
    assert lab.modems[0].taken[-1].text == "from a package"
    cursor = agent.call("list_sms").structured["wait_cursor"]
    lab.modems[1].deliver(SENDER, "to a package")
    heard = agent.call("wait_for_sms", after=cursor, timeout_seconds=60)
    assert heard.structured["message"]["text"] == "to a package"


def test_it_runs_as_its_own_user(lab: Lab) -> None:
    status = Path(f"/proc/{lab.gateway.pid}/status").read_text()
    assert f"Uid:\t{pwd.getpwnam(USER).pw_uid}\t" in status
    assert "CapEff:\t0000000000000000" in status


@pytest.mark.parametrize("path,member,arguments", REFUSED, ids=[row[1] for row in REFUSED])
def test_the_bus_policy_allows_only_needed_calls(lab: Lab, path: str, member: str,
                                      arguments: list[str]) -> None:
    ended = call_as_user(lab, path, member, arguments)
    assert ended.returncode != 0
    assert "org.freedesktop.DBus.Error.AccessDenied" in ended.stderr


def test_the_bus_policy_allows_the_interfaces_of_forks(lab: Lab) -> None:
    """The policy allows it, but this ofonod has no such interface."""
    for path, member in FORKS:
        ended = call_as_user(lab, path, f"org.nemomobile.ofono.{member}", [])
        assert "org.freedesktop.DBus.Error.UnknownMethod" in ended.stderr


def test_power_modems_works_with_its_policy() -> None:
    with new_lab(allowing(EXAMPLES / "power.conf"), POWER, powered=False) as lab:
        Agent(lab).wait_states("ready", "ready", timeout=20)
        assert "does not let the gateway" not in lab.gateway.log


def test_power_modems_reports_a_missing_policy() -> None:
    with new_lab(config=POWER, powered=False) as lab:
        wait_until(lambda: "does not let the gateway switch modems on" in lab.gateway.log,
                   what="it is told")
        assert [radio.properties()["Powered"] for radio in lab.radios] == [False, False]


def test_other_users_may_not_use_ofono(lab: Lab) -> None:
    ended = subprocess.run(
        ["setpriv", "--reuid=nobody", "--clear-groups", "dbus-send", "--print-reply",
         f"--bus={lab.bus.address}", "--dest=org.ofono", "/",
         "org.ofono.Manager.GetModems"], capture_output=True, text=True)
    assert "org.freedesktop.DBus.Error.AccessDenied" in ended.stderr


def test_signals_of_other_users_do_not_reach_the_gateway(lab: Lab) -> None:
    flood = Flood(lab.gateway)
    flood.send(lab.bus, count=100, size=30_000_000)
    assert flood.cost < 2_000_000, f"{flood.cost} bytes"
    assert "connection lost" not in lab.gateway.log
    Agent(lab).wait_states("ready", "ready")


def test_help_and_version_work() -> None:
    ended = subprocess.run([PROGRAM, "--help"], capture_output=True, text=True, check=True)
    assert "pair" in ended.stdout


def test_the_demo_works() -> None:
    done = subprocess.run([PROGRAM, "demo", "--once", "--port", str(free_port())],
                          capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    assert '"text":"SMS sent to +36201234567' in done.stdout
    assert done.stdout.endswith("\nEnded; nothing is left.\n")
