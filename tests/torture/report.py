# SPDX-License-Identifier: GPL-2.0-or-later
"""The one table of a run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

NAME_WIDTH, WIDTH = 44, 16
ROWS: tuple[tuple[str, str, str], ...] = (          # label, group, key
    ("messages that clients wanted to send", "outgoing", "wanted"),
    ("  accepted", "outgoing", "accepted"),
    ("  stored, the answer was lost", "outgoing", "stored, the answer was lost"),
    ("  on the air", "outgoing", "on the air"),
    ("  sent", "outgoing", "sent"),
    ("  delivered", "outgoing", "delivered"),
    ("  failed, as the network said", "outgoing", "failed"),
    ("  unknown", "outgoing", "unknown"),
    ("    of them on the air", "outgoing", "unknown, went out"),
    ("  again on the air by ofonod itself", "outgoing", "again"),
    ("  LOST", "outgoing", "lost"),
    ("  DOUBLED by us", "outgoing", "doubled"),
    ("  UNTRUE", "outgoing", "untrue"),
    ("messages in, acknowledged by ofonod", "incoming", "acknowledged by ofonod"),
    ("  stored", "incoming", "stored"),
    ("  heard by a client that waits", "incoming", "heard by who waits"),
    ("  not stored, and a gap tells so", "incoming", "not stored, a gap tells"),
    ("  LOST", "incoming", "lost"),
    ("  DOUBLED", "incoming", "doubled"),
    ("  MISSED by a client that waits", "incoming", "missed"),
    ("longest wait of a healthy client, calm, ms", "waits", "calm longest"),
    ("  in the storm", "waits", "storm longest"),
    ("  with what was broken meanwhile", "waits", "any longest"),
    ("  half of its calls, calm, ms", "waits", "calm p50"),
    ("  in the storm", "waits", "storm p50"),
    ("private dirty KiB, most", "memory", "private dirty, most"),
    ("  at the end", "memory", "private dirty, last"),
    ("descriptors, calm", "memory", "descriptors, calm"),
    ("  most", "memory", "descriptors, most"),
    ("  at the end", "memory", "descriptors, last"),
)


def cell(value: float) -> str:
    return f"{value:{WIDTH},.1f}" if isinstance(value, float) else f"{value:{WIDTH},}"


def row(name: str, values: list[float]) -> str:
    return f"{name:{NAME_WIDTH}}" + "".join(map(cell, values))


def groups(parts: list[Mapping[str, Any]], group: str) -> Iterator[str]:
    """A row for each key that any part has."""
    keys = dict.fromkeys(key for part in parts for key in part[group])
    for key in keys:
        yield row(f"  {key}", [part[group].get(key, 0) for part in parts])


def lines(report: Mapping[str, Any]) -> Iterator[str]:
    parts = [part | part["crowd"] for part in report["parts"]]
    heads = ["with plugin" if part["plugin"] else "without" for part in parts]
    yield " " * NAME_WIDTH + "".join(f"{head:>{WIDTH}}" for head in heads)
    for name, group, key in ROWS:
        yield row(name, [part[group].get(key, 0) for part in parts])
    for title, group in (("unknown, by reason", "unknown"), ("answers by status", "statuses"),
                         ("what was broken", "blows"), ("who came uninvited", "counts"),
                         ("  and was answered", "answers")):
        yield title
        yield from groups(parts, group)
    yield ""
    yield from report["complaints"]
    yield (f"torture: {len(report['complaints'])} complaints, {report['seconds']} seconds, "
           f"TORTURE_SEED={report['seed']}, {report['machine']}")
