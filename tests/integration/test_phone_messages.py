# SPDX-License-Identifier: GPL-2.0-or-later
"""What other programs of the phone send through the real ofonod, as our plugin records it."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta, timezone
from pathlib import Path

import pytest

from agent import TO, Agent, assert_sent, pair, taken_texts
from lab import Lab, wait_until
from lab.ofonod import PLUGIN
from lab.radio import call
from ledger import Ledger
from modem import Outcome
from owner import Owner

PHONE = -4                              # CLIENT_PHONE
SUBMITTING, SUBMITTED, SENT, FAILED, CANCELLED, UNKNOWN, DELIVERED = 2, 3, 5, 6, 7, 8, 12
LAB = {"modem_count": 1, "plugin": PLUGIN, "notices_repeats": True}


def send_from_phone(lab: Lab, text: str, to: str = TO) -> str:
    """As the phone's own app does: a call of its own. Returns the UUID."""
    return lab.radios[0].send_message(to, text).rsplit("message_", 1)[1]


def rows(lab: Lab, text: str) -> list:
    return Ledger(lab).rows("SELECT * FROM message WHERE text = ? ORDER BY id", text)


def wait_row(lab: Lab, text: str, state: int) -> dict:
    wait_until(lambda: [row["state"] for row in rows(lab, text)] == [state],
               what=f"{text} has one row in state {state}: "
                    f"{[dict(row) for row in rows(lab, text)]}")
    return dict(rows(lab, text)[0])


def listed(agent: Agent, text: str) -> list[dict]:
    answer = agent.call("list_sms").structured
    return [message for message in answer["messages"] if message["text"] == text]


def outgoing_files(lab: Lab) -> list[str]:
    return sorted(file.name for file in (lab.gateway.spool / ".outgoing").iterdir()
                  if not file.name.startswith("."))


def test_a_message_of_another_program_is_listed_with_its_origin(lab: Lab, agent: Agent) -> None:
    send_from_phone(lab, "sent by the app")
    row = wait_row(lab, "sent by the app", SENT)
    assert (row["client_id"], row["phone_number"]) == (PHONE, TO)
    [message] = listed(agent, "sent by the app")
    assert message["to"] == TO and message["origin"] == "phone"
    wait_until(lambda: outgoing_files(lab) == [], what="the records are taken")


def test_conversations_and_searches_show_what_the_owner_sent(lab: Lab, agent: Agent) -> None:
    to = "+36301230001"
    send_from_phone(lab, "I will be late, Ada", to)
    wait_row(lab, "I will be late, Ada", SENT)
    found = agent.call("list_sms", search="late").structured["messages"]
    assert [(one["to"], one["origin"]) for one in found] == [(to, "phone")]
    conversation = agent.call("list_sms", phone_number=to).structured["messages"]
    assert [(one["text"], one["origin"]) for one in conversation] == [
        ("I will be late, Ada", "phone")]
    rows_of = agent.call("list_sms_conversations").structured["conversations"]
    assert any(to in str(row) for row in rows_of), rows_of


def test_a_message_of_the_gateway_appears_once_and_without_origin(lab: Lab, agent: Agent) -> None:
    assert_sent(agent.send("mine, once"))
    send_from_phone(lab, "after mine")
    wait_row(lab, "after mine", SENT)   # the records are read in their order
    [message] = listed(agent, "mine, once")
    assert "origin" not in message
    assert len(rows(lab, "mine, once")) == 1
    assert rows(lab, "") == []          # nor once more, without its content


def test_the_owner_and_admins_see_who_sent_each_message(make_lab: Callable[..., Lab]) -> None:
    lab = make_lab(gateway_open=False)
    owner = Owner(lab.gateway.state)
    agent, admin = (Agent(lab, pair(lab.gateway, name)) for name in ("claude", "deputy"))
    owner.do("change", "--scope", "read,admin", "deputy")
    assert_sent(agent.send("of the agent"))
    owner.do("send", TO, "of the owner")
    send_from_phone(lab, "of the app")
    row = wait_row(lab, "of the app", SENT)
    for reader, client in ((admin, True), (agent, False)):
        page = reader.call("list_sms").structured["messages"]
        assert [(one.get("client"), one.get("origin")) for one in page] == [
            (None, "phone"), ("owner" if client else None, None), ("claude" if client else None, None)]
    said = owner.do("list")
    assert re.findall(r"sent, (by .*)", said) == ["by the phone's app", "by you", "by claude"]
    assert "by the phone's app" in owner.do("show", row["id"])
    status = admin.call("get_sms_status", message_id=row["id"] - 2).structured
    assert status["client"] == "claude"


def test_a_refused_message_of_the_phone_is_failed(lab: Lab, agent: Agent) -> None:
    lab.modems[0].plan(Outcome.cms(38))
    send_from_phone(lab, "refused by the network")
    wait_row(lab, "refused by the network", FAILED)


def test_a_delivery_report_reaches_a_message_of_the_phone(lab: Lab, agent: Agent) -> None:
    count = len(lab.modems[0].taken)
    send_from_phone(lab, "reported")
    submit = lab.modems[0].wait_taken(count + 1)[-1]
    wait_row(lab, "reported", SENT)
    lab.modems[0].report(submit, True)
    wait_row(lab, "reported", DELIVERED)


def test_the_owner_answered_so_the_agent_does_not_repeat_it(lab: Lab, agent: Agent) -> None:
    send_from_phone(lab, "on my way")
    row = wait_row(lab, "on my way", SENT)
    again = agent.send("on my way")
    assert again.facts["duplicate"] and again.facts["message_id"] == row["id"]
    assert taken_texts(lab).count("on my way") == 1


def test_agents_cannot_cancel_what_the_phone_sends(lab: Lab, agent: Agent) -> None:
    lab.modems[0].plan(Outcome.hang())
    send_from_phone(lab, "hangs in the modem")
    wait_until(lambda: rows(lab, "hangs in the modem"), what="it has a row")
    answer = agent.call("cancel_sms", message_id=rows(lab, "hangs in the modem")[0]["id"])
    assert answer.is_error and "You have sent no message" in answer.text
    lab.modems[0].unhang(Outcome.ok())
    wait_row(lab, "hangs in the modem", SENT)


def test_what_the_phone_sends_uses_up_no_limit(make_lab: Callable[..., Lab]) -> None:
    lab = make_lab(policy="[policy]\nper_hour = 2\n")
    agent = Agent(lab)
    for text in ("one", "two", "three"):
        send_from_phone(lab, text)
        wait_row(lab, text, SENT)
    assert Ledger(lab).rows("SELECT * FROM usage") == []
    assert_sent(agent.send("four"))
    assert_sent(agent.send("five"))
    assert agent.send("six").is_error


def test_what_the_phone_sent_while_the_gateway_was_down_is_there_later(
        make_lab: Callable[..., Lab]) -> None:
    lab = make_lab()
    Agent(lab)
    lab.gateway.kill()
    for text in ("first", "second " * 40):
        send_from_phone(lab, text)
    lab.modems[0].wait_taken(1 + 2)
    lab.gateway.start()
    for text in ("first", "second " * 40):
        wait_row(lab, text, SENT)
    assert [row["text"] for row in Ledger(lab).rows("SELECT text FROM message ORDER BY id")] == [
        "first", "second " * 40]


def test_a_power_cut_between_row_and_removal_makes_no_second_row(
        make_lab: Callable[..., Lab]) -> None:
    """The file is still there, and is read again."""
    lab = make_lab()
    Agent(lab)
    lab.gateway.kill()
    send_from_phone(lab, "read twice")
    lab.modems[0].wait_taken(1)
    wait_until(lambda: len(outgoing_files(lab)) == 2, what="accepted and sent are recorded")
    folder = lab.gateway.spool / ".outgoing"
    kept = {name: (folder / name).read_bytes() for name in outgoing_files(lab)}
    for _ in range(2):
        lab.gateway.start()
        wait_row(lab, "read twice", SENT)
        lab.gateway.kill()
        for name, content in kept.items():
            (folder / name).write_bytes(content)


@pytest.mark.parametrize("name", ["README", "1" * 20 + "-" + "A" * 40 + ".out"])
def test_a_damaged_or_foreign_record_is_set_aside(make_lab: Callable[..., Lab], name: str) -> None:
    lab = make_lab()
    Agent(lab)
    lab.gateway.kill()
    folder = lab.gateway.spool / ".outgoing"
    (folder / name).write_text("{}")
    send_from_phone(lab, "behind it")
    lab.modems[0].wait_taken(1)
    lab.gateway.start()
    wait_row(lab, "behind it", SENT)
    assert (folder / f"{name}.bad").read_text() == "{}"


def test_files_that_can_be_neither_taken_nor_renamed_block_no_record(make_lab: Callable[..., Lab]) -> None:
    lab = make_lab(**LAB)
    for number in range(65):            # more than SPOOL_FILE_LIST_MAX, and before every record
        (lab.gateway.spool / ".outgoing" / f"{number:0255}").touch()
    send_from_phone(lab, "behind them")
    wait_row(lab, "behind them", SENT)
    assert lab.gateway.log.count("cannot be renamed") < 65 * 10     # once in each pass


def test_events_show_what_the_phone_sends(make_lab: Callable[..., Lab]) -> None:
    lab = make_lab()
    agent = Agent(lab)
    send_from_phone(lab, "as an event")
    row = wait_row(lab, "as an event", SENT)
    feed = Ledger(lab).rows("SELECT * FROM feed WHERE type = 2 AND subject_id = ?", row["id"])
    assert {entry["client_id"] for entry in feed} == {PHONE}
    assert [entry["state"] for entry in feed][-1] == SENT


def test_a_refused_call_of_the_phone_leaves_no_row(make_lab: Callable[..., Lab]) -> None:
    lab = make_lab()
    Agent(lab)
    with pytest.raises(Exception, match="InvalidFormat"):
        send_from_phone(lab, "to nobody", "not a number")
    send_from_phone(lab, "to somebody")
    wait_row(lab, "to somebody", SENT)
    assert rows(lab, "to nobody") == []


def test_a_removed_folder_is_read_again(make_lab: Callable[..., Lab]) -> None:
    lab = make_lab()
    folder = lab.gateway.spool / ".outgoing"
    shutil.rmtree(folder)
    wait_until(folder.is_dir, what="the folder is there again")
    send_from_phone(lab, "into the new one")
    wait_row(lab, "into the new one", SENT)


def test_get_sms_status_shows_the_origin(lab: Lab, agent: Agent) -> None:
    send_from_phone(lab, "whose is this")
    row = wait_row(lab, "whose is this", SENT)
    status = agent.call("get_sms_status", message_id=row["id"], history=True).structured
    assert (status["origin"], status["state"], status["phone_number"]) == ("phone", "sent", TO)
    assert [change["state"] for change in status["changes"]][-1] == "sent"


def test_list_changes_shows_a_hub_what_the_phone_sends(
        make_lab: Callable[..., Lab]) -> None:
    lab = make_lab(gateway_open=False)
    token = pair(lab.gateway, "hub")
    Owner(lab.gateway.state).do("change", "--scope", "read,hub", "hub")
    hub = Agent(lab, token)
    hub.wait_states("ready")
    before = hub.call("list_changes").structured["cursor"]
    send_from_phone(lab, "for the hub, too")
    row = wait_row(lab, "for the hub, too", SENT)
    changes = [one for one in hub.call("list_changes", after=before).structured["changes"]
               if one.get("message_id") == row["id"]]
    assert {(one["type"], one["origin"], one["to"], one["text"]) for one in changes} == {
        ("state", "phone", TO, "for the hub, too")}
    assert changes[-1]["state"] == "sent"
    snapshot = hub.call("list_changes").structured["changes"]
    assert [one["text"] for one in snapshot if "id" not in one] == ["for the hub, too"]


def test_answers_of_the_phone_count_in_a_loop(make_lab: Callable[..., Lab]) -> None:
    """Two machines, one of them an auto-reply of the phone: an agent joins no such exchange."""
    lab = make_lab("[incoming]\nloop_exchanges = 2\n")
    agent = Agent(lab)
    sender = "+36301230002"
    for number in range(2):
        sent_at = datetime.now(timezone.utc) + timedelta(seconds=number)
        lab.modems[0].deliver(sender, "I am out of office", sent_at=sent_at)
        wait_until(lambda: len(rows(lab, "I am out of office")) == number + 1,
                   what="their message is stored")
        send_from_phone(lab, f"I am driving {number}", sender)
        wait_row(lab, f"I am driving {number}", SENT)
    refused = agent.send("Shall I answer, too?", to=sender, wait_seconds=0)
    assert refused.structured["approval_reason"] == "loop_suspected", refused


@pytest.mark.parametrize("plugin", [None, PLUGIN], ids=["without", "with"])
def test_two_programs_that_send_at_once_have_a_row_for_each_message(
        make_lab: Callable[..., Lab], plugin: object) -> None:
    lab = make_lab(plugin=plugin)
    agent = Agent(lab)
    ours = [f"of the agent {number}" for number in range(8)]
    theirs = [f"of the app {number}" for number in range(8)]
    with ThreadPoolExecutor(4) as pool:
        sent = [pool.submit(agent.send, text) for text in ours]
        others = [pool.submit(lab.radios[0].send_message, TO, text) for text in theirs]
        for call in sent:
            assert_sent(call.result())
        for other in others:
            other.result()
    everything = "SELECT * FROM message ORDER BY id"
    wait_until(lambda: [row["state"] for row in Ledger(lab).rows(everything)] == [SENT] * 16,
               what="16 messages have one row each, and are sent")
    stored = Ledger(lab).rows(everything)
    assert sorted(taken_texts(lab)) == sorted([*ours, *theirs])
    assert sorted(row["text"] for row in stored if row["client_id"] != PHONE) == ours
    assert sorted(row["text"] for row in stored if row["client_id"] == PHONE) == (
        theirs if plugin else [""] * 8)


@pytest.mark.parametrize("plugin", [None, PLUGIN], ids=["without", "with"])
def test_what_the_app_cancels_with_its_conversation_is_cancelled_and_the_rest_stays(
        make_lab: Callable[..., Lab], plugin: object) -> None:
    """The owner deletes a conversation: the app drops its own copies, and oFono what waits."""
    lab = make_lab(plugin=plugin)
    agent = Agent(lab)
    send_from_phone(lab, "sent before")
    wait_states(lab, SENT)
    lab.modems[0].plan(Outcome.hang())
    send_from_phone(lab, "in the air")
    waiting = lab.radios[0].send_message(TO, "waits behind it")
    wait_states(lab, SENT, SUBMITTED, SUBMITTED)
    call(lab.bus.address, waiting, "Message", "Cancel")
    wait_states(lab, SENT, SUBMITTED, CANCELLED)
    lab.modems[0].unhang(Outcome.ok())
    wait_states(lab, SENT, SENT, CANCELLED)
    assert [message["origin"] for message in agent.call("list_sms").structured["messages"]] == [
        "phone"] * 3


def make_unsafe(folder: Path) -> None:
    folder.chmod(0o777)


def fill(folder: Path) -> None:
    for number in range(4096):
        (folder / f"{number}.bad").touch()


@pytest.mark.parametrize("spoil", [make_unsafe, fill])
def test_what_the_plugin_cannot_record_is_listed_without_its_content(
        make_lab: Callable[..., Lab], spoil: Callable[[Path], None]) -> None:
    lab = make_lab()
    agent = Agent(lab)
    folder = lab.gateway.spool / ".outgoing"
    spoil(folder)
    send_from_phone(lab, "nobody can write this down")
    wait_states(lab, SENT)
    lab.modems[0].plan(Outcome.cms(38))
    send_from_phone(lab, "nor this")
    wait_states(lab, SENT, FAILED)
    assert_sent(agent.send("of the agent"))
    shutil.rmtree(folder)
    wait_until(folder.is_dir, what="the folder is there again")
    send_from_phone(lab, "recorded again")
    wait_row(lab, "recorded again", SENT)
    assert [(one.get("origin"), one["text"]) for one in agent.call("list_sms").structured["messages"]] == [
        ("phone", "recorded again"), (None, "of the agent"), ("phone", ""), ("phone", "")]


# ---- without the plugin

def states(lab: Lab) -> list[int]:
    return [row["state"] for row in Ledger(lab).rows("SELECT state FROM message ORDER BY id")]


def wait_states(lab: Lab, *wanted: int) -> None:
    wait_until(lambda: states(lab) == list(wanted), what=f"{states(lab)} becomes {wanted}")


def test_without_the_plugin_a_message_of_the_phone_is_listed_without_its_content(
        make_lab: Callable[..., Lab]) -> None:
    lab = make_lab(plugin=None)
    agent = Agent(lab)
    send_from_phone(lab, "oFono shows nobody what this says")
    wait_states(lab, SENT)
    [message] = agent.call("list_sms").structured["messages"]
    assert (message["to"], message["text"]) == ("", "")
    assert (message["origin"], message["flags"]) == ("phone", ["content_unknown"])
    status = agent.call("get_sms_status", message_id=message["message_id"], history=True)
    assert (status.structured["origin"], status.structured["state"]) == ("phone", "sent")
    assert "segments" not in status.structured and "cost" not in status.structured


def test_without_the_plugin_outcomes_of_the_phones_messages_are_known(
        make_lab: Callable[..., Lab]) -> None:
    lab = make_lab(plugin=None)
    Agent(lab)
    lab.modems[0].plan(Outcome.cms(38))
    send_from_phone(lab, "refused by the network")
    wait_states(lab, FAILED)


def test_without_the_plugin_the_agents_messages_have_one_row(
        make_lab: Callable[..., Lab]) -> None:
    lab = make_lab(policy="[policy]\nper_hour = 2\n", plugin=None)
    agent = Agent(lab)
    for text in ("one", "two", "three"):
        send_from_phone(lab, text)
    wait_states(lab, SENT, SENT, SENT)
    for text in ("four", "five"):
        assert_sent(agent.send(text))
    assert states(lab) == [SENT] * 5    # the phone's use up no limit
    assert agent.send("six").is_error


def test_without_the_plugin_a_message_that_waits_in_ofono_is_followed_over_a_restart(
        make_lab: Callable[..., Lab]) -> None:
    lab = make_lab(plugin=None)
    Agent(lab)
    lab.modems[0].plan(Outcome.hang())
    send_from_phone(lab, "in the air")
    wait_states(lab, SUBMITTED)
    lab.gateway.kill()
    lab.gateway.start()
    wait_states(lab, SUBMITTED)
    lab.modems[0].unhang(Outcome.ok())
    wait_states(lab, SENT)


def test_without_the_plugin_a_call_that_a_crash_interrupts_has_one_row(
        make_lab: Callable[..., Lab]) -> None:
    """oFono handles it later, and shows a message that nobody can tell from another program's."""
    lab = make_lab(plugin=None)
    agent = Agent(lab)
    lab.ofonod.pause()
    with lab.handovers() as calls:
        agent.send("its answer is lost", wait_for="none")
        calls.wait("SendMessage")
    assert states(lab) == [SUBMITTING]
    lab.gateway.kill()
    lab.gateway.start()
    wait_until(lambda: states(lab) == [UNKNOWN], what="its call is lost")
    lab.ofonod.resume()
    lab.modems[0].wait_taken(1)
    Agent(lab).wait_states("ready", timeout=10)
    assert states(lab) == [UNKNOWN]
