# SPDX-License-Identifier: GPL-2.0-or-later
"""A phone with wlan0 and wwan0, and machines at the other ends: network namespaces that are
isolated from this machine's network."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from lab.dial import forget, trust
from lab.network import Network
from lone_gateway import LoneGateway, peers_of
from wire import Closed, Reply, Wire, request, rpc

PHONE, LAPTOP = "192.0.2.1", "192.0.2.2"
PHONE_6, LAPTOP_6 = "2001:db8::1", "2001:db8::2"
MOBILE, STRANGER = "198.51.100.1", "198.51.100.2"
PING = rpc("ping")


class Phone:
    """The gateway in its own network; Python may act as the laptop or the stranger."""

    def __init__(self, phone: Network, laptop: Network, stranger: Network) -> None:
        self.networks = {"phone": phone, "laptop": laptop, "stranger": stranger}
        self.gateway = LoneGateway(open=False)
        self.environment: dict[str, str] = {}       # for gateways that are started from now on

    @contextmanager
    def serving(self, *listen: str, **server: str) -> Iterator[LoneGateway]:
        gateway = self.gateway = LoneGateway(open=False, **server)
        gateway.network = self.networks["phone"]
        gateway.environment |= self.environment
        for address in listen:
            gateway.args += ["--listen", f"{address}:{self.port}"]
        gateway.start()
        try:
            yield gateway
            assert gateway.stop() == 0, gateway.log
        finally:
            gateway._clear()

    @property
    def port(self) -> int:
        """A port of the addresses other than 127.0.0.1, which the lab needs for itself."""
        return self.gateway.port + 1

    @property
    def peers(self) -> set[int]:
        return peers_of(self.gateway, self.port)

    def wire(self, who: str, host: str, source: str = "") -> Wire:
        port = self.gateway.port if host == "127.0.0.1" else self.port
        with self.networks[who].inside():
            return Wire(port, source, host=host)

    def ask(self, who: str, host: str, token: str | None = None, **more: str) -> Reply:
        given = {"Authorization": f"Bearer {token}"} if token else {}
        with self.wire(who, host) as wire:
            return wire.ask(request(PING, given | more))

    def is_refused(self, who: str, host: str) -> bool:
        """The kernel refuses the connection: the port is closed."""
        try:
            self.wire(who, host).close()
        except ConnectionRefusedError:
            return True
        return False

    def is_closed_silently(self, who: str, host: str, token: str) -> bool:
        with self.wire(who, host) as wire:
            try:
                wire.ask(request(PING, {"Authorization": f"Bearer {token}"}))
            except Closed as closed:
                return closed.args == (b"",)
        return False

    @contextmanager
    def trusted(self) -> Iterator[None]:
        """Clients use TLS, trusting its certificate, for addresses other than 127.0.0.1."""
        trust(self.port, self.gateway.state / "tls" / "cert.pem")
        try:
            yield
        finally:
            forget(self.port)


@contextmanager
def new_phone() -> Iterator[Phone]:
    with Network() as here, Network() as laptop, Network() as stranger:
        here.connect("wlan0", PHONE, laptop, "eth0", LAPTOP)
        here.add("wlan0", PHONE_6, 64)
        laptop.add("eth0", LAPTOP_6, 64)
        here.connect("wwan0", MOBILE, stranger, "eth0", STRANGER)
        yield Phone(here, laptop, stranger)
