# SPDX-License-Identifier: GPL-2.0-or-later
"""list_approvals and decide_approval: the owner approves on a page of a client with the scope
admin."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from agent import TO, Agent, assert_refused, pair
from approving import Owner, new_agent, write_past_the_gateway
from lab import Lab, wait_until

READ, SEND, ADMIN = 1, 2, 16


def new_page(lab: Lab, name: str, scopes: int = READ | SEND | ADMIN) -> Agent:
    token = pair(lab.gateway, name)
    write_past_the_gateway(lab, "UPDATE client SET scopes = ? WHERE name = ?", scopes, name)
    return Agent(lab, token)


@pytest.fixture(scope="module")
def lab() -> Iterator[Lab]:
    """One SIM; every client needs a token."""
    with Lab(modem_count=1, gateway=True, gateway_open=False) as lab:
        yield lab


@pytest.fixture
def page(lab: Lab, number: str) -> Agent:
    return new_page(lab, f"page{number[1:]}")


@pytest.fixture
def careful(lab: Lab, number: str) -> Agent:
    return new_agent(lab, f"careful{number[1:]}")


def waiting(page: Agent) -> dict[int, dict[str, Any]]:
    return {row["message_id"]: row for row in
            page.call("list_approvals").structured["approvals"]}


def ask(careful: Agent, text: str = "may I?", to: str = TO) -> int:
    return careful.send(text, careful.ids()[0], to, wait_for="none").message_id


def sent(lab: Lab) -> list[str]:
    return [submit.text for submit in lab.modems[0].taken]


def test_list_approvals_shows_all_details(lab: Lab, page: Agent, careful: Agent,
                                       number: str) -> None:
    message_id = ask(careful, "code 123456 \u202e", number)
    row = waiting(page)[message_id]
    assert (row["to_phone_number"], row["text"]) == (number, "code 123456 \\u{202E}")
    assert row["country"] == "HU"
    assert row["client"].startswith("careful")
    assert (row["segments"], row["own"]) == (1, False)
    assert row["sim"] == careful.sims()[0]["display_name"]
    assert row["asked_at"] < row["until"]
    Owner(lab).do("reject", message_id)
    assert message_id not in waiting(page)


def test_an_approved_message_is_sent(lab: Lab, page: Agent, careful: Agent) -> None:
    message_id = ask(careful, "yes?")
    decided = page.call("decide_approval", message_id=message_id, approve=True).structured
    assert (decided["message_id"], decided["approved"]) == (message_id, True)
    careful.wait_state(message_id, "sent")
    assert sent(lab).count("yes?") == 1
    assert_refused(page.call("decide_approval", message_id=message_id, approve=True),
                   "too_late")


def test_a_rejection_passes_its_reason_on(lab: Lab, page: Agent, careful: Agent) -> None:
    message_id = ask(careful, "no?")
    decided = page.call("decide_approval", message_id=message_id, approve=False,
                        reason="not today").structured
    assert (decided["approved"], decided["state"]) == (False, "failed")
    status = careful.call("get_sms_status", history=True, message_id=message_id).structured
    assert status["reason"] == "approval_rejected"
    assert status["changes"][-1]["note"] == "not today"
    assert "no?" not in sent(lab)


def test_the_audit_log_names_the_deciding_client(lab: Lab, page: Agent, careful: Agent, number: str) -> None:
    message_id = ask(careful)
    page.call("decide_approval", message_id=message_id, approve=True)
    careful.wait_state(message_id, "sent")
    lines = map(json.loads, Owner(lab).do("audit", "--json").splitlines())
    [given] = [line for line in lines if line.get("event") == "approval_given"
               and f'"message_id":{message_id}' in json.dumps(line, separators=(",", ":"))]
    assert f"client page{number[1:]}" in json.dumps(given)


def test_a_client_cannot_decide_on_its_own_message(lab: Lab, page: Agent, number: str) -> None:
    """Not even with the scope: another client must approve what this token requested."""
    Owner(lab).do("change", "--ask", "always", f"page{number[1:]}")
    page.wait_states("ready", timeout=10)
    message_id = ask(page, "my own")
    assert waiting(page)[message_id]["own"] is True
    for approve in (True, False):
        assert_refused(page.call("decide_approval", message_id=message_id, approve=approve),
                       "own_message")
    assert page.state(message_id) == "waiting_approval"
    assert "my own" not in sent(lab)
    Owner(lab).do("reject", message_id)


@pytest.mark.parametrize("scopes", [READ | SEND, SEND, ADMIN, SEND | ADMIN])
def test_approval_tools_need_the_admin_scope(lab: Lab, careful: Agent, number: str, scopes: int) -> None:
    message_id = ask(careful)
    other = new_page(lab, f"other{number[1:]}", scopes)
    for name, arguments in (("list_approvals", {}), (
            "decide_approval", {"message_id": message_id, "approve": True})):
        with lab.client() as client:
            client.headers["Authorization"] = f"Bearer {other.token}"
            answer = client.call("tools/call", {"name": name, "arguments": arguments})
        assert answer.result["isError"]
        assert "insufficient_scope" in answer.result["content"][0]["text"]
    assert careful.state(message_id) == "waiting_approval"
    Owner(lab).do("reject", message_id)


def test_deciding_on_a_finished_or_unknown_message_is_refused(lab: Lab, page: Agent, careful: Agent) -> None:
    message_id = ask(careful, "over")
    careful.cancel(message_id)
    assert_refused(page.call("decide_approval", message_id=message_id, approve=True),
                   "too_late")
    assert_refused(page.call("decide_approval", message_id=10**9, approve=True), "not_found")


def test_get_gateway_status_waits_for_the_next_change(lab: Lab, page: Agent, careful: Agent,
                                          background: Any) -> None:
    """get_gateway_status waits for the next change, and misses none between two calls."""
    cursor = page.call("get_gateway_status", detail=True).structured["cursor"]
    waits = background.submit(page.call, "get_gateway_status", detail=True, after=cursor, wait_seconds=60)
    message_id = ask(careful)
    changed = waits.result(30).structured["cursor"]
    assert changed != cursor and message_id in waiting(page)
    Owner(lab).do("reject", message_id)
    later = page.call("get_gateway_status", detail=True, after=changed, wait_seconds=60).structured
    assert later["cursor"] != changed


def test_a_status_wait_without_a_change_times_out(page: Agent) -> None:
    wait_until(lambda: (cursor := page.call("get_gateway_status", detail=True).structured["cursor"]) ==
               page.call("get_gateway_status", detail=True, after=cursor, wait_seconds=1)
               .structured["cursor"], what="nothing changes for a second")


def test_the_status_names_the_calling_client_and_its_scopes(page: Agent, number: str) -> None:
    status = page.call("get_gateway_status", detail=True).structured
    assert status["client"] == f"page{number[1:]}"
    assert status["scopes"] == ["read", "send", "admin"]
