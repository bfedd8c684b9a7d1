/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * SMS command: is an incoming message a command of the owner? By its text (text/command_text.h)
 * and its sender; store/store_command.h then judges its code.
 */
#pragma once

#include <stdbool.h>

#include "store/store.h"
#include "store/store_command.h"
#include "text/command_text.h"

struct config;

/*
 * What an incoming message claims to be. Its sender must be one of [agent] owner_numbers,
 * written with + or as dialled within the country of the SIM. A sender's name, or the digits
 * of a number without their +, never is. Reads the store, which must not be in a write.
 */
void sms_command_claim(const struct config *config, struct store *store,
		       const struct store_incoming_draft *draft,
		       struct store_command_claim *claim_out);

/* Is it a message that claims, or claimed, to be a command? By its flags. */
bool sms_command_is_marked(const struct message *message);

/* Reads a marked message by the configuration of now. */
void sms_command_read(const struct config *config, const struct message *message,
		      struct command_text *read_out);
