# SPDX-License-Identifier: GPL-2.0-or-later
"""Two machines that answer each other, through the real ofonod."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from datetime import datetime, timedelta, timezone

import pytest

from agent import Agent, assert_refused, assert_sent
from incoming import newest
from lab import Lab, wait_until
from owner import Owner

USUAL_EXCHANGES = 5
USUAL_MINUTES = 10
WORDS = "Alice", "Bertrand", "Cecilia", "Dorothea", "Emmanuel", "Ferdinand", "Gwendolyn"


SECONDS = itertools.count()


@pytest.fixture
def owner(lab: Lab) -> Owner:
    return Owner(lab.gateway.state)


def receive(lab: Lab, text: str, sender: str) -> None:
    """With its own timestamp: the same text with the same timestamp is the same message."""
    before = newest(lab)
    sent_at = datetime.now(timezone.utc) + timedelta(seconds=next(SECONDS))
    lab.modems[0].deliver(sender, text, sent_at=sent_at)
    wait_until(lambda: newest(lab) > before, what=f"{text!r} came in")


def answer(lab: Lab, text: str, to: str) -> None:
    agent = Agent(lab)
    result = agent.send(text, sim=agent.ids()[0], to=to)
    assert not result.is_error, result


def answer_until_stopped(lab: Lab, texts: list[str], number: str) -> int:
    """Which answer to these texts would not be sent at once."""
    for i in range(20):
        receive(lab, texts[i % len(texts)], number)
        if loop_until(lab, number) is not None:
            return i + 1
        answer(lab, f"{WORDS[i % len(WORDS)]} has been told about that by now", number)
    raise AssertionError("nothing stops it")


def loop_until(lab: Lab, number: str) -> datetime | None:
    page = Agent(lab).call("list_sms_conversations", limit=100).structured
    [row] = [row for row in page["conversations"] if row["phone_number"] == number]
    if "loop_until" not in row:
        return None
    return datetime.fromisoformat(row["loop_until"].replace("Z", "+00:00"))


def exchange(lab: Lab, number: str, name: str) -> None:
    receive(lab, f"{name} says something", number)
    answer(lab, f"you said {name}", number)


def test_a_repeated_text_counts_as_an_auto_reply_loop(lab: Lab, number: str) -> None:
    stopped = answer_until_stopped(lab, ["I am out of office"], number)
    assert stopped <= USUAL_EXCHANGES + 2


def test_a_loop_waits_for_the_owner_whose_approval_lifts_it(lab: Lab, owner: Owner, number: str) -> None:
    agent = Agent(lab)
    answer_until_stopped(lab, ["I am out of office"], number)
    sim = agent.ids()[0]
    # the first message after the loop waits, and says for whom and why
    waiting = agent.send("Shall I go on?", sim, to=number, wait_seconds=0)
    assert waiting.structured["state"] == "waiting_approval", waiting
    assert waiting.structured["approval_reason"] == "loop_suspected"
    assert "The owner's approval lifts that, and so does time" in waiting.text
    # the next ones are refused, and a dry run says so
    refused = agent.send("And now?", sim, to=number)
    assert_refused(refused, "loop_suspected")
    assert f"ofono-mcp approve {waiting.message_id}" in refused.text
    assert 0 < refused.facts["retry_after_seconds"] <= USUAL_MINUTES * 60
    [would] = agent.send("And now?", sim, to=number, dry_run=True).facts["refusals"]
    assert would["code"] == "loop_suspected"
    # the owner sees why, may write, and lifts it for the agent, too
    assert "two machines" in owner.do("approvals").lower()
    assert_sent(agent.send("Others do not notice", sim, to="+36301111111"), "+36301111111")
    owner.do("approve", str(waiting.message_id))
    agent.wait_state(waiting.message_id, "sent")
    assert loop_until(lab, number) is None
    assert_sent(agent.send("And now?", sim, to=number), number)


def test_a_list_waits_only_for_the_number_that_loops(lab: Lab, owner: Owner, number: str) -> None:
    agent = Agent(lab)
    answer_until_stopped(lab, ["I am out of office"], number)
    rows = agent.call("send_sms", to_phone_numbers=["+36301111111", number], sms_text="To both",
                      subscription_id=agent.ids()[0], wait_seconds=5).structured["results"]
    assert [row["state"] for row in rows] == ["sent", "waiting_approval"]
    assert rows[1]["approval_reason"] == "loop_suspected"
    owner.do("approve", str(rows[1]["message_id"]))
    agent.wait_state(rows[1]["message_id"], "sent")
    assert loop_until(lab, number) is None


def test_the_message_that_waits_can_be_changed(lab: Lab, owner: Owner, number: str) -> None:
    agent = Agent(lab)
    answer_until_stopped(lab, ["I am out of office"], number)
    waiting = agent.send("Shall I go on?", agent.ids()[0], to=number, wait_seconds=0)
    edited = agent.call("edit_sms", message_id=waiting.message_id, text="May I go on?")
    assert not edited.is_error, edited
    assert agent.state(waiting.message_id) == "waiting_approval"
    owner.do("reject", str(waiting.message_id))


def test_who_was_rejected_does_not_ask_again(lab: Lab, owner: Owner, number: str) -> None:
    """The owner is asked once for each loop."""
    agent = Agent(lab)
    answer_until_stopped(lab, ["I am out of office"], number)
    sim = agent.ids()[0]
    waiting = agent.send("Shall I go on?", sim, to=number, wait_seconds=0)
    owner.do("reject", str(waiting.message_id))
    refused = agent.send("Please?", sim, to=number)
    assert_refused(refused, "loop_suspected")
    assert f"rejected message {waiting.message_id}" in refused.text
    assert owner.json("approvals")["listed"] == 0


def test_a_dry_run_shows_that_a_loop_needs_the_owner(lab: Lab, number: str) -> None:
    agent = Agent(lab)
    answer_until_stopped(lab, ["I am out of office"], number)
    would = agent.send("And now?", agent.ids()[0], to=number, dry_run=True)
    assert (would.facts["approval"], would.facts["approval_reason"]) == ("required", "loop_suspected")
    assert "two machines" in would.text


def test_a_restart_keeps_auto_reply_loops(make_lab: Callable[..., Lab], number: str) -> None:
    lab = make_lab("[incoming]\nloop_exchanges = 2\n", modem_count=1)
    exchange(lab, number, "a")
    exchange(lab, number, "b")
    exchange(lab, "+36301111111", "alone")
    until = loop_until(lab, number)
    assert until is not None
    lab.gateway.kill()
    lab.gateway.start()
    assert loop_until(lab, number) == until
    assert loop_until(lab, "+36301111111") is None
