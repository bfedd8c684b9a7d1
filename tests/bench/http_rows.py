# SPDX-License-Identifier: GPL-2.0-or-later
"""Rows 1 and 2: calls that the daemon answers by itself, compared with plain libmicrohttpd and
an answer of the same length."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from daemon import Daemon
from rounds import Sample, compare
from server import Load, bare, raw
from table import Line, compared
from wire_request import ask, call

LIST_TARGETS = {"legacy": {16: 0.95, 64: 0.95}, "modern": {16: 0.90, 64: 0.90}}
CALL_TARGETS = {16: 0.85, 64: 0.85}
LIST_CONNECTIONS, CALL_CONNECTIONS = (1, 16, 64, 256), (16, 64)
CALLS = ("get_sms_subscriptions", "get_gateway_status")


def beside_bare(build: Path, daemon: Daemon, octets: bytes, connections: int,
                row: int, what: str, target: float | None) -> Line:
    with bare(build, ask(daemon.server.port, octets)) as anchor:
        ours = Load(build, daemon.server, [octets], connections)
        theirs = Load(build, anchor, [octets], connections)
        comparison = compare(ours.measure, theirs.measure)
    return compared(row, f"{what}, {connections} connection{'s' * (connections > 1)}",
                    comparison, lambda one: one.rate, "/s", target,
                    cpu=lambda one: one.cpu_each_us)


def list_lines(build: Path, daemon: Daemon) -> Iterator[Line]:
    for era, targets in LIST_TARGETS.items():
        octets = daemon.requests.of_era(era, "tools/list")
        for connections in LIST_CONNECTIONS:
            yield beside_bare(build, daemon, octets, connections, 1,
                              f"tools/list, {era}", targets.get(connections))


def call_lines(build: Path, daemon: Daemon) -> Iterator[Line]:
    for name in CALLS:
        octets = daemon.requests.legacy("tools/call", call(name))
        for connections in CALL_CONNECTIONS:
            yield beside_bare(build, daemon, octets, connections, 2, name,
                              CALL_TARGETS[connections])


def floor_line(build: Path, daemon: Daemon) -> Line:
    """The cost of libmicrohttpd itself; an unusual value means that the machine is unusual."""
    octets = daemon.requests.legacy("ping")
    answer = ask(daemon.server.port, octets)
    with bare(build, answer) as server, raw(build, answer) as least:
        comparison = compare(Load(build, server, [octets], 16).measure,
                             Load(build, least, [octets], 16).measure)

    def cpu(one: Sample) -> float:
        return one.cpu_each_us

    return compared(0, "libmicrohttpd alone, CPU, beside no library", comparison, cpu, "µs")
