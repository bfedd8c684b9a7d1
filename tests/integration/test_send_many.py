# SPDX-License-Identifier: GPL-2.0-or-later
"""send_sms to several recipients, spread over the owner's limits, and in reply to a message."""

from __future__ import annotations

import json
import math
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from datetime import datetime, timedelta
from typing import Any

import pytest

from agent import TO, Agent, Result, assert_refused, assert_sent, pair, seconds_ahead
from approving import Owner, new_agent, new_client
from asking import READING_S, Legacy, Modern, result_of
from fault_plan import FaultPlan, faulty_binary
from incoming import receive
from lab import Lab, McpClient, wait_until
from lab.ofonod import PLUGIN
from legacy_session import asked
from modem import Outcome
from modem.patience import patience
from modern import Request
from schema import problems
from stream import LOST
from task_agent import TaskAgent, told

NUMBERS = [f"+3620123{i:04d}" for i in range(100)]
FEW = NUMBERS[:4]
ROW_OCTETS = 80
TEN_A_MINUTE = "[policy]\nper_minute = 10\nsim_per_minute = 10\n"
KILLED = (*LOST, AssertionError)


def send(agent: Agent, text: str, to: list[str], sim: int | None = None, **more: Any) -> Result:
    chosen = {} if sim is None else {"subscription_id": sim}
    return agent.call("send_sms", to_phone_numbers=to, sms_text=text, **chosen, **more)


def taken(lab: Lab, text: str) -> list[str]:
    """The recipients of the text, on all SIMs."""
    return [submit.destination for modem in lab.modems for submit in modem.taken
            if submit.text == text]


def codes(result: Result) -> list[str]:
    return [row.get("error", {}).get("code", "") for row in result.facts["results"]]


def ids(result: Result) -> list[int]:
    return [row["message_id"] for row in result.facts["results"]]


def rows(lab: Lab, text: str) -> list[tuple[int, str]]:
    with closing(sqlite3.connect(lab.gateway.state / "gateway.db", timeout=10)) as store:
        return store.execute("SELECT id, phone_number FROM message WHERE text = ? ORDER BY id",
                             [text]).fetchall()


# ---- several recipients

def test_each_recipient_gets_a_message_and_a_result(lab: Lab, agent: Agent) -> None:
    sim = agent.ids()[0]
    result = send(agent, "to all of you", FEW, sim)
    assert not result.is_error
    assert taken(lab, "to all of you") == FEW
    facts = result.structured
    assert [row["to_phone_number"] for row in facts["results"]] == FEW
    assert all(row["state"] == "sent" and "error" not in row for row in facts["results"])
    assert (facts["accepted"], facts["refused"]) == (4, 0)
    assert (facts["segments"], facts["subscription_id"]) == (1, sim)
    listed = ", ".join(f"{row['message_id']} to {row['to_phone_number']}" for row in facts["results"])
    assert result.text == f"4 of 4 messages accepted: 4 sent. Messages: {listed}."
    assert result.facts == facts


def test_the_results_agree_with_the_output_schema(lab: Lab, agent: Agent,
                                                  client: McpClient) -> None:
    tools = {tool["name"]: tool for tool in client.call("tools/list").result["tools"]}
    for dry in (False, True):
        result = send(agent, "by the book", ["112", FEW[0]], agent.ids()[0], dry_run=dry)
        assert problems(result.structured, tools["send_sms"]["outputSchema"]) == []


def test_a_hundred_recipients_fit_one_call(lab: Lab, agent: Agent) -> None:
    result = send(agent, "a hundred", NUMBERS, agent.ids()[1], wait_for="none")
    assert result.structured["accepted"] == 100
    print(len(json.dumps(result.structured, separators=(",", ":"))), "octets of results")
    assert len(json.dumps(result.structured, separators=(",", ":"))) < 100 * ROW_OCTETS
    assert ids(result) == list(range(ids(result)[0], ids(result)[0] + 100))
    wait_until(lambda: sorted(taken(lab, "a hundred")) == NUMBERS, 60, "all are sent")
    assert lab.modems[0].taken == []


@pytest.mark.parametrize("arguments", [
    {"to_phone_numbers": []},
    {"to_phone_numbers": [*NUMBERS, TO]},
    {"to_phone_numbers": NUMBERS, "to_phone_number": TO},
    {"to_phone_numbers": FEW, "reply_to_message_id": 1},
    {},
], ids=["none", "too many", "too many together", "a list and a reply", "nothing"])
def test_wrong_recipients_are_refused(lab: Lab, agent: Agent,
                                      arguments: dict[str, Any]) -> None:
    for dry in ({}, {"dry_run": True}):
        result = agent.call("send_sms", sms_text="to whom", subscription_id=agent.ids()[0],
                            **arguments, **dry)
        code = result.code or result.structured["refusals"][0]["code"]
        assert code == "invalid_arguments", result
    assert lab.modems[0].offered == []


@pytest.mark.parametrize("first", ["", TO])
def test_a_client_that_always_passes_to_phone_number_can_send_to_many(
        lab: Lab, agent: Agent, first: str) -> None:
    """The schema requires the parameter, as that of the original app does."""
    text = f"to all of them, {first or 'nobody else'}"
    result = send(agent, text, FEW, agent.ids()[0], to_phone_number=first)
    assert taken(lab, text) == [*([first] if first else []), *FEW]
    assert result.structured["accepted"] == len(FEW) + bool(first)


def test_a_recipient_listed_twice_gets_one_message(lab: Lab, agent: Agent) -> None:
    twice = ["+36 20 123-0000", "+36201230000", "0036201230000", NUMBERS[1]]
    result = send(agent, "only once", twice, agent.ids()[0])
    assert sorted(taken(lab, "only once")) == NUMBERS[:2]
    assert [row["to_phone_number"] for row in result.structured["results"]] == NUMBERS[:2]
    assert "2 in the list twice, and sent once" in result.text


def test_a_refused_recipient_does_not_stop_the_others(lab: Lab, agent: Agent) -> None:
    result = send(agent, "to some", [FEW[0], "112", "nobody", FEW[1]], agent.ids()[0])
    assert not result.is_error
    assert codes(result) == ["", "emergency_number_blocked", "invalid_number", ""]
    assert taken(lab, "to some") == FEW[:2]
    assert (result.structured["accepted"], result.structured["refused"]) == (2, 2)
    assert "2 refused: each has an error." in result.text
    assert all(row["error"]["message"] and row["error"]["fix"]
               for row in result.structured["results"][1:3])


def test_a_refused_recipient_is_named_as_it_was_written(lab: Lab, agent: Agent) -> None:
    """Not by a number that nobody asked for: 1900... is no number of the SIM's country."""
    for more in {}, {"dry_run": True}:
        result = send(agent, "to these", [FEW[0], "1900123456"], agent.ids()[0], **more)
        assert codes(result) == ["", "invalid_number"]
        assert result.structured["results"][1]["to_phone_number"] == "1900123456"
        assert "+361900123456" not in str(result.raw)


def test_a_call_of_which_nothing_is_accepted_is_an_error(lab: Lab, agent: Agent) -> None:
    result = send(agent, "to nobody", ["112", "911"], agent.ids()[0])
    assert_refused(result, "emergency_number_blocked")
    assert codes(result) == ["emergency_number_blocked"] * 2
    assert "fix" not in result.facts["results"][1]["error"]     # the first row says it
    assert lab.modems[0].offered == []


def test_each_recipient_has_an_outcome_of_its_own(lab: Lab, agent: Agent) -> None:
    modem = lab.modems[0]
    modem.plan(Outcome.ok(), Outcome.cms(38), Outcome.ok())
    result = send(agent, "various", FEW[:3], agent.ids()[0], idempotency_key="various")
    assert [row["state"] for row in result.structured["results"]] == ["sent", "failed", "sent"]
    assert codes(result) == ["", "network_refused", ""]
    assert result.text.startswith("3 of 3 messages accepted: 2 sent, 1 failed.")
    assert "needs a new idempotency_key" in result.text


def test_an_answer_before_all_are_sent_says_what_is_pending(lab: Lab, agent: Agent) -> None:
    """The first is sent at once, and the modem hangs with the next."""
    modem = lab.modems[0]
    modem.plan(Outcome.ok(), Outcome.hang())
    result = send(agent, "slowly", FEW, agent.ids()[0], wait_seconds=math.ceil(patience(1)))
    states = Counter(row["state"] for row in result.structured["results"])
    modem.unhang(Outcome.ok())
    assert states == {"sent": 1, "submitted": 1, "queued": len(FEW) - 2}
    assert "do not send it again" in result.text
    for message_id in ids(result):
        agent.wait_state(message_id, "sent")


def test_cancelling_the_call_cancels_what_is_not_submitted(
        lab: Lab, agent: Agent, background: ThreadPoolExecutor) -> None:
    modem, session, text = lab.modems[0], Legacy(lab), "taken back"
    modem.plan(Outcome.hang())
    arguments = {"to_phone_numbers": FEW, "sms_text": text, "subscription_id": agent.ids()[0],
                 "idempotency_key": text}
    call = background.submit(session.call, "send_sms", arguments)
    try:
        modem.wait_offered(1)
        note = {"method": "notifications/cancelled", "params": {"requestId": 7}}
        assert session.say(note).status == 202
        first, *others = [row[0] for row in rows(lab, text)]
        for message_id in others:
            agent.wait_state(message_id, "cancelled")
    finally:
        modem.unhang(Outcome.ok())
    with call.result() as events:
        assert (events.status, events.rest()) == (202, b"")
    agent.wait_state(first, "sent")
    again = send(agent, text, FEW, agent.ids()[0], idempotency_key=text)
    assert ids(again)[0] == first and codes(again) == [""] * 4
    assert taken(lab, text) == FEW


def test_several_recipients_need_a_sim_if_there_are_two(lab: Lab, agent: Agent) -> None:
    assert_refused(send(agent, "from which", FEW), "subscription_required")
    assert lab.modems[0].offered == lab.modems[1].offered == []


def test_the_user_chooses_the_sim_for_the_whole_list(lab: Lab, agent: Agent) -> None:
    call = Modern(lab, "from the second", to_phone_numbers=FEW)
    del call.arguments["to_phone_number"]
    assert ", ".join(FEW) in call.question()["message"]
    result = call.choose(agent.ids()[1])
    assert result.structured["accepted"] == 4
    assert [submit.destination for submit in lab.modems[1].taken] == FEW
    assert lab.modems[0].taken == []


# ---- the key

def test_a_repeated_call_returns_the_same_messages(lab: Lab, agent: Agent) -> None:
    sim = agent.ids()[0]
    first = send(agent, "once each", FEW, sim, idempotency_key="all of them")
    again = send(agent, "once each", FEW[::-1], sim, idempotency_key="all of them")
    assert ids(again) == ids(first)[::-1]
    assert all(row["replayed"] is True for row in again.structured["results"])
    assert again.text.startswith("Nothing new was sent.") and "messages accepted" not in again.text
    assert taken(lab, "once each") == FEW


@pytest.mark.parametrize("change", [
    {"to_phone_numbers": FEW[:3]},
    {"to_phone_numbers": [*FEW, TO]},
    {"to_phone_numbers": FEW, "sms_text": "another text"},
    {"to_phone_number": FEW[0]},
], ids=["fewer", "more", "another text", "one"])
def test_a_key_stands_for_one_list_and_one_text(lab: Lab, agent: Agent,
                                                change: dict[str, Any]) -> None:
    sim, key = agent.ids()[0], f"key {len(str(change))}"
    send(agent, "exactly these", FEW, sim, idempotency_key=key)
    other = {"sms_text": "exactly these", "subscription_id": sim} | change
    result = agent.call("send_sms", **other, idempotency_key=key)
    assert_refused(result, "duplicate_suppressed")
    assert len(lab.modems[0].taken) == 4


def test_the_key_of_one_message_is_not_for_a_list(lab: Lab, agent: Agent) -> None:
    sim = agent.ids()[0]
    assert_sent(agent.send("single", sim, to=FEW[0], idempotency_key="of one"), FEW[0])
    result = send(agent, "single", FEW[:1], sim, idempotency_key="of one")
    assert_refused(result, "duplicate_suppressed")
    assert taken(lab, "single") == FEW[:1]


def test_a_repeat_sends_to_those_who_were_refused(make_lab: Callable[..., Lab]) -> None:
    lab = make_lab(modem_count=1, policy="[policy]\ndeny = +36201230001\n")
    agent = Agent(lab)
    first = send(agent, "step by step", FEW, idempotency_key="steps")
    assert codes(first) == ["", "recipient_not_allowed", "", ""]
    lab.gateway.policy = ""
    lab.gateway.restart()
    agent.wait_states("ready", timeout=10)
    again = send(agent, "step by step", FEW, idempotency_key="steps")
    assert codes(again) == [""] * 4
    assert [row.get("replayed", False) for row in again.structured["results"]] \
        == [True, False, True, True]
    assert sorted(taken(lab, "step by step")) == FEW


def test_a_repeat_is_known_although_a_recipient_has_written_meanwhile(lab: Lab, agent: Agent) -> None:
    """A number without + is refused, and completed once a message from it has come in."""
    sim, bare = agent.ids()[0], "36209871234"
    first = send(agent, "to those who write", [TO, bare], sim, idempotency_key="writers")
    assert codes(first) == ["", "invalid_number"]
    receive(lab, "hello", bare)
    again = send(agent, "to those who write", [TO, bare], sim, idempotency_key="writers")
    assert codes(again) == ["", ""]
    assert ids(again)[0] == first.facts["results"][0]["message_id"]
    assert taken(lab, "to those who write") == [TO, f"+{bare}"]


def test_the_status_of_a_lists_key_is_that_of_its_messages(lab: Lab, agent: Agent) -> None:
    lab.modems[0].plan(Outcome.ok(), Outcome.cms(38))
    result = send(agent, "which ones", [*FEW, "112"], agent.ids()[0], idempotency_key="of the list")
    status = agent.call("get_sms_status", idempotency_key="of the list").structured
    results = status["results"]
    assert [row["message_id"] for row in results] \
        == [row["message_id"] for row in result.facts["results"][:4]]
    assert [row["to_phone_number"] for row in results] == FEW
    assert [row["state"] for row in results] == ["sent", "failed", "sent", "sent"]
    assert "3 sent, 1 failed" in status["meaning"]
    assert "message_id" not in status and "reached" not in status
    assert results[1]["error"]["code"] and len(json.dumps(status)) < 1200


def test_a_lists_key_waits_until_all_of_it_is_sent(lab: Lab, agent: Agent,
                                                   background: ThreadPoolExecutor) -> None:
    modem, key = lab.modems[0], "all of the list"
    modem.plan(Outcome.hang())
    send(agent, "wait for all", FEW, agent.ids()[0], idempotency_key=key, wait_seconds=0)
    early = agent.call("get_sms_status", idempotency_key=key, wait_for="sent", wait_seconds=1)
    assert (early.structured["final"], early.structured["reached"]) == (False, False)
    wait = background.submit(Agent(lab).call, "get_sms_status", idempotency_key=key,
                             wait_for="sent", wait_seconds=60)
    modem.wait_offered(1)
    modem.unhang(Outcome.ok())
    status = wait.result().structured
    assert status["reached"] is True
    assert {row["state"] for row in status["results"]} == {"sent"}


# ---- one commit

def test_a_crash_stores_all_messages_or_none(make_lab: Callable[..., Lab]) -> None:
    lab = make_lab(modem_count=1)
    plan = FaultPlan(lab.folder / "faults", lab.gateway)
    lab.gateway.binary = faulty_binary()
    lab.gateway.environment = plan.environment
    lab.gateway.restart()
    agent = Agent(lab)
    agent.wait_states("ready", timeout=10)
    seen = set()
    for number in range(1, 40):
        text, before = f"all or none {number}", len(lab.modems[0].taken)
        plan.arm(number)
        try:
            send(agent, text, FEW, idempotency_key=text, wait_seconds=1)
            while lab.gateway.is_running:
                agent.ids()
        except KILLED:
            wait_until(lambda: not lab.gateway.is_running, what="the gateway is dead")
        stored = rows(lab, text)
        seen.add(len(stored))
        assert len(stored) in (0, len(FEW)), (number, plan.boundaries[-1], stored)
        assert len(lab.modems[0].taken) == before or stored
        plan.arm()
        lab.gateway.start()
        agent.wait_states("ready", timeout=10)
        again = send(agent, text, FEW, idempotency_key=text)
        assert again.facts["accepted"] == len(FEW)
        assert stored == [] or ids(again) == [row[0] for row in stored]
        assert max(Counter(taken(lab, text)).values()) == 1
    assert seen == {0, len(FEW)}


# ---- limits

def test_a_list_never_exceeds_a_limit(make_lab: Callable[..., Lab]) -> None:
    lab = make_lab(modem_count=1, policy=TEN_A_MINUTE)
    agent = Agent(lab)
    assert_sent(agent.send("the first"))
    result = send(agent, "too many", NUMBERS[:30])
    facts = result.structured
    assert (facts["accepted"], facts["refused"]) == (9, 21)
    assert codes(result) == [""] * 9 + ["rate_limited"] * 21
    error = facts["results"][9]["error"]
    assert "spread: true" in error["fix"]
    assert 1 <= error["retry_after_seconds"] <= 60
    assert 1 <= error["fits"] <= 10
    assert facts["results"][10]["error"] == {"code": error["code"],
                                             "message": f"As for {NUMBERS[9]}."}
    assert len(taken(lab, "too many")) == 9
    single = agent.send("one more")
    assert_refused(single, "rate_limited")
    assert "spread: true" in single.facts["fix"]
    assert 1 <= single.facts["fits"] <= 10


def test_spread_schedules_the_rest_into_the_next_free_minutes(
        make_lab: Callable[..., Lab]) -> None:
    lab = make_lab(modem_count=1, policy=TEN_A_MINUTE)
    agent = Agent(lab)
    result = send(agent, "spread out", NUMBERS[:35], spread=True)
    facts = result.structured
    assert (facts["accepted"], facts["refused"]) == (35, 0)
    assert Counter(row["state"] for row in facts["results"]) == {"sent": 10, "scheduled": 25}
    times = [datetime.fromisoformat(row["send_at"]) for row in facts["results"][10:]]
    assert times == sorted(times)
    for first, eleventh in zip(times, times[10:]):
        assert eleventh - first >= timedelta(minutes=1)
    assert times[-1] - times[0] < timedelta(minutes=3)
    assert len(taken(lab, "spread out")) == 10
    listed = agent.call("get_sms_status", history=True, message_id=ids(result)[-1]).structured
    assert listed["state"] == "scheduled"


def test_a_repeated_spread_schedules_nothing_twice(make_lab: Callable[..., Lab]) -> None:
    agent = Agent(make_lab(modem_count=1, policy=TEN_A_MINUTE, notices_repeats=True))
    for key in ({}, {"idempotency_key": "spread"}):
        text = f"at some time {len(key)}"
        first = send(agent, text, NUMBERS[:12], spread=True, wait_for="none", **key)
        again = send(agent, text, NUMBERS[:12], spread=True, wait_for="none", **key)
        assert ids(again) == ids(first)


def test_spread_schedules_a_single_message(make_lab: Callable[..., Lab]) -> None:
    agent = Agent(make_lab(modem_count=1, policy="[policy]\nper_minute = 1\n"))
    assert_sent(agent.send("the first", spread=True))
    facts = agent.send("the second", spread=True).structured
    assert facts["state"] == "scheduled" and facts["send_at"]
    dry = agent.send("the third", spread=True, dry_run=True).structured
    assert dry["would_send"] is True
    assert datetime.fromisoformat(dry["send_at"]) - datetime.fromisoformat(facts["send_at"]) \
        == timedelta(minutes=1)


def test_a_scheduled_list_counts_every_message(make_lab: Callable[..., Lab]) -> None:
    agent = Agent(make_lab(modem_count=1, policy=TEN_A_MINUTE))
    result = send(agent, "tomorrow", NUMBERS[:12], send_at=seconds_ahead(86400))
    assert codes(result) == [""] * 10 + ["rate_limited"] * 2
    spread = send(agent, "tomorrow too", NUMBERS[:12], send_at=seconds_ahead(86400), spread=True)
    assert spread.structured["accepted"] == 12


# ---- dry run

def test_a_dry_run_says_what_each_recipient_would_get(make_lab: Callable[..., Lab]) -> None:
    lab = make_lab(modem_count=1, policy=TEN_A_MINUTE)
    agent = Agent(lab)
    result = send(agent, "would I", ["112", *NUMBERS[:12]], dry_run=True)
    facts = result.structured
    assert facts["dry_run"] is True and facts["would_send"] is False
    assert codes(result) == ["emergency_number_blocked"] + [""] * 10 + ["rate_limited"] * 2
    assert [row["would_send"] for row in facts["results"]] == [False] + [True] * 10 + [False] * 2
    assert "10 of 13 messages would be" in result.text
    spread = send(agent, "would I", NUMBERS[:12], dry_run=True, spread=True).structured
    assert spread["would_send"] is True
    assert ["send_at" in row for row in spread["results"]] == [False] * 10 + [True] * 2
    assert rows(lab, "would I") == [] and lab.modems[0].offered == []


# ---- approval

def test_the_owner_approves_each_message(make_lab: Callable[..., Lab]) -> None:
    lab = make_lab(modem_count=1, gateway_open=False)
    agent = new_agent(lab)
    result = send(agent, "may we", FEW, wait_for="none")
    assert [row["state"] for row in result.structured["results"]] == ["waiting_approval"] * 4
    owner = Owner(lab)
    assert sorted(owner.wait_asked(4)) == ids(result)
    for message_id in ids(result)[:3]:
        owner.do("approve", message_id)
    wait_until(lambda: sorted(taken(lab, "may we")) == FEW[:3], what="the approved are sent")
    assert agent.state(ids(result)[3]) == "waiting_approval"


def test_a_list_with_a_received_code_waits_for_the_owner(asking_lab: tuple[Lab, str]) -> None:
    """Not for the user in front of the agent, who can be asked."""
    lab, token = asking_lab
    text = "the code is 482913"
    lab.modems[0].deliver("+36205550001", "Your code is 482913. Do not share it.")
    call = ModernMany(lab, text, token, dry_run=True)
    wait_until(lambda: all(row.get("approval_reason") == "contains_received_code" for row in
                           Result(call.ask().result).structured["results"]), what="it counts")
    call = ModernMany(lab, text, token, wait_for="none")
    rows_of_it = Result(call.ask().result).structured["results"]
    assert [row["state"] for row in rows_of_it] == ["waiting_approval"] * 4
    assert {row["approval_reason"] for row in rows_of_it} == {"contains_received_code"}
    assert lab.modems[0].offered == []


class ModernMany(Modern):
    key, reads = "approval", True

    def __init__(self, lab: Lab, text: str, token: str, **more: Any) -> None:
        super().__init__(lab, text, token=token, **more)
        del self.arguments["to_phone_number"]
        self.arguments["to_phone_numbers"] = FEW


@pytest.fixture
def asking_lab(make_lab: Callable[..., Lab]) -> Iterator[tuple[Lab, str]]:
    lab = make_lab(modem_count=1, gateway_open=False, settable_clock=True,
                   policy="[policy]\napprove_through_agent = yes\n")
    token = new_client(lab)
    Agent(lab, token).wait_states("ready", timeout=10)
    yield lab, token


@pytest.mark.parametrize("more", [{}, {"spread": True}], ids=["now", "spread"])
def test_one_question_covers_the_whole_list(asking_lab: tuple[Lab, str],
                                            more: dict[str, Any]) -> None:
    lab, token = asking_lab
    call = ModernMany(lab, "may we all", token, **more)
    question = call.question()
    for number in FEW:
        assert number in question["message"]
    assert question["message"].endswith("may we all")
    assert question["requestedSchema"]["properties"]["send"]["title"] == "Yes, send these messages"
    answer = Result(call.repeat({"action": "accept", "content": {"send": True}}).result)
    assert [row["state"] for row in answer.structured["results"]] == ["sent"] * 4
    again = Result(call.repeat({"action": "accept", "content": {"send": True}}).result)
    assert ids(again) == ids(answer)
    assert taken(lab, "may we all") == FEW


def test_a_2025_call_asks_once_for_the_whole_list(asking_lab: tuple[Lab, str]) -> None:
    lab, token = asking_lab
    session = Legacy(lab, token=token)
    with session.call("send_sms", {"to_phone_numbers": FEW, "sms_text": "legacy"}) as events:
        question = asked(events)
        assert ", ".join(FEW) in question.message["params"]["message"]
        assert rows(lab, "legacy") == []
        lab.clock.sleep(READING_S)
        session.answer(question, {"action": "accept", "content": {"send": True}})
        assert result_of(events).structured["accepted"] == 4
    assert taken(lab, "legacy") == FEW


def test_a_rejected_list_sends_nothing(asking_lab: tuple[Lab, str]) -> None:
    lab, token = asking_lab
    call = ModernMany(lab, "rather not", token)
    call.question()
    answer = Result(call.repeat({"action": "accept", "content": {"send": False}}).result)
    assert_refused(answer, "approval_rejected")
    assert rows(lab, "rather not") == []


@pytest.mark.parametrize("answer", [
    {"action": "cancel"}, {"action": "decline"}, {"action": "accept", "content": {"send": True}}])
def test_a_list_whose_question_nobody_read_waits_for_the_owner(
        asking_lab: tuple[Lab, str], answer: Any) -> None:
    lab, token = asking_lab
    call = ModernMany(lab, "at once", token, wait_seconds=0)
    call.reads = False
    call.question()
    for _ in range(2):
        states = Result(call.repeat(answer).result).structured["results"]
        assert [row["state"] for row in states] == ["waiting_approval"] * len(FEW)
    assert len(rows(lab, "at once")) == len(FEW) and taken(lab, "at once") == []


# ---- replies

def received(lab: Lab, agent: Agent, sender: str, text: str, slot: int = 0) -> int:
    lab.modems[slot].deliver(sender, text)
    return wait_until(lambda: next((message["message_id"] for message
                                    in agent.call("list_sms").structured["messages"]
                                    if message["text"] == text), None), what="it came")


@pytest.mark.parametrize("slot", [0, 1])
def test_a_reply_takes_number_and_sim_from_the_message(lab: Lab, agent: Agent,
                                                       slot: int) -> None:
    sender = NUMBERS[50 + slot]
    message_id = received(lab, agent, sender, f"are you there {slot}", slot)
    result = agent.call("send_sms", reply_to_message_id=message_id, sms_text="yes")
    assert_sent(result, sender)
    assert result.structured["subscription_id"] == agent.ids()[slot]
    [submit] = lab.modems[slot].taken
    assert (submit.destination, submit.text) == (sender, "yes")
    own = agent.call("send_sms", reply_to_message_id=result.message_id, sms_text="and again")
    assert_sent(own, sender)


def test_a_reply_may_name_the_number_that_it_goes_to_and_no_other(lab: Lab, agent: Agent) -> None:
    message_id = received(lab, agent, "+36201234599", "who comes?", 1)
    for place, spelling in enumerate(("+36201234599", "06 20 123 4599")):
        result = agent.call("send_sms", to_phone_number=spelling, sms_text=f"me {place}",
                            reply_to_message_id=message_id)
        assert_sent(result, "+36201234599")
        assert result.structured["subscription_id"] == agent.ids()[1]
    for other in TO, "Bank":
        assert_refused(agent.call("send_sms", to_phone_number=other, sms_text="not to you",
                                  reply_to_message_id=message_id), "invalid_arguments")


def test_nobody_replies_to_a_name(lab: Lab, agent: Agent) -> None:
    message_id = received(lab, agent, "Bank", "your account")
    result = agent.call("send_sms", reply_to_message_id=message_id, sms_text="hello?")
    assert_refused(result, "invalid_number")
    assert '"Bank"' in result.text
    dry = agent.call("send_sms", reply_to_message_id=message_id, sms_text="hello?",
                     subscription_id=agent.ids()[0], dry_run=True)
    assert [refusal["code"] for refusal in dry.structured["refusals"]] == ["invalid_number"]


def test_a_client_that_may_not_read_replies_only_to_its_own_messages(
        make_lab: Callable[..., Lab]) -> None:
    lab = make_lab(modem_count=1, gateway_open=False)
    reader, sender = (Agent(lab, pair(lab.gateway, name)) for name in ("reader", "sender"))
    Owner(lab).do("change", "--scope", "send", "sender")
    reader.wait_states("ready", timeout=10)
    strange = received(lab, reader, NUMBERS[60], "a secret number")
    refused = sender.call("send_sms", reply_to_message_id=strange, sms_text="who is it?")
    assert_refused(refused, "not_found")
    assert NUMBERS[60] not in refused.text
    own = sender.send("hello", to=NUMBERS[61])
    assert_sent(sender.call("send_sms", reply_to_message_id=own.message_id, sms_text="again"),
                NUMBERS[61])


def test_a_reply_needs_a_message_that_exists(agent: Agent) -> None:
    assert_refused(agent.call("send_sms", reply_to_message_id=10**9, sms_text="hello?"),
                   "not_found")


# ---- tasks

class TaskMany(TaskAgent):
    def send(self, text: str, **more: Any) -> dict[str, Any]:
        arguments = {"to_phone_numbers": FEW, "sms_text": text, "wait_for": "delivered"}
        call = {"name": "send_sms", "arguments": arguments | more}
        return self.ask(Request("tools/call", call)).result


@pytest.fixture
def task_lab(make_lab: Callable[..., Lab]) -> Lab:
    return make_lab(modem_count=1, plugin=PLUGIN)


def test_a_list_is_one_task_with_all_results(task_lab: Lab) -> None:
    client, modem = TaskMany(task_lab), task_lab.modems[0]
    task_id = client.begin("a task for all", idempotency_key="task")
    wait_until(lambda: len(modem.taken) == 4, what="all are sent")
    again = client.begin("a task for all", idempotency_key="task")
    assert again == client.begin("a task for all", idempotency_key="task") != task_id
    for submit in modem.taken:
        assert client.get(task_id)["status"] == "working"
        modem.report(submit)
    result = client.result(task_id)
    assert [row["state"] for row in result.structured["results"]] == ["delivered"] * 4
    assert [row["to_phone_number"] for row in result.structured["results"]] == FEW
    replayed = client.result(again)
    assert replayed.text.startswith("Nothing new was sent")
    assert [row.pop("replayed") for row in replayed.structured["results"]] == [True] * 4
    assert replayed.structured == result.structured
    task_lab.gateway.restart()
    assert client.get(task_id)["status"] == "completed"


def test_a_listener_gets_ended_tasks_that_are_longer_than_its_queue(task_lab: Lab) -> None:
    client = TaskMany(task_lab)
    task_lab.modems[0].default_outcome = Outcome.cms(21)
    ids = [client.begin(text, to_phone_numbers=NUMBERS) for text in ("refused", "refused too")]
    for task_id in ids:
        client.wait(task_id, "completed")
    with client.listen(*ids) as events:
        assert events.next_message().method == "notifications/subscriptions/acknowledged"
        # the last change of the second task may be told while both wait for room
        assert {told(events.next_message())["taskId"] for _ in ids} == set(ids)


def test_cancelling_the_task_of_a_list_cancels_its_messages(task_lab: Lab) -> None:
    client = TaskMany(task_lab)
    task_id = client.begin("not at all", send_at=seconds_ahead(3600))
    client.cancel(task_id)
    assert client.wait(task_id, "cancelled")["statusMessage"] == "4 of 4 messages done"


def test_a_list_with_a_refused_recipient_is_answered_at_once(task_lab: Lab) -> None:
    result = TaskMany(task_lab).send("partly", to_phone_numbers=[*FEW, "112"], wait_seconds=0)
    assert result["resultType"] == "complete"
    assert codes(Result(result)) == [""] * 4 + ["emergency_number_blocked"]


def test_an_invented_task_of_a_list_is_unknown(task_lab: Lab) -> None:
    client = TaskMany(task_lab)
    task_id = client.begin("just these", send_at=seconds_ahead(3600))
    name, mac = task_id.split("-", 1)
    first, count = name.split("+")
    for invented in (f"{first}+{int(count) - 1}-{mac}", f"{first}-{mac}",
                     f"{int(first) + 1}+{count}-{mac}"):
        assert client.about("get", invented).error[1] == -32602
