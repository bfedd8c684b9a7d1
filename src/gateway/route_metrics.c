/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * /metrics: every row of the table, for who has the scope "metrics".
 */
#include "gateway/metric.h"

static void write_metric(struct metric_writer *writer, const struct metric *metric)
{
	const char *const head[] = { "# HELP ",	   metric->name, " ",
				     metric->help, "\n# TYPE ",	 metric->name,
				     " ",	   metric->type, "\n" };

	for (size_t at = 0; at < sizeof(head) / sizeof(head[0]); at++)
		buffer_append_text(writer->text, head[at]);
	writer->name = metric->name;
	metric->write(writer);
}

static void on_complete(void *data, struct exchange *exchange)
{
	struct buffer body = BUFFER_INIT;
	struct metric_writer writer = { .text = &body, .web = data };

	for (const struct metric *metric = metric_table; metric->name; metric++)
		write_metric(&writer, metric);
	web_keep_to_own_pages(exchange);
	exchange_add_header(exchange, "Cache-Control", "no-store");
	exchange_answer(exchange, 200, "text/plain; version=0.0.4; charset=utf-8", &body);
}

const struct exchange_handler metrics_handler = { .complete = on_complete };
