# SPDX-License-Identifier: GPL-2.0-or-later
"""MCP 2025-11-25, 2025-06-18 and 2025-03-26 over HTTP, as far as they need no modem.

test_modern.py covers 2026-07-28; test_ladder.py covers which revision serves a message.
"""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from lone_gateway import LoneGateway
from wire import ABSENT, Closed, Number, request, rpc

NEWEST, SERVED = "2025-11-25", ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"]
PARSE_ERROR, INVALID_REQUEST, METHOD_NOT_FOUND, INVALID_PARAMS = (
    -32700, -32600, -32601, -32602)
LONG = "x" * 10_000


def initialize(version: Any, **more: Any) -> bytes:
    client = {"name": "test", "version": "1"}
    return rpc("initialize", {"protocolVersion": version, "capabilities": {},
                              "clientInfo": client} | more)


def call(name: Any, arguments: Any = ABSENT) -> bytes:
    params = {"name": name, "arguments": arguments}
    return rpc("tools/call", {k: v for k, v in params.items() if v is not ABSENT})


# ---- initialize -------------------------------------------------------------------

@pytest.mark.parametrize("asked,answered", [
    *((version, version) for version in SERVED),
    *((version, NEWEST) for version in [
        "2026-07-28", "2099-01-01", "2025-11-26", "2024-10-07", "1.0", "v999.0.0", "",
        "2025-11-25 ", "DRAFT-2026-v1", "é", LONG]),
])
def test_the_protocol_version_is_negotiated(gateway: LoneGateway, asked: str, answered: str) -> None:
    assert gateway.post(initialize(asked)).result["protocolVersion"] == answered


def test_initialize_describes_the_server(gateway: LoneGateway) -> None:
    result = gateway.post(initialize(NEWEST)).result
    assert set(result) <= {"protocolVersion", "capabilities", "serverInfo",
                           "instructions"}
    assert set(result["capabilities"]) == {"tools", "resources", "completions",
                                           "extensions"}
    assert result["capabilities"]["extensions"] == {"io.modelcontextprotocol/ui": {}}
    assert isinstance(result["capabilities"]["tools"]["listChanged"], bool)
    assert result["capabilities"]["resources"] == {"subscribe": True, "listChanged": False}
    for fact in ("name", "version", "title"):
        assert result["serverInfo"][fact]


@pytest.mark.parametrize("params", [
    {}, {"protocolVersion": None}, {"protocolVersion": 20251125}, ABSENT])
def test_initialize_without_a_version_is_refused(gateway: LoneGateway, params: Any) -> None:
    reply = gateway.post(rpc("initialize", params))
    assert reply.error == (200, INVALID_PARAMS)
    assert "protocolVersion" in reply.json["error"]["message"]


# ---- the envelope -----------------------------------------------------------------

@pytest.mark.parametrize("id", [
    "0", "-1", "-0", "1", "9007199254740993", "12345678901234567890123",
    "-12345678901234567890123", "9" * 5_000, '"x"', '""', '"0"', '"é😀"',
    r'"\u00e9\ud83d\ude00"',
    r'"a\"b\\c\/\n\u0001"', f'"{LONG}"',
])
@pytest.mark.parametrize("method", ["ping", "no/such/method"])
def test_the_request_id_is_echoed_exactly(gateway: LoneGateway, method: str, id: str) -> None:
    body = f'{{"jsonrpc":"2.0","method":"{method}","id":{id}}}'
    echoed = gateway.post(body.encode()).json["id"]
    expected = json.loads(id) if id.startswith('"') else Number(id)
    assert (type(echoed), echoed) == (type(expected), expected)


@pytest.mark.parametrize("id", ["null", "1.5", "1.0", "1e3", "true", "false", "{}", "[]",
                                "[1]"])
def test_an_invalid_id_is_refused(gateway: LoneGateway, id: str) -> None:
    reply = gateway.post(f'{{"jsonrpc":"2.0","id":{id},"method":"ping"}}'.encode())
    assert reply.error == (400, INVALID_REQUEST)
    assert "id" not in reply.json


@pytest.mark.parametrize("method,params", [
    ("notifications/initialized", ABSENT),
    ("notifications/initialized", {}),
    ("notifications/initialized", None),
    ("notifications/initialized", []),
    ("notifications/cancelled", None),
    ("notifications/cancelled", {"requestId": 1, "reason": "changed my mind"}),
    ("notifications/progress", {"progressToken": 0, "progress": 1}),
    ("notifications/roots/list_changed", ABSENT),
    ("notifications/of/next/year", {"a": [1, 2]}),
    ("no/such/method", ABSENT),
    ("ping", ABSENT),
    ("tools/list", {}),
    ("", ABSENT),
])
def test_a_notification_is_accepted(gateway: LoneGateway, method: str, params: Any) -> None:
    reply = gateway.post(rpc(method, params, id=ABSENT))
    assert (reply.status, reply.body) == (202, b"")
    assert reply.header("content-length") == "0"
    assert reply.header("content-type") is None


@pytest.mark.parametrize("body", [
    {"id": 1, "result": {}},
    {"id": "r-1", "result": {"action": "accept", "content": {}}},
    {"id": 1, "error": {"code": -1, "message": "no"}},
])
def test_a_response_is_accepted(gateway: LoneGateway, body: dict) -> None:
    reply = gateway.post(json.dumps({"jsonrpc": "2.0"} | body).encode())
    assert (reply.status, reply.body) == (202, b"")


@pytest.mark.parametrize("body", [
    '{"id":1,"method":"ping"}',
    '{"jsonrpc":"1.0","id":1,"method":"ping"}',
    '{"jsonrpc":2.0,"id":1,"method":"ping"}',
    '{"jsonrpc":"2.0","id":1}',
    '{"jsonrpc":"2.0","id":1,"method":null}',
    '{"jsonrpc":"2.0","id":1,"method":5}',
    '{"jsonrpc":"2.0","id":1,"method":["ping"]}',
    '{"jsonrpc":"2.0","id":1,"method":"ping","params":"x"}',
    '{"jsonrpc":"2.0","id":1,"method":"ping","params":5}',
    '{"jsonrpc":"2.0","id":1,"method":"ping","params":false}',
    r'{"jsonrpc":"2.0","id":1,"method":"ping\u0000"}',
    r'{"jsonrpc":"2.0","id":"\u0000","method":"ping"}',
    r'{"jsonrpc":"2.0","id":1,"method":"ping","\u0000":1}',
    '{"jsonrpc":"2.0","method":"no/such","params":5}',
    r'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"send_sms\u0000"}}',
    '{"jsonrpc":"2.0","id":1,"method":"ping","result":{}}',
    '{"jsonrpc":"2.0","id":1,"result":{},"error":{"code":1,"message":"m"}}',
    '{"jsonrpc":"2.0","result":{}}',
    '{"JSONRPC":"2.0","ID":1,"Method":"ping"}',
    '"ping"', '5', 'null', 'true', '{}',
    '[]', '[[]]',
])
@pytest.mark.parametrize("version", [NEWEST, "2025-03-26"])
def test_an_invalid_envelope_is_refused(gateway: LoneGateway, body: str, version: str) -> None:
    reply = gateway.post(body.encode(), MCP_Protocol_Version=version)
    assert reply.error == (400, INVALID_REQUEST)
    assert reply.json.get("id", "1") == "1"


# tests/unit/test_json_reader.c has the rest.
@pytest.mark.parametrize("body", [
    b"", b" ", b"{", b"{}{}", b'{"a":}', b"NaN", rpc("ping")[:-1], rpc("ping") * 2,
    rpc("ping") + b"\0", b"\xef\xbb\xbf" + rpc("ping"), rpc("ping").decode().encode("utf-16"),
])
def test_malformed_json_is_refused(gateway: LoneGateway, body: bytes) -> None:
    reply = gateway.post(body)
    assert reply.error == (400, PARSE_ERROR)
    assert "id" not in reply.json


@pytest.mark.parametrize("body", [
    '{"jsonrpc":"2.0","id":1,"method":"ping","method":"tools/list"}',
    '{"jsonrpc":"2.0","id":1,"id":1,"method":"ping"}',
    r'{"jsonrpc":"2.0","id":1,"method":"ping","\u006dethod":"tools/list"}',
    '{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":1,"b":2,"a":1}}',
    '{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":[{"":1,"":2}]}}',
])
def test_duplicate_keys_are_refused(gateway: LoneGateway, body: str) -> None:
    assert gateway.post(body.encode()).error == (400, INVALID_REQUEST)


# ---- methods ----------------------------------------------------------------------

@pytest.mark.parametrize("params", [ABSENT, None, [], {}, {"_meta": {"progressToken": 0}}])
def test_ping_returns_an_empty_result(gateway: LoneGateway, params: Any) -> None:
    reply = gateway.post(rpc("ping", params, id="p"))
    assert reply.json == {"jsonrpc": "2.0", "id": "p", "result": {}}


@pytest.mark.parametrize("method", [
    "no/such/method", "", "Ping", "ping ", "tools", "tools/Call", "resources/lists",
    "prompts/list", "logging/setLevel", "complete", "server/discover",
    "subscriptions/listen",
    "notifications/initialized", "rpc.discover", "é", "%s%n", LONG])
def test_an_unknown_method_is_not_found(gateway: LoneGateway, method: str) -> None:
    reply = gateway.post(rpc(method, id="m"))
    assert (reply.error, reply.json["id"]) == ((200, METHOD_NOT_FOUND), "m")
    assert len(reply.body) < 1000


@pytest.mark.parametrize("method", [
    "initialize", "tools/call", "resources/read", "completion/complete"])
@pytest.mark.parametrize("params", [None, []])
def test_empty_params_are_refused_where_a_method_needs_some(
        gateway: LoneGateway, method: str, params: Any) -> None:
    assert gateway.post(rpc(method, params)).error == (200, INVALID_PARAMS)


@pytest.mark.parametrize("params", [
    ABSENT, None, [], {}, {"_meta": {"progressToken": "t"}}, {"cursor": None}, {"cursor": ""}])
def test_tools_list_accepts_empty_params(gateway: LoneGateway, params: Any) -> None:
    tools = gateway.post(rpc("tools/list", params)).result["tools"]
    assert [tool["name"] for tool in tools[:2]] == ["send_sms", "get_sms_subscriptions"]


def test_tools_list_is_the_same_for_all_versions(gateway: LoneGateway) -> None:
    lists = {gateway.post(rpc("tools/list"), MCP_Protocol_Version=version).body
             for version in [None, *SERVED]}
    assert len(lists) == 1


def test_every_tool_is_fully_described(gateway: LoneGateway) -> None:
    for tool in gateway.post(rpc("tools/list")).result["tools"]:
        assert set(tool) - {"_meta"} == {"name", "title", "description", "inputSchema",
                                         "outputSchema", "annotations"}
        assert re.fullmatch("[a-z_]{1,64}", tool["name"])
        assert tool["title"]
        assert 2 <= len(re.findall(r"[.!?](?:\s|$)", tool["description"])) <= 4
        assert tool["inputSchema"]["additionalProperties"] is False
        for schema in (tool["inputSchema"], tool["outputSchema"]):
            assert schema["type"] == "object"
            assert set(schema["required"]) <= set(schema["properties"])
            assert all(field["type"] for field in schema["properties"].values())
            assert "$ref" not in json.dumps(schema)
        assert {type(hint) for hint in tool["annotations"].values()} == {bool}


def test_tools_with_a_page_name_its_uri(gateway: LoneGateway) -> None:
    """In the form of MCP Apps, and in that of early hosts."""
    pages = {tool["name"]: tool["_meta"] for tool in
             gateway.post(rpc("tools/list")).result["tools"] if "_meta" in tool}
    uri = "ui://ofono-mcp/console"
    assert set(pages) == {"send_sms", "list_sms", "list_sms_conversations",
                          "get_gateway_status"}
    for meta in pages.values():
        assert meta == {"ui": {"resourceUri": uri}, "ui/resourceUri": uri}


@pytest.mark.parametrize("name,first,required,hints", [
    ("send_sms",
     [("to_phone_number", "string"), ("sms_text", "string"),
      ("subscription_id", "integer")],
     ["to_phone_number", "sms_text"],
     {"readOnlyHint": False, "destructiveHint": True, "openWorldHint": True}),
    ("get_sms_subscriptions", [], [],
     {"readOnlyHint": True, "destructiveHint": False, "openWorldHint": False}),
])
def test_the_first_two_tools_declare_their_parameters(gateway: LoneGateway, name: str, first: list, required: list,
                             hints: dict) -> None:
    tools = gateway.post(rpc("tools/list")).result["tools"]
    tool = next(tool for tool in tools if tool["name"] == name)
    properties = tool["inputSchema"]["properties"]
    assert [(key, field["type"]) for key, field in properties.items()][:3] == first
    assert all(field["description"] for field in properties.values())
    assert tool["inputSchema"]["required"] == required
    assert hints.items() <= tool["annotations"].items()


@pytest.mark.parametrize("params", [
    ABSENT, {}, {"name": None}, {"name": 5}, {"name": ["send_sms"]},
    {"arguments": {}},
    *({"name": "send_sms", "arguments": bad} for bad in ([], [1], "x", 5, True)),
])
def test_a_call_with_wrong_params_is_refused(gateway: LoneGateway, params: Any) -> None:
    assert gateway.post(rpc("tools/call", params)).error == (200, INVALID_PARAMS)


@pytest.mark.parametrize("name", [
    "no_such_tool", "", "SEND_SMS", "send_sms ", "é", "%s%n"])
def test_an_unknown_tool_is_refused_by_name(gateway: LoneGateway, name: str) -> None:
    reply = gateway.post(call(name, {}))
    assert reply.error == (200, INVALID_PARAMS)
    assert f"Unknown tool: {name}" in reply.json["error"]["message"].replace('"', "")


def test_a_long_unknown_tool_name_is_truncated(gateway: LoneGateway) -> None:
    reply = gateway.post(call("x" * 60_000, {}))
    assert reply.error == (200, INVALID_PARAMS)
    assert len(reply.body) < 1000


TO = {"to_phone_number": "+36201234567"}
TEXT = {"sms_text": "hello"}


@pytest.mark.parametrize("tool,arguments,code,field", [
    ("send_sms", ABSENT, "invalid_arguments", "sms_text"),
    ("send_sms", None, "invalid_arguments", "sms_text"),
    ("send_sms", {}, "invalid_arguments", "sms_text"),
    ("send_sms", TEXT, "invalid_arguments", "to_phone_number"),
    ("send_sms", TO, "invalid_arguments", "sms_text"),
    ("send_sms", TEXT | {"to_phone_number": 36201234567}, "invalid_arguments",
     "to_phone_number"),
    *(("send_sms", TEXT | {"to_phone_number": bad}, "invalid_arguments",
       "to_phone_number") for bad in (None, [], False)),
    ("send_sms", TO | {"sms_text": ["hello"]}, "invalid_arguments", "sms_text"),
    ("send_sms", TO | {"sms_text": {"a": 1}}, "invalid_arguments", "sms_text"),
    ("send_sms", TO | {"sms_text": True}, "invalid_arguments", "sms_text"),
    *(("send_sms", TO | TEXT | {"subscription_id": bad}, "invalid_arguments",
       "subscription_id") for bad in ("14", 1.5, True, [], {}, 2 ** 63, -2 ** 70)),
    ("send_sms", TO | {"Sms_Text": "x"}, "invalid_arguments", '"sms_text"'),
    *(("send_sms", TEXT | {"to_phone_number": bad}, "invalid_number", "to_phone_number")
      for bad in ("", "abc", "+", "+0123456789", "+362012345678901234", "12", "+36 20 é",
                  "++36201234567", "+36201234567;+36201234568")),
    ("send_sms", TO | {"sms_text": ""}, "invalid_text", "sms_text"),
    ("send_sms", TO | {"sms_text": " \n"}, "invalid_text", "sms_text"),
    ("send_sms", TO | {"sms_text": "x" * 460}, "text_too_long", "460"),
    ("send_sms", TO | {"sms_text": "ő" * 202}, "text_too_long", "202"),
    ("send_sms", TO | {"sms_text": "x" * 60_000}, "text_too_long", "60000"),
    ("send_sms", TO | TEXT, "ofono_unavailable", "oFono"),
    ("send_sms", TO | TEXT | {"subscription_id": 14}, "ofono_unavailable", "oFono"),
])
def test_a_tool_error_names_the_argument_and_the_fix(gateway: LoneGateway, tool: str, arguments: Any, code: str,
                    field: str) -> None:
    reply = gateway.post(call(tool, arguments))
    assert reply.result["isError"] is True
    assert "structuredContent" not in reply.result
    [block] = reply.result["content"]
    facts = json.loads(block["text"])
    assert {"code", "message", "retryable", "fix"} <= set(facts)
    assert field in facts["message"] + facts["fix"]
    assert facts["message"].endswith(" Nothing was sent.") == (tool == "send_sms")
    assert facts["code"] == code
    assert facts["retryable"] == (code == "ofono_unavailable")
    assert len(reply.body) < 800


# ---- HTTP -------------------------------------------------------------------------

MCP_METHODS = {"GET", "HEAD", "POST", "DELETE", "OPTIONS"}


@pytest.mark.parametrize("method,path,status,allowed", [
    ("HEAD", "/mcp", 200, None),
    ("DELETE", "/mcp", 400, None),
    ("PUT", "/mcp", 405, MCP_METHODS),
    ("PUT", "/mcp/", 405, MCP_METHODS),
    ("PATCH", "/mcp", 405, MCP_METHODS),
    ("post", "/mcp", 405, MCP_METHODS),
    ("BREW", "/mcp", 405, MCP_METHODS),
])
def test_each_path_lists_its_allowed_methods(gateway: LoneGateway, method: str, path: str, status: int,
                 allowed: set | None) -> None:
    with gateway.wire() as wire:
        wire.send(request(method=method, path=path, headers={"Content-Type": None}))
        reply = wire.receive(head_only=method == "HEAD")
        assert reply.status == status
        assert reply.names("allow") == (allowed or {""})
        assert wire.ask(request(rpc("ping"))).result == {}      # the connection survives


@pytest.mark.parametrize("path", ["/mcp", "/mcp/", "/mcp?a=b", "/mcp/?"])
def test_equivalent_mcp_paths_are_served(gateway: LoneGateway, path: str) -> None:
    assert gateway.ask(request(rpc("ping"), path=path)).result == {}


@pytest.mark.parametrize("method", ["GET", "POST"])
@pytest.mark.parametrize("path", [
    "/mcpx", "/MCP", "/mcp/x", "/mcp//", "//mcp", "/x/mcp", "/sse", "/favicon.ico",
    "/%6dcp", "/mcp%2f", "/health"])
def test_other_paths_are_not_found(gateway: LoneGateway, method: str, path: str) -> None:
    reply = gateway.ask(request(rpc("ping"), method=method, path=path))
    assert reply.status == 404


@pytest.mark.parametrize("type,status", [
    ("application/json", 200), ("application/json; charset=utf-8", 200),
    ("application/json;charset=UTF-8", 200), ("Application/JSON", 200),
    ("application/json ; charset=utf-8", 200), ("application/json;", 200),
    ("\tapplication/json  ", 200),
    (None, 415), ("", 415), ("text/plain", 415), ("text/json", 415), ("*/*", 415),
    ("application/jsonx", 415), ("application/json-rpc", 415), ("json", 415),
    ("application/x-www-form-urlencoded", 415), ("application/json, text/plain", 415),
    ("multipart/form-data; boundary=x", 415), ("text/plain; application/json", 415),
])
def test_only_json_content_is_accepted(gateway: LoneGateway, type: str | None, status: int) -> None:
    assert gateway.post(rpc("ping"), Content_Type=type).status == status


@pytest.mark.parametrize("accept", [
    None, "", "*/*", "application/json", "text/event-stream", "text/html", "q=;,,/",
    "text/event-stream, application/json;q=0.1"])
def test_accept_does_not_matter(gateway: LoneGateway, accept: str | None) -> None:
    reply = gateway.post(rpc("ping"), Accept=accept)
    assert reply.result == {}
    assert reply.header("content-type") == "application/json"


@pytest.mark.parametrize("data,status", [
    (request(initialize(NEWEST)), 200),
    (request(rpc("tools/list")), 200),
    (request(rpc("notifications/initialized", id=ABSENT)), 202),
    (request(b"{"), 400),
    (request(rpc("ping"), {"Origin": "https://evil.example"}), 403),
    (request(rpc("ping"), path="/nowhere"), 404),
    (request(method="PUT"), 405),
    (request(rpc("ping"), {"Content-Type": "text/plain"}), 415),
    (request(method="GET", path="/healthz"), 200),
])
def test_replies_carry_only_necessary_headers(gateway: LoneGateway, data: bytes, status: int) -> None:
    with gateway.wire() as wire:
        reply = wire.ask(data)
        assert (reply.version, reply.status) == ("HTTP/1.1", status)
        assert len(reply.body) == int(reply.header("content-length"))
        if reply.body:
            assert reply.header("content-type") == "application/json"
            assert reply.json
        noise = {"server", "set-cookie", "x-powered-by", "etag",
                 "access-control-allow-origin"}
        assert noise.isdisjoint(name for name, _ in reply.headers)
        if reply.header("connection").lower() == "keep-alive":
            assert wire.ask(request(rpc("ping"))).result == {}


def test_a_connection_is_closed_on_request(gateway: LoneGateway) -> None:
    with gateway.wire() as wire:
        reply = wire.ask(request(rpc("ping"), {"Connection": "close"}))
        assert (reply.result, reply.header("connection").lower()) == ({}, "close")
        assert wire.wait_closed() == b""


@pytest.mark.parametrize("headers,kept", [
    ({"Host": None}, False), ({}, False), ({"Connection": "keep-alive"}, True)])
def test_http_1_0_connections_close_unless_kept_alive(gateway: LoneGateway, headers: dict, kept: bool) -> None:
    data = request(rpc("ping"), headers, version="HTTP/1.0")
    with gateway.wire() as wire:
        assert wire.ask(data).result == {}
        if kept:
            assert wire.ask(data).result == {}
        else:
            with pytest.raises(Closed):
                wire.receive()


@pytest.mark.parametrize("expectation", ["100-continue", "100-Continue"])
def test_expect_continue_is_answered(gateway: LoneGateway, expectation: str) -> None:
    body = rpc("ping")
    with gateway.wire() as wire:
        wire.send(request(headers={"Expect": expectation,
                                   "Content-Length": str(len(body))}))
        assert wire.receive().status == 100
        assert wire.ask(body).result == {}


def test_pipelined_requests_of_all_kinds_keep_their_order(gateway: LoneGateway) -> None:
    kinds = [(request(rpc("ping")), 200), (request(b"{"), 400),
             (request(rpc("notifications/x", id=ABSENT)), 202),
             (request(method="GET", path="/healthz"), 200),
             (request(method="PUT"), 405), (request(rpc("tools/list")), 200),
             (request(rpc("tools/call")), 200), (request(method="GET", path="/no"), 404)]
    with gateway.wire() as wire:
        wire.send(b"".join(data for data, _ in kinds))
        assert [wire.receive().status for _ in kinds] == [status for _, status in kinds]
