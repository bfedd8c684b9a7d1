/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Configuration of the owner's commands by SMS: the section [agent]. See sms/sms_command.h.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "config/config_list.h"

struct explanation;

struct config_agent {
	/* international form; if empty, there are no commands */
	struct config_list owner_numbers;
	char word[CONFIG_TEXT_BYTES]; /* with which commands begin */
	/* everything that it receives; 0 if there is none */
	int64_t sim;
	char code[CONFIG_TEXT_BYTES]; /* "none" or "totp" */
	bool approvals;		      /* ask the owner by SMS */
	int64_t approvals_per_hour;
	char approve_word[CONFIG_TEXT_BYTES];
	char reject_word[CONFIG_TEXT_BYTES];
};

enum { CONFIG_AGENT_NUMBER_BYTES = 17 }; /* "+" and 15 digits */

/*
 * The owner's number `index`, as "+36201234567", in the order of the file. Returns false if there
 * are no more, or it is malformed.
 */
bool config_agent_number(const struct config_agent *agent, size_t index,
			 char number_out[CONFIG_AGENT_NUMBER_BYTES]);

bool config_agent_needs_code(const struct config_agent *agent);

/* Checks each value for itself, or how they fit. Returns 0, or -EINVAL with the error's text. */
int config_agent_check_values(const struct config_agent *agent,
			      struct explanation *error);
int config_agent_check(const struct config_agent *agent, struct explanation *error);
