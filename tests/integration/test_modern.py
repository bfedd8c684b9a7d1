# SPDX-License-Identifier: GPL-2.0-or-later
"""MCP 2026-07-28: envelopes, headers, results, errors, and what a disconnect means."""

from __future__ import annotations

import base64
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta, timezone
from typing import Any

import pytest

from agent import TO, Agent
from journal import Journal
from lab import Lab
from lone_gateway import LoneGateway
from modem import Outcome
from modern import (CLIENT, HEADER_MISMATCH, INVALID_PARAMS, METHOD_NOT_FOUND, PREFIX,
                    UNSUPPORTED_VERSION, VERSION, Request, call)
from wire import ABSENT, Number, Reply, Wire, request, rpc

TRANSPORTS = ["http", "https"]
DISCOVER, LIST = Request("server/discover"), Request("tools/list")
SUBSCRIPTIONS = call("get_sms_subscriptions", {})
REMOVED = ["initialize", "ping", "logging/setLevel", "resources/subscribe",
           "resources/unsubscribe"]
NOT_SERVED = ["tasks/result", "tasks/list", "prompts/list", "prompts/get", "no/such/method",
              "sampling/createMessage", "Tools/list", "tools/list/", ""]


def ask(gateway: LoneGateway, request: Request) -> Reply:
    return gateway.ask(request.octets)


# ---- results ----------------------------------------------------------------------

@pytest.mark.parametrize("request_", [DISCOVER, LIST, SUBSCRIPTIONS, call("send_sms", {})],
                         ids=lambda request: request.params.get("name", request.method))
def test_every_result_names_its_type_and_the_server(gateway: LoneGateway, request_: Request) -> None:
    reply = ask(gateway, request_)
    assert reply.result["resultType"] == "complete"
    assert "serverInfo" not in reply.result
    server = reply.result["_meta"][PREFIX + "serverInfo"]
    assert server["name"] == "ofono-mcp" and server["version"] and server["title"]
    assert {"mcp-session-id", "mcp-protocol-version"}.isdisjoint(dict(reply.headers))
    assert reply.header("content-type") == "application/json"


def test_discover_describes_the_server(gateway: LoneGateway) -> None:
    result = ask(gateway, DISCOVER).result
    assert result["supportedVersions"] == [VERSION]
    assert isinstance(result["capabilities"]["tools"]["listChanged"], bool)
    assert result["instructions"]
    assert set(result) == {"resultType", "supportedVersions", "capabilities",
                           "instructions", "ttlMs", "cacheScope", "_meta"}


@pytest.mark.parametrize("request_,ttl_ms", [(DISCOVER, 3_600_000), (LIST, 300_000)],
                         ids=["discover", "list"])
def test_discovery_and_lists_carry_cache_hints(gateway: LoneGateway, request_: Request, ttl_ms: int) -> None:
    result = ask(gateway, request_).result
    assert (result["ttlMs"], result["cacheScope"]) == (ttl_ms, "private")


@pytest.mark.parametrize("request_", [SUBSCRIPTIONS, call("send_sms", {})])
def test_calls_carry_no_cache_hints(gateway: LoneGateway, request_: Request) -> None:
    assert {"ttlMs", "cacheScope"}.isdisjoint(ask(gateway, request_).result)


def test_both_eras_list_and_call_the_same(gateway: LoneGateway) -> None:
    modern = ask(gateway, LIST).result
    assert modern["tools"] == gateway.post(rpc("tools/list")).result["tools"]
    legacy = gateway.post(rpc("tools/call", SUBSCRIPTIONS.params)).result
    assert legacy.items() <= ask(gateway, SUBSCRIPTIONS).result.items()
    assert set(legacy) == {"content", "structuredContent"}


@pytest.mark.parametrize("id", [0, -1, "", "d1", 2 ** 63, 10 ** 40, 'é"\\'])
@pytest.mark.parametrize("request_", [LIST, Request("ping"), LIST.claiming("v999.0.0"),
                                      LIST.header(Mcp_Method=None)],
                         ids=["result", "unknown", "version", "header"])
def test_the_request_id_is_echoed(gateway: LoneGateway, request_: Request, id: Any) -> None:
    asked = Request(request_.method, id=id, meta_members=request_.meta_members,
                    changed=request_.changed)
    echoed = ask(gateway, asked).json["id"]
    assert echoed == (Number(id) if isinstance(id, int) else id)


@pytest.mark.parametrize("cursor", [" ", "x", "0", 5, {}, False])
def test_an_unknown_cursor_is_refused(gateway: LoneGateway, cursor: Any) -> None:
    """No list has a second page, so no cursor was ever returned."""
    assert "nextCursor" not in ask(gateway, LIST).result
    asked = Request("tools/list", {"cursor": cursor})
    assert ask(gateway, asked).error == (200, INVALID_PARAMS)
    legacy = gateway.post(rpc("tools/list", {"cursor": cursor}))
    assert legacy.error == (200, INVALID_PARAMS)


@pytest.mark.parametrize("cursor", ["", None])
@pytest.mark.parametrize("method,rows", [
    ("tools/list", "tools"), ("resources/list", "resources"),
    ("resources/templates/list", "resourceTemplates"), ("events/list", "events")])
def test_an_empty_cursor_is_the_first_page(
        gateway: LoneGateway, method: str, rows: str, cursor: Any) -> None:
    assert ask(gateway, Request(method, {"cursor": cursor})).result[rows] == \
        ask(gateway, Request(method)).result[rows]


@pytest.mark.parametrize("request_", [
    call("no_such_tool", {}), call(""), Request("tools/call"), call(5),
    call("send_sms", []), call("send_sms", "x")])
def test_wrong_params_are_refused(gateway: LoneGateway, request_: Request) -> None:
    assert ask(gateway, request_).error == (200, INVALID_PARAMS)


@pytest.mark.parametrize("method", REMOVED + NOT_SERVED)
def test_removed_methods_are_not_found(gateway: LoneGateway, method: str) -> None:
    reply = ask(gateway, Request(method, {"protocolVersion": "2025-11-25", "uri": "x"}))
    assert reply.error == (404, METHOD_NOT_FOUND)


# ---- the envelope -----------------------------------------------------------------

@pytest.mark.parametrize("members,named", [
    ({"protocolVersion": ABSENT}, ["protocolVersion"]),
    ({"clientCapabilities": ABSENT}, ["clientCapabilities"]),
    ({"protocolVersion": ABSENT, "clientCapabilities": ABSENT},
     ["protocolVersion", "clientCapabilities"]),
    *(({"protocolVersion": bad}, ["protocolVersion"]) for bad in (5, None, True, [], {})),
    *(({"clientCapabilities": bad}, ["clientCapabilities"])
      for bad in (None, [], "x", 5, {"elicitation": True}, {"extensions": []})),
    *(({"clientInfo": bad}, ["clientInfo"])
      for bad in (None, [], "x", {}, {"name": "x"}, {"name": 5, "version": "1"})),
    *(({"logLevel": bad}, ["logLevel"]) for bad in ("loud", "", 5, None)),
])
def test_a_malformed_envelope_is_refused(gateway: LoneGateway, members: dict[str, Any],
                             named: list[str]) -> None:
    reply = ask(gateway, LIST.meta(**members))
    assert reply.error == (400, INVALID_PARAMS)
    for name in named:
        assert PREFIX + name in reply.json["error"]["message"]


@pytest.mark.parametrize("meta", [ABSENT, None, 5, "x", [], {}])
def test_a_missing_envelope_names_its_required_members(gateway: LoneGateway, meta: Any) -> None:
    reply = ask(gateway, Request("server/discover", meta_members=meta))
    assert reply.error == (400, INVALID_PARAMS)
    assert PREFIX + "protocolVersion" in reply.json["error"]["message"]
    assert PREFIX + "clientCapabilities" in reply.json["error"]["message"]


@pytest.mark.parametrize("members", [
    {"clientInfo": ABSENT}, {"clientInfo": CLIENT | {"title": "Test", "icons": []}},
    {"clientCapabilities": {"elicitation": {}, "sampling": {"tools": {}}, "newer": 5}},
    {"logLevel": "debug"}, {"somethingNew": [1]},
])
def test_a_valid_envelope_is_accepted(gateway: LoneGateway, members: dict[str, Any]) -> None:
    assert ask(gateway, LIST.meta(**members)).result["tools"]


@pytest.mark.parametrize("token,good", [("t", True), (0, True), ("", True), (1.5, False),
                                        (None, False), ([], False)])
def test_a_progress_token_is_a_string_or_an_integer(gateway: LoneGateway, token: Any, good: bool) -> None:
    meta = LIST.meta_members | {"progressToken": token, "traceparent": "00-x-y-01"}
    reply = ask(gateway, Request("tools/list", meta_members=meta))
    assert reply.status == (200 if good else 400)


# ---- headers ----------------------------------------------------------------------

def wrapped(text: str) -> str:
    return f"=?base64?{base64.b64encode(text.encode()).decode()}?="


NAME = "get_sms_subscriptions"


@pytest.mark.parametrize("headers", [
    {"Mcp_Name": f"  {NAME}\t"}, {"Mcp_Name": wrapped(NAME)}, {"Mcp_Name": [NAME] * 2},
    {"Mcp_Method": "\ttools/call "}, {"Mcp_Method": ["tools/call"] * 3},
    {"MCP_Protocol_Version": f" {VERSION} "}, {"MCP_Protocol_Version": [VERSION] * 2},
    {"MCP_Protocol_Version": f"{VERSION}, {VERSION}"},
    {"MCP_Protocol_Version": f"{VERSION},{VERSION},{VERSION}"},
    {"MCP_Protocol_Version": None, "mcp_protocol_version": VERSION},
    {"Mcp_Session_Id": "stale"}, {"Last_Event_ID": "7"}, {"Mcp_Param_Sim": "1"},
    {"Accept": "application/json"}, {"Accept": "*/*"}, {"Accept": None},
])
def test_equivalent_headers_are_accepted(gateway: LoneGateway, headers: dict[str, Any]) -> None:
    reply = ask(gateway, SUBSCRIPTIONS.header(**headers))
    assert reply.result["structuredContent"] == {"count": 0, "subscriptions": []}
    assert reply.header("mcp-session-id") is None


@pytest.mark.parametrize("headers", [
    {"Mcp_Name": None}, {"Mcp_Name": ""}, {"Mcp_Name": "send_sms"},
    {"Mcp_Name": NAME.upper()}, {"Mcp_Name": [NAME, "send_sms"]},
    {"Mcp_Name": f"{NAME}, send_sms"}, {"Mcp_Name": f"{NAME},"},
    {"Mcp_Name": f"{NAME}, {NAME}"}, {"Mcp_Name": f"{wrapped(NAME)},{wrapped(NAME)}"},
    {"Mcp_Name": wrapped(NAME)[:-3] + "?="}, {"Mcp_Name": wrapped(NAME).upper()},
    {"Mcp_Name": wrapped(NAME)[:-2]}, {"Mcp_Name": wrapped(NAME + " ")},
    {"Mcp_Name": f"=?base64?{NAME}?="}, {"Mcp_Name": [NAME, wrapped(NAME)]},
    {"Mcp_Name": NAME + "\xe9"},
    {"Mcp_Method": None}, {"Mcp_Method": ""}, {"Mcp_Method": "tools/list"},
    {"Mcp_Method": "TOOLS/CALL"}, {"Mcp_Method": ["tools/call", "tools/list"]},
    {"Mcp_Method": "tools/call;x=1"}, {"Mcp_Method": "tools/call, tools/call"},
    {"MCP_Protocol_Version": None}, {"MCP_Protocol_Version": [VERSION, "2025-11-25"]},
    {"MCP_Protocol_Version": f"{VERSION}, 2025-11-25"}, {"MCP_Protocol_Version": ""},
    {"MCP_Protocol_Version": f'"{VERSION}"'}, {"MCP_Protocol_Version": "\xfc"},
])
def test_headers_that_contradict_the_body_are_refused(gateway: LoneGateway, headers: dict[str, Any]) -> None:
    reply = ask(gateway, SUBSCRIPTIONS.header(**headers))
    assert reply.error == (400, HEADER_MISMATCH)
    assert next(iter(headers)).replace("_", "-").lower() in (
        reply.json["error"]["message"].lower())


def test_a_tool_name_beyond_ascii_is_sent_in_base64(gateway: LoneGateway) -> None:
    """Encoded in base64, it matches the body; the call then says that there is no such tool."""
    asked = call("é,=?base64?x?=").header(Mcp_Name=wrapped("é,=?base64?x?="))
    assert ask(gateway, asked).error == (200, INVALID_PARAMS)


def test_the_name_header_is_ignored_where_none_is_needed(gateway: LoneGateway) -> None:
    assert ask(gateway, LIST.header(Mcp_Name="anything")).result["tools"]


@pytest.mark.parametrize("request_,status,code", [
    # each is wrong in two ways; the error names the first
    (LIST.meta(protocolVersion="v9", clientCapabilities=ABSENT), 400, HEADER_MISMATCH),
    (LIST.claiming("v9").meta(clientCapabilities=ABSENT), 400, UNSUPPORTED_VERSION),
    (LIST.claiming("v9").header(Mcp_Method=None), 400, UNSUPPORTED_VERSION),
    (LIST.meta(clientCapabilities=ABSENT).header(Mcp_Method=None), 400, INVALID_PARAMS),
    (Request("ping").meta(clientCapabilities=ABSENT), 400, INVALID_PARAMS),
    (Request("ping").header(Mcp_Method="x"), 400, HEADER_MISMATCH),
    (call("nope").header(Mcp_Name="x"), 400, HEADER_MISMATCH),
])
def test_errors_are_checked_in_a_fixed_order(gateway: LoneGateway, request_: Request, status: int,
                             code: int) -> None:
    assert ask(gateway, request_).error == (status, code)


# ---- what is no request -----------------------------------------------------------

def test_both_eras_share_a_connection_without_state(gateway: LoneGateway) -> None:
    """Requests of both eras alternate on one connection, and neither affects the other."""
    with gateway.wire() as wire:
        for _ in range(3):
            assert wire.ask(LIST.octets).result["resultType"] == "complete"
            legacy = wire.ask(request(rpc("tools/list"))).result
            assert set(legacy) == {"tools"}
            assert wire.ask(Request("ping").octets).status == 404
            assert wire.ask(request(rpc("ping"))).result == {}


# ---- a client that leaves ---------------------------------------------------------

def send(text: str, sim: int, **more: Any) -> Request:
    return call("send_sms", {"to_phone_number": TO, "sms_text": text,
                             "subscription_id": sim} | more)


class Behind:
    """with Behind(lab): a message in progress blocks the first SIM's queue."""

    def __init__(self, lab: Lab, background: ThreadPoolExecutor) -> None:
        self.modem, self.agent = lab.modems[0], Agent(lab)
        self.sim = self.agent.ids()[0]
        self._background = background

    def __enter__(self) -> Behind:
        self.modem.plan(Outcome.hang())
        self._head = self._background.submit(self.agent.send, "the head", self.sim)
        self.modem.wait_offered(1)
        return self

    def __exit__(self, *_: object) -> None:
        self.modem.unhang(Outcome.ok())
        assert not self._head.result().is_error


def wait_noticed(lab: Lab, journal: Journal, sim: int, text: str) -> None:
    """Waits until the gateway has noticed earlier disconnects: it sees them in order."""
    with Wire(lab.gateway.port) as wire:
        wire.send(send(text, sim).octets)
        journal.wait_state(text, "queued")
    journal.wait_state(text, "cancelled")


def test_disconnecting_cancels_a_queued_message(
        lab: Lab, journal: Journal, background: ThreadPoolExecutor) -> None:
    with Behind(lab, background) as behind:
        with Wire(lab.gateway.port) as wire:
            wire.send(send("taken back", behind.sim).octets)
            journal.wait_state("taken back", "queued")
        journal.wait_state("taken back", "cancelled")
    assert [submit.text for submit in lab.modems[0].wait_taken(1)] == ["the head"]


def test_disconnecting_does_not_recall_a_submitted_message(lab: Lab, journal: Journal) -> None:
    modem, sim = lab.modems[0], Agent(lab).ids()[0]
    modem.plan(Outcome.hang())
    try:
        with Wire(lab.gateway.port) as wire:
            wire.send(send("on its way", sim).octets)
            modem.wait_offered(1)
    finally:
        modem.unhang(Outcome.ok())
    journal.wait_state("on its way", "sent")


def test_a_legacy_disconnect_cancels_nothing(
        lab: Lab, journal: Journal, background: ThreadPoolExecutor) -> None:
    with Behind(lab, background) as behind:
        with Wire(lab.gateway.port) as wire:
            arguments = send("goes on", behind.sim).params
            wire.send(request(rpc("tools/call", arguments)))
            journal.wait_state("goes on", "queued")
        wait_noticed(lab, journal, behind.sim, "left after it")
        assert journal.states("goes on") == ["queued"]
    journal.wait_state("goes on", "sent")


@pytest.mark.parametrize("key", [{"idempotency_key": "again"}, {}], ids=["key", "no key"])
def test_a_call_repeated_after_a_disconnect_sends_once(
        lab: Lab, journal: Journal, background: ThreadPoolExecutor,
        key: dict[str, str]) -> None:
    """A client of 2026-07-28 must repeat its call after a lost connection."""
    text = f"once {key}"
    with Behind(lab, background) as behind:
        with Wire(lab.gateway.port) as wire:
            wire.send(send(text, behind.sim, **key).octets)
            journal.wait_state(text, "queued")
        journal.wait_state(text, "cancelled")
        again = background.submit(send(text, behind.sim, **key).ask, lab.gateway.port)
        journal.wait_state(text, "queued")
    facts = again.result().result["structuredContent"]
    assert facts["state"] == "sent" and "replayed" not in facts and "duplicate" not in facts
    assert [submit.text for submit in lab.modems[0].taken].count(text) == 1


def test_a_repeated_call_keeps_the_message_queued(
        lab: Lab, journal: Journal, background: ThreadPoolExecutor) -> None:
    """The client repeats the call before the gateway noticed the disconnect."""
    with Behind(lab, background) as behind:
        asked = send("asked twice", behind.sim, idempotency_key="twice")
        with Wire(lab.gateway.port) as wire:
            wire.send(asked.octets)
            journal.wait_state("asked twice", "queued")
            hasty = send("asked twice", behind.sim, idempotency_key="twice", wait_seconds=0)
            facts = hasty.ask(lab.gateway.port).result["structuredContent"]
            assert (facts["state"], facts["replayed"]) == ("queued", True)
        wait_noticed(lab, journal, behind.sim, "left after the repeat")
        assert journal.states("asked twice") == ["queued"]
        again = background.submit(asked.ask, lab.gateway.port)
    assert again.result().result["structuredContent"]["state"] == "sent"
    assert [submit.text for submit in lab.modems[0].taken].count("asked twice") == 1


def test_disconnecting_keeps_an_answered_scheduled_message(lab: Lab, journal: Journal) -> None:
    """A scheduled message was already answered: only cancel_sms stops it."""
    with Wire(lab.gateway.port) as wire:
        sim = Agent(lab).ids()[0]
        soon = datetime.now(timezone.utc) + timedelta(minutes=5)
        reply = wire.ask(send("later", sim, send_at=soon.isoformat()).octets)
        message_id = reply.result["structuredContent"]["message_id"]
    assert Request("server/discover").ask(lab.gateway.port).status == 200
    assert journal.states("later") == ["scheduled"]
    assert not Agent(lab).call("cancel_sms", message_id=message_id).is_error
