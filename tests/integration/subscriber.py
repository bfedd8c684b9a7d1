# SPDX-License-Identifier: GPL-2.0-or-later
"""A client that subscribed to one resource, in either family of the protocol."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from events import Events
from lab import Lab
from legacy_session import LegacySession
from modern import Request
from views import MODERN


@contextmanager
def subscribed(lab: Lab, era: str, uri: str) -> Iterator[Events]:
    """Returns when the subscription is active: later changes are notified."""
    if era == MODERN:
        filter = {"notifications": {"resourceSubscriptions": [uri]}}
        request = Request("subscriptions/listen", filter, 5)
        headers = {name.replace("-", "_"): value
                   for name, value in request.headers.items()}
        with Events(lab.gateway.port, request.body, **headers) as events:
            events.next_message()       # the acknowledgement
            yield events
        return
    session = LegacySession(lab.gateway, era, {})
    session.say({"id": 1, "method": "resources/subscribe", "params": {"uri": uri}})
    with session.listen() as events:
        yield events


def told(events: Events, uri: str) -> None:
    """The resource changed, and the notification holds nothing but its name."""
    params = events.next_message().message["params"]
    assert params.pop("uri") == uri
    params.pop("_meta", None)
    assert not params
