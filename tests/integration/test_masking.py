# SPDX-License-Identifier: GPL-2.0-or-later
"""One-time codes are for clients with the scope "codes", however they are written."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import pytest

from agent import pair
from conftest import new_lab
from events import Events
from lab import Lab, wait_until
from ledger import Ledger
from modern import Request
from rows import complete
from views import ERAS, LEGACY, MODERN, Eye, pair_with_codes, result, strings
from wire import rpc

CODE = "73914628"
WIDE = "\uff17\uff13\uff19\uff11\uff14\uff16\uff12\uff18"
ARABIC = "\u0667\u0663\u0669\u0661\u0664\u0666\u0662\u0668"

# Each with the part that nobody else may see.
TEXTS = [
    (f"Your code is {CODE}", [CODE]),
    (f"{CODE} is your PIN. Tap https://a.example/x/{CODE}?y", [CODE]),
    (f"Code: {CODE}\n\n@a.example #{CODE}", [CODE]),
    ("Your code is 7 3 9 1 4 6", ["7 3 9", "739146"]),
    (f"Your code is {WIDE}", [WIDE, CODE]),
    (f"\u0631\u0645\u0632 \u0627\u0644\u062a\u062d\u0642\u0642: {ARABIC}", [ARABIC, CODE]),
    (f"Your code is 7391\u200b4628", ["7391", "4628"]),
    (CODE, [CODE]),
]


@dataclass(frozen=True)
class Phone:
    """A gateway with one client of each kind."""

    lab: Lab
    reader: str
    trusted: str


@pytest.fixture(scope="module")
def phone() -> Iterator[Phone]:
    with new_lab(modem_count=1, gateway_open=False) as lab:
        yield Phone(lab, pair(lab.gateway, "reader"), pair_with_codes(lab, "trusted"))


def place_of(phone: Phone) -> str:
    eye = Eye(phone.lab, token=phone.reader)
    return eye.facts("list_sms", limit=1)["wait_cursor"]


def receive(phone: Phone, text: str, sender: str) -> int:
    ledger = Ledger(phone.lab)
    count = len(ledger.incoming)
    phone.lab.modems[0].deliver(sender, text)
    return ledger.wait(count + 1)[-1]["id"]


def send(phone: Phone, token: str, text: str, to: str) -> int:
    """Returns its ID; the owner may have to approve it."""
    eye = Eye(phone.lab, token=token)
    wait_until(lambda: eye.facts("get_sms_subscriptions")["subscriptions"][0]["can_send"],
               what="the SIM can send")
    return eye.facts("send_sms", to_phone_number=to, sms_text=text,
                     wait_for="none")["message_id"]


def assert_hidden(name: str, body: bytes, secrets: list[str]) -> None:
    seen = [body.decode(), *strings(json.loads(body))]
    assert not [secret for secret in secrets for text in seen if secret in text], name


@pytest.mark.parametrize("text, secrets", TEXTS, ids=range(len(TEXTS)))
def test_no_view_shows_a_code_without_the_scope(phone: Phone, number: str, text: str, secrets: list[str]) -> None:
    place = place_of(phone)
    message_id = receive(phone, text, number)
    for era in ERAS:
        eye = Eye(phone.lab, era, phone.reader)
        for name, body in eye.look(message_id, number, place):
            assert_hidden(name, body, secrets)
    [message] = eye.facts("list_sms", phone_number=number)["messages"]
    assert message["masked"] is True and "******" in message["text"]
    assert "looks_like_code" in message["flags"]


@pytest.mark.parametrize("text, secrets", TEXTS, ids=range(len(TEXTS)))
def test_a_client_with_the_codes_scope_sees_the_code(phone: Phone, number: str, text: str, secrets: list[str]) -> None:
    """The test above would also pass if nothing were shown at all."""
    message_id = receive(phone, text, number)
    eye = Eye(phone.lab, token=phone.trusted)
    [message] = eye.facts("list_sms", phone_number=number)["messages"]
    assert "masked" not in message and "looks_like_code" in message["flags"]
    assert message["text"].replace("\\u{200B}", "\u200b") == text
    shown = json.loads(result(eye.read(f"sms://message/{message_id}"))["contents"][0]["text"])
    assert complete(shown["message"]) == message


def test_waiting_for_a_code_does_not_reveal_it(phone: Phone, number: str) -> None:
    place = place_of(phone)
    receive(phone, f"Your code is {CODE}: https://a.example/{CODE}", number)
    for era in ERAS:
        body = Eye(phone.lab, era, phone.reader).call(
            "wait_for_sms", after=place, kind="code", timeout_seconds=5)
        assert_hidden("wait_for_sms", body, [CODE])
        found = result(body)["structuredContent"]
        assert found["found"] is True and "code" not in found
        assert found["message"]["masked"] is True
        assert "scope" in found["hint"] and "codes" in found["hint"]
        assert found["link"] == "https://a.example/"
        found = Eye(phone.lab, era, phone.trusted).facts(
            "wait_for_sms", after=place, kind="code", timeout_seconds=5)
        assert (found["code"], found["link"]) == (CODE, f"https://a.example/{CODE}")
        assert "hint" not in found


def test_searching_does_not_reveal_a_code(phone: Phone, number: str) -> None:
    place = place_of(phone)
    receive(phone, f"Your code is {CODE}, dear customer", number)
    guesses = [CODE[:length] for length in range(1, 9)] + [f"is {CODE[0]}", f"{CODE[-1]},",
                                                           "******", "is *"]
    reader, trusted = (Eye(phone.lab, token=token)
                       for token in (phone.reader, phone.trusted))

    def finds(eye: Eye, words: str) -> tuple[int, bool]:
        count = eye.facts("list_sms", phone_number=number, search=words)["count"]
        found = eye.facts("wait_for_sms", after=place, contains=words, timeout_seconds=1)
        return count, found["found"]
    assert {finds(reader, words) for words in guesses} == {(0, False)}
    assert finds(reader, "dear CUSTOMER") == (1, True)
    assert finds(trusted, CODE) == finds(trusted, "code is 7") == (1, True)


def test_only_its_sender_sees_an_outgoing_code(phone: Phone, number: str) -> None:
    """The sender knows it; for other clients it is masked as in an incoming message."""
    text = f"the code is {CODE}"
    place = place_of(phone)
    theirs = send(phone, phone.trusted, text, number)
    for era in ERAS:
        for name, body in Eye(phone.lab, era, phone.reader).look(theirs, number, place):
            assert_hidden(name, body, [CODE])
    own = send(phone, phone.reader, text, "+36301112233")
    page = Eye(phone.lab, token=phone.reader).facts("list_sms", phone_number="+36301112233")
    [message] = page["messages"]
    assert (message["message_id"], message["text"]) == (own, text)
    assert "masked" not in message


def told(events: Events, until: str) -> str:
    """Everything up to the event that contains these words."""
    seen = ""
    while until not in seen:
        seen += "".join(events.next_message().fields.values())
    return seen


def test_notifications_do_not_contain_codes(phone: Phone, number: str) -> None:
    uris = ["sms://inbox", f"sms://conversation/{number.replace('+', '%2B')}"]
    asked = Request("subscriptions/listen", {"notifications": {
        "resourceSubscriptions": uris}}).header(Authorization=f"Bearer {phone.reader}")
    headers = {name.replace("-", "_"): value for name, value in asked.headers.items()}
    with Events(phone.lab.gateway.port, asked.body, **headers) as events:
        told(events, "acknowledged")
        receive(phone, f"Your code is {CODE}", number)
        seen = told(events, "sms://conversation")
    assert "sms://inbox" in seen and CODE not in seen


@pytest.mark.parametrize("era", [LEGACY, MODERN])
def test_progress_messages_do_not_contain_codes(phone: Phone, number: str, era: str) -> None:
    """A wait that streams: its progress and its answer."""
    arguments = {"name": "wait_for_sms", "arguments": {"contains": CODE, "timeout_seconds": 3}}
    if era == MODERN:
        asked = Request("tools/call", arguments).meta().header(
            Authorization=f"Bearer {phone.reader}")
        asked.meta_members["progressToken"] = 1
        body, named = asked.body, asked.headers
    else:
        body = rpc("tools/call", arguments | {"_meta": {"progressToken": 1}})
        named = {"Authorization": f"Bearer {phone.reader}"}
    headers = {name.replace("-", "_"): value for name, value in named.items()}
    with Events(phone.lab.gateway.port, body, **headers) as events:
        told(events, "waiting for a matching message")
        receive(phone, f"Your code is {CODE}", number)
        seen = told(events, '"found":false')
    assert "does not match" in seen and CODE not in seen


def test_open_mode_shows_codes(make_lab: Callable[..., Lab], number: str) -> None:
    lab = make_lab(modem_count=1)
    lab.modems[0].deliver(number, f"Your code is {CODE}")
    Ledger(lab).wait(1)
    assert CODE in Eye(lab).call("list_sms").decode()
