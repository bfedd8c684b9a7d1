/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Ofono probe: what the gateway does not need to know while it runs, asked once by a program
 * that may wait: each question blocks for OFONO_PROBE_MS at most. Never in the gateway.
 */
#ifndef OFONO_OFONO_PROBE_H
#define OFONO_OFONO_PROBE_H

#include <stdbool.h>
#include <stdint.h>

enum { OFONO_PROBE_MS = 3000 };

struct ofono_probe;

/* NULL: there is no bus, or it does not let us in. */
struct ofono_probe *ofono_probe_new(void);
void ofono_probe_free(struct ofono_probe *probe); /* NULL is fine */

/* Of ofonod; 0: it does not run, or nobody tells. */
int64_t ofono_probe_process(struct ofono_probe *probe);

/* Whether what the object tells of itself has these words in it. False: or it does not tell. */
bool ofono_probe_mentions(struct ofono_probe *probe, const char *path, const char *words);

/*
 * The bus, or oFono, does not let this user call the method. It is called where there is no
 * such object, without arguments: nothing comes of it.
 */
bool ofono_probe_is_refused(struct ofono_probe *probe, const char *interface,
			    const char *method);

/*
 * oFono itself does not let this user send messages with this modem: access control of
 * Sailfish OS, which the bus knows nothing of. It looks at the caller before the arguments,
 * and those are such that every oFono refuses them: nothing is sent.
 */
bool ofono_probe_may_not_send(struct ofono_probe *probe, const char *modem);

#endif
