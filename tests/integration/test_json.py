# SPDX-License-Identifier: GPL-2.0-or-later
"""--json: commands print strict JSON, and the manual page names every member.

The output of tools is checked against their schemas instead.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from agent import TO
from approving import new_agent
from lab import Lab
from owner import FAILED, OK, run
from rows import complete, complete_page
from schema import closed, problems
from test_commands import COMMANDS, FORMER, PAGE

SECTION = re.search(r"^\.Sh JSON\n(.*?)^\.Sh ", PAGE, re.MULTILINE | re.DOTALL)[1]
ITEMS = dict(re.findall(r"^\.It Cm (.*)\n((?:(?!\.It |\.El).*\n)*)", SECTION, re.MULTILINE))
TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[+-]\d\d:\d\d")
TIMES = {"at", "paired", "asked_at", "send_at", "until", "read_at", "frees_at", "counts_until"}
# Members whose own members are documented elsewhere: keys of the configuration, facts of an
# event.
CLOSED = {"configuration", "detail", "message"}


def item_of(command: str) -> str:
    name = FORMER.get(command, command)
    return next(text for words, text in ITEMS.items() if name in words.split(" , "))


def names_in(text: str) -> set[str]:
    names = re.findall(r"^\.(?:Va|Pq Va) (.*)$", text, re.MULTILINE)
    return {word for name in names for word in name.split() if word.isidentifier()}


def members(value: Any) -> Iterator[tuple[str, Any]]:
    for item in value if isinstance(value, list) else [value]:
        if not isinstance(item, dict):
            continue
        for name, member in item.items():
            yield name, member
            if name not in CLOSED:
                yield from members(member)


def no_constant(name: str) -> None:
    raise AssertionError(f"{name} is no JSON")


def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    assert len({name for name, _ in pairs}) == len(pairs), pairs
    return dict(pairs)


def read(line: str) -> Any:
    """Strictly: no duplicate names, no NaN, one line."""
    assert line.isprintable(), line
    return json.loads(line, parse_constant=no_constant, object_pairs_hook=unique)


@pytest.fixture
def do(phone: Lab, folder: Path) -> Callable[..., list[Any]]:
    def do(*words: object, code: int = OK) -> list[Any]:
        name, *rest = words
        state = [] if name in ("modem", "tools") else ["--state-dir", phone.gateway.state]
        done = run(name, *state, "--json", *rest, DBUS_SYSTEM_BUS_ADDRESS=phone.bus.address)
        assert done.returncode == code, done
        return [read(line) for line in done.stdout.splitlines()]
    return do


@pytest.fixture
def phone(make_lab: Callable[..., Lab]) -> Lab:
    lab = make_lab(modem_count=1, gateway_open=False)
    return lab


def assert_told(command: str, lines: list[Any], *beside: str) -> None:
    told = names_in(item_of(command)).union(*(names_in(item_of(other)) for other in beside))
    for name, value in members(lines):
        assert name in told, (command, name)
        if name in TIMES and isinstance(value, str):
            assert TIME.fullmatch(value), (command, name, value)


def test_the_manual_page_describes_the_json_of_each_command() -> None:
    named = {word for words in ITEMS for word in words.split(" , ")}
    assert named - {"audit verify"} == set(COMMANDS) - {"serve", "stdio"}


def test_owner_commands_print_documented_json(phone: Lab, do: Callable[..., list[Any]],
                                        folder: Path) -> None:
    careful = new_agent(phone)
    for text in ("first", "second"):
        careful.call("send_sms", to_phone_number=TO, sms_text=text, wait_for="none")
    file = folder / "backup"
    waiting = do("approvals")
    for command, *words in [
            ("pair", "--per-day", 5, "--sim", 1, "--allow", TO, "other"), ("rotate", "other"),
            ("change", "--ask", "always", "other"), ("clients",), ("revoke", "other"),
            ("pause",), ("resume",), ("reload",), ("balance",), ("doctor",), ("modem",),
            ("modem", "on"), ("backup", file), ("audit",)]:
        assert_told(command, do(command, *words), *["client list"] * (command != "modem"))
    assert len(waiting) == 3
    assert_told("approvals", waiting)
    assert_told("approve", do("approve", waiting[0]["message_id"]))
    assert_told("reject", do("reject", waiting[1]["message_id"], "no"))
    assert_told("audit verify", do("audit", "verify"))
    phone.gateway.stop()
    assert_told("restore", do("restore", file))


def test_tool_commands_print_json_of_their_schema(phone: Lab, do: Callable[..., list[Any]]) -> None:
    [listed] = do("tools")
    schemas = {tool["name"]: closed(tool["outputSchema"]) for tool in listed["tools"]}
    new_agent(phone, "laptop", "never")
    for command, tool, *words in [
            ("send", "send_sms", "--sim", 1, TO, "hello"),
            ("send", "send_sms", "--dry-run", TO, "hello"), ("list", "list_sms"),
            ("contacts", "find_contact")]:
        [told] = do(command, *words)
        assert problems(told, schemas[tool]) == [], command
    [told] = do("wait", "--timeout", 1, code=FAILED)
    assert problems(told, schemas["wait_for_sms"]) == []
    message, status = do("show", 1)
    assert problems(status, schemas["get_sms_status"]) == []
    [listed] = do("list")
    assert [complete(message["message"])] == complete_page(listed)["messages"][:1]


def test_status_json_extends_the_status_tool(phone: Lab, do: Callable[..., list[Any]]) -> None:
    new_agent(phone)
    do("change", "--per-day", 5, "careful")
    [listed], [status] = do("tools"), do("status")
    [schema] = [tool["outputSchema"] for tool in listed["tools"]
                if tool["name"] == "get_gateway_status"]
    more = {name: value for name, value in status.items() if name not in schema["properties"]}
    assert set(more) == {"version", "agent", "webhooks", "advertised", "advertisement", "configuration",
                         "contacts", "waiting_approval", "clients"}
    assert_told("status", [more], "client list", "agent")
    told = {name: value for name, value in status.items() if name not in more}
    assert problems(told, closed(schema)) == []


def test_an_error_is_the_last_json_line(phone: Lab, do: Callable[..., list[Any]]) -> None:
    for words in (["show", 99], ["revoke", "nobody"], ["unlock"], ["approve", 99],
                  ["modem", "on", "/none"], ["restore", "/none"]):
        error = do(*words, code=FAILED)[-1]["error"]
        assert set(error) == {"code", "message", "fix"} and error["code"].isidentifier()
