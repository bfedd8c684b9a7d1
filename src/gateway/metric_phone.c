/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What oFono tells of modems and cards, and whether a message could be sent.
 */
#include <inttypes.h>
#include <stdio.h>

#include "tools/obstacle.h"
#include "gateway/metric.h"

enum { LABELS_BYTES = 48 };

void metric_ready(const struct metric_writer *writer)
{
	metric_put(writer, NULL, obstacle_is_none(writer->web->services));
}

void metric_not_ready(const struct metric_writer *writer)
{
	char labels[LABELS_BYTES];

	for (const struct obstacle *at = obstacle_table; at->name; at++) {
		snprintf(labels, sizeof(labels), "reason=\"%s\"", at->name);
		metric_put(writer, labels, at->holds(writer->web->services));
	}
}

void metric_dbus_calls(const struct metric_writer *writer)
{
	metric_put(writer, NULL, ofono_calls_sent(writer->web->services->ofono));
}

static bool is_any(const struct modem *modem)
{
	(void)modem;
	return true;
}

static bool is_powered(const struct modem *modem)
{
	return modem->powered;
}

static bool is_online(const struct modem *modem)
{
	return modem->online;
}

static void put_modems(const struct metric_writer *writer,
		       bool (*counts)(const struct modem *modem))
{
	const struct modem *modem;
	unsigned count = 0;

	TAILQ_FOREACH (modem, ofono_modems(writer->web->services->ofono), link)
		count += !modem_is_foreign(modem) && counts(modem);
	metric_put(writer, NULL, count);
}

void metric_modems(const struct metric_writer *writer)
{
	put_modems(writer, is_any);
}

void metric_modems_powered(const struct metric_writer *writer)
{
	put_modems(writer, is_powered);
}

void metric_modems_online(const struct metric_writer *writer)
{
	put_modems(writer, is_online);
}

/* No card that is in the list is absent. */
void metric_sims(const struct metric_writer *writer)
{
	unsigned counts[SIM_ABSENT] = { 0 };
	char labels[LABELS_BYTES];
	const struct sim *sim;

	TAILQ_FOREACH (sim, sims_list(writer->web->services->sims), link) {
		if (sim->state < SIM_ABSENT)
			counts[sim->state]++;
	}
	for (int state = 0; state < SIM_ABSENT; state++) {
		snprintf(labels, sizeof(labels), "state=\"%s\"",
			 sim_state_name((enum sim_state)state));
		metric_put(writer, labels, counts[state]);
	}
}

static void put_sims(const struct metric_writer *writer,
		     double (*value)(const struct sim *sim))
{
	char labels[LABELS_BYTES];
	const struct sim *sim;

	TAILQ_FOREACH (sim, sims_list(writer->web->services->sims), link) {
		snprintf(labels, sizeof(labels), "sim=\"%" PRId64 "\"", sim->id);
		metric_put_real(writer, labels, value(sim));
	}
}

static double readiness(const struct sim *sim)
{
	return sim->state == SIM_READY;
}

static double roaming(const struct sim *sim)
{
	return sim->roaming;
}

static double signal_ratio(const struct sim *sim)
{
	return sim->modem->network.strength / 100.0;
}

void metric_sim_ready(const struct metric_writer *writer)
{
	put_sims(writer, readiness);
}

void metric_sim_roaming(const struct metric_writer *writer)
{
	put_sims(writer, roaming);
}

void metric_sim_signal(const struct metric_writer *writer)
{
	put_sims(writer, signal_ratio);
}
