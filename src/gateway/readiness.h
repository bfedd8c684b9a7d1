/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Readiness: the moment from which the daemon may say that it is ready.
 *
 * That is when every message that oFono tells of from now on is heard: the bus took our
 * match rules. A bus that is not there keeps nobody waiting, and one that does not answer
 * does so for READINESS_TIMEOUT_MS at most.
 */
#ifndef GATEWAY_READINESS_H
#define GATEWAY_READINESS_H

#include <systemd/sd-event.h>

#include "base/observer.h"
#include "tools/services.h"

enum { READINESS_TIMEOUT_MS = 3000 };

struct readiness {
	struct observer ofono_observer;
	sd_event_source *timer;
	void (*ready)(void *data);
	void *data;
};

/* `ready` is called once, in a later turn of the loop. `services` outlive it. -errno */
int readiness_init(struct readiness *readiness, const struct services *services,
		   void (*ready)(void *data), void *data);
void readiness_deinit(struct readiness *readiness); /* fine when never begun, or over */

#endif
