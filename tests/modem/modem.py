# SPDX-License-Identifier: GPL-2.0-or-later
"""A modem with one SIM slot, for ofonod's phonesim plugin, and the knobs that tests turn.

Every knob takes effect before it returns and may be turned from any thread.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from datetime import datetime, timezone

from . import commands
from .calls import ACTIVE, ALERTING, Calls
from .incoming import Delivery, Incoming
from .link import Link
from .outcome import Outcome
from .outgoing import Outgoing
from .pdu import (
    STATUS_DELIVERED, STATUS_EXPIRED, Submit, encode_broadcast, encode_deliver_parts,
    encode_message_waiting, encode_status_report,
)
from .sim import Sim

NOT_REGISTERED, HOME, SEARCHING, DENIED, UNKNOWN, ROAMING = range(6)    # +CREG <stat>
E_UTRAN = 7                                                             # +COPS <AcT>
FULL_FUNCTIONALITY = 1                                                  # +CFUN <fun>
USSD_ENDS, USSD_ASKS, USSD_TERMINATED = range(3)                        # +CUSD <m>


@dataclass
class Session:
    """What the other side has set since it connected; a new connection starts afresh."""

    functionality: int = FULL_FUNCTIONALITY
    creg_mode: int = 0
    creg_told: int | None = None
    cops_format: int = 0
    character_set: str = "GSM"
    indicates_messages: bool = False
    listed_messages: bool = False
    read_imsi: bool = False

    def forget_card(self) -> None:
        self.indicates_messages = self.listed_messages = self.read_imsi = False


class Modem:
    def __init__(self, name: str, sim: Sim | None, operator_name: str = "Telekom HU",
                 operator_mccmnc: str = "21630", port: int = 0) -> None:
        self.name = name
        self.sim = sim
        self.operator_name = operator_name
        self.operator_mccmnc = operator_mccmnc
        self.access_technology = E_UTRAN
        self.imei = f"35{sum(name.encode()):012d}0"
        self.rssi = 20
        self.send_latency_s = 0.0
        self.send_jitter_s = 0.0
        self.default_outcome = Outcome.ok()
        self.ussd_answers: dict[str, tuple[int, str | None]] = {}
        self.ussd_silent: set[str] = set()      # codes that are never answered
        self.tells_tries = True         # the number of PIN or PUK tries left
        self.answers_phonebook = True   # to AT+CPBR=1,...; otherwise never
        self.reads_phonebook = True     # otherwise it is an error
        self.answers_codes = True       # to AT+CPIN=; the try counts in either case
        self.commands: list[str] = []
        self.session = Session()
        self.outgoing = Outgoing(self)
        self.incoming = Incoming(self)
        self.calls = Calls(self)
        self.link = Link(self, port)
        self._registration = HOME
        self._concat_reference = 0
        self._broadcast_serial = 0x4000         # new for each, in the whole network
        self._afterwards: list[Callable[[], None]] = []

    # ---- life

    @property
    def port(self) -> int:
        return self.link.port

    def start(self) -> None:
        self.link.start()

    def stop(self) -> None:
        self.link.stop()

    # ---- knobs: messages that ofonod sends

    @property
    def taken(self) -> list[Submit]:
        """The PDUs that were answered with OK."""
        return list(self.outgoing.taken)

    @property
    def offered(self) -> list[Submit]:
        """Every PDU, whatever the answer."""
        return list(self.outgoing.offered)

    def plan(self, *outcomes: Outcome) -> None:
        """For the next AT+CMGS in order; `default_outcome` applies after them."""
        self.link.call(lambda: self.outgoing.plan(outcomes))

    def unhang(self, outcome: Outcome, timeout: float = 10) -> None:
        """The late answer to the +CMGS that hangs, or will do so soon."""
        self.outgoing.wait_hanging(timeout)
        self.link.call(lambda: self.outgoing.unhang(outcome))

    def wait_taken(self, count: int, timeout: float = 10) -> list[Submit]:
        return self.outgoing.wait("taken", count, timeout)

    def wait_offered(self, count: int, timeout: float = 10) -> list[Submit]:
        return self.outgoing.wait("offered", count, timeout)

    # ---- knobs: network

    def set_registration(self, status: int) -> None:
        """27.007 +CREG <stat>: 0 not, 1 home, 2 searching, 3 denied, 5 roaming."""
        def change() -> None:
            self._registration = status
            self.settle()
        self.link.call(change)

    def set_operator(self, name: str, mccmnc: str) -> None:
        def change() -> None:
            self.operator_name, self.operator_mccmnc = name, mccmnc
            self.session.creg_told = None
            self.settle()
        self.link.call(change)

    def set_technology(self, technology: int) -> None:
        """27.007 +COPS <AcT>: 0 GSM, 2 UTRAN, 7 E-UTRAN."""
        def change() -> None:
            self.access_technology = technology
            self.session.creg_told = None
            self.settle()
        self.link.call(change)

    def set_signal(self, rssi: int) -> None:
        """27.007 +CSQ <rssi>: 0 to 31, 99 unknown."""
        def change() -> None:
            self.rssi = rssi
            self.link.send_unsolicited(f"+CSQ: {rssi},99")
        self.link.call(change)

    def set_ussd(self, code: str, answer: str | None, status: int = USSD_ENDS) -> None:
        """The answer to the code, or to a reply; every other one is answered "not supported".

        `status`: 27.007 +CUSD <m>, USSD_ASKS if a reply is expected.
        """
        self.ussd_answers[code] = (status, answer)

    def notify_ussd(self, text: str, status: int = USSD_ENDS) -> None:
        """The network begins the dialogue."""
        self.link.call(lambda: self.tell_ussd(status, text))

    # ---- knobs: SIM and link

    def remove_sim(self) -> None:
        def remove() -> None:
            self.sim = None
            self._tell_card_state(inserted=False)
            self.session.forget_card()
            self.settle()
        self.link.call(remove)

    def insert_sim(self, sim: Sim) -> None:
        def insert() -> None:
            self.sim = sim
            self.sim.power_cycle()
            self._tell_card_state(inserted=True)
            self.settle()
        self.link.call(insert)

    def cut_link(self) -> None:
        """Close the connection; ofonod may come back."""
        self.link.call(self.link.drop)

    def reset(self) -> None:
        """The modem restarts by itself; ofonod drops the connection and comes back."""
        self.link.call(lambda: self.link.send_unsolicited("+CRST: 1"))

    # ---- knobs: messages that come in

    def deliver(self, sender: str, text: str, how: str = "cmt",
                sent_at: datetime | None = None, message_class: int | None = None,
                parts_order: Sequence[int] | None = None,
                drop_parts: Collection[int] = ()) -> None:
        """Delivers a message; segments are counted from 1.

        `how`: "cmt" straight to ofonod, "cmti" to the SIM with an indication, "stored" to the
        SIM without one, as if it had arrived before power-up. The first two wait until the
        modem can be reached.
        """
        moment = sent_at or datetime.now(timezone.utc)
        self._concat_reference = (self._concat_reference + 1) % 256
        parts = encode_deliver_parts(sender, text, moment, message_class,
                                     self._concat_reference)
        for number in parts_order or range(1, len(parts) + 1):
            if number not in drop_parts:
                self.deliver_tpdu(parts[number - 1], how)

    def deliver_tpdu(self, tpdu: bytes, how: str = "cmt") -> None:
        """Like deliver(), with an SMS-DELIVER made by hand."""
        if how == "stored":
            self.link.call(lambda: self.sim.store(tpdu))
        else:
            self.link.call(lambda: self.incoming.add(Delivery(how, tpdu)))

    def set_voicemail(self, count: int) -> None:
        """The network reports how many voicemail messages wait."""
        now = datetime.now(timezone.utc)
        self.deliver_tpdu(encode_message_waiting(self.sim.smsc, count, now))

    def report(self, submit: Submit, delivered: bool = True) -> None:
        """A status report for a message that was taken."""
        status = STATUS_DELIVERED if delivered else STATUS_EXPIRED
        tpdu = encode_status_report(submit, status, datetime.now(timezone.utc))
        self.link.call(lambda: self.incoming.add(Delivery("cds", tpdu)))

    @property
    def all_delivered(self) -> bool:
        """Nothing waits in the service centre, and everything sent is acknowledged."""
        return self.incoming.is_empty

    def broadcast(self, text: str, topic: int) -> None:
        """The network broadcasts in this cell; ofonod signals the same serial only once."""
        self._broadcast_serial += 0x10
        pdu = encode_broadcast(text, topic, self._broadcast_serial)
        self.link.call(lambda: self.link.send_unsolicited(
            f"+CBM: {len(pdu)}\r\n{pdu.hex().upper()}"))

    # ---- knobs: calls

    def ring(self, number: str = "") -> None:
        """Somebody calls; without a number the caller is withheld."""
        self.link.call(lambda: self.calls.ring(number))

    def hang_up(self, word: str = "NO CARRIER") -> None:
        """The other end gives up, is "BUSY", or ends the call."""
        self.link.call(lambda: self.calls.end(word))

    def alert(self) -> None:
        """The dialled phone rings."""
        self.link.call(lambda: self.calls.go_on(ALERTING))

    def pick_up(self) -> None:
        """The dialled phone answers."""
        self.link.call(lambda: self.calls.go_on(ACTIVE))

    # ---- state, for the modem's own thread

    @property
    def registration_status(self) -> int:
        ready = self.sim is not None and self.sim.is_usable
        on_air = self.session.functionality == FULL_FUNCTIONALITY
        return self._registration if ready and on_air else NOT_REGISTERED

    @property
    def is_registered(self) -> bool:
        return self.registration_status in (HOME, ROAMING)

    @property
    def is_reachable(self) -> bool:
        """The network can get a message through to ofonod."""
        return (self.link.is_connected and self.is_registered
                and self.session.indicates_messages and self.session.listed_messages)

    def registration_fields(self) -> str:
        place = f',"1A2B","00C3",{self.access_technology}' if self.is_registered else ""
        return f"{self.registration_status}{place}"

    def _tell_card_state(self, inserted: bool) -> None:
        """The URC of the phonesim plugin, at a moment at which ofonod cannot miss it."""
        send = self.link.send_unsolicited if self.session.read_imsi \
            else self.link.send_when_quiet
        send(f"+USIMSTATE: {int(inserted)}")

    def tell_ussd(self, status: int, text: str | None) -> None:
        content = f',"{text}",15' if text is not None else ""
        self.link.send_unsolicited(f"+CUSD: {status}{content}")

    def announce_unlocked(self) -> None:
        """For ofonod's phonesim plugin, a card that became ready is a new one."""
        self._tell_card_state(inserted=False)
        self._tell_card_state(inserted=True)

    def after_answer(self, function: Callable[[], None]) -> None:
        self._afterwards.append(function)

    def settle(self) -> None:
        """After any change: report a new registration, let waiting messages through."""
        if self.session.creg_mode and self.session.creg_told != self.registration_status:
            self.session.creg_told = self.registration_status
            self.link.send_unsolicited(f"+CREG: {self.registration_fields()}")
        self.incoming.flush()

    # ---- called by the link

    def connected(self) -> None:
        self.session = Session()
        if self.sim:
            self.sim.power_cycle()

    def disconnected(self) -> None:
        self.session = Session()
        self.outgoing.connection_lost()
        self.incoming.connection_lost()
        self.calls.connection_lost()

    def line(self, text: str) -> None:
        self.commands.append(text)
        commands.execute(self, text)
        afterwards, self._afterwards = self._afterwards, []
        for function in afterwards:
            function()
        self.settle()
