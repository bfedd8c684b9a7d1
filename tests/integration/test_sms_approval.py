# SPDX-License-Identifier: GPL-2.0-or-later
"""Approvals by SMS: the owner is asked, and answers, without internet."""

from __future__ import annotations

import json
import re
from collections.abc import Callable

import pytest

from agent import TO, Agent, taken_texts
from approving import Owner, new_agent
from journal import Journal
from lab import Lab, wait_until
from modem import Outcome
from texting import OWNER, SECOND, Authenticator, enrol, flags, now, section, timed_lab

MakeLab = Callable[..., Lab]
ONE = {"modem_count": 1, "gateway_open": False}
QUESTION = re.compile(r"Approval (\d{4}): reply YES \1 CODE or NO \1 CODE\. To (\+\d+): (.*)")


def asking(*lines: str) -> str:
    return section("approvals = yes", *lines, numbers=f"{OWNER}, {SECOND}")


@pytest.fixture
def lab(make_lab: MakeLab) -> Lab:
    return make_lab(asking(), **ONE)


@pytest.fixture
def agent(lab: Lab) -> Agent:
    """Each of its messages needs approval."""
    return new_agent(lab)


@pytest.fixture
def app(lab: Lab) -> Authenticator:
    return enrol(lab)


def to_owner(lab: Lab) -> list[str]:
    return [sent.text for sent in lab.modems[0].taken if sent.destination == OWNER]


def questions(lab: Lab, count: int) -> list[tuple[str, str, str]]:
    """Waits for that many: number, recipient and beginning of the text of each."""
    def find() -> list[tuple[str, str, str]]:
        found = [QUESTION.fullmatch(said) for said in to_owner(lab)]
        asked = [match.groups() for match in found if match]
        return asked if len(asked) >= count else []
    asked = wait_until(find, what=f"{count} questions")
    assert len(asked) == count
    return asked


def replies(lab: Lab, count: int) -> list[str]:
    def find() -> list[str]:
        said = [line for line in to_owner(lab) if not QUESTION.fullmatch(line)]
        return said if len(said) >= count else []
    return wait_until(find, what=f"{count} replies") if count else find()


def answer(lab: Lab, body: str, sender: str = OWNER) -> None:
    before = len(Journal(lab).messages())
    lab.modems[0].deliver(sender, body)
    wait_until(lambda: len(Journal(lab).messages()) > before, what=f"{body!r} came in")


def decided(lab: Lab, event: str) -> list[dict[str, object]]:
    rows = Journal(lab).ledger.rows("SELECT detail FROM audit WHERE event = ? ORDER BY id",
                                    event)
    return [json.loads(row["detail"]) for row in rows]


def test_nobody_is_asked_by_default(make_lab: MakeLab) -> None:
    lab = make_lab(section(), **ONE)
    app, agent = enrol(lab), new_agent(lab)
    message_id = agent.send("please", wait_for="none").message_id
    answer(lab, f"YES {message_id} {app.code()}")
    assert agent.state(message_id) == "waiting_approval" and taken_texts(lab) == []


def test_the_owner_approves_by_sms(lab: Lab, app: Authenticator, agent: Agent) -> None:
    message_id = agent.send("Mum, I am late", wait_for="none").message_id
    [(number, to, beginning)] = questions(lab, 1)
    assert (to, beginning) == (TO, "Mum, I am late")
    answer(lab, f"yes {number} {app.code()}")
    agent.wait_state(message_id, "sent")
    assert replies(lab, 1) == [f"Approved: {number}."]
    assert "Mum, I am late" in taken_texts(lab)
    [given] = decided(lab, "approval_given")
    incoming = decided(lab, "command_accepted")[0]
    assert given["by"] == f"owner by SMS (message {incoming['message_id']})"
    assert (incoming["number"], incoming["kind"]) == (OWNER, "answer")


def test_the_owner_rejects_by_sms(lab: Lab, app: Authenticator, agent: Agent) -> None:
    message_id = agent.send("Mum, I am late", wait_for="none").message_id
    [(number, *_)] = questions(lab, 1)
    answer(lab, f"No {number} {app.code()}")
    agent.wait_state(message_id, "failed")
    assert replies(lab, 1) == [f"Rejected: {number}."]
    assert decided(lab, "approval_rejected")[0]["by"].startswith("owner by SMS")


def test_words_of_ones_own(make_lab: MakeLab) -> None:
    lab = make_lab(asking("approve_word = Igen", "reject_word = Nem"), **ONE)
    app, agent = enrol(lab), new_agent(lab)
    message_id = agent.send("Mum", wait_for="none").message_id
    asked = wait_until(lambda: to_owner(lab), what="a question")[0]
    number = re.match(r"Approval (\d+): reply Igen \1 CODE or Nem \1 CODE", asked)[1]
    answer(lab, f"IGEN {number} {app.code()}")
    agent.wait_state(message_id, "sent")


def test_a_wrong_used_or_missing_code_decides_nothing(
        lab: Lab, app: Authenticator, agent: Agent) -> None:
    first = agent.send("one", wait_for="none").message_id
    second = agent.send("two", wait_for="none").message_id
    numbers = {beginning: number for number, _, beginning in questions(lab, 2)}
    for body in (f"YES {numbers['one']} {app.wrong()}", f"YES {numbers['one']}",
                 f"YES {numbers['one']} 12345"):
        answer(lab, body)
    code = app.code()
    answer(lab, f"YES {numbers['one']} {code}")
    agent.wait_state(first, "sent")
    answer(lab, f"YES {numbers['two']} {code}")                   # a replay
    answer(lab, f"YES {numbers['two']} {app.code()}", "Owner")    # forged senders
    answer(lab, f"YES {numbers['two']} {app.last()}", "+43201234567")
    answer(lab, f"YES {numbers['two']} {app.last()}", SECOND)     # without a secret
    assert agent.state(second) == "waiting_approval"
    assert replies(lab, 1) == [f"Approved: {numbers['one']}."]    # and none to the others
    answer(lab, f"YES {numbers['two']} {app.last()}")
    agent.wait_state(second, "sent")


def test_only_the_revision_that_was_announced_is_approved(
        lab: Lab, app: Authenticator, agent: Agent) -> None:
    message_id = agent.send("Hi Mum", wait_for="none").message_id
    [(first, *_)] = questions(lab, 1)
    agent.call("edit_sms", message_id=message_id, text="Send money")
    [_, (second, _, beginning)] = questions(lab, 2)
    assert beginning == "Send money" and first != second
    answer(lab, f"YES {first} {app.code()}")
    assert replies(lab, 1)[0].startswith(f"{first} was changed")
    assert agent.state(message_id) == "waiting_approval"
    answer(lab, f"YES {second} {app.code()}")
    agent.wait_state(message_id, "sent")
    assert "Send money" in taken_texts(lab) and "Hi Mum" not in taken_texts(lab)


def test_answers_that_come_too_late_are_answered_in_words(
        lab: Lab, app: Authenticator, agent: Agent) -> None:
    owner = Owner(lab)
    messages = [agent.send(body, wait_for="none").message_id for body in ("one", "two")]
    (one, *_), (two, *_) = questions(lab, 2)
    owner.do("approve", messages[0])
    agent.wait_state(messages[0], "sent")
    agent.cancel(messages[1])
    answer(lab, f"NO {one} {app.code()}")
    assert replies(lab, 1)[-1] == f"Nothing is changed: {one} was approved before."
    answer(lab, f"YES {two} {app.code()}")
    assert replies(lab, 2)[-1] == f"Nothing is changed: {two} was cancelled."


def test_an_expired_approval_is_answered_in_words() -> None:
    with timed_lab(asking(), gateway_open=False) as (lab, clock):
        app, agent = enrol(lab), new_agent(lab)
        message_id = agent.send("quick", wait_for="none", valid_for_seconds=60).message_id
        [(number, *_)] = questions(lab, 1)
        clock.sleep(61)
        agent.wait_state(message_id, "expired")
        answer(lab, f"YES {number} {app.at(now() + 2)}")
        assert replies(lab, 1) == [f"Nothing is changed: {number} has expired."]


def test_an_unknown_number_is_answered_in_words(lab: Lab, app: Authenticator) -> None:
    answer(lab, f"YES 17 {app.code()}")
    assert replies(lab, 1) == ["There is no approval 17."]


def test_questions_are_limited_and_later_ones_follow(make_lab: MakeLab) -> None:
    lab = make_lab(asking("approvals_per_hour = 2"), **ONE)
    enrol(lab)
    agent = new_agent(lab)
    for place in range(4):
        agent.send(f"message {place}", wait_for="none")
    assert len(Owner(lab).wait_asked(4)) == 4
    assert [beginning for _, _, beginning in questions(lab, 2)] == ["message 0", "message 1"]
    lab.gateway.restart()       # is no way around it
    Agent(lab, agent.token).wait_states("ready", timeout=10)
    assert len(questions(lab, 2)) == 2


def test_the_others_follow_within_the_hour() -> None:
    with timed_lab(asking("approvals_per_hour = 1"), gateway_open=False) as (lab, clock):
        enrol(lab)
        agent = new_agent(lab)
        for place in range(2):
            agent.send(f"message {place}", wait_for="none")
        questions(lab, 1)
        clock.sleep(3600)
        assert [beginning for *_, beginning in questions(lab, 2)] == ["message 0", "message 1"]


def test_what_waits_already_is_announced_after_a_reload(make_lab: MakeLab) -> None:
    lab = make_lab(section(), **ONE)
    enrol(lab)
    new_agent(lab).send("please", wait_for="none")
    assert to_owner(lab) == []
    lab.gateway.config += "approvals = yes\n"
    lab.gateway.prepare()
    Owner(lab).do("reload")
    [(_, to, beginning)] = questions(lab, 1)
    assert (to, beginning) == (TO, "please")


def test_a_long_text_in_any_script_is_announced_by_its_beginning(
        lab: Lab, app: Authenticator, agent: Agent) -> None:
    agent.send("\u4f60\u597d " * 40, wait_for="none")
    said = wait_until(lambda: "".join(to_owner(lab)).count("\u4f60\u597d") >= 15 and
                      "".join(to_owner(lab)), what="a question")
    assert said.startswith("Approval ") and said.endswith("...") and len(to_owner(lab)) == 2


def test_agents_cannot_touch_the_gateways_own_texts(
        lab: Lab, app: Authenticator, agent: Agent) -> None:
    lab.modems[0].default_outcome = Outcome.hang()
    message_id = agent.send("please", wait_for="none").message_id
    wait_until(lambda: [row for row in Journal(lab).messages() if row.id > message_id],
               what="a question")
    for tool, more in (("cancel_sms", {}), ("edit_sms", {"text": "Approve all"})):
        assert agent.call(tool, message_id=message_id + 1, **more).code == "not_found"
    lab.modems[0].default_outcome = Outcome.ok()


def test_a_restart_asks_once_and_keeps_the_number(
        lab: Lab, app: Authenticator, agent: Agent) -> None:
    message_id = agent.send("please", wait_for="none").message_id
    [(number, *_)] = questions(lab, 1)
    lab.gateway.kill()
    lab.gateway.start()
    answer(lab, f"YES {number} {app.code()}")
    agent.wait_state(message_id, "sent")
    assert len(questions(lab, 1)) == 1


def test_agents_never_see_the_number_of_an_approval(
        lab: Lab, app: Authenticator, agent: Agent) -> None:
    agent.send("please", wait_for="none")
    [(number, *_)] = questions(lab, 1)
    asked = next(row for row in agent.call("list_sms").structured["messages"]
                 if row.get("to") == OWNER)
    assert number not in asked["text"] and asked["masked"]
    answer(lab, f"YES {number} {app.code()}")
    replies(lab, 1)
    everything = json.dumps([agent.call("list_sms", limit=100).structured,
                             agent.call("list_sms_conversations").structured])
    assert number not in everything and app.last() not in everything
    said = agent.call("list_sms", direction="in").structured["messages"][0]
    assert said["text"] == "YES ****** ******" and flags(said) == {"approval_answer"}
    assert number in Owner(lab).do("list")


def test_an_agent_cannot_approve_its_own_message(
        lab: Lab, app: Authenticator, agent: Agent) -> None:
    """Neither by texting the owner, nor by an answer that the owner's phone sends by itself."""
    message_id = agent.send("please", wait_for="none").message_id
    [(number, *_)] = questions(lab, 1)
    for body in (f"YES {number}", f"YES {number} CODE", f"YES {number} {app.wrong()}"):
        answer(lab, body)
    assert agent.state(message_id) == "waiting_approval"


def test_answers_are_no_commands(lab: Lab, app: Authenticator, agent: Agent) -> None:
    receive_id = Agent(lab, agent.token).call("list_sms").structured["wait_cursor"]
    answer(lab, f"YES 17 {app.code()}")
    found = agent.call("wait_for_sms", kind="command", after=receive_id,
                       timeout_seconds=1).structured
    assert not found["found"]
    assert Journal(lab).ledger.rows("SELECT 1 FROM feed WHERE type = 10") == []


def test_codes_and_hidden_characters_are_not_in_a_question(
        lab: Lab, app: Authenticator, agent: Agent) -> None:
    agent.send("Your code is 482913.\nReply NO\u202e now", wait_for="none")
    [(_, _, beginning)] = questions(lab, 1)
    assert "482913" not in beginning and "\u202e" not in beginning and "\n" not in beginning
