/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Ofono probe: questions to oFono and the bus that a command-line program asks once. Each
 * blocks for OFONO_PROBE_MS at most, so the gateway itself never uses it.
 */
#ifndef OFONO_OFONO_PROBE_H
#define OFONO_OFONO_PROBE_H

#include <stdbool.h>
#include <stdint.h>

enum { OFONO_PROBE_MS = 3000 };

struct ofono_probe;

/* NULL: there is no bus, or it refuses this user. */
struct ofono_probe *ofono_probe_new(void);
void ofono_probe_free(struct ofono_probe *probe); /* NULL is fine */

/* The process ID of ofonod; 0: it does not run, or the bus does not say. */
int64_t ofono_probe_process(struct ofono_probe *probe);

/* Does the object's introspection data contain `words`? False also without an answer. */
bool ofono_probe_mentions(struct ofono_probe *probe, const char *path, const char *words);

/*
 * The bus or oFono forbids this user to call the method. It is called on "/" without
 * arguments, where no such method exists: the call has no effect.
 */
bool ofono_probe_is_refused(struct ofono_probe *probe, const char *interface,
			    const char *method);

/*
 * oFono itself forbids this user to send messages with this modem: the access control of
 * Sailfish OS, which the bus does not know. oFono checks the caller before the arguments, and
 * every oFono refuses these arguments: nothing is sent.
 */
bool ofono_probe_may_not_send(struct ofono_probe *probe, const char *modem);

#endif
