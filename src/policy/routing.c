/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A choice looks at every SIM once and asks the store only about the best one:
 *
 *   filters -> the best by the preferences -> its limits -> chosen, or the next best
 *
 * What is left of a SIM's month is read at most once a minute for the preference, and counted
 * down meanwhile; the limits of the SIM that is chosen are read anew each time. A SIM whose
 * limit is reached is passed over until that limit frees.
 */
#include "policy/routing_private.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/hash.h"
#include "base/log.h"
#include "policy/limit.h"

_Static_assert((int)ROUTING_FILTERS <= (int)ROUTING_FILTERS_MAX, "refused[] has room");
_Static_assert((int)ROUTING_PREFERENCES <= (int)ROUTING_PREFERENCES_MAX,
	       "scores[] has room");

enum {
	ROUTING_SIMS_MAX = 65536,
	ROUTING_LEFT_MS = 60 * 1000,
	ROUTING_ROW_BYTES = 1 << 20,
	MS_PER_SECOND = 1000
};

/* ---- what is known of SIMs and pools ------------------------------------------------- */

static struct routing_sim *routing_known(struct routing *routing, int64_t sim_id)
{
	size_t count = routing->known_count;
	struct routing_sim *grown;

	if (sim_id < 1 || sim_id >= ROUTING_SIMS_MAX)
		return NULL;
	if ((size_t)sim_id < count)
		return &routing->known[sim_id];
	count = (size_t)sim_id + 64;
	grown = realloc(routing->known, count * sizeof(*grown));
	if (!grown)
		return NULL;
	memset(grown + routing->known_count, 0,
	       (count - routing->known_count) * sizeof(*grown));
	routing->known = grown;
	routing->known_count = count;
	return &grown[sim_id];
}

static void routing_read_pool(void *data, const struct store_pool *pool)
{
	struct routing *routing = data;

	if (routing->pool_count < STORE_POOLS_MAX)
		routing->pools[routing->pool_count++] = *pool;
	routing->counts_recipients |= pool->recipients_per_month > 0;
}

static bool routing_pool_place(const struct routing *routing, int64_t pool_id,
			       size_t *place_out)
{
	for (size_t i = 0; i < routing->pool_count; i++) {
		if (routing->pools[i].id == pool_id) {
			*place_out = i;
			return true;
		}
	}
	return false;
}

static void routing_read_member(void *data, int64_t pool_id, int64_t sim_id)
{
	struct routing_sim *sim = routing_known(data, sim_id);
	size_t place;

	if (sim && routing_pool_place(data, pool_id, &place))
		sim->pools |= UINT64_C(1) << place;
}

static void routing_read_service(void *data, const struct store_pool_service *service)
{
	struct routing_sim *sim = routing_known(data, service->sim_id);

	if (sim)
		sim->service = *service;
	((struct routing *)data)->is_failing |= service->failures > 0;
}

int routing_reload(struct routing *routing)
{
	int error;

	routing->pool_count = 0;
	routing->counts_recipients = false;
	for (size_t i = 0; i < routing->known_count; i++)
		routing->known[i].pools = 0;
	error = store_pool_list(routing->store, routing_read_pool, routing);
	if (!error)
		error = store_pool_list_sims(routing->store, routing_read_member,
					     routing);
	if (!error)
		error = store_pool_list_services(routing->store, routing_read_service,
						 routing);
	return error;
}

int routing_new(const struct config *config, struct store *store, struct sims *sims,
		struct routing **routing_out)
{
	struct routing *routing = calloc(1, sizeof(*routing));
	int error;

	if (!routing)
		return -ENOMEM;
	routing->config = config;
	routing->store = store;
	routing->sims = sims;
	error = routing_reload(routing);
	if (error) {
		routing_free(routing);
		return error < 0 ? error : -EIO;
	}
	*routing_out = routing;
	return 0;
}

void routing_free(struct routing *routing)
{
	if (!routing)
		return;
	observer_remove(&routing->outbox);
	free(routing->known);
	free(routing);
}

const struct store_pool *routing_pool_at(const struct routing *routing, size_t place)
{
	return place < routing->pool_count ? &routing->pools[place] : NULL;
}

const struct store_pool *routing_pool_named(const struct routing *routing,
					    const char *name)
{
	for (size_t i = 0; i < routing->pool_count; i++) {
		if (strcmp(routing->pools[i].name, name) == 0)
			return &routing->pools[i];
	}
	return NULL;
}

static const struct store_pool *routing_pool(const struct routing *routing,
					     int64_t pool_id)
{
	size_t place;

	return routing_pool_place(routing, pool_id, &place) ? &routing->pools[place]
							    : NULL;
}

bool routing_is_drained(const struct routing *routing, int64_t sim_id)
{
	return sim_id > 0 && (size_t)sim_id < routing->known_count &&
	       routing->known[sim_id].service.is_drained;
}

/* Returns the place of the filter that refuses the SIM; ROUTING_FILTERS if none does. */
static size_t routing_filter_sim(const struct routing_case *about, const struct sim *sim,
				 struct routing_sim *known, int64_t *frees_ms_out)
{
	size_t place;

	for (place = 0; place < ROUTING_FILTERS; place++) {
		*frees_ms_out = 0;
		if (!routing_filters[place].passes(about, sim, known, frees_ms_out))
			break;
	}
	return place;
}

/* ---- limits -------------------------------------------------------------------------- */

/* Lists those of the SIM. What is routed to it counts, although it is not submitted yet. */
static size_t routing_list_limits(const struct routing *routing, int64_t sim_id,
				  struct limit limits_out[LIMITS_MAX])
{
	size_t count = limit_list(&routing->config->policy, NULL, sim_id, 0, limits_out);

	for (size_t i = 0; i < count; i++)
		limits_out[i].with_planned = true;
	return count;
}

/* The SIM's own limits as they are now. Returns false if one is reached, until *frees_ms. */
static bool routing_check_limits(const struct routing_case *about, int64_t sim_id,
				 int64_t *frees_ms)
{
	const struct limit_wish wish = { .segments = about->request->segments };
	struct limit limits[LIMITS_MAX];
	struct limit_place place = { 0 };
	size_t count = routing_list_limits(about->routing, sim_id, limits);
	struct store *store = about->routing->store;

	if (!count)
		return true;
	if (limit_find_place(store, limits, count, &wish, &place))
		return false;
	if (!place.limit.most && limit_check_budgets(store, limits, count, &wish, &place))
		return false;
	*frees_ms = place.fits_ms;
	return !place.limit.most;
}

int64_t routing_left(struct routing *routing, struct routing_sim *known, int64_t sim_id)
{
	struct limit limits[LIMITS_MAX];
	int64_t left, frees_ms, now_ms = clock_monotonic_ms();
	size_t count;

	if (known->left_read_ms && now_ms - known->left_read_ms < ROUTING_LEFT_MS)
		return known->left;
	known->left = INT64_MAX;
	known->left_read_ms = now_ms ? now_ms : 1;
	count = routing_list_limits(routing, sim_id, limits);
	for (size_t i = 0; i < count; i++) {
		if (limits[i].unit == LIMIT_MONTH &&
		    !limit_left(routing->store, &limits[i], &left, &frees_ms) &&
		    left < known->left)
			known->left = left;
	}
	return known->left;
}

/* ---- the best ------------------------------------------------------------------------ */

struct routing_best {
	const struct sim *sim; /* NULL if there is none yet */
	int64_t scores[ROUTING_PREFERENCES];
	size_t decided; /* the last preference that was needed */
};

static void routing_compare(const struct routing_case *about, struct routing_best *best,
			    const struct sim *sim, struct routing_sim *known)
{
	int64_t scores[ROUTING_PREFERENCES];
	size_t place;

	for (place = 0; place < ROUTING_PREFERENCES; place++)
		scores[place] = routing_preferences[place].score(about, sim, known);
	if (!best->sim) {
		best->sim = sim;
		memcpy(best->scores, scores, sizeof(scores));
		return;
	}
	for (place = 0; place < ROUTING_PREFERENCES; place++) {
		if (scores[place] != best->scores[place])
			break;
	}
	if (place == ROUTING_PREFERENCES)
		return;
	if (place > best->decided)
		best->decided = place;
	if (scores[place] < best->scores[place])
		return;
	best->sim = sim;
	best->decided = place;
	memcpy(best->scores, scores, sizeof(scores));
}

/* ---- the choice ---------------------------------------------------------------------- */

static int64_t routing_month(int64_t wall_ms)
{
	time_t at = (time_t)(wall_ms / MS_PER_SECOND);
	struct tm tm;

	return localtime_r(&at, &tm) ? tm.tm_year * INT64_C(12) + tm.tm_mon : 0;
}

static bool routing_open(struct routing_case *about, struct routing *routing,
			 const struct routing_request *request)
{
	const char *number = request->number;
	size_t length;

	*about = (struct routing_case){ .routing = routing,
					.request = request,
					.number_hash = HASH_START,
					.now_ms = clock_wall_ms() };
	about->month = routing_month(about->now_ms);
	if (request->pool_id > 0) {
		if (!routing_pool_place(routing, request->pool_id, &about->pool_place))
			return false;
		about->pool = &routing->pools[about->pool_place];
	}
	if (!number || !*number)
		return true;
	about->number_hash = hash_add(HASH_START, number, strlen(number));
	if (*number == '+')
		about->country = country_of_digits(number + 1, &length);
	store_pool_last_sim(routing->store, number, true, &about->conversation_sim);
	store_pool_last_sim(routing->store, number, false, &about->sticky_sim);
	return true;
}

static void routing_pick(const struct routing_case *about, struct routing_choice *choice,
			 struct routing_best *best)
{
	const struct sim *sim;

	*choice = (struct routing_choice){ 0 };
	*best = (struct routing_best){ 0 };
	TAILQ_FOREACH (sim, sims_list(about->routing->sims), link) {
		struct routing_sim *known = routing_known(about->routing, sim->id);
		int64_t frees_ms = 0;
		size_t place =
			known ? routing_filter_sim(about, sim, known, &frees_ms) : 0;

		if (place == ROUTING_FILTERS) {
			choice->candidates++;
			routing_compare(about, best, sim, known);
			continue;
		}
		choice->refused[place]++;
		choice->has_other_hub |= place == ROUTING_OTHER_HUB;
		if (frees_ms && (!choice->frees_ms || frees_ms < choice->frees_ms))
			choice->frees_ms = frees_ms;
	}
}

bool routing_choose(struct routing *routing, const struct routing_request *request,
		    struct routing_choice *choice_out)
{
	struct routing_case about;
	struct routing_best best;
	int64_t frees_ms;

	*choice_out = (struct routing_choice){ 0 };
	if (!routing_open(&about, routing, request))
		return false;
	for (;;) {
		routing_pick(&about, choice_out, &best);
		if (!best.sim)
			return false;
		frees_ms = about.now_ms + MS_PER_SECOND;
		if (request->is_later ||
		    routing_check_limits(&about, best.sim->id, &frees_ms))
			break;
		routing_known(routing, best.sim->id)->exhausted_until_ms =
			frees_ms > about.now_ms ? frees_ms : about.now_ms + MS_PER_SECOND;
	}
	choice_out->sim_id = best.sim->id;
	choice_out->decided = choice_out->candidates == 1
				      ? "it is the only SIM that can"
				      : routing_preferences[best.decided].why;
	return true;
}

const char *routing_explain(struct arena *arena, const struct routing_choice *choice)
{
	const char *text = "";

	for (size_t i = 0; i < ROUTING_FILTERS && text; i++) {
		if (choice->refused[i])
			text = arena_printf(arena, "%s%s%u %s", text, *text ? ", " : "",
					    choice->refused[i], routing_filters[i].why);
	}
	return text;
}

/* Returns why the SIM is refused, now and whatever was known before; NULL if it is not. */
static const char *routing_refuse(const struct routing_case *about, const struct sim *sim,
				  struct routing_sim *known, int64_t *frees_ms_out)
{
	size_t place = routing_filter_sim(about, sim, known, frees_ms_out);

	if (place < ROUTING_FILTERS)
		return routing_filters[place].why;
	return about->request->is_later ||
			       routing_check_limits(about, sim->id, frees_ms_out)
		       ? NULL
		       : routing_filters[ROUTING_AT_LIMIT].why;
}

/* For qsort(): the better one first. */
static int routing_order(const void *one, const void *other)
{
	const struct routing_rank *left = one, *right = other;

	if (!left->refused != !right->refused)
		return left->refused ? 1 : -1;
	for (size_t i = 0; i < ROUTING_PREFERENCES; i++) {
		if (left->scores[i] != right->scores[i])
			return left->scores[i] > right->scores[i] ? -1 : 1;
	}
	return left->sim->id < right->sim->id ? -1 : 1;
}

struct routing_rank *routing_rank(struct routing *routing, struct arena *arena,
				  const struct routing_request *request,
				  size_t *count_out)
{
	size_t count = 0, room = sims_count(routing->sims);
	struct routing_rank *ranks = arena_alloc(arena, (room + 1) * sizeof(*ranks));
	struct routing_case about;
	const struct sim *sim;

	if (!ranks || !routing_open(&about, routing, request))
		return NULL;
	TAILQ_FOREACH (sim, sims_list(routing->sims), link) {
		struct routing_rank *rank = &ranks[count];
		struct routing_sim *known = routing_known(routing, sim->id);

		if (!known || count == room)
			continue;
		*rank = (struct routing_rank){ .sim = sim };
		rank->refused = routing_refuse(&about, sim, known, &rank->frees_ms);
		for (size_t i = 0; i < ROUTING_PREFERENCES; i++)
			rank->scores[i] =
				routing_preferences[i].score(&about, sim, known);
		count++;
	}
	qsort(ranks, count, sizeof(*ranks), routing_order);
	*count_out = count;
	return ranks;
}

/* ---- what became of it --------------------------------------------------------------- */

void routing_use(struct routing *routing, int64_t sim_id, const char *number,
		 unsigned segments)
{
	struct routing_sim *known = routing_known(routing, sim_id);

	if (known && known->left_read_ms && known->left != INT64_MAX)
		known->left -= segments;
	if (routing->counts_recipients &&
	    store_pool_add_recipient(routing->store, sim_id,
				     routing_month(clock_wall_ms()), number))
		log_warning("routing: a recipient of sim %lld was not stored",
			    (long long)sim_id);
}

static int routing_save(struct routing *routing, int64_t sim_id,
			const struct store_pool_service *service)
{
	struct store_pool_service row = *service;

	row.sim_id = sim_id;
	return store_pool_put_service(routing->store, &row);
}

void routing_note(struct routing *routing, int64_t sim_id, bool has_failed)
{
	struct routing_sim *known = routing_known(routing, sim_id);

	if (!known || (!has_failed && !known->service.failures))
		return;
	routing->is_failing |= has_failed;
	known->service.failures = has_failed ? known->service.failures + 1 : 0;
	if (known->service.failures >= ROUTING_FAILURES) {
		known->service.failures = 0;
		known->service.rests_until_ms = clock_wall_ms() + ROUTING_REST_MS;
		log_warning("sim %lld: rests for 15 minutes after %d failures",
			    (long long)sim_id, ROUTING_FAILURES);
	}
	if (routing_save(routing, sim_id, &known->service))
		log_warning("routing: the failures of sim %lld were not stored",
			    (long long)sim_id);
}

int routing_drain(struct routing *routing, int64_t sim_id, bool is_drained,
		  const char *phone, const char *by)
{
	struct routing_sim *known = routing_known(routing, sim_id);
	struct store_pool_service service;
	int error;

	if (!known)
		return -EINVAL;
	service = known->service;
	service.sim_id = sim_id;
	service.is_drained = is_drained;
	error = store_pool_drain(routing->store, &service, phone, by);
	if (!error)
		known->service = service;
	return error;
}

/* Most outcomes change nothing, and then the message is not read. */
static void routing_on_outbox_event(void *data, const void *event_data)
{
	const struct outbox_event *event = event_data;
	struct routing *routing = data;
	bool has_failed = event->state == STATE_FAILED &&
			  strcmp(event->reason, "network_refused") == 0;
	struct arena *arena;
	struct message row;

	if (!has_failed && (event->state != STATE_SENT || !routing->is_failing))
		return;
	arena = arena_new(ROUTING_ROW_BYTES);
	if (arena && !store_message_get(routing->store, event->message_id, arena, &row))
		routing_note(routing, row.sim_id, has_failed);
	arena_free(arena);
}

void routing_watch(struct routing *routing, struct outbox *outbox)
{
	observer_add(outbox_observers(outbox), &routing->outbox, routing_on_outbox_event,
		     routing);
}

bool routing_is_left(void *data, int64_t sim_id)
{
	return routing_is_drained(data, sim_id);
}

int64_t routing_find_other(void *data, const struct message *message,
			   const struct store_routed *routed, const char *outcome)
{
	struct routing *routing = data;
	const struct store_pool *pool = routing_pool(routing, routed->pool_id);
	const struct routing_request request = {
		.number = message->number,
		.segments = message->segments,
		.pool_id = routed->pool_id,
		.message_id = message->id,
		.except_sim_id = message->sim_id,
	};
	struct routing_choice choice;

	if (outbox_failover_is_failure(outcome))
		routing_note(routing, message->sim_id, true);
	if ((routed->pool_id > 0 && (!pool || !pool->fails_over)) ||
	    !routing_choose(routing, &request, &choice))
		return 0;
	routing_use(routing, choice.sim_id, message->number, message->segments);
	return choice.sim_id;
}
