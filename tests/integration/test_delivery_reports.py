# SPDX-License-Identifier: GPL-2.0-or-later
"""Delivery reports through the whole gateway, with a fake oFono (stub_ofono.py).

Debian's ofonod signals none, and the gateway accepts signals only from the owner of org.ofono,
so a test cannot send them beside the real one. src/ofono/message_manager.c describes the
forks' signals.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))    # the packages lab and modem

from agent import TO, Agent
from lab import McpClient, wait_until
from lab.bus import Bus
from lab.gateway import Gateway
from modem.patience import patience
from wire import Wire, request, rpc

STUB = Path(__file__).with_name("stub_ofono.py")


class StubOfono:
    def __init__(self, address: str, shape: str = "plain", words: str = "") -> None:
        self._process = subprocess.Popen([sys.executable, "-B", str(STUB), address, shape, words],
                                         stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                         text=True)
        assert self.read() == ["ready"]

    def read(self) -> list[str]:
        """The next line of its output."""
        line = self._process.stdout.readline()
        assert line, "the stub has ended"
        return line.split()

    def sent(self) -> str:
        """The UUID of the next message that it sends."""
        word, uuid = self.read()
        assert word == "sent"
        return uuid

    def report(self, uuid: str, delivered: bool, interface: str = "SmsHistory",
               kind: str = "s") -> None:
        print("report", uuid, interface, kind, int(delivered), file=self._process.stdin,
              flush=True)

    def do(self, **order: Any) -> list[str]:
        """Its output until it was done; stub_ofono.py describes the commands."""
        print(json.dumps(order), file=self._process.stdin, flush=True)
        said = []
        while (words := self.read()) != ["done"]:
            said.append(" ".join(words))
        return said

    def stop(self) -> None:
        self._process.stdin.close()
        self._process.wait(patience(10))
        self._process.stdout.close()


class Phone:
    def __init__(self, folder: Path, shape: str = "plain") -> None:
        self.shape = shape
        self.bus = Bus(folder)
        self.gateway = Gateway(folder, self.bus)
        self.gateway.config = ""            # the same text again is not a new message
        self.agent = Agent(self)

    def start(self, **first: Any) -> None:
        """`first` runs before the gateway starts."""
        self.bus.start()
        self.ofono = StubOfono(self.bus.address, self.shape)
        self.ofono.do(**first)
        self.gateway.start()
        self.agent.ids()
        for _ in range(2 if self.shape == "forks" else 1):
            assert self.ofono.read() == ["reports", "1"]

    def stop(self) -> None:
        self.gateway.stop()
        self.ofono.stop()
        self.bus.stop()

    def wait_ready(self) -> None:
        """A SIM is listed before oFono has answered that it is registered."""
        self.agent.wait_states("ready")

    def client(self) -> McpClient:
        return McpClient(self.gateway.port)

    def history(self, message_id: int) -> list[tuple[str, str]]:
        """The states with their reasons."""
        status = self.agent.call("get_sms_status", history=True, message_id=message_id).structured
        return [(change["state"], change.get("reason", "")) for change in status["changes"]]

    def wait_history(self, message_id: int, *last: tuple[str, str]) -> None:
        wait_until(lambda: self.history(message_id)[-len(last):] == list(last),
                   what=f"{message_id} ends with {last}")


@pytest.fixture
def phone() -> Iterator[Phone]:
    with tempfile.TemporaryDirectory(prefix="ofono-lab-") as folder:
        phone = Phone(Path(folder))
        phone.start()
        phone.wait_ready()
        yield phone
        phone.stop()


@pytest.mark.parametrize("interface", ["SmsHistory", "MessageManager"])
@pytest.mark.parametrize("kind", ["s", "o"])
def test_a_delivery_report_marks_a_message_delivered(phone: Phone, interface: str, kind: str) -> None:
    with ThreadPoolExecutor() as pool:
        call = pool.submit(phone.agent.send, "arrives", wait_for="delivered", wait_seconds=20)
        phone.ofono.report(phone.ofono.sent(), True, interface, kind)
        result = call.result()
    assert result.text.startswith(f"SMS delivered to {TO}" + " (message ")
    facts = result.structured
    assert (facts["state"], facts["delivery"]) == ("delivered", "delivered")
    assert phone.history(facts["message_id"])[-2:] == [("sent", ""), ("delivered", "")]


def test_a_negative_delivery_report_is_returned(phone: Phone) -> None:
    with ThreadPoolExecutor() as pool:
        call = pool.submit(phone.agent.send, "lost", wait_for="delivered", wait_seconds=20)
        phone.ofono.report(phone.ofono.sent(), False)
        result = call.result()
    facts = result.structured
    assert (facts["state"], facts["delivery"]) == ("sent", "refused")
    assert result.text == (f"SMS sent to {TO}, but a delivery report says that it did "
                               f"not arrive (message {facts['message_id']}).")
    assert phone.history(facts["message_id"])[-2:] == [("sent", ""),
                                                       ("sent", "not_delivered")]


def test_a_delivery_report_counts_after_a_restart(phone: Phone) -> None:
    ids, uuids = [], []
    for text in ("late", "never"):
        ids.append(phone.agent.send(text).message_id)
        uuids.append(phone.ofono.sent())
    phone.gateway.kill()
    phone.gateway.start()
    phone.wait_ready()
    with Wire(phone.gateway.port, timeout=20) as waiting:
        waiting.send(request(rpc("tools/call", {"name": "send_sms", "arguments": {
            "to_phone_number": TO, "sms_text": "late", "wait_for": "delivered",
            "wait_seconds": 20}})))
        assert phone.agent.state(ids[0]) == "sent"  # asked afterwards: another call waits now
        phone.ofono.report(uuids[0], True)
        phone.ofono.report(uuids[1], False)
        result = waiting.receive().result["structuredContent"]
    assert (result["state"], result["duplicate"]) == ("delivered", True)
    phone.wait_history(ids[0], ("delivered", ""))
    phone.wait_history(ids[1], ("sent", "not_delivered"))


def test_several_calls_wait_for_one_delivery_report(phone: Phone) -> None:
    with ThreadPoolExecutor() as pool:
        calls = [pool.submit(phone.agent.send, "one report", wait_for="delivered",
                             wait_seconds=20, idempotency_key="k") for _ in range(3)]
        phone.ofono.report(phone.ofono.sent(), True)
        states = [call.result().structured["state"] for call in calls]
    assert states == ["delivered"] * 3
