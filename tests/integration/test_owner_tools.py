# SPDX-License-Identifier: GPL-2.0-or-later
"""The owner checks the gateway, sends and reads with the tools that agents have."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import datetime, timedelta, timezone
from typing import IO, Any

import pytest

from agent import TO, Agent, pair, seconds_ahead, taken_texts
from incoming import receive
from lab import Lab, wait_until
from lab.gateway import BINARY
from modem import Outcome
from modem.patience import patience
from owner import FAILED, OK, USAGE, Owner, assert_the_guide_shows, run
from rows import complete
from terminal import on_terminal

COLOUR = "\x1b["


@pytest.fixture
def owner(lab: Lab) -> Owner:
    return Owner(lab.gateway.state)


@pytest.fixture
def sim(agent: Agent) -> int:
    return agent.ids()[0]


def send(owner: Owner, sim: int, *arguments: object) -> Any:
    return owner.json("send", "--sim", sim, *arguments)


CLOCK = r"(?:\d+ [A-Z]\w\w (?:\d{4} )?)?\d\d:\d\d(?::\d\d)?"       # "21 Nov 08:30"


# ---- without a gateway

@pytest.mark.parametrize("arguments", [
    ["status"], ["send", TO, "x"], ["list"], ["show", "1"], ["wait"], ["tail"], ["reload"]],
    ids=lambda words: words[0])
def test_commands_without_a_gateway_say_how_to_start_it(folder: Any, arguments: list[str]) -> None:
    name, *rest = arguments
    result = Owner(folder / "state").run(name, *rest)
    assert (result.returncode, result.stdout) == (FAILED, "")
    assert ("the gateway is not running.\nStart it: systemctl start ofono-mcp; or by hand: "
            "ofono-mcp serve") in result.stderr


@pytest.mark.parametrize("arguments", [
    ["send", "--at", "tomorrow", TO, "x"], ["approve", "0"], ["reject", "7", "x" * 201]],
    ids=lambda words: words[0])
def test_what_the_gateway_finds_wrong_is_a_usage_error(owner: Owner, arguments: list[str]) -> None:
    result = owner.run(*arguments)
    assert (result.returncode, result.stdout) == (USAGE, "") and result.stderr


# ---- status

def test_status_shows_the_same_facts_as_the_tool(owner: Owner, agent: Agent) -> None:
    mine = owner.json("status")
    theirs = agent.call("get_gateway_status", detail=True).structured
    assert mine["sims"] == theirs["sims"] and mine["queue"] == theirs["queue"]
    assert mine.keys() == theirs.keys() | {"version", "waiting_approval", "clients",
                                           "advertised", "contacts", "advertisement", "agent", "webhooks",
                                           "configuration"}
    assert (mine["can_send"], mine["waiting_approval"]) == (True, 0)


def test_status_summarises_the_gateway_for_the_owner(make_lab: Callable[..., Lab]) -> None:
    lab = make_lab(modem_count=1, gateway_open=False)
    lab.gateway.policy = "[policy]\nsim_per_day = 50\n"
    lab.gateway.restart()
    owner, agent = Owner(lab.gateway.state), Agent(lab, pair(lab.gateway, "laptop"))
    agent.wait_states("ready", timeout=10)
    assert_the_guide_shows("status", owner.do("status"))
    owner.do("change", "--ask", "always", "laptop")
    agent.send("please", wait_for="none")
    text = owner.do("status")
    for words in [r"sending +can send now", r"oFono +\S", r"SIM 1 +ready: Telekom HU, slot 0",
                  r"queue +1 waiting to be sent\n", r"approvals +1 waiting for your approval",
                  rf"offline +{CLOCK} until {CLOCK} \(gateway_down\)", r"laptop +read,send"]:
        assert re.search(words, text), (words, text)
    assert " left" not in text and "mDNS" not in text       # nothing is low, or wanted
    assert not text.endswith("\n\n")
    owner.do("pause")
    assert "paused; to resume: ofono-mcp resume" in owner.do("status")


def test_status_shows_what_each_client_has_left(make_lab: Callable[..., Lab]) -> None:
    lab = make_lab(modem_count=1, gateway_open=False)
    lab.gateway.policy = "[policy]\nper_minute = 5\nper_hour = 60\nper_day = 0\nsim_per_minute = 19\n"
    lab.gateway.restart()
    owner, agent = Owner(lab.gateway.state), Agent(lab, pair(lab.gateway, "laptop"))
    owner.do("pair", "--per-minute", "none", "--per-hour", "none", "--segments-per-month", 9,
             "robot")
    owner.do("change", "--segments-per-month", "none", "laptop")
    agent.wait_states("ready", timeout=10)

    def usage() -> dict[str, dict[str, tuple[int, int, int]]]:
        return {client["name"]: {row["per"]: (row["limit"], row["used"], row["left"])
                                 for row in client["usage"]}
                for client in owner.json("status")["clients"]}
    assert usage() == {"laptop": {"minute": (5, 0, 5), "hour": (60, 0, 60)},
                       "robot": {"month": (9, 0, 9)}}
    for text in ("one", "two", "three", "four", "five"):
        agent.send(text)
    assert not re.search(r"^limits ", owner.do("status"), re.MULTILINE)     # 14 of 19
    assert usage()["laptop"] == {"minute": (5, 5, 0), "hour": (60, 5, 55)}
    assert usage()["robot"] == {"month": (9, 0, 9)}
    text = owner.do("status")
    assert re.search(r"^left +laptop: 0 of 5 a minute \(more in \d+ (s|min)\)$", text, re.MULTILINE), text
    assert "robot:" not in text and "an hour" not in text


def test_status_says_why_nothing_can_be_sent(make_lab: Callable[..., Lab]) -> None:
    lab = make_lab(modem_count=1)
    lab.ofonod.stop()
    wait_until(lambda: not Owner(lab.gateway.state).json("status")["ofono_available"],
               what="the gateway sees that oFono is gone")
    text = Owner(lab.gateway.state).do("status")
    assert re.search(r"sending +cannot send now: The modems are out of reach", text), text
    lab.ofonod.start()


# ---- send

def test_send_prints_the_outcome(lab: Lab, owner: Owner, sim: int, agent: Agent) -> None:
    said = owner.do("send", "--sim", sim, TO, "from the owner")
    assert re.fullmatch(rf"Message \d+ to \{TO}: sent, 1 segment \(gsm7\)\.\n", said)
    assert taken_texts(lab) == ["from the owner"]
    result = send(owner, sim, TO, "again")
    assert result["state"] == "sent"
    assert agent.state(result["message_id"]) == "sent"


@pytest.mark.parametrize("text", ["from a pipe\n", "two\nlines\n", "no feed", "ő ❤\n"])
def test_the_text_comes_from_standard_input(lab: Lab, sim: int, text: str) -> None:
    command = [os.environ.get("GATEWAY_BINARY", BINARY), "send", "--state-dir",
               str(lab.gateway.state), "--sim", str(sim), "--json", "--dry-run", TO]
    done = subprocess.run(command, input=text, text=True, capture_output=True,
                          timeout=patience(30))
    assert (done.returncode, done.stderr) == (OK, ""), done
    units = len(text.removesuffix("\n").encode("utf-16-le")) // 2
    assert json.loads(done.stdout)["units"] == units


@pytest.mark.parametrize("text, sent", [
    (b"a\r\nb\r\n", "a\nb"), (b"\xef\xbb\xbfa\n", "a"), (b"\xef\xbb\xbfa\r\nb", "a\nb")])
def test_byte_order_marks_and_crlf_are_not_sent(lab: Lab, sim: int, text: bytes, sent: str) -> None:
    command = [os.environ.get("GATEWAY_BINARY", BINARY), "send", "--state-dir",
               str(lab.gateway.state), "--sim", str(sim), TO]
    subprocess.run(command, input=text, check=True, capture_output=True, timeout=patience(30))
    assert taken_texts(lab) == [sent]


@pytest.mark.parametrize("text,words", [
    (b"", "standard input is empty"), (b"\n", "standard input is empty"),
    (b"\xef\xbb\xbf\r\n", "standard input is empty"),
    (b"\xff", "not UTF-8"), (b"a\0b", "not UTF-8"), (b"x" * 20_000, "too long")])
def test_text_that_cannot_be_sent_is_refused(lab: Lab, text: bytes, words: str) -> None:
    command = [os.environ.get("GATEWAY_BINARY", BINARY), "send", "--state-dir",
               str(lab.gateway.state), TO]
    done = subprocess.run(command, input=text, capture_output=True, timeout=patience(30))
    assert done.returncode == USAGE and words in done.stderr.decode()
    assert taken_texts(lab) == []


def test_a_dry_run_reports_the_outcome_without_sending(lab: Lab, owner: Owner, sim: int) -> None:
    said = owner.do("send", "--dry-run", "--sim", sim, TO, "x")
    assert said == "It would be sent: 1 segment (gsm7), 159 more characters fit.\n"
    emoji = owner.run("send", "--dry-run", "--sim", sim, TO, "\N{SLIGHTLY SMILING FACE}")
    assert emoji.returncode == FAILED and "cannot send U+1F642" in emoji.stdout
    wrong = owner.run("send", "--dry-run", "--sim", 99, TO, "x")
    assert wrong.returncode == FAILED
    assert "It would not be sent: 1 segment (gsm7).\n" in wrong.stdout
    assert "subscription_unknown: " in wrong.stdout
    wrong = owner.run("send", "--json", "--dry-run", "--sim", 99, TO, "x")
    assert (wrong.returncode, json.loads(wrong.stdout)["would_send"]) == (FAILED, False)
    assert taken_texts(lab) == []


def test_send_at_schedules_a_message(lab: Lab, owner: Owner, sim: int, agent: Agent) -> None:
    result = send(owner, sim, "--at", seconds_ahead(3600), TO, "later")
    assert result["state"] == "scheduled"
    shown = owner.do("show", result["message_id"])
    assert "later" in shown and "scheduled" in shown
    assert not agent.cancel(result["message_id"]).is_error


def test_a_refusal_says_what_the_owner_can_do(owner: Owner, sim: int, lab: Lab) -> None:
    several = owner.run("send", TO, "x")
    assert several.returncode == FAILED
    assert "Choose one with --sim; ofono-mcp status lists the SIMs." in several.stderr
    owner.do("pause")
    try:
        paused = owner.run("send", "--sim", sim, TO, "x")
    finally:
        owner.do("resume")
    assert paused.returncode == FAILED
    assert "To resume: ofono-mcp resume." in paused.stderr
    emergency = owner.run("send", "--sim", sim, "112", "x")
    assert emergency.returncode == FAILED
    assert "Call the number instead" in emergency.stderr
    assert taken_texts(lab) == []


def test_client_limits_do_not_apply_to_the_owner(make_lab: Callable[..., Lab]) -> None:
    lab = make_lab(modem_count=1)
    lab.gateway.policy = "[policy]\nper_minute = 1\nsim_per_minute = 3\n"
    lab.gateway.restart()
    Agent(lab).wait_states("ready", timeout=10)
    owner = Owner(lab.gateway.state)
    for text in ("one", "two", "three"):
        owner.do("send", TO, text)
    refused = owner.run("send", TO, "four")
    assert refused.returncode == FAILED and "this SIM 3 messages per minute" in refused.stderr
    assert taken_texts(lab) == ["one", "two", "three"]


def test_the_owner_is_distinct_from_open_mode_clients(make_lab: Callable[..., Lab]) -> None:
    lab = make_lab(notices_repeats=True, modem_count=1)
    owner, agent = Owner(lab.gateway.state), Agent(lab)
    assert owner.do("list") == "There are no messages yet.\n"
    mine = owner.json("send", TO, "the same")["message_id"]
    assert agent.send("the same").structured.get("duplicate") is None
    again = owner.json("send", TO, "the same")
    assert (again["message_id"], again["duplicate"]) == (mine, True)
    said = owner.do("send", TO, "the same")
    assert "no new one was sent" in said and "duplicate_seconds" in said
    assert taken_texts(lab) == ["the same"] * 2
    accepted = [json.loads(line) for line in owner.do("audit", "--json").splitlines()
                if f'"message_id":{mine},' in line]
    assert [line["detail"]["client"] for line in accepted if "client" in line["detail"]] == ["owner"]


def test_a_message_refused_by_the_network_fails_the_command(lab: Lab, owner: Owner, sim: int) -> None:
    lab.modems[0].plan(Outcome.cms(38))
    refused = owner.run("send", "--sim", sim, TO, "no")
    assert (refused.returncode, refused.stdout) == (FAILED, "")
    assert "the network did not accept it" in refused.stderr


def test_a_message_goes_out_although_the_owner_interrupts(lab: Lab, sim: int, agent: Agent) -> None:
    lab.modems[0].send_latency_s = patience(1.5)
    try:
        with on_terminal("send", "--state-dir", lab.gateway.state, "--sim", sim, TO,
                         "goes on") as terminal:
            lab.modems[0].wait_offered(1)
            terminal.process.send_signal(signal.SIGINT)
            assert terminal.process.wait(patience(10)) != OK
        lab.modems[0].wait_taken(1)
    finally:
        lab.modems[0].send_latency_s = 0
    [message] = agent.call("list_sms", limit=1).structured["messages"]
    agent.wait_state(message["message_id"], "sent")


def test_a_crash_during_send_advises_to_check_first(make_lab: Callable[..., Lab]) -> None:
    """Before the owner sends again, the advice is to check."""
    lab = make_lab(modem_count=1)
    lab.modems[0].send_latency_s = 5
    command = [os.environ.get("GATEWAY_BINARY", BINARY), "send", "--json", "--state-dir",
               str(lab.gateway.state), TO, "on its way"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True) as sending:
        lab.modems[0].wait_offered(1)
        lab.gateway.kill()
        told, said = sending.communicate(timeout=patience(10))
    error = json.loads(told)["error"]
    assert (sending.returncode, error["code"]) == (FAILED, "no_answer")
    assert "check with ofono-mcp list --out before you send it again" in error["fix"]
    assert error["fix"] in said
    lab.gateway.start()


# ---- list, show

def test_list_filters_and_pages_messages(lab: Lab, owner: Owner, sim: int, number: str) -> None:
    received = receive(lab, "Hello\nthere", number)
    sent = send(owner, sim, number, "answer")["message_id"]
    def ids(*options: object) -> list[int]:
        page = owner.json("list", "--number", number, *options)
        return [message["message_id"] for message in page["messages"]]
    assert ids() == [sent, received]
    assert ids("--in") == ids("--unread") == ids("--search", "hello") == [received]
    assert ids("--out") == ids("--limit", 1) == [sent]
    text = owner.do("list", "--number", number)
    assert re.match(rf"{sent}  to \{number}  {CLOCK}, SIM {sim}, sent, by you\n  \| answer\n\n"
                    rf"{received}  from \{number}  {CLOCK}, SIM \d+, unread\n"
                    r"  \| Hello\n  \| there\n", text), text
    more = owner.do("list", "--number", number, "--limit", 1)
    cursor = re.search(r"For the next page, use the same options and --cursor (\S+)\n$", more)[1]
    assert cursor == owner.json("list", "--number", number, "--limit", 1)["next_cursor"]
    assert ids("--limit", 1, "--cursor", cursor) == [received]
    assert "next page" not in owner.do("list", "--number", number, "--cursor", cursor)
    wrong = owner.run("list", "--cursor", "made-up")
    assert wrong.returncode == USAGE and "next_cursor" in wrong.stderr
    assert owner.do("list", "--number", "+36209999999") == "There is no such message.\n"


def test_the_owner_sees_codes(lab: Lab, owner: Owner, number: str) -> None:
    receive(lab, "Your code is 482913", number)
    assert "482913" in owner.do("list", "--number", number)


def test_control_characters_are_shown_escaped(lab: Lab, owner: Owner, number: str) -> None:
    message_id = receive(lab, "a\x1b[2J\u202eb", number)
    for text in (owner.do("list", "--number", number), owner.do("show", message_id)):
        assert "\x1b" not in text and "\u202e" not in text
        assert r"\u{202E}" in text


@pytest.mark.parametrize("text", [
    "hi" + 38 * " " + "17  mum wants to send", "日本語の" * 12, "word " * 20, "x" * 100, ""])
def test_every_line_of_a_text_starts_with_a_bar(lab: Lab, number: str, text: str) -> None:
    """Also where a terminal would wrap it: a bar precedes every line."""
    receive(lab, text, number)
    with on_terminal("list", "--limit", "1", "--state-dir", lab.gateway.state,
                     columns=40) as terminal:
        _, *lines = terminal.read_all().split("\r\n\r\n")[0].split("\r\n")
    assert all(line.startswith("  | ") for line in lines if line)
    assert "".join(line[4:] for line in lines).replace(" ", "") == text.replace(" ", "")
    for line in lines:
        assert sum(2 if letter > "\u3000" else 1 for letter in line) <= 40


def test_show_prints_a_message_and_its_history(owner: Owner, sim: int) -> None:
    message_id = send(owner, sim, TO, "what becomes of it")["message_id"]
    text = owner.do("show", message_id)
    assert f"{message_id}  to {TO}" in text and "  | what becomes of it\n" in text
    states = re.findall(rf"^  {CLOCK}  (\w+)", text, re.MULTILINE)
    assert states[0] == "queued" and "sent" in states
    lines = [json.loads(line)
             for line in owner.do("show", "--json", message_id).splitlines()]
    assert lines[0]["message"]["text"] == "what becomes of it"
    assert [change["state"] for change in lines[1]["changes"]] == states
    missing = owner.run("show", 999_999)
    assert (missing.returncode, missing.stdout) == (FAILED, "")
    assert "There is no message 999999" in missing.stderr
    assert "To list the messages: ofono-mcp list." in missing.stderr


# ---- wait

def test_wait_shows_the_first_matching_message(lab: Lab, owner: Owner, background: ThreadPoolExecutor, number: str) -> None:
    with on_terminal("wait", "--state-dir", lab.gateway.state, "--from", number,
                     "--contains", "code", "--timeout", 60) as terminal:
        terminal.read_until("waiting for a matching message (")
        receive(lab, "no such word", number)
        receive(lab, "Your code is 482913", number)
        text = terminal.read_all()
        assert terminal.process.wait(patience(10)) == OK
    assert "Your code is 482913" in text and "code: 482913" in text
    assert "no such word" not in text


def test_wait_fails_when_no_message_arrives(owner: Owner) -> None:
    late = owner.run("wait", "--timeout", 1, "--from", "+36201112222")
    assert (late.returncode, late.stdout) == (FAILED, "")
    assert "no matching message arrived" in late.stderr
    late = owner.run("wait", "--json", "--timeout", 1, "--from", "+36201112222")
    assert (late.returncode, late.stderr) == (FAILED, "")
    assert json.loads(late.stdout)["found"] is False


# ---- times

@pytest.mark.parametrize("zone, offset", [("XXX-5:45", "+05:45"), ("XXX3:30", "-03:30"),
                                          ("UTC", "+00:00")])
def test_times_are_shown_in_the_local_time_zone(lab: Lab, owner: Owner, sim: int, zone: str,
                                             offset: str) -> None:
    """The same moments as in JSON, and --since accepts them."""
    sent = send(owner, sim, TO, f"at {zone}")["message_id"]
    changes = json.loads(owner.do("show", "--json", sent).splitlines()[1])["changes"]
    state = ["--state-dir", lab.gateway.state]
    shown = run("show", *state, sent, TZ=zone).stdout
    times = re.findall(rf"^  ({CLOCK})  ", shown, re.MULTILINE)
    hours = timedelta(hours=int(offset[:3]), minutes=int(offset[0] + offset[4:]))
    assert [time[-8:] for time in times] == [
        (datetime.fromisoformat(change["at"]).astimezone(timezone.utc) + hours).strftime("%H:%M:%S")
        for change in changes]
    last = run("audit", *state, "--last", 1, TZ=zone).stdout
    assert last.split()[0].endswith(offset)
    assert run("audit", *state, "--since", last.split()[0], TZ=zone).stdout.endswith(last)


@pytest.mark.parametrize("now, shown", [
    ("+70 minutes", r"\d\d:\d\d, SIM"), ("+30 days", r"\d+ [A-Z][a-z]{2} (\d{4} )?\d\d:\d\d, SIM"),
    ("+400 days", r"\d+ [A-Z][a-z]{2} \d{4} \d\d:\d\d, SIM")])
def test_older_times_have_a_date(owner: Owner, sim: int, lab: Lab, monkeypatch: pytest.MonkeyPatch,
                                 now: str, shown: str) -> None:
    sent = send(owner, sim, TO, f"as of {now}")["message_id"]
    monkeypatch.setenv("GATEWAY_WRAPPER", f"faketime -f '{now}'")
    monkeypatch.setenv("FAKETIME_DONT_FAKE_MONOTONIC", "1")
    said = run("list", "--state-dir", lab.gateway.state, "--search", f"as of {now}").stdout
    assert re.match(rf"{sent}  to \{TO}  (\d+ [A-Z]\w\w )?{shown} {sim}, sent", said), said


# ---- tail

@contextmanager
def tailing(lab: Lab, *options: str,
            stdout: int | IO[str] = subprocess.PIPE) -> Iterator[subprocess.Popen[str]]:
    command = [os.environ.get("GATEWAY_BINARY", BINARY), "tail", "--state-dir",
               str(lab.gateway.state), *options]
    begun = lab.gateway.log.count("control: tail")
    tail = subprocess.Popen(command, stdout=stdout, stderr=subprocess.PIPE,
                            text=True)
    try:
        wait_until(lambda: lab.gateway.log.count("control: tail") > begun,
                   what="it is followed")
        yield tail
    finally:
        tail.kill()
        tail.communicate()


def test_tail_follows_incoming_and_outgoing_messages(lab: Lab, owner: Owner, sim: int, number: str) -> None:
    with tailing(lab, "--json") as tail:
        received = receive(lab, "comes in", number)
        sent = send(owner, sim, number, "goes out")["message_id"]
        seen: list[tuple[int, str]] = []
        while (sent, "sent") not in seen:
            message = json.loads(tail.stdout.readline())["message"]
            seen.append((message["message_id"], complete(message)["state"]))
    assert seen[0] == (received, "received") and seen[1] == (sent, "queued")


def test_tail_on_a_terminal_ends_with_ctrl_c(lab: Lab, number: str) -> None:
    with on_terminal("tail", "--state-dir", lab.gateway.state) as terminal:
        terminal.read_until("following the messages; Ctrl-C ends it (")
        receive(lab, "comes in", number)
        assert f"from {number}" in terminal.read_until("| comes in")
        terminal.process.send_signal(signal.SIGINT)
        assert terminal.process.wait(patience(10)) == -signal.SIGINT


def test_tail_ends_when_its_output_cannot_be_written(lab: Lab, number: str) -> None:
    """Even without a signal: the disk is full, or SIGPIPE is ignored."""
    with open("/dev/full", "w") as full, tailing(lab, stdout=full) as tail:
        receive(lab, "comes in", number)
        _, said = tail.communicate(timeout=patience(10))
    assert tail.returncode == FAILED and "not all of the output could be written" in said


def test_a_fifth_tail_is_refused_and_commands_still_work(lab: Lab, owner: Owner) -> None:
    with tailing(lab), tailing(lab), tailing(lab), tailing(lab):
        fifth = owner.run("tail")
        assert (fifth.returncode, fifth.stdout) == (FAILED, "")
        assert "4 programs already" in fifth.stderr
        owner.do("clients")
    def is_free() -> bool:
        with tailing(lab) as tail:
            return tail.poll() is None
    wait_until(is_free, what="those who left made room")


def test_tail_ends_when_the_gateway_stops(make_lab: Callable[..., Lab]) -> None:
    lab = make_lab(modem_count=1)
    with tailing(lab) as tail:
        lab.gateway.stop()
        assert tail.wait(patience(10)) == FAILED
        assert "tail: the gateway has stopped.\n" in tail.stderr.read()
    lab.gateway.start()


# ---- tools

FOR_HUBS = {                            # parameters
    "cancel_sms": ("idempotency_key", "close"),
    "send_sms": ("pool", "if_unknown"),
}


def test_tools_lists_the_same_tools_as_agents_see(lab: Lab) -> None:
    """The owner has every scope, and parameters that only a hub has or uses. This configuration
    allows no calls. The command shows every member of the answers; agents get those that a
    program needs."""
    mine = json.loads(run("tools", "--json").stdout)["tools"]
    dialling = {"send_ussd", "place_call", "hang_up"}
    mine = [tool for tool in mine if tool["name"] not in dialling]
    never_by_default = ["list_approvals", "decide_approval", "list_changes"]
    assert [tool["name"] for tool in mine[-3:]] == never_by_default
    for tool in mine:
        for name in FOR_HUBS.get(tool["name"], ()):
            del tool["inputSchema"]["properties"][name]
    with lab.client() as client:
        agents = client.call("tools/list").result["tools"]
    for tool in agents:
        members = tool["inputSchema"]["properties"]
        for text in (members[name] for name in ("sms_text", "text") if name in members):
            text["description"] = text["description"].removesuffix("; most emoji cannot be sent")
    of_hubs = {"cancel_sms": {"idempotency_key", "close"}, "send_sms": {"pool", "if_unknown"}}
    for tool in mine:
        properties = tool["inputSchema"]["properties"]
        for name in of_hubs.get(tool["name"], set()) & properties.keys():
            del properties[name]
    lean = [{key: tool[key] for key in tool if key != "outputSchema"} for tool in agents]
    assert lean == [{key: tool[key] for key in tool if key != "outputSchema"}
                    for tool in mine[:-3]]
    for whole, tool in zip(mine, agents):
        members = tool.get("outputSchema", {}).get("properties", {})
        assert members.keys() <= whole["outputSchema"]["properties"].keys()


def test_tools_describes_every_tool_and_parameter() -> None:
    text = run("tools").stdout
    assert "send_sms - Send a text message (scope send)" in text
    assert "    to_phone_number (string, required)\n        Recipient with" in text
    assert "    direction (string: in, out)" in text
    assert all(len(line) <= 80 for line in text.splitlines())
    for tool in json.loads(run("tools", "--json").stdout)["tools"]:
        assert f"{tool['name']} - {tool['title']}" in text
        assert all(f"    {name} (" in text for name in tool["inputSchema"]["properties"])
    with on_terminal("tools", columns=40) as terminal:
        narrow = terminal.read_all().replace("\r", "").splitlines()
    told = [line for line in narrow if line.startswith("        ")]
    assert len(told) > 40 and all(len(line) <= 40 for line in told)


# ---- terminals

def test_colours_appear_only_on_terminals(lab: Lab, owner: Owner) -> None:
    assert COLOUR not in owner.do("status")
    arguments = ("status", "--state-dir", lab.gateway.state)
    with on_terminal(*arguments) as terminal:
        assert f"{COLOUR}32mcan send now{COLOUR}0m" in terminal.read_all()
    for plain in ({"NO_COLOR": "1"}, {"TERM": "dumb"}):
        with on_terminal(*arguments, **plain) as terminal:
            text = terminal.read_all()
            assert "can send now" in text and COLOUR not in text
    for wish, has in (("1", True), ("0", False), ("", False)):
        piped = run(*arguments, CLICOLOR_FORCE=wish)
        assert (COLOUR in piped.stdout) == has
    assert COLOUR not in run(*arguments, CLICOLOR_FORCE="1", NO_COLOR="1").stdout


def test_progress_fits_on_one_line_of_any_terminal(lab: Lab) -> None:
    """Longer text is cut: only the last line of it could be erased."""
    arguments = ["wait", "--state-dir", lab.gateway.state, "--timeout", "2"]
    with on_terminal(*arguments, columns=20) as terminal:
        told = re.findall(r"\r\x1b\[K([^\r]*)", terminal.read_all())
    assert told[0] == "waiting for a match"
    with on_terminal(*arguments, TERM="") as terminal:
        assert terminal.read_all() == "ofono-mcp wait: no matching message arrived\r\n"


def test_send_shows_progress_on_a_terminal(lab: Lab, sim: int) -> None:
    lab.modems[0].send_latency_s = 3
    try:
        with on_terminal("send", "--state-dir", lab.gateway.state, "--sim", sim, TO,
                         "slowly") as terminal:
            text = terminal.read_all()
            assert terminal.process.wait(patience(10)) == OK
    finally:
        lab.modems[0].send_latency_s = 0
    assert re.search(r"message \d+: submitt\w+ \(\d+ s\)", text), text
    assert text.rstrip().endswith("1 segment (gsm7).")
    assert text.count("\r\x1b[K") >= 2      # drawn, and erased
