/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Fake calls: nothing is dialled; every function behaves as without memory.
 */
#pragma once

#include "ofono/modem_call.h"

struct voice_call_dial *voice_call_dial(
	struct modem *modem, const char *number, int limit_ms,
	void (*done)(void *data, const struct voice_call_dial_result *result), void *data)
{
	return NULL;
}

void voice_call_dial_stop(struct voice_call_dial *dial)
{
}

void voice_call_hang_up(struct modem *modem, const char *path)
{
}

struct voice_call_listing *voice_call_list(struct modem *modem,
					   void (*found)(void *data,
							 const struct voice_call *call),
					   void *data)
{
	return NULL;
}

void voice_call_listing_stop(struct voice_call_listing *listing)
{
}
