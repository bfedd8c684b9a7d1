/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TEST_SCRATCH_H
#define TEST_SCRATCH_H

/* Where tests put their files: in TMPDIR, which tests/check/keeper.py removes with all in it. */

#include <stdio.h>
#include <stdlib.h>

/* For mkdtemp() or mkstemp(); these fail when `path` is too short. */
static inline char *scratch_template(char *path, size_t size, const char *name)
{
	const char *folder = getenv("TMPDIR");

	snprintf(path, size, "%s/%s.XXXXXX", folder ? folder : "/tmp", name);
	return path;
}

#endif
