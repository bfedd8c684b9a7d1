# SPDX-License-Identifier: GPL-2.0-or-later
"""The modems of a machine, and the agents of its gateway (tests/installed/world.py)."""

from __future__ import annotations

import json
import re
import subprocess
from types import TracebackType
from typing import Any

from lab import wait_until
from machine import Machine

PHONESIM = "".join(f"[sim{i}]\nAddress=127.0.0.1\nPort={12345 + i}\n\n" for i in range(2))
WORLD = ("python3", "-B", "/source/tests/installed/world.py")


class Phone:
    """with Phone(machine) as phone: ..."""

    def __init__(self, machine: Machine) -> None:
        self.machine = machine
        self._world: subprocess.Popen[str] | None = None

    def __enter__(self) -> Phone:
        self._world = subprocess.Popen(self.machine.command(*WORLD), stdin=subprocess.PIPE,
                                       stdout=subprocess.PIPE, text=True)
        self.ask("power")
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None,
                 trace: TracebackType | None) -> None:
        self._world.stdin.close()
        self._world.wait(20)
        self._world.stdout.close()

    def ask(self, *what: Any) -> Any:
        print(json.dumps(what), file=self._world.stdin, flush=True)
        answer = self._world.stdout.readline()
        assert answer, "the world ended; what it said is above"
        return json.loads(answer)

    # ---- the owner

    def pair(self, name: str) -> str:
        """Returns the token."""
        said = self.machine.run("ofono-mcp", "pair", name, "--scope", "read,send,codes",
                                "--ask", "never")
        [token] = set(re.findall(r"\b[0-9a-f]{64}\b", said))
        return token

    # ---- an agent

    def call(self, token: str, tool: str, **arguments: Any) -> Any:
        result = self.ask("call", token, tool, arguments)
        assert not result.get("isError"), result
        return result["structuredContent"]

    def sims(self, token: str) -> list[dict[str, Any]]:
        return self.call(token, "get_sms_subscriptions")["subscriptions"]

    def wait_sims(self, token: str) -> list[int]:
        """Their IDs, once both can send; of the answer that said so."""
        def ready() -> list[int]:
            sims = self.sims(token)
            if [sim["state"] for sim in sims] != 2 * ["ready"]:
                return []
            return [sim["subscription_id"] for sim in sims]
        return wait_until(ready, timeout=30, what="both SIMs can send")

    def send(self, token: str, text: str) -> int:
        """Sends with the first SIM; returns the message ID."""
        sent = self.call(token, "send_sms", to_phone_number="+36301234567", sms_text=text,
                         subscription_id=self.wait_sims(token)[0])
        assert sent["state"] == "sent", sent
        assert self.ask("taken")[-1] == text
        return sent["message_id"]

    def receive(self, token: str, text: str) -> None:
        cursor = self.call(token, "list_sms")["wait_cursor"]
        self.ask("deliver", "+36209876543", text)
        heard = self.call(token, "wait_for_sms", after=cursor, timeout_seconds=60)
        assert heard["message"]["text"] == text

    def messages(self, token: str) -> dict[int, str]:
        return {message["message_id"]: message["text"]
                for message in self.call(token, "list_sms")["messages"]}
