/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "gateway/reload.h"

#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "config/config.h"

struct reloaded_key {
	const char *section;
	const char *name;
	bool adopted;
};

struct reloading {
	struct control_reload *reload;
	struct config before;
	struct config next;
	struct reloaded_key keys[CONFIG_KEY_COUNT]; /* that differ */
	unsigned count;
};

static void on_changed(void *data, const char *section, const char *name, bool adopted)
{
	struct reloading *reloading = data;
	struct control_reload *reload = reloading->reload;

	reloading->keys[reloading->count++] =
		(struct reloaded_key){ section, name, adopted };
	if (adopted)
		log_info("reload: %s.%s: changed", section, name);
	else
		log_warning("reload: %s.%s: changed in the file, but it takes a restart",
			    section, name);
	if (reload->changed)
		reload->changed(reload->data, section, name, adopted);
}

/* NULL: no memory. To be freed. */
static char *write_value(const struct config *config, const struct reloaded_key *key)
{
	struct buffer text = BUFFER_INIT;

	config_write_value(config, key->section, key->name, &text);
	buffer_append(&text, "", 1);
	return buffer_take(&text, &(size_t){ 0 });
}

static int note_key(struct store *store, const struct reloading *reloading,
		    const struct reloaded_key *key)
{
	char *old = write_value(&reloading->before, key);
	char *new = write_value(&reloading->next, key);
	char name[64];
	int error;

	snprintf(name, sizeof(name), "%s.%s", key->section, key->name);
	error = store_audit_record(store, AUDIT_CONFIG_CHANGED,
				   (struct audit_event_fact[]){
					   { "key", name },
					   { "adopted", NULL, key->adopted },
					   { old ? "old" : NULL, old },
					   { new ? "new" : NULL, new },
					   { NULL },
				   });
	free(old);
	free(new);
	return error;
}

static int note_keys(void *data, struct store *store)
{
	const struct reloading *reloading = data;
	int error = 0;

	for (unsigned i = 0; !error && i < reloading->count; i++)
		error = note_key(store, reloading, &reloading->keys[i]);
	return error;
}

static void note(struct reloading *reloading, struct store *store)
{
	int error = 0;

	if (!reloading->count)
		log_info("reload: nothing changed");
	else
		error = store_audit_transaction(store, note_keys, reloading);
	if (error)
		log_warning("reload: the audit does not have it: %s",
			    error < 0 ? strerror(-error) : "the disk is full");
}

bool reload_config(struct config *config, const struct config_source *source,
		   struct store *store, struct control_reload *reload)
{
	struct reloading reloading = { .reload = reload, .before = *config };

	if (source->read(source->data, &reloading.next, &reload->error) != 0) {
		log_error("reload: everything stays as it was: %s", reload->error.text);
		return false;
	}
	config_adopt(config, &reloading.next, on_changed, &reloading);
	note(&reloading, store);
	return true;
}
