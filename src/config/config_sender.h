/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Checks the lists of senders under [incoming]: numbers and names, or beginnings that end with *,
 * separated by commas. sms/sender.h reads them.
 */
#pragma once

#include "config/config_list.h"

struct explanation;

/* 0, or -EINVAL with the error's text: no message can come from one of them. */
int config_sender_check_list(const char *key, const struct config_list *list,
			     struct explanation *error);
