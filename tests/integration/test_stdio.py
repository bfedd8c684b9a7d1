# SPDX-License-Identifier: GPL-2.0-or-later
"""ofono-mcp stdio: the bridge between a client's pipe and the gateway, and its faults."""

from __future__ import annotations

import array
import fcntl
import json
import signal
import socket
import termios
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, suppress

import pytest

from agent import TO, Agent, pair
from lab import Lab, wait_until
from modem.outcome import Outcome
from modem.patience import patience
from owner import Owner
from stdio import META, Bridge, call, facts, legacy, modern, note

LAB = {"modem_count": 1}
INBOX = "sms://inbox"


@pytest.fixture
def bridge(lab: Lab) -> Iterator[Bridge]:
    with Bridge(lab) as bridge:
        yield bridge


class OddServer:
    """Accepts requests on a port of its own, and answers each as `answer` says.

    `answer` gets the whole request, and returns bytes to send before the connection is closed.
    """

    def __init__(self, answer: Callable[[bytes], bytes]) -> None:
        self.requests: list[bytes] = []
        self._answer = answer
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._listener.getsockname()[1]}/mcp"
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        while True:
            try:
                peer, _ = self._listener.accept()
            except OSError:
                return
            with peer, suppress(ConnectionError):       # the peer may have left meanwhile
                request = self._read(peer)
                self.requests.append(request)
                peer.sendall(self._answer(request))

    def _read(self, peer: socket.socket) -> bytes:
        request = b""
        while b"\r\n\r\n" not in request:
            request += self._receive(peer)
        head, _, body = request.partition(b"\r\n\r\n")
        length = 0
        for line in head.lower().split(b"\r\n"):
            if line.startswith(b"content-length:"):
                length = int(line.partition(b":")[2])
        while len(body) < length:
            body += self._receive(peer)
        return head + b"\r\n\r\n" + body

    @staticmethod
    def _receive(peer: socket.socket) -> bytes:
        if not (received := peer.recv(65536)):
            raise ConnectionError
        return received

    def close(self) -> None:
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()


def http(status: str, body: bytes, *headers: str) -> bytes:
    lines = [f"HTTP/1.1 {status}", f"Content-Length: {len(body)}",
             "Content-Type: application/json", *headers]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body


# ---- both families on one pipe

def test_both_families_are_served_on_one_pipe(bridge: Bridge) -> None:
    discovered = bridge.ask(modern("d", "server/discover"))["result"]
    assert discovered["supportedVersions"] == ["2026-07-28"]
    bridge.send(note("notifications/roots/list_changed"))       # as Antigravity does
    assert bridge.initialize()["protocolVersion"] == "2025-11-25"
    old = bridge.ask(legacy(1, "tools/call", name="get_sms_subscriptions", arguments={}))
    new = bridge.ask(call(2, "get_sms_subscriptions"))
    assert facts(old) == facts(new)
    assert "resultType" in new["result"] and "resultType" not in old["result"]


def test_ids_come_back_as_they_were_sent(bridge: Bridge) -> None:
    for id in (7, "seven", 9007199254740993):
        assert bridge.ask(modern(id, "tools/list"))["id"] == id


def test_a_message_is_sent_through_the_pipe(lab: Lab, bridge: Bridge) -> None:
    sent = facts(bridge.ask(call(1, "send_sms", to_phone_number=TO, sms_text="by pipe")))
    assert sent["message_id"]
    assert lab.modems[0].wait_taken(1)[0].text == "by pipe"


def test_a_name_that_no_header_can_hold_is_wrapped(bridge: Bridge) -> None:
    answer = bridge.ask(call(1, "szöveg"))
    assert answer["error"]["code"] == -32602        # unknown, and not a wrong header
    answer = bridge.ask(modern(2, "resources/read", uri="sms://inböx"))
    assert answer["error"]["code"] == -32602


def test_fifty_calls_at_once_are_all_answered(bridge: Bridge) -> None:
    bridge.send(*[call(id, "get_sms_subscriptions") for id in range(50)])
    for id in range(50):
        assert facts(bridge.wait_answer(id))["count"] == 1
    assert len(bridge.lines) == 50


def test_a_call_that_waits_holds_up_no_other(bridge: Bridge) -> None:
    bridge.send(call("waits", "wait_for_sms", timeout_seconds=40))
    assert bridge.ask(call("passes", "get_sms_subscriptions"))
    assert not bridge.answers("waits")


# ---- lines

def test_what_is_no_message_gets_an_error_and_nothing_breaks(bridge: Bridge) -> None:
    bridge.write(b"junk\n\n  \n[1\n42\n[]\n[{}]\n")
    wait_until(lambda: len(bridge.lines) == 5, what="five errors")
    assert [line["error"]["code"] for line in bridge.lines] == [-32700] * 2 + [-32600] * 3
    assert all("id" not in line for line in bridge.lines)
    assert bridge.ask(modern(1, "tools/list"))["result"]


@pytest.mark.parametrize("text", [b"\\ud83d", b"\\u0000", b"\xff", b'a "quoted" word'])
def test_a_request_that_is_not_json_is_refused_by_its_id(bridge: Bridge, text: bytes) -> None:
    bridge.write(b'{"jsonrpc":"2.0","id":"cut","method":"tools/call","params":{"name":"send_sms",'
                 b'"arguments":{"id":1,"sms_text":"' + text + b'"}}}\n')
    wait_until(lambda: bridge.answers("cut"), what="a refusal")
    assert [line["error"]["code"] for line in bridge.lines] == [-32700]
    assert bridge.ask(modern("next", "tools/list"))["result"]


@pytest.mark.parametrize("message", [{"id": 7}, {"id": "x", "method": 3}, {"id": 1.5, "method": "tools/list"},
                                     {"id": -0.0, "method": "tools/list"}, {"id": 2e1, "method": "ping"}])
def test_a_request_that_cannot_be_one_is_refused_by_its_id(bridge: Bridge, message: dict) -> None:
    bridge.send({"jsonrpc": "2.0"} | message)
    wait_until(lambda: bridge.answers(message["id"]), what="a refusal")
    assert [line["error"]["code"] for line in bridge.lines] == [-32600]
    assert bridge.ask(modern("next", "tools/list"))["result"]


@pytest.mark.parametrize("id", [17, "id \\\" with \u20ac", -3])
def test_a_megabyte_on_a_line_is_refused_by_its_id(bridge: Bridge, id: int | str) -> None:
    message = {"jsonrpc": "2.0", "method": "tools/call",
               "params": {"id": 1, "list": [{"id": 2}], "text": "x" * (1 << 20)}}
    bridge.send(message | {"id": id}, {"id": id} | message)
    wait_until(lambda: len(bridge.answers(id)) == 2, what="two refusals")
    assert all(line["error"]["code"] == -32600 for line in bridge.lines)
    assert bridge.ask(modern("next", "tools/list"))["result"]


def test_the_longest_line_that_the_gateway_takes_is_carried(bridge: Bridge) -> None:
    frame = len(json.dumps(modern(1, "tools/list", pad="")))
    assert bridge.ask(modern(1, "tools/list", pad="x" * (65536 - frame)))["result"]
    assert bridge.ask(modern(2, "tools/list", pad="x" * (65537 - frame)))["error"]


def test_half_a_message_at_the_end_of_input_is_dropped(lab: Lab) -> None:
    with Bridge(lab) as bridge:
        bridge.write(json.dumps(call(1, "send_sms", to_phone_number=TO,
                                     sms_text="half")).encode()[:-1])
        assert bridge.end() == 0
        assert b"within a message" in bridge.log
    assert not bridge.lines


# ---- notifications of the gateway

def test_a_legacy_session_hears_of_new_messages(lab: Lab, bridge: Bridge) -> None:
    bridge.initialize()
    bridge.ask(legacy(1, "resources/subscribe", uri=INBOX))
    lab.modems[0].deliver("+36205550001", "hello")
    assert bridge.wait_note("notifications/resources/updated")["params"]["uri"] == INBOX


def test_a_listen_stream_is_opened_again_when_the_gateway_restarts(make_lab) -> None:
    lab = make_lab()
    with Bridge(lab) as bridge:
        bridge.send(modern(5, "subscriptions/listen",
                           notifications={"resourceSubscriptions": [INBOX]}))
        bridge.wait_note("notifications/subscriptions/acknowledged")
        for end in (lab.gateway.kill, lab.gateway.stop):
            before = len(bridge.notes("notifications/resources/updated"))
            end()
            lab.gateway.start()
            wait_until(lambda: len(bridge.notes("notifications/resources/updated")) > before,
                       what="the client reads again")
        seen = len(bridge.notes("notifications/resources/updated"))
        lab.modems[0].deliver("+36205550002", "after")
        wait_until(lambda: len(bridge.notes("notifications/resources/updated")) > seen,
                   what="it hears of the next message")
        assert len(bridge.notes("notifications/subscriptions/acknowledged")) == 1
        assert not bridge.answers(5)
        for line in bridge.notes("notifications/resources/updated"):
            assert line["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"] == 5


def test_an_event_stream_goes_on_at_its_cursor_when_the_gateway_restarts(make_lab) -> None:
    lab = make_lab()

    def heard() -> list[int]:
        return [one["params"]["data"]["message_id"]
                for one in bridge.notes("notifications/events/event")]

    with Bridge(lab) as bridge:
        bridge.send(modern("e", "events/stream", name="sms.received", arguments={}))
        bridge.wait_note("notifications/events/active")
        for round, end in enumerate((lab.gateway.kill, lab.gateway.stop), start=1):
            lab.modems[0].deliver("+36205550004", f"before {round}")
            wait_until(lambda: len(heard()) == 2 * round - 1, what="it is heard")
            end()
            lab.gateway.start()
            lab.modems[0].deliver("+36205550004", f"after {round}")
            wait_until(lambda: len(heard()) == 2 * round, what="it is heard once more")
        assert len(set(heard())) == 4
        assert len(bridge.notes("notifications/events/active")) == 1
        assert not bridge.answers("e")
        bridge.send(note("notifications/cancelled", requestId="e"))
        lab.modems[0].deliver("+36205550004", "cancelled")
        bridge.ask(modern(1, "tools/list"))
        assert len(heard()) == 4


def test_a_forgotten_session_is_begun_again_with_its_subscriptions(make_lab) -> None:
    lab = make_lab(gateway_open=False)
    with Bridge(lab) as bridge:
        bridge.initialize()
        bridge.ask(legacy(1, "resources/subscribe", uri=INBOX))
        Owner(lab.gateway.state).do("revoke", "local:root")      # its sessions end
        Owner(lab.gateway.state).do("change", "--scope", "read", "local:root")
        assert bridge.ask(legacy(2, "tools/list"))["result"]["tools"]
        seen = len(bridge.notes("notifications/resources/updated"))
        assert seen
        lab.modems[0].deliver("+36205550003", "after")
        wait_until(lambda: len(bridge.notes("notifications/resources/updated")) > seen,
                   what="it hears of the next message")


class Forgetful:
    """Answers as a gateway of 2025-11-25 that can forget its session, and then be busy."""

    def __init__(self) -> None:
        self.session = 0
        self.is_busy = False

    def forget(self) -> None:
        self.session += 1

    def __call__(self, request: bytes) -> bytes:
        head, _, body = request.partition(b"\r\n\r\n")
        message = json.loads(body) if body else {}
        result = {"jsonrpc": "2.0", "id": message.get("id"), "result": {}}
        if message.get("method") == "initialize":
            if self.is_busy:
                return http("503 Busy", b"")
            self.forget()
            result["result"] = {"protocolVersion": "2025-11-25", "capabilities": {},
                                "serverInfo": {}}
        elif f"Mcp-Session-Id: {self.session}".encode() not in head.split(b"\r\n"):
            return http("404 Not Found", b"")
        elif head.startswith(b"GET"):
            return http("405 Method Not Allowed", b"")
        return http("200 OK", json.dumps(result).encode(), f"Mcp-Session-Id: {self.session}")


def test_a_session_that_could_not_be_begun_again_begins_with_a_later_request(lab: Lab) -> None:
    gateway = Forgetful()
    server = OddServer(gateway)
    with closing(server), Bridge(lab, "--url", server.url, local=False) as bridge:
        bridge.initialize()
        assert "result" in bridge.ask(legacy(1, "tools/list"))
        gateway.forget()
        gateway.is_busy = True
        assert bridge.ask(legacy(2, "tools/list"))["error"]["data"] == {"retryable": True}
        gateway.is_busy = False
        assert "result" in bridge.ask(legacy(3, "tools/list"))


# ---- cancelling

def test_a_cancelled_call_is_never_answered_in_either_family(bridge: Bridge) -> None:
    bridge.initialize()
    bridge.send(call(1, "wait_for_sms", timeout_seconds=40),
                legacy(2, "tools/call", name="wait_for_sms",
                       arguments={"timeout_seconds": 40}))
    bridge.send(note("notifications/cancelled", requestId=1),
                note("notifications/cancelled", requestId=2))
    bridge.ask(modern(3, "tools/list"))
    assert not bridge.answers(1) and not bridge.answers(2)


# ---- a gateway that is away, or goes

def test_a_gateway_that_starts_within_seconds_is_waited_for(make_lab) -> None:
    lab = make_lab()
    lab.gateway.stop()
    with Bridge(lab) as bridge:
        bridge.send(call(1, "get_sms_subscriptions"))
        lab.gateway.start()
        assert "result" in bridge.wait_answer(1)


def test_a_gateway_that_stays_away_is_reported_and_the_bridge_stays(make_lab) -> None:
    lab = make_lab()
    lab.gateway.stop()
    with Bridge(lab) as bridge:
        error = bridge.ask(modern("d", "server/discover"))["error"]
        assert error["code"] == -32603 and error["data"] == {"retryable": True}
        assert "ofono-mcp doctor" in error["message"]
        lab.gateway.start()
        assert "result" in bridge.ask(modern("again", "server/discover"))


def test_what_was_sent_without_an_answer_is_unknown_and_not_repeated(lab: Lab) -> None:
    server = OddServer(lambda request: b"")
    with closing(server), Bridge(lab, "--url", server.url, local=False) as bridge:
        error = bridge.ask(call(1, "send_sms", to_phone_number=TO, sms_text="once"))["error"]
        assert error["code"] == -32603 and error["data"] == {"outcome": "unknown"}
        assert "get_sms_status" in error["message"]
    assert len(server.requests) == 1


def test_a_call_is_cancelled_though_no_more_fit(lab: Lab) -> None:
    answers = threading.Event()
    server = OddServer(lambda request: b"" if answers.wait(patience(30)) else b"")
    with closing(server), Bridge(lab, "--url", server.url, local=False) as bridge:
        bridge.send(*(legacy(number, "tools/list") for number in range(140)))
        assert bridge.wait_answer(139)["error"]["data"] == {"retryable": True}
        bridge.send(note("notifications/cancelled", requestId=5))
        answers.set()
        wait_until(lambda: [request for request in server.requests
                            if b"notifications/cancelled" in request], what="it is passed on")


def test_a_gateway_killed_during_a_call_leaves_it_unknown(make_lab) -> None:
    lab = make_lab()
    lab.modems[0].plan(Outcome.hang())
    with Bridge(lab) as bridge:
        bridge.send(call(1, "send_sms", to_phone_number=TO, sms_text="killed",
                         idempotency_key="k1", wait_seconds=30))
        lab.modems[0].wait_offered(1)
        lab.gateway.kill()
        error = bridge.wait_answer(1)["error"]
        assert error["data"] == {"outcome": "unknown"}
        lab.gateway.start()
        status = facts(bridge.ask(call(2, "get_sms_status", idempotency_key="k1")))
        assert status["state"] != "queued"
    assert len(lab.modems[0].offered) == 1


def test_a_killed_bridge_loses_no_accepted_message(lab: Lab, agent: Agent) -> None:
    with Bridge(lab) as bridge:
        bridge.send(call(1, "send_sms", to_phone_number=TO, sms_text="goes on"))
        lab.modems[0].wait_offered(1)
        bridge.process.kill()
    assert lab.modems[0].wait_taken(1)[0].text == "goes on"


# ---- refusals

def test_a_refused_token_is_an_error_in_words(make_lab) -> None:
    lab = make_lab(gateway_open=False)
    with Bridge(lab, local=False, environment={"OFONO_MCP_TOKEN": "0" * 64}) as bridge:
        error = bridge.ask(call(1, "get_sms_subscriptions"))["error"]
    assert error["code"] == -32603 and "ofono-mcp pair" in error["message"]


def test_a_token_from_a_file_is_used(make_lab) -> None:
    lab = make_lab(gateway_open=False)
    file = lab.folder / "token"
    file.touch(0o600)
    file.write_text(pair(lab.gateway, "desk") + "\n")
    with Bridge(lab, "--token-file", str(file), local=False) as bridge:
        assert "result" in bridge.ask(call(1, "get_sms_subscriptions"))
    assert "desk" in Owner(lab.gateway.state).do("clients")


def test_the_gateways_own_words_are_passed_on(lab: Lab) -> None:
    body = json.dumps({"jsonrpc": "2.0", "error": {"code": -32000, "message": "too hot"}})
    server = OddServer(lambda request: http("503 Busy", body.encode()))
    with closing(server), Bridge(lab, "--url", server.url, local=False) as bridge:
        error = bridge.ask(modern(1, "tools/list"))["error"]
    assert "too hot" in error["message"] and error["data"] == {"retryable": True}


# ---- the end

def test_a_request_that_is_piped_in_is_answered_before_the_end(lab: Lab) -> None:
    with Bridge(lab) as bridge:
        bridge.write(json.dumps(modern(1, "tools/list")).encode())      # no line feed
        assert bridge.end() == 0
        wait_until(lambda: bridge.answers(1), what="the answer")


def seconds_to_end(lab: Lab, how: str) -> float:
    """While a wait and a subscription are under way."""
    with Bridge(lab) as bridge:
        bridge.initialize()
        bridge.send(call(1, "wait_for_sms", timeout_seconds=120),
                    modern(2, "subscriptions/listen",
                           notifications={"resourceSubscriptions": [INBOX]}))
        bridge.wait_note("notifications/subscriptions/acknowledged")
        begun = time.monotonic()
        if how == "SIGTERM":
            bridge.process.send_signal(signal.SIGTERM)
            code = bridge.process.wait(patience(10))
        else:
            code = bridge.end()
        assert code == 0
        return time.monotonic() - begun


ENDS = ["end of input", "SIGTERM"]


@pytest.mark.parametrize("how", ENDS)
def test_it_ends_within_two_seconds_whatever_is_under_way(lab: Lab, how: str) -> None:
    assert seconds_to_end(lab, how) < patience(2)


def test_a_client_that_reads_slowly_gets_every_answer_whole(lab: Lab) -> None:
    with Bridge(lab, reads=False) as bridge:
        bridge.send(*[modern(id, "tools/list") for id in range(100)])
        assert bridge.process.poll() is None
        reader = threading.Thread(target=bridge.read, daemon=True)
        reader.start()
        for id in range(100):
            assert bridge.wait_answer(id)["result"]["tools"]
        bridge.process.stdin.close()
        reader.join()


def waits_with_a_full_pipe(bridge: Bridge) -> bool:
    """It sleeps although its standard input is full."""
    waiting = array.array("i", [0])
    fcntl.ioctl(bridge.process.stdin, termios.FIONREAD, waiting)
    is_full = waiting[0] == fcntl.fcntl(bridge.process.stdin, fcntl.F_GETPIPE_SZ)
    with open(f"/proc/{bridge.process.pid}/stat", encoding="ascii") as stat:
        return is_full and stat.read().rpartition(") ")[2].startswith("S")


def test_a_client_that_writes_and_does_not_read_is_made_to_wait(lab: Lab) -> None:
    lines = 40_000
    with Bridge(lab, reads=False) as bridge:
        writer = threading.Thread(target=bridge.write, args=((b"x" * 63 + b"\n") * lines,),
                                  daemon=True)
        writer.start()
        wait_until(lambda: not writer.is_alive() or waits_with_a_full_pipe(bridge),
                   what="it reads no more")
        assert writer.is_alive()
        reader = threading.Thread(target=bridge.read, daemon=True)
        reader.start()
        writer.join()
        assert bridge.ask(modern(1, "tools/list"))["result"]
        assert len(bridge.lines) == lines + 1
        bridge.process.stdin.close()
        reader.join()


def test_a_client_that_reads_no_more_ends_it(lab: Lab) -> None:
    with Bridge(lab, reads=False) as bridge:
        bridge.process.stdout.close()
        bridge.send(modern(1, "tools/list"))
        assert bridge.process.wait(patience(10)) == 0


# ---- headers

def test_each_family_has_its_own_headers(lab: Lab) -> None:
    answer = json.dumps({"jsonrpc": "2.0", "id": 0, "result": {
        "protocolVersion": "2025-06-18", "capabilities": {}, "serverInfo": {}}}).encode()

    def reply(request: bytes) -> bytes:
        if b'"initialize"' in request:
            return http("200 OK", answer, "Mcp-Session-Id: abc")
        return http("202 Accepted", b"")

    server = OddServer(reply)
    with closing(server), Bridge(lab, "--url", server.url, local=False) as bridge:
        bridge.ask(legacy(0, "initialize", protocolVersion="2025-06-18"))
        bridge.send(legacy(1, "tools/list"),
                    {"jsonrpc": "2.0", "id": 2, "method": "tools/call",
                     "params": {"name": "send_sms", "_meta": META}})
        wait_until(lambda: len(server.requests) == 3, what="three requests")
    old = next(one for one in server.requests if b"tools/list" in one)
    new = next(one for one in server.requests if b"tools/call" in one)
    assert b"Mcp-Session-Id: abc" in old and b"MCP-Protocol-Version: 2025-06-18" in old
    assert b"Mcp-Session-Id" not in new and b"MCP-Protocol-Version: 2026-07-28" in new
    assert b"Mcp-Method: tools/call" in new and b"Mcp-Name: send_sms" in new
