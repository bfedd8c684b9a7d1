/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tools/ussd_dialling.h"

#include "config/ussd_code.h"
#include "tools/services.h"
#include "tools/sim_choice.h"
#include "config/config.h"

enum { MS_PER_SECOND = 1000 };

static const struct services *services_of(const struct ussd_dialling *dialling)
{
	return dialling->call->services;
}

/* Nothing was dialled. False. */
static bool refuse(const struct ussd_dialling *dialling, const struct refusal *refusal)
{
	const struct tool_call *call = dialling->call;

	audit_ussd_refused(services_of(dialling)->audit, call->client,
			   dialling->is_allowed ? dialling->order.code : "",
			   failure_words(refusal->failure)->code);
	failure_answer_with(dialling->call, refusal, NULL, NULL);
	return false;
}

bool ussd_dialling_refuse(const struct ussd_dialling *dialling, enum failure failure,
			  const char *message)
{
	return refuse(dialling, &(struct refusal){ failure, message });
}

static bool check_owner(const struct ussd_dialling *dialling)
{
	const struct services *services = services_of(dialling);

	if (policy_is_paused(services->policy))
		return ussd_dialling_refuse(
			dialling, FAILURE_PAUSED,
			"The owner has paused the gateway: nothing is "
			"dialled.");
	if (dialling->order.reply && !services->config->ussd_replies)
		return ussd_dialling_refuse(
			dialling, FAILURE_CODE_NOT_ALLOWED,
			"The owner does not let agents reply to the network.");
	return true;
}

static bool check_code(struct ussd_dialling *dialling)
{
	const char *code = dialling->order.code;

	if (!ussd_code_is_valid(code))
		return ussd_dialling_refuse(
			dialling, FAILURE_CODE_NOT_ALLOWED,
			"code is no USSD code: one begins with * or #, ends "
			"with # and has digits, * and # between them.");
	if (ussd_code_is_mmi(code))
		return ussd_dialling_refuse(
			dialling, FAILURE_CODE_NOT_ALLOWED,
			"This code changes the phone or the subscription, and "
			"those are never dialled, whoever allows it.");
	if (!ussd_code_is_in(&services_of(dialling)->config->ussd_allow, code))
		return ussd_dialling_refuse(dialling, FAILURE_CODE_NOT_ALLOWED,
					    "This code is not on the owner's list.");
	dialling->is_allowed = true;
	return true;
}

static bool check_reply(const struct ussd_dialling *dialling)
{
	const char *reply = dialling->order.reply;

	if (reply && !ussd_code_reply_is_valid(reply))
		return ussd_dialling_refuse(
			dialling, FAILURE_INVALID_ARGUMENTS,
			"reply takes letters and digits of ASCII, blanks and "
			"*#+-.,:/()?! only, for a modem might take others for "
			"commands; the network still waits for one.");
	if (reply && ussd_code_reply_is_code(reply))
		return ussd_dialling_refuse(
			dialling, FAILURE_CODE_NOT_ALLOWED,
			"This reply reads like a code, and the network might "
			"take it for one.");
	return true;
}

static bool choose_modem(struct ussd_dialling *dialling)
{
	struct tool_call *call = dialling->call;
	struct refusal refusal;
	const struct sim *sim;

	if (!sim_choice(call, false, &dialling->sim_id, &refusal))
		return refuse(dialling, &refusal);
	if (!policy_allows_sim(call->client, dialling->sim_id))
		return ussd_dialling_refuse(
			dialling, FAILURE_SUBSCRIPTION_NOT_ALLOWED,
			"The owner does not let this client use that SIM.");
	sim = sims_find(services_of(dialling)->sims, dialling->sim_id);
	if (!modem_has_ussd(sim->modem))
		return ussd_dialling_refuse(
			dialling, FAILURE_USSD_UNAVAILABLE,
			"The modem of that SIM cannot dial codes now.");
	dialling->order.modem = sim->modem;
	return true;
}

static bool check_dialogue(const struct ussd_dialling *dialling)
{
	switch (ussd_check(services_of(dialling)->ussd, &dialling->order)) {
	case USSD_E_BUSY:
		return ussd_dialling_refuse(
			dialling, FAILURE_USSD_BUSY,
			"That SIM's modem is at another dialogue with the "
			"network.");
	case USSD_E_NO_DIALOGUE:
		return ussd_dialling_refuse(
			dialling, FAILURE_NO_DIALOGUE,
			"The network does not wait for a reply of yours to "
			"this code; it may have given up.");
	default:
		return true;
	}
}

static bool check_rate(const struct ussd_dialling *dialling)
{
	const struct services *services = services_of(dialling);
	int64_t wait_ms;

	if (dialling->order.reply)
		return true;
	wait_ms = ussd_wait_ms(services->ussd, services->config->ussd_per_hour);
	if (!wait_ms)
		return true;
	return refuse(dialling,
		      &(struct refusal){ FAILURE_RATE_LIMITED,
					 "As many codes as the owner allows in an hour "
					 "were dialled.",
					 wait_ms / MS_PER_SECOND + 1 });
}

bool ussd_dialling_check(struct ussd_dialling *dialling)
{
	return check_owner(dialling) && check_code(dialling) && choose_modem(dialling) &&
	       check_dialogue(dialling) && check_reply(dialling) && check_rate(dialling);
}

/* Also while the gateway is paused: it ends what goes on. */
bool ussd_dialling_check_cancel(struct ussd_dialling *dialling)
{
	return check_code(dialling) && choose_modem(dialling) && check_dialogue(dialling);
}
