/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * unlock: enters the PIN of a SIM card, or its PUK with a new PIN, once.
 *
 *   without "code"   answers which card it is, what it needs and how many tries are left
 *   with "code"      (and "new_pin" with a PUK) enters it. "tries" is the number that the owner
 *                    saw: if it has changed, another program has tried, and this is refused
 *
 *   checked -> EnterPin or ResetPin -> oFono's answer -> facts that confirm it -> answered
 *
 * Nothing is entered twice, whatever the answer.  oFono answers before it signals the new facts,
 * such as the number of tries left, so the answer waits FACTS_TIMEOUT_MS for them.  One card at
 * a time: the number of tries would not be reliable otherwise (tests/integration/test_unlock.py).
 *
 * The codes are cleared as soon as the D-Bus call has been sent; what is left of them in memory
 * when the connection closes (control.c).
 */
#include <string.h>

#include "base/log.h"
#include "gateway/control.h"
#include "gateway/command.h"
#include "gateway/running.h"
#include "ofono/modem_call.h"
#include "store/store_audit.h"

enum { FACTS_TIMEOUT_MS = 5000 };

/* One attempt; in the arena of its call. */
struct command_unlock {
	struct control_call *call;
	struct sim_unlock *request; /* NULL if oFono has answered */
	char path[sizeof(((struct modem *)0)->path)];
	struct locked_sim before;
	enum sim_unlock_outcome outcome;
	/* Returns true if these facts confirm the outcome. It is NULL if the outcome needs no
	 * facts. */
	bool (*is_confirmed)(const struct command_unlock *unlock,
			     const struct modem_sim *facts);
	void (*answer)(struct command_unlock *unlock);
	struct observer observer;
	sd_event_source *timer;
};

static void command_unlock_wipe_argument(const struct control_call *call,
					 const char *name)
{
	const struct json *value = json_member(call->arguments, name);
	union {
		const char *read;
		char *write;
	} text;

	if (!value || !value->text)
		return;
	text.read = value->text;
	explicit_bzero(text.write, value->length);
}

static void command_unlock_release(struct control_call *call)
{
	struct command_unlock *unlock = call->state;

	sim_unlock_stop(unlock->request);
	unlock->request = NULL;
	observer_remove(&unlock->observer);
	unlock->timer = sd_event_source_disable_unref(unlock->timer);
	call->control->running->unlock = NULL;
}

/* Answers */

static const char *command_unlock_code_name(const struct command_unlock *unlock)
{
	return unlock->before.lock == SIM_LOCK_PUK ? "PUK" : "PIN";
}

static void command_unlock_answer_unlocked(struct command_unlock *unlock)
{
	struct json_writer *writer = control_call_open_result(unlock->call);

	if (!writer)
		return;
	json_put_string(writer, "sim", unlock->before.name);
	json_put_string(writer, "state", "unlocked");
	control_call_close(unlock->call);
}

/* Returns a fix that ends with a command, followed by the modem. */
static const char *command_unlock_with_path(const struct command_unlock *unlock,
					    const char *fix)
{
	const char *whole = arena_printf(unlock->call->arena, "%s %s", fix, unlock->path);

	return whole ? whole : fix;
}

static void command_unlock_answer_blocked(const struct command_unlock *unlock,
					  unsigned tries)
{
	control_call_fail(unlock->call, "sim_blocked",
			  command_unlock_with_path(
				  unlock, "Find the PUK that came with the card, "
					  "then: " PROGRAM_NAME " sim unlock --puk"),
			  "wrong PIN; %s now needs its PUK%s%s", unlock->before.name,
			  tries ? "; for the PUK " : "",
			  tries ? locked_sim_tries(unlock->call->arena, tries) : "");
}

/* Returns the present facts; NULL if the modem is gone. */
static const struct modem_sim *command_unlock_facts(const struct command_unlock *unlock)
{
	const struct modem *modem;

	TAILQ_FOREACH (modem, ofono_modems(unlock->call->control->services->ofono),
		       link) {
		if (strcmp(modem->path, unlock->path) == 0)
			return &modem->sim;
	}
	return NULL;
}

static bool command_unlock_is_open(const struct command_unlock *unlock,
				   const struct modem_sim *facts)
{
	return modem_sim_lock_of(facts) != unlock->before.lock;
}

/* The same lock with fewer tries, or the next lock. */
static bool command_unlock_cost_a_try(const struct command_unlock *unlock,
				      const struct modem_sim *facts)
{
	return facts->pin_retries != unlock->before.tries ||
	       modem_sim_lock_of(facts) != unlock->before.lock;
}

static void command_unlock_answer_wrong(struct command_unlock *unlock)
{
	struct control_call *call = unlock->call;
	const struct modem_sim *facts = command_unlock_facts(unlock);
	const char *code = command_unlock_code_name(unlock);

	if (facts && !command_unlock_cost_a_try(unlock, facts))
		facts = NULL;
	if (facts && unlock->before.lock == SIM_LOCK_PIN &&
	    modem_sim_lock_of(facts) == SIM_LOCK_PUK)
		command_unlock_answer_blocked(unlock, facts->pin_retries);
	else if (facts && facts->pin_retries)
		control_call_fail(
			call, "wrong_code",
			"Make sure of it before the next try; it is not repeated by itself",
			"wrong %s; %s", code,
			locked_sim_tries(call->arena, facts->pin_retries));
	else if (facts && unlock->before.tries)
		control_call_fail(call, "wrong_code", "Ask the operator for a new card",
				  "wrong %s, and no try is left", code);
	else
		control_call_fail(
			call, "wrong_code",
			command_unlock_with_path(
				unlock, "To see how many are left, before it "
					"asks for the code: " PROGRAM_NAME " sim unlock"),
			"the %s was refused; oFono has not reported how many tries are left",
			code);
}

static const struct command_unlock_refusal {
	const char *code;
	const char *message; /* after "the PIN " */
	const char *fix;
} command_unlock_refusals[] = {
	[UNLOCK_BUSY] = { "busy", "was not tried: oFono is busy with the card",
			  "Try again in a moment" },
	[UNLOCK_NOT_TAKEN] = { "not_locked",
			       "was not tried: the card no longer asks for it",
			       "Check again: " PROGRAM_NAME " status" },
	[UNLOCK_IMPOSSIBLE] = { "not_possible",
				"was not tried: oFono cannot do that with this modem",
				"Unlock the card in another phone, or turn its PIN off there" },
	[UNLOCK_NOT_ALLOWED] = { "not_allowed",
				 "was not tried: the D-Bus policy does not let the gateway enter it",
				 "Allow it: copy unlock.conf from "
				 "/usr/share/doc/ofono-mcp/examples, or from "
				 "etc/dbus in the source, to /etc/dbus-1/system.d, "
				 "then: systemctl reload dbus" },
	[UNLOCK_NOT_ASKED] = { "ofono_unavailable",
			       "was not tried: oFono cannot be reached",
			       "Start oFono: systemctl start ofono" },
	[UNLOCK_UNKNOWN] = { "unknown_outcome",
			     "may or may not have been tried, because oFono did not "
			     "answer; it is not repeated",
			     "Check whether the card is still locked: " PROGRAM_NAME
			     " status" },
};

static void command_unlock_answer_refused(struct command_unlock *unlock)
{
	const struct command_unlock_refusal *refusal =
		&command_unlock_refusals[unlock->outcome];

	control_call_fail(unlock->call, refusal->code, refusal->fix, "the %s %s",
			  command_unlock_code_name(unlock), refusal->message);
}

/* Waiting for the facts */

static void command_unlock_finish(struct command_unlock *unlock)
{
	unlock->answer(unlock);
	command_unlock_release(unlock->call);
}

static bool command_unlock_has_facts(const struct command_unlock *unlock)
{
	const struct modem_sim *facts = command_unlock_facts(unlock);

	return facts && unlock->is_confirmed(unlock, facts);
}

static void command_unlock_on_event(void *data, const void *event)
{
	if (command_unlock_has_facts(data))
		command_unlock_finish(data);
}

static int command_unlock_on_timeout(sd_event_source *source, uint64_t due_us, void *data)
{
	command_unlock_finish(data);
	return 0;
}

static void command_unlock_await_facts(struct command_unlock *unlock)
{
	const struct services *services = unlock->call->control->services;

	observer_add(ofono_observers(services->ofono), &unlock->observer,
		     command_unlock_on_event, unlock);
	if (command_unlock_has_facts(unlock) ||
	    sd_event_add_time_relative(services->loop, &unlock->timer, CLOCK_MONOTONIC,
				       FACTS_TIMEOUT_MS * 1000, 0,
				       command_unlock_on_timeout, unlock) < 0)
		command_unlock_finish(unlock);
}

static void command_unlock_audit(const struct command_unlock *unlock)
{
	const struct audit_event_fact facts[] = {
		{ "outcome", sim_unlock_outcome_name(unlock->outcome) },
		{ "retries", NULL, unlock->before.tries },
		{ "by", "owner" },
		{ NULL },
	};

	if (store_audit_record(unlock->call->control->store, AUDIT_SIM_UNLOCK, facts))
		log_warning("unlock: not in the audit log");
}

static void command_unlock_on_done(void *data, enum sim_unlock_outcome outcome)
{
	struct command_unlock *unlock = data;

	unlock->request = NULL;
	unlock->outcome = outcome;
	command_unlock_audit(unlock);
	unlock->answer = command_unlock_answer_refused;
	if (outcome == UNLOCK_DONE) {
		unlock->is_confirmed = command_unlock_is_open;
		unlock->answer = command_unlock_answer_unlocked;
	} else if (outcome == UNLOCK_WRONG) {
		unlock->is_confirmed = command_unlock_cost_a_try;
		unlock->answer = command_unlock_answer_wrong;
	}
	if (unlock->is_confirmed)
		command_unlock_await_facts(unlock);
	else
		command_unlock_finish(unlock);
}

/* The attempt */

/* Returns false if they are not valid codes, and the call has been answered. */
static bool command_unlock_read_codes(struct control_call *call, enum modem_sim_lock lock,
				      struct sim_unlock_codes *codes_out)
{
	struct sim_unlock_codes codes = { control_call_argument(call, "code"),
					  control_call_argument(call, "new_pin") };
	const char *problem = NULL;

	if (lock == SIM_LOCK_PIN &&
	    (codes.new_pin || !sim_unlock_pin_is_valid(codes.code)))
		problem = "a PIN has 4 to 8 digits";
	if (lock == SIM_LOCK_PUK && !sim_unlock_puk_is_valid(codes.code))
		problem = "a PUK has 8 digits";
	if (lock == SIM_LOCK_PUK && !problem &&
	    (!codes.new_pin || !sim_unlock_pin_is_valid(codes.new_pin)))
		problem = "the new PIN must have 4 to 8 digits";
	if (problem)
		control_call_fail(call, CONTROL_INVALID_ARGUMENT, "Enter it again",
				  "%s; nothing was tried", problem);
	else
		*codes_out = codes;
	return !problem;
}

/* Returns false if another program used a try meanwhile, and the call has been answered. */
static bool command_unlock_check_tries(struct control_call *call,
				       const struct locked_sim *sim)
{
	int64_t seen = 0;
	const struct json *tries = json_member(call->arguments, "tries");

	if (tries && json_integer(tries, &seen) && seen == sim->tries)
		return true;
	control_call_fail(call, "tries_changed",
			  arena_printf(call->arena,
				       "Check again: " PROGRAM_NAME " sim unlock %s",
				       sim->modem->path),
			  "nothing was tried: meanwhile %s of %s",
			  sim->tries ? locked_sim_tries(call->arena, sim->tries)
				     : "an unknown number of tries is left",
			  sim->name);
	return false;
}

static void command_unlock_begin(struct control_call *call, const struct locked_sim *sim,
				 const struct sim_unlock_codes *codes)
{
	struct command_unlock *unlock = arena_alloc(call->arena, sizeof(*unlock));

	if (unlock)
		unlock->request =
			sim_unlock(sim->modem, codes, command_unlock_on_done, unlock);
	if (!unlock || !unlock->request) {
		control_call_fail(call, "internal", "Try again later",
				  "out of memory; nothing was tried");
		return;
	}
	unlock->call = call;
	unlock->before = *sim;
	memcpy(unlock->path, sim->modem->path, sizeof(unlock->path));
	call->state = unlock;
	call->abandoned = command_unlock_release;
	call->control->running->unlock = unlock;
}

static void command_unlock_try(struct control_call *call, const struct locked_sim *sim)
{
	struct sim_unlock_codes codes;

	if (call->control->running->unlock)
		control_call_fail(call, "busy", "Try again in a moment",
				  "nothing was tried: a card is already being unlocked");
	else if (command_unlock_check_tries(call, sim) && locked_sim_may_try(call, sim) &&
		 command_unlock_read_codes(call, sim->lock, &codes))
		command_unlock_begin(call, sim, &codes);
}

static void command_unlock_describe(struct control_call *call,
				    const struct locked_sim *sim)
{
	struct json_writer *writer;

	if (!locked_sim_may_try(call, sim))
		return;
	writer = control_call_open_result(call);
	if (!writer)
		return;
	json_put_string(writer, "sim", sim->name);
	json_put_string(writer, "lock", sim->lock == SIM_LOCK_PUK ? "puk" : "pin");
	if (sim->tries) {
		json_put_integer(writer, "tries", sim->tries);
	} else {
		json_key(writer, "tries");
		json_write_null(writer);
	}
	json_put_string(writer, "modem", sim->modem->path);
	control_call_close(call);
}

static void command_unlock_run(struct control_call *call)
{
	struct locked_sim sim;

	if (locked_sim_find(call, &sim)) {
		if (control_call_argument(call, "code"))
			command_unlock_try(call, &sim);
		else
			command_unlock_describe(call, &sim);
	}
	command_unlock_wipe_argument(call, "code");
	command_unlock_wipe_argument(call, "new_pin");
}

const struct control_command command_unlock = {
	.name = "unlock",
	.needs_gateway = true,
	.needs_ofono = true,
	.run = command_unlock_run,
};
