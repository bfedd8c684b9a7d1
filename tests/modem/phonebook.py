# SPDX-License-Identifier: GPL-2.0-or-later
"""The phonebook of a SIM card as 27.007 reads it: +CSCS, +CPBS and +CPBR, in that order.

A card without contacts stands for a modem without this feature: ofonod shows no phonebook
then.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .refusal import Refusal

if TYPE_CHECKING:
    from .modem import Modem

ENTRIES, NUMBER_DIGITS, NAME_CHARACTERS = 250, 40, 20
INTERNATIONAL, NATIONAL = 145, 129              # <type>


def has_one(modem: Modem) -> bool:
    return modem.sim is not None and modem.sim.contacts is not None


def character_sets(modem: Modem, _: str) -> list[str]:
    return ['+CSCS: ("GSM","UCS2")' if has_one(modem) else '+CSCS: ("GSM")']


def character_set(modem: Modem, _: str) -> list[str]:
    return [f'+CSCS: "{modem.session.character_set}"']


def set_character_set(modem: Modem, argument: str) -> list[str]:
    modem.session.character_set = argument.strip('"')
    return []


def storages(_: Modem, __: str) -> list[str]:
    return ['+CPBS: ("SM")']


def select_storage(_: Modem, argument: str) -> list[str]:
    if argument.strip('"') != "SM":
        raise Refusal("ERROR")
    return []


def sizes(_: Modem, __: str) -> list[str]:
    return [f"+CPBR: (1-{ENTRIES}),{NUMBER_DIGITS},{NAME_CHARACTERS}"]


def entry(index: int, name: str, number: str) -> str:
    kind = INTERNATIONAL if number.startswith("+") else NATIONAL
    return f'+CPBR: {index},"{number}",{kind},"{name.encode("utf-16-be").hex().upper()}"'


def entries(modem: Modem, _: str) -> list[str] | None:
    """None: the modem stops answering altogether."""
    if not modem.answers_phonebook:
        return None
    if not modem.reads_phonebook:
        raise Refusal("ERROR")
    found = modem.sim.contacts if has_one(modem) else []
    return [entry(index, *contact) for index, contact in enumerate(found, 1)]
