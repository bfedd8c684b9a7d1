# SPDX-License-Identifier: GPL-2.0-or-later
"""A hub of several phones in a few lines, and a network between them that does its worst.

It follows the rules that doc/protocol.md has for hubs, and nothing else. What it stores is
committed before it acts; it dies at any point and goes on from what it stored. The network drops
requests and answers, delays requests until the hub has given up, and delivers them twice; gateways
are killed while they work on a request.
"""

from __future__ import annotations

import copy
import json
import random
import signal
import threading
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from typing import Any

from agent import Agent, pair
from conftest import new_lab
from lab import Lab, wait_until
from ledger import Ledger
from modem import Sim
from modern import META, Request
from owner import Owner
from wire import Closed

EPOCH, STORE = "ofono-mcp/hub_epoch", "ofono-mcp/store_epoch"
DONE = {"sent", "delivered", "failed", "expired", "unknown"}
LOST = (OSError, Closed)


class Silent(Exception):
    """No answer: the phone may or may not have the request."""


class Absent(Exception):
    """The request certainly did not arrive."""


class HubKilled(Exception):
    pass


class StaleHub(Exception):
    pass


class Phone:
    """A gateway with one SIM. All kills and restarts happen under the lock."""

    def __init__(self, lab: Lab) -> None:
        self.lab = lab
        self.owner = Owner(lab.gateway.state)
        self.token = pair(lab.gateway, "hub")
        self.owner.do("change", "--scope", "read,send,codes,hub", "hub")
        self.lock = threading.Lock()
        self.kills = 0
        wait_until(lambda: Agent(lab, self.token).states() == ["ready"], what="the SIM is ready")

    def ask(self, tool: str, arguments: dict[str, Any], meta: dict[str, Any]) -> dict[str, Any]:
        """The facts of the answer; of an error they have `code`."""
        request = Request("tools/call", {"name": tool, "arguments": arguments},
                          meta_members=META | meta).header(
            Authorization=f"Bearer {self.token}")
        result = request.ask(self.lab.gateway.port).result
        facts: dict[str, Any] = (json.loads(result["content"][0]["text"])
                                 if result.get("isError") else result["structuredContent"])
        return facts

    def restart(self) -> None:
        """In the main thread: a process of the lab ends with the thread that started it."""
        with self.lock:
            self.lab.gateway.kill()
            self.lab.gateway.start()
            self.kills += 1

    def replace_store(self, backup: bytes) -> None:
        """The phone's disk died, and an older copy of its store took its place."""
        with self.lock:
            self.lab.gateway.kill()
            for name in ("gateway.db", "gateway.db-wal", "gateway.db-shm"):
                (self.lab.gateway.state / name).unlink(missing_ok=True)
            file = self.lab.gateway.state / "gateway.db"
            file.write_bytes(backup)
            file.chmod(0o600)
            self.lab.gateway.start()

    @property
    def taken(self) -> Counter[str]:
        """The texts that its modem took from oFono."""
        return Counter(submit.text for submit in self.lab.modems[0].outgoing.taken)


class Network:
    """Between hub and phones. `quiet`: it works."""

    def __init__(self, phones: list[Phone], seed: int) -> None:
        self.phones = phones
        self.random = random.Random(seed)
        self.pool = ThreadPoolExecutor(16)
        self.late: list[Future[None]] = []
        self.counts: Counter[str] = Counter()
        self.quiet = False

    def ask(self, phone: Phone, tool: str, arguments: dict[str, Any],
            meta: dict[str, Any]) -> dict[str, Any]:
        try:
            return phone.ask(tool, arguments, meta)
        except LOST:
            raise Silent from None

    def ask_late(self, phone: Phone, tool: str, arguments: dict[str, Any],
                 meta: dict[str, Any], seconds: float) -> None:
        def run() -> None:
            time.sleep(seconds)         # the delay itself is what is tested
            try:
                phone.ask(tool, arguments, meta)
            except LOST:
                pass
        self.late.append(self.pool.submit(run))

    def kill_during(self, phone: Phone, *request: Any) -> dict[str, Any]:
        delay = self.random.uniform(0, 0.02)

        def kill() -> None:
            time.sleep(delay)           # anywhere in the work on the request
            phone.lab.gateway.send_signal(signal.SIGKILL)
        killing = self.pool.submit(kill)
        try:
            return self.ask(phone, *request)
        finally:
            killing.result()
            phone.restart()

    def call(self, phone: Phone, tool: str, arguments: dict[str, Any],
             meta: dict[str, Any]) -> dict[str, Any]:
        request = (tool, arguments, meta)
        what = "delivered" if self.quiet else self.random.choices(
            ["delivered", "absent", "request lost", "answer lost", "late", "twice",
             "gateway killed"], [50, 6, 8, 10, 12, 10, 14])[0]
        self.counts[what] += 1
        if what == "absent":
            raise Absent
        if what == "request lost":
            raise Silent
        if what == "late":
            self.ask_late(phone, *request, seconds=self.random.uniform(0, 0.5))
            raise Silent
        if what == "twice":
            self.ask_late(phone, *request, seconds=0)
        if what == "gateway killed":
            return self.kill_during(phone, *request)
        answer = self.ask(phone, *request)
        if what == "answer lost":
            raise Silent
        return answer

    def settle(self) -> None:
        self.quiet = True
        for late in self.late:
            late.result()
        self.pool.shutdown()


@dataclass
class Order:
    """One message, as the hub stores it."""

    number: int
    to: str
    text: str
    round: int = 0
    phone: int = -1                     # -1: with none
    epoch: str = ""                     # of that phone's store when it was released
    in_doubt: bool = False              # a request may still be under way there
    closed: set[int] = field(default_factory=set)   # phones that will never send this round
    state: str = "new"

    @property
    def key(self) -> str:
        return f"hub.{self.number}.{self.round}"


class Hub:
    def __init__(self, network: Network, orders: list[Order], epoch: int,
                 may_die: bool = True) -> None:
        self.network = network
        self.phones = network.phones
        self.disk = orders
        self.epoch = epoch
        self.may_die = may_die
        self.orders = copy.deepcopy(orders)
        self.epochs = [""] * len(self.phones)
        self.cursors = [""] * len(self.phones)
        self.received: dict[tuple[int, str, int], str] = {}
        for order in self.orders:       # nobody knows what the former hub had begun
            order.in_doubt |= order.phone >= 0

    def commit(self, order: Order) -> None:
        self.disk[order.number] = copy.deepcopy(order)

    def maybe_die(self) -> None:
        if self.may_die and not self.network.quiet and self.network.random.random() < 0.02:
            self.network.counts["hub killed"] += 1
            raise HubKilled

    def call(self, phone: int, tool: str, /, store: str = "", **arguments: Any) -> dict[str, Any]:
        self.maybe_die()
        meta = {EPOCH: self.epoch} | ({STORE: store} if store else {})
        facts = self.network.call(self.phones[phone], tool, arguments, meta)
        self.maybe_die()
        if facts.get("code") == "stale_hub":
            raise StaleHub
        return facts

    # ---- an order

    def step(self, order: Order) -> None:
        try:
            if order.phone < 0:
                self.release(order)
            else:
                self.follow(order)
        except (Silent, Absent):
            pass

    def release(self, order: Order) -> None:
        free = [at for at in range(len(self.phones)) if at not in order.closed]
        if not free:                    # closed everywhere: another key is safe
            order.round += 1
            order.closed.clear()
            free = list(range(len(self.phones)))
        phone = self.network.random.choice(free)
        if not self.epochs[phone]:
            self.read(phone)
        order.phone, order.epoch, order.in_doubt = phone, self.epochs[phone], False
        self.commit(order)
        self.send(order)

    def send(self, order: Order) -> None:
        try:
            facts = self.call(order.phone, "send_sms", order.epoch, to_phone_number=order.to,
                              sms_text=order.text, idempotency_key=order.key, wait_for="none",
                              valid_for_seconds=3600)
        except Absent:
            if order.in_doubt:
                raise
            self.leave(order)
            return
        except Silent:
            order.in_doubt = True
            self.commit(order)
            raise
        if "message_id" in facts and facts.get("state") in DONE:
            self.end(order, facts["state"])
        elif facts.get("code") == "other_epoch" and order.in_doubt:
            self.end(order, "unknown")
        elif "message_id" not in facts: # refused; but this network delivers requests twice
            order.in_doubt = True
            self.commit(order)

    def leave(self, order: Order, closed: bool = False) -> None:
        if closed:
            order.closed.add(order.phone)
        order.phone, order.in_doubt = -1, False
        self.commit(order)

    def end(self, order: Order, state: str) -> None:
        order.state = state
        self.commit(order)

    def follow(self, order: Order) -> None:
        if self.network.random.random() < 0.5:
            facts = self.call(order.phone, "get_sms_status", idempotency_key=order.key)
            if facts.get("state") in DONE:
                self.end(order, facts["state"])
            elif facts.get("state") == "cancelled":
                self.leave(order, closed=True)
            elif facts.get("code") == "not_found":
                self.decide(order)
        elif order.in_doubt:
            self.decide(order)

    def decide(self, order: Order) -> None:
        """The phone does not know it, or may not: send it again there, or close it there."""
        if order.epoch == self.epochs[order.phone] and self.network.random.random() < 0.4:
            order.in_doubt = True
            self.send(order)
            return
        facts = self.call(order.phone, "cancel_sms", idempotency_key=order.key, close=True)
        state = facts.get("state")
        if state == "closed" and facts["epoch"] != order.epoch:
            self.end(order, "unknown")  # a store that was replaced may have forgotten it
        elif state in ("closed", "cancelled"):
            self.leave(order, closed=True)
        elif state in DONE:
            self.end(order, state)

    # ---- the feed

    def read(self, phone: int) -> None:
        after = {"after": self.cursors[phone]} if self.cursors[phone] else {}
        page = self.call(phone, "list_changes", **after, limit=50)
        self.epochs[phone], self.cursors[phone] = page["epoch"], page["cursor"]
        for row in page["changes"]:
            if row["type"] == "received":
                self.received[phone, page["epoch"], row["message_id"]] = row["text"]
            elif row["type"] == "state":
                self.hear(phone, page["epoch"], row)

    def hear(self, phone: int, epoch: str, row: dict[str, Any]) -> None:
        for order in self.orders:
            if (order.key == row.get("idempotency_key") and order.phone == phone
                    and order.epoch == epoch and row["state"] in DONE):
                self.end(order, row["state"])

    def read_all(self) -> None:
        for phone in range(len(self.phones)):
            try:
                self.read(phone)
            except (Silent, Absent):
                pass

    @property
    def open(self) -> list[Order]:
        return [order for order in self.orders if order.state == "new"]


@dataclass
class Outcome:
    taken: Counter[str]
    orders: list[Order]
    counts: Counter[str]
    stale: int
    replaced: bool

    @property
    def doubled(self) -> list[str]:
        return [text for text, count in self.taken.items() if count > 1]

    @property
    def lost(self) -> list[str]:
        """Neither sent, nor reported as failed or unknown."""
        return [order.text for order in self.orders
                if order.state not in DONE
                or (order.state in ("sent", "delivered") and not self.taken[order.text])]

    @property
    def untrue(self) -> list[str]:
        """Reported as failed, and sent all the same."""
        return [order.text for order in self.orders
                if order.state in ("failed", "expired") and self.taken[order.text]]

    @property
    def unknown(self) -> list[str]:
        return [order.text for order in self.orders if order.state == "unknown"]

    def __str__(self) -> str:
        kills = self.counts["gateway killed"] + self.counts["hub killed"]
        words = ", ".join(f"{count} {what}" for what, count in sorted(self.counts.items()))
        return (f"{len(self.orders)} orders, {kills} kills: {len(self.lost)} lost,"
                f" {len(self.doubled)} doubled, {len(self.unknown)} unknown;"
                f" requests: {words}; {self.stale} of an older hub refused")


@contextmanager
def labs(count: int) -> Iterator[list[Lab]]:
    """Each with a SIM of its own. Their programs end with the threads that started them."""
    with ExitStack() as undo, ThreadPoolExecutor(4) as pool:
        made = [new_lab(sims=[Sim.numbered(number + 1)], gateway_open=False)
                for number in range(count)]
        started = list(pool.map(lambda lab: lab.__enter__(), made))
        for lab in started:
            undo.callback(lab.__exit__, None, None, None)
        yield started


@contextmanager
def phones(count: int) -> Iterator[list[Phone]]:
    with labs(count) as started:
        yield [Phone(lab) for lab in started]


def run(all: list[Phone], seed: int, messages: int, replaces_a_store: bool = False) -> Outcome:
    network = Network(all, seed)
    orders: list[Order] = []
    epoch, stale = 1, 0
    hub = Hub(network, orders, epoch)
    former: Hub | None = None
    backup = b""
    sent_in = 0

    def add(count: int) -> None:
        for _ in range(count):
            number = len(orders)
            orders.append(Order(number, f"+3620{7000000 + number}", f"order {seed} {number}"))
            hub.orders.append(copy.deepcopy(orders[-1]))

    def go(hub: Hub) -> None:
        for order in hub.open:
            hub.step(order)
        hub.read_all()

    while len(orders) < messages or hub.open:
        try:
            if len(hub.open) < 2 * len(all) and len(orders) < messages:
                add(5)
            if network.random.random() < 0.3:
                phone = network.random.choice(all)
                with phone.lock:
                    phone.lab.modems[0].deliver("+36205550000", f"in {seed} {sent_in}")
                sent_in += 1
            if replaces_a_store and not backup and len(orders) >= messages // 3:
                all[0].owner.do("backup", all[0].lab.folder / "copy")
                backup = (all[0].lab.folder / "copy").read_bytes()
            if replaces_a_store and backup and len(orders) >= messages * 2 // 3:
                all[0].replace_store(backup)
                replaces_a_store = False
            go(hub)
        except HubKilled:
            epoch += 1
            former, hub = hub, Hub(network, orders, epoch)
        if former and network.random.random() < 0.2:    # it was declared dead, and is not
            stale += go_on(former, hub)
    network.settle()
    for number, phone in enumerate(all):
        before = None
        while hub.cursors[number] != before:
            before = hub.cursors[number]
            hub.read(number)
        stored = {row["id"] for row in Ledger(phone.lab).incoming}
        seen = {message for at, epoch, message in hub.received
                if (at, epoch) == (number, hub.epochs[number])}
        assert seen == stored, f"phone {number}: incoming {stored}, the hub has {seen}"
    for phone in all:
        wait_until(lambda phone=phone: not phone.ask(
            "get_gateway_status", {"detail": True}, {})["queue"]["waiting"],
            what="nothing waits")
    taken: Counter[str] = sum((phone.taken for phone in all), Counter())
    network.counts["gateway killed"] = sum(phone.kills for phone in all)
    return Outcome(taken, orders, network.counts, stale,
                   bool(backup))


def go_on(former: Hub, hub: Hub) -> int:
    """The former hub sends what it has, once its successor has spoken to every phone. Returns
    how many of its calls were refused."""
    refused = 0
    network, quiet = hub.network, hub.network.quiet
    network.quiet, former.may_die = True, False
    try:
        for phone in range(len(hub.phones)):
            hub.read(phone)
        for phone in range(len(hub.phones)):
            for number in range(2):
                try:
                    former.call(phone, "send_sms", to_phone_number="+36209999999",
                                sms_text=f"stale {former.epoch} {number}", wait_for="none",
                                idempotency_key=f"stale.{former.epoch}.{phone}.{number}")
                    raise AssertionError("an older hub was not refused")
                except StaleHub:
                    refused += 1
    except Silent:
        pass
    finally:
        network.quiet = quiet
    return refused
