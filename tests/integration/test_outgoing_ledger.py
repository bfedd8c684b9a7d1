# SPDX-License-Identifier: GPL-2.0-or-later
"""Outgoing messages: keys, duplicates, waiting, schedules, expiry.

Cancelling and dry runs: test_cancel_and_dry_run.py; delivery reports:
test_delivery_reports.py.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime

import pytest

from agent import (
    TO, Agent, assert_already_sent, assert_refused, assert_sent, pair, seconds_ahead,
    taken_texts,
)
from lab import Lab, wait_until
from modem import HOME, SEARCHING, Outcome
from modem.patience import patience

SOON_S = 3                              # a schedule that a test waits for
ROUND_S = 1                             # the tolerance of a schedule

LAB = {"modem_count": 1, "notices_repeats": True}


# ---- keys -------------------------------------------------------------------------

def test_a_key_survives_a_kill_and_a_restart(make_lab: Callable[..., Lab]) -> None:
    lab = make_lab()
    agent = Agent(lab)
    first = agent.send("once", idempotency_key="k")
    assert_sent(first)
    lab.gateway.kill()
    lab.gateway.start()
    lab.gateway.restart()
    # at once, before the modems are known again: the answer needs no SIM
    again = agent.send("once", idempotency_key="k")
    assert_already_sent(again)
    assert again.facts == first.facts | {"replayed": True}
    assert taken_texts(lab) == ["once"]


def test_concurrent_calls_with_one_key_send_once(lab: Lab, agent: Agent) -> None:
    lab.modems[0].send_latency_s = 0.5
    try:
        with ThreadPoolExecutor(8) as pool:
            calls = [pool.submit(agent.send, "together", idempotency_key="together")
                     for _ in range(8)]
            results = [one.result() for one in calls]
    finally:
        lab.modems[0].send_latency_s = 0.0
    for result in results:
        (assert_already_sent if "replayed" in result.facts else assert_sent)(result)
    assert len({result.message_id for result in results}) == 1
    assert sum("replayed" in result.facts for result in results) == 7
    assert [submit.text for submit in lab.modems[0].offered] == ["together"]


def test_a_key_for_another_message_is_refused(lab: Lab, agent: Agent) -> None:
    first = agent.send("one", idempotency_key="stands")
    for other in (agent.send("two", idempotency_key="stands"),
                  agent.send("one", to="+36301234568", idempotency_key="stands")):
        assert_refused(other, "duplicate_suppressed")
        assert str(first.message_id) in other.text
    # the number may be written differently
    for spelt in ("+36 30 123 4567", "06301234567", "0036301234567"):
        assert_already_sent(agent.send("one", to=spelt, idempotency_key="stands"))
    assert taken_texts(lab) == ["one"]


def test_a_failure_is_replayed_too(lab: Lab, agent: Agent) -> None:
    lab.modems[0].plan(Outcome.cms(38))
    first = agent.send("refused", idempotency_key="fails")
    assert_refused(first, "network_refused")
    again = agent.send("refused", idempotency_key="fails")
    assert_refused(again, "network_refused")
    assert again.facts == first.facts | {"replayed": True}
    assert "needs a new idempotency_key" in first.text
    assert taken_texts(lab) == []


@pytest.mark.parametrize("key", ["", "x" * 65])
def test_bad_keys_are_refused(lab: Lab, agent: Agent, key: str) -> None:
    assert_refused(agent.send("bad key", idempotency_key=key), "invalid_arguments")
    assert taken_texts(lab) == []


@pytest.mark.parametrize("key", ["", " ", "null", "None", "undefined", "string", "N/A", "nil", "key",
                                 "idempotency_key", "<uuid>", "{{key}}", "0", "-"])
def test_placeholders_are_no_keys(lab: Lab, agent: Agent, key: str) -> None:
    """Every message of such a client would have the same one. tests/unit/test_placeholder.c has more."""
    for more in {}, {"to_phone_numbers": ["+36301234568"]}:
        refused = agent.send("first text", idempotency_key=key, **more)
        assert_refused(refused, "invalid_arguments")
        assert "idempotency_key" in refused.facts["fix"]
    forecast = agent.send("first text", idempotency_key=key, dry_run=True).facts
    assert [one["code"] for one in forecast["refusals"]] == ["invalid_arguments"]
    for tool in "get_sms_status", "cancel_sms":
        assert_refused(agent.call(tool, idempotency_key=key), "invalid_arguments")
    assert taken_texts(lab) == []


def test_keys_belong_to_one_client(make_lab: Callable[..., Lab]) -> None:
    lab = make_lab(gateway_open=False)
    one, two = (Agent(lab, pair(lab.gateway, name)) for name in ("one", "two"))
    one.wait_states("ready", timeout=10)
    assert_sent(one.send("mine", idempotency_key="k"))
    assert_sent(two.send("mine", idempotency_key="k"))
    assert two.send("mine", idempotency_key="k").facts["replayed"]
    assert taken_texts(lab) == ["mine", "mine"]


def test_a_replay_says_that_nothing_new_was_sent(lab: Lab, agent: Agent) -> None:
    """Also to a client that passes on the first text alone, and with the time of the phone."""
    assert_sent(first := agent.send("say so", idempotency_key="say so"))
    again = agent.send("say so", idempotency_key="say so")
    assert_already_sent(again)
    history = agent.call("get_sms_status", history=True, message_id=first.message_id).structured
    [at] = [change["at"] for change in history["changes"] if change["state"] == "sent"]
    assert at[11:16] in again.text
    waiting = agent.send("say so", idempotency_key="say so", wait_for="delivered", wait_seconds=1)
    assert_already_sent(waiting)
    assert taken_texts(lab) == ["say so"]


def test_a_replay_of_a_waiting_message_says_that_nothing_new_was_sent(agent: Agent) -> None:
    later = {"send_at": seconds_ahead(3600), "idempotency_key": "much later"}
    first = agent.send("much later", **later)
    again = agent.send("much later", **later)
    assert again.facts == first.facts | {"replayed": True}
    assert "Nothing new was sent" in again.text and "Nothing new" not in first.text
    agent.cancel(first.message_id)


# ---- duplicates without a key -----------------------------------------------------

def test_a_duplicate_gets_the_answer_of_the_first_message(lab: Lab, agent: Agent) -> None:
    first = agent.send("twice?")
    assert_sent(first)
    again = agent.send("twice?")
    assert not again.is_error
    assert again.facts == first.facts | {"duplicate": True}
    assert_already_sent(again)
    assert "idempotency_key" in again.text
    assert agent.send("twice?", to="06301234567").facts["duplicate"]
    assert taken_texts(lab) == ["twice?"]
    assert_sent(agent.send("twice?", idempotency_key="fresh, on purpose"))
    assert taken_texts(lab) == ["twice?", "twice?"]


def test_concurrent_duplicates_are_sent_once(lab: Lab, agent: Agent) -> None:
    lab.modems[0].send_latency_s = 0.5
    try:
        with ThreadPoolExecutor(4) as pool:
            calls = [pool.submit(agent.send, "impatient") for _ in range(4)]
            results = [one.result() for one in calls]
    finally:
        lab.modems[0].send_latency_s = 0.0
    assert {result.facts["state"] for result in results} == {"sent"}
    assert sum(result.text.startswith(f"SMS sent to {TO} (") for result in results) == 1
    assert len(lab.modems[0].offered) == 1


def test_the_duplicate_window_is_configurable(make_lab: Callable[..., Lab]) -> None:
    lab = make_lab("[sms]\nduplicate_seconds = 0\n")
    agent = Agent(lab)
    assert_sent(agent.send("again"))
    assert_sent(agent.send("again"))
    lab = make_lab("[sms]\nduplicate_seconds = 1\n")
    agent = Agent(lab)
    assert_sent(agent.send("later"))
    wait_until(lambda: "duplicate" not in agent.send("later").facts,
               what="the window is over")
    assert taken_texts(lab) == ["later", "later"]


# ---- waiting ----------------------------------------------------------------------

def test_wait_for_none_answers_at_once(lab: Lab, agent: Agent) -> None:
    """While the modem still hangs."""
    modem = lab.modems[0]
    offered, taken = len(modem.offered), len(modem.taken)
    modem.plan(Outcome.hang())
    try:
        result = agent.send("no waiting", wait_for="none")
        assert result.facts["state"] == "queued" and "not sent yet" in result.text
        modem.wait_offered(offered + 1)
        assert len(modem.taken) == taken
    finally:
        modem.unhang(Outcome.ok())
    agent.wait_state(result.message_id, "sent")


def test_wait_seconds_limits_the_wait(lab: Lab, agent: Agent) -> None:
    lab.modems[0].send_latency_s = patience(2)
    try:
        result = agent.send("a second", wait_seconds=1)
        assert result.facts["state"] == "submitted"
        result = agent.send("a second", wait_seconds=10)
        assert result.facts["state"] == "sent" and result.facts["duplicate"]
    finally:
        lab.modems[0].send_latency_s = 0.0


def test_waiting_for_delivery_without_a_report_ends_as_sent(agent: Agent) -> None:
    result = agent.send("did it arrive", wait_for="delivered", wait_seconds=1)
    assert result.text == (f"SMS sent to {TO}. No delivery report has come yet "
                           f"(message {result.message_id}).")
    assert result.facts["state"] == "sent" and result.facts["delivery"] == "awaited"


def test_waiting_for_delivery_ends_early_with_reports_off(make_lab: Callable[..., Lab]) -> None:
    lab = make_lab("[sms]\ndelivery_reports = no\n")
    agent = Agent(lab)
    begun = time.monotonic()
    result = agent.send("no reports", wait_for="delivered", wait_seconds=60)
    assert time.monotonic() - begun < patience(10)
    assert result.facts["delivery"] == "none"
    assert not lab.radios[0].properties("MessageManager")["UseDeliveryReports"]


def test_delivery_reports_are_enabled_at_every_ofono_start(make_lab: Callable[..., Lab]) -> None:
    lab = make_lab()

    def is_on() -> bool:
        return bool(lab.radios[0].properties("MessageManager").get("UseDeliveryReports"))
    wait_until(is_on, what="UseDeliveryReports is on")
    lab.ofonod.kill()                   # which forgets the message
    lab.ofonod.start()
    lab.bring_up()
    wait_until(is_on, what="UseDeliveryReports is on again")


# ---- schedules and validity -------------------------------------------------------

def test_a_scheduled_message_goes_out_at_its_time(lab: Lab, agent: Agent) -> None:
    at = time.time() + SOON_S
    result = agent.send("at its time", send_at=seconds_ahead(SOON_S))
    assert not result.is_error
    assert result.facts["state"] == "scheduled" and "send_at" in result.facts
    assert "not sent yet" in result.text and "SMS sent" not in result.text
    lab.modems[0].wait_taken(1, SOON_S + 5)
    assert -0.01 <= time.time() - at < patience(ROUND_S)
    agent.wait_state(result.message_id, "sent")
    assert agent.history(result.message_id) == [
        "scheduled", "queued", "submitting", "submitted", "sent"]


def test_scheduled_messages_survive_a_crash(make_lab: Callable[..., Lab]) -> None:
    lab = make_lab()
    agent = Agent(lab)
    result = agent.send("after the restart", send_at=seconds_ahead(patience(SOON_S)))
    overdue = agent.send("overdue", send_at=seconds_ahead(1))
    lab.gateway.kill()
    due = datetime.fromisoformat(overdue.facts["send_at"]).timestamp()
    wait_until(lambda: time.time() > due, what="its time passes while nobody is there")
    assert lab.modems[0].taken == []
    lab.gateway.start()
    assert [s.text for s in lab.modems[0].wait_taken(2)] == ["overdue", "after the restart"]
    agent.wait_state(result.message_id, "sent")
    agent.wait_state(overdue.message_id, "sent")


def test_scheduling_needs_no_network(make_lab: Callable[..., Lab]) -> None:
    lab = make_lab()
    agent = Agent(lab)
    [sim] = agent.call("get_sms_subscriptions").structured["subscriptions"]
    lab.modems[0].set_registration(SEARCHING)
    agent.wait_states("searching")
    result = agent.send("when there is a network", send_at=seconds_ahead(2),
                  subscription_id=sim["subscription_id"])
    assert result.facts["state"] == "scheduled"
    agent.wait_state(result.message_id, "queued")
    lab.modems[0].set_registration(HOME)
    agent.wait_state(result.message_id, "sent")


@pytest.mark.parametrize("at, word", [
    ("tomorrow", "RFC 3339"), ("2026-11-21", "RFC 3339"), ("2026-11-21T08:30:00", "RFC 3339"),
    ("2036-11-21T08:30", "example 2036-11-21T08:30:00"),
    ("2020-01-01T00:00:00Z", "has passed"), ("2099-01-01T00:00:00Z", "30 days"),
])
def test_bad_send_times_are_refused(lab: Lab, agent: Agent, at: str, word: str) -> None:
    result = agent.send("bad time", send_at=at)
    assert_refused(result, "invalid_arguments")
    assert word in result.text
    assert taken_texts(lab) == []


def test_reminders_at_two_times_are_two_messages(agent: Agent) -> None:
    one = agent.send("reminder", send_at=seconds_ahead(60))
    two = agent.send("reminder", send_at=seconds_ahead(120))
    assert one.message_id != two.message_id and "duplicate" not in two.facts
    for message in (one, two):
        assert agent.cancel(message.message_id).facts["state"] == "cancelled"


@pytest.mark.parametrize("seconds", [0, 59, 2592001])
def test_a_bad_validity_is_refused(agent: Agent, seconds: int) -> None:
    result = agent.send("bad validity", valid_for_seconds=seconds)
    assert_refused(result, "invalid_arguments")


def shorten_validity(lab: Lab, message_id: int, seconds: float) -> None:
    """Clients may ask for a minute at least; a test cannot wait that long."""
    lab.gateway.stop()
    with sqlite3.connect(lab.gateway.state / "gateway.db") as database:
        database.execute("UPDATE message SET expires_at = ? WHERE id = ?",
                         (int((time.time() + seconds) * 1000), message_id))
    database.close()
    lab.gateway.start()


def test_an_expired_scheduled_message_is_never_sent(make_lab: Callable[..., Lab]) -> None:
    lab = make_lab()
    agent = Agent(lab)
    result = agent.send("too old", send_at=seconds_ahead(60), valid_for_seconds=60)
    shorten_validity(lab, result.message_id, -1)
    agent.wait_state(result.message_id, "expired")
    assert lab.modems[0].offered == []
