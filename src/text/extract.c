/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "text/extract.h"

#include <string.h>

#include "text/code.h"
#include "text/text.h"

struct extract_finding {
	int points;
	char *code;
};

static void extract_keep_best(void *data, const struct code_token *token, int points)
{
	struct extract_finding *best = data;

	if (points <= best->points)
		return;
	best->points = points;
	memcpy(best->code, token->code, sizeof(token->code));
}

static void extract_find_code(const char *text, char code_out[EXTRACT_CODE_BYTES])
{
	struct extract_finding best = { CODE_POINTS_SURE - 1, code_out };
	struct code_text read;

	if (!code_text_has_digits(text) || code_text_init(&read, text))
		return;
	code_search(read.text, &(struct code_search_visit){ CODE_POINTS_SURE,
							    extract_keep_best, &best });
	code_text_deinit(&read);
}

/* Copies a value if it fits completely. */
static bool extract_keep(char *place, size_t size, const char *text, size_t length)
{
	if (length == 0 || length >= size)
		return false;
	memcpy(place, text, length);
	place[length] = '\0';
	return true;
}

/* Reads "@example.com #123456": a line of its own */
static bool extract_read_bound_code(const char *line, struct extract *extract)
{
	static const char host[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-:";
	static const char printable[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
		"!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~";
	size_t host_length, code_length;
	char domain[EXTRACT_DOMAIN_BYTES];

	if (*line != '@')
		return false;
	host_length = strspn(line + 1, host);
	if (!extract_keep(domain, sizeof(domain), line + 1, host_length))
		return false;
	line += 1 + host_length;
	if (strncmp(line, " #", 2) != 0)
		return false;
	code_length = strcspn(line + 2, " \r\n");
	if (code_length != strspn(line + 2, printable) ||
	    !extract_keep(extract->code, sizeof(extract->code), line + 2, code_length))
		return false;
	memcpy(extract->domain, domain, sizeof(domain));
	return true;
}

/* The last such line counts. */
static bool extract_find_bound_code(const char *text, struct extract *extract)
{
	bool found = false;

	for (const char *line = text; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		found |= extract_read_bound_code(line, extract);
	}
	return found;
}

static void extract_find_link(const char *text, char link_out[EXTRACT_LINK_BYTES])
{
	size_t length;
	const char *link = text_link_find(text, &length);

	if (link)
		extract_keep(link_out, EXTRACT_LINK_BYTES, link, length);
}

bool extract_has_link(const char *text)
{
	size_t length;

	return text_link_find(text, &length) || text_link_is_hinted(text);
}

void extract_from(const char *text, struct extract *extract_out)
{
	extract_out->code[0] = '\0';
	extract_out->domain[0] = '\0';
	extract_out->link[0] = '\0';
	extract_find_link(text, extract_out->link);
	if (!extract_find_bound_code(text, extract_out))
		extract_find_code(text, extract_out->code);
}
