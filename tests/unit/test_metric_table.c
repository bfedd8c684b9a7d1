/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Prometheus' rules for names and help texts: "Metric and label naming". */
#include "unit_test.h"
#include <stdbool.h>
#include <string.h>

#include "gateway/web.h"

static bool ends_with(const char *text, const char *end)
{
	size_t length = strlen(text), last = strlen(end);

	return length >= last && strcmp(text + length - last, end) == 0;
}

TEST(test_names_follow_prometheus_rules)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyz_";

	for (const struct metric *row = metric_table; row->name; row++) {
		assert_int_equal(strspn(row->name, letters), strlen(row->name));
		assert_true(strncmp(row->name, "ofono_mcp_", 10) == 0 ||
			    strncmp(row->name, "process_", 8) == 0);
		assert_int_equal(strcmp(row->type, "counter") == 0,
				 ends_with(row->name, "_total"));
	}
}

/* Even without _total, which a scraper may strip. */
TEST(test_no_two_metrics_are_alike)
{
	for (const struct metric *one = metric_table; one->name; one++) {
		for (const struct metric *other = one + 1; other->name; other++) {
			size_t length = strlen(one->name), size = strlen(other->name);

			length -= ends_with(one->name, "_total") ? 6 : 0;
			size -= ends_with(other->name, "_total") ? 6 : 0;
			assert_false(length == size &&
				     strncmp(one->name, other->name, size) == 0);
		}
	}
}

TEST(test_every_help_is_one_sentence_on_one_line)
{
	for (const struct metric *row = metric_table; row->name; row++) {
		assert_true(ends_with(row->help, "."));
		assert_null(strpbrk(row->help, "\n\\\""));
	}
}
