# SPDX-License-Identifier: GPL-2.0-or-later
"""Lines to paste: curl, and the configuration of common agents."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

TO = "+36201234567"
REQUESTS: dict[str, Any] = {
    "say hello": ("initialize", {
        "protocolVersion": "2025-11-25", "capabilities": {},
        "clientInfo": {"name": "curl", "version": "1"}}),
    "which tools": ("tools/list", None),
    "which SIMs": ("tools/call", {"name": "get_sms_subscriptions", "arguments": {}}),
    "send an SMS": ("tools/call", {"name": "send_sms", "arguments": {
        "to_phone_number": TO, "sms_text": "Hello from curl", "subscription_id": 1}}),
}


def curl(url: str, id: int, method: str, params: Any) -> str:
    """--json needs curl 7.82, which Debian 12 has."""
    message = {"jsonrpc": "2.0", "id": id, "method": method}
    if params is not None:
        message["params"] = params
    body = json.dumps(message, separators=(",", ":"))
    return f"curl -s {url} --json '{body}'"


def configuration(port: int, program: str, requests: dict[str, Any]) -> Iterator[str]:
    url = f"http://127.0.0.1:{port}/mcp"
    for id, (what, request) in enumerate(requests.items(), start=1):
        yield f"  # {what}"
        yield f"  {curl(url, id, *request)}"
    yield ""
    yield "  Claude Code:    " + f"claude mcp add --transport http phone {url}"
    yield "  VS Code, .vscode/mcp.json:"
    yield "                  " + f'{{"servers":{{"phone":{{"type":"http","url":"{url}"}}}}}}'
    yield "  Cursor, ~/.cursor/mcp.json, and others that read mcpServers:"
    yield "                  " + f'{{"mcpServers":{{"phone":{{"type":"http","url":"{url}"}}}}}}'
    yield "  Codex, ~/.codex/config.toml:"
    yield "                  " + "[mcp_servers.phone]"
    yield "                  " + f'url = "{url}"'
    yield "  Claude Desktop and others that start a program, claude_desktop_config.json:"
    yield "                  " + json.dumps({"mcpServers": {"phone": {
        "command": program, "args": ["stdio", "--url", url]}}}, separators=(",", ":"))
