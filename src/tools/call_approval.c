/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "tools/approval.h"
#include "tools/sim_question.h"

/* NULL: no memory. */
static const char *write_message(const struct tool_call *call, const char *number,
				 const struct sim *sim, int64_t seconds)
{
	const char *name = approval_asker(call);
	const char *title = sim_question_title(sim, call->arena);

	if (!name || !title)
		return NULL;
	return arena_printf(
		call->arena,
		"%s wants to call %s from %s. The phone dials at once, and hangs "
		"up after %lld seconds at the latest; who is called hears this "
		"phone's microphone.",
		name, number, title, (long long)seconds);
}

enum elicitation_outcome approval_ask_call(struct tool_call *call, const char *number,
					   const struct sim *sim, int64_t seconds)
{
	const struct services *services = call->services;
	const struct form_field fields[] = {
		{ .name = "call",
		  .type = SCHEMA_BOOLEAN,
		  .required = true,
		  .title = "Yes, place this call" },
		{ 0 },
	};
	struct elicitation_question *question =
		arena_alloc(call->arena, sizeof(*question));
	struct form_field *kept = arena_alloc(call->arena, sizeof(fields));
	const char *message = write_message(call, number, sim, seconds);
	const struct json *content;
	enum elicitation_outcome outcome;

	if (!question || !kept || !message)
		return ELICITATION_UNAVAILABLE;
	memcpy(kept, fields, sizeof(fields));
	*question = (struct elicitation_question){ "call_approval", message, kept };
	if (!elicitation_is_resumed(call))
		audit_user_asked(services->audit, call->client, number);
	outcome = elicitation_ask(call, question, &content);
	if (outcome != ELICITATION_ANSWERED)
		return outcome;
	elicitation_treat_as_declined(call); /* a yes is used up, and a no stays one */
	return json_member(content, "call")->boolean ? ELICITATION_ANSWERED
						     : ELICITATION_DECLINED;
}
