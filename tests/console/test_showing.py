# SPDX-License-Identifier: GPL-2.0-or-later
"""What the console shows of a conversation, of the phone, and of its own state."""

from __future__ import annotations

import re
import socket
from collections.abc import Iterator

import pytest

from agent import Agent
from console import NARROW, PHONE, WIDE, Console, OpenTab
from desk import CONTACT, Desk

SIZES = 5
LIMIT = "[policy]\ncountries = any\nper_day = 5\n"


def row(number: str) -> str:
    return f"page.locator(`#conversations [data-key='{number}']`)"


def test_a_contact_has_initials_in_list_and_head(page: Console, desk: Desk) -> None:
    name, contact = CONTACT
    desk.lab.modems[0].deliver(contact, "it is me")
    page.wait_text("it is me")
    page.do(f"await {row(contact)}.locator('.mark', {{ hasText: /^KA$/ }}).waitFor()")
    page.open(name)
    page.do("await page.locator('#bar .mark', { hasText: /^KA$/ }).waitFor()")


def test_a_state_leaves_the_words_of_the_preview(open_tab: OpenTab, desk: Desk, number: str) -> None:
    """On the narrowest screen, where a state beside the words would take their place."""
    message_id = desk.ask("the words are what a reader wants", number)
    page = Console.in_browser(open_tab(**NARROW), desk.link)
    page.do(f"await {row(number)}.locator('.row-state .state').waitFor()")
    words, line = page.do(f"""const row = {row(number)};
        return [await row.locator('.excerpt').boundingBox(), await row.locator('.row-text').boundingBox()]""")
    assert words["width"] >= line["width"] - 1
    desk.owner.do("reject", message_id)


def test_a_thread_says_who_sent_each_message(page: Console, desk: Desk, number: str) -> None:
    desk.owner.do("send", "--sim", desk.sims[0], number, "of the owner")
    message_id = desk.ask("of the agent", number)
    page.open(number)
    for text, sender in ("of the owner", "by you"), ("of the agent", "by laptop"):
        page.do("""await view().locator('.message').filter({ hasText: args.text })
            .locator('.note', { hasText: args.sender }).waitFor()""", text=text, sender=sender)
    desk.owner.do("reject", message_id)


def test_the_page_names_the_phone(page: Console, desk: Desk) -> None:
    host = Agent(desk.lab, desk.page).call("get_gateway_status", detail=True).structured["host"]
    assert host == socket.gethostname()
    page.do("await page.locator('#gateway', { hasText: args.host }).waitFor()", host=host)
    assert page.do("return page.locator('#gateway').innerText()") == host
    assert host in page.do("return page.title()")


def test_a_wide_page_names_the_phone_beside_a_conversation(open_tab: OpenTab, desk: Desk,
                                                           number: str) -> None:
    desk.lab.modems[0].deliver(number, "hello")
    page = Console.in_browser(open_tab(**WIDE), desk.link)
    page.open(number)
    assert page.do("return page.locator('#gateway').isVisible()")


def test_letters_have_one_scale_of_sizes(page: Console, desk: Desk, number: str) -> None:
    message_id = desk.ask("see https://example.test/x", number)
    desk.lab.modems[0].deliver(number, "see https://example.test/y")
    style = page.evaluate("document.querySelector('style').textContent")
    sizes = re.findall(r"font(?:-size)?:([^;}]+)", style)
    assert all(size.startswith("var(--") or size == "inherit" for size in sizes), sizes
    seen = set()
    for place in ("Messages", "Approvals", "Phone"):
        page.go_to(place)
        seen |= set(page.evaluate("""[...document.querySelectorAll('body *')].filter((element) =>
            element.getClientRects().length).map((element) => getComputedStyle(element).fontSize)"""))
    assert len(seen) <= SIZES, seen
    desk.owner.do("reject", message_id)


# ---- nothing to show yet

def held_page(open_tab: OpenTab, desk: Desk, how: str) -> Console:
    """Its calls are handled by this function body of a route of Playwright."""
    tab = open_tab(**PHONE)
    tab.do(f"await page.route('**/mcp', async (route) => {{ {how} }}); await page.goto(args.url)",
           url=desk.link)
    return Console(tab)


def wait_visible(page: Console, text: str) -> None:
    page.do("await page.getByText(args.text).locator('visible=true').first().waitFor()", text=text)


def test_a_page_that_is_loading_claims_nothing(open_tab: OpenTab, desk: Desk) -> None:
    """Neither that there are no messages, nor what it may do, nor that no limits are set."""
    page = held_page(open_tab, desk, "")
    for place in ("Messages", "Approvals", "Phone"):
        page.go_to(place)
        wait_visible(page, "Loading")
        assert page.violations() == []
        shown = page.evaluate("document.body.innerText")
        for claim in ("No messages yet", "Only the owner", "No limits"):
            assert claim not in shown


def test_a_page_without_a_connection_says_so(open_tab: OpenTab, desk: Desk) -> None:
    page = held_page(open_tab, desk, "await route.abort();")
    page.wait_text("Not connected")
    for place in ("Messages", "Approvals", "Phone"):
        page.go_to(place)
        wait_visible(page, "does not answer")
        assert page.violations() == []
    page.do("complaints.splice(0)")


# ---- limits

@pytest.fixture(scope="module")
def limited() -> Iterator[Desk]:
    with Desk(LIMIT) as desk:
        yield desk


def test_a_limit_is_shown_when_it_is_low(open_tab: OpenTab, limited: Desk, number: str) -> None:
    tab = open_tab(**PHONE)
    page = Console.in_browser(tab, limited.link)
    page.go_to("Phone")
    page.do("await page.locator('details').waitFor()")
    low = "page.getByRole('list', { name: 'Low limits' }).getByRole('listitem')"
    assert page.do(f"return {low}.count()") == 0
    assert not page.do("return page.locator('details li').first().isVisible()")
    owner = Agent(limited.lab, limited.page)
    for i in range(4):
        owner.send(f"number {i}", limited.sims[0], to=number)
    page.do(f"await {low}.first().waitFor()")
    assert page.violations() == []
    tab.end()
