/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Notifications: what the desktop shows to its user, by org.freedesktop.Notifications.
 *
 * A notification is embedded in its owner. It is shown when the desktop has a server for it,
 * and again when that server was restarted. What it says may change at any time: the newest
 * text is shown in place of the former one. A user who closes it does not see it again before
 * that.
 *
 * Source: Desktop Notifications Specification 1.2, https://specifications.freedesktop.org/notification-spec/
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/queue.h>
#include <systemd/sd-event.h>

struct bus;
struct notifications;

enum { NOTIFICATION_ACTIONS_MAX = 2, NOTIFICATION_KEY_BYTES = 48 };

struct notification_action {
	char key[NOTIFICATION_KEY_BYTES]; /* "" if there is none */
	const char *label;		  /* static text */
};

/* Valid UTF-8, without markup. */
struct notification_text {
	const char *summary, *body;
	const char
		*instead; /* behind the body if there are no buttons; NULL for nothing */
	struct notification_action actions[NOTIFICATION_ACTIONS_MAX];
	bool is_urgent;
};

struct notification {
	/* private */
	struct notifications *notifications; /* NULL while it is not to be shown */
	struct notification_text text;
	char *memory; /* of the text's strings */
	uint32_t id;  /* of the server; 0 if it does not show it */
	struct notifications_showing *showing; /* Notify is not answered; or NULL */
	bool is_stale;			       /* what it says has changed meanwhile */
	bool is_expired;		       /* the server took it away by itself */
	int64_t shown_ms;		       /* CLOCK_BOOTTIME */
	TAILQ_ENTRY(notification) link;
};

struct notifications_handlers {
	/* The session's bus is connected. */
	void (*on_connected)(void *data);
	/* The user has chosen an action, by its key. */
	void (*on_action)(void *data, struct notification *notification, const char *key);
};

/* `address` is that of the session's bus; `handlers` outlive this. Returns 0 or -errno. */
int notifications_new(sd_event *loop, const char *address,
		      const struct notifications_handlers *handlers, void *data,
		      struct notifications **notifications_out);
void notifications_free(struct notifications *notifications); /* NULL is fine */

/* Returns the connection to the session's bus, borrowed. */
struct bus *notifications_bus(const struct notifications *notifications);
/* Returns 0 or -ENOMEM, and then nothing has changed. The same text again is not shown anew. */
int notification_show(struct notifications *notifications,
		      struct notification *notification,
		      const struct notification_text *text);
/* Shows it once more as it was. */
void notification_repeat(struct notification *notification);
/*
 * Returns whether the desktop has taken it away, and not the user: GNOME keeps only the three
 * newest ones of a program.
 */
bool notification_is_expired(const struct notification *notification);
/* Returns how long the user could read what it says now, in milliseconds. */
int64_t notification_age(const struct notification *notification);
/* Takes it away. Fine if it is not shown. */
void notification_withdraw(struct notification *notification);
