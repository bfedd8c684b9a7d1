# SPDX-License-Identifier: GPL-2.0-or-later
"""A real HAProxy with doc/examples/proxy/haproxy.cfg in front of two phones.

All are in one network that has the addresses of the example.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from agent import pair
from conftest import new_lab
from events import Events
from lab import Lab, wait_until
from lab.dial import forget, make_certificate, trust
from lab.network import Network
from lab.process import Process
from lone_gateway import peers_of
from modern import HEADER_MISMATCH, Request, call
from owner import Owner
from wire import Reply, Wire, request, rpc

EXAMPLES = Path(__file__).resolve().parents[2] / "doc" / "examples" / "proxy"
CONFIG = (EXAMPLES / "haproxy.cfg").read_text()
PROXY, INBOX, SENDER, AGENTS = (f"192.0.2.{last}" for last in (10, 11, 12, 20))
HOST = "gateway.example.org"
TO = "+36301234567"
WRONG = "f00d" * 16
LONGEST_CALL_S = 120
TOKENS = 5                      # wrong ones before a gateway answers 429


@dataclass
class Fleet:
    agents: Network
    inbox: Lab
    sender: Lab
    token: str

    def ask(self, asked: Request, **headers: Any) -> Reply:
        """Calls as an agent that knows only the proxy."""
        return self._send(asked.header(**self._known | headers).octets)

    def ask_2025(self, body: bytes, **headers: str) -> Reply:
        return self._send(request(body, self._named | headers))

    def listen(self, filter: Any) -> Events:
        asked = Request("subscriptions/listen", {"notifications": filter})
        headers = {name.replace("-", "_"): value for name, value in asked.headers.items()}
        with self.agents.inside():
            return Events(443, asked.body, host=PROXY, **headers, **self._known)

    def wire(self) -> Wire:
        with self.agents.inside():
            return Wire(443, "", timeout=30, host=PROXY)

    def octets(self, asked: Request) -> bytes:
        return asked.header(**self._known).octets

    @property
    def _known(self) -> dict[str, Any]:
        return {"Host": HOST, "Authorization": f"Bearer {self.token}"}

    @property
    def _named(self) -> dict[str, str]:
        return {"Host": HOST, "Authorization": f"Bearer {self.token}"}

    def _send(self, octets: bytes) -> Reply:
        with self.wire() as wire:
            return wire.ask(octets)


def gateway_config(address: str) -> str:
    """The example's configuration for the phone at this address, without what the lab sets
    itself."""
    text = (EXAMPLES / "ofono-mcp.conf").read_text()
    assert f"listen = {INBOX}:9531\n" in text
    return text.replace(f"listen = {INBOX}:9531\n", "")


def make_phone(stack: ExitStack, network: Network, address: str) -> Lab:
    lab = new_lab(gateway_config(address), modem_count=1, gateway_open=False)
    lab.gateway.network = network
    lab.gateway.args += ["--listen", f"{address}:9531"]
    stack.enter_context(lab)
    owner = Owner(lab.gateway.state)
    wait_until(lambda: owner.json("status")["can_send"], 20, "its SIM is ready")
    return lab


def paired_token(lab: Lab) -> str:
    """Uses a certificate of its own, which the proxy then knows."""
    return Owner(lab.gateway.state).json("pair", "--tls", "agent")["token"]


def proxy_files(folder: Path, fleet: Fleet, sender_token: str) -> None:
    """The files that the head of the example requires; root of a user namespace has no other
    user to become."""
    is_alone = Path("/proc/self/uid_map").read_text().split()[2] == "1"
    text = re.sub(r"^\t(user|group) haproxy\n", "", CONFIG, flags=re.M) if is_alone else CONFIG
    (folder / "haproxy.cfg").write_text(text)
    (folder / "sender.map").write_text(f"{fleet.token} {sender_token}\n")
    for name, lab in (("inbox", fleet.inbox), ("sender", fleet.sender)):
        certificate = lab.gateway.state / "tls" / "cert.pem"
        (folder / f"{name}.pem").write_text(certificate.read_text())
    make_certificate(folder / "own")
    (folder / "gateway.pem").write_text(
        "".join((folder / "own" / name).read_text() for name in ("cert.pem", "key.pem")))


@pytest.fixture(scope="module")
def fleet(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Fleet]:
    with ExitStack() as stack:
        network, agents = (stack.enter_context(Network()) for _ in range(2))
        network.connect("wlan0", PROXY, agents, "eth0", AGENTS)
        for address in (INBOX, SENDER):
            network.add("wlan0", address)
        inbox, sender = (make_phone(stack, network, at) for at in (INBOX, SENDER))
        fleet = Fleet(agents, inbox, sender, paired_token(inbox))
        folder = tmp_path_factory.mktemp("haproxy")
        proxy_files(folder, fleet, paired_token(sender))
        process = Process("haproxy", folder / "haproxy.log")
        process.run([*network.prefix, "haproxy", "-db", "-f", "/etc/haproxy/haproxy.cfg"],
                    bind=(folder, Path("/etc/haproxy")))
        stack.callback(process.kill)
        trust(443, folder / "own" / "cert.pem")
        stack.callback(forget, 443)
        wait_until(lambda: answers(fleet, process), 20, f"HAProxy serves\n{process.log}")
        yield fleet


def answers(fleet: Fleet, process: Process) -> bool:
    assert process.is_running, process.log
    try:
        return fleet.ask(Request("tools/list")).status == 200
    except OSError:
        return False


def test_the_proxy_routes_calls_by_their_headers(fleet: Fleet) -> None:
    sent = fleet.ask(call("send_sms", {"to_phone_number": TO, "sms_text": "hello"})).result
    assert sent["content"][0]["text"].startswith(f"SMS sent to {TO}")
    [taken] = fleet.sender.modems[0].outgoing.taken
    assert not fleet.inbox.modems[0].outgoing.taken
    message = sent["structuredContent"]["message_id"]
    told = fleet.ask(call("get_sms_status", {"message_id": message})).result
    assert told["structuredContent"]["state"] == "sent"
    listed = fleet.ask(call("list_sms", {"direction": "out"})).result
    assert listed["structuredContent"]["messages"] == []    # from the inbox's phone


def test_the_gateway_refuses_headers_that_do_not_match(fleet: Fleet) -> None:
    asked = call("send_sms", {"to_phone_number": TO, "sms_text": "by the other SIM"})
    assert fleet.ask(asked, Mcp_Name="list_sms").error == (400, HEADER_MISMATCH)
    assert not fleet.inbox.modems[0].outgoing.taken


def test_2025_sessions_stay_at_one_phone(fleet: Fleet) -> None:
    """The revisions of 2025: a session stays at one phone."""
    client = {"name": "old", "version": "1"}
    asked = rpc("initialize", {"protocolVersion": "2025-11-25", "capabilities": {},
                               "clientInfo": client})
    reply = fleet.ask_2025(asked)
    assert reply.result["protocolVersion"] == "2025-11-25"
    session = {"Mcp-Session-Id": reply.header("mcp-session-id") or "",
               "MCP-Protocol-Version": "2025-11-25"}
    assert fleet.ask_2025(rpc("tools/list"), **session).result["tools"]


def test_streams_and_long_calls_pass_the_proxy(fleet: Fleet) -> None:
    with fleet.listen({"resourceSubscriptions": ["sms://inbox"]}) as events:
        assert events.next().method == "notifications/subscriptions/acknowledged"
        place = fleet.ask(call("wait_for_sms", {"timeout_seconds": 1})).result
        with fleet.wire() as waiting:
            waiting.send(fleet.octets(call("wait_for_sms", {
                "after": place["structuredContent"]["cursor"], "timeout_seconds": 60})))
            wait_until(lambda: len(peers_of(fleet.inbox.gateway, 9531)) == 2,
                       what="the call waits")
            fleet.inbox.modems[0].deliver(TO, "an answer")
            found = waiting.receive().result["structuredContent"]
        assert found["message"]["text"] == "an answer"
        assert events.next().uri == "sms://inbox"


@pytest.mark.parametrize("side", ["client", "server"])
def test_the_proxy_timeout_exceeds_the_longest_call(side: str) -> None:
    [seconds] = re.findall(rf"^\ttimeout {side} (\d+)s$", CONFIG, re.M)
    assert int(seconds) > LONGEST_CALL_S


def test_the_proxy_passes_client_disconnects_on(fleet: Fleet) -> None:
    gateway = fleet.inbox.gateway
    wait_until(lambda: not peers_of(gateway, 9531), 20, "nobody is connected")
    with fleet.wire() as wire:
        wire.send(fleet.octets(call("wait_for_sms", {"timeout_seconds": 100})))
        wait_until(lambda: len(peers_of(gateway, 9531)) == 1, what="the call waits")
    wait_until(lambda: not peers_of(gateway, 9531), what="the phone has heard of it")


def test_wrong_tokens_do_not_lock_out_other_clients(fleet: Fleet) -> None:
    """All of them have the proxy's address, so further wrong tokens get 429, but a right one
    never does."""
    asked = Request("tools/list")
    seen = [fleet.ask(asked, Authorization=f"Bearer {WRONG}").status
            for _ in range(TOKENS + 1)]
    assert seen == [401] * TOKENS + [429]
    assert fleet.ask(asked).status == 200


def test_host_origin_and_token_are_checked_behind_the_proxy(fleet: Fleet) -> None:
    asked = Request("tools/list")
    assert fleet.ask(asked, Host="stranger.example").status == 421
    assert fleet.ask(asked, Origin="https://stranger.example").status == 403
    assert fleet.ask(asked, Authorization=None).status == 401


def test_a_token_missing_from_the_proxy_map_gets_401(fleet: Fleet) -> None:
    """The phone that is read knows it, but no line of the map does."""
    token = pair(fleet.inbox.gateway, "reader")
    known = {"Authorization": f"Bearer {token}"}
    assert fleet.ask(Request("tools/list"), **known).status == 200
    assert fleet.ask(call("get_sms_subscriptions", {}), **known).status == 401
