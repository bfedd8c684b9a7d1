#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Unwanted clients, many at once, from addresses of their own.

    crowd.py PORT SEED SECONDS

Prints one line of JSON: how many of each kind connected, and their answers. They do not care
whether the gateway dies meanwhile.
"""

from __future__ import annotations

import json
import random
import resource
import select
import socket
import sys
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

for folder in ("..", "../integration"):
    sys.path.insert(0, str(Path(__file__).resolve().parent / folder))

import modern
from hostile_requests import CLOSED, FRAMING, Leaving
from wire import request, rpc

SMUGGLED = "smuggled"       # the text of every message that must never be sent
IDLE, SLOW_READERS, LORIS, HALVES, PIPELINES, TOGETHER = 2000, 1000, 300, 300, 20, 100
HOLD_S = 3.0
ANSWER_S = 3.0
DESCRIPTORS = 4096
LIST = request(rpc("tools/list"))
PING = request(rpc("ping"))
LISTEN = modern.Request("subscriptions/listen", {
    "notifications": {"resourceSubscriptions": ["sms://inbox"]}}).octets
HIDDEN = request(rpc("tools/call", {"name": "send_sms", "arguments": {
    "to_phone_number": "+36301234567", "sms_text": SMUGGLED, "subscription_id": 1}}))


class Crowd:
    def __init__(self, port: int, seed: int, seconds: float) -> None:
        self._port = port
        self._dice = random.Random(seed)
        self._end = time.monotonic() + seconds
        self.counts: Counter[str] = Counter()
        self.answers: Counter[str] = Counter()
        self.wrong: list[str] = []

    # ---- sockets

    def _connect(self, receive_buffer: int = 0) -> socket.socket | None:
        one = socket.socket()
        if receive_buffer:
            one.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        one.settimeout(ANSWER_S)
        try:
            one.bind((f"127.0.{self._dice.randint(2, 9)}.1", 0))
            one.connect(("127.0.0.1", self._port))
        except OSError:
            one.close()
            self.counts["not connected"] += 1
            return None
        return one

    def _connect_many(self, count: int, receive_buffer: int = 0) -> list[socket.socket]:
        found = []
        for _ in range(count):
            if time.monotonic() > self._end:
                break
            if one := self._connect(receive_buffer):
                found.append(one)
            else:
                time.sleep(0.02)
        return found

    def _hold(self, most_s: float) -> None:
        time.sleep(max(0.0, min(self._dice.uniform(0, most_s), self._end - time.monotonic())))

    def _leave(self, clients: list[socket.socket]) -> None:
        for one in clients:
            if self._dice.random() < 0.2:
                one.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
            one.close()

    def _send(self, one: socket.socket, data: bytes) -> bool:
        try:
            one.sendall(data)
        except OSError:
            return False
        return True

    def _read(self, one: socket.socket, answers: int) -> bytes:
        """Reads until that many octets arrived, or no more do."""
        octets = b""
        end = time.monotonic() + ANSWER_S
        while octets.count(b"HTTP/1.1 ") < answers or b"\r\n\r\n" not in octets:
            readable, _, _ = select.select([one], [], [], max(0, end - time.monotonic()))
            try:
                piece = one.recv(1 << 16) if readable else b""
            except OSError:
                piece = b""
            if not piece:
                return octets
            octets += piece
        return octets

    # ---- kinds

    def idle(self) -> None:
        """Connections that send nothing."""
        clients = self._connect_many(IDLE)
        self.counts["idle connections"] += len(clients)
        self._hold(HOLD_S)
        self._leave(clients)

    def slow_readers(self) -> None:
        """They request large answers and streams, and never read."""
        clients = self._connect_many(SLOW_READERS, receive_buffer=2048)
        for number, one in enumerate(clients):
            one.setblocking(False)
            self._send(one, LISTEN if number % 3 else LIST * 30)
        self.counts["slow readers"] += len(clients)
        self._hold(2 * HOLD_S)
        self._leave(clients)

    def loris(self) -> None:
        """An octet now and then, and never a whole request."""
        clients = self._connect_many(LORIS)
        self.counts["slow-loris"] += len(clients)
        end = min(self._end, time.monotonic() + HOLD_S)
        place = 0
        while time.monotonic() < end:
            for one in clients:
                self._send(one, LIST[place:place + 1])
            place = min(place + 1, len(LIST) - 2)
            time.sleep(0.2)
        self._leave(clients)

    def halves(self) -> None:
        """Parts of requests, and then silence."""
        clients = self._connect_many(HALVES)
        for one in clients:
            self._send(one, HIDDEN[:self._dice.randrange(1, len(HIDDEN) - 1)])
        self.counts["half requests"] += len(clients)
        self._leave(clients)

    def pipelines(self) -> None:
        """Many requests at once, answered in order."""
        for one in self._connect_many(PIPELINES):
            self._send(one, PING * TOGETHER)
            octets = self._read(one, TOGETHER)
            found = octets.count(b"HTTP/1.1 200 ")
            self.counts["pipelined requests"] += TOGETHER
            self.answers["200"] += found
            self.answers["none"] += TOGETHER - found
            one.close()

    def smugglers(self) -> None:
        """A second request inside the body of an invalid one."""
        wanted = [hostile for hostile in FRAMING if hostile.leaving is Leaving.READS]
        for hostile in self._dice.sample(wanted, len(wanted)):
            one = self._connect()
            if not one:
                continue
            self._send(one, hostile.data + HIDDEN)
            octets = self._read(one, 1)
            status = int(octets[9:12]) if octets.startswith(b"HTTP/1.1 ") else CLOSED
            self.counts["smuggled requests"] += 1
            self.answers[str(status or "none")] += 1
            if status not in hostile.statuses | {CLOSED}:
                self.wrong.append(f"{hostile.name}: {status}")
            one.close()

    def run(self) -> None:
        kinds: list[Callable[[], None]] = [self.idle, self.slow_readers, self.loris,
                                           self.halves, self.pipelines, self.smugglers]
        while time.monotonic() < self._end:
            self._dice.shuffle(kinds)
            for kind in kinds:
                if time.monotonic() < self._end:
                    kind()


def main() -> None:
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(DESCRIPTORS, hard), hard))
    crowd = Crowd(int(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3]))
    crowd.run()
    print(json.dumps({"counts": crowd.counts, "answers": crowd.answers,
                      "wrong": crowd.wrong}))


if __name__ == "__main__":
    main()
