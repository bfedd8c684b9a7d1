/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Retried call: a D-Bus call about one modem, made again after a pause when whoever hears the
 * answer wants that. Private to src/ofono; embedded, and all zero before the first start.
 */
#ifndef OFONO_RETRIED_CALL_H
#define OFONO_RETRIED_CALL_H

#include <dbus/dbus.h>
#include <stdint.h>
#include <systemd/sd-event.h>

#include "bus/bus.h"
#include "ofono/modem.h"

/* What is asked, each time anew, and who hears the answer. */
struct retried_question {
	int timeout_ms;
	DBusMessage *(*message)(void *data); /* NULL: no memory; taken */
	bus_reply answered;
};

struct retried_call {
	struct modem *modem;
	const struct retried_question *question;
	void *data;
	struct bus_call *call;	/* NULL: none is under way */
	sd_event_source *pause; /* NULL: not started, or stopped */
	unsigned failures;	/* since the start: those after which it is made again */
};

/*
 * Asks now; what was under way or waited is given up. `question`, `modem` and `data`, which
 * is handed to both callbacks, outlive it. Without memory that is logged, and nobody hears.
 */
void retried_call_start(struct retried_call *retried, struct modem *modem,
			const struct retried_question *question, void *data);
/* Out of `answered`: makes it once more. */
void retried_call_again(struct retried_call *retried, uint64_t pause_ms);
/* The same after half a second, then ever later; the longest pause is a minute. */
void retried_call_back_off(struct retried_call *retried);
/* Nobody hears any more. Fine when it was not started. */
void retried_call_stop(struct retried_call *retried);

#endif
