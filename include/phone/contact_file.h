/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Contact file: the vCards that the owner wrote down for the gateway. It is read whole, which
 * takes as long as the disk does: at the start, when it changes, and when the owner asks.
 */
#ifndef PHONE_CONTACT_FILE_H
#define PHONE_CONTACT_FILE_H

#include "phone/contact_list.h"

enum {
	CONTACT_FILE_MAX = 8 * 1024 * 1024, /* bytes: photographs stand in such files */
	CONTACT_FILE_PROBLEM_BYTES = 320,
};

/*
 * 0 with the list, or -errno: -ENOENT there is none, -EFBIG it is larger than
 * CONTACT_FILE_MAX, -EINVAL it is no regular file. The problem is what the owner should know,
 * in either case; "" nothing.
 */
int contact_file_read(const char *path, struct contact_list **list_out,
		      char problem[CONTACT_FILE_PROBLEM_BYTES]);

#endif
