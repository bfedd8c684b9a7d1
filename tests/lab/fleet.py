# SPDX-License-Identifier: GPL-2.0-or-later
"""ofono-mcp-hub with a real Mosquitto, and phones that are labs, each with its own link."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from modem.patience import patience

from .gateway import BINARY, Gateway, free_port
from .lab import Lab
from .mcp_client import McpClient
from .process import Process, Program
from .wait import wait_until

BUILD = Path(BINARY).parent
HUB, LINK = BUILD / "ofono-mcp-hub", BUILD / "ofono-mcp-link"


class Broker(Program):
    """Mosquitto on the loopback address, for everybody. It stays the user that it is: in a user
    namespace there may be no other. FLEET_BROKER=PORT names one that runs already there, and
    knows the user hub with the password hub."""

    def __init__(self, folder: Path) -> None:
        running = os.environ.get("FLEET_BROKER")
        self.is_ours = not running
        self.port = int(running) if running else free_port()
        self._file = folder / "mosquitto.conf"
        self._file.write_text(f"listener {self.port} 127.0.0.1\nallow_anonymous true\n"
                              "set_tcp_nodelay true\nuser root\n")
        self._process = Process("mosquitto", folder / "mosquitto.log")

    def start(self) -> None:
        if self.is_ours:
            self._process.run(["mosquitto", "-c", str(self._file)])

    def stop(self) -> None:
        self._process.terminate()

    def kill(self) -> None:
        self._process.kill()


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

    def start(self) -> None:
        self.process.run([str(LINK), "--config", str(self.file), "--state", str(self.state)])


class Fleet:
    """Of labs that run; `start` begins it, and `stop` ends what it began. `hub` may be changed
    before."""

    def __init__(self, folder: Path, labs: Mapping[str, Lab]) -> None:
        self._folder, self._labs = folder, labs
        self.broker = Broker(folder)
        hub_folder = folder / "hub"
        hub_folder.mkdir()
        self.hub = Gateway(hub_folder, next(iter(labs.values())).bus, binary=HUB)
        self.broker_config = (f"[broker]\naddress = 127.0.0.1:{self.broker.port}\n"
                              "phones_tls = no\n")
        if not self.broker.is_ours:
            (hub_folder / "password").write_text("hub\n")
            (hub_folder / "password").chmod(0o600)
            self.broker_config += f"password_file = {hub_folder}/password\n"
        self.hub.config += self.broker_config
        self.phones: dict[str, Phone] = {}

    @contextmanager
    def running(self) -> Iterator[Fleet]:
        """Begins when the hub shows every SIM."""
        count = sum(len(lab.modems) for lab in self._labs.values())
        try:
            self.start()
            wait_until(lambda: len(self.sims()) == count, what="the hub shows every SIM")
            yield self
        finally:
            self.stop()

    def start(self) -> None:
        self.broker.start()
        self.hub.start()
        for name, lab in self._labs.items():
            [*_, enrolled] = self.run("enrol", "--no-password", name)
            self.phones[name] = Phone(name, lab, enrolled["code"], self._folder)
            self.phones[name].start()

    def stop(self) -> None:
        for phone in self.phones.values():
            phone.process.terminate()
        self.hub.stop()
        self.broker.stop()

    def run(self, *command: str) -> list[dict[str, Any]]:
        done = subprocess.run([HUB, command[0], "--state-dir", self.hub.state, "--json",
                               *command[1:]], capture_output=True, text=True,
                              timeout=patience(30))
        assert done.returncode == 0, done.stderr
        return [json.loads(line) for line in done.stdout.splitlines()]

    def call(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """What it answers; the members of an error, too."""
        with McpClient(self.hub.port) as client:
            result = client.tool(tool, **arguments)
        facts: dict[str, Any] = (json.loads(result["content"][0]["text"])
                                 if result.get("isError") else result["structuredContent"])
        return facts

    def sims(self, state: str = "ready") -> Sequence[dict[str, Any]]:
        rows = self.call("get_sms_subscriptions")["subscriptions"]
        return [row for row in rows if row.get("state") == state]
