# SPDX-License-Identifier: GPL-2.0-or-later
"""The pages of /pair in a Chromium: from the name to a console that is connected."""

from __future__ import annotations

from typing import Any

import pytest

from chrome import Tab
from console import NARROW, WIDE, Console, OpenTab
from desk import Desk
from test_page import assert_fits

HOSTILE = '<b onclick=x>"laptop"</b>'


def begin(tab: Tab, desk: Desk, name: str) -> str:
    """Asks for a code; returns it as it is shown."""
    tab.do("""await page.goto(`${args.url}pair`);
        await page.getByLabel('Name of this computer or program').fill(args.name);
        await page.getByRole('button', { name: 'Show the code' }).click();
        await page.locator('.code').waitFor()""", url=desk.url, name=name)
    return tab.do("return page.locator('.code').innerText()")


@pytest.mark.parametrize("scripts", [True, False], ids=["with scripts", "without scripts"])
def test_a_browser_pairs_itself_and_opens_the_console(open_tab: OpenTab, desk: Desk,
                                                      scripts: bool) -> None:
    tab = open_tab(**WIDE, javaScriptEnabled=scripts)
    code = begin(tab, desk, "reader")
    desk.owner.do("pair", "--code", code, f"reader {scripts}")
    tab.do("await page.getByText('The token is shown only now').waitFor()")
    copies = tab.do("return page.getByRole('button', { name: 'Copy' }).count()")
    assert (copies > 0) is scripts
    tab.do("await page.getByRole('link', { name: 'Open the console' }).click()")
    if scripts:
        Console(tab).wait_live()


def test_a_copy_button_copies_the_lines_above_it(open_tab: OpenTab, desk: Desk) -> None:
    tab = open_tab(**WIDE, permissions=["clipboard-read", "clipboard-write"])
    code = begin(tab, desk, "copier")
    desk.owner.do("pair", "--code", code)
    tab.do("await page.getByText('The token is shown only now').waitFor()")
    shown, copied = tab.do("""await page.getByRole('button', { name: 'Copy' }).first().click();
        await page.getByRole('button', { name: 'Copied' }).waitFor();
        return [await page.locator('pre').first().innerText(),
                await page.evaluate(() => navigator.clipboard.readText())]""")
    assert shown == copied and len(copied) == 64


def test_going_back_shows_no_token_again(open_tab: OpenTab, desk: Desk) -> None:
    tab = open_tab(**WIDE)
    code = begin(tab, desk, "back")
    desk.owner.do("pair", "--code", code)
    tab.do("await page.getByText('The token is shown only now').waitFor()")
    tab.do("await page.reload()")
    tab.do("await page.getByRole('heading', { name: 'The token was shown before' }).waitFor()")
    tab.do("""await page.goto('about:blank');
        await page.goBack();
        await page.getByRole('heading', { name: 'The token was shown before' }).waitFor()""")
    tab.do("complaints.splice(0)")          # that these pages answer 410


def test_a_hostile_name_is_shown_as_it_is(open_tab: OpenTab, desk: Desk) -> None:
    tab = open_tab(**WIDE)
    begin(tab, desk, HOSTILE)
    assert tab.do("return page.getByText(args.name).count()", name=HOSTILE) == 1
    assert tab.do("return page.locator('main b').count()") == 0


def test_the_console_shows_who_asks_and_never_the_code(page: Console, open_tab: OpenTab,
                                                       desk: Desk) -> None:
    code = begin(open_tab(**WIDE), desk, "tablet")
    page.go_to("Approvals")
    page.wait_text("tablet asks to be paired")
    page.wait_text("127.0.0.1")
    shown = page.do("return page.innerText('body')")
    assert code not in shown and code.replace(" ", "") not in shown


@pytest.mark.parametrize("colours", ["light", "dark"])
@pytest.mark.parametrize("size", [NARROW, WIDE], ids=["narrow", "wide"])
def test_the_pages_violate_no_accessibility_rule(open_tab: OpenTab, desk: Desk,
                                                 size: dict[str, Any], colours: str) -> None:
    tab = open_tab(**size, colorScheme=colours)
    page = Console(tab)
    tab.do("await page.goto(`${args.url}pair`)", url=desk.url)
    seen = {"name": page.violations()}
    assert_fits(page, "name")
    code = begin(tab, desk, "laptop")
    seen["code"] = page.violations()
    assert_fits(page, "code")
    width = size["viewport"]["width"]
    desk.owner.do("pair", "--code", code, f"laptop {colours} {width}")
    tab.do("await page.getByText('The token is shown only now').waitFor()")
    seen["token"] = page.violations()
    assert_fits(page, "token")
    assert {place: found for place, found in seen.items() if found} == {}
