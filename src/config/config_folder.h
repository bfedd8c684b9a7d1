/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Configuration folder: files that are read over the main one, in the order of their
 * names, so that a package, a script and a person each have a file of their own.
 */
#ifndef CONFIG_CONFIG_FOLDER_H
#define CONFIG_CONFIG_FOLDER_H

#include "config/config.h"

enum { CONFIG_FOLDER_FILES_MAX = 64 };

/*
 * Every FOLDER/NAME.conf but those whose name begins with a dot. A later file wins, and a
 * list in it stands in the place of an earlier one. No such folder: 0. Else -errno or
 * -EINVAL with the error's text, and the configuration is as it was.
 */
int config_read_folder(struct config *config, const char *folder,
		       struct explanation *error);

#endif
