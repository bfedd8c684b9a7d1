# SPDX-License-Identifier: GPL-2.0-or-later
"""A fake oFono for behaviour that the real one of Debian never shows.

    python3 stub_ofono.py BUS-ADDRESS [SHAPE [WORDS]]

SHAPE "plain" has one modem that is always ready, and a phone reached over Bluetooth; "forks"
has two modems as on a phone with two SIMs under Sailfish OS, Droidian or FuriOS. With WORDS
its objects do not support Introspect.

METHODS and SIGNALS are all that it offers: nothing else is answered or signalled, and
test_forks.py compares them with what the forks introspect as.

It sends every message at once and reports it as sent. Commands are lines on standard input:
"report UUID INTERFACE TYPE 0|1" signals a delivery report, TYPE is s or o; any other line is a
JSON object, whose members Stub.do() describes. It prints "ready", "reports 1" when
UseDeliveryReports is set, "sent UUID", and "done" after each JSON object.
"""

from __future__ import annotations

import itertools
import json
import os
import sys
from typing import Any
from xml.sax.saxutils import quoteattr

import dbus
import dbus.bus
import dbus.lowlevel
from dbus.mainloop.glib import DBusGMainLoop
from gi.repository import GLib

MODEM = "/stub"
BLUETOOTH = "/hfp/org/bluez/hci0/dev_00_00_5E_00_53_01"
UUIDS = (f"{i:040X}" for i in itertools.count(1))
UNKNOWN_METHOD = "org.freedesktop.DBus.Error.UnknownMethod"
UNKNOWN_OBJECT = "org.freedesktop.DBus.Error.UnknownObject"
MANAGER = "org.nemomobile.ofono.ModemManager"
SIM_INFO = "org.nemomobile.ofono.SimInfo"
READ = ("", "a{sv}")
WRITE = ("sv", "")

# The methods of each interface, with the signatures of their arguments and answers.
METHODS: dict[str, dict[str, tuple[str, str]]] = {
    "org.ofono.Manager": {"GetModems": ("", "a(oa{sv})")},
    "org.ofono.Modem": {"GetProperties": READ, "SetProperty": WRITE},
    "org.ofono.SimManager": {"GetProperties": READ, "SetProperty": WRITE},
    "org.ofono.NetworkRegistration": {"GetProperties": READ},
    "org.ofono.MessageManager": {
        "GetProperties": READ, "SetProperty": WRITE, "GetMessages": ("", "a(oa{sv})"),
        "SendMessage": ("ss", "o")},
    MANAGER: {
        "GetInterfaceVersion": ("", "i"), "GetAvailableModems": ("", "ao"),
        "GetEnabledModems": ("", "ao"), "GetPresentSims": ("", "ab"),
        "GetIMEI": ("", "as"), "GetDefaultDataSim": ("", "s"),
        "GetDefaultVoiceSim": ("", "s"), "GetMmsSim": ("", "s"),
        "GetDefaultDataModem": ("", "s"), "GetDefaultVoiceModem": ("", "s"),
        "GetMmsModem": ("", "s"), "GetReady": ("", "b")},
    SIM_INFO: {
        "GetAll": ("", "isss"), "GetInterfaceVersion": ("", "i"),
        "GetCardIdentifier": ("", "s"), "GetSubscriberIdentity": ("", "s"),
        "GetServiceProviderName": ("", "s")},
}
# The signals of each interface.
SIGNALS: dict[str, dict[str, str]] = {
    "org.ofono.Manager": {"ModemAdded": "oa{sv}", "ModemRemoved": "o"},
    "org.ofono.Modem": {"PropertyChanged": "sv"},
    "org.ofono.SimManager": {"PropertyChanged": "sv"},
    "org.ofono.NetworkRegistration": {"PropertyChanged": "sv"},
    "org.ofono.MessageManager": {
        "PropertyChanged": "sv", "IncomingMessage": "sa{sv}", "ImmediateMessage": "sa{sv}",
        "MessageAdded": "oa{sv}", "MessageRemoved": "o"},
    MANAGER: {
        "EnabledModemsChanged": "ao", "PresentSimsChanged": "ib",
        "DefaultDataSimChanged": "s", "DefaultVoiceSimChanged": "s",
        "DefaultDataModemChanged": "s", "DefaultVoiceModemChanged": "s",
        "MmsSimChanged": "s", "MmsModemChanged": "s", "ReadyChanged": "b"},
    SIM_INFO: {
        "CardIdentifierChanged": "s", "SubscriberIdentityChanged": "s",
        "ServiceProviderNameChanged": "s"},
}
READY = ["SimManager", "MessageManager", "NetworkRegistration"]


def full(interface: str) -> str:
    return interface if "." in interface else f"org.ofono.{interface}"


def names(*interfaces: str) -> dbus.Array:
    return dbus.Array(map(full, interfaces), "s")


def modem(*interfaces: str, on: bool = True) -> dict[str, Any]:
    return {"Powered": on, "Online": on, "Type": "hardware", "Interfaces": names(*interfaces)}


def card(number: int) -> dict[str, Any]:
    return {"Present": True, "CardIdentifier": f"89363000000000000{number:02}",
            "SubscriberIdentity": f"2163000000000{number:02}", "PinRequired": "none"}


def network(name: str) -> dict[str, Any]:
    return {"Status": "registered", "Name": name}


# The properties of each object's interfaces.
Shape = dict[str, dict[str, dict[str, Any]]]
SHAPES: dict[str, Shape] = {
    "plain": {
        BLUETOOTH: {"org.ofono.Modem": {
            "Powered": True, "Online": True, "Type": "hfp", "Name": "Somebody's phone",
            "Interfaces": names("NetworkRegistration")}},
        MODEM: {"org.ofono.Modem": modem(*READY), "org.ofono.SimManager": card(0),
                "org.ofono.NetworkRegistration": network("Stub"),
                "org.ofono.MessageManager": {"ServiceCenterAddress": "+36309888000"}},
    },
    "forks": {
        f"/ril_{i}": {
            "org.ofono.Modem": modem(*READY, SIM_INFO), "org.ofono.SimManager": card(i),
            "org.ofono.NetworkRegistration": network(f"Network {i}"),
            "org.ofono.MessageManager": {"ServiceCenterAddress": "+36309888000"},
            SIM_INFO: {"CardIdentifier": card(i)["CardIdentifier"],
                       "SubscriberIdentity": card(i)["SubscriberIdentity"],
                       "ServiceProviderName": f"Provider {i}"}}
        for i in range(2)},
}
# The source of MANAGER's answers.
FORKS: dict[str, Any] = {
    "GetInterfaceVersion": 8, "GetAvailableModems": ["/ril_0", "/ril_1"],
    "GetEnabledModems": ["/ril_0", "/ril_1"], "GetPresentSims": [True, True],
    "GetIMEI": ["", ""], "GetDefaultDataSim": "auto", "GetDefaultVoiceSim": "auto",
    "GetMmsSim": "", "GetDefaultDataModem": "/ril_0", "GetDefaultVoiceModem": "/ril_1",
    "GetMmsModem": "", "GetReady": True,
}


def variants(values: dict[str, Any]) -> dbus.Dictionary:
    return dbus.Dictionary(values, signature="sv")


def message_path(modem_path: str, uuid: str) -> dbus.ObjectPath:
    return dbus.ObjectPath(f"{modem_path}/message_{uuid}")


def introspect(interface: str) -> str:
    """The interface as XML."""
    told = []
    for name, (given, answered) in METHODS[interface].items():
        arguments = [(way, kind) for way, whole in (("in", given), ("out", answered))
                     for kind in dbus.Signature(whole)]
        told.append(f"<method name={quoteattr(name)}>" + "".join(
            f'<arg type="{kind}" direction="{way}"/>' for way, kind in arguments)
            + "</method>")
    for name, signature in SIGNALS[interface].items():
        told.append(f"<signal name={quoteattr(name)}>" + "".join(
            f'<arg type="{kind}"/>' for kind in dbus.Signature(signature)) + "</signal>")
    return f"<interface name={quoteattr(interface)}>{''.join(told)}</interface>"


class Stub:
    def __init__(self, address: str, shape: str = "plain", words: str = "") -> None:
        self.words = words
        self.objects = SHAPES[shape]
        self.has_manager = shape == "forks"
        self.silent: set[str] = set()               # members that are never answered
        self.errors: dict[str, str] = {}            # errors that members answer with
        self.called: list[str] = []
        self.closed: Shape = {}
        self.keeps = False                          # holds messages until "finish"
        self.kept: dict[str, str] = {}              # the modem of each held message, by UUID
        self.bus = dbus.bus.BusConnection(address, mainloop=DBusGMainLoop())
        self.bus.add_message_filter(self.on_message)
        self.bus.request_name("org.ofono")

    # ---- what it says

    def emit(self, path: str, interface: str, member: str, signature: str,
             *arguments: Any) -> None:
        message = dbus.lowlevel.SignalMessage(path, full(interface), member)
        message.append(*arguments, signature=signature)
        self.bus.send_message(message)

    def signal(self, path: str, interface: str, member: str, *arguments: Any) -> None:
        self.emit(path, interface, member, SIGNALS[full(interface)][member], *arguments)

    def answer(self, call: dbus.lowlevel.Message, *arguments: Any) -> None:
        reply = dbus.lowlevel.MethodReturnMessage(call)
        signature = METHODS[call.get_interface()][call.get_member()][1]
        if signature:
            reply.append(*arguments, signature=signature)
        self.bus.send_message(reply)

    def refuse(self, call: dbus.lowlevel.Message, error: str) -> None:
        self.bus.send_message(dbus.lowlevel.ErrorMessage(call, error, "stub"))

    # ---- calls

    def interfaces(self, path: str) -> list[str]:
        if path == "/":
            return ["org.ofono.Manager", *([MANAGER] if self.has_manager else [])]
        told = self.objects.get(path, {})
        return ["org.ofono.Modem", *told["org.ofono.Modem"]["Interfaces"]] if told else []

    def tell_of_itself(self, call: dbus.lowlevel.Message) -> None:
        told = self.words or "<node>" + "".join(
            map(introspect, self.interfaces(call.get_path()))) + "</node>"
        reply = dbus.lowlevel.MethodReturnMessage(call)
        reply.append(told, signature="s")
        self.bus.send_message(reply)

    def on_message(self, _: Any, call: dbus.lowlevel.Message) -> int:
        if call.get_type() != 1:                                # METHOD_CALL
            return dbus.lowlevel.HANDLER_RESULT_NOT_YET_HANDLED
        path, interface, member = call.get_path(), call.get_interface(), call.get_member()
        known = METHODS.get(interface, {}) if interface in self.interfaces(path) else {}
        self.called.append(member)
        if member == "Introspect":
            self.tell_of_itself(call)
        elif member in self.silent:
            pass
        elif member in self.errors:
            self.refuse(call, self.errors[member])
        elif path != "/" and path not in self.objects:
            self.refuse(call, UNKNOWN_OBJECT)
        elif member not in known or call.get_signature() != known[member][0]:
            self.refuse(call, UNKNOWN_METHOD)
        else:
            self.run(call, path, interface, member)
        return dbus.lowlevel.HANDLER_RESULT_HANDLED

    def run(self, call: dbus.lowlevel.Message, path: str, interface: str,
            member: str) -> None:
        told = self.objects.get(path, {}).get(interface, {})
        match interface, member:
            case "org.ofono.Manager", "GetModems":
                self.answer(call, [(dbus.ObjectPath(at), variants(has["org.ofono.Modem"]))
                                   for at, has in self.objects.items()])
            case _, "GetProperties":
                self.answer(call, variants(told))
            case "org.ofono.MessageManager", "GetMessages":
                self.answer(call, dbus.Array(
                    [(message_path(at, uuid), variants({"State": "pending"}))
                     for uuid, at in self.kept.items() if at == path], "(oa{sv})"))
            case "org.ofono.MessageManager", "SetProperty":
                print("reports", int(call.get_args_list()[1]), flush=True)
                self.answer(call)
            case "org.ofono.Modem", "SetProperty":
                name, value = call.get_args_list()
                self.set(path, interface, str(name), bool(value))
                self.answer(call)
            case "org.ofono.MessageManager", "SendMessage":
                self.send(call, path)
            case _, "GetAll":
                self.answer(call, 1, *told.values())
            case _, _ if interface == MANAGER:
                self.answer(call, FORKS[member])
            case _, _ if interface == SIM_INFO:
                self.answer(call, told.get(member.removeprefix("Get"), 1))
            case _:
                self.refuse(call, "org.ofono.Error.NotImplemented")

    def send(self, call: dbus.lowlevel.Message, path: str) -> None:
        if not call.get_args_list()[0]:
            self.refuse(call, "org.ofono.Error.InvalidFormat")
            return
        uuid = next(UUIDS)
        self.answer(call, message_path(path, uuid))
        self.kept[uuid] = path
        if not self.keeps:
            self.finish(uuid, "sent")
            print("sent", uuid, flush=True)

    def finish(self, uuid: str, state: str) -> None:
        self.emit(message_path(self.kept.pop(uuid), uuid), "Message", "PropertyChanged",
                  "sv", "State", state)

    def open(self, path: str, new_path: str) -> None:
        """Puts the modem back with the messages that it had."""
        self.objects[new_path] = self.closed.pop(path)
        self.kept = {uuid: new_path if at == path else at for uuid, at in self.kept.items()}
        self.signal("/", "Manager", "ModemAdded", dbus.ObjectPath(new_path),
                    variants(self.objects[new_path]["org.ofono.Modem"]))

    # ---- commands

    def set(self, path: str, interface: str, name: str, value: Any) -> None:
        value = names(*value) if name == "Interfaces" else value
        value = dbus.UInt32(value) if type(value) is int else value
        self.objects[path].setdefault(full(interface), {})[name] = value
        self.signal(path, interface, "PropertyChanged", name, value)

    def do(self, order: dict[str, Any]) -> None:
        """"put": [[PATH, INTERFACE, PROPERTIES], ...] changes without a signal, then
        "set": [[PATH, INTERFACE, PROPERTY, VALUE], ...] with one; "signal": [[PATH,
        INTERFACE, MEMBER, ...], ...]; "emit" the same with a signature of one's own
        before the arguments; "fork": {GETTER: VALUE};
        "silent": [MEMBER, ...]; "errors": {MEMBER: ERROR}; "calls": MEMBER prints how
        often it was called; "close": [PATH, ...] takes modems away, and "open": [[PATH, NEW
        PATH], ...] puts them back; "keeps": true leaves messages pending, until "finish":
        [STATE, ...] ends the oldest ones.
        """
        for path, interface, values in order.get("put", []):
            self.objects[path][full(interface)] = values
        for path, interface, name, value in order.get("set", []):
            self.set(path, interface, name, value)
        for path in order.get("close", []):
            self.closed[path] = self.objects.pop(path)
            self.signal("/", "Manager", "ModemRemoved", dbus.ObjectPath(path))
        for path, new_path in order.get("open", []):
            self.open(path, new_path)
        self.keeps = order.get("keeps", self.keeps)
        for state in order.get("finish", []):
            self.finish(next(iter(self.kept)), state)
        FORKS.update(order.get("fork", {}))
        self.silent |= set(order.get("silent", []))
        self.errors |= order.get("errors", {})
        for arguments in order.get("signal", []):
            self.signal(*arguments)
        for arguments in order.get("emit", []):
            self.emit(*arguments)
        if "calls" in order:
            print(self.called.count(order["calls"]), flush=True)
        print("done", flush=True)

    def command(self, line: str) -> None:
        if line.startswith("{"):
            self.do(json.loads(line))
            return
        _, uuid, interface, kind, delivered = line.split()
        self.emit(MODEM, interface, "StatusReport", f"{kind}a{{sv}}",
                  f"{MODEM}/message_{uuid}",
                  variants({"Delivered": dbus.Boolean(int(delivered))}))


def main(address: str, shape: str = "plain", words: str = "") -> None:
    loop = GLib.MainLoop()
    stub = Stub(address, shape, words)

    torn = bytearray()

    def on_lines(*_: Any) -> bool:
        """Reads everything: data left in a buffered file would not wake the watch again."""
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
