# SPDX-License-Identifier: GPL-2.0-or-later
"""A gateway for another processor, under qemu-user, with a fake oFono.

    python3 smoke_foreign.py EMULATOR PROGRAM

It must start, be healthy, list its tools, send, keep the sent message, and stop.
"""

from __future__ import annotations

import sys
import tempfile
from contextlib import ExitStack
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(TESTS), str(TESTS / "integration")]

from lab import McpClient, wait_until
from lab.bus import Bus
from lab.gateway import Gateway
from test_delivery_reports import StubOfono

TO = "+36301234567"


def send(client: McpClient) -> None:
    wait_until(lambda: client.tool("get_sms_subscriptions")["structuredContent"]["count"],
               timeout=60, what="the SIM is there")
    answer = client.tool("send_sms", to_phone_number=TO, sms_text="from another processor")
    assert answer["content"][0]["text"].startswith(f"SMS sent to {TO}"), answer


def main(emulator: str, program: str) -> None:
    with ExitStack() as undo:
        folder = Path(undo.enter_context(tempfile.TemporaryDirectory()))
        bus = Bus(folder)
        undo.callback(bus.stop)
        bus.start()
        undo.callback(StubOfono(bus.address).stop)
        gateway = Gateway(folder, bus, binary=Path(program), wrapper=emulator)
        undo.callback(gateway.kill)
        gateway.start()                         # ready when /healthz says so
        with McpClient(gateway.port) as client:
            tools = client.call("tools/list").result["tools"]
            send(client)
        print(f"{len(tools)} tools, and a message sent")
        gateway.stop()
        gateway.start()                         # again, with the existing message store
        with McpClient(gateway.port) as client:
            stored = client.tool("list_sms")["structuredContent"]["messages"]
        assert [message["text"] for message in stored] == ["from another processor"]
        assert gateway.stop() == 0


if __name__ == "__main__":
    main(*sys.argv[1:])
