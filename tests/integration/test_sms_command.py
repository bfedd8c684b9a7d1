# SPDX-License-Identifier: GPL-2.0-or-later
"""Text the agent: which messages are commands, and who is believed."""

from __future__ import annotations

import json
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from agent import Agent, assert_sent, pair, taken_texts
from incoming import receive
from journal import Journal
from lab import Lab, wait_until
from lab.clock import Clock
from lab.ofonod import PLUGIN
from mcp_events import EventClient
from owner import FAILED, USAGE, Owner, run
from texting import (OWNER, SECOND, Authenticator, enrol, flags, listed, now, numbers, section,
                     text, timed_lab)

MakeLab = Callable[..., Lab]
COMMAND, REFUSED = {"command"}, {"command_refused"}
ONE = {"modem_count": 1}
PASTED = "\u202a+36\u00a0(0)20\u2011123\u00a04567\u202c"      # OWNER, from a web page


@pytest.fixture
def lab(make_lab: MakeLab) -> Lab:
    return make_lab(section(numbers=f"{OWNER}, {SECOND}"), **ONE)


@pytest.fixture
def app(lab: Lab) -> Authenticator:
    return enrol(lab)


def audited(lab: Lab, event: str) -> list[dict[str, object]]:
    rows = Journal(lab).ledger.rows("SELECT detail FROM audit WHERE event = ? ORDER BY id",
                                    event)
    return [json.loads(row["detail"]) for row in rows]


def reasons(lab: Lab) -> list[object]:
    return [line["reason"] for line in audited(lab, "command_refused")]


# ---- commands

def test_nothing_is_a_command_by_default(make_lab: MakeLab) -> None:
    lab = make_lab(**ONE)
    assert flags(text(lab, "agent 123456 call home")) == set()
    assert Owner(lab.gateway.state).json("agent", "list")["numbers"] == []


@pytest.mark.parametrize("code", ["none", "totp"])
def test_an_agent_gets_the_owners_command_and_answers_it(
        make_lab: MakeLab, background: ThreadPoolExecutor, code: str) -> None:
    lab = make_lab(section(code=code), **ONE)
    with_code = f" {enrol(lab).code()}" if code == "totp" else ""
    agent = Agent(lab)
    after = agent.call("list_sms", limit=1).structured["wait_cursor"]
    call = background.submit(agent.call, "wait_for_sms", kind="command", after=after,
                             timeout_seconds=60)
    receive(lab, "agent is not the first word of this one", "+36207777777")
    receive(lab, f"Agent{with_code}, is the alarm on?", OWNER)
    found = call.result().structured
    assert found["found"] and found["command"] == "is the alarm on?"
    message = found["message"]
    assert flags(message) == COMMAND and message["trust"] == "owner"
    assert "addresses_agents" not in message["flags"]
    assert_sent(agent.send("It is.", to=message["from"]), OWNER)
    assert taken_texts(lab) == ["It is."]


def test_a_word_of_ones_own_counts_in_any_case_and_script(make_lab: MakeLab) -> None:
    lab = make_lab(section("word = Ágens", code="none"), **ONE)
    for body in ("ágens hívj fel", "ÁGENS: hívj fel", "agens hivj fel"):
        assert flags(text(lab, body)) == COMMAND, body
    for body in ("agent call me", "ágensek jönnek", "az ágens"):
        assert flags(text(lab, body)) == set(), body


def test_every_message_to_the_sim_for_commands_is_one(make_lab: MakeLab) -> None:
    lab = make_lab(section("sim = 2", code="none"), modem_count=2)
    assert flags(text(lab, "call me")) == set()
    lab.modems[1].deliver(OWNER, "call me, too")
    def find() -> list[dict[str, object]]:
        return [row for row in Agent(lab).call("list_sms").structured["messages"]
                if row["text"] == "call me, too"]
    [message] = wait_until(find, what="it came in")
    assert flags(message) == COMMAND


def test_a_code_counts_by_the_time_at_which_its_message_came() -> None:
    """The plugin received it while the gateway was down, ten minutes ago."""
    with timed_lab(section(), plugin=PLUGIN) as (lab, clock):
        app = enrol(lab)
        lab.gateway.stop()
        lab.modems[0].deliver(OWNER, f"agent {app.code()} call me")
        wait_until(lambda: lab.modems[0].all_delivered, what="it is spooled")
        clock.set(600)
        lab.gateway.start()
        [message] = wait_until(lambda: Agent(lab).call("list_sms").structured["messages"],
                               what="it came in")
        assert flags(message) == COMMAND


# ---- codes

def test_a_command_without_its_code_or_with_a_wrong_one_is_refused_but_kept(
        lab: Lab, app: Authenticator) -> None:
    wrong = app.wrong()
    for body, reason in ((f"agent {wrong} call me", "wrong_code"),
                         ("agent call me", "no_code")):
        message = text(lab, body)
        assert flags(message) == REFUSED
        assert reasons(lab)[-1] == reason
        assert numbers(lab)[OWNER]["refusal"] == reason
    assert "call me" in Journal(lab).messages()[-1].text
    said = json.dumps(audited(lab, "command_refused")) + lab.gateway.log
    assert wrong not in said


def test_no_code_counts_twice_even_after_kill_9() -> None:
    with timed_lab(section()) as (lab, clock):
        app = enrol(lab)
        code = app.at(now() + 1)                # it counts for a minute at least
        assert flags(text(lab, f"agent {code} call me")) == COMMAND
        assert flags(text(lab, f"agent {code} call me again")) == REFUSED
        lab.gateway.kill()
        lab.gateway.start()
        assert flags(text(lab, f"agent {code} and again")) == REFUSED
        assert reasons(lab) == ["code_used"] * 2
        clock.set(120)
        assert flags(text(lab, f"agent {app.at(now() + 4)} call me now")) == COMMAND


def test_a_number_without_a_secret_is_refused(lab: Lab, app: Authenticator) -> None:
    assert flags(text(lab, f"agent {app.code()} call me", SECOND)) == REFUSED
    assert reasons(lab) == ["not_enrolled"]


def test_each_number_has_codes_of_its_own(lab: Lab, app: Authenticator) -> None:
    second = enrol(lab, SECOND)
    assert flags(text(lab, f"agent {app.code()} call me", SECOND)) == REFUSED
    assert flags(text(lab, f"agent {second.code()} call me", SECOND)) == COMMAND
    assert flags(text(lab, f"agent {app.last()} call me", OWNER)) == COMMAND


@pytest.mark.parametrize("sender", [
    "Owner",                    # a name
    "36201234567",              # its digits, without the +
    "+43201234567",             # the same digits in another country
    "+36201234568", "1234567", "201234567",
])
def test_a_forged_sender_is_never_the_owner(lab: Lab, app: Authenticator, sender: str) -> None:
    assert flags(text(lab, f"agent {app.code()} call me", sender)) == set()
    assert flags(text(lab, f"agent {app.last()} call me", OWNER)) == COMMAND


def test_the_number_as_dialled_at_home_is_the_owners(lab: Lab, app: Authenticator) -> None:
    assert flags(text(lab, f"agent {app.code()} call me", "06201234567")) == COMMAND


def test_wrong_codes_lock_a_number_for_an_hour() -> None:
    with timed_lab(section(numbers=f"{OWNER}, {SECOND}")) as (lab, clock):
        lock_a_number(lab, clock)


def lock_a_number(lab: Lab, clock: Clock) -> None:
    app, second = enrol(lab), enrol(lab, SECOND)
    for count in range(5):
        assert flags(text(lab, f"agent {app.wrong()} call me {count} times")) == REFUSED
    assert flags(text(lab, f"agent {app.code()} call me")) == REFUSED
    assert reasons(lab) == ["wrong_code"] * 5 + ["locked"]
    assert audited(lab, "command_locked") == [{"number": OWNER}]
    assert "locked_until" in numbers(lab)[OWNER] and "locked_until" not in numbers(lab)[SECOND]
    assert "locked until" in Owner(lab.gateway.state).do("status")
    lab.gateway.kill()
    clock.set(3 * 3600)         # a clock that is set forgives nothing
    lab.gateway.start()
    assert "locked_until" in numbers(lab)[OWNER]
    clock.set(0)
    assert flags(text(lab, f"agent {second.code()} call me", SECOND)) == COMMAND
    clock.sleep(3600)           # time that really passes does
    wait_until(lambda: "locked_until" not in numbers(lab)[OWNER], what="the lock is over")


def test_a_wrong_clock_refuses_commands_and_says_so() -> None:
    with timed_lab(section(), -40 * 365 * 86400) as (lab, clock):
        app = enrol(lab)
        assert flags(text(lab, f"agent {app.code()} call me")) == REFUSED
        assert reasons(lab) == ["clock_wrong"]
        assert numbers(lab)[OWNER]["refusal"] == "clock_wrong"
        clock.set(0)
        assert flags(text(lab, f"agent {app.last()} call me again")) == COMMAND


def test_codes_are_masked_for_agents_without_the_scope(make_lab: MakeLab) -> None:
    lab = make_lab(section(), gateway_open=False, **ONE)
    app, blind = enrol(lab), Agent(lab, pair(lab.gateway, "blind"))
    Owner(lab.gateway.state).do("pair", "--scope", "read,codes", "--json", "seeing")
    after = blind.call("list_sms", limit=1).structured["wait_cursor"]
    code = app.code()
    lab.modems[0].deliver(OWNER, f"agent set it to 250 {code}")
    found = blind.call("wait_for_sms", after=after, timeout_seconds=30).structured
    assert found["command"] == "set it to 250"
    assert found["message"]["text"] == "agent set it to 250 ******"
    assert code not in json.dumps(found)
    message_id = found["message"]["message_id"]
    assert code not in json.dumps(listed(lab, message_id, blind))
    assert blind.call("list_sms", search=code).structured["messages"] == []
    assert code not in json.dumps(blind.call("list_sms_conversations").structured)


def test_commands_are_in_the_audit_without_texts_and_codes(lab: Lab, app: Authenticator) -> None:
    message = text(lab, f"agent {app.code()} feed the cat")
    [line] = audited(lab, "command_accepted")
    assert line == {"message_id": message["message_id"], "number": OWNER, "kind": "command",
                    "subscription_id": 1}
    assert "cat" not in lab.gateway.log and app.last() not in lab.gateway.log


# ---- events

def commands(client: EventClient, cursor: str, **arguments: object) -> list[dict[str, object]]:
    return client.poll("sms.command", cursor, arguments=arguments)["events"]


def test_an_agent_is_woken_by_a_command_and_by_nothing_else(make_lab: MakeLab) -> None:
    lab = make_lab(section(), gateway_open=False, **ONE)
    app = enrol(lab)
    client = EventClient(lab.gateway, pair(lab.gateway, "blind"))
    cursor = client.now("sms.command")
    agent = Agent(lab, client.token)
    with client.stream("sms.command", cursor) as stream:
        for place, body in enumerate(["hello", f"agent {app.wrong()} call me", "agent call me"]):
            lab.modems[0].deliver(OWNER, body)
            wait_until(lambda: len(Journal(lab).messages()) > place, what=f"{body!r} came in")
        code = app.code()
        lab.modems[0].deliver(OWNER, f"Agent {code}: is the alarm on?")
        event = stream.next()
    message = agent.call("list_sms", limit=1).structured["messages"][0]
    assert event["data"] == {
        "message_id": message["message_id"], "subscription_id": 1, "from": OWNER,
        "received_at": event["data"]["received_at"], "verified": True,
        "command": "is the alarm on?"}
    assert code not in json.dumps(event)
    lab.gateway.kill()          # what was shown is on disk, once
    lab.gateway.start()
    [again] = commands(client, cursor)
    assert again["eventId"] == event["eventId"] and again["data"] == event["data"]
    [without] = commands(client, cursor, include_text=False)
    assert "command" not in without["data"]
    assert commands(client, cursor, **{"from": SECOND}) == []


def test_the_event_type_exists_only_where_the_owner_has_numbers(make_lab: MakeLab) -> None:
    assert "sms.command" not in EventClient(make_lab(**ONE).gateway).types()
    assert "sms.command" in EventClient(make_lab(section(), **ONE).gateway).types()


def test_a_command_without_codes_is_not_verified(make_lab: MakeLab) -> None:
    lab = make_lab(section(code="none"), **ONE)
    client = EventClient(lab.gateway)
    cursor = client.now("sms.command")
    lab.modems[0].deliver(OWNER, "agent 123456 is my number")
    [event] = client.since("sms.command", cursor)
    assert event["data"]["verified"] is False
    assert event["data"]["command"] == "123456 is my number"


# ---- enrolment

def test_enrolment_prints_the_secret_once_and_a_new_one_replaces_it(make_lab: MakeLab) -> None:
    lab = make_lab(section(numbers=PASTED), **ONE)
    owner = Owner(lab.gateway.state)
    first = Authenticator(owner.json("agent", "enrol")["url"])     # the only number
    said = owner.do("agent", "enrol", "--qr", PASTED)
    second = Authenticator(next(line.strip() for line in said.splitlines()
                                if line.startswith("  otpauth")))
    assert "▀" in said or "█" in said
    assert first.secret != second.secret
    assert flags(text(lab, f"agent {first.code()} call me")) == REFUSED
    assert flags(text(lab, f"agent {second.code()} call me")) == COMMAND
    everything = owner.do("agent", "list") + owner.do("status") + lab.gateway.log + \
        json.dumps(audited(lab, "agent_enrolled"))
    for app in (first, second):
        assert app.url.split("secret=")[1][:32] not in everything


def test_a_removed_number_is_refused(lab: Lab, app: Authenticator) -> None:
    owner = Owner(lab.gateway.state)
    owner.do("agent", "remove", PASTED)
    assert flags(text(lab, f"agent {app.code()} call me")) == REFUSED
    assert owner.run("agent", "remove", OWNER).returncode == FAILED
    assert not numbers(lab)[OWNER]["enrolled"]


def test_only_configured_numbers_can_be_enrolled(lab: Lab) -> None:
    owner = Owner(lab.gateway.state)
    assert owner.run("agent", "enrol", "+36209999999").returncode == FAILED
    assert owner.run("agent", "enrol", "Shop").returncode == USAGE
    assert owner.run("agent", "enrol").returncode == USAGE          # two are configured
    assert owner.run("agent", "forget", OWNER).returncode == USAGE


def test_secrets_survive_backup_and_restore(make_lab: MakeLab, folder: Path) -> None:
    lab = make_lab(section(), **ONE)
    owner, app = Owner(lab.gateway.state), enrol(lab)
    owner.do("backup", f"{folder}/backup.db")
    used = app.code()
    assert flags(text(lab, f"agent {used} call me")) == COMMAND
    lab.gateway.stop()
    owner.do("restore", f"{folder}/backup.db")
    lab.gateway.start()
    assert flags(text(lab, f"agent {used} again")) == REFUSED      # used since the backup
    assert flags(text(lab, f"agent {app.code()} again")) == COMMAND


@pytest.mark.parametrize("lines, complaint", [
    (["owner_numbers = 06201234567"], "international"),
    (["owner_numbers = +36201234567, Mum"], "international"),
    (["code = sms"], "neither none nor totp"),
    (["owner_numbers = +36201234567", "approvals = yes"], "code = totp"),
    (["code = totp", "approvals = yes"], "owner_numbers"),
    (["owner_numbers = +36201234567", "code = totp", "approvals = yes", "reject_word = yes"],
     "three words"),
    (["word = my agent"], "one word"), (["word = 4711"], "one word"),
])
def test_a_configuration_that_cannot_work_is_refused(
        folder: Path, lines: list[str], complaint: str) -> None:
    path = f"{folder}/agent.conf"
    with open(path, "w") as file:
        file.write("\n".join(["[agent]", *lines, ""]))
    result = run("serve", "--check-config", "--config", path)
    assert result.returncode == USAGE and complaint in result.stderr, result
