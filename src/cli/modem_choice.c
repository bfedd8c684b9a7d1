/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/modem_choice.h"

#include <stdio.h>
#include <string.h>

static const char *last_part(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static bool is_called(const struct modem *modem, const char *name)
{
	return strcmp(name, "all") == 0 || strcmp(modem->path, name) == 0 ||
	       strcmp(modem->path + 1, name) == 0 ||
	       strcmp(last_part(modem->path), name) == 0;
}

static bool has(const struct modem_choice *choice, const struct modem *modem)
{
	for (unsigned at = 0; at < choice->count; at++) {
		if (strcmp(choice->all[at].path, modem->path) == 0)
			return true;
	}
	return false;
}

/* False: there is none that is called so. */
static bool choose(struct modem_choice *choice, struct ofono *ofono, const char *name,
		   const struct switching_wish *wish)
{
	const struct modem *modem;
	bool found = false;

	TAILQ_FOREACH (modem, ofono_modems(ofono), link) {
		if (modem_is_foreign(modem) || !is_called(modem, name))
			continue;
		found = true;
		if (!has(choice, modem) && choice->count < MODEM_CHOICE_MAX)
			switching_begin(&choice->all[choice->count++], ofono, modem->path,
					wish);
	}
	return found;
}

/* "Name one, or all: /sim0, /sim1" */
static void write_fix(struct modem_choice_flaw *flaw, const char *words,
		      const struct ofono *ofono)
{
	const size_t size = sizeof(flaw->fix);
	const struct modem *modem;
	const char *between = "";
	size_t length = (size_t)snprintf(flaw->fix, size, "%s: ", words);

	TAILQ_FOREACH (modem, ofono_modems(ofono), link) {
		if (modem_is_foreign(modem) || length >= size)
			continue;
		length += (size_t)snprintf(flaw->fix + length, size - length, "%s%s",
					   between, modem->path);
		between = ", ";
	}
}

bool modem_choice_begin(struct modem_choice *choice, struct ofono *ofono, char **names,
			int count, const struct switching_wish *wish,
			struct modem_choice_flaw *flaw)
{
	choice->count = 0;
	for (int at = 0; at < count; at++) {
		if (choose(choice, ofono, names[at], wish))
			continue;
		flaw->code = "no_such_modem";
		snprintf(flaw->message, sizeof(flaw->message),
			 "there is no modem \"%.200s\"", names[at]);
		write_fix(flaw, "There is", ofono);
		return false;
	}
	if (!count)
		choose(choice, ofono, "all", wish);
	if (count || choice->count == 1)
		return true;
	flaw->code = "modem_required";
	snprintf(flaw->message, sizeof(flaw->message), "there is more than one modem");
	write_fix(flaw, "Name one, or say all", ofono);
	return false;
}

void modem_choice_end(struct modem_choice *choice)
{
	for (unsigned at = 0; at < choice->count; at++)
		switching_end(&choice->all[at]);
}
