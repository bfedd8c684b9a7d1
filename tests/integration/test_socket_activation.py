# SPDX-License-Identifier: GPL-2.0-or-later
"""Sockets that the service manager listens on: the real systemd-socket-activate, and a
stand-in where one must outlive the gateway."""

from __future__ import annotations

import re
import socket
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from agent import pair
from lab import wait_until
from lab.gateway import free_port
from lone_gateway import LoneGateway
from modem.patience import patience
from owner import Owner
from phone import MOBILE, PHONE, PHONE_6, Phone
from wire import Wire, request, rpc

TREE = Path(__file__).resolve().parents[2]
PING = rpc("ping")
HEALTH = request(method="GET", path="/healthz/live", headers={"Content-Type": None})


class Activated(LoneGateway):
    """Started by the real tool with the first connection to `where`."""

    def __init__(self, *options: str, **server: str) -> None:
        super().__init__(open=False, **server)
        self.options = options

    @property
    def command(self) -> list[str]:
        passed = [f"--setenv={name}={value}" for name, value
                  in (self._bus.environment | self.environment).items()]
        return ["systemd-socket-activate", *self.options, *passed, *super().command]

    @contextmanager
    def launched(self) -> Iterator[Activated]:
        """Does not wait for it, and it may fail."""
        try:
            self.launch()
            wait_until(lambda: "Listening on" in self.log, what="the tool listens")
            yield self
        finally:
            self._clear()


@contextmanager
def listening(family: socket.AddressFamily, *address: object,
              six_only: bool = True) -> Iterator[socket.socket]:
    with socket.socket(family, socket.SOCK_STREAM) as one:
        if family == socket.AF_INET6:
            one.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, six_only)
        one.bind(address)
        one.listen()
        yield one


@contextmanager
def handing(*sockets: socket.socket, open: bool = False) -> Iterator[LoneGateway]:
    """Not started; its server.listen names a port that was not passed."""
    gateway = LoneGateway(open=open)
    gateway.handed = list(sockets)
    try:
        yield gateway
    finally:
        gateway._clear()


# ---- the real tool

@pytest.mark.parametrize("host", ["127.0.0.1", "::1"])
def test_the_first_connection_starts_the_gateway(host: str) -> None:
    port = free_port()
    where = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
    with Activated("--listen", where).launched() as gateway:
        with Wire(port, source="", host=host) as wire, Wire(port, "", host=host) as second:
            assert wire.ask(HEALTH).status == 200
            assert second.ask(HEALTH).status == 200
        assert f"listening on {where} (port {port})" in gateway.log
        assert "server.listen does not list" in gateway.log
        with pytest.raises(ConnectionRefusedError):
            gateway.wire()              # server.listen is not served in addition
        assert gateway.stop() == 0


@pytest.mark.parametrize("options,words", [
    (["--listen", "{folder}/stream"], "is not an IP socket: use ListenStream=ADDRESS:PORT"),
    (["--datagram", "--listen", "127.0.0.1:{port}"], "is not a TCP socket: use ListenStream="),
    (["--listen", "{port}"], r"\[::\]:{port}: it accepts IPv4 and IPv6 at once"),
    (["--listen", "127.0.0.1:{port}"] + [
        word for at in range(8) for word in ("--listen", f"{{folder}}/{at}")],
     "9 sockets were passed; at most 8"),
])
def test_an_unsuitable_socket_stops_the_start(folder: Path, options: list[str], words: str) -> None:
    port = free_port()
    given = [option.format(folder=folder, port=port) for option in options]
    with Activated(*given).launched() as gateway:
        if "--datagram" in given:
            with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as one:
                one.sendto(b"x", ("127.0.0.1", port))
        elif str(folder) in given[1]:
            with socket.socket(socket.AF_UNIX) as one:
                one.connect(given[1])
        else:
            socket.create_connection(("127.0.0.1", port), patience(5)).close()
        wait_until(lambda: not gateway.is_running, what="it gave up")
        assert re.search(words.format(port=port), gateway.log), gateway.log
        assert "cannot start: LISTEN_FDS" in gateway.log


# ---- a socket that outlives the gateway

def test_a_restart_refuses_no_connection() -> None:
    with listening(socket.AF_INET, "127.0.0.1", 0) as one, handing(one) as gateway:
        port = one.getsockname()[1]
        gateway.launch()
        with Wire(port) as wire:
            assert wire.ask(HEALTH).status == 200
        assert gateway.stop() == 0
        with ExitStack() as exits:
            waiting = [exits.enter_context(Wire(port)) for _ in range(20)]
            for wire in waiting:
                wire.send(HEALTH)
            gateway.launch()
            for wire in waiting:
                assert wire.receive().status == 200
        assert gateway.stop() == 0


def test_several_passed_sockets_are_all_served() -> None:
    with (listening(socket.AF_INET, "127.0.0.1", 0) as four,
          listening(socket.AF_INET6, "::1", 0) as six, handing(four, six) as gateway):
        gateway.launch()
        for one, host in ((four, "127.0.0.1"), (six, "::1")):
            with Wire(one.getsockname()[1], "", host=host) as wire:
                assert wire.ask(HEALTH).status == 200
        assert gateway.stop() == 0


def test_a_socket_that_does_not_listen_stops_the_start() -> None:
    with (listening(socket.AF_INET, "127.0.0.1", 0) as one,
          socket.create_connection(one.getsockname()), one.accept()[0] as accepted,
          handing(accepted) as gateway):
        gateway.launch()
        wait_until(lambda: not gateway.is_running, what="it gave up")
        assert "it does not listen: use Accept=no" in gateway.log


def test_a_passed_file_stops_the_start(folder: Path) -> None:
    with (folder / "file").open("w") as file, handing(file) as gateway:
        gateway.launch()
        wait_until(lambda: not gateway.is_running, what="it gave up")
        assert "it is not a socket" in gateway.log


def test_open_mode_is_refused_on_a_network_address() -> None:
    with (listening(socket.AF_INET, "0.0.0.0", 0) as one,
          handing(one, open=True) as gateway):
        gateway.launch()
        wait_until(lambda: not gateway.is_running, what="it gave up")
        assert "server.open asks for no token" in gateway.log


# ---- exposure

def is_ignored(wire: Wire) -> bool:
    """Its request is not answered for a while."""
    wire.send(request(PING))
    wire.socket.settimeout(0.3)
    try:
        wire.receive()
    except TimeoutError:
        return True
    finally:
        wire.socket.settimeout(patience(5))
    return False


def test_the_network_is_served_only_while_a_client_is_paired(phone: Phone) -> None:
    with phone.networks["phone"].inside():
        stack = ExitStack()
        sockets = [stack.enter_context(listening(socket.AF_INET, "0.0.0.0", phone.port)),
                   stack.enter_context(listening(socket.AF_INET6, "::", phone.port))]
    with stack:
        phone.gateway.network = phone.networks["phone"]
        phone.gateway.handed = sockets
        gateway = phone.gateway
        try:
            gateway.launch()
            wait_until(lambda: f"not answering on 0.0.0.0:{phone.port} before a client "
                       "is paired" in gateway.log, what="it is ready")
            for name in ("first", "second"):        # closed, and opened again
                with (phone.wire("laptop", PHONE) as early,
                      phone.wire("laptop", PHONE_6) as six):
                    assert is_ignored(early) and is_ignored(six)
                    token = pair(gateway, name)
                    assert early.receive().status == six.receive().status == 401
                assert phone.ask("laptop", PHONE, token).result == {}
                assert phone.is_closed_silently("stranger", MOBILE, token)
                Owner(gateway.state).do("revoke", name)
                wait_until(lambda: gateway.log.count("is closed, because no client has a token")
                           == (2 if name == "first" else 4), what="it is closed")
        finally:
            gateway.stop()
            gateway._clear()


# ---- the sample

def test_systemd_accepts_the_sample_unit(folder: Path) -> None:
    """systemd reads it without a warning, together with the unit that it starts."""
    for name in ("doc/examples/ofono-mcp.socket", "etc/systemd/ofono-mcp.service"):
        text = (TREE / name).read_text()
        (folder / Path(name).name).write_text(
            re.sub("(?m)^ExecStart=.*", "ExecStart=/bin/true", text))
    said = subprocess.run(["systemd-analyze", "verify", "--man=no",
                           str(folder / "ofono-mcp.socket")],
                          capture_output=True, text=True, timeout=patience(30))
    assert "ofono-mcp.socket" not in said.stderr, said.stderr
