/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Asking: what all questions to persons have in common: the key, what was declined, and
 * those that wait for a client of the 2025 family.
 */
#ifndef MCP_ASKING_H
#define MCP_ASKING_H

#include <stdbool.h>
#include <sys/queue.h>
#include <systemd/sd-event.h>

#include "base/asking_key.h"

/* where it is kept, see store/store.h; 0 or an error, which is logged and lived with */
struct asking_shelf {
	int (*key)(void *data, struct asking_key *key);
	int (*close)(void *data, const char *order, int64_t until_ms);
	bool (*is_closed)(void *data, const char *order);
	void *data;
};

LIST_HEAD(elicitation_list, elicitation);

struct asking {
	const struct asking_shelf *shelf; /* NULL: memory only */
	sd_event *loop;			  /* NULL: nobody can be waited for */
	int64_t patience_seconds;	  /* for an answer; 0: nobody is asked in 2025 */
	struct asking_key key;
	struct elicitation_list elicitations;
	uint32_t epoch;	 /* ids of our requests differ from those of an earlier process */
	unsigned number; /* of the last */
};

/* `asking` has its first three members. 0 or -errno. */
int asking_init(struct asking *asking);

/* The person said no: whoever brings the same order again hears that. */
void asking_close(struct asking *asking, const char *order, int64_t until_ms);
bool asking_is_closed(struct asking *asking, const char *order);

#endif
