/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Contact watch: tells that the owner's file may be another, a moment after it was written,
 * replaced by rename, or taken away, so that an editor that writes it in pieces is told of
 * once. Where it is a link, what that leads to counts as well.
 */
#ifndef PHONE_CONTACT_WATCH_H
#define PHONE_CONTACT_WATCH_H

#include <systemd/sd-event.h>

struct contact_watch;

/*
 * 0 or -errno: -EACCES the folder may not be read, -ENOENT there is none. `changed` is never
 * called from in here; it may free the watch.
 */
int contact_watch_new(sd_event *loop, const char *path, void (*changed)(void *data),
		      void *data, struct contact_watch **watch_out);
void contact_watch_free(struct contact_watch *watch); /* NULL is fine */

#endif
