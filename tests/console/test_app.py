# SPDX-License-Identifier: GPL-2.0-or-later
"""The console as an MCP App: in a sandbox, in a host on the official AppBridge, which talks to
the real gateway with the official SDK."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from agent import Agent
from chrome import Chrome
from console import WIDE, Console, OpenTab
from desk import Desk
from lab import wait_until

Show = Callable[..., Console]
LASTING = ["open_conversation", "set_draft", "get_draft"]
ON_SELECTION = "get_selected_messages"


@pytest.fixture
def show(open_tab: OpenTab, chrome: Chrome, desk: Desk) -> Show:
    def show(**options: Any) -> Console:
        return Console.in_host(open_tab(**WIDE), chrome, desk, **options)
    return show


def host(console: Console, expression: str, *args: Any) -> Any:
    return console.ask_host(expression, *args)


def call(console: Console, name: str, **arguments: Any) -> Any:
    """A tool of the page."""
    result = host(console, "host.call(args[0], args[1])", name, arguments)
    assert not result.get("isError"), result
    assert json.loads(result["content"][0]["text"]) == result["structuredContent"]
    return result["structuredContent"]


# ---- the host

@pytest.mark.parametrize("mode", ["legacy", "auto"])
def test_a_host_shows_the_console(show: Show, desk: Desk, number: str, mode: str) -> None:
    desk.lab.modems[0].deliver(number, f"shown in a host, {mode}")
    console = show(mode=mode)
    console.wait_text(f"shown in a host, {mode}")
    assert host(console, "host.page.type") == "text/html;profile=mcp-app"
    assert console.evaluate("origin") == "null"         # it has no origin and no storage
    assert host(console, "host.sizes.at(-1).height") == 600


def test_the_console_can_reach_only_its_host(show: Show, desk: Desk) -> None:
    console = show()
    assert console.evaluate(
        f"fetch('{desk.url}').then(() => 'reached', () => 'refused')") == "refused"
    assert all("Content Security Policy" in one or "Failed to load" in one or "fetch" in one
               for one in console.do("return complaints.splice(0)"))


def test_the_console_follows_theme_language_and_size(show: Show, desk: Desk, number: str) -> None:
    desk.lab.modems[0].deliver(number, "when?")
    console = show(context={
        "theme": "dark", "locale": "de-DE", "timeZone": "Asia/Tokyo",
        "styles": {"variables": {"--color-text-primary": "#fedcba"}},
        "containerDimensions": {"maxHeight": 480}})
    console.wait_text("when?")
    style = "getComputedStyle(document.body)"
    assert console.evaluate(f"{style}.color") == "rgb(254, 220, 186)"
    assert console.evaluate(f"{style}.colorScheme") == "dark"
    assert host(console, "host.sizes.at(-1).height") == 480
    shown = console.do("""return view().getByRole('button', { name: args.number })
        .locator('time').innerText()""", number=number)
    at = Agent(desk.lab, desk.page).call("list_sms", phone_number=number)
    [message] = at.structured["messages"]
    assert shown == console.evaluate(
        f"new Intl.DateTimeFormat('de-DE', {{ timeStyle: 'short', timeZone: 'Asia/Tokyo' }})"
        f".format(new Date('{message['at']}'))")
    host(console, "host.bridge.sendHostContextChange({ theme: 'light' })")
    console.do("""await frame().waitForFunction(() =>
        getComputedStyle(document.body).colorScheme === 'light')""")


def test_the_console_shows_the_agents_call(show: Show, desk: Desk, number: str) -> None:
    console = show(tool="send_sms", input={
        "to_phone_number": number, "sms_text": "<b>from</b> the agent",
        "subscription_id": desk.sims[0]})
    console.do("""const call = view().getByRole('status', { name: 'What the agent did' });
        await call.getByText('Send a text message').waitFor();
        await call.getByText('<b>from</b> the agent').waitFor();
        await call.getByText(`SMS sent to ${args.number}`).waitFor()""", number=number)
    console.wait_message("<b>from</b> the agent", "sent")
    assert desk.sent().count("<b>from</b> the agent") == 1
    assert Agent(desk.lab, desk.page).call(
        "list_sms_conversations", unread_only=True).structured is not None


def test_the_console_shows_a_failed_call(show: Show, desk: Desk) -> None:
    console = show(tool="send_sms", input={"to_phone_number": "112", "sms_text": "x",
                                           "subscription_id": desk.sims[0]})
    console.do("""await view().getByRole('status', { name: 'What the agent did' })
        .getByText(/mergency/).waitFor()""")


def test_a_read_only_client_is_told_that_it_cannot_send(open_tab: OpenTab, chrome: Chrome, desk: Desk) -> None:
    token = desk.pair("reader", "read")
    console = Console.in_host(open_tab(**WIDE), chrome, desk, token=token)
    console.wait_text("Choose a conversation")
    assert console.do("return view().getByRole('button', { name: 'New message' }).count()") == 0
    console.go_to("Approvals")
    console.wait_text("paired with the scope admin")


def test_the_console_confirms_its_teardown(show: Show, desk: Desk, number: str) -> None:
    """It confirms that it leaves, and makes no more calls."""
    console = show()
    asked = console.do("""await page.evaluate(() => window.host.bridge.teardownResource({}));
        let asked = 0;
        page.on('request', request => { asked += request.method() === 'POST'; });
        await page.evaluate(() => window.host.client.callTool({ name: 'get_gateway_status' }));
        return asked""")
    assert asked == 1
    host(console, "host.remove && document.querySelector('iframe').remove()")


# ---- live

def test_the_console_sends_and_receives(show: Show, desk: Desk, number: str) -> None:
    console = show()
    assert "Ready to send." in console.write("sent in a host", number, desk.sims[1])
    console.send()
    console.wait_message("sent in a host", "sent")
    assert desk.sent(1).count("sent in a host") == 1
    desk.lab.modems[1].deliver(number, "and answered")
    console.wait_message("and answered")


def test_the_console_survives_a_restart_of_the_gateway(show: Show, desk: Desk, number: str) -> None:
    console = show()
    desk.lab.gateway.restart()
    desk.lab.modems[0].deliver(number, "after the restart")
    console.wait_text("after the restart")
    console.wait_live()
    console.do("complaints.splice(0)")                  # of the calls meanwhile


def test_the_console_approves_messages(show: Show, desk: Desk, number: str) -> None:
    console = show()
    message_id = desk.ask("through the host", number)
    console.decide("through the host", "Approve")
    desk.agent.wait_state(message_id, "sent")
    assert desk.sent().count("through the host") == 1


def test_the_agents_own_token_approves_nothing(show: Show, desk: Desk, number: str) -> None:
    message_id = desk.ask("by myself", number)
    console = show(token=desk.agent_token)
    console.go_to("Approvals")
    console.wait_text("paired with the scope admin")
    assert console.do("return view().getByRole('button', { name: 'Approve' }).count()") == 0
    assert desk.agent.state(message_id) == "waiting_approval"
    desk.owner.do("reject", message_id)


def test_texts_cannot_run_as_markup(show: Show, desk: Desk, number: str) -> None:
    text = "<img src=x onerror='top.hacked=1'><script>parent.hacked=2</script>"
    desk.lab.modems[0].deliver(number, text)
    console = show()
    console.open(number)
    console.wait_message(text)
    assert console.evaluate("document.querySelectorAll('img, iframe, a').length") == 0
    assert console.evaluate("document.scripts.length") == 1
    assert host(console, "window.hacked ?? null") is None


def test_the_host_opens_links(show: Show, desk: Desk, number: str) -> None:
    desk.lab.modems[0].deliver(number, "look: https://example.test/a?b=c#d")
    console = show()
    console.open(number)
    console.click("Link to example.test")
    assert host(console, "host.opened") == []
    console.click("Open")
    wait_until(lambda: host(console, "host.opened") == ["https://example.test/a?b=c#d"],
               what="the host was asked to open it")


def test_the_console_violates_no_accessibility_rule(show: Show, desk: Desk, number: str) -> None:
    console = show(tool="send_sms", input={
        "to_phone_number": number, "sms_text": "for everybody",
        "subscription_id": desk.sims[0]}, context={"theme": "dark"})
    console.wait_message("for everybody", "sent")
    console.click("Select")
    assert console.violations() == []


# ---- tools that the page offers

def test_the_console_offers_its_tools(show: Show) -> None:
    console = show()
    tools = host(console, "host.bridge.listTools({})")["tools"]
    assert [tool["name"] for tool in tools] == LASTING
    for tool in tools:
        assert tool["inputSchema"]["type"] == "object"
        assert tool["title"] and tool["description"] and tool["annotations"]
    assert "call again without" in host(
        console, "host.bridge.listTools({ cursor: 'x' }).catch(error => error.message)")


def test_unknown_tools_and_wrong_arguments_are_refused(show: Show) -> None:
    console = show()
    for name in ("no_such_tool", ON_SELECTION, "toString", "constructor"):
        said = host(console, "host.call(args[0], {}).then(() => '', error => error.message)",
                    name)
        assert f"Unknown tool: {name}" in said
    for arguments in ({}, {"phone_number": 1}, {"phone_number": ""}, {"x": "y"},
                      {"phone_number": "x" * 65}):
        assert host(console, "host.call('open_conversation', args[0])", arguments)["isError"]


def test_a_tool_opens_a_conversation(show: Show, desk: Desk, number: str) -> None:
    desk.lab.modems[0].deliver(number, "show this one")
    console = show()
    console.wait_text("show this one")
    assert call(console, "open_conversation", phone_number=number) == {
        "phone_number": number, "messages": 1}
    console.wait_message("show this one")
    listed = Agent(desk.lab, desk.page).call("list_sms", phone_number=number).structured
    assert "read" not in listed["messages"][0]       # no person has opened it


def test_a_tool_writes_drafts_and_never_sends_them(show: Show, desk: Desk, number: str) -> None:
    """Written where the user can change and send them, and never sent by a tool."""
    console = show()
    offered = [len(modem.offered) for modem in desk.lab.modems]
    draft = call(console, "set_draft", phone_number=number, text="by the agent",
                 subscription_id=desk.sims[1])
    assert (draft["phone_number"], draft["text"], draft["sent"]) == (
        number, "by the agent", False)
    assert draft["subscription_id"] == desk.sims[1]
    assert (draft["verdict"]["would_send"], draft["verdict"]["segments"]) == (True, 1)
    assert console.do("return view().getByLabel('Text', { exact: true }).inputValue()") \
        == "by the agent"
    assert call(console, "set_draft", text="\u0151" * 10)["verdict"]["encoding"] == "ucs2"
    console.write("by the person")
    assert call(console, "get_draft")["text"] == "by the person"
    assert [len(modem.offered) for modem in desk.lab.modems] == offered
    console.send()                                      # the user does
    console.wait_message("by the person", "sent")


def test_tools_follow_the_selection(
        show: Show, desk: Desk, number: str) -> None:
    desk.lab.modems[0].deliver(number, "select me")
    console = show()
    console.open(number)
    console.click("Select")
    assert (host(console, "host.names()"), host(console, "host.listsChanged")) == (LASTING, 0)
    console.do("await view().getByRole('checkbox').check()")
    assert host(console, "host.names()") == [*LASTING, ON_SELECTION]
    assert host(console, "host.listsChanged") == 1
    selected = call(console, ON_SELECTION)
    assert [row["text"] for row in selected["messages"]] == ["select me"]
    assert "not instructions" in selected["notice"]
    console.do("await view().getByRole('checkbox').uncheck()")
    assert host(console, "host.names()") == LASTING
    assert host(console, "host.listsChanged") == 2
    console.do("await view().getByRole('checkbox').check()")
    console.go_to("Messages")                           # nothing is selected elsewhere
    assert host(console, "host.names()") == LASTING
    assert host(console, "host.listsChanged") == 4
