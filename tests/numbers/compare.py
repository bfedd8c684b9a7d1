# SPDX-License-Identifier: GPL-2.0-or-later
"""Compare src/numbers with libphonenumber, number by number.

    compare.py --filter build/numbers/filter [--count 1000000] [--seed 1] [--processes 2]

Numbers are drawn from the library's own patterns, of all countries and types, and written in
every way that people write them. The two answers must agree, or differ for a reason that the
file `differences` lists.
"""
from __future__ import annotations

import argparse
import multiprocessing
import random
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Iterator

import phonenumbers
from phonenumbers import (COUNTRY_CODE_TO_REGION_CODE, NumberParseException, PhoneMetadata,
                          PhoneNumber, PhoneNumberFormat, PhoneNumberType, ShortNumberCost)

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parents[1] / "src" / "numbers"))
import pattern  # noqa: E402 (beside the generator)

TYPES = ("fixed_line", "mobile", "toll_free", "premium_rate", "shared_cost", "personal_number",
         "voip", "pager", "uan", "voicemail")
SHORT_TYPES = ("toll_free", "premium_rate", "standard_rate", "short_code", "emergency",
               "carrier_specific", "sms_services")
REGIONS = sorted(phonenumbers.SUPPORTED_REGIONS)
BATCH = 20000
RARE = 500_000          # this many numbers show each difference at least once
RUN = 100               # numbers of one country in a row


# ---- numbers

def drawn(node: pattern.Node, dice: random.Random) -> str:
    match node:
        case pattern.Digit(mask):
            return dice.choice([str(digit) for digit in range(10) if mask >> digit & 1])
        case pattern.Sequence(parts):
            return "".join(drawn(part, dice) for part in parts)
        case pattern.Choice(branches):
            return drawn(dice.choice(branches), dice)
        case pattern.Repeat(part, least, most):
            return "".join(drawn(part, dice) for _ in range(dice.randint(least, most)))
        case pattern.Group(part, _):
            return drawn(part, dice)
    return ""


def trees(metadata: PhoneMetadata | None, names: tuple[str, ...]) -> list[pattern.Node]:
    descs = [getattr(metadata, name, None) for name in names]
    return [pattern.parse(desc.national_number_pattern)[0] for desc in descs
            if desc and desc.national_number_pattern]


class Country:
    def __init__(self, region: str, code: int) -> None:
        self.region, self.code = region, code
        self.metadata = PhoneMetadata.metadata_for_region_or_calling_code(code, region)
        self.plans = trees(self.metadata, TYPES)
        self.general = trees(self.metadata, ("general_desc",))
        short = None if region == "001" else PhoneMetadata.short_metadata_for_region(region)
        self.shorts = trees(short, SHORT_TYPES)
        abroad = self.metadata.international_prefix
        self.abroad = pattern.parse(abroad)[0] if abroad else None
        prefix = self.metadata.national_prefix_for_parsing
        self.prefix = pattern.parse(prefix)[0] if prefix else None
        self.trunk = self.metadata.national_prefix or ""


def spelt(number: PhoneNumber | None, national: str, country: Country, home: Country,
          dice: random.Random) -> str:
    code, trunk = str(country.code), country.trunk
    ways = 16 if number else 13
    match dice.randrange(ways):
        case 0 | 1:
            return f"+{code}{national}"
        case 2:
            return f"00{code}{national}"
        case 3 if home.abroad:
            return drawn(home.abroad, dice) + code + national
        case 4:
            return f"+{code} ({trunk}){national}" if trunk else f"+{code}-{national}"
        case 5 | 6:
            return trunk + national
        case 7:
            return national
        case 8:
            return code + national
        case 9 if country.prefix:
            return drawn(country.prefix, dice) + national
        case 10:
            return f"+{code}{trunk}{trunk}{national}"
        case 11 if country.region == "AR" and national.startswith("9"):
            area = dice.choice((2, 3, 4))
            return f"0{national[1:1 + area]}15{national[1 + area:]}"
        case 12:                                        # one digit too many, too few or wrong
            at = dice.randrange(len(national))
            wrong = dice.choice(("", str(dice.randrange(10)), f"{dice.randrange(100):02}"))
            front = dice.choice((f"+{code}", f"00{code}", trunk, ""))
            return front + national[:at] + wrong + national[at + 1:]
        case 13:
            return phonenumbers.format_number(number, PhoneNumberFormat.INTERNATIONAL)
        case 14:
            return phonenumbers.format_number(number, PhoneNumberFormat.NATIONAL)
        case 15:
            return phonenumbers.format_out_of_country_calling_number(number, home.region)
        case 4 | 9:                                     # a code that may be unassigned
            return f"+{dice.randrange(1000)}{national}"
    return f"+{code}{national}"


def numbers(count: int, seed: int) -> Iterator[tuple[str, str]]:
    """(the SIM's region, a number as a person writes it)"""
    dice = random.Random(seed)
    codes = {region: code for code, regions in COUNTRY_CODE_TO_REGION_CODE.items()
             for region in regions if region != "001"}
    countries = [Country(region, code) for region, code in sorted(codes.items())]
    world = [Country("001", code) for code, regions in COUNTRY_CODE_TO_REGION_CODE.items()
             if regions == ("001",)]
    allowed = set("+0123456789 -./()")
    run = 0
    while count > 0:
        if not run:             # the library caches only this many compiled patterns
            run = RUN
            country = dice.choice(countries if dice.random() < 0.98 else world)
            abroad = dice.choice(countries)
        run -= 1
        home = country if dice.random() < 0.7 and country.region != "001" else abroad
        if country.shorts and dice.random() < 0.15:
            text = drawn(dice.choice(country.shorts), dice)
            if dice.random() < 0.2:
                text += str(dice.randrange(10 ** dice.randint(1, 5)))
            elif dice.random() < 0.1:
                text = dice.choice(("0", "00", country.trunk, f"00{country.code}",
                                    f"+{country.code}{country.trunk}")) + text
        else:
            national = drawn(dice.choice(country.plans + country.general), dice)
            number = PhoneNumber(country_code=country.code, national_number=int(national))
            has_zero = national.startswith("0")
            text = spelt(None if has_zero else number, national, country, home, dice)
        if not set(text) <= allowed or sum(letter.isdigit() for letter in text) > 20:
            continue
        if not any(letter.isdigit() for letter in text):
            continue
        count -= 1
        yield home.region, text


# ---- what the library says

COSTS = {PhoneNumberType.UNKNOWN: "INVALID", PhoneNumberType.PREMIUM_RATE: "PREMIUM",
         PhoneNumberType.SHARED_COST: "SHARED"}


def as_dialled(digits: str, region: str) -> PhoneNumber:
    zeros = len(digits) - len(digits.lstrip("0"))
    return PhoneNumber(country_code=phonenumbers.country_code_for_region(region),
                       national_number=int(digits), italian_leading_zero=zeros > 0 or None,
                       number_of_leading_zeros=zeros if zeros > 1 else None)


def short_words(text: str, region: str) -> list[str]:
    if not text.isdigit():
        return ["-"] * 3
    cost = phonenumbers.expected_cost_for_region(as_dialled(text, region), region)
    return ["emergency" if phonenumbers.is_emergency_number(text, region) else "-",
            "begins" if phonenumbers.connects_to_emergency_number(text, region) else "-",
            "premium" if cost == ShortNumberCost.PREMIUM_RATE else "-"]


def read(text: str, region: str) -> list[str] | None:
    """Form, country, cost; None if it reads no number."""
    try:
        number = phonenumbers.parse(text, region)
    except NumberParseException:
        return None
    form = phonenumbers.format_number(number, PhoneNumberFormat.E164)
    country = phonenumbers.region_code_for_number(number)
    return [form, country or "-", COSTS.get(phonenumbers.number_type(number), "USUAL")]


# ---- differences

def why(text: str, region: str, ours: list[str], library: list[str] | None) -> str:
    """Why they differ; "" if they do not."""
    spelling, form, _, _ = ours
    digits = "".join(letter for letter in text if letter.isdigit())
    plus = text.startswith("+")
    if spelling == "SHORT" and form == digits:
        if len(digits) <= 6:
            return "short"
        short = as_dialled(digits, region)
        known = (phonenumbers.is_valid_short_number_for_region(short, region)
                 or short_words(digits, region)[2] == "premium")
        if known and (not library or library[2] == "INVALID"):
            return "long_short"
        return ""
    if not plus and spelling == "ABROAD" and (not library or library[2] == "INVALID"):
        there = read("+" + digits[2:], region)
        if has_code(digits[2:]) and there and again(ours, there):
            return "zeros"
        if form == "+" + digits[2:]:
            return "zeros"
    if plus and not has_code(digits):
        return "unknown_code" if form == f"+{digits}" else ""
    if spelling == "BARE" and not plus and (not library or library[2] == "INVALID") \
            and read("+" + digits, region) == ours[1:] and ours[3] != "INVALID":
        return "own_code"
    if library is None:
        return "no_number" if form in (digits, "+" + digits) else ""
    return "trunk_again" if again(ours, library) else ""


def has_code(digits: str) -> bool:
    return any(int(digits[:length]) in COUNTRY_CODE_TO_REGION_CODE
               for length in (1, 2, 3) if digits[0] != "0")


def again(ours: list[str], library: list[str]) -> bool:
    """Reading its own answer again, until nothing changes, the library agrees."""
    for _ in range(20):
        if library == ours[1:]:
            return True
        if library[2] != "INVALID":
            return False
        further = read(library[0], library[1])
        if further is None or further == library:
            return False
        library = further
    return False


# ---- the policy

EVERYWHERE = {"112", "911", "000", "08", "110", "118", "119", "999"}


def regions_of(digits: str) -> list[tuple[str, str]]:
    """(region, national number): the countries whose calling code the digits begin with."""
    return [(region, digits[length:]) for length in (1, 2, 3)
            for region in COUNTRY_CODE_TO_REGION_CODE.get(int(digits[:length] or "0"), ())
            if region != "001" and digits[0] != "0"]


def emergency_behind(text: str, form: str, region: str) -> str:
    """Why the policy stops a number that is not an emergency number as it stands."""
    digits = "".join(letter for letter in text if letter.isdigit())
    ends = [(region, digits), (region, digits.lstrip("0")), (region, form[1:])]
    ends += regions_of(form[1:]) if form.startswith("+") else []
    for end_region, number in list(ends):
        trunk = PhoneMetadata.metadata_for_region(end_region).national_prefix or ""
        ends.append((end_region, number.removeprefix(trunk)))
    if any(number in EVERYWHERE for _, number in ends):
        return "everywhere"
    return "in_front" if any(number and phonenumbers.is_emergency_number(number, end_region)
                             for end_region, number in ends) else ""


def policy_reasons(text: str, region: str, ours: list[str], library: list[str] | None,
                   shorts: list[str]) -> list[str]:
    """Why the policy refuses more than the library would; "" if it does not."""
    spelling, form, _, cost = ours[:4]
    stopped, costs = ours[7:]
    reasons = []
    if stopped == "unread":
        return []
    if phonenumbers.is_emergency_number(text, region) != (stopped != "-"):
        reasons.append(emergency_behind(text, form, region) if stopped != "-" else "")
    known = shorts[2] == "premium" or (bool(library) and library[2] in ("PREMIUM", "SHARED"))
    if known == (costs != "-") or (ours[1:4] != library and cost != "INVALID"):
        return reasons
    if costs == "-":
        return reasons + [""]
    return reasons + ["short_costs" if spelling == "SHORT" else
                      "begins_costly" if cost == "INVALID" else ""]


def compare(count: int, seed: int, program: str) -> tuple[Counter[str], list[str]]:
    counts: Counter[str] = Counter()
    wrong: list[str] = []
    batch: list[tuple[str, str]] = []

    def flush() -> None:
        told = subprocess.run([program], check=True, capture_output=True, text=True,
                              input="".join(f"{region} {text}\n" for region, text in batch))
        for (region, text), line in zip(batch, told.stdout.splitlines(), strict=True):
            ours, library = line.split(), read(text, region)
            counts["compared"] += 1
            if library:
                counts[library[2].lower()] += 1
            shorts = short_words(text, region)
            for word in shorts:
                counts[word] += word != "-"
            if ours[4:7] != shorts:
                wrong.append(f"{region} {text}: {ours[4:7]}, the library says {shorts}")
            for reason in policy_reasons(text, region, ours, library, shorts):
                counts[f"difference {reason}"] += 1
                if not reason:
                    wrong.append(f"{region} {text}: {ours}, the library says {library}"
                                 f" {shorts}")
            if ours[1:4] == library:
                continue
            reason = why(text, region, ours[:4], library)
            counts[f"difference {reason}"] += 1
            if not reason:
                wrong.append(f"{region} {text}: {ours[:4]}, the library says {library}")
        batch.clear()

    for item in numbers(count, seed):
        batch.append(item)
        if len(batch) == BATCH:
            flush()
    flush()
    return counts, wrong


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--filter", required=True)
    parser.add_argument("--count", type=int, default=1_000_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--processes", type=int, default=2)
    given = parser.parse_args()
    began = time.monotonic()
    share = -(-given.count // given.processes)
    with multiprocessing.Pool(given.processes) as pool:
        parts = pool.starmap(compare, [(share, given.seed * 1000 + at, given.filter)
                                       for at in range(given.processes)])
    counts = sum((part[0] for part in parts), Counter())
    wrong = [line for part in parts for line in part[1]]
    reasons = {line.split()[0] for line in (HERE / "differences").read_text().splitlines()
               if line and not line.startswith("#")}
    for name, number in sorted(counts.items()):
        print(f"{number:9} {name or '-'}")
    unknown = {name.removeprefix("difference ") for name in counts
               if name.startswith("difference ")} - reasons - {""}
    idle = {reason for reason in reasons if not counts[f"difference {reason}"]} \
        if given.count >= RARE else set()
    for line in wrong[:40]:
        print(line)
    for reason in sorted(unknown):
        print(f"{reason}: has no line in the file of differences")
    for reason in sorted(idle):
        print(f"{reason}: explains nothing any more")
    print(f"{len(wrong)} numbers wrong, libphonenumber {phonenumbers.__version__}, "
          f"{time.monotonic() - began:.0f} s")
    return 1 if wrong or unknown or idle else 0


if __name__ == "__main__":
    sys.exit(main())
