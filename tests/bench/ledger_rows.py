# SPDX-License-Identifier: GPL-2.0-or-later
"""The rows of the table: each is an endless stream of samples, in nanoseconds, of one
contender. A row gets the facts that it needs before its first sample."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from datetime import datetime, timezone
from time import perf_counter_ns
from typing import Any

from client import Client, Request, tool
from ledger_site import Contender

Samples = Iterator[int]
Row = Callable[[Contender], Samples]

LATE_PAGE = 1000
NOWHERE = "no message has these words"
PARTY = "+36201000000"          # of the largest conversation
RARE = "+36201000058"           # of one of the smallest
TO, FROM = "+36301234567", "+36309876543"

numbers = itertools.count(1)    # so that every text is different


def repeat(client: Client, request: Request) -> Samples:
    while True:
        yield client.time(request)


def calls(name: str, **arguments: Any) -> Row:
    return lambda site: repeat(site.client, tool(name, **arguments))


def ping(site: Contender) -> Samples:
    return repeat(site.client, Request("ping"))


def in_the_middle(site: Contender) -> Samples:
    """Since and until select the middle third of the store's time."""
    *_, oldest_page = site.pages("list_sms", limit=100)
    [newest] = site.client.ask(tool("list_sms", limit=1))["messages"]
    oldest = datetime.fromisoformat(oldest_page["messages"][-1]["at"])
    third = (datetime.fromisoformat(newest["at"]) - oldest) / 3
    since, until = (moment.astimezone(timezone.utc).isoformat()
                    for moment in (oldest + third, oldest + 2 * third))
    return repeat(site.client, tool("list_sms", since=since, until=until))


def late_page(name: str) -> Row:
    """Page 1,000, or the last one."""
    def samples(site: Contender) -> Samples:
        pages = itertools.islice(site.pages(name, limit=20), LATE_PAGE - 1)
        *_, place = [None] + [page["next_cursor"] for page in pages if "next_cursor" in page]
        return repeat(site.client, tool(name, cursor=place) if place else tool(name))
    return samples


def get_status(site: Contender) -> Samples:
    """Of an old message with a history."""
    pages = itertools.islice(site.pages("list_sms", direction="out", limit=100), 50)
    *_, page = pages
    message_id = page["messages"][-1]["message_id"]
    return repeat(site.client, tool("get_sms_status", message_id=message_id))


def unread(site: Contender) -> int:
    """A message that is unread; if none is left, another one is delivered."""
    listed = site.client.ask(tool("list_sms", unread_only=True, limit=1))
    if listed["count"]:
        return listed["messages"][0]["message_id"]
    site.lab.modems[0].deliver(FROM, f"unread {next(numbers)}")
    return site.client.ask(tool("wait_for_sms", after=listed["wait_cursor"]))[
        "message"]["message_id"]


def mark_read(site: Contender) -> Samples:
    while True:
        yield site.client.time(tool("mark_sms_read", message_ids=[unread(site)]))


def old_wait(**filters: Any) -> Row:
    """From before the first message; the answer is there at once, however far away it is."""
    return lambda site: repeat(site.client, tool(
        "wait_for_sms", after=site.oldest_place, **filters))


def wait_for_event(site: Contender) -> Samples:
    """From the modem's +CMT to the answer of the waiting call: through ofonod, with fsync."""
    waiter = site.connect()
    modem = site.lab.modems[0]
    while True:
        place = site.client.ask(tool("list_sms", limit=1))["wait_cursor"]
        text = f"event {next(numbers)}"
        waiter.send(tool("wait_for_sms", after=place, contains=text, timeout_seconds=60))
        site.client.ask(Request("ping"))        # it has read everything before this
        began = perf_counter_ns()
        modem.deliver(FROM, text)
        ended, _ = waiter.receive()
        yield ended - began


def send(site: Contender) -> Samples:
    """Until the modem has taken it, which it does at once."""
    while True:
        yield site.client.time(tool(
            "send_sms", to_phone_number=TO, sms_text=f"bench {next(numbers)}",
            subscription_id=site.sim))


def beside(request: Request, of: Callable[[Contender], Request]) -> Row:
    """`request`, as often as possible, while another client waits for a long answer."""
    def samples(site: Contender) -> Samples:
        busy, long_one = site.connect(), of(site)
        while True:
            busy.send(long_one)
            while not busy.is_answered:
                yield site.client.time(request)
            busy.receive()
    return samples


def full_search(_: Contender) -> Request:
    return tool("list_sms", search=NOWHERE)


def full_wait(site: Contender) -> Request:
    return tool("wait_for_sms", after=site.oldest_place, kind="code")


PAGES = ("list_sms, first page", "  page 1,000 by cursor",
         "list_sms_conversations, first page", "  late page")      # must not grow
ROWS: dict[str, Row] = {
    "ping": ping,
    "list_sms, first page": calls("list_sms"),
    "  by number, many": calls("list_sms", phone_number=PARTY),
    "  by number, few": calls("list_sms", phone_number=RARE),
    "  unread only": calls("list_sms", unread_only=True),
    "  since and until, middle third": in_the_middle,
    "  page 1,000 by cursor": late_page("list_sms"),
    "  search that hits early": calls("list_sms", search="tomorrow"),
    "  search that hits nothing": calls("list_sms", search=NOWHERE),
    "list_sms_conversations, first page": calls("list_sms_conversations"),
    "  late page": late_page("list_sms_conversations"),
    "get_sms_status": get_status,
    "mark_sms_read": mark_read,
    "wait_for_sms, event comes": wait_for_event,
    "  old cursor, code at the end": old_wait(kind="code"),
    "  old cursor, words at the end": old_wait(contains="verification code"),
    "send_sms": send,
    "list_sms beside a full search": beside(tool("list_sms"), full_search),
    "ping beside a full search": beside(Request("ping"), full_search),
    "ping beside an old cursor": beside(Request("ping"), full_wait),
}
