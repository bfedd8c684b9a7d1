/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Checks for what [agent] promises and cannot keep: nobody can text a command that counts, or
 * everybody can. The status of the running gateway says who is enrolled and which SIM cards are
 * there. Numbers that are none, and approvals without codes, are errors of the configuration
 * already (src/config/config_agent.c).
 */
#include "cli/doctor/doctor.h"
#include "cli/json_field.h"
#include "sms/opt_out.h"

/* Is it one of the SIM cards in the status? */
static bool doctor_agent_has_sim(const struct json *status, int64_t sim_id)
{
	const struct json *sims = json_field_list(status, "subscriptions");
	int64_t id;

	json_foreach (sim, sims) {
		if (json_integer(json_member(sim, "subscription_id"), &id) &&
		    id == sim_id)
			return true;
	}
	return false;
}

/* Returns true if each number can prove itself, or need not. */
static bool doctor_agent_check_numbers(struct doctor *doctor, const struct json *agent)
{
	const struct json *numbers = json_field_list(agent, "numbers");
	bool is_right = true;

	json_foreach (number, numbers) {
		if (json_field_is_true(number, "enrolled"))
			continue;
		is_right = false;
		doctor_report(doctor, DOCTOR_WARNING, "agent",
			      "Give it a secret: " PROGRAM_NAME " agent enrol",
			      "commands from %s are refused: it is not enrolled",
			      json_field_text(number, "number"));
	}
	return is_right;
}

void doctor_agent_check(struct doctor *doctor, const struct json *status)
{
	const struct config_agent *settings = &doctor->running.agent;
	const struct json *agent = json_member(status, "agent");
	const struct json *numbers = json_field_list(agent, "numbers");
	bool is_right = true;

	if (!numbers->count)
		return;
	if (json_field_is_true(agent, "needs_code")) {
		is_right = doctor_agent_check_numbers(doctor, agent);
	} else {
		is_right = false;
		doctor_report(
			doctor, DOCTOR_WARNING, "agent",
			"Set code = totp under [agent], then: " PROGRAM_NAME
			" agent enrol",
			"anybody who forges the sender of an SMS can text commands");
	}
	if (opt_out_is_word(settings->word)) {
		is_right = false;
		doctor_report(doctor, DOCTOR_WARNING, "agent",
			      "Choose another word under [agent]",
			      "\"%s\" alone opts you out of all messages, or in again",
			      settings->word);
	}
	if (settings->sim && !doctor_agent_has_sim(status, settings->sim)) {
		is_right = false;
		doctor_report(
			doctor, DOCTOR_WARNING, "agent",
			"To list the SIM cards: " PROGRAM_NAME " status",
			"no SIM in this phone has the ID %lld, so nothing comes to it",
			(long long)settings->sim);
	}
	if (is_right)
		doctor_report(doctor, DOCTOR_OK, "agent", NULL,
			      "numbers that can text commands: %zu", numbers->count);
}
