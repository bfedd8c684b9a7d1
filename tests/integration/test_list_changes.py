# SPDX-License-Identifier: GPL-2.0-or-later
"""list_changes: the one feed that a hub of many phones follows."""

from __future__ import annotations

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import datetime, timedelta, timezone
from typing import Any

import pytest

from agent import TO, Agent, pair
from conftest import new_lab
from lab import Lab, wait_until
from modem import HOME, Outcome
from modern import Request
from owner import Owner

CODE = "73914628"
SEARCHING = 2       # +CREG


@dataclass
class Hub:
    """Follows the feed as a hub does, and keeps what it saw."""

    lab: Lab
    token: str
    cursor: str = ""
    phone: dict[str, Any] = field(default_factory=dict)
    changes: list[dict[str, Any]] = field(default_factory=list)

    def call(self, tool: str, **arguments: Any) -> Any:
        return Agent(self.lab, self.token).call(tool, **arguments)

    def page(self, **arguments: Any) -> dict[str, Any]:
        after = {"after": self.cursor} if self.cursor else {}
        page: dict[str, Any] = self.call("list_changes", **after, **arguments).structured
        self.cursor = page["cursor"]
        self.phone = page.get("phone", self.phone)
        self.changes += page["changes"]
        return page

    def drain(self, **arguments: Any) -> dict[str, Any]:
        """All there is; returns the first page."""
        first = page = self.page(**arguments)
        while page["more"]:
            page = self.page(**arguments)
        return first

    def wait(self, type: str, count: int = 1, **wanted: Any) -> list[dict[str, Any]]:
        """The changes of this type that were seen, once there are so many."""
        def found() -> list[dict[str, Any]]:
            return [change for change in self.changes if change["type"] == type
                    and wanted.items() <= change.items()]
        while len(found()) < count:
            self.page(wait_seconds=20)
        return found()

    def wait_for_phone(self, member: str, value: Any) -> None:
        """Returns once the phone shows this. Other changes may end a wait before it does."""
        while self.phone[member] != value:
            self.page(wait_seconds=20)

    def send(self, key: str, text: str = "hello", **more: Any) -> Any:
        more.setdefault("wait_for", "none")
        return self.call("send_sms", to_phone_number=TO, sms_text=text, idempotency_key=key,
                         **more)


def new_hub(lab: Lab, name: str, *scopes: str) -> Hub:
    token = pair(lab.gateway, name)
    Owner(lab.gateway.state).do("change", "--scope", ",".join(scopes), name)
    return Hub(lab, token)


def wait_until_ready(lab: Lab, token: str, sims: int) -> None:
    wait_until(lambda: Agent(lab, token).states() == ["ready"] * sims, what="the SIMs are ready")


@pytest.fixture(scope="module")
def lab() -> Iterator[Lab]:
    with new_lab(modem_count=2, gateway_open=False) as lab:
        wait_until_ready(lab, new_hub(lab, "first", "read").token, 2)
        yield lab


@pytest.fixture
def hub(lab: Lab, request: pytest.FixtureRequest) -> Hub:
    """Has seen everything so far."""
    hub = new_hub(lab, "hub-" + "".join(filter(str.isalnum, request.node.name))[:40],
                  "read", "send", "codes", "hub")
    hub.drain()
    hub.changes.clear()
    return hub


# ---- who may

def test_only_the_scope_hub_shows_the_tool(lab: Lab) -> None:
    def tools(token: str) -> list[dict[str, Any]]:
        asked = Request("tools/list").header(Authorization=f"Bearer {token}")
        listed: list[dict[str, Any]] = asked.ask(lab.gateway.port).result["tools"]
        return listed

    plain, with_hub = new_hub(lab, "plain", "read", "send"), new_hub(
        lab, "with", "read", "send", "hub")
    names = [tool["name"] for tool in tools(with_hub.token)]
    assert names == [tool["name"] for tool in tools(plain.token)] + ["list_changes"]
    assert "hub" not in json.dumps(tools(plain.token))
    refused = Request("tools/call", {"name": "list_changes", "arguments": {}}).header(
        Authorization=f"Bearer {plain.token}").header(Mcp_Name="list_changes")
    answer = refused.ask(lab.gateway.port).result
    assert answer["isError"] and "insufficient_scope" in answer["content"][0]["text"]


# ---- the snapshot

def test_the_first_answer_is_a_snapshot_of_sims_and_limits(lab: Lab, hub: Hub) -> None:
    [one, other] = hub.phone["sims"]
    assert [sim["iccid"] for sim in (one, other)] == [
        modem.sim.iccid for modem in lab.modems if modem.sim]
    assert {sim["state"] for sim in (one, other)} == {"ready"}
    assert (one["allowed"], one["roaming"], hub.phone["paused"]) == (True, False, False)
    assert one["subscription_id"] != other["subscription_id"]
    assert one["mobile_country_code"] and one["country"]


def test_a_snapshot_pages_through_unsettled_messages_of_its_own(lab: Lab, hub: Hub) -> None:
    later = (datetime.now(timezone.utc) + timedelta(days=2)).isoformat(timespec="seconds")
    sim = hub.phone["sims"][0]["subscription_id"]
    sent = [hub.send(f"later-{at}", f"later {at}", send_at=later, subscription_id=sim).message_id
            for at in range(5)]
    other = new_hub(lab, "stranger", "read", "send")
    other.send("strange", "not the hub's", send_at=later, subscription_id=sim)
    again = Hub(lab, hub.token)
    first = again.drain(limit=2)
    assert (first["truncated"], first["snapshot"], first["more"]) == (False, True, True)
    assert len(first["changes"]) == 2 and "phone" in first
    rows = [row for row in again.changes if row["type"] == "state"]
    keys = [f"later-{at}" for at in range(5)]
    assert [row["message_id"] for row in rows if "id" not in row] == sent
    assert [row["idempotency_key"] for row in rows if "id" not in row] == keys
    assert [row["idempotency_key"] for row in rows if "id" in row] == keys
    assert {row["state"] for row in rows} == {"scheduled"}


# ---- changes

def test_an_incoming_message_is_whole_and_exact(lab: Lab, hub: Hub) -> None:
    text = f"Your code is {CODE}. <b>\u202e\u00e9\u20ac"
    lab.modems[1].deliver("+36205550001", text)
    [row] = hub.wait("received")
    assert (row["from"], row["text"]) == ("+36205550001", text)
    assert row["subscription_id"] == hub.phone["sims"][1]["subscription_id"]
    assert row["sent_time"] and abs(row["at_ms"] - hub.page()["now_ms"]) < 60 * 60 * 1000


def test_codes_are_masked_without_their_scope(lab: Lab) -> None:
    hub = new_hub(lab, "uncoded", "read", "hub")
    hub.drain()
    hub.changes.clear()
    lab.modems[0].deliver("+36205550002", f"Your code is {CODE}")
    [row] = hub.wait("received", **{"from": "+36205550002"})
    assert CODE not in json.dumps(row) and row["masked"] is True


def test_a_service_text_is_marked_and_has_no_password(lab: Lab, hub: Hub) -> None:
    """Also for a hub with the scope codes."""
    lab.modems[0].deliver("1217", "//VVM:STATUS:st=R;u=ann;pw=zq8236")
    [row] = hub.wait("received", **{"from": "1217"})
    assert row["text"] == "//VVM:STATUS:st=R;u=******;pw=******" and row["masked"] is True
    assert "service" in row["flags"]


def test_states_of_own_messages_have_their_key(lab: Lab, hub: Hub) -> None:
    sim = hub.phone["sims"][0]["subscription_id"]
    sent = hub.send("order-1", subscription_id=sim).message_id
    rows = hub.wait("state", state="sent")
    assert [row["message_id"] for row in rows] == [sent]
    ids = [row["id"] for row in hub.changes]
    assert ids == sorted(set(ids))
    own = [row for row in hub.changes if row["type"] == "state"]
    assert {row["idempotency_key"] for row in own} == {"order-1"}
    states = [row["state"] for row in own]
    assert states[0] == "queued" and states[-1] == "sent"


def test_states_of_other_clients_are_not_shown(lab: Lab, hub: Hub) -> None:
    other = new_hub(lab, "other", "read", "send")
    sim = hub.phone["sims"][0]["subscription_id"]
    other.send("theirs", subscription_id=sim, wait_for="sent")
    assert [row for row in hub.page()["changes"] if row["type"] == "state"] == []


def test_a_refused_message_says_why(lab: Lab, hub: Hub) -> None:
    lab.modems[0].default_outcome = Outcome.cms(38)
    try:
        hub.send("order-2", subscription_id=hub.phone["sims"][0]["subscription_id"])
        [row] = hub.wait("state", state="failed")
        assert row["reason"]
    finally:
        lab.modems[0].default_outcome = Outcome.ok()


def test_a_sim_that_loses_its_network_is_shown(lab: Lab, hub: Hub) -> None:
    lab.modems[0].set_registration(SEARCHING)
    try:
        while hub.phone["sims"][0]["state"] != "searching":
            hub.page(wait_seconds=20)
        assert hub.wait("sim", state="searching")[0]["previous"] == "ready"
    finally:
        lab.modems[0].set_registration(HOME)
    while hub.phone["sims"][0]["state"] != "ready":
        hub.page(wait_seconds=20)


def test_a_pause_ends_a_wait(lab: Lab, hub: Hub) -> None:
    owner = Owner(lab.gateway.state)
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(hub.wait_for_phone, "paused", True)
        owner.do("pause")
        try:
            waiting.result(60)
        finally:
            owner.do("resume")


def test_an_incoming_call_is_shown(lab: Lab, hub: Hub) -> None:
    lab.modems[0].ring("+36205550009")
    assert hub.wait("call", state="ringing")[0]["number"] == "+36205550009"
    lab.modems[0].hang_up()
    assert hub.wait("call", state="missed")[0]["direction"] == "in"


# ---- cursors

def test_a_call_that_is_repeated_gets_the_same(lab: Lab, hub: Hub) -> None:
    before = hub.cursor
    lab.modems[0].deliver("+36205550003", "once")
    seen = hub.wait("received", **{"from": "+36205550003"})
    hub.cursor = before
    hub.changes.clear()
    assert hub.wait("received", **{"from": "+36205550003"}) == seen


@pytest.mark.parametrize("cursor", [
    " ", "rubbish", "0.0.0.0", "0" * 16 + ".0." + "0" * 16 + ".-1", "9" * 200])
def test_any_other_cursor_begins_anew(lab: Lab, hub: Hub, cursor: str) -> None:
    page = hub.call("list_changes", after=cursor, limit=500).structured
    assert page["truncated"] is True
    assert "phone" in page and page["snapshot"] is True
    assert page["epoch"] in page["cursor"]


def test_an_empty_cursor_is_the_first_page(lab: Lab, hub: Hub) -> None:
    page = hub.call("list_changes", after="", limit=500).structured
    assert (page["truncated"], page["snapshot"]) == (False, True)


def test_a_cursor_before_or_beyond_the_feed_begins_anew(lab: Lab, hub: Hub) -> None:
    epoch, entry, digest, rest = hub.cursor.split(".")
    beyond = f"{epoch}.{int(entry) + 1000}.{digest}.{rest}"
    assert hub.call("list_changes", after=beyond).structured["truncated"] is True
    assert hub.call("list_changes", after=hub.cursor).structured["truncated"] is False


def test_a_cursor_survives_a_restart() -> None:
    with new_lab(modem_count=1, gateway_open=False) as lab:
        hub = new_hub(lab, "hub", "read", "send", "hub")
        wait_until_ready(lab, hub.token, 1)
        hub.drain()
        hub.changes.clear()
        lab.modems[0].deliver("+36205550004", "before")
        hub.wait("received")
        lab.gateway.restart()
        lab.modems[0].deliver("+36205550005", "after")
        assert [row["text"] for row in hub.wait("received", 2)] == ["before", "after"]
        assert hub.page()["truncated"] is False
        gaps = [row for row in hub.changes if row["type"] == "gap"]
        assert all(row["from_ms"] <= row.get("until_ms", row["from_ms"]) for row in gaps)


def test_a_restored_store_begins_anew_and_loses_nothing(tmp_path: Any) -> None:
    with new_lab(modem_count=1, gateway_open=False) as lab:
        hub = new_hub(lab, "hub", "read", "send", "hub")
        wait_until_ready(lab, hub.token, 1)
        lab.modems[0].deliver("+36205550006", "before")
        hub.wait("received")
        owner, file = Owner(lab.gateway.state), tmp_path / "backup"
        owner.do("backup", file)
        lab.modems[0].deliver("+36205550007", "lost with the phone")
        hub.wait("received", 2)
        epoch = hub.page()["epoch"]
        lab.gateway.stop()
        owner.do("restore", file)
        lab.gateway.start()
        page = hub.page()
        assert page["truncated"] is True and page["epoch"] != epoch
        hub.changes.clear()
        hub.cursor = ""
        assert [row["text"] for row in hub.wait("received")] == ["before"]
