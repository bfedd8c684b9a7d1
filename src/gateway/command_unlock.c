/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * unlock: the PIN of a card, or its PUK with a new PIN, tried once.
 *
 *   without "code"   which card it is, what it asks for and how many tries are left
 *   with "code"      ("new_pin" with the PUK) the try; "tries" is what was seen before:
 *                    when fewer are left by now somebody else has tried, and it is refused
 *
 * Nothing is tried twice, whatever the answer. oFono answers before it tells the facts that
 * follow, the tries that are left among them, so those are waited for. One try at a time: the
 * number would not be true for another (tests/integration/test_unlock.py).
 *
 * The codes are cleared as soon as the call has left; the rest of their memory when the
 * connection goes (control_connection.c).
 */
#include <string.h>

#include "base/log.h"
#include "gateway/control_command.h"
#include "gateway/locked_sim.h"
#include "ofono/sim_unlock.h"
#include "store/store_audit.h"

enum { TELL_MS = 5000 }; /* for oFono to tell them */

/* in the arena of its call */
struct
try {
	struct control_call *call;
	struct sim_unlock *unlock; /* NULL: answered */
	char path[sizeof(((struct modem *)0)->path)];
	struct locked_sim before;
	enum sim_unlock_outcome outcome;
	/* Do the facts show it? NULL: they need not. */
	bool (*shows)(const struct try *try, const struct modem_sim *facts);
	void (*tell)(struct try *try); /* what became of it */
	struct observer observer;
	sd_event_source *timer;
};

static struct try *under_way;

/* Wiping */

static void wipe_argument(const struct control_call *call, const char *name)
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

/* Life */

static void release(struct try *try)
{
	sim_unlock_stop(try->unlock);
	try->unlock = NULL;
	observer_remove(&try->observer);
	try->timer = sd_event_source_disable_unref(try->timer);
	under_way = NULL;
}

static void on_abandoned(struct control_call *call)
{
	release(call->state);
}

static void put_sim(struct json_writer *writer, const struct locked_sim *sim)
{
	json_put_string(writer, "sim", sim->name);
	json_put_string(writer, "lock", sim->lock == SIM_LOCK_PUK ? "puk" : "pin");
	if (sim->tries) {
		json_put_integer(writer, "tries", sim->tries);
	} else {
		json_key(writer, "tries");
		json_write_null(writer);
	}
}

/* The answers to a try */

static const char *name_of_code(const struct try *try)
{
	return try->before.lock == SIM_LOCK_PUK ? "PUK" : "PIN";
}

static void tell_unlocked(struct try *try)
{
	struct json_writer *writer = control_result_open(try->call);

	if (!writer)
		return;
	json_put_string(writer, "sim", try->before.name);
	json_put_string(writer, "state", "unlocked");
	control_close(try->call);
}

/* A fix that ends with a command, and the modem that is meant. */
static const char *with_path(const struct try *try, const char *fix)
{
	const char *whole = arena_printf(try->call->arena, "%s %s", fix, try->path);

	return whole ? whole : fix;
}

static void tell_blocked(const struct try *try, unsigned tries)
{
	control_fail(try->call, "sim_blocked",
		     with_path(try,
			       "Have the PUK at hand, which came with the card, then: "
			       "ofono-mcp unlock --puk"),
		     "the PIN was wrong, and %s now asks for its PUK%s%s",
		     try->before.name, tries ? "; of that " : "",
		     tries ? locked_sim_tries(try->call->arena, tries) : "");
}

/* Of its modem by now; NULL: it is gone. */
static const struct modem_sim *facts_of(const struct try *try)
{
	const struct modem *modem;

	TAILQ_FOREACH (modem, ofono_modems(try->call->control->ofono), link) {
		if (strcmp(modem->path, try->path) == 0)
			return &modem->sim;
	}
	return NULL;
}

static bool is_open(const struct try *try, const struct modem_sim *facts)
{
	return modem_sim_lock_of(facts) != try->before.lock;
}

/* The same lock with fewer tries, or the next lock. */
static bool has_cost_a_try(const struct try *try, const struct modem_sim *facts)
{
	return facts->pin_retries != try->before.tries ||
	       modem_sim_lock_of(facts) != try->before.lock;
}

static void tell_wrong(struct try *try)
{
	const struct modem_sim *facts = facts_of(try);
	const char *code = name_of_code(try);

	if (facts && !has_cost_a_try(try, facts))
		facts = NULL;
	if (facts && try->before.lock == SIM_LOCK_PIN &&
	    modem_sim_lock_of(facts) == SIM_LOCK_PUK)
		tell_blocked(try, facts->pin_retries);
	else if (facts && facts->pin_retries)
		control_fail(try->call, "wrong_code",
			     "Be sure of it before the next; it is not tried again",
			     "the %s was wrong; %s", code,
			     locked_sim_tries(try->call->arena, facts->pin_retries));
	else if (facts && try->before.tries)
		control_fail(try->call, "wrong_code", "Ask the network for a new card",
			     "the %s was wrong, and no try is left", code);
	else
		control_fail(try->call, "wrong_code",
			     with_path(try, "How many are left is shown, before it asks, "
					    "by: ofono-mcp unlock"),
			     "the %s was refused; how many tries are left oFono has not "
			     "told",
			     code);
}

/* Waiting until oFono has told the rest */

static void finish(struct try *try)
{
	try->tell(try);
	release(try);
}

static bool is_told(const struct try *try)
{
	const struct modem_sim *facts = facts_of(try);

	return facts && try->shows(try, facts);
}

static void on_event(void *data, const void *event)
{
	(void)event;
	if (is_told(data))
		finish(data);
}

static int on_late(sd_event_source *source, uint64_t due_us, void *data)
{
	(void)source;
	(void)due_us;
	finish(data);
	return 0;
}

static void await_facts(struct try *try)
{
	const struct control *control = try->call->control;

	observer_add(ofono_observers(control->ofono), &try->observer, on_event, try);
	if (is_told(try) ||
	    sd_event_add_time_relative(control->loop, &try->timer, CLOCK_MONOTONIC,
				       TELL_MS * 1000, 0, on_late, try) < 0)
		finish(try);
}

static const struct refusal {
	const char *code;
	const char *message; /* behind "the PIN " */
	const char *fix;
} refusals[] = {
	[UNLOCK_BUSY] = { "busy", "was not tried: oFono is busy with the card",
			  "Try again in a moment" },
	[UNLOCK_NOT_TAKEN] = { "not_locked",
			       "was not tried: the card does not ask for it any more",
			       "Look again: ofono-mcp status" },
	[UNLOCK_IMPOSSIBLE] = { "not_possible",
				"was not tried: oFono cannot do that with this modem",
				"Unlock the card in another phone, or switch its PIN "
				"off there" },
	[UNLOCK_NOT_ALLOWED] = { "not_allowed",
				 "was not tried: the D-Bus policy does not let the "
				 "gateway enter it",
				 "Let it: copy unlock.conf, which the package has in "
				 "/usr/share/doc/ofono-mcp/examples and the source in "
				 "etc/dbus, to /etc/dbus-1/system.d, then: systemctl "
				 "reload dbus" },
	[UNLOCK_NOT_ASKED] = { "ofono_unavailable",
			       "was not tried: oFono was not reached",
			       "Start oFono: systemctl start ofono" },
	[UNLOCK_UNKNOWN] = { "unknown_outcome",
			     "may have been tried or not, for oFono gave no answer; it "
			     "is not tried again",
			     "Look whether the card is still locked: ofono-mcp status" },
};

static void tell_refused(struct try *try)
{
	const struct refusal *refusal = &refusals[try->outcome];

	control_fail(try->call, refusal->code, refusal->fix, "the %s %s",
		     name_of_code(try), refusal->message);
}

static void note(const struct try *try)
{
	const struct audit_event_fact facts[] = {
		{ "outcome", sim_unlock_outcome_name(try->outcome) },
		{ "retries", NULL, try->before.tries },
		{ "by", "owner" },
		{ NULL },
	};

	if (store_audit_record(try->call->control->store, AUDIT_SIM_UNLOCK, facts))
		log_warning("unlock: the audit does not have it");
}

static void on_done(void *data, enum sim_unlock_outcome outcome)
{
	struct try *try = data;

	try->unlock = NULL;
	try->outcome = outcome;
	note(try);
	try->tell = tell_refused;
	if (outcome == UNLOCK_DONE) {
		try->shows = is_open;
		try->tell = tell_unlocked;
	} else if (outcome == UNLOCK_WRONG) {
		try->shows = has_cost_a_try;
		try->tell = tell_wrong;
	}
	if (try->shows)
		await_facts(try);
	else
		finish(try);
}

/* Trying */

/* False: they are no codes, and it has been said. */
static bool read_codes(struct control_call *call, enum modem_sim_lock lock,
		       struct sim_unlock_codes *codes_out)
{
	struct sim_unlock_codes codes = { control_argument(call, "code"),
					  control_argument(call, "new_pin") };
	const char *problem = NULL;

	if (lock == SIM_LOCK_PIN &&
	    (codes.new_pin || !sim_unlock_pin_is_valid(codes.code)))
		problem = "a PIN has 4 to 8 digits";
	if (lock == SIM_LOCK_PUK && !sim_unlock_puk_is_valid(codes.code))
		problem = "a PUK has 8 digits";
	if (lock == SIM_LOCK_PUK && !problem &&
	    (!codes.new_pin || !sim_unlock_pin_is_valid(codes.new_pin)))
		problem = "the new PIN needs 4 to 8 digits";
	if (problem)
		control_fail(call, CONTROL_INVALID_ARGUMENT, "Enter it again",
			     "%s; nothing was tried", problem);
	else
		*codes_out = codes;
	return !problem;
}

/* Nobody else has used up a try since. */
static bool is_as_seen(struct control_call *call, const struct locked_sim *sim)
{
	int64_t seen = 0;
	const struct json *tries = json_member(call->arguments, "tries");

	if (tries && json_integer(tries, &seen) && seen == sim->tries)
		return true;
	control_fail(call, "tries_changed",
		     arena_printf(call->arena, "Look again: ofono-mcp unlock %s",
				  sim->modem->path),
		     "nothing was tried: meanwhile %s of %s",
		     sim->tries ? locked_sim_tries(call->arena, sim->tries)
				: "nobody knows how many tries are left",
		     sim->name);
	return false;
}

static bool is_free(struct control_call *call)
{
	if (!under_way)
		return true;
	control_fail(call, "busy", "Try again in a moment",
		     "nothing was tried: another try is under way");
	return false;
}

static void begin(struct control_call *call, const struct locked_sim *sim,
		  const struct sim_unlock_codes *codes)
{
	struct try *try = arena_alloc(call->arena, sizeof(*try));

	if (try)
		try->unlock = sim_unlock(sim->modem, codes, on_done, try);
	if (!try || !try->unlock) {
		control_fail(call, "internal_error", "Try again later",
			     "out of memory; nothing was tried");
		return;
	}
	try->call = call;
	try->before = *sim;
	memcpy(try->path, sim->modem->path, sizeof(try->path));
	call->state = try;
	call->abandoned = on_abandoned;
	under_way = try;
}

static void attempt(struct control_call *call, const struct locked_sim *sim)
{
	struct sim_unlock_codes codes;

	if (is_free(call) && is_as_seen(call, sim) &&
	    locked_sim_may_be_tried(call, sim) && read_codes(call, sim->lock, &codes))
		begin(call, sim, &codes);
}

static void look(struct control_call *call, const struct locked_sim *sim)
{
	struct json_writer *writer;

	if (!locked_sim_may_be_tried(call, sim))
		return;
	writer = control_result_open(call);
	if (!writer)
		return;
	put_sim(writer, sim);
	json_put_string(writer, "modem", sim->modem->path);
	control_close(call);
}

static void run(struct control_call *call)
{
	struct locked_sim sim;

	if (locked_sim_find(call, &sim)) {
		if (control_argument(call, "code"))
			attempt(call, &sim);
		else
			look(call, &sim);
	}
	wipe_argument(call, "code");
	wipe_argument(call, "new_pin");
}

const struct control_command control_unlock = {
	.name = "unlock",
	.needs_gateway = true,
	.asks_ofono = true,
	.run = run,
};
