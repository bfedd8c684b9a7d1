/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "fleet/fleet_topic.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#define FLEET_TOPIC_NAME_CHARACTERS "abcdefghijklmnopqrstuvwxyz0123456789-"
#define FLEET_TOPIC_PREFIX_CHARACTERS \
	FLEET_TOPIC_NAME_CHARACTERS "ABCDEFGHIJKLMNOPQRSTUVWXYZ_"

bool fleet_topic_is_name(const char *name)
{
	size_t length = strlen(name);

	return length > 0 && length < FLEET_NAME_BYTES && name[0] != '-' &&
	       strspn(name, FLEET_TOPIC_NAME_CHARACTERS) == length &&
	       strcmp(name, FLEET_HUB_NAME) != 0;
}

bool fleet_topic_is_prefix(const char *prefix)
{
	size_t length = strlen(prefix);

	return length > 0 && length < FLEET_PREFIX_BYTES &&
	       strspn(prefix, FLEET_TOPIC_PREFIX_CHARACTERS) == length;
}

void fleet_topic_rpc(const char *prefix, const char *phone, char topic[FLEET_TOPIC_BYTES])
{
	snprintf(topic, FLEET_TOPIC_BYTES, "%s/phone/%s/rpc", prefix, phone);
}

void fleet_topic_answer(const char *prefix, const char *phone,
			char topic[FLEET_TOPIC_BYTES])
{
	snprintf(topic, FLEET_TOPIC_BYTES, "%s/hub/answer/%s", prefix, phone);
}

void fleet_topic_here(const char *prefix, const char *phone,
		      char topic[FLEET_TOPIC_BYTES])
{
	snprintf(topic, FLEET_TOPIC_BYTES, "%s/phone/%s/here", prefix, phone);
}

/* The broker chose the topic: its name counts only if the topic is the one of that name. */
enum fleet_topic_kind fleet_topic_read(const char *prefix, const char *topic,
				       char phone[FLEET_NAME_BYTES])
{
	const char *last = strrchr(topic, '/');
	bool is_here = last && strcmp(last, "/here") == 0;
	const char *name = topic + strlen(prefix) + strlen("/phone/");
	char right[FLEET_TOPIC_BYTES], found[FLEET_NAME_BYTES] = "";

	if (!last || strlen(topic) >= FLEET_TOPIC_BYTES ||
	    strlen(topic) < strlen(prefix) + strlen("/phone//here"))
		return FLEET_TOPIC_OTHER;
	if (!is_here)
		name = last + 1;
	snprintf(found, sizeof(found), "%.*s", (int)strcspn(name, "/"), name);
	if (!fleet_topic_is_name(found))
		return FLEET_TOPIC_OTHER;
	if (is_here)
		fleet_topic_here(prefix, found, right);
	else
		fleet_topic_answer(prefix, found, right);
	if (strcmp(topic, right) != 0)
		return FLEET_TOPIC_OTHER;
	memcpy(phone, found, FLEET_NAME_BYTES);
	return is_here ? FLEET_TOPIC_HERE : FLEET_TOPIC_ANSWER;
}
