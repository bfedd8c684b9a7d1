# SPDX-License-Identifier: GPL-2.0-or-later
"""Tasks that ask questions while they run, and tasks that fail: with the conformance runner's
tools."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from events import Event, Events
from fixture_gateway import FixtureGateway
from lab import wait_until
from lone_gateway import LoneGateway
from modern import INVALID_PARAMS, MISSING_CAPABILITY, PREFIX, Request, call
from task_agent import TASKS
from wire import Reply

DECLARED: dict[str, Any] = {"elicitation": {}, "extensions": {TASKS: {}}}
YES = {"action": "accept", "content": {"confirm": True}}


def named(name: str) -> dict[str, Any]:
    return {"action": "accept", "content": {"name": name}}


class Jobs:
    """Tasks of one gateway."""

    def __init__(self, gateway: LoneGateway) -> None:
        self.gateway = gateway

    def ask(self, request: Request) -> Reply:
        return request.meta(clientCapabilities=DECLARED).ask(self.gateway.port)

    def begin(self, tool: str, **arguments: Any) -> str:
        task = self.ask(call(tool, arguments)).result
        assert task["resultType"] == "task", task
        assert not {"inputRequests", "result", "error"} & set(task)
        return task["taskId"]

    def get(self, task_id: str) -> dict[str, Any]:
        task = self.ask(Request("tasks/get", {"taskId": task_id})).result
        assert task["resultType"] == "complete"
        assert_payload(task)
        return task

    def update(self, task_id: str, **responses: Any) -> Reply:
        return self.ask(Request("tasks/update", {
            "taskId": task_id, "inputResponses": responses}))

    def answer(self, task_id: str, **responses: Any) -> None:
        result = self.update(task_id, **responses).result
        assert result.pop("_meta") and result == {"resultType": "complete"}

    def cancel(self, task_id: str) -> None:
        assert self.ask(Request("tasks/cancel", {"taskId": task_id})).status == 200

    def wait(self, task_id: str, status: str) -> dict[str, Any]:
        wait_until(lambda: self.get(task_id)["status"] == status, what=status)
        return self.get(task_id)

    def listen(self, *task_ids: str) -> Events:
        asked = Request("subscriptions/listen", {
            "notifications": {"taskIds": list(task_ids)}}, 5)
        asked = asked.meta(clientCapabilities=DECLARED)
        events = Events(self.gateway.port, asked.body, **{
            name.replace("-", "_"): value for name, value in asked.headers.items()})
        assert events.next().method == "notifications/subscriptions/acknowledged"
        return events


def assert_payload(task: dict[str, Any]) -> None:
    """Each status has the members that belong to it, and no others."""
    wanted = {"input_required": {"inputRequests"}, "completed": {"result"},
              "failed": {"error"}}.get(task["status"], set())
    assert {"inputRequests", "result", "error"} & set(task) == wanted, task


def told(event: Event) -> dict[str, Any]:
    assert event.method == "notifications/tasks", event
    task = dict(event.message["params"])
    assert task.pop("_meta") == {PREFIX + "subscriptionId": 5}
    assert_payload(task)
    return task


def text_of(task: dict[str, Any]) -> str:
    return task["result"]["content"][0]["text"]


@pytest.fixture(scope="module")
def jobs() -> Iterator[Jobs]:
    with FixtureGateway() as gateway:
        yield Jobs(gateway)


# ---- asking ------------------------------------------------------------------------

def test_a_task_continues_after_its_question_is_answered(jobs: Jobs) -> None:
    task_id = jobs.begin("confirm_delete", filename="a.txt")
    task = jobs.get(task_id)
    assert task["status"] == "input_required"
    assert task["inputRequests"] == {"confirm": {
        "method": "elicitation/create", "params": {
            "mode": "form", "message": "Delete the file?", "requestedSchema": {
                "type": "object", "required": ["confirm"], "properties": {
                    "confirm": {"type": "boolean", "title": "Delete it"}}}}}}
    jobs.answer(task_id, confirm=YES)
    assert text_of(jobs.wait(task_id, "completed")) == "a.txt is deleted."


@pytest.mark.parametrize("no", [
    {"action": "decline"}, {"action": "cancel"},
    {"action": "accept", "content": {"confirm": False}}], ids=str)
def test_a_declined_question_stops_the_deletion(jobs: Jobs, no: Any) -> None:
    task_id = jobs.begin("confirm_delete", filename="a.txt")
    jobs.answer(task_id, confirm=no)
    assert text_of(jobs.wait(task_id, "completed")) == "a.txt is not deleted."


@pytest.mark.parametrize("first, second", [("first", "second"), ("second", "first")])
def test_a_task_takes_its_answers_one_by_one(jobs: Jobs, first: str, second: str) -> None:
    task_id = jobs.begin("multi_input")
    assert set(jobs.get(task_id)["inputRequests"]) == {"first", "second"}
    jobs.answer(task_id, **{first: named("Ann")})
    assert set(jobs.get(task_id)["inputRequests"]) == {second}
    jobs.answer(task_id, **{first: named("Eve"), second: None})    # accepted; not used yet
    assert set(jobs.get(task_id)["inputRequests"]) == {second}
    jobs.answer(task_id, **{second: named("Bob")})
    assert jobs.get(task_id)["status"] in ("working", "completed")
    jobs.answer(task_id, **{first: named("Eve"), second: named("Eve")})
    assert text_of(jobs.wait(task_id, "completed")) == "Hello, Ann and Bob!"


def test_a_task_takes_all_answers_in_one_update(jobs: Jobs) -> None:
    task_id = jobs.begin("multi_input")
    jobs.answer(task_id, second=named("Bob"), first=named("Ann"), third=named("Eve"))
    assert text_of(jobs.wait(task_id, "completed")) == "Hello, Ann and Bob!"


@pytest.mark.parametrize("wrong", [
    5, "accept", [], {}, {"action": "maybe"}, {"action": "accept"},
    {"action": "accept", "content": None}, {"action": "accept", "content": {"name": 5}}],
    ids=str)
def test_one_invalid_answer_refuses_the_whole_update(jobs: Jobs, wrong: Any) -> None:
    task_id = jobs.begin("multi_input")
    reply = jobs.update(task_id, first=named("Ann"), second=wrong)
    assert reply.error == (200, INVALID_PARAMS)
    assert "inputResponses.second" in reply.json["error"]["message"]
    assert set(jobs.get(task_id)["inputRequests"]) == {"first", "second"}
    jobs.cancel(task_id)


def test_a_task_is_cancelled_while_it_waits_for_input(jobs: Jobs) -> None:
    task_id = jobs.begin("confirm_delete")
    jobs.cancel(task_id)
    assert jobs.get(task_id)["status"] == "cancelled"
    jobs.answer(task_id, confirm=YES)
    assert jobs.get(task_id)["status"] == "cancelled"


def test_a_client_without_elicitation_is_refused_the_task(jobs: Jobs) -> None:
    request = call("confirm_delete", {}).meta(clientCapabilities={"extensions": {TASKS: {}}})
    reply = request.ask(jobs.gateway.port)
    assert reply.error == (400, MISSING_CAPABILITY)
    assert "elicitation" in reply.json["error"]["data"]["requiredCapabilities"]


# ---- breaking ----------------------------------------------------------------------

def test_a_broken_task_fails_and_stays_failed(jobs: Jobs) -> None:
    task_id = jobs.begin("protocol_error_job")
    assert jobs.get(task_id)["status"] == "working"
    task = jobs.wait(task_id, "failed")
    assert task["error"] == {"code": -32603, "message": "This job always breaks."}
    jobs.cancel(task_id)
    jobs.answer(task_id, confirm=YES)
    assert jobs.get(task_id) == task


def test_a_tool_error_completes_the_task(jobs: Jobs) -> None:
    assert jobs.wait(jobs.begin("failing_job"), "completed")["result"]["isError"]


# ---- pushes ------------------------------------------------------------------------

def test_every_change_of_a_task_is_pushed(jobs: Jobs) -> None:
    """Questions, answers, and what happens when time passes."""
    task_id = jobs.begin("multi_input")
    with jobs.listen(task_id) as events:
        assert set(told(events.next())["inputRequests"]) == {"first", "second"}
        jobs.answer(task_id, first=named("Ann"))
        assert set(told(events.next())["inputRequests"]) == {"second"}
        jobs.answer(task_id, second=named("Bob"))
        assert told(events.next())["status"] == "working"
        last = told(events.next())
    assert text_of(last) == "Hello, Ann and Bob!"


def test_a_failed_task_is_pushed_to_all_listeners(jobs: Jobs) -> None:
    breaking, other = jobs.begin("protocol_error_job"), jobs.begin("confirm_delete")
    with jobs.listen(breaking) as one, jobs.listen(other, breaking) as both:
        assert told(both.next())["status"] == "input_required"
        for events in (one, both):
            assert [told(events.next())["status"] for _ in range(2)] == ["working", "failed"]
    jobs.cancel(other)
