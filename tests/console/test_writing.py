# SPDX-License-Identifier: GPL-2.0-or-later
"""Drafts on the owner's page, their verdicts, and their outcomes."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from agent import Agent
from console import PHONE, Console, OpenTab
from desk import Desk


def test_the_owner_sends_a_message(page: Console, desk: Desk, number: str) -> None:
    said = page.write("Hello from the page", number, desk.sims[1])
    assert "1 SMS, 141 characters left" in said
    assert "Ready to send." in said
    page.send()
    page.wait_message("Hello from the page", "sent")
    assert desk.sent(1).count("Hello from the page") == 1


def test_a_draft_shows_beforehand_why_it_would_be_refused(page: Console, desk: Desk) -> None:
    said = page.write("Help", "112")
    assert "mergency" in said
    assert page.evaluate("document.querySelector('.send').disabled")
    assert 'Write ":-D" instead of \U0001f600' in page.write("Smile \U0001f600")
    page.do("await page.getByLabel('To', { exact: true }).fill('+36301234567')")
    assert "70 per SMS" in page.write("H\u0151s")


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
    page.wait_text("unknown whether it accepted")
    page.send()
    page.wait_message("only once", "sent")
    assert desk.sent().count("only once") + desk.sent(1).count("only once") == 1
    assert all("ERR_FAILED" in one for one in page.do("return complaints.splice(0)"))


def test_a_message_that_never_left_can_be_sent_again(page: Console, desk: Desk, number: str) -> None:
    page.write("into the void", number)
    page.do("await context.setOffline(true)")
    page.send()
    page.wait_text("unknown whether it accepted")
    page.do("await context.setOffline(false)")
    page.do("await page.locator('#verdict').getByText('Ready to send.').waitFor()")
    assert page.do("return page.getByText('unknown whether it accepted').count()") == 0
    page.send()
    page.wait_message("into the void", "sent")
    assert desk.sent().count("into the void") + desk.sent(1).count("into the void") == 1
    page.do("complaints.splice(0)")                     # of requests without a network


def test_the_outcome_is_found_after_a_lost_answer(page: Console, desk: Desk, number: str) -> None:
    """Also after the tab was reloaded meanwhile."""
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
    """Whatever happens to another one that is being sent, and when the tab is reloaded."""
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


def test_the_next_new_message_begins_without_a_recipient(page: Console, desk: Desk, number: str) -> None:
    """Also when its user looked elsewhere while the last one was being sent."""
    page.write("sent while you looked elsewhere", number)
    page.do("""let go;
        const held = new Promise(resolve => { go = resolve; });
        await page.route('**/mcp', async route => {
            if (route.request().postData().includes('wait_for')) await held;
            return route.continue(); });
        await page.locator('.send').click();
        await page.getByRole('button', { name: 'Back' }).click();
        go();
        await page.locator(`#conversations [data-key="${args.number}"]`).waitFor();
        await page.waitForFunction(() => !JSON.parse(sessionStorage['ofono-mcp-drafts'])
            .some(([thread]) => thread === ''))""", number=number)
    page.click("New message")
    assert page.do("return page.getByLabel('To', { exact: true }).inputValue()") == ""


def test_a_reply_uses_the_sim_that_received(
        page: Console, desk: Desk, number: str) -> None:
    desk.lab.modems[1].deliver(number, "to your second number")
    page.open(number)
    page.wait_message("to your second number")
    page.write("from there")
    page.send()
    page.wait_message("from there", "sent")
    assert "from there" in desk.sent(1)
    assert page.evaluate("document.activeElement.id") == "text"   # to go on writing


def test_a_draft_never_changes_to_another_sim_unnoticed(open_tab: OpenTab) -> None:
    """Its SIM was taken out while it was written, and only another one is left."""
    with Desk() as desk:
        tab = open_tab(**PHONE)
        page = Console.in_browser(tab, desk.link)
        page.write("from my other number", "+36301999999", desk.sims[1])
        desk.lab.modems[1].remove_sim()
        tab.do("""await page.getByLabel('From', { exact: true })
            .locator('option', { hasText: 'not available' }).waitFor({ state: 'attached' });
            await page.locator('#verdict .bad').waitFor()""")
        assert page.do("return page.getByLabel('From', { exact: true }).inputValue()") == str(desk.sims[1])
        tab.end()


def test_a_scheduled_draft_shows_its_time(page: Console, desk: Desk, number: str) -> None:
    at = datetime.now(UTC).replace(microsecond=0) + timedelta(hours=5)
    later = Agent(desk.lab, desk.page).send("not yet", desk.sims[0], number,
                                            send_at=at.isoformat(), wait_for="none")
    page.open(number)
    page.wait_message("not yet", "scheduled")
    page.do("await page.locator('.foot button').last().click()")
    shown = page.evaluate("new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: "
                          f"'short' }}).format(new Date('{at.isoformat()}'))")
    page.wait_text(f"Not before {shown}")
    Agent(desk.lab, desk.page).call("cancel_sms", message_id=later.message_id)


def test_the_verdict_follows_the_phone(page: Console, desk: Desk, number: str) -> None:
    page.write("may I now?", number)
    desk.owner.do("pause")
    try:
        page.wait_text("The owner has paused the gateway")
    finally:
        desk.owner.do("resume")
    page.do("await page.locator('#verdict').getByText('Ready to send.').waitFor()")
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
    assert rewritten == 0                               # nothing to announce again
    page.send()
    page.wait_message("may I now?", "sent")
