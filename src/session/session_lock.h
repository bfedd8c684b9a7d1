/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Session lock: is the screen locked, as far as the desktop says? Three places are asked: logind's
 * LockedHint, and GetActive of the two screen savers that desktops offer on the session's bus. One
 * that says yes counts; one that does not exist says nothing.
 *
 * Sources: org.freedesktop.login1(5); org.freedesktop.ScreenSaver of the Idle Inhibition Service
 * draft; org.gnome.ScreenSaver.
 */
#pragma once

#include <stdbool.h>
#include <systemd/sd-event.h>

struct session_lock;

struct bus;

/* `session` is borrowed, and `system_address` that of the other bus. Returns 0 or -errno. */
int session_lock_new(sd_event *loop, struct bus *session, const char *system_address,
		     struct session_lock **lock_out);
void session_lock_free(struct session_lock *lock); /* NULL is fine; drops the question */

/*
 * Calls `known` later, once. One question at a time: a new one replaces the one under way, whose
 * `known` is not called.
 */
void session_lock_ask(struct session_lock *lock,
		      void (*known)(void *data, bool is_locked), void *data);
