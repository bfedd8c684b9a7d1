/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads phone numbers with src/numbers, line by line, for compare.py: "HU 06201234567" gives
 * "NATIONAL +36201234567 HU USUAL - - - - -": spelling, form, country, cost, and whether it is
 * an emergency number, begins like one, or is a premium short code as dialled in that country.
 * The last two are the policy's verdict for a SIM of that country: "stopped" as an emergency
 * number, and "costs" if it may cost extra; "unread" if it is refused before.
 */
#include <stdio.h>
#include <string.h>

#include "policy/recipient.h"

static const char *const spellings[] = {
	[NUMBER_UNPLACED] = "UNPLACED", [NUMBER_SHORT] = "SHORT",
	[NUMBER_PLUS] = "PLUS",		[NUMBER_ABROAD] = "ABROAD",
	[NUMBER_NATIONAL] = "NATIONAL", [NUMBER_BARE] = "BARE",
};

static const char *const costs[] = {
	[NUMBER_INVALID] = "INVALID",
	[NUMBER_USUAL] = "USUAL",
	[NUMBER_PREMIUM] = "PREMIUM",
	[NUMBER_SHARED] = "SHARED",
};

static void tell_policy(const char *text, const struct country *home)
{
	struct recipient recipient;

	recipient_read(&recipient, text, home);
	if (recipient.problem != PHONE_NUMBER_OK)
		puts(" unread unread");
	else
		printf(" %s %s\n",
		       recipient_is_emergency(&recipient, "") ? "stopped" : "-",
		       recipient_is_premium(&recipient) ? "costs" : "-");
}

static void tell(const char *text, const struct country *home)
{
	bool is_dialled = strspn(text, "0123456789") == strlen(text);
	struct number number;

	if (!number_read(text, home, &number)) {
		puts("NONE");
		return;
	}
	printf("%s %s %s %s %s %s %s", spellings[number.spelling], number.form,
	       number.country ? number.country->code : "-", costs[number.cost],
	       is_dialled && number_is_emergency(text, home) ? "emergency" : "-",
	       is_dialled && number_begins_as_emergency(text, home) ? "begins" : "-",
	       is_dialled && number_is_short_premium(text, home) ? "premium" : "-");
	tell_policy(text, home);
}

int main(void)
{
	char line[256];

	while (fgets(line, sizeof(line), stdin)) {
		char *text = strchr(line, ' ');

		line[strcspn(line, "\n")] = '\0';
		if (!text)
			return 1;
		*text++ = '\0';
		tell(text, country_of_iso(line));
	}
	return 0;
}
