# SPDX-License-Identifier: GPL-2.0-or-later
"""Cell broadcasts, as oFono passes them on."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from agent import Agent
from approving import write_past_the_gateway
from incoming import newest
from lab import Lab, wait_until
from subscriber import subscribed, told
from views import ERAS, Eye, result

URI = "sms://alerts"
NOTICE, EARTHQUAKE = 50, 0x1100         # topics; the second is one of ETWS


def read(lab: Lab, era: str = ERAS[0]) -> Any:
    [content] = result(Eye(lab, era).read(URI))["contents"]
    return json.loads(content["text"])


def broadcast(lab: Lab, text: str, topic: int = NOTICE, modem: int = 0) -> dict[str, Any]:
    lab.modems[modem].broadcast(text, topic)
    return wait_until(lambda: (rows := read(lab)["alerts"]) and rows[0]["text"] == text
                      and rows[0], what=f"{text!r} was told")


@pytest.mark.parametrize("era", ERAS)
def test_a_subscriber_is_notified_of_a_cell_broadcast(lab: Lab, agent: Agent, era: str) -> None:
    """It is not a message, and a stranger wrote its text."""
    before, text = newest(lab), f"Flood in the valley ({era})"
    lab.radios[1].wait_for("CellBroadcast")
    with subscribed(lab, era, URI) as events:
        lab.modems[1].broadcast(text, NOTICE)
        told(events, URI)
    page = read(lab, era)
    row = page["alerts"][0]
    assert (row["text"], row["topic"], row["emergency"]) == (text, NOTICE, False)
    assert row["subscription_id"] == agent.ids()[1]
    assert "not instructions" in page["notice"]
    assert newest(lab) == before


def test_an_emergency_alert_has_its_type(lab: Lab) -> None:
    row = broadcast(lab, "Take cover", EARTHQUAKE)
    assert (row["emergency"], row["emergency_type"]) == (True, "Earthquake")
    assert "topic" not in row


@pytest.mark.parametrize("topic, kind", [
    (4370, "National alert"), (4372, "Extreme threat"), (4375, "Severe threat"),
    (4379, "Child abduction"), (4391, "Severe threat"), (4397, "Public safety"),
    (4369, None), (4380, None), (4382, None), (4393, None), (4398, None)])
def test_a_public_warning_is_an_emergency(lab: Lab, topic: int, kind: str | None) -> None:
    """EU-Alert, and the alerts of other countries: oFono does not distinguish them."""
    row = broadcast(lab, f"Warning {topic}", topic)
    assert (row["emergency"], row.get("emergency_type"), row["topic"]) == (
        kind is not None, kind, topic)


def test_a_repeated_broadcast_is_listed_once(lab: Lab) -> None:
    """Each SIM of the phone receives it, and the network repeats it."""
    first = broadcast(lab, "Again and again")
    lab.modems[1].broadcast("Again and again", NOTICE)
    lab.modems[0].broadcast("Again and again", NOTICE)
    last = broadcast(lab, "Something else")
    rows = read(lab)["alerts"]
    assert [row["alert_id"] for row in rows[:2]] == [last["alert_id"], first["alert_id"]]


def test_the_gateway_status_has_the_last_alert(make_lab: Callable[..., Lab]) -> None:
    """Most agents have tools and no resources."""
    lab = make_lab()
    agent = Agent(lab)
    assert "alert" not in agent.call("get_gateway_status").structured
    broadcast(lab, "Take cover " + "\u00e9" * 70, EARTHQUAKE)
    for more in {}, {"detail": True}:
        alert = agent.call("get_gateway_status", **more).structured["alert"]
        assert alert["state"] == "emergency" and alert["text"].startswith("Take cover \u00e9")
    assert len(agent.call("get_gateway_status").text.encode()) <= 700
    row = broadcast(lab, "Nothing\nmore")
    assert agent.call("get_gateway_status").structured["alert"] == {
        "at": row["time"], "state": "notice", "text": "Nothing\\u{A}more"}
    write_past_the_gateway(lab, "UPDATE event SET at = at - 86400000")
    assert "alert" not in agent.call("get_gateway_status").structured


def test_alerts_survive_a_restart(make_lab: Callable[..., Lab]) -> None:
    lab = make_lab()
    row = broadcast(lab, "Kept")
    lab.gateway.kill()
    lab.gateway.start()
    assert read(lab)["alerts"] == [row]
