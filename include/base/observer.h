/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Observers: callbacks for the events of a subject.
 *
 * An observer is embedded in its owner. All observers get every event, in the order of adding.
 * During a notification they may remove themselves or others: a removed observer is skipped at
 * once and never touched afterwards; an added one gets the next event first.
 * observers_notify() may nest.
 */
#pragma once

#include <stdbool.h>
#include <sys/queue.h>

struct observers;

struct observer {
	/* the subject documents the type of `event` */
	void (*notify)(void *data, const void *event);
	void *data;
	/* private */
	struct observers *subject; /* NULL if not added */
	TAILQ_ENTRY(observer) link;
};

struct observers {
	TAILQ_HEAD(observer_list, observer) list;
	struct observers_walk *walks; /* notifications in progress */
};

void observers_init(struct observers *observers);
void observers_deinit(struct observers *observers); /* asserts that all were removed */
void observer_add(struct observers *observers, struct observer *observer,
		  void (*notify)(void *data, const void *event), void *data);
void observer_remove(struct observer *observer); /* also if not added */
void observers_notify(struct observers *observers, const void *event);
