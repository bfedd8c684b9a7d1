/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config/config_folder.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

static const char ending[] = ".conf";

static int is_wanted(const struct dirent *entry)
{
	size_t length = strlen(entry->d_name);

	return entry->d_name[0] != '.' && length >= sizeof(ending) &&
	       strcmp(entry->d_name + length - (sizeof(ending) - 1), ending) == 0;
}

/* As bytes, whatever the language of the phone. */
static int by_name(const struct dirent **one, const struct dirent **other)
{
	return strcmp((*one)->d_name, (*other)->d_name);
}

static int fail(struct explanation *error, const char *folder, int result)
{
	return explanation_set(error, result, "%s: %s", folder,
			       result == -E2BIG ? "too many files" : strerror(-result));
}

static int read_file(struct config *config, const char *folder, const char *name,
		     struct explanation *error)
{
	char path[PATH_MAX];

	if (snprintf(path, sizeof(path), "%s/%s", folder, name) >= (int)sizeof(path))
		return fail(error, folder, -ENAMETOOLONG);
	return config_read(config, path, error);
}

int config_read_folder(struct config *config, const char *folder,
		       struct explanation *error)
{
	struct dirent **entries = NULL;
	struct config read = *config;
	int count = scandir(folder, &entries, is_wanted, by_name);
	int result = 0;

	if (count < 0)
		return errno == ENOENT ? 0 : fail(error, folder, -errno);
	if (count > CONFIG_FOLDER_FILES_MAX)
		result = fail(error, folder, -E2BIG);
	for (int i = 0; i < count && result == 0; i++)
		result = read_file(&read, folder, entries[i]->d_name, error);
	for (int i = 0; i < count; i++)
		free(entries[i]);
	free(entries);
	if (result == 0)
		*config = read;
	return result;
}
