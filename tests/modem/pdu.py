# SPDX-License-Identifier: GPL-2.0-or-later
"""3GPP 23.040: decodes SMS-SUBMIT, encodes SMS-DELIVER and SMS-STATUS-REPORT.

A TPDU is bytes without the service centre address; AT commands carry the service centre
address followed by the TPDU, in hexadecimal, with the TPDU's length.
"""

from __future__ import annotations

import itertools
import re
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import NamedTuple

from .alphabet import (
    gsm7_decode, gsm7_encode, is_gsm7, mend_surrogates, pack, ucs2_decode,
    ucs2_encode, unpack,
)

MTI_DELIVER, MTI_SUBMIT, MTI_STATUS_REPORT = 0x00, 0x01, 0x02
NO_MORE_MESSAGES = 0x04                 # TP-MMS in DELIVER and STATUS-REPORT
REPORT_REQUESTED = 0x20                 # TP-SRR in SUBMIT
USER_DATA_HEADER = 0x40                 # TP-UDHI
VALIDITY_OCTETS = (0, 7, 1, 7)          # by TP-VPF: none, enhanced, relative, absolute

INTERNATIONAL, NATIONAL, ALPHANUMERIC = 0x91, 0x81, 0xD0    # type-of-address
DIGITS = "0123456789*#abc"

DCS_GSM7, DCS_8BIT, DCS_UCS2, DCS_CLASS = 0x00, 0x04, 0x08, 0x10
UNITS_WHOLE = {"gsm7": 160, "ucs2": 70}         # in a single SMS
UNITS_PIECE = {"gsm7": 153, "ucs2": 67}         # in a segment of a long text
CONCAT_8BIT, CONCAT_16BIT = 0x00, 0x08          # information elements
BROADCAST_ENGLISH, BROADCAST_ONE_PAGE, BROADCAST_CHARACTERS = 0x01, 0x11, 93
MESSAGE_WAITING = 0x01                          # likewise; of voicemail, not to be stored

STATUS_DELIVERED, STATUS_EXPIRED = 0x00, 0x46   # TP-ST


class Concat(NamedTuple):
    """The position of a segment in a long text."""

    reference: int
    part: int
    parts: int


@dataclass(frozen=True)
class Submit:
    """One SMS-SUBMIT as the modem was offered it."""

    pdu: str
    destination: str
    text: str
    alphabet: str                       # "gsm7", "ucs2" or "8bit"
    concat: Concat | None
    report_requested: bool
    message_reference: int
    when: float = field(default_factory=time.monotonic)


# ---- addresses and time -----------------------------------------------------------

def swap_digits(digits: str) -> bytes:
    """Semi-octets, low one first, an odd end filled up with F."""
    padded = digits + "F" * (len(digits) % 2)
    return bytes(int(high + low, 16) for low, high in zip(padded[::2], padded[1::2]))


def unswap_digits(octets: bytes, count: int) -> str:
    nibbles = itertools.chain.from_iterable((o & 0x0F, o >> 4) for o in octets)
    return "".join(DIGITS[nibble] for nibble in itertools.islice(nibbles, count))


def semi_octets(number: str) -> bytes:
    return swap_digits("".join(f"{DIGITS.index(digit):X}" for digit in number))


def encode_number(number: str) -> bytes:
    """Type-of-address and digits, as the service centre address and EFs hold them."""
    kind = INTERNATIONAL if number.startswith("+") else NATIONAL
    return bytes([kind]) + semi_octets(number.lstrip("+"))


def encode_address(address: str) -> bytes:
    """TP-OA, TP-DA or TP-RA; text that is not a number becomes an alphanumeric sender."""
    if re.fullmatch(r"\+?[0-9*#abc]{1,20}", address):
        return bytes([len(address.lstrip("+"))]) + encode_number(address)
    septets = gsm7_encode(address)[:11]
    packed = pack(septets)
    return bytes([(7 * len(septets) + 3) // 4, ALPHANUMERIC]) + packed


def decode_address(octets: bytes) -> tuple[str, int]:
    """The address and how many octets it took."""
    length, kind = octets[0], octets[1]
    value = octets[2:2 + (length + 1) // 2]
    if kind & 0x70 == ALPHANUMERIC & 0x70:
        address = gsm7_decode(unpack(value, length * 4 // 7))
    else:
        address = "+" * (kind & 0x70 == 0x10) + unswap_digits(value, length)
    return address, 2 + len(value)


def encode_timestamp(moment: datetime) -> bytes:
    """TP-SCTS: local time of the service centre and its zone in quarters of an hour."""
    if moment.tzinfo is None:
        moment = moment.astimezone()
    quarters = moment.utcoffset() // timedelta(minutes=15)
    zone = swap_digits(f"{abs(quarters):02d}")[0] | (0x08 if quarters < 0 else 0)
    return swap_digits(moment.strftime("%y%m%d%H%M%S")) + bytes([zone])


# ---- user data --------------------------------------------------------------------

def information_elements(header: bytes) -> Iterator[tuple[int, bytes]]:
    while len(header) >= 2:
        size = header[1]
        yield header[0], header[2:2 + size]
        header = header[2 + size:]


def find_concat(header: bytes) -> Concat | None:
    for element, value in information_elements(header):
        if element == CONCAT_8BIT and len(value) == 3:
            return Concat(value[0], part=value[2], parts=value[1])
        if element == CONCAT_16BIT and len(value) == 4:
            return Concat(value[0] << 8 | value[1], part=value[3], parts=value[2])
    return None


def alphabet_of(dcs: int) -> str:
    """General data coding groups and the message class group; no other is sent."""
    if dcs & 0xF0 == 0xF0:
        return "8bit" if dcs & 0x04 else "gsm7"
    return {DCS_GSM7: "gsm7", DCS_8BIT: "8bit", DCS_UCS2: "ucs2"}[dcs & 0x0C]


def fill_bits_after(header_octets: int) -> int:
    """Padding that puts the first septet on a septet border."""
    return -8 * header_octets % 7


def decode_user_data(data: bytes, length: int, alphabet: str, header_octets: int) -> str:
    body = data[header_octets:]
    if alphabet == "gsm7":
        fill_bits = fill_bits_after(header_octets)
        count = length - (8 * header_octets + fill_bits) // 7
        return gsm7_decode(unpack(body, count, fill_bits))
    body = body[:length - header_octets]
    return ucs2_decode(body) if alphabet == "ucs2" else body.decode("latin-1")


def best_alphabet(text: str) -> str:
    return "gsm7" if is_gsm7(text) else "ucs2"


def concat_header(concat: Concat | None) -> bytes:
    """TP-UDH with its length octet."""
    if concat is None:
        return b""
    return bytes([5, CONCAT_8BIT, 3, concat.reference, concat.parts, concat.part])


def encode_user_data(text: str, alphabet: str, header: bytes) -> bytes:
    """TP-UDL and TP-UD; the header comes with its length octet, or empty."""
    if alphabet == "ucs2":
        body = header + ucs2_encode(text)
        return bytes([len(body)]) + body
    septets = gsm7_encode(text)
    fill_bits = fill_bits_after(len(header))
    length = (8 * len(header) + fill_bits) // 7 + len(septets)
    return bytes([length]) + header + pack(septets, fill_bits)


def width(character: str, alphabet: str) -> int:
    """How many units of its alphabet a character takes."""
    if alphabet == "gsm7":
        return len(gsm7_encode(character))
    return len(ucs2_encode(character)) // 2


def cut(text: str, alphabet: str) -> list[str]:
    """The text in as many pieces as it needs SMS, with no escape or surrogate pair split."""
    whole, piece = UNITS_WHOLE[alphabet], UNITS_PIECE[alphabet]
    widths = [width(character, alphabet) for character in text]
    if sum(widths) <= whole:
        return [text]
    pieces, room = [""], piece
    for character, units in zip(text, widths):
        if units > room:
            pieces.append("")
            room = piece
        pieces[-1] += character
        room -= units
    return pieces


# ---- the three messages -----------------------------------------------------------

def decode_submit(pdu: str, message_reference: int = 0) -> Submit:
    """Decode `pdu`, hexadecimal with its service centre address."""
    octets = bytes.fromhex(pdu)
    tpdu = octets[1 + octets[0]:]
    first = tpdu[0]
    if first & 0x03 != MTI_SUBMIT:
        raise ValueError(f"no SMS-SUBMIT: {pdu}")
    destination, size = decode_address(tpdu[2:])
    rest = tpdu[2 + size:]
    alphabet = alphabet_of(rest[1])
    rest = rest[2 + VALIDITY_OCTETS[first >> 3 & 0x03]:]
    length, data = rest[0], rest[1:]
    header_octets = 1 + data[0] if first & USER_DATA_HEADER else 0
    return Submit(
        pdu=pdu.upper(),
        destination=destination,
        text=decode_user_data(data, length, alphabet, header_octets),
        alphabet=alphabet,
        concat=find_concat(data[1:header_octets]),
        report_requested=bool(first & REPORT_REQUESTED),
        message_reference=message_reference,
    )


def encode_deliver(sender: str, text: str, sent_at: datetime,
                   message_class: int | None = None, concat: Concat | None = None,
                   alphabet: str | None = None) -> bytes:
    """One SMS-DELIVER; `text` must fit into it, see encode_deliver_parts()."""
    alphabet = alphabet or best_alphabet(text)
    header = concat_header(concat)
    first = MTI_DELIVER | NO_MORE_MESSAGES | (USER_DATA_HEADER if header else 0)
    dcs = DCS_UCS2 if alphabet == "ucs2" else DCS_GSM7
    if message_class is not None:
        dcs |= DCS_CLASS | message_class
    return (bytes([first]) + encode_address(sender) + bytes([0, dcs])
            + encode_timestamp(sent_at) + encode_user_data(text, alphabet, header))


def encode_message_waiting(sender: str, count: int, sent_at: datetime) -> bytes:
    """The SMS-DELIVER that sets the number of voicemail messages; it is not for display."""
    header = bytes([4, MESSAGE_WAITING, 2, 0, count])
    return (bytes([MTI_DELIVER | NO_MORE_MESSAGES | USER_DATA_HEADER])
            + encode_address(sender) + bytes([0, DCS_GSM7]) + encode_timestamp(sent_at)
            + encode_user_data("voicemail", "gsm7", header))


def encode_deliver_parts(sender: str, text: str, sent_at: datetime,
                         message_class: int | None = None,
                         reference: int = 0) -> list[bytes]:
    """A text of any length as the SMS-DELIVERs that carry it."""
    alphabet = best_alphabet(text)
    pieces = cut(text, alphabet)
    if len(pieces) == 1:
        return [encode_deliver(sender, text, sent_at, message_class)]
    return [
        encode_deliver(sender, piece, sent_at, message_class,
                       Concat(reference, part, len(pieces)), alphabet)
        for part, piece in enumerate(pieces, start=1)
    ]


def encode_status_report(submit: Submit, status: int, moment: datetime) -> bytes:
    """The SMS-STATUS-REPORT that answers `submit`."""
    stamp = encode_timestamp(moment)
    return (bytes([MTI_STATUS_REPORT | NO_MORE_MESSAGES, submit.message_reference])
            + encode_address(submit.destination) + stamp + stamp + bytes([status]))


def encode_broadcast(text: str, topic: int, serial: int) -> bytes:
    """One page of a cell broadcast (23.041) in the default alphabet, in English."""
    septets = gsm7_encode(text.ljust(BROADCAST_CHARACTERS, "\r"))
    return (serial.to_bytes(2, "big") + topic.to_bytes(2, "big")
            + bytes([BROADCAST_ENGLISH, BROADCAST_ONE_PAGE]) + pack(septets))


def with_service_centre(tpdu: bytes, number: str) -> str:
    """The content of +CMT and similar lines: hexadecimal, the service centre address first."""
    address = encode_number(number)
    return (bytes([len(address)]) + address + tpdu).hex().upper()


def join_parts(submits: Iterable[Submit]) -> list[tuple[str, str]]:
    """(destination, text) of each complete text, in the order in which they were completed.

    Texts with a missing segment are left out. A reference may be reused once its text is
    complete.
    """
    whole: list[tuple[str, str]] = []
    gathering: dict[tuple[str, int, int], dict[int, str]] = {}
    for submit in submits:
        if submit.concat is None:
            whole.append((submit.destination, mend_surrogates(submit.text)))
            continue
        key = submit.destination, submit.concat.reference, submit.concat.parts
        pieces = gathering.setdefault(key, {})
        pieces[submit.concat.part] = submit.text
        if len(pieces) == submit.concat.parts:
            text = "".join(pieces[part] for part in sorted(pieces))
            whole.append((submit.destination, mend_surrogates(text)))
            del gathering[key]
    return whole
