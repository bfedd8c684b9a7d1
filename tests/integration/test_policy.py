# SPDX-License-Identifier: GPL-2.0-or-later
"""What the owner lets agents send: by default, as configured, paused, and as
get_gateway_status shows it."""

from __future__ import annotations

import json
import signal
import sqlite3
from collections.abc import Callable
from contextlib import closing
from datetime import datetime, timezone
from typing import Any

import pytest

from agent import TO, Agent, Result, assert_refused, assert_sent, pair, seconds_ahead
from lab import Lab, wait_until
from lab.radio import call
from modem import HOME, SEARCHING, Outcome, Sim
from owner import Owner
from schema import problems, whole_answer

LAB: dict[str, Any] = {"modem_count": 1, "policy": ""}
MINUTE_S, PER_MINUTE = 60, 10
CLIENTS_AND_SIMS = "client", "sim"


def status(agent: Agent) -> dict[str, Any]:
    return agent.call("get_gateway_status", detail=True).structured


def left(agent: Agent, of: str, per: str) -> dict[str, Any]:
    [limit] = [limit for limit in status(agent)["limits"]
               if (limit["of"], limit["per"]) == (of, per)]
    return limit


def would_refuse(agent: Agent, to: str = TO, text: str = "hello", **more: Any) -> list[str]:
    """The reasons of a dry run, in order."""
    facts = agent.send(text, to=to, dry_run=True, **more).structured
    assert facts["would_send"] == (not facts["refusals"])
    return [refusal["code"] for refusal in facts["refusals"]]


def assert_refused_alike(agent: Agent, code: str, **arguments: Any) -> Result:
    """A send and a dry run agree."""
    result = agent.send("refused", **arguments)
    assert_refused(result, code)
    assert code in would_refuse(agent, **arguments)
    return result


def write(lab: Lab, sql: str) -> None:
    """The output of the owner's commands."""
    with closing(sqlite3.connect(lab.gateway.state / "gateway.db")) as database:
        database.execute(sql)
        database.commit()


def reconfigure(lab: Lab, policy: str, told: str) -> None:
    lab.gateway.policy = policy
    lab.gateway.prepare()
    seen = lab.gateway.log.count(told)
    lab.gateway.send_signal(signal.SIGHUP)
    wait_until(lambda: lab.gateway.log.count(told) > seen, what=f"it says {told}")


# ---- limits

def test_a_restart_does_not_reset_the_minute_limit(make_lab: Callable[..., Lab]) -> None:
    lab = make_lab()
    agent = Agent(lab)
    first = agent.send("the first", idempotency_key="first")
    for i in range(PER_MINUTE - 1):
        assert_sent(agent.send(f"message {i}"))
    refused = assert_refused_alike(agent, "rate_limited")
    assert 1 <= refused.facts["retry_after_seconds"] <= MINUTE_S
    assert "10 messages per minute" in refused.facts["message"]
    # a repeated call for an accepted message gets its outcome
    again = agent.send("the first", idempotency_key="first")
    assert again.structured["message_id"] == first.message_id
    assert again.structured["replayed"] is True
    lab.gateway.restart()
    agent.wait_states("ready", timeout=10)
    assert_refused(agent.send("after a restart"), "rate_limited")
    assert len(lab.modems[0].taken) == PER_MINUTE


def test_cancelling_does_not_restore_the_budget(make_lab: Callable[..., Lab]) -> None:
    agent = Agent(make_lab())
    for i in range(PER_MINUTE):
        result = agent.send(f"not after all {i}", send_at=seconds_ahead(30))
        assert agent.cancel(result.message_id).facts["state"] == "cancelled"
    assert_refused(agent.send("one more"), "rate_limited")
    assert_refused(agent.send("one more", send_at=seconds_ahead(30)), "rate_limited")
    result = agent.send("much later", send_at=seconds_ahead(30 + 2 * MINUTE_S))
    assert result.structured["state"] == "scheduled"


def test_cancelled_schedules_use_only_the_clients_budget(make_lab: Callable[..., Lab]) -> None:
    """A message that a client schedules and cancels costs the SIM nothing, and its number is
    limited."""
    lab = make_lab(gateway_open=False)
    hog, other = (Agent(lab, pair(lab.gateway, name)) for name in ("hog", "other"))
    other.wait_states("ready", timeout=10)
    for i in range(1000):
        result = hog.send(f"not after all {i}", send_at=seconds_ahead(3600 + 60 * i))
        if result.is_error:
            break
        assert hog.cancel(result.message_id).facts["state"] == "cancelled"
    assert i == 60
    assert_refused(result, "rate_limited")
    assert 1 <= result.facts["retry_after_seconds"] <= 3600
    for per in ("minute", "hour", "day", "month"):
        of_sim = left(other, "sim", per)
        assert of_sim["left"] == of_sim["limit"], of_sim
    assert_sent(other.send("undisturbed"))


def used(agent: Agent) -> list[int]:
    """Of the client and of the SIM: minute, hour, day and month."""
    return [limit["limit"] - limit["left"] for limit in status(agent)["limits"]]


def test_what_cannot_be_sent_uses_up_no_limit(make_lab: Callable[..., Lab]) -> None:
    """The dry run says so before and after, and nothing is stored."""
    agent = Agent(make_lab())
    text = "see you \U0001f642\u2764\ufe0f\U0001f680"
    for _ in range(2):
        assert would_refuse(agent, text=text) == ["invalid_text"]
        refused = agent.send(text)
        assert_refused(refused, "invalid_text")
        assert "Nothing was sent." in refused.text
        assert refused.facts["fix"] == (
            'Write ":-)" instead of \U0001f642; leave out \U0001f680.')
        assert "message_id" not in refused.facts
    assert not any(used(agent))
    assert_sent(agent.send("see you :-)\u2764\ufe0f"))
    assert set(used(agent)) == {1}


def test_what_certainly_failed_gives_back_its_share_of_the_limits(make_lab: Callable[..., Lab]) -> None:
    lab = make_lab()
    agent, [modem] = Agent(lab), lab.modems
    modem.plan(Outcome.cms(38))
    assert_refused(agent.send("the network refuses it"), "network_refused")
    assert not any(used(agent))
    modem.plan(Outcome.ok(), Outcome.cms(38))
    assert_refused(agent.send("the network takes a part of it " * 10), "network_refused")
    assert set(used(agent)) == {1, 3}   # messages, and segments of the month


def test_one_client_cannot_fill_the_queue(make_lab: Callable[..., Lab]) -> None:
    """A client whose messages wait for approval leaves room for others."""
    lab = make_lab("[sms]\nqueue_limit = 6\n", gateway_open=False)
    hog, other = (Agent(lab, pair(lab.gateway, name)) for name in ("hog", "other"))
    owner = Owner(lab.gateway.state)
    owner.do("change", "--ask", "always", "hog")
    other.wait_states("ready", timeout=10)
    waiting = [hog.send(f"waits {i}", wait_for="none") for i in range(3)]
    refused = assert_refused_alike(hog, "queue_full")
    assert "3 messages of this client are waiting" in refused.facts["message"]
    assert refused.facts["retryable"] is True
    assert_sent(other.send("undisturbed"))
    owner.do("send", TO, "the owner's own")
    lab.gateway.restart()
    other.wait_states("ready", timeout=10)
    assert_refused(hog.send("one too many"), "queue_full")
    assert_sent(other.send("after a restart"))
    assert hog.cancel(waiting[0].message_id).facts["state"] == "cancelled"
    again = hog.send("room again", wait_for="none")
    assert again.structured["state"] == "waiting_approval"


def two_clients(lab: Lab) -> tuple[Agent, Agent]:
    one, other = (Agent(lab, pair(lab.gateway, name)) for name in ("one", "other"))
    other.wait_states("ready", timeout=10)
    return one, other


NO_CLIENT_LIMITS = "per_minute = 0\nper_hour = 0\nper_day = 0\nsegments_per_month = 0\n"


def test_messages_that_wait_for_approval_use_up_no_limit_of_the_sim(
        make_lab: Callable[..., Lab]) -> None:
    """When all are approved at once, the SIM sends as many as it may, and the rest later."""
    lab = make_lab(gateway_open=False,
                   policy=f"[policy]\n{NO_CLIENT_LIMITS}sim_per_minute = 0\nsim_per_hour = 8\n")
    hog, other = two_clients(lab)
    owner = Owner(lab.gateway.state)
    owner.do("change", "--ask", "always", "one")
    waiting = []
    while not (result := hog.send(f"waits {len(waiting)}", wait_for="none")).is_error:
        waiting.append(result.message_id)
    assert_refused(result, "rate_limited")
    assert len(waiting) == 4            # its share
    assert_sent(other.send("undisturbed"))
    owner.do("send", TO, "the owner's own")
    lab.gateway.restart()
    other.wait_states("ready", timeout=10)
    for message_id in waiting:
        owner.do("approve", message_id)
        hog.wait_state(message_id, "sent")
    assert_sent(other.send("undisturbed again"))


def test_a_client_that_sends_leaves_others_their_share_of_the_sim(
        make_lab: Callable[..., Lab]) -> None:
    lab = make_lab(gateway_open=False)
    hog, other = two_clients(lab)
    for number in range(PER_MINUTE):
        if (result := hog.send(f"message {number}")).is_error:
            break
    assert number == 4
    assert_refused(result, "rate_limited")
    assert "rate_limited" in would_refuse(hog)
    assert would_refuse(other) == []
    for number in range(4):
        assert_sent(other.send(f"message {number}"))
    Owner(lab.gateway.state).do("send", TO, "the owner's own")


def test_scheduled_messages_of_a_client_leave_others_their_share_of_the_month(
        make_lab: Callable[..., Lab]) -> None:
    lab = make_lab(gateway_open=False, policy="[policy]\nsim_segments_per_month = 40\n")
    hog, other = two_clients(lab)
    for number in range(40):
        if (result := hog.send(f"later {number}", send_at=seconds_ahead(600 + 60 * number))
                ).is_error:
            break
    assert_refused(result, "budget_exhausted")
    assert_sent(other.send("undisturbed"))
    lab.gateway.restart()
    other.wait_states("ready", timeout=10)
    assert_sent(other.send("after a restart"))


def test_a_message_beyond_the_limit_of_the_sim_waits_and_is_not_lost(
        make_lab: Callable[..., Lab]) -> None:
    """Accepted while more was allowed: the limit is judged again before it is submitted."""
    lab = make_lab(gateway_open=False)
    one, other = two_clients(lab)
    owner = Owner(lab.gateway.state)
    owner.do("change", "--ask", "always", "one")
    waiting = [one.send(f"waits {number}", wait_for="none").message_id for number in range(3)]
    reconfigure(lab, "[policy]\nsim_per_hour = 2\n", "policy.sim_per_hour: changed")
    for message_id in waiting:
        owner.do("approve", message_id)
    one.wait_state(waiting[0], "sent")
    for message_id in waiting[1:]:
        one.wait_state(message_id, "scheduled")
        status = one.call("get_sms_status", message_id=message_id).structured
        assert status["reason"] == "rate_limited"
    lab.gateway.restart()
    other.wait_states("ready", timeout=10)
    assert_sent(other.send("its share is free"))
    assert [one.state(message_id) for message_id in waiting] == ["sent", "scheduled", "scheduled"]


def test_the_answer_for_a_postponed_message_has_its_new_time(make_lab: Callable[..., Lab]) -> None:
    """Within the client's share, and beyond what the SIM has left."""
    lab = make_lab(gateway_open=False, policy="[policy]\nsim_per_hour = 5\n")
    one, _ = two_clients(lab)
    for number in range(4):
        Owner(lab.gateway.state).do("send", TO, f"the owner's {number}")
    assert_sent(one.send("the last of the hour"))
    began = datetime.now(timezone.utc)
    trial = one.send("later", dry_run=True)
    answer = one.send("later")
    assert not answer.is_error and answer.structured["state"] == "scheduled"
    assert trial.structured["would_send"] and "queued_before" not in trial.structured
    assert trial.structured["send_at"] == answer.structured["send_at"]
    assert trial.structured["send_at"] in trial.text
    assert datetime.fromisoformat(answer.structured["send_at"]) > began
    assert "1970" not in answer.text


def test_a_dry_run_of_a_list_says_which_messages_the_sim_sends_later(
        make_lab: Callable[..., Lab]) -> None:
    """All are within the client's share, and one is beyond what the SIM has left."""
    lab = make_lab(gateway_open=False, policy="[policy]\nsim_per_hour = 10\n")
    one, _ = two_clients(lab)
    for number in range(7):
        Owner(lab.gateway.state).do("send", TO, f"the owner's {number}")
    to = {"to_phone_numbers": [f"+3620123000{number}" for number in range(4)],
          "sms_text": "hello", "subscription_id": one.ids()[0]}
    trial = one.call("send_sms", dry_run=True, **to)
    assert trial.structured["would_send"] and "1 of them later" in trial.text
    assert ["send_at" in row for row in trial.structured["results"]] == [False] * 3 + [True]
    sent = one.call("send_sms", wait_seconds=0, **to).structured["results"]
    one.wait_state(sent[3]["message_id"], "scheduled")
    for row in sent[:3]:
        one.wait_state(row["message_id"], "sent")


def test_the_status_shows_what_is_left_of_each_limit(make_lab: Callable[..., Lab]) -> None:
    lab = make_lab()
    agent = Agent(lab)
    for of in CLIENTS_AND_SIMS:
        assert left(agent, of, "minute")["left"] == PER_MINUTE
        assert "frees_at" not in left(agent, of, "minute")
    assert_sent(agent.send("x" * 200))
    for of in CLIENTS_AND_SIMS:
        assert left(agent, of, "minute")["left"] == PER_MINUTE - 1
        assert left(agent, of, "minute")["frees_at"] < left(agent, of, "day")["frees_at"]
        assert left(agent, of, "month")["limit"] - left(agent, of, "month")["left"] == 2
    before = status(agent)
    assert before["can_send"] is True and "why_not" not in before
    for i in range(PER_MINUTE - 1):
        assert_sent(agent.send(f"message {i}"))
    after = status(agent)
    assert after["can_send"] is False
    assert "10 messages per minute" in after["why_not"]


def test_each_client_has_its_own_limits(make_lab: Callable[..., Lab]) -> None:
    lab = make_lab(gateway_open=False)
    few, many = (Agent(lab, pair(lab.gateway, name)) for name in ("few", "many"))
    Owner(lab.gateway.state).do("change", "--per-minute", 1, "few")
    few.wait_states("ready", timeout=10)
    assert_sent(few.send("one"))
    assert_refused(few.send("two"), "rate_limited")
    assert_sent(many.send("one"))
    assert left(few, "client", "minute")["limit"] == 1
    assert left(few, "client", "hour")["limit"] == left(many, "client", "hour")["limit"]


# ---- numbers

@pytest.mark.parametrize("number, code", [
    ("112", "emergency_number_blocked"),
    ("1750", "premium_number_blocked"),
    ("+43664123456", "international_blocked"),
    ("Anna", "invalid_number"),
])
def test_blocked_numbers_are_refused_by_default(lab: Lab, agent: Agent, number: str, code: str) -> None:
    assert_refused_alike(agent, code, to=number)
    assert lab.modems[0].offered == []


def test_emergency_numbers_known_to_ofono_are_blocked(lab: Lab, agent: Agent) -> None:
    facts = call(lab.bus.address, lab.radios[0].path, "VoiceCallManager", "GetProperties")
    numbers = [str(number) for number in facts["EmergencyNumbers"] if len(number) > 2]
    assert numbers
    for number in numbers:
        assert_refused(agent.send("help", to=number), "emergency_number_blocked")


def test_countries_and_recipients_follow_the_policy(make_lab: Callable[..., Lab]) -> None:
    lab = make_lab()
    agent = Agent(lab)
    assert_refused(agent.send("abroad", to="+43664123456"), "international_blocked")
    reconfigure(lab, "[policy]\ncountries = +43\npremium = yes\ndeny = +3630*\n",
                "policy.deny: changed")
    assert_sent(agent.send("abroad", to="+43664123456"), "+43664123456")
    assert_sent(agent.send("short", to="1750"), "1750")
    assert_refused_alike(agent, "recipient_not_allowed", to="0630 999 9999")
    reconfigure(lab, "[policy]\nallow = +36301234567\n", "policy.allow: changed")
    assert_sent(agent.send("the only one", to="06301234567"), "06301234567")
    assert_refused_alike(agent, "recipient_not_allowed", to="+36301234568")
    reconfigure(lab, "[policy]\nallow = Anna\n", "nothing changed: ")
    assert '"Anna" is not a number' in lab.gateway.log
    assert_refused(agent.send("not her", to="+36301234568"), "recipient_not_allowed")


def test_numbers_are_judged_by_the_country_of_the_sim(make_lab: Callable[..., Lab]) -> None:
    agent = Agent(make_lab(sims=[Sim(imsi="404010000000001")]))
    for number, code in (("1160346", "premium_number_blocked"), ("09123456789", "")):
        result = agent.send("hello", to=number, dry_run=True)
        refusals = [refusal["code"] for refusal in result.structured["refusals"]]
        assert (refusals[:1] or [""])[0] == code, number


def test_a_locked_sim_of_unknown_country_is_refused_as_locked(
        make_lab: Callable[..., Lab]) -> None:
    """The number is not to blame, and neither other spellings nor the owner's policy help."""
    agent = Agent(make_lab(sims=[Sim.numbered(0, pin="1234")]))
    agent.wait_states("locked")
    for number in "+36301234567", "06301234567":
        assert_refused(agent.send("locked", agent.ids()[0], to=number), "sim_locked")


def test_sending_is_refused_in_quiet_hours(make_lab: Callable[..., Lab]) -> None:
    lab = make_lab()
    agent = Agent(lab)
    reconfigure(lab, "[policy]\nquiet_hours = 00:00-24:00\n", "policy.quiet_hours: changed")
    refused = assert_refused_alike(agent, "quiet_hours")
    assert 1 <= refused.facts["retry_after_seconds"] <= 25 * 60 * 60
    assert_refused_alike(agent, "quiet_hours", send_at=seconds_ahead(30))
    assert "quiet hours" in status(agent)["why_not"]
    assert any("00:00-24:00" in words for words in status(agent)["policy"])


def test_a_queued_message_goes_out_in_quiet_hours(make_lab: Callable[..., Lab]) -> None:
    lab = make_lab()
    agent, [modem] = Agent(lab), lab.modems
    modem.plan(Outcome.hang())
    agent.send("in its way", wait_for="none")
    late = agent.send("behind it", wait_for="none").message_id
    modem.wait_offered(1)
    reconfigure(lab, "[policy]\nquiet_hours = 00:00-24:00\n", "policy.quiet_hours: changed")
    assert_refused(agent.send("new"), "quiet_hours")
    modem.unhang(Outcome.ok())
    agent.wait_state(late, "sent")


# ---- SIMs

def test_a_client_uses_only_its_permitted_sims(make_lab: Callable[..., Lab]) -> None:
    lab = make_lab(modem_count=2, gateway_open=False)
    agent = Agent(lab, pair(lab.gateway, "one"))
    agent.wait_states("ready", "ready", timeout=10)
    first, second = agent.ids()
    assert_refused(agent.send("which"), "subscription_required")
    Owner(lab.gateway.state).do("change", "--sim", second, "one")
    result = agent.send("the only one that it may use", to="06301234567")
    assert result.structured["subscription_id"] == second
    assert_refused_alike(agent, "subscription_not_allowed", sim=first)
    lab.modems[1].set_registration(SEARCHING)
    agent.wait_states("ready", "searching")
    assert_refused(agent.send("not from the other"), "not_registered")
    lab.modems[1].set_registration(HOME)
    agent.wait_states("ready", "ready")


def test_the_status_says_when_the_scope_forbids_sending(make_lab: Callable[..., Lab]) -> None:
    lab = make_lab(gateway_open=False)
    agent = Agent(lab, pair(lab.gateway, "reader"))
    Owner(lab.gateway.state).do("change", "--scope", "read", "reader")
    agent.wait_states("ready", timeout=10)
    assert "does not let this client send" in status(agent)["why_not"]
    assert status(agent)["can_send"] is False


# ---- the pause

def test_a_pause_keeps_queued_messages_over_restarts(make_lab: Callable[..., Lab]) -> None:
    lab = make_lab()
    agent = Agent(lab)
    lab.modems[0].set_registration(SEARCHING)
    agent.wait_states("searching")
    scheduled = agent.send("at its time", send_at=seconds_ahead(1), sim=agent.ids()[0])
    lab.gateway.stop()
    write(lab, "INSERT INTO setting (name, value, at) VALUES ('paused', 'yes', 0)")
    lab.gateway.start()
    lab.modems[0].set_registration(HOME)
    agent.wait_states("ready", timeout=10)
    agent.wait_state(scheduled.message_id, "queued")
    kept = agent.call("get_sms_status", history=True, message_id=scheduled.message_id).structured
    assert kept["reason"] == "paused_by_owner"
    assert "after the pause" in kept["meaning"]
    assert_refused_alike(agent, "paused_by_owner")
    assert status(agent)["paused"] is True
    assert status(agent)["why_not"].startswith("The owner has paused the gateway")
    assert lab.modems[0].offered == []
    lab.gateway.stop()
    write(lab, "DELETE FROM setting WHERE name = 'paused'")
    lab.gateway.start()
    agent.wait_state(scheduled.message_id, "sent")
    assert status(agent)["paused"] is False


# ---- the status

def test_the_status_matches_its_output_schema(lab: Lab, agent: Agent) -> None:
    with lab.client() as client:
        [content] = client.call("resources/read", {"uri": "sms://status"}
                                ).result["contents"]
    told = status(agent)
    assert problems(told, whole_answer("get_gateway_status")) == []
    shown = json.loads(content["text"])
    assert shown.keys() == told.keys()
    assert shown["sims"] == told["sims"] == {
        "count": 1, "subscriptions": agent.sims()}
    assert shown["policy"] == told["policy"]
    assert told["queue"] == {"waiting": 0, "limit": 1000, "unstored_received": 0}


def test_the_status_says_that_ofono_is_out_of_reach(make_lab: Callable[..., Lab]) -> None:
    lab = make_lab()
    agent = Agent(lab)
    assert status(agent)["can_send"] is True
    lab.ofonod.kill()
    wait_until(lambda: not status(agent)["ofono_available"], what="oFono is gone")
    assert "out of reach" in status(agent)["why_not"]
