# SPDX-License-Identifier: GPL-2.0-or-later
"""Write the numbering plans of all countries as C tables, from libphonenumber's metadata.

    generate.py > number_plans.c

The metadata comes from Debian's python3-phonenumbers. src/numbers/plan.h explains the tables.
"""
from __future__ import annotations

import re
import sys
from typing import Iterable

import phonenumbers
from phonenumbers import COUNTRY_CODE_TO_REGION_CODE, PhoneMetadata, shortnumberinfo
from phonenumbers.phonemetadata import PhoneNumberDesc

from automaton import DEAD, Pool
from program import Programs

# enum plan_output of plan.h
GENERAL, COST_SHIFT, NEEDS_TRUNK, ONLY_COSTLY = 1, 1, 8, 16
VALID, PREMIUM, SHARED = 1, 2, 3
EMERGENCY, SHORT_PREMIUM, SHORT_VALID = 1, 2, 4
OUTPUT_BITS = 4       # of a state's word: the index in plan_outputs; the rest is its partition

NO_SLOT = 15
WORLD = "001"           # libphonenumber's region for calling codes without a country

# In the order in which the library's number_type() tries them: the first match wins.
COSTS = (("premium_rate", PREMIUM), ("toll_free", VALID), ("shared_cost", SHARED))
TYPES = ("personal_number", "voip", "pager", "uan", "voicemail", "fixed_line", "mobile")


def text_of(desc: PhoneNumberDesc | None) -> str | None:
    return desc.national_number_pattern if desc else None


def has_length(desc: PhoneNumberDesc | None, length: int) -> bool:
    return bool(desc) and (not desc.possible_length or length in desc.possible_length)


def trunk_formats(metadata: PhoneMetadata) -> list[tuple[str, str | None, bool]]:
    """The national formats: pattern, leading digits, and whether the trunk prefix is needed."""
    formats = []
    for form in metadata.number_format:
        rule = form.national_prefix_formatting_rule or ""
        digits = re.sub(r"\\\d|\D", "", rule)
        needed = (bool(metadata.national_prefix) and metadata.national_prefix in digits
                  and not form.national_prefix_optional_when_formatting)
        leading = form.leading_digits_pattern
        formats.append((form.pattern, leading[-1] if leading else None, needed))
    return formats


def cost_bits(metadata: PhoneMetadata, hits: dict[str, bool], length: int) -> int:
    if not (hits["general_desc"] and has_length(metadata.general_desc, length)):
        return 0
    for name, cost in COSTS:
        if hits[name] and has_length(getattr(metadata, name), length):
            return cost << COST_SHIFT
    if any(hits[name] and has_length(getattr(metadata, name), length) for name in TYPES):
        return VALID << COST_SHIFT
    return 0


class Plans:
    def __init__(self) -> None:
        self.pool, self.programs = Pool(), Programs()
        self.costly: dict[tuple[int, tuple[int, ...]], bool] = {}

    def mark_costly(self, output: int, targets: tuple[int, ...]) -> int:
        """Set ONLY_COSTLY where every valid number that begins with these digits costs extra."""
        behind = [self.costly[self.pool.states[target]] for target in targets
                  if target != DEAD and self.pool.states[target] in self.costly]
        cost = output >> COST_SHIFT & 3
        if not cost and not behind:
            return output           # no valid number follows
        costly = cost != VALID and all(behind)
        if costly and not cost:
            output |= ONLY_COSTLY
        self.costly[output, targets] = costly
        return output

    def plan(self, metadata: PhoneMetadata) -> int:
        formats = trunk_formats(metadata)
        if len({needed for _, _, needed in formats}) < 2:
            always, formats = bool(formats) and formats[0][2], []
        else:
            always = False
        names = ["general_desc", *(name for name, _ in COSTS), *TYPES]
        texts = [text_of(getattr(metadata, name)) for name in names]
        for whole, beginning, _ in formats:
            texts += [whole, f"(?:{beginning or ''})" + r"\d{0,20}"]

        def output(matched: tuple[bool, ...], length: int) -> int:
            hits = dict(zip(names, matched))
            bits = hits["general_desc"] * GENERAL | cost_bits(metadata, hits, length)
            rest = matched[len(names):]
            if not bits >> COST_SHIFT:
                return bits
            needed = next((needed for (_, _, needed), whole, beginning
                           in zip(formats, rest[::2], rest[1::2]) if whole and beginning), always)
            return bits | needed * NEEDS_TRUNK

        return self.pool.add(texts, output, self.mark_costly, alive=len(names))

    def short_plan(self, metadata: PhoneMetadata | None) -> int:
        if not metadata:
            return DEAD
        descs = [metadata.general_desc, metadata.premium_rate, metadata.short_code,
                 metadata.emergency]

        def output(matched: tuple[bool, ...], length: int) -> int:
            possible = length in metadata.general_desc.possible_length
            general, premium, valid, emergency = (
                hit and has_length(desc, length) for hit, desc in zip(matched, descs))
            return (matched[3] * EMERGENCY | (possible and premium) * SHORT_PREMIUM
                    | (general and valid) * SHORT_VALID)

        return self.pool.add([text_of(desc) for desc in descs], output)


def written(name: str, kind: str, rows: Iterable[str]) -> None:
    print(f"\nconst {kind} {name}[] = {{")
    line = ""
    for row in rows:
        if len(line) + len(row) > 86:
            print("\t" + line.rstrip())
            line = ""
        line += row + ", "
    print("\t" + line.rstrip() + "\n};")


def write_pool(pool: Pool, roots: list[int]) -> list[int]:
    """Write the states of the pool as words. Return the place of each root."""
    partitions: dict[tuple[int, ...], int] = {}
    outputs = sorted({output for output, _ in pool.states})
    shapes, starts, at = [], [], 0
    for output, targets in pool.states:
        slots: list[int] = []
        for target in targets:
            if target != DEAD and target not in slots:
                slots.append(target)
        partition = tuple(slots.index(target) if target != DEAD else NO_SLOT
                          for target in targets)
        number = partitions.setdefault(partition, len(partitions))
        shapes.append((number << OUTPUT_BITS | outputs.index(output), slots))
        starts.append(at)
        at += 1 + len(slots)
    if max(at, len(partitions) << OUTPUT_BITS) > 0x10000 or len(outputs) > 1 << OUTPUT_BITS:
        sys.exit(f"generate.py: {at} words, {len(partitions)} partitions do not fit into 16 bits")
    written("plan_outputs", "uint8_t", map(str, outputs))
    written("plan_words", "uint16_t", (str(word) for shape, slots in shapes
                                       for word in (shape, *(starts[slot] for slot in slots))))
    written("plan_partitions", "uint8_t", (
        str(low | high << 4) for partition in partitions
        for low, high in zip(partition[::2], partition[1::2])))
    return [starts[root] for root in roots]


def lengths(values: Iterable[int]) -> int:
    return sum(1 << value for value in values if value > 0)


def metadata_of(code: int, region: str) -> PhoneMetadata:
    return PhoneMetadata.metadata_for_region_or_calling_code(code, region)


def country_row(plans: Plans, code: int, region: str, order: int, starts: list[int]) -> str:
    metadata = metadata_of(code, region)
    prefix, groups = plans.programs.add(metadata.national_prefix_for_parsing)
    rule = metadata.national_prefix_transform_rule or ""
    found = re.fullmatch(r"(\d*)\\(\d)", rule)
    if rule and not found:
        sys.exit(f"generate.py: {region}: number.c does not know this transformation: {rule}")
    put, group = (found[1], int(found[2])) if found else ("", 0)
    exact = region in shortnumberinfo._REGIONS_WHERE_EMERGENCY_NUMBERS_MUST_BE_EXACT
    fields = {
        "code": f'"{region}"', "trunk": f'"{metadata.national_prefix or ""}"', "put": f'"{put}"',
        "calling_code": code, "order": order, "groups": groups, "put_group": group,
        "abroad": plans.programs.add(metadata.international_prefix)[0], "prefix": prefix,
        "leading": plans.programs.add(metadata.leading_digits)[0],
        "plan": starts[0], "short_plan": starts[1],
        "lengths": hex(lengths(metadata.general_desc.possible_length)),
        "local_lengths": hex(lengths(metadata.general_desc.possible_length_local_only)),
        "emergency_is_exact": str(exact).lower(),
    }
    return "{ " + ", ".join(f".{name} = {value}" for name, value in fields.items()) + " },"


def main() -> None:
    plans = Plans()
    regions = [(code, region, order) for code in sorted(COUNTRY_CODE_TO_REGION_CODE)
               for order, region in enumerate(COUNTRY_CODE_TO_REGION_CODE[code])]
    roots = []
    for code, region, _ in regions:
        short = None if region == WORLD else PhoneMetadata.short_metadata_for_region(region)
        roots += [plans.plan(metadata_of(code, region)), plans.short_plan(short)]
    print("/* Made by src/numbers/generate.py from the metadata of libphonenumber "
          f"{phonenumbers.__version__}. */")
    print('#include "numbers/plan.h"')
    print(f'\nconst char plan_version[] = "{phonenumbers.__version__}";')
    starts = write_pool(plans.pool, roots)
    rows = [country_row(plans, code, region, order, starts[2 * at:2 * at + 2])
            for at, (code, region, order) in enumerate(regions)]
    written("plan_programs", "uint16_t", map(str, plans.programs.words))
    print("\nconst struct country plan_countries[] = {")
    for row in rows:
        print("\t" + row)
    print("};\n")
    print("const size_t plan_country_count = sizeof(plan_countries) / sizeof(plan_countries[0]);")
    print("const size_t plan_bytes = sizeof(plan_words) + sizeof(plan_partitions) +\n"
          "\t\t\t  sizeof(plan_programs) + sizeof(plan_countries);")


if __name__ == "__main__":
    main()
