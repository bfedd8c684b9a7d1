# SPDX-License-Identifier: GPL-2.0-or-later
"""wait_for_sms: the first message that matches, without a race."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable
from typing import Any

import pytest

from lab import Lab, wait_until
from lone_gateway import peers_of
from pending import Pending
from reading import call, deliver, refusal, send

TO = "+36301234567"


def test_a_wait_returns_the_next_incoming_message(lab: Lab, number: str) -> None:
    deliver(lab, number, "an old one does not count")
    waiting = Pending(lab, "wait_for_sms", timeout_seconds=60)
    assert not waiting.is_done
    lab.modems[0].deliver(number, "Your code is 482910, see https://bank.example/x.")
    found = waiting.facts()
    assert found["found"] and found["message"]["from"] == number
    assert (found["code"], found["link"]) == ("482910", "https://bank.example/x")
    assert "domain" not in found


def test_a_code_bound_to_a_site_is_returned_with_its_domain(lab: Lab, number: str) -> None:
    place = call(lab, "list_sms", limit=1)["wait_cursor"]
    lab.modems[0].deliver(number, "747723 is your code\n\n@example.com #747723")
    found = call(lab, "wait_for_sms", after=place, kind="code")
    assert (found["code"], found["domain"]) == ("747723", "example.com")


def test_a_wait_returns_messages_since_the_cursor(lab: Lab, number: str) -> None:
    """Messages that arrived between two calls are found at once, one after the other."""
    place = call(lab, "list_sms", limit=1)["wait_cursor"]
    deliver(lab, number, "one", "two", "three")
    for body in ("one", "two", "three"):
        waiting = Pending(lab, "wait_for_sms", after=place, timeout_seconds=60)
        assert waiting.is_done              # before anything else happens
        found = waiting.facts()
        assert found["message"]["text"] == body
        place = found["cursor"]
    none = call(lab, "wait_for_sms", after=place, timeout_seconds=1)
    assert none["found"] is False


def test_the_cursor_of_an_empty_store_misses_no_message(make_lab: Callable[..., Lab]) -> None:
    lab = make_lab(modem_count=1)
    place = call(lab, "list_sms")["wait_cursor"]
    deliver(lab, TO, "first", "second")
    lab.gateway.restart()
    found = call(lab, "wait_for_sms", after=place)
    assert found["message"]["text"] == "first"
    assert call(lab, "wait_for_sms", after=found["cursor"])["message"]["text"] == "second"


def test_a_wait_with_the_cursor_of_a_lost_store_returns_what_comes_next(
        make_lab: Callable[..., Lab]) -> None:
    lab = make_lab(modem_count=1)
    deliver(lab, TO, "one", "two", "three")
    place = call(lab, "list_sms", limit=1)["wait_cursor"]
    lab.gateway.stop()
    shutil.rmtree(lab.gateway.state)
    lab.gateway.start()
    waiting = Pending(lab, "wait_for_sms", after=place, timeout_seconds=60)
    assert not waiting.is_done
    lab.modems[0].deliver(TO, "the first of a new store")
    assert waiting.facts()["message"]["text"] == "the first of a new store"


@pytest.mark.parametrize("filters", [
    {"from": "Bank"}, {"contains": "PAROLA"}, {"kind": "link"}, {"kind": "code"},
    {"from": "Bank", "contains": "a", "kind": "code"}])
def test_only_a_matching_message_ends_the_wait(
        lab: Lab, number: str, filters: dict[str, str]) -> None:
    waiting = Pending(lab, "wait_for_sms", timeout_seconds=60, **filters)
    deliver(lab, number, "nothing in it", "balance 4500")
    assert not waiting.is_done
    # the link differs: the same text within a second would be a repeat
    lab.modems[0].deliver("Bank", f"La tua parola: 7731. http://a.example/{number[-3:]}")
    found = waiting.facts()
    assert (found["message"]["from"], found["code"]) == ("Bank", "7731")


def test_another_wait_returns_messages_that_did_not_match(lab: Lab, number: str) -> None:
    waiting = Pending(lab, "wait_for_sms", timeout_seconds=1, kind="code")
    deliver(lab, number, "no code in here")
    none = waiting.facts()
    assert none["found"] is False
    found = call(lab, "wait_for_sms", after=none["cursor"], kind="any")
    assert found["message"]["text"] == "no code in here"


def test_outgoing_messages_do_not_end_a_wait(lab: Lab, number: str) -> None:
    waiting = Pending(lab, "wait_for_sms", timeout_seconds=60)
    send(lab, number, "not this one")
    assert not waiting.is_done
    lab.modems[0].deliver(number, "but this")
    assert waiting.facts()["message"]["text"] == "but this"


@pytest.mark.parametrize("abroad", ["06", "06 ", "0036", "+36"])
def test_national_and_international_numbers_match(
        lab: Lab, number: str, abroad: str) -> None:
    """Any spelling is the same number; networks prefix it with + and the country code."""
    asked = abroad + number.removeprefix("+36")
    send(lab, asked, "are you there?")
    waiting = Pending(lab, "wait_for_sms", timeout_seconds=60, **{"from": asked})
    assert not waiting.is_done
    lab.modems[0].deliver(number, "I am")
    assert waiting.facts()["message"]["text"] == "I am"
    for spelt in (asked, number, "06" + number.removeprefix("+36")):
        listed = call(lab, "list_sms", phone_number=spelt)["messages"]
        assert [message["text"] for message in listed] == ["I am", "are you there?"]
    rows = [row for row in call(lab, "list_sms_conversations", limit=100)["conversations"]
            if row["phone_number"].endswith(number.removeprefix("+36"))]
    assert [(row["phone_number"], row["messages"], row["unread"]) for row in rows] == [
        (number, 2, 1)]


def test_two_waits_return_the_same_message(lab: Lab, number: str) -> None:
    calls = [Pending(lab, "wait_for_sms", timeout_seconds=60) for _ in range(2)]
    lab.modems[0].deliver(number, "to both")
    ids = [waiting.facts()["message"]["message_id"] for waiting in calls]
    assert ids[0] == ids[1]


def test_a_wait_ends_without_a_message_at_its_timeout(lab: Lab) -> None:
    longer = Pending(lab, "wait_for_sms", timeout_seconds=60)
    started = time.monotonic()
    none = call(lab, "wait_for_sms", timeout_seconds=1)
    assert time.monotonic() - started >= 1
    assert not longer.is_done               # each has its own
    longer.leave()
    assert none["found"] is False and "message" not in none
    assert "within 1 second." in none["hint"] and "cursor" in none["hint"]


@pytest.mark.parametrize("arguments", [
    {"timeout_seconds": 0}, {"timeout_seconds": 121}, {"kind": "number"}, {"after": "x"}])
def test_invalid_arguments_are_refused(lab: Lab, arguments: dict[str, Any]) -> None:
    assert refusal(lab, "wait_for_sms", **arguments)["code"] == "invalid_arguments"


def test_a_wait_ends_when_its_client_disconnects(lab: Lab, number: str) -> None:
    calls = [Pending(lab, "wait_for_sms", timeout_seconds=120) for _ in range(20)]
    assert len(peers_of(lab.gateway)) >= 20
    for waiting in calls:
        waiting.leave()
    wait_until(lambda: not peers_of(lab.gateway), what="the gateway let go")
    deliver(lab, number, "nobody hears this")


def test_stopping_answers_waiting_calls(make_lab: Callable[..., Lab]) -> None:
    lab = make_lab(modem_count=1)
    waiting = Pending(lab, "wait_for_sms", timeout_seconds=120)
    assert lab.gateway.stop() == 0
    none = waiting.facts()
    assert none["found"] is False and "stops" in none["hint"]
    lab.gateway.start()
    wait_until(lambda: lab.gateway.log.count("oFono answers") == 2, what="it listens")
    lab.modems[0].deliver(TO, "while it was down")
    found = call(lab, "wait_for_sms", after=none["cursor"], timeout_seconds=60)
    assert found["message"]["text"] == "while it was down"
