# SPDX-License-Identifier: GPL-2.0-or-later
"""One modem as ofonod shows it on D-Bus: blocking calls, for tests and set-up.

Each call opens a connection of its own, so it survives a restart of the bus.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import dbus
import dbus.bus

from .wait import wait_until

NOT_THERE = {                       # an object, an interface or a daemon that disappeared
    "org.freedesktop.DBus.Error.NameHasNoOwner",
    "org.freedesktop.DBus.Error.NoReply",
    "org.freedesktop.DBus.Error.ServiceUnknown",
    "org.freedesktop.DBus.Error.UnknownMethod",
    "org.freedesktop.DBus.Error.UnknownObject",
    "org.ofono.Error.InProgress",
}
REGISTERED = {"registered", "roaming"}


def variant(value: bool | str) -> Any:
    kind = dbus.Boolean if isinstance(value, bool) else dbus.String
    return kind(value, variant_level=1)


@contextmanager
def connection(address: str) -> Iterator[dbus.bus.BusConnection]:
    bus = dbus.bus.BusConnection(address)
    try:
        yield bus
    finally:
        bus.close()


def call(address: str, path: str, interface: str, method: str, *arguments: Any) -> Any:
    """One call to ofonod; `interface` without "org.ofono."."""
    with connection(address) as bus:
        proxy = bus.get_object("org.ofono", path, introspect=False)
        return proxy.get_dbus_method(method, f"org.ofono.{interface}")(*arguments)


class Radio:
    def __init__(self, address: str, path: str) -> None:
        self._address = address
        self.path = path

    @staticmethod
    def list_paths(address: str) -> list[str] | None:
        """The modems ofonod knows; None while it is not on the bus."""
        try:
            return [str(path) for path, _ in call(address, "/", "Manager", "GetModems")]
        except dbus.DBusException as error:
            if error.get_dbus_name() in NOT_THERE:
                return None
            raise

    def call(self, interface: str, method: str, *arguments: Any) -> Any:
        return call(self._address, self.path, interface, method, *arguments)

    def properties(self, interface: str = "Modem") -> dict[str, Any]:
        """Empty if the interface does not exist."""
        try:
            found = self.call(interface, "GetProperties")
        except dbus.DBusException as error:
            if error.get_dbus_name() in NOT_THERE:
                return {}
            raise
        return {str(name): value for name, value in found.items()}

    def set(self, interface: str, name: str, value: Any) -> None:
        self.call(interface, "SetProperty", name, variant(value))

    # ---- what tests do most

    def power(self, on: bool = True) -> None:
        self.set("Modem", "Powered", on)

    def online(self, on: bool = True) -> None:
        self.set("Modem", "Online", on)

    def has(self, interface: str) -> bool:
        return f"org.ofono.{interface}" in self.properties().get("Interfaces", ())

    @property
    def registration(self) -> str:
        return str(self.properties("NetworkRegistration").get("Status", ""))

    @property
    def sim_present(self) -> bool:
        return bool(self.properties("SimManager").get("Present", False))

    @property
    def is_ready(self) -> bool:
        """A message submitted now would be sent."""
        return self.has("MessageManager") and self.registration in REGISTERED

    def bring_up(self) -> None:
        """Power, then online as soon as the SIM is ready, then registered."""
        self.power()
        self.wait_for("MessageManager")
        self.online()
        self.wait_ready()

    def wait_for(self, interface: str, present: bool = True, timeout: float = 10) -> None:
        wait_until(lambda: self.has(interface) == present, timeout,
                   f"{self.path}: {interface} {'there' if present else 'gone'}")

    def wait_ready(self, timeout: float = 10) -> None:
        wait_until(lambda: self.is_ready, timeout, f"{self.path}: can send")

    def wait_property(self, interface: str, name: str, value: Any,
                      timeout: float = 10) -> None:
        wait_until(lambda: self.properties(interface).get(name) == value, timeout,
                   f"{self.path}: {interface}.{name} is {value!r}")

    def send_message(self, to: str, text: str) -> str:
        """Path of the message object."""
        return str(self.call("MessageManager", "SendMessage", to, text))

    def pending_messages(self) -> list[str]:
        return [str(path) for path, _ in self.call("MessageManager", "GetMessages")]
