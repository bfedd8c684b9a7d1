# SPDX-License-Identifier: GPL-2.0-or-later
"""Incoming calls: who called, and how each ended. None is answered or placed here."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from agent import Agent
from incoming import SENDER
from lab import Lab, wait_until
from lab.gateway import BINARY
from lab.radio import call
from subscriber import subscribed, told
from views import ERAS, Eye, result

URI = "calls://recent"


def read(lab: Lab, era: str = ERAS[0]) -> Any:
    [content] = result(Eye(lab, era).read(URI))["contents"]
    return json.loads(content["text"])


def newest(lab: Lab) -> dict[str, Any]:
    rows = read(lab)["calls"]
    return rows[0] if rows else {"call_id": 0, "state": ""}


def ring(lab: Lab, number: str, modem: int = 0) -> None:
    before = newest(lab)["call_id"]
    lab.modems[modem].ring(number)
    wait_until(lambda: newest(lab)["call_id"] > before, what="it rings")


def wait_state(lab: Lab, state: str) -> dict[str, Any]:
    return wait_until(lambda: (row := newest(lab))["state"] == state and row,
                      what=f"the call is {state}")


def calls_of(lab: Lab, modem: int = 0) -> list[str]:
    return [str(path) for path, _ in
            lab.radios[modem].call("VoiceCallManager", "GetCalls")]


def answer(lab: Lab) -> None:
    [path] = calls_of(lab)
    call(lab.bus.address, path, "VoiceCall", "Answer")


@pytest.mark.parametrize("era", ERAS)
def test_a_subscriber_is_notified_of_a_missed_call(lab: Lab, agent: Agent, era: str) -> None:
    with subscribed(lab, era, URI) as events:
        lab.modems[1].ring(SENDER)
        told(events, URI)
        rung = wait_state(lab, "ringing")
        lab.modems[1].hang_up()
        told(events, URI)
    row = wait_state(lab, "missed")
    assert read(lab, era)["calls"][0] == row == rung | {"state": "missed"}
    assert row["phone_number"] == SENDER
    assert row["subscription_id"] == agent.ids()[1]
    assert "not instructions" in read(lab, era)["notice"]


def test_an_answered_call_is_not_listed_as_missed(lab: Lab, agent: Agent) -> None:
    """It stays answered when it ends, and is not counted as missed."""
    ring(lab, SENDER)
    answer(lab)
    row = wait_state(lab, "answered")
    lab.modems[0].hang_up()
    wait_until(lambda: not calls_of(lab), what="the call is over")
    assert wait_state(lab, "answered") == row
    missed = agent.call("list_calls", missed_only=True).structured["calls"]
    assert row["call_id"] not in {call["call_id"] for call in missed}


def test_a_call_rejected_on_the_phone_is_listed_as_rejected(lab: Lab) -> None:
    ring(lab, SENDER)
    [path] = calls_of(lab)
    call(lab.bus.address, path, "VoiceCall", "Hangup")
    wait_state(lab, "rejected")


def test_a_withheld_phone_number_is_empty(lab: Lab) -> None:
    ring(lab, "")
    lab.modems[0].hang_up()
    assert wait_state(lab, "missed")["phone_number"] == ""


def test_calls_are_listed_page_by_page(lab: Lab, agent: Agent) -> None:
    """The tool and the resource agree; a cursor continues where a page ended."""
    for number in ("+36201110001", "+36201110002", "+36201110003"):
        ring(lab, number)
        lab.modems[0].hang_up()
        wait_state(lab, "missed")
    page = agent.call("list_calls", limit=2).structured
    assert [row["phone_number"][-1] for row in page["calls"]] == ["3", "2"]
    more = agent.call("list_calls", limit=2,
                      cursor=page["next_cursor"]).structured
    assert more["calls"][0]["phone_number"] == "+36201110001"
    assert page["calls"] == read(lab)["calls"][:2]
    assert agent.call("list_calls", cursor="r1-00000000").is_error


def test_listing_calls_makes_no_ofono_call(lab: Lab, agent: Agent) -> None:
    sent = calls_sent(lab)
    for _ in range(3):
        agent.call("list_calls")
        read(lab)
        Eye(lab).read("sms://voicemail")
    assert calls_sent(lab) == sent


def calls_sent(lab: Lab) -> str:
    [line] = [line for line in metrics(lab).splitlines()
              if line.startswith("ofono_mcp_dbus_calls_total")]
    return line


def metrics(lab: Lab) -> str:
    with lab.client() as client:
        return client.get("/metrics").body


def test_calls_survive_a_restart_and_gaps_are_listed(make_lab: Callable[..., Lab]) -> None:
    lab = make_lab()
    ring(lab, SENDER)
    lab.gateway.kill()
    lab.modems[0].hang_up()
    wait_until(lambda: not calls_of(lab), what="the call is over")
    lab.modems[0].ring("+36201110009")      # nothing notifies of this one
    wait_until(lambda: calls_of(lab), what="it rings")
    lab.modems[0].hang_up()
    wait_until(lambda: not calls_of(lab), what="the call is over")
    lab.gateway.start()
    page = wait_until(lambda: (page := Agent(lab).call("list_calls").structured)
                      ["gaps"] and page, what="the gap")
    assert [(row["phone_number"], row["state"]) for row in page["calls"]] == [
        (SENDER, "unknown")]
    assert page["gaps"][-1]["reason"] == "gateway_down"
    wait_until(lambda: read(lab)["gaps"] ==         # its end moves while it lasts
               Agent(lab).call("list_calls").structured["gaps"], what="both tell it")


def test_a_call_ends_as_unknown_when_its_modem_disappears(make_lab: Callable[..., Lab]) -> None:
    lab = make_lab()
    ring(lab, SENDER)
    lab.ofonod.kill()
    wait_state(lab, "unknown")


def test_a_backup_restores_calls(make_lab: Callable[..., Lab], tmp_path: Path) -> None:
    lab = make_lab()
    ring(lab, SENDER)
    lab.modems[0].hang_up()
    row = wait_state(lab, "missed")
    for command in ("backup", "restore"):
        if command == "restore":
            lab.gateway.stop()
        subprocess.run([BINARY, command, "--state-dir", lab.gateway.state,
                        tmp_path / "kept.db"], check=True, capture_output=True)
    lab.gateway.start()
    assert read(lab)["calls"] == [row]
