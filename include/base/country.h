/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Country: how numbers are dialled where a SIM card is at home, by the first three digits of
 * its IMSI (mobile country code).
 *
 * Sources: ITU-T E.212 (codes), E.164 (calling codes), and the ITU's national numbering
 * plans (what is dialled before a national number).
 */
#ifndef BASE_COUNTRY_H
#define BASE_COUNTRY_H

struct country {
	unsigned mcc;	      /* mobile country code */
	const char *calling;  /* "36" */
	const char *national; /* "06": before a national number, "" nothing */
};

/* NULL: not known. */
const struct country *country_find(unsigned mcc);

#endif
