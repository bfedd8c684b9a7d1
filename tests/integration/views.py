# SPDX-License-Identifier: GPL-2.0-or-later
"""Every way in which an agent sees stored messages, as the octets that it receives."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from http.client import HTTPConnection
from typing import Any
from urllib.parse import quote

from agent import pair
from lab import Lab
from lab.mcp_client import HEADERS
from modem.patience import patience
from modern import Request
from rows import complete, complete_conversation, complete_page

LEGACY, MODERN = "2025-11-25", "2026-07-28"
ERAS = (LEGACY, MODERN)


@dataclass(frozen=True)
class Eye:
    """An agent that reads; without a token in open mode."""

    lab: Lab
    era: str = LEGACY
    token: str | None = None

    def ask(self, method: str, **params: Any) -> bytes:
        """The body of the answer."""
        if self.era == MODERN:
            return self._ask_modern(method, params)
        connection = HTTPConnection("127.0.0.1", self.lab.gateway.port,
                                    timeout=patience(60))
        message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        try:
            connection.request("POST", "/mcp", json.dumps(message),
                               HEADERS | self._authorization)
            return connection.getresponse().read()
        finally:
            connection.close()

    def call(self, tool: str, **arguments: Any) -> bytes:
        return self.ask("tools/call", name=tool, arguments=arguments)

    def read(self, uri: str) -> bytes:
        return self.ask("resources/read", uri=uri)

    def facts(self, tool: str, **arguments: Any) -> dict[str, Any]:
        return complete_page(result(self.call(tool, **arguments))["structuredContent"])

    def look(self, message_id: int, number: str, place: str) -> Iterator[tuple[str, bytes]]:
        """All views of a message that arrived after `place`, each by its name."""
        yield "list_sms", self.call("list_sms", phone_number=number)
        yield "list_sms, all", self.call("list_sms", limit=100)
        yield "wait_for_sms", self.call("wait_for_sms", after=place, timeout_seconds=1,
                                        **({"from": number} if number else {}))
        yield "list_sms_conversations", self.call("list_sms_conversations", limit=100)
        yield "get_sms_status", self.call("get_sms_status", history=True, message_id=message_id)
        yield "mark_sms_read", self.call("mark_sms_read", message_ids=[message_id])
        yield "cancel_sms", self.call("cancel_sms", message_id=message_id)
        yield "edit_sms", self.call("edit_sms", message_id=message_id, text="another")
        yield "sms://inbox", self.read("sms://inbox")
        yield "sms://message", self.read(f"sms://message/{message_id}")
        yield "sms://conversation", self.read(
            f"sms://conversation/{quote(number, safe='')}")
        yield "sms://status", self.read("sms://status")
        yield "sms://subscriptions", self.read("sms://subscriptions")
        yield "completion", self.ask(
            "completion/complete", argument={"name": "number", "value": number[:1]},
            ref={"type": "ref/resource", "uri": "sms://conversation/{number}"})

    @property
    def _authorization(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.token}"} if self.token else {}

    def _ask_modern(self, method: str, params: dict[str, Any]) -> bytes:
        request = Request(method, params)
        if "uri" in params:
            request = request.header(Mcp_Name=params["uri"])
        return request.header(**self._authorization).ask(self.lab.gateway.port).body


def pair_with_codes(lab: Lab, name: str) -> str:
    """The token of a new client that may read, send, and see codes."""
    token = pair(lab.gateway, name)
    with closing(sqlite3.connect(lab.gateway.state / "gateway.db", timeout=10)) as ledger:
        ledger.execute("UPDATE client SET scopes = 7 WHERE name = ?", (name,))
        ledger.commit()
    return token


def result(body: bytes) -> dict[str, Any]:
    answer = json.loads(body)
    assert "result" in answer, answer
    return answer["result"]


def strings(value: Any) -> Iterator[str]:
    """Every string of a JSON value, and of JSON inside its strings."""
    if isinstance(value, str):
        yield value
        try:
            inner = json.loads(value)
        except ValueError:
            return
        if not isinstance(inner, str):
            yield from strings(inner)
    elif isinstance(value, list):
        for item in value:
            yield from strings(item)
    elif isinstance(value, dict):
        for name, member in value.items():
            yield name
            yield from strings(member)


def messages(value: Any) -> Iterator[dict[str, Any]]:
    """Every message object in a JSON value, and of JSON inside its strings."""
    if isinstance(value, str) and value.startswith("{"):
        yield from messages(json.loads(value)) if is_json(value) else ()
    elif isinstance(value, list):
        for item in value:
            yield from messages(item)
    elif isinstance(value, dict):
        if {"message_id", "at", "text"} <= value.keys():
            yield complete(value)
            return                  # its text may be JSON, which is not a message
        if "last_message" in value:
            value = complete_conversation(value)
        for member in value.values():
            yield from messages(member)


def is_json(text: str) -> bool:
    try:
        json.loads(text)
    except ValueError:
        return False
    return True
