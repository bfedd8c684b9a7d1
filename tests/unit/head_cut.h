/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Cuts the text of a complete head into the pieces that libmicrohttpd 0.9.75 would hand out: a line
 * ends in CRLF, LF or CR, and a value keeps the spaces behind it. Folded lines are not joined.
 */
#pragma once

#include <stdlib.h>
#include <string.h>

#include "http/gate.h"

enum { HEAD_CUT_LINES = 80 };

static inline char *head_cut_line(char **at)
{
	char *line = *at, *end = line + strcspn(line, "\r\n");

	*at = end + (end[0] == '\r' && end[1] == '\n' ? 2 : 1);
	if (*at == end + 2)
		end[1] = '\0';
	*end = '\0';
	return line;
}

/* NULL: libmicrohttpd itself refuses it. The caller frees it. */
static inline struct request_head *head_cut(char *text)
{
	struct request_head *head =
		calloc(1, sizeof(*head) + HEAD_CUT_LINES * sizeof(*head->lines));
	size_t length = strlen(text);
	char *line = head_cut_line(&text), *target = strchr(line, ' '),
	     *version = strrchr(line, ' ');

	if (!target || version == target) {
		free(head);
		return NULL;
	}
	*target++ = '\0';
	*version++ = '\0';
	head->lines = (struct request_head_line *)(head + 1);
	head->method = line;
	head->length = length;
	head->target = target;
	head->target_length = strlen(target);
	head->target_is_clean = request_head_target_is_clean(target);
	target[strcspn(target, "?")] = '\0';
	head->path = target;
	head->version = version;
	while (*(line = head_cut_line(&text))) {
		char *colon = strchr(line, ':');

		if (!colon || head->line_count == HEAD_CUT_LINES) {
			free(head);
			return NULL;
		}
		*colon = '\0';
		head->lines[head->line_count].name = line;
		head->lines[head->line_count++].value =
			colon + 1 + strspn(colon + 1, " \t");
	}
	return head;
}
