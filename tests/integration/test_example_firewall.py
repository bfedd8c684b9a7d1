# SPDX-License-Identifier: GPL-2.0-or-later
"""The example firewalls: doc/examples/firewall, in a phone's own network."""

from __future__ import annotations

import builtins
import select
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from lab import wait_until
from lab.network import Network
from lab.programs import find
from modem.patience import patience
from phone import MOBILE, PHONE, Phone

EXAMPLES = Path(__file__).resolve().parents[2] / "doc" / "examples" / "firewall"
PORT, OTHER = 9531, 9532
ANSWER_S = 0.3              # the kernel answers at once, or never
# A short form of postmarketOS's initial rules, with a counter for packets before any rule
# drops them.
BASE = """
table inet filter {
    chain input {
        type filter hook input priority 0; policy drop;
        ct state established,related accept
        iifname "lo" accept
        meta l4proto ipv6-icmp accept
    }
}
"""
COUNTING = """
table inet seen {
    chain input {
        type filter hook input priority -300; policy accept;
        tcp dport { 9531, 9532 } counter
    }
}
"""


def load(network: Network, *rules: str) -> None:
    for text in rules:
        subprocess.run([*network.prefix, find("nft"), "-f", "-"], input=text, text=True,
                       check=True)


def arrived(network: Network) -> int:
    """Packets to our ports so far."""
    said = subprocess.run([*network.prefix, find("nft"), "list", "table", "inet", "seen"],
                          check=True, capture_output=True, text=True).stdout
    return int(said.split("packets ")[1].split()[0])


@contextmanager
def listening(network: Network, port: int) -> Iterator[None]:
    with network.inside():
        listener = socket.create_server(("0.0.0.0", port))
    with listener:
        yield


def reaches(phone: Phone, who: str, address: str, port: int = PORT) -> bool:
    with phone.networks[who].inside():
        socket.create_connection((address, port), patience(10)).close()
    return True


def is_dropped(phone: Phone, who: str, address: str, port: int = PORT) -> bool:
    """The packet reached the phone, and the phone did not answer."""
    here, before = phone.networks["phone"], arrived(phone.networks["phone"])
    with phone.networks[who].inside():
        asking = socket.socket()
    with asking:
        asking.setblocking(False)
        asking.connect_ex((address, port))
        wait_until(lambda: arrived(here) > before, what="the packet is there")
        _, answered, _ = select.select([], [asking], [], ANSWER_S)
        return not answered


@pytest.mark.parametrize("name", ["50_ofono-mcp.nft", "ofono-mcp-lan.nft"])
def test_nft_accepts_the_rules(phone: Phone, name: str) -> None:
    network = phone.networks["phone"]
    load(network, BASE)
    subprocess.run([*network.prefix, find("nft"), "-c", "-f", str(EXAMPLES / name)], check=True)


def test_the_rules_open_the_lan_in_a_closed_firewall(phone: Phone) -> None:
    network = phone.networks["phone"]
    load(network, BASE, COUNTING)
    with listening(network, PORT), listening(network, OTHER):
        assert is_dropped(phone, "laptop", PHONE)
        load(network, (EXAMPLES / "50_ofono-mcp.nft").read_text())
        assert reaches(phone, "laptop", PHONE)
        assert is_dropped(phone, "laptop", PHONE, OTHER)
        assert is_dropped(phone, "stranger", MOBILE)


def test_the_rules_close_mobile_data_in_an_open_firewall(phone: Phone) -> None:
    """Also for an address of the LAN that is requested from there."""
    network = phone.networks["phone"]
    load(network, COUNTING)
    phone.networks["stranger"].ip("route", "add", f"{PHONE}/32", "via", MOBILE)
    with listening(network, PORT), listening(network, OTHER):
        assert reaches(phone, "stranger", MOBILE)
        load(network, (EXAMPLES / "ofono-mcp-lan.nft").read_text())
        assert is_dropped(phone, "stranger", MOBILE)
        assert is_dropped(phone, "stranger", PHONE)
        assert reaches(phone, "stranger", MOBILE, OTHER)
        assert reaches(phone, "laptop", PHONE)
        assert reaches(phone, "phone", "127.0.0.1")


def test_ufw_accepts_the_application_profile(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """ufw's own code reads it, and needs its translations; the command knows only the system's
    folder."""
    monkeypatch.setattr(builtins, "_", str, raising=False)
    from ufw import applications
    (folder / "ofono-mcp").write_text((EXAMPLES / "ofono-mcp.ufw").read_text())
    [(name, profile)] = applications.get_profiles(str(folder)).items()
    assert applications.verify_profile(name, profile)
    assert (name, applications.get_ports(profile)) == ("ofono-mcp", ["9531/tcp"])


def read_service(folder: Path, name: str) -> tuple[list[tuple[str, str]], str]:
    """As firewalld itself reads it: its ports and its short name."""
    from firewall.core.io.service import service_reader
    service = service_reader(name, str(folder))
    return service.ports, service.short


def test_firewalld_accepts_the_service(folder: Path) -> None:
    assert read_service(EXAMPLES, "ofono-mcp.xml") == ([("9531", "tcp")], "ofono-mcp")
    text = (EXAMPLES / "ofono-mcp.xml").read_text()
    (folder / "bad.xml").write_text(text.replace("<port ", "<prot "))
    from firewall.errors import FirewallError
    with pytest.raises(FirewallError, match="prot"):
        read_service(folder, "bad.xml")
