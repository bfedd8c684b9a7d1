# SPDX-License-Identifier: GPL-2.0-or-later
"""The console as the owner's page, in a real Chromium against the real gateway and ofonod."""

from __future__ import annotations

import base64
import hashlib
import http.client
import re
from typing import Any

import pytest

from console import NARROW, PHONE, WIDE, Console, OpenTab
from desk import Desk

MOST_BYTES = 60_000
PLACES = ["Messages", "Approvals", "Phone"]


def get(desk: Desk, method: str = "GET") -> http.client.HTTPResponse:
    connection = http.client.HTTPConnection("127.0.0.1", desk.lab.gateway.port, timeout=10)
    connection.request(method, "/")
    response = connection.getresponse()
    response.body = response.read().decode()
    connection.close()
    return response


# ---- the document

def test_the_page_is_one_small_document(desk: Desk) -> None:
    answer = get(desk)
    assert answer.status == 200
    assert answer.getheader("Content-Type") == "text/html; charset=utf-8"
    assert len(answer.body.encode()) < MOST_BYTES
    script = re.search("<script.*</script>", answer.body, re.DOTALL)[0]
    assert not re.search(r"\beval\b|(inner|outer|Adjacent)HTML|Function\(|document.write", script)
    markup = answer.body.replace(script, "")
    assert not re.search(r"\b(src|on\w+)=|@import|url\(", markup)
    assert re.findall(r'href="([^"]{5})', markup) == ["data:"]


def test_its_content_policy_admits_nothing_else(desk: Desk) -> None:
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


def test_other_methods_are_refused(desk: Desk) -> None:
    assert (get(desk, "HEAD").status, get(desk, "HEAD").body) == (200, "")
    assert get(desk, "POST").status == 405


def test_injected_scripts_do_not_run(open_tab: OpenTab, desk: Desk) -> None:
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
    assert tab.do("return complaints.splice(0)")        # each refusal was shown


def test_other_sites_cannot_frame_it(open_tab: OpenTab, desk: Desk, chrome: Any) -> None:
    tab = open_tab()
    text = tab.do("""await page.goto(args.host);
        await page.evaluate(url => new Promise(resolve => {
            const inner = document.createElement('iframe');
            inner.onload = resolve; inner.src = url; document.body.append(inner); }), args.url);
        return [page.frames().at(-1).url(), complaints.splice(0).join(' ')]""", host=chrome.host, url=desk.url)
    assert text[0].startswith("chrome-error:")
    assert "frame-ancestors" in text[1]


# ---- pairing

def test_the_link_pairs_the_page(open_tab: OpenTab, desk: Desk) -> None:
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


def test_a_wrong_token_is_refused(open_tab: OpenTab, desk: Desk) -> None:
    """It is tried once, because wrong ones are counted."""
    tab = open_tab(**PHONE)
    asked = tab.do("""let asked = 0;
        page.on('request', request => { asked += request.url().endsWith('/mcp'); });
        await page.goto(args.url);
        await page.getByText('no longer accepts the token').waitFor();
        await page.waitForLoadState('networkidle');
        return asked""", url=f"{desk.url}#token={'0' * 64}")
    assert asked == 1
    console = Console(tab)
    assert console.evaluate("sessionStorage.length") == 0
    tab.do("await page.getByLabel('paste the token').fill(args.link)", link=desk.link)
    console.click("Use this token")
    console.wait_live()
    assert all("401" in one for one in tab.do("return complaints.splice(0)"))


def test_the_page_can_forget_its_token(page: Console, desk: Desk, number: str) -> None:
    """And everything that it read: going back in the browser shows nothing."""
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


def test_a_revoked_page_shows_nothing(open_tab: OpenTab, desk: Desk, number: str) -> None:
    """Its data disappears, and the token is not tried again and again."""
    token = desk.pair("borrowed", "read")
    desk.lab.modems[0].deliver(number, "not for the borrower any more")
    page = Console.in_browser(open_tab(**PHONE), f"{desk.url}#token={token}")
    page.open(number)
    page.wait_message("not for the borrower any more")
    desk.owner.do("revoke", "borrowed")
    page.wait_text("no longer accepts the token")
    page.do("await page.goBack()")
    page.wait_text("Pair this page")
    assert number not in page.evaluate("document.documentElement.outerHTML")
    assert 0 < len(page.do("return complaints.splice(0)")) < 5      # the sixth would be too many


def test_a_link_opened_in_the_same_tab_pairs_it(open_tab: OpenTab, desk: Desk) -> None:
    tab = open_tab(**PHONE)
    tab.do("await page.goto(args.url)", url=desk.url)
    Console(tab).wait_text("Pair this page")
    tab.do("complaints.splice(0); await page.goto(args.url)", url=desk.link)
    Console(tab).wait_live()
    assert tab.do("return page.url()") == desk.url


def test_a_link_replaces_a_token_only_after_a_question(open_tab: OpenTab, desk: Desk) -> None:
    """Anybody can make a link; only a user who agrees is paired again."""
    tab = open_tab(**PHONE)
    page = Console.in_browser(tab, desk.link)
    other = desk.pair("another", "read,send")
    kept = "sessionStorage.getItem('ofono-mcp-token')"
    tab.do("await page.goto(args.url)", url=f"{desk.url}#token={other}")
    page.wait_text("Replace the token of this page?")
    assert page.violations() == []
    assert (page.evaluate(kept), tab.do("return page.url()")) == (desk.page, desk.url)
    page.click("Keep mine")
    page.wait_live()
    assert page.evaluate(kept) == desk.page
    tab.do("await page.goto(args.url)", url=desk.link)  # its own link again: no question
    page.wait_live()
    assert tab.do("return page.getByRole('dialog').count()") == 0
    tab.do("await page.goto(args.url)", url=f"{desk.url}#{other}")
    page.click("Replace")
    page.wait_live()
    assert page.evaluate(kept) == other
    tab.do("await page.goto('about:blank')")            # a revoked page would complain
    desk.owner.do("revoke", "another")


def test_the_page_says_what_its_token_may_not_do(open_tab: OpenTab, desk: Desk) -> None:
    tab = open_tab(**PHONE)
    tab.do("await page.goto(args.url)", url=f"{desk.url}#{desk.pair('sender', 'send')}")
    Console(tab).wait_text("needs the scope read")
    assert tab.complaints == []


# ---- for everybody

@pytest.mark.parametrize("colours", ["light", "dark"])
@pytest.mark.parametrize("size", [NARROW, WIDE], ids=["narrow", "wide"])
def test_the_page_violates_no_accessibility_rule(open_tab: OpenTab, desk: Desk, number: str, size: dict[str, Any],
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
    page.wait_text("It waits for the owner's approval.")
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


def test_forced_colours_keep_bars_visible(open_tab: OpenTab, desk: Desk) -> None:
    """Bars are visible where every background is the system's (forced colours)."""
    page = Console.in_browser(open_tab(**WIDE, forcedColors="active"), desk.link)
    page.go_to("Phone")
    page.wait_text("Messages can be sent.")
    page.do("await page.locator('.signal .on').first().waitFor()")
    on, off, around = page.evaluate("""['.signal .on', '.signal span:not(.on)', 'body']
        .map(place => getComputedStyle(document.querySelector(place)))
        .map(style => [style.backgroundColor, parseFloat(style.borderTopWidth)])""")
    assert on[0] != around[0] == off[0]
    assert off[1]                                       # its border is visible


def test_screen_readers_announce_only_new_content(page: Console, desk: Desk, number: str) -> None:
    """Older content is not announced, nor is the count at each letter."""
    for text in ("one", "two"):
        desk.lab.modems[0].deliver(number, text)
    page.evaluate("""window.heard = []; new MutationObserver(changes => changes.forEach(change => {
        const live = change.target.parentElement?.closest('[role=log], [role=status]');
        if (live && live.ariaLive !== 'off')
            window.heard.push(live.textContent); })).observe(document.body,
                { childList: true, subtree: true, characterData: true })""")
    page.open(number)
    page.wait_message("two")
    assert page.evaluate("window.heard.filter(text => text.includes('one'))") == []
    page.do("await page.locator('[role=log][aria-live=polite]').waitFor()")
    desk.lab.modems[0].deliver(number, "three")
    page.wait_message("three")
    assert page.evaluate("window.heard.some(text => text.includes('three'))")
    page.write("hello")
    page.evaluate("window.heard = []")
    page.do("""await page.keyboard.type(' you');
        await page.getByText('151 characters left').waitFor()""")
    assert page.evaluate("window.heard") == []


def test_the_focus_returns_after_a_question(page: Console, desk: Desk, number: str) -> None:
    desk.lab.modems[0].deliver(number, "see https://example.test/x")
    page.open(number)
    page.do("""await page.getByRole('button', { name: 'Link to example.test' }).focus();
        await page.keyboard.press('Enter');
        await page.getByRole('dialog').waitFor();
        await page.keyboard.press('Escape');
        await page.getByRole('dialog').waitFor({ state: 'detached' })""")
    assert page.evaluate("document.activeElement.textContent") == "Link to example.test"


def test_targets_are_large_enough(page: Console, desk: Desk, number: str) -> None:
    """24 pixels and more, each way (WCAG 2.2, 2.5.8)."""
    desk.lab.modems[0].deliver(number, "see https://example.test/x")
    message_id = desk.ask("a target", number)
    small = """[...document.querySelectorAll('button, input, select, textarea')]
        .map(element => [element.getBoundingClientRect(), element.outerHTML.slice(0, 80)])
        .filter(([{ width, height }]) => width && (width < 24 || height < 24))
        .map(([, markup]) => markup)"""
    for place in PLACES:
        page.go_to(place)
        assert page.evaluate(small) == [], place
    page.open(number)
    page.wait_message("a target")
    assert page.evaluate(small) == []
    desk.owner.do("reject", message_id)


def test_letters_of_twice_the_size_fit(open_tab: OpenTab, desk: Desk, number: str) -> None:
    """Set in the browser, on the narrowest screen."""
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
    page.wait_message("Can you read this?")
    assert page.evaluate("getComputedStyle(document.querySelector('.bubble')).fontSize") \
        == "32px"
    page.write("Yes")
    assert_fits(page, "writing")


def test_a_very_low_screen_is_usable(open_tab: OpenTab, desk: Desk, number: str) -> None:
    """As on a desktop at 400 %: the draft and its verdict can be scrolled to."""
    desk.lab.modems[0].deliver(number, "hello")
    page = Console.in_browser(open_tab(viewport={"width": 320, "height": 256}), desk.link)
    page.open(number)
    page.write("one\ntwo\nthree\nfour\nfive\nsix")
    page.do("""await page.mouse.move(20, 100);
        await page.mouse.wheel(0, 3000);
        await page.waitForFunction(() =>
            document.querySelector('#verdict').getBoundingClientRect().bottom <= innerHeight)""")


def test_the_page_works_by_keyboard_alone(open_tab: OpenTab, desk: Desk, number: str) -> None:
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
