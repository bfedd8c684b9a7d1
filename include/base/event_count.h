/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Event count: has anything happened since, by which a fact may be another one?
 *
 * It is counted where everything passes, so that nothing has to tell that it changed, and what
 * is added one day cannot forget to. An event is
 *  - every turn of the loop that served something else than HTTP: a signal of oFono, a timer,
 *    a command of the owner, SIGHUP;
 *  - every notification of observers;
 *  - every call of a tool that is not read-only;
 *  - that a buffer or an arena found no memory: what was written then may lack something.
 * What the ledger was told the store counts (store_change_count()). What only the clock changes
 * is no event.
 */
#ifndef BASE_EVENT_COUNT_H
#define BASE_EVENT_COUNT_H

#include <stdbool.h>
#include <stdint.h>

#include <systemd/sd-event.h>

void event_count_add(void);

/* For who serves HTTP, before anything else: this turn of the loop does nothing else. */
void event_count_serve(sd_event *loop);

/* False: this turn is not one that serves HTTP, so anything may have happened in it. */
bool event_count_read(sd_event *loop, uint64_t *count_out);

#endif
