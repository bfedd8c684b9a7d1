/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * USSD code: what may be dialled to the network.
 *
 * The same way executes MMI codes: call forwarding, barring, call waiting, change of PIN and
 * PUK, IMEI and the other services of the phone and the subscription. Those are never
 * dialled, whatever the owner's list says (tests/unit/test_ussd_code.c).
 *
 * Source: 3GPP TS 22.030, 6.5.2, 6.6 and annex B.
 */
#ifndef CONFIG_USSD_CODE_H
#define CONFIG_USSD_CODE_H

#include <stdbool.h>

#include "config/config.h"

enum { USSD_CODE_BYTES = 48 }; /* the longest, with its NUL */

/* * or # first, digits with * and # between them, # last: "*100#". */
bool ussd_code_is_valid(const char *code);
/* It is an MMI code of the specification; `code` is a valid one, or a pattern. */
bool ussd_code_is_mmi(const char *code);

/* A code, or one with ? in the place of digits: "*133*????#". */
bool ussd_code_pattern_is_valid(const char *pattern);
/* Does the owner's list have it? */
bool ussd_code_is_in(const struct config_list *list, const char *code);

/*
 * May it be given as a reply? Letters, digits, blanks and a few signs only: oFono's AT
 * drivers put the text into their command as it is, so a quote or a control character, which
 * many letters beyond ASCII are in the GSM alphabet, would begin a command of the sender's.
 */
bool ussd_code_reply_is_valid(const char *reply);
/*
 * It reads like a code ("*21#", "**21*12#1"): a network that has forgotten the dialogue would
 * take it for one that was dialled.
 */
bool ussd_code_reply_is_code(const char *reply);

/* 0, or -EINVAL with the error's text. */
int ussd_code_check_list(const struct config_list *list, struct explanation *error);

#endif
