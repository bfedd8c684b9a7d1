/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "store/store_guest.h"

#include <errno.h>
#include <sys/stat.h>

#include "store/store_copy.h"
#include "store/store_file.h"
#include "store/store_lock.h"
#include "store/store_wal.h"

int store_guest_open(const char *folder, struct store_opening *opening)
{
	char wal[PATH_MAX];
	struct stat status;
	int error;

	if (!store_file_path(opening->path, folder, STORE_FILE, "") ||
	    !store_file_path(wal, folder, STORE_FILE, "-wal"))
		return store_opening_fail(opening, -ENAMETOOLONG, "too long");
	if (stat(opening->path, &status) < 0)
		return store_opening_fail(opening, -errno, "%m");
	if (!store_lock_is_taken(folder) &&
	    (store_file_is_cut_short(folder) || !store_wal_is_sound(wal)))
		return store_opening_fail(opening, -EUCLEAN,
					  "its -wal is damaged or not its own; start the "
					  "gateway, which goes on with what can be read");
	error = store_opening_connect(opening, SQLITE_OPEN_READONLY);
	return error ? error : store_copy_check_kind(opening);
}
