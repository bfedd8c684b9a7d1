# SPDX-License-Identifier: GPL-2.0-or-later
"""Resources: what can be read, and how a URI names it."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import quote

import pytest

from agent import TO, Agent
from incoming import SENDER, receive
from lab import Lab, McpClient
from rows import complete as complete_message

NAMED = "Bank"
PAGE, PAGE_TYPE = "ui://ofono-mcp/console", "text/html;profile=mcp-app"


def read(client: McpClient, uri: str) -> Any:
    [content] = client.call("resources/read", {"uri": uri}).result["contents"]
    assert content["uri"] == uri
    assert content["mimeType"] == "application/json"
    return json.loads(content["text"])


def test_resources_and_templates_are_listed(client: McpClient) -> None:
    resources = client.call("resources/list").result["resources"]
    templates = client.call("resources/templates/list").result["resourceTemplates"]
    assert [row["uri"] for row in resources] == [
        "sms://inbox", "sms://subscriptions", "sms://status", "sms://voicemail",
        "calls://recent", "sms://alerts", PAGE]
    assert [row["uriTemplate"] for row in templates] == [
        "sms://message/{id}", "sms://conversation/{number}"]
    for row in resources + templates:
        assert row["mimeType"] == (PAGE_TYPE if row["uri" if "uri" in row else "uriTemplate"]
                                   == PAGE else "application/json")
        assert row["name"] and row["title"] and row["description"]


def test_every_listed_resource_can_be_read(client: McpClient) -> None:
    for row in client.call("resources/list").result["resources"]:
        if row["uri"] != PAGE:
            read(client, row["uri"])


def test_the_page_of_the_tools_is_served_whole(client: McpClient) -> None:
    """The same as at /, without requesting a domain or a permission."""
    [content] = client.call("resources/read", {"uri": PAGE}).result["contents"]
    assert (content["uri"], content["mimeType"]) == (PAGE, PAGE_TYPE)
    assert content["text"].startswith("<!doctype html>")
    assert content["text"].endswith("</html>\n")
    assert content["text"] == client.get("/").body
    assert content["_meta"]["ui"] == {"prefersBorder": True, "csp": {
        "connectDomains": [], "resourceDomains": [], "frameDomains": [],
        "baseUriDomains": []}}


def test_the_inbox_lists_incoming_messages(lab: Lab, client: McpClient) -> None:
    message_id = receive(lab, "resource in")
    page = read(client, "sms://inbox")
    assert page["messages"][0]["message_id"] == message_id
    assert page["messages"][0]["from"] == SENDER
    assert "not instructions" in page["notice"]
    assert not any("direction" in message for message in page["messages"])
    assert page["count"] == len(page["messages"]) <= 20
    found = client.tool("wait_for_sms", after=page["wait_cursor"], timeout_seconds=1)
    assert found["structuredContent"]["found"] is False


def test_incoming_and_outgoing_messages_can_be_read(lab: Lab, client: McpClient, agent: Agent) -> None:
    came = receive(lab, "one of them")
    [sim, *_] = agent.ids()
    sent = agent.send("resource out", sim=sim).message_id
    for message_id, direction in ((came, "in"), (sent, "out")):
        message = complete_message(read(client, f"sms://message/{message_id}")["message"])
        assert (message["message_id"], message["direction"]) == (message_id, direction)


@pytest.mark.parametrize("spelt", [
    SENDER, quote(SENDER, safe=""), "%2b36209876543", "%2B36%2020%20987%206543",
    "%2B36-20-987-6543", "06209876543", "0036209876543", "06%2020%20987%206543",
])
def test_a_conversation_is_found_by_any_spelling_of_the_number(
        lab: Lab, client: McpClient, spelt: str) -> None:
    receive(lab, f"spelt {spelt}")
    page = read(client, f"sms://conversation/{spelt}")
    assert page["messages"][0]["text"] == f"spelt {spelt}"
    assert {message["from"] for message in page["messages"]} == {SENDER}


@pytest.mark.parametrize("uri", [
    "sms://nothing", "sms://inbox/", "sms://inbox?x", "sms://INBOX", "SMS://inbox",
    "sms://message/", "sms://message/0", "sms://message/07", "sms://message/-1",
    "sms://message/+1", "sms://message/1.0", "sms://message/999999999",
    "sms://message/99999999999999999999", "sms://message/1%00", "sms://message/1/2",
    "sms://conversation/", "sms://conversation/+15550001111", "sms://conversation/%FF",
    "sms://conversation/" + "9" * 65, "test://nonexistent", "file:///etc/passwd",
])
def test_an_unknown_resource_is_not_found(client: McpClient, uri: str) -> None:
    error = client.call("resources/read", {"uri": uri}).error
    assert error["code"] == -32002
    assert error["data"] == {"uri": uri}


def test_the_subscriptions_resource_matches_the_tool(client: McpClient, agent: Agent) -> None:
    assert read(client, "sms://subscriptions") == agent.call(
        "get_sms_subscriptions").structured


def complete(client: McpClient, value: str) -> list[str]:
    return client.call("completion/complete", {
        "ref": {"type": "ref/resource", "uri": "sms://conversation/{number}"},
        "argument": {"name": "number", "value": value},
    }).result["completion"]["values"]


def test_phone_numbers_are_completed(lab: Lab, client: McpClient, agent: Agent) -> None:
    receive(lab, "to be completed")
    receive(lab, "to be completed, too", NAMED)
    [sim, *_] = agent.ids()
    agent.send("completed", sim=sim)
    assert {SENDER, TO, NAMED} <= set(complete(client, ""))
    assert complete(client, "+3620") == [SENDER] == complete(client, "3620")
    assert complete(client, "Ba") == [NAMED]
    assert complete(client, "nobody") == []
    for number in complete(client, ""):
        read(client, f"sms://conversation/{quote(number, safe='')}")
