# SPDX-License-Identifier: GPL-2.0-or-later
"""Run a command that dies with its parent; optionally with a folder mounted over another, or a
disk there that holds no more than SIZE.

    python3 confine.py PARENT-PID [--bind FOLDER OVER | --disk SIZE OVER] COMMAND [ARG...]

It is a separate program, because a process with threads must not do such things between fork
and exec. It becomes the command, so the process ID stays the same.
"""

import ctypes
import os
import signal
import sys

PR_SET_PDEATHSIG = 1
CLONE_NEWNS = 0x00020000
MS_BIND, MS_REC, MS_PRIVATE = 1 << 12, 1 << 14, 1 << 18
EINVAL = 22

libc = ctypes.CDLL(None, use_errno=True)


def die_with_parent(parent: int) -> None:
    libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        sys.exit("confine: the parent is gone already")


def must(result: int, what: str) -> None:
    if result != 0:
        error = ctypes.get_errno()
        sys.exit(f"confine: {what}: {os.strerror(error)}")


def be_private() -> None:
    """In a plain chroot / is no mount point, and its propagation cannot be changed."""
    must(libc.unshare(CLONE_NEWNS), "unshare")
    if libc.mount(b"none", b"/", None, MS_REC | MS_PRIVATE, None) != 0:
        if ctypes.get_errno() != EINVAL:
            must(-1, "make / private")


def bind_privately(folder: str, over: str) -> None:
    be_private()
    bound = libc.mount(folder.encode(), over.encode(), None, MS_BIND, None)
    must(bound, f"bind over {over}")


def mount_disk(size: str, over: str) -> None:
    be_private()
    options = f"size={size},mode=0700".encode()
    must(libc.mount(b"tmpfs", over.encode(), b"tmpfs", 0, options), f"disk at {over}")


def main(parent: str, *command: str) -> None:
    die_with_parent(int(parent))
    if command[0] in ("--bind", "--disk"):
        mount = bind_privately if command[0] == "--bind" else mount_disk
        mount(command[1], command[2])
        command = command[3:]
    try:
        os.execvp(command[0], command)
    except OSError as error:
        sys.exit(f"confine: {command[0]}: {error.strerror}")


if __name__ == "__main__":
    main(*sys.argv[1:])
