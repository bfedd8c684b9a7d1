# SPDX-License-Identifier: GPL-2.0-or-later


class Refusal(Exception):
    """A final result code other than OK."""
