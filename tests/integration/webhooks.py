# SPDX-License-Identifier: GPL-2.0-or-later
"""Webhooks from outside: a gateway whose messages come from its spool, a client that subscribes,
and a receiver that checks signatures and can misbehave."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import os
import ssl
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from lab import wait_until
from lab.gateway import free_port
from lone_gateway import LoneGateway
from modern import Request
from owner import Owner
from wire import Reply, Wire, request

KEY = bytes(range(32))
SECRET = "whsec_" + base64.b64encode(KEY).decode()
OTHER_KEY = bytes(range(32, 64))
OTHER_SECRET = "whsec_" + base64.b64encode(OTHER_KEY).decode()
NAME = "sms.received"
FORBIDDEN, NOT_FOUND, EXHAUSTED, UNSUPPORTED, CALLBACK = -32024, -32023, -32025, -32026, -32027
IMSI = "216300000000001"


def sign(key: bytes, message_id: str, timestamp: str, body: bytes) -> str:
    signed = f"{message_id}.{timestamp}.".encode() + body
    return "v1," + base64.b64encode(hmac.digest(key, signed, hashlib.sha256)).decode()


@dataclass
class Delivery:
    """One POST as the receiver got it."""

    headers: dict[str, str]
    body: bytes
    path: str
    at: float = field(default_factory=time.monotonic)

    @property
    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def id(self) -> str:
        return self.headers["webhook-id"]

    @property
    def type(self) -> str | None:
        return self.json.get("type")

    def is_signed_with(self, key: bytes = KEY) -> bool:
        wanted = sign(key, self.id, self.headers["webhook-timestamp"], self.body)
        return wanted in self.headers["webhook-signature"].split(" ")


Answer = tuple[int, bytes]
Behaviour = Callable[[Delivery], Answer | None]


def accept(delivery: Delivery) -> Answer | None:
    """None closes the connection without an answer. Of 3xx the body is the Location, of 429 the
    Retry-After; a status below 100 sends the body alone."""
    return 204, b""


class Receiver:
    """Answers challenges, and deliveries by `behaviour`; on 127.0.0.1 unless `host` says else."""

    def __init__(self, host: str = "127.0.0.1", port: int = 0,
                 tls: ssl.SSLContext | None = None) -> None:
        self._tls = tls
        self.behaviour: Behaviour = accept
        self.challenge: Behaviour = self._answer_challenge
        self.received: list[Delivery] = []
        self.challenges: list[Delivery] = []
        self.at_once = 0
        self.most_at_once = 0
        self._lock = threading.Lock()
        self._host = host
        self.port = port or free_port()
        self._server: ThreadingHTTPServer | None = None
        self.open()

    def __enter__(self) -> Receiver:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def origin(self) -> str:
        return f"http://{self._host}:{self.port}"

    @property
    def url(self) -> str:
        return self.origin + "/hooks/a"

    def open(self) -> None:
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                receiver._take(self)

            def log_message(self, *_: object) -> None:
                pass

        ThreadingHTTPServer.allow_reuse_address = True
        self._server = ThreadingHTTPServer((self._host, self.port), Handler)
        self._server.daemon_threads = True
        if self._tls:
            self._server.socket = self._tls.wrap_socket(
                self._server.socket, server_side=True, do_handshake_on_connect=False)
        threading.Thread(target=self._server.serve_forever, args=(0.02,),
                         daemon=True).start()

    def close(self) -> None:
        """From then on connections are refused."""
        if self._server:
            self._server.shutdown()
            self._server.server_close()
        self._server = None

    def _answer_challenge(self, delivery: Delivery) -> Answer:
        return 200, json.dumps({"challenge": delivery.json["challenge"]}).encode()

    def _take(self, handler: BaseHTTPRequestHandler) -> None:
        length = int(handler.headers.get("Content-Length", 0))
        headers = {name.lower(): value for name, value in handler.headers.items()}
        delivery = Delivery(headers, handler.rfile.read(length), handler.path)
        is_challenge = delivery.json.get("type") == "verification"
        with self._lock:
            (self.challenges if is_challenge else self.received).append(delivery)
            self.at_once += 1
            self.most_at_once = max(self.most_at_once, self.at_once)
        try:
            try:
                answer = (self.challenge if is_challenge else self.behaviour)(delivery)
            finally:
                with self._lock:        # the answer may cause the next request at once
                    self.at_once -= 1
            self._answer(handler, answer)
        except OSError:
            pass

    @staticmethod
    def _answer(handler: BaseHTTPRequestHandler, answer: Answer | None) -> None:
        handler.close_connection = True
        if answer is None:
            return
        status, body = answer
        if status < 100:            # no HTTP at all
            handler.wfile.write(body)
            return
        handler.send_response(status)
        if status // 100 == 3 or status == 429 and body:
            handler.send_header("Retry-After" if status == 429 else "Location", body.decode())
            body = b""
        if status != 204:
            handler.send_header("Content-Length", str(len(body)))
        handler.end_headers()
        handler.wfile.write(body)

    @property
    def events(self) -> list[Delivery]:
        return [one for one in list(self.received) if one.type is None]

    @property
    def message_ids(self) -> list[int]:
        return [one.json["data"]["message_id"] for one in self.events]

    def wait_for(self, count: int, timeout: float = 30) -> list[Delivery]:
        """Different events."""
        wait_until(lambda: len({one.id for one in self.events}) >= count, timeout,
                   f"{count} events arrived")
        return self.events

    def wait_for_type(self, kind: str) -> Delivery:
        wait_until(lambda: any(one.type == kind for one in list(self.received)),
                   what=f"{kind} arrived")
        return next(one for one in self.received if one.type == kind)


class Hooked(LoneGateway):
    """A gateway with a message store of its own; `receivers` are [events] receivers."""

    def __init__(self, *receivers: str) -> None:
        super().__init__(open=False)
        self.write_receivers(*receivers)
        self._spooled = 0

    @property
    def owner(self) -> Owner:
        return Owner(self.state)

    def write_receivers(self, *receivers: str) -> None:
        """For the next start or reload."""
        lines = "".join(f"receivers = {one}\n" for one in receivers)
        (self.folder / "gateway.conf").write_text(f"[events]\n{lines}")

    def receive(self, count: int = 1, sender: str = "+36301234567",
                text: str = "Hello") -> None:
        """Messages come in through the spool."""
        self.spool.mkdir(mode=0o700, parents=True, exist_ok=True)
        for _ in range(count):
            self._spooled += 1
            name = f"{time.time_ns():020d}-{self._spooled:040X}.sms"
            hidden = self.spool / f".{name}"
            hidden.write_text(json.dumps({
                "format": 1, "received_ms": time.time_ns() // 1_000_000, "modem": "/m",
                "imsi": IMSI, "uuid": f"{self._spooled:040X}", "sender": sender,
                "sent_time": time.strftime("%Y-%m-%dT%H:%M:%S+0000", time.gmtime()),
                "text": f"{text} {self._spooled}", "ofono": "2.1"}))
            os.rename(hidden, self.spool / name)


class Hook:
    """A paired client, and its subscription to `name` at `url`."""

    def __init__(self, gateway: Hooked, url: str, name: str = "hooker",
                 event: str = NAME, scope: str = "read,events") -> None:
        self.gateway = gateway
        self.url = url
        self.event = event
        self.name = name
        said = gateway.owner.json("pair", "--scope", scope, name)
        self.authorization = f"Bearer {said['token']}"

    def ask(self, method: str, params: dict[str, Any]) -> Reply:
        message = Request(method, params).header(Authorization=self.authorization)
        if method.startswith("events/"):        # the extension defines no Mcp-Name
            message = message.header(Mcp_Name=None)
        with Wire(self.gateway.port, timeout=60) as wire:
            return wire.ask(request(message.body, message.headers))

    def subscribe(self, arguments: dict[str, Any] | None = None, secret: str = SECRET,
                  **more: Any) -> Reply:
        params = {"name": self.event, "arguments": arguments or {}, "cursor": None,
                  "delivery": {"mode": "webhook", "url": self.url, "secret": secret}}
        return self.ask("events/subscribe", params | more)

    def unsubscribe(self, arguments: dict[str, Any] | None = None) -> Reply:
        return self.ask("events/unsubscribe",
                        {"name": self.event, "arguments": arguments or {},
                         "delivery": {"url": self.url}})

    def error(self, reply: Reply) -> tuple[int, Any]:
        error = json.loads(reply.body)["error"]
        return error["code"], error.get("data")
