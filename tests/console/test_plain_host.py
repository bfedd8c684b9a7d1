# SPDX-License-Identifier: GPL-2.0-or-later
"""The console in unusual hosts: written from the text of MCP Apps alone (see plain.js), late,
silent, forgetful, small."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from agent import Agent
from chrome import Chrome
from console import NARROW, WIDE, Console, OpenTab
from desk import Desk

Show = Callable[..., Console]
METHOD_NOT_FOUND, INVALID_PARAMS = -32601, -32602
TOOLS = ["open_conversation", "set_draft", "get_draft"]


@pytest.fixture
def show(open_tab: OpenTab, chrome: Chrome, desk: Desk) -> Show:
    def show(size: dict[str, Any] = WIDE, **options: Any) -> Console:
        return Console.in_plain_host(open_tab(**size), chrome, desk, **options)
    return show


def ask(console: Console, method: str, params: Any = None) -> Any:
    """The page's answer, error or not."""
    return console.ask_host("host.ask(args[0], args[1] ?? {})", method, params)


def tool(console: Console, name: str, **arguments: Any) -> Any:
    """The result of a tool of the page."""
    return ask(console, "tools/call", {"name": name, "arguments": arguments})["result"]


def refusal(console: Console, name: str, **arguments: Any) -> str:
    result = tool(console, name, **arguments)
    assert result["isError"], result
    return result["content"][0]["text"]


def tell(console: Console, method: str, params: Any) -> None:
    console.ask_host("host.tell(args[0], args[1])", f"ui/notifications/{method}", params)


def text(console: Console) -> str:
    return console.do("return view().getByLabel('Text', { exact: true }).inputValue()")


def names(console: Console) -> list[str]:
    return [entry["name"] for entry in ask(console, "tools/list")["result"]["tools"]]


# ---- the handshake

def test_the_console_completes_the_handshake(show: Show) -> None:
    console = show().wait_live()
    asked, told = console.ask_host("host.heard.slice(0, 2)")
    assert asked["method"] == "ui/initialize"
    assert asked["params"]["protocolVersion"] == "2026-01-26"
    assert asked["params"]["appCapabilities"]["tools"] == {"listChanged": True}
    assert (told["method"], "id" in told) == ("ui/notifications/initialized", False)
    assert console.ask_host("host.methods().lastIndexOf('ui/initialize')") == 0


def test_a_slow_host_is_supported(show: Show) -> None:
    """Meanwhile the page says that the host does not answer; it still answers the host."""
    console = show(hold=["ui/initialize"])
    assert names(console) == TOOLS
    console.wait_text("Not connected")
    console.ask_host("host.release()")
    console.wait_live()


def test_a_host_may_refuse_the_handshake(show: Show, desk: Desk, number: str) -> None:
    desk.lab.modems[0].deliver(number, "for all that")
    console = show(refuse={"ui/initialize": {"code": METHOD_NOT_FOUND, "message": "No"}})
    console.wait_live().wait_text("for all that")


@pytest.mark.parametrize("answer", [None, 7, {}, {"hostCapabilities": None, "hostContext": 3}])
def test_a_host_may_omit_its_context(show: Show, answer: Any) -> None:
    console = show(answers={"ui/initialize": answer})
    console.wait_live()
    assert console.ask_host("host.heard.findLast(({ method }) => "
                            "method?.endsWith('size-changed')).params.height") == 600


def test_a_host_may_forward_only_tools(show: Show, desk: Desk, number: str) -> None:
    desk.lab.modems[0].deliver(number, "by tools alone")
    console = show(capabilities={"serverTools": {}}, mute=["resources/read"])
    console.wait_live().wait_text("by tools alone")


def test_a_host_may_forward_no_calls(show: Show) -> None:
    """The page does not claim to be live."""
    console = show(refuse={"tools/call": {"code": METHOD_NOT_FOUND, "message": "No tools"}})
    console.wait_text("No tools")
    assert console.do("return view().getByText('Live', { exact: true }).count()") == 0


# ---- messages

STRAY = ["null", "1", "'x'", "[]", "{}", "{ jsonrpc: '2.0' }", "{ jsonrpc: '2.0', id: 5 }",
         "{ jsonrpc: '2.0', id: null, result: 1 }", "{ jsonrpc: '1.0', method: 'ping', id: 1 }"]
ODD = {"constructor": None, "__proto__": None, "no/such": {}, "ui/notifications/no-such": {},
       "ui/notifications/tool-result": "text",
       "ui/notifications/tool-input": {"arguments": "text"},
       "ui/notifications/tool-input-partial": [],
       "ui/notifications/tool-cancelled": None,
       "ui/notifications/host-context-changed": {
           "styles": 7, "locale": 9, "timeZone": "No/Where", "safeAreaInsets": "x",
           "containerDimensions": None, "toolInfo": None, "theme": {}}}


def test_odd_messages_are_ignored(show: Show) -> None:
    console = show().wait_live()
    for stray in STRAY:
        console.ask_host(f"host.raw({stray})")
    for method, params in ODD.items():
        console.ask_host("host.tell(args[0], args[1])", method, params)
    tell(console, "tool-result", {"isError": True, "content": "text"})
    tell(console, "tool-result", {"isError": True, "content": [None, {"type": "text"}]})
    assert ask(console, "ping")["result"] == {}
    for method in ("no/such", "toString", "__proto__", "constructor", "resources/list"):
        assert ask(console, method)["error"]["code"] == METHOD_NOT_FOUND
    for params in (None, 7, "x", [], {"name": None}, {"name": ["get_draft"]}):
        assert ask(console, "tools/call", params)["error"]["code"] == INVALID_PARAMS
    assert names(console) == TOOLS


def test_the_console_listens_only_to_its_host(show: Show) -> None:
    """Not to a frame of its own origin, nor to one beside it."""
    console = show().wait_live()
    heard = console.do("""await page.evaluate(() => new Promise(resolve => {
            const other = document.createElement('iframe');
            other.srcdoc = `<script>
                parent.frames[0].postMessage({ jsonrpc: '2.0', id: 'evil',
                    method: 'tools/list', params: {} }, '*');
                parent.frames[0].postMessage({ jsonrpc: '2.0',
                    method: 'ui/notifications/tool-cancelled', params: { reason: 'evil' } }, '*');
                parent.postMessage('told', '*');<\\/script>`;
            addEventListener('message', ({ data }) => data === 'told' && resolve());
            document.body.append(other); }));
        await page.evaluate(() => host.ask('ping'));
        await page.evaluate(() => host.ask('ping'));
        return page.evaluate(() => host.heard.filter(({ id }) => id === 'evil').length)""")
    assert heard == 0
    assert console.do("return view().getByText('evil').count()") == 0


def test_a_call_may_be_reported_in_any_order(show: Show, number: str) -> None:
    console = show().wait_live()
    call = "view().getByRole('status', { name: 'What the agent did' })"
    tell(console, "tool-result", {"content": [{"type": "text", "text": "It was refused"}],
                                  "isError": True})
    for length in (5, 9):
        tell(console, "tool-input-partial", {"arguments": {"sms_text": "in pieces"[:length]}})
        console.do(f"await {call}.getByText('in pieces'.slice(0, args.length), {{ exact: true }})"
                   ".waitFor()", length=length)
        assert console.do(f"return {call}.evaluate(element => element.ariaLive)") == "off"
    tell(console, "tool-input", {"arguments": {"to_phone_number": number,
                                               "sms_text": "in pieces"}})
    console.do(f"await {call}.getByText(args.number).waitFor();"
               f"await {call}.getByText('It was refused').waitFor()", number=number)
    assert console.do(f"return {call}.evaluate(element => element.ariaLive)") == "polite"
    console.click("Close")
    tell(console, "tool-cancelled", {"reason": "late"})
    assert ask(console, "ping")["result"] == {}
    assert console.do(f"return {call}.count()") == 0    # it stays closed


def test_a_call_of_any_length_fits(show: Show) -> None:
    """It leaves room for the rest, on a small screen."""
    console = show(NARROW).wait_live()
    for number in ("A" * 64, "A" * 500, "+36301234567"):
        tell(console, "tool-input", {"arguments": {"to_phone_number": number,
                                                   "sms_text": "x" * 10000}})
        console.do("await view().locator('.agent-call').getByText(args.number).waitFor()",
                   number=number)
        assert ask(console, "ping")["result"] == {}
        heights = console.evaluate("""['bar', 'main', 'title'].map(id =>
            document.getElementById(id).offsetHeight)""")
        assert heights[0] < 120 and heights[1] > 150, heights
        assert console.evaluate("document.documentElement.scrollWidth") == 320
        assert console.violations() == []
    console.wait_live()


def test_a_teardown_during_a_call_succeeds(show: Show, desk: Desk, number: str) -> None:
    console = show().wait_live()
    console.ask_host("host.hold.push('tools/call')")
    tell(console, "tool-input", {"arguments": {"phone_number": "+36301234567"}})
    desk.lab.modems[0].deliver(number, "ends the call that waits for changes")
    console.do("await page.waitForFunction(() => host.late.length > 1)")
    assert ask(console, "ui/resource-teardown")["result"] == {}
    follows = "host.heard.filter(({ params }) => params?.name === 'get_gateway_status').length"
    before = console.ask_host(follows)
    desk.lab.modems[0].deliver(number, "and the held one")
    console.ask_host("host.release()")
    console.do("await page.waitForFunction(() => host.answered === host.asks)")
    assert ask(console, "ping")["result"] == {}
    assert console.ask_host(follows) == before


# ---- the host's context

def height(console: Console) -> int:
    return console.ask_host("host.heard.findLast(({ method }) => "
                            "method?.endsWith('size-changed')).params.height")


def test_earlier_host_context_is_kept(show: Show, desk: Desk, number: str) -> None:
    desk.lab.modems[0].deliver(number, "what time?")
    console = show(context={"timeZone": "Asia/Tokyo", "locale": "en-GB",
                            "containerDimensions": {"maxHeight": 480}}).wait_live()
    console.open(number)
    console.wait_message("what time?")
    [message] = Agent(desk.lab, desk.page).call(
        "list_sms", phone_number=number).structured["messages"]
    for locale in ("de-DE", "ar-EG"):
        tell(console, "host-context-changed", {"locale": locale})
        expected = console.evaluate(
            f"new Intl.DateTimeFormat('{locale}', {{ timeStyle: 'short', timeZone: "
            f"'Asia/Tokyo' }}).format(new Date('{message['at']}'))")
        console.do("""await view().locator('.message time').getByText(args.expected,
            { exact: true }).waitFor()""", expected=expected)
    assert height(console) == 480
    tell(console, "host-context-changed", {"theme": "dark"})
    assert ask(console, "ping")["result"] == {}
    assert height(console) == 480


@pytest.mark.parametrize("mode", ["fullscreen", "pip"])
def test_the_console_fills_its_frame(show: Show, mode: str) -> None:
    console = show(context={"displayMode": mode}, height=700).wait_live()
    tell(console, "host-context-changed", {"theme": "light"})
    assert console.evaluate("document.getElementById('app').offsetHeight") == 700
    tell(console, "host-context-changed", {"displayMode": "inline"})
    console.do("""await frame().waitForFunction(() =>
        document.getElementById('app').offsetHeight === 600)""")


def test_a_fixed_frame_can_be_scrolled(show: Show, number: str) -> None:
    """Everything can be reached in the given space, within the host's insets."""
    console = show(NARROW, height=400, context={
        "safeAreaInsets": {"top": 20, "right": 5, "bottom": 30, "left": 5}}).wait_live()
    assert height(console) == 600                       # the size that it would like
    console.write("in a small frame", number)
    left, top, right, bottom = console.evaluate("""(() => {
        const bar = document.getElementById('bar').getBoundingClientRect();
        const { bottom } = document.querySelector('.composer').getBoundingClientRect();
        return [bar.left, bar.top, innerWidth - bar.right, innerHeight - bottom]; })()""")
    assert (left, top, right) == (5, 20, 5)
    assert bottom >= 30


def test_a_link_that_the_host_refuses_is_reported(show: Show, desk: Desk, number: str) -> None:
    desk.lab.modems[0].deliver(number, "look: https://example.test/a")
    console = show(answers={"ui/open-link": {"isError": True}}).wait_live()
    console.open(number)
    console.click("Link to example.test")
    console.click("Open")
    console.wait_text("The host did not open it")
    console.click("Cancel")
    assert console.evaluate("document.activeElement.textContent") == "Link to example.test"


# ---- tools that the page offers

def test_tools_work_before_any_data(show: Show, number: str) -> None:
    console = show(hold=["ui/initialize"])
    assert names(console) == TOOLS
    assert tool(console, "get_draft")["structuredContent"]["text"] == ""
    console.ask_host("host.release()")
    draft = tool(console, "set_draft", phone_number=number, text="early")
    assert draft["structuredContent"]["verdict"]["would_send"] is True


def test_a_conversation_opens_by_any_spelling_of_the_number(show: Show, desk: Desk, number: str) -> None:
    desk.lab.modems[0].deliver(number, "it is me")
    console = show().wait_live()
    spelt = "06" + number.removeprefix("+36")
    for one in (spelt, f" {number[:3]} {number[3:]} "):
        assert tool(console, "open_conversation", phone_number=one)["structuredContent"] == {
            "phone_number": number, "messages": 1}
    console.do("await view().locator('[aria-current=true]').getByText(args.number).waitFor()",
               number=number)
    tool(console, "set_draft", phone_number=spelt, text="to you")
    assert console.do("return view().getByRole('heading', { level: 1 }).innerText()") == number
    assert text(console) == "to you"


def test_an_unknown_conversation_opens_nothing(show: Show, desk: Desk, number: str) -> None:
    """Nothing is shown instead."""
    desk.lab.modems[0].deliver(number, "stay here")
    console = show().wait_live()
    console.open(number)
    console.wait_message("stay here")
    for none in ("+36991111111", "nobody", "<b>"):
        assert "No message was exchanged" in refusal(console, "open_conversation",
                                                     phone_number=none)
    refusal(console, "open_conversation", phone_number="\u202e")    # it is no number
    console.wait_message("stay here")


WRONG = [({}, "text is missing"), ({"text": 5}, "must be a string of 0 to 1600"),
         ({"text": ["x"]}, "must be a string"), ({"text": None}, "must be a string"),
         ({"text": "x" * 1601}, "0 to 1600 characters"),
         ({"text": "x", "subscription_id": "1"}, "must be an integer"),
         ({"text": "x", "subscription_id": 1.5}, "must be an integer"),
         ({"text": "x", "subscription_id": 99}, "no SIM with the subscription_id 99"),
         ({"text": "x", "phone_number": ""}, "1 to 64"),
         ({"text": "x", "send": True}, "unknown argument send")]


def test_wrong_arguments_are_refused(show: Show) -> None:
    console = show().wait_live()
    for arguments, words in WRONG:
        assert words in refusal(console, "set_draft", **arguments)
    assert ask(console, "tools/call", {"name": "get_draft", "arguments": None})[
        "result"]["isError"]
    assert tool(console, "get_draft")["structuredContent"]["text"] == ""


def test_a_draft_is_refused_where_nothing_can_be_sent(show: Show, desk: Desk) -> None:
    desk.lab.modems[0].deliver("Newsletter", "buy now")
    console = show().wait_live()
    assert "cannot reply to this sender" in refusal(console, "set_draft", phone_number="Newsletter",
                                           text="no")
    reader = show(token=desk.pair("reads-only", "read")).wait_live()
    assert "may not send" in refusal(reader, "set_draft", text="no")


def test_the_focus_stays_where_the_user_writes(
        show: Show, desk: Desk, number: str) -> None:
    """In the host, whatever its agent does with the page."""
    desk.lab.modems[0].deliver(number, "look here")
    console = show().wait_live()
    console.do("""await page.evaluate(() => {
        document.body.append(document.createElement('input'));
        document.querySelector('input').focus(); })""")
    tell(console, "tool-input", {"arguments": {"phone_number": number}})
    console.wait_message("look here")
    tool(console, "set_draft", phone_number="+36301111112", text="to somebody new")
    tool(console, "open_conversation", phone_number=number)
    console.wait_message("look here")
    console.do("await page.keyboard.type('undisturbed')")
    assert console.do("return page.locator('input').inputValue()") == "undisturbed"


def test_text_of_the_user_is_not_replaced(show: Show, desk: Desk, number: str) -> None:
    desk.lab.modems[0].deliver(number, "write to me")
    console = show().wait_live()
    console.open(number)
    console.write("by the person")
    draft = tool(console, "set_draft", text="<i>by the agent</i>")["structuredContent"]
    assert (draft["text"], draft["offered"]) == ("by the person",
                                                 {"text": "<i>by the agent</i>"})
    assert "yours is offered" in draft["note"]
    console.wait_text("<i>by the agent</i>")
    assert (text(console), console.violations()) == ("by the person", [])
    tool(console, "set_draft", text="a long one\n" * 40)
    assert console.violations() == []
    console.click("Keep mine")
    assert "offered" not in tool(console, "get_draft")["structuredContent"]
    assert text(console) == "by the person"
    tool(console, "set_draft", text="once more")
    console.click("Use it")
    assert text(console) == "once more"
    assert tool(console, "set_draft", text="its own it may")["structuredContent"]["text"] \
        == "its own it may"


def test_a_phone_number_of_the_user_is_not_replaced(show: Show, number: str) -> None:
    console = show().wait_live()
    console.click("New message")
    console.do("await view().getByLabel('To', { exact: true }).fill('+36301111111')")
    draft = tool(console, "set_draft", phone_number=number, text="to another")
    assert draft["structuredContent"]["phone_number"] == "+36301111111"
    console.wait_text(f"The agent suggests a text to {number}")
    console.click("Use it")
    assert tool(console, "get_draft")["structuredContent"]["phone_number"] == number


def test_a_new_draft_cannot_be_sent_by_a_tap_in_progress(show: Show, number: str) -> None:
    """An agent's draft can be sent only after its verdict was visible long enough to read."""
    console = show().wait_live()
    tool(console, "set_draft", phone_number=number, text="one")
    console.do("await view().getByText('Ready to send.').waitFor()")
    console.ask_host("host.hold.push('tools/call')")
    console.ask_host("void host.ask('tools/call', { name: 'set_draft', arguments: "
                     "{ text: 'another' } })")
    console.do("""await frame().waitForFunction(() =>
        document.querySelector('#text').value === 'another')""")
    assert console.do("return view().locator('.send').isDisabled()")
    console.ask_host("host.release()")
    console.do("await frame().waitForFunction(() => !document.querySelector('.send').disabled)")
