# SPDX-License-Identifier: GPL-2.0-or-later
"""What `make demo` promises: a real PDU, lines that work, nothing left at the end."""

from __future__ import annotations

import json
import os
import pty
import re
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))    # the packages lab and modem

from lab import wait_until
from lab.gateway import free_port
from lab.process import as_from_a_shell
from modem.patience import patience
from modem.pdu import decode_submit

DEMO = Path(__file__).with_name("demo.py")
TO = "+36201234567"
TEXT = "Hello! An agent sent me through a real oFono."
UP = "Ctrl-C ends everything"


class Demo:
    """One run; `output` grows as it prints."""

    def __init__(self, *arguments: str, stdout: int = subprocess.PIPE, port: int = 0,
                 command: Sequence[str | Path] = (sys.executable, "-B", DEMO)) -> None:
        self.port = port or free_port()
        self.output = ""
        self._child = subprocess.Popen(
            [*command, "--port", str(self.port), *arguments],
            stdin=subprocess.DEVNULL, stdout=stdout, stderr=subprocess.STDOUT,
            preexec_fn=as_from_a_shell)
        if self._child.stdout:
            self._reader = threading.Thread(target=self._read, daemon=True)
            self._reader.start()

    def _read(self) -> None:
        for line in self._child.stdout:
            self.output += line.decode()

    @property
    def pid(self) -> int:
        return self._child.pid

    def wait_up(self) -> None:
        self.wait_output(UP)

    def wait_output(self, words: str) -> None:
        wait_until(lambda: words in self.output or not self._reader.is_alive(), timeout=60,
                   what=f"the demo prints {words!r}")
        assert words in self.output, self.output

    def signal(self, number: signal.Signals) -> None:
        self._child.send_signal(number)

    @property
    def has_ended(self) -> bool:
        return self._child.poll() is not None

    def wait(self) -> int:
        return self._child.wait(patience(60))

    def end(self) -> None:
        """Ends it as its user does, so that its folder is removed."""
        try:
            self.signal(signal.SIGTERM)
            self.wait()
        finally:
            self.kill()

    def kill(self) -> None:
        self._child.kill()
        self._child.wait()
        if self._child.stdout:
            self._child.stdout.close()

    @property
    def folder(self) -> str:
        return re.search(r"^ +folder +(\S+)$", self.output, re.MULTILINE)[1]

    def curl_lines(self) -> list[str]:
        return re.findall(r"^ +(curl .*)$", self.output, re.MULTILINE)


@pytest.fixture
def demo() -> Iterator[Demo]:
    demo = Demo()
    try:
        demo.wait_up()
        yield demo
    finally:
        demo.end()


def test_the_program_that_the_demo_names_for_claude_desktop_reaches_it(demo: Demo) -> None:
    [line] = re.findall(r'^ +(\{"mcpServers".*"command".*)$', demo.output, re.MULTILINE)
    server = json.loads(line)["mcpServers"]["phone"]
    hello = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-11-25", "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"}}}
    ended = subprocess.run([server["command"], *server["args"]], text=True, capture_output=True,
                           input=json.dumps(hello) + "\n", timeout=patience(60))
    assert json.loads(ended.stdout)["result"]["serverInfo"]["name"] == "ofono-mcp"


def namers(folder: str) -> list[str]:
    """Processes whose command line or environment names the folder."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            words = (process / "cmdline").read_bytes() + (process / "environ").read_bytes()
        except OSError:                         # it ended, or belongs to another user
            continue
        if folder.encode() in words:
            found.append(f"{process.name}: {words[:200]!r}")
    return found


def assert_nothing_left(folder: str) -> None:
    wait_until(lambda: not namers(folder), what="the demo's programs have ended")
    assert not Path(folder).exists()


def run(line: str) -> dict:
    done = subprocess.run(["sh", "-c", line], stdout=subprocess.PIPE, check=True)
    return json.loads(done.stdout)


def test_it_shows_request_answer_and_pdu() -> None:
    demo = Demo("--once")
    assert demo.wait() == 0
    demo.wait_output("Ended")
    pdu = re.search(r"^ +PDU +([0-9A-F]+)$", demo.output, re.MULTILINE)[1]
    submit = decode_submit(pdu)
    assert (submit.destination, submit.text, submit.alphabet) == (TO, TEXT, "gsm7")
    assert re.search(rf"^ +text +{re.escape(TEXT)}$", demo.output, re.MULTILINE)
    assert '"method":"tools/call","params":{"name":"send_sms"' in demo.output
    assert f'"text":"SMS sent to {TO}' in demo.output
    assert '"count":2' in demo.output
    assert "\033" not in demo.output            # colours are for terminals
    assert_nothing_left(demo.folder)


def normal(line: str) -> str:
    """Without what differs from run to run."""
    return re.sub(r"\S*ofono-lab-\w+|process \d+|127\.0\.0\.1:\d+", "", line).rstrip()


def test_the_guide_shows_what_it_prints() -> None:
    guide = (DEMO.parents[2] / "doc" / "getting-started.md").read_text()
    _, _, shown = guide.partition("    $ make demo ")
    shown, _, _ = shown.partition("\n    ...\n")
    lines = [normal(line[4:].removesuffix(" ...")) for line in shown.splitlines()[1:]]
    assert len(lines) > 20
    demo = Demo("--once")
    assert demo.wait() == 0
    demo.wait_output("Ended")
    printed = [normal(line) for line in demo.output.splitlines()]
    for line in lines:
        assert any(one.startswith(line) for one in printed), line


def test_every_curl_line_works(demo: Demo) -> None:
    hello, tools, sims, send = map(run, demo.curl_lines())
    assert hello["result"]["serverInfo"]["name"] == "ofono-mcp"
    assert [tool["name"] for tool in tools["result"]["tools"]][:2] == [
        "send_sms", "get_sms_subscriptions"]
    assert sims["result"]["structuredContent"]["count"] == 2
    assert send["result"]["content"][0]["text"].startswith(f"SMS sent to {TO}")
    demo.wait_output("Hello from curl")         # shown when it is sent


def test_a_repeated_text_is_reported_as_a_duplicate(demo: Demo) -> None:
    """The answer says that nothing was sent, and how to send it again; that works."""
    line = next(line for line in demo.curl_lines() if "send_sms" in line)
    first, again = run(line)["result"], run(line)["result"]
    assert again["structuredContent"]["message_id"] == first["structuredContent"]["message_id"]
    assert again["structuredContent"]["duplicate"]
    assert not again["content"][0]["text"].startswith("SMS sent")
    assert "idempotency_key" in again["content"][0]["text"]     # how to send it once more
    demo.wait_output('"idempotency_key":"any new word"')
    keyed = line.replace('"sms_text"', '"idempotency_key":"any new word","sms_text"')
    assert run(keyed)["result"]["content"][0]["text"].startswith(f"SMS sent to {TO}")
    wait_until(lambda: demo.output.count("an SMS went out") == 2, what="two are shown")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_everything(demo: Demo, number: signal.Signals) -> None:
    folder = demo.folder
    assert len(namers(folder)) >= 3             # bus, ofonod, gateway
    demo.signal(number)
    demo.signal(number)                         # a second signal does not cut the clean-up short
    assert demo.wait() == 0
    assert_nothing_left(folder)
    with socket.socket() as probe:
        assert probe.connect_ex(("127.0.0.1", demo.port)) != 0


def test_a_signal_during_the_start_ends_everything() -> None:
    demo = Demo()
    try:
        demo.wait_output("Starting")
        mine = f"/proc/{demo.pid}/task/{demo.pid}/children"
        wait_until(lambda: Path(mine).read_text(), what="the first program starts")
        children = Path(mine).read_text().split()
        demo.signal(signal.SIGINT)
        assert demo.wait() == 0
        wait_until(lambda: not any(Path("/proc", pid).exists() for pid in children))
    finally:
        demo.end()


def test_killing_the_demo_ends_its_programs(demo: Demo) -> None:
    folder = demo.folder
    demo.kill()
    wait_until(lambda: not namers(folder), what="the demo's programs have ended")
    subprocess.run(["rm", "-rf", folder], check=True)   # SIGKILL leaves the folder


def test_closing_the_terminal_ends_everything() -> None:
    ours, theirs = pty.openpty()
    demo = Demo(stdout=theirs)
    os.close(theirs)
    try:
        seen = b""
        while UP.encode() not in seen:
            seen += os.read(ours, 4096)
        folder = re.search(rb"folder +(\S+)", seen)[1].decode()
        assert b"\033[" in seen
        os.close(ours)
        run(re.search(r"curl [^\r\n]*send_sms[^\r\n]*", seen.decode())[0])  # to be shown
        assert demo.wait() == 0
        assert_nothing_left(folder)
    finally:
        demo.end()
