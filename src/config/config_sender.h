/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Checks the lists of senders under [incoming]: numbers and names, or beginnings that end with *,
 * separated by commas. sms/sender.h reads them.
 */
#pragma once

#include <stdbool.h>

#include "config/config_list.h"

struct explanation;

/* Returns 0, or -EINVAL with the error's text: an entry makes everybody the owner. */
int config_sender_check_owners(const struct config_list *owners,
			       struct explanation *error);
/*
 * Finds the next entry that no message can come from, and continues behind it. Such an entry is
 * only worth a warning: earlier versions accepted it. Returns false if there is none.
 */
bool config_sender_next_useless(const char **at_inout, char entry_out[CONFIG_TEXT_BYTES]);
