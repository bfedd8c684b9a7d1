/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Records the events of a struct ofono as text.
 */
#pragma once

#include "bus_lab.h"

#include "ofono/ofono.h"

struct recorder {
	struct observer observer;
	char trace[32768]; /* "available added:/sim0 received:/sim0:hello " */
	int changes;	   /* MODEM_CHANGED, not in the trace */
	int bus_known;	   /* likewise */
	int conditions;	   /* likewise */
	struct modem last; /* of the last event with a modem, as it was then */
	struct ofono_event event;
	char sender[64], text[512], sent_time[40], local_sent_time[40];
};

__attribute__((format(printf, 2, 3))) static inline void recorder_add(
	struct recorder *recorder, const char *format, ...)
{
	size_t used = strlen(recorder->trace);
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(recorder->trace + used, sizeof(recorder->trace) - used, format,
		  arguments);
	va_end(arguments);
}

static inline void recorder_keep_message(struct recorder *recorder,
					 const struct ofono_event *event)
{
	snprintf(recorder->sender, sizeof(recorder->sender), "%s", event->sender);
	snprintf(recorder->text, sizeof(recorder->text), "%s", event->text);
	snprintf(recorder->sent_time, sizeof(recorder->sent_time), "%s",
		 event->sent_time);
	snprintf(recorder->local_sent_time, sizeof(recorder->local_sent_time), "%s",
		 event->local_sent_time);
}

static inline void recorder_notify(void *data, const void *event_data)
{
	struct recorder *recorder = data;
	const struct ofono_event *event = event_data;
	const char *path = event->modem ? event->modem->path : "";

	recorder->event = *event;
	if (event->modem)
		recorder->last = *event->modem;
	switch (event->type) {
	case OFONO_BUS_KNOWN:
		recorder->bus_known++;
		break;
	case OFONO_AVAILABLE:
		recorder_add(recorder, "available ");
		break;
	case OFONO_UNAVAILABLE:
		recorder_add(recorder, "unavailable ");
		break;
	case OFONO_CONDITION:
		recorder->conditions++;
		break;
	case OFONO_CHANGED:
		recorder_add(recorder, "changed ");
		break;
	case MODEM_ADDED:
		recorder_add(recorder, "added:%s ", path);
		break;
	case MODEM_CHANGED:
		recorder->changes++;
		break;
	case MODEM_REMOVED:
		recorder_add(recorder, "removed:%s ", path);
		break;
	case MESSAGE_ADDED:
		recorder_add(recorder, "sending:%s:%s ", path, event->uuid);
		break;
	case MESSAGE_REPORT:
		recorder_add(recorder, "report:%s:%s:%d ", path, event->uuid,
			     event->delivered);
		break;
	case MESSAGE_STATE:
		recorder_add(recorder, "state:%s:%s:%d ", path, event->uuid,
			     (int)event->state);
		break;
	case USSD_NOTIFIED:
		recorder_add(recorder, "notified:%s:%s ", path, event->text);
		break;
	case USSD_REQUESTED:
		recorder_add(recorder, "requested:%s:%s ", path, event->text);
		break;
	case CALL_ADDED:
		recorder_add(recorder, "call:%s:%s:%s ", event->call, event->call_state,
			     event->sender);
		break;
	case CALL_CHANGED:
		recorder_add(recorder, "call:%s:%s:%s ", event->call,
			     event->call_state ? event->call_state : "",
			     event->sender ? event->sender : "");
		break;
	case CALL_REMOVED:
		recorder_add(recorder, "call-over:%s ", event->call);
		break;
	case PHONEBOOK_READ:
		recorder_add(recorder, "phonebook:%s:%s ", path, event->text);
		break;
	case BROADCAST_RECEIVED:
		recorder_add(recorder, "broadcast:%s:%d:%s ", event->text, event->topic,
			     event->emergency ? event->emergency : "");
		break;
	case MESSAGE_RECEIVED:
		recorder_add(recorder, "received:%s:%s ", path, event->text);
		recorder_keep_message(recorder, event);
		break;
	}
}
