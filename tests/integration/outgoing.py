# SPDX-License-Identifier: GPL-2.0-or-later
"""What the tests of outgoing messages share: a phone with one modem, calls, their results.

Import the fixtures `shared`, `lab` and `make_lab` by name.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))    # the packages lab and modem

from lab import Lab, McpClient, wait_until

TO = "+36301234567"
REPEATS_NOTICED = "[sms]\nduplicate_seconds = 60\n"
HOME, SEARCHING = 1, 2                  # +CREG


@dataclass(frozen=True)
class Result:
    raw: dict[str, Any]

    @property
    def is_error(self) -> bool:
        return self.raw.get("isError", False)

    @property
    def text(self) -> str:
        return self.raw["content"][0]["text"]

    @property
    def facts(self) -> dict[str, Any]:
        return json.loads(self.raw["content"][1]["text"])

    @property
    def id(self) -> int:
        return self.facts["message_id"]


def call(lab: Lab, tool: str, token: str | None = None, **arguments: Any) -> Result:
    with McpClient(lab.gateway.port, token=token) as client:
        return Result(client.tool(tool, **arguments))


def send(lab: Lab, text: str, token: str | None = None, to: str = TO,
         **more: Any) -> Result:
    return call(lab, "send_sms", token, to_phone_number=to, sms_text=text, **more)


def cancel(lab: Lab, message_id: int, token: str | None = None) -> Result:
    return call(lab, "cancel_sms", token, message_id=message_id)


def ready(lab: Lab) -> bool:
    sims = call(lab, "get_sms_subscriptions").raw["structuredContent"]["subscriptions"]
    return bool(sims) and all(sim["can_send"] for sim in sims)


def state(lab: Lab, message_id: int) -> str:
    return call(lab, "get_sms_status", message_id=message_id).raw["structuredContent"]["state"]


def states(lab: Lab, message_id: int) -> list[str]:
    facts = call(lab, "get_sms_status", message_id=message_id).raw["structuredContent"]
    return [change["state"] for change in facts["changes"]]


def wait_state(lab: Lab, message_id: int, wanted: str, timeout: float = 10) -> None:
    wait_until(lambda: state(lab, message_id) == wanted, timeout, f"{message_id} is {wanted}")


def texts(lab: Lab) -> list[str]:
    """What the network took, in order."""
    return [submit.text for submit in lab.modems[0].taken]


def seconds_ahead(seconds: float) -> str:
    moment = datetime.now(timezone.utc) + timedelta(seconds=seconds)
    return moment.isoformat(timespec="milliseconds")


def assert_sent(result: Result, to: str = TO) -> None:
    assert (result.text, result.is_error) == (f"SMS sent to {to}", False), result
    assert result.facts["state"] == "sent"


def assert_code(result: Result, code: str) -> None:
    assert result.is_error and result.facts["code"] == code, result


def new_lab(config: str = "", **options: Any) -> Lab:
    """Not yet entered.  Without a configuration of the test's own, repeats are noticed."""
    lab = Lab(modem_count=1, gateway=True, **options)
    lab.gateway.config = config or REPEATS_NOTICED
    return lab


@pytest.fixture(scope="module")
def shared() -> Iterator[Lab]:
    with new_lab() as lab:
        yield lab


@pytest.fixture
def lab(shared: Lab) -> Lab:
    """One modem; nothing taken yet, registered, no message under way."""
    [modem] = shared.modems

    def forget() -> None:
        modem.outgoing.offered.clear()
        modem.outgoing.taken.clear()
    modem.link.call(forget)
    return shared


@pytest.fixture
def make_lab() -> Iterator[Callable[..., Lab]]:
    with ExitStack() as labs:
        def make(config: str = "", **options: Any) -> Lab:
            return labs.enter_context(new_lab(config, **options))
        yield make


def pair(lab: Lab, name: str) -> str:
    """A new client's token."""
    binary = lab.gateway.command[0]
    said = subprocess.run([binary, "pair", name, "--state-dir", str(lab.gateway.state)],
                          check=True, capture_output=True, text=True).stdout
    [token] = re.findall(r"^  token  (\S+)$", said, re.MULTILINE)
    return token
