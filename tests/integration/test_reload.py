# SPDX-License-Identifier: GPL-2.0-or-later
"""SIGHUP: the gateway reads its configuration again and notifies agents if their tools
changed."""

from __future__ import annotations

import json
import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from agent import Agent
from events import Events
from lab import Lab, wait_until
from lone_gateway import LoneGateway
from modern import Request, call
from owner import OK, run
from systemd import Systemd
from wire import rpc

INVALID_PARAMS = -32602
LIST_CHANGED = "notifications/tools/list_changed"
QUIET_S = 0.3
HIDDEN = "[server]\nhidden_tools = wait_for_sms, cancel_sms\n"


@pytest.fixture
def gateway() -> Iterator[LoneGateway]:
    with LoneGateway() as gateway:
        yield gateway


def reload(gateway: LoneGateway, text: str, said: str) -> None:
    """Waits until the log reports the outcome once more."""
    count = gateway.log.count(said)
    (gateway.folder / "gateway.conf").write_text(text)
    gateway.send_signal(signal.SIGHUP)
    wait_until(lambda: gateway.log.count(said) > count, what=f"the log says {said}")


def status(gateway: LoneGateway) -> str:
    answer = gateway.post(rpc("tools/call", {"name": "get_gateway_status",
                                             "arguments": {"detail": True}}))
    return json.dumps(answer.result["structuredContent"])


def names(gateway: LoneGateway) -> list[str]:
    return [tool["name"] for tool in gateway.post(rpc("tools/list")).result["tools"]]


def session(gateway: LoneGateway) -> str:
    hello: dict[str, Any] = {"protocolVersion": "2025-11-25", "capabilities": {},
                             "clientInfo": {"name": "t", "version": "1"}}
    id = gateway.post(rpc("initialize", hello)).header("mcp-session-id")
    assert id
    return id


def listen(gateway: LoneGateway, filter: Any) -> Events:
    asked = Request("subscriptions/listen", {"notifications": filter})
    return Events(gateway.port, asked.body, **asked.headers)


FORMER = "get_recent_calls"


def test_a_renamed_tool_is_still_called_and_hidden_by_its_old_name(
        gateway: LoneGateway) -> None:
    call = rpc("tools/call", {"name": FORMER, "arguments": {}})
    assert gateway.post(call).result["structuredContent"]["calls"] == []
    assert "list_calls" in names(gateway) and FORMER not in names(gateway)
    reload(gateway, f"[server]\nhidden_tools = {FORMER}\n",
           "server.hidden_tools: changed")
    assert "list_calls" not in names(gateway)
    assert gateway.post(call).error == (200, INVALID_PARAMS)


def test_a_renamed_key_is_still_read(gateway: LoneGateway) -> None:
    reload(gateway, "[policy]\napprove_through_client = no\n",
           "policy.approve_through_agent: changed")
    assert ("gateway.conf:2: policy.approve_through_client is now called "
            "policy.approve_through_agent; the old name still works") in gateway.log


def test_an_entry_that_matches_nothing_is_named_but_no_error(gateway: LoneGateway) -> None:
    """Earlier versions accepted it without a word. A number with spaces stays an error."""
    text = "[incoming]\nblocked_senders = Bank, a name that is too long, *\n[policy]\ndeny = +3630* +36\n"
    reload(gateway, text, "policy.deny: changed")
    for entry in ('2: incoming.blocked_senders: "a name that is too long"',
                  '2: incoming.blocked_senders: "*"', '4: policy.deny: "+36"'):
        assert gateway.log.count(f"gateway.conf:{entry}") == 1
    assert "Bank" not in gateway.log and "+3630*" not in gateway.log
    file = gateway.folder / "gateway.conf"
    checked = run("serve", "--check-config", "--config", file)
    assert checked.returncode == OK
    assert checked.stderr.count(f"{file}:") == 3
    doctor = json.loads(run("doctor", "--json", "--config", file).stdout)
    assert [one["level"] for one in doctor["findings"] if one["about"] == "configuration"] \
        == ["ok"] + ["warning"] * 3
    reload(gateway, text + "deny = +36 20 123 4567\n", '5: policy.deny: "+36" is not')


# ---- tools that the owner hides

def test_a_hidden_tool_is_neither_listed_nor_callable(gateway: LoneGateway) -> None:
    before = names(gateway)
    reload(gateway, HIDDEN, "server.hidden_tools: changed")
    hidden = ["wait_for_sms", "cancel_sms"]
    assert names(gateway) == [name for name in before if name not in hidden]
    for reply in (gateway.post(rpc("tools/call", {"name": "wait_for_sms"})),
                  call("wait_for_sms").ask(gateway.port)):
        assert reply.error == (200, INVALID_PARAMS)
        assert reply.json["error"]["message"] == "Unknown tool: wait_for_sms"
    reload(gateway, "", "server.hidden_tools: changed")
    assert names(gateway) == before
    reply = gateway.post(rpc("tools/call", {"name": "cancel_sms", "arguments": {}}))
    assert reply.result["isError"] is True


def test_tools_can_be_hidden_from_the_start() -> None:
    with LoneGateway(hidden_tools="send_sms list_sms") as gateway:
        listed = names(gateway)
        assert listed[0] == "get_sms_subscriptions"
        assert not {"send_sms", "list_sms"} & set(listed)


def test_all_tools_can_be_hidden(gateway: LoneGateway) -> None:
    offered = names(gateway)
    text = (f"[server]\nhidden_tools = {' '.join(offered[:5])}\n"
            f"hidden_tools = {' '.join(offered[5:])}\n")
    reload(gateway, text, "server.hidden_tools: changed")
    assert names(gateway) == []


def test_all_listening_clients_are_notified_of_hidden_tools(gateway: LoneGateway) -> None:
    id = session(gateway)
    with listen(gateway, {"toolsListChanged": True}) as modern, \
            listen(gateway, {"resourceSubscriptions": ["sms://status"]}) as other, \
            Events(gateway.port, Mcp_Session_Id=id) as legacy, \
            Events(gateway.port) as without_session:
        modern.next(), other.next()
        legacy.wait_comment(), without_session.wait_comment()
        for text in (HIDDEN, ""):
            reload(gateway, text, "server.hidden_tools: changed")
            for events in (modern, legacy, without_session):
                assert events.next_message().method == LIST_CHANGED
        assert other.poll(QUIET_S) is None


def test_a_policy_change_notifies_status_subscribers(gateway: LoneGateway) -> None:
    premium = "[policy]\npremium = yes\n"
    wait_until(lambda: '"gaps"' in status(gateway), what="the offline gap has begun")
    with listen(gateway, {"resourceSubscriptions": ["sms://status"]}) as events:
        events.next()
        reload(gateway, premium, "policy.premium: changed")
        while events.poll(QUIET_S):     # the gap's, too, once the reload's commit is on disk
            pass
        for text in ("", premium):
            reload(gateway, text, "policy.premium: changed")
            assert events.next_message().method == "notifications/resources/updated"
        assert events.poll(QUIET_S) is None


def test_unchanged_tools_cause_no_notification(gateway: LoneGateway) -> None:
    reload(gateway, HIDDEN, "server.hidden_tools: changed")
    with listen(gateway, {"toolsListChanged": True}) as events:
        events.next()
        reload(gateway, "[server]\nhidden_tools = cancel_sms\nhidden_tools=wait_for_sms\n",
               "server.hidden_tools: changed")
        reload(gateway, HIDDEN + "[sms]\nmax_segments = 7\n", "sms.max_segments: changed")
        assert events.poll(QUIET_S) is None


def test_a_session_is_notified_once_it_opens_a_stream(gateway: LoneGateway) -> None:
    id = session(gateway)
    reload(gateway, HIDDEN, "server.hidden_tools: changed")
    with Events(gateway.port, Mcp_Session_Id=id) as events:
        last = events.next_message()
        assert last.method == LIST_CHANGED
    wait_until(lambda: not gateway.peers, what="the gateway saw it leave")
    reload(gateway, "", "server.hidden_tools: changed")
    with Events(gateway.port, Mcp_Session_Id=id, Last_Event_ID=last.id) as events:
        assert events.next_message().method == LIST_CHANGED
    with Events(gateway.port, Mcp_Session_Id=id) as events:     # once
        assert events.next().fields["data"] == ""               # only its ID
        assert events.poll(QUIET_S) is None


# ---- the file

@pytest.mark.parametrize("text,why", [
    ("[server]\nhidden_tools = send_fax\n", 'there is no tool "send_fax"'),
    ("[server]\nhidden_tools = cancel_sms\nhidden = 1\n", "gateway.conf:3: server.hidden"),
    (HIDDEN + "[sms]\nmax_segments = 0\n", "sms.max_segments: the value is out of range"),
    (HIDDEN + "[server]\nlisten = 0.0.0.0\n", "server.listen"),
    (HIDDEN + "nonsense\n", "neither [SECTION] nor KEY"),
], ids=["tool", "key", "value", "address", "line"])
def test_a_broken_file_changes_nothing(gateway: LoneGateway, text: str, why: str) -> None:
    before = names(gateway)
    reload(gateway, text, "reload: nothing changed: ")
    assert why in gateway.log
    assert names(gateway) == before
    reload(gateway, HIDDEN, "server.hidden_tools: changed")
    assert names(gateway) != before


def test_a_missing_file_changes_nothing(gateway: LoneGateway) -> None:
    reload(gateway, HIDDEN, "server.hidden_tools: changed")
    hidden = names(gateway)
    (gateway.folder / "gateway.conf").unlink()
    gateway.send_signal(signal.SIGHUP)
    wait_until(lambda: "reload: nothing changed: " in gateway.log, what="the log says why")
    assert names(gateway) == hidden


def test_hiding_an_unknown_tool_prevents_the_start(folder: Path) -> None:
    gateway = LoneGateway(hidden_tools="send_sms send_fax")
    try:
        with pytest.raises(AssertionError, match='there is no tool "send_fax"'):
            gateway.start()
    finally:
        gateway._clear()


def test_the_log_says_which_changes_need_a_restart(gateway: LoneGateway) -> None:
    reload(gateway, "[server]\nmax_connections = 3\n[sms]\nqueue_limit = 5\n",
           "server.max_connections: changed in the file, needs a restart")
    assert "sms.queue_limit: changed\n" in gateway.log
    reload(gateway, "[server]\nmax_connections = 3\n[sms]\nqueue_limit = 5\n",
           "server.max_connections: changed in the file, needs a restart")


def test_the_command_line_overrides_a_reloaded_file(gateway: LoneGateway) -> None:
    reload(gateway, "[server]\nopen = no\nlisten = 127.0.0.1:1\n"
                    "[store]\nstate_dir = /nonexistent\n", "reload: nothing changed")
    gateway.assert_serves()


def test_a_reload_switches_verbose_logging_on_and_off(gateway: LoneGateway) -> None:
    def chatter() -> int:
        before = len(gateway.log)
        gateway.post(rpc("tools/list"), Mcp_Session_Id="none", MCP_Protocol_Version="1")
        return len(gateway.log) - before

    assert chatter() == 0
    reload(gateway, "[log]\nverbose = yes\n", "log.verbose: changed")
    assert chatter() > 0
    reload(gateway, "[log]\nverbose = no\n", "log.verbose: changed")
    assert chatter() == 0


def test_messages_beyond_a_new_limit_are_deleted(make_lab: Callable[..., Lab]) -> None:
    lab = make_lab("[store]\nkeep_messages = 2\n", modem_count=1)
    agent = Agent(lab)
    for text in ("one", "two", "three"):
        lab.modems[0].deliver("+36209876543", text)

    def count() -> int:
        return agent.call("list_sms").structured["count"]

    wait_until(lambda: "three" in str(agent.call("list_sms").raw), what="all came in")
    wait_until(lambda: count() == 2, what="the first pass was made")
    lab.gateway.config = "[store]\nkeep_messages = 1\n"
    lab.gateway.prepare()
    lab.gateway.send_signal(signal.SIGHUP)
    wait_until(lambda: count() == 1, what="the oldest are gone")


# ---- the service manager

@pytest.mark.parametrize("text", ["", "broken"])
def test_a_reload_notifies_the_service_manager(systemd: Systemd, text: str) -> None:
    with LoneGateway() as gateway:
        systemd.wait("READY=1")
        (gateway.folder / "gateway.conf").write_text(text)
        gateway.send_signal(signal.SIGHUP)
        systemd.wait("READY=1", count=2)
        at = systemd.heard.index("RELOADING=1")
        assert systemd.heard[at + 1].startswith("MONOTONIC_USEC=")
        assert systemd.heard.index("READY=1", at) > at
