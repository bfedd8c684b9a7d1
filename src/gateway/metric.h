/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Metric: the gateway's figures in Prometheus' text format, one row of a table each.
 *
 * A row has the name, the type and the help text, and a function that writes the samples from
 * what the gateway already knows.  Labels are numbers and words from our own tables, never a
 * phone number, card, operator, client or text from outside.  So no label needs escaping.
 *
 * Source: Prometheus, "Exposition formats", text format version 0.0.4.
 */
#ifndef GATEWAY_METRIC_H
#define GATEWAY_METRIC_H

#include "gateway/web.h"

struct metric_writer {
	struct buffer *text;
	struct web *web;
	const char *name; /* of the metric that is being written */
};

struct metric {
	const char *name; /* with the unit; a counter's ends with _total */
	const char *type; /* "counter", "gauge" */
	const char *help;
	void (*write)(const struct metric_writer *writer);
};

extern const struct metric metric_table[]; /* ends with a NULL name */

/* Write one sample; `labels`: 'sim="1",state="sent"', or NULL. */
void metric_put(const struct metric_writer *writer, const char *labels, uint64_t value);
void metric_put_real(const struct metric_writer *writer, const char *labels,
		     double value);

/* The functions of the table: messages */
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
void metric_offline(const struct metric_writer *writer);

/* oFono, modems and SIM cards */
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

/* HTTP and storage */
void metric_build(const struct metric_writer *writer);
void metric_connections(const struct metric_writer *writer);
void metric_connections_opened(const struct metric_writer *writer);
void metric_streams(const struct metric_writer *writer);
void metric_sessions(const struct metric_writer *writer);
void metric_responses(const struct metric_writer *writer);
void metric_auth_failures(const struct metric_writer *writer);
void metric_commits(const struct metric_writer *writer);
void metric_store_size(const struct metric_writer *writer);
void metric_storage_free(const struct metric_writer *writer);
void metric_storage_reserve(const struct metric_writer *writer);

/* The process: metric_process.c */
void metric_process_cpu(const struct metric_writer *writer);
void metric_process_started(const struct metric_writer *writer);
void metric_process_resident(const struct metric_writer *writer);
void metric_process_virtual(const struct metric_writer *writer);
void metric_process_fds(const struct metric_writer *writer);
void metric_process_fds_max(const struct metric_writer *writer);

#endif
