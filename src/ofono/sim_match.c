/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ofono/sim_match.h"

#include <string.h>

static bool are_equal(const char *one, const char *other)
{
	return *one && strcmp(one, other) == 0;
}

bool sim_match(const struct sim_facts *one, const struct sim_facts *other)
{
	return one->present && other->present &&
	       (are_equal(one->subscriber_identity, other->subscriber_identity) ||
		are_equal(one->card_identifier, other->card_identifier));
}
