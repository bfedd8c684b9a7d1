# SPDX-License-Identifier: GPL-2.0-or-later
"""How real clients handle a missing scope: they report it, and go on."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing

import pytest

from agent import pair
from lone_gateway import LoneGateway
from npm import Npm
from talk import Talk

READ = 1
KINDS = ["sdk-1", "sdk-2-legacy", "sdk-2-auto", "sdk-2-modern", "mcp-remote"]


@pytest.fixture(scope="module")
def guarded() -> Iterator[LoneGateway]:
    with LoneGateway(open=False) as gateway:
        yield gateway


def reader(gateway: LoneGateway, name: str) -> str:
    """The token of a client that may only read."""
    token = pair(gateway, name)
    with closing(sqlite3.connect(gateway.state / "gateway.db")) as ledger, ledger:
        ledger.execute("UPDATE client SET scopes = ? WHERE name = ?", (READ, name))
    return token


@pytest.mark.parametrize("kind", KINDS)
def test_a_client_reports_the_missing_scope(npm: Npm, guarded: LoneGateway, kind: str,
                               tmp_path_factory: pytest.TempPathFactory) -> None:
    url = f"http://127.0.0.1:{guarded.port}/mcp"
    home = tmp_path_factory.mktemp("home")
    with Talk(npm, home, kind, url, reader(guarded, kind)) as client:
        names = [tool["name"] for tool in client.list()]
        assert "list_sms" in names and "send_sms" not in names
        answer = client.call("send_sms", to_phone_number="+36301234567", sms_text="x")
        assert answer["isError"] and "insufficient_scope" in answer["content"][0]["text"]
        assert [tool["name"] for tool in client.list()] == names
