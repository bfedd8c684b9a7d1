# SPDX-License-Identifier: GPL-2.0-or-later
"""STOP and similar words: remembered until START, and confirmed if the owner wants that."""

from __future__ import annotations

import sqlite3
import subprocess
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from agent import Agent, assert_refused, assert_sent, seconds_ahead, taken_texts
from incoming import newest
from lab import Lab, wait_until
from modem import Submit
from owner import FAILED, USAGE, Owner

NAME = "Shop"
SHORT = "1777"
CONFIRMED = "[incoming]\nstop_confirmation = Goodbye.\n"


def receive(lab: Lab, text: str, sender: str) -> None:
    before = newest(lab)
    lab.modems[0].deliver(sender, text)
    wait_until(lambda: newest(lab) > before, what=f"{text!r} came in")


def opted_out(lab: Lab) -> set[str]:
    page = Agent(lab).call("list_sms_conversations", limit=100).structured
    return {row["phone_number"] for row in page["conversations"]
            if row.get("opted_out")}


def taken(lab: Lab) -> list[Submit]:
    return lab.modems[0].taken


@pytest.mark.parametrize("stop, start", [
    ("STOP", "START"), ("Please stop texting me, thanks", "START"), ("stop.", "unstop"),
    ("Arr\u00eat !", "Yes"), ("LE\u00c1LL", "start"),
    ("\u0421\u0422\u041e\u041f", "\u0421\u0442\u0430\u0440\u0442"), ("opt out", "Opt-in"),
])
def test_stop_opts_out_until_start(lab: Lab, number: str, stop: str, start: str) -> None:
    receive(lab, "hello", number)
    assert number not in opted_out(lab)
    receive(lab, stop, number)
    assert number in opted_out(lab)
    receive(lab, "what do you mean?", number)
    assert number in opted_out(lab)
    receive(lab, start, number)
    assert number not in opted_out(lab)


def test_opt_outs_survive_crashes_and_restarts(make_lab: Callable[..., Lab], number: str) -> None:
    lab = make_lab(modem_count=1)
    receive(lab, "STOP", number)
    lab.gateway.kill()              # as soon as it was reported it was on disk
    lab.gateway.start()
    assert opted_out(lab) == {number}
    lab.gateway.restart()
    receive(lab, "START", number)
    lab.gateway.kill()
    lab.gateway.start()
    assert opted_out(lab) == set()


def command(lab: Lab, name: str, *arguments: str) -> None:
    binary = str(lab.gateway.binary)
    subprocess.run([binary, name, "--state-dir", str(lab.gateway.state), *arguments],
                   check=True, capture_output=True)


def test_restoring_an_older_backup_keeps_later_opt_outs(make_lab: Callable[..., Lab], folder: Path,
                                            number: str) -> None:
    lab = make_lab(modem_count=1)
    receive(lab, "STOP", "+36301111111")
    command(lab, "backup", str(folder / "backup.db"))
    receive(lab, "START", "+36301111111")
    receive(lab, "hello", number)
    receive(lab, "STOP", number)
    lab.gateway.stop()
    command(lab, "restore", str(folder / "backup.db"))
    lab.gateway.start()
    assert opted_out(lab) == {"+36301111111"}       # there are messages from it
    receive(lab, "hello again", number)
    assert opted_out(lab) == {"+36301111111", number}


def schedule(lab: Lab, to: str) -> int:
    agent = Agent(lab)
    return agent.send("later", sim=agent.ids()[0], to=to,
                      send_at=seconds_ahead(3600)).message_id


def assert_taken_back(lab: Lab, message_id: int) -> None:
    status = Agent(lab).call("get_sms_status", history=True, message_id=message_id).structured
    assert (status["state"], status["reason"]) == ("cancelled", "recipient_opted_out")
    assert "STOP" in status["meaning"]


def test_stop_cancels_scheduled_messages_to_the_sender(make_lab: Callable[..., Lab], number: str) -> None:
    """However the number was written; messages to others, and the confirmation, are sent."""
    lab = make_lab(CONFIRMED, modem_count=1)
    waiting = [schedule(lab, number), schedule(lab, number.replace("+36", "06"))]
    other = schedule(lab, "+36301111111")
    receive(lab, "STOP", number)
    for message_id in waiting:
        assert_taken_back(lab, message_id)
    wait_until(lambda: taken_texts(lab) == ["Goodbye."], what="the confirmation")
    assert Agent(lab).state(other) == "scheduled"
    lab.gateway.restart()
    assert Agent(lab).state(other) == "scheduled"


def test_messages_to_opted_out_numbers_are_cancelled_at_startup(make_lab: Callable[..., Lab], number: str) -> None:
    """The gateway was killed between storing the message and acting on it."""
    lab = make_lab(modem_count=1)
    waiting = schedule(lab, number)
    lab.gateway.kill()
    with closing(sqlite3.connect(lab.gateway.state / "gateway.db")) as ledger:
        ledger.execute("INSERT INTO opt_out (phone_number, at, word) VALUES (?, ?, 'stop')",
                       (number, int(time.time() * 1000)))
        ledger.commit()
    lab.gateway.start()
    assert_taken_back(lab, waiting)


def test_no_confirmation_is_sent_by_default(lab: Lab, number: str) -> None:
    receive(lab, "STOP", number)
    receive(lab, "START", number)
    assert taken_texts(lab) == []


def test_a_stop_is_confirmed_once_until_the_next_start(make_lab: Callable[..., Lab], number: str) -> None:
    """From a STOP to the next START, whatever crashes in between."""
    lab = make_lab(CONFIRMED, modem_count=1)
    receive(lab, "STOP", number)
    wait_until(lambda: taken_texts(lab) == ["Goodbye."], what="the confirmation")
    assert [submit.destination for submit in taken(lab)] == [number]
    page = Agent(lab).call("list_sms", phone_number=number, direction="out").structured
    assert [message["text"] for message in page["messages"]] == ["Goodbye."]
    receive(lab, "STOP!", number)
    lab.gateway.kill()
    lab.gateway.start()
    receive(lab, "stop", number)
    receive(lab, "START", number)
    receive(lab, "Stop", number)
    wait_until(lambda: len(taken_texts(lab)) == 2, what="the next confirmation")
    # the last one was notified, so there was none before it
    receive(lab, "START", "+36301111111")
    receive(lab, "STOP", "+36301111111")
    wait_until(lambda: taken(lab)[-1].destination == "+36301111111", what="another's")
    assert [submit.destination for submit in taken(lab)] == [number, number, "+36301111111"]


def test_names_short_and_blocked_senders_get_no_confirmation(make_lab: Callable[..., Lab], number: str) -> None:
    lab = make_lab(CONFIRMED + "blocked_senders = +3690*\n", modem_count=1)
    for sender in (NAME, SHORT, "+36901234567"):
        receive(lab, "STOP", sender)
    assert opted_out(lab) == {SHORT, "+36901234567"}
    receive(lab, "STOP", number)
    wait_until(lambda: taken_texts(lab), what="a confirmation")
    assert [submit.destination for submit in taken(lab)] == [number]


def test_repeated_stops_get_one_confirmation(make_lab: Callable[..., Lab], number: str) -> None:
    lab = make_lab(CONFIRMED, modem_count=1)
    for i in range(8):
        receive(lab, "STOP" + "." * i, number)
    wait_until(lambda: taken_texts(lab), what="a confirmation")
    receive(lab, "STOP", "+36301111111")
    wait_until(lambda: taken(lab)[-1].destination == "+36301111111", what="another's")
    assert [submit.destination for submit in taken(lab)] == [number, "+36301111111"]


# ---- the owner's list

def listed(owner: Owner) -> dict[str, bool]:
    """The numbers, and whether each waits for the owner's decision."""
    *items, counts = owner.json_lines("opt-outs")
    numbers = {item["phone_number"]: item["asking"] for item in items}
    assert counts == {"opt_outs": sum(not asking for asking in numbers.values()),
                      "asking": sum(numbers.values())}
    return numbers


@pytest.mark.parametrize("runs", [True, False], ids=["running", "stopped"])
def test_the_owner_lists_removes_and_adds_opt_outs(
        make_lab: Callable[..., Lab], number: str, runs: bool) -> None:
    lab = make_lab(modem_count=1)
    owner = Owner(lab.gateway.state)
    receive(lab, "STOP", number)
    if not runs:
        lab.gateway.stop()
    assert listed(owner) == {number: False}
    owner.do("opt-outs", "remove", "00" + number[1:])
    assert listed(owner) == {}
    assert owner.run("opt-outs", "remove", number).returncode == FAILED
    assert owner.json_lines("opt-outs", "add", number) == [{"added": number}]
    assert listed(owner) == {number: False}
    events = [line["event"] for line in owner.json_lines("audit") if line["event"].startswith("opt")]
    assert events == ["opted_out", "opted_in", "opted_out"]
    if not runs:
        lab.gateway.start()
        Agent(lab).wait_states("ready", timeout=10)
    assert_refused(Agent(lab).send("no", to=number), "recipient_opted_out")
    owner.do("opt-outs", "remove", number)
    assert_sent(Agent(lab).send("yes", to=number), number)


@pytest.mark.parametrize("section", ["[incoming]\n", "[agent]\nword = agent\n"])
def test_a_stop_from_the_owner_waits_for_the_owner(
        make_lab: Callable[..., Lab], number: str, section: str) -> None:
    """A forged sender must not keep the agent from writing to the owner."""
    lab = make_lab(f"{section}owner_numbers = {number}\n", modem_count=1)
    owner = Owner(lab.gateway.state)
    waiting = schedule(lab, number)
    receive(lab, "STOP", number)
    assert listed(owner) == {number: True} and opted_out(lab) == set()
    assert_sent(Agent(lab).send("still there", to=number), number)
    assert Agent(lab).call("get_sms_status", message_id=waiting).structured["state"] == "scheduled"
    owner.do("opt-outs", "add", number)
    assert listed(owner) == {number: False} and opted_out(lab) == {number}
    assert_taken_back(lab, waiting)
    receive(lab, "START", number)
    assert listed(owner) == {}


@pytest.mark.parametrize("number", ["Shop", "12 34 bogus", "", "+36201234567/89", "+36201234567 ext. 5"])
def test_only_a_phone_number_can_be_added(lab: Lab, number: str) -> None:
    result = Owner(lab.gateway.state).run("opt-outs", "--json", "add", number)
    assert (result.returncode, '"invalid_argument"' in result.stdout) == (USAGE, True), result
