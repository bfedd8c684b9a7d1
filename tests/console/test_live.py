# SPDX-License-Identifier: GPL-2.0-or-later
"""The owner's page follows the phone, through interruptions and over many messages."""

from __future__ import annotations

from console import PHONE, Console, OpenTab
from desk import Desk


# ---- what comes in

def test_new_messages_appear_at_once(page: Console, desk: Desk, number: str) -> None:
    desk.lab.modems[0].deliver(number, "first of all")
    page.wait_text("first of all")
    page.open(number)
    desk.lab.modems[0].deliver(number, "and then")
    page.wait_message("and then")
    page.do("await page.locator(`[data-key='${args.number}']:not(.is-unread)`)"
            ".waitFor({ state: 'attached' })", number=number)


def test_an_edited_message_shows_its_new_text(page: Console, desk: Desk, number: str) -> None:
    message_id = desk.ask("the first wording https://one.test", number)
    page.open(number)
    page.wait_message("the first wording")
    desk.agent.call("edit_sms", message_id=message_id, text="the second wording")
    page.wait_message("the second wording")
    assert page.do("return page.getByText('one.test').count()") == 0
    desk.owner.do("reject", message_id)


def test_the_focus_follows_a_conversation_that_moves(page: Console, desk: Desk, number: str) -> None:
    for sender in (number, number.replace("+3630", "+3620")):
        desk.lab.modems[0].deliver(sender, f"from {sender}")
        page.wait_text(f"from {sender}")
    page.do("await page.getByRole('button', { name: args.number }).focus()", number=number)
    desk.lab.modems[0].deliver(number, "now it is the newest")
    page.do("""await page.locator('#conversations > li:first-child')
        .getByText('now it is the newest').waitFor()""")
    assert page.evaluate("document.activeElement.closest('li')?.dataset.key") == number


def test_an_idle_page_makes_no_requests(open_tab: OpenTab, desk: Desk) -> None:
    """Half a minute by the page's clock."""
    asked = open_tab(**PHONE).do("""await page.clock.install();
        await page.goto(args.url);
        await page.getByText('Live', { exact: true }).waitFor();
        await page.evaluate(() => performance.clearResourceTimings());
        await page.clock.fastForward(30000);
        return page.evaluate(() => performance.getEntriesByType('resource').length)""",
        url=desk.link)
    assert asked == 0


def test_the_page_recovers_from_a_lost_network(open_tab: OpenTab, desk: Desk, number: str) -> None:
    tab = open_tab(**PHONE)
    page = Console.in_browser(tab, desk.link)
    tab.do("await context.setOffline(true)")
    page.wait_text("Not connected")
    desk.lab.modems[0].deliver(number, "while you were away")
    tab.do("await context.setOffline(false)")
    page.wait_text("while you were away")
    page.wait_live()
    tab.do("complaints.splice(0)")                      # of requests without a network


def test_the_page_recovers_after_the_computer_slept(open_tab: OpenTab, desk: Desk, number: str) -> None:
    """Its stream is dead, and nothing reported that: the page's clock has jumped."""
    tab = open_tab(**PHONE)
    tab.do("""await page.clock.install(); await page.goto(args.url);
        await page.getByText('Live', { exact: true }).waitFor();
        await page.clock.fastForward(41000);
        await page.getByText('Not connected').waitFor();
        await page.clock.fastForward(1000);
        await page.getByText('Live', { exact: true }).waitFor()""", url=desk.link)
    desk.lab.modems[0].deliver(number, "after the sleep")
    Console(tab).wait_text("after the sleep")


def test_a_page_shown_after_a_sleep_updates_at_once(open_tab: OpenTab, desk: Desk, number: str) -> None:
    """No timer ran meanwhile, and its stream is silent: it asks at once."""
    tab = open_tab(**PHONE)
    page = Console.in_browser(tab, desk.link)
    asked = tab.do("""await page.waitForTimeout(0);
        const asked = page.waitForRequest(request =>
            request.postData()?.includes('subscriptions/listen'));
        await page.evaluate(() => {
            const now = Date.now;
            Date.now = () => now() + 3600000;
            document.dispatchEvent(new Event('visibilitychange')); });
        return (await asked).method()""")
    assert asked == "POST"
    page.wait_live()
    desk.lab.modems[0].deliver(number, "after an hour")
    page.wait_text("after an hour")


def test_a_page_frozen_by_the_browser_recovers(open_tab: OpenTab, desk: Desk, number: str) -> None:
    tab = open_tab(**PHONE)
    page = Console.in_browser(tab, desk.link)
    tab.do("""const browser = await context.newCDPSession(page);
        await browser.send('Page.setWebLifecycleState', { state: 'frozen' })""")
    desk.lab.modems[0].deliver(number, "while it was frozen")
    tab.do("""const browser = await context.newCDPSession(page);
        await browser.send('Page.setWebLifecycleState', { state: 'active' })""")
    page.wait_text("while it was frozen")
    page.wait_live()


def test_the_visible_page_of_many_is_live(open_tab: OpenTab, desk: Desk, number: str) -> None:
    """More than a browser's connections to one server: the visible page is live."""
    tab = open_tab(**PHONE)
    tab.do("""await context.addInitScript(() => {
            let isHidden = false;
            Object.defineProperty(document, 'hidden', { get: () => isHidden });
            window.hide = (value) => {
                isHidden = value;
                document.dispatchEvent(new Event('visibilitychange')); }; });
        const live = (one) => one.getByText('Live', { exact: true }).waitFor();
        const pages = [];
        for (let i = 0; i < 8; i++) {
            await pages.at(-1)?.evaluate(() => window.hide(true));
            pages.push(await context.newPage());
            await pages.at(-1).goto(args.url);
            await live(pages.at(-1));
        }
        await pages.at(-1).evaluate(() => window.hide(true));
        await pages[0].evaluate(() => window.hide(false));
        await live(pages[0]);
        await page.close();
        context.pages()[0].bringToFront()""", url=desk.link)
    desk.lab.modems[0].deliver(number, "to the first of many")
    tab.do("await context.pages()[0].getByText('to the first of many').waitFor()")


def test_day_headings_change_at_midnight(open_tab: OpenTab, desk: Desk, number: str) -> None:
    """"Today" becomes "yesterday" without a new message, in the page's own time zone."""
    desk.lab.modems[0].deliver(number, "late in the evening")
    tab = open_tab(**PHONE, timezoneId="Pacific/Auckland")
    tab.do("await page.clock.install()")
    page = Console.in_browser(tab, desk.link)
    page.open(number)
    page.wait_text("Today")
    tab.do("""const left = await page.evaluate(() => {
            const next = new Date();
            next.setHours(24, 0, 0, 0);
            return next - Date.now(); });
        await page.clock.fastForward(left + 61000)""")
    page.wait_text("Yesterday")
    page.do("await page.locator('.row .when').filter({ hasText: ':' }).first()"
            ".waitFor({ state: 'detached' })")


def test_a_missing_answer_does_not_block_the_page(open_tab: OpenTab, desk: Desk, number: str) -> None:
    """It holds nothing up: after the page's timeout everything is requested again."""
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


def test_a_slow_reload_leaves_the_user_where_they_went(page: Console, desk: Desk, number: str) -> None:
    """The tab shows the view before its reload, unless its user has chosen another meanwhile."""
    desk.lab.modems[0].deliver(number, "read me again")
    page.open(number)
    page.do("""let go;
        const held = new Promise(resolve => { go = resolve; });
        await page.route('**/mcp', async route => {
            await held;
            return route.continue().catch(() => {}); });
        await page.reload();
        await page.getByRole('button', { name: 'Phone' }).click();
        go()""")
    page.wait_live()
    assert page.evaluate("document.getElementById('app').dataset.view") == "phone"


def test_the_page_recovers_after_a_restart_of_the_gateway(open_tab: OpenTab) -> None:
    """Also the phone's state: remaining limits, and locked SIMs, if no event arrived."""
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
        tab.do("await page.locator('summary', { hasText: 'Limits' }).click()")      # much is left of them
        for text in ("7 messages per day", "6 left", "Locked: needs a PIN",
                     "ofono-mcp sim unlock", "gateway down"):
            page.wait_text(text)
        tab.do("await page.getByRole('img', { name: /Signal [1-9]\\d* percent/ }).waitFor()")
        tab.end()


# ---- more than a page of it

FEW = """await page.route('**/mcp', route => route.continue(
    { postData: route.request().postData().replace('"limit":30', '"limit":3') }))"""


def bubbles(page: Console) -> list[str]:
    return page.evaluate("[...document.querySelectorAll('.bubble')].map(p => p.textContent)")


def test_a_long_absence_loses_no_message(
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


def test_older_conversations_are_loaded_once(open_tab: OpenTab, desk: Desk, number: str) -> None:
    """Each appears once, however often more are loaded, and is marked read when opened."""
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


def test_messages_are_read_when_the_page_is_shown(page: Console, desk: Desk, number: str) -> None:
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


def test_a_clock_set_back_repeats_no_heading_further(page: Console, desk: Desk, number: str) -> None:
    """A day that comes twice has two headings, and no more."""
    for text in ("on time", "years ago", "on time again"):
        desk.lab.modems[0].deliver(number, text)
    page.do("""await page.route('**/mcp', async route => {
        if (!route.request().postData().includes('"list_sms"')) return route.continue();
        const response = await route.fetch();
        const body = await response.text();
        return route.fulfill({ response, body: body.replace(/("text":"years ago".*?"at":")\\d{4}/,
            '$12001') }); })""")
    page.open(number)
    page.wait_message("on time again")
    desk.lab.modems[0].deliver(number, "and one more")
    page.wait_message("and one more")
    days = page.evaluate("[...document.querySelectorAll('.day')].map(day => day.textContent)")
    page.do("await page.unrouteAll({ behavior: 'wait' })")
    assert [days[0], len(days), days[2]] == ["Today", 3, "Today"]
    assert "2001" in days[1]
