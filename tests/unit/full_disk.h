/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A disk that is full, for this process alone. */
#pragma once

#include <signal.h>
#include <stdbool.h>
#include <sys/resource.h>

#include <cmocka.h>

/* The disk takes no more bytes of this process; sockets and memory are not affected. */
static inline void fill_disk(bool full)
{
	struct rlimit limit;

	signal(SIGXFSZ, SIG_IGN);
	getrlimit(RLIMIT_FSIZE, &limit);
	limit.rlim_cur = full ? 1 : limit.rlim_max;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
}
