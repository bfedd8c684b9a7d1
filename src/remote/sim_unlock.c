/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The hub has no PINs and sends none: a locked SIM is unlocked on its phone. */
#include "ofono/modem_call.h"
#include "remote/remote_private.h"

struct sim_unlock {
	sd_event_source *source;
	void (*done)(void *data, enum sim_unlock_outcome outcome);
	void *data;
};

const char *sim_unlock_outcome_name(enum sim_unlock_outcome outcome)
{
	return outcome == UNLOCK_IMPOSSIBLE ? "impossible" : "unknown";
}

static int sim_unlock_on_turn(sd_event_source *source, void *data)
{
	struct sim_unlock *self = data, copy = *self;

	sim_unlock_stop(self);
	copy.done(copy.data, UNLOCK_IMPOSSIBLE);
	return 0;
}

/* No code is valid here. */
bool sim_unlock_pin_is_valid(const char *pin)
{
	return false;
}

bool sim_unlock_puk_is_valid(const char *puk)
{
	return false;
}

struct sim_unlock *sim_unlock(struct modem *modem, const struct sim_unlock_codes *codes,
			      void (*done)(void *data, enum sim_unlock_outcome outcome),
			      void *data)
{
	struct sim_unlock *self = calloc(1, sizeof(*self));

	if (!self)
		return NULL;
	self->done = done;
	self->data = data;
	if (sd_event_add_defer(modem->ofono->loop, &self->source, sim_unlock_on_turn,
			       self) < 0) {
		free(self);
		return NULL;
	}
	return self;
}

void sim_unlock_stop(struct sim_unlock *unlock)
{
	if (!unlock)
		return;
	sd_event_source_disable_unref(unlock->source);
	free(unlock);
}
