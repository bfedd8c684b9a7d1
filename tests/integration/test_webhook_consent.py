# SPDX-License-Identifier: GPL-2.0-or-later
"""The owner decides to which server an agent may send events."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from owner import FAILED
from webhooks import CALLBACK, EXHAUSTED, FORBIDDEN, NAME, Hook, Hooked

URL = "https://hooks.example.invalid/mcp/a1"


@pytest.fixture
def gateway() -> Iterator[Hooked]:
    with Hooked() as one:
        yield one


@pytest.fixture
def hook(gateway: Hooked) -> Hook:
    return Hook(gateway, URL)


def reason(hook: Hook, **more: object) -> tuple[int, str]:
    code, data = hook.error(hook.subscribe(**more))
    return code, data["reason"]


def is_approved(hook: Hook, **more: object) -> bool:
    """It got as far as the challenge: the server does not exist."""
    return reason(hook, **more)[0] == CALLBACK


def waiting(hook: Hook) -> list[dict]:
    return [one for one in hook.gateway.owner.json_lines("approvals") if "approval_id" in one]


def test_before_the_owner_approves_nothing_is_sent(hook: Hook) -> None:
    assert reason(hook) == (FORBIDDEN, "approval_required")
    assert reason(hook) == (FORBIDDEN, "approval_required")
    [one] = waiting(hook)
    assert one | {"asked_at": "", "until": ""} == {
        "approval_id": "w1", "kind": "webhook", "client": "hooker",
        "receiver": "https://hooks.example.invalid", "type": NAME, "filter": "{}",
        "include_text": False, "asked_at": "", "until": ""}
    said = hook.gateway.owner.do("approvals")
    assert ("w1  hooker wants sms.received events posted to https://hooks.example.invalid, "
            "without the texts") in said
    assert "/mcp/a1" not in said            # the path may be a secret


def test_an_approved_server_is_asked_for_no_more(hook: Hook) -> None:
    reason(hook)
    assert hook.gateway.owner.do("approve", "w1") == "Webhook w1 is approved.\n"
    assert is_approved(hook)
    assert is_approved(hook, arguments={"from": "+36301112233"})       # narrower
    assert not waiting(hook)
    hook.gateway.restart()
    assert is_approved(hook)


def test_an_approval_is_for_one_client_server_type_and_without_texts(hook: Hook) -> None:
    reason(hook, arguments={"from": "+36301112233"})
    hook.gateway.owner.do("approve", "w1")
    assert is_approved(hook, arguments={"from": "+36301112233"})
    assert reason(hook, arguments={"from": "+36301112233", "include_text": True}) == (
        FORBIDDEN, "approval_required")
    assert reason(hook) == (FORBIDDEN, "approval_required")             # no filter: wider
    other = Hook(hook.gateway, URL, "other")
    assert reason(other, arguments={"from": "+36301112233"}) == (FORBIDDEN,
                                                                 "approval_required")
    hook.url = "https://other.example.invalid/mcp/a1"
    assert reason(hook, arguments={"from": "+36301112233"}) == (FORBIDDEN,
                                                                "approval_required")
    [text, *_] = waiting(hook)
    assert text["include_text"] is True


def test_a_rejected_server_is_not_asked_for_again(hook: Hook) -> None:
    reason(hook)
    assert hook.gateway.owner.do("reject", "w1") == "Webhook w1 is rejected.\n"
    assert reason(hook) == (FORBIDDEN, "approval_rejected")
    assert not waiting(hook)


def test_a_withdrawn_approval_is_needed_again(hook: Hook) -> None:
    reason(hook)
    hook.gateway.owner.do("approve", "w1")
    listed = hook.gateway.owner.json_lines("webhooks")
    assert listed[0]["approval_id"] == "w1" and listed[-1] == {"subscriptions": 0,
                                                               "approvals": 1}
    hook.gateway.owner.do("webhooks", "revoke", "w1")
    assert reason(hook) == (FORBIDDEN, "approval_required")


def test_revoking_the_client_removes_its_approvals(hook: Hook) -> None:
    reason(hook)
    hook.gateway.owner.do("approve", "w1")
    hook.gateway.owner.do("revoke", "hooker")
    again = Hook(hook.gateway, URL)
    assert reason(again) == (FORBIDDEN, "approval_required")


def test_an_agent_cannot_flood_the_owner(hook: Hook) -> None:
    for number in range(8):
        hook.url = f"https://{number}.example.invalid/"
        assert reason(hook) == (FORBIDDEN, "approval_required")
    hook.url = "https://nine.example.invalid/"
    code, data = hook.error(hook.subscribe())
    assert (code, data["limit"], data["max"]) == (EXHAUSTED, "approvals", 8)
    assert len(waiting(hook)) == 8


def test_wrong_ids_are_named(hook: Hook) -> None:
    said = hook.gateway.owner.run("approve", "w7")
    assert said.returncode == FAILED and "w7 was not approved: it is not waiting" in said.stdout
    said = hook.gateway.owner.run("webhooks", "revoke", "w7")
    assert said.returncode == FAILED and "there is no webhook or approval w7" in said.stderr


def test_decisions_are_in_the_audit_log(hook: Hook) -> None:
    reason(hook)
    hook.gateway.owner.do("approve", "w1")
    hook.gateway.owner.do("webhooks", "revoke", "w1")
    events = [json.loads(line)["event"] for line in
              hook.gateway.owner.do("audit", "--json").splitlines()]
    assert [one for one in events if one.startswith("webhook")] == [
        "webhook_asked", "webhook_approved", "webhook_withdrawn"]


def test_the_agent_hears_of_the_decision(hook: Hook) -> None:
    def poll(name: str, cursor: str | None) -> dict:
        return json.loads(hook.ask("events/poll", {"name": name, "cursor": cursor}).body)["result"]

    names = ["approval.requested", "approval.decided"]
    cursors = {name: poll(name, None)["cursor"] for name in names}
    reason(hook)
    hook.gateway.owner.do("approve", "w1")
    asked, decided = [poll(name, cursors[name])["events"] for name in names]
    assert asked[0]["data"] == {"approval_id": 1, "kind": "webhook", "own": True}
    assert decided[0]["data"] == {"approval_id": 1, "kind": "webhook", "own": True,
                                  "decision": "approved"}


def test_without_the_scope_events_nobody_is_asked(gateway: Hooked) -> None:
    hook = Hook(gateway, URL, scope="read")
    assert reason(hook) == (FORBIDDEN, "insufficient_scope")
    assert not waiting(hook)


def test_a_client_with_the_scope_admin_decides_for_the_owner(hook: Hook) -> None:
    def tool(client: Hook, name: str, **arguments: object) -> dict:
        reply = client.ask("tools/call", {"name": name, "arguments": arguments})
        return json.loads(reply.body)["result"]

    page = Hook(hook.gateway, URL, "page", scope="read,admin,events")
    reason(hook)
    reason(page)
    listed = tool(page, "list_approvals")["structuredContent"]["webhooks"]
    assert [(one["approval_id"], one["client"], one["own"]) for one in listed] == [
        ("w1", "hooker", False), ("w2", "page", True)]
    assert tool(page, "decide_approval", approval_id="w2", approve=True)["isError"]
    decided = tool(page, "decide_approval", approval_id="w1", approve=True)
    assert decided["structuredContent"] == {"approval_id": "w1", "approved": True,
                                            "state": "approved"}
    assert is_approved(hook)
    assert tool(page, "decide_approval", approval_id="w1", approve=True)["isError"]
