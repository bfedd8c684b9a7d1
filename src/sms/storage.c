/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sms/storage.h"

#include <sys/statvfs.h>

bool storage_has_room(const struct config *config)
{
	uint64_t reserve = (uint64_t)config->reserve_mib << 20;
	struct statvfs status;

	if (!reserve || statvfs(config->state_dir, &status) < 0)
		return true;
	return (uint64_t)status.f_bavail * status.f_frsize >= reserve;
}
