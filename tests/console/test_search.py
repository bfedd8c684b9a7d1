# SPDX-License-Identifier: GPL-2.0-or-later
"""The owner's page finds conversations and messages."""

from __future__ import annotations

from agent import Agent
from console import Console
from desk import CONTACT, Desk
from lab import wait_until

SHOWN = 30      # messages of a conversation that the page reads at once


def search(page: Console, words: str) -> None:
    page.do("await view().getByRole('searchbox', { name: 'Search' }).fill(args.words)", words=words)


def test_a_message_is_found_by_its_text(page: Console, desk: Desk, number: str) -> None:
    desk.lab.modems[0].deliver(number, "the plumber comes on Tuesday")
    page.wait_text("the plumber comes on Tuesday")
    search(page, "PLUMBER")
    page.wait_text('0 conversations, 1 message with "PLUMBER".')
    assert page.evaluate("document.querySelectorAll('#conversations > li').length") == 0
    assert page.violations() == []
    page.do("await view().getByRole('list', { name: 'Messages found' }).getByRole('button').click()")
    page.wait_message("the plumber comes on Tuesday")


def test_a_found_message_is_shown_however_old(page: Console, desk: Desk, number: str) -> None:
    texts = ["the oldest of all", *(f"later {i}" for i in range(SHOWN + 5))]
    agent = Agent(desk.lab, desk.page)
    for text in texts:
        desk.lab.modems[0].deliver(number, text)
    wait_until(lambda: len(agent.call("list_sms", phone_number=number, limit=100)
                           .structured["messages"]) == len(texts), what="all came")
    search(page, "oldest of")
    page.do("await view().getByRole('list', { name: 'Messages found' }).getByRole('button').click()")
    page.do("""const row = view().locator('.message').filter({ hasText: args.text });
        await row.waitFor();
        await frame().waitForFunction((text) => {
            const row = [...document.querySelectorAll('.message')]
                .find((one) => one.textContent.includes(text));
            const { top, bottom } = row.getBoundingClientRect();
            return top >= 0 && bottom <= innerHeight;
        }, args.text)""", text=texts[0])


def test_a_conversation_is_found_by_its_name(page: Console, desk: Desk, number: str) -> None:
    name, contact = CONTACT
    desk.lab.modems[0].deliver(contact, "hello from a contact")
    desk.lab.modems[0].deliver(number, "hello from somebody else")
    page.wait_text("hello from somebody else")
    search(page, name.upper())
    page.do("await frame().waitForFunction(() => "
            "document.querySelectorAll('#conversations > li').length === 1)")
    page.do("await view().locator('#conversations').getByRole('button', { name: args.name }).waitFor()",
            name=name)
    search(page, "")
    page.do("await view().locator(`#conversations [data-key='${args.number}']`).waitFor()", number=number)
    assert page.evaluate("document.getElementById('found').children.length") == 0


def test_a_search_without_a_result_says_so(page: Console) -> None:
    search(page, "no text has these words")
    page.wait_text('0 conversations, 0 messages with "no text has these words".')
