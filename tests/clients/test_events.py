# SPDX-License-Identifier: GPL-2.0-or-later
"""MCP Events with the official TypeScript client: it carries the methods of the extension."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from lab import Lab
from npm import Npm
from npm_program import NpmProgram

NAME, SENDER = "sms.received", "+36209876543"
EXTENSION = "io.modelcontextprotocol/events"


@pytest.fixture
def client(npm: Npm, lab: Lab, tmp_path: Path) -> Iterator[NpmProgram]:
    url = f"http://127.0.0.1:{lab.gateway.port}/mcp"
    with NpmProgram(npm, tmp_path, 60, "events.mjs", url) as client:
        yield client


def request(client: NpmProgram, method: str, **params: Any) -> Any:
    return client.tell({"request": {"method": method, "params": params}})


def test_the_official_client_sees_the_extension_and_its_types(client: NpmProgram) -> None:
    assert client.greeting["extensions"][EXTENSION] == {"listChanged": True}
    types = request(client, "events/list")["events"]
    assert NAME in [row["name"] for row in types]


def test_the_official_client_polls_and_streams_the_same_events(client: NpmProgram, lab: Lab) -> None:
    cursor = request(client, "events/poll", name=NAME, cursor=None)["cursor"]
    active = client.tell({"open": {"name": NAME, "cursor": cursor}})
    assert active == {"word": "active", "params": active["params"]}
    assert active["params"]["cursor"] == cursor and active["params"]["truncated"] is False
    streamed = []
    for text in ("wake", "up"):
        lab.modems[0].deliver(SENDER, text)
        while (told := client.tell({"heard": {}}))["word"] == "heartbeat":
            pass
        assert told["word"] == "event"
        streamed.append(told["params"])
    assert client.tell({"abort": {}})["end"] != "answered"
    page = request(client, "events/poll", name=NAME, cursor=cursor, maxEvents=1)
    assert page["hasMore"] is True and page["truncated"] is False
    rest = request(client, "events/poll", name=NAME, cursor=page["cursor"])
    polled = page["events"] + rest["events"]
    assert [event["eventId"] for event in polled] == [event["eventId"] for event in streamed]
    assert [event["data"] for event in polled] == [event["data"] for event in streamed]
