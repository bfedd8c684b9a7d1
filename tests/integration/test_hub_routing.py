# SPDX-License-Identifier: GPL-2.0-or-later
"""How the owner of a hub routes messages to SIMs: two real phones behind one hub."""

from __future__ import annotations

import json
import sqlite3
import subprocess
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest

from agent import TO
from conftest import new_lab
from lab import wait_until
from lab.fleet import HUB, Fleet
from mcp_events import EventClient, data
from modem.patience import patience
from modem.sim import Sim
from modern import Request
from owner import Owner
from terminal import on_terminal

UNKNOWN = 8                     # a message's state, as stored


@contextmanager
def two_phones(folder: Path) -> Iterator[Fleet]:
    with new_lab(sims=[Sim.numbered(1)], gateway_open=False) as one, \
            new_lab(sims=[Sim.numbered(2)], gateway_open=False) as two:
        with Fleet(folder, {"shop-1": one, "shop-2": two}).running() as fleet:
            yield fleet


@pytest.fixture(scope="module")
def fleet(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Fleet]:
    with two_phones(tmp_path_factory.mktemp("fleet")) as fleet:
        yield fleet


def sim_of(fleet: Fleet, phone: str) -> int:
    row = next(row for row in fleet.run("phones") if row.get("name") == phone)
    sim: int = row["subscription_ids"][0]
    return sim


def senders(fleet: Fleet, text: str) -> list[str]:
    """The phones that sent this text, once for each time."""
    return [phone.name for phone in fleet.phones.values()
            for taken in phone.lab.modems[0].taken if taken.text == text]


def send(fleet: Fleet, text: str, **more: Any) -> dict[str, Any]:
    return fleet.call("send_sms", to_phone_number=TO, sms_text=text, **more)


def refused(fleet: Fleet, *command: str) -> tuple[int, str]:
    done = subprocess.run([HUB, command[0], "--state-dir", fleet.hub.state, *command[1:]],
                          capture_output=True, text=True, timeout=30, stdin=subprocess.DEVNULL)
    return done.returncode, done.stderr


def offers_pool(fleet: Fleet) -> bool:
    tools = Request("tools/list").ask(fleet.hub.port).result["tools"]
    properties = next(tool for tool in tools if tool["name"] == "send_sms")["inputSchema"]
    return "pool" in properties["properties"]


def json_lines(owner: Owner, command: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in owner.do(command, "--json").splitlines()]


def failures(fleet: Fleet, sim: int) -> int:
    """How often this SIM failed in a row."""
    with closing(sqlite3.connect(fleet.hub.state / "gateway.db")) as database:
        rows = database.execute("SELECT failures FROM sim_service WHERE id = ?", (sim,)).fetchall()
    return rows[0][0] if rows else 0


def audited(fleet: Fleet, event: str) -> list[dict[str, Any]]:
    return [line["detail"] for line in fleet.run("audit", "--last", "50")
            if line.get("event") == event]


def test_a_pool_sends_from_its_sims(fleet: Fleet) -> None:
    second = sim_of(fleet, "shop-2")
    assert not offers_pool(fleet)
    told = fleet.run("pools", "set", "alerts", "--sims", str(second), "--country", "off")[-1]
    assert told == {"name": "alerts", "subscription_ids": [second], "sticky": "prefer",
                    "country": "off", "failover": True}
    assert fleet.run("pools") == [told, {"pools": 1}]
    assert offers_pool(fleet)
    for text in ("pool 1", "pool 2"):
        sent = send(fleet, text, pool="alerts")
        assert sent["subscription_id"] == second and sent["route"], sent
        assert senders(fleet, text) == ["shop-2"]
    changed = fleet.run("pools", "set", "alerts", "--sticky", "require", "--failover", "no")[-1]
    assert changed == told | {"sticky": "require", "failover": False}
    line = audited(fleet, "pool_changed")[0]
    assert (line["pool"], line["sims"], line["country"]) == ("alerts", str(second), "off")
    assert fleet.run("pools", "remove", "alerts") == [{"removed": "alerts"}]
    assert audited(fleet, "pool_removed")[0]["pool"] == "alerts"
    assert not offers_pool(fleet)
    assert send(fleet, "no pool", pool="alerts")["code"] == "invalid_arguments"


@pytest.mark.parametrize("command", [
    ("set", "alerts"), ("set", "1st", "--sims", "1"), ("set", "a", "--sims", ","),
    ("set", "a", "--sims", "1", "--sticky", "never"), ("set",), ("list", "a"),
    ("remove", "a", "--sims", "1"), ("add", "a")])
def test_a_wrong_pool_is_a_wrong_option(fleet: Fleet, command: tuple[str, ...]) -> None:
    assert refused(fleet, "pools", *command)[0] == 2
    assert fleet.run("pools") == [{"pools": 0}]


def test_a_pool_of_unknown_sims_is_not_added(fleet: Fleet) -> None:
    code, why = refused(fleet, "pools", "set", "alerts", "--sims", "1,99")
    assert code == 1 and '"99"' in why
    assert refused(fleet, "pools", "remove", "alerts")[0] == 1


def test_a_drained_phone_gets_nothing_new_until_that_is_undone(fleet: Fleet) -> None:
    first = sim_of(fleet, "shop-1")
    assert fleet.run("drain", "shop-1") == [{"subscription_ids": [first], "drained": True}]
    for number in range(4):
        assert "message_id" in send(fleet, f"drained {number}")
        assert senders(fleet, f"drained {number}") == ["shop-2"]
    assert "message_id" in send(fleet, "named", subscription_id=first)
    assert senders(fleet, "named") == ["shop-1"]
    line = audited(fleet, "sim_drained")[0]
    assert (line["subscription_id"], line["phone"]) == (first, "shop-1")
    fleet.run("drain", str(sim_of(fleet, "shop-2")))
    refusal = send(fleet, "nowhere")
    assert refusal["code"] == "sim_absent" and "2 drained by the owner" in refusal["message"]
    for target in (str(first), "shop-2"):
        assert fleet.run("drain", "--undo", target)[-1]["drained"] is False
    assert len(audited(fleet, "sim_undrained")) == 2
    assert "message_id" in send(fleet, "undone")
    assert refused(fleet, "drain", "99")[0] == refused(fleet, "drain", "shop-3")[0] == 1


def test_a_phone_that_is_absent_since_the_start_has_its_sims(fleet: Fleet) -> None:
    first, second = sim_of(fleet, "shop-1"), sim_of(fleet, "shop-2")
    phone = fleet.phones["shop-1"]
    phone.lab.gateway.kill()
    waiting = send(fleet, "for the absent", subscription_id=first, wait_for="none")["message_id"]
    phone.process.kill()
    fleet.hub.restart()
    wait_until(lambda: len(fleet.sims()) == 1, what="the hub shows the SIM of the other phone")
    assert [sim_of(fleet, name) for name in ("shop-1", "shop-2")] == [first, second]
    told = {"subscription_ids": [first], "drained": True}
    assert fleet.run("drain", "shop-1") == [told]
    line = audited(fleet, "sim_drained")[0]
    assert (line["subscription_id"], line["phone"]) == (first, "shop-1")
    assert fleet.run("drain", "--undo", "shop-1") == [told | {"drained": False}]
    assert fleet.call("get_sms_status", message_id=waiting)["state"] in ("queued", "held")
    assert senders(fleet, "for the absent") == []
    phone.lab.gateway.start()
    phone.start()
    wait_until(lambda: senders(fleet, "for the absent") == ["shop-1"], what="it is sent")
    wait_until(lambda: len(fleet.sims()) == 2, what="both SIMs are ready")
    assert sim_of(fleet, "shop-1") == first


def test_sims_lists_the_choice_first_and_says_why_others_are_refused(fleet: Fleet) -> None:
    first, second = sim_of(fleet, "shop-1"), sim_of(fleet, "shop-2")
    fleet.run("pools", "set", "front", "--sims", str(first))
    *rows, result = fleet.run("sims", "--to", TO, "--pool", "front")
    assert [(row["subscription_id"], row["phone"], row["state"], row.get("refused"))
            for row in rows] == [(first, "shop-1", "ready", None),
                                 (second, "shop-2", "ready", "not in the pool")]
    assert (result["subscription_id"], result["sims"]) == (first, 2) and result["route"]
    send(fleet, "explained", subscription_id=second)
    *rows, result = fleet.run("sims", "--to", TO)
    assert rows[0]["subscription_id"] == result["subscription_id"] == second
    fleet.run("pair", "--sim", str(first), "narrow")
    rows = fleet.run("sims", "--client", "narrow")
    assert rows[1]["refused"] == "not allowed to this client"
    for wrong in (("--pool", "none"), ("--client", "none")):
        assert refused(fleet, "sims", *wrong)[0] == 1
    assert refused(fleet, "sims", "--to", "Anna")[0] == 2
    fleet.run("pools", "remove", "front")


@pytest.mark.parametrize("decision, state", [("approve", "sent"), ("reject", "failed")])
def test_the_owner_of_a_phone_decides_on_what_the_hub_sends(fleet: Fleet, decision: str,
                                                            state: str) -> None:
    """A rejection is final: no other SIM of the pool takes the message, and no SIM has failed."""
    first, second = sim_of(fleet, "shop-1"), sim_of(fleet, "shop-2")
    owner = Owner(fleet.phones["shop-1"].lab.gateway.state)
    owner.do("change", "--ask", "always", "hub")
    fleet.run("pools", "set", "all", "--sims", f"{first},{second}")
    fleet.run("drain", "shop-2")
    text = f"to {decision}"
    sent = send(fleet, text, pool="all", wait_for="none")
    *_, waiting = wait_until(lambda: [row for row in json_lines(owner, "approvals")
                                      if row.get("text") == text], what="it waits on the phone")
    fleet.run("drain", "--undo", "shop-2")
    assert not senders(fleet, text)
    owner.do(decision, waiting["message_id"])
    told = wait_until(lambda: (facts := fleet.call("get_sms_status", message_id=sent["message_id"]))
                      ["state"] in ("sent", "failed") and facts, what="it is decided")
    assert (told["state"], told.get("reason")) == (
        state, "approval_rejected" if decision == "reject" else None)
    assert senders(fleet, text) == (["shop-1"] if decision == "approve" else [])
    assert not failures(fleet, first)
    owner.do("change", "--ask", "never", "hub")
    fleet.run("pools", "remove", "all")


def waits_on_phone(fleet: Fleet, text: str, **more: Any) -> tuple[int, int]:
    """Its IDs at the hub and on shop-1, whose owner is asked from now on."""
    owner = Owner(fleet.phones["shop-1"].lab.gateway.state)
    owner.do("change", "--ask", "always", "hub")
    sent = send(fleet, text, subscription_id=sim_of(fleet, "shop-1"), wait_for="none", **more)
    *_, waiting = wait_until(lambda: [row for row in json_lines(owner, "approvals")
                                      if row.get("text") == text], what="it waits on the phone")
    wait_until(lambda: state(fleet, sent["message_id"]) == "waiting_approval",
               what="the hub tells so")
    owner.do("change", "--ask", "never", "hub")
    return sent["message_id"], waiting["message_id"]


def state(fleet: Fleet, message: int) -> str:
    told: str = fleet.call("get_sms_status", message_id=message)["state"]
    return told


def test_what_waits_for_the_owner_of_a_phone_holds_up_no_other_message(fleet: Fleet) -> None:
    message, at_phone = waits_on_phone(fleet, "asked first")
    later = send(fleet, "sent first", subscription_id=sim_of(fleet, "shop-1"))
    assert later["state"] in ("sent", "delivered")
    assert senders(fleet, "asked first") == [] and state(fleet, message) == "waiting_approval"
    Owner(fleet.phones["shop-1"].lab.gateway.state).do("approve", at_phone)
    wait_until(lambda: state(fleet, message) in ("sent", "delivered"), what="it is sent")
    assert senders(fleet, "asked first") == senders(fleet, "sent first") == ["shop-1"]


def test_a_message_that_waits_for_the_owner_of_a_phone_is_cancelled_there(fleet: Fleet) -> None:
    message, _ = waits_on_phone(fleet, "taken back")
    assert fleet.call("cancel_sms", message_id=message)["state"] == "cancelled"
    assert not [row for row in json_lines(Owner(fleet.phones["shop-1"].lab.gateway.state),
                                          "approvals") if "message_id" in row]
    assert (state(fleet, message), senders(fleet, "taken back")) == ("cancelled", [])


def test_events_tell_that_the_owner_of_a_phone_is_asked(fleet: Fleet) -> None:
    events, changed = EventClient(fleet.hub), "sms.status_changed"
    cursor = events.now(changed)
    message, at_phone = waits_on_phone(fleet, "told as an event")
    [asked] = events.since(changed, cursor, arguments={"state": "waiting_approval"})
    assert (data(asked)["message_id"], data(asked)["state"]) == (message, "waiting_approval")
    Owner(fleet.phones["shop-1"].lab.gateway.state).do("approve", at_phone)
    wait_until(lambda: state(fleet, message) in ("sent", "delivered"), what="it is sent")
    changes = [(data(event).get("previous"), data(event)["state"])
               for event in events.poll(changed, cursor)["events"]]
    assert ("waiting_approval", "submitted") in changes


def test_a_killed_hub_knows_that_the_owner_of_a_phone_is_asked(fleet: Fleet) -> None:
    message, at_phone = waits_on_phone(fleet, "over a kill")
    fleet.hub.kill()
    fleet.hub.start()
    wait_until(lambda: state(fleet, message) == "waiting_approval", what="it waits again")
    later = send(fleet, "after the kill", subscription_id=sim_of(fleet, "shop-1"))
    assert later["state"] in ("sent", "delivered")
    Owner(fleet.phones["shop-1"].lab.gateway.state).do("approve", at_phone)
    wait_until(lambda: state(fleet, message) in ("sent", "delivered"), what="it is sent")
    assert senders(fleet, "over a kill") == ["shop-1"]


@pytest.mark.parametrize("away", ["hub", "link"])
def test_an_approval_while_hub_or_phone_is_away_sends_once(fleet: Fleet, away: str) -> None:
    phone, text = fleet.phones["shop-1"], f"while the {away} is away"
    message, at_phone = waits_on_phone(fleet, text)
    program = fleet.hub if away == "hub" else phone.process
    program.kill()
    Owner(phone.lab.gateway.state).do("approve", at_phone)
    wait_until(lambda: senders(fleet, text), what="the phone sends it")
    (fleet.hub if away == "hub" else phone).start()
    wait_until(lambda: state(fleet, message) in ("sent", "delivered"), what="the hub hears it")
    wait_until(lambda: len(fleet.sims()) == 2, what="the hub shows both SIMs")
    assert senders(fleet, text) == ["shop-1"]


@pytest.mark.parametrize("change, outcome", [
    (f"state = {UNKNOWN}, reason = 'unknown_outcome'", ("unknown", "unknown_outcome")),
    ("expires_at = 1", ("failed", "validity_over"))])
def test_the_hub_tells_what_the_phone_says(fleet: Fleet, change: str,
                                           outcome: tuple[str, str]) -> None:
    gateway = fleet.phones["shop-1"].lab.gateway
    message, at_phone = waits_on_phone(fleet, f"it is {outcome[0]}")
    gateway.kill()
    with closing(sqlite3.connect(gateway.state / "gateway.db")) as database, database:
        database.execute(f"UPDATE message SET {change} WHERE id = ?", (at_phone,))
    gateway.start()
    told = wait_until(lambda: (facts := fleet.call("get_sms_status", message_id=message))
                      ["state"] != "waiting_approval" and facts, what="the hub hears of it")
    assert (told["state"], told["reason"]) == outcome
    assert senders(fleet, f"it is {outcome[0]}") == []
    assert not failures(fleet, sim_of(fleet, "shop-1"))


def test_a_phone_that_vanished_is_no_failure_of_its_sim(fleet: Fleet) -> None:
    first, second = sim_of(fleet, "shop-1"), sim_of(fleet, "shop-2")
    gateway = fleet.phones["shop-1"].lab.gateway
    numbers = [f"+3620700000{digit}" for digit in range(3)]
    for number in numbers:                      # so the pool prefers this SIM for them
        fleet.call("send_sms", to_phone_number=number, sms_text="before", subscription_id=first)
    fleet.run("pools", "set", "all", "--sims", f"{first},{second}")
    gateway.kill()
    for number in numbers:
        fleet.call("send_sms", to_phone_number=number, sms_text=f"to {number}", pool="all")
        wait_until(lambda number=number: senders(fleet, f"to {number}") == ["shop-2"],
                   what="the other phone sends it")
    with closing(sqlite3.connect(fleet.hub.state / "gateway.db")) as database:
        assert not database.execute("SELECT * FROM sim_service WHERE id = ? AND"
                                    " (failures OR rests_until)", (first,)).fetchall()
    gateway.start()
    wait_until(lambda: len(fleet.sims()) == 2, what="both SIMs are ready")
    fleet.run("pools", "remove", "all")


def test_an_opt_out_at_one_phone_holds_for_all_sims(fleet: Fleet) -> None:
    sender = "+36209876543"
    first, second = sim_of(fleet, "shop-1"), sim_of(fleet, "shop-2")
    fleet.run("pools", "set", "all", "--sims", f"{first},{second}")
    fleet.phones["shop-1"].lab.modems[0].deliver(sender, "STOP")
    wait_until(lambda: fleet.call("list_sms", direction="in")["messages"], what="the hub has it")
    for choice in ({}, {"pool": "all"}, {"subscription_id": first}, {"subscription_id": second}):
        refusal = fleet.call("send_sms", to_phone_number=sender, sms_text="no more", **choice)
        assert refusal["code"] == "recipient_opted_out"
    assert senders(fleet, "no more") == []
    fleet.run("pools", "remove", "all")


def test_the_owner_of_a_hub_lists_and_removes_opt_outs(fleet: Fleet) -> None:
    sender = "+36209876544"
    fleet.phones["shop-1"].lab.modems[0].deliver(sender, "STOP")
    wait_until(lambda: sender in [row.get("phone_number") for row in fleet.run("opt-outs")],
               what="the hub has it")
    assert fleet.run("opt-outs", "remove", sender) == [{"removed": sender}]
    assert fleet.call("send_sms", to_phone_number=sender, sms_text="after all",
                      subscription_id=sim_of(fleet, "shop-2"), wait_for="sent")["state"] == "sent"
    assert senders(fleet, "after all") == ["shop-2"]
    # the phone that got the STOP keeps to it until its own owner removes it
    refusal = fleet.call("send_sms", to_phone_number=sender, sms_text="not from here",
                         subscription_id=sim_of(fleet, "shop-1"), wait_for="sent")
    assert refusal["code"] == "recipient_opted_out"


def test_what_is_unknown_is_sent_again_with_a_key_of_its_own(fleet: Fleet) -> None:
    sent = send(fleet, "again", subscription_id=sim_of(fleet, "shop-1"))
    message = str(sent["message_id"])
    assert senders(fleet, "again") == ["shop-1"]
    assert refused(fleet, "resend", "--yes", message)[0] == 1     # its outcome is known
    fleet.hub.stop()
    with closing(sqlite3.connect(fleet.hub.state / "gateway.db")) as database, database:
        database.execute("UPDATE message SET state = ? WHERE id = ?", (UNKNOWN, message))
    fleet.hub.start()
    wait_until(lambda: len(fleet.sims()) == 2, what="the hub shows both SIMs again")
    assert refused(fleet, "resend", message)[0] == 2              # nobody was asked
    with on_terminal("resend", "--state-dir", fleet.hub.state, message, program=HUB) as terminal:
        terminal.read_until("[y/N]")
        terminal.type("n\n")
        terminal.read_all()
        assert terminal.process.wait(patience(10)) == 1
    assert senders(fleet, "again") == ["shop-1"]
    assert fleet.run("resend", "--yes", message) == [{"message_id": sent["message_id"]}]
    wait_until(lambda: senders(fleet, "again") == ["shop-1"] * 2, what="it is sent again")
    wait_until(lambda: fleet.call("get_sms_status", message_id=sent["message_id"])["state"]
               in ("sent", "delivered"), what="its outcome is known")
    assert audited(fleet, "send_repeated")[0]["message_id"] == sent["message_id"]
