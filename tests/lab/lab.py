# SPDX-License-Identifier: GPL-2.0-or-later
"""The whole system in its own folder, removed completely at the end."""

from __future__ import annotations

import atexit
import shutil
import signal
import tempfile
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType

from modem import Modem, Sim

from .bus import Bus
from .clock import Clock
from .gateway import Gateway
from .mcp_client import McpClient
from .ofono_line import line
from .ofonod import Ofonod
from .radio import Radio
from .signals import Signals

SEND_MESSAGE = ("type='method_call',interface='org.ofono.MessageManager',"
                "member='SendMessage'")


class Lab:
    """with Lab(modem_count=2, gateway=True) as lab: ...

    `powered=False` leaves the modems as ofonod starts them. `sims` says which card is in which
    modem (None: no card); `gateway_args` goes to the gateway unchanged. `plugin` is loaded
    into ofonod and writes its spool where the gateway looks. `bus` makes the bus. With
    `settable_clock`, `clock` sets the gateway's clocks. Leaving fails if the gateway ended by
    anything but a clean exit or Gateway.kill().
    """

    def __init__(self, modem_count: int = 2, *, gateway: bool = False,
                 powered: bool = True, sims: Sequence[Sim | None] | None = None,
                 gateway_args: Sequence[str] = (), gateway_open: bool = True,
                 plugin: Path | None = None, bus: type[Bus] = Bus,
                 tls: bool = False, settable_clock: bool = False) -> None:
        cards = [Sim.numbered(i) for i in range(modem_count)] if sims is None else sims
        self.folder = Path(tempfile.mkdtemp(prefix="ofono-lab-"))
        atexit.register(shutil.rmtree, self.folder, ignore_errors=True)     # not even entered
        self.modems = [make_modem(i, card) for i, card in enumerate(cards)]
        self.bus = bus(self.folder)
        self.ofonod = Ofonod(self.folder, self.bus, self.modems, plugin)
        self.radios = [Radio(self.bus.address, f"/{modem.name}") for modem in self.modems]
        self.gateway = Gateway(self.folder, self.bus, args=gateway_args,
                               open=gateway_open, tls=tls)
        self.clock = Clock(self.folder)
        if settable_clock:
            self.gateway.environment |= self.clock.environment
        self.ofonod.environment["OFONO_MCP_SPOOL"] = str(self.gateway.spool)
        self.token = ""             # of client()
        self._with_gateway = gateway
        self._powered = powered
        self._exit = ExitStack()

    def __enter__(self) -> Lab:
        with ExitStack() as undo:
            undo.callback(shutil.rmtree, self.folder)
            for modem in self.modems:
                modem.start()
                undo.callback(modem.stop)
            undo.callback(self.bus.stop)
            self.bus.start()
            undo.callback(self.ofonod.kill)
            self.ofonod.start()
            undo.callback(self._end_gateway)
            if self._with_gateway:          # first, so that it misses no stored message
                self.gateway.start()
            if self._powered:
                self.bring_up()
            self._exit = undo.pop_all()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None,
                 trace: TracebackType | None) -> None:
        self._exit.close()

    def bring_up(self) -> None:
        """Power every modem and wait until those with an unlocked SIM are registered.

        ofonod reads the provider's name last; when it has that, nothing else is to come. If it
        reads none, the name of the network is last.
        """
        for modem, radio in zip(self.modems, self.radios):
            if modem.sim and modem.sim.pin is None:
                radio.bring_up()
                if modem.sim.spn and line().reads_provider_name:
                    radio.wait_property("SimManager", "ServiceProviderName", modem.sim.spn)
                elif modem.sim.spn:
                    radio.wait_property("NetworkRegistration", "Name", modem.sim.spn)
            else:
                radio.power()
                radio.wait_for("SimManager")

    def _end_gateway(self) -> None:
        self.gateway.forget()
        code = self.gateway.stop()
        if code not in (0, -signal.SIGKILL, None):
            raise AssertionError(f"the gateway ended with {code}:\n{self.gateway.log}")

    def client(self) -> McpClient:
        """A client of the gateway, with `token` if there is one; each thread makes its own."""
        client = McpClient(self.gateway.port)
        if self.token:
            client.headers["Authorization"] = f"Bearer {self.token}"
        return client

    def signals(self) -> Signals:
        """Everything that ofonod signals on the bus from now on; a context manager."""
        return Signals(self.bus, self.folder)

    def handovers(self) -> Signals:
        """Every SendMessage call from now on, by any caller; a context manager."""
        return Signals(self.bus, self.folder, SEND_MESSAGE)


def make_modem(i: int, card: Sim | None) -> Modem:
    if card is None:
        return Modem(f"sim{i}", None)
    return Modem(f"sim{i}", card, operator_name=card.spn, operator_mccmnc=card.mccmnc)
