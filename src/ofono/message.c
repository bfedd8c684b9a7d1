/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * org.ofono.Message: what became of a message, by its path.
 *
 * The object is gone right after its last State, so the signal is the only place where the
 * outcome appears.
 */
#include <string.h>

#include "ofono/interface.h"
#include "ofono/oddity.h"
#include "bus/property.h"

struct message_properties {
	char state[16];
};

static const struct property properties[] = {
	PROPERTY("State", PROPERTY_STRING, struct message_properties, state),
};

static const char *const words[] = {
	[MESSAGE_PENDING] = "pending",
	[MESSAGE_SENT] = "sent",
	[MESSAGE_FAILED] = "failed",
	[MESSAGE_CANCELLED] = "cancelled",
};

bool message_uuid(const char *path, char uuid[MESSAGE_UUID_BYTES])
{
	static const char prefix[] = "message_";
	const char *name = strrchr(path, '/') + 1;
	size_t length;

	if (strncmp(name, prefix, sizeof(prefix) - 1) == 0)
		name += sizeof(prefix) - 1;
	length = strnlen(name, MESSAGE_UUID_BYTES - 1);
	memcpy(uuid, name, length);
	uuid[length] = '\0';
	return length;
}

static void on_signal(struct modem *modem, DBusMessage *signal)
{
	struct message_properties message = { "" };
	char uuid[MESSAGE_UUID_BYTES];
	struct ofono_event event = { .type = MESSAGE_STATE,
				     .modem = modem,
				     .uuid = uuid };

	if (!property_changed(properties, 1, signal, &message))
		return;
	if (!message_uuid(dbus_message_get_path(signal), uuid))
		return;
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (strcmp(words[i], message.state) != 0)
			continue;
		event.state = (enum message_state_word)i;
		ofono_tell(modem->ofono, &event);
		return;
	}
	oddity_log(ODDITY_STATE, "message %s: unknown state \"%s\"", uuid, message.state);
}

const struct interface interface_message = {
	.name = "org.ofono.Message",
	.is_below = true,
	.is_about_a_sim = true,
	.signal = on_signal,
};
