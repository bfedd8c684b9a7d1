# SPDX-License-Identifier: GPL-2.0-or-later
"""What the gateway is doing when it is killed: one class for each scenario of the crash
matrix, one object for each cell.

prepare() runs before the fault is armed, act() until the gateway dies, settle() after the
last restart; then every message has an outcome, and complaints() judges it by what the
modem and the bus really saw.
"""

from __future__ import annotations

import signal
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from datetime import datetime, timedelta, timezone
from typing import Any

from agent import TO, Agent, Result
from approving import Owner
from journal import FINAL, Journal, Stored
from lab import Lab, wait_until
from modem import Modem, Outcome
from modem.pdu import Submit
from owner import OK
from stream import LOST

# What may become of a message of which the disk said this when the gateway died.
OUTCOMES: dict[str, set[str]] = {
    "": {""},
    "scheduled": {"sent"},
    "queued": {"sent"},
    "submitting": {"unknown"},             # the one window
    "submitted": {"sent", "unknown"},      # sent, and nobody there to hear it
    "held": {"sent", "unknown"},
    "sent": {"sent"},
    "failed": {"failed"},
    "cancelled": {"cancelled"},
    "unknown": {"unknown", "sent"},     # sent: oFono told late
}
LOST_MESSAGE, DOUBLED, UNTRUE = "lost", "doubled", "untrue"
Complaint = tuple[str, str]             # one of the three, and what is wrong


class Killed(Exception):
    """The gateway died while the cell waited for something."""


def from_now(seconds: float) -> str:
    moment = datetime.now(timezone.utc) + timedelta(seconds=seconds)
    return moment.isoformat(timespec="milliseconds")


class Evidence:
    """What the bus, the modem and the ledger say, each for itself, at the end of all cells."""

    def __init__(self, handed_over: Iterable[str], taken: Iterable[str],
                 stored: Iterable[Stored]) -> None:
        self.handed_over = Counter(handed_over)
        self.taken = Counter(taken)
        self._places = {text: place for place, text in enumerate(self.taken)}
        self._stored: dict[str, list[Stored]] = defaultdict(list)
        for message in stored:
            self._stored[message.text].append(message)

    def stored(self, *texts: str) -> list[Stored]:
        """In the order in which they were accepted, or came."""
        return sorted((message for text in texts for message in self._stored.get(text, [])),
                      key=lambda message: message.id)

    def taken_of(self, texts: Iterable[str]) -> list[str]:
        """In the order in which the modem took them."""
        return sorted(self._places.keys() & set(texts), key=lambda text: self._places[text])

    def state(self, text: str) -> str:
        """"": it is not stored."""
        rows = self.stored(text)
        return rows[-1].state if rows else ""


class Cell:
    messages = 1
    with_plugin = False                 # ofonod has ours
    needs_yes = False                   # the client's messages wait for the owner

    def __init__(self, lab: Lab, number: int, pool: ThreadPoolExecutor) -> None:
        self.lab = lab
        self.pool = pool
        self.modem: Modem = lab.modems[0]
        self.journal = Journal(lab)
        self.texts = [f"{self.name()} {number} {place}" for place in range(self.messages)]
        self.text = self.texts[0]
        self.answers: dict[str, Result] = {}
        self.at_kill = [""] * self.messages

    @classmethod
    def name(cls) -> str:
        return cls.__name__

    # ---- what scenarios are made of

    def call(self, tool: str, **arguments: Any) -> Result:
        try:
            return Agent(self.lab).call(tool, **arguments)
        except LOST:
            raise Killed from None

    def send(self, text: str, **more: Any) -> Result:
        result = self.call("send_sms", to_phone_number=TO, sms_text=text, **more)
        self.answers[text] = result
        return result

    def wait(self, what: str, predicate: Callable[[], object]) -> None:
        gateway = self.lab.gateway
        wait_until(lambda: not gateway.is_running or predicate(), what=what)
        if not gateway.is_running:
            raise Killed

    def wait_final(self) -> None:
        self.wait("it is final", lambda: set(self.states) <= FINAL)

    def wait_ready(self) -> None:
        try:
            Agent(self.lab).wait_states("ready", timeout=10)
        except LOST:
            raise Killed from None

    @property
    def states(self) -> list[str]:
        return self.journal.states(*self.texts)

    def hold_modem(self) -> None:
        """Every +CMGS hangs until release_modem()."""
        self.modem.default_outcome = Outcome.hang()

    @property
    def is_in_the_air(self) -> bool:
        return len(self.modem.offered) > len(self.modem.taken)

    def release_modem(self) -> None:
        def unhang() -> None:
            if self.is_in_the_air:
                self.modem.unhang(Outcome.ok())
        self.modem.default_outcome = Outcome.ok()
        self.modem.link.call(unhang)

    # ---- the three parts

    def prepare(self) -> None:
        pass

    def act(self) -> None:
        raise NotImplementedError

    def note_kill(self) -> None:
        self.at_kill = self.states

    def settle(self) -> None:
        pass

    def is_settled(self) -> bool:
        return set(self.states) <= FINAL | {""}

    # ---- judgement

    def outcomes(self, place: int) -> set[str]:
        return OUTCOMES[self.at_kill[place]]

    def complaints(self, evidence: Evidence) -> list[Complaint]:
        found: list[Complaint] = []
        for place, text in enumerate(self.texts):
            state = evidence.state(text)
            counts = {"rows": len(evidence.stored(text)),
                      "handed over": evidence.handed_over[text],
                      "taken": evidence.taken[text]}
            found += [(DOUBLED, f"{what} {count} times")
                      for what, count in counts.items() if count > 1]
            if text in self.answers and not self.answers[text].is_error and not state:
                found.append((LOST_MESSAGE, "accepted, and no row"))
            if state not in self.outcomes(place):
                kind = UNTRUE if state else LOST_MESSAGE
                found.append((kind, f"{self.at_kill[place]!r} became {state!r}"))
            if state != "unknown" and counts["taken"] != (state in ("sent", "delivered")):
                found.append((UNTRUE, f"{state!r}, taken {counts['taken']} times"))
            if self.was_told_sent(text) and state != "sent":
                found.append((UNTRUE, f"told sent, and it is {state!r}"))
        return found + self.complaints_of_order(evidence)

    def was_told_sent(self, text: str) -> bool:
        return text in self.answers and self.answers[text].text.startswith("SMS sent")

    def complaints_of_order(self, evidence: Evidence) -> list[Complaint]:
        went = evidence.taken_of(self.texts)
        wanted = [message.text for message in evidence.stored(*went)]
        return [(UNTRUE, f"order {went}")] if went != wanted else []


class SendOne(Cell):
    def act(self) -> None:
        self.send(self.text)
        self.wait_final()


class SendTwo(Cell):
    """At the same time, on one SIM."""

    messages = 2

    def act(self) -> None:
        for call in [self.pool.submit(self.send, text) for text in self.texts]:
            call.result()
        self.wait_final()


class SendAndAskAgain(Cell):
    """The client that had no answer asks again with its key."""

    def act(self) -> None:
        self.ask()
        self.wait_final()

    def settle(self) -> None:
        self.wait_ready()
        before = self.answers.get(self.text)
        again = self.ask()
        if before and before.facts["message_id"] != again.facts["message_id"]:
            raise AssertionError(f"another message for the same key: {before}, {again}")

    def ask(self) -> Result:
        return self.send(self.text, idempotency_key=f"key of {self.text}")

    def outcomes(self, place: int) -> set[str]:
        return {"sent"} if self.at_kill[place] == "" else super().outcomes(place)

    def was_told_sent(self, text: str) -> bool:
        return self.answers[text].facts.get("state") == "sent"


class SendLater(Cell):
    def act(self) -> None:
        self.send(self.text, send_at=from_now(0.1))
        self.wait_final()


class SendAndHang(Cell):
    """The modem takes its time, so oFono still has it when the gateway is back."""

    def prepare(self) -> None:
        self.hold_modem()

    def act(self) -> None:
        call: Future[Result] = self.pool.submit(self.send, self.text)
        self.wait("it is in the air",
                  lambda: self.states == ["submitted"] and self.is_in_the_air)
        self.release_modem()
        call.result()
        self.wait_final()

    def note_kill(self) -> None:
        super().note_kill()
        self.was_in_the_air = self.is_in_the_air

    def settle(self) -> None:
        self.wait("it is looked for", lambda: set(self.states) <= FINAL | {"", "submitted"})
        self.release_modem()

    def outcomes(self, place: int) -> set[str]:
        if self.at_kill[place] in ("submitted", "held") and self.was_in_the_air:
            return {"sent"}             # listed by oFono, so it is adopted
        return super().outcomes(place)


class CancelLater(Cell):
    """A scheduled message is taken back."""

    def prepare(self) -> None:
        self.id = self.send(self.text, send_at=from_now(3600)).message_id

    def act(self) -> None:
        self.cancelled = self.call("cancel_sms", message_id=self.id)

    def settle(self) -> None:
        again = self.call("cancel_sms", message_id=self.id)
        if again.code not in ("", "too_late"):
            raise AssertionError(f"cancel_sms: {again}")

    def outcomes(self, place: int) -> set[str]:
        return {"cancelled"}


class CancelInOfono(Cell):
    """A message that oFono has queued behind somebody else's is taken back."""

    def prepare(self) -> None:
        self.cancelled: Result | None = None
        self.hold_modem()
        offered = len(self.modem.offered)
        self.lab.radios[0].send_message("+36209999999", f"before {self.text}")
        self.modem.wait_offered(offered + 1)
        self.id = self.send(self.text, wait_for="none").message_id
        self.wait("oFono has it", lambda: self.states == ["submitted"])

    def act(self) -> None:
        self.cancelled = self.call("cancel_sms", message_id=self.id)
        self.release_modem()
        self.wait_final()

    def note_kill(self) -> None:
        super().note_kill()
        self.was_listed = bool(len(self.lab.radios[0].pending_messages()) > 1)

    def settle(self) -> None:
        self.wait("it is looked for", lambda: set(self.states) <= FINAL | {"submitted"})
        self.release_modem()
        wait_until(lambda: not self.is_in_the_air, what="the other one is sent")

    def outcomes(self, place: int) -> set[str]:
        if self.cancelled and not self.cancelled.is_error:
            return {"cancelled"}
        if self.at_kill[place] not in ("submitted", "held"):
            return super().outcomes(place)
        return {"sent"} if self.was_listed else {"unknown"}


class Approve(Cell):
    """The owner says yes: before that is on disk nothing goes out, and then it does."""

    needs_yes = True
    command, decided = "approve", "sent"
    told = False                        # the owner was, that it is decided

    def prepare(self) -> None:
        self.id = self.send(self.text, wait_for="none").message_id

    def act(self) -> None:
        self.decide()
        self.wait_final()

    def decide(self) -> None:
        if Owner(self.lab).run(self.command, self.id).returncode != OK:
            raise Killed
        self.told = True

    def settle(self) -> None:
        if self.at_kill != ["waiting_approval"]:
            return
        if self.told or self.states != self.at_kill:
            raise AssertionError(f"{self.states}, and the owner was told: {self.told}")
        self.decide()

    def outcomes(self, place: int) -> set[str]:
        if self.at_kill[place] == "waiting_approval":
            return {self.decided}
        return super().outcomes(place)


class Reject(Approve):
    """The owner says no, and nothing ever goes out."""

    command, decided = "reject", "failed"

    def complaints(self, evidence: Evidence) -> list[Complaint]:
        found = super().complaints(evidence)
        if evidence.handed_over[self.text]:
            found.append((UNTRUE, "handed over without a yes"))
        return found


class Receive(Cell):
    def act(self) -> None:
        self.told_ms = [time.time() * 1000, 0.0]
        self.deliver()
        self.told_ms[1] = time.time() * 1000
        self.wait_final()

    def deliver(self) -> None:
        for text in self.texts:
            self.modem.deliver("+36205551234", text)
        wait_until(lambda: self.modem.all_delivered, what="oFono has acknowledged them")

    def complaints(self, evidence: Evidence) -> list[Complaint]:
        found: list[Complaint] = []
        for text, before in zip(self.texts, self.at_kill):
            now = evidence.state(text)
            if (count := len(evidence.stored(text))) > 1:
                found.append((DOUBLED, f"stored {count} times"))
            if before and now != before:
                found.append((LOST_MESSAGE, f"{before} became {now}"))
            if not now and not self.is_in_a_gap():
                found.append((LOST_MESSAGE, "not stored, and no gap tells of it"))
        return found

    def is_in_a_gap(self) -> bool:
        begun, ended = self.told_ms
        return any(gap["from_at"] <= begun and
                   ended <= (gap["until_at"] or time.time() * 1000)
                   for gap in self.journal.ledger.gaps)


class ReceiveSpooled(Receive):
    """The plugin lays it down before it is acknowledged, so it is there once, always."""

    with_plugin = True

    def settle(self) -> None:
        wait_until(lambda: self.modem.all_delivered, what="oFono has acknowledged it")
        self.wait_final()

    def complaints(self, evidence: Evidence) -> list[Complaint]:
        found = super().complaints(evidence)
        mine = evidence.stored(*self.texts)
        if [message.text for message in mine] != self.texts:
            found.append((LOST_MESSAGE, f"stored is {[one.text for one in mine]}"))
        found += [(DOUBLED, f"told to have come {message.repeats} times more")
                  for message in mine if message.repeats]
        return found


class ReceiveGroup(ReceiveSpooled):
    """They are all there when the gateway looks, so they go to the disk together."""

    messages = 3

    def deliver(self) -> None:
        self.lab.gateway.send_signal(signal.SIGSTOP)
        super().deliver()
        self.lab.gateway.send_signal(signal.SIGCONT)


class Deliver(Cell):
    """The recipient's report comes while the gateway works, is dead, or is back."""

    with_plugin = True
    reported = was_reported = False

    def act(self) -> None:
        call = self.pool.submit(self.send, self.text, wait_for="delivered",
                                wait_seconds=60)
        self.wait("it is taken", lambda: self.taken)
        self.report()
        call.result()
        self.wait("it is delivered", lambda: self.states == ["delivered"])

    @property
    def taken(self) -> list[Submit]:
        return [submit for submit in self.modem.taken if submit.text == self.text]

    def report(self) -> None:
        self.reported = True
        self.modem.report(self.taken[0])

    def note_kill(self) -> None:
        super().note_kill()
        self.was_reported = self.reported

    def settle(self) -> None:
        self.wait("it is looked for", lambda: set(self.states) <= FINAL | {""})
        if self.taken and not self.reported:
            self.report()
        wait_until(lambda: self.modem.all_delivered, what="oFono has the report")
        if not self.was_reported and self.states == ["sent"]:
            self.wait("the report is told", lambda: self.states == ["delivered"])

    def outcomes(self, place: int) -> set[str]:
        """oFono tells a report once: who was dead then stays with what it knew."""
        missed = {"sent"} if self.was_reported else set()
        return {
            "": {""},
            "queued": {"delivered"},
            "submitting": {"unknown"},
            "submitted": {"delivered", "unknown"} | missed,
            "held": {"delivered", "unknown"} | missed,
            "sent": {"delivered"} | missed,
            "unknown": {"delivered", "unknown"},
            "delivered": {"delivered"},
        }[self.at_kill[place]]

    def was_told_sent(self, text: str) -> bool:
        return False                    # what it was told of is more than sent


CELLS: list[type[Cell]] = [SendOne, SendTwo, SendAndAskAgain, SendLater, SendAndHang,
                           CancelLater, CancelInOfono, Approve, Reject, Receive,
                           ReceiveSpooled, ReceiveGroup, Deliver]
