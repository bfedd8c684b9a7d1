#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The pictures of README and doc, taken from a real gateway: tests/as-root
tests/console/screenshots.py"""

from __future__ import annotations

import ctypes
import socket
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

TESTS = Path(__file__).resolve().parents[1]
PICTURES = TESTS.parent / "doc"
sys.path[:0] = [str(TESTS), *(str(TESTS / name) for name in ("integration", "clients", "check"))]

from agent import Agent
from chrome import Chrome
from console import NARROW, Console
from desk import Desk
from lab import wait_until
from lab.ofonod import PLUGIN
from npm import Npm

PHONE = {"viewport": {"width": 360, "height": 640}, "hasTouch": True, "deviceScaleFactor": 2}
DESKTOP = {"viewport": {"width": 960, "height": 600}, "deviceScaleFactor": 2}
MOM, BANK, FRIEND, PLUMBER = "+36201234567", "MyBank", "+36309876543", "+3612345678"
CONTACTS = [("Anna Kov\u00e1cs", MOM), ("Ben Fischer", FRIEND)]
ARRIVALS = [(PLUMBER, "I can come on Tuesday at nine."),
            (BANK, "Your one-time code is 481516. Never tell it to anybody."),
            (FRIEND, "Dinner tonight? https://restaurant.example/table/7"),
            (MOM, "Did you arrive well?")]
CLONE_NEWUTS = 0x04000000
POLICY = "[policy]\ncountries = any\n"


def furnish(desk: Desk) -> None:
    for sender, text in ARRIVALS:
        desk.lab.modems[0].deliver(sender, text)
    page = Agent(desk.lab, desk.page)
    wait_until(lambda: page.call("list_sms").structured["count"] == len(ARRIVALS),
               what="all have come")
    page.send("Yes, an hour ago. The train was on time!", desk.sims[0], to=MOM)
    page.send("See you at eight", desk.sims[1], to=FRIEND)
    desk.ask("I am late, start without me.", FRIEND)


def take(console: Console, name: str) -> None:
    """Without a blinking cursor."""
    console.do("await page.screenshot({ path: args.path, animations: 'disabled', "
               "caret: 'hide' })", path=str(PICTURES / f"{name}.png"))


def show(chrome: Chrome, desk: Desk, **options: Any) -> Console:
    return Console.in_browser(chrome.tab(**options), desk.link)


@contextmanager
def on_a_phone() -> Iterator[tuple[Desk, Chrome]]:
    """The pictures name a phone, not the computer that makes them."""
    assert ctypes.CDLL(None, use_errno=True).unshare(CLONE_NEWUTS) == 0, ctypes.get_errno()
    socket.sethostname("pinephone")
    with tempfile.TemporaryDirectory() as home, Desk(POLICY, contacts=CONTACTS, plugin=PLUGIN) as desk, \
            Chrome(Npm.installed(), Path(home)) as chrome:
        yield desk, chrome


def main() -> None:
    with on_a_phone() as (desk, chrome):
        furnish(desk)
        page = show(chrome, desk, **PHONE, colorScheme="light")
        page.wait_text("MyBank")
        take(page, "console-list")
        page.go_to("Approvals")
        page.wait_text("Approve")
        take(page, "console-approval")
        for colours in ("light", "dark"):
            page = show(chrome, desk, **DESKTOP, colorScheme=colours)
            page.open(CONTACTS[0][0])
            page.wait_message("The train was on time!", "sent")
            take(page, f"console-desktop-{colours}")
        page = show(chrome, desk, **PHONE, colorScheme="dark")
        page.wait_text("MyBank")
        take(page, "console-list-dark")
        page.do("await view().getByRole('searchbox').fill('tonight')")
        page.wait_text("1 message with")
        take(page, "console-search-dark")
        page = show(chrome, desk, **NARROW, deviceScaleFactor=2, colorScheme="dark")
        page.open(CONTACTS[0][0])
        page.write("I will call you tomorrow.")
        take(page, "console-narrow")
        page = show(chrome, desk, **DESKTOP, colorScheme="light")
        page.go_to("Phone")
        page.wait_text("Messages can be sent.")
        take(page, "console-phone")
        page = Console.in_host(
            chrome.tab(viewport={"width": 720, "height": 520}, deviceScaleFactor=2), chrome, desk,
            tool="send_sms", context={"theme": "dark"}, input={
                "to_phone_number": FRIEND, "subscription_id": desk.sims[1],
                "sms_text": "Our table is booked, number 7 by the window."})
        page.wait_message("Our table", "sent")
        take(page, "console-host")


if __name__ == "__main__":
    main()
