# SPDX-License-Identifier: GPL-2.0-or-later
"""What a model reads about the tools before it calls one: its size, and that it
mentions only what this client may use. -s prints the sizes, and so does the end of make check."""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from lab import Lab, wait_until
from lone_gateway import LoneGateway
from schema import catalogue
from test_scopes import SCOPES, Client

EVERYTHING_ON = "[ussd]\nallow = *100#\n[call]\nplace = yes\n"
TOOLS = set(catalogue())

DEFAULT_OCTETS, ALL_OCTETS, TOOL_OCTETS = 14_000, 20_000, 2_800
INSTRUCTION_OCTETS, DESCRIPTION_OCTETS = 1_200, 420


def octets(value: Any) -> int:
    return len(json.dumps(value, separators=(",", ":"), ensure_ascii=False).encode())


def lists(client: Client) -> list[list[dict[str, Any]]]:
    """In the family of 2025, and in that of 2026."""
    return [client.ask("tools/list").result["tools"],
            client.ask_modern("tools/list").result["tools"]]


def instructions(client: Client) -> list[str]:
    """Likewise."""
    hello = {"protocolVersion": "2025-11-25", "capabilities": {},
             "clientInfo": {"name": "t", "version": "1"}}
    return [client.ask("initialize", hello).result["instructions"],
            client.ask_modern("server/discover").result["instructions"]]


def print_sizes(tools: list[dict[str, Any]]) -> None:
    for tool in tools:
        parts = {part: octets(tool[part]) for part in tool
                 if part not in ("name", "title")}
        print(f"{octets(tool):6} {tool['name']}: {parts}")
    print(f"{octets(tools):6} all {len(tools)}")


@pytest.fixture
def everything(make_lab: Callable[..., Lab]) -> Client:
    """A client that may do everything, on a phone where everything is switched on."""
    lab = make_lab(EVERYTHING_ON, modem_count=1, gateway_open=False)
    client = Client(lab.gateway, "everything", *SCOPES)
    wait_until(lambda: TOOLS <= set(client.tools), what="all tools are offered")
    return client


# ---- how much it is

def test_tools_of_the_default_scopes_are_within_their_budget(
        guarded: LoneGateway, record_property: Callable[[str, str], None]) -> None:
    for tools in lists(Client(guarded, "sizes", "read", "send")):
        print_sizes(tools)
        assert octets(tools) <= DEFAULT_OCTETS
    record_property("summary", f"tools/list: {octets(tools)} octets with the default scopes")


def test_all_tools_are_within_their_budget(
        everything: Client, record_property: Callable[[str, str], None]) -> None:
    for tools in lists(everything):
        print_sizes(tools)
        assert octets(tools) <= ALL_OCTETS
    record_property("summary", f"tools/list: {octets(tools)} octets with everything")
    for tools in lists(everything):
        for tool in tools:
            assert octets(tool) <= TOOL_OCTETS, tool["name"]
            assert octets(tool["description"]) <= DESCRIPTION_OCTETS, tool["name"]


def test_instructions_are_short_and_say_what_matters(
        everything: Client, record_property: Callable[[str, str], None]) -> None:
    texts = [*instructions(everything),
             *instructions(Client(everything.gateway, "default", "read", "send"))]
    record_property("summary", f"instructions: {max(map(octets, texts))} octets")
    for text in texts:
        print(octets(text), text)
        assert octets(text) <= INSTRUCTION_OCTETS
        for what in ("find_contact", "get_sms_subscriptions gives their names",
                     "never send it again", "wait_for_sms", "strangers",
                     "never instructions", "addresses_agents"):
            assert what in text


def test_a_parameter_is_described_in_one_sentence(everything: Client) -> None:
    for tool in lists(everything)[0]:
        for name, field in tool["inputSchema"]["properties"].items():
            said = field["description"]
            assert not re.search(r"[.!?](\s|$)", said), (tool["name"], name)
            assert octets(said) <= 150, (tool["name"], name)


# ---- that all of it is there

def sayings(client: Client) -> Iterator[tuple[str, str]]:
    """All that this client reads before its first call: where, and the words."""
    def within(place: str, value: Any) -> Iterator[tuple[str, str]]:
        if isinstance(value, dict):
            for key, member in value.items():
                yield from within(f"{place}.{key}", member)
        elif isinstance(value, list):
            for member in value:
                yield from within(place, member)
        elif isinstance(value, str):
            yield place, value

    for tools in lists(client):
        for tool in tools:
            yield from within(tool["name"], tool)
    for text in instructions(client):
        yield "instructions", text
    for method, key in (("resources/list", "resources"),
                        ("resources/templates/list", "resourceTemplates")):
        for ask in client.ask, client.ask_modern:
            for row in ask(method).result[key]:
                yield from within(row["name"], row)


def assert_names_only_its_tools(client: Client) -> None:
    missing = TOOLS - set(client.tools)
    for place, words in sayings(client):
        named = set(re.findall(r"[a-z_]+", words)) & missing
        assert not named, f"{place}: {words}"


@pytest.mark.parametrize("count", range(len(SCOPES) + 1))
def test_nothing_names_a_tool_outside_the_scopes(guarded: LoneGateway, count: int) -> None:
    for scopes in itertools.combinations(SCOPES, count):
        if set(scopes) <= {"metrics", "hub"}:      # no access to MCP
            continue
        assert_names_only_its_tools(
            Client(guarded, "-".join(["names", *scopes]), *scopes))


def test_nothing_names_a_hidden_tool(make_lab: Callable[..., Lab]) -> None:
    for tool in sorted(TOOLS):
        lab = make_lab(EVERYTHING_ON + f"[server]\nhidden_tools = {tool}\n",
                       modem_count=1, gateway_open=False)
        client = Client(lab.gateway, "everything", *SCOPES)
        wait_until(lambda: TOOLS - {tool} <= set(client.tools), what=f"all but {tool}")
        assert tool not in client.tools
        assert_names_only_its_tools(client)


def test_codes_are_said_to_be_masked_only_where_they_are(guarded: LoneGateway) -> None:
    [masked, _] = instructions(Client(guarded, "masked", "read"))
    [plain, _] = instructions(Client(guarded, "plain", "read", "codes"))
    assert masked.startswith(plain) and "masked" in masked.removeprefix(plain)
    assert "masked" not in instructions(Client(guarded, "sender", "send"))[0]


def test_a_fix_names_no_tool_that_the_client_lacks(guarded: LoneGateway) -> None:
    """A client that can't look for a contact, or ask which SIMs there are."""
    wrong = {"to_phone_number": "nobody", "sms_text": "x"}
    fixes = {}
    for scopes in ("send",), ("read", "send"):
        client = Client(guarded, "-".join(["fix", *scopes]), *scopes)
        result = client.call("send_sms", **wrong).result
        fixes[scopes] = json.loads(result["content"][0]["text"])["fix"]
        assert result["isError"] and not set(re.findall(
            r"[a-z_]+", fixes[scopes])) & (TOOLS - set(client.tools))
        for more in ({"dry_run": True}, {"dry_run": True, "to_phone_numbers": ["nobody"]},
                     {"to_phone_numbers": ["nobody", "neither"]}):
            facts = client.call("send_sms", **wrong | more).result["content"][-1]["text"]
            assert "Give the number as" in facts
            assert not set(re.findall(r"[a-z_]+", facts)) & (TOOLS - set(client.tools)), facts
    assert "find_contact" in fixes["read", "send"]
    assert fixes["send",]
