# SPDX-License-Identifier: GPL-2.0-or-later
"""A desktop's server of notifications, and its screen saver, as the test says.

    python3 stub_desktop.py BUS-ADDRESS CAPABILITY...

Prints a line of JSON for each notification that is shown ({"id", "replaces", "summary", "body",
"actions", "urgency"}) or taken away ({"withdrawn": ID}). Commands are lines of JSON on standard
input: {"press": [ID, KEY]} as a click does, {"close": ID}, {"expire": ID} as a desktop does that
has no room, {"locked": true}.
"""

from __future__ import annotations

import itertools
import json
import sys
from typing import Any

import dbus
import dbus.bus
import dbus.service
from dbus.mainloop.glib import DBusGMainLoop
from gi.repository import GLib

NAME = "org.freedesktop.Notifications"
PATH = "/org/freedesktop/Notifications"
EXPIRED, DISMISSED = 1, 2


def say(**facts: Any) -> None:
    print(json.dumps(facts), flush=True)


class Server(dbus.service.Object):
    def __init__(self, bus: dbus.bus.BusConnection, capabilities: list[str]) -> None:
        super().__init__(bus, PATH)
        self._capabilities = capabilities
        self._ids = itertools.count(1)

    @dbus.service.method(NAME, out_signature="as")
    def GetCapabilities(self) -> list[str]:
        return self._capabilities

    @dbus.service.method(NAME, in_signature="susssasa{sv}i", out_signature="u")
    def Notify(self, _program: str, replaces: int, _icon: str, summary: str, body: str,
               actions: list[str], hints: dict[str, Any], _timeout: int) -> int:
        number = int(replaces) or next(self._ids)
        say(id=number, replaces=int(replaces), summary=summary, body=body,
            actions=dict(zip(actions[::2], actions[1::2], strict=True)), urgency=int(hints["urgency"]))
        return number

    @dbus.service.method(NAME, in_signature="u")
    def CloseNotification(self, number: int) -> None:
        say(withdrawn=int(number))
        self.NotificationClosed(number, 3)

    @dbus.service.signal(NAME, signature="uu")
    def NotificationClosed(self, number: int, reason: int) -> None: ...

    @dbus.service.signal(NAME, signature="us")
    def ActionInvoked(self, number: int, key: str) -> None: ...


class ScreenSaver(dbus.service.Object):
    locked = False

    @dbus.service.method("org.freedesktop.ScreenSaver", out_signature="b")
    def GetActive(self) -> bool:
        return self.locked


def main() -> None:
    address, *capabilities = sys.argv[1:]
    DBusGMainLoop(set_as_default=True)
    bus = dbus.bus.BusConnection(address)
    server = Server(bus, capabilities)
    screen = ScreenSaver(bus, "/org/freedesktop/ScreenSaver")
    bus.request_name("org.freedesktop.ScreenSaver")
    bus.request_name(NAME)

    def on_line(source: Any, _condition: int) -> bool:
        line = source.readline()
        if not line:
            loop.quit()
            return False
        told = json.loads(line)
        if "press" in told:
            number, key = told["press"]
            server.ActionInvoked(number, key)
            server.NotificationClosed(number, DISMISSED)
        elif "close" in told:
            server.NotificationClosed(told["close"], DISMISSED)
        elif "expire" in told:
            server.NotificationClosed(told["expire"], EXPIRED)
        else:
            screen.locked = told["locked"]
        return True

    loop = GLib.MainLoop()
    GLib.io_add_watch(sys.stdin, GLib.IO_IN | GLib.IO_HUP, on_line)
    loop.run()


if __name__ == "__main__":
    main()
