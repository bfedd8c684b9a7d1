/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Number text: a phone number as people paste it from web pages, spreadsheets and address
 * books. Every place that takes a number cleans it here first.
 */
#pragma once

#include "numbers/phone_number.h"

enum { NUMBER_TEXT_BYTES = 64 };

/*
 * Writes the number in ASCII: drops invisible characters, surrounding spaces and line ends,
 * "tel:" and an optional trunk zero ("+36 (0)20"), and replaces fullwidth characters,
 * typographic dashes and spaces. Characters that no number has remain, for the caller to
 * refuse. Otherwise PHONE_NUMBER_LONG, _CHARACTER (not UTF-8), _TRUNK_ZERO or _EXTENSION.
 */
enum phone_number_problem number_text_clean(const char *written,
					    char text_out[NUMBER_TEXT_BYTES]);

/* Only drops and replaces characters, in place: for sender names, and for beginnings. */
void number_text_simplify(char *text);

/*
 * "+36-20*" -> "+3620": the beginning of numbers in a list; "*" -> "". False: there is no * at
 * its end, or something else than digits before it.
 */
bool number_text_read_beginning(const char *written, char text_out[PHONE_NUMBER_BYTES]);
