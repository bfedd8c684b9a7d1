#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Send an SMS through ofono-mcp and print the answer to it. Standard library alone.

    OFONO_MCP_TOKEN=... ./send_and_wait.py +36201234567 "Are you coming?" [SECONDS]

OFONO_MCP_URL is http://127.0.0.1:9531/mcp unless it is set; of an https URL with a certificate
of the gateway's own, SSL_CERT_FILE names that.  Ends with 0 when an answer came, with 1 when
none came in time or the gateway refused.
"""

import json
import os
import sys
import urllib.error
import urllib.request

URL = os.environ.get("OFONO_MCP_URL", "http://127.0.0.1:9531/mcp")
VERSION = "2026-07-28"
PREFIX = "io.modelcontextprotocol/"
META = {PREFIX + "protocolVersion": VERSION, PREFIX + "clientCapabilities": {},
        PREFIX + "clientInfo": {"name": "send_and_wait", "version": "1"}}
WAIT_S = 120                # the longest that one call may wait


def call(tool: str, **arguments: object) -> dict:
    """The structured result; ends the program with what is wrong and what to do."""
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call",
               "params": {"name": tool, "arguments": arguments, "_meta": META}}
    headers = {"Content-Type": "application/json",
               "Accept": "application/json, text/event-stream",
               "Authorization": f"Bearer {os.environ.get('OFONO_MCP_TOKEN', '')}",
               "MCP-Protocol-Version": VERSION, "Mcp-Method": "tools/call", "Mcp-Name": tool}
    asked = urllib.request.Request(URL, json.dumps(message).encode(), headers)
    try:
        with urllib.request.urlopen(asked, timeout=WAIT_S + 30) as answer:
            result = json.load(answer)["result"]
    except urllib.error.HTTPError as refusal:
        sys.exit(f"{refusal.code}: {json.load(refusal)['error']['message']}")
    if result.get("isError"):
        error = json.loads(result["content"][0]["text"])
        sys.exit(f"{error['message']} {error['fix']}")
    return result["structuredContent"]


def main(number: str, text: str, seconds: str = "120") -> int:
    # Where the inbox ends now: what comes after that is the answer, however soon it comes.
    cursor = call("list_sms", limit=1)["wait_cursor"]
    sent = call("send_sms", to_phone_number=number, sms_text=text)
    print(f"message {sent['message_id']} is {sent['state']}", file=sys.stderr)
    left = int(seconds)
    while left > 0:
        heard = call("wait_for_sms", **{"from": number}, after=cursor,
                     timeout_seconds=min(left, WAIT_S))
        if heard["found"]:
            print(heard["message"]["text"])
            return 0
        cursor, left = heard["cursor"], left - WAIT_S
    print("no answer came", file=sys.stderr)
    return 1


if __name__ == "__main__":
    if len(sys.argv) not in (3, 4):
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
