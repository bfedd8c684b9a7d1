# SPDX-License-Identifier: GPL-2.0-or-later
"""cancel_sms in every state, the dry run of send_sms, and how both look to clients."""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from outgoing import (
    HOME, SEARCHING, TO, assert_code, assert_sent, call, cancel, lab, make_lab, pair, ready,
    seconds_ahead, send, shared, state, states, texts, wait_state,
)
from lab import Lab, wait_until
from modem import Outcome


# ---- cancelling -------------------------------------------------------------------

def test_cancel_scheduled(lab: Lab) -> None:
    result = send(lab, "not after all", send_at=seconds_ahead(2))
    answer = cancel(lab, result.id)
    assert answer.facts == {"message_id": result.id, "state": "cancelled"}
    assert answer.text == f"Message {result.id} is cancelled; it was not sent."
    assert cancel(lab, result.id).facts == answer.facts
    time.sleep(2.5)
    assert lab.modems[0].offered == []


def test_cancel_queued_and_on_the_air(make_lab: Callable[..., Lab]) -> None:
    lab = make_lab()
    lab.modems[0].plan(Outcome.hang())
    head = send(lab, "on the air", wait_seconds=1)
    queued = send(lab, "behind it", wait_for="none")
    lab.modems[0].wait_offered(1)
    assert cancel(lab, queued.id).facts["state"] == "cancelled"
    late = cancel(lab, head.id)             # the modem has it: oFono refuses
    assert_code(late, "too_late")
    assert late.facts["state"] == "handed"
    lab.modems[0].unhang(Outcome.ok())
    wait_state(lab, head.id, "sent")
    assert state(lab, queued.id) == "cancelled"
    assert len(lab.modems[0].offered) == 1
    late = cancel(lab, head.id)
    assert_code(late, "too_late")
    assert late.facts["state"] == "sent" and "was sent already" in late.text


def test_cancel_what_waits_in_ofono(make_lab: Callable[..., Lab]) -> None:
    """Refused once with an error that ofonod tries again after: no part is out."""
    lab = make_lab()
    lab.modems[0].plan(Outcome.error())
    result = send(lab, "waits for its next try", wait_seconds=1)
    assert result.facts["state"] == "handed"
    with ThreadPoolExecutor() as pool:
        waiting = pool.submit(send, lab, "waits for its next try", wait_seconds=20)
        assert cancel(lab, result.id).facts["state"] == "cancelled"
        assert_code(waiting.result(), "cancelled")
    assert lab.radios[0].pending_messages() == []
    assert_sent(send(lab, "the next one"))
    assert texts(lab) == ["the next one"]
    assert states(lab, result.id)[-1] == "cancelled"


def test_cancel_held(make_lab: Callable[..., Lab]) -> None:
    lab = make_lab()
    lab.modems[0].plan(Outcome.error())
    result = send(lab, "held", wait_seconds=1)
    lab.radios[0].power(False)
    wait_state(lab, result.id, "held")
    held = call(lab, "get_sms_status", message_id=result.id).raw["structuredContent"]
    assert held["reason"] == "modem_away" and "modem or SIM went away" in held["meaning"]
    answer = cancel(lab, result.id)
    assert_code(answer, "too_late")
    assert answer.facts["state"] == "held" and "modem is away" in answer.text
    lab.modems[0].set_registration(SEARCHING)
    lab.radios[0].power()
    lab.radios[0].wait_for("MessageManager")
    wait_state(lab, result.id, "handed")
    assert cancel(lab, result.id).facts["state"] == "cancelled"
    lab.radios[0].online()
    lab.modems[0].set_registration(HOME)
    lab.radios[0].wait_ready()
    assert_sent(send(lab, "the next one"))
    assert texts(lab) == ["the next one"]


def test_a_cancelled_message_stays_so(make_lab: Callable[..., Lab]) -> None:
    lab = make_lab()
    lab.modems[0].plan(Outcome.hang())
    send(lab, "on the air", wait_seconds=1)
    queued = send(lab, "behind it", wait_for="none")
    assert not cancel(lab, queued.id).is_error
    lab.gateway.kill()
    lab.gateway.start()
    wait_until(lambda: ready(lab), what="the SIM is seen again")
    lab.modems[0].unhang(Outcome.ok())
    assert_sent(send(lab, "the next one"))
    assert state(lab, queued.id) == "cancelled"
    assert "behind it" not in texts(lab)


def test_only_ones_own(make_lab: Callable[..., Lab]) -> None:
    lab = make_lab(gateway_open=False)
    one, two = pair(lab, "one"), pair(lab, "two")
    result = send(lab, "mine", one, send_at=seconds_ahead(60))
    foreign = cancel(lab, result.id, two)
    assert_code(foreign, "not_found")
    missing = cancel(lab, 999, two)
    assert foreign.text == missing.text.replace("999", str(result.id))
    assert cancel(lab, result.id, one).facts["state"] == "cancelled"


def test_an_incoming_message_cannot_be_cancelled(lab: Lab) -> None:
    lab.modems[0].deliver("+36301111111", "hello")

    def found() -> list[dict[str, Any]]:
        return call(lab, "list_sms", direction="in").raw["structuredContent"]["messages"]
    wait_until(found, what="it came in")
    assert_code(cancel(lab, found()[0]["message_id"]), "not_found")


# ---- dry runs ---------------------------------------------------------------------

def count_messages(lab: Lab) -> int:
    return len(call(lab, "list_sms", limit=100).raw["structuredContent"]["messages"])


def test_a_dry_run_does_nothing(lab: Lab) -> None:
    before = count_messages(lab)
    [sim] = call(lab, "get_sms_subscriptions").raw["structuredContent"]["subscriptions"]
    for _ in range(2):
        result = send(lab, "€" + "x" * 160, dry_run=True, idempotency_key="dry",
                      valid_for_seconds=60)
        facts = result.facts
        assert facts.pop("expires_at")
        assert facts == {
            "dry_run": True, "would_send": True, "to_phone_number": TO,
            "subscription_id": sim["subscription_id"], "segments": 2, "encoding": "gsm7",
            "units": 162, "units_left": 2 * 153 - 162, "refusals": []}
        assert "nothing was sent" in result.text and "SMS sent" not in result.text
    assert lab.modems[0].offered == [] and count_messages(lab) == before
    assert_sent(send(lab, "another", idempotency_key="dry"))    # the key was not used


def test_a_dry_run_tells_every_refusal(make_lab: Callable[..., Lab]) -> None:
    lab = make_lab()
    lab.modems[0].set_registration(SEARCHING)
    wait_until(lambda: not lab.radios[0].is_ready, what="no network")
    result = send(lab, "x" * 1000, to="nobody", dry_run=True)
    codes = [refusal["code"] for refusal in result.facts["refusals"]]
    assert codes == ["invalid_number", "text_too_long", "not_registered"]
    assert not result.is_error and not result.facts["would_send"]
    for refusal in result.facts["refusals"]:
        assert refusal["message"] in result.text and refusal["fix"] in result.text
    late = send(lab, "x", dry_run=True, send_at="2020-01-01T00:00:00Z")
    assert [refusal["code"] for refusal in late.facts["refusals"]] == ["invalid_arguments"]


def test_a_dry_run_tells_of_repeats(lab: Lab) -> None:
    first = send(lab, "said before", idempotency_key="said")
    for more in ({"idempotency_key": "said"}, {}):
        result = send(lab, "said before", dry_run=True, **more)
        assert result.facts["repeats_message_id"] == first.id
        assert not result.facts["would_send"]
    assert send(lab, "said before", dry_run=True,
                idempotency_key="fresh").facts["would_send"]
    other = send(lab, "other", dry_run=True, idempotency_key="said")
    assert [refusal["code"] for refusal in other.facts["refusals"]] == [
        "duplicate_suppressed"]


def test_a_dry_run_names_what_ofono_may_not_encode(lab: Lab) -> None:
    assert "U+1F600" in send(lab, "\U0001F600", dry_run=True).text


# ---- what clients see -------------------------------------------------------------

def test_the_tools_are_listed(lab: Lab) -> None:
    with lab.client() as client:
        tools = {tool["name"]: tool for tool in client.call("tools/list").result["tools"]}
    send_sms = tools["send_sms"]["inputSchema"]
    assert send_sms["required"] == ["to_phone_number", "sms_text"]
    assert list(send_sms["properties"]) == [
        "to_phone_number", "sms_text", "subscription_id", "idempotency_key", "send_at",
        "valid_for_seconds", "wait_for", "wait_seconds", "dry_run"]
    assert tools["cancel_sms"]["inputSchema"]["required"] == ["message_id"]
    assert tools["cancel_sms"]["annotations"]["idempotentHint"]


def test_the_plain_answer_is_as_it_was(lab: Lab) -> None:
    result = send(lab, "plain")
    assert_sent(result)
    assert list(result.facts) == ["message_id", "state", "to_phone_number",
                                  "subscription_id", "segments", "encoding"]
