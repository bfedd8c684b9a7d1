/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Ofono program: which oFono runs, and what can be expected of it. Only root sees all of it.
 */
#ifndef CLI_OFONO_PROGRAM_H
#define CLI_OFONO_PROGRAM_H

#include <stdint.h>

#include "cli/doctor.h"
#include "ofono/ofono.h"
#include "ofono/ofono_probe.h"

enum { OFONO_PROGRAM_VERSION_BYTES = 32 };

struct ofono_program {
	int64_t process; /* 0: it does not run, or nobody tells */
	char version[OFONO_PROGRAM_VERSION_BYTES];
	bool is_sailfish;     /* of that line of forks */
	bool reports;	      /* of delivery, by itself */
	bool shows_its_parts; /* what it has loaded can be seen */
	bool has_plugin;      /* ours */
	bool is_old;	      /* 1.17 of UBports: it never tells of delivery */
};

void ofono_program_look(struct ofono_probe *probe, struct ofono_program *program);
/* What its modems show: of delivery, and how old it is. `probe` may be NULL. */
void ofono_program_look_at_modems(struct ofono_probe *probe,
				  struct ofono_program *program,
				  const struct ofono *ofono);
void ofono_program_tell(struct doctor *doctor, const struct ofono_program *program);

#endif
