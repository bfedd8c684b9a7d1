/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "gateway/descriptors.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <sys/resource.h>

#include "base/log.h"
#include "config/config.h"
#include "base/explanation.h"

static int lower(struct config *config, rlim_t allowed, struct explanation *error)
{
	rlim_t served = allowed > DESCRIPTORS_OWN
				? (allowed - DESCRIPTORS_OWN) / DESCRIPTORS_EACH
				: 0;

	if (!served)
		return explanation_set(
			error, -EMFILE,
			"this process may open %ju files, and needs more than %d: raise "
			"LimitNOFILE= of the service, or `ulimit -n`",
			(uintmax_t)allowed, DESCRIPTORS_OWN + DESCRIPTORS_EACH - 1);

	log_warning(
		"max_connections is %" PRId64 ", but this process may open %ju files: "
		"%ju connections are served; raise LimitNOFILE= of the service for more",
		config->max_connections, (uintmax_t)allowed, (uintmax_t)served);
	config->max_connections = (int64_t)served;
	return 0;
}

int descriptors_provide(struct config *config, struct explanation *error)
{
	rlim_t needed =
		(rlim_t)config->max_connections * DESCRIPTORS_EACH + DESCRIPTORS_OWN;
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) < 0)
		return -errno;
	if (limit.rlim_cur >= needed)
		return 0;
	limit.rlim_cur = limit.rlim_max < needed ? limit.rlim_max : needed;
	if (setrlimit(RLIMIT_NOFILE, &limit) < 0)
		return -errno;
	return limit.rlim_cur < needed ? lower(config, limit.rlim_cur, error) : 0;
}
