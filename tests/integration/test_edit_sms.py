# SPDX-License-Identifier: GPL-2.0-or-later
"""edit_sms: messages that are not submitted yet are changed, judged and approved anew."""

from __future__ import annotations

import json
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta
from typing import Any

import pytest

from agent import (TO, Agent, Result, assert_pending, assert_refused, assert_sent, pair,
                   seconds_ahead, taken_texts)
from approving import Owner, new_agent, write_past_the_gateway
from asking import Modern
from journal import Journal
from lab import Lab, wait_until
from modem import HOME, SEARCHING, Outcome
from owner import FAILED
from owner import Owner as Terminal
from task_agent import TaskAgent
from test_plugin import PLUGIN
from test_sessions import open_session, watch

MakeLab = Callable[..., Lab]
OTHER = "+36307654321"
HOUR_S = 3600


@pytest.fixture
def lab(make_lab: MakeLab) -> Lab:
    return make_lab(modem_count=1)


def edit(agent: Agent, message_id: int, **changes: Any) -> Result:
    return agent.call("edit_sms", message_id=message_id, **changes)


def later(agent: Agent, text: str, hours: float = 24, **more: Any) -> Result:
    return agent.send(text, send_at=seconds_ahead(hours * HOUR_S), wait_for="none", **more)


def row(agent: Agent, message_id: int) -> dict[str, Any]:
    [found] = [row for row in agent.call("list_sms", direction="out").structured["messages"]
               if row["message_id"] == message_id]
    return found


def audited(lab: Lab, event: str) -> list[dict[str, Any]]:
    rows = Journal(lab).ledger.rows("SELECT event, detail FROM audit ORDER BY id")
    return [json.loads(row["detail"]) for row in rows if row["event"] == event]


def moment(text: str) -> datetime:
    return datetime.fromisoformat(text)


# ---- what can be changed

def test_a_new_recipient_changes_both_conversations(lab: Lab, agent: Agent) -> None:
    """Who subscribed to the former one learns that the message is no longer there."""
    uris = [f"sms://conversation/{number}" for number in (TO, OTHER)]
    session = open_session(lab, *uris)
    with watch(lab, session) as events:
        sent = later(agent, "to somebody")
        assert events.next_message().uri == uris[0]
        assert not edit(agent, sent.message_id, to_phone_number=OTHER).is_error
        assert {events.next_message().uri for _ in uris} == set(uris)
        assert not edit(agent, sent.message_id, text="the same recipient").is_error
        assert events.next_message().uri == uris[1]
        assert events.poll(0.3) is None


def test_text_recipient_and_time_of_a_scheduled_message_change(lab: Lab) -> None:
    agent = Agent(lab)
    sent = later(agent, "see you at 8")
    assert sent.facts["state"] == "scheduled"
    at = seconds_ahead(30 * HOUR_S)
    answer = edit(agent, sent.message_id, text="see you at 9 " + "x" * 160,
                  to_phone_number=OTHER, send_at=at)
    assert answer.text.startswith(f"Message {sent.message_id} is changed.")
    assert answer.structured == answer.facts
    facts = dict(answer.facts)
    assert abs(moment(facts.pop("send_at")) - moment(at)) < timedelta(seconds=1)
    assert facts == {"message_id": sent.message_id, "state": "scheduled",
                     "to_phone_number": OTHER, "segments": 2}
    found = row(agent, sent.message_id)
    assert found["text"].startswith("see you at 9") and found["to"] == OTHER
    status = agent.call("get_sms_status", history=True, message_id=sent.message_id).structured
    assert (status["state"], status["reason"], status["segments"]) == ("scheduled", "edited", 2)
    conversations = agent.call("list_sms_conversations").structured["conversations"]
    assert [(one["phone_number"], one["messages"]) for one in conversations] == [(OTHER, 1)]
    [line] = audited(lab, "send_edited")
    assert (line["message_id"], line["number"], line["segments"], line["state"]) == (
        sent.message_id, OTHER, 2, "scheduled")
    assert "see you" not in json.dumps(line)


def test_what_is_left_out_stays(lab: Lab) -> None:
    agent = Agent(lab)
    sent = later(agent, "one", valid_for_seconds=600)
    answer = edit(agent, sent.message_id, text="two")
    assert answer.facts["send_at"] == sent.facts["send_at"]
    assert answer.facts["expires_at"] == sent.facts["expires_at"]
    assert answer.facts["to_phone_number"] == TO
    assert edit(agent, sent.message_id, to_phone_number=OTHER).facts["to_phone_number"] == OTHER
    assert row(agent, sent.message_id)["text"] == "two"


def test_the_new_version_is_what_goes_out(lab: Lab) -> None:
    agent = Agent(lab)
    sent = later(agent, "old", valid_for_seconds=600)
    answer = edit(agent, sent.message_id, text="new", to_phone_number=OTHER, send_at="now")
    assert answer.facts["state"] == "queued" and "send_at" not in answer.facts
    agent.wait_state(sent.message_id, "sent")
    assert [(submit.destination, submit.text) for submit in lab.modems[0].taken] == [(OTHER, "new")]


def test_the_validity_counts_from_the_new_time(lab: Lab) -> None:
    agent = Agent(lab)
    sent = later(agent, "valid for ten minutes", valid_for_seconds=600)
    answer = edit(agent, sent.message_id, send_at=seconds_ahead(48 * HOUR_S))
    valid = moment(answer.facts["expires_at"]) - moment(answer.facts["send_at"])
    assert valid == timedelta(minutes=10)


def test_a_queued_message_is_edited_and_keeps_its_place(lab: Lab) -> None:
    agent = Agent(lab)
    lab.modems[0].plan(Outcome.hang())
    agent.send("on the air", wait_seconds=1)
    first = agent.send("first", wait_for="none")
    agent.send("second", wait_for="none")
    lab.modems[0].wait_offered(1)
    assert edit(agent, first.message_id, text="first, corrected").facts["state"] == "queued"
    lab.modems[0].unhang(Outcome.ok())
    wait_until(lambda: len(taken_texts(lab)) == 3, what="all are sent")
    assert taken_texts(lab) == ["on the air", "first, corrected", "second"]


def test_a_queued_message_can_be_scheduled(lab: Lab) -> None:
    agent = Agent(lab)
    lab.modems[0].plan(Outcome.hang())
    agent.send("on the air", wait_seconds=1)
    queued = agent.send("tomorrow rather", wait_for="none")
    answer = edit(agent, queued.message_id, send_at=seconds_ahead(24 * HOUR_S))
    assert answer.facts["state"] == "scheduled"
    lab.modems[0].unhang(Outcome.ok())
    assert_sent(agent.send("the next one"))
    assert "tomorrow rather" not in taken_texts(lab)
    listed = agent.call("list_sms", state="scheduled").structured["messages"]
    assert [one["text"] for one in listed] == ["tomorrow rather"]


def test_a_repeated_edit_changes_nothing(lab: Lab) -> None:
    agent = Agent(lab)
    sent = later(agent, "one")
    first = edit(agent, sent.message_id, text="two", to_phone_number="+36 30 7654321")
    again = edit(agent, sent.message_id, text="two", to_phone_number=OTHER)
    assert "like that already" in again.text and again.facts == first.facts
    assert len(audited(lab, "send_edited")) == 1
    assert agent.history(sent.message_id) == ["scheduled", "scheduled"]


# ---- what is refused

@pytest.mark.parametrize("changes, code, word", [
    ({}, "invalid_arguments", "what to change"),
    ({"text": ""}, "invalid_text", "empty"),
    ({"send_at": ""}, "invalid_arguments", "what to change"),
    ({"send_at": "tomorrow"}, "invalid_arguments", "RFC 3339"),
    ({"send_at": "2001-01-01T00:00:00Z"}, "invalid_arguments", "next 30 days"),
    ({"to_phone_number": "nobody"}, "invalid_number", "to_phone_number"),
    ({"to_phone_number": "112"}, "emergency_number_blocked", "emergency"),
    ({"text": "x" * 3000}, "text_too_long", "segments"),
])
def test_a_refused_version_leaves_the_old_one(
        lab: Lab, changes: dict[str, str], code: str, word: str) -> None:
    agent = Agent(lab)
    sent = later(agent, "as it was")
    before = row(agent, sent.message_id)
    refused = edit(agent, sent.message_id, **changes)
    assert_refused(refused, code)
    assert word in refused.text
    assert refused.facts["message"].endswith("Nothing was changed.")
    assert refused.facts["message_id"] == sent.message_id
    assert refused.facts["state"] == "scheduled"
    assert row(agent, sent.message_id) == before
    assert audited(lab, "send_edited") == []


def test_null_is_no_time(lab: Lab) -> None:
    """Clients write null for what they leave out: it must not send the message at once."""
    agent = Agent(lab)
    sent = later(agent, "as it was")
    refused = edit(agent, sent.message_id, send_at=None)
    assert refused.code == "invalid_arguments" and "send_at" in refused.facts["message"]
    assert agent.state(sent.message_id) == "scheduled"


def test_policy_is_asked_anew(make_lab: MakeLab) -> None:
    lab = make_lab(f"[policy]\ndeny = {OTHER}\n", modem_count=1)
    agent = Agent(lab)
    sent = later(agent, "not to everybody")
    assert_refused(edit(agent, sent.message_id, to_phone_number=OTHER), "recipient_not_allowed")
    lab.modems[0].deliver(TO, "STOP")
    agent.wait_state(sent.message_id, "cancelled")
    again = later(agent, "to somebody else", to="+36301111111")
    assert_refused(edit(agent, again.message_id, to_phone_number=TO), "recipient_opted_out")
    assert row(agent, again.message_id)["to"] == "+36301111111"


def test_a_sent_message_is_too_late_to_edit(lab: Lab) -> None:
    agent = Agent(lab)
    lab.modems[0].plan(Outcome.hang())
    sent = agent.send("on the air", wait_seconds=1)
    lab.modems[0].wait_offered(1)
    late = edit(agent, sent.message_id, text="too late")
    assert_refused(late, "too_late")
    assert late.facts["state"] == "submitted" and "cancel" not in late.text
    lab.modems[0].unhang(Outcome.ok())
    agent.wait_state(sent.message_id, "sent")
    late = edit(agent, sent.message_id, text="too late")
    assert late.code == "too_late" and "was already sent" in late.text
    cancelled = later(agent, "never mind")
    agent.cancel(cancelled.message_id)
    assert "is cancelled" in edit(agent, cancelled.message_id, text="too late").text


def test_a_client_can_edit_only_its_own_messages(make_lab: MakeLab) -> None:
    lab = make_lab(modem_count=1, gateway_open=False)
    one, two = (Agent(lab, pair(lab.gateway, name)) for name in ("one", "two"))
    one.wait_states("ready", timeout=10)
    sent = later(one, "mine")
    foreign = edit(two, sent.message_id, text="yours")
    assert_refused(foreign, "not_found")
    missing = edit(two, 999, text="yours")
    assert foreign.text == missing.text.replace("999", str(sent.message_id))
    assert row(one, sent.message_id)["text"] == "mine"


def test_an_edit_races_with_submitting_and_one_version_goes_out(lab: Lab) -> None:
    """Each message is edited while the gateway submits it: the answer says which it was."""
    agent = Agent(lab)
    with ThreadPoolExecutor(2) as pool:
        for place in range(20):
            sent = agent.send(f"old {place}", wait_for="none")
            answer = pool.submit(edit, agent, sent.message_id, text=f"new {place}").result()
            agent.wait_state(sent.message_id, "sent")
            wanted = f"old {place}" if answer.is_error else f"new {place}"
            assert answer.code in ("", "too_late")
            assert taken_texts(lab)[-1] == wanted and len(taken_texts(lab)) == place + 1
            assert row(agent, sent.message_id)["text"] == wanted


# ---- limits

def test_an_edited_message_counts_once(make_lab: MakeLab) -> None:
    lab = make_lab(modem_count=1, policy="[policy]\nper_hour = 2\nsegments_per_month = 3\n")
    agent = Agent(lab)
    one = later(agent, "one", hours=24)
    later(agent, "two", hours=24.5)
    for hours in (24.1, 24.2, 24.3):
        assert not edit(agent, one.message_id, send_at=seconds_ahead(hours * HOUR_S),
                        text=f"in {hours} hours").is_error
    assert not edit(agent, one.message_id, text="x" * 161).is_error
    refused = edit(agent, one.message_id, text="x" * 320)
    assert_refused(refused, "budget_exhausted")
    assert not edit(agent, one.message_id, text="short again").is_error
    assert_refused(later(agent, "three", hours=24.4), "rate_limited")


def test_the_rate_of_the_new_time_counts(make_lab: MakeLab) -> None:
    lab = make_lab(modem_count=1, policy="[policy]\nsim_per_minute = 1\n")
    agent = Agent(lab)
    later(agent, "one", hours=24)
    two = later(agent, "two", hours=48)
    taken = row(agent, later(agent, "three", hours=72).message_id)["send_at"]
    assert_refused(edit(agent, two.message_id, send_at=taken), "rate_limited")
    assert not edit(agent, two.message_id, send_at=seconds_ahead(96 * HOUR_S)).is_error
    assert not later(agent, "into the free minute", hours=48).is_error


def test_a_message_can_be_edited_only_so_often(lab: Lab) -> None:
    agent = Agent(lab)
    sent = later(agent, "version 0")
    for version in range(1, 51):
        assert not edit(agent, sent.message_id, text=f"version {version}").is_error
    refused = edit(agent, sent.message_id, text="once more")
    assert_refused(refused, "invalid_arguments")
    assert "too often" in refused.text
    assert row(agent, sent.message_id)["text"] == "version 50"


# ---- approval

def test_an_approval_of_the_old_text_is_void(make_lab: MakeLab) -> None:
    lab = make_lab(modem_count=1, gateway_open=False)
    agent, owner = new_agent(lab), Owner(lab)
    sent = later(agent, "harmless", hours=0.05)
    owner.do("approve", sent.message_id)
    assert agent.state(sent.message_id) == "scheduled"
    answer = edit(agent, sent.message_id, text="something else", send_at="now")
    assert answer.facts["state"] == "waiting_approval"
    assert "owner's approval" in answer.text
    [item] = owner.approvals()
    assert (item["text"], item["revision"]) == ("something else", 1)
    assert taken_texts(lab) == []
    owner.do("approve", f"{sent.message_id}.1")
    agent.wait_state(sent.message_id, "sent")
    assert taken_texts(lab) == ["something else"]


def test_the_owner_approves_only_what_they_read(make_lab: MakeLab) -> None:
    """The agent edits the message between the owner's two commands."""
    lab = make_lab(modem_count=1, gateway_open=False)
    agent, owner = new_agent(lab), Owner(lab)
    sent = agent.send("harmless", wait_for="none")
    [item] = owner.approvals()
    assert "revision" not in item
    assert edit(agent, sent.message_id, text="not harmless").facts["state"] == "waiting_approval"
    for name in (sent.message_id, f"{sent.message_id}.0", f"{sent.message_id}.2"):
        said = owner.run("approve", name)
        assert said.returncode == FAILED and "the agent has changed it" in said.stdout
    assert agent.state(sent.message_id) == "waiting_approval" and taken_texts(lab) == []
    assert f"{sent.message_id}.1  careful wants" in owner.do("approvals")
    owner.do("reject", sent.message_id, "No.")
    assert agent.state(sent.message_id) == "failed"


def test_a_page_approves_only_what_it_showed(make_lab: MakeLab) -> None:
    lab = make_lab(modem_count=1, gateway_open=False)
    agent = new_agent(lab)
    page = Agent(lab, pair(lab.gateway, "page"))
    Terminal(lab.gateway.state).do("change", "--scope", "read,admin", "page")
    sent = agent.send("harmless", wait_for="none")
    edit(agent, sent.message_id, text="not harmless")
    [waiting] = page.call("list_approvals").structured["approvals"]
    assert (waiting["revision"], waiting["text"]) == (1, "not harmless")
    decide = {"message_id": sent.message_id, "approve": True}
    assert_refused(page.call("decide_approval", **decide), "too_late")
    assert page.call("decide_approval", revision=1, **decide).structured["approved"]
    agent.wait_state(sent.message_id, "sent")


def test_a_new_recipient_needs_approval(make_lab: MakeLab) -> None:
    lab = make_lab(modem_count=1, gateway_open=False)
    agent, owner = new_agent(lab, ask="new-recipients"), Owner(lab)
    lab.modems[0].deliver(TO, "hello")
    wait_until(lambda: agent.call("list_sms").structured["count"], what="it came in")
    sent = later(agent, "to somebody known")
    assert sent.facts["state"] == "scheduled"
    assert edit(agent, sent.message_id, text="still").facts["state"] == "scheduled"
    moved = edit(agent, sent.message_id, to_phone_number=OTHER)
    assert moved.facts["state"] == "waiting_approval"
    assert [item["phone_number"] for item in owner.approvals()] == [OTHER]
    back = edit(agent, sent.message_id, to_phone_number=TO)
    assert back.facts["state"] == "scheduled" and owner.approvals() == []


def test_the_time_to_approve_begins_with_the_edit(make_lab: MakeLab) -> None:
    lab = make_lab(modem_count=1, gateway_open=False)
    agent, owner = new_agent(lab), Owner(lab)
    sent = later(agent, "in ten days", hours=240)
    owner.do("approve", sent.message_id)
    lab.gateway.stop()
    write_past_the_gateway(lab, "UPDATE message SET created = created - 172800000,"
                           " created_boot = created_boot - 172800000")
    lab.gateway.start()
    agent.wait_states("ready", timeout=10)
    assert edit(agent, sent.message_id, text="anew").facts["state"] == "waiting_approval"
    lab.gateway.restart()
    agent.wait_states("ready", timeout=10)
    assert agent.state(sent.message_id) == "waiting_approval"
    [item] = owner.approvals()
    left = moment(item["until"]) - datetime.now().astimezone()
    assert timedelta(hours=23) < left <= timedelta(hours=24)


class EditQuestion(Modern):
    tool, key, reads = "edit_sms", "approval", True

    def __init__(self, lab: Lab, token: str | None, message_id: int, **changes: Any) -> None:
        super().__init__(lab, "", token=token)
        self.arguments = {"message_id": message_id} | changes


def test_the_user_approves_the_new_version_in_a_form(make_lab: MakeLab) -> None:
    lab = make_lab(modem_count=1, gateway_open=False, settable_clock=True)
    agent = new_agent(lab)
    sent = later(agent, "old")
    question = EditQuestion(lab, agent.token, sent.message_id, text="new", send_at="now")
    asked = question.question()["message"]
    assert f"change message {sent.message_id}" in asked and asked.endswith("new")
    declined = question.repeat({"action": "accept", "content": {"send": False}})
    assert question.result(declined).code == "approval_rejected"
    assert row(agent, sent.message_id)["text"] == "old"
    question = EditQuestion(lab, agent.token, sent.message_id, text="newer", send_at="now")
    question.question()
    answer = question.result(question.repeat({"action": "accept", "content": {"send": True}}))
    assert answer.facts["state"] == "queued"
    agent.wait_state(sent.message_id, "sent")
    assert taken_texts(lab) == ["newer"]


@pytest.mark.parametrize("answer", [
    {"action": "cancel"}, {"action": "accept", "content": {"send": True}}])
def test_a_new_version_whose_question_nobody_read_waits_for_the_owner(
        make_lab: MakeLab, answer: Any) -> None:
    lab = make_lab(modem_count=1, gateway_open=False)
    agent = new_agent(lab)
    sent = later(agent, "old")
    question = EditQuestion(lab, agent.token, sent.message_id, text="new")
    question.reads = False
    question.question()
    for _ in range(2):
        result = question.result(question.repeat(answer))
        assert result.facts["state"] == "waiting_approval"
    assert row(agent, sent.message_id)["text"] == "new"


# ---- the call that had it accepted

def test_a_waiting_call_answers_about_the_new_version(
        lab: Lab, background: ThreadPoolExecutor) -> None:
    agent = Agent(lab)
    lab.modems[0].plan(Outcome.hang())
    agent.send("on the air", wait_seconds=1)
    call = background.submit(agent.send, "old", wait_seconds=60)
    queued = wait_until(lambda: [one for one in Journal(lab).messages() if one.text == "old"],
                        what="it is queued")[0]
    assert not edit(agent, queued.id, text="new", to_phone_number=OTHER).is_error
    lab.modems[0].unhang(Outcome.ok())
    assert_sent(call.result(), OTHER)
    assert call.result().facts["to_phone_number"] == OTHER


def test_a_waiting_call_answers_when_its_message_is_scheduled(
        lab: Lab, background: ThreadPoolExecutor) -> None:
    agent = Agent(lab)
    lab.modems[0].set_registration(SEARCHING)
    agent.wait_states("searching", timeout=10)
    lab.modems[0].set_registration(HOME)
    agent.wait_states("ready", timeout=10)
    lab.modems[0].plan(Outcome.hang())
    agent.send("on the air", wait_seconds=1)
    call = background.submit(agent.send, "old", wait_seconds=60)
    queued = wait_until(lambda: [one for one in Journal(lab).messages() if one.text == "old"],
                        what="it is queued")[0]
    at = edit(agent, queued.id, send_at=seconds_ahead(HOUR_S)).facts["send_at"]
    assert_pending(call.result(), "scheduled")
    assert call.result().facts["send_at"] == at
    lab.modems[0].unhang(Outcome.ok())


def test_a_call_to_several_recipients_answers_about_the_new_version(
        lab: Lab, background: ThreadPoolExecutor) -> None:
    agent = Agent(lab)
    lab.modems[0].plan(Outcome.hang())
    agent.send("on the air", wait_seconds=1)
    call = background.submit(agent.call, "send_sms", to_phone_numbers=[TO, "+36301111111"],
                             sms_text="old", wait_seconds=60)
    queued = wait_until(lambda: [one for one in Journal(lab).messages() if one.text == "old"],
                        what="they are queued")[0]
    assert not edit(agent, queued.id, to_phone_number=OTHER).is_error
    lab.modems[0].unhang(Outcome.ok())
    rows = call.result().facts["results"]
    assert [(row["to_phone_number"], row["state"]) for row in rows] == [
        (OTHER, "sent"), ("+36301111111", "sent")]


def test_the_key_still_names_the_message(lab: Lab) -> None:
    agent = Agent(lab)
    sent = later(agent, "old", idempotency_key="k")
    edit(agent, sent.message_id, text="new", to_phone_number=OTHER)
    for text, to in (("old", TO), ("new", OTHER)):
        again = agent.send(text, to=to, idempotency_key="k")
        assert (again.message_id, again.facts["replayed"]) == (sent.message_id, True)
        assert again.facts["to_phone_number"] == OTHER and OTHER in again.text
    assert_refused(agent.send("another", idempotency_key="k"), "duplicate_suppressed")
    assert_refused(agent.send("old", to=OTHER, idempotency_key="k"), "duplicate_suppressed")
    assert len(Journal(lab).messages()) == 1


def test_the_task_of_the_message_follows(make_lab: MakeLab) -> None:
    lab = make_lab(modem_count=1, plugin=PLUGIN)
    tasks, agent = TaskAgent(lab), Agent(lab)
    task_id = tasks.begin("old", send_at=seconds_ahead(24 * HOUR_S))
    sent = agent.call("list_sms", state="scheduled").structured["messages"][0]
    before = tasks.get(task_id)
    with tasks.listen(task_id) as events:
        edit(agent, sent["message_id"], text="new", to_phone_number=OTHER, send_at="now")
        assert events.next().method
    agent.wait_state(sent["message_id"], "sent")
    [submit] = lab.modems[0].taken
    lab.modems[0].report(submit)
    result = tasks.result(task_id)
    assert result.text.startswith(f"SMS delivered to {OTHER}" + " (message ")
    assert result.facts["to_phone_number"] == OTHER
    assert tasks.get(task_id)["lastUpdatedAt"] >= before["lastUpdatedAt"]


# ---- crashes

def test_an_edit_cannot_bring_in_a_received_code(make_lab: MakeLab) -> None:
    """Neither the client's setting nor the owner's approval of the old text covers it."""
    lab = make_lab(modem_count=1, gateway_open=False)
    agent, owner = new_agent(lab, ask="never"), Owner(lab)
    lab.modems[0].deliver("Bank", "Your code is 493817. Never share it.")
    wait_until(lambda: agent.call("list_sms").structured["count"], what="it came in")
    sent = later(agent, "harmless")
    answer = edit(agent, sent.message_id, text="It is 4 9 3 8 1 7", send_at="now")
    assert answer.facts["state"] == "waiting_approval", answer
    owner.do("approve", f"{sent.message_id}.1")
    agent.wait_state(sent.message_id, "sent")
