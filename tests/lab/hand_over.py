# SPDX-License-Identifier: GPL-2.0-or-later
"""hand_over.py FD,FD COMMAND...: passes sockets as a service manager does: they become the
descriptors from 3 on, and the environment says so (sd_listen_fds(3))."""

from __future__ import annotations

import os
import sys

FIRST = 3


def main(numbers: str, *command: str) -> None:
    safe = [os.dup(int(number)) for number in numbers.split(",")]
    high = [os.dup2(fd, 100 + at) for at, fd in enumerate(safe)]
    for at, fd in enumerate(high):
        os.dup2(fd, FIRST + at, inheritable=True)
    os.environ |= {"LISTEN_FDS": str(len(high)), "LISTEN_PID": str(os.getpid())}
    os.execvp(command[0], command)


if __name__ == "__main__":
    main(*sys.argv[1:])
