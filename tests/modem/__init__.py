# SPDX-License-Identifier: GPL-2.0-or-later
"""An AT modem emulator, good enough for a real ofonod (its phonesim plugin)."""

from .modem import DENIED, HOME, SEARCHING, USSD_ASKS, USSD_TERMINATED, Modem
from .outcome import Outcome
from .pdu import Concat, Submit, join_parts
from .sim import Sim

__all__ = ["DENIED", "HOME", "SEARCHING", "USSD_ASKS", "USSD_TERMINATED", "Concat", "Modem",
           "Outcome", "Sim", "Submit", "join_parts"]
