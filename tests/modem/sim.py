# SPDX-License-Identifier: GPL-2.0-or-later
"""A SIM card: identity, PIN, elementary files (3GPP 51.011) and SMS store."""

from __future__ import annotations

from dataclasses import dataclass, field

from .alphabet import gsm7_encode, is_gsm7, ucs2_encode
from .pdu import encode_number, swap_digits

EF_ICCID, EF_ELP = 0x2FE2, 0x2F05
EF_LP, EF_SST, EF_MSISDN, EF_SPN = 0x6F05, 0x6F38, 0x6F40, 0x6F46
EF_ADN = 0x6F3A
EF_MBDN, EF_MBI = 0x6FC7, 0x6FC9
EF_AD, EF_PHASE, EF_ECC = 0x6FAD, 0x6FAE, 0x6FB7
READABLE_WHEN_LOCKED = {EF_ICCID, EF_ELP, EF_LP, EF_ECC}

TRANSPARENT, LINEAR_FIXED = 0x00, 0x01
PHASE_2_PLUS = 0x03
FIXED_DIALING = b"\x30"             # EFsst: allocated and activated
SPN_ALONE_AT_HOME = b"\x02"         # display condition of EFspn
PIN_TRIES, PUK_TRIES = 3, 10
SMS_SLOTS = 30
CARDS = (                           # of Sim.numbered(): service provider, MCC and MNC
    ("Telekom HU", "21630"), ("Yettel HU", "21601"), ("One HU", "21670"),
)


@dataclass(frozen=True)
class ElementaryFile:
    content: bytes
    structure: int = TRANSPARENT
    record_octets: int = 0
    is_valid: bool = True

    def response(self, file_id: int) -> bytes:
        """The answer to GET RESPONSE, 51.011 section 9.2.1."""
        size = len(self.content).to_bytes(2, "big")
        return (bytes(2) + size + file_id.to_bytes(2, "big") + b"\x04\x00" + bytes(3)
                + bytes([self.is_valid, 0x02, self.structure, self.record_octets]))

    def record(self, number: int) -> bytes:
        start = (number - 1) * self.record_octets
        return self.content[start:start + self.record_octets]


def provider_name(name: str) -> bytes:
    """EFspn: shown at home instead of the network's name; padded to 16 octets."""
    coded = bytes(gsm7_encode(name)) if is_gsm7(name) else b"\x80" + ucs2_encode(name)
    if len(coded) > 16:
        raise ValueError(f"too long for EFspn: {name}")
    return SPN_ALONE_AT_HOME + coded.ljust(16, b"\xff")


def own_number_record(number: str) -> bytes:
    """One record of EFmsisdn: 14 octets of name, then the number; empty is all ones."""
    if not number:
        return b"\xff" * 28
    coded = encode_number(number)
    return b"\xff" * 14 + bytes([len(coded)]) + coded.ljust(11, b"\xff") + b"\xff\xff"


@dataclass
class Sim:
    iccid: str = "8936301000000000000"
    imsi: str = "216301234567890"
    mnc_length: int = 2
    spn: str = "Telekom HU"
    number: str = ""
    mailbox: str = ""           # number to call for voicemail
    fixed_dialing: bool = False # only numbers of a list may be called
    pin: str | None = None
    puk: str = "12345678"
    asks_else: str = ""         # what AT+CPIN? names if neither PIN nor PUK is missing
    smsc: str = "+36309888000"
    contacts: list[tuple[str, str]] | None = None   # name and number; None: no phonebook
    messages: dict[int, bytes] = field(default_factory=dict)    # TPDUs by index
    unlocked: bool = False
    pin_tries: int = PIN_TRIES
    puk_tries: int = PUK_TRIES

    def __post_init__(self) -> None:
        provider_name(self.spn)         # fails now if it does not fit

    @classmethod
    def numbered(cls, i: int, **overrides: object) -> Sim:
        """Card i of a box of different cards."""
        provider, mccmnc = CARDS[i % len(CARDS)]
        card = {"iccid": f"8936{i:015d}", "imsi": f"{mccmnc}{i:010d}", "spn": provider}
        return cls(**(card | overrides))

    @property
    def mccmnc(self) -> str:
        return self.imsi[:3 + self.mnc_length]

    @property
    def lock(self) -> str:
        """As AT+CPIN? names it."""
        if self.puk_tries == 0:
            return "BLOCKED"
        if self.pin_tries == 0:
            return "SIM PUK"
        if self.pin and not self.unlocked:
            return "SIM PIN"
        return self.asks_else or "READY"

    @property
    def is_usable(self) -> bool:
        """PIN2 guards only some features."""
        return self.lock in ("READY", "SIM PIN2")

    def may_read(self, file_id: int) -> bool:
        return self.is_usable or file_id in READABLE_WHEN_LOCKED

    def power_cycle(self) -> None:
        self.unlocked = False

    def enter_pin(self, pin: str) -> bool:
        self.unlocked = pin == self.pin
        self.pin_tries = PIN_TRIES if self.unlocked else self.pin_tries - 1
        return self.unlocked

    def enter_puk(self, puk: str, new_pin: str) -> bool:
        if puk != self.puk:
            self.puk_tries -= 1
            return False
        self.pin, self.unlocked = new_pin, True
        self.pin_tries, self.puk_tries = PIN_TRIES, PUK_TRIES
        return True

    def store(self, tpdu: bytes) -> int:
        """Store an incoming SMS; returns the index for +CMTI."""
        index = next(i for i in range(1, SMS_SLOTS + 1) if i not in self.messages)
        self.messages[index] = tpdu
        return index

    def files(self) -> dict[int, ElementaryFile]:
        return (self._common_files() | (self._mailbox_files() if self.mailbox else {})
                | (self._fixed_dialing_files() if self.fixed_dialing else {}))

    def _fixed_dialing_files(self) -> dict[int, ElementaryFile]:
        """While it is active EFadn cannot be used."""
        return {
            EF_SST: ElementaryFile(FIXED_DIALING.ljust(14, b"\0")),
            EF_ADN: ElementaryFile(own_number_record(""), LINEAR_FIXED, 28, is_valid=False),
        }

    def _mailbox_files(self) -> dict[int, ElementaryFile]:
        """EFmbi says which record of EFmbdn is for voicemail."""
        return {
            EF_MBI: ElementaryFile(bytes([1, 0, 0, 0]), LINEAR_FIXED, 4),
            EF_MBDN: ElementaryFile(own_number_record(self.mailbox), LINEAR_FIXED, 28),
        }

    def _common_files(self) -> dict[int, ElementaryFile]:
        return {
            EF_ICCID: ElementaryFile(swap_digits(self.iccid).ljust(10, b"\xff")),
            EF_ELP: ElementaryFile(b"enhu"),
            EF_LP: ElementaryFile(b"\x01\xff"),
            EF_ECC: ElementaryFile(swap_digits("112FFF")),
            EF_PHASE: ElementaryFile(bytes([PHASE_2_PLUS])),
            EF_AD: ElementaryFile(bytes([0, 0, 0, self.mnc_length])),
            EF_SST: ElementaryFile(bytes(14)),
            EF_SPN: ElementaryFile(provider_name(self.spn)),
            EF_MSISDN: ElementaryFile(own_number_record(self.number)
                                      + own_number_record(""), LINEAR_FIXED, 28),
        }
