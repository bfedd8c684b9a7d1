/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/colour.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const codes[] = {
	[COLOUR_NONE] = "",
	[COLOUR_GOOD] = "\033[32m",
	[COLOUR_WARNING] = "\033[33m",
	[COLOUR_BAD] = "\033[31m",
	[COLOUR_STRONG] = "\033[1m",
};

bool colour_is_terminal(int fd)
{
	const char *kind = getenv("TERM");

	return isatty(fd) && !(kind && strcmp(kind, "dumb") == 0);
}

/* https://no-color.org: set, and not empty. */
static bool are_wanted(void)
{
	const char *none = getenv("NO_COLOR");

	return !(none && *none) && colour_is_terminal(STDOUT_FILENO);
}

const char *colour_on(enum colour colour)
{
	return are_wanted() ? codes[colour] : "";
}

const char *colour_off(void)
{
	return are_wanted() ? "\033[0m" : "";
}
