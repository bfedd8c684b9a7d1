/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Configuration of what agents may send and call: the sections [policy] and [call], and
 * what the words of their lists and hours may be.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/client.h"
#include "config/config_list.h"

struct amount;
struct explanation;

/* A phone number or prefix with its NUL; nothing longer is one. */
enum { CONFIG_POLICY_NUMBER_BYTES = 128 };

/* [call]: calls that agents may place; see phone/dialler.h. */
struct config_policy_calls {
	bool place;
	int64_t max_seconds; /* the gateway hangs up then */
	int64_t per_hour;    /* all clients and SIMs together */
	int64_t per_day;
	bool hang_up_any; /* a client may end another client's call */
};

/* [policy] and [call]; see policy/policy.h. */
struct config_policy {
	/* for clients without limits of their own; 0 if there is none */
	struct client_limits client;
	struct client_limits sim;
	/* phone numbers and prefixes with *; if empty, all are meant */
	struct config_list allow;
	struct config_list deny;
	struct config_list countries; /* "home", "any", or prefixes */
	bool premium;
	char quiet_hours[CONFIG_TEXT_BYTES]; /* "22:00-07:00"; "" if there is none */
	/* "500", "2=10.50"; if empty, there is no minimum */
	struct config_list minimum_balance;
	int64_t balance_hours; /* an older balance does not count */
	struct config_policy_calls calls;
};

/* Minutes after midnight; `until` is the first minute outside. */
struct config_policy_hours {
	int from;
	int until;
};

/* Returns 0, or -EINVAL with the error's text. */
int config_policy_check(const struct config_policy *policy, struct explanation *error);

/*
 * Finds the next word of `allow` or `deny` that is accepted but matches no number, and continues
 * behind it. Returns false if there is none.
 */
bool config_policy_next_useless(const char **at_inout,
				char word_out[CONFIG_POLICY_NUMBER_BYTES]);

/* Parses "22:00-07:00". Returns false if it is not two times, or the span is empty. */
bool config_policy_parse_hours(const char *text, struct config_policy_hours *hours_out);

/*
 * The minimum balance of a SIM: its own entry ("2=10.50"), else the one for all SIMs. Returns false
 * if there is none.
 */
bool config_policy_find_minimum(const struct config_list *list, int64_t sim_id,
				struct amount *minimum_out);
