/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 *   tool runs -> elicitation_ask() -> an answer to exactly this question?
 *                                        yes -> ANSWERED, DECLINED or DISMISSED
 *                                        no  -> the era's transport sends it: PENDING
 *                                        it does not fit the form -> asked once more
 *   the answer arrives -> it becomes a reply of the call -> the tool runs again
 *
 * A question is recognized by its key and by a keyed digest of its message and form, so
 * an answer never counts for a text that the user did not see. A declined order is
 * stored, so that a client cannot ask again with the same requestState. Some clients
 * declare elicitation and answer every question at once, unasked: where it matters
 * (needs_reader), such an answer counts as none.
 */
#include "mcp/elicitation.h"

#include <errno.h>
#include <gnutls/crypto.h>
#include <string.h>

#include "base/clock.h"
#include "base/crypto.h"
#include "base/log.h"
#include "mcp/elicitation_call.h"
#include "mcp/era.h"
#include "mcp/persistence.h"
#include "mcp/tool.h"

int elicitation_calls_init(struct elicitation_calls *calls)
{
	const struct persistence *persistence = calls->persistence;

	LIST_INIT(&calls->waiting);
	if (gnutls_rnd(GNUTLS_RND_KEY, &calls->key, sizeof(calls->key)) != 0 ||
	    gnutls_rnd(GNUTLS_RND_NONCE, &calls->epoch, sizeof(calls->epoch)) != 0)
		return -EIO;
	if (persistence && persistence->load_key(persistence->store, &calls->key))
		log_warning("mcp: the key of elicitations could not be stored: open "
			    "questions will not survive a restart");
	return 0;
}

/* Questions as MCP writes them */

void elicitation_write_question(struct json_writer *writer,
				const struct elicitation_question *question,
				enum form_style style)
{
	json_put_string(writer, "method", "elicitation/create");
	json_open_object_at(writer, "params");
	if (style == FORM_STYLE_TITLES) /* older revisions have no modes */
		json_put_string(writer, "mode", "form");
	json_put_string(writer, "message", question->message);
	json_key(writer, "requestedSchema");
	form_write(writer, question->fields, style);
	json_close_object(writer);
}

void elicitation_write_input_request(struct json_writer *writer,
				     const struct elicitation_question *question)
{
	json_open_object_at(writer, question->key);
	elicitation_write_question(writer, question, FORM_STYLE_TITLES);
	json_close_object(writer);
}

bool elicitation_read_action(const struct json *result,
			     enum elicitation_action *action_out)
{
	static const char *const words[] = { [ELICITATION_ACCEPT] = "accept",
					     [ELICITATION_DECLINE] = "decline",
					     [ELICITATION_CANCEL] = "cancel" };
	const char *word = json_string(json_member(result, "action"));

	for (int i = 0; word && i < (int)(sizeof(words) / sizeof(words[0])); i++) {
		if (strcmp(word, words[i]) == 0) {
			*action_out = (enum elicitation_action)i;
			return true;
		}
	}
	return false;
}

/* The client */

bool elicitation_is_declared(const struct json *capabilities)
{
	const struct json *elicitation = json_member(capabilities, "elicitation");
	const struct json *form = json_member(elicitation, "form");

	if (!elicitation || elicitation->type != JSON_OBJECT)
		return false;
	/* {} means {"form":{}}: at first there were no other modes. */
	return !elicitation->count || (form && form->type == JSON_OBJECT);
}

static const struct elicitation_call_transport *elicitation_transport_of(
	const struct tool_call *call)
{
	return call->request->era->elicitation;
}

bool elicitation_is_available(const struct tool_call *call)
{
	const struct elicitation_call *elicitation = call->elicitation;

	return elicitation && !elicitation->gave_up &&
	       call->request->revision->form != FORM_STYLE_NONE &&
	       elicitation_transport_of(call)->is_available(elicitation);
}

/* For the transports */

bool elicitation_add_reply(struct elicitation_call *elicitation,
			   const struct elicitation_call_reply *reply)
{
	struct elicitation_call_reply *copy =
		arena_alloc(elicitation->call->arena, sizeof(*copy));

	if (!copy)
		return false;
	*copy = *reply;
	copy->next = elicitation->replies;
	elicitation->replies = copy;
	return true;
}

void elicitation_resume(struct elicitation_call *elicitation)
{
	elicitation->is_resumed = true;
	elicitation->call->tool->run(elicitation->call);
}

/* Asking */

bool elicitation_digest(const struct elicitation_calls *calls, struct json_writer *writer,
			struct buffer *text, char digest[MAC_DIGEST_BYTES])
{
	bool made;

	json_writer_free(writer);
	made = writer && !text->failed &&
	       crypto_hmac(calls->key.bytes, text->data, text->length, digest);
	buffer_deinit(text);
	return made;
}

/* Returns NULL if memory runs out. */
static const char *elicitation_digest_question(
	const struct elicitation_call *elicitation,
	const struct elicitation_question *question)
{
	struct buffer text = BUFFER_INIT;
	struct json_writer *writer = json_writer_new(&text);
	char digest[MAC_DIGEST_BYTES];

	if (writer) {
		json_open_array(writer);
		json_write_string(writer, question->message);
		form_write(writer, question->fields, FORM_STYLE_TITLES);
		json_close_array(writer);
	}
	return elicitation_digest(elicitation->calls, writer, &text, digest)
		       ? arena_copy(elicitation->call->arena, digest, strlen(digest))
		       : NULL;
}

static const struct elicitation_call_reply *elicitation_find_reply(
	const struct elicitation_call *elicitation, const char *key, const char *seen)
{
	const struct elicitation_call_reply *reply = elicitation->replies;

	while (reply && (strcmp(reply->key, key) != 0 || strcmp(reply->seen, seen) != 0))
		reply = reply->next;
	return reply;
}

/* Stored for as long as the requestState of any round may be valid. */
void elicitation_treat_as_declined(struct tool_call *call)
{
	const struct elicitation_call *elicitation = call->elicitation;
	const struct persistence *persistence = elicitation->calls->persistence;

	if (!elicitation->order || !persistence)
		return;
	if (persistence->decline_order(persistence->store, elicitation->order,
				       clock_wall_ms() + REQUEST_STATE_LIFETIME_MS))
		log_warning("mcp: the user's refusal could not be stored");
}

static bool elicitation_is_declined(const struct elicitation_call *elicitation)
{
	const struct persistence *persistence = elicitation->calls->persistence;

	return elicitation->order && persistence &&
	       persistence->is_order_declined(persistence->store, elicitation->order);
}

/* `content` is the answer as it fits the form; NULL if the user declined or cancelled. */
static enum elicitation_outcome elicitation_take(
	struct tool_call *call, const struct elicitation_question *question,
	const struct elicitation_call_reply *reply, const struct json *content)
{
	bool is_cancelled = reply->action == ELICITATION_CANCEL;

	if (question->needs_reader && (reply->is_hasty || is_cancelled))
		return ELICITATION_DISMISSED;
	if (content)
		return ELICITATION_ANSWERED;
	elicitation_treat_as_declined(call);
	return is_cancelled ? ELICITATION_DISMISSED : ELICITATION_DECLINED;
}

enum elicitation_outcome elicitation_ask(struct tool_call *call,
					 const struct elicitation_question *question,
					 const struct json **content_out)
{
	struct elicitation_call *elicitation = call->elicitation;
	const char *seen =
		elicitation ? elicitation_digest_question(elicitation, question) : NULL;
	const struct elicitation_call_reply *reply;
	const struct json *content = NULL;
	enum elicitation_outcome outcome;

	if (!seen)
		return ELICITATION_UNAVAILABLE;
	reply = elicitation_find_reply(elicitation, question->key, seen);
	if (elicitation_is_declined(elicitation))
		return ELICITATION_DECLINED;
	if (reply && reply->action == ELICITATION_ACCEPT)
		content = form_read(question->fields, reply->content, call->arena);
	if (reply && (content || reply->action != ELICITATION_ACCEPT)) {
		outcome = elicitation_take(call, question, reply, content);
		if (outcome == ELICITATION_ANSWERED)
			*content_out = content;
		return outcome;
	}
	if ((reply && elicitation->is_repeated) ||
	    elicitation->rounds++ >= ELICITATION_ROUNDS_MAX ||
	    !elicitation_is_available(call))
		return ELICITATION_UNAVAILABLE;
	elicitation->about = question->key;
	elicitation->is_repeated |= reply != NULL;
	return elicitation_transport_of(call)->ask(elicitation, question, seen)
		       ? ELICITATION_PENDING
		       : ELICITATION_UNAVAILABLE;
}

/* The call */

int64_t elicitation_waited_ms(const struct tool_call *call)
{
	const struct elicitation_call *elicitation = call->elicitation;

	return elicitation && elicitation->asked_ms
		       ? clock_boot_ms() - elicitation->asked_ms
		       : 0;
}

bool elicitation_is_resumed(const struct tool_call *call)
{
	return call->elicitation && call->elicitation->is_resumed;
}

bool elicitation_was_about(const struct tool_call *call, const char *key)
{
	const struct elicitation_call *elicitation = call->elicitation;
	const struct elicitation_call_reply *reply =
		elicitation ? elicitation->replies : NULL;

	if (!elicitation)
		return false;
	while (reply && strcmp(reply->key, key) != 0)
		reply = reply->next;
	return reply || (elicitation->about && strcmp(elicitation->about, key) == 0);
}

const char *elicitation_order(const struct tool_call *call)
{
	return call->elicitation ? call->elicitation->order : NULL;
}

bool elicitation_begin(struct tool_call *call)
{
	const struct elicitation_call_transport *transport =
		elicitation_transport_of(call);
	struct elicitation_call *elicitation =
		arena_alloc(call->arena, sizeof(*elicitation));

	if (!elicitation) {
		request_fail_no_memory(call->request);
		return false;
	}
	elicitation->call = call;
	elicitation->calls = call->request->context->elicitations;
	call->elicitation = elicitation;
	return !transport->begin || transport->begin(elicitation);
}
