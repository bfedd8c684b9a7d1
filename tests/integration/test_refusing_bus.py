# SPDX-License-Identifier: GPL-2.0-or-later
"""A bus that has not read the gateway's policy yet, as in the first seconds after
installation: the owner's commands wait for it."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from agent import TO
from lab import Lab, wait_until
from lab.gateway import BINARY
from modem import Sim
from modem.patience import patience
from owner import FAILED, OK, run

UNREAD = "the bus refuses: it has not read a D-Bus policy yet that lets user "


class Command:
    """A running ofono-mcp command."""

    def __init__(self, lab: Lab, name: str, *arguments: str) -> None:
        binary = os.environ.get("GATEWAY_BINARY", BINARY)
        self._before = lab.gateway.log.count(f"control: {name} by uid")
        self._child = subprocess.Popen(
            [binary, name, "--state-dir", lab.gateway.state, *arguments],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            text=True)
        wait_until(lambda: lab.gateway.log.count(f"control: {name} by uid") > self._before,
                   what="it has asked the gateway")

    @property
    def is_waiting(self) -> bool:
        return self._child.poll() is None

    def end(self) -> tuple[int, str, str]:
        try:
            out, error = self._child.communicate(timeout=patience(30))
        finally:
            self._child.kill()
        return self._child.returncode, out, error


@pytest.fixture
def lab() -> Iterator[Lab]:
    """The bus refuses its gateway."""
    with Lab(modem_count=2, sims=[Sim.numbered(0), None]) as lab:
        lab.bus.refuse("org.ofono")
        lab.gateway.start()
        wait_until(lambda: UNREAD in lab.gateway.log, what="it is refused")
        yield lab
        lab.bus.accept()


def test_status_and_send_wait_until_the_bus_reads_the_policy(lab: Lab) -> None:
    status = Command(lab, "status", "--json")
    send = Command(lab, "send", TO, "hello")
    assert status.is_waiting and send.is_waiting
    lab.bus.accept()
    code, said, _ = status.end()
    assert code == OK and json.loads(said)["ofono"] == "oFono answers"
    assert send.end()[0] == OK
    assert [one.text for one in lab.modems[0].taken] == ["hello"]


def test_a_policy_read_late_takes_effect_at_once(lab: Lab) -> None:
    """Even if the gateway itself would retry once a minute, or never."""
    wait_until(lambda: status_says(lab, UNREAD), what="it has waited")
    lab.bus.accept()
    assert status_says(lab, "oFono     answers")


def status_says(lab: Lab, words: str) -> bool:
    return words.replace("oFono     ", "") in run(
        "status", "--state-dir", lab.gateway.state).stdout


def test_a_lasting_refusal_says_how_to_fix_it(lab: Lab) -> None:
    code, said, error = Command(lab, "status").end()
    assert code == OK and UNREAD in said
    code, _, error = Command(lab, "send", TO, "hello").end()
    assert code == FAILED and UNREAD in error
    assert "Let the bus read it: systemctl reload dbus" in error
    assert "systemctl start ofono" not in error
    assert not lab.modems[0].taken


def test_an_interrupted_send_sends_nothing(lab: Lab) -> None:
    send = Command(lab, "send", TO, "hello")
    send._child.kill()
    send.end()
    lab.bus.accept()
    assert status_says(lab, "oFono     answers")
    assert not lab.modems[0].taken


def test_send_fails_at_once_when_ofono_is_down(tmp_path: Path) -> None:
    with Lab(modem_count=1, powered=False, gateway=True) as lab:
        lab.ofonod.stop()
        wait_until(lambda: "oFono is not running" in lab.gateway.log)
        code, _, error = Command(lab, "send", TO, "hello").end()
        assert code == FAILED and "systemctl start ofono" in error
