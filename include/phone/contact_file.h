/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Contact file: the vCards that the owner keeps for the gateway, and a watch on that file.
 *
 * Reading blocks for as long as the disk takes: it happens at the start, when the file
 * changes, and when the owner reloads the configuration.
 */
#ifndef PHONE_CONTACT_FILE_H
#define PHONE_CONTACT_FILE_H

#include <systemd/sd-event.h>

#include "phone/contact.h"

enum {
	CONTACT_FILE_MAX =
		8 * 1024 * 1024, /* bytes: photographs are part of such files */
	CONTACT_FILE_PROBLEM_BYTES = 320,
};

/*
 * 0 with the list, or -errno: -ENOENT there is none, -EFBIG larger than CONTACT_FILE_MAX,
 * -EINVAL not a regular file. `problem` tells the owner what is wrong, in either case; "" for
 * nothing.
 */
int contact_file_read(const char *path, struct contact_list **list_out,
		      char problem[CONTACT_FILE_PROBLEM_BYTES]);

struct contact_file_watch;

/*
 * `changed` runs 0.5 s after the file was written, replaced by rename, or removed, so that an
 * editor that writes it in pieces causes one call. Where the path is a link, its target counts
 * as well. `changed` never runs from in here; it may free the watch. 0 or -errno: -EACCES the
 * folder is not readable, -ENOENT there is none.
 */
int contact_file_watch_new(sd_event *loop, const char *path, void (*changed)(void *data),
			   void *data, struct contact_file_watch **watch_out);
void contact_file_watch_free(struct contact_file_watch *watch); /* NULL is fine */

#endif
