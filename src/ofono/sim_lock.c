/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ofono/sim_lock.h"

#include <stddef.h>
#include <string.h>

enum sim_lock sim_lock_of(const struct sim_facts *facts)
{
	static const struct {
		const char *word;
		enum sim_lock lock;
	} rows[] = {
		{ "", SIM_LOCK_NONE },	   { "none", SIM_LOCK_NONE },
		{ "pin2", SIM_LOCK_NONE }, { "puk2", SIM_LOCK_NONE },
		{ "pin", SIM_LOCK_PIN },   { "puk", SIM_LOCK_PUK },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (strcmp(facts->pin_required, rows[i].word) == 0)
			return rows[i].lock;
	}
	return SIM_LOCK_OTHER;
}

bool sim_is_restricted(const struct sim_facts *facts)
{
	return facts->fixed_dialing || facts->barred_dialing;
}
