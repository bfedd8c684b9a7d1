# SPDX-License-Identifier: GPL-2.0-or-later
"""No answer has more than 60,000 octets on the wire, whatever `limit` says: a page that is full
ends with its cursor, and the pages together have every row exactly once."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import modern
import pytest
from agent import Agent, pair, seconds_ahead
from approving import new_agent, write_past_the_gateway
from conftest import new_lab
from lab import Lab
from mcp_events import EventClient
from owner import Owner
from wire import Reply, Wire, request

MOST = 60_000
CALLS, CONTACTS, SCHEDULED, WAITING, ALERTS, GAPS = 100, 300, 30, 30, 20, 20
# What strangers write: letters and characters that JSON or the gateway escapes.
KIND_CALL, KIND_ALERT, CALL_MISSED = 1, 2, 3
LONG = 'They said "no" \\ twice.\n' * 40
# The longest messages of 255 segments; of the last three, each character is escaped.
PLAIN, CHINESE = "x" * 39_015, "\u8a9e" * 17_085
HUGE = [PLAIN, CHINESE, '"' * 39_015, "\n" * 39_015, "\u202e" * 17_085]
TEXTS = [LONG] * 60 + HUGE + [LONG] * 60
CUT = "\\u{cut}"
FILL = """
INSERT INTO message (direction, sim_id, phone_number, text, state, created, changed)
VALUES (1, 1, ?, ?, 9, ?, ?)
"""
EDITS = 300
FILL_CHANGE = """
INSERT INTO message_change (message_id, state, reason, at, note) VALUES (?, 10, '', ?, ?)
"""
FILL_GAP = "INSERT INTO receive_gap (from_at, until_at, reason) VALUES (?, ?, 'gateway_down')"
FILL_EVENT = """
INSERT INTO event (kind, sim_id, at, phone_number, text, state, topic) VALUES (?, 1, ?, ?, ?, ?, 50)
"""


@dataclass
class Client:
    """Speaks one of the two families of MCP, and measures every answer."""

    lab: Lab
    is_modern: bool
    token: str

    def ask(self, method: str, **params: Any) -> dict[str, Any]:
        reply = self._modern(method, params) if self.is_modern else self._legacy(method, params)
        assert len(reply.body) <= MOST, (method, params, len(reply.body))
        assert reply.status == 200, reply
        answer: dict[str, Any] = json.loads(reply.body)["result"]
        return answer

    def _modern(self, method: str, params: dict[str, Any]) -> Reply:
        asked = modern.Request(method, params)
        if method == "resources/read":
            asked = asked.header(Mcp_Name=params["uri"])
        return asked.header(Authorization=f"Bearer {self.token}").ask(self.lab.gateway.port)

    def _legacy(self, method: str, params: dict[str, Any]) -> Reply:
        body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        headers = {"MCP-Protocol-Version": "2025-11-25",
                   "Authorization": f"Bearer {self.token}"}
        with Wire(self.lab.gateway.port, timeout=60) as wire:
            return wire.ask(request(json.dumps(body).encode(), headers))

    def call(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """structuredContent; the first block has the same IDs and cursors."""
        result = self.ask("tools/call", name=tool, arguments=arguments)
        facts: dict[str, Any] = result["structuredContent"]
        if tool != "list_changes":
            said = json.loads(result["content"][0]["text"])
            assert short(said) == short(facts)
        return facts

    def walk(self, tool: str, rows: str, **arguments: Any) -> list[dict[str, Any]]:
        """The rows of all pages."""
        page = self.call(tool, limit=100, **arguments)
        found = page[rows]
        while "next_cursor" in page:
            page = self.call(tool, limit=100, cursor=page["next_cursor"], **arguments)
            assert page[rows] and page["count"] == len(page[rows])
            found += page[rows]
        return found

    def read(self, uri: str) -> dict[str, Any]:
        [content] = self.ask("resources/read", uri=uri)["contents"]
        page: dict[str, Any] = json.loads(content["text"])
        return page


def short(value: Any) -> Any:
    """Without the ends of long texts."""
    if isinstance(value, dict):
        return {key: short(member) for key, member in value.items()}
    if isinstance(value, list):
        return [short(item) for item in value]
    return value[:300] if isinstance(value, str) else value


def fill(lab: Lab) -> None:
    now = int(time.time() * 1000) - 3_600_000
    for at, text in enumerate(TEXTS, start=1):
        write_past_the_gateway(lab, FILL, f"+362099{at:05d}", text, now + at, now + at)
        write_past_the_gateway(lab, FILL_GAP, now + at, now + at + 1)
    for kind, state, count in (KIND_CALL, CALL_MISSED, CALLS), (KIND_ALERT, 0, ALERTS):
        for at in range(1, count + 1):
            write_past_the_gateway(lab, FILL_EVENT, kind, now + at, f"+362099{at:05d}", LONG, state)


def contacts_file(folder: Path) -> Path:
    """Names that are escaped; the senders of all messages are among them."""
    folder.chmod(0o755)
    file = folder / "contacts.vcf"
    file.write_text("".join(
        f'BEGIN:VCARD\nVERSION:3.0\nFN:{at} "{"Anna " * 30}"\nTEL:+362099{at:05d}\nEND:VCARD\n'
        for at in range(1, CONTACTS + 1)))
    return file


def allow(lab: Lab, name: str, *scopes: str) -> str:
    token = pair(lab.gateway, name)
    Owner(lab.gateway.state).do("change", "--scope", ",".join(scopes), name)
    return token


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    file = contacts_file(tmp_path_factory.mktemp("contacts"))
    with new_lab(f"[contacts]\nfile = {file}\n[sms]\nmax_segments = 20\n", modem_count=1,
                 gateway_open=False) as lab:
        agent = Agent(lab, allow(lab, "writer", "read", "send"))
        agent.wait_states("ready")
        lab.gateway.stop()
        fill(lab)
        lab.gateway.start()
        agent.wait_states("ready")
        yield lab


@pytest.fixture(scope="module", params=["2026-07-28", "2025-11-25"])
def family(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def client(lab: Lab, family: str) -> Client:
    token = allow(lab, f"reader-{family}", "read", "send", "codes", "admin")
    return Client(lab, family == modern.VERSION, token)


def is_whole(shown: str, text: str) -> bool:
    return shown == text or shown.endswith(CUT)


def test_the_pages_of_list_sms_have_every_message_once(client: Client) -> None:
    rows = client.walk("list_sms", "messages", direction="in")
    assert [row["from"] for row in rows] == [
        f"+362099{at:05d}" for at in range(len(TEXTS), 0, -1)]
    shown = [row["text"] for row in rows][::-1]
    assert shown[60:62] == [PLAIN, CHINESE] and shown[:60] == [LONG] * 60
    assert all(is_whole(*pair) for pair in zip(shown, TEXTS, strict=True))


def test_the_pages_of_scheduled_messages_have_each_once(lab: Lab, client: Client) -> None:
    writer = new_agent(lab, f"planner-{client.is_modern}", "never")
    text = 'Remember: "milk" \\ ' * 150
    ids = [writer.send(text, writer.ids()[0], send_at=seconds_ahead(36_000 + at)).message_id
           for at in range(SCHEDULED)]
    rows = client.walk("list_sms", "messages", state="scheduled")
    assert [row["message_id"] for row in rows] == ids
    for message_id in ids:
        writer.cancel(message_id)


def test_the_pages_of_other_lists_have_every_row_once(client: Client) -> None:
    conversations = client.walk("list_sms_conversations", "conversations")
    senders = [row["phone_number"] for row in conversations if "from" in row["last_message"]
               or row["phone_number"].startswith("+362099")]
    assert senders == [f"+362099{at:05d}" for at in range(len(TEXTS), 0, -1)]
    calls = client.walk("list_calls", "calls")
    assert len(client.call("list_calls")["gaps"]) == GAPS
    assert [row["phone_number"] for row in calls] == [
        f"+362099{at:05d}" for at in range(CALLS, 0, -1)]
    contacts = client.walk("find_contact", "contacts")
    assert sorted(row["phone_numbers"][0] for row in contacts) == [
        f"+362099{at:05d}" for at in range(1, CONTACTS + 1)]


def test_one_long_message_fits_in_each_answer(client: Client) -> None:
    for at, text in enumerate(TEXTS, start=1):
        if text not in HUGE:
            continue
        found = client.call("wait_for_sms", after="w0-0f473672", **{"from": f"+362099{at:05d}"})
        assert is_whole(found["message"]["text"], text)
        shown = client.read(f"sms://message/{found['message']['message_id']}")
        assert is_whole(shown["message"]["text"], text)
        talk = client.read(f"sms://conversation/+362099{at:05d}")
        assert (talk["count"], talk["more"]) == (1, False)


def test_resources_and_the_status_fit(client: Client) -> None:
    inbox = client.read("sms://inbox")
    assert inbox["count"] == len(inbox["messages"]) and inbox["more"]
    assert client.read("sms://alerts")["count"] > 0
    assert client.read("calls://recent")["calls"]
    assert client.read("sms://status")["cursor"]
    assert client.call("get_gateway_status", detail=True)["cursor"]


def test_a_long_history_ends_with_its_newest_changes(lab: Lab, client: Client) -> None:
    """Each edit is a change, and nothing limits them."""
    edited = Agent(lab, allow(lab, f"editor-{client.is_modern}", "send", "read"))
    edited.wait_states("ready")
    message_id = edited.send("edited often", send_at=seconds_ahead(36_000)).message_id
    note = '"\u202e\\\n' * 40
    for at in range(EDITS):
        write_past_the_gateway(lab, FILL_CHANGE, message_id, at, note)
    write_past_the_gateway(lab, FILL_CHANGE, message_id, EDITS, "the newest")
    owner = Client(lab, client.is_modern, allow(lab, f"all-{client.is_modern}", "admin", "read"))
    told = owner.call("get_sms_status", message_id=message_id, history=True)
    assert told["changes"][-1]["note"] == "the newest"
    assert len(told["changes"]) + told["earlier_changes"] == EDITS + 2
    edited.cancel(message_id)


def test_list_approvals_says_how_many_more_wait(lab: Lab, client: Client) -> None:
    careful = new_agent(lab, f"careful-{client.is_modern}")
    text = 'May I send "this"? \\ ' * 135
    asked = [careful.send(text, careful.ids()[0], wait_for="none") for _ in range(WAITING)]
    assert not asked[-1].is_error, asked
    ids = [result.message_id for result in asked]
    page = client.call("list_approvals")
    assert [row["message_id"] for row in page["approvals"]] == ids[:page["count"]]
    assert page["count"] > 0 and page["count"] + page["more"] == WAITING
    for message_id in ids:
        careful.cancel(message_id)


def test_an_answer_about_many_recipients_names_each_in_its_first_block(client: Client) -> None:
    numbers = [f"+36301{at:06d}" for at in range(99)] + ["+36301"]
    result = client.ask("tools/call", name="send_sms", arguments={
        "to_phone_numbers": numbers, "sms_text": "hello", "send_at": seconds_ahead(72_000)})
    said = result["content"][0]["text"]
    for row in result["structuredContent"]["results"]:
        name = f"{row['message_id']} to " if "message_id" in row else ""
        assert f"{name}{row['to_phone_number']}" in said
        if name:
            client.ask("tools/call", name="cancel_sms",
                       arguments={"message_id": row["message_id"]})


def test_the_feed_shows_each_message_once(lab: Lab, family: str) -> None:
    """Its reader needs texts as they are, so that an answer with one message may be longer."""
    hub = Agent(lab, allow(lab, f"hub-{family}", "read", "send", "codes", "hub"))
    found: list[int] = []
    page: dict[str, Any] = {"cursor": "", "more": True}
    while page["more"]:
        result = hub.call("list_changes", after=page["cursor"], limit=500)
        page = result.structured
        octets = len(json.dumps(result.raw, ensure_ascii=False, separators=(",", ":")).encode())
        assert octets <= MOST or len(page["changes"]) == 1
        found += [row["message_id"] for row in page["changes"]
                  if "id" not in row and row["type"] == "received"]
    assert len(found) == len(set(found)) >= len(TEXTS)


def test_a_poll_for_events_ends_where_it_is_full(lab: Lab) -> None:
    token = allow(lab, "poller", "read", "codes")
    events, found, cursor, more = EventClient(lab.gateway, token), 0, None, True
    before = events.now()
    for at, text in enumerate(TEXTS, start=1_000_000):
        write_past_the_gateway(lab, FILL, "+36209999999", text, at, at)
    cursor = before
    while more:
        reply = events.ask("events/poll", name="sms.received", cursor=cursor,
                           arguments={"include_text": True})
        assert len(reply.body) <= MOST
        page = reply.result
        found, cursor, more = found + len(page["events"]), page["cursor"], page["hasMore"]
    assert found == len(TEXTS)
