# SPDX-License-Identifier: GPL-2.0-or-later
"""A client of MCP Events: events/list, events/poll and events/stream."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from events import Event, Events
from lab import wait_until
from lab.gateway import Gateway
from modern import Request
from wire import ABSENT, Reply

NOT_FOUND, FORBIDDEN, EXHAUSTED, UNSUPPORTED = -32023, -32024, -32025, -32026
SUBSCRIPTION = "io.modelcontextprotocol/subscriptionId"


class Stream:
    """An open stream; `active` is its first notification."""

    def __init__(self, events: Events, id: Any) -> None:
        self.events = events
        self.id = id
        self.active = self.next("active")

    def take(self, timeout: float = 10) -> tuple[str, dict[str, Any]]:
        """The next message that belongs to this stream: the word of its method, its params."""
        message = self.events.next_message(timeout).message
        if "result" in message:
            assert message["id"] == self.id
            return "result", message["result"]
        params = message["params"]
        assert params.pop("_meta") == {SUBSCRIPTION: self.id}, message
        prefix, _, word = message["method"].rpartition("/")
        assert prefix == "notifications/events"
        return word, params

    def next(self, wanted: str = "event", timeout: float = 10) -> dict[str, Any]:
        """The next message, which must be this one; heartbeats may come before."""
        while True:
            word, params = self.take(timeout)
            if word == wanted:
                return params
            assert word == "heartbeat", (word, params)


class EventClient:
    def __init__(self, gateway: Gateway, token: str | None = None) -> None:
        self.gateway = gateway
        self.token = token

    def request(self, method: str, params: dict[str, Any], id: Any = 1) -> Request:
        kept = {name: value for name, value in params.items() if value is not ABSENT}
        asked = Request(method, kept, id).header(Mcp_Name=None)
        return asked.header(Authorization=f"Bearer {self.token}") if self.token else asked

    def ask(self, method: str, **params: Any) -> Reply:
        return self.request(method, params).ask(self.gateway.port)

    def types(self) -> dict[str, dict[str, Any]]:
        return {row["name"]: row for row in self.ask("events/list").result["events"]}

    def poll(self, name: str, cursor: str | None = None, **more: Any) -> dict[str, Any]:
        reply = self.ask("events/poll", name=name, cursor=cursor, **more)
        return reply.result

    def now(self, name: str = "sms.received") -> str:
        """The cursor of this moment."""
        return self.poll(name)["cursor"]

    def since(self, name: str, cursor: str, count: int = 1, **more: Any) -> list[dict[str, Any]]:
        """The events after the cursor, once there are so many."""
        wait_until(lambda: len(self.poll(name, cursor, **more)["events"]) >= count,
                   what=f"{count} {name}")
        return self.poll(name, cursor, **more)["events"]

    @contextmanager
    def stream(self, name: str, cursor: str | None = None, id: Any = 7, receive_buffer: int = 0,
               **more: Any) -> Iterator[Stream]:
        asked = self.request("events/stream", {"name": name, "cursor": cursor} | more, id)
        headers = {key.replace("-", "_"): value for key, value in asked.headers.items()}
        with Events(self.gateway.port, asked.body, receive_buffer=receive_buffer,
                    **headers) as events:
            is_stream = events.headers["content-type"].startswith("text/event-stream")
            assert events.status == 200 and is_stream, events.rest()
            yield Stream(events, id)


def data(event: Event | dict[str, Any]) -> dict[str, Any]:
    return event["data"]
