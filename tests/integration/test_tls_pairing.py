# SPDX-License-Identifier: GPL-2.0-or-later
"""pair --tls and rotate --tls: the port presents the certificate whose fingerprint they print."""

from __future__ import annotations

import hashlib
import re
import shlex
import socket
import ssl
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from agent import pair
from lab import wait_until
from lab.dial import forget, make_certificate, trust
from lone_gateway import LoneGateway
from modem.patience import patience
from owner import FAILED, Owner
from phone import PHONE, PING, Phone
from wire import request


def fingerprint(certificate: bytes) -> str:
    return hashlib.sha256(certificate).digest().hex(":").upper()


def shown(host: str, port: int, certificate: Path) -> str:
    """To a client that trusts this certificate alone, and looks for the host in it."""
    context = ssl.create_default_context(cafile=certificate)
    with socket.create_connection((host, port), patience(10)) as plain:
        with context.wrap_socket(plain, server_hostname=host) as connection:
            octets = connection.getpeercert(binary_form=True)
            assert octets
            return fingerprint(octets)


def shown_to_laptop(phone: Phone) -> str:
    with phone.networks["laptop"].inside():
        return shown(PHONE, phone.port, phone.gateway.state / "tls" / "cert.pem")


def speaks_tls(phone: Phone) -> bool:
    """The listeners are reviewed in a later turn of the loop."""
    try:
        shown_to_laptop(phone)
    except (ConnectionError, ssl.SSLError):
        return False
    return True


def assert_secure(phone: Phone, paired: Any) -> None:
    """The output is true, and the certificate is the gateway's own."""
    assert paired["urls"] == [f"https://{PHONE}:{phone.port}/mcp",
                              f"http://127.0.0.1:{phone.gateway.port}/mcp"]
    assert paired["tls"]["certificate"] == str(phone.gateway.state / "tls" / "cert.pem")
    wait_until(lambda: speaks_tls(phone), what="the network is spoken to with TLS")
    assert shown_to_laptop(phone) == paired["tls"]["fingerprint"]
    with phone.trusted():
        assert phone.ask("laptop", PHONE, paired["token"]).result == {}
    assert phone.ask("phone", "127.0.0.1", paired["token"]).result == {}
    with phone.wire("laptop", PHONE) as plain:
        plain.send(request(PING, {"Authorization": f"Bearer {paired['token']}"}))
        assert b"HTTP" not in plain.wait_closed()


# ---- the gateway runs

def test_pairing_the_first_client_opens_the_port_with_tls(phone: Phone) -> None:
    with phone.serving(PHONE) as gateway:
        assert_secure(phone, Owner(gateway.state).json("pair", "--tls", "laptop"))
        assert f"{PHONE}:{phone.port} is open to the network now, with TLS" in gateway.log
        assert "without TLS" not in gateway.log


@pytest.mark.parametrize("command", ["pair", "rotate"])
def test_an_open_port_is_opened_again_with_tls(phone: Phone, command: str) -> None:
    """At once: plain connections are cut off, and every client needs the new URL."""
    with phone.serving(PHONE) as gateway:
        owner = Owner(gateway.state)
        old = owner.json("pair", "old")
        assert old["urls"][0].startswith("http://") and "tls" not in old
        if command == "rotate":
            owner.do("pair", "laptop")
        wait_until(lambda: not phone.is_refused("laptop", PHONE), what="the port is open")
        with phone.wire("laptop", PHONE) as plain:
            assert plain.ask(request(PING, {
                "Authorization": f"Bearer {old['token']}"})).result == {}
            paired = owner.json(command, "--tls", "laptop")
            plain.wait_closed()
        assert_secure(phone, paired)
        with phone.trusted():
            assert phone.ask("laptop", PHONE, old["token"]).result == {}
            gateway.restart()
            assert phone.ask("laptop", PHONE, old["token"]).result == {}


def test_later_pairings_keep_the_certificate(phone: Phone) -> None:
    """Once it exists, --tls is not needed."""
    with phone.serving(PHONE) as gateway:
        owner = Owner(gateway.state)
        made = owner.json("pair", "--tls", "laptop")
        for order in ("pair --tls second", "pair third", "rotate laptop",
                      "rotate --tls laptop"):
            again = owner.json(*order.split())
            assert again["tls"] == made["tls"]
            assert_secure(phone, again)


def test_a_removed_certificate_is_replaced_by_a_new_one(phone: Phone) -> None:
    """As when the phone's address has changed."""
    with phone.serving(PHONE) as gateway:
        owner = Owner(gateway.state)
        before = owner.json("pair", "--tls", "laptop")
        for file in ("cert.pem", "key.pem"):
            (gateway.state / "tls" / file).unlink()
        after = owner.json("rotate", "--tls", "laptop")
        assert after["tls"]["fingerprint"] != before["tls"]["fingerprint"]
        assert_secure(phone, after)


def test_pairing_explains_why_a_loopback_url_is_http() -> None:
    """For the default listen address, 127.0.0.1."""
    with LoneGateway(open=False) as gateway:
        owner = Owner(gateway.state)
        assert "TLS" not in owner.do("pair", "old")
        for order in ("pair --tls laptop", "rotate --tls laptop", "pair second"):
            said = owner.do(*order.split())
            assert f"URL       http://127.0.0.1:{gateway.port}/mcp" in said
            assert "TLS       SHA-256 " in said
            assert "loopback address, served without TLS" in said
            assert "tls_loopback = yes under [server]" in said
    with LoneGateway(open=False, tls_loopback="yes") as gateway:
        said = Owner(gateway.state).do("pair", "--tls", "laptop")
        assert f"URL       https://127.0.0.1:{gateway.port}/mcp" in said
        assert "without TLS" not in said


@contextmanager
def trusted(gateway: LoneGateway) -> Iterator[None]:
    trust(gateway.port, gateway.state / "tls" / "cert.pem")
    try:
        yield
    finally:
        forget(gateway.port)


def test_loopback_uses_tls_when_configured() -> None:
    with LoneGateway(open=False, tls_loopback="yes") as gateway:
        token = pair(gateway, "old")
        assert gateway.post(PING, Authorization=f"Bearer {token}").result == {}
        made = Owner(gateway.state).json("pair", "--tls", "laptop")
        assert made["urls"] == [f"https://127.0.0.1:{gateway.port}/mcp"]

        def is_shown() -> bool:
            certificate = gateway.state / "tls" / "cert.pem"
            try:
                return shown("127.0.0.1", gateway.port,
                             certificate) == made["tls"]["fingerprint"]
            except (ConnectionError, ssl.SSLError):
                return False

        wait_until(is_shown, what="loopback is spoken to with TLS")
        with trusted(gateway):
            assert gateway.ask(request(PING, {
                "Authorization": f"Bearer {made['token']}"})).result == {}
            gateway.restart()


# ---- it does not run

def test_pairing_makes_a_certificate_before_the_gateway_runs(phone: Phone) -> None:
    """It belongs to the gateway's user, not to the one who typed the command; and the gateway
    uses it."""
    with phone.serving(PHONE) as gateway:
        gateway.stop()
        file = gateway.folder / "listen.conf"
        file.write_text(f"[server]\nlisten = {PHONE}:{phone.port}\n"
                        f"listen = 127.0.0.1:{gateway.port}\n")
        owner = Owner(gateway.state, "--config", str(file),
                      before=phone.networks["phone"].prefix)
        paired = owner.json("pair", "--tls", "laptop")
        assert owner.json("rotate", "laptop")["tls"] == paired["tls"]
        paired = owner.json("rotate", "--tls", "laptop")
        folder = gateway.state / "tls"
        for path, mode in ((folder, 0o700), (folder / "key.pem", 0o600)):
            assert path.stat().st_mode & 0o777 == mode
            assert path.stat().st_uid == gateway.state.stat().st_uid
        gateway.start()
        assert_secure(phone, paired)


def test_pairing_shows_the_configured_certificate(folder: Path) -> None:
    """No certificate is made."""
    make_certificate(folder)
    file = folder / "gateway.conf"
    file.write_text(f"[server]\nlisten = {PHONE}:1234\ntls_certificate = "
                    f"{folder}/cert.pem\ntls_key = {folder}/key.pem\n")
    owner = Owner(folder / "state", "--config", str(file))
    certificate = ssl.PEM_cert_to_DER_cert((folder / "cert.pem").read_text())
    for paired in (owner.json("pair", "--tls", "a"), owner.json("pair", "b")):
        assert paired["urls"] == [f"https://{PHONE}:1234/mcp"]
        assert paired["tls"] == {"fingerprint": fingerprint(certificate),
                                 "certificate": f"{folder}/cert.pem"}
    assert not (folder / "state" / "tls").exists()


@pytest.mark.parametrize("runs", [True, False])
def test_a_bad_certificate_refuses_pairing_with_tls(runs: bool) -> None:
    """Nobody is paired without the requested TLS; rotate issues a new token anyway."""
    with LoneGateway(open=False) as gateway:
        owner = Owner(gateway.state)
        owner.do("pair", "old")
        if not runs:
            gateway.stop()
        make_certificate(gateway.state / "tls")
        (gateway.state / "tls" / "key.pem").chmod(0o644)
        for command, name in (("pair", "laptop"), ("rotate", "old")):
            refused = owner.run(command, "--tls", name)
            assert (refused.returncode, refused.stdout) == (FAILED, "")
            assert f"{gateway.state}/tls/key.pem: every user of this" in refused.stderr
            assert "leave out --tls; no token was made" in refused.stderr
        assert [client["name"] for client in owner.json("clients")["clients"]] == ["old"]
        owner.do("rotate", "old")


def test_a_refused_pairing_makes_no_certificate(folder: Path) -> None:
    owner = Owner(folder / "state")
    owner.do("pair", "laptop")
    assert owner.run("pair", "--tls", "laptop").returncode == FAILED
    assert not (folder / "state" / "tls").exists()


# ---- what is printed

def test_the_printed_commands_fetch_the_certificate(phone: Phone) -> None:
    """They fetch the certificate with the fingerprint shown above."""
    with phone.serving(PHONE) as gateway:
        owner = Owner(gateway.state)
        text = owner.do("pair", "--tls", "laptop")
        [told] = re.findall(r"^  TLS +SHA-256 ([0-9A-F:]{95})$", text, re.MULTILINE)
        certificate = gateway.state / "tls" / "cert.pem"
        url = f"https://{PHONE}:{phone.port}/mcp"
        for line in (f"phone {url} ", f'"url":"{url}"', f'url = "{url}"',
                     f"  export NODE_EXTRA_CA_CERTS={certificate}\n",
                     f"  export SSL_CERT_FILE={certificate}\n"):
            assert line in text
        assert told in owner.do("rotate", "laptop")
        wait_until(lambda: speaks_tls(phone), what="the port speaks TLS")
        commands = re.findall(r"^  (openssl .+)$", text, re.MULTILINE)
        assert len(commands) == 2
        script = "; ".join(["cd " + shlex.quote(str(gateway.folder)), *commands])
        done = subprocess.run([*phone.networks["laptop"].prefix, "sh", "-c", script],
                              capture_output=True, text=True, timeout=patience(20))
        assert done.stdout.strip().endswith(f"ingerprint={told}"), done


def test_pairing_without_tls_does_not_mention_tls(folder: Path) -> None:
    text = Owner(folder / "state").do("pair", "laptop")
    assert "TLS" not in text and "https" not in text and "CERT" not in text
