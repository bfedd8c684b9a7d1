/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ofono/retried_call.h"

#include "base/log.h"
#include "ofono/interface.h"

enum { PAUSE_MS = 500, PAUSE_MOST_MS = 60 * 1000 };

static void on_answer(void *data, DBusMessage *reply)
{
	struct retried_call *retried = data;

	retried->call = NULL;
	retried->question->answered(retried->data, reply);
}

static void ask(struct retried_call *retried)
{
	DBusMessage *message = retried->question->message(retried->data);

	if (message)
		retried->call =
			bus_call(ofono_bus(retried->modem->ofono), message,
				 retried->question->timeout_ms, on_answer, retried);
	if (!retried->call)
		log_error("ofono: %s: out of memory", retried->modem->path);
}

static int on_pause_over(sd_event_source *source, uint64_t usec, void *data)
{
	(void)source;
	(void)usec;
	ask(data);
	return 0;
}

void retried_call_start(struct retried_call *retried, struct modem *modem,
			const struct retried_question *question, void *data)
{
	retried_call_stop(retried);
	*retried = (struct retried_call){
		.modem = modem,
		.question = question,
		.data = data,
	};
	if (sd_event_add_time_relative(bus_loop(ofono_bus(modem->ofono)), &retried->pause,
				       CLOCK_MONOTONIC, 0, 1000, on_pause_over,
				       retried) < 0) {
		log_error("ofono: %s: out of memory", modem->path);
		return;
	}
	sd_event_source_set_enabled(retried->pause, SD_EVENT_OFF);
	ask(retried);
}

void retried_call_again(struct retried_call *retried, uint64_t pause_ms)
{
	retried->failures++;
	sd_event_source_set_time_relative(retried->pause, pause_ms * 1000);
	sd_event_source_set_enabled(retried->pause, SD_EVENT_ONESHOT);
}

void retried_call_back_off(struct retried_call *retried)
{
	uint64_t pause_ms = PAUSE_MS;

	for (unsigned i = 0; i < retried->failures && pause_ms < PAUSE_MOST_MS; i++)
		pause_ms *= 2;
	retried_call_again(retried, pause_ms < PAUSE_MOST_MS ? pause_ms : PAUSE_MOST_MS);
}

void retried_call_stop(struct retried_call *retried)
{
	bus_call_cancel(retried->call);
	retried->call = NULL;
	retried->pause = sd_event_source_disable_unref(retried->pause);
}
