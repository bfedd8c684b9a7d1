/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Metric: one figure of the gateway, as a row of one table, in Prometheus' text format.
 *
 * A row tells name, type and help, and has a function that writes its samples from what is
 * known already. Labels are numbers and words of our own tables: never a phone number, a
 * card, an operator, a client or anything that somebody wrote. So none needs escaping.
 *
 * Source: Prometheus, "Exposition formats", text format version 0.0.4.
 */
#ifndef GATEWAY_METRIC_H
#define GATEWAY_METRIC_H

#include "gateway/web_route.h"

struct metric_writer {
	struct buffer *text;
	struct web *web;
	const char *name; /* of the metric that is being written */
};

struct metric {
	const char *name; /* a counter's ends with _total; units stand in it */
	const char *type; /* "counter", "gauge" */
	const char *help;
	void (*write)(const struct metric_writer *writer);
};

extern const struct metric metric_table[]; /* ends with a NULL name */

/* One sample; `labels`: 'sim="1",state="sent"', NULL none. */
void metric_put(const struct metric_writer *writer, const char *labels, uint64_t value);
void metric_put_real(const struct metric_writer *writer, const char *labels,
		     double value);

/* The table's functions: metric_sms.c */
void metric_accepted(const struct metric_writer *writer);
void metric_received(const struct metric_writer *writer);
void metric_became(const struct metric_writer *writer);
void metric_refusals(const struct metric_writer *writer);
void metric_queue(const struct metric_writer *writer);
void metric_queue_limit(const struct metric_writer *writer);
void metric_approvals(const struct metric_writer *writer);
void metric_unstored(const struct metric_writer *writer);
void metric_limit(const struct metric_writer *writer);
void metric_limit_left(const struct metric_writer *writer);
void metric_deaf(const struct metric_writer *writer);

/* metric_phone.c */
void metric_ready(const struct metric_writer *writer);
void metric_not_ready(const struct metric_writer *writer);
void metric_dbus_calls(const struct metric_writer *writer);
void metric_modems(const struct metric_writer *writer);
void metric_modems_powered(const struct metric_writer *writer);
void metric_modems_online(const struct metric_writer *writer);
void metric_sims(const struct metric_writer *writer);
void metric_sim_ready(const struct metric_writer *writer);
void metric_sim_roaming(const struct metric_writer *writer);
void metric_sim_signal(const struct metric_writer *writer);

/* metric_gateway.c */
void metric_build(const struct metric_writer *writer);
void metric_connections(const struct metric_writer *writer);
void metric_connections_opened(const struct metric_writer *writer);
void metric_streams(const struct metric_writer *writer);
void metric_sessions(const struct metric_writer *writer);
void metric_responses(const struct metric_writer *writer);
void metric_auth_failures(const struct metric_writer *writer);
void metric_commits(const struct metric_writer *writer);
void metric_ledger_size(const struct metric_writer *writer);
void metric_storage_free(const struct metric_writer *writer);
void metric_storage_reserve(const struct metric_writer *writer);

/* metric_process.c */
void metric_cpu(const struct metric_writer *writer);
void metric_started(const struct metric_writer *writer);
void metric_resident(const struct metric_writer *writer);
void metric_virtual(const struct metric_writer *writer);
void metric_fds(const struct metric_writer *writer);
void metric_fds_most(const struct metric_writer *writer);

#endif
