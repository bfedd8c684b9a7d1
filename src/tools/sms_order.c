/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Checks run in three steps. Form: is it a message at all? Then the policy looks at it, which
 * also finds the message that a call only repeats. Acceptance: could it be accepted now? So a
 * repeated call is answered with its first message even when send_at has passed meanwhile or
 * the disk is full. The SIM comes last in send_sms, because the user may have to be asked.
 */
#include "tools/sms_order.h"

#include <string.h>

#include "base/clock.h"
#include "base/escape.h"
#include "config/config.h"
#include "mcp/elicitation.h"
#include "policy/routing.h"
#include "sms/outbox.h"
#include "store/store_listing.h"
#include "store/store_party.h"
#include "tools/argument.h"
#include "tools/sim_choice.h"

enum { SMS_ORDER_MS_PER_SECOND = 1000, SMS_ORDER_NAME_CHARACTERS = 40 };

const char *const sms_order_wait_words[] = {
	[ORDER_WAIT_NONE] = "none",
	[ORDER_WAIT_SENT] = "sent",
	[ORDER_WAIT_DELIVERED] = "delivered",
	NULL,
};

static enum sms_order_wait sms_order_read_wait(const struct tool_call *call)
{
	const char *word = argument_text(call, "wait_for");
	int wait = ORDER_WAIT_SENT;

	for (int i = 0; word && sms_order_wait_words[i]; i++) {
		if (strcmp(sms_order_wait_words[i], word) == 0)
			wait = i;
	}
	return (enum sms_order_wait)wait;
}

static bool sms_order_refuse(struct refusal *refusal_out, enum failure failure,
			     const char *message)
{
	*refusal_out = (struct refusal){ failure, message };
	return false;
}

/* A client that may not read learns no numbers, except those it wrote itself. */
static bool sms_order_may_see(const struct tool_call *call, const struct message *message)
{
	return call->client->scopes & CLIENT_READ ||
	       (message->direction == MESSAGE_OUTGOING &&
		message->client_id == call->client->id);
}

static const char sms_order_recipient_rule[] =
	"Pass recipients in to_phone_number or to_phone_numbers; or reply_to_message_id with "
	"to_phone_number \"\", or with the number of that message.";

static bool sms_order_is_same_party(const struct tool_call *call,
				    const struct message *message, const char *given)
{
	char number[PHONE_NUMBER_BYTES];

	return phone_number_parse(given, number) == PHONE_NUMBER_OK &&
	       store_party_is(
		       call->services->store,
		       &(struct store_party_address){ message->sim_id, number },
		       &(struct store_party_address){ message->sim_id, message->number });
}

/*
 * Reads number and SIM of the message that is answered. A number is stored without separators, so
 * "1-800-555" is also a name. `given` is the recipient that was passed as well, or NULL.
 */
static void sms_order_read_reply(struct sms_order *order, const char *given,
				 int64_t message_id)
{
	struct tool_call *call = order->call;
	struct refusal *refusal = &order->recipient_refusal;
	char number[PHONE_NUMBER_BYTES];
	struct message message;
	int error = store_message_get(call->services->store, message_id, call->arena,
				      &message);

	if (error && error != STORE_E_NOT_FOUND) {
		sms_order_refuse(refusal, FAILURE_INTERNAL,
				 "The message could not be read.");
	} else if (error || !sms_order_may_see(call, &message)) {
		sms_order_refuse(
			refusal, FAILURE_NOT_FOUND,
			arena_printf(call->arena,
				     "There is no message %lld to reply to: it never "
				     "existed, or is no longer kept.",
				     (long long)message_id));
	} else if (phone_number_parse(message.number, number) != PHONE_NUMBER_OK ||
		   strcmp(number, message.number) != 0) {
		sms_order_refuse(
			refusal, FAILURE_NO_REPLY,
			arena_printf(call->arena,
				     "Message %lld came from \"%s\", which is a name and "
				     "not a phone number: nobody can reply to it.",
				     (long long)message_id,
				     escape_quote(call->arena, message.number,
						  SMS_ORDER_NAME_CHARACTERS)));
	} else if (given && !sms_order_is_same_party(call, &message, given)) {
		sms_order_refuse(refusal, FAILURE_INVALID_ARGUMENTS,
				 sms_order_recipient_rule);
	} else {
		order->recipient = message.number;
		if (!order->names_sim && message.sim_id) {
			order->named_sim_id = message.sim_id;
			order->names_sim = true;
		}
	}
}

/*
 * Returns `list` with `single` before it; the members of `list` are shared. Returns NULL if memory
 * runs out.
 */
static const struct json *sms_order_join(struct arena *arena, const struct json *single,
					 const struct json *list)
{
	struct json *joined = arena_alloc(arena, sizeof(*joined));
	struct json *first = arena_alloc(arena, sizeof(*first));

	if (!joined || !first)
		return NULL;
	*first = *single;
	first->name = NULL;
	first->next = list->first;
	*joined = *list;
	joined->first = first;
	joined->count++;
	return joined;
}

/*
 * The original's schema requires to_phone_number, and so does ours. A client that checks its
 * calls against the schema passes "" there, or the first recipient of a list.
 */
static void sms_order_read_recipient(struct sms_order *order)
{
	const struct json *arguments = order->call->arguments;
	const struct json *single = json_member(arguments, "to_phone_number");
	int64_t message_id = argument_integer(order->call, "reply_to_message_id", 0);
	bool replies = json_member(arguments, "reply_to_message_id");
	const struct json *list = json_member(arguments, "to_phone_numbers");

	order->names_sim = sim_choice_argument(order->call, &order->named_sim_id);
	if (single && !single->length && (list || replies))
		single = NULL;
	order->recipients =
		list && single ? sms_order_join(order->call->arena, single, list) : list;
	order->recipient = single && !list ? json_string(single) : "";
	if (list && !order->recipients)
		sms_order_refuse(&order->recipient_refusal, FAILURE_INTERNAL,
				 "There is not enough memory for the recipients.");
	else if (replies ? list != NULL : !single && !list)
		sms_order_refuse(&order->recipient_refusal, FAILURE_INVALID_ARGUMENTS,
				 sms_order_recipient_rule);
	else if (order->recipients && (order->recipients->count < 1 ||
				       order->recipients->count > ORDER_RECIPIENTS_MAX))
		sms_order_refuse(
			&order->recipient_refusal, FAILURE_INVALID_ARGUMENTS,
			arena_printf(
				order->call->arena,
				"to_phone_numbers must have 1 to %d numbers, not %zu.",
				ORDER_RECIPIENTS_MAX, (size_t)order->recipients->count));
	else if (replies)
		sms_order_read_reply(order, single ? order->recipient : NULL, message_id);
}

void sms_order_read_number(struct sms_order *order)
{
	const char *shown;

	if (phone_number_parse(order->recipient, order->number) != PHONE_NUMBER_OK)
		return;
	for (const char *at = order->recipient; *at; at++) {
		if (*at >= ' ' && *at <= '~')
			continue;
		shown = arena_copy(order->call->arena, order->number,
				   strlen(order->number));
		order->recipient = shown ? shown : order->recipient;
		return;
	}
}

/*
 * Networks leave out the + or the trunk prefix of some senders. Such a number, as list_sms
 * shows it, is completed if it can only be one number in the countries of the SIM cards.
 */
const char *sms_order_complete_sender(const struct sms_order *order, const char *number)
{
	const struct services *services = order->call->services;
	const struct store_party_country_list *countries =
		store_party_countries(services->store);
	char complete[NUMBER_FORM_BYTES] = "";
	const char *copy;

	if (!number || !number_is_number(number) || *number == '+' ||
	    !store_listing_knows_number(services->store, number))
		return number;
	if (order->names_sim) {
		policy_complete_number(
			number,
			policy_home_country(services->policy, order->named_sim_id),
			complete);
	} else {
		for (size_t i = 0; i < countries->count; i++) {
			if (!policy_complete_number(number, countries->items[i],
						    complete))
				return number;
		}
	}
	copy = *complete ? arena_copy(order->call->arena, complete, strlen(complete))
			 : NULL;
	return copy ? copy : number;
}

void sms_order_read(struct sms_order *order, struct tool_call *call)
{
	*order = (struct sms_order){
		.call = call,
		.text = argument_text(call, "sms_text"),
		.send_at = argument_filled_text(call, "send_at"),
		.wait_for = sms_order_read_wait(call),
		.wait_seconds = argument_integer(
			call, "wait_seconds", call->services->config->send_wait_seconds),
		.valid_ms = argument_integer(call, "valid_for_seconds", 0) *
			    SMS_ORDER_MS_PER_SECOND,
		.dry_run = argument_boolean(call, "dry_run"),
		.is_spread = argument_boolean(call, "spread"),
		.pool = argument_text(call, "pool"),
		.resends = argument_text(call, "if_unknown") &&
			   strcmp(argument_text(call, "if_unknown"), "resend") == 0,
	};
	argument_key(call, &order->idempotency_key, &order->key_refusal);
	sms_order_read_recipient(order);
	order->recipient = sms_order_complete_sender(order, order->recipient);
	sms_order_read_number(order);
	segments_measure(order->text, &order->segments);
	if (!order->idempotency_key && elicitation_order(call)) {
		order->idempotency_key = elicitation_order(call);
		order->key_is_ours = true;
	}
}

/* Where the schema does not list them, the arguments are refused here. */
static bool sms_order_check_routing(struct sms_order *order, struct refusal *refusal_out)
{
	const struct services *services = order->call->services;

	if (!order->pool && !order->resends)
		return true;
	if (!services->routing)
		return sms_order_refuse(refusal_out, FAILURE_INVALID_ARGUMENTS,
					"This is one phone and not a hub: pool and "
					"if_unknown do not exist.");
	if (order->pool && order->names_sim)
		return sms_order_refuse(refusal_out, FAILURE_INVALID_ARGUMENTS,
					"Pass subscription_id or pool, not both.");
	if (order->pool && !routing_pool_named(services->routing, order->pool))
		return sms_order_refuse(
			refusal_out, FAILURE_INVALID_ARGUMENTS,
			arena_printf(order->call->arena, "There is no pool \"%s\".",
				     escape_quote(order->call->arena, order->pool,
						  SMS_ORDER_NAME_CHARACTERS)));
	return true;
}

static bool sms_order_check_recipient(struct sms_order *order,
				      struct refusal *refusal_out)
{
	if (!order->recipient_refusal.message)
		return true;
	*refusal_out = order->recipient_refusal;
	return false;
}

static bool sms_order_check_key(struct sms_order *order, struct refusal *refusal_out)
{
	if (!order->key_refusal.fix)
		return true;
	*refusal_out = order->key_refusal;
	return false;
}

static bool sms_order_refuse_time(struct sms_order *order, struct refusal *refusal_out,
				  const char *flaw)
{
	char now[CLOCK_TEXT_BYTES];

	clock_format(clock_wall_ms(), now);
	sms_order_refuse(refusal_out, FAILURE_INVALID_ARGUMENTS,
			 arena_printf(order->call->arena,
				      "send_at %s; it is %s by the phone's clock.", flaw,
				      now));
	refusal_out->fix =
		"Call again with a time with UTC offset in the next 30 days; ask "
		"your user if you do not know which they mean.";
	return false;
}

static bool sms_order_check_text(struct sms_order *order, struct refusal *refusal_out)
{
	if (order->text[strspn(order->text, " \t\r\n")])
		return true;
	return sms_order_refuse(refusal_out, FAILURE_INVALID_TEXT, "sms_text is empty.");
}

static bool sms_order_parse_time(struct sms_order *order, struct refusal *refusal_out)
{
	char example[CLOCK_TEXT_BYTES];

	if (!order->send_at || clock_parse(order->send_at, &order->wished_ms)) {
		order->send_at_ms = order->wished_ms;
		return true;
	}
	clock_complete(order->send_at, CLOCK_AHEAD, example);
	return sms_order_refuse_time(
		order, refusal_out,
		arena_printf(order->call->arena,
			     "must be an RFC 3339 time with UTC offset, for example %s",
			     example));
}

const sms_order_check sms_order_form_checks[] = {
	sms_order_check_routing, sms_order_check_recipient, sms_order_check_key,
	sms_order_check_text,	 sms_order_parse_time,	    NULL
};

static bool sms_order_check_time(struct sms_order *order, struct refusal *refusal_out)
{
	int64_t now_ms = clock_wall_ms();

	if (!order->send_at_ms)
		return true;
	if (order->send_at_ms <= now_ms)
		return sms_order_refuse_time(order, refusal_out, "has passed");
	if (order->send_at_ms - now_ms > (int64_t)ORDER_AHEAD_DAYS * CLOCK_MS_PER_DAY)
		return sms_order_refuse_time(order, refusal_out,
					     "is more than 30 days ahead");
	return true;
}

/* Counts from the time at which it is to be sent. The schema has checked the bounds. */
static bool sms_order_set_expiry(struct sms_order *order, struct refusal *refusal_out)
{
	int64_t from_ms = order->send_at_ms ? order->send_at_ms : clock_wall_ms();

	order->expires_at_ms = order->valid_ms ? from_ms + order->valid_ms : 0;
	return true;
}

static bool sms_order_check_storage(struct sms_order *order, struct refusal *refusal_out)
{
	const struct services *services = order->call->services;
	const char *trouble;

	if (outbox_has_storage(services->outbox))
		return true;
	trouble = store_trouble(services->store);
	if (trouble)
		return sms_order_refuse(refusal_out, FAILURE_INTERNAL, trouble);
	return sms_order_refuse(
		refusal_out, FAILURE_STORAGE_FULL,
		arena_printf(order->call->arena,
			     "Less than %lld MiB are free on the phone's storage, which "
			     "are reserved for incoming messages.",
			     (long long)services->config->reserve_mib));
}

const sms_order_check sms_order_acceptance_checks[] = { sms_order_check_time,
							sms_order_set_expiry,
							sms_order_check_storage, NULL };

/* The hub chooses a SIM of the pool, or of all. */
static bool sms_order_route(struct sms_order *order, struct refusal *refusal_out)
{
	struct routing *routing = order->call->services->routing;
	const struct store_pool *pool =
		order->pool ? routing_pool_named(routing, order->pool) : NULL;
	const struct routing_request request = {
		.client = order->call->client,
		.number = order->number,
		.segments = order->segments.count,
		.pool_id = pool ? pool->id : ATTEMPT_POOL_ANY,
		.is_later = order->send_at != NULL,
	};
	struct routing_choice choice;
	struct arena *arena = order->call->arena;

	if (routing_choose(routing, &request, &choice)) {
		order->sim_id = choice.sim_id;
		order->is_routed = true;
		order->routed = (struct store_routed){ request.pool_id, order->resends };
		order->route = choice.decided;
		return true;
	}
	*refusal_out = (struct refusal){
		choice.frees_ms	       ? FAILURE_RATE_LIMITED
		: choice.has_other_hub ? FAILURE_STALE_HUB
				       : FAILURE_SIM_ABSENT,
		arena_printf(arena, "No SIM%s%s can send this now: %s.",
			     pool ? " of pool " : "", pool ? pool->name : "",
			     sims_count(order->call->services->sims)
				     ? routing_explain(arena, &choice)
				     : "no phone is connected"),
	};
	if (choice.frees_ms)
		refusal_out->retry_after_seconds =
			(choice.frees_ms - clock_wall_ms()) / SMS_ORDER_MS_PER_SECOND + 1;
	else
		refusal_out->fix = "Ask the owner: " PROGRAM_NAME
				   " sims says what keeps each SIM from sending.";
	return false;
}

static bool sms_order_choose_sim(struct sms_order *order, struct refusal *refusal_out)
{
	if (order->call->services->routing && !order->names_sim)
		return sms_order_route(order, refusal_out);
	order->is_routed = order->resends;
	order->routed = (struct store_routed){ 0, order->resends };
	return sim_choice_make(order->call,
			       order->names_sim ? &order->named_sim_id : NULL,
			       order->send_at != NULL, &order->sim_id, refusal_out);
}

const sms_order_check sms_order_sim_checks[] = { sms_order_choose_sim, NULL };

bool sms_order_pass(struct sms_order *order, const sms_order_check *checks)
{
	struct refusal refusal;

	for (; *checks; checks++) {
		if ((*checks)(order, &refusal))
			continue;
		tool_failure_answer_with(order->call, &refusal, NULL, NULL);
		return false;
	}
	return true;
}

uint32_t sms_order_risky_character(const struct sms_order *order)
{
	/* Upstream's certainly refuses it, so the policy does; forks send it. */
	return ofono_line(order->call->services->ofono) == OFONO_LINE_UNKNOWN
		       ? order->segments.unsendable
		       : 0;
}

struct policy_request sms_order_request(const struct sms_order *order)
{
	int64_t named = order->named_sim_id;

	if (!sims_knows(order->call->services->sims, named))
		named = 0;
	return (struct policy_request){
		.arena = order->call->arena,
		.client = order->call->client,
		.number = order->recipient_refusal.message ? NULL : order->recipient,
		.text = order->text,
		.segments = order->segments.count,
		.sim_id = order->sim_id ? order->sim_id : named,
		.send_at_ms = order->send_at_ms,
		.is_spread = order->is_spread,
		.wished_ms = order->wished_ms,
		.list_key = order->list_key,
		.list_prefix = order->list_prefix,
		.idempotency_key = order->idempotency_key,
		.key_is_ours = order->key_is_ours,
		.edits_message_id = order->edits_message_id,
		.keeps_time = order->keeps_time,
		.is_dry_run = order->dry_run,
	};
}

/*
 * Keeps why the owner must approve the message. Returns 0; or POLICY_E_REFUSED if there is no
 * memory.
 */
static int sms_order_set_needs_owner(struct sms_order *order,
				     struct policy_verdict *verdict)
{
	struct refusal *cause = arena_alloc(order->call->arena, sizeof(*cause));

	if (!cause) {
		*verdict = (struct policy_verdict){ .failure = FAILURE_INTERNAL };
		return POLICY_E_REFUSED;
	}
	*cause = (struct refusal){ verdict->failure, verdict->message };
	order->needs_owner = cause;
	return 0;
}

int sms_order_judge(struct sms_order *order, const struct limit_plan *plan,
		    struct policy_verdict *verdict_out)
{
	struct policy *policy = order->call->services->policy;
	struct policy_request request;
	int outcome;

	order->needs_owner = NULL;
	order->send_at_ms = order->wished_ms;
	request = sms_order_request(order);
	request.plan = plan;
	outcome = order->is_spread ? policy_find_slot(policy, &request, verdict_out)
				   : policy_check(policy, &request, verdict_out);
	order->send_at_ms = request.send_at_ms;
	if (outcome == POLICY_E_NEEDS_OWNER)
		outcome = sms_order_set_needs_owner(order, verdict_out);
	return outcome;
}

int64_t sms_order_sim_free(const struct sms_order *order, const struct limit_plan *plan)
{
	const struct message message = {
		.sim_id = order->sim_id,
		.client_id = order->call->client->id,
		.segments = order->segments.count,
	};
	struct outbox_slot slot;

	return policy_find_new_slot(order->call->services->policy, &message, plan,
				    &slot) == 0
		       ? slot.send_at_ms
		       : 0;
}

struct refusal sms_order_refusal(const struct sms_order *order,
				 const struct policy_verdict *verdict)
{
	bool ends_soon = verdict->failure == FAILURE_RATE_LIMITED ||
			 verdict->failure == FAILURE_QUIET_HOURS;

	return (struct refusal){
		verdict->failure,
		verdict->message,
		verdict->retry_after_seconds,
		ends_soon && !order->is_spread && !order->edits_message_id
			? "Call again with spread: true, which schedules it for the "
			  "first time that the owner's limits leave free."
			: verdict->fix,
		verdict->fits,
	};
}

struct store_message_draft sms_order_draft(const struct sms_order *order)
{
	struct store_message_draft draft = {
		.sim_id = order->sim_id,
		.client_id = order->call->client->id,
		.number = order->number,
		.text = order->text,
		.segments = order->segments.count,
		.state = order->approval == ORDER_APPROVAL_AWAITED
				 ? STATE_WAITING_APPROVAL
			 : order->send_at_ms ? STATE_SCHEDULED
					     : STATE_QUEUED,
		.idempotency_key = order->idempotency_key,
		.send_at_ms = order->send_at_ms,
		.expires_at_ms = order->expires_at_ms,
		.valid_ms = order->valid_ms,
		.created_ms = clock_wall_ms(),
		.is_spread = order->is_spread,
		.routed = order->is_routed ? &order->routed : NULL,
	};

	if (order->needs_owner)
		draft.reason = failure_words(order->needs_owner->failure)->code;
	if (order->approval == ORDER_APPROVAL_GIVEN) {
		draft.reason = outbox_approval_by_user;
		draft.expires_at_ms = outbox_approval_expiry(
			draft.created_ms, draft.send_at_ms, draft.expires_at_ms);
	}
	return draft;
}

struct message sms_order_message(const struct store_message_draft *draft)
{
	return (struct message){
		.direction = MESSAGE_OUTGOING,
		.sim_id = draft->sim_id,
		.client_id = draft->client_id,
		.number = draft->number,
		.text = draft->text,
		.segments = draft->segments,
		.state = draft->state,
		.reason = draft->reason ? draft->reason : "",
		.created_ms = draft->created_ms,
		.changed_ms = draft->created_ms,
		.send_at_ms = draft->send_at_ms,
		.expires_at_ms = draft->expires_at_ms,
	};
}

const char *const sms_order_unknown_words[] = { "keep", "resend", NULL };

bool sms_order_is_routed(const struct services *services)
{
	return services->routing;
}

bool sms_order_has_pools(const struct services *services)
{
	return services->routing && routing_pool_at(services->routing, 0);
}

void sms_order_describe_pools(const struct services *services, struct buffer *more)
{
	const struct store_pool *pool;

	for (size_t i = 0;
	     services->routing && (pool = routing_pool_at(services->routing, i)); i++) {
		buffer_append_text(more, i ? ", " : ": ");
		buffer_append_text(more, pool->name);
	}
}

void sms_order_describe_text(const struct services *services, struct buffer *more)
{
	if (!ofono_sends_emoji(services->ofono))
		buffer_append_text(more, "; most emoji cannot be sent");
}
