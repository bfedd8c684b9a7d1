# SPDX-License-Identifier: GPL-2.0-or-later
"""cancel_sms in every state, the dry run of send_sms, and how both look to clients."""

from __future__ import annotations

import functools
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from agent import (
    TO, Agent, assert_refused, assert_sent, pair, seconds_ahead, taken_texts,
)
from lab import Lab, wait_until
from modem import HOME, SEARCHING, Outcome

LAB = {"modem_count": 1, "notices_repeats": True}


# ---- cancelling -------------------------------------------------------------------

def test_a_queued_message_can_be_cancelled_a_sent_one_cannot(make_lab: Callable[..., Lab]) -> None:
    lab = make_lab()
    agent = Agent(lab)
    lab.modems[0].plan(Outcome.hang())
    head = agent.send("on the air", wait_seconds=1)
    queued = agent.send("behind it", wait_for="none")
    lab.modems[0].wait_offered(1)
    assert agent.cancel(queued.message_id).facts["state"] == "cancelled"
    late = agent.cancel(head.message_id)             # the modem has it: oFono refuses
    assert_refused(late, "too_late")
    assert late.facts["state"] == "submitted"
    lab.modems[0].unhang(Outcome.ok())
    agent.wait_state(head.message_id, "sent")
    assert agent.state(queued.message_id) == "cancelled"
    assert len(lab.modems[0].offered) == 1
    late = agent.cancel(head.message_id)
    assert_refused(late, "too_late")
    assert late.facts["state"] == "sent" and "was already sent" in late.text


def test_a_message_pending_in_ofono_can_be_cancelled(make_lab: Callable[..., Lab]) -> None:
    """It was refused once with an error after which ofonod retries: no segment was sent."""
    lab = make_lab()
    agent = Agent(lab)
    lab.modems[0].plan(Outcome.error())
    send = functools.partial(agent.send, "waits for its next try", idempotency_key="once")
    result = send(wait_seconds=1)
    assert result.facts["state"] == "submitted"
    with ThreadPoolExecutor() as pool:
        waiting = pool.submit(send, wait_seconds=20)
        assert agent.cancel(result.message_id).facts["state"] == "cancelled"
        assert_refused(waiting.result(), "cancelled")
    assert lab.radios[0].pending_messages() == []
    assert_sent(agent.send("the next one"))
    assert taken_texts(lab) == ["the next one"]
    assert agent.history(result.message_id)[-1] == "cancelled"


@pytest.mark.parametrize("restart", ["none", "gateway", "gateway killed"])
def test_a_held_message_is_cancelled_when_ofono_returns(make_lab: Callable[..., Lab], restart: str) -> None:
    """The request to cancel survives restarts until oFono can be asked."""
    lab = make_lab()
    agent = Agent(lab)
    lab.modems[0].plan(Outcome.error())
    result = agent.send("held", wait_seconds=1)
    lab.radios[0].power(False)
    agent.wait_state(result.message_id, "held")
    held = agent.call("get_sms_status", history=True, message_id=result.message_id).structured
    assert held["reason"] == "modem_away" and "its modem, its SIM or oFono went away" in held["meaning"]
    answer = agent.cancel(result.message_id)
    assert answer.facts == {"message_id": result.message_id, "state": "held"}
    assert "not cancelled yet" in answer.text and "is cancelled" not in answer.text
    assert agent.cancel(result.message_id).facts == answer.facts
    status = agent.call("get_sms_status", history=True, message_id=result.message_id).structured
    assert status["reason"] == "cancel_wanted" and "to be cancelled" in status["meaning"]
    if restart == "gateway killed":
        lab.gateway.kill()
        lab.gateway.start()
    elif restart == "gateway":
        lab.gateway.restart()
    lab.modems[0].set_registration(SEARCHING)
    lab.radios[0].power()
    agent.wait_state(result.message_id, "cancelled")
    assert lab.radios[0].pending_messages() == []
    lab.radios[0].online()
    lab.modems[0].set_registration(HOME)
    agent.wait_states("ready", timeout=10)
    assert_sent(agent.send("the next one"))
    assert taken_texts(lab) == ["the next one"]


def test_a_cancelled_message_stays_cancelled_after_a_crash(make_lab: Callable[..., Lab]) -> None:
    lab = make_lab()
    agent = Agent(lab)
    lab.modems[0].plan(Outcome.hang())
    agent.send("on the air", wait_seconds=1)
    queued = agent.send("behind it", wait_for="none")
    assert not agent.cancel(queued.message_id).is_error
    lab.gateway.kill()
    lab.gateway.start()
    agent.wait_states("ready", timeout=10)
    lab.modems[0].unhang(Outcome.ok())
    assert_sent(agent.send("the next one"))
    assert agent.state(queued.message_id) == "cancelled"
    assert "behind it" not in taken_texts(lab)


def test_a_client_can_cancel_only_its_own_messages(make_lab: Callable[..., Lab]) -> None:
    lab = make_lab(gateway_open=False)
    one, two = (Agent(lab, pair(lab.gateway, name)) for name in ("one", "two"))
    one.wait_states("ready", timeout=10)
    result = one.send("mine", send_at=seconds_ahead(60))
    foreign = two.cancel(result.message_id)
    assert_refused(foreign, "not_found")
    missing = two.cancel(999)
    assert foreign.text == missing.text.replace("999", str(result.message_id))
    assert one.cancel(result.message_id).facts["state"] == "cancelled"


def test_an_incoming_message_cannot_be_cancelled(lab: Lab, agent: Agent) -> None:
    lab.modems[0].deliver("+36301111111", "hello")

    def found() -> list[dict[str, Any]]:
        return agent.call("list_sms", direction="in").structured["messages"]
    wait_until(found, what="it came in")
    assert_refused(agent.cancel(found()[0]["message_id"]), "not_found")


# ---- dry runs ---------------------------------------------------------------------

def count_messages(agent: Agent) -> int:
    return len(agent.call("list_sms", limit=100).structured["messages"])


def test_a_dry_run_sends_and_stores_nothing(lab: Lab, agent: Agent) -> None:
    before = count_messages(agent)
    [sim] = agent.call("get_sms_subscriptions").structured["subscriptions"]
    for _ in range(2):
        result = agent.send("€" + "x" * 160, dry_run=True, idempotency_key="dry",
                      valid_for_seconds=60)
        facts = result.facts
        assert facts.pop("expires_at")
        assert facts == {
            "dry_run": True, "would_send": True, "to_phone_number": TO,
            "subscription_id": sim["subscription_id"], "segments": 2, "encoding": "gsm7",
            "units": 162, "units_left": 2 * 153 - 162, "approval": "not_required",
            "refusals": []}
        assert "nothing was sent" in result.text and "SMS sent" not in result.text
    assert lab.modems[0].offered == [] and count_messages(agent) == before
    assert_sent(agent.send("another", idempotency_key="dry"))    # the key was not used


def test_a_dry_run_lists_every_refusal(make_lab: Callable[..., Lab]) -> None:
    lab = make_lab()
    agent = Agent(lab)
    lab.modems[0].set_registration(SEARCHING)
    agent.wait_states("searching")
    result = agent.send("x" * 1000, to="nobody", dry_run=True)
    codes = [refusal["code"] for refusal in result.facts["refusals"]]
    assert codes == ["invalid_number", "text_too_long", "not_registered"]
    assert not result.is_error and not result.facts["would_send"]
    for refusal in result.facts["refusals"]:
        assert refusal["code"] in result.text
        assert refusal["message"] not in result.text and refusal["fix"] not in result.text
    late = agent.send("x", dry_run=True, send_at="2020-01-01T00:00:00Z")
    [refusal] = late.facts["refusals"]
    assert refusal["code"] == "invalid_arguments"


def test_a_dry_run_reports_repeats(agent: Agent) -> None:
    first = agent.send("said before", idempotency_key="said")
    for more in ({"idempotency_key": "said"}, {}):
        result = agent.send("said before", dry_run=True, **more)
        assert result.facts["repeats_message_id"] == first.message_id
        assert not result.facts["would_send"]
    assert agent.send("said before", dry_run=True,
                idempotency_key="fresh").facts["would_send"]
    other = agent.send("other", dry_run=True, idempotency_key="said")
    [refusal] = other.facts["refusals"]
    assert refusal["code"] == "duplicate_suppressed"


def test_a_dry_run_says_how_many_messages_go_first(lab: Lab, agent: Agent) -> None:
    def before(**more: Any) -> int:
        result = agent.send("the last", dry_run=True, **more)
        assert result.facts["would_send"]
        return result.facts.get("queued_before", 0)
    assert before() == 0
    lab.modems[0].plan(Outcome.hang())
    agent.send("on the air", wait_seconds=1)
    agent.send("behind it", wait_for="none")
    later = agent.send("much later", send_at=seconds_ahead(3600))
    lab.modems[0].wait_offered(1)
    assert before() == 2
    assert before(send_at=seconds_ahead(1800)) == 0
    lab.modems[0].unhang(Outcome.ok())
    wait_until(lambda: before() == 0, what="both are sent")
    agent.cancel(later.message_id)


def test_a_dry_run_names_the_character_that_makes_a_long_text_dear(agent: Agent) -> None:
    result = agent.send("It\u2019s " + "a long text " * 8, sim=agent.ids()[0], dry_run=True)
    assert result.facts["segments"] == 2 and "U+2019" in result.text
    cheap = agent.send("It's " + "a long text " * 8, sim=agent.ids()[0], dry_run=True)
    assert cheap.facts["segments"] == 1 and "U+2019" not in cheap.text


def test_a_dry_run_refuses_characters_ofono_cannot_encode(agent: Agent) -> None:
    result = agent.send("\U0001F600", dry_run=True)
    assert "invalid_text" in result.text and not result.facts["would_send"]
    [refusal] = result.facts["refusals"]
    assert (refusal["code"], refusal["fix"]) == ("invalid_text", 'Write ":-D" instead of \U0001F600.')
