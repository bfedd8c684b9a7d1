# SPDX-License-Identifier: GPL-2.0-or-later
"""Forms with presets, choices of every kind and numbers, in each revision."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from fixture_gateway import FixtureGateway
from legacy_session import FORMS, LegacySession, asked
from modern import Request, call
from wire import Reply

PRESETS, CHOICES = "test_elicitation_sep1034_defaults", "test_elicitation_sep1330_enums"
DEFAULTS = {"name": "John Doe", "age": 30, "score": 95.5, "status": "active",
            "verified": True}
DONE = "Elicitation completed: "


@pytest.fixture(scope="module")
def gateway() -> Iterator[FixtureGateway]:
    with FixtureGateway() as gateway:
        yield gateway


def ask(gateway: FixtureGateway, tool: str, **params: Any) -> Reply:
    asked: Request = call(tool, {}, **params)
    return asked.meta(clientCapabilities=FORMS).ask(gateway.port)


class Modern:
    """A form of 2026-07-28."""

    def __init__(self, gateway: FixtureGateway, tool: str) -> None:
        self._gateway = gateway
        self._tool = tool
        self._take(ask(gateway, tool).result)

    def _take(self, result: dict[str, Any]) -> None:
        assert result["resultType"] == "input_required", result
        [(self._key, asked)] = result["inputRequests"].items()
        self._state = result["requestState"]
        self.schema = asked["params"]["requestedSchema"]

    def answer(self, response: Any) -> str | None:
        """The tool's result; None if it asks again."""
        result = ask(self._gateway, self._tool, requestState=self._state,
                     inputResponses={self._key: response}).result
        if result["resultType"] == "complete":
            return result["content"][0]["text"]
        self._take(result)
        return None


class Legacy:
    """A form of the 2025 family."""

    def __init__(self, gateway: FixtureGateway, tool: str,
                 version: str = "2025-11-25") -> None:
        self._session = LegacySession(gateway, version)
        self._events = self._session.call(tool)
        self._question = asked(self._events)
        self.schema = self._question.message["params"]["requestedSchema"]

    def answer(self, response: Any) -> str | None:
        self._session.answer(self._question, response)
        event = self._events.next_message()
        if event.method == "elicitation/create":
            self._question = event
            return None
        self._events.wait_end()
        self._events.socket.close()
        return event.message["result"]["content"][0]["text"]


ERAS = pytest.mark.parametrize("era", [Modern, Legacy])


def accept(**content: Any) -> dict[str, Any]:
    return {"action": "accept", "content": content}


def said(text: str | None) -> Any:
    """The content that the tool received."""
    assert text is not None and text.startswith(f"{DONE}action=accept, content=")
    return json.loads(text.partition("content=")[2])


@ERAS
def test_the_form_shows_presets(gateway: FixtureGateway, era: Any) -> None:
    form = era(gateway, PRESETS)
    fields = form.schema["properties"]
    assert {name: field["default"] for name, field in fields.items()
            if "default" in field} == DEFAULTS
    assert fields["status"] == {
        "type": "string", "title": "Status", "enum": ["active", "inactive", "pending"],
        "default": "active"}
    assert (fields["score"]["type"], fields["age"]["type"]) == ("number", "integer")
    assert form.schema["required"] == ["verified"]
    assert said(form.answer(accept(**DEFAULTS))) == DEFAULTS


@ERAS
def test_a_preset_does_not_replace_an_answer(gateway: FixtureGateway, era: Any) -> None:
    form = era(gateway, PRESETS)
    assert form.answer(accept()) is None            # `verified` is required
    assert said(form.answer(accept(verified=False))) == {"verified": False}


@ERAS
def test_the_form_offers_every_kind_of_choice(gateway: FixtureGateway, era: Any) -> None:
    form = era(gateway, CHOICES)
    fields = form.schema["properties"]
    options, values = ["option1", "option2", "option3"], ["value1", "value2", "value3"]
    assert fields["untitledSingle"] == {"type": "string", "title": "One", "enum": options}
    assert [one["const"] for one in fields["titledSingle"]["oneOf"]] == values
    assert fields["legacyEnum"]["enumNames"] == ["Option One", "Option Two", "Option Three"]
    assert fields["untitledMulti"] == {
        "type": "array", "title": "Several", "items": {"type": "string", "enum": options}}
    several = fields["titledMulti"]
    assert [one["const"] for one in several["items"]["anyOf"]] == values
    chosen = {"untitledSingle": "option2", "titledSingle": "value3", "legacyEnum": "opt1",
              "untitledMulti": ["option3", "option1"], "titledMulti": ["value2"]}
    assert said(form.answer(accept(**chosen))) == chosen


@ERAS
@pytest.mark.parametrize("action", ["decline", "cancel"])
def test_declining_the_form_returns_no_content(gateway: FixtureGateway, era: Any, action: str) -> None:
    text = era(gateway, PRESETS).answer({"action": action})
    assert text == f"{DONE}action={action}, content={{}}"


def test_2025_06_18_has_no_presets(gateway: FixtureGateway) -> None:
    form = Legacy(gateway, PRESETS, "2025-06-18")
    fields = form.schema["properties"]
    assert not [name for name, field in fields.items() if "default" in field]
    assert fields["score"]["type"] == "number"
    assert said(form.answer(accept(**DEFAULTS))) == DEFAULTS
