/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Task alarm: some tasks become other ones because time passes, and nothing happens that
 * could be told. Who listens to one sets an alarm to look at it then.
 *
 * There is one timer, for the first of all alarms, and none while no alarm is set. It goes by
 * the wall clock, wherever that is set to.
 */
#ifndef MCP_TASK_ALARM_H
#define MCP_TASK_ALARM_H

#include <stdint.h>
#include <sys/queue.h>
#include <systemd/sd-event.h>

struct task_alarm { /* embedded in its owner; due_ms 0: not set */
	void (*ring)(
		struct task_alarm *alarm); /* it is not set any more; may set it anew */
	int64_t due_ms;
	TAILQ_ENTRY(task_alarm) link;
};

struct task_alarms {
	sd_event_source *timer;			      /* NULL: no alarm ever rings */
	TAILQ_HEAD(task_alarm_list, task_alarm) list; /* the first that is due first */
};

/* `loop` may be NULL: no alarm ever rings. 0 or -errno. */
int task_alarms_init(struct task_alarms *alarms, sd_event *loop);
void task_alarms_deinit(struct task_alarms *alarms); /* none is set */

/* In place of what it was set to; 0: it is not set any more. What is past is soon. */
void task_alarm_set(struct task_alarms *alarms, struct task_alarm *alarm, int64_t due_ms);

#endif
