# SPDX-License-Identifier: GPL-2.0-or-later
"""Real MCP clients: each lists, calls, gets errors, receives progress and changes, and
survives a restart."""

from __future__ import annotations

import json
import signal
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from agent import TO, Agent
from lab import Lab
from npm import Npm
from talk import Refused, Talk

LEGACY, MODERN = "2025-11-25", "2026-07-28"
VERSIONS = {"sdk-1": None, "sdk-2-legacy": LEGACY, "sdk-2-auto": MODERN,
            "sdk-2-modern": MODERN, "mcp-remote": None,         # None: it does not say
            "stdio-sdk-1": None, "stdio-sdk-2-legacy": LEGACY, "stdio-sdk-2-auto": MODERN}
ERAS = {"legacy", "auto", "modern"}
INVALID_PARAMS = -32602
CROWD = 50
SENDER, INBOX = "+36209876543", "sms://inbox"
UPDATED = "notifications/resources/updated"
TOOLS_CHANGED = "notifications/tools/list_changed"
TEXTS = (f"hello {number}" for number in count())      # an equal one would be a repeat
INSPECTOR = "@modelcontextprotocol/inspector/clients/launcher/build/index.js"


@pytest.fixture(scope="module", params=VERSIONS)
def client(request: pytest.FixtureRequest, npm: Npm, lab: Lab,
           tmp_path_factory: pytest.TempPathFactory) -> Iterator[Talk]:
    url = f"http://127.0.0.1:{lab.gateway.port}/mcp"
    with Talk(npm, tmp_path_factory.mktemp("home"), request.param, url) as client:
        assert client.greeting["server"] == "ofono-mcp"
        assert client.greeting["version"] == VERSIONS[request.param]
        yield client


def test_a_client_lists_tools_and_resources(client: Talk, lab: Lab) -> None:
    with lab.client() as raw:
        names = [tool["name"] for tool in raw.call("tools/list").result["tools"]]
    assert [tool["name"] for tool in client.list()] == names


def test_a_client_calls_tools(client: Talk, lab: Lab) -> None:
    subscriptions = client.call("get_sms_subscriptions")["structuredContent"]
    assert subscriptions["count"] == 2
    sim = subscriptions["subscriptions"][1]["subscription_id"]
    result = client.call("send_sms", to_phone_number=TO, sms_text="from a real client",
                         subscription_id=sim)
    assert result["content"][0]["text"].startswith(f"SMS sent to {TO}")
    assert result["structuredContent"]["state"] == "sent"
    assert lab.modems[1].taken[-1].text == "from a real client"


def raw(lab: Lab, method: str, **params: Any) -> Any:
    with lab.client() as client:
        return client.call(method, params).result


def test_a_client_hands_over_all_that_the_gateway_says_of_its_tools(
        client: Talk, lab: Lab) -> None:
    """What a model reads before it calls one."""
    hello = {"protocolVersion": LEGACY, "capabilities": {},
             "clientInfo": {"name": "t", "version": "1"}}
    assert client.greeting["instructions"] == \
        raw(lab, "initialize", **hello)["instructions"]
    whole = {tool["name"]: tool for tool in raw(lab, "tools/list")["tools"]}
    for tool in client.list():
        for part in "title", "description", "inputSchema", "annotations", "_meta":
            assert tool.get(part) == whole[tool["name"]].get(part), (tool["name"], part)


# What hosts pass on to the model: doc/protocol.md.
HOSTS: dict[str, Callable[[dict[str, Any]], list[Any]]] = {
    "content": lambda result: [block["text"] for block in result["content"]],
    "structuredContent, else content": lambda result: [json.dumps(
        result.get("structuredContent") or result["content"])],
    "both": lambda result: [*(block["text"] for block in result["content"]), json.dumps(
        result.get("structuredContent"))],
}


@pytest.mark.parametrize("host", HOSTS)
def test_a_model_reads_the_facts_whatever_its_host_passes_on(
        client: Talk, lab: Lab, host: str) -> None:
    """Of an answer, of one that has to stay as it was in the first version, and of an
    error."""
    sim = Agent(lab).ids()[0]
    text = next(TEXTS)
    lab.modems[0].deliver(SENDER, text)
    client.wait_until_listed(text)
    for name, arguments, facts in (
            ("list_sms", {"limit": 1}, [text, "wait_cursor"]),
            ("get_sms_subscriptions", {}, ["subscription_id", "display_name"]),
            ("send_sms", {"to_phone_number": TO, "sms_text": next(TEXTS),
                          "subscription_id": sim}, ["message_id", "sent"]),
            ("send_sms", {"to_phone_number": "nobody", "sms_text": "x"},
             ["invalid_number", "fix", "Nothing was sent"])):
        read = "".join(HOSTS[host](client.call(name, **arguments)))
        for fact in facts:
            assert fact in read, (name, fact)


def test_a_client_asks_its_user(client: Talk, lab: Lab) -> None:
    """The user chooses the last of the SIMs."""
    result = client.call("send_sms", to_phone_number=TO, sms_text="from which SIM?")
    assert result["content"][0]["text"].startswith(f"SMS sent to {TO}")
    assert lab.modems[1].taken[-1].text == "from which SIM?"


def test_a_client_gets_errors(client: Talk) -> None:
    with pytest.raises(Refused) as refused:
        client.call("no_such_tool")
    assert refused.value.code == INVALID_PARAMS
    assert "no_such_tool" in str(refused.value)
    result = client.call("send_sms", to_phone_number="nobody", sms_text="x")
    assert result["isError"] is True
    assert json.loads(result["content"][0]["text"])["code"] == "invalid_number"


def test_a_client_receives_progress(client: Talk, lab: Lab) -> None:
    """Version 1 drops progress that it reads together with the answer: the network is slow, so
    it reads earlier progress before."""
    sim = Agent(lab).ids()[0]
    lab.modems[0].send_latency_s = 0.2
    told = client.progress("send_sms", to_phone_number=TO, sms_text="step by step",
                           subscription_id=sim)
    lab.modems[0].send_latency_s = 0.0
    assert told["result"]["structuredContent"]["state"] == "sent"
    steps = [step["progress"] for step in told["progress"]]
    assert steps == sorted(set(steps)) and len(steps) >= 2
    assert all(step["message"] for step in told["progress"])


def restart(lab: Lab) -> None:
    lab.gateway.restart()
    Agent(lab).wait_states("ready", "ready", timeout=20)


def test_a_client_is_notified_of_messages_after_a_restart(client: Talk, lab: Lab) -> None:
    client.subscribe(INBOX)
    lab.modems[0].deliver(SENDER, next(TEXTS))
    client.wait_heard(UPDATED, INBOX)
    session = client.session()
    restart(lab)
    if client.greeting["version"] == MODERN:    # nothing is remembered: it asks again
        client.subscribe(INBOX)
    else:                                       # everything counts as changed
        client.wait_heard(UPDATED, INBOX)
    lab.modems[1].deliver(SENDER, next(TEXTS))
    client.wait_heard(UPDATED, INBOX)
    assert client.session() == session


def reload(lab: Lab, text: str) -> None:
    lab.gateway.config = text
    lab.gateway.prepare()
    lab.gateway.send_signal(signal.SIGHUP)


def test_a_client_is_notified_of_changed_tools(client: Talk, lab: Lab) -> None:
    client.subscribe("sms://status")
    names = [tool["name"] for tool in client.list()]
    before = lab.gateway.config
    reload(lab, before + "[server]\nhidden_tools = mark_sms_read\n")
    client.wait_heard(TOOLS_CHANGED)
    assert [tool["name"] for tool in client.list()] == \
        [name for name in names if name != "mark_sms_read"]
    reload(lab, before)
    client.wait_heard(TOOLS_CHANGED)
    assert [tool["name"] for tool in client.list()] == names


def test_a_client_survives_a_restart(client: Talk, lab: Lab) -> None:
    names = [tool["name"] for tool in client.list()]
    restart(lab)
    assert [tool["name"] for tool in client.list()] == names
    assert client.call("get_sms_subscriptions")["structuredContent"]["count"] == 2


def test_fifty_clients_at_once_are_served(npm: Npm, url: str, lab: Lab, tmp_path: Path) -> None:
    ended = npm.run(tmp_path, "crowd.mjs", str(CROWD), url)
    assert ended.returncode == 0, ended.stderr
    assert json.loads(ended.stdout) == {"connected": CROWD, "listed": CROWD,
                                        "called": CROWD}


class Inspector:
    def __init__(self, npm: Npm, home: Path, url: str, era: str) -> None:
        self._npm, self._home = npm, home
        self._arguments = ["--cli", url, "--transport", "http", "--protocol-era", era]

    def ask(self, *arguments: str) -> tuple[int, Any]:
        """Exit code and the first value it prints."""
        ended = self._npm.run(self._home, INSPECTOR, *self._arguments, *arguments)
        assert ended.stdout, ended.stderr
        return ended.returncode, json.JSONDecoder().raw_decode(ended.stdout)[0]

    def call(self, name: str, **arguments: Any) -> tuple[int, Any]:
        return self.ask("--method", "tools/call", "--tool-name", name, "--tool-args-json",
                        json.dumps(arguments))


@pytest.mark.parametrize("era", sorted(ERAS))
def test_the_inspector_lists_and_calls_tools(npm: Npm, url: str, lab: Lab, tmp_path: Path, era: str) -> None:
    inspector = Inspector(npm, tmp_path, url, era)
    with ThreadPoolExecutor(2) as pool:
        listed = pool.submit(inspector.ask, "--method", "tools/list")
        called = pool.submit(inspector.call, "get_sms_subscriptions")
    code, answer = listed.result()
    assert (code, answer["tools"][0]["name"]) == (0, "send_sms")
    code, answer = called.result()
    assert (code, answer["structuredContent"]["count"]) == (0, 2)
    code, answer = inspector.call("send_sms", to_phone_number="nobody", sms_text="x")
    assert code != 0 and answer["isError"] is True
    sim = Agent(lab).ids()[0]
    code, answer = inspector.call("send_sms", to_phone_number=TO, sms_text=f"by {era}",
                                  subscription_id=sim)
    assert code == 0 and answer["content"][0]["text"].startswith(f"SMS sent to {TO}")
    assert lab.modems[0].taken[-1].text == f"by {era}"
