/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The rule about received codes. */
#include "base/clock.h"
#include "policy/audit.h"
#include "policy/policy_private.h"
#include "sms/received_code.h"

/*
 * A dry run confirms a guess and costs nothing: a client that may not read codes learns of a few
 * texts an hour that they hold one. The owner finds each of them in the audit log.
 */
static bool policy_codes_may_probe(struct policy_case *about)
{
	const struct client *client = about->request->client;
	int64_t now_ms = clock_monotonic_ms();

	if (!about->request->is_dry_run || client->scopes & CLIENT_CODES)
		return true;
	if (!code_probes_end_ms(about->probes, client->id, now_ms))
		return true;
	return false;
}

static void policy_codes_note_probe(struct policy_case *about)
{
	const struct policy_request *request = about->request;

	if (!request->is_dry_run)
		return;
	audit_dry_run_held(about->parts->audit, request->client,
			   recipient_form(&about->recipient));
	if (!(request->client->scopes & CLIENT_CODES))
		code_probes_count(about->probes, request->client->id, request->text,
				  clock_monotonic_ms());
}

/* The owner's own messages pass: no agent typed them. */
const char *policy_codes_check(struct policy_case *about, enum failure *failure_out)
{
	const struct received_code_question question = {
		.text = about->request->text,
		.client_id = about->request->client->id,
	};
	struct received_codes *codes = about->parts->received_codes;

	if (!codes || question.client_id == CLIENT_OWNER)
		return NULL;
	if (!policy_codes_may_probe(about)) {
		*failure_out = FAILURE_APPROVAL_REQUIRED;
		return "Dry runs have found received codes in "
		       "several texts. For the rest of an hour they "
		       "say only that the owner's approval is needed.";
	}
	if (!received_codes_are_in(codes, &question))
		return NULL;
	policy_codes_note_probe(about);
	*failure_out = FAILURE_RECEIVED_CODE;
	return "The text holds a one-time code, or a link with one, that this phone "
	       "received in the last day.";
}
