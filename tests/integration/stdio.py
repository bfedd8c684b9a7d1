# SPDX-License-Identifier: GPL-2.0-or-later
"""`ofono-mcp stdio` as a client runs it: lines in, lines out."""

from __future__ import annotations

import json
import os
import subprocess
import threading
from collections.abc import Callable
from typing import Any

from lab import Lab, wait_until
from modem.patience import patience

MODERN = "2026-07-28"
LEGACY = "2025-11-25"
VERSION_KEY = "io.modelcontextprotocol/protocolVersion"
META = {VERSION_KEY: MODERN,
        "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {}}


def modern(id: int | str, method: str, **params: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": id, "method": method, "params": {"_meta": META, **params}}


def legacy(id: int | str, method: str, **params: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": id, "method": method, "params": params}


def note(method: str, **params: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "method": method, "params": params}


def call(id: int | str, tool: str, **arguments: Any) -> dict[str, Any]:
    """A modern tools/call."""
    return modern(id, "tools/call", name=tool, arguments=arguments)


def facts(answer: dict[str, Any]) -> dict[str, Any]:
    """What the tool answered."""
    return json.loads(answer["result"]["content"][-1]["text"])


class Bridge:
    """The program, and every line that it has written."""

    def __init__(self, lab: Lab, *arguments: str, local: bool = True,
                 environment: dict[str, str] | None = None, reads: bool = True) -> None:
        place = ["--state-dir", str(lab.gateway.state)] if local else [
            "--url", f"http://127.0.0.1:{lab.gateway.port}/mcp"]
        self.process = subprocess.Popen(
            [str(lab.gateway.binary), "stdio", *place, *arguments],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            env=os.environ | (environment or {}))
        self.lines: list[dict[str, Any]] = []
        self.log = b""
        self._readers = [threading.Thread(target=self._read_log, daemon=True)]
        if reads:
            self._readers.append(threading.Thread(target=self.read, daemon=True))
        for reader in self._readers:
            reader.start()

    def __enter__(self) -> Bridge:
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.wait()
        for reader in self._readers:
            reader.join()
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            try:
                stream.close()
            except BrokenPipeError:
                pass

    def read(self) -> None:
        for line in self.process.stdout:
            if line.endswith(b"\n"):        # the kill at the end may cut the last one
                self.lines.append(json.loads(line))

    def _read_log(self) -> None:
        for line in self.process.stderr:
            self.log += line

    def write(self, text: bytes) -> None:
        self.process.stdin.write(text)
        self.process.stdin.flush()

    def send(self, *messages: dict[str, Any] | list[Any]) -> None:
        self.write(b"".join(json.dumps(message).encode() + b"\n" for message in messages))

    def find(self, matches: Callable[[dict[str, Any]], bool]) -> list[dict[str, Any]]:
        return [line for line in list(self.lines) if matches(line)]

    def answers(self, id: int | str) -> list[dict[str, Any]]:
        return self.find(lambda line: "method" not in line and line.get("id") == id)

    def notes(self, method: str) -> list[dict[str, Any]]:
        return self.find(lambda line: line.get("method") == method)

    def wait(self, matches: Callable[[dict[str, Any]], bool], what: str) -> dict[str, Any]:
        wait_until(lambda: self.find(matches), 15, what)
        return self.find(matches)[0]

    def wait_note(self, method: str) -> dict[str, Any]:
        return self.wait(lambda line: line.get("method") == method, method)

    def wait_answer(self, id: int | str) -> dict[str, Any]:
        return self.wait(lambda line: "method" not in line and line.get("id") == id,
                         f"the answer to {id}")

    def ask(self, message: dict[str, Any]) -> dict[str, Any]:
        self.send(message)
        return self.wait_answer(message["id"])

    def initialize(self) -> dict[str, Any]:
        answer = self.ask(legacy(0, "initialize", protocolVersion=LEGACY, capabilities={},
                                 clientInfo={"name": "test", "version": "1"}))
        self.send(note("notifications/initialized"))
        return answer["result"]

    def end(self) -> int:
        """Closes its input."""
        self.process.stdin.close()
        return self.process.wait(patience(10))
