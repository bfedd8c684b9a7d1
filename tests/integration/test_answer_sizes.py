# SPDX-License-Identifier: GPL-2.0-or-later
"""Answers leave a model its context: octets of JSON without spaces, printed and bounded."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import datetime
from typing import Any

from agent import Agent, Result, assert_refused, seconds_ahead
from incoming import receive
from lab import Lab, wait_until
from modem import Outcome, Sim

TEXT = "Are you coming on Friday? We could eat first."     # 45 octets
STRANGER, ANNA = "+36209876543", "+36201234567"
MESSAGE_ADDS, MESSAGE_WITH_MUCH_ADDS = 130, 150
STATUS_MOST, MESSAGE_STATUS_MOST = 700, 250


def octets(value: Any) -> int:
    return len(json.dumps(value, separators=(",", ":"), ensure_ascii=False).encode())


def shown(what: str, size: int, most: int) -> int:
    print(f"{what}: {size} octets of at most {most}")
    return size


# Limits as a new installation has them.
LAB = {"sims": [Sim.numbered(0, contacts=[("Kovács Anna", ANNA)]), Sim.numbered(1)],
       "policy": ""}


def both(result: Result) -> dict[str, Any]:
    """structuredContent, of which the only text block is an exact copy without spaces."""
    [block] = result.raw["content"]
    assert json.loads(block["text"]) == result.structured
    assert len(block["text"].encode()) == octets(result.structured)
    return result.structured


def adds(row: dict[str, Any]) -> int:
    """What a row has besides the text itself; "a text" is its JSON with the quotes."""
    return octets(row) - octets(row["text"]) + 2


def test_a_listed_message_adds_little_to_its_text(lab: Lab, agent: Agent) -> None:
    """Of whatever kind; only three remarks at once, as of the other SIM's failure, need more."""
    wait_until(lambda: agent.call("find_contact", name="anna").structured["contacts"],
               what="Anna is known")
    first, second = agent.ids()
    kinds = {f"received from {sender}": receive(lab, TEXT, sender)
             for sender in (STRANGER, ANNA, "1777", "Telekom")}
    kinds["received with a code"] = receive(lab, "Your login code is 482913", "1777")
    kinds["received with a code, from whom is known, read"] = receive(
        lab, "Your login code is 482913", STRANGER)
    agent.call("mark_sms_read", message_ids=[kinds["received with a code, from whom is known, read"]])
    for name, sim in (("first", first), ("second", second)):
        modem = lab.modems[sim != first]
        kinds[f"sent to a stranger, {name} SIM"] = agent.send(TEXT, sim, to=STRANGER).message_id
        kinds[f"sent to a contact, {name} SIM"] = agent.send(TEXT, sim, to=ANNA).message_id
        kinds[f"scheduled, {name} SIM"] = agent.send(
            TEXT, sim, to=ANNA, send_at=seconds_ahead(3600)).message_id
        modem.plan(Outcome.cms(38))
        kinds[f"failed, {name} SIM"] = agent.send(TEXT, sim, to=ANNA).message_id
    page = both(agent.call("list_sms", limit=len(kinds)))
    rows = {row["message_id"]: row for row in page["messages"]}
    assert page["contacts"] == {ANNA: "Kovács Anna"}
    for kind, message_id in kinds.items():
        row = rows[message_id]
        remarks = row.keys() - {"message_id", "from", "to", "text", "at", "send_at"}
        most = MESSAGE_ADDS if len(remarks) < 3 else MESSAGE_WITH_MUCH_ADDS
        assert shown(f"list_sms, {kind}", adds(row), most) <= most, row
        assert ("from" in row) != ("to" in row) and ("at" in row) != ("send_at" in row)
        assert kind.startswith("received") == ("from" in row)
        if "send_at" in row:
            agent.cancel(message_id)
    assert rows[kinds["failed, first SIM"]]["reason"] == "network_refused"
    assert rows[kinds["received with a code, from whom is known, read"]].items() >= {
        "trust": "known", "read": True, "flags": ["looks_like_code"]}.items()


def test_the_gateway_status_is_short_and_has_the_time(lab: Lab, agent: Agent) -> None:
    status = both(agent.call("get_gateway_status"))
    assert shown("get_gateway_status", octets(status), STATUS_MOST) <= STATUS_MOST
    now = datetime.fromisoformat(status["now"])
    assert now.tzinfo and status["time_zone"] and status["weekday"] == f"{now:%A}"
    assert status["can_send"] is True
    sims = status["sims"]["subscriptions"]
    assert [sim["subscription_id"] for sim in sims] == agent.ids()
    assert all(sim["display_name"] and sim["state"] == "ready" for sim in sims)
    detail = both(agent.call("get_gateway_status", detail=True))
    print(f"get_gateway_status with detail: {octets(detail)} octets")
    assert {"now", "weekday", "time_zone", "policy", "modems", "scopes", "balances"} <= set(detail)
    assert "Numbers of countries other than the SIM's are refused." in detail["policy"]
    for limit in status["limits"]:
        same = [row for row in detail["limits"]
                if row.get("subscription_id", limit["subscription_id"]) ==
                limit["subscription_id"]]
        assert limit["left"] == min(row["left"] for row in same)
    assert [limit["subscription_id"] for limit in status["limits"]] == agent.ids()


def test_the_gateway_status_stays_short_when_much_is_wrong(
        make_lab: Callable[..., Lab]) -> None:
    lab = make_lab(policy="[policy]\nsim_per_minute = 1\n")
    agent = Agent(lab)
    for sim in agent.ids():
        assert not agent.send("one", sim).is_error
    lab.gateway.restart()
    Agent(lab).wait_states("ready", "ready", timeout=10)
    status = both(agent.call("get_gateway_status"))
    assert status["gaps"] and {limit["left"] for limit in status["limits"]} == {0}
    assert "the next one fits at 2" in status["why_not"]
    assert shown("get_gateway_status at its limits", octets(status),
                 STATUS_MOST) <= STATUS_MOST


def test_the_status_of_a_message_is_short(lab: Lab, agent: Agent) -> None:
    sim, modem = agent.ids()[0], lab.modems[0]
    ids = {"sent": agent.send("on its way", sim).message_id,
           "scheduled": agent.send("later", sim, send_at=seconds_ahead(3600)).message_id,
           "received": receive(lab, "hello", ANNA)}
    modem.plan(Outcome.ok(), Outcome.cms(38))
    ids["failed"] = agent.send("x" * 200, sim).message_id
    for state, message_id in ids.items():
        status = both(agent.call("get_sms_status", message_id=message_id))
        assert status["state"] == state and "changes" not in status
        assert shown(f"get_sms_status, {state}", octets(status),
                     MESSAGE_STATUS_MOST) <= MESSAGE_STATUS_MOST
        whole = both(agent.call("get_sms_status", message_id=message_id, history=True))
        assert whole["created_at"] and (whole["changes"] or state == "received")
        assert set(status) <= set(whole)
    agent.cancel(ids["scheduled"])


def test_an_error_says_each_thing_once(agent: Agent) -> None:
    result = agent.send("hello", to="+36301")
    assert_refused(result, "invalid_number", "recipient_not_allowed")
    facts = result.facts
    body = json.dumps(result.raw)
    for said in (facts["code"], facts["message"], facts["fix"]):
        assert body.count(json.dumps(json.dumps(said))[3:-3]) == 1, said
    assert set(result.raw) == {"content", "isError"}
    print(f"an error: {octets(result.raw)} octets")


def test_an_empty_answer_says_since_when_it_would_know(lab: Lab, agent: Agent) -> None:
    nobody = "+36205550000"
    answers = [agent.call("list_sms", phone_number=nobody), agent.call("list_calls"),
               agent.call("wait_for_sms", timeout_seconds=1, **{"from": nobody}),
               agent.call("list_sms", since="1999-01-01T00:00:00Z", limit=100)]
    since = {answer.structured["records_since"] for answer in answers}
    assert len(since) == 1
    [first] = since
    age_s = (datetime.now().astimezone() - datetime.fromisoformat(first)).total_seconds()
    assert 0 <= age_s < 3600
    receive(lab, TEXT, STRANGER)
    complete = agent.call("list_sms", phone_number=STRANGER, since=first, limit=100).structured
    assert complete["messages"] and "records_since" not in complete


def test_an_empty_list_of_conversations_says_since_when(make_lab: Callable[..., Lab]) -> None:
    lab = make_lab(modem_count=1)
    page = Agent(lab).call("list_sms_conversations").structured
    assert page["conversations"] == [] and page["records_since"]
    before = page["records_since"]
    lab.gateway.restart()
    assert Agent(lab).call("list_sms_conversations").structured["records_since"] == before
