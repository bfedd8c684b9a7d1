# SPDX-License-Identifier: GPL-2.0-or-later
"""D-Bus messages as they are on the wire, read into Python values."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

NUMBERS = {"y": "B", "n": "h", "q": "H", "i": "i", "u": "I", "x": "q", "t": "Q", "d": "d",
           "b": "I", "h": "I"}
ALIGNMENT = dict.fromkeys("ygv", 1) | dict.fromkeys("nq", 2) | dict.fromkeys("xtd({", 8)
PATH, INTERFACE, MEMBER, ERROR_NAME, REPLY_SERIAL, DESTINATION, SENDER, SIGNATURE = (
    1, 2, 3, 4, 5, 6, 7, 8)                             # header fields
FIXED_HEADER, LENGTHS = "yyyyuu", 16


@dataclass(frozen=True)
class Message:
    path: str
    interface: str
    member: str
    arguments: list[Any]
    error: str = ""             # its name
    call: tuple[str, int] = ("", 0)     # the caller and its serial; for a reply, those of the call


def split(signature: str) -> Iterator[str]:
    """The complete types of a signature."""
    depth, start = 0, 0
    for place, letter in enumerate(signature):
        depth += (letter in "({") - (letter in ")}")
        if depth == 0 and letter != "a":
            yield signature[start:place + 1]
            start = place + 1


class Reader:
    def __init__(self, octets: bytes, order: str) -> None:
        self._octets = octets
        self._order = order
        self.place = 0

    def align(self, to: int) -> None:
        self.place += -self.place % to

    def number(self, kind: str) -> Any:
        layout = self._order + NUMBERS[kind]
        self.align(struct.calcsize(layout))
        [value] = struct.unpack_from(layout, self._octets, self.place)
        self.place += struct.calcsize(layout)
        return bool(value) if kind == "b" else value

    def text(self, length: int) -> str:
        value = self._octets[self.place:self.place + length].decode()
        self.place += length + 1
        return value

    def value(self, kind: str) -> Any:
        match kind[0]:
            case "s" | "o":
                return self.text(self.number("u"))
            case "g":
                return self.text(self.number("y"))
            case "v":
                return self.value(self.value("g"))
            case "a":
                return self.array(kind[1:])
            case "(" | "{":
                self.align(8)
                return tuple(self.value(part) for part in split(kind[1:-1]))
            case letter:
                return self.number(letter)

    def array(self, kind: str) -> list[Any] | dict[Any, Any]:
        length = self.number("u")
        self.align(ALIGNMENT.get(kind[0], 4))
        end, items = self.place + length, []
        while self.place < end:
            items.append(self.value(kind))
        return dict(items) if kind[0] == "{" else items


def read_messages(octets: bytes) -> Iterator[Message]:
    """Every complete message."""
    while len(octets) >= LENGTHS:
        order = "<" if octets[:1] == b"l" else ">"
        body_size, _, fields_size = struct.unpack_from(order + "III", octets, 4)
        body = LENGTHS + fields_size + -fields_size % 8
        if len(octets) < body + body_size:
            return
        header = Reader(octets[:body], order)
        *_, serial = [header.number(kind) for kind in FIXED_HEADER]
        fields = dict(header.value("a(yv)"))
        reader = Reader(octets[body:body + body_size], order)
        names = (fields.get(field, "") for field in (PATH, INTERFACE, MEMBER))
        kinds = split(fields.get(SIGNATURE, ""))
        answered = fields.get(REPLY_SERIAL)
        call = (fields.get(DESTINATION, ""), answered) if answered \
            else (fields.get(SENDER, ""), serial)
        yield Message(*names, [reader.value(kind) for kind in kinds],
                      fields.get(ERROR_NAME, ""), call)
        octets = octets[body + body_size:]
