/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Each notification in progress keeps a cursor (a walk) on the stack of its caller. Removing
 * an observer moves every cursor that points at it, so it is never called or touched
 * afterwards (tests/unit/test_observer.c).
 */
#include "base/observer.h"

#include <assert.h>
#include <stddef.h>

struct observers_walk {
	struct observers_walk *outer;
	struct observer *next;
	struct observer *last; /* later ones get only the next event */
};

static void observers_walk_advance(struct observers_walk *walk,
				   const struct observer *passed)
{
	walk->next = passed == walk->last ? NULL : TAILQ_NEXT(passed, link);
}

static void observers_walk_forget(struct observers_walk *walk,
				  const struct observer *observer)
{
	if (walk->next == observer)
		observers_walk_advance(walk, observer);
	if (walk->last == observer)
		walk->last = TAILQ_PREV(observer, observer_list, link);
}

void observers_init(struct observers *observers)
{
	TAILQ_INIT(&observers->list);
	observers->walks = NULL;
}

void observers_deinit(struct observers *observers)
{
	assert(TAILQ_EMPTY(&observers->list));
	assert(!observers->walks);
}

void observer_add(struct observers *observers, struct observer *observer,
		  void (*notify)(void *data, const void *event), void *data)
{
	observer->notify = notify;
	observer->data = data;
	observer->subject = observers;
	TAILQ_INSERT_TAIL(&observers->list, observer, link);
}

void observer_remove(struct observer *observer)
{
	struct observers_walk *walk;

	if (!observer->subject)
		return;
	for (walk = observer->subject->walks; walk; walk = walk->outer)
		observers_walk_forget(walk, observer);
	TAILQ_REMOVE(&observer->subject->list, observer, link);
	observer->subject = NULL;
}

void observers_notify(struct observers *observers, const void *event)
{
	struct observers_walk walk = {
		.outer = observers->walks,
		.next = TAILQ_FIRST(&observers->list),
		.last = TAILQ_LAST(&observers->list, observer_list),
	};

	observers->walks = &walk;
	while (walk.next) {
		struct observer *observer = walk.next;

		observers_walk_advance(&walk, observer);
		observer->notify(observer->data, event);
	}
	observers->walks = walk.outer;
}
