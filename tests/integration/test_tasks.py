# SPDX-License-Identifier: GPL-2.0-or-later
"""Tasks of MCP 2026-07-28: messages that wait for delivery, for clients that know tasks.

Delivery reports come from the real ofonod with our plugin.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from typing import Any

import pytest

from agent import TO, Agent, pair, seconds_ahead, taken_texts
from events import Events
from lab import Lab, wait_until
from rows import complete
from modem import HOME, SEARCHING, Outcome
from modem.patience import patience
from modern import (
    HEADER_MISMATCH, INVALID_PARAMS, METHOD_NOT_FOUND, MISSING_CAPABILITY, PREFIX, Request,
)
from task_agent import DECLARED, TASKS, TTL_MS, TaskAgent, told
from test_plugin import PLUGIN
from wire import Wire

LAB = {"modem_count": 1, "plugin": PLUGIN}
ACCEPTED = "accepted by the network, waiting for the delivery report"
REQUIRED = {"requiredCapabilities": {"extensions": {TASKS: {}}}}
METHODS = ["get", "update", "cancel"]
RESTARTS = ["restarted", "killed"]
HOUR_MS = 60 * 60 * 1000


@pytest.fixture
def tasks(lab: Lab) -> TaskAgent:
    return TaskAgent(lab)


def state(lab: Lab, text: str) -> str:
    """The state of the latest message with this text."""
    page = Agent(lab).call("list_sms", direction="out", search=text, limit=100).structured
    return next(complete(one)["state"] for one in page["messages"] if one["text"] == text)


def report(lab: Lab, text: str, delivered: bool = True) -> None:
    """A delivery report for a message that the network took; ofonod loses one that arrives
    before it knows of the message."""
    modem = lab.modems[0]
    wait_until(lambda: text in taken_texts(lab), what=f"{text!r} was taken")
    wait_until(lambda: state(lab, text) in ("sent", "unknown"), what=f"{text!r} was sent")
    [submit] = [taken for taken in modem.wait_taken(1) if taken.text == text]
    modem.report(submit, delivered)


def restart(lab: Lab, how: str) -> None:
    if how == "killed":
        lab.gateway.kill()
    else:
        lab.gateway.stop()
    lab.gateway.start()


def age(lab: Lab, sql: str) -> None:
    """Ages the store of a stopped gateway."""
    with closing(sqlite3.connect(lab.gateway.state / "gateway.db")) as ledger, ledger:
        assert ledger.execute(sql).rowcount == 1


# ---- the life of one --------------------------------------------------------------

def test_a_delivery_report_completes_the_task(lab: Lab, tasks: TaskAgent) -> None:
    first = tasks.send("arrives")
    task_id = first["taskId"]
    working = tasks.wait(task_id, "working", ACCEPTED)
    assert working["createdAt"] == first["createdAt"]
    assert working["ttlMs"] == first["ttlMs"] == TTL_MS
    report(lab, "arrives")
    result = tasks.result(task_id)
    assert not result.is_error and result.text.startswith(f"SMS delivered to {TO} (")
    assert result.structured == result.facts
    assert (result.facts["state"], result.facts["delivery"]) == ("delivered", "delivered")
    assert tasks.get(task_id)["lastUpdatedAt"] >= working["lastUpdatedAt"]


def test_a_task_result_equals_the_result_of_a_plain_call(
        lab: Lab, tasks: TaskAgent, agent: Agent) -> None:
    task_id = tasks.begin("one way", valid_for_seconds=600)
    with ThreadPoolExecutor() as pool:
        waiting = pool.submit(agent.send, "the other way", wait_for="delivered",
                              wait_seconds=60, valid_for_seconds=600)
        report(lab, "one way")
        report(lab, "the other way")
        called, of_task = waiting.result().raw, tasks.result(task_id).raw
    assert set(called) == set(of_task)
    facts, others = called["structuredContent"], of_task["structuredContent"]
    assert [result["content"][0]["text"] for result in (called, of_task)] == [
        f"SMS delivered to {TO} (message {one['message_id']})" for one in (facts, others)]
    different = {"message_id", "expires_at"}
    assert set(facts) == set(others) >= different
    assert {name for name in facts if facts[name] != others[name]} <= different


def test_a_task_of_a_scheduled_message_completes(lab: Lab, tasks: TaskAgent) -> None:
    at = seconds_ahead(3)
    task = tasks.send("later", send_at=at)
    assert "waits in the gateway for its time" in task["statusMessage"]
    assert TTL_MS < task["ttlMs"] <= TTL_MS + 3000
    report(lab, "later")
    assert tasks.result(task["taskId"]).facts["state"] == "delivered"


# ---- restarts ---------------------------------------------------------------------

@pytest.mark.parametrize("how", RESTARTS)
def test_waiting_tasks_survive_a_restart(make_lab: Callable[..., Lab], how: str) -> None:
    """Scheduled, queued, and submitted messages; all of them arrive."""
    lab = make_lab()
    tasks = TaskAgent(lab)
    lab.modems[0].plan(Outcome.hang())
    ids = [tasks.begin(text) for text in ("submitted", "queued")]
    ids.append(tasks.begin("scheduled", send_at=seconds_ahead(5)))
    lab.modems[0].wait_offered(1)
    tasks.wait(ids[0], "working", "submitted")
    before = [tasks.get(task_id) for task_id in ids]
    restart(lab, how)
    for task, task_id in zip(before, ids):
        now = tasks.get(task_id)
        assert (now["status"], now["createdAt"]) == ("working", task["createdAt"])
    lab.modems[0].unhang(Outcome.ok())
    for text, task_id in zip(("submitted", "queued", "scheduled"), ids):
        report(lab, text)
        assert tasks.result(task_id).facts["state"] == "delivered"
    assert len(taken_texts(lab)) == 3


@pytest.mark.parametrize("how", RESTARTS)
def test_a_task_waits_for_its_report_after_a_restart(make_lab: Callable[..., Lab], how: str) -> None:
    lab = make_lab()
    tasks = TaskAgent(lab)
    task_id = tasks.begin("sent")
    tasks.wait(task_id, "working", ACCEPTED)
    restart(lab, how)
    assert ACCEPTED in tasks.get(task_id)["statusMessage"]
    report(lab, "sent")
    done = tasks.wait(task_id, "completed")
    restart(lab, how)
    assert tasks.get(task_id) == done


@pytest.mark.parametrize("how", RESTARTS)
def test_held_and_cancelled_tasks_survive_a_restart(
        make_lab: Callable[..., Lab], how: str) -> None:
    lab = make_lab()
    tasks = TaskAgent(lab)
    lab.modems[0].plan(Outcome.error())
    held = tasks.begin("held")
    lab.modems[0].wait_offered(1)
    tasks.wait(held, "working", "submitted")
    behind = tasks.begin("behind it")
    lab.radios[0].power(False)
    tasks.wait(held, "working", "held")
    tasks.cancel(behind)
    tasks.wait(behind, "cancelled")
    restart(lab, how)
    assert tasks.get(held)["status"] == "working"
    assert tasks.get(behind)["status"] == "cancelled"
    tasks.cancel(held)                               # as soon as oFono can be asked
    assert tasks.get(held)["status"] == "working"
    lab.modems[0].set_registration(SEARCHING)
    lab.radios[0].power()
    tasks.wait(held, "cancelled")
    lab.modems[0].set_registration(HOME)
    assert "held" not in taken_texts(lab)


def test_a_crash_while_submitting_ends_in_unknown_outcome(make_lab: Callable[..., Lab]) -> None:
    """The outcome is unknowable: the task has failed, and stays completed when a later signal
    corrects it."""
    lab = make_lab()
    tasks = TaskAgent(lab)
    task_id = tasks.begin("in between")
    tasks.wait(task_id, "working", ACCEPTED)
    lab.gateway.stop()
    age(lab, "UPDATE message SET state = 2")
    lab.gateway.start()
    result = tasks.result(task_id)
    assert result.code == "unknown_outcome"
    report(lab, "in between")
    wait_until(lambda: not tasks.result(task_id).is_error, what="the report proves it")
    assert tasks.result(task_id).facts["state"] == "delivered"


# ---- cancelling -------------------------------------------------------------------

def test_cancelling_comes_too_late_for_a_submitted_task(make_lab: Callable[..., Lab]) -> None:
    lab = make_lab()
    tasks = TaskAgent(lab)
    lab.modems[0].plan(Outcome.hang())
    on_air, queued = tasks.begin("on the air"), tasks.begin("behind it")
    lab.modems[0].wait_offered(1)
    for _ in range(2):
        tasks.cancel(queued)
        assert tasks.get(queued)["status"] == "cancelled"
    tasks.cancel(on_air)                             # too late, which nobody is told
    assert tasks.get(on_air)["status"] == "working"
    lab.modems[0].unhang(Outcome.ok())
    report(lab, "on the air")
    assert tasks.result(on_air).facts["state"] == "delivered"
    tasks.cancel(on_air)
    assert tasks.get(on_air)["status"] == "completed"
    assert taken_texts(lab) == ["on the air"]


def test_a_cancelled_task_is_never_sent(lab: Lab, tasks: TaskAgent) -> None:
    """Whichever is first, the status agrees with the radio."""
    texts = [f"race {number}" for number in range(12)]
    with ThreadPoolExecutor() as pool:
        ids = list(pool.map(tasks.begin, texts))
        list(pool.map(tasks.cancel, ids))
    for text, task_id in zip(texts, ids):
        def is_settled() -> bool:
            task = tasks.get(task_id)
            return task["status"] == "cancelled" or ACCEPTED in task["statusMessage"]
        wait_until(is_settled, 30, f"{text!r} is settled")
        was_cancelled = tasks.get(task_id)["status"] == "cancelled"
        assert (text in taken_texts(lab)) != was_cancelled
    for text in taken_texts(lab):
        report(lab, text)


def test_disconnecting_cancels_no_task(lab: Lab, tasks: TaskAgent) -> None:
    call = {"name": "send_sms", "arguments": {
        "to_phone_number": TO, "sms_text": "goes on", "wait_for": "delivered"}}
    request = Request("tools/call", call).meta(clientCapabilities=DECLARED)
    with Wire(lab.gateway.port) as wire:
        task_id = wire.ask(request.octets).result["taskId"]
        wire.reset()
    report(lab, "goes on")
    assert tasks.result(task_id).facts["state"] == "delivered"


# ---- who gets one, and who may ask ------------------------------------------------

@pytest.mark.parametrize("capabilities", [
    {}, {"extensions": {}}, {"extensions": {"other/tasks": {}}}, {"tasks": {}},
    {"extensions": {TASKS: None}}, {"experimental": {TASKS: {}}}], ids=str)
def test_a_client_that_does_not_declare_tasks_gets_none(
        lab: Lab, tasks: TaskAgent, capabilities: dict[str, Any]) -> None:
    task_id = tasks.begin("seen by some", send_at=seconds_ahead(3600))
    arguments = {"to_phone_number": TO, "sms_text": "no task", "wait_for": "delivered",
                 "wait_seconds": 0}
    call = Request("tools/call", {"name": "send_sms", "arguments": arguments}).meta(
        clientCapabilities=capabilities)
    assert call.ask(lab.gateway.port).result["resultType"] == "complete"
    for method in METHODS:
        asked = Request(f"tasks/{method}", {"taskId": task_id, "inputResponses": {}})
        reply = asked.meta(clientCapabilities=capabilities).ask(lab.gateway.port)
        assert reply.error == (400, MISSING_CAPABILITY)
        assert reply.json["error"]["data"] == REQUIRED
    filter = {"notifications": {"taskIds": [task_id]}}
    listening = Request("subscriptions/listen", filter).meta(clientCapabilities=capabilities)
    reply = listening.ask(lab.gateway.port)
    assert reply.error == (400, MISSING_CAPABILITY)
    assert reply.json["error"]["data"] == REQUIRED
    tasks.cancel(task_id)
    report(lab, "no task")


def test_a_2025_client_gets_no_tasks(lab: Lab, agent: Agent) -> None:
    """The tasks of its own revision do not exist here, and a request for one is ignored."""
    with lab.client() as client:
        capabilities = client.initialize(**DECLARED).result["capabilities"]
        assert TASKS not in str(capabilities) and "tasks" not in capabilities
        answer = client.call("tools/call", {
            "name": "send_sms", "task": {"ttl": 60000},
            "arguments": {"to_phone_number": TO, "sms_text": "2025", "wait_seconds": 0,
                          "wait_for": "delivered"}})
        assert answer.result["structuredContent"]["message_id"]
        assert {"task", "taskId", "resultType"}.isdisjoint(answer.result)
        for method in ("tasks/get", "tasks/cancel", "tasks/list", "tasks/result"):
            assert client.call(method, {"taskId": "1"}).error["code"] == METHOD_NOT_FOUND
    report(lab, "2025")


def test_a_task_of_another_client_is_unknown(make_lab: Callable[..., Lab]) -> None:
    lab = make_lab(gateway_open=False)
    tokens = [pair(lab.gateway, name) for name in ("one", "two")]
    Agent(lab, tokens[0]).wait_states("ready", timeout=10)
    one, two = (TaskAgent(lab, token) for token in tokens)
    task_id = one.begin("mine", send_at=seconds_ahead(3600))
    for method in METHODS:
        foreign = two.about(method, task_id, inputResponses={})
        never = two.about(method, "1" + "0" * 40, inputResponses={})
        assert foreign.error == (200, INVALID_PARAMS)
        assert foreign.json["error"] == never.json["error"]
    with two.listen(task_id) as events:
        assert acknowledged(events) == {}
        assert events.next().message["result"]["resultType"] == "complete"
    assert one.get(task_id)["status"] == "working"
    one.cancel(task_id)


def test_a_forged_task_id_is_unknown(lab: Lab, tasks: TaskAgent) -> None:
    task_id = tasks.begin("real", send_at=seconds_ahead(3600))
    number, mac = task_id.split("-")
    made_up = ["", "-", number, number + "-", mac, f"{int(number) + 1}-{mac}",
               f"0{task_id}", f"+{task_id}", task_id[:-1], task_id + "0",
               task_id.upper(), f"-{task_id}", f"{2 ** 64 + int(number)}-{mac}",
               "9" * 200, f"{number}-{'0' * len(mac)}", number * 1000]
    for wrong in made_up:
        if wrong != task_id:
            assert tasks.about("get", wrong).error == (200, INVALID_PARAMS), wrong
    for wrong in (None, 7, ["x"], {}):
        asked = Request("tasks/get", {"taskId": wrong})
        assert tasks.ask(asked).status in (200, 400)
        assert tasks.ask(asked).error[1] in (INVALID_PARAMS, HEADER_MISMATCH)
    tasks.cancel(task_id)


# ---- the methods ------------------------------------------------------------------

def test_server_discover_lists_the_tasks_extension(lab: Lab) -> None:
    discovered = Request("server/discover").ask(lab.gateway.port).result
    assert discovered["capabilities"]["extensions"] == {
        TASKS: {}, "io.modelcontextprotocol/ui": {},
        "io.modelcontextprotocol/events": {"listChanged": True}}


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("name", [None, "another", "", "WRONG-CASE"])
def test_the_mcp_name_header_must_match_the_task(
        tasks: TaskAgent, method: str, name: str | None) -> None:
    task_id = tasks.begin(f"{method} {name}", send_at=seconds_ahead(3600))
    asked = Request(f"tasks/{method}", {"taskId": task_id, "inputResponses": {}})
    assert tasks.ask(asked.header(Mcp_Name=name)).error == (400, HEADER_MISMATCH)
    assert tasks.ask(asked.header(Mcp_Name=f" {task_id}\t")).status == 200
    tasks.cancel(task_id)


def test_a_call_that_ends_at_once_makes_no_task(lab: Lab, tasks: TaskAgent) -> None:
    def is_error(result: dict[str, Any]) -> bool:
        assert result["resultType"] == "complete" and "taskId" not in result
        return result.get("isError", False)
    assert not is_error(tasks.send("dry", dry_run=True))
    assert is_error(tasks.send("x", to_phone_number="nobody"))
    assert is_error(tasks.send("x", wait_for="never"))
    assert not is_error(tasks.send("sent", wait_for="sent"))
    assert not is_error(tasks.send("none", wait_for="none"))
    task_id = tasks.begin("twice", idempotency_key="settled")
    report(lab, "twice")
    done = tasks.wait(task_id, "completed")["result"]
    again = tasks.send("twice", idempotency_key="settled")
    assert not is_error(again) and again["structuredContent"].pop("replayed")
    assert again["structuredContent"] == done["structuredContent"]
    for text in ("sent", "none"):
        report(lab, text)


def test_a_replayed_send_has_a_task_that_says_so(lab: Lab, tasks: TaskAgent) -> None:
    """A task of the same message: its result never reads as if this call had sent something."""
    first = tasks.begin("once", idempotency_key="once")
    again = tasks.send("once", idempotency_key="once")
    assert again["resultType"] == "task" and again["taskId"] != first
    assert "Nothing new was sent" in again["statusMessage"]
    assert "Nothing new" not in tasks.wait(first, "working", ACCEPTED)["statusMessage"]
    restart(lab, "restarted")
    assert tasks.begin("once", idempotency_key="once") == again["taskId"]
    report(lab, "once")
    sent, replayed = (tasks.result(task_id) for task_id in (first, again["taskId"]))
    assert replayed.structured == {**sent.structured, "replayed": True}
    assert sent.text.startswith("SMS delivered to")
    assert "nothing new was sent" in replayed.text and "SMS" not in replayed.text
    assert replayed.raw["content"] == tasks.send("once", idempotency_key="once")["content"]
    assert taken_texts(lab) == ["once"]


def test_a_replayed_send_that_did_not_arrive_is_an_error(lab: Lab, tasks: TaskAgent) -> None:
    tasks.begin("in vain", idempotency_key="vain")
    again = tasks.begin("in vain", idempotency_key="vain")
    report(lab, "in vain", delivered=False)
    result = tasks.result(again)
    assert result.code == "not_delivered" and "SMS sent" not in result.text


def test_an_immediate_repeat_returns_a_task_of_the_same_message(
        make_lab: Callable[..., Lab]) -> None:
    """The answer says so; it is one message, whatever the first call waited for."""
    lab = make_lab(notices_repeats=True)
    tasks = TaskAgent(lab)
    Agent(lab).send("said twice")
    first = tasks.send("said twice")
    assert first["resultType"] == "task" and "Nothing new was sent" in first["statusMessage"]
    assert "Nothing new" in tasks.get(first["taskId"])["statusMessage"]
    assert tasks.begin("said twice") == first["taskId"]
    report(lab, "said twice")
    result = tasks.result(first["taskId"])
    assert result.facts["state"] == "delivered" and result.facts["duplicate"]
    assert "nothing new was sent" in result.text
    assert taken_texts(lab) == ["said twice"]


# ---- pushes -----------------------------------------------------------------------

def acknowledged(events: Events, id: Any = 5) -> dict[str, Any]:
    event = events.next()
    assert event.method == "notifications/subscriptions/acknowledged"
    assert event.message["params"]["_meta"] == {PREFIX + "subscriptionId": id}
    return event.message["params"]["notifications"]


def told_last(events: Events, status: str, id: Any = 5) -> dict[str, Any]:
    """The last notification, which has this status."""
    while (task := told(events.next(30), id))["status"] != status:
        assert task["status"] == "working"
    return task


@pytest.mark.parametrize("id", [5, "five", 0])
def test_a_listener_gets_the_states_of_a_task(lab: Lab, tasks: TaskAgent, id: Any) -> None:
    text = f"told {id}"
    task_id = tasks.begin(text)
    with tasks.listen(task_id, "unknown", task_id, id=id) as events:
        assert acknowledged(events, id) == {"taskIds": [task_id]}
        assert told(events.next(), id)["taskId"] == task_id
        report(lab, text)
        last = told_last(events, "completed", id)
    assert last["result"]["structuredContent"]["state"] == "delivered"
    assert tasks.get(task_id)["result"] == last["result"]


def test_a_completed_task_is_pushed_at_once(lab: Lab, tasks: TaskAgent) -> None:
    task_id = tasks.begin("over")
    report(lab, "over")
    done = tasks.wait(task_id, "completed")
    with tasks.listen(task_id) as events:
        assert acknowledged(events) == {"taskIds": [task_id]}
        assert told(events.next()) == done


def test_two_tasks_are_pushed_after_a_restart(make_lab: Callable[..., Lab]) -> None:
    lab = make_lab()
    tasks = TaskAgent(lab)
    ids = [tasks.begin(text) for text in ("one", "two")]
    for task_id in ids:
        tasks.wait(task_id, "working", ACCEPTED)
    restart(lab, "killed")
    with tasks.listen(*ids) as events, tasks.listen(ids[0], id=6) as other:
        assert acknowledged(events) == {"taskIds": ids}
        assert acknowledged(other, 6) == {"taskIds": ids[:1]}
        assert [told(events.next())["taskId"] for _ in ids] == ids
        report(lab, "two", delivered=False)
        failed = told_last(events, "completed")
        assert failed["taskId"] == ids[1] and failed["result"]["isError"]
        report(lab, "one")
        assert told_last(events, "completed")["taskId"] == ids[0]
        assert told_last(other, "completed", 6)["taskId"] == ids[0]


def test_a_cancelled_task_is_pushed(tasks: TaskAgent) -> None:
    task_id = tasks.begin("taken back", send_at=seconds_ahead(3600))
    with tasks.listen(task_id) as events:
        assert acknowledged(events) == {"taskIds": [task_id]}
        assert told(events.next())["status"] == "working"
        tasks.cancel(task_id)
        assert told_last(events, "cancelled")["taskId"] == task_id


def test_a_missing_delivery_report_is_pushed(make_lab: Callable[..., Lab]) -> None:
    """For two messages, each at its own time, to every listener."""
    lab = make_lab()
    tasks = TaskAgent(lab)
    ids = [tasks.begin(text) for text in ("silent", "more silent")]
    for task_id in ids:
        tasks.wait(task_id, "working", ACCEPTED)
    lab.gateway.stop()
    for text, seconds in (("silent", patience(4)), ("more silent", patience(5))):
        sent_ms = int((time.time() + seconds) * 1000) - 25 * HOUR_MS
        age(lab, f"UPDATE message SET created = {sent_ms}, changed = {sent_ms} "
                 f"WHERE text = '{text}'")
    lab.gateway.start()
    with tasks.listen(*ids) as events, tasks.listen(ids[1], id=6) as other:
        assert acknowledged(events) == {"taskIds": ids}
        assert acknowledged(other, 6) == {"taskIds": ids[1:]}
        assert [told(events.next())["status"] for _ in ids] == ["working"] * 2
        ended = [told_last(events, "completed") for _ in ids]
        assert told_last(other, "completed", 6)["taskId"] == ids[1]
    assert [task["taskId"] for task in ended] == ids
    for task in ended:
        assert task["result"]["structuredContent"]["delivery"] == "unconfirmed"
        assert tasks.get(task["taskId"]) == task


@pytest.mark.parametrize("ids", ["x", {"a": 1}, [1], [None], 7, None])
def test_a_malformed_task_filter_is_refused(tasks: TaskAgent, ids: Any) -> None:
    asked = Request("subscriptions/listen", {"notifications": {"taskIds": ids}})
    assert tasks.ask(asked).error == (200, INVALID_PARAMS)
