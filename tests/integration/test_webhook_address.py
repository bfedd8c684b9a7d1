# SPDX-License-Identifier: GPL-2.0-or-later
"""To which addresses webhooks connect: judged at each connection, whatever a name resolved to
before. In a network of its own, whose loopback has a public address, too."""

from __future__ import annotations

import ssl
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from lab import wait_until
from lab.network import Network
from webhooks import CALLBACK, FORBIDDEN, Answer, Delivery, Hook, Hooked, Receiver

PUBLIC = "93.184.216.34"
HOST = "hooks.test"
MOUNT = ('mount --bind "$1" /etc/hosts && mount --bind "$2" '
         '/etc/ssl/certs/ca-certificates.crt && shift 2 && exec "$@"')


class Machine:
    """A gateway with names and authorities of its own, and receivers on port 443."""

    def __init__(self, network: Network, folder: Path) -> None:
        self.network = network
        self.hosts = folder / "hosts"
        self.certificate = folder / "cert.pem"
        self.key = folder / "key.pem"
        self._make_certificate()
        self.resolve(PUBLIC)
        self.gateway = Hooked()
        self.gateway.network = network
        self.gateway._wrapper = ["unshare", "--mount", "sh", "-c", MOUNT, "sh",
                                 str(self.hosts), str(self.certificate)]
        self.outside = self.receiver(PUBLIC)
        self.inside = self.receiver("127.0.0.1")

    def _make_certificate(self) -> None:
        names = f"DNS:{HOST},DNS:localhost,IP:127.0.0.1,IP:{PUBLIC}"
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt",
                        "ec_paramgen_curve:P-256", "-nodes", "-days", "2", "-subj",
                        f"/CN={HOST}", "-addext", f"subjectAltName={names}", "-keyout",
                        self.key, "-out", self.certificate], check=True,
                       capture_output=True)

    def receiver(self, address: str) -> Receiver:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self.certificate, self.key)
        with self.network.inside():
            return Receiver(address, port=443, tls=context)

    def resolve(self, *addresses: str) -> None:
        """The name has these addresses from now on."""
        self.hosts.write_text("127.0.0.1 localhost\n"
                              + "".join(f"{one} {HOST}\n" for one in addresses))

    def approve(self, hook: Hook) -> None:
        hook.subscribe()
        hook.gateway.owner.do("approve", hook.gateway.owner.json_lines(
            "approvals")[0]["approval_id"])


@pytest.fixture
def machine(tmp_path: Path) -> Iterator[Machine]:
    with Network() as network:
        network.ip("addr", "add", f"{PUBLIC}/32", "dev", "lo")
        one = Machine(network, tmp_path)
        with one.inside, one.outside, network.inside(), one.gateway:
            yield one


def test_a_name_that_moves_to_this_machine_gets_no_more(machine: Machine) -> None:
    hook = Hook(machine.gateway, f"https://{HOST}/hooks")
    machine.approve(hook)
    assert hook.subscribe().result
    machine.gateway.receive()
    machine.outside.wait_for(1)
    machine.resolve("127.0.0.1")
    machine.gateway.receive()
    wait_until(lambda: hook.gateway.owner.json_lines("webhooks")[0].get("last_error"),
               what="the attempt was refused")
    assert not machine.inside.received and not machine.inside.challenges
    machine.resolve(PUBLIC)
    hook.subscribe()                                    # tries again at once
    machine.outside.wait_for(2)


def test_an_approval_withdrawn_during_the_challenge_leaves_no_subscription(
        machine: Machine) -> None:
    hook = Hook(machine.gateway, f"https://{HOST}/hooks")
    machine.approve(hook)
    answer = machine.outside.challenge

    def withdraw(challenge: Delivery) -> Answer | None:
        machine.gateway.owner.do("webhooks", "revoke", "w1")
        return answer(challenge)

    machine.outside.challenge = withdraw
    code, data = hook.error(hook.subscribe())
    assert (code, data["reason"]) == (FORBIDDEN, "approval_required")
    assert machine.gateway.owner.json_lines("webhooks") == [
        {"subscriptions": 0, "approvals": 0}]


def test_a_name_with_two_addresses_reaches_the_public_one_only(machine: Machine) -> None:
    machine.resolve("127.0.0.1", PUBLIC)
    hook = Hook(machine.gateway, f"https://{HOST}/hooks")
    machine.approve(hook)
    hook.subscribe()
    assert not machine.inside.challenges


@pytest.mark.parametrize("host", [
    "127.0.0.1", "localhost", "2130706433", "0x7f.1", "127.1", "[::1]", "[::ffff:127.0.0.1]",
    "0", "[::]", "169.254.169.254", "10.0.0.1", "[fe80::1]", "[64:ff9b::7f00:1]"])
def test_no_spelling_of_a_private_address_is_reached(machine: Machine, host: str) -> None:
    hook = Hook(machine.gateway, f"https://{host}/hooks")
    machine.approve(hook)
    code, data = hook.error(hook.subscribe())
    assert (code, data["reason"]) == (CALLBACK, "connection_refused")
    assert not machine.inside.challenges


def test_a_certificate_of_nobody_is_a_tls_error(machine: Machine, tmp_path: Path) -> None:
    machine.resolve(PUBLIC)
    hook = Hook(machine.gateway, f"https://{HOST}/hooks")
    machine.approve(hook)
    other = tmp_path / "other"
    other.mkdir()
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt",
                    "ec_paramgen_curve:P-256", "-nodes", "-subj", "/CN=other", "-keyout",
                    other / "key.pem", "-out", other / "cert.pem"], check=True,
                   capture_output=True)
    machine.outside.close()
    machine.certificate, machine.key = other / "cert.pem", other / "key.pem"
    with machine.receiver(PUBLIC):
        code, data = hook.error(hook.subscribe())
    assert (code, data["reason"]) == (CALLBACK, "tls_error")


def test_a_proxy_of_the_environment_is_not_used(machine: Machine) -> None:
    machine.gateway.stop()
    machine.gateway.environment |= {"https_proxy": "http://127.0.0.1:443",
                                    "all_proxy": "http://127.0.0.1:443"}
    machine.gateway.start()
    hook = Hook(machine.gateway, f"https://{HOST}/hooks")
    machine.approve(hook)
    assert hook.subscribe().result
    machine.gateway.receive()
    machine.outside.wait_for(1)


def test_a_redirect_leads_nowhere(machine: Machine) -> None:
    hook = Hook(machine.gateway, f"https://{HOST}/hooks")
    machine.approve(hook)
    assert hook.subscribe().result
    machine.outside.behaviour = lambda _: (
        (307, b"https://127.0.0.1/") if len(machine.outside.received) == 1 else (204, b""))
    machine.gateway.receive()
    wait_until(lambda: len(machine.outside.received) == 2, what="it is tried again")
    assert not machine.inside.received
