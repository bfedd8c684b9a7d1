/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "gateway/metric.h"

#include <inttypes.h>
#include <stdio.h>

static void put(const struct metric_writer *writer, const char *labels, const char *value)
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
	put(writer, labels, text);
}

void metric_put_real(const struct metric_writer *writer, const char *labels, double value)
{
	char text[32];

	snprintf(text, sizeof(text), "%.15g", value);
	put(writer, labels, text);
}
