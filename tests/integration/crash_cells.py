# SPDX-License-Identifier: GPL-2.0-or-later
"""What the gateway is doing when it is killed: one class for each scenario of the crash
matrix, one object for each cell.

prepare() runs before the fault is armed, act() until the gateway dies, settle() after the last
restart. Then every message has an outcome, and complaints() compares it with what the modem
and the bus really saw.
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
from approving import Owner, write_past_the_gateway
from journal import FINAL, Journal, Stored
from lab import Lab, wait_until
from modem import Modem, Outcome
from modem.pdu import Submit
from owner import OK, Owner as GatewayOwner
from stream import LOST
from texting import OWNER, enrol, section

OTHER = "+36307654321"

# The outcomes that a message may have, by the state on disk when the gateway died.
OUTCOMES: dict[str, set[str]] = {
    "": {""},
    "scheduled": {"sent"},
    "queued": {"sent"},
    "submitting": {"unknown"},             # the one window that cannot be told apart
    # sent, but the gateway was not there to receive the State signal
    "submitted": {"sent", "unknown"},
    "held": {"sent", "unknown"},
    "sent": {"sent"},
    "failed": {"failed"},
    "cancelled": {"cancelled"},
    "unknown": {"unknown", "sent"},     # sent: oFono's late answer corrected it
}
# With our plugin in ofonod the record of what it accepted tells that window apart, too.
RECORDED = OUTCOMES | {state: {"sent"} for state in ("submitting", "submitted", "held")}
LOST_MESSAGE, DOUBLED, UNTRUE = "lost", "doubled", "untrue"
Complaint = tuple[str, str]             # the kind of complaint and its details


class Killed(Exception):
    """The gateway died while the cell waited for something."""


def from_now(seconds: float) -> str:
    moment = datetime.now(timezone.utc) + timedelta(seconds=seconds)
    return moment.isoformat(timespec="milliseconds")


class Evidence:
    """What the bus, the modem and the message store report, independently, at the end of all
    cells."""

    def __init__(self, handed_over: Iterable[str], taken: Iterable[str],
                 stored: Iterable[Stored]) -> None:
        self.handed_over = Counter(handed_over)
        self.taken = Counter(taken)
        self._places = {text: place for place, text in enumerate(self.taken)}
        self._stored: dict[str, list[Stored]] = defaultdict(list)
        for message in stored:
            self._stored[message.text].append(message)

    def stored(self, *texts: str) -> list[Stored]:
        """In the order in which they were accepted or received."""
        return sorted((message for text in texts for message in self._stored.get(text, [])),
                      key=lambda message: message.id)

    def taken_of(self, texts: Iterable[str]) -> list[str]:
        """In the order in which the modem took them."""
        return sorted(self._places.keys() & set(texts), key=lambda text: self._places[text])

    def state(self, text: str) -> str:
        """"" if it is not stored."""
        rows = self.stored(text)
        return rows[-1].state if rows else ""


class Cell:
    messages = 1
    with_plugin = False                 # ofonod runs with our plugin
    needs_yes = False                   # the client's messages need the owner's approval
    config = ""                         # added to the gateway's configuration
    policy = ""                         # in place of one without limits

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
        return (RECORDED if self.with_plugin else OUTCOMES)[self.at_kill[place]]

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


class SendOneRecorded(SendOne):
    with_plugin = True


class SendTwo(Cell):
    """Sends two messages at the same time on one SIM."""

    messages = 2

    def act(self) -> None:
        for call in [self.pool.submit(self.send, text) for text in self.texts]:
            call.result()
        self.wait_final()


class SendTwoRecorded(SendTwo):
    with_plugin = True


class SendAndAskAgain(Cell):
    """The client that received no answer repeats the call with its key."""

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


class SendAndAskAgainRecorded(SendAndAskAgain):
    with_plugin = True


class SendLater(Cell):
    def act(self) -> None:
        self.send(self.text, send_at=from_now(0.1))
        self.wait_final()


class SendSpread(Cell):
    """Limits choose the times of messages. The client repeats its calls, then cancels what waits."""

    messages = 2
    policy = "[policy]\nper_minute = 1\nper_hour = 0\nper_day = 0\n"

    def act(self) -> None:
        for text in self.texts:
            self.ask(text)

    def ask(self, text: str) -> Result:
        return self.send(text, spread=True, wait_for="none", idempotency_key=f"key of {text}")

    def settle(self) -> None:
        self.wait_ready()
        for text in self.texts:
            before, again = self.answers.get(text), self.ask(text)
            if before and before.message_id != again.message_id:
                raise AssertionError(f"another message for the same key: {before}, {again}")
            cancelled = self.call("cancel_sms", message_id=again.message_id)
            if cancelled.code not in ("", "too_late"):
                raise AssertionError(f"cancel_sms: {cancelled}")

    def outcomes(self, place: int) -> set[str]:
        may_be_lost = self.at_kill[place] in ("submitting", "submitted", "held")
        return {"sent", "cancelled", "unknown"} if may_be_lost else {"sent", "cancelled"}


class SendAndHang(Cell):
    """The modem is slow, so oFono still has the message when the gateway is back."""

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
            return {"sent"}             # listed by oFono, so the gateway adopts it
        return super().outcomes(place)


class SendAndHangRecorded(SendAndHang):
    with_plugin = True


class CancelLater(Cell):
    """Cancels a scheduled message."""

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


class CloseKey(Cell):
    """A hub closes a key; the request that it fears comes late, and again after the restart."""

    needs_yes = True                    # for a client of its own

    def prepare(self) -> None:
        GatewayOwner(self.lab.gateway.state).do("change", "--scope", "read,send,hub", "careful")

    def close(self) -> None:
        closed = self.call("cancel_sms", idempotency_key="k", close=True)
        if closed.structured["state"] != "closed":
            raise AssertionError(f"cancel_sms: {closed}")

    def send_late(self) -> None:
        late = self.call("send_sms", to_phone_number=TO, sms_text=self.text, idempotency_key="k")
        if late.code != "closed":
            raise AssertionError(f"send_sms: {late}")

    def act(self) -> None:
        self.closed = False
        self.close()
        self.closed = True
        self.send_late()

    def settle(self) -> None:
        if not self.closed:             # the hub was not answered, and asks again
            self.close()
        self.send_late()


class EditLater(Cell):
    """A scheduled message is changed in all that can change, and goes out: whole or not at all."""

    messages = 2                        # the old version and the new one

    def prepare(self) -> None:
        self.id = self.send(self.text, send_at=from_now(3600)).message_id
        del self.answers[self.text]

    def act(self) -> None:
        self.edit()
        self.wait("it is final", lambda: set(self.states) <= FINAL | {""})

    def edit(self) -> Result:
        return self.call("edit_sms", message_id=self.id, text=self.texts[1],
                         to_phone_number=OTHER, send_at="now")

    def settle(self) -> None:
        [row] = [one for one in self.journal.messages() if one.id == self.id]
        if (row.number, row.text, row.state == "scheduled") not in (
                (TO, self.texts[0], True), (OTHER, self.texts[1], False)):
            raise AssertionError(f"half an edit: {row}")
        self.wait_ready()
        again = self.edit()
        if again.code not in ("", "too_late"):
            raise AssertionError(f"edit_sms: {again}")

    def outcomes(self, place: int) -> set[str]:
        if place == 0:
            return {""}                 # the new version replaces it
        if self.at_kill[0]:
            return {"sent"}             # edited again, after the restart
        return super().outcomes(place)


class CancelInOfono(Cell):
    """Cancels a message that oFono has queued behind another program's message, of which the
    gateway does not know. With the plugin it would know, and keep its own message."""

    def prepare(self) -> None:
        self.cancelled: Result | None = None
        self.hold_modem()
        offered = len(self.modem.offered)
        self.lab.gateway.kill()         # else it would wait until the other one is sent
        self.lab.radios[0].send_message("+36209999999", f"before {self.text}")
        self.modem.wait_offered(offered + 1)
        self.lab.gateway.start()
        self.wait_ready()
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
    """The owner approves: nothing is sent before the approval is on disk, and then the message
    is."""

    needs_yes = True
    command, decided = "approve", "sent"
    told = False                        # whether the owner has seen the decision confirmed

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
    """The owner rejects, and nothing is ever sent."""

    command, decided = "reject", "failed"

    def complaints(self, evidence: Evidence) -> list[Complaint]:
        found = super().complaints(evidence)
        if evidence.handed_over[self.text]:
            found.append((UNTRUE, "handed over without a yes"))
        return found


class ApproveBySms(Cell):
    """The owner's answer is received, decided and replied to: each once, whatever happens."""

    with_plugin = needs_yes = True
    config = section("approvals = yes", "approvals_per_hour = 60")

    def prepare(self) -> None:
        write_past_the_gateway(self.lab, "UPDATE approval_notice SET at = 0")
        self.app = enrol(self.lab)      # codes of the cells before do not count
        self.id = self.send(self.text, wait_for="none").message_id
        asked = wait_until(self.questions, what="the owner is asked")[0]
        self.number = asked.split()[1].rstrip(":")

    def questions(self) -> list[str]:
        return [submit.text for submit in self.modem.taken
                if submit.text.startswith("Approval ") and submit.text.endswith(self.text)]

    def replies(self) -> list[str]:
        return [submit.text for submit in self.modem.taken
                if self.number in submit.text and submit.destination == OWNER
                and not submit.text.startswith("Approval ")]

    def act(self) -> None:
        self.modem.deliver(OWNER, f"YES {self.number} {self.app.code()}")
        wait_until(lambda: self.modem.all_delivered, what="oFono has acknowledged it")
        self.wait_final()
        self.wait("the owner has a reply", self.replies)

    def settle(self) -> None:
        wait_until(lambda: self.modem.all_delivered, what="oFono has acknowledged it")
        self.wait_final()
        self.wait("no answer is left", lambda: not self.journal.ledger.rows(
            "SELECT 1 FROM approval_answer UNION ALL SELECT 1 FROM message WHERE"
            " client_id = -3 AND (state < 5 OR state IN (10, 11))"))

    def outcomes(self, place: int) -> set[str]:
        if self.at_kill[place] == "waiting_approval":
            return {"sent"}
        return super().outcomes(place)

    def complaints(self, evidence: Evidence) -> list[Complaint]:
        found = super().complaints(evidence)
        if len(self.questions()) != 1:
            found.append((DOUBLED, f"asked: {self.questions()}"))
        if len(self.replies()) > 1:
            found.append((DOUBLED, f"replied: {self.replies()}"))
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
    """The plugin writes the message to the spool before it acknowledges it, so it is stored
    exactly once."""

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
    """All messages are in the spool when the gateway looks, so one commit stores them
    together."""

    messages = 3

    def deliver(self) -> None:
        self.lab.gateway.send_signal(signal.SIGSTOP)
        super().deliver()
        self.lab.gateway.send_signal(signal.SIGCONT)


class Deliver(Cell):
    """The delivery report arrives while the gateway works, is dead, or is back."""

    with_plugin = True
    reported = False

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

    def settle(self) -> None:
        self.wait("it is looked for", lambda: set(self.states) <= FINAL | {""})
        if self.taken and not self.reported:
            self.report()
        wait_until(lambda: self.modem.all_delivered, what="oFono has the report")
        if self.states == ["sent"]:
            self.wait("the report is told", lambda: self.states == ["delivered"])

    def outcomes(self, place: int) -> set[str]:
        """oFono signals a report once, but the plugin records it for a gateway that is dead."""
        state = self.at_kill[place]
        return {""} if state == "" else {"delivered"}

    def was_told_sent(self, text: str) -> bool:
        return False                    # more than "sent" was reported to the client


CELLS: list[type[Cell]] = [SendOne, SendTwo, SendOneRecorded, SendTwoRecorded,
                           SendAndAskAgain, SendAndAskAgainRecorded, SendLater, SendSpread,
                           SendAndHang, SendAndHangRecorded, CancelLater, CloseKey, EditLater,
                           CancelInOfono, Approve, Reject,
                           ApproveBySms, Receive, ReceiveSpooled, ReceiveGroup, Deliver]
