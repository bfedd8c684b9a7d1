# SPDX-License-Identifier: GPL-2.0-or-later
"""The exchanges that this product started from, as clients of the original app send them.

The phone is the one they were recorded with: the card in slot 0 has subscription_id 14.
"""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing

import pytest

from agent import Agent
from lab import Lab, wait_until
from modem import Sim
from wire import Number, Reply, Wire

CARDS_BEFORE = 13
CARDS = [Sim.numbered(0, spn="vodafone UK", imsi="234150000000001"), Sim.numbered(1)]

INITIALIZE = (
    b'{"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},'
    b'"clientInfo":{"name":"mcp-discovery-tool","version":"1.0.0"}},'
    b'"jsonrpc":"2.0","id":0}')
LIST = b'{"method":"tools/list","jsonrpc":"2.0","id":1}'
SUBSCRIPTIONS = (
    b'{"jsonrpc":"2.0","id":17,"method":"tools/call",'
    b'"params":{"name":"get_sms_subscriptions","arguments":{}}}')
SEND = (
    b'{"jsonrpc":"2.0","id":16,"method":"tools/call","params":{"name":"send_sms",'
    b'"arguments":{"to_phone_number":"+33785880347","sms_text":"Hello world",'
    b'"subscription_id":14}}}')

NODE = """\
POST /mcp HTTP/1.1
host: 127.0.0.1:{port}
connection: keep-alive
content-type: application/json
accept: application/json, text/event-stream
{version}accept-language: *
sec-fetch-mode: cors
user-agent: node
accept-encoding: gzip, deflate
content-length: {length}

"""
HTTPX = """\
POST /mcp HTTP/1.1
Host: 127.0.0.1:{port}
Accept-Encoding: gzip, deflate
Connection: keep-alive
User-Agent: python-httpx/0.28.1
accept: application/json, text/event-stream
content-type: application/json
{version}Content-Length: {length}

"""
VERSION = "mcp-protocol-version: 2025-11-25\n"


def age(lab: Lab) -> None:
    """Other cards were in this phone before, so the next one gets ID 14."""
    database = lab.gateway.state / "gateway.db"
    with closing(sqlite3.connect(database)) as store, store:
        store.execute("INSERT INTO sqlite_sequence (name, seq) VALUES ('sim', ?)",
                      [CARDS_BEFORE])


@pytest.fixture(scope="module")
def phone() -> Iterator[Lab]:
    with Lab(sims=CARDS, gateway=True, powered=False) as lab:
        lab.gateway.stop()
        age(lab)
        lab.gateway.start()
        # numbered in the order of their appearance
        for ready, radio in enumerate(lab.radios, start=1):
            radio.bring_up()
            wait_until(lambda: Agent(lab).states() == ["ready"] * ready, what="ready")
        carriers = [card.spn for card in CARDS]         # read from a card when it is ready
        wait_until(lambda: [sim["carrier_name"] for sim in Agent(lab).sims()] == carriers,
                   what="the names of the carriers")
        yield lab


class Client:
    """A client of the original app. `kept`: one connection for everything; `split`: the
    headers are sent before the body, as python-httpx does."""

    def __init__(self, port: int, head: str, split: bool, kept: bool) -> None:
        self._port, self._head, self._split, self._kept = port, head, split, kept
        self._exit = ExitStack()
        self._wire: Wire | None = None

    def close(self) -> None:
        self._exit.close()

    def ask(self, body: bytes) -> Reply:
        version = "" if body is INITIALIZE else VERSION
        head = self._head.format(port=self._port, length=len(body), version=version)
        wire = self._connection()
        octets = head.replace("\n", "\r\n").encode()
        if self._split:
            wire.send(octets)
            return wire.ask(body)
        return wire.ask(octets + body)

    def _connection(self) -> Wire:
        if self._wire is None or not self._kept:
            self._wire = self._exit.enter_context(Wire(self._port))
        return self._wire


@pytest.fixture(params=["kept", "fresh"])
def kept(request: pytest.FixtureRequest) -> bool:
    return request.param == "kept"


@pytest.fixture(params=[(NODE, False), (HTTPX, True), (HTTPX, False)],
                ids=["node", "httpx", "httpx-one-segment"])
def client(request: pytest.FixtureRequest, phone: Lab, kept: bool) -> Iterator[Client]:
    client = Client(phone.gateway.port, *request.param, kept)
    yield client
    client.close()


def check_initialize(reply: Reply) -> None:
    assert set(reply.json) == {"id", "result", "jsonrpc"}
    assert reply.json["id"] == Number("0")
    assert reply.result["protocolVersion"] == "2025-11-25"
    assert reply.result["capabilities"]["tools"]["listChanged"] in (False, True)
    assert {"name", "version", "title"} <= set(reply.result["serverInfo"])


def check_list(reply: Reply) -> None:
    assert set(reply.json) == {"id", "result", "jsonrpc"}
    assert reply.json["id"] == Number("1")
    send_sms, get_sms_subscriptions = reply.result["tools"][:2]
    assert send_sms["name"] == "send_sms"
    assert get_sms_subscriptions["name"] == "get_sms_subscriptions"
    assert send_sms["description"] and get_sms_subscriptions["description"]
    wanted, nothing = send_sms["inputSchema"], get_sms_subscriptions["inputSchema"]
    assert (wanted["type"], nothing["type"]) == ("object", "object")
    assert wanted["required"] == ["to_phone_number", "sms_text"]
    assert (nothing["required"], nothing["properties"]) == ([], {})
    types = {name: field["type"] for name, field in wanted["properties"].items()}
    assert list(types.items())[:3] == [
        ("to_phone_number", "string"), ("sms_text", "string"),
        ("subscription_id", "integer")]


def check_subscriptions(reply: Reply) -> None:
    assert reply.json["id"] == Number("17")
    assert "isError" not in reply.result
    block = reply.result["content"][0]
    assert block["type"] == "text"
    assert block["text"].startswith(
        '{"count":2,"subscriptions":[{"subscription_id":14,"sim_slot_index":0,'
        '"carrier_name":"vodafone UK","display_name":"')
    listed = json.loads(block["text"])
    assert json.dumps(listed, separators=(",", ":"), ensure_ascii=False) == block["text"]
    assert [list(sim) for sim in listed["subscriptions"]] == [
        ["subscription_id", "sim_slot_index", "carrier_name", "display_name"]] * 2
    assert [(sim["subscription_id"], sim["sim_slot_index"], sim["carrier_name"])
            for sim in listed["subscriptions"]] == [
        (14, 0, "vodafone UK"), (15, 1, CARDS[1].spn)]
    assert all(sim["display_name"] for sim in listed["subscriptions"])


def check_send(reply: Reply) -> None:
    assert reply.json["id"] == Number("16")
    assert "isError" not in reply.result
    block = reply.result["content"][0]
    # the rest is for hosts that pass on the first block alone
    assert re.fullmatch(r"SMS sent to \+33785880347 \(message \d+\)", block["text"])
    assert set(block) == {"type", "text"} and block["type"] == "text"


EXCHANGES: list[tuple[bytes, Callable[[Reply], None]]] = [
    (INITIALIZE, check_initialize), (LIST, check_list),
    (SUBSCRIPTIONS, check_subscriptions), (SEND, check_send),
]


def test_the_exchanges_of_the_original_app_still_work(phone: Lab, client: Client) -> None:
    before = len(phone.modems[0].taken)
    for body, check in EXCHANGES:
        reply = client.ask(body)
        assert (reply.version, reply.status) == ("HTTP/1.1", 200)
        assert reply.header("content-type") == "application/json"
        assert int(reply.header("content-length")) == len(reply.body)
        assert reply.header("connection").lower() == "keep-alive"
        assert reply.json["jsonrpc"] == "2.0"
        check(reply)
    [taken] = phone.modems[0].taken[before:]
    assert (taken.destination, taken.text) == ("+33785880347", "Hello world")
    assert phone.modems[1].taken == []
