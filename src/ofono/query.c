/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ofono/query.h"

#include <string.h>

#include "base/log.h"
#include "ofono/interface.h"

static bool is_worth_asking_again(const char *error_name)
{
	static const char *const names[] = {
		DBUS_ERROR_NO_REPLY,	    DBUS_ERROR_TIMEOUT,
		DBUS_ERROR_LIMITS_EXCEEDED, "org.ofono.Error.InProgress",
		"org.ofono.Error.Timedout",
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (strcmp(names[i], error_name) == 0)
			return true;
	}
	return false;
}

/* The first time oFono may just be busy, and after the second all is said. */
static void note_failure(const struct query *query, const char *error, bool is_over)
{
	if (query->asked.failures == 1 || is_over)
		log_warning("ofono: %s: %s tells nothing%s: %s", query->modem->path,
			    query->interface, is_over ? "" : " yet",
			    error ? error : "odd answer");
	else
		log_debug("ofono: %s: %s.GetProperties: %s", query->modem->path,
			  query->interface, error);
}

static void on_answer(void *data, DBusMessage *reply)
{
	struct query *query = data;
	DBusMessageIter dictionary;
	const char *error = dbus_message_get_error_name(reply);
	bool is_over;

	if (dbus_message_has_signature(reply, "a{sv}")) {
		dbus_message_iter_init(reply, &dictionary);
		query->answered(query->modem, &dictionary);
		return;
	}
	is_over = !error || !is_worth_asking_again(error);
	note_failure(query, error, is_over);
	if (!is_over)
		retried_call_back_off(&query->asked);
	query->answered(query->modem, NULL);
}

static DBusMessage *properties_message(void *data)
{
	const struct query *query = data;

	return ofono_message(query->modem->path, query->interface, "GetProperties");
}

static const struct retried_question properties_question = {
	.timeout_ms = OFONO_TIMEOUT_MS,
	.message = properties_message,
	.answered = on_answer,
};

void query_start(struct query *query)
{
	if (!query->asked.call)
		retried_call_start(&query->asked, query->modem, &properties_question,
				   query);
}

void query_stop(struct query *query)
{
	retried_call_stop(&query->asked);
}

bool query_is_waiting(const struct query *query)
{
	return query->asked.call && !query->asked.failures;
}
