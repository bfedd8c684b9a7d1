/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The state of a modem comes from its properties in oFono: Powered and Online, the
 * card from SimManager, and the network from NetworkRegistration.
 */
#include "cli/switching.h"

#include <stdio.h>
#include <string.h>

#include "cli/terminal.h"
#include "ofono/modem.h"

enum { CELL_BYTES = 48 };

static const struct {
	const char *word;
	const char *text;
	enum terminal_colour colour;
} states[] = {
	{ "off", "off", COLOUR_BAD },
	{ "flight_mode", "flight mode", COLOUR_WARNING },
	{ "on", "on", COLOUR_GOOD },
};

static unsigned modem_lines_state(const struct modem *modem)
{
	return !modem->powered ? 0 : !modem->online ? 1 : 2;
}

static const char *const modem_lines_card_words[] = {
	[MODEM_CARD_UNKNOWN] = "unknown",
	[MODEM_CARD_ABSENT] = "absent",
	[MODEM_CARD_LOCKED] = "locked",
	[MODEM_CARD_READY] = "ready",
};

enum modem_lines_card modem_lines_card(const struct modem *modem)
{
	const struct modem_sim *sim = &modem->sim;

	if (!sim->known)
		return MODEM_CARD_UNKNOWN;
	if (!sim->present)
		return MODEM_CARD_ABSENT;
	if (modem_sim_lock_of(sim) != SIM_LOCK_NONE)
		return MODEM_CARD_LOCKED;
	/*
	 * oFono reports the lock "none" even before it has read the card, but the
	 * identity only after.
	 */
	return *sim->subscriber_identity ? MODEM_CARD_READY : MODEM_CARD_UNKNOWN;
}

void modem_lines_put(struct json_writer *writer, const struct modem *modem)
{
	const struct modem_network *network = &modem->network;
	enum modem_lines_card card = modem_lines_card(modem);

	json_put_string(writer, "modem", modem->path);
	json_put_string(writer, "state", states[modem_lines_state(modem)].word);
	json_put_string(writer, "sim", modem_lines_card_words[card]);
	if (card == MODEM_CARD_LOCKED)
		json_put_string(writer, "lock", modem->sim.pin_required);
	json_put_string(writer, "registration", network->status);
	json_put_string(writer, "operator", network->name);
	json_put_integer(writer, "signal_percent", network->strength);
}

/* Writes "needs its PIN", "locked (network)". */
static void modem_lines_describe_card(const struct modem *modem, char text[CELL_BYTES])
{
	static const char *const texts[] = {
		[MODEM_CARD_UNKNOWN] = "being read",
		[MODEM_CARD_ABSENT] = "none",
		[MODEM_CARD_LOCKED] = "needs its ",
		[MODEM_CARD_READY] = "ready",
	};
	enum modem_lines_card card = modem_lines_card(modem);

	if (!modem->powered)
		snprintf(text, CELL_BYTES, "unknown");
	else if (modem_sim_lock_of(&modem->sim) == SIM_LOCK_OTHER)
		snprintf(text, CELL_BYTES, "locked (%s)", modem->sim.pin_required);
	else if (card == MODEM_CARD_UNKNOWN && modem_sim_is_restricted(&modem->sim))
		snprintf(text, CELL_BYTES, "limited to a list (FDN)");
	else
		snprintf(text, CELL_BYTES, "%s%s", texts[card],
			 card != MODEM_CARD_LOCKED			  ? ""
			 : modem_sim_lock_of(&modem->sim) == SIM_LOCK_PUK ? "PUK"
									  : "PIN");
}

static void modem_lines_print_network(FILE *out, const struct modem *modem)
{
	const struct modem_network *network = &modem->network;

	if (!*network->status) {
		fputs("none", out);
		return;
	}
	fputs(network->status, out);
	if (*network->name) {
		fputs(", ", out);
		terminal_print_escaped(out, network->name);
	}
	if (network->strength)
		fprintf(out, ", signal %u %%", network->strength);
}

void modem_lines_print(FILE *out, const struct modem *modem)
{
	unsigned state = modem_lines_state(modem);
	bool has_colour = out == stdout;
	char card[CELL_BYTES];

	fprintf(out, "%s%s%s", has_colour ? terminal_colour_on(states[state].colour) : "",
		states[state].text, has_colour ? terminal_colour_off() : "");
	if (modem->powered) {
		modem_lines_describe_card(modem, card);
		fprintf(out, ", SIM card: %s, network: ", card);
		modem_lines_print_network(out, modem);
	}
}

enum { STATE_COLUMNS = 13, CARD_COLUMNS = 24 };

static void modem_lines_print_row(const struct modem *modem, int path_columns)
{
	unsigned state = modem_lines_state(modem);
	char card[CELL_BYTES];

	modem_lines_describe_card(modem, card);
	printf("%-*s%s%-*s%s%-*s", path_columns, modem->path,
	       terminal_colour_on(states[state].colour), STATE_COLUMNS,
	       states[state].text, terminal_colour_off(), CARD_COLUMNS, card);
	modem_lines_print_network(stdout, modem);
	putchar('\n');
}

void modem_lines_print_table(const struct modem_list *modems)
{
	const struct modem *modem, *off = NULL;
	int path_columns = (int)strlen("MODEM") + 2;

	TAILQ_FOREACH (modem, modems, link) {
		int length = (int)strlen(modem->path) + 2;

		if (!modem_is_foreign(modem) && length > path_columns)
			path_columns = length;
	}
	printf("%-*s%-*s%-*s%s\n", path_columns, "MODEM", STATE_COLUMNS, "STATE",
	       CARD_COLUMNS, "SIM CARD", "NETWORK");
	TAILQ_FOREACH (modem, modems, link) {
		if (modem_is_foreign(modem))
			continue;
		modem_lines_print_row(modem, path_columns);
		if (!off && !(modem->powered && modem->online))
			off = modem;
	}
	if (off)
		printf("\n"
		       "To switch it on, as root: " PROGRAM_NAME " modem on %s\n",
		       off->path);
}
