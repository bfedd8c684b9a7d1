# SPDX-License-Identifier: GPL-2.0-or-later
"""An agent of MCP 2026-07-28 that knows tasks."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from agent import TO, Result
from events import Event, Events
from lab import Lab, wait_until
from modern import PREFIX, Request
from wire import Reply

TASKS = PREFIX + "tasks"
DECLARED = {"extensions": {TASKS: {}}}
TTL_MS = 72 * 60 * 60 * 1000
MEMBERS = {"taskId", "status", "statusMessage", "createdAt", "lastUpdatedAt", "ttlMs",
           "pollIntervalMs"}


def declared(request: Request) -> Request:
    return request.meta(clientCapabilities=DECLARED)


def assert_task(task: dict[str, Any]) -> None:
    """The members that every task has, wherever it is shown."""
    assert MEMBERS <= set(task), task
    assert ("result" in task) == (task["status"] == "completed"), task
    assert len(task["taskId"]) >= 32 and task["ttlMs"] >= TTL_MS
    assert 5000 <= task["pollIntervalMs"] <= 60000
    created, updated = (datetime.fromisoformat(task[name].replace("Z", "+00:00"))
                        for name in ("createdAt", "lastUpdatedAt"))
    assert created <= updated


class TaskAgent:
    def __init__(self, lab: Lab, token: str | None = None) -> None:
        self._lab = lab
        self._token = f"Bearer {token}" if token else None

    def ask(self, request: Request) -> Reply:
        """Declares the extension, unless the request declares something else."""
        if request.meta_members[PREFIX + "clientCapabilities"] == {}:
            request = declared(request)
        return request.header(Authorization=self._token).ask(self._lab.gateway.port)

    def send(self, text: str, **more: Any) -> dict[str, Any]:
        """The complete result of a send_sms that waits for delivery."""
        arguments = {"to_phone_number": TO, "sms_text": text, "wait_for": "delivered"}
        call = {"name": "send_sms", "arguments": arguments | more}
        return self.ask(Request("tools/call", call)).result

    def begin(self, text: str, **more: Any) -> str:
        """Returns the ID of a new task."""
        result = self.send(text, **more)
        assert result["resultType"] == "task", result
        assert set(result) == MEMBERS | {"resultType", "_meta"}
        assert result["status"] == "working"
        assert_task(result)
        return result["taskId"]

    def about(self, method: str, task_id: Any, **more: Any) -> Reply:
        return self.ask(Request(f"tasks/{method}", {"taskId": task_id} | more))

    def get(self, task_id: str) -> dict[str, Any]:
        task = self.about("get", task_id).result
        assert task.pop("resultType") == "complete"
        assert PREFIX + "serverInfo" in task.pop("_meta")
        assert task["taskId"] == task_id
        assert_task(task)
        return task

    def cancel(self, task_id: str) -> None:
        result = self.about("cancel", task_id).result
        assert result.pop("_meta") and result == {"resultType": "complete"}

    def wait(self, task_id: str, status: str, words: str = "") -> dict[str, Any]:
        """Waits until the task has this status and its statusMessage contains these words."""
        def task() -> dict[str, Any]:
            return self.get(task_id)
        wait_until(lambda: (now := task())["status"] == status
                   and words in now["statusMessage"], 30, f"{status}, {words}: {task()}")
        return task()

    def result(self, task_id: str) -> Result:
        """The result of a completed task."""
        result = self.wait(task_id, "completed")["result"]
        assert result.pop("resultType") == "complete"
        return Result(result)

    def listen(self, *task_ids: str, id: Any = 5) -> Events:
        asked = declared(Request("subscriptions/listen",
                                 {"notifications": {"taskIds": list(task_ids)}}, id))
        headers = asked.header(Authorization=self._token).headers
        return Events(self._lab.gateway.port, asked.body,
                      **{name.replace("-", "_"): value for name, value in headers.items()})


def told(event: Event, id: Any = 5) -> dict[str, Any]:
    """The task in a notification."""
    assert event.method == "notifications/tasks", event
    task = dict(event.message["params"])
    assert task.pop("_meta") == {PREFIX + "subscriptionId": id}
    assert_task(task)
    return task
