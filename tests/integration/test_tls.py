# SPDX-License-Identifier: GPL-2.0-or-later
"""TLS: good and bad certificates; the rules for plain HTTP also hold under it.

test_slow_clients.py and test_streams.py run over TLS as well.
"""

from __future__ import annotations

import re
import select
import signal
import socket
import ssl
import subprocess
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from lab import wait_until
from lab.dial import make_certificate
from lone_gateway import LoneGateway
from modem.patience import patience
from wire import Wire, request, rpc

PING = request(rpc("ping"))
BODY_MAX = 65_536


@pytest.fixture(scope="module")
def secure() -> Iterator[LoneGateway]:
    with LoneGateway(tls=True, request_timeout_seconds=1) as gateway:
        yield gateway


def plain_socket(gateway: LoneGateway) -> socket.socket:
    return socket.create_connection(("127.0.0.1", gateway.port), patience(10))


def handshake(gateway: LoneGateway, context: ssl.SSLContext) -> ssl.SSLSocket:
    return context.wrap_socket(plain_socket(gateway), server_hostname="localhost")


def naive() -> ssl.SSLContext:
    """Accepts any certificate."""
    context = ssl.create_default_context()
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    return context


def shown(gateway: LoneGateway) -> bytes:
    """The certificate that a new connection gets."""
    with handshake(gateway, naive()) as connection:
        certificate = connection.getpeercert(binary_form=True)
        assert certificate
        return certificate


# ---- requests

@pytest.mark.parametrize("count", [2, 30, 300])
def test_several_requests_in_one_record_are_answered(secure: LoneGateway, count: int) -> None:
    """No descriptor reports data that GnuTLS has already read."""
    with secure.wire() as wire:
        wire.send(PING * count)
        for _ in range(count):
            assert wire.receive().result == {}


@pytest.mark.parametrize("size", [1, 4096, 16_384, 20_000, BODY_MAX])
def test_a_body_split_over_records_is_accepted(secure: LoneGateway, size: int) -> None:
    body = rpc("ping").ljust(BODY_MAX)
    data = request(body)
    if size == 1:
        data = PING
    with secure.wire() as wire:
        for at in range(0, len(data), size):
            wire.send(data[at:at + size])
        assert wire.receive().result == {}


# ---- what is no TLS

@pytest.mark.parametrize("octets", [
    PING, b"GET / HTTP/1.0\r\n\r\n", b"x", b"\x16\x03\x01\xff\xff" + b"x" * 70_000,
    b"\x16\x03\x01\x00\x05\x01\x00\x00\x01\x00", b"\x15\x03\x03\x00\x02\x02\x00", b"\0" * 999],
    ids=["request", "old", "x", "long record", "short hello", "alert", "zeroes"])
def test_octets_that_are_not_tls_get_no_plain_answer(secure: LoneGateway, octets: bytes) -> None:
    """A TLS alert at most."""
    with plain_socket(secure) as connection:
        try:
            connection.sendall(octets)
            answer = b""
            while data := connection.recv(4096):
                answer += data
        except ConnectionError:
            pass
        assert b"HTTP" not in answer
        assert len(answer) < 20
    assert secure.ask(PING).result == {}


def test_an_unfinished_handshake_is_disconnected(secure: LoneGateway) -> None:
    with ExitStack() as silent:
        for octets in (b"", b"\x16", b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc"):
            connection = silent.enter_context(plain_socket(secure))
            connection.sendall(octets)
        assert secure.ask(PING).result == {}
        wait_until(lambda: not secure.peers, what="all were cut")


def test_a_silent_handshake_costs_no_processor_time(secure: LoneGateway) -> None:
    """libmicrohttpd wants to be run again at once as long as a handshake is under way."""
    with ExitStack() as silent:
        held = [silent.enter_context(plain_socket(secure)) for _ in range(20)]
        for connection in held:
            connection.sendall(b"\x16\x03\x01")
        assert secure.ask(PING).result == {}
        before = secure.cpu_seconds
        assert not select.select(held, [], [], 0.5)[0]
        assert secure.cpu_seconds - before < patience(0.1)


def test_a_refused_upload_gets_its_answer(secure: LoneGateway) -> None:
    """The client is still sending: closing would reset the connection, and lose the answer."""
    for _ in range(10):
        with secure.wire() as wire:
            wire.send(request(b"x" * 500_000))
            assert wire.receive().status == 413


@pytest.mark.filterwarnings("ignore:ssl.TLSVersion")
@pytest.mark.parametrize("version,good", [
    (ssl.TLSVersion.TLSv1, False), (ssl.TLSVersion.TLSv1_1, False),
    (ssl.TLSVersion.TLSv1_2, True), (ssl.TLSVersion.TLSv1_3, True)])
def test_only_tls_1_2_and_1_3_are_accepted(secure: LoneGateway, version: ssl.TLSVersion, good: bool) -> None:
    context = naive()
    context.set_ciphers("ALL:@SECLEVEL=0")
    context.minimum_version = context.maximum_version = version
    try:
        with handshake(secure, context) as connection:
            assert good, connection.version()
    except (ssl.SSLError, ConnectionResetError):
        assert not good


@pytest.mark.parametrize("ciphers,good", [
    ("AES128-SHA:AES256-SHA256:ECDHE-ECDSA-AES128-SHA:ECDHE-ECDSA-AES256-SHA384", False),
    ("ECDHE-ECDSA-AES128-CCM:ECDHE-ECDSA-AES128-CCM8", False),
    ("ECDHE-ECDSA-AES128-GCM-SHA256", True), ("ECDHE-ECDSA-CHACHA20-POLY1305", True)])
def test_only_authenticated_ciphers_are_accepted(secure: LoneGateway, ciphers: str,
                                                          good: bool) -> None:
    """No CBC."""
    context = naive()
    context.set_ciphers(f"{ciphers}:@SECLEVEL=0")
    context.maximum_version = ssl.TLSVersion.TLSv1_2
    try:
        with handshake(secure, context) as connection:
            assert good, connection.cipher()
    except (ssl.SSLError, ConnectionResetError):
        assert not good


# ---- calls that wait

def test_a_client_that_disconnects_while_waiting_is_noticed(secure: LoneGateway) -> None:
    call = request(rpc("tools/call", {"name": "wait_for_sms",
                                      "arguments": {"timeout_seconds": 120}}))
    for leave in (Wire.close, Wire.reset):
        wire = secure.wire()
        wire.send(call)
        assert not wire.has_news(patience(0.1))
        assert wire.port in secure.peers
        leave(wire)
        wait_until(lambda: wire.port not in secure.peers, what="it is let go")


def test_stopping_answers_waiting_calls(background: ThreadPoolExecutor) -> None:
    with LoneGateway(tls=True) as gateway:
        with gateway.wire() as wire:
            wire.send(request(rpc("tools/call", {
                "name": "wait_for_sms", "arguments": {"timeout_seconds": 120}})))
            assert not wire.has_news(patience(0.1))
            stopped = background.submit(gateway.stop)
            assert wire.receive().status == 200
            assert stopped.result() == 0
        gateway.start()


# ---- certificates

@contextmanager
def launched(gateway: LoneGateway) -> Iterator[LoneGateway]:
    try:
        gateway.launch()
        yield gateway
    finally:
        gateway._clear()


def refusal(gateway: LoneGateway) -> str:
    """Why it does not start."""
    wait_until(lambda: not gateway.is_running, what="it does not start")
    [line] = [line for line in gateway.log.splitlines() if "cannot start" in line]
    return line


@pytest.fixture
def configured(folder: Path) -> Iterator[LoneGateway]:
    """With a certificate that its configuration names; it is not started."""
    make_certificate(folder)
    yield LoneGateway(tls_certificate=str(folder / "cert.pem"),
                      tls_key=str(folder / "key.pem"), tls_loopback="yes")


def test_the_configured_certificate_is_presented(configured: LoneGateway,
                                             folder: Path) -> None:
    with launched(configured) as gateway:
        wait_until(lambda: "listening on" in gateway.log, what="it listens")
        assert ssl.DER_cert_to_PEM_cert(shown(gateway)) == (folder / "cert.pem").read_text()


def test_loopback_stays_plain_without_tls_loopback() -> None:
    with LoneGateway() as gateway:
        make_certificate(gateway.state / "tls")
        gateway.restart()
        assert gateway.ask(PING).result == {}


def test_a_key_that_every_user_can_read_is_refused(configured: LoneGateway, folder: Path) -> None:
    (folder / "key.pem").chmod(0o644)
    with launched(configured) as gateway:
        said = refusal(gateway)
        assert f"{folder}/key.pem: every user of this machine can read or change" in said
        assert "chmod o-rwx" in said


@pytest.mark.parametrize("name", ["cert.pem", "key.pem"])
@pytest.mark.parametrize("text", ["", "nonsense", "-----BEGIN CERTIFICATE-----\nAA\n",
                                  "x" * 100_000])
def test_an_invalid_certificate_or_key_file_is_refused(configured: LoneGateway, folder: Path, name: str,
                             text: str) -> None:
    (folder / name).write_text(text)
    with launched(configured) as gateway:
        assert f"{folder / name}: " in refusal(gateway)


@pytest.mark.parametrize("name", ["cert.pem", "key.pem"])
def test_a_missing_certificate_or_key_file_is_refused(configured: LoneGateway, folder: Path, name: str) -> None:
    (folder / name).unlink()
    with launched(configured) as gateway:
        assert f"{folder / name}: cannot be read: No such file" in refusal(gateway)
    (folder / name).mkdir()
    with launched(LoneGateway(tls_certificate=str(folder / "cert.pem"),
                              tls_key=str(folder / "key.pem"))) as gateway:
        assert f"{folder / name}: is not a regular file" in refusal(gateway)


def test_a_key_of_another_certificate_is_refused(configured: LoneGateway, folder: Path) -> None:
    make_certificate(folder / "other")
    (folder / "key.pem").write_bytes((folder / "other" / "key.pem").read_bytes())
    with launched(configured) as gateway:
        words = f"{folder}/key.pem: does not match the certificate {folder}/cert.pem"
        assert words in refusal(gateway)


def test_a_key_with_a_password_is_refused(configured: LoneGateway, folder: Path) -> None:
    key = folder / "key.pem"
    subprocess.run(["openssl", "pkcs8", "-topk8", "-in", key, "-out", folder / "locked",
                    "-passout", "pass:secret"], check=True, capture_output=True)
    key.write_bytes((folder / "locked").read_bytes())
    with launched(configured) as gateway:
        assert f"{key}: is not a PEM private key without a password" in refusal(gateway)


@pytest.mark.parametrize("given,missing", [
    ("tls_certificate", "tls_key"), ("tls_key", "tls_certificate")])
def test_a_certificate_and_its_key_must_both_be_given(given: str, missing: str) -> None:
    with launched(LoneGateway(**{given: "/etc/x.pem"})) as gateway:
        wait_until(lambda: not gateway.is_running, what="it does not start")
        assert f"server.{missing} is missing" in gateway.log


# ---- SIGHUP

def test_sighup_reloads_the_certificate() -> None:
    """For new connections; existing ones go on."""
    with LoneGateway(tls=True) as gateway:
        with gateway.wire() as wire:
            assert wire.ask(PING).result == {}
            before = shown(gateway)
            make_certificate(gateway.state / "tls")
            assert shown(gateway) == before
            gateway.send_signal(signal.SIGHUP)
            wait_until(lambda: shown(gateway) != before, what="the new one is shown")
            assert "http: loaded the certificate again" in gateway.log
            assert wire.ask(PING).result == {}


@pytest.mark.parametrize("spoil", [
    lambda folder: (folder / "cert.pem").write_text("nonsense"),
    lambda folder: (folder / "cert.pem").unlink(),
    lambda folder: (folder / "key.pem").unlink(),
    lambda folder: (folder / "key.pem").chmod(0o606),
])
def test_a_bad_certificate_leaves_the_old_one_in_use(spoil: Callable[[Path], object]) -> None:
    with LoneGateway(tls=True) as gateway:
        before = shown(gateway)
        spoil(gateway.state / "tls")
        gateway.send_signal(signal.SIGHUP)
        wait_until(lambda: re.search("http: keeping the old certificate: "
                                     "|http: the certificate file is gone", gateway.log),
                   what="the log says so")
        assert shown(gateway) == before
        assert gateway.ask(PING).result == {}


def test_handshakes_succeed_while_the_certificate_changes() -> None:
    """Handshakes in progress keep the certificate that they began with."""
    with LoneGateway(tls=True) as gateway, ThreadPoolExecutor(4) as pool:
        def hammer() -> None:
            for _ in range(20):
                shown(gateway)

        running = [pool.submit(hammer) for _ in range(4)]
        while not all(one.done() for one in running):
            make_certificate(gateway.state / "tls")
            gateway.send_signal(signal.SIGHUP)
        for one in running:
            one.result()
        assert gateway.is_running
