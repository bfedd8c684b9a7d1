# SPDX-License-Identifier: GPL-2.0-or-later
"""The console as the owner's page, in a real Chromium against the real gateway and ofonod."""

from __future__ import annotations

import base64
import hashlib
import http.client
import re
from collections.abc import Callable
from typing import Any

import pytest

from agent import Agent
from chrome import Tab
from concurrent.futures import ThreadPoolExecutor
from console import NARROW, PHONE, WIDE, Console
from desk import CONTACT, Desk
from lab import wait_until

OpenTab = Callable[..., Tab]
MOST_BYTES = 60_000
PLACES = ["Messages", "Approvals", "Phone"]


@pytest.fixture
def page(open_tab: OpenTab, desk: Desk) -> Console:
    return Console.in_browser(open_tab(**PHONE), desk.link)


def get(desk: Desk, method: str = "GET") -> http.client.HTTPResponse:
    connection = http.client.HTTPConnection("127.0.0.1", desk.lab.gateway.port, timeout=10)
    connection.request(method, "/")
    response = connection.getresponse()
    response.body = response.read().decode()
    connection.close()
    return response


# ---- the document

def test_is_one_small_document(desk: Desk) -> None:
    answer = get(desk)
    assert answer.status == 200
    assert answer.getheader("Content-Type") == "text/html; charset=utf-8"
    assert len(answer.body.encode()) < MOST_BYTES
    script = re.search("<script.*</script>", answer.body, re.DOTALL)[0]
    assert not re.search(r"\beval\b|(inner|outer|Adjacent)HTML|Function\(|document.write", script)
    markup = answer.body.replace(script, "")
    assert not re.search(r"\b(src|on\w+)=|@import|url\(", markup)
    assert re.findall(r'href="([^"]{5})', markup) == ["data:"]


def test_its_policy_lets_nothing_else_in(desk: Desk) -> None:
    answer = get(desk)
    policy = dict(part.strip().split(" ", 1) for part in
                  answer.getheader("Content-Security-Policy").split(";"))
    for tag in ("script", "style"):
        [text] = re.findall(rf"<{tag}[^>]*>(.*?)</{tag}>", answer.body, re.DOTALL)
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        assert policy[f"{tag}-src"] == f"'sha256-{digest}'"
    assert policy["connect-src"] == "'self'"
    for name in ("default-src", "base-uri", "form-action", "frame-ancestors"):
        assert policy[name] == "'none'"
    assert policy["require-trusted-types-for"] == "'script'"
    assert answer.getheader("Referrer-Policy") == "no-referrer"
    assert answer.getheader("X-Content-Type-Options") == "nosniff"
    assert answer.getheader("Cache-Control") == "no-store"


def test_other_methods(desk: Desk) -> None:
    assert (get(desk, "HEAD").status, get(desk, "HEAD").body) == (200, "")
    assert get(desk, "POST").status == 405


def test_nothing_added_to_it_runs(open_tab: OpenTab, desk: Desk) -> None:
    tab = open_tab()
    console = Console.in_browser(tab, desk.link)
    for attempt in ("document.body.innerHTML = '<img src=x onerror=\"window.ran = 1\">'",
                    "eval('window.ran = 2')", "new Function('window.ran = 3')()",
                    "document.body.setAttribute('onclick', 'window.ran = 4'); "
                    "document.body.click()"):
        tab.do("""await page.evaluate(text => { const script = document.createElement('script');
            script.append(text); document.body.append(script); }, args.attempt)
            .catch(() => {})""", attempt=attempt)
    assert console.evaluate("window.ran") is None
    assert tab.do("return complaints.splice(0)")        # each was refused aloud


def test_nobody_frames_it(open_tab: OpenTab, desk: Desk, chrome: Any) -> None:
    tab = open_tab()
    text = tab.do("""await page.goto(args.host);
        await page.evaluate(url => new Promise(resolve => {
            const inner = document.createElement('iframe');
            inner.onload = resolve; inner.src = url; document.body.append(inner); }), args.url);
        return [page.frames().at(-1).url(), complaints.splice(0).join(' ')]""", host=chrome.host, url=desk.url)
    assert text[0].startswith("chrome-error:")
    assert "frame-ancestors" in text[1]


# ---- pairing

def test_pairs_by_the_link(open_tab: OpenTab, desk: Desk) -> None:
    tab = open_tab(**PHONE)
    console = Console.in_browser(tab, desk.link)
    assert tab.do("return page.url()") == desk.url
    assert console.evaluate("location.hash + document.referrer") == ""
    tab.do("await page.reload()")
    console.wait_live()                                 # of the tab's session
    seen = tab.do("""const other = await context.newPage(); await other.goto(args.url);
        await other.getByText('Pair this page').waitFor();
        return other.evaluate(() => sessionStorage.length)""", url=desk.url)
    assert seen == 0
    assert desk.page not in desk.lab.gateway.log
    expected_refusals = tab.do("return complaints.splice(0)")
    assert all("401" in one for one in expected_refusals)


def test_a_token_that_is_none(open_tab: OpenTab, desk: Desk) -> None:
    """It is tried once, for wrong ones are counted."""
    tab = open_tab(**PHONE)
    asked = tab.do("""let asked = 0;
        page.on('request', request => { asked += request.url().endsWith('/mcp'); });
        await page.goto(args.url);
        await page.getByText('does not know the token').waitFor();
        await page.waitForLoadState('networkidle');
        return asked""", url=f"{desk.url}#token={'0' * 64}")
    assert asked == 1
    console = Console(tab)
    assert console.evaluate("sessionStorage.length") == 0
    tab.do("await page.getByLabel('paste the token').fill(args.link)", link=desk.link)
    console.click("Use it")
    console.wait_live()
    assert all("401" in one for one in tab.do("return complaints.splice(0)"))


def test_forgets_its_token(page: Console, desk: Desk, number: str) -> None:
    """And what it read: nobody finds that by going back."""
    desk.lab.modems[0].deliver(number, "for the owner's eyes")
    page.open(number)
    page.write("and what was not sent")
    page.go_to("Phone")
    page.click("Forget the token")
    page.wait_text("Pair this page")
    assert page.evaluate("sessionStorage.length") == 0
    page.do("await page.goBack(); await page.goForward()")
    page.wait_text("Pair this page")
    assert number not in page.evaluate("document.documentElement.outerHTML")
    assert all("401" in one for one in page.do("return complaints.splice(0)"))


def test_revoked_while_it_is_open(open_tab: OpenTab, desk: Desk, number: str) -> None:
    """What was read goes, and the token is not tried again and again."""
    token = desk.pair("borrowed", "read")
    desk.lab.modems[0].deliver(number, "not for the borrower any more")
    page = Console.in_browser(open_tab(**PHONE), f"{desk.url}#token={token}")
    page.open(number)
    page.wait_message("not for the borrower any more")
    desk.owner.do("revoke", "borrowed")
    page.wait_text("does not know the token")
    page.do("await page.goBack()")
    page.wait_text("Pair this page")
    assert number not in page.evaluate("document.documentElement.outerHTML")
    assert 0 < len(page.do("return complaints.splice(0)")) < 5      # the sixth would be too many


def test_takes_a_link_that_is_opened_where_it_is(open_tab: OpenTab, desk: Desk) -> None:
    tab = open_tab(**PHONE)
    tab.do("await page.goto(args.url)", url=desk.url)
    Console(tab).wait_text("Pair this page")
    tab.do("complaints.splice(0); await page.goto(args.url)", url=desk.link)
    Console(tab).wait_live()
    assert tab.do("return page.url()") == desk.url


def test_says_what_its_token_may_not(open_tab: OpenTab, desk: Desk) -> None:
    tab = open_tab(**PHONE)
    tab.do("await page.goto(args.url)", url=f"{desk.url}#{desk.pair('sender', 'send')}")
    Console(tab).wait_text("needs the scope read")
    assert all("403" in one for one in tab.do("return complaints.splice(0)"))


# ---- sending

def test_sends(page: Console, desk: Desk, number: str) -> None:
    said = page.write("Hello from the page", number, desk.sims[1])
    assert "1 SMS, 141 characters left" in said
    assert "Can be sent." in said
    page.send()
    page.wait_message("Hello from the page", "sent")
    assert desk.sent(1).count("Hello from the page") == 1


def test_says_before_what_would_be_refused(page: Console, desk: Desk) -> None:
    said = page.write("Help", "112")
    assert "mergency" in said
    assert page.evaluate("document.querySelector('.send').disabled")
    assert "refuses \U0001f600" in page.write("Smile \U0001f600")
    page.do("await page.getByLabel('To', { exact: true }).fill('+36301234567')")
    assert "70 in one" in page.write("H\u0151s")


def test_lost_answers_send_once(page: Console, desk: Desk, number: str) -> None:
    page.write("only once", number)
    page.do("""let lost = 0;
        await page.route('**/mcp', async route => {
            const asked = route.request().postData();
            if (asked.includes('dry_run') && lost) return route.abort();
            if (asked.includes('wait_for') && !lost++) {
                await route.fetch();
                return route.abort(); }
            return route.continue(); })""")
    page.send()
    page.wait_text("Nobody knows whether")
    page.send()
    page.wait_message("only once", "sent")
    assert desk.sent().count("only once") + desk.sent(1).count("only once") == 1
    assert all("ERR_FAILED" in one for one in page.do("return complaints.splice(0)"))


def test_a_message_that_never_left(page: Console, desk: Desk, number: str) -> None:
    page.write("into the void", number)
    page.do("await context.setOffline(true)")
    page.send()
    page.wait_text("Nobody knows whether")
    page.do("await context.setOffline(false)")
    page.do("await page.locator('#verdict').getByText('Can be sent.').waitFor()")
    assert page.do("return page.getByText('Nobody knows whether').count()") == 0
    page.send()
    page.wait_message("into the void", "sent")
    assert desk.sent().count("into the void") + desk.sent(1).count("into the void") == 1
    page.do("complaints.splice(0)")                     # of requests without a network


def test_finds_out_what_became_of_a_lost_answer(page: Console, desk: Desk, number: str) -> None:
    """Also after the tab was loaded again meanwhile."""
    page.write("was it taken?", number)
    page.do("""await page.route('**/mcp', async route => {
            if (!route.request().postData().includes('wait_for')) return route.continue();
            await route.fetch();
            await page.unroute('**/mcp');
            await page.reload(); })""")
    page.send()
    page.wait_message("was it taken?", "sent")
    assert text(page) == ""
    assert desk.sent().count("was it taken?") + desk.sent(1).count("was it taken?") == 1


def text(page: Console) -> str:
    return page.do("return page.getByLabel('Text', { exact: true }).inputValue()")


def test_a_draft_stays_with_its_conversation(page: Console, desk: Desk, number: str) -> None:
    """Whatever becomes of another that is being sent, and when the tab is loaded again."""
    other = number.replace("+3630", "+3620")
    for sender in (number, other):
        desk.lab.modems[0].deliver(sender, "write to me")
    page.do("""await page.route('**/mcp', async route => {
        if (route.request().postData().includes('wait_for'))
            await page.waitForFunction(() =>
                document.querySelector('#text')?.value === 'half a thou');
        return route.continue(); })""")
    page.open(number)
    page.write("on its way")
    page.send()
    page.open(other)
    page.write("half a thou")
    page.do("""await page.locator('#conversations').getByText('on its way')
        .waitFor({ state: 'attached' })""")
    assert text(page) == "half a thou"
    page.do("await page.reload()")
    page.do("await page.waitForFunction(() => document.querySelector('#text')?.value)")
    assert text(page) == "half a thou"
    page.open(number)
    page.wait_message("on its way", "sent")
    assert text(page) == ""


def test_answers_from_the_sim_that_was_written_to(
        page: Console, desk: Desk, number: str) -> None:
    desk.lab.modems[1].deliver(number, "to your second number")
    page.open(number)
    page.wait_message("to your second number")
    page.write("from there")
    page.send()
    page.wait_message("from there", "sent")
    assert "from there" in desk.sent(1)
    assert page.evaluate("document.activeElement.id") == "text"   # to write on


def test_the_verdict_follows_the_phone(page: Console, desk: Desk, number: str) -> None:
    page.write("may I now?", number)
    desk.owner.do("pause")
    try:
        page.wait_text("The owner has paused the gateway")
    finally:
        desk.owner.do("resume")
    page.do("await page.locator('#verdict').getByText('Can be sent.').waitFor()")
    rewritten = page.do("""const ask = async () => {
            const asked = page.waitForResponse(response =>
                response.request().postData().includes('dry_run'));
            await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')));
            await asked; };
        await page.evaluate(() => { window.rewritten = 0;
            new MutationObserver(() => window.rewritten++).observe(
                document.querySelector('#verdict'), { childList: true }); });
        await ask();
        await ask();
        return page.evaluate(() => window.rewritten)""")
    assert rewritten == 0                               # nothing to read aloud again
    page.send()
    page.wait_message("may I now?", "sent")


# ---- what comes in

def test_receives_live(page: Console, desk: Desk, number: str) -> None:
    desk.lab.modems[0].deliver(number, "first of all")
    page.wait_text("first of all")
    page.open(number)
    desk.lab.modems[0].deliver(number, "and then")
    page.wait_message("and then")
    page.do("await page.waitForFunction(() => !document.querySelector('.is-unread'))")


def test_asks_for_nothing_while_nothing_happens(open_tab: OpenTab, desk: Desk) -> None:
    """Half a minute by the page's clock."""
    asked = open_tab(**PHONE).do("""await page.clock.install();
        await page.goto(args.url);
        await page.getByText('Live', { exact: true }).waitFor();
        await page.evaluate(() => performance.clearResourceTimings());
        await page.clock.fastForward(30000);
        return page.evaluate(() => performance.getEntriesByType('resource').length)""",
        url=desk.link)
    assert asked == 0


def test_without_a_network_and_back(open_tab: OpenTab, desk: Desk, number: str) -> None:
    tab = open_tab(**PHONE)
    page = Console.in_browser(tab, desk.link)
    tab.do("await context.setOffline(true)")
    page.wait_text("Not connected")
    desk.lab.modems[0].deliver(number, "while you were away")
    tab.do("await context.setOffline(false)")
    page.wait_text("while you were away")
    page.wait_live()
    tab.do("complaints.splice(0)")                      # of requests without a network


def test_after_the_phone_slept(open_tab: OpenTab, desk: Desk, number: str) -> None:
    """Its stream is dead, and nobody told: the clock of the page has jumped."""
    tab = open_tab(**PHONE)
    tab.do("""await page.clock.install(); await page.goto(args.url);
        await page.getByText('Live', { exact: true }).waitFor();
        await page.clock.fastForward(41000);
        await page.getByText('Not connected').waitFor();
        await page.clock.fastForward(1000);
        await page.getByText('Live', { exact: true }).waitFor()""", url=desk.link)
    desk.lab.modems[0].deliver(number, "after the sleep")
    Console(tab).wait_text("after the sleep")


def test_an_answer_that_never_comes(open_tab: OpenTab, desk: Desk, number: str) -> None:
    """It holds nothing up: after the patience of the page all is asked again."""
    desk.lab.modems[0].deliver(number, "are you there?")
    tab = open_tab(**PHONE)
    tab.do("""await page.clock.install(); await page.goto(args.url);
        await page.getByText('Live', { exact: true }).waitFor();
        const lost = page.waitForRequest(request =>
            request.postData().includes('"list_sms"'));
        let asked = 0;
        await page.route('**/mcp', route => {
            if (!route.request().postData().includes('"list_sms"') || asked++)
                return route.continue(); });
        await page.getByRole('button', { name: args.number }).click();
        await lost;
        await page.clock.fastForward(41000);
        await page.getByText('Not connected').waitFor();
        await page.clock.fastForward(1000)""", url=desk.link, number=number)
    Console(tab).wait_message("are you there?")


def test_after_a_restart_of_the_gateway(open_tab: OpenTab) -> None:
    """And how the phone is: what is left, which SIM is locked, when nobody heard."""
    with Desk("[policy]\nper_day = 7\ncountries = any\n", locked=True) as desk:
        tab = open_tab(**PHONE)
        page = Console.in_browser(tab, desk.link)
        desk.lab.gateway.stop()
        page.wait_text("Not connected")
        desk.lab.gateway.start()
        page.wait_live()
        desk.lab.modems[0].deliver("+36209999999", "after the restart")
        page.wait_text("after the restart")
        tab.do("complaints.splice(0)")
        page.write("one of seven", "+36209999999")
        page.send()
        page.wait_message("one of seven", "sent")
        page.go_to("Phone")
        for text in ("7 messages per day", "6 left", "Locked: asks for a code",
                     "ofono-mcp unlock", "gateway down"):
            page.wait_text(text)
        tab.do("await page.getByRole('img', { name: /Signal [1-9]\\d* percent/ }).waitFor()")


# ---- more than a page of it

FEW = """await page.route('**/mcp', route => route.continue(
    { postData: route.request().postData().replace('"limit":30', '"limit":3') }))"""


def bubbles(page: Console) -> list[str]:
    return page.evaluate("[...document.querySelectorAll('.bubble')].map(p => p.textContent)")


def test_nothing_is_missing_after_a_long_absence(
        open_tab: OpenTab, desk: Desk, number: str) -> None:
    tab = open_tab(**PHONE)
    tab.do(FEW)
    page = Console.in_browser(tab, desk.link)
    texts = [f"the {name} one" for name in "abcdefghi"]
    for text in texts[:2]:
        desk.lab.modems[0].deliver(number, text)
    page.open(number)
    page.wait_message(texts[1])
    tab.do("await context.setOffline(true)")
    page.wait_text("Not connected")
    for text in texts[2:]:
        desk.lab.modems[0].deliver(number, text)
    tab.do("await context.setOffline(false)")
    page.wait_message(texts[-1])
    for left in (6, 3, 0):
        page.wait_message(texts[left])
        if left:
            page.click("Earlier messages")
    assert bubbles(page) == texts
    tab.do("complaints.splice(0)")


def test_older_conversations(open_tab: OpenTab, desk: Desk, number: str) -> None:
    """Each is there once, however often more are asked for, and read when it is opened."""
    numbers = [f"{number}{i}" for i in range(5)]
    for sender in numbers:
        desk.lab.modems[0].deliver(sender, f"from {sender}")
    tab = open_tab(**PHONE)
    tab.do(FEW)
    page = Console.in_browser(tab, desk.link)
    page.wait_text(f"from {numbers[-1]}")
    tab.do("""await page.evaluate(() => {
            const more = document.getElementById('more-conversations');
            more.click(); more.click(); });
        await page.getByText(`from ${args.first}`).waitFor()""", first=numbers[0])
    keys = page.evaluate("[...document.querySelectorAll('#conversations > li')]"
                         ".map(row => row.dataset.key)")
    assert keys[:5] == numbers[::-1]
    assert len(keys) == len(set(keys))
    page.open(numbers[0])
    page.wait_message(f"from {numbers[0]}")
    page.go_to("Messages")
    tab.do("""await page.locator(`[data-key="${args.first}"]:not(.is-unread)`).waitFor()""",
           first=numbers[0])


def test_reads_what_came_while_nobody_looked(page: Console, desk: Desk, number: str) -> None:
    desk.lab.modems[0].deliver(number, "seen at once")
    page.open(number)
    page.wait_message("seen at once")
    page.evaluate("Object.defineProperty(document, 'hidden', { value: true, "
                  "configurable: true })")
    desk.lab.modems[0].deliver(number, "seen later")
    page.wait_message("seen later")
    row = "await page.locator(`[data-key='${args.number}']%s`).waitFor({ state: 'attached' })"
    page.do(row % ".is-unread", number=number)
    page.evaluate("delete document.hidden && "
                  "document.dispatchEvent(new Event('visibilitychange'))")
    page.do(row % ":not(.is-unread)", number=number)


def test_a_clock_that_went_back(page: Console, desk: Desk, number: str) -> None:
    """A day that comes twice has two headings, and they do not become more."""
    for text in ("on time", "years ago", "on time again"):
        desk.lab.modems[0].deliver(number, text)
    page.do("""await page.route('**/mcp', async route => {
        if (!route.request().postData().includes('"list_sms"')) return route.continue();
        const response = await route.fetch();
        const body = await response.text();
        return route.fulfill({ response, body: body.replace(/("text":"years ago".*?"created_at":")\\d{4}/,
            '$12001') }); })""")
    page.open(number)
    page.wait_message("on time again")
    desk.lab.modems[0].deliver(number, "and one more")
    page.wait_message("and one more")
    days = page.evaluate("[...document.querySelectorAll('.day')].map(day => day.textContent)")
    page.do("await page.unrouteAll({ behavior: 'wait' })")
    assert [days[0], len(days), days[2]] == ["Today", 3, "Today"]
    assert "2001" in days[1]


# ---- approvals

def test_approves(page: Console, desk: Desk, number: str) -> None:
    message_id = desk.ask("may I?", number)
    said = page.decide("may I?", "Yes, send it")
    for fact in ("laptop wants to send 1 SMS", number, "Telekom HU", "may I?"):
        assert fact in said
    desk.agent.wait_state(message_id, "sent")
    assert desk.sent().count("may I?") == 1
    page.open(number)
    page.wait_message("may I?", "sent")


def test_rejects(page: Console, desk: Desk, number: str) -> None:
    message_id = desk.ask("and this?", number)
    page.decide("and this?", "No", "she is asleep")
    status = desk.agent.call("get_sms_status", message_id=message_id).structured
    assert (status["state"], status["reason"]) == ("failed", "approval_rejected")
    assert status["changes"][-1]["note"] == "she is asleep"
    assert "and this?" not in desk.sent()


def test_decided_elsewhere_meanwhile(page: Console, desk: Desk, number: str) -> None:
    first, second = desk.ask("the first", number), desk.ask("the second", number)
    page.go_to("Approvals")
    page.do("await page.locator('.card').getByText('the second').waitFor()")
    card = "page.locator('.card').filter({ hasText: args.text })"
    top = f"return (await {card}.boundingBox()).y"
    before = page.do(top, text="the second")
    desk.owner.do("reject", first)
    page.wait_text("Somebody else has decided")
    assert page.do(f"return {card}.getByRole('button', {{ name: 'Yes, send it' }})"
                   ".isDisabled()", text="the first")
    assert page.do(top, text="the second") >= before    # not under a finger on its way
    page.decide("the second", "Yes, send it")
    desk.agent.wait_state(second, "sent")


def test_a_double_press_decides_once(page: Console, desk: Desk, number: str) -> None:
    first, second = desk.ask("press twice", number), desk.ask("not me", number)
    page.go_to("Approvals")
    page.do("await page.locator('.card').getByText('not me').waitFor()")
    page.do("""const { x, y, width, height } = await page.locator('.card')
            .filter({ hasText: 'press twice' }).getByRole('button', { name: 'Yes, send it' })
            .boundingBox();
        const press = () => page.mouse.click(x + width / 2, y + height / 2);
        await press();
        await page.getByText('You said yes.').waitFor();
        await press()""")
    desk.agent.wait_state(first, "sent")
    assert desk.agent.state(second) == "waiting_approval"
    desk.owner.do("reject", second)


def test_a_page_without_admin_cannot(open_tab: OpenTab, desk: Desk, number: str) -> None:
    message_id = desk.ask("wait for me", number)
    page = Console.in_browser(open_tab(**PHONE), f"{desk.url}#{desk.agent_token}")
    page.go_to("Approvals")
    page.wait_text("paired with the scope admin")
    assert page.do("return page.getByRole('button', { name: 'Yes, send it' }).count()") == 0
    page.open(number)
    page.wait_message("wait for me", "waits for a yes")
    desk.owner.do("reject", message_id)


# ---- texts of strangers

HOSTILE = [
    "<img src=x onerror='window.hacked=1'>", "<script>window.hacked=2</script>",
    "</p></li><iframe srcdoc='x'></iframe>", "&lt;b&gt;bold&amp;lt;", "{{7*7}} ${7*7} %s",
    "javascript:window.hacked=3", "\"><svg onload=window.hacked=4>",
    "\u202eabc\u2066", "a\u0300\u0301\u0302" * 5, "x" * 150,
]


def test_texts_are_inert(page: Console, desk: Desk, number: str) -> None:
    for text in HOSTILE:
        desk.lab.modems[0].deliver(number, text)
    agent = Agent(desk.lab, desk.page)
    wait_until(lambda: len(agent.call("list_sms", phone_number=number)
                           .structured["messages"]) == len(HOSTILE), what="all came")
    listed = agent.call("list_sms", phone_number=number).structured["messages"]
    page.open(number)
    page.wait_message("x" * 150)
    shown = page.evaluate("[...document.querySelectorAll('.bubble')].map(p => p.textContent)")
    assert shown == [row["text"] for row in reversed(listed)]
    assert page.evaluate("window.hacked") is None
    assert page.evaluate("document.querySelectorAll('img, iframe, a, object, svg[onload]')"
                         ".length") == 0
    assert page.evaluate("document.scripts.length") == 1


PILE = "H" + "".join(chr(0x300 + i) for i in range(60))


def test_marks_that_pile_up_cover_nothing(page: Console, desk: Desk, number: str) -> None:
    desk.lab.modems[0].deliver(number, "Hello")
    page.open(number)
    page.wait_message("Hello")
    above = """await page.locator('.bubble').evaluate((bubble, text) => {
            bubble.textContent = text; }, args.text);
        return (await page.locator('.day').screenshot()).toString('base64')"""
    assert page.do(above, text=PILE) == page.do(above, text="H")


def test_who_is_a_contact(page: Console, desk: Desk) -> None:
    name, number = CONTACT
    desk.lab.modems[0].deliver(number, "It is me")
    page.do("await page.getByRole('button', { name: args.name }).click()", name=name)
    page.wait_message("It is me")
    page.do("await page.getByRole('heading', { level: 1, name: args.name }).waitFor();"
            "await page.getByText(args.number, { exact: true }).waitFor()", name=name, number=number)


def test_who_cannot_be_answered(page: Console, desk: Desk) -> None:
    for sender, name in (("MyBank", "MyBank"), ("", "No number")):
        desk.lab.modems[0].deliver(sender, f"I am {name}")
        page.do("await page.locator('.row').filter({ hasText: args.text }).click()",
                text=f"I am {name}")
        page.wait_message(f"I am {name}")
        assert page.do("return page.getByRole('heading', { level: 1 }).innerText()") == name
        assert page.do("return page.locator('#text').isHidden()")
        assert page.do("return page.getByText('Live', { exact: true }).isVisible()")
        page.go_to("Messages")


def test_a_link_ends_before_the_sentence(page: Console, desk: Desk, number: str) -> None:
    desk.lab.modems[0].deliver(number, "Look (https://one.test/a), https://two.test! And "
                                       "https://three.test/w_(x).")
    page.open(number)
    page.wait_message("Look")
    assert page.do("return page.locator('.message .link').allInnerTexts()") == [
        "Link to one.test", "Link to two.test", "Link to three.test"]
    for host, link in (("one", "https://one.test/a"), ("three", "https://three.test/w_(x)")):
        page.click(f"Link to {host}.test")
        page.do("await page.getByText(args.link, { exact: true }).waitFor()", link=link)
        page.click("Stay here")


def test_a_link_shows_where_it_leads(page: Console, desk: Desk, number: str) -> None:
    desk.lab.modems[0].deliver(number, "Your bank: https://bank.test@\u0435vil.test/x now")
    page.open(number)
    page.wait_message("Your bank")
    assert page.do("return view().locator('.message a').count()") == 0
    page.click("Link to xn--vil-qdd.test")
    assert page.violations() == []
    opened = page.do("""await page.getByRole('dialog').getByText('Stay here').waitFor();
        const opened = context.waitForEvent('page');
        await page.getByRole('button', { name: 'Open it' }).click();
        const other = await opened;
        const found = [other.url(), await other.evaluate(() => window.opener === null)];
        await other.close(); complaints.splice(0);
        return found""")
    assert opened[1] is True


# ---- for everybody

@pytest.mark.parametrize("colours", ["light", "dark"])
@pytest.mark.parametrize("size", [NARROW, WIDE], ids=["narrow", "wide"])
def test_accessibility(open_tab: OpenTab, desk: Desk, number: str, size: dict[str, Any],
                       colours: str) -> None:
    """No rule of axe-core is violated, and nothing is wider than the screen."""
    tab = open_tab(**size, colorScheme=colours)
    desk.lab.modems[0].deliver(number, "https://example.test/" + "long" * 25)
    message_id = desk.ask("A long text for a small screen. " * 4, number)
    tab.do("await page.goto(args.url)", url=desk.url)
    page = Console(tab)
    page.wait_text("Pair this page")
    seen = {"pairing": page.violations()}
    tab.do("complaints.splice(0)")                      # that it has no token
    tab.do("await page.goto('about:blank')")
    Console.in_browser(tab, desk.link)
    for place in PLACES:
        page.go_to(place)
        seen[place] = page.violations()
        assert_fits(page, place)
    page.open(number)
    page.do("await page.locator('.foot button').last().click()")
    page.wait_text("It waits for the owner's yes.")
    seen["thread"] = page.violations()
    assert_fits(page, "thread")
    page.write("To 112", "112")
    seen["writing"] = page.violations()
    assert_fits(page, "writing")
    assert {place: found for place, found in seen.items() if found} == {}
    desk.owner.do("reject", message_id)


def assert_fits(page: Console, place: str) -> None:
    wide = page.evaluate("""[...document.querySelectorAll('body *')].filter(element => {
        const { left, right, width } = element.getBoundingClientRect();
        return width && getComputedStyle(element).position !== 'absolute' &&
            (left < -1 || right > innerWidth + 1); }).map(element => element.outerHTML
            .slice(0, 100))""")
    assert wide == [], place


def test_letters_of_twice_the_size(open_tab: OpenTab, desk: Desk, number: str) -> None:
    """As the browser is told to have them, on the narrowest screen."""
    tab = open_tab(**NARROW)
    tab.do("""const browser = await context.newCDPSession(page);
        await browser.send('Page.enable');
        await browser.send('Page.setFontSizes', { fontSizes: { standard: 32 } })""")
    desk.lab.modems[0].deliver(number, "Can you read this?")
    page = Console.in_browser(tab, desk.link)
    for place in PLACES:
        page.go_to(place)
        assert_fits(page, place)
    page.open(number)
    assert page.evaluate("getComputedStyle(document.querySelector('.bubble')).fontSize") \
        == "32px"
    page.write("Yes")
    assert_fits(page, "writing")


def test_on_a_screen_of_few_lines(open_tab: OpenTab, desk: Desk, number: str) -> None:
    """As a desktop at 400 %: what is written, and what is said of it, can be scrolled to."""
    desk.lab.modems[0].deliver(number, "hello")
    page = Console.in_browser(open_tab(viewport={"width": 320, "height": 256}), desk.link)
    page.open(number)
    page.write("one\ntwo\nthree\nfour\nfive\nsix")
    page.do("""await page.mouse.move(20, 100);
        await page.mouse.wheel(0, 3000);
        await page.waitForFunction(() =>
            document.querySelector('#verdict').getBoundingClientRect().bottom <= innerHeight)""")


def test_by_keyboard_alone(open_tab: OpenTab, desk: Desk, number: str) -> None:
    desk.lab.modems[0].deliver(number, "answer me")
    page = Console.in_browser(open_tab(**WIDE), desk.link)
    page.wait_text("answer me")
    page.do("""const tabTo = async (place) => {
            const isAt = () => page.evaluate(place =>
                document.activeElement.matches(place), place);
            for (let step = 0; step < 99 && !await isAt(); step++)
                await page.keyboard.press('Tab');
        };
        await tabTo(`[data-key="${args.number}"] > button`);
        await page.keyboard.press('Enter');
        await page.getByRole('log').getByText('answer me').waitFor();
        await tabTo('#text');
        await page.keyboard.type('by keyboard');
        await page.locator('.verdict .good').waitFor();
        await tabTo('.send');
        await page.keyboard.press('Enter')""", number=number)
    page.wait_message("by keyboard", "sent")
