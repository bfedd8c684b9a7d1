# SPDX-License-Identifier: GPL-2.0-or-later
"""Strangers' texts and names on the owner's page."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest

from agent import Agent
from console import PHONE, Console, OpenTab
from desk import CONTACT, Desk
from lab import wait_until


@pytest.fixture
def desks() -> Iterator[ExitStack]:
    with ExitStack() as desks:
        yield desks


@pytest.fixture
def make_page(desks: ExitStack, open_tab: OpenTab) -> Callable[..., tuple[Console, Desk]]:
    """The tabs are closed before the gateways stop, of which a page complains."""
    def make(contacts: list[tuple[str, str]]) -> tuple[Console, Desk]:
        desk = desks.enter_context(Desk(contacts=contacts))
        return Console.in_browser(open_tab(**PHONE), desk.link), desk
    return make


HOSTILE = [
    "<img src=x onerror='window.hacked=1'>", "<script>window.hacked=2</script>",
    "</p></li><iframe srcdoc='x'></iframe>", "&lt;b&gt;bold&amp;lt;", "{{7*7}} ${7*7} %s",
    "javascript:window.hacked=3", "\"><svg onload=window.hacked=4>",
    "\u202eabc\u2066", "a\u0300\u0301\u0302" * 5, "x" * 150,
]


def test_strangers_texts_cannot_run_as_markup(page: Console, desk: Desk, number: str) -> None:
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


def test_stacked_combining_marks_cover_nothing(page: Console, desk: Desk, number: str) -> None:
    desk.lab.modems[0].deliver(number, "Hello")
    page.open(number)
    page.wait_message("Hello")
    above = """await page.locator('.bubble').evaluate((bubble, text) => {
            bubble.textContent = text; }, args.text);
        return (await page.locator('.day').screenshot()).toString('base64')"""
    assert page.do(above, text=PILE) == page.do(above, text="H")


def test_contacts_are_shown_by_name(page: Console, desk: Desk) -> None:
    name, number = CONTACT
    desk.lab.modems[0].deliver(number, "It rang twice")
    page.do("await page.getByRole('button', { name: args.name }).click()", name=name)
    page.wait_message("It rang twice")
    page.do("await page.getByRole('heading', { level: 1, name: args.name }).waitFor();"
            "await page.getByText(args.number, { exact: true }).waitFor()", name=name, number=number)


def test_a_sender_with_a_contacts_name_is_marked(make_page: Callable[..., tuple[Console, Desk]]) -> None:
    """A sender with a contact's name is marked in the list and above the messages."""
    page, desk = make_page([("Anna", "+36205550188")])
    desk.lab.modems[0].deliver("+36205550188", "It is really me")
    desk.lab.modems[0].deliver("Anna", "It is me, too")
    seen = {}
    for text in ("It is really me", "It is me, too"):
        row = page.do("""const row = page.locator('.row').filter({ hasText: args.text });
            const seen = [await row.locator('.mark').innerText(),
                (await row.locator('.row-line').first().innerText()).includes('Unverified:')];
            await row.click(); return seen""", text=text)
        page.wait_message(text)
        above = page.evaluate("""getComputedStyle(document.getElementById('title'), '::before')
            .content.replace(/"/g, '')""")
        seen[text] = (*row, above)
        page.go_to("Messages")
    assert seen == {"It is really me": ("A", False, "none"),
                    "It is me, too": ("?", True, "Unverified: ")}
    assert page.violations() == []


def test_senders_without_a_number_cannot_be_answered(page: Console, desk: Desk) -> None:
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
        page.click("Cancel")


def test_a_link_shows_where_it_leads(page: Console, desk: Desk, number: str) -> None:
    desk.lab.modems[0].deliver(number, "Your bank: https://bank.test@\u0435vil.test/x now")
    page.open(number)
    page.wait_message("Your bank")
    assert page.do("return view().locator('.message a').count()") == 0
    page.click("Link to xn--vil-qdd.test")
    assert page.violations() == []
    opened = page.do("""await page.getByRole('dialog').getByText('Cancel').waitFor();
        const opened = context.waitForEvent('page');
        await page.getByRole('button', { name: 'Open', exact: true }).click();
        const other = await opened;
        const found = [other.url(), await other.evaluate(() => window.opener === null)];
        await other.close(); complaints.splice(0);
        return found""")
    assert opened[1] is True
