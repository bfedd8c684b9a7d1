/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the hub leaves to the owner of each phone: PINs never travel, and nobody switches the
 * modem of a phone that is elsewhere. So each of these ends at once with the outcome for a modem
 * that cannot do it. The predicates on facts are those of src/ofono/modem.c.
 */
#include "ofono/modem_call.h"
#include "remote/remote_private.h"

struct modem_switch {
	sd_event_source *source;
	void (*done)(void *data, enum modem_switch_outcome outcome);
	void *data;
};

static int modem_switch_on_turn(sd_event_source *source, void *data)
{
	struct modem_switch *self = data, copy = *self;

	modem_switch_stop(self);
	copy.done(copy.data, MODEM_SWITCH_IMPOSSIBLE);
	return 0;
}

struct modem_switch *modem_switch(
	struct modem *modem, enum modem_switch_target target, bool on,
	void (*done)(void *data, enum modem_switch_outcome outcome), void *data)
{
	struct modem_switch *self = calloc(1, sizeof(*self));

	if (!self)
		return NULL;
	self->done = done;
	self->data = data;
	if (sd_event_add_defer(modem->ofono->loop, &self->source, modem_switch_on_turn,
			       self) < 0) {
		free(self);
		return NULL;
	}
	return self;
}

void modem_switch_stop(struct modem_switch *self)
{
	if (!self)
		return;
	sd_event_source_disable_unref(self->source);
	free(self);
}
