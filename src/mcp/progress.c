/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "mcp/progress.h"

#include <string.h>

#include "mcp/notification.h"

/* 0 and "" are tokens, too. NULL: none. */
static const struct json *token_of(const struct request *request)
{
	const struct json *token = json_member(
		json_member(request->message.params, "_meta"), "progressToken");

	if (!token || token->type == JSON_STRING)
		return token;
	return token->type == JSON_NUMBER && !strpbrk(token->text, ".eE") ? token : NULL;
}

bool progress_is_wanted(const struct request *request)
{
	return token_of(request) != NULL;
}

void progress_tell(struct request *request, const char *message)
{
	const struct json *token = token_of(request);
	struct buffer body = BUFFER_INIT;
	struct json_writer *writer;

	if (!token)
		return;
	writer = notification_open(&body, "notifications/progress", NULL);
	if (writer) {
		rpc_put_id(writer, "progressToken", token);
		json_put_integer(writer, "progress", ++request->progress);
		json_put_string(writer, "message", message);
		notification_close(writer);
	}
	request_tell(request, &body);
}
