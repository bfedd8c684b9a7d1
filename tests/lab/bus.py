# SPDX-License-Identifier: GPL-2.0-or-later
"""A private bus of type system, open to everybody who can reach its socket."""

from __future__ import annotations

import socket
from pathlib import Path

import dbus

from .process import Process, Program
from .wait import wait_until

CONFIG = """\
<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig>
  <type>system</type>
  <listen>unix:path={socket}</listen>
  <servicedir>{services}</servicedir>
  <auth>EXTERNAL</auth>
  <policy context="default">
    <allow user="*"/>
    <allow own="*"/>
    <allow send_type="method_call"/>
    <allow send_type="signal"/>
    <allow send_requested_reply="true" send_type="method_return"/>
    <allow send_requested_reply="true" send_type="error"/>
    <allow send_destination="*" eavesdrop="true"/>
    <allow receive_type="method_call"/>
    <allow receive_type="method_return"/>
    <allow receive_type="error"/>
    <allow receive_type="signal"/>
    <allow eavesdrop="true"/>
  </policy>
</busconfig>
"""


class Bus(Program):
    """Keeps its address over a restart."""

    def __init__(self, folder: Path) -> None:
        self._socket = folder / "bus.socket"
        self._services = folder / "services"
        self._services.mkdir(exist_ok=True)
        self._config = folder / "bus.conf"
        self._write_config()
        self._process = Process("dbus-daemon", folder / "bus.log")

    @property
    def address(self) -> str:
        return f"unix:path={self._socket}"

    @property
    def environment(self) -> dict[str, str]:
        return {"DBUS_SYSTEM_BUS_ADDRESS": self.address}

    def start(self) -> None:
        self._socket.unlink(missing_ok=True)
        self._process.run(["dbus-daemon", f"--config-file={self._config}", "--nofork",
                           "--nopidfile", "--nosyslog"])
        wait_until(self._answers, what=f"dbus-daemon listens\n{self.log}")

    def stop(self) -> None:
        self._process.terminate()

    def restart(self) -> None:
        self.stop()
        self.start()

    def refuse(self, name: str) -> None:
        """From now on nobody may send to that name."""
        self.deny(f'<deny send_destination="{name}"/>')

    def accept(self) -> None:
        """Lifts every refusal."""
        self._write_config()
        self.reload()

    def add_service(self, name: str) -> Path:
        """The bus starts a program when somebody calls that name: it creates a file, and fails.
        Of one that ends without a failure the bus would still expect the name for 25 s."""
        started = self._services / "started"
        (self._services / f"{name}.service").write_text(
            f"[D-BUS Service]\nName={name}\nExec=/bin/sh -c \"touch {started}; false\"\nUser=root\n")
        self.reload()
        return started

    def deny(self, rule: str, user: str = "") -> None:
        """Adds this rule, for everybody or for that user."""
        policy = f"</policy><policy user='{user}'>" if user else ""
        self._config.write_text(self._config.read_text().replace(
            "</policy>", f"{policy}{rule}</policy>"))
        self.reload()

    def reload(self) -> None:
        """It reads its policy again."""
        connection = dbus.bus.BusConnection(self.address)
        connection.call_blocking("org.freedesktop.DBus", "/", "org.freedesktop.DBus",
                                 "ReloadConfig", "", ())
        connection.close()

    def _write_config(self) -> None:
        self._config.write_text(CONFIG.format(socket=self._socket, services=self._services))

    def _answers(self) -> bool:
        if not self._process.is_running:
            raise AssertionError(f"dbus-daemon ended:\n{self.log}")
        with socket.socket(socket.AF_UNIX) as probe:
            return probe.connect_ex(str(self._socket)) == 0
