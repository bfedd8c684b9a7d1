# SPDX-License-Identifier: GPL-2.0-or-later
"""Which revision serves a POST: each kind of body under each MCP-Protocol-Version.

One cell of the table is one test, with and without an unknown session ID.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from lone_gateway import LoneGateway
from modern import META, PREFIX, Request
from wire import ABSENT, Value, request, rpc

# The meaning of a cell: HTTP status, and the code of the JSON-RPC error if there is one.
MEANING = {
    "ok":   (200, None),        # a result
    "ack":  (202, None),        # accepted, no body
    "none": (200, -32601),      # 2025: no such method
    "gone": (404, -32601),      # 2026: no such method
    "args": (200, -32602),      # invalid parameters
    "env":  (400, -32602),      # the envelope is incomplete
    "head": (400, -32020),      # headers and body disagree
    "ver":  (400, -32022),      # no such revision
    "inv":  (400, -32600),      # not a JSON-RPC message
    "json": (400, -32700),      # not JSON
}

HEADERS: dict[str, Value] = {
    "absent": None, "2024-11": "2024-11-05", "2025-03": "2025-03-26",
    "2025-06": "2025-06-18", "2025-11": "2025-11-25", "2026-07": "2026-07-28",
    "later": "2099-01-01", "older": "2024-10-07", "empty": "",
    "twice": ["2025-11-25", "2025-11-25"], "joined": "2026-07-28, 2026-07-28",
    "differ": ["2026-07-28", "2025-11-25"],
}

TABLE = """
body           absent 2024-11 2025-03 2025-06 2025-11 2026-07 later older empty twice joined differ
ping           ok     ok      ok      ok      ok      env     env   ver   ver   ok    env    head
tools/list     ok     ok      ok      ok      ok      env     env   ver   ver   ok    env    head
bad-call       args   args    args    args    args    env     env   ver   ver   args  env    head
discover       none   none    none    none    none    env     env   ver   ver   none  env    head
params-array   args   args    args    args    args    env     env   ver   ver   args  env    head
params-null    ok     ok      ok      ok      ok      env     env   ver   ver   ok    env    head
initialize     ok     ok      ok      ok      ok      ok      ok    ok    ok    ok    ok     ok
note           ack    ack     ack     ack     ack     ack     ack   ver   ver   ack   ack    head
initialized    ack    ack     ack     ack     ack     ack     ack   ver   ver   ack   ack    head
initialized-null ack  ack     ack     ack     ack     ack     ack   ver   ver   ack   ack    head
response       ack    ack     ack     ack     ack     ack     ack   ack   ack   ack   ack    ack
2026/list      head   head    head    head    head    ok      head  head  head  head  ok     head
2026/discover  head   head    head    head    head    ok      head  head  head  head  ok     head
2026/bad-call  head   head    head    head    head    args    head  head  head  head  args   head
2026/ping      head   head    head    head    head    gone    head  head  head  head  gone   head
2026/initialize head  head    head    head    head    gone    head  head  head  head  gone   head
2026/note      ack    ack     ack     ack     ack     ack     ack   ack   ack   ack   ack    ack
2026/no-caps   env    head    head    head    head    env     head  head  head  head  env    head
2026/no-caps-initialize env head head head    head    env     head  head  head  head  env    head
typed          env    env     env     env     env     env     env   env   env   env   env    env
2099/list      ver    head    head    head    head    head    ver   head  head  head  head   head
2099/initialize ver   head    head    head    head    head    ver   head  head  head  head   head
2099/note      ack    ack     ack     ack     ack     ack     ack   ack   ack   ack   ack    ack
2025/list      ver    head    head    head    ver     head    head  head  head  ver   head   head
2025/initialize ok    ok      ok      ok      ok      ok      ok    ok    ok    ok    ok     ok
2025/note      ack    ack     ack     ack     ack     ack     ack   ver   ver   ack   ack    head
batch          inv    inv     inv     inv     inv     inv     inv   inv   inv   inv   inv    inv
no-message     inv    inv     inv     inv     inv     inv     inv   inv   inv   inv   inv    inv
null-id        inv    inv     inv     inv     inv     inv     inv   inv   inv   inv   inv    inv
no-json        json   json    json    json    json    json    json  json  json  json  json   json
"""

HANDSHAKE = {"protocolVersion": "2025-11-25", "capabilities": {},
             "clientInfo": {"name": "test", "version": "1"}}
NO_CAPABILITIES = {PREFIX + "protocolVersion": "2026-07-28"}


def claim(version: Any, method: str, params: dict[str, Any] = {}, id: Any = 1) -> bytes:
    meta = META | {PREFIX + "protocolVersion": version}
    return Request(method, params, id, meta).body


NOTE = rpc("notifications/cancelled", {"requestId": 1}, id=ABSENT)
BODIES = {
    "ping": rpc("ping"),
    "tools/list": rpc("tools/list"),
    "bad-call": rpc("tools/call", {"name": "no_such_tool"}),
    "discover": rpc("server/discover"),
    "params-array": rpc("tools/list", [1]),
    "params-null": rpc("tools/list", None),
    "initialize": rpc("initialize", HANDSHAKE),
    "note": NOTE,
    "initialized": rpc("notifications/initialized", id=ABSENT),
    "initialized-null": rpc("notifications/initialized", None, id=ABSENT),
    "response": b'{"jsonrpc":"2.0","id":1,"result":{}}',
    "2026/list": claim("2026-07-28", "tools/list"),
    "2026/discover": claim("2026-07-28", "server/discover"),
    "2026/bad-call": claim("2026-07-28", "tools/call", {"name": "no_such_tool"}),
    "2026/ping": claim("2026-07-28", "ping"),
    "2026/initialize": claim("2026-07-28", "initialize", HANDSHAKE),
    "2026/note": claim("2026-07-28", "notifications/x", id=ABSENT),
    "2026/no-caps": Request("tools/list", meta_members=NO_CAPABILITIES).body,
    "2026/no-caps-initialize": Request("initialize", HANDSHAKE,
                                       meta_members=NO_CAPABILITIES).body,
    "typed": claim(20260728, "tools/list"),
    "2099/list": claim("2099-01-01", "tools/list"),
    "2099/initialize": claim("2099-01-01", "initialize", HANDSHAKE),
    "2099/note": claim("2099-01-01", "notifications/x", id=ABSENT),
    "2025/list": claim("2025-11-25", "tools/list"),
    "2025/initialize": claim("2025-11-25", "initialize", HANDSHAKE),
    "2025/note": claim("2025-11-25", "notifications/x", id=ABSENT),
    "batch": b"[" + rpc("ping") + b"]",
    "no-message": b'{"hello":"world"}',
    "null-id": rpc("ping", id=None),
    "no-json": b"{",
}
SESSIONS: dict[str, Value] = {"no session": None, "unknown session": "5e551011"}
DEAD = 404, -32001
# What 2025 serves in a session, and with which headers: not if the session has ended.
OF_A_SESSION = {"ping", "tools/list", "bad-call", "discover", "params-array", "params-null",
                "note", "initialized", "initialized-null", "2025/note"}
OF_2025 = {"absent", "2024-11", "2025-03", "2025-06", "2025-11", "twice"}


def cells() -> Iterator[tuple[str, str, str]]:
    columns, *rows = [line.split() for line in TABLE.strip().splitlines()]
    assert columns[1:] == list(HEADERS)
    assert [row[0] for row in rows] == list(BODIES)
    for body, *meanings in rows:
        assert len(meanings) == len(HEADERS), body
        for header, meaning in zip(HEADERS, meanings):
            yield body, header, meaning


def headers_of(body: bytes, version: Value) -> dict[str, Value]:
    """The method is always right here; test_modern.py covers wrong ones."""
    headers: dict[str, Value] = {"MCP-Protocol-Version": version}
    try:
        message = json.loads(body)
    except ValueError:
        return headers
    if isinstance(message, dict) and PREFIX.encode() in body:
        headers["Mcp-Method"] = message["method"]
        headers["Mcp-Name"] = message["params"].get("name")
    return headers


@pytest.mark.parametrize("session", SESSIONS)
@pytest.mark.parametrize("body,header,meaning", cells())
def test_body_and_header_select_the_protocol_revision(gateway: LoneGateway, body: str, header: str, meaning: str,
              session: str) -> None:
    status, code = MEANING[meaning]
    if session == "unknown session" and body in OF_A_SESSION and header in OF_2025:
        status, code = DEAD
    headers = headers_of(BODIES[body], HEADERS[header])
    reply = gateway.ask(request(BODIES[body], headers
                                | {"Mcp-Session-Id": SESSIONS[session]}))
    if status == 202:
        assert (reply.status, reply.body) == (202, b"")
    elif code is not None:
        assert reply.error == (status, code)
    else:
        assert reply.status == status and "result" in reply.json, reply
    if code == -32022:
        assert reply.json["error"]["data"]["supported"] == ["2026-07-28"]


def test_initialize_is_always_answered_by_2025(gateway: LoneGateway) -> None:
    for name in ("initialize", "2025/initialize"):
        for header in HEADERS.values():
            result = gateway.ask(request(BODIES[name], headers_of(BODIES[name], header))
                                 ).result
            assert result["protocolVersion"] == "2025-11-25"
            assert "resultType" not in result
