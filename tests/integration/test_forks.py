# SPDX-License-Identifier: GPL-2.0-or-later
"""Features that only oFono's forks for phones with two SIMs have, and modems with several card
slots, with a fake oFono (stub_ofono.py) that is compared with the introspection of the real
ones."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import dbus
import pytest

from agent import TO, Agent, assert_refused, assert_sent
from lab import Lab, wait_until
from lab.radio import connection
from owner import Owner
from reading import describe
from stub_ofono import MANAGER, METHODS, SIGNALS, SIM_INFO
from test_delivery_reports import Phone

# Of the forks, version 8 of the first and 1 of the second: methods with arguments and answer,
# then signals.
REFERENCE: dict[str, dict[str, str]] = {
    MANAGER: {
        "GetInterfaceVersion": " i", "GetAvailableModems": " ao", "GetEnabledModems": " ao",
        "GetPresentSims": " ab", "GetIMEI": " as", "GetDefaultVoiceSim": " s",
        "GetDefaultDataSim": " s", "GetMmsSim": " s", "GetDefaultVoiceModem": " s",
        "GetDefaultDataModem": " s", "GetMmsModem": " s", "GetReady": " b",
        "EnabledModemsChanged": "ao", "PresentSimsChanged": "ib",
        "DefaultVoiceSimChanged": "s", "DefaultDataSimChanged": "s",
        "DefaultVoiceModemChanged": "s", "DefaultDataModemChanged": "s",
        "MmsSimChanged": "s", "MmsModemChanged": "s", "ReadyChanged": "b"},
    SIM_INFO: {
        "GetInterfaceVersion": " i", "GetAll": " isss", "GetCardIdentifier": " s",
        "GetSubscriberIdentity": " s", "GetServiceProviderName": " s",
        "CardIdentifierChanged": "s", "SubscriberIdentityChanged": "s",
        "ServiceProviderNameChanged": "s"},
}
ON = "[sim]\nphone_default = yes\n"


def introspect(address: str, path: str) -> dict[str, dict[str, str]]:
    """The members of each interface, as in REFERENCE."""
    with connection(address) as bus:
        text = bus.call_blocking("org.ofono", path, "org.freedesktop.DBus.Introspectable",
                                 "Introspect", "", ())

    def signature(member: ElementTree.Element) -> str:
        if member.tag == "signal":
            return "".join(arg.get("type") for arg in member.iter("arg"))
        return " ".join("".join(arg.get("type") for arg in member.iter("arg")
                                if arg.get("direction", "in") == way) for way in ("in", "out"))
    return {interface.get("name"): {
        member.get("name"): signature(member) for member in interface
        if member.tag in ("method", "signal")}
        for interface in ElementTree.fromstring(text).iter("interface")}


@pytest.fixture
def make_phone() -> Iterator[Callable[..., Phone]]:
    with ExitStack() as phones:
        def make(config: str = "", shape: str = "forks", **first: Any) -> Phone:
            """`first` runs before the gateway starts."""
            folder = phones.enter_context(tempfile.TemporaryDirectory(prefix="ofono-lab-"))
            phone = Phone(Path(folder), shape)
            phone.gateway.config = "[sms]\nduplicate_seconds = 0\n" + config
            phones.callback(phone.stop)
            phone.start(**first)
            return phone
        yield make


MakePhone = Callable[..., Phone]


def status(phone: Phone) -> dict[str, Any]:
    return phone.agent.call("get_gateway_status", detail=True).structured


def defaults(phone: Phone) -> list[bool]:
    return [sim["default"] for sim in phone.agent.sims()]


def wait_sims(phone: Phone, **facts: list[Any]) -> None:
    """Waits for these values of the member, for each SIM in order."""
    def is_so() -> bool:
        sims = phone.agent.sims()
        return all([sim[name] for sim in sims] == those for name, those in facts.items())
    wait_until(is_so, what=f"the SIMs are {facts}")


# ---- the stub tells the truth -----------------------------------------------------

def test_the_stub_has_the_interfaces_of_the_forks(make_phone: MakePhone) -> None:
    address = make_phone().bus.address
    told = introspect(address, "/") | introspect(address, "/ril_0")
    assert {name: told[name] for name in REFERENCE} == REFERENCE


def test_the_stub_has_the_interfaces_of_ofonod(make_phone: MakePhone, lab: Lab) -> None:
    address = make_phone().bus.address
    stub = introspect(address, "/") | introspect(address, "/ril_0")
    real = introspect(lab.bus.address, "/") | introspect(lab.bus.address, "/sim0")
    upstream = [name for name in METHODS if name not in REFERENCE]
    assert len(upstream) >= 5 and METHODS.keys() == SIGNALS.keys()
    for name in upstream:
        assert stub[name].items() <= real[name].items()


def test_the_stub_has_the_errors_of_ofonod(make_phone: MakePhone, lab: Lab) -> None:
    """No such object, interface or member, or wrong arguments."""
    calls = [("/nobody", "org.ofono.Modem", "GetProperties", ""),
             ("/", "org.ofono.MessageManager", "GetProperties", ""),
             ("/", "org.ofono.Manager", "GetNothing", ""),
             ("/", "org.ofono.Manager", "GetModems", "s"),
             ("/", SIM_INFO, "GetAll", "")]

    def errors(address: str) -> list[str]:
        return [error_of(address, *call) for call in calls]
    assert errors(make_phone().bus.address) == errors(lab.bus.address)


def error_of(address: str, path: str, interface: str, member: str, signature: str) -> str:
    with connection(address) as bus, pytest.raises(dbus.DBusException) as raised:
        bus.call_blocking("org.ofono", path, interface, member, signature,
                          ["x"] * len(signature))
    return raised.value.get_dbus_name()


# ---- the phone's default SIM ------------------------------------------------------

def test_the_status_follows_the_default_sim_of_ofono(make_phone: MakePhone) -> None:
    phone = make_phone()
    wait_sims(phone, default=[False, True])
    said = Owner(phone.gateway.state).do("status").splitlines()
    assert [", default for sending" in line for line in said if line.startswith("SIM ")] \
        == [False, True]
    phone.ofono.do(signal=[["/", MANAGER, "DefaultVoiceModemChanged", "/ril_0"]])
    wait_sims(phone, default=[True, False])
    phone.ofono.do(signal=[["/", MANAGER, "DefaultVoiceModemChanged", ""]])
    wait_sims(phone, default=[False, False])
    assert phone.ofono.do(calls="GetDefaultVoiceModem") == ["1"]
    assert phone.ofono.do(calls="GetReady") == ["1"]


def test_the_default_sim_sends_calls_that_name_no_sim(make_phone: MakePhone) -> None:
    phone = make_phone(ON)
    wait_sims(phone, default=[False, True])
    first, second = phone.agent.ids()
    sent = phone.agent.send("by default")
    assert_sent(sent)
    assert sent.structured["subscription_id"] == second
    assert phone.agent.send("by name", first).structured["subscription_id"] == first
    phone.ofono.do(set=[["/ril_1", "NetworkRegistration", "Status", "searching"]])
    wait_sims(phone, state=["ready", "searching"])
    assert phone.agent.send("the only one").structured["subscription_id"] == first
    phone.ofono.do(set=[["/ril_1", "NetworkRegistration", "Status", "registered"]])
    phone.ofono.do(signal=[["/", MANAGER, "DefaultVoiceModemChanged", ""]])
    wait_sims(phone, state=["ready", "ready"], default=[False, False])
    assert_refused(phone.agent.send("which one"), "subscription_required")


def test_upstream_ofono_has_no_default_sim(make_phone: MakePhone) -> None:
    phone = make_phone(ON, shape="plain")
    assert defaults(phone) == [False] and status(phone)["modems_complete"]
    assert_sent(phone.agent.send("as ever"))
    assert "warning" not in phone.gateway.log and "nemomobile" not in phone.gateway.log


# ---- are all modems known ---------------------------------------------------------

def test_the_status_waits_until_ofono_lists_all_modems(make_phone: MakePhone) -> None:
    phone = make_phone(fork={"GetReady": False})
    wait_until(lambda: not status(phone)["modems_complete"], what="oFono is not ready")
    phone.ofono.do(set=[[f"/ril_{i}", "NetworkRegistration", "Status", "searching"]
                        for i in range(2)])
    wait_sims(phone, state=["searching", "searching"])
    told = status(phone)
    assert "oFono does not know all modems yet" in told["why_not"]
    phone.ofono.do(signal=[["/", MANAGER, "ReadyChanged", True]])
    told = phone.agent.call("get_gateway_status", detail=True, after=told["cursor"],
                            wait_seconds=60).structured
    assert told["modems_complete"] and "all modems" not in told["why_not"]


# ---- the card of a modem that is off ----------------------------------------------

def switch_off(phone: Phone, path: str) -> None:
    phone.ofono.do(set=[[path, "Modem", "Powered", False],
                        [path, "Modem", "Interfaces", [SIM_INFO]]])


def test_a_modem_that_is_off_keeps_its_subscription_id(make_phone: MakePhone) -> None:
    phone = make_phone()
    wait_sims(phone, state=["ready", "ready"])
    first, second = phone.agent.ids()
    switch_off(phone, "/ril_0")
    wait_sims(phone, state=["modem_off", "ready"], subscription_id=[first, second])
    assert phone.agent.sims()[0]["display_name"] == "Provider 0"
    refusal = phone.agent.send("off", first)
    assert_refused(refusal, "modem_off")
    assert "it is in a modem that is off" in refusal.text
    assert_sent(phone.agent.send("the only one that can"))
    modem = status(phone)["modems"][0]
    assert (modem["sim"], modem["subscription_id"]) == ("remembered", first)
    assert modem["why_not"] == "it is switched off"
    phone.gateway.restart()
    wait_sims(phone, state=["modem_off", "ready"], subscription_id=[first, second])
    phone.ofono.do(set=[["/ril_0", "Modem", "Powered", True],
                        ["/ril_0", "Modem", "Interfaces",
                         ["SimManager", "MessageManager", "NetworkRegistration", SIM_INFO]]])
    wait_sims(phone, state=["ready", "ready"], subscription_id=[first, second])


# ---- several card slots -----------------------------------------------------------

def test_switching_the_slot_changes_the_subscription_id(make_phone: MakePhone) -> None:
    phone = make_phone(put=[["/ril_0", "SimManager", {
        "Present": True, "CardIdentifier": "8936300000000000077", "PinRequired": "none"}]],
        set=[["/ril_0", "SimManager", "CardSlotCount", 2],
             ["/ril_0", "SimManager", "ActiveCardSlot", 1]])
    wait_sims(phone, state=["ready", "ready"], sim_slot_index=[0, 2])
    first, second = phone.agent.ids()
    cursor = status(phone)["cursor"]
    assert [status(phone)["modems"][0][name] for name in ("card_slots", "active_slot")] == [2, 1]
    phone.ofono.do(put=[["/ril_0", "SimManager", {
        "Present": True, "CardIdentifier": "8936300000000000078", "PinRequired": "none"}]],
        set=[["/ril_0", "SimManager", "CardSlotCount", 2],
             ["/ril_0", "SimManager", "ActiveCardSlot", 2]])
    wait_sims(phone, state=["ready", "ready"], sim_slot_index=[1, 2])
    third, other = phone.agent.ids()
    assert other == second and third not in (first, second)
    told = phone.agent.call("get_gateway_status", detail=True, after=cursor, wait_seconds=60).structured
    assert told["modems"][0]["active_slot"] == 2
    assert_refused(phone.agent.send("to the other slot", first), "sim_absent")
    assert phone.agent.send("from this one", third).structured["subscription_id"] == third


# ---- modems on USB ----------------------------------------------------------------

def test_a_message_survives_its_modem_changing_paths(make_phone: MakePhone) -> None:
    """It is the same SIM under another path, and oFono still has the message."""
    phone = make_phone("send_wait_seconds = 0\n")
    wait_sims(phone, state=["ready", "ready"])
    first, second = phone.agent.ids()
    phone.ofono.do(keeps=True)
    handed = phone.agent.send("in its queue", first)
    phone.agent.wait_state(handed.message_id, "submitted")
    behind = phone.agent.send("behind it", first)
    phone.ofono.do(close=["/ril_0"], keeps=False)
    phone.agent.wait_state(handed.message_id, "held")
    wait_sims(phone, subscription_id=[second], sim_slot_index=[0])
    assert_refused(phone.agent.send("to nowhere", first), "sim_absent")
    assert_sent(phone.agent.send("to the other", second, wait_for="sent", wait_seconds=20))
    phone.ofono.do(open=[["/ril_0", "/usb_7"]])
    wait_sims(phone, subscription_id=[second, first], sim_slot_index=[0, 1])
    phone.agent.wait_state(handed.message_id, "submitted")
    assert phone.agent.state(behind.message_id) == "queued"
    phone.ofono.do(finish=["sent"])
    phone.agent.wait_state(behind.message_id, "sent")
    assert phone.agent.history(handed.message_id)[-3:] == ["held", "submitted", "sent"]
    assert phone.ofono.do(calls="SendMessage")[-1] == "3"


def test_a_flapping_modem_does_not_disturb_the_other(make_phone: MakePhone) -> None:
    """One has a loose plug; the other one sends all the time."""
    phone = make_phone()
    wait_sims(phone, state=["ready", "ready"])
    first, second = phone.agent.ids()
    for number in range(20):
        phone.ofono.do(close=["/ril_0"])
        phone.ofono.do(open=[["/ril_0", "/ril_0"]])
        assert_sent(phone.agent.send(f"number {number}", second))
    wait_sims(phone, state=["ready", "ready"], subscription_id=[first, second])
    assert_sent(phone.agent.send("at rest", first))


# ---- faults -----------------------------------------------------------------------

FAULTS: dict[str, dict[str, Any]] = {
    "no answer": {"silent": ["GetDefaultVoiceModem", "GetReady", "GetAll"]},
    "refused": {"errors": {member: "org.ofono.Error.AccessDenied"
                           for member in ("GetDefaultVoiceModem", "GetReady", "GetAll")}},
    "not ready": {"errors": {member: "org.ofono.Error.NotAvailable"
                             for member in ("GetDefaultVoiceModem", "GetReady", "GetAll")}},
    "a path of nobody": {"fork": {"GetDefaultVoiceModem": "/ril_9"}},
    "no path": {"fork": {"GetDefaultVoiceModem": "\u00e9 " * 300}},
}


@pytest.mark.parametrize("fault", FAULTS)
def test_sending_works_when_fork_properties_are_missing(make_phone: MakePhone, fault: str) -> None:
    phone = make_phone(ON, **FAULTS[fault])
    wait_sims(phone, state=["ready", "ready"], default=[False, False])
    assert status(phone)["modems_complete"]
    for sim in phone.agent.ids():
        assert_sent(phone.agent.send("all the same", sim))
    phone.ofono.do(signal=[["/", MANAGER, "DefaultVoiceModemChanged", "/ril_0"]])
    wait_sims(phone, default=[True, False])


DENIED = "org.ofono.Error.AccessDenied"


def test_an_ofono_access_refusal_is_not_retried(make_phone: MakePhone) -> None:
    """Sailfish OS refuses by itself; the bus's policy does not show it."""
    phone = make_phone(errors={"SendMessage": DENIED})
    wait_sims(phone, state=["ready", "ready"])
    refusal = phone.agent.send("not allowed", phone.agent.ids()[0])
    assert_refused(refusal, "ofono_access_denied")
    assert refusal.facts["retryable"] is False
    assert "retry_after_seconds" not in refusal.facts
    for words in ("group sailfish-radio", "/etc/ofono/dbusaccess.conf"):
        assert words in refusal.text
    message = phone.agent.call("get_sms_status", history=True, message_id=refusal.message_id).structured
    assert (message["state"], message["reason"]) == ("failed", "ofono_access_denied")
    assert phone.ofono.do(calls="SendMessage")[-1] == "1"       # not tried again


def test_a_bus_refusal_is_reported_as_ofono_unavailable(make_phone: MakePhone) -> None:
    phone = make_phone(errors={"SendMessage": "org.freedesktop.DBus.Error.AccessDenied"})
    wait_sims(phone, state=["ready", "ready"])
    refusal = phone.agent.send("not allowed", phone.agent.ids()[0])
    assert_refused(refusal, "ofono_unavailable")
    assert "sailfish-radio" not in refusal.text


@pytest.mark.parametrize("shape", ["forks", "plain"])
def test_only_upstream_is_said_to_send_no_emoji(make_phone: MakePhone, shape: str) -> None:
    """Whether it can is known before anything is sent, and then described and judged alike."""
    phone = make_phone(shape=shape)
    can = shape == "forks"
    wait_until(lambda: ("emoji" in describe(phone, "send_sms", "sms_text")) is not can,
               what="the description is right")
    sim = phone.agent.ids()[0]
    assert phone.agent.send("\U0001f600", sim, dry_run=True).facts["would_send"] is can
    assert (phone.agent.send("\U0001f600", sim, wait_for="none").code == "") is can
    wait_until(lambda: phone.ofono.do(calls="SendMessage")[-1:] == [str(int(can))],
               what="what can be sent is sent")


# ---- what comes in ----------------------------------------------------------------

@pytest.mark.parametrize("shape,path,text", [
    ("forks", "/ril_0", r"\u{F600} and \u{F44D}"),         # as private use is shown
    ("plain", "/stub", "\U0001f600 and \U0001f44d")])
def test_only_text_damaged_by_upstream_is_repaired(
        make_phone: MakePhone, shape: str, path: str, text: str) -> None:
    """Also when it arrives before the gateway knows which oFono it is."""
    phone = make_phone(shape=shape)
    phone.gateway.kill()
    phone.gateway.start()
    phone.ofono.do(emit=[[path, "MessageManager", "IncomingMessage", "sa{sv}",
                          "\uf600 and \uf44d", {"Sender": "+36201112233"}]])
    wait_until(lambda: phone.agent.call("list_sms").structured["messages"], what="it is there")
    [message] = phone.agent.call("list_sms").structured["messages"]
    assert message["text"] == text
    assert ("repaired" in message["flags"]) == (shape == "plain")


def test_a_message_is_stored_before_its_card_is_known(make_phone: MakePhone) -> None:
    """If oFono does not say which card received it, the message waits only briefly for that."""
    phone = make_phone(silent=["GetProperties"])
    phone.ofono.do(emit=[
        ["/ril_0", "MessageManager", "IncomingMessage", "sa{sv}", "a code", {"Sender": "Bank"}],
        ["/ril_0", "VoiceCallManager", "CallAdded", "oa{sv}", "/ril_0/voicecall01",
         {"State": "incoming", "LineIdentification": "+36201112233"}]])
    wait_until(lambda: phone.agent.call("list_sms").structured["messages"],
               what="it is there, long before GetProperties is given up")
    [message] = phone.agent.call("list_sms").structured["messages"]
    assert (message["from"], message["text"]) == ("Bank", "a code")
    wait_until(lambda: "calls: call 1 from" in phone.gateway.log, what="the call is stored")


def test_messages_without_a_phone_number_can_be_listed(make_phone: MakePhone) -> None:
    """They form a conversation; if there is none, the argument must mean something else."""
    phone = make_phone()
    refused = phone.agent.call("list_sms", phone_number="")
    assert refused.facts["code"] == "invalid_arguments" and "leave it out" in refused.text
    phone.ofono.do(emit=[
        ["/ril_0", "MessageManager", "IncomingMessage", "sa{sv}", "from nobody", {}],
        ["/ril_0", "MessageManager", "IncomingMessage", "sa{sv}", "a code", {"Sender": "Bank"}]])
    wait_until(lambda: phone.agent.call("list_sms").structured["count"] == 2, what="both came")
    rows = phone.agent.call("list_sms_conversations").structured["conversations"]
    assert [row["phone_number"] for row in rows] == ["Bank", ""]
    listed = phone.agent.call("list_sms", phone_number="").structured["messages"]
    assert [message["text"] for message in listed] == ["from nobody"]


def test_a_state_signal_without_a_message_is_ignored(make_phone: MakePhone) -> None:
    """A message that oFono does not have yet has no path: the signal of an empty path is not
    its own."""
    phone = make_phone("send_wait_seconds = 0\n")
    wait_sims(phone, state=["ready", "ready"])
    first, second = phone.agent.ids()
    phone.ofono.do(keeps=True)
    phone.agent.wait_state(phone.agent.send("in its way", first).message_id, "submitted")
    waiting = phone.agent.send("behind it", first).message_id
    nameless = "/ril_0/message_"
    phone.ofono.do(emit=[
        [nameless, "Message", "PropertyChanged", "sv", "State", "sent"],
        ["/ril_0", "SmsHistory", "StatusReport", "sa{sv}", nameless, {"Delivered": True}]],
        finish=["sent"])
    phone.agent.wait_state(waiting, "submitted")
    assert phone.agent.history(waiting) == ["queued", "submitting", "submitted"]


def test_repeated_invalid_signals_do_not_fill_the_log(make_phone: MakePhone) -> None:
    """They neither fill the log nor hide valid ones."""
    phone = make_phone()
    wait_sims(phone, state=["ready", "ready"])
    many = 500
    message = f"/ril_0/message_{1:040X}"
    nonsense = [["/ril_0", "MessageManager", "IncomingMessage", "i", 7],
                ["/ril_9", "VoiceCallManager", "CallRemoved", "o", "/ril_9/voicecall01"],
                [message, "Message", "PropertyChanged", "sv", "State", "teleported"],
                ["/ril_0", "SmsHistory", "StatusReport", "i", 7],
                ["/ril_0", "CellBroadcast", "IncomingBroadcast", "i", 7]]
    for _ in range(many):
        phone.ofono.do(emit=nonsense)
    phone.ofono.do(emit=[["/", "Manager", "ModemAdded", "oa{sv}", f"/odd_{number}", {}]
                         for number in range(many)])
    phone.ofono.do(emit=[["/ril_0", "MessageManager", "IncomingMessage", "sa{sv}", "sense",
                          {"Sender": "+36201112233"}]])
    wait_until(lambda: phone.agent.call("list_sms").structured["messages"], what="it is there")
    log = phone.gateway.log
    for words in ("unknown format is lost", "no modem: dropped", "unknown state",
                  "a delivery report in an unknown format", "a broadcast in an unknown format",
                  "ignored, more than 32 modems"):
        assert 1 <= log.count(words) < many / 2, words


def test_unknown_states_are_ignored(make_phone: MakePhone) -> None:
    """They are ignored, and later states count."""
    phone = make_phone("send_wait_seconds = 0\n")
    wait_sims(phone, state=["ready", "ready"])
    first, _ = phone.agent.ids()
    phone.ofono.do(keeps=True)
    message_id = phone.agent.send("to and fro", first).message_id
    phone.agent.wait_state(message_id, "submitted")
    at = f"/ril_0/message_{1:040X}"
    nobody = f"/ril_0/message_{99:040X}"
    phone.ofono.do(emit=[
        [at, "Message", "PropertyChanged", "sv", "State", "teleported"],
        [at, "Message", "PropertyChanged", "sv", "State", True],
        [at, "Message", "PropertyChanged", "sv", "Weight", "sent"],
        [nobody, "Message", "PropertyChanged", "sv", "State", "sent"],
        ["/ril_0", "Message", "PropertyChanged", "sv", "State", "sent"],
        ["/ril_0", "NetworkRegistration", "PropertyChanged", "sv", "Strength", "strong"],
        ["/ril_0", "SimManager", "PropertyChanged", "sv", "Present", "no"],
        ["/ril_0", "SimManager", "PropertyChanged", "sv", "Retries", 3]],
        set=[["/ril_1", "NetworkRegistration", "Status", "teleported"]])
    wait_sims(phone, state=["ready", "searching"])
    assert status(phone)["modems"][1]["registration"] == "unknown"
    assert phone.agent.state(message_id) == "submitted"
    phone.ofono.do(finish=["sent"])
    phone.agent.wait_state(message_id, "sent")


@pytest.mark.parametrize("end", ["interface", "modem"])
def test_a_message_is_unknown_when_its_modem_disappears(make_phone: MakePhone, end: str) -> None:
    """A SendMessage is never answered, then its modem or its interface disappears."""
    phone = make_phone("send_wait_seconds = 1\n")
    wait_sims(phone, state=["ready", "ready"])
    first, second = phone.agent.ids()
    phone.ofono.do(silent=["SendMessage"])
    pending = phone.agent.send("never answered", first)
    assert pending.structured["state"] == "submitting"
    if end == "modem":
        phone.ofono.do(close=["/ril_0"])
        wait_sims(phone, subscription_id=[second])
    else:
        switch_off(phone, "/ril_0")
        wait_sims(phone, state=["modem_off", "ready"])
    assert Agent(phone).state(pending.message_id) in ("submitting", "unknown")
    assert phone.agent.send("another", second).structured["state"] == "submitting"
    phone.ofono.stop()
    for message_id in (pending.message_id, pending.message_id + 1):
        phone.agent.wait_state(message_id, "unknown")
    assert_refused(phone.agent.send("to nobody", to=TO), "ofono_unavailable")
