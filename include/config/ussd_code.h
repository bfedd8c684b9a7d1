/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * USSD code: what agents may dial to the network.
 *
 * oFono executes MMI codes through the same method: call forwarding, barring, call waiting,
 * change of PIN and PUK, IMEI and other services of phone and subscription. The gateway
 * never dials those, whatever the owner's list says (tests/unit/test_ussd_code.c).
 *
 * Source: 3GPP TS 22.030, 6.5.2, 6.6 and annex B.
 */
#pragma once

#include <stdbool.h>

struct buffer;
struct config_list;
struct explanation;

enum {
	USSD_CODE_BYTES = 48,	    /* the longest, with its NUL */
	USSD_CODE_PURPOSE_MAX = 80, /* bytes */
};

/* Begins with * or #, ends with #, digits, * and # between: "*100#". */
bool ussd_code_is_valid(const char *code);
/* Is a valid code or pattern an MMI code of the specification? */
bool ussd_code_is_mmi(const char *code);

/* Is it a code in which ? may stand for any digit, such as "*133*????#"? */
bool ussd_code_pattern_is_valid(const char *pattern);
/*
 * The owner's list: codes and patterns, separated by spaces or commas, each of which may be
 * followed by its purpose in parentheses: "*100# (balance), *133*????# (top up)".
 */
/* Does it allow the code? */
bool ussd_code_is_in(const struct config_list *list, const char *code);
/* Appends the codes with their purposes as the owner wrote them, but not endlessly many. */
void ussd_code_describe(const struct config_list *list, struct buffer *buffer);

/*
 * May this text be sent as a reply? Only letters, digits, spaces and a few signs: oFono's
 * AT drivers copy the text into their command, so a quote, or a control character, which
 * many letters beyond ASCII are in the GSM alphabet, would start another command.
 */
bool ussd_code_reply_is_valid(const char *reply);
/*
 * Does the reply look like a code ("*21#", "**21*12#1")? A network that has ended the
 * dialogue would take it for a newly dialled one.
 */
bool ussd_code_reply_is_code(const char *reply);

/* Checks ussd.allow. Returns 0, or -EINVAL with the error's text. */
int ussd_code_check_list(const struct config_list *list, struct explanation *error);
