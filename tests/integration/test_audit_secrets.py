# SPDX-License-Identifier: GPL-2.0-or-later
"""No text, token, code or PIN appears where it does not belong, however it entered."""

from __future__ import annotations

import base64
import re
import secrets
import sqlite3
import subprocess
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from pathlib import Path

import pytest

from agent import Agent, assert_sent, pair
from ledger import Ledger
from lab import Lab, McpClient, wait_until
from lab.gateway import BINARY, Gateway
from lone_gateway import LoneGateway
from modem import Outcome
from modem.patience import patience
from owner import Owner
from wire import Wire, request, rpc

TO = "+36301234567"
TEXTS = ["The treasure lies under the third oak", "Árvíztűrő tükörfúrógép a padláson",
         "Сокровище под третьим дубом", "宝藏在第三棵橡树下", "الكنز تحت الشجرة الثالثة",
         "🗝🏴 under the oak", "{\"note\": \"oak\\u0041\"} <script>oak</script>"]
CODE_TEXT = "Your code is 739184. Do not share it."
CODE = "739184"
PIN = "83920174"
ADDRESSES_ONLY = 1 << 30


HASH = re.compile(rb"[0-9a-f]{64}")


def forms(text: str) -> Iterator[bytes]:
    """As it would look in a file: whole, as the modem has it, and its beginning."""
    yield text.encode()
    yield text.encode("utf-16-be").hex().encode()
    yield text[:12].encode()


def token() -> str:
    return secrets.token_hex(32)


def misplaced(value: str) -> list[tuple[str, str, dict[str, str]]]:
    """Method, target and headers of requests that carry a token in the wrong place."""
    basic = base64.b64encode(f"agent:{value}".encode()).decode()
    return [
        ("POST", f"/mcp?token={value}", {}),
        ("POST", f"/mcp/{value}", {}),
        ("GET", f"/{value}", {}),
        ("PUT", "/mcp", {"Authorization": f"Bearer {value}"}),
        ("POST", "/mcp", {"Authorization": f"bearer  {value} "}),
        ("POST", "/mcp", {"Authorization": f"Basic {basic}"}),
        ("POST", "/mcp", {"Authorization": value}),
        ("POST", "/mcp", {"Proxy-Authorization": f"Bearer {value}"}),
        ("POST", "/mcp", {"Cookie": f"token={value}"}),
        ("POST", "/mcp", {"X-Api-Key": value}),
        ("POST", "/mcp", {"Mcp-Session-Id": value}),
        ("POST", "/mcp", {"Origin": f"http://{value}"}),
        ("POST", "/mcp", {"Host": f"{value}.example"}),
        ("POST", "/mcp", {"Content-Type": value}),
        ("POST", "/healthz", {"Authorization": f"Bearer {value}"}),
    ]


def send_misplaced(gateway: Gateway, value: str) -> None:
    for method, target, headers in misplaced(value):
        with McpClient(gateway.port) as client:
            client.request(method, target, b"{}", client.headers | headers)
    for request in (f"{value} / HTTP/1.1\r\n\r\n", f"GET / {value}\r\n\r\n", value):
        with suppress(OSError), Wire(gateway.port) as wire:
            wire.send(request.encode())


def everything_kept(gateway: Gateway) -> bytes:
    """The audit in every readable form, and the log."""
    shown = [subprocess.run([BINARY, "audit", "--state-dir", gateway.state, *more],
                            check=True, capture_output=True,
                            timeout=patience(20)).stdout for more in ([], ["--json"])]
    with closing(sqlite3.connect(f"file:{gateway.state}/gateway.db?mode=ro",
                                 uri=True)) as database:
        rows = database.execute("SELECT event, detail FROM audit").fetchall()
    assert len(rows) > 5
    return b"\n".join([*shown, repr(rows).encode(), gateway.log.encode()])


# ---- what is written down

def test_audit_and_log_contain_no_secrets(make_lab: Callable[..., Lab]) -> None:
    lab = make_lab("[sms]\nsend_wait_seconds = 1\n", modem_count=1, gateway_open=False,
                   gateway_args=["--verbose"])
    good, wrong = pair(lab.gateway, "laptop"), token()
    agent, modem = Agent(lab, good), lab.modems[0]
    agent.wait_states("ready", timeout=10)
    for text in TEXTS:
        agent.send(text, to=TO)
    assert_sent(agent.send(f"The code is {CODE}", to=TO), TO)
    for text in [*TEXTS, CODE_TEXT]:
        modem.deliver(TO, text)
    Ledger(lab).wait(len(TEXTS) + 1)
    modem.plan(Outcome.cms(38))
    agent.send(TEXTS[0] + "!", to=TO)                       # the network refuses it
    agent.send(TEXTS[0] * 20, to=TO)                        # too long
    agent.send(TEXTS[0], to=TEXTS[0])                       # a text as the number
    agent.send("x", to=f"PIN {PIN}")
    with lab.client() as client:
        client.headers["Authorization"] = f"Bearer {good}"
        for arguments in ({"pin": PIN}, {"to_phone_number": TO, "sms_text": "x",
                                         "idempotency_key": TEXTS[0] * 3},
                          {"to_phone_number": TO, "sms_text": "x", "send_at": TEXTS[1]}):
            client.call("tools/call", {"name": "send_sms", "arguments": arguments})
        client.call("tools/call", {"name": TEXTS[2], "arguments": {}})
        client.call(TEXTS[3])
        client.post(b'{"text": "' + TEXTS[0].encode() + b'"')
        client.call("tools/call", {"name": "list_sms", "arguments": {"search": TEXTS[0]}})
        client.call("tools/call",
                    {"name": "wait_for_sms",
                     "arguments": {"contains": TEXTS[0], "timeout_seconds": 1}})
    send_misplaced(lab.gateway, wrong)
    send_misplaced(lab.gateway, good)
    lab.gateway.restart()
    lab.gateway.stop()
    kept = everything_kept(lab.gateway)
    for event in (b"send_accepted", b"send_outcome", b"send_refused", b"auth_failed"):
        assert event in kept
    assert TO.encode() in kept                  # proves that this searches the right place
    for value in (good, wrong):
        assert value.encode() not in kept
    kept = HASH.sub(b"", kept)                  # a hash may contain any six digits
    for text in [*TEXTS, CODE_TEXT, "third oak", CODE, PIN]:
        for form in forms(text):
            assert form not in kept, form


# ---- what stays in memory

def memory(pid: int) -> Iterator[bytes]:
    """All memory that the process can write to, which a core file would contain."""
    with open(f"/proc/{pid}/mem", "rb", buffering=0) as file:
        for line in Path(f"/proc/{pid}/maps").read_text().splitlines():
            span, rights, *_ = line.split()
            if not rights.startswith("rw") or "[vvar]" in line:
                continue
            begin, end = (int(place, 16) for place in span.split("-"))
            if end - begin > ADDRESSES_ONLY:    # of a sanitizer
                continue
            file.seek(begin)
            with suppress(OSError):
                yield file.read(end - begin)


def remembers(gateway: Gateway, what: str) -> bool:
    return any(what.encode() in piece for piece in memory(gateway.pid))


@pytest.fixture
def guarded() -> Iterator[LoneGateway]:
    with LoneGateway(open=False) as gateway:
        yield gateway


def forgotten(gateway: Gateway, what: str) -> None:
    wait_until(lambda: not remembers(gateway, what), what="the token is forgotten")


def test_the_memory_scan_finds_a_token_still_in_use(guarded: LoneGateway) -> None:
    """The gateway cannot have forgotten a token whose header is incomplete, and the scan finds
    it."""
    value = token()
    with guarded.wire() as wire:
        wire.send(b"POST /mcp HTTP/1.1\r\nX-Early: " + value.encode() + b"\r\nX-Late: ")
        wait_until(lambda: remembers(guarded, value), what="the header has come in")


def test_memory_keeps_no_token_after_valid_calls(guarded: LoneGateway) -> None:
    good = pair(guarded, "laptop")
    for _ in range(3):
        with McpClient(guarded.port, token=good) as client:
            for _ in range(3):
                assert client.call("tools/list").status == 200
    forgotten(guarded, good)


def test_memory_keeps_no_token_after_pairing(guarded: LoneGateway) -> None:
    owner = Owner(guarded.state)
    for made in (owner.json("pair", "laptop"), owner.json("rotate", "laptop")):
        forgotten(guarded, made["token"])


def test_memory_keeps_no_token_while_a_call_waits(guarded: LoneGateway) -> None:
    """The gateway forgets a token as soon as it has checked it."""
    good = pair(guarded, "laptop")
    call = rpc("tools/call", {"name": "wait_for_sms", "arguments": {"timeout_seconds": 60}})
    with guarded.wire() as wire:
        wire.send(request(call, {"Authorization": f"Bearer {good}"}))
        with McpClient(guarded.port, token=good) as client:
            assert client.call("tools/list").status == 200
        forgotten(guarded, good)
        assert not wire.has_news(0)


def test_memory_keeps_no_token_while_a_connection_is_open(guarded: LoneGateway) -> None:
    good = pair(guarded, "laptop")
    with McpClient(guarded.port, token=good) as client:
        assert client.call("tools/list").status == 200
        forgotten(guarded, good)
        assert client.call("tools/list").status == 200
        forgotten(guarded, good)


def test_memory_keeps_no_wrong_or_misplaced_token(guarded: LoneGateway) -> None:
    value = token()
    with McpClient(guarded.port, token=value) as client:
        assert client.call("tools/list").status == 401
    forgotten(guarded, value)
    for method, target, headers in misplaced(value):
        with McpClient(guarded.port) as client:
            client.request(method, target, b"{}", client.headers | headers)
        forgotten(guarded, value)
