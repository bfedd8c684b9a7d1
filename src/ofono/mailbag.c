/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ofono/mailbag.h"

#include <stdlib.h>

#include "base/log.h"

struct letter {
	DBusMessage *signal;
	TAILQ_ENTRY(letter) link;
};

static void free_letter(struct mailbag *bag, struct letter *letter)
{
	TAILQ_REMOVE(&bag->list, letter, link);
	bag->count--;
	dbus_message_unref(letter->signal);
	free(letter);
}

void mailbag_init(struct mailbag *bag)
{
	TAILQ_INIT(&bag->list);
	bag->count = 0;
}

void mailbag_clear(struct mailbag *bag)
{
	if (bag->count)
		log_warning("ofono: %zu signals about messages of unknown modems dropped",
			    bag->count);
	while (!TAILQ_EMPTY(&bag->list))
		free_letter(bag, TAILQ_FIRST(&bag->list));
}

bool mailbag_is_full(const struct mailbag *bag)
{
	return bag->count == MAILBAG_MAX;
}

void mailbag_put(struct mailbag *bag, DBusMessage *signal)
{
	struct letter *letter = NULL;

	if (bag->count < MAILBAG_MAX)
		letter = malloc(sizeof(*letter));
	if (!letter) {
		log_error("ofono: no room for a signal about a message: dropped");
		return;
	}
	letter->signal = dbus_message_ref(signal);
	TAILQ_INSERT_TAIL(&bag->list, letter, link);
	bag->count++;
}

void mailbag_empty(struct mailbag *bag, bool (*take)(void *data, DBusMessage *signal),
		   void *data)
{
	struct letter *letter = TAILQ_FIRST(&bag->list);

	while (letter) {
		struct letter *next = TAILQ_NEXT(letter, link);

		if (take(data, letter->signal))
			free_letter(bag, letter);
		letter = next;
	}
}
