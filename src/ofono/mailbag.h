/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Mailbag: signals that bring messages, in order, while their modem or its card is not
 * known yet.
 *
 * oFono tells of a message once and keeps nothing, and at start it tells before we could
 * ask which modems there are. Private to src/ofono.
 */
#ifndef OFONO_MAILBAG_H
#define OFONO_MAILBAG_H

#include <dbus/dbus.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/queue.h>

enum { MAILBAG_MAX = 1000 };

struct mailbag {
	TAILQ_HEAD(mailbag_list, letter) list;
	size_t count;
};

void mailbag_init(struct mailbag *bag);
void mailbag_clear(struct mailbag *bag); /* what is left is lost, with a warning */
bool mailbag_is_full(const struct mailbag *bag);
/* Past MAILBAG_MAX the signal is lost, with a warning. */
void mailbag_put(struct mailbag *bag, DBusMessage *signal);
/* Takes out, oldest first, every signal for which `take` returns true. */
void mailbag_empty(struct mailbag *bag, bool (*take)(void *data, DBusMessage *signal),
		   void *data);

#endif
