/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Approvals: what waits for the owner's approval, each as a notification.
 */
#pragma once

#include <stdbool.h>
#include <systemd/sd-event.h>

#include "session/notification.h"
#include "session/session_lock.h"

struct approvals;

/* Borrows all of them. Returns 0 or -ENOMEM. */
int approvals_new(sd_event *loop, const char *control_socket,
		  struct notifications *notifications, struct session_lock *lock,
		  struct approvals **approvals_out);
void approvals_free(struct approvals *approvals); /* NULL is fine */

/* Reads the list again: something may have changed. */
void approvals_refresh(struct approvals *approvals);
/* Shows nothing any more: the gateway is away. */
void approvals_withdraw(struct approvals *approvals);

/* Decides what the user has chosen, if the notification is one of these. */
void approvals_take_action(struct approvals *approvals,
			   const struct notification *notification, const char *key);
