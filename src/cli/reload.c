/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/reload.h"

#include "base/log.h"

struct telling {
	struct control_reload *reload;
	unsigned count;
};

static void on_changed(void *data, const char *section, const char *name, bool adopted)
{
	struct telling *telling = data;
	struct control_reload *reload = telling->reload;

	telling->count++;
	if (adopted)
		log_info("reload: %s.%s: changed", section, name);
	else
		log_warning("reload: %s.%s: changed in the file, but it takes a restart",
			    section, name);
	if (reload->changed)
		reload->changed(reload->data, section, name, adopted);
}

bool reload_config(struct config *config, const struct config_source *source,
		   struct control_reload *reload)
{
	struct telling telling = { .reload = reload };
	struct config next;

	if (source->read(source->data, &next, &reload->error) != 0) {
		log_error("reload: everything stays as it was: %s", reload->error.text);
		return false;
	}
	config_adopt(config, &next, on_changed, &telling);
	if (!telling.count)
		log_info("reload: nothing changed");
	return true;
}
