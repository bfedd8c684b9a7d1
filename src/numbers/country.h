/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Country: the numbering plan of one country, by libphonenumber's metadata. The United States
 * and Canada are two, though they share a calling code; calling codes without a country
 * (satellites, international services) are "001". src/numbers/generate.py makes the table at
 * build time.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct country {
	char code[4]; /* "HU" (ISO 3166), "001" */
	/* dialled before a national number: "06"; "" if there is none */
	char trunk[4];
	uint16_t calling_code; /* 36 */
	/* The rest is private to src/numbers. */
	/* among those with the same calling code; 0 for the main one */
	uint8_t order;
	uint8_t groups;	   /* of `prefix` */
	char put[5];	   /* replaces the prefix, if put_group */
	uint8_t put_group; /* the group that is kept */
	bool emergency_is_exact;
	uint16_t abroad, prefix, leading; /* prefix programs: plan.h */
	uint16_t plan, short_plan;	  /* first states: plan.h */
	uint32_t lengths, local_lengths;  /* a bit for each possible number of digits */
};

/*
 * Finds it by the mobile country code of a SIM or network: 216, or "216". Returns NULL if it has
 * none (901).
 */
const struct country *country_of_mobile_code(unsigned mobile_code);
const struct country *country_of_mobile_digits(const char *mobile_code);

/* Finds "HU"; returns NULL if it is unknown. */
const struct country *country_of_iso(const char *code);

/*
 * Returns the main country of the calling code that an international number begins with;
 * *length_out: the number of its digits; NULL if there is no such code.
 */
const struct country *country_of_digits(const char *digits, size_t *length_out);

/* Returns the next country with the same calling code; NULL if there are no more. */
const struct country *country_next(const struct country *country);

/* Is it a satellite, network or service with a calling code of its own (ITU-T E.164)? */
bool country_is_none(const struct country *country);
