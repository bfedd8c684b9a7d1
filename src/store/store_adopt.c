/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "store/store_adopt.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "store/store.h"
#include "store/audit_chain.h"
#include "store/store_carry.h"
#include "store/store_copy.h"
#include "store/store_file.h"

/* https://www.sqlite.org/fileformat2.html: 1 is a file without, 2 one with a -wal */
enum { READ_VERSION_AT = 19, WITHOUT_LOG = 1 };

bool store_adopt_is_due(const struct store_opening *opening)
{
	int fd = open(opening->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	char version = 0;
	bool is_due;

	if (fd < 0)
		return false;
	is_due = pread(fd, &version, 1, READ_VERSION_AT) == 1 && version == WITHOUT_LOG;
	close(fd);
	return is_due;
}

int store_adopt_prepare(struct store_opening *opening, const char *folder)
{
	int error = store_file_set_log_aside(folder);

	if (error)
		return store_opening_fail(opening, error,
					  "a -wal that is not its own cannot be moved "
					  "aside: %s",
					  strerror(-error));
	return 0;
}

static int settle(struct store_opening *opening)
{
	sqlite3 *database = opening->database;
	int result = store_carry_numbers(NULL, database);

	if (!result)
		result = store_carry_settle(database, STORE_GAP_RESTORED, 0);
	if (!result)
		result = audit_chain_add(database, AUDIT_LEDGER_RESTORED, "{}");
	if (!result)
		return 0;
	return store_opening_fail(opening, -EIO, "cannot be written: %s",
				  sqlite3_errmsg(database));
}

int store_adopt(struct store_opening *opening)
{
	int error = store_opening_check(opening, "quick_check");

	if (!error)
		error = store_copy_check_kind(opening);
	if (!error)
		error = store_opening_migrate(opening);
	if (!error)
		error = settle(opening);
	if (!error)
		log_warning(
			"store: %s is a backup that was copied there: what was on its "
			"way in it is unknown now, and is not sent",
			opening->path);
	return error;
}
