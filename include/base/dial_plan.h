/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Dial plan: how numbers are dialled where a SIM card is at home, by the first three digits of
 * its IMSI (mobile country code).
 *
 * Sources: ITU-T E.212 (codes), E.164 (calling codes), and the ITU's national numbering
 * plans (what is dialled before a national number).
 */
#ifndef BASE_DIAL_PLAN_H
#define BASE_DIAL_PLAN_H

struct dial_plan {
	unsigned mcc;	      /* mobile country code */
	const char *calling;  /* "36" */
	const char *national; /* "06": before a national number, "" nothing */
};

/* NULL: not known. */
const struct dial_plan *dial_plan_find(unsigned mcc);

#endif
