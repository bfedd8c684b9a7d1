/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 *   modem appears -> Powered -> Online -> recorded, left alone
 *
 * When oFono cannot do a step now, the step is repeated after 2 s, 4 s, 8 s, ...,
 * MODEM_POWER_ATTEMPTS times in all. When it never can, or the bus forbids it, that is logged
 * and the modem is left alone.
 *
 * A modem that was on once is recorded in the message store until it is removed, together with the
 * run of ofonod, so a restarted gateway also leaves it alone. A restarted ofonod has all modems
 * off, so a record of an earlier run counts for nothing.
 */
#include "phone/modem_power.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "store/store_setting.h"

enum { MODEM_POWER_ATTEMPTS = 6, MODEM_POWER_PAUSE_USEC = 2 * 1000 * 1000 };

/* One modem that is being switched on. */
struct modem_power_job {
	struct modem_power *power;
	struct modem *modem;
	struct modem_switch *call;
	sd_event_source *pause; /* enabled: the step is due afterwards */
	enum modem_switch_target step;
	unsigned attempts; /* of this step */
	TAILQ_ENTRY(modem_power_job) link;
};

struct modem_power {
	sd_event *loop;
	struct ofono *ofono;
	struct store *store;
	struct observer ofono_observer;
	TAILQ_HEAD(modem_power_jobs, modem_power_job) jobs;
	bool was_refused; /* logged once */
};

/* ---- records */

/* The setting that records a modem. */
struct modem_power_key {
	char text[sizeof("power ") + sizeof(((struct modem *)0)->path)];
};

static struct modem_power_key modem_power_key(const struct modem *modem)
{
	struct modem_power_key key;

	snprintf(key.text, sizeof(key.text), "power %s", modem->path);
	return key;
}

/* What identifies this run of ofonod. Returns false if it is unknown. */
static bool modem_power_ofonod_run(const struct modem_power *power,
				   char run[STORE_SETTING_BYTES])
{
	const char *boot = clock_boot_id(), *owner = ofono_owner(power->ofono);
	int length = snprintf(run, STORE_SETTING_BYTES, "%s %s", boot, owner);

	return *boot && *owner && length < STORE_SETTING_BYTES;
}

/* If `run` is NULL, removes the record. */
static void modem_power_set_record(struct modem_power *power, const struct modem *modem,
				   const char *run)
{
	struct modem_power_key key = modem_power_key(modem);

	if (store_setting_set(power->store, key.text, run))
		log_warning("power: modem %s: cannot store whether it was on",
			    modem->path);
}

static void modem_power_record(struct modem_power *power, const struct modem *modem)
{
	char run[STORE_SETTING_BYTES];

	if (modem_power_ofonod_run(power, run))
		modem_power_set_record(power, modem, run);
}

static bool modem_power_is_recorded(const struct modem_power *power,
				    const struct modem *modem)
{
	char run[STORE_SETTING_BYTES], recorded[STORE_SETTING_BYTES];
	struct modem_power_key key = modem_power_key(modem);

	return modem_power_ofonod_run(power, run) &&
	       store_setting_get(power->store, key.text, recorded) == 0 &&
	       strcmp(run, recorded) == 0;
}

/* ---- switching on */

static void modem_power_job_free(struct modem_power_job *job)
{
	TAILQ_REMOVE(&job->power->jobs, job, link);
	modem_switch_stop(job->call);
	sd_event_source_disable_unref(job->pause);
	free(job);
}

static void modem_power_log_refusal(struct modem_power *power)
{
	if (!power->was_refused)
		log_warning("power: the bus does not let the gateway switch modems on; "
			    "copy its example power.conf to "
			    "/etc/dbus-1/system.d/ofono-mcp-power.conf, or run as root: "
			    "ofono-mcp modem on all");
	power->was_refused = true;
}

static void modem_power_give_up(struct modem_power_job *job)
{
	log_warning(
		"power: modem %s: oFono could not switch it on; run as root: ofono-mcp modem on %s",
		job->modem->path, job->modem->path);
	modem_power_job_free(job);
}

static void modem_power_schedule(struct modem_power_job *job, uint64_t usec)
{
	sd_event_source_set_time_relative(job->pause, usec);
	sd_event_source_set_enabled(job->pause, SD_EVENT_ONESHOT);
}

static void modem_power_retry(struct modem_power_job *job)
{
	if (job->attempts == MODEM_POWER_ATTEMPTS)
		modem_power_give_up(job);
	else
		modem_power_schedule(job, (uint64_t)MODEM_POWER_PAUSE_USEC
						  << (job->attempts - 1));
}

static void modem_power_on_step_done(struct modem_power_job *job)
{
	if (job->step == MODEM_SWITCH_ONLINE) {
		log_info("power: modem %s: switched on", job->modem->path);
		modem_power_record(job->power, job->modem);
		modem_power_job_free(job);
		return;
	}
	job->step = MODEM_SWITCH_ONLINE;
	job->attempts = 0;
	modem_power_schedule(job, 0);
}

static void modem_power_on_outcome(void *data, enum modem_switch_outcome outcome)
{
	struct modem_power_job *job = data;

	job->call = NULL;
	switch (outcome) {
	case MODEM_SWITCH_DONE:
		modem_power_on_step_done(job);
		break;
	case MODEM_SWITCH_BUSY:
	case MODEM_SWITCH_NOT_NOW:
	case MODEM_SWITCH_SILENT:
		modem_power_retry(job);
		break;
	case MODEM_SWITCH_REFUSED:
		modem_power_log_refusal(job->power);
		modem_power_job_free(job);
		break;
	case MODEM_SWITCH_IMPOSSIBLE:
		modem_power_give_up(job);
		break;
	case MODEM_SWITCH_UNREACHABLE: /* the modem is about to be removed */
		modem_power_job_free(job);
		break;
	}
}

static int modem_power_on_pause(sd_event_source *source, uint64_t usec, void *data)
{
	struct modem_power_job *job = data;

	job->attempts++;
	job->call =
		modem_switch(job->modem, job->step, true, modem_power_on_outcome, job);
	if (!job->call)
		modem_power_retry(job);
	return 0;
}

static bool modem_power_is_due(struct modem_power *power, const struct modem *modem)
{
	bool is_on = modem->powered && modem->online;

	/* The card of a "sap" modem is in another phone, which would lose its network. */
	if (modem_is_foreign(modem) || strcmp(modem->type, "sap") == 0)
		return false;
	if (modem_power_is_recorded(power, modem)) {
		if (!is_on)
			log_info("power: modem %s: it was on before, and stays as it is",
				 modem->path);
		return false;
	}
	if (is_on)
		modem_power_record(power, modem);
	return !is_on;
}

static void modem_power_on_added(struct modem_power *power, struct modem *modem)
{
	struct modem_power_job *job;

	if (!modem_power_is_due(power, modem))
		return;
	job = calloc(1, sizeof(*job));
	if (!job || sd_event_add_time_relative(power->loop, &job->pause, CLOCK_MONOTONIC,
					       0, 0, modem_power_on_pause, job) < 0) {
		log_error("power: modem %s: out of memory", modem->path);
		free(job);
		return;
	}
	job->power = power;
	job->modem = modem;
	job->step = modem->powered ? MODEM_SWITCH_ONLINE : MODEM_SWITCH_POWERED;
	TAILQ_INSERT_TAIL(&power->jobs, job, link);
}

static void modem_power_on_removed(struct modem_power *power, const struct modem *modem)
{
	struct modem_power_job *job;

	TAILQ_FOREACH (job, &power->jobs, link) {
		if (job->modem == modem)
			break;
	}
	if (job)
		modem_power_job_free(job);
	if (modem_power_is_recorded(power, modem))
		modem_power_set_record(power, modem, NULL);
}

static void modem_power_on_ofono_event(void *data, const void *event_data)
{
	const struct ofono_event *event = event_data;

	if (event->type == MODEM_ADDED)
		modem_power_on_added(data, event->modem);
	else if (event->type == MODEM_REMOVED)
		modem_power_on_removed(data, event->modem);
}

int modem_power_new(sd_event *loop, struct ofono *ofono, struct store *store,
		    struct modem_power **power_out)
{
	struct modem_power *power = calloc(1, sizeof(*power));
	struct modem *modem;

	if (!power)
		return -ENOMEM;
	power->loop = loop;
	power->ofono = ofono;
	power->store = store;
	TAILQ_INIT(&power->jobs);
	observer_add(ofono_observers(ofono), &power->ofono_observer,
		     modem_power_on_ofono_event, power);
	TAILQ_FOREACH (modem, ofono_modems(ofono), link)
		modem_power_on_added(power, modem);
	*power_out = power;
	return 0;
}

void modem_power_free(struct modem_power *power)
{
	struct modem_power_job *job;

	if (!power)
		return;
	observer_remove(&power->ofono_observer);
	while ((job = TAILQ_FIRST(&power->jobs)))
		modem_power_job_free(job);
	free(power);
}
