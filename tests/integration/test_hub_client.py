# SPDX-License-Identifier: GPL-2.0-or-later
"""What a hub of many phones may do on a phone beside list_changes: close keys, act on behalf of
its agents; and what bounds it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import datetime, timedelta, timezone
from typing import Any

import pytest

from agent import TO, Agent, pair
from conftest import new_lab
from ledger import Ledger
from lab import Lab, wait_until
from modern import META, Request
from owner import Owner

EPOCH, BEHALF = "ofono-mcp/hub_epoch", "ofono-mcp/on_behalf_of"
STORE = "ofono-mcp/store_epoch"


class Hub:
    def __init__(self, lab: Lab, name: str, *scopes: str) -> None:
        self.lab = lab
        self.owner = Owner(lab.gateway.state)
        self.token = pair(lab.gateway, name)
        self.name = name
        self.owner.do("change", "--scope", ",".join(scopes or ("read", "send", "hub")), name)

    def ask(self, tool: str, meta: dict[str, Any] | None = None, /, **arguments: Any) -> Any:
        request = Request("tools/call", {"name": tool, "arguments": arguments},
                          meta_members=META | (meta or {})).header(
            Authorization=f"Bearer {self.token}", Mcp_Name=tool)
        return request.ask(self.lab.gateway.port).result

    def call(self, tool: str, meta: dict[str, Any] | None = None, /,
             **arguments: Any) -> dict[str, Any]:
        """The facts of the answer, or of the error."""
        result = self.ask(tool, meta, **arguments)
        facts: dict[str, Any] = (json.loads(result["content"][0]["text"])
                                 if result.get("isError") else result["structuredContent"])
        return facts

    def send(self, key: str, text: str = "hello", meta: dict[str, Any] | None = None,
             **more: Any) -> dict[str, Any]:
        return self.call("send_sms", meta, to_phone_number=TO, sms_text=text,
                         idempotency_key=key, **({"wait_for": "none"} | more))

    def close(self, key: str) -> dict[str, Any]:
        return self.call("cancel_sms", idempotency_key=key, close=True)


@pytest.fixture(scope="module")
def lab() -> Iterator[Lab]:
    with new_lab(modem_count=1, gateway_open=False) as lab:
        token = pair(lab.gateway, "first")
        wait_until(lambda: Agent(lab, token).states() == ["ready"], what="the SIM is ready")
        yield lab


@pytest.fixture
def hub(lab: Lab, request: pytest.FixtureRequest) -> Hub:
    return Hub(lab, "hub-" + "".join(filter(str.isalnum, request.node.name))[-40:])


def later() -> str:
    return (datetime.now(timezone.utc) + timedelta(days=1)).isoformat(timespec="seconds")


# ---- closing keys

def test_a_key_without_a_message_is_closed_and_a_late_send_is_refused(lab: Lab, hub: Hub) -> None:
    before = len(Ledger(lab).rows("SELECT id FROM message"))
    epoch = hub.call("list_changes")["epoch"]
    assert hub.close("k") == {"state": "closed", "epoch": epoch}
    assert hub.close("k") == {"state": "closed", "epoch": epoch}
    refused = hub.send("k")
    assert (refused["code"], refused["retryable"]) == ("closed", False)
    assert hub.send("k", dry_run=True)["refusals"][0]["code"] == "closed"
    assert len(Ledger(lab).rows("SELECT id FROM message")) == before


def test_a_closed_key_refuses_a_list_of_recipients(hub: Hub) -> None:
    hub.close("many")
    refused = hub.call("send_sms", to_phone_number="", to_phone_numbers=[TO, "+36201112233"],
                       sms_text="hello", idempotency_key="many")
    assert "closed" in json.dumps(refused)


def test_a_closed_key_is_that_clients_own_and_outlives_a_restart() -> None:
    with new_lab(modem_count=1, gateway_open=False) as lab:
        hub, other = Hub(lab, "hub"), Hub(lab, "other")
        wait_until(lambda: Agent(lab, hub.token).states() == ["ready"], what="ready")
        hub.close("k")
        lab.gateway.kill()
        lab.gateway.start()
        wait_until(lambda: Agent(lab, hub.token).states() == ["ready"], what="ready")
        assert hub.send("k")["code"] == "closed"
        assert other.send("k")["message_id"]


def test_a_waiting_message_is_cancelled_by_its_key(hub: Hub) -> None:
    sent = hub.send("waits", send_at=later())
    assert hub.close("waits") == {"message_id": sent["message_id"], "state": "cancelled"}
    assert hub.close("waits")["state"] == "cancelled"
    assert hub.send("waits", send_at=later())["code"] == "cancelled"


def test_a_message_that_was_sent_answers_with_its_state(hub: Hub) -> None:
    sent = hub.send("sent", wait_for="sent")
    assert hub.close("sent") == {"message_id": sent["message_id"], "state": "sent"}
    plain = hub.call("cancel_sms", idempotency_key="sent")
    assert plain["code"] == "too_late"


def test_an_unknown_key_is_not_found_without_close(hub: Hub) -> None:
    assert hub.call("cancel_sms", idempotency_key="nothing")["code"] == "not_found"
    assert hub.send("nothing")["message_id"]


@pytest.mark.parametrize("arguments", [
    {}, {"message_id": 1, "idempotency_key": "k"}, {"close": True}, {"message_id": 1,
                                                                     "close": True}])
def test_wrong_arguments_are_refused(hub: Hub, arguments: dict[str, Any]) -> None:
    assert hub.call("cancel_sms", **arguments)["code"] == "invalid_arguments"


def test_other_clients_neither_see_nor_use_the_arguments(lab: Lab) -> None:
    plain = Hub(lab, "plain-sender", "read", "send")
    refused = plain.close("k")
    assert refused["code"] == "invalid_arguments" and "ignored" not in refused
    assert plain.call("cancel_sms")["code"] == "invalid_arguments"


# ---- the epoch

def test_an_older_hub_is_refused_also_after_a_restart() -> None:
    with new_lab(modem_count=1, gateway_open=False) as lab:
        hub = Hub(lab, "hub")
        wait_until(lambda: Agent(lab, hub.token).states() == ["ready"], what="ready")
        assert "sims" in json.dumps(hub.call("get_gateway_status", {EPOCH: 7}))
        assert hub.send("a", "new", {EPOCH: 9})["message_id"]
        for _ in range(2):
            assert hub.send("b", "old", {EPOCH: 8})["code"] == "stale_hub"
            assert hub.call("list_changes", {EPOCH: 1})["code"] == "stale_hub"
            lab.gateway.kill()
            lab.gateway.start()
            wait_until(lambda: Agent(lab, hub.token).states() == ["ready"], what="ready")
        assert hub.call("list_changes", {EPOCH: 9})["epoch"]
        texts = [row["text"] for row in Ledger(lab).rows("SELECT text FROM message")]
        assert texts == ["new"]


@pytest.mark.parametrize("epoch", [0, -1, "7", 1.5, None, {}, 2**64])
def test_a_wrong_epoch_is_refused(hub: Hub, epoch: Any) -> None:
    assert hub.call("list_changes", {EPOCH: epoch})["code"] == "invalid_arguments"


def test_the_epoch_of_others_says_nothing(lab: Lab) -> None:
    plain = Hub(lab, "no-hub", "read", "send")
    assert plain.send("a", "one", {EPOCH: 9})["message_id"]
    assert plain.send("b", "two", {EPOCH: 1})["message_id"]


def test_a_call_for_another_store_is_refused(hub: Hub) -> None:
    epoch = hub.call("list_changes")["epoch"]
    assert hub.send("s1", "other", {STORE: "0" * 16})["code"] == "other_epoch"
    assert hub.call("get_sms_status", idempotency_key="s1")["code"] == "not_found"
    assert hub.send("s2", "same", {STORE: epoch})["message_id"]
    assert hub.send("s3", "none", {STORE: 7})["code"] == "invalid_arguments"


# ---- on behalf of

def audit(hub: Hub, event: str) -> list[dict[str, Any]]:
    return [line for line in hub.owner.json_lines("audit", "--json")
            if line["event"] == event and line["detail"].get("client") == hub.name]


def of_message(hub: Hub, event: str, message_id: int) -> dict[str, Any]:
    [line] = [line for line in hub.owner.json_lines("audit", "--json")
              if line["event"] == event and line["detail"].get("message_id") == message_id]
    return line


def test_the_agent_of_the_hub_is_in_audit_and_history(hub: Hub) -> None:
    sent = hub.send("for", "for the laptop", {BEHALF: "laptop", EPOCH: 3}, wait_for="sent")
    [line] = audit(hub, "send_accepted")
    assert line["detail"]["on_behalf_of"] == "laptop"
    history = hub.call("get_sms_status", message_id=sent["message_id"], history=True)
    assert history["changes"][0]["note"] == "on behalf of laptop"
    assert not any("laptop" in change.get("note", "") for change in history["changes"][1:])
    hub.send("own", "the hub's own", {EPOCH: 3}, wait_for="sent")
    assert "on_behalf_of" not in audit(hub, "send_accepted")[1]["detail"]
    assert "laptop" in hub.owner.do("audit")


def test_a_cancellation_names_the_agent(hub: Hub) -> None:
    sent = hub.send("c", "later", send_at=later())
    hub.call("cancel_sms", {BEHALF: "laptop"}, idempotency_key="c", close=True)
    line = of_message(hub, "send_cancelled", sent["message_id"])
    assert line["detail"]["on_behalf_of"] == "laptop"


def test_a_name_is_escaped_and_cut(hub: Hub) -> None:
    name = "\u202e\n" + "x" * 5000
    hub.send("long", "escaped", {BEHALF: name}, wait_for="sent")
    [line] = audit(hub, "send_accepted")
    seen = line["detail"]["on_behalf_of"]
    assert len(seen.encode()) < 128 and "\n" not in seen and "\u202e" not in seen
    assert "x" * 20 in seen


def test_a_name_that_is_no_text_is_refused(hub: Hub) -> None:
    assert hub.send("no", "no", {BEHALF: 7})["code"] == "invalid_arguments"


def test_others_act_on_nobodys_behalf(lab: Lab) -> None:
    plain = Hub(lab, "plain-actor", "read", "send")
    plain.send("p", "mine", {BEHALF: "somebody"}, wait_for="sent")
    assert "somebody" not in plain.owner.do("audit")


# ---- the phone's own policy bounds the hub

def test_the_hub_has_limits_like_any_client(lab: Lab) -> None:
    hub = Hub(lab, "limited-hub")
    hub.owner.do("change", "--per-hour", 2, hub.name)
    for number in range(2):
        assert hub.send(f"l{number}", f"{number}")["message_id"]
    assert hub.send("l2", "2", {BEHALF: "laptop"})["code"] == "rate_limited"


def test_messages_of_the_hub_wait_for_approval_of_the_phones_owner(lab: Lab) -> None:
    hub = Hub(lab, "asking-hub")
    hub.owner.do("change", "--ask", "always", hub.name)
    sent = hub.send("asks", "may I?", {BEHALF: "laptop"})
    assert sent["state"] == "waiting_approval"
    [line] = audit(hub, "approval_asked")
    assert line["detail"]["on_behalf_of"] == "laptop"
    hub.owner.do("approve", sent["message_id"])
    wait_until(lambda: hub.call("get_sms_status", idempotency_key="asks")["state"] == "sent",
               what="it is sent")
