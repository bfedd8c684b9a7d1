# SPDX-License-Identifier: GPL-2.0-or-later
"""Messages and conversations as agents get them, with what their rows leave out."""

from __future__ import annotations

from typing import Any


def complete(message: dict[str, Any], contacts: dict[str, str] | None = None) -> dict[str, Any]:
    """A message of a list, by the words of its schema; `contacts` are those of its page."""
    way = message.get("direction", "out" if "to" in message else "in")
    number = message.get("to", message.get("from"))
    usual: dict[str, Any] = {"flags": [], "direction": way}
    if number is not None:
        usual["phone_number"] = number
    if number in (contacts or {}):
        usual["contact_name"] = contacts[number]
    if way == "out":
        usual["state"] = "sent"
    else:
        named = "contact_name" in usual | message
        usual |= {"state": "received", "read": False, "trust": "contact" if named else "unknown"}
    return usual | message


def complete_page(page: dict[str, Any]) -> dict[str, Any]:
    """Any answer that has messages or conversations."""
    sim = {key: page[key] for key in ("subscription_id",) if key in page}
    full = dict(page)
    if "messages" in page:
        full.setdefault("gaps", [])
        full["messages"] = [complete(sim | message, page.get("contacts"))
                            for message in page["messages"]]
    if "message" in page:
        full["message"] = complete(page["message"])
    if "conversations" in page:
        full["conversations"] = [complete_conversation(row) for row in page["conversations"]]
    return full


def complete_conversation(row: dict[str, Any]) -> dict[str, Any]:
    party = {key: row[key] for key in ("phone_number", "contact_name", "trust") if key in row}
    return ({"unread": 0, "trust": "contact" if "contact_name" in row else "unknown"} | row
            | {"last_message": complete(party | row["last_message"])})
