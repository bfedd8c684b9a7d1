/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Folder owner: root works in the state folder as the user whose it is, so that what it makes
 * there is that user's, whose gateway could not open it otherwise.
 */
#ifndef CLI_FOLDER_OWNER_H
#define CLI_FOLDER_OWNER_H

#include <stdbool.h>

#include "base/explanation.h"

/*
 * From now on, until the process ends. Nothing for others than root, and where there is no
 * such folder yet. False, with the error's text: it cannot be.
 */
bool folder_owner_become(const char *folder, struct explanation *error);

#endif
