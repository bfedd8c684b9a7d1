/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Each card is decided on once: when it asks for its PIN and the modem has told how many
 * tries it has. It is forgotten when the gateway ends, but what was tried is on disk.
 */
#include "phone/unlocker.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "ofono/sim_unlock.h"
#include "phone/pin_file.h"
#include "phone/pin_record.h"
#include "phone/sim_card.h"
#include "store/store_audit.h"

enum { CARDS_MAX = 16, ICCID_BYTES = sizeof(((struct modem_sim *)0)->card_identifier) };

struct unlocker {
	struct ofono *ofono;
	struct store *store;
	const struct config *config;
	struct observer observer;
	struct sim_unlock *under_way;
	char tail[8]; /* of the card that is being tried */
	char path[sizeof(((struct modem *)0)->path)]; /* the modem it is in */
	char decided[CARDS_MAX][ICCID_BYTES];
	unsigned count;
};

static bool is_decided(const struct unlocker *unlocker, const char *iccid)
{
	for (unsigned i = 0; i < unlocker->count; i++) {
		if (strcmp(unlocker->decided[i], iccid) == 0)
			return true;
	}
	return false;
}

static bool is_due(const struct unlocker *unlocker, const struct modem *modem)
{
	const struct modem_sim *facts = &modem->sim;

	return modem_sim_lock_of(facts) == SIM_LOCK_PIN && facts->card_identifier[0] &&
	       facts->pin_retries && unlocker->count < CARDS_MAX &&
	       !is_decided(unlocker, facts->card_identifier);
}

/* What the owner has to be told; NULL: nothing. */
static const char *flaw_of(int outcome)
{
	switch (outcome) {
	case 0:
	case PIN_FILE_E_NO_CARD:
		return NULL;
	case PIN_FILE_E_EXPOSED:
		return "it is not used: others can read it, or it is not root's; "
		       "chown root and chmod 600 it";
	case PIN_FILE_E_MALFORMED:
		return "it is not used: each line is an ICCID and a PIN";
	}
	return strerror(-outcome);
}

static void on_done(void *data, enum sim_unlock_outcome outcome);

/* False: it is none of this start's business any more. */
static bool note_try(const struct unlocker *unlocker, const struct modem *modem)
{
	const char *iccid = modem->sim.card_identifier;
	char boot[PIN_RECORD_BOOT_BYTES];
	int outcome = pin_record_boot(boot);

	if (!outcome)
		outcome = pin_record_note(unlocker->config->state_dir, boot, iccid);
	if (outcome == PIN_RECORD_E_TRIED)
		log_warning("unlock: SIM ...%s: its PIN was tried since this machine "
			    "started, and is not again; run: ofono-mcp unlock %s",
			    unlocker->tail, modem->path);
	else if (outcome)
		log_error("unlock: SIM ...%s: its PIN is not tried, for that cannot be "
			  "noted: %s",
			  unlocker->tail, strerror(-outcome));
	return !outcome;
}

static void try_pin(struct unlocker *unlocker, struct modem *modem, const char *pin)
{
	const struct sim_unlock_codes codes = { pin, NULL };

	if (modem->sim.pin_retries != UNLOCKER_TRIES) {
		log_warning("unlock: SIM ...%s: %u tries are left, so its PIN is not "
			    "tried by itself; run: ofono-mcp unlock %s",
			    unlocker->tail, modem->sim.pin_retries, modem->path);
		return;
	}
	if (!note_try(unlocker, modem))
		return;
	strcpy(unlocker->path, modem->path);
	unlocker->under_way = sim_unlock(modem, &codes, on_done, unlocker);
	if (!unlocker->under_way)
		log_error("unlock: out of memory");
}

static void decide(struct unlocker *unlocker, struct modem *modem)
{
	const char *iccid = modem->sim.card_identifier;
	char pin[PIN_BYTES] = "";
	int outcome = pin_file_find(unlocker->config->pin_file, iccid, pin);

	strcpy(unlocker->decided[unlocker->count++], iccid);
	snprintf(unlocker->tail, sizeof(unlocker->tail), "%s",
		 sim_card_tail(&modem->sim));
	if (flaw_of(outcome))
		log_warning("unlock: %s: %s", unlocker->config->pin_file,
			    flaw_of(outcome));
	if (!outcome)
		try_pin(unlocker, modem, pin);
	explicit_bzero(pin, sizeof(pin));
}

static void look(struct unlocker *unlocker)
{
	struct modem *modem;

	TAILQ_FOREACH (modem, ofono_modems(unlocker->ofono), link) {
		if (!unlocker->under_way && is_due(unlocker, modem))
			decide(unlocker, modem);
	}
}

static void note(const struct unlocker *unlocker, enum sim_unlock_outcome outcome)
{
	const struct audit_event_fact facts[] = {
		{ "outcome", sim_unlock_outcome_name(outcome) },
		{ "retries", NULL, UNLOCKER_TRIES },
		{ "by", "pin_file" },
		{ NULL },
	};

	if (store_audit_record(unlocker->store, AUDIT_SIM_UNLOCK, facts))
		log_warning("unlock: the audit does not have it");
}

static void on_done(void *data, enum sim_unlock_outcome outcome)
{
	struct unlocker *unlocker = data;

	unlocker->under_way = NULL;
	note(unlocker, outcome);
	if (outcome == UNLOCK_DONE)
		log_info("unlock: SIM ...%s: unlocked with its PIN of pin_file",
			 unlocker->tail);
	else if (outcome == UNLOCK_NOT_ALLOWED)
		log_error("unlock: SIM ...%s: the D-Bus policy does not let the gateway "
			  "enter its PIN; copy the example unlock.conf to "
			  "/etc/dbus-1/system.d, then run: ofono-mcp unlock %s",
			  unlocker->tail, unlocker->path);
	else
		log_error("unlock: SIM ...%s: its PIN of pin_file did not unlock it, and "
			  "is not tried again; run: ofono-mcp unlock %s",
			  unlocker->tail, unlocker->path);
	look(unlocker);
}

static void on_event(void *data, const void *event_data)
{
	const struct ofono_event *event = event_data;

	if (event->type == MODEM_ADDED || event->type == MODEM_CHANGED)
		look(data);
}

int unlocker_new(struct ofono *ofono, struct store *store, const struct config *config,
		 struct unlocker **unlocker_out)
{
	struct unlocker *unlocker = calloc(1, sizeof(*unlocker));

	if (!unlocker)
		return -ENOMEM;
	unlocker->ofono = ofono;
	unlocker->store = store;
	unlocker->config = config;
	if (*config->pin_file)
		observer_add(ofono_observers(ofono), &unlocker->observer, on_event,
			     unlocker);
	*unlocker_out = unlocker;
	return 0;
}

void unlocker_free(struct unlocker *unlocker)
{
	if (!unlocker)
		return;
	observer_remove(&unlocker->observer);
	sim_unlock_stop(unlocker->under_way);
	free(unlocker);
}
