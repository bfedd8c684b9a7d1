/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "gateway/command.h"

#include <string.h>

#include "gateway/running.h"

/* In the arena of its call. */
struct command_tail {
	void (*forget)(void *data);
	void *data;
};

static void command_tail_end(struct control_call *call)
{
	struct command_tail *tail = call->state;

	tail->forget(tail->data);
	call->control->running->tail_count--;
}

void *command_tail_begin(struct control_call *call, size_t bytes,
			 void (*forget)(void *data))
{
	struct running *running = call->control->running;
	struct command_tail *tail = NULL;
	void *data;

	if (running->tail_count == RUNNING_TAILS_MAX) {
		control_call_fail(call, "busy", "End another one, then try again",
				  "%u programs already follow what happens",
				  running->tail_count);
		return NULL;
	}
	data = arena_alloc(call->arena, bytes);
	if (data)
		tail = arena_alloc(call->arena, sizeof(*tail));
	if (!tail) {
		control_call_fail(call, "internal", "Try again later", "out of memory");
		return NULL;
	}
	memset(data, 0, bytes);
	*tail = (struct command_tail){ forget, data };
	running->tail_count++;
	call->state = tail;
	call->abandoned = command_tail_end;
	return data;
}

void command_tail_end_if_over(struct control_call *call)
{
	if (!call->is_over)
		return;
	call->abandoned = NULL;
	command_tail_end(call);
}
