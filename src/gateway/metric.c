/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The samples of /metrics, in the order of metric.h: messages, modems and SIM cards,
 * HTTP and storage. They come from what the gateway already has in memory; only the
 * sizes of files and the limits are read when asked (metric_limits.h).
 */
#include "gateway/metric.h"

#include <inttypes.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

#include "base/clock.h"
#include "config/config.h"
#include "gateway/metric_limits.h"
#include "tools/obstacle.h"

static void metric_write_sample(const struct metric_writer *writer, const char *labels,
				const char *value)
{
	buffer_append_text(writer->text, writer->name);
	if (labels) {
		buffer_append_text(writer->text, "{");
		buffer_append_text(writer->text, labels);
		buffer_append_text(writer->text, "}");
	}
	buffer_append_text(writer->text, " ");
	buffer_append_text(writer->text, value);
	buffer_append_text(writer->text, "\n");
}

void metric_put(const struct metric_writer *writer, const char *labels, uint64_t value)
{
	char text[24];

	snprintf(text, sizeof(text), "%" PRIu64, value);
	metric_write_sample(writer, labels, text);
}

void metric_put_real(const struct metric_writer *writer, const char *labels, double value)
{
	char text[32];

	snprintf(text, sizeof(text), "%.15g", value);
	metric_write_sample(writer, labels, text);
}

/* Messages */

enum { LABELS_BYTES = 80 };

/* A SIM that is present has a row, with zeroes, from the first time on. */
static const struct message_counters *metric_counters(const struct metric_writer *writer)
{
	const struct sim *sim;

	TAILQ_FOREACH (sim, sims_list(writer->web->services->sims), link)
		message_counters_row(&writer->web->message_counters, sim->id);
	return &writer->web->message_counters;
}

static void metric_put_sim(const struct metric_writer *writer, int64_t sim_id,
			   uint64_t value)
{
	char labels[LABELS_BYTES];

	snprintf(labels, sizeof(labels), "sim=\"%" PRId64 "\"", sim_id);
	metric_put(writer, labels, value);
}

void metric_accepted(const struct metric_writer *writer)
{
	const struct message_counters *counters = metric_counters(writer);

	for (unsigned at = 0; at <= counters->count; at++)
		metric_put_sim(writer, counters->rows[at].sim_id,
			       counters->rows[at].accepted);
}

void metric_received(const struct metric_writer *writer)
{
	const struct message_counters *counters = metric_counters(writer);

	for (unsigned at = 0; at <= counters->count; at++)
		metric_put_sim(writer, counters->rows[at].sim_id,
			       counters->rows[at].received);
}

static void metric_put_states(const struct metric_writer *writer,
			      const struct message_counters_row *row)
{
	char labels[LABELS_BYTES];

	for (int state = STATE_QUEUED; state <= STATE_LAST; state++) {
		if (state == STATE_RECEIVED)
			continue;
		snprintf(labels, sizeof(labels), "sim=\"%" PRId64 "\",state=\"%s\"",
			 row->sim_id, message_state_name((enum message_state)state));
		metric_put(writer, labels, row->became[state]);
	}
}

void metric_became(const struct metric_writer *writer)
{
	const struct message_counters *counters = metric_counters(writer);

	for (unsigned at = 0; at <= counters->count; at++)
		metric_put_states(writer, &counters->rows[at]);
}

/* Several failures may share a code: the first of them has the count. */
void metric_refusals(const struct metric_writer *writer)
{
	const struct audit *audit = writer->web->services->audit;
	char labels[LABELS_BYTES];

	for (unsigned at = 0; at < FAILURE_COUNT; at++) {
		const char *code = failure_words(at)->code;

		if (failure_of_code(code) != at)
			continue;
		snprintf(labels, sizeof(labels), "code=\"%s\"", code);
		metric_put(writer, labels, audit_refusals(audit, at));
	}
}

void metric_queue(const struct metric_writer *writer)
{
	metric_put(writer, NULL, outbox_waiting(writer->web->services->outbox));
}

void metric_queue_limit(const struct metric_writer *writer)
{
	metric_put(writer, NULL, (uint64_t)writer->web->services->config->queue_limit);
}

void metric_approvals(const struct metric_writer *writer)
{
	metric_put(writer, NULL,
		   outbox_waiting_for_approval(writer->web->services->outbox));
}

void metric_unstored(const struct metric_writer *writer)
{
	metric_put(writer, NULL, inbox_unstored(writer->web->services->inbox));
}

static void metric_put_limits(const struct metric_writer *writer,
			      int64_t (*value)(const struct metric_limits_row *row))
{
	struct metric_limits *limits = &writer->web->limits;
	char labels[LABELS_BYTES];

	metric_limits_refresh(limits, writer->web->services);
	for (unsigned at = 0; at < limits->count; at++) {
		const struct metric_limits_row *row = &limits->rows[at];

		snprintf(labels, sizeof(labels), "sim=\"%" PRId64 "\",per=\"%s\"",
			 row->limit.id, limit_unit_name(row->limit.unit));
		metric_put(writer, labels, (uint64_t)value(row));
	}
}

static int64_t metric_limit_most(const struct metric_limits_row *row)
{
	return row->limit.most;
}

static int64_t metric_limit_rest(const struct metric_limits_row *row)
{
	return row->left;
}

void metric_limit(const struct metric_writer *writer)
{
	metric_put_limits(writer, metric_limit_most);
}

void metric_limit_left(const struct metric_writer *writer)
{
	metric_put_limits(writer, metric_limit_rest);
}

void metric_offline(const struct metric_writer *writer)
{
	int64_t offline_ms = inbox_gaps_ms(writer->web->services->inbox);

	metric_put_real(writer, NULL, (double)offline_ms / 1000);
}

/* oFono, modems and SIM cards */

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

static bool metric_counts_any(const struct modem *modem)
{
	(void)modem;
	return true;
}

static bool metric_counts_powered(const struct modem *modem)
{
	return modem->powered;
}

static bool metric_counts_online(const struct modem *modem)
{
	return modem->online;
}

static void metric_put_modems(const struct metric_writer *writer,
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
	metric_put_modems(writer, metric_counts_any);
}

void metric_modems_powered(const struct metric_writer *writer)
{
	metric_put_modems(writer, metric_counts_powered);
}

void metric_modems_online(const struct metric_writer *writer)
{
	metric_put_modems(writer, metric_counts_online);
}

/* SIM_ABSENT is the last state, and no SIM in the list has it. */
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

static void metric_put_sim_values(const struct metric_writer *writer,
				  double (*value)(const struct sim *sim))
{
	char labels[LABELS_BYTES];
	const struct sim *sim;

	TAILQ_FOREACH (sim, sims_list(writer->web->services->sims), link) {
		snprintf(labels, sizeof(labels), "sim=\"%" PRId64 "\"", sim->id);
		metric_put_real(writer, labels, value(sim));
	}
}

static double metric_sim_readiness(const struct sim *sim)
{
	return sim->state == SIM_READY;
}

static double metric_sim_roams(const struct sim *sim)
{
	return sim->roaming;
}

static double metric_sim_strength(const struct sim *sim)
{
	return sim->modem->network.strength / 100.0;
}

void metric_sim_ready(const struct metric_writer *writer)
{
	metric_put_sim_values(writer, metric_sim_readiness);
}

void metric_sim_roaming(const struct metric_writer *writer)
{
	metric_put_sim_values(writer, metric_sim_roams);
}

void metric_sim_signal(const struct metric_writer *writer)
{
	metric_put_sim_values(writer, metric_sim_strength);
}

/* HTTP and storage */

void metric_build(const struct metric_writer *writer)
{
	metric_put(writer, "version=\"" OFONO_MCP_VERSION "\"", 1);
}

void metric_connections(const struct metric_writer *writer)
{
	metric_put(writer, NULL, http_server_connections(writer->web->server));
}

void metric_connections_opened(const struct metric_writer *writer)
{
	metric_put(writer, NULL, http_server_counts(writer->web->server)->connections);
}

void metric_streams(const struct metric_writer *writer)
{
	metric_put(writer, NULL, http_server_streams(writer->web->server));
}

void metric_sessions(const struct metric_writer *writer)
{
	metric_put(writer, NULL, endpoint_session_count(writer->web->endpoint));
}

/* Only statuses that were used. */
void metric_responses(const struct metric_writer *writer)
{
	const struct http_server_counts *counts = http_server_counts(writer->web->server);
	char labels[LABELS_BYTES];

	for (unsigned status = 0; status <= HTTP_SERVER_STATUS_MAX; status++) {
		if (!counts->answers[status])
			continue;
		snprintf(labels, sizeof(labels), "code=\"%u\"", status);
		metric_put(writer, labels, counts->answers[status]);
	}
}

void metric_auth_failures(const struct metric_writer *writer)
{
	metric_put(writer, NULL, audit_auth_failures(writer->web->services->audit));
}

void metric_commits(const struct metric_writer *writer)
{
	metric_put(writer, NULL, store_commits(writer->web->services->store));
}

void metric_store_size(const struct metric_writer *writer)
{
	static const char *const files[] = { "gateway.db", "gateway.db-wal" };
	const char *folder = writer->web->services->config->state_dir;
	char path[CONFIG_TEXT_BYTES + 16];
	struct stat status;
	uint64_t size = 0;

	for (size_t at = 0; at < sizeof(files) / sizeof(files[0]); at++) {
		snprintf(path, sizeof(path), "%s/%s", folder, files[at]);
		if (stat(path, &status) == 0)
			size += (uint64_t)status.st_size;
	}
	metric_put(writer, NULL, size);
}

/* No sample if the file system does not report it. */
void metric_storage_free(const struct metric_writer *writer)
{
	struct statvfs status;

	if (statvfs(writer->web->services->config->state_dir, &status) == 0)
		metric_put(writer, NULL, (uint64_t)status.f_bavail * status.f_frsize);
}

void metric_storage_reserve(const struct metric_writer *writer)
{
	uint64_t mib = (uint64_t)writer->web->services->config->reserve_mib;

	metric_put(writer, NULL, mib << 20);
}
