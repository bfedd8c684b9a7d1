# SPDX-License-Identifier: GPL-2.0-or-later
"""With the defaults, and every limit reached at once, the gateway stays within its memory."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from agent import TO
from lab import Lab, wait_until
from lab.dial import dial
from wire import Reply, Wire, request, rpc

UNIT = Path(__file__).resolve().parents[2] / "etc" / "systemd" / "ofono-mcp.service"
QUEUE, TOGETHER = 1000, 100     # queue_limit; requests sent at once
PER_ADDRESS, CONNECTIONS = 128, 256
OTHERS = 8                      # connections left for the test itself
SESSIONS, SUBSCRIPTIONS = 128, 32
BUFFER = 2048                   # of a client that does not read
INITIALIZE = rpc("initialize", {
    "protocolVersion": "2025-03-26", "capabilities": {},
    "clientInfo": {"name": "worst", "version": "1"}})
LARGE, PIPELINED = 139, 100     # as many answers of 60,000 octets as fit into 8 MiB
PADDING = 90                    # values of a request: as many as fit into what is not counted


def memory_kib(pid: int) -> dict[str, int]:
    text = Path(f"/proc/{pid}/smaps_rollup").read_text()
    return {name: int(kib) for name, kib in re.findall(r"^(\w+): +(\d+) kB", text, re.M)}


def ask_all(wire: Wire, requests: list[bytes]) -> Iterator[Reply]:
    for start in range(0, len(requests), TOGETHER):
        wire.send(b"".join(requests[start:start + TOGETHER]))
        yield from (wire.receive() for _ in requests[start:start + TOGETHER])


def call(tool: str, **arguments: object) -> bytes:
    return request(rpc("tools/call", {"name": tool, "arguments": arguments}))


def fill_queue(lab: Lab) -> None:
    at = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() + 3600))
    with Wire(lab.gateway.port, timeout=60) as wire:
        for reply in ask_all(wire, [
                call("send_sms", to_phone_number=TO, sms_text="x" * 300 + str(number),
                     subscription_id=1, send_at=at) for number in range(QUEUE)]):
            assert b'"state":"scheduled"' in reply.body, reply


def fill_sessions(lab: Lab) -> None:
    uris = [f"sms://conversation/+3620123{number:04}" for number in range(SUBSCRIPTIONS)]
    with Wire(lab.gateway.port) as wire:
        for _ in range(SESSIONS):
            session = wire.ask(request(INITIALIZE)).header("mcp-session-id")
            for reply in ask_all(wire, [
                    request(rpc("resources/subscribe", {"uri": uri}),
                            {"Mcp-Session-Id": session}) for uri in uris]):
                assert reply.result == {}


@contextmanager
def unread(lab: Lab) -> Iterator[None]:
    """An answer waits on each connection: as many large ones as the budget allows, and
    otherwise the largest that it does not count."""
    large = call("list_sms", limit=100)
    small = request(rpc("tools/list", {"_meta": {"x": [0] * PADDING}}))
    with ExitStack() as clients:
        for number in range(CONNECTIONS - OTHERS):
            source = f"127.0.1.{1 + number // (PER_ADDRESS - 1)}"
            wire = clients.enter_context(dial(lab.gateway.port, 30, source=source,
                                              receive_buffer=BUFFER))
            wire.setblocking(False)
            with suppress(BlockingIOError):     # the kernel buffers the first ones
                wire.send((large if number < LARGE else small) * PIPELINED)
        yield


def settled_kib(pid: int) -> dict[str, int]:
    """When it no longer grows."""
    seen = [memory_kib(pid)]

    def stays() -> bool:
        seen.append(memory_kib(pid))
        return seen[-1]["Private_Dirty"] == seen[-2]["Private_Dirty"]
    wait_until(stays, what="all that was asked for is held")
    return seen[-1]


def test_memory_stays_in_bounds_at_all_limits_at_once(make_lab: Callable[..., Lab],
                            record_testsuite_property: Callable[[str, object], None]) -> None:
    lab = make_lab()
    idle = memory_kib(lab.gateway.pid)
    fill_queue(lab)
    fill_sessions(lab)
    with unread(lab):
        full = settled_kib(lab.gateway.pid)
    told = (f"all limits at once: RSS {full['Rss']:,} KiB, private "
            f"{full['Private_Dirty']:,} KiB; idle {idle['Private_Dirty']:,} KiB")
    print(told)
    record_testsuite_property("summary", told)
    most = int(re.search(r"^MemoryMax=(\d+)M$", UNIT.read_text(), re.M)[1])
    assert full["Rss"] < most * 1024, told
