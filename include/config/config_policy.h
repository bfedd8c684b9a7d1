/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Configuration, [policy]: what the words of its lists and its hours may be.
 */
#ifndef CONFIG_CONFIG_POLICY_H
#define CONFIG_CONFIG_POLICY_H

#include "base/amount.h"
#include "config/config.h"

/* A number or a prefix of one, and NUL: more is none. */
enum { CONFIG_POLICY_NUMBER_BYTES = 24 };

/* 0, or -EINVAL with the error's text. */
int config_policy_check(const struct config_policy *policy, struct explanation *error);

struct config_policy_hours { /* minutes after midnight; the end is not in them */
	int from;
	int until;
};

/* "22:00-07:00". False: it is no such text, or no time at all. */
bool config_policy_parse_hours(const char *text, struct config_policy_hours *hours_out);

/* What a SIM's balance must be; its own word goes before that of all. False: anything. */
bool config_policy_find_minimum(const struct config_list *list, int64_t sim_id,
				struct amount *minimum_out);

#endif
