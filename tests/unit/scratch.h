/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

/* Where tests put their files: in TMPDIR, which tests/check/keeper.py removes with all in it. */

#include <stdio.h>
#include <stdlib.h>

/*
 * For mkdtemp() or mkstemp(). Ends the program when `path` is too short: tests remove what it
 * names, and the beginning of TMPDIR names a folder of somebody else.
 */
static inline char *scratch_template(char *path, size_t size, const char *name)
{
	const char *folder = getenv("TMPDIR");

	int length = snprintf(path, size, "%s/%s.XXXXXX", folder ? folder : "/tmp", name);

	if (length < 0 || (size_t)length >= size) {
		fprintf(stderr, "TMPDIR is too long for these tests: %s\n", folder);
		exit(EXIT_FAILURE);
	}
	return path;
}
