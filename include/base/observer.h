/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Observers: who wants to hear of a thing's events.
 *
 * Each observer is embedded in its owner and hears every event in the order of adding.
 * It may remove itself or others while being told: removed ones are skipped at once and
 * never touched afterwards. Who is added meanwhile hears from the next event on.
 * observers_notify() may nest.
 */
#ifndef BASE_OBSERVER_H
#define BASE_OBSERVER_H

#include <stdbool.h>
#include <sys/queue.h>

struct observers;

struct observer {
	/* the event's type: see the subject */
	void (*notify)(void *data, const void *event);
	void *data;
	/* private */
	struct observers *subject; /* NULL: not added */
	TAILQ_ENTRY(observer) link;
};

struct observers {
	TAILQ_HEAD(observer_list, observer) list;
	struct observers_walk *walks; /* notifications in progress */
};

void observers_init(struct observers *observers);
void observers_deinit(struct observers *observers); /* asserts that all have left */
void observer_add(struct observers *observers, struct observer *observer,
		  void (*notify)(void *data, const void *event), void *data);
void observer_remove(struct observer *observer); /* fine when not added */
void observers_notify(struct observers *observers, const void *event);

#endif
