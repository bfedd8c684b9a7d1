# SPDX-License-Identifier: GPL-2.0-or-later
"""What an agent may see and do: the scopes that the owner gave its client."""

from __future__ import annotations

import json
import math
import re
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import Any

import pytest

from agent import TO, pair
from events import Events
from lab import Lab
from lab.gateway import Gateway
from ledger import Ledger
from lone_gateway import LoneGateway
from modem.patience import patience
from modern import Request, call
from owner import Owner
from wire import Reply, Wire, request, rpc

SCOPES = {"read": 1, "send": 2, "codes": 4, "ussd": 8, "admin": 16, "metrics": 32,
          "call": 64, "events": 128, "hub": 256}
PROJECT = Path(__file__).resolve().parents[2]
NAMES = re.findall(r"^\trow\((\w+)\)", (PROJECT / "include/tools/tool_table.h").read_text(),
                   re.MULTILINE)
# Offered only if the configuration allows something.
OFF = ["send_ussd", "place_call", "hang_up"]


def needed(tool: str) -> str:
    """The scopes that its source names."""
    found = re.search(r"^\t\.scopes = ([\w |]+),", (PROJECT / f"src/tools/{tool}.c").read_text(),
                      re.MULTILINE)
    assert found, tool
    return found[1].replace("CLIENT_", "").lower()


NEEDED = {tool: needed(tool) for tool in NAMES if tool not in OFF}
SENDING = [tool for tool, scopes in NEEDED.items() if scopes == "send"]
READING = [tool for tool, scopes in NEEDED.items() if scopes == "read"]
ALL = [tool for tool in NEEDED if tool in SENDING + READING]
DECIDING = ["list_approvals", "decide_approval"]
URI = {"uri": "sms://inbox"}
REFUSED = -32000


class Client:
    def __init__(self, gateway: Gateway, name: str, *scopes: str) -> None:
        self.gateway = gateway
        self.name = name
        self.authorization = f"Bearer {pair(gateway, name)}"
        self._begin_with(scopes)

    def _begin_with(self, scopes: tuple[str, ...]) -> None:
        """Also with no scope, which the owner cannot choose; the gateway has not seen this
        client yet."""
        bits = sum(SCOPES[scope] for scope in scopes)
        with closing(sqlite3.connect(self.gateway.state / "gateway.db")) as ledger, ledger:
            ledger.execute("UPDATE client SET scopes = ? WHERE name = ?", (bits, self.name))

    def give(self, *scopes: str) -> None:
        Owner(self.gateway.state).do("change", "--scope", ",".join(scopes), self.name)

    def ask(self, method: str, params: Any = None, **headers: str) -> Reply:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        with Wire(self.gateway.port) as wire:
            return wire.ask(request(rpc(method, params or {}),
                                    {"Authorization": self.authorization} | named))

    def ask_modern(self, method: str, **params: Any) -> Reply:
        asked = Request(method, params).header(Authorization=self.authorization)
        if "uri" in params:
            asked = asked.header(Mcp_Name=params["uri"])
        return asked.ask(self.gateway.port)

    def call(self, name: str, **arguments: Any) -> Reply:
        return self.ask("tools/call", {"name": name, "arguments": arguments})

    @property
    def tools(self) -> list[str]:
        listed = [[tool["name"] for tool in reply.result["tools"]] for reply in (
            self.ask("tools/list"), self.ask_modern("tools/list"))]
        assert listed[0] == listed[1]
        return listed[0]

    @property
    def resources(self) -> list[str]:
        plain = self.ask("resources/list").result["resources"]
        templates = self.ask("resources/templates/list").result["resourceTemplates"]
        return [row["uri"] for row in plain] + [row["uriTemplate"] for row in templates]

    def events(self, **headers: str) -> Events:
        return Events(self.gateway.port, Authorization=self.authorization, **headers)


@pytest.fixture
def name(request: pytest.FixtureRequest) -> str:
    """The name of a client for this test only."""
    return "client-" + "".join(filter(str.isalnum, request.node.name))[:50]


def assert_refused(reply: Reply, scope: str) -> str:
    """By the tool: with another status some clients would begin OAuth. Returns the message."""
    assert reply.header("www-authenticate") is None
    assert reply.result["isError"] is True
    told = json.loads(reply.result["content"][0]["text"])
    assert told["code"] == "insufficient_scope" and scope in told["message"]
    return told["message"]


def assert_forbidden(reply: Reply, scope: str) -> str:
    """Returns the message of the error."""
    assert reply.error == (200, REFUSED)
    assert reply.header("www-authenticate") is None
    error = reply.json["error"]
    assert error["data"] == {"error": "insufficient_scope", "scope": scope}
    assert reply.json["id"] == "1"
    return error["message"]


# ---- lists

@pytest.mark.parametrize("scopes, tools", [
    ([], []), (["read"], READING), (["send"], SENDING), (["read", "send"], ALL),
    (["codes", "ussd", "admin", "metrics"], []), (["read", "admin"], READING + DECIDING),
    (list(SCOPES), ALL + DECIDING + ["list_changes"]),
], ids=lambda value: "-".join(value) or "none")
def test_lists_show_only_what_the_scopes_allow(
        guarded: LoneGateway, name: str, scopes: list[str], tools: list[str]) -> None:
    client = Client(guarded, name, *scopes)
    assert client.tools == tools
    assert client.tools == tools        # unchanged
    page = client.resources.index("ui://ofono-mcp/console")     # shows nothing of the phone
    assert (page, len(client.resources)) == ((6, 9) if "read" in scopes else (0, 1))


def test_the_metrics_scope_alone_gives_no_access_to_mcp(guarded: LoneGateway, name: str) -> None:
    client = Client(guarded, name, "metrics")
    for reply in (client.ask("tools/list"), client.ask("ping"), client.ask("initialize"),
                  client.ask_modern("server/discover")):
        assert reply.status == 403 and b"scope" in reply.body
        wanted = reply.header("www-authenticate") or ""
        assert 'error="insufficient_scope"' in wanted and "metrics" not in wanted


def test_changed_scopes_apply_from_the_next_request(guarded: LoneGateway, name: str) -> None:
    client = Client(guarded, name, "read", "send")
    assert client.tools == ALL
    client.give("read")
    assert client.tools == READING
    assert_refused(client.call("cancel_sms", message_id="1"), "send")
    client.give("read", "send")
    assert client.tools == ALL
    assert client.call("cancel_sms", message_id="1").result["isError"] is True


def test_open_mode_grants_every_scope_but_admin(gateway: LoneGateway) -> None:
    listed = gateway.post(rpc("tools/list")).result["tools"]
    assert [tool["name"] for tool in listed] == ALL
    assert gateway.post(rpc("resources/read", URI)).result["contents"]
    for tool in ALL:
        arguments = {"timeout_seconds": 1} if tool == "wait_for_sms" else {}
        assert call(tool, arguments).ask(gateway.port).status == 200


# ---- calls

@pytest.mark.parametrize("tool", ALL)
def test_a_call_without_its_scope_is_refused(guarded: LoneGateway, name: str, tool: str) -> None:
    scope = NEEDED[tool]
    client = Client(guarded, name, *(set(SCOPES) - {scope}))
    assert_refused(client.call(tool), scope)
    asked = call(tool, {}).header(Authorization=client.authorization)
    assert_refused(asked.ask(guarded.port), scope)


def test_a_refusal_says_how_to_grant_the_scope(guarded: LoneGateway, name: str) -> None:
    client = Client(guarded, name, "read")
    said = assert_refused(client.call("send_sms"), "send")
    assert said.startswith("send_sms needs the scope send, ")
    assert f"(ofono-mcp client set {name} --scope read,send)" in said


def test_unknown_names_are_unknown_without_any_scope(guarded: LoneGateway, name: str) -> None:
    client = Client(guarded, name)
    assert client.call("no_such_tool").error == (200, -32602)
    assert client.ask("resources/read", {"uri": "sms://nothing"}).error == (200, -32002)


def test_a_refusal_names_no_authorization_server(guarded: LoneGateway, name: str) -> None:
    reply = Client(guarded, name, "read").call("send_sms")
    assert b"resource_metadata" not in reply.body
    assert "resource_metadata" not in (reply.header("www-authenticate") or "")


# ---- sessions and streams

def begin(client: Client) -> str:
    hello = {"protocolVersion": "2025-11-25", "capabilities": {},
             "clientInfo": {"name": "t", "version": "1"}}
    id = client.ask("initialize", hello).header("mcp-session-id")
    assert id
    return id


def test_a_refusal_ends_neither_session_nor_stream(guarded: LoneGateway, name: str) -> None:
    """A refusal ends nothing."""
    client = Client(guarded, name, "send")
    id = begin(client)
    with client.events(Mcp_Session_Id=id) as events:
        events.wait_comment()
        assert_forbidden(client.ask("resources/subscribe", URI, Mcp_Session_Id=id), "read")
        assert client.ask("ping", Mcp_Session_Id=id).result == {}
        assert events.poll(0.2) is None or not events.ended
        assert not events.closed


LIST_CHANGED = "notifications/tools/list_changed"
QUIET_S = 0.3


def listen(client: Client) -> Events:
    asked = Request("subscriptions/listen", {"notifications": {
        "toolsListChanged": True, "resourceSubscriptions": ["sms://inbox"]}})
    headers = asked.headers | {"Authorization": client.authorization}
    stream = Events(client.gateway.port, asked.body, **headers)
    assert stream.next_message().method == "notifications/subscriptions/acknowledged"
    return stream


@contextmanager
def streams(client: Client) -> Iterator[list[Events]]:
    """One of each kind: of 2026, of a session, without a session."""
    with ExitStack() as opened:
        kinds = [opened.enter_context(stream) for stream in (
            listen(client), client.events(Mcp_Session_Id=begin(client)), client.events())]
        for stream in kinds[1:]:
            stream.wait_comment()
        yield kinds


def told(stream: Events) -> list[str | None]:
    """What it receives within a moment, or before it ends."""
    events = []
    while event := stream.poll(QUIET_S):
        if event.fields.get("data"):
            events.append(event.method)
    return events


@pytest.mark.parametrize("command", [["change", "--scope", "send"], ["revoke"]],
                         ids=lambda words: words[0])
def test_fewer_scopes_are_announced_before_streams_end(
        guarded: LoneGateway, name: str, command: list[str]) -> None:
    client = Client(guarded, name, "read", "send")
    other = Client(guarded, name + "2", "read", "send")
    with streams(client) as own, streams(other) as others:
        Owner(guarded.state).do(*command, name)
        for stream in own:
            assert stream.next_message().method == LIST_CHANGED
            stream.wait_end()
            assert stream.ended                             # complete, not cut off
        assert [told(stream) for stream in others] == [[], [], []]


def test_updates_end_when_the_read_scope_is_removed(make_lab: Callable[..., Lab]) -> None:
    lab = make_lab(modem_count=1, gateway_open=False)
    client = Client(lab.gateway, "laptop", "read", "send")
    id = begin(client)
    assert client.ask("resources/subscribe", URI, Mcp_Session_Id=id).result == {}
    other = Client(lab.gateway, "another", "read")
    with listen(other) as heard:
        Owner(lab.gateway.state).do("change", "--scope", "send", "laptop")
        with client.events(Mcp_Session_Id=id) as session, listen(client) as modern:
            lab.modems[0].deliver(TO, "for readers")
            Ledger(lab).wait(1)
            assert heard.next_message().uri == "sms://inbox"
            assert set(told(session)) <= {LIST_CHANGED} and told(modern) == []
        Owner(lab.gateway.state).do("change", "--scope", "read,send", "laptop")
        with client.events(Mcp_Session_Id=id) as session:       # it must subscribe again
            lab.modems[0].deliver(TO, "again for readers")
            Ledger(lab).wait(2)
            assert set(told(session)) <= {LIST_CHANGED}


def test_a_kept_reply_ends_when_the_read_scope_is_removed(guarded: LoneGateway, name: str) -> None:
    """A call with a lost connection goes on, unless its client lost the scope."""
    wait_s = math.ceil(patience(1.5))
    client = Client(guarded, name, "read", "send")
    session = {"Authorization": client.authorization, "Mcp_Session_Id": begin(client)}
    body = rpc("tools/call", {"name": "wait_for_sms", "_meta": {"progressToken": "w"},
                              "arguments": {"timeout_seconds": wait_s}})
    with Events(guarded.port, body, **session) as waiting:
        last = waiting.next_message()
        assert last.method == "notifications/progress" and last.id
        Owner(guarded.state).do("change", "--scope", "send", name)
        assert not any("result" in event.message for event in waiting.wait_end()
                       if event.fields.get("data"))
    with client.events(Mcp_Session_Id=session["Mcp_Session_Id"],
                       Last_Event_ID=last.id) as again:
        while event := again.poll(2):           # the call would be over by then
            assert not event.fields.get("data") or event.method == LIST_CHANGED
