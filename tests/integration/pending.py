# SPDX-License-Identifier: GPL-2.0-or-later
"""A call that is in progress while the test does something else."""

from __future__ import annotations

import json
import select
from http.client import HTTPConnection
from typing import Any

from lab import Lab
from lab.mcp_client import HEADERS


class Pending:
    """A tools/call in progress. The constructor returns when the gateway has read the call:
    later requests on other connections are answered after it."""

    def __init__(self, lab: Lab, tool: str, **arguments: Any) -> None:
        self._lab = lab
        self._connection = HTTPConnection("127.0.0.1", lab.gateway.port, timeout=150)
        body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call",
                "params": {"name": tool, "arguments": arguments}}
        token = {"Authorization": f"Bearer {lab.token}"} if lab.token else {}
        self._connection.request("POST", "/mcp", json.dumps(body), HEADERS | token)
        self._ask_another()

    @property
    def is_done(self) -> bool:
        self._ask_another()
        return bool(select.select([self._connection.sock], [], [], 0)[0])

    def facts(self) -> dict[str, Any]:
        return self.result()["structuredContent"]

    def result(self) -> dict[str, Any]:
        answer = json.load(self._connection.getresponse())
        self.leave()
        return answer["result"]

    def _ask_another(self) -> None:
        with self._lab.client() as client:
            client.tool("get_sms_subscriptions")

    def leave(self) -> None:
        self._connection.close()
