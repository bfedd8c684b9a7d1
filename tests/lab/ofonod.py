# SPDX-License-Identifier: GPL-2.0-or-later
"""The real ofonod on a private bus, with its state separate from the system's.

ofonod's state folder is compiled in, so a folder of ours is mounted over it in a mount
namespace. If that mount propagates (a plain chroot in a tree of shared mounts) stop() removes
it.

The plugin folder is compiled in too, and need not exist on the machine, so nothing can be
mounted over it: ofonod with a plugin is a copy in which that one path is changed.
"""

from __future__ import annotations

import ctypes
import os
import shutil
import signal
from collections.abc import Sequence
from pathlib import Path

from modem import Modem

from .bus import Bus
from .gateway import BINARY
from .ofono_line import OFONOD, WRAPPER, find_program
from .process import Process, Program
from .programs import find
from .radio import Radio
from .wait import wait_until

# Ours, from "make plugin", or one that was built for another ofonod.
PLUGIN = Path(os.environ.get("OFONO_PLUGIN") or Path(
    os.environ.get("GATEWAY_BINARY", BINARY)).parent / "plugin" / "ofono-mcp-history.so")
STATE = Path("/var/lib/ofono")
MOUNT_ROOT, MOUNT_POINT = 3, 4          # fields of /proc/self/mountinfo
MNT_DETACH = 2
PLUGIN_FOLDER, NEAR_PLUGIN_FOLDER = b"/usr/lib/ofono/plugins\0", b"./plugins\0"


def phonesim_config(modems: Sequence[Modem]) -> str:
    return "".join(f"[{modem.name}]\nAddress=127.0.0.1\nPort={modem.port}\n\n"
                   for modem in modems)


def mounted_here(folder: Path) -> bool:
    """Whether our folder is visible over STATE outside ofonod's namespace, too."""
    mounts = map(str.split, Path("/proc/self/mountinfo").read_text().splitlines())
    return any(mount[MOUNT_ROOT].endswith(str(folder)) for mount in mounts
               if mount[MOUNT_POINT] == str(STATE))


def with_plugin(binary: str, plugin: Path, folder: Path) -> str:
    """A copy of ofonod that, started in `folder`, loads the plugin."""
    octets = find_program(binary).read_bytes()
    if octets.count(PLUGIN_FOLDER) != 1:
        raise AssertionError(f"{binary} does not name {PLUGIN_FOLDER!r} once")
    near = NEAR_PLUGIN_FOLDER.ljust(len(PLUGIN_FOLDER), b"\0")
    copy = folder / "ofonod"
    copy.write_bytes(octets.replace(PLUGIN_FOLDER, near))
    copy.chmod(0o755)
    (folder / "plugins").mkdir()
    shutil.copy(plugin, folder / "plugins")
    return str(copy)


class Ofonod(Program):
    """`plugin` is loaded into it; `environment` is added to its environment."""

    def __init__(self, folder: Path, bus: Bus, modems: Sequence[Modem],
                 plugin: Path | None = None) -> None:
        self._bus = bus
        self._folder = folder
        self._binary, self._wrapper = OFONOD, WRAPPER
        self.environment: dict[str, str] = {}
        if plugin:
            self._binary = with_plugin(self._binary, plugin, folder)
        self._modems = modems
        self.state = folder / "state"
        self.state.mkdir()
        self._config = folder / "phonesim.conf"
        self._config.write_text(phonesim_config(modems))
        self._process = Process("ofonod", folder / "ofonod.log")

    def start(self) -> None:
        """Ready when it lists its modems; they are unpowered."""
        environment = self._bus.environment | {"OFONO_PHONESIM_CONFIG": str(self._config)}
        self._process.run([*self._wrapper, self._binary, "-n"],
                          environment | self.environment, bind=(self.state, STATE),
                          folder=self._folder)
        wait_until(self._lists_modems, what="ofonod lists its modems")

    def stop(self) -> None:
        self._process.terminate()
        self._unmount()

    def kill(self) -> None:
        self._process.kill()
        self._unmount()

    def restart(self) -> None:
        self.stop()
        self.start()

    def pause(self) -> None:
        self._process.send_signal(signal.SIGSTOP)

    def resume(self) -> None:
        self._process.send_signal(signal.SIGCONT)

    def _lists_modems(self) -> bool:
        if not self.is_running:
            raise AssertionError(f"ofonod ended:\n{self.log}")
        paths = Radio.list_paths(self._bus.address)
        return paths is not None and len(paths) == len(self._modems)

    def _unmount(self) -> None:
        while mounted_here(self.state):
            if ctypes.CDLL(None).umount2(bytes(STATE), MNT_DETACH) != 0:
                raise AssertionError(f"{STATE} cannot be unmounted")
