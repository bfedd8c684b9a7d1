/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "mcp/cancellation.h"

#include <string.h>

#include "mcp/endpoint.h"

void cancellation_allow(struct request *request)
{
	if (!request->session_id)
		return;
	request->cancellable = true;
	LIST_INSERT_HEAD(endpoint_cancellable(request->endpoint), request, link);
}

/* By type and as written: 1 is not "1". */
static bool is_same_id(const struct json *one, const struct json *other)
{
	return one->type == other->type && one->length == other->length &&
	       memcmp(one->text, other->text, one->length) == 0;
}

void cancellation_hear(struct request *notification)
{
	const struct session *session =
		request_session(notification); /* of this client */
	const struct json *id = json_member(notification->message.params, "requestId");
	struct request *request;

	if (!session || !id || (id->type != JSON_STRING && id->type != JSON_NUMBER))
		return;
	LIST_FOREACH (request, endpoint_cancellable(notification->endpoint), link) {
		if (strcmp(request->session_id, session->id) != 0 ||
		    !is_same_id(request->message.id, id))
			continue;
		request_cancel(request);
		return;
	}
}
