# SPDX-License-Identifier: GPL-2.0-or-later
"""The account at the end of a run: what was promised, what the network and the disk say.

lost      accepted and not in the ledger, without an end there, or "sent" and never on the air
doubled   handed over twice, stored twice, or twice on the air without an end of ofonod between
untrue    on the air although it is told that it did not go, or told sent and it is not
again     twice on the air because ofonod ended in between and sent it again by itself
unknown   the state `unknown`, by the reason in the ledger
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

FINAL = {"sent", "failed", "cancelled", "unknown", "delivered", "expired"}
WENT = {"sent", "delivered"}
STAYED = {"failed", "cancelled", "expired"}
SLACK_MS = 2500             # between oFono's acknowledgement and our record of it


class Row(NamedTuple):
    id: int
    text: str
    state: str
    reason: str = ""


class Promise(NamedTuple):
    """What one client knows of one message."""

    text: str
    accepted: bool
    told: str = ""
    message_id: int = 0


class Air(NamedTuple):
    """A message that the network took, by the monotonic clock."""

    text: str
    when: float


class Span(NamedTuple):
    begin: float
    end: float

    def holds(self, moment: float, slack: float = 0) -> bool:
        return self.begin - slack <= moment <= self.end + slack


@dataclass
class Account:
    counts: Counter[str] = field(default_factory=Counter)
    unknown: Counter[str] = field(default_factory=Counter)
    complaints: list[str] = field(default_factory=list)

    def complain(self, kind: str, what: str) -> None:
        self.counts[kind] += 1
        self.complaints.append(f"{kind}: {what}")


@dataclass
class Outgoing:
    promises: Sequence[Promise]
    rows: Sequence[Row]
    air: Sequence[Air]
    handed_over: Sequence[str]
    ofono_ended: Sequence[Span]         # monotonic
    account: Account = field(default_factory=Account)

    def judge(self) -> Account:
        self._rows = defaultdict(list)
        for row in self.rows:
            self._rows[row.text].append(row)
        self._air = defaultdict(list)
        for one in self.air:
            self._air[one.text].append(one.when)
        handed = Counter(self.handed_over)
        counts = self.account.counts
        counts["wanted"] = len(self.promises)
        counts["accepted"] = sum(promise.accepted for promise in self.promises)
        counts["stored"] = len(self.rows)
        counts["on the air"] = len(self._air)
        for promise in self.promises:
            self._judge_promise(promise)
        for row in self.rows:
            self._judge_row(row)
        for text, times in self._air.items():
            self._judge_air(text, times)
        for text, count in handed.items():
            if count > 1:
                self.account.complain("doubled", f"{text!r} handed over {count} times")
        return self.account

    def _judge_promise(self, promise: Promise) -> None:
        rows = self._rows[promise.text]
        if len(rows) > 1:
            self.account.complain("doubled", f"{promise.text!r} has {len(rows)} rows")
        if not promise.accepted:
            self.account.counts["stored, the answer was lost"] += len(rows)
            return
        if promise.message_id not in [row.id for row in rows]:
            self.account.complain("lost", f"{promise.text!r} was accepted, and is no row")
        elif promise.told in WENT and rows[0].state not in WENT:
            self.account.complain("untrue", f"{promise.text!r} told {promise.told}: {rows[0]}")

    def _judge_row(self, row: Row) -> None:
        went = row.text in self._air
        if row.state not in FINAL:
            self.account.complain("lost", f"no end: {row}")
        elif row.state in WENT and not went:
            self.account.complain("lost", f"never on the air: {row}")
        elif row.state in STAYED and went:
            self.account.complain("untrue", f"on the air: {row}")
        self.account.counts[row.state] += 1
        if row.state == "unknown":
            self.account.unknown[row.reason or "?"] += 1
            self.account.counts["unknown, went out"] += went

    def _judge_air(self, text: str, times: list[float]) -> None:
        if not self._rows[text]:
            self.account.complain("untrue", f"{text!r} is on the air, and is no row")
        for before, after in zip(times, times[1:]):
            if any(before <= end.end and end.begin <= after for end in self.ofono_ended):
                self.account.counts["again"] += 1
            else:
                self.account.complain("doubled", f"{text!r} on the air at {times}")


@dataclass
class Incoming:
    """Wall-clock times in ms; `acknowledged`: when ofonod said that it has the message."""

    acknowledged: dict[str, float]      # by text
    rows: Sequence[Row]
    gaps: Sequence[Span]
    deaf: Sequence[Span]  # times without a spool, in which only memory may hold a message
    heard: Counter[str]                 # by a client that waits with a cursor
    first_heard: int                    # rows above this ID must arrive
    plugin: bool
    account: Account = field(default_factory=Account)

    def judge(self) -> Account:
        stored = Counter(row.text for row in self.rows)
        counts = self.account.counts
        counts["acknowledged by ofonod"] = len(self.acknowledged)
        counts["stored"] = len(stored)
        for text, count in stored.items():
            if count > 1:
                self.account.complain("doubled", f"{text!r} stored {count} times")
        for text, moment in self.acknowledged.items():
            if text not in stored:
                self._judge_missing(text, moment)
        self._judge_hearing(stored)
        return self.account

    def _judge_missing(self, text: str, moment: float) -> None:
        told = any(gap.holds(moment, SLACK_MS) for gap in self.gaps)
        excused = not self.plugin or any(span.holds(moment, SLACK_MS) for span in self.deaf)
        if told and excused:
            self.account.counts["not stored, a gap tells"] += 1
        else:
            self.account.complain("lost", f"{text!r}, acknowledged at {moment:.0f}"
                                          f"{', in a gap' if told else ''}")

    def _judge_hearing(self, stored: Iterable[str]) -> None:
        self.account.counts["heard by who waits"] = len(self.heard)
        for text, count in self.heard.items():
            if count > 1:
                self.account.complain("doubled", f"{text!r} told {count} times to one who waits")
        for row in self.rows:
            if row.id > self.first_heard and row.text not in self.heard:
                self.account.complain("missed", f"{row} by who waits with a cursor")
