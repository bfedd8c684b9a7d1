/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The owner of the gateway in fuzz_gateway.h: commands as the control socket delivers
 * them. */
#pragma once

#include "fuzz_gateway.h"

enum { OWNER_CALLS_MOST = 8 };

static struct control_call owner_calls[OWNER_CALLS_MOST];
static unsigned owner_call_count;

/* Each line of an answer is JSON. */
static void on_line(void *data, const char *line, size_t length, bool last)
{
	if (fuzz_starve)
		fuzz_starve(false);
	FUZZ_CHECK(!memchr(line, '\n', length));
	fuzz_check_json(line, length);
	if (fuzz_starve)
		fuzz_starve(true);
}

static inline void owner_ask(const char *request, size_t length)
{
	struct control_call *call = &owner_calls[owner_call_count];
	bool is_begun;

	if (owner_call_count == OWNER_CALLS_MOST || length > CONTROL_REQUEST_MAX)
		return;
	owner_call_count++;
	FUZZ_TRY(is_begun = control_call_init(call, &gateway.control, on_line, call));
	FUZZ_CHECK(is_begun || fuzz_starve);
	if (is_begun)
		FUZZ_TRY(control_call_run(call, request, length));
}

/* The client disconnects. */
static inline void owner_end(void)
{
	while (owner_call_count > 0)
		control_call_deinit(&owner_calls[--owner_call_count]);
}
