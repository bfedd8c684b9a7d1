# SPDX-License-Identifier: GPL-2.0-or-later
"""ofono-mcp-hub with a real Mosquitto, links, gateways and ofonod."""

from __future__ import annotations

import re
import stat
import subprocess
import time
from collections.abc import Iterator
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest

from agent import TO
from conftest import new_lab
from lab import wait_until
from lab.clock import Clock
from lab.fleet import HUB, Fleet, Phone
from owner import Owner

FROM = "+36209876543"
SCOPES = "read,send,hub,codes,ussd,call"


def clients(phone: Phone) -> dict[str, set[str]]:
    told = Owner(phone.lab.gateway.state).json("clients")["clients"]
    return {client["name"]: set(client["scopes"]) for client in told}


@pytest.fixture(scope="module")
def fleet(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Fleet]:
    with new_lab(modem_count=1, gateway_open=False) as one:
        with Fleet(tmp_path_factory.mktemp("fleet"), {"shop-1": one}).running() as fleet:
            yield fleet


def test_joining_pairs_the_hub_and_keeps_its_secrets_from_others(fleet: Fleet) -> None:
    phone = fleet.phones["shop-1"]
    assert phone.joined == {"fleet": "ofono", "broker": "127.0.0.1", "phone": "shop-1",
                            "client": "hub", "link_started": False}
    assert stat.S_IMODE(phone.file.stat().st_mode) == 0o600
    assert clients(phone)["hub"] == set(SCOPES.split(","))


@pytest.mark.parametrize("code", ["", "ofm1.x.y", "hello"])
def test_a_wrong_code_is_refused_before_anything_changes(fleet: Fleet, code: str) -> None:
    phone = fleet.phones["shop-1"]
    before = phone.file.read_bytes()
    with pytest.raises(AssertionError, match="ofono-mcp join: "):
        phone.owner("join", code)
    assert phone.file.read_bytes() == before


def test_each_command_of_the_hub_has_help() -> None:
    overview = subprocess.run([HUB, "--help"], capture_output=True, text=True).stdout
    names = re.findall(r"^  ([a-z]+(?: [a-z]+)?)(?: \S*[|\[]\S*)?  +\S",
                       overview.partition("\nExamples\n")[0], re.MULTILINE)
    assert {"enrol", "phones", "expel", "serve", "status"} <= set(names)
    for name in names:
        done = subprocess.run([HUB, *name.split(), "--help"], capture_output=True, text=True)
        assert done.returncode == 0 and done.stdout.startswith(f"Usage: ofono-mcp-hub {name} ")
        assert all(len(line) <= 80 for line in done.stdout.splitlines()), name
        assert ("--json" in done.stdout) == (name not in ("serve", "stdio")), name


def test_a_message_through_the_hub_is_sent_by_the_phone(fleet: Fleet) -> None:
    sent = fleet.call("send_sms", to_phone_number=TO, sms_text="through the hub")
    assert sent["state"] in ("sent", "delivered"), sent
    modem = fleet.phones["shop-1"].lab.modems[0]
    assert [taken.text for taken in modem.taken].count("through the hub") == 1


def test_a_message_to_a_phone_is_read_at_the_hub(fleet: Fleet) -> None:
    fleet.phones["shop-1"].lab.modems[0].deliver(FROM, "to the hub")
    wait_until(lambda: [row["text"] for row in fleet.call("list_sms", direction="in")["messages"]]
               == ["to the hub"], what="the hub has the message")


def test_a_hub_that_is_killed_doubles_nothing(fleet: Fleet) -> None:
    before = fleet.call("list_sms", direction="in")["messages"]
    fleet.hub.kill()
    fleet.phones["shop-1"].lab.modems[0].deliver(FROM, "while the hub was away")
    fleet.hub.start()
    wait_until(lambda: len(fleet.call("list_sms", direction="in")["messages"])
               == len(before) + 1, what="the hub has what came meanwhile")
    wait_until(lambda: len(fleet.sims()) == 1, what="the hub shows the SIM again")


def test_a_pulled_phone_is_absent_and_comes_back(fleet: Fleet) -> None:
    phone = fleet.phones["shop-1"]
    phone.process.kill()
    wait_until(lambda: fleet.sims() == [], what="no SIM is ready")
    phone.start()
    wait_until(lambda: len(fleet.sims()) == 1, what="the SIM is ready again")


def test_a_phone_that_leaves_has_no_key_and_no_client(fleet: Fleet) -> None:
    phone = fleet.phones["shop-1"]
    phone.process.kill()
    assert phone.owner("leave") == {"revoked": "hub"}
    assert not phone.file.exists()
    assert "hub" not in clients(phone)
    assert phone.owner("leave") == {"revoked": "hub"}       # once more changes nothing


YEAR_S = 365 * 86400


@pytest.mark.parametrize("ahead_s", [-YEAR_S, YEAR_S, 60 - time.time()],
                         ids=["a year behind", "a year ahead", "1970"])
def test_the_wrong_clock_of_a_phone_loses_and_doubles_nothing(folder: Path, ahead_s: float) -> None:
    """Before the phone's clock is wrong, while it is, and when it is set: the times are the
    hub's."""
    def at(ahead_s: float) -> str:
        return datetime.fromtimestamp(time.time() + ahead_s, timezone.utc).isoformat()

    def rows() -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = fleet.call("list_sms", limit=50)["messages"]
        return found

    def exchange(when: str) -> None:
        lab.modems[0].deliver(FROM, f"in, {when}")
        wait_until(lambda: f"in, {when}" in [row["text"] for row in rows()], what="the hub has it")
        sent = fleet.call("send_sms", to_phone_number=TO, sms_text=f"valid, {when}",
                          valid_for_seconds=600, wait_for="sent")
        assert sent["state"] in ("sent", "delivered"), sent
        later = fleet.call("send_sms", to_phone_number=TO, sms_text=f"scheduled, {when}",
                           send_at=at(2))
        assert later["state"] == "scheduled", later
        wait_until(lambda: fleet.call("get_sms_status", message_id=later["message_id"])["state"]
                   in ("sent", "delivered"), what="it is sent at its time")

    with new_lab(modem_count=1, gateway_open=False) as lab:
        clock = Clock(lab.folder)
        lab.gateway.environment |= clock.environment
        lab.gateway.restart()
        began = datetime.now(timezone.utc) - timedelta(seconds=1)
        with Fleet(folder, {"shop-1": lab}).running() as fleet:
            exchange("before")
            clock.set(ahead_s)
            exchange("set wrong")
            lab.gateway.kill()
            lab.gateway.start()
            wait_until(lambda: len(fleet.sims()) == 1, what="the SIM is ready again")
            exchange("booted wrong")
            clock.set(0)
            exchange("set right")
            expected = [f"{kind}, {when}" for when in ("before", "set wrong", "booted wrong",
                                                       "set right")
                        for kind in ("in", "valid", "scheduled")]
            assert [row["text"] for row in reversed(rows())] == expected
            assert ([taken.text for taken in lab.modems[0].taken]
                    == [text for text in expected if not text.startswith("in")])
            times = [datetime.fromisoformat(row["at"]) for row in reversed(rows())]
            assert times == sorted(times)
            assert began <= times[0] and times[-1] <= datetime.now(timezone.utc)
