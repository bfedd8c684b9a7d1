# SPDX-License-Identifier: GPL-2.0-or-later
"""Standard output of the demo."""

from __future__ import annotations


class Gone(BaseException):
    """The terminal was closed, or nobody reads the output."""


def put(line: str) -> None:
    try:
        print(line, flush=True)
    except OSError:
        raise Gone from None
