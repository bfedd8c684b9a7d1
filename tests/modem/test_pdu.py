# SPDX-License-Identifier: GPL-2.0-or-later
"""The PDU code against known vectors, and segments that are joined."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone

import pytest

from . import Concat, Submit, join_parts
from .alphabet import ucs2_encode
from .pdu import (
    decode_submit, encode_address, encode_deliver, encode_status_report, encode_user_data,
    with_service_centre,
)

SUMMER = timezone(timedelta(hours=2))
MOMENT = datetime(2002, 8, 26, 19, 37, 41, tzinfo=SUMMER)


def make_submit(to: str, text: str, alphabet: str, header: bytes = b"") -> str:
    """An SMS-SUBMIT as ofonod writes it: relative validity, SMSC length 00."""
    first = 0x11 | (0x40 if header else 0)
    dcs = {"gsm7": 0x00, "ucs2": 0x08}[alphabet]
    tpdu = (bytes([first, 0]) + encode_address(to) + bytes([0, dcs, 0xA7])
            + encode_user_data(text, alphabet, header))
    return (b"\x00" + tpdu).hex()


# ---- known vectors ----------------------------------------------------------------

def test_a_known_submit_is_decoded() -> None:
    submit = decode_submit("0011000B916407281553F80000AA0AE8329BFD4697D9EC37")
    assert (submit.destination, submit.text) == ("+46708251358", "hellohello")
    assert (submit.alphabet, submit.concat) == ("gsm7", None)
    assert not submit.report_requested


def test_a_known_submit_with_report_and_no_validity_is_decoded() -> None:
    submit = decode_submit("0021000B916407281553F800000AE8329BFD4697D9EC37")
    assert (submit.text, submit.report_requested) == ("hellohello", True)


def test_a_known_deliver_is_encoded() -> None:
    tpdu = encode_deliver("+31641600986", "How are you?", MOMENT)
    assert with_service_centre(tpdu, "+31624000000") == (
        "07911326040000F0040B911346610089F60000208062917314800CC8F71D14969741F977FD07")


def test_a_known_status_report_is_encoded() -> None:
    submit = Submit("", "+31641600986", "", "gsm7", None, True, message_reference=0x2A)
    assert encode_status_report(submit, 0, MOMENT).hex().upper() == (
        "062A0B911346610089F6" "20806291731480" "20806291731480" "00")


def test_a_known_alphanumeric_sender_is_encoded() -> None:
    assert encode_address("Design@Home").hex().upper() == "14D0C4F23C7D760390EF7619"


def test_other_pdus_are_refused() -> None:
    with pytest.raises(ValueError, match="no SMS-SUBMIT"):
        decode_submit("00040B911346610089F60000")


# ---- there and back ---------------------------------------------------------------

@pytest.mark.parametrize("header,concat", [
    (bytes([5, 0x00, 3, 200, 3, 2]), Concat(200, part=2, parts=3)),
    (bytes([6, 0x08, 4, 1, 0, 3, 2]), Concat(256, part=2, parts=3)),
    (bytes([9, 0x05, 2, 0, 1, 0x00, 3, 7, 2, 1]), Concat(7, part=1, parts=2)),
])
@pytest.mark.parametrize("alphabet,text", [("gsm7", "part{}"), ("ucs2", "rész ő")])
def test_a_concatenated_submit_is_decoded(header: bytes, concat: Concat, alphabet: str,
                             text: str) -> None:
    submit = decode_submit(make_submit("+36301234567", text, alphabet, header))
    assert (submit.concat, submit.text) == (concat, text)


# ---- whole texts ------------------------------------------------------------------

def part(to: str, text: str, reference: int, number: int, of: int) -> Submit:
    return Submit("", to, text, "ucs2", Concat(reference, number, of), False, 0)


def test_segments_are_joined_in_any_order() -> None:
    single = Submit("", "+2", "alone", "gsm7", None, False, 0)
    parts = [part("+1", "c", 1, 3, 3), single, part("+1", "a", 1, 1, 3),
             part("+2", "other", 1, 1, 2), part("+1", "b", 1, 2, 3)]
    assert join_parts(parts) == [("+2", "alone"), ("+1", "abc")]


def test_joining_repairs_a_split_surrogate_pair() -> None:
    high, low = (ucs2_encode("😀")[i:i + 2].decode("utf-16-be", "surrogatepass")
                 for i in (0, 2))
    parts = [part("+1", "a" + high, 1, 1, 2), part("+1", low + "b", 1, 2, 2)]
    assert join_parts(parts) == [("+1", "a😀b")]


def test_joining_allows_a_reused_reference() -> None:
    parts = [part("+1", text, 1, number, 2) for text, number in zip("abcd", (1, 2, 1, 2))]
    assert join_parts(parts) == [("+1", "ab"), ("+1", "cd")]
