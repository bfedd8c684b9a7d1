/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Modem view: the state of a modem, as `ofono-mcp modem` shows it, in a line or as JSON.
 *
 *   "modem" "/sim0", "state" "on" | "flight_mode" | "off", "sim" "ready" | "locked" |
 *   "absent" | "unknown", "lock" "pin" (if locked), "registration" "registered" ("" unknown),
 *   "operator", "signal_percent"
 */
#ifndef CLI_MODEM_VIEW_H
#define CLI_MODEM_VIEW_H

#include <stdio.h>

#include "base/json.h"
#include "ofono/ofono.h"

enum modem_view_card {
	MODEM_CARD_UNKNOWN,
	MODEM_CARD_ABSENT,
	MODEM_CARD_LOCKED,
	MODEM_CARD_READY
};

enum modem_view_card modem_view_card(const struct modem *modem);

/* Writes the members into the open object. */
void modem_view_put(struct json_writer *writer, const struct modem *modem);

/* "on, SIM card: ready, network: registered, Telekom HU, signal 60 %" */
void modem_view_print(FILE *out, const struct modem *modem);

/* A table, with what to do about a modem that is off. */
void modem_view_print_table(const struct modem_list *modems);

#endif
