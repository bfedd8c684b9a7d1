/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What becomes of messages, and what keeps them.
 */
#include <inttypes.h>
#include <stdio.h>

#include "config/config.h"
#include "gateway/metric.h"

enum { LABELS_BYTES = 80 };

/* Those that are there have a row of the counters from the first time on, with zeroes. */
static const struct message_counters *metric_sms_counters(
	const struct metric_writer *writer)
{
	const struct sim *sim;

	TAILQ_FOREACH (sim, sims_list(writer->web->services->sims), link)
		message_counters_row(&writer->web->message_counters, sim->id);
	return &writer->web->message_counters;
}

static void put_of_sim(const struct metric_writer *writer, int64_t sim_id, uint64_t value)
{
	char labels[LABELS_BYTES];

	snprintf(labels, sizeof(labels), "sim=\"%" PRId64 "\"", sim_id);
	metric_put(writer, labels, value);
}

void metric_accepted(const struct metric_writer *writer)
{
	const struct message_counters *counters = metric_sms_counters(writer);

	for (unsigned at = 0; at <= counters->count; at++)
		put_of_sim(writer, counters->rows[at].sim_id,
			   counters->rows[at].accepted);
}

void metric_received(const struct metric_writer *writer)
{
	const struct message_counters *counters = metric_sms_counters(writer);

	for (unsigned at = 0; at <= counters->count; at++)
		put_of_sim(writer, counters->rows[at].sim_id,
			   counters->rows[at].received);
}

static void put_states(const struct metric_writer *writer,
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
	const struct message_counters *counters = metric_sms_counters(writer);

	for (unsigned at = 0; at <= counters->count; at++)
		put_states(writer, &counters->rows[at]);
}

/* Several failures may have one code: the first of them has the count. */
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

static void put_limits(const struct metric_writer *writer,
		       int64_t (*value)(const struct metric_limit *row))
{
	struct metric_limits *limits = &writer->web->limits;
	char labels[LABELS_BYTES];

	metric_limits_refresh(limits, writer->web->services);
	for (unsigned at = 0; at < limits->count; at++) {
		const struct metric_limit *row = &limits->rows[at];

		snprintf(labels, sizeof(labels), "sim=\"%" PRId64 "\",per=\"%s\"",
			 row->limit.id, limit_unit_name(row->limit.unit));
		metric_put(writer, labels, (uint64_t)value(row));
	}
}

static int64_t most(const struct metric_limit *row)
{
	return row->limit.most;
}

static int64_t left(const struct metric_limit *row)
{
	return row->left;
}

void metric_limit(const struct metric_writer *writer)
{
	put_limits(writer, most);
}

void metric_limit_left(const struct metric_writer *writer)
{
	put_limits(writer, left);
}

void metric_deaf(const struct metric_writer *writer)
{
	int64_t deaf_ms = inbox_gaps_ms(writer->web->services->inbox);

	metric_put_real(writer, NULL, (double)deaf_ms / 1000);
}
