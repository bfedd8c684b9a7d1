# SPDX-License-Identifier: GPL-2.0-or-later
"""The real ofonod on a private bus, its state kept away from the system's.

ofonod's state folder is compiled in, so a folder of ours is mounted over it in a mount
namespace of its own.  Where that mount spreads (a plain chroot in a tree of shared
mounts) stop() takes it away again.
"""

from __future__ import annotations

import ctypes
import os
import signal
from collections.abc import Sequence
from pathlib import Path

from modem import Modem

from .bus import Bus
from .process import Process, Program
from .radio import Radio
from .wait import wait_until

STATE = Path("/var/lib/ofono")
MOUNT_ROOT, MOUNT_POINT = 3, 4          # fields of /proc/self/mountinfo
MNT_DETACH = 2


def phonesim_config(modems: Sequence[Modem]) -> str:
    return "".join(f"[{modem.name}]\nAddress=127.0.0.1\nPort={modem.port}\n\n"
                   for modem in modems)


def mounted_here(folder: Path) -> bool:
    """Whether our folder is seen over STATE outside ofonod's namespace, too."""
    mounts = map(str.split, Path("/proc/self/mountinfo").read_text().splitlines())
    return any(mount[MOUNT_ROOT].endswith(str(folder)) for mount in mounts
               if mount[MOUNT_POINT] == str(STATE))


class Ofonod(Program):
    def __init__(self, folder: Path, bus: Bus, modems: Sequence[Modem]) -> None:
        self._bus = bus
        self._modems = modems
        self.state = folder / "state"
        self.state.mkdir()
        self._config = folder / "phonesim.conf"
        self._config.write_text(phonesim_config(modems))
        self._process = Process("ofonod", folder / "ofonod.log")

    def start(self) -> None:
        """Ready when it lists its modems; they are unpowered."""
        environment = self._bus.environment | {"OFONO_PHONESIM_CONFIG": str(self._config)}
        binary = os.environ.get("OFONOD", "ofonod")
        self._process.run([binary, "-n"], environment, bind=(self.state, STATE))
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
