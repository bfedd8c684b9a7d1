# SPDX-License-Identifier: GPL-2.0-or-later
"""The user chooses the SIM to send from: in 2026 by a repeated call, in 2025 while the call
waits."""

from __future__ import annotations

import base64
import json
import subprocess
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

import pytest

from agent import TO, Agent, Result, assert_already_sent, assert_refused, assert_sent, pair
from asking import KEY, Legacy, Modern, accept, is_sent, plain_result, result_of
from events import Event
from lab import Lab, wait_until
from legacy_session import FORMS, asked
from lone_gateway import peers_of
from modem import HOME, SEARCHING, Outcome
from modern import INVALID_PARAMS, Request, call
from wire import Wire


@contextmanager
def searching(lab: Lab, place: int) -> Iterator[None]:
    """That SIM cannot send meanwhile."""
    agent, modem = Agent(lab), lab.modems[place]
    modem.set_registration(SEARCHING)
    try:
        wait_until(lambda: agent.states()[place] == "searching", what="it searches")
        yield
    finally:
        modem.set_registration(HOME)
        wait_until(lambda: agent.states()[place] == "ready", what="it is back")


def newest(agent: Agent) -> int:
    page = agent.call("list_sms", limit=1).structured["messages"]
    return page[0]["message_id"] if page else 0


# ---- 2026-07-28: the call is repeated

def assert_declined(lab: Lab, result: Result) -> None:
    """The answer lists the SIMs, so that the agent can name one."""
    assert_refused(result, "asking_declined")
    for sim in Agent(lab).ids():
        assert f"subscription_id {sim}" in result.text


def test_a_message_is_sent_from_the_chosen_sim(lab: Lab, agent: Agent) -> None:
    first, second = agent.ids()
    sending = Modern(lab, "ask me")
    question = sending.question()
    assert TO in question["message"]
    assert question["requestedSchema"] == {
        "type": "object", "required": ["subscription_id"],
        "properties": {"subscription_id": {"type": "string", "title": "SIM", "oneOf": [
            {"const": str(first), "title": "Telekom HU (SIM 1)"},
            {"const": str(second), "title": "Yettel HU (SIM 2)"}]}}}
    assert is_sent(lab, "ask me") == 0
    result = sending.choose(second)
    assert_sent(result)
    assert result.structured["subscription_id"] == second
    assert "replayed" not in result.structured
    assert [submit.text for submit in lab.modems[1].taken] == ["ask me"]
    assert lab.modems[0].taken == []


@pytest.mark.parametrize("capabilities", [
    {}, {"elicitation": {"url": {}}}, {"sampling": {}}, {"elicitation": {"form": None}}])
def test_a_client_without_elicitation_gets_the_choices(lab: Lab, agent: Agent, capabilities: Any) -> None:
    result = Modern.result(Modern(lab, "cannot ask", capabilities).ask())
    assert_refused(result, "subscription_required")
    assert all(str(sim) in result.text for sim in agent.ids())


@pytest.mark.parametrize("capabilities", [
    {"elicitation": {"form": {}}}, {"elicitation": {"form": {}, "url": {}}}])
def test_a_client_that_declares_form_mode_is_asked(lab: Lab, capabilities: Any) -> None:
    Modern(lab, "form", capabilities).question()


def test_no_question_is_asked_without_a_choice(lab: Lab, agent: Agent) -> None:
    first, second = agent.ids()
    named = Modern(lab, "named", subscription_id=second)
    assert_sent(Modern.result(named.ask()))
    with searching(lab, 1):
        only = Modern.result(Modern(lab, "only one can").ask())
    assert_sent(only)
    assert only.structured["subscription_id"] == first


def test_a_dry_run_does_not_ask(lab: Lab) -> None:
    result = Modern.result(Modern(lab, "dry", dry_run=True).ask())
    assert [why["code"] for why in result.structured["refusals"]] == ["subscription_required"]


def test_other_refusals_come_before_the_question(lab: Lab) -> None:
    result = Modern.result(Modern(lab, "x" * 2000).ask())
    assert_refused(result, "text_too_long")


@pytest.mark.parametrize("action", ["decline", "cancel"])
def test_a_declined_question_stays_declined(lab: Lab, agent: Agent, action: str) -> None:
    text = f"no: {action}"
    sending = Modern(lab, text)
    sending.question()
    assert_declined(lab, Modern.result(sending.repeat({"action": action})))
    assert_declined(lab, sending.choose(agent.ids()[0]))
    lab.gateway.restart()
    wait_until(lambda: agent.states() == ["ready", "ready"], what="the SIMs are back")
    assert_declined(lab, sending.choose(agent.ids()[0]))
    assert is_sent(lab, text) == 0
    named = Modern(lab, text, subscription_id=agent.ids()[0])
    assert_sent(Modern.result(named.ask()))


@pytest.mark.parametrize("response", [
    None, {"action": "accept"}, {"action": "accept", "content": None},
    {"action": "accept", "content": {}}, {"action": "accept", "content": 5},
    accept(99), accept(""), {"action": "accept", "content": {"subscription_id": 1}},
    {"action": "accept", "content": {"subscription_id": None}},
    {"action": "accept", "content": {"subscription_id": ["1"]}}])
def test_an_invalid_answer_repeats_the_question(lab: Lab, agent: Agent, response: Any) -> None:
    sending = Modern(lab, f"again {json.dumps(response)}")
    sending.question()
    before = sending.state
    sending.question(requestState=sending.state, inputResponses={KEY: response})
    assert_sent(sending.choose(agent.ids()[1]))
    sending.state = before                  # the state of an earlier round of the same order
    assert sending.choose(agent.ids()[0]).structured["replayed"]
    assert is_sent(lab, sending.arguments["sms_text"]) == 1


@pytest.mark.parametrize("params", [
    {}, {"inputResponses": None}, {"inputResponses": {}},
    {"inputResponses": {"another": {"action": "accept"}}}])
def test_a_state_without_answers_repeats_the_question(lab: Lab, agent: Agent, params: Any) -> None:
    sending = Modern(lab, f"empty {json.dumps(params)}")
    sending.question()
    sending.question(requestState=sending.state, **params)
    assert_sent(sending.choose(agent.ids()[0]))


def test_unknown_answer_keys_are_ignored(lab: Lab, agent: Agent) -> None:
    sending = Modern(lab, "more keys")
    sending.question()
    chosen = accept(agent.ids()[0])
    chosen["content"]["more"] = {"than": "asked"}
    reply = sending.repeat(None, inputResponses={
        "another": 5, "third": {"action": "decline"}, KEY: chosen, "fourth": None})
    assert_sent(Modern.result(reply))


@pytest.mark.parametrize("responses", [
    5, "x", [], {KEY: 5}, {KEY: "accept"}, {KEY: {}}, {KEY: {"action": "maybe"}},
    {KEY: {"action": 1}}, {KEY: []}])
def test_malformed_responses_are_invalid_params(lab: Lab, responses: Any) -> None:
    sending = Modern(lab, "malformed")
    sending.question()
    reply = sending.repeat(None, inputResponses=responses)
    assert reply.error == (200, INVALID_PARAMS)
    assert is_sent(lab, "malformed") == 0


def test_answers_without_a_state_are_ignored(lab: Lab, agent: Agent) -> None:
    sending = Modern(lab, "no state")
    sending.question(inputResponses={KEY: accept(agent.ids()[0])})
    sending.question(inputResponses={KEY: accept(agent.ids()[0])}, requestState=None)


@pytest.mark.parametrize("change", [
    {"to_phone_number": "+36301234568"}, {"sms_text": "another text"},
    {"idempotency_key": "k"}, {"wait_for": "none"}, {"subscription_id": 1}])
def test_a_state_is_valid_for_its_arguments_only(lab: Lab, agent: Agent, change: Any) -> None:
    sending = Modern(lab, "these arguments")
    sending.question()
    sending.arguments |= change
    assert sending.repeat(accept(agent.ids()[0])).error == (200, INVALID_PARAMS)


def test_a_state_is_bound_to_its_tool_but_not_to_key_order(lab: Lab, agent: Agent) -> None:
    sending = Modern(lab, "written otherwise", wait_seconds=20)
    sending.question()
    other: Request = call("get_sms_subscriptions", {}, requestState=sending.state)
    other = other.meta(clientCapabilities=FORMS)
    assert other.ask(lab.gateway.port).error == (200, INVALID_PARAMS)
    sending.arguments = dict(reversed(sending.arguments.items())) | {"wait_seconds": 20.0}
    assert_sent(sending.choose(agent.ids()[0]))


# ---- once, whatever happens

def test_a_replayed_answer_returns_the_first_result(lab: Lab, agent: Agent) -> None:
    first, second = agent.ids()
    sending = Modern(lab, "replayed")
    sending.question()
    sent = sending.choose(first)
    for sim in (first, second):
        again = sending.choose(sim)
        assert_already_sent(again)
        assert (again.message_id, again.structured["replayed"]) == (sent.message_id, True)
    assert_already_sent(Modern.result(sending.ask(requestState=sending.state)))
    assert is_sent(lab, "replayed") == 1


def test_a_replayed_answer_returns_the_first_failure(lab: Lab, agent: Agent) -> None:
    sending = Modern(lab, "refused once")
    sending.question()
    lab.modems[0].default_outcome = Outcome.cms(500)
    try:
        failed = sending.choose(agent.ids()[0])
    finally:
        lab.modems[0].default_outcome = Outcome.ok()
    assert_refused(failed, "network_refused")
    again = sending.choose(agent.ids()[0])
    assert (again.code, again.message_id) == (failed.code, failed.message_id)
    assert is_sent(lab, "refused once") == 0


def test_a_state_survives_restarts(lab: Lab, agent: Agent) -> None:
    second = agent.ids()[1]
    sending = Modern(lab, "restarted")
    sending.question()
    lab.gateway.restart()
    wait_until(lambda: agent.states() == ["ready", "ready"], what="the SIMs are back")
    sent = sending.choose(second)
    assert_sent(sent)
    lab.gateway.kill()
    lab.gateway.start()
    again = sending.choose(second)          # whether its SIM is available again or not
    assert again.message_id == sent.message_id
    assert is_sent(lab, "restarted") == 1


def test_concurrent_answers_send_once(
        lab: Lab, agent: Agent, background: ThreadPoolExecutor) -> None:
    first, second = agent.ids()
    sending = Modern(lab, "at once")
    sending.question()
    results = list(background.map(sending.choose, [first, second] * 8))
    assert len({result.message_id for result in results}) == 1
    assert is_sent(lab, "at once") == 1


def test_an_idempotency_key_covers_the_question(lab: Lab, agent: Agent) -> None:
    sending = Modern(lab, "keyed", idempotency_key="mine")
    sending.question()
    sent = sending.choose(agent.ids()[0])
    assert_sent(sent)
    assert sending.choose(agent.ids()[1]).message_id == sent.message_id
    fresh = Modern.result(sending.ask())        # a repeat asks no question
    assert (fresh.message_id, fresh.structured["replayed"]) == (sent.message_id, True)
    assert is_sent(lab, "keyed") == 1


def test_two_answered_calls_with_the_same_text_send_once(make_lab: Callable[..., Lab]) -> None:
    lab = make_lab("", notices_repeats=True)
    agent = Agent(lab)
    one, two = Modern(lab, "twice"), Modern(lab, "twice")
    one.question()
    two.question()
    sent = one.choose(agent.ids()[0])
    other = two.choose(agent.ids()[1])
    assert (other.message_id, other.structured["duplicate"]) == (sent.message_id, True)
    assert Modern.result(Modern(lab, "twice").ask()).structured["duplicate"]
    assert is_sent(lab, "twice") == 1


def test_a_client_that_leaves_and_repeats_sends_once(lab: Lab, agent: Agent) -> None:
    """Leaving cancels what still waits; then the order can be placed again."""
    first, _ = agent.ids()
    lab.modems[0].send_latency_s = 3
    ahead = agent.send("in the way", first, wait_for="none")
    sending = Modern(lab, "left")
    sending.question()
    asked = call("send_sms", sending.arguments, requestState=sending.state,
                 inputResponses={KEY: accept(first)}).meta(clientCapabilities=FORMS)
    with Wire(lab.gateway.port) as wire:
        wire.send(asked.octets)
        wait_until(lambda: newest(agent) > ahead.message_id, what="it is stored")
    left = newest(agent)
    agent.wait_state(left, "cancelled")
    lab.modems[0].send_latency_s = 0
    sent = sending.choose(first)
    assert_sent(sent)
    assert sent.message_id > left
    assert sending.choose(first).message_id == sent.message_id
    assert is_sent(lab, "left") == 1


def test_the_user_is_asked_again_when_the_sims_changed(lab: Lab, agent: Agent) -> None:
    first, second = agent.ids()
    sending = Modern(lab, "changed")
    sending.question()
    with searching(lab, 1):
        again = sending.question(requestState=sending.state,
                                 inputResponses={KEY: accept(second)})
        [choice] = again["requestedSchema"]["properties"]["subscription_id"]["oneOf"]
        assert choice["const"] == str(first)
        sending.capabilities = {}
        lone = Modern.result(sending.repeat(accept(second)))
        assert_refused(lone, "subscription_required")
        assert is_sent(lab, "changed") == 0
        assert_sent(sending.choose(first))


# ---- the state: key, expiry, client

def members_of(state: str) -> dict[str, Any]:
    return json.loads(base64.b64decode(state.split(".")[1]))


def test_a_state_reveals_neither_text_nor_phone_number(lab: Lab) -> None:
    sending = Modern(lab, "confidential words")
    sending.question()
    readable = json.dumps(members_of(sending.state))
    assert "confidential" not in readable and TO[1:] not in readable


def test_a_state_of_another_client_is_refused(make_lab: Callable[..., Lab]) -> None:
    lab = make_lab(gateway_open=False)
    mine, other = pair(lab.gateway, "mine"), pair(lab.gateway, "other")
    agent = Agent(lab, mine)
    agent.wait_states("ready", "ready", timeout=10)
    sending = Modern(lab, "mine alone", token=mine)
    sending.question()
    theirs = Modern(lab, "mine alone", token=other)
    theirs.state = sending.state
    assert theirs.repeat(accept(agent.ids()[0])).error == (200, INVALID_PARAMS)
    assert_sent(sending.choose(agent.ids()[0]))


def test_a_restore_invalidates_earlier_states(
        make_lab: Callable[..., Lab], tmp_path: Any) -> None:
    """The restored store may not know what was sent after the backup."""
    lab = make_lab()
    agent = Agent(lab)
    sending = Modern(lab, "restored")
    sending.question()
    binary = str(lab.gateway.binary)
    folder = ["--state-dir", str(lab.gateway.state)]
    backup = str(tmp_path / "backup")
    subprocess.run([binary, "backup", *folder, backup], check=True, capture_output=True)
    sim = agent.ids()[0]
    assert_sent(sending.choose(sim))
    lab.gateway.stop()
    subprocess.run([binary, "restore", *folder, backup], check=True, capture_output=True)
    lab.gateway.start()
    wait_until(lambda: agent.states() == ["ready", "ready"], what="the SIMs are back")
    assert sending.repeat(accept(sim)).error == (200, INVALID_PARAMS)
    assert is_sent(lab, "restored") == 1


# ---- 2025: the call waits

def test_a_2025_call_waits_for_the_user(lab: Lab, agent: Agent) -> None:
    first, second = agent.ids()
    session = Legacy(lab)
    with session.send("legacy") as events:
        question = asked(events)
        params = question.message["params"]
        assert params["mode"] == "form"
        assert TO in params["message"]
        assert params["requestedSchema"]["properties"]["subscription_id"]["oneOf"] == [
            {"const": str(first), "title": "Telekom HU (SIM 1)"},
            {"const": str(second), "title": "Yettel HU (SIM 2)"}]
        assert is_sent(lab, "legacy") == 0
        session.answer(question, accept(second))
        result = result_of(events)
    assert_sent(result)
    assert result.structured["subscription_id"] == second
    assert "resultType" not in result.raw
    session.answer(question, accept(first))         # too late: the call no longer waits
    assert is_sent(lab, "legacy") == 1


@pytest.mark.parametrize("version, capabilities", [
    ("2025-03-26", FORMS), ("2024-11-05", FORMS), ("2025-11-25", {}),
    ("2025-11-25", {"elicitation": {"url": {}}}), ("2025-06-18", {"sampling": {}})])
def test_a_session_without_elicitation_is_refused(lab: Lab, version: str, capabilities: Any) -> None:
    with Legacy(lab, version, capabilities).send("cannot") as events:
        assert_refused(plain_result(events), "subscription_required")


def test_a_client_that_accepts_no_stream_is_refused(lab: Lab) -> None:
    with Legacy(lab).send("no stream", accept_header="application/json") as events:
        assert_refused(plain_result(events), "subscription_required")


def test_a_call_without_a_session_is_refused(lab: Lab) -> None:
    session = Legacy(lab)
    session.headers["Mcp_Session_Id"] = None
    with session.send("no session") as events:
        assert_refused(plain_result(events), "subscription_required")


@pytest.mark.parametrize("action", ["decline", "cancel"])
def test_a_2025_call_is_refused_when_the_user_declines(lab: Lab, action: str) -> None:
    session = Legacy(lab)
    with session.send(f"legacy {action}") as events:
        session.answer(asked(events), {"action": action})
        assert_declined(lab, result_of(events))
    assert is_sent(lab, f"legacy {action}") == 0


@pytest.mark.parametrize("said", [
    {"error": {"code": -32601, "message": "no"}}, {"result": {}}, {"result": 5},
    {"result": {"action": "maybe"}}])
def test_a_failed_elicitation_refuses_the_call(lab: Lab, said: Any) -> None:
    session = Legacy(lab)
    with session.send("cannot after all") as events:
        question = asked(events)
        assert session.say({"id": question.message["id"]} | said).status == 202
        assert_refused(result_of(events), "subscription_required")


WRONG = pytest.mark.parametrize("wrong", [
    {"action": "accept"}, {"action": "accept", "content": None}, accept(99)], ids=str)


@WRONG
def test_a_2025_question_is_repeated_once(lab: Lab, wrong: Any) -> None:
    session = Legacy(lab)
    ids = set()
    with session.send("for ever") as events:
        while (event := events.next_message()).method:
            ids.add(event.message["id"])
            session.answer(event, wrong)
        assert_refused(Result(event.message["result"]), "subscription_required")
    assert len(ids) == 2


def test_responses_from_other_sessions_are_ignored(make_lab: Callable[..., Lab]) -> None:
    lab = make_lab(gateway_open=False)
    tokens = [pair(lab.gateway, name) for name in ("mine", "other")]
    agent = Agent(lab, tokens[0])
    agent.wait_states("ready", "ready", timeout=10)
    sim = agent.ids()[0]
    mine, beside = Legacy(lab, token=tokens[0]), Legacy(lab, token=tokens[0])
    other = Legacy(lab, token=tokens[1])
    with mine.send("strangers") as events:
        question = asked(events)
        for stranger in (beside, other):
            stranger.answer(question, accept(sim))
        other.headers["Mcp_Session_Id"] = mine.headers["Mcp_Session_Id"]
        other.answer(question, accept(sim))
        beside.headers["Mcp_Session_Id"] = None
        beside.answer(question, accept(sim))
        for id in ("ask-0", 1, "", question.message["id"] + "0"):
            assert mine.say({"id": id, "result": accept(sim)}).status == 202
        assert events.poll(0.3) is None
        assert is_sent(lab, "strangers") == 0
        mine.answer(question, accept(sim))
        assert_sent(result_of(events))
    assert is_sent(lab, "strangers") == 1


def test_each_call_gets_its_own_answer(
        lab: Lab, agent: Agent, background: ThreadPoolExecutor) -> None:
    session = Legacy(lab)

    def send(number: int) -> tuple[int, Result]:
        sim = agent.ids()[number % 2]
        with session.send(f"call {number}", id=number) as events:
            question = asked(events)
            everyone_asked.wait()
            session.answer(question, accept(sim))
            return sim, result_of(events, number)

    everyone_asked = threading.Barrier(8)
    for sim, result in background.map(send, range(8)):
        assert_sent(result)
        assert result.structured["subscription_id"] == sim


def test_a_call_waits_45_seconds_for_all_its_answers(make_lab: Callable[..., Lab]) -> None:
    lab = make_lab(settable_clock=True)
    session = Legacy(lab)
    with session.send("slow person") as events:
        question = asked(events)
        lab.clock.sleep(40)                     # the phone's, too: the host is elsewhere
        session.answer(question, {"action": "accept"})
        asked(events)
        lab.clock.sleep(6)
        assert events.next_message().method == "notifications/cancelled"
        result = result_of(events)
    assert_refused(result, "subscription_required")
    assert all(f"subscription_id {sim}" in result.text for sim in Agent(lab).ids())


def test_no_question_is_asked_when_elicitation_is_off(make_lab: Callable[..., Lab]) -> None:
    with Legacy(make_lab("elicitation_seconds = 0\n")).send("never") as events:
        assert_refused(plain_result(events), "subscription_required")


def leave_when_asked(lab: Lab, session: Legacy, text: str) -> Event:
    """Leaves when the question arrives; returns the question."""
    with session.send(text) as events:
        question = asked(events)
        port = events.socket.getsockname()[1]
    wait_until(lambda: port not in peers_of(lab.gateway), what="it left")
    return question


def test_a_2025_06_18_client_that_leaves_sends_nothing(lab: Lab, agent: Agent) -> None:
    session = Legacy(lab, "2025-06-18")
    question = leave_when_asked(lab, session, "gone")
    session.answer(question, accept(agent.ids()[0]))
    assert is_sent(lab, "gone") == 0


def test_a_client_that_returns_gets_the_result_by_get(lab: Lab, agent: Agent) -> None:
    """In 2025-11-25: the answer counts, and a GET stream delivers the result."""
    session = Legacy(lab)
    question = leave_when_asked(lab, session, "back again")
    assert is_sent(lab, "back again") == 0
    session.answer(question, accept(agent.ids()[0]))
    with session.listen(question.id) as events:
        assert_sent(result_of(events))
    assert is_sent(lab, "back again") == 1


# ---- notifications/cancelled

def cancel(session: Legacy, id: Any) -> None:
    taken = session.say({"method": "notifications/cancelled",
                         "params": {"requestId": id, "reason": "changed my mind"}})
    assert (taken.status, taken.body) == (202, "")


@pytest.mark.parametrize("id", [7, "7", "ü", 0, 12345678901234567890123])
def test_a_cancelled_call_ends_without_a_response(lab: Lab, agent: Agent, id: Any) -> None:
    session = Legacy(lab)
    with session.send(f"cancelled {id}", id=id) as events:
        question = asked(events)
        cancel(session, f"{id}" if isinstance(id, int) else 7)      # another type of ID
        cancel(Legacy(lab), id)                                     # another session
        assert events.poll(0.3) is None and not events.ended
        cancel(session, id)
        assert events.wait_end() == []                              # no response
        assert events.ended
    session.answer(question, accept(agent.ids()[0]))
    assert is_sent(lab, f"cancelled {id}") == 0


@pytest.mark.parametrize("params", [
    None, {}, {"requestId": None}, {"requestId": {}}, {"requestId": 1.5}, {"requestId": 99}])
def test_cancellations_of_unknown_requests_are_accepted(lab: Lab, params: Any) -> None:
    message = {"method": "notifications/cancelled"}
    if params is not None:
        message["params"] = params
    assert Legacy(lab).say(message).status == 202
