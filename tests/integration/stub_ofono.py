# SPDX-License-Identifier: GPL-2.0-or-later
"""An oFono with one modem that is always ready, and a phone reached over Bluetooth, for
what the real one of Debian never does.

    python3 stub_ofono.py BUS-ADDRESS [WORDS]

WORDS is what its objects tell of themselves (Introspect).
It sends every message at once and says so.  Commands come as lines on standard input:
"report UUID INTERFACE TYPE 0|1" signals a delivery report; TYPE is s or o.  On standard
output: "ready", "reports 1" when UseDeliveryReports is set, "sent UUID".
"""

from __future__ import annotations

import itertools
import os
import sys
from typing import Any

import dbus
import dbus.bus
import dbus.lowlevel
from dbus.mainloop.glib import DBusGMainLoop
from gi.repository import GLib

MODEM = "/stub"
BLUETOOTH = "/hfp/org/bluez/hci0/dev_00_00_5E_00_53_01"
UUIDS = (f"{i:040X}" for i in itertools.count(1))
PROPERTIES: dict[str, dict[str, Any]] = {
    "Modem": {"Powered": True, "Online": True, "Type": "hardware", "Interfaces": dbus.Array(
        [f"org.ofono.{name}" for name in ("SimManager", "MessageManager",
                                          "NetworkRegistration")], "s")},
    "SimManager": {"Present": True, "CardIdentifier": "8936300000000000000",
                   "SubscriberIdentity": "216300000000000", "PinRequired": "none"},
    "NetworkRegistration": {"Status": "registered", "Name": "Stub"},
}

HANDSFREE = {"Powered": True, "Online": True, "Type": "hfp", "Name": "Somebody's phone",
             "Interfaces": dbus.Array(["org.ofono.NetworkRegistration"], "s")}


def variants(values: dict[str, Any]) -> dbus.Dictionary:
    return dbus.Dictionary(values, signature="sv")


class Stub:
    def __init__(self, address: str, words: str = "") -> None:
        self.words = words
        self.bus = dbus.bus.BusConnection(address, mainloop=DBusGMainLoop())
        self.bus.add_message_filter(self.on_message)
        self.bus.request_name("org.ofono")

    def signal(self, path: str, interface: str, member: str, signature: str,
               *arguments: Any) -> None:
        message = dbus.lowlevel.SignalMessage(path, f"org.ofono.{interface}", member)
        message.append(signature=signature, *arguments)
        self.bus.send_message(message)

    def answer(self, call: dbus.lowlevel.Message, signature: str, *arguments: Any) -> None:
        reply = dbus.lowlevel.MethodReturnMessage(call)
        if arguments:
            reply.append(signature=signature, *arguments)
        self.bus.send_message(reply)

    def on_message(self, _: Any, call: dbus.lowlevel.Message) -> int:
        if call.get_type() != 1:                                # METHOD_CALL
            return dbus.lowlevel.HANDLER_RESULT_NOT_YET_HANDLED
        interface = call.get_interface().removeprefix("org.ofono.")
        match interface, call.get_member():
            case "Manager", "GetModems":
                modems = [(dbus.ObjectPath(BLUETOOTH), variants(HANDSFREE)),
                          (dbus.ObjectPath(MODEM), variants(PROPERTIES["Modem"]))]
                self.answer(call, "a(oa{sv})", modems)
            case _, "GetProperties" if interface in PROPERTIES:
                self.answer(call, "a{sv}", variants(PROPERTIES[interface]))
            case _, "Introspect":
                self.answer(call, "s", self.words)
            case "MessageManager", "GetMessages":
                self.answer(call, "a(oa{sv})", dbus.Array([], "(oa{sv})"))
            case "MessageManager", "SetProperty":
                print("reports", int(call.get_args_list()[1]), flush=True)
                self.answer(call, "")
            case "MessageManager", "SendMessage":
                self.send(call)
            case _:
                error = "org.freedesktop.DBus.Error.UnknownMethod"
                self.bus.send_message(dbus.lowlevel.ErrorMessage(call, error, "stub"))
        return dbus.lowlevel.HANDLER_RESULT_HANDLED

    def send(self, call: dbus.lowlevel.Message) -> None:
        uuid = next(UUIDS)
        path = dbus.ObjectPath(f"{MODEM}/message_{uuid}")
        self.answer(call, "o", path)
        self.signal(path, "Message", "PropertyChanged", "sv", "State", "sent")
        print("sent", uuid, flush=True)

    def command(self, line: str) -> None:
        _, uuid, interface, kind, delivered = line.split()
        self.signal(MODEM, interface, "StatusReport", f"{kind}a{{sv}}",
                    f"{MODEM}/message_{uuid}",
                    variants({"Delivered": dbus.Boolean(int(delivered))}))


def main(address: str, words: str = "") -> None:
    loop = GLib.MainLoop()
    stub = Stub(address, words)

    torn = bytearray()

    def on_lines(*_: Any) -> bool:
        """All that came: what a buffered file held back would raise no watch again."""
        if not (octets := os.read(sys.stdin.fileno(), 1 << 16)):
            loop.quit()
            return False
        torn.extend(octets)
        *lines, rest = bytes(torn).split(b"\n")
        torn[:] = rest
        for line in lines:
            stub.command(line.decode())
        return True
    GLib.io_add_watch(sys.stdin.fileno(), GLib.IO_IN | GLib.IO_HUP, on_lines)
    print("ready", flush=True)
    loop.run()


if __name__ == "__main__":
    main(*sys.argv[1:])
