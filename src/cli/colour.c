/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/colour.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/terminal.h"

static const char *const codes[] = {
	[COLOUR_NONE] = "",
	[COLOUR_GOOD] = "\033[32m",
	[COLOUR_WARNING] = "\033[33m",
	[COLOUR_BAD] = "\033[31m",
	[COLOUR_STRONG] = "\033[1m",
};

/* https://no-color.org and https://bixense.com/clicolors: set, and not empty. */
static bool are_wanted(void)
{
	const char *none = getenv("NO_COLOR");
	const char *always = getenv("CLICOLOR_FORCE");

	if (none && *none)
		return false;
	return (always && *always && strcmp(always, "0") != 0) ||
	       terminal_is_capable(STDOUT_FILENO);
}

const char *colour_on(enum colour colour)
{
	return are_wanted() ? codes[colour] : "";
}

const char *colour_off(void)
{
	return are_wanted() ? "\033[0m" : "";
}
