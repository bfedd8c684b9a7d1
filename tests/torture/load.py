# SPDX-License-Identifier: GPL-2.0-or-later
"""Honest clients of both eras, one thread each: they send, list, wait and listen all the time.

They record the answers: one `Sending` for each message that a client tried to send.
"""

from __future__ import annotations

import json
import random
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime, timezone
from http.client import HTTPException
from typing import Any

import modern
from events import Events
from lab import McpClient
from lab.lab import Lab
from modem.pdu import Submit, encode_deliver
from wire import Closed, Wire

TO = "+36301234567"
SESSION_GONE = 404
CLIENT_S = 60               # a client's own timeout
LISTED = 20


class Unanswered(Exception):
    """The gateway was away, or stopped in the middle of an answer."""


@dataclass
class Sending:
    text: str
    key: str = ""
    message_id: int = 0         # accepted with this ID
    told: str = ""              # the reported state, or the code of the refusal
    accepted: bool = False
    tries: int = 0


class Modern:
    """Requests of 2026-07-28 over a connection that stays open."""

    def __init__(self, lab: Lab) -> None:
        self._port = lab.gateway.port
        self._wire: Wire | None = None

    def tool(self, name: str, arguments: dict[str, Any]) -> tuple[int, Any]:
        try:
            if not self._wire:
                self._wire = Wire(self._port, timeout=CLIENT_S)
            reply = self._wire.ask(modern.call(name, arguments).octets)
        except (OSError, Closed) as error:
            self.close()
            raise Unanswered from error
        return reply.status, json.loads(reply.body) if reply.body else {}

    def close(self) -> None:
        if self._wire:
            self._wire.close()
        self._wire = None


class Legacy:
    """A session of 2025-11-25, started again when the gateway does not know it."""

    def __init__(self, lab: Lab) -> None:
        self._lab = lab
        self._client: McpClient | None = None

    def tool(self, name: str, arguments: dict[str, Any]) -> tuple[int, Any]:
        try:
            if not self._client:
                self._client = McpClient(self._lab.gateway.port, timeout=CLIENT_S)
                self._client.initialize()
            answer = self._client.call("tools/call", {"name": name, "arguments": arguments})
        except (OSError, HTTPException, AssertionError) as error:
            self.close()
            raise Unanswered from error
        if answer.status == SESSION_GONE:
            self.close()
        return answer.status, answer.body or {}

    def close(self) -> None:
        if self._client:
            self._client.close()
        self._client = None


@dataclass
class Load:
    """All clients of one run and what they saw; `rate` is in messages a second, each way."""

    lab: Lab
    seed: int
    rate: float
    with_reports: bool
    sendings: list[Sending] = field(default_factory=list)
    delivered: dict[bytes, str] = field(default_factory=dict)   # text by TPDU
    heard: Counter[str] = field(default_factory=Counter)  # by the client that waits with a cursor
    waits: list[tuple[float, float]] = field(default_factory=list)  # begin, seconds
    statuses: Counter[str] = field(default_factory=Counter)
    events: int = 0
    unanswered: int = 0
    reported: int = 0
    failures: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._over = threading.Event()
        self._deaf = threading.Event()
        self._aborted = threading.Event()
        self._lock = threading.Lock()
        self._threads = [threading.Thread(target=self._guard, args=(run,), name=name,
                                          daemon=True)
                         for name, run in self._parts()]

    def _parts(self) -> Iterator[tuple[str, Callable[[random.Random], None]]]:
        for number, era in enumerate((Legacy, Modern)):
            for keyed in (False, True):
                yield (f"sender {number}{keyed:d}",
                       lambda dice, era=era, keyed=keyed: self._send_on(dice, era, keyed))
        yield "asks for delivery", lambda dice: self._send_on(dice, Modern, True, "delivered")
        yield "lists", self._list_on
        yield "waits", self._wait_on
        yield "listens", self._listen_on
        yield "feeds", self._feed
        yield "reports", self._report_on
        yield "healthy", self._measure

    @contextmanager
    def running(self) -> Iterator[None]:
        for thread in self._threads:
            thread.start()
        try:
            yield
        except BaseException:
            for event in (self._aborted, self._over, self._deaf):
                event.set()
            raise
        self._over.set()
        for thread in self._threads:
            if thread.name not in ("waits", "reports"):
                thread.join()

    def end_hearing(self) -> None:
        """No more messages arrive: the waiting client receives the rest and ends."""
        self._deaf.set()
        for thread in self._threads:
            thread.join()

    def _guard(self, run: Callable[[random.Random], None]) -> None:
        name = threading.current_thread().name
        try:
            run(random.Random(f"{self.seed} {name}"))
        except Exception as error:
            self.failures.append(f"{name}: {type(error).__name__}: {error}")

    def _call(self, era: Legacy | Modern, name: str, **arguments: Any) -> Any:
        """The result; raises Unanswered for anything else."""
        try:
            status, body = era.tool(name, arguments)
        except Unanswered:
            self.unanswered += 1
            raise
        with self._lock:
            self.statuses[str(status)] += 1
        if "result" not in body:
            with self._lock:
                self.statuses[f"{status}: {body.get('error', {}).get('message', '')[:60]}"] += 1
            raise Unanswered
        return body["result"]

    # ---- who sends

    def _send_on(self, dice: random.Random, era: type[Legacy] | type[Modern], keyed: bool,
                 wait_for: str = "sent") -> None:
        caller = era(self.lab)
        name = threading.current_thread().name
        number = 0
        while not self._over.wait(dice.expovariate(self.rate / 5)):
            number += 1
            text = f"{name} {era.__name__} {number}"
            sending = Sending(text, f"key of {text}" if keyed else "")
            self.sendings.append(sending)
            sim = dice.randrange(len(self.lab.modems))
            while not self._try(caller, sending, sim, wait_for) and keyed:
                if self._aborted.wait(0.05):
                    return
        caller.close()

    def _try(self, caller: Legacy | Modern, sending: Sending, sim: int,
             wait_for: str) -> bool:
        """Repeats until a gateway answers that knows the SIMs again."""
        sending.tries += 1
        more: dict[str, Any] = {"idempotency_key": sending.key} if sending.key else {}
        more |= {"subscription_id": sim + 1, "wait_for": wait_for, "wait_seconds": 3}
        try:
            result = self._call(caller, "send_sms", to_phone_number=TO,
                                sms_text=sending.text, **more)
        except Unanswered:
            return False
        facts = json.loads(result["content"][-1]["text"])
        sending.accepted = sending.accepted or "message_id" in facts
        sending.message_id = facts.get("message_id", sending.message_id)
        sending.told = facts["code"] if result.get("isError") else facts["state"]
        return sending.accepted or not facts.get("retryable", False)

    # ---- who reads

    def _list_on(self, dice: random.Random) -> None:
        callers = (Legacy(self.lab), Modern(self.lab))
        while not self._over.wait(dice.uniform(0, 0.3)):
            try:
                caller = dice.choice(callers)
                page = self._call(caller, "list_sms", limit=LISTED)["structuredContent"]
                ids = [message["message_id"] for message in page["messages"]]
                assert ids == sorted(ids, reverse=True), ids
                self._call(caller, "get_gateway_status")
            except Unanswered:
                time.sleep(0.05)
        for caller in callers:
            caller.close()

    def _wait_on(self, dice: random.Random) -> None:
        """One message after the other, by the cursor alone, whatever happens meanwhile."""
        caller, cursor = Modern(self.lab), ""
        while not self._aborted.is_set():
            last = self._deaf.is_set()
            try:
                if not cursor:
                    page = self._call(caller, "list_sms", limit=1)["structuredContent"]
                    cursor = page["wait_cursor"]
                    continue
                answer = self._call(caller, "wait_for_sms", after=cursor, timeout_seconds=1)
            except Unanswered:
                time.sleep(0.05)
                continue
            if answer.get("isError"):
                time.sleep(0.05)
                continue
            found = answer["structuredContent"]
            cursor = found["cursor"]
            if "message" in found:
                self.heard[found["message"]["text"]] += 1
            elif last:
                break
        caller.close()

    def _listen_on(self, dice: random.Random) -> None:
        asked = modern.Request("subscriptions/listen", {
            "notifications": {"resourceSubscriptions": ["sms://inbox"]}})
        headers = {name.replace("-", "_"): value for name, value in asked.headers.items()}
        while not self._over.is_set():
            try:
                with Events(self.lab.gateway.port, asked.body, **headers) as events:
                    while not self._over.is_set() and not (events.closed or events.ended):
                        self.events += events.poll(0.2) is not None
            except (OSError, AssertionError, ValueError):
                time.sleep(0.05)

    def _measure(self, dice: random.Random) -> None:
        caller = Legacy(self.lab)
        while not self._over.wait(0.02):
            begin = time.monotonic()
            try:
                self._call(caller, "get_sms_subscriptions")
            except Unanswered:
                continue
            self.waits.append((begin, time.monotonic() - begin))
        caller.close()

    # ---- what the network does

    def _feed(self, dice: random.Random) -> None:
        """Each message has a unique text."""
        number = 0
        while not self._over.wait(dice.expovariate(self.rate)):
            number += 1
            modem = dice.choice(self.lab.modems)
            text = f"in {number} of {modem.name}"
            tpdu = encode_deliver(f"+3620{dice.randrange(10**6):07d}", text,
                                  datetime.now(timezone.utc))
            self.delivered[tpdu] = text
            modem.deliver_tpdu(tpdu)

    def _report_on(self, dice: random.Random) -> None:
        """Reports everything that the network took as delivered, once."""
        done: dict[str, int] = {modem.name: 0 for modem in self.lab.modems}
        while not self._deaf.wait(0.2):
            for modem in self.lab.modems:
                taken: list[Submit] = modem.taken[done[modem.name]:]
                done[modem.name] += len(taken)
                for submit in taken:
                    if submit.report_requested and self.with_reports:
                        modem.report(submit)
                        self.reported += 1
