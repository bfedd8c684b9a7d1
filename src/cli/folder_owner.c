/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/folder_owner.h"

#include <grp.h>
#include <pwd.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

/* Those with which the service runs, too: what a group may read, it may. */
static bool take_groups(const struct stat *status)
{
	const struct passwd *user = getpwuid(status->st_uid);

	return user ? initgroups(user->pw_name, status->st_gid) == 0
		    : setgroups(0, NULL) == 0;
}

bool folder_owner_become(const char *folder, struct explanation *error)
{
	struct stat status;

	if (geteuid() != 0 || stat(folder, &status) < 0 || status.st_uid == 0)
		return true;
	if (take_groups(&status) && setegid(status.st_gid) == 0 &&
	    seteuid(status.st_uid) == 0)
		return true;
	snprintf(error->text, sizeof(error->text),
		 "%s belongs to uid %u, whose files must stay its own: run it as that "
		 "user (%m)",
		 folder, (unsigned)status.st_uid);
	return false;
}
