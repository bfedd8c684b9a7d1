# SPDX-License-Identifier: GPL-2.0-or-later
"""3GPP 23.038: the GSM 7 bit default alphabet with its extension table, and UCS-2."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

ESCAPE = 0x1B

BASIC = (
    "@£$¥èéùìòÇ\nØø\rÅå"
    "Δ_ΦΓΛΩΠΨΣΘΞ\x1bÆæßÉ"
    " !\"#¤%&'()*+,-./"
    "0123456789:;<=>?"
    "¡ABCDEFGHIJKLMNO"
    "PQRSTUVWXYZÄÖÑÜ§"
    "¿abcdefghijklmno"
    "pqrstuvwxyzäöñüà"
)
EXTENSION = {
    0x0A: "\f", 0x14: "^", 0x28: "{", 0x29: "}", 0x2F: "\\",
    0x3C: "[", 0x3D: "~", 0x3E: "]", 0x40: "|", 0x65: "€",
}
SEPTETS = (
    {character: (septet,) for septet, character in enumerate(BASIC) if septet != ESCAPE}
    | {character: (ESCAPE, septet) for septet, character in EXTENSION.items()}
)


def is_gsm7(text: str) -> bool:
    return all(character in SEPTETS for character in text)


def gsm7_encode(text: str) -> list[int]:
    return [septet for character in text for septet in SEPTETS[character]]


def gsm7_decode(septets: Iterable[int]) -> str:
    text, escaped = [], False
    for septet in septets:
        if escaped:
            text.append(EXTENSION.get(septet, BASIC[septet]))
            escaped = False
        elif septet == ESCAPE:
            escaped = True
        else:
            text.append(BASIC[septet])
    return "".join(text)


def pack(septets: Sequence[int], fill_bits: int = 0) -> bytes:
    """Septets into octets, low bits first, after `fill_bits` of padding."""
    bits = sum(septet << 7 * place for place, septet in enumerate(septets))
    size_bytes = (fill_bits + 7 * len(septets) + 7) // 8
    return (bits << fill_bits).to_bytes(size_bytes, "little")


def unpack(octets: bytes, count: int, fill_bits: int = 0) -> list[int]:
    bits = int.from_bytes(octets, "little") >> fill_bits
    return [bits >> 7 * place & 0x7F for place in range(count)]


def ucs2_encode(text: str) -> bytes:
    """UTF-16 as today's networks carry it, a lone surrogate passed on as it is."""
    return text.encode("utf-16-be", "surrogatepass")


def ucs2_decode(octets: bytes) -> str:
    return octets.decode("utf-16-be", "surrogatepass")


def mend_surrogates(text: str) -> str:
    """Join surrogate pairs that were split between two segments."""
    return ucs2_encode(text).decode("utf-16-be", "replace")
