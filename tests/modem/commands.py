# SPDX-License-Identifier: GPL-2.0-or-later
"""The AT commands: one table of fixed answers, one of handlers.

A handler gets the modem and the rest of the command, and returns the lines of its answer; OK
is added. It raises Refusal for another final result code, and returns None if the answer comes
later.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING

from . import phonebook
from .pdu import with_service_centre
from .refusal import Refusal
from .sim import SMS_SLOTS

if TYPE_CHECKING:
    from .modem import Modem

COMMAND = re.compile(r"AT(D(?=[+\d])|[+*%^&_$]?[A-Z]+\d?)?(=\?|\?|=)?(.*)", re.IGNORECASE)

CME_NOT_ALLOWED, CME_NO_SIM, CME_SIM_PIN, CME_SIM_PUK, CME_WRONG_PIN = 3, 10, 11, 12, 16
CMS_INVALID_INDEX = 321
SW_OK, SW_NOT_FOUND = "144,0", "148,4"          # status words of 51.011, decimal


def cme(cause: int) -> Refusal:
    return Refusal(f"+CME ERROR: {cause}")


def fields(argument: str) -> list[str]:
    return [part.strip().strip('"') for part in argument.split(",")]


# ---- SIM --------------------------------------------------------------------------

def sim_state(modem: Modem, _: str) -> list[str]:
    return [f"+SIMSTATE: {int(modem.sim is not None)}"]


def pin_state(modem: Modem, _: str) -> list[str]:
    if modem.sim is None:
        raise cme(CME_NO_SIM)
    return [f"+CPIN: {modem.sim.lock}"]


def enter_pin(modem: Modem, argument: str) -> list[str] | None:
    if modem.sim is None:
        raise cme(CME_NO_SIM)
    lock, codes = modem.sim.lock, fields(argument)
    if lock == "READY":
        raise cme(CME_NOT_ALLOWED)
    if lock == "SIM PUK" and len(codes) < 2:
        raise cme(CME_SIM_PUK)
    enter = modem.sim.enter_puk if len(codes) == 2 else modem.sim.enter_pin
    is_right = enter(*codes)
    if not modem.answers_codes:
        return None
    if not is_right:
        raise cme(CME_WRONG_PIN)
    modem.after_answer(modem.announce_unlocked)
    return []


def pin_retries(modem: Modem, _: str) -> list[str]:
    if modem.sim is None:
        raise cme(CME_NO_SIM)
    if not modem.tells_tries:
        raise Refusal("ERROR")
    return [f"+CPINR: SIM PIN,{modem.sim.pin_tries}",
            f"+CPINR: SIM PUK,{modem.sim.puk_tries}"]


def facility_lock(modem: Modem, argument: str) -> list[str]:
    """Queries only; of all the locks a card can have, the emulated ones have the PIN."""
    facility, mode, *_ = fields(argument)
    if mode != "2":
        raise cme(CME_NOT_ALLOWED)
    return [f"+CLCK: {int(facility == 'SC' and bool(modem.sim and modem.sim.pin))}"]


def imsi(modem: Modem, _: str) -> list[str]:
    if modem.sim is None:
        raise cme(CME_NO_SIM)
    if not modem.sim.is_usable:
        raise cme(CME_SIM_PIN)
    modem.session.read_imsi = True
    return [modem.sim.imsi]


def restricted_sim_access(modem: Modem, argument: str) -> list[str]:
    if modem.sim is None:
        raise cme(CME_NO_SIM)
    command, file_id, *rest = (int(part) for part in fields(argument)[:5])
    file = modem.sim.files().get(file_id)
    if file is None:
        return [f"+CRSM: {SW_NOT_FOUND}"]
    if not modem.sim.may_read(file_id):
        raise cme(CME_SIM_PIN)
    match command:
        case 192:                   # GET RESPONSE
            content = file.response(file_id)
        case 176:                   # READ BINARY
            start = rest[0] << 8 | rest[1]
            content = file.content[start:start + rest[2]]
        case 178:                   # READ RECORD
            content = file.record(rest[0])
        case _:
            raise cme(CME_NOT_ALLOWED)
    return [f'+CRSM: {SW_OK},"{content.hex().upper()}"']


# ---- radio ------------------------------------------------------------------------

def set_functionality(modem: Modem, argument: str) -> list[str]:
    modem.session.functionality = int(fields(argument)[0])
    return []


def functionality(modem: Modem, _: str) -> list[str]:
    return [f"+CFUN: {modem.session.functionality}"]


def set_registration_mode(modem: Modem, argument: str) -> list[str]:
    modem.session.creg_mode = int(argument)
    modem.session.creg_told = modem.registration_status
    return []


def registration(modem: Modem, _: str) -> list[str]:
    return [f"+CREG: {modem.session.creg_mode},{modem.registration_fields()}"]


def set_operator_format(modem: Modem, argument: str) -> list[str]:
    mode, *more = fields(argument)
    if mode == "3":
        modem.session.cops_format = int(more[0])
    return []


def current_operator(modem: Modem, _: str) -> list[str]:
    if not modem.is_registered:
        return ["+COPS: 0"]
    long_name = modem.session.cops_format == 0
    name = modem.operator_name if long_name else modem.operator_mccmnc
    return [f'+COPS: 0,{modem.session.cops_format},"{name}",{modem.access_technology}']


def operators(modem: Modem, _: str) -> list[str]:
    name = modem.operator_name
    return [f'+COPS: (2,"{name}","{name}","{modem.operator_mccmnc}",'
            f'{modem.access_technology}),,(0-4),(0-2)']


def signal_quality(modem: Modem, _: str) -> list[str]:
    return [f"+CSQ: {modem.rssi if modem.is_registered else 99},99"]


USSD_NOT_SUPPORTED = 4      # +CUSD <m>


def ussd(modem: Modem, argument: str) -> list[str]:
    """A code, or the requested reply; its answer follows as +CUSD after OK."""
    _, *text = fields(argument)
    if text and text[0] in modem.ussd_silent:
        return []
    if text:
        modem.after_answer(lambda: modem.tell_ussd(*modem.ussd_answers.get(
            text[0], (USSD_NOT_SUPPORTED, None))))
    return []


# ---- calls (27.007) ---------------------------------------------------------------

def list_calls(modem: Modem, _: str) -> list[str]:
    return modem.calls.listing()


def answer_call(modem: Modem, _: str) -> list[str]:
    if not modem.calls.answer():
        raise Refusal("NO CARRIER")
    return []


def dial(modem: Modem, argument: str) -> list[str]:
    """Voice calls only, which end with ";": number, and I or i for the caller's identity."""
    if not argument.endswith(";") or not modem.calls.dial(argument.rstrip(";Ii")):
        raise Refusal("ERROR")
    return []


def hang_up(modem: Modem, _: str) -> list[str]:
    modem.calls.end_here()
    return []


# ---- SMS (27.005) -----------------------------------------------------------------

def service_centre(modem: Modem, _: str) -> list[str]:
    if modem.sim is None:
        raise cme(CME_NO_SIM)
    return [f'+CSCA: "{modem.sim.smsc}",{145 if modem.sim.smsc.startswith("+") else 129}']


def set_service_centre(modem: Modem, argument: str) -> list[str]:
    number, kind = (fields(argument) + ["129"])[:2]
    if modem.sim:
        modem.sim.smsc = "+" * (kind == "145") + number.lstrip("+")
    return []


def set_storage(modem: Modem, _: str) -> list[str]:
    used = f"{len(modem.sim.messages) if modem.sim else 0},{SMS_SLOTS}"
    return [f"+CPMS: {used},{used},{used}"]


def set_new_message_indication(modem: Modem, argument: str) -> list[str]:
    modem.session.indicates_messages = fields(argument)[1] != "0"
    return []


def stored_message(modem: Modem, tpdu: bytes) -> str:
    pdu = with_service_centre(tpdu, modem.sim.smsc)
    return f"1,,{len(tpdu)}\r\n{pdu}"


def list_messages(modem: Modem, _: str) -> list[str]:
    modem.session.listed_messages = True
    messages = modem.sim.messages if modem.sim else {}
    return [f"+CMGL: {index},{stored_message(modem, tpdu)}"
            for index, tpdu in sorted(messages.items())]


def read_message(modem: Modem, argument: str) -> list[str]:
    tpdu = modem.sim.messages.get(int(argument)) if modem.sim else None
    if tpdu is None:
        raise Refusal(f"+CMS ERROR: {CMS_INVALID_INDEX}")
    return [f"+CMGR: {stored_message(modem, tpdu)}"]


def delete_message(modem: Modem, argument: str) -> list[str]:
    index = int(fields(argument)[0])
    if modem.sim is None or modem.sim.messages.pop(index, None) is None:
        raise Refusal(f"+CMS ERROR: {CMS_INVALID_INDEX}")
    return []


def send_message(modem: Modem, _: str) -> None:
    modem.link.prompt(modem.outgoing.offer)


def acknowledge(modem: Modem, argument: str) -> list[str] | None:
    """+CNMA=1,<length> is followed by a SMS-DELIVER-REPORT after the prompt."""
    if "," not in argument:
        modem.incoming.acknowledged()
        return []

    def take_report(_: str | None) -> None:
        modem.incoming.acknowledged()
        modem.link.send("OK")
        modem.settle()

    modem.link.prompt(take_report)
    return None


# ---- the tables -------------------------------------------------------------------

FIXED = {
    "+CGMI": ["ofono-mcp"],
    "+CGMM": ["AT modem emulator"],
    "+CGMR": ["1"],
    "+CREG=?": ["+CREG: (0-2)"],
    "+CSMS=?": ["+CSMS: (0,1)"],
    "+CSMS=": ["+CSMS: 1,1,1"],
    "+CSMS?": ["+CSMS: 1,1,1,1"],
    "+CMGF=?": ["+CMGF: (0)"],
    "+CPMS=?": ['+CPMS: ("SM"),("SM"),("SM")'],
    "+CNMI=?": ["+CNMI: (0-2),(0-2),(0,2),(0-1),(0,1)"],
    "+CLCK=?": ['+CLCK: ("SC")'],
    "+CSCB=?": ["+CSCB: (0,1)"],
    "+CGSMS?": ["+CGSMS: 3"],
}

Handler = Callable[["Modem", str], "list[str] | None"]

HANDLERS: dict[str, Handler] = {
    "+SIMSTATE?": sim_state,
    "+CPIN?": pin_state,
    "+CPIN=": enter_pin,
    "+CPINR": pin_retries,
    "+CLCK=": facility_lock,
    "+CIMI": imsi,
    "+CRSM=": restricted_sim_access,
    "+CGSN": lambda modem, _: [modem.imei],
    "+CFUN=": set_functionality,
    "+CFUN?": functionality,
    "+CREG=": set_registration_mode,
    "+CREG?": registration,
    "+COPS=": set_operator_format,
    "+COPS?": current_operator,
    "+COPS=?": operators,
    "+CSQ": signal_quality,
    "+CUSD=": ussd,
    "+CSCS=?": phonebook.character_sets,
    "+CSCS?": phonebook.character_set,
    "+CSCS=": phonebook.set_character_set,
    "+CPBS=?": phonebook.storages,
    "+CPBS=": phonebook.select_storage,
    "+CPBR=?": phonebook.sizes,
    "+CPBR=": phonebook.entries,
    "+CLCC": list_calls,
    "A": answer_call,
    "D": dial,
    "+CHUP": hang_up,
    "H": hang_up,
    "+CSCA?": service_centre,
    "+CSCA=": set_service_centre,
    "+CPMS=": set_storage,
    "+CNMI=": set_new_message_indication,
    "+CMGL=": list_messages,
    "+CMGR=": read_message,
    "+CMGD=": delete_message,
    "+CMGS=": send_message,
    "+CNMA=": acknowledge,
}


def unknown(operation: str) -> list[str]:
    """Queries find nothing; settings have no effect."""
    if "?" in operation:
        raise Refusal("ERROR")
    return []


def execute(modem: Modem, line: str) -> None:
    """Run one command line and send its answer."""
    match = COMMAND.fullmatch(line)
    if match is None:
        modem.link.send("ERROR")
        return
    name, operation, argument = match.groups(default="")
    key = name.upper() + operation
    try:
        if key in HANDLERS:
            answer = HANDLERS[key](modem, argument)
        else:
            answer = FIXED.get(key) or unknown(operation)
    except Refusal as refusal:
        modem.link.send(str(refusal))
        return
    except (ValueError, IndexError):
        modem.link.send("ERROR")
        return
    if answer is not None:
        modem.link.send(*answer, "OK")
