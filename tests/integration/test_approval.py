# SPDX-License-Identifier: GPL-2.0-or-later
"""Messages that need approval: by the user in front of the agent, or by the owner."""

from __future__ import annotations

import json
import signal
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import pytest

from agent import (TO, Agent, Result, assert_already_sent, assert_pending, assert_refused, assert_sent,
                   seconds_ahead, taken_texts)
from approving import Owner, new_agent, new_client, set_ask
from asking import READING_S, Legacy, Modern, is_sent, result_of
from events import Events
from journal import Journal
from lab import Lab, wait_until
from legacy_session import asked
from modem import HOME, SEARCHING
from modern import call
from owner import FAILED, OK
from pending import Pending
from task_agent import TaskAgent, told

MakeLab = Callable[..., Lab]
ONE = {"modem_count": 1, "gateway_open": False, "settable_clock": True}


@pytest.fixture
def lab(make_lab: MakeLab) -> Lab:
    """One SIM; every client needs a token."""
    return make_lab(**ONE)


@pytest.fixture
def agent(lab: Lab) -> Agent:
    """Each of its messages needs approval, and it cannot ask its user."""
    return new_agent(lab)


@pytest.fixture
def owner(lab: Lab) -> Owner:
    return Owner(lab)


def reasons(agent: Agent, message_id: int) -> list[tuple[str, str]]:
    changes = agent.call("get_sms_status", history=True, message_id=message_id).structured["changes"]
    return [(change["state"], change.get("reason", "")) for change in changes]


def rows(lab: Lab) -> list[str]:
    return [message.text for message in Journal(lab).messages()]


def audited(lab: Lab) -> list[dict[str, Any]]:
    lines = Journal(lab).ledger.rows("SELECT event, detail FROM audit ORDER BY id")
    return [{"event": line["event"]} | json.loads(line["detail"]) for line in lines]


# ---- the owner

def test_a_waiting_call_returns_when_the_owner_approves(
        lab: Lab, agent: Agent, owner: Owner, background: ThreadPoolExecutor) -> None:
    call = background.submit(agent.send, "please", wait_seconds=60)
    [item] = wait_until(owner.approvals, what="the owner is asked")
    assert item["client"] == "careful" and item["phone_number"] == TO
    assert (item["text"], item["segments"]) == ("please", 1)
    assert item["sim"] == "Telekom HU" and item["subscription_id"] == agent.ids()[0]
    asked_at, until = (datetime.fromisoformat(item[name].replace("Z", "+00:00"))
                       for name in ("asked_at", "until"))
    assert until - asked_at == timedelta(hours=24)
    assert not call.done() and taken_texts(lab) == []
    said = owner.do("approve", item["message_id"])
    assert said.startswith(f"Message {item['message_id']} to {TO} is approved")
    assert_sent(call.result())
    assert taken_texts(lab) == ["please"] and owner.approvals() == []
    assert reasons(agent, item["message_id"])[:3] == [
        ("waiting_approval", ""), ("queued", "approved_by_owner"), ("submitting", "")]


def test_a_waiting_call_returns_when_the_owner_rejects(
        lab: Lab, agent: Agent, owner: Owner, background: ThreadPoolExecutor) -> None:
    call = background.submit(agent.send, "please", wait_seconds=60)
    [message_id] = owner.wait_asked()
    owner.do("reject", message_id, "she is asleep")
    result = call.result()
    assert_refused(result, "approval_rejected")
    assert "she is asleep" in result.text and result.message_id == message_id
    status = agent.call("get_sms_status", history=True, message_id=message_id).structured
    assert (status["state"], status["reason"]) == ("failed", "approval_rejected")
    assert status["changes"][-1]["note"] == "she is asleep"
    assert taken_texts(lab) == []


def test_a_call_that_does_not_wait_returns_waiting_approval(
        lab: Lab, agent: Agent, owner: Owner) -> None:
    result = agent.send("later", wait_seconds=0)
    assert_pending(result, "waiting_approval")
    assert "owner's approval" in result.text
    status = agent.call("get_sms_status", history=True, message_id=result.message_id).structured
    assert status["state"] == "waiting_approval" and not status["final"]
    assert status["approval_until"] in result.text
    assert "owner" in status["meaning"]
    [listed] = agent.call("list_sms").structured["messages"]
    assert listed["state"] == "waiting_approval"
    owner.do("approve", result.message_id)
    agent.wait_state(result.message_id, "sent")
    assert taken_texts(lab) == ["later"]


def test_a_waiting_answer_names_only_tools_that_the_client_has(
        lab: Lab, agent: Agent, owner: Owner) -> None:
    assert "get_sms_status" in agent.send("may read", wait_seconds=0).text
    owner.do("change", "--scope", "send", "careful")
    answer = agent.send("may not", wait_seconds=0)
    assert answer.facts["state"] == "waiting_approval" and "get_sms_status" not in answer.text


def test_no_answer_suggests_to_get_round_the_owners_decision(
        make_lab: Callable[..., Lab]) -> None:
    """An undecided or rejected message is not to be asked for again with another key."""
    lab = make_lab(notices_repeats=True, modem_count=1, gateway_open=False)
    agent, owner = new_agent(lab), Owner(lab)
    waiting = agent.send("may I", wait_seconds=0)
    again = agent.send("may I", wait_seconds=0)
    assert again.message_id == waiting.message_id and "idempotency_key" not in again.text
    lab.token = agent.token or ""
    call = Pending(lab, "send_sms", to_phone_number=TO, sms_text="may I", wait_seconds=60)
    owner.do("reject", waiting.message_id)
    refused = Result(call.result())
    assert_refused(refused, "approval_rejected")
    assert refused.message_id == waiting.message_id and "idempotency_key" not in refused.text


@pytest.mark.parametrize("reject", [False, True])
def test_only_the_first_decision_counts(
        lab: Lab, agent: Agent, owner: Owner, background: ThreadPoolExecutor,
        reject: bool) -> None:
    message_id = agent.send("once", wait_for="none").message_id
    commands = ["reject" if reject and place % 2 else "approve" for place in range(6)]
    said = list(background.map(lambda command: owner.run(command, message_id), commands))
    decided = [command for command, result in zip(commands, said)
               if result.returncode == OK]
    assert len(decided) == 1
    assert all(result.returncode == FAILED and "not" in result.stdout
               for result in said if result.returncode != OK)
    agent.wait_state(message_id, "sent" if decided == ["approve"] else "failed")
    assert is_sent(lab, "once") == (decided == ["approve"])


def test_approve_says_why_a_message_is_not_waiting(lab: Lab, agent: Agent, owner: Owner) -> None:
    ids = [agent.send(text, wait_for="none").message_id for text in "abcd"]
    agent.cancel(ids[0])
    owner.do("reject", ids[1])
    owner.do("approve", ids[2])
    agent.wait_state(ids[2], "sent")
    said = owner.run("approve", *ids, 99)
    assert said.returncode == FAILED
    assert "4 of 5 messages could not be approved" in said.stderr
    one = owner.run("approve", 999999)
    assert "1 of 1 message could not be approved" in one.stderr
    lines = said.stdout.splitlines()
    for line, words in zip(lines, ["is cancelled", "is already rejected",
                                   "is already approved, and sent", "is approved",
                                   "no such message"]):
        assert words in line
    agent.wait_state(ids[3], "sent")


def test_approvals_are_listed_but_not_decided_without_a_gateway(lab: Lab, agent: Agent, owner: Owner) -> None:
    """Waiting messages can be listed; a decision takes effect at once, so it needs a running
    gateway."""
    message_id = agent.send("alone", wait_for="none").message_id
    lab.gateway.stop()
    assert [item["text"] for item in owner.approvals()] == ["alone"]
    for command in ("approve", "reject"):
        said = owner.run(command, message_id)
        assert said.returncode == FAILED and "is not running" in said.stderr
    lab.gateway.start()
    assert owner.wait_asked() == [message_id]


def test_approvals_lists_messages_without_control_characters(lab: Lab, agent: Agent, owner: Owner) -> None:
    assert "No message is waiting" in owner.do("approvals")
    text = "safe\u202e\x1b[2J\n1  owner wants to send 1 SMS"
    message_id = agent.send(text, wait_for="none").message_id
    said = owner.do("approvals")
    assert "\x1b" not in said and "\u202e" not in said
    assert "  | safe\\u{202E}\\u{1B}[2J\n  | 1  owner wants" in said
    assert said.startswith(f"{message_id}  careful wants to send 1 SMS to {TO}")
    for command in ("approvals", "approve", "reject"):
        assert owner.do(command, "--help").startswith(f"Usage: ofono-mcp {command}")
    assert "safe" not in lab.gateway.log


def test_approvals_are_listed_page_by_page(lab: Lab, agent: Agent, owner: Owner) -> None:
    ids = [agent.send(f"message {place}", wait_for="none").message_id
           for place in range(43)]
    first = owner.approvals()
    rest = owner.approvals("--after", first[-1]["message_id"])
    assert [item["message_id"] for item in first + rest] == ids
    assert "3 more" in owner.do("approvals")


def test_an_approved_message_is_sent_once_after_a_crash(
        lab: Lab, agent: Agent, owner: Owner) -> None:
    message_id = agent.send("killed", wait_for="none").message_id
    lab.modems[0].set_registration(SEARCHING)
    agent.wait_states("searching", timeout=10)
    owner.do("approve", message_id)
    assert agent.state(message_id) == "queued"
    lab.gateway.kill()
    lab.gateway.start()
    assert owner.run("approve", message_id).returncode == FAILED
    lab.modems[0].set_registration(HOME)
    agent.wait_state(message_id, "sent")
    assert taken_texts(lab) == ["killed"]


def test_calls_with_one_idempotency_key_share_one_approval(
        lab: Lab, agent: Agent, owner: Owner, background: ThreadPoolExecutor) -> None:
    calls = [background.submit(agent.send, "keyed", idempotency_key="k", wait_seconds=60)
             for _ in range(4)]
    [message_id] = owner.wait_asked()
    again = agent.send("keyed", idempotency_key="k", wait_seconds=0)
    assert_pending(again, "waiting_approval")
    assert (again.message_id, again.structured["replayed"]) == (message_id, True)
    owner.do("approve", message_id)
    results = [call.result() for call in calls]
    for result in results:
        (assert_already_sent if "replayed" in result.facts else assert_sent)(result)
        assert result.message_id == message_id
    assert sum("replayed" in result.facts for result in results) == 3
    assert taken_texts(lab) == ["keyed"]


def test_a_scheduled_message_is_approved_in_advance(
        lab: Lab, agent: Agent, owner: Owner, background: ThreadPoolExecutor) -> None:
    """Approval is requested when the message is accepted; the call reports the approval and
    does not wait any longer."""
    call = background.submit(agent.send, "tomorrow", send_at=seconds_ahead(3600),
                             wait_seconds=60)
    [item] = wait_until(owner.approvals, what="the owner is asked")
    owner.do("approve", item["message_id"])
    result = call.result()
    assert_pending(result, "scheduled")
    status = agent.call("get_sms_status", history=True, message_id=result.message_id).structured
    send_at, expires_at = (datetime.fromisoformat(status[name].replace("Z", "+00:00"))
                           for name in ("send_at", "expires_at"))
    assert expires_at - send_at == timedelta(minutes=10)
    assert item["send_at"] == status["send_at"]


def next_told(events: Events) -> str:
    """The statusMessage of the next notification of a task."""
    while (event := events.next_message()).method != "notifications/tasks":
        pass
    return told(event)["statusMessage"]


def test_a_task_waits_for_approval(lab: Lab, owner: Owner) -> None:
    token = new_client(lab)
    Agent(lab, token).wait_states("ready", timeout=10)
    agent = TaskAgent(lab, token)
    result = agent.send("a task")
    assert result["resultType"] == "task" and result["status"] == "working"
    assert "waits for the owner's approval" in result["statusMessage"]
    [message_id] = owner.wait_asked()
    owner.do("reject", message_id, "no tasks")
    task = agent.get(result["taskId"])
    assert task["status"] == "completed" and task["result"]["isError"]
    assert "no tasks" in task["result"]["content"][0]["text"]
    task_id = agent.begin("another task")
    with agent.listen(task_id) as events:
        assert "owner's approval" in next_told(events)
        owner.do("approve", *owner.wait_asked())
        wait_until(lambda: "accepted by the network" in next_told(events), what="it is sent")
    assert taken_texts(lab) == ["another task"]


def test_a_disconnected_client_cancels_its_approval_request(lab: Lab, owner: Owner) -> None:
    """In 2026 that cancels what was not submitted."""
    token = new_client(lab)
    agent = Agent(lab, token)
    agent.wait_states("ready", timeout=10)
    arguments = {"to_phone_number": TO, "sms_text": "left", "wait_seconds": 60}
    request = call("send_sms", arguments).header(Authorization=f"Bearer {token}")
    request = replace(request, meta_members=request.meta_members | {"progressToken": 1})
    with Events(lab.gateway.port, request.body, **{
            name.replace("-", "_"): value for name, value in request.headers.items()}
            ) as events:
        progress = events.next_message()
        assert progress.method == "notifications/progress"
        assert "waiting for the owner's approval" in progress.message["params"]["message"]
        [message_id] = owner.wait_asked()
    agent.wait_state(message_id, "cancelled")
    assert owner.approvals() == []
    assert reasons(agent, message_id)[-1] == ("cancelled", "client_left")


def test_a_dry_run_says_whether_approval_is_required(lab: Lab, agent: Agent) -> None:
    result = agent.send("dry", dry_run=True)
    assert result.structured["approval"] == "required" and result.structured["would_send"]
    assert "owner's approval" in result.text
    set_ask(lab, "careful", "never")
    assert agent.send("dry", dry_run=True).structured["approval"] == "not_required"
    assert rows(lab) == []


def test_the_audit_log_records_who_decided(lab: Lab, agent: Agent, owner: Owner) -> None:
    ids = [agent.send(text, wait_for="none").message_id for text in ("secret", "words")]
    owner.do("approve", ids[0])
    owner.do("reject", ids[1], "confidential")
    lines = audited(lab)
    found = {(line["event"], line["message_id"]): line for line in lines
             if line["event"].startswith("approval")}
    assert set(found) == {("approval_asked", ids[0]), ("approval_given", ids[0]),
                          ("approval_asked", ids[1]), ("approval_rejected", ids[1])}
    assert found["approval_asked", ids[0]]["client"] == "careful"
    assert "owner" in found["approval_given", ids[0]]["by"]
    assert not any(word in json.dumps(lines) + lab.gateway.log
                   for word in ("secret", "words", "confidential"))


# ---- who needs a yes

def test_only_new_recipients_need_approval_if_so_configured(
        lab: Lab, owner: Owner, background: ThreadPoolExecutor, number: str) -> None:
    agent = new_agent(lab, ask="new-recipients")
    assert_pending(agent.send("unknown", wait_for="none"), "waiting_approval")
    assert_pending(agent.send("still unknown", wait_for="none"), "waiting_approval")
    ids = owner.wait_asked(2)
    owner.do("approve", ids[0])
    agent.wait_state(ids[0], "sent")
    assert_sent(agent.send("known"))
    assert owner.wait_asked() == ids[1:]        # the requests remain
    assert_pending(agent.send("stranger", to=number, wait_for="none"), "waiting_approval")
    lab.modems[0].deliver(number, "write to me")
    wait_until(lambda: len(Journal(lab).ledger.incoming) == 1, what="it came in")
    assert_sent(agent.send("an answer", to=number), to=number)


def test_each_client_has_its_own_approval_setting(lab: Lab, agent: Agent, owner: Owner) -> None:
    assert_sent(new_agent(lab, "trusted", "never").send("free"))
    assert_pending(agent.send("careful", wait_for="none"), "waiting_approval")
    set_ask(lab, "careful", "never")            # from the next request on
    assert_sent(agent.send("trusted now"))
    assert len(owner.approvals()) == 1


# ---- the person in front of the client

class Approval(Modern):
    key = "approval"
    reads = True

    def say(self, send: bool = True, **content: Any) -> Result:
        return self.result(self.repeat(
            {"action": "accept", "content": {"send": send} | content}))


YES = {"action": "accept", "content": {"send": True}}
NO = {"action": "accept", "content": {"send": False}}
EMPTY = {"action": "accept"}


def answer_modern(lab: Lab, token: str, text: str, *answers: Any, after_s: float) -> Result:
    """The result of a call whose questions are answered in turn, each after that time."""
    sending = Approval(lab, text, token=token, wait_for="none")
    sending.reads = False
    sending.question()
    for answer in answers[:-1]:
        lab.clock.sleep(after_s)
        sending.question(requestState=sending.state, inputResponses={"approval": answer})
    lab.clock.sleep(after_s)
    return sending.result(sending.repeat(answers[-1]))


def answer_legacy(lab: Lab, token: str, text: str, *answers: Any, after_s: float,
                  version: str = "2025-11-25") -> Result:
    session = Legacy(lab, version, token=token)
    with session.send(text, wait_for="none") as events:
        for answer in answers:
            question = asked(events)
            lab.clock.sleep(after_s)
            session.answer(question, answer)
        return result_of(events)


def answer_older(lab: Lab, token: str, text: str, *answers: Any, after_s: float) -> Result:
    return answer_legacy(lab, token, text, *answers, after_s=after_s, version="2025-06-18")


ERAS = pytest.mark.parametrize("answer", [answer_modern, answer_legacy, answer_older])


@pytest.fixture
def token(lab: Lab) -> str:
    token = new_client(lab)
    Agent(lab, token).wait_states("ready", timeout=10)
    return token


def test_a_message_is_sent_when_the_user_approves(lab: Lab, token: str, owner: Owner) -> None:
    sending = Approval(lab, "two\nlines\u202e", token=token)
    question = sending.question()
    assert question["message"] == (
        f"careful wants to send a text message to {TO}, from Telekom HU (SIM 1). "
        "It is 1 SMS, and this is its text:\n\ntwo\nlines\\u{202E}")
    assert question["requestedSchema"] == {
        "type": "object", "required": ["send"], "properties": {
            "send": {"type": "boolean", "title": "Yes, send this message"}}}
    assert rows(lab) == [] and owner.approvals() == []
    result = sending.say()
    assert_sent(result)
    agent = Agent(lab, token)
    assert reasons(agent, result.message_id)[0] == ("queued", "approved_by_person")
    created, expires = (datetime.fromisoformat(
        agent.call("get_sms_status", history=True, message_id=result.message_id)
        .structured[name].replace("Z", "+00:00")) for name in ("created_at", "expires_at"))
    assert expires - created == timedelta(minutes=10)
    again = sending.say()                       # the user is asked once: it is the same message
    assert again.structured["replayed"] and again.message_id == result.message_id
    assert len(lab.modems[0].taken) == 1
    wait_until(lambda: "approval_asked" in [line["event"] for line in audited(lab)],
               what="the question is in the audit")
    [accepted] = [line for line in audited(lab) if line["event"] == "send_accepted"]
    assert (accepted["client"], accepted["reason"]) == ("careful", "approved_by_person")


@pytest.mark.parametrize("answer", [NO, {"action": "decline"}])
def test_a_message_is_refused_when_the_user_rejects(
        lab: Lab, token: str, owner: Owner, answer: dict[str, Any]) -> None:
    sending = Approval(lab, "refused", token=token)
    sending.question()
    result = sending.result(sending.repeat(answer))
    assert_refused(result, "approval_rejected")
    assert_refused(sending.say(), "approval_rejected")      # a rejection is final
    lab.gateway.restart()
    Agent(lab, token).wait_states("ready", timeout=10)
    assert_refused(sending.say(), "approval_rejected")
    assert rows(lab) == [] and owner.approvals() == []
    assert "approval_rejected" in [line.get("code") for line in audited(lab)]


def test_one_question_covers_sim_and_approval(make_lab: MakeLab) -> None:
    lab = make_lab(gateway_open=False, settable_clock=True)
    token = new_client(lab)
    agent = Agent(lab, token)
    agent.wait_states("ready", "ready", timeout=10)
    second = agent.ids()[1]
    sending = Approval(lab, "both", token=token)
    question = sending.question()
    assert ", from" not in question["message"]
    assert set(question["requestedSchema"]["properties"]) == {"subscription_id", "send"}
    assert_refused(Approval.result(Approval(lab, "cannot", {}, token).ask()),
                   "subscription_required")
    result = sending.say(subscription_id=str(second))
    assert_sent(result)
    assert result.structured["subscription_id"] == second
    named = Approval(lab, "named", token=token, subscription_id=second)
    assert "from Yettel HU (SIM 2)" in named.question()["message"]


def test_the_user_is_asked_again_when_the_sim_changed(make_lab: MakeLab) -> None:
    """What the user saw has changed, so the user is asked again."""
    lab = make_lab(gateway_open=False, settable_clock=True)
    token = new_client(lab)
    agent = Agent(lab, token)
    agent.wait_states("ready", "ready", timeout=10)
    lab.modems[1].set_registration(SEARCHING)
    agent.wait_states("ready", "searching", timeout=10)
    sending = Approval(lab, "moved", token=token)
    assert "Telekom" in sending.question()["message"]
    lab.modems[0].set_registration(SEARCHING)
    lab.modems[1].set_registration(HOME)
    agent.wait_states("searching", "ready", timeout=10)
    question = sending.question(requestState=sending.state,
                                inputResponses={"approval": YES})
    assert "Yettel" in question["message"]
    assert_sent(sending.say())
    assert [submit.text for submit in lab.modems[1].taken] == ["moved"]


@ERAS
def test_a_user_who_read_the_question_decides(lab: Lab, token: str, answer: Any) -> None:
    for no in (NO, {"action": "decline"}):
        assert_refused(answer(lab, token, "no", no, after_s=READING_S), "approval_rejected")
    assert_refused(answer(lab, token, "no", EMPTY, NO, after_s=READING_S), "approval_rejected")
    assert rows(lab) == []
    yes = answer(lab, token, "yes", {"action": "accept", "content": {}}, YES, after_s=READING_S)
    assert reasons(Agent(lab, token), yes.message_id)[0] == ("queued", "approved_by_person")


@ERAS
def test_an_answer_that_nobody_can_have_read_leaves_the_message_to_the_owner(
        lab: Lab, token: str, owner: Owner, answer: Any) -> None:
    answers = [{"action": "decline"}, {"action": "cancel"}, NO, YES]
    for place, at_once in enumerate(answers):
        assert_pending(answer(lab, token, f"{place}", at_once, after_s=0), "waiting_approval")
    ids = owner.wait_asked(len(answers))
    assert taken_texts(lab) == []
    owner.do("approve", ids[0])
    wait_until(lambda: taken_texts(lab) == ["0"], what="the owner decides")


@ERAS
@pytest.mark.parametrize("answers", [
    [{"action": "cancel"}], [EMPTY, {"action": "cancel"}], [EMPTY, EMPTY],
    [{"action": "accept", "content": None}, {"action": "accept", "content": 5}],
    [{"action": "accept", "content": {"send": None}},
     {"action": "accept", "content": {"send": "yes"}}]], ids=str)
def test_a_question_without_an_answer_leaves_the_message_to_the_owner(
        lab: Lab, token: str, owner: Owner, answer: Any, answers: list[Any]) -> None:
    result = answer(lab, token, "undecided", *answers, after_s=READING_S)
    assert_pending(result, "waiting_approval")
    assert owner.wait_asked() == [result.message_id]
    assert taken_texts(lab) == []


@pytest.mark.parametrize("first", [{"action": "cancel"}, {"action": "decline"}, YES])
def test_a_message_left_to_the_owner_stays_with_the_owner(
        lab: Lab, token: str, owner: Owner, first: Any) -> None:
    """The same question answered once more, now by somebody who read it."""
    sending = Approval(lab, "twice", token=token, wait_for="none")
    sending.question()
    sending.reads = False
    waiting = sending.result(sending.repeat(first))
    assert_pending(waiting, "waiting_approval")
    again = sending.say()
    assert_pending(again, "waiting_approval")
    assert again.message_id == waiting.message_id and again.structured["replayed"]
    lab.clock.sleep(READING_S)
    assert_pending(sending.say(), "waiting_approval")
    assert owner.wait_asked() == [waiting.message_id]
    assert taken_texts(lab) == []


def test_an_unanswered_question_ends_the_call_before_its_host_gives_up(
        lab: Lab, token: str, owner: Owner) -> None:
    """The call does not wait for the owner on top of its 45 s."""
    session = Legacy(lab, token=token)
    with session.send("nobody there") as events:
        question = asked(events)
        lab.clock.sleep(46)
        assert events.next_message().method == "notifications/cancelled"
        result = result_of(events)
    assert_pending(result, "waiting_approval")
    session.answer(question, YES)
    assert owner.wait_asked() == [result.message_id]
    assert taken_texts(lab) == []


@pytest.mark.parametrize("said", [
    {"error": {"code": -32601, "message": "no"}}, {"error": {"code": -1, "message": "timed out"}},
    {"result": {}}, {"result": None}, {"result": {"action": "Decline"}}], ids=str)
def test_a_client_that_cannot_ask_after_all_leaves_the_message_to_the_owner(
        lab: Lab, token: str, owner: Owner, said: dict[str, Any]) -> None:
    session = Legacy(lab, token=token)
    with session.send("cannot ask", wait_for="none") as events:
        question = asked(events)
        lab.clock.sleep(READING_S)
        assert session.say({"id": question.message["id"]} | said).status == 202
        assert_pending(result_of(events), "waiting_approval")
    assert [item["text"] for item in owner.approvals()] == ["cannot ask"]


def test_the_owner_decides_when_the_user_does_not_answer(make_lab: MakeLab) -> None:
    lab = make_lab("elicitation_seconds = 1\n", **ONE)
    token = new_client(lab)
    Agent(lab, token).wait_states("ready", timeout=10)
    with Legacy(lab, token=token).send("slow person") as events:
        asked(events)
        assert events.next_message().method == "notifications/cancelled"
        owner = Owner(lab)
        owner.do("approve", *owner.wait_asked())
        assert_sent(result_of(events))


def test_a_stop_during_the_question_leaves_it_to_the_owner(
        lab: Lab, token: str, owner: Owner, background: ThreadPoolExecutor) -> None:
    with Legacy(lab, token=token).send("stopping") as events:
        asked(events)
        stopped = background.submit(lab.gateway.stop)
        assert_pending(result_of(events), "waiting_approval")
        assert stopped.result() == 0
    lab.gateway.start()
    assert [item["text"] for item in owner.approvals()] == ["stopping"]
    assert taken_texts(lab) == []


def test_the_owner_can_disable_approval_through_agents(make_lab: MakeLab) -> None:
    """Not even a client that claims to have asked can approve."""
    lab = make_lab("[policy]\napprove_through_agent = no\n", **ONE)
    token = new_client(lab)
    agent = Agent(lab, token)
    agent.wait_states("ready", timeout=10)
    sending = Approval(lab, "modern", token=token, wait_for="none")
    assert_pending(Approval.result(sending.ask()), "waiting_approval")
    with Legacy(lab, token=token).send("legacy", wait_for="none") as events:
        assert_pending(Result(json.loads(events.rest())["result"]), "waiting_approval")
    assert taken_texts(lab) == []
    Owner(lab).do("approve", *Owner(lab).wait_asked(2))
    wait_until(lambda: taken_texts(lab) == ["modern", "legacy"], what="both are sent")


def test_a_reload_disables_approval_through_agents(lab: Lab, token: str) -> None:
    sending = Approval(lab, "asked", token=token, wait_for="none")
    sending.question()
    lab.gateway.config += "[policy]\napprove_through_agent = no\n"
    lab.gateway.prepare()
    lab.gateway.send_signal(signal.SIGHUP)
    wait_until(lambda: "approve_through_agent" in lab.gateway.log, what="it is read")
    assert_pending(sending.say(), "waiting_approval")
    assert taken_texts(lab) == []
