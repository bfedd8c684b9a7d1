/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "mcp/task_alarm.h"

#include <assert.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/log.h"

/* Whoever is still the same when its time has come is not looked at without end. */
enum { SOON_MS = 1000, USEC_PER_MS = 1000 };

static void set_timer(const struct task_alarms *alarms)
{
	const struct task_alarm *first = TAILQ_FIRST(&alarms->list);
	int error;

	if (!first) {
		sd_event_source_set_enabled(alarms->timer, SD_EVENT_OFF);
		return;
	}
	error = sd_event_source_set_time(alarms->timer,
					 (uint64_t)first->due_ms * USEC_PER_MS);
	if (error >= 0)
		error = sd_event_source_set_enabled(alarms->timer, SD_EVENT_ONESHOT);
	if (error < 0)
		log_error("mcp: no alarm for tasks: %s", strerror(-error));
}

static void insert(struct task_alarms *alarms, struct task_alarm *alarm)
{
	struct task_alarm *later;

	TAILQ_FOREACH (later, &alarms->list, link) {
		if (later->due_ms > alarm->due_ms) {
			TAILQ_INSERT_BEFORE(later, alarm, link);
			return;
		}
	}
	TAILQ_INSERT_TAIL(&alarms->list, alarm, link);
}

static void clear(struct task_alarms *alarms, struct task_alarm *alarm)
{
	if (!alarm->due_ms)
		return;
	TAILQ_REMOVE(&alarms->list, alarm, link);
	alarm->due_ms = 0;
}

void task_alarm_set(struct task_alarms *alarms, struct task_alarm *alarm, int64_t due_ms)
{
	int64_t soon_ms = clock_wall_ms() + SOON_MS;

	if (!alarms->timer || due_ms == alarm->due_ms)
		return;
	clear(alarms, alarm);
	if (due_ms) {
		alarm->due_ms = due_ms > soon_ms ? due_ms : soon_ms;
		insert(alarms, alarm);
	}
	set_timer(alarms);
}

/* What is set anew is due later. */
static int on_time(sd_event_source *source, uint64_t usec, void *data)
{
	struct task_alarms *alarms = data;
	int64_t now_ms = clock_wall_ms();
	struct task_alarm *alarm;

	(void)source;
	(void)usec;
	while ((alarm = TAILQ_FIRST(&alarms->list)) && alarm->due_ms <= now_ms) {
		clear(alarms, alarm);
		alarm->ring(alarm);
	}
	set_timer(alarms);
	return 0;
}

int task_alarms_init(struct task_alarms *alarms, sd_event *loop)
{
	int error;

	*alarms = (struct task_alarms){ 0 };
	TAILQ_INIT(&alarms->list);
	if (!loop)
		return 0;
	error = sd_event_add_time(loop, &alarms->timer, CLOCK_REALTIME, UINT64_MAX, 0,
				  on_time, alarms);
	if (error < 0)
		return error;
	return sd_event_source_set_enabled(alarms->timer, SD_EVENT_OFF);
}

void task_alarms_deinit(struct task_alarms *alarms)
{
	assert(TAILQ_EMPTY(&alarms->list));
	alarms->timer = sd_event_source_disable_unref(alarms->timer);
}
