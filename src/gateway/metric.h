/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Metric: the gateway's figures in Prometheus' text format, one row of a table each.
 *
 * A row has the name, the type and the help text, and a function that finds the samples in what
 * the gateway already knows.  Labels are numbers and words from our own tables, never a phone
 * number, card, operator, client or text from outside.  So no label needs escaping.
 *
 * Source: Prometheus, "Exposition formats", text format version 0.0.4.
 */
#pragma once

#include "policy/limit.h"
#include "tools/services.h"

struct modem;
struct sim;
struct web;
struct metric_writer;
struct message_counters_row;

enum { METRIC_LIMITS_MS = 10 * 1000, METRIC_LIMITS_MAX = 64 };

/* What is left of each SIM's limits, as counted a moment ago. All are zero if never read. */
struct metric_limits {
	struct metric_limits_row {
		struct limit limit;
		int64_t left;
	} rows[METRIC_LIMITS_MAX];
	unsigned count;
	int64_t read_ms; /* by the monotonic clock; 0 for never */
};

/*
 * Counts again, unless the figures are younger than METRIC_LIMITS_MS: counting reads the message
 * store, however often /metrics is read (tests/unit/test_metric_limits.c).
 */
void metric_limits_refresh(struct metric_limits *limits, const struct services *services);

/* One of the functions is set. */
struct metric {
	const char *name; /* with the unit; a counter's ends with _total */
	const char *type; /* "counter", "gauge" */
	const char *help;
	double (*value)(const struct web *web);	   /* the only sample; NAN: left out */
	bool (*counts)(const struct modem *modem); /* the sample: how many modems */
	double (*of_sim)(const struct sim *sim);   /* a sample for each present SIM */
	double (*of_messages)(const struct message_counters_row *row);
	double (*of_limit)(const struct metric_limits_row *row);
	void (*write)(const struct metric_writer *writer); /* any samples */
};

extern const struct metric metric_table[]; /* ends with a NULL name */
