# SPDX-License-Identifier: GPL-2.0-or-later
"""ofono-mcp-hub with a real Mosquitto, links, gateways and ofonod."""

from __future__ import annotations

import json
import re
import stat
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from agent import TO
from conftest import new_lab
from lab import Lab, wait_until
from lab.gateway import BINARY, Gateway, free_port
from lab.process import Process
from modem.patience import patience
from owner import Owner

BUILD = Path(BINARY).parent
HUB, LINK = BUILD / "ofono-mcp-hub", BUILD / "ofono-mcp-link"
FROM = "+36209876543"
SCOPES = "read,send,hub,codes,ussd,call"


class Broker:
    def __init__(self, folder: Path) -> None:
        self.port = free_port()
        self.file = folder / "mosquitto.conf"
        self.file.write_text(f"listener {self.port} 127.0.0.1\nallow_anonymous true\n"
                             "set_tcp_nodelay true\n")
        self.process = Process("mosquitto", folder / "mosquitto.log")

    def start(self) -> None:
        self.process.run(["mosquitto", "-c", str(self.file)])


# "join" writes to the system's folders: this one has its own, and a user of the link.
ALONE = """
set -eu
mount --make-rprivate /
(cat /etc/passwd; echo "ofono-mcp-link:x:$(id -u):$(id -g)::/:/bin/false") > "$0/passwd"
mount --bind "$0/passwd" /etc/passwd
mount --bind "$0" /var/lib
[ ! -d /run/systemd ] || mount -t tmpfs tmpfs /run/systemd
exec "$@"
"""


class Phone:
    """A phone whose gateway is that of a lab."""

    def __init__(self, name: str, lab: Lab, code: str, folder: Path) -> None:
        self.name, self.lab = name, lab
        self.folder = folder / name
        self.file = self.folder / "ofono-mcp-link" / "link.conf"
        self.file.parent.mkdir(parents=True)
        self.joined = self.owner("join", code)
        self.process = Process("link", folder / f"{name}.log")
        self.state = folder / f"{name}.state"

    def owner(self, command: str, said: str = "") -> dict[str, Any]:
        done = subprocess.run(
            ["unshare", "--mount", "sh", "-c", ALONE, self.folder, BINARY, command, "--json",
             "--state-dir", self.lab.gateway.state], input=said, capture_output=True, text=True,
            timeout=patience(30))
        assert done.returncode == 0, done.stderr
        told: dict[str, Any] = json.loads(done.stdout)
        return told

    def clients(self) -> dict[str, set[str]]:
        told = Owner(self.lab.gateway.state).json("clients")["clients"]
        return {client["name"]: set(client["scopes"]) for client in told}

    def start(self) -> None:
        self.process.run([str(LINK), "--config", str(self.file), "--state", str(self.state)])


class Fleet:
    def __init__(self, folder: Path, labs: dict[str, Lab]) -> None:
        self.broker = Broker(folder)
        self.broker.start()
        hub_folder = folder / "hub"
        hub_folder.mkdir()
        first = next(iter(labs.values()))
        self.hub = Gateway(hub_folder, first.bus, binary=HUB)
        self.hub.config += (f"[broker]\naddress = 127.0.0.1:{self.broker.port}\n"
                            "phones_tls = no\n")
        self.hub.start()
        self.phones = {name: Phone(name, lab, self.run("enrol", "--no-password", name)[-1]["code"],
                                   folder) for name, lab in labs.items()}
        for phone in self.phones.values():
            phone.start()

    def run(self, *command: str) -> list[dict[str, Any]]:
        done = subprocess.run([HUB, command[0], "--state-dir", self.hub.state, "--json",
                               *command[1:]], capture_output=True, text=True, timeout=30)
        assert done.returncode == 0, done.stderr
        return [json.loads(line) for line in done.stdout.splitlines()]

    def call(self, tool: str, **arguments: Any) -> dict[str, Any]:
        from modern import Request
        request = Request("tools/call", {"name": tool, "arguments": arguments})
        result = request.header(Mcp_Name=tool).ask(self.hub.port).result
        facts: dict[str, Any] = (json.loads(result["content"][0]["text"])
                                 if result.get("isError") else result["structuredContent"])
        return facts

    def sims(self, state: str = "ready") -> list[dict[str, Any]]:
        rows = self.call("get_sms_subscriptions")["subscriptions"]
        return [row for row in rows if row.get("state") == state]

    def stop(self) -> None:
        for phone in self.phones.values():
            phone.process.terminate()
        self.hub.stop()
        self.broker.process.terminate()


@pytest.fixture(scope="module")
def fleet(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Fleet]:
    with new_lab(modem_count=1, gateway_open=False) as one:
        fleet = Fleet(tmp_path_factory.mktemp("fleet"), {"shop-1": one})
        try:
            wait_until(lambda: len(fleet.sims()) == 1, what="the hub shows the SIM")
            yield fleet
        finally:
            fleet.stop()


def test_joining_pairs_the_hub_and_keeps_its_secrets_from_others(fleet: Fleet) -> None:
    phone = fleet.phones["shop-1"]
    assert phone.joined == {"fleet": "ofono", "broker": "127.0.0.1", "phone": "shop-1",
                            "client": "hub", "link_started": False}
    assert stat.S_IMODE(phone.file.stat().st_mode) == 0o600
    assert phone.clients()["hub"] == set(SCOPES.split(","))


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
    assert "hub" not in phone.clients()
    assert phone.owner("leave") == {"revoked": "hub"}       # once more changes nothing
