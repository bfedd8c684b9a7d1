/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/reload.h"

#include "base/log.h"

static void on_changed(void *data, const char *section, const char *name, bool adopted)
{
	unsigned *count = data;

	++*count;
	if (adopted)
		log_info("reload: %s.%s: changed", section, name);
	else
		log_warning("reload: %s.%s: changed in the file, but it takes a restart",
			    section, name);
}

bool reload_config(struct config *config, const struct config_source *source)
{
	struct config_error problem = { "" };
	struct config next;
	unsigned count = 0;

	if (source->read(source->data, &next, &problem) != 0) {
		log_error("reload: everything stays as it was: %s", problem.text);
		return false;
	}
	config_adopt(config, &next, on_changed, &count);
	if (!count)
		log_info("reload: nothing changed");
	return true;
}
