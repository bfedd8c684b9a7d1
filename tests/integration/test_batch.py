# SPDX-License-Identifier: GPL-2.0-or-later
"""Batches, which MCP had in 2025-03-26 only, are refused whatever is in them."""

from __future__ import annotations

import pytest

from lone_gateway import LoneGateway
from wire import ABSENT, rpc

PING = rpc("ping")
BATCHES = {
    "empty": b"[]",
    "one message": b"[" + PING + b"]",
    "two messages": b"[" + PING + b"," + PING + b"]",
    "notification": b"[" + rpc("notifications/cancelled", {"requestId": 5}, ABSENT) + b"]",
    "initialize": b"[" + rpc("initialize", {"protocolVersion": "2025-03-26"}) + b"]",
    "nested": b"[[" + PING + b"]]",
    "after white space": b" \t\r\n[" + PING + b"]",
    "not closed": b"[",
    "as many values as fit": b"[" + b"1," * 32_000 + b"1]",
}
VERSIONS = None, "2025-03-26", "2025-11-25", "2026-07-28"


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("name", BATCHES)
def test_a_batch_is_refused_in_every_revision(
        gateway: LoneGateway, name: str, version: str | None) -> None:
    reply = gateway.post(BATCHES[name], **{"MCP-Protocol-Version": version})
    assert reply.error == (400, -32600) and "id" not in reply.json
    gateway.assert_serves()


def test_a_batch_of_100_000_elements_is_too_long_for_a_body(gateway: LoneGateway) -> None:
    assert gateway.post(b"[" + b"1," * 99_999 + b"1]").status == 413
    gateway.assert_serves()
