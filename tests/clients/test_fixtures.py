# SPDX-License-Identifier: GPL-2.0-or-later
"""The program with the runner's tools and resources, and that the release has none of them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from events import Events
from fixture_gateway import FIXTURES, RELEASE
from lab import Lab
from lab.mcp_client import McpClient
from modern import Request, call

MARKS = [b"test_simple_text", b"test_trigger_tool_change", b"test_changing_tool",
         b"test://", b"fixture_answer"]
CHANGING = "test_changing_tool"
MISSING_CAPABILITY = -32021


def names(lab: Lab, method: str = "tools/list", key: str = "tools") -> list[str]:
    with lab.client() as client:
        return [row["name"] for row in client.call(method).result[key]]


def in_session(lab: Lab) -> McpClient:
    client = lab.client()
    client.initialize()
    return client


@pytest.mark.parametrize("mark", MARKS)
def test_the_release_has_no_fixtures(mark: bytes) -> None:
    assert mark in Path(FIXTURES).read_bytes()
    assert mark not in Path(RELEASE).read_bytes()


def test_a_tool_can_be_added_and_removed(fixture_lab: Lab) -> None:
    port = fixture_lab.gateway.port
    asked = Request("subscriptions/listen", {"notifications": {"toolsListChanged": True}})
    with in_session(fixture_lab) as client, \
            Events(port, Mcp_Session_Id=client.headers["Mcp-Session-Id"]) as legacy, \
            Events(port, asked.body, **asked.headers) as modern:
        legacy.wait_comment(), modern.next()
        before = names(fixture_lab)
        was_there = CHANGING in before
        for is_there in (not was_there, was_there):
            client.tool("test_trigger_tool_change")
            for events in (legacy, modern):
                told = events.next_message()
                assert told.method == "notifications/tools/list_changed"
            assert (CHANGING in names(fixture_lab)) == is_there
            reply = call(CHANGING).ask(port).json
            assert ("result" in reply) == is_there
        assert names(fixture_lab) == before


@pytest.mark.parametrize("declared", [{}, {"sampling": {}}, {"elicitation": {}}])
def test_a_missing_client_capability_is_reported(
        fixture_lab: Lab, declared: dict[str, Any]) -> None:
    request = call("test_missing_capability").meta(clientCapabilities=declared)
    reply = request.ask(fixture_lab.gateway.port)
    if "sampling" in declared:
        assert reply.result["content"][0]["text"] == "The client can sample."
        return
    assert reply.error == (400, MISSING_CAPABILITY)
    assert reply.json["error"]["data"] == {"requiredCapabilities": {"sampling": {}}}


def test_a_template_with_a_suffix_is_completed(fixture_lab: Lab) -> None:
    with fixture_lab.client() as client:
        for uri, known in (("test://template/{id}/data", True),
                           ("test://template/{id}", False),
                           ("test://template/{id}/data/", False)):
            answer = client.call("completion/complete", {
                "ref": {"type": "ref/resource", "uri": uri},
                "argument": {"name": "id", "value": "1"}})
            assert ("result" in answer.body) == known


@pytest.mark.parametrize("uri,value", [
    ("test://template/123/data", "123"), ("test://template/%C3%A9/data", "é"),
    ("test://template//data", None), ("test://template/data", None),
    ("test://template/1", None), ("test://template/1/data/", None),
    ("test://template/1/2/data", None)])
def test_a_template_with_a_suffix_matches(fixture_lab: Lab, uri: str, value: str | None) -> None:
    with fixture_lab.client() as client:
        answer = client.call("resources/read", {"uri": uri}).body
    if value is None:
        assert answer["error"]["code"] == -32002
    else:
        assert f'"id":"{value}"' in answer["result"]["contents"][0]["text"]


def test_clients_receive_no_log_messages(fixture_lab: Lab) -> None:
    said = fixture_lab.gateway.log.count("fixture: goes on")
    reply = call("test_logging_tool").meta(logLevel="debug").ask(fixture_lab.gateway.port)
    assert reply.header("content-type") == "application/json"
    assert fixture_lab.gateway.log.count("fixture: goes on") == said + 1


def test_an_unexpected_input_response_is_asked_for_again(fixture_lab: Lab) -> None:
    """Why the runner warns of input-required-result-ignore-extra-params."""
    answer = {"user_name": {"action": "accept", "content": {"name": "Alice"}}}
    request = call("test_input_required_result_elicitation", {}, inputResponses=answer)
    reply = request.meta(clientCapabilities={"elicitation": {}}).ask(
        fixture_lab.gateway.port)
    assert reply.json["result"]["resultType"] == "input_required"
