/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "policy/pairing.h"

#include <gnutls/crypto.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"

enum { PAIRING_CODES = 1000000 };

/* ---- time */

/* Has it not ended? */
static bool pairing_is_alive(const struct pairing_request *request)
{
	return request->state == PAIRING_WAITING || request->state == PAIRING_APPROVED;
}

int64_t pairing_left_ms(const struct pairing_request *request)
{
	int64_t left_ms = request->begun_ms + PAIRING_LIFETIME_MS - clock_boot_ms();

	return pairing_is_alive(request) && left_ms > 0 ? left_ms : 0;
}

static void pairing_end(struct pairing_request *request, enum pairing_state state)
{
	request->state = state;
	explicit_bzero(request->token, sizeof(request->token));
	explicit_bzero(request->code, sizeof(request->code));
}

static void pairing_expire(struct pairing *pairing)
{
	for (unsigned at = 0; at < PAIRING_PLACES; at++) {
		struct pairing_request *request = &pairing->requests[at];

		if (pairing_is_alive(request) && !pairing_left_ms(request))
			pairing_end(request, PAIRING_EXPIRED);
	}
}

/* ---- places */

/* Returns whether it waits, and comes from this address (NULL for any). */
static bool pairing_waits(const struct pairing_request *request,
			  const struct address_source *source)
{
	return request->state == PAIRING_WAITING &&
	       (!source || address_source_is(&request->source, source));
}

static unsigned pairing_count(const struct pairing *pairing,
			      const struct address_source *source)
{
	unsigned count = 0;

	for (unsigned at = 0; at < PAIRING_PLACES; at++)
		count += pairing_waits(&pairing->requests[at], source);
	return count;
}

/* Returns NULL if none waits. */
static struct pairing_request *pairing_find_oldest(struct pairing *pairing,
						   const struct address_source *source)
{
	struct pairing_request *oldest = NULL;

	for (unsigned at = 0; at < PAIRING_PLACES; at++) {
		struct pairing_request *request = &pairing->requests[at];

		if (pairing_waits(request, source) &&
		    (!oldest || request->number < oldest->number))
			oldest = request;
	}
	return oldest;
}

/* Returns the address with the most waiting requests. */
static const struct address_source *pairing_find_busiest(const struct pairing *pairing)
{
	const struct address_source *busiest = NULL;
	unsigned most = 0;

	for (unsigned at = 0; at < PAIRING_PLACES; at++) {
		const struct pairing_request *request = &pairing->requests[at];
		unsigned count = pairing_waits(request, NULL)
					 ? pairing_count(pairing, &request->source)
					 : 0;

		if (count > most) {
			busiest = &request->source;
			most = count;
		}
	}
	return busiest;
}

static void pairing_make_room(struct pairing *pairing,
			      const struct address_source *source)
{
	struct pairing_request *oldest = NULL;

	if (pairing_count(pairing, source) >= PAIRING_WAITING_PER_ADDRESS)
		oldest = pairing_find_oldest(pairing, source);
	else if (pairing_count(pairing, NULL) >= PAIRING_WAITING_MAX)
		oldest = pairing_find_oldest(pairing, pairing_find_busiest(pairing));
	if (oldest)
		pairing_end(oldest, PAIRING_PUSHED_OUT);
}

/*
 * Returns a free place, or that of the ended request that began the longest ago; NULL if there is
 * neither.
 */
static struct pairing_request *pairing_take_place(struct pairing *pairing)
{
	struct pairing_request *place = NULL;

	for (unsigned at = 0; at < PAIRING_PLACES; at++) {
		struct pairing_request *request = &pairing->requests[at];

		if (request->state == PAIRING_FREE)
			return request;
		if (!pairing_is_alive(request) &&
		    (!place || request->number < place->number))
			place = request;
	}
	return place;
}

/* ---- requests */

static struct pairing_request *pairing_find_code(struct pairing *pairing,
						 const char *code)
{
	for (unsigned at = 0; at < PAIRING_PLACES; at++) {
		struct pairing_request *request = &pairing->requests[at];

		if (request->state == PAIRING_WAITING &&
		    crypto_texts_equal(request->code, code))
			return request;
	}
	return NULL;
}

/* Makes a code that no other request has. Returns false if there are no random numbers. */
static bool pairing_make_code(struct pairing *pairing, char code[PAIRING_CODE_BYTES])
{
	uint32_t number;

	do {
		if (gnutls_rnd(GNUTLS_RND_KEY, &number, sizeof(number)) < 0)
			return false;
		snprintf(code, PAIRING_CODE_BYTES, "%06u", number % PAIRING_CODES);
	} while (pairing_find_code(pairing, code));
	return true;
}

const struct pairing_request *pairing_begin(struct pairing *pairing, const char *name,
					    const struct address *peer)
{
	struct pairing_request request = {
		.state = PAIRING_WAITING,
		.source = address_source(peer),
		.begun_ms = clock_boot_ms(),
		.holds_network = pairing_is_open(pairing),
	};
	struct pairing_request *place;

	pairing_expire(pairing);
	if (!pairing_make_code(pairing, request.code) ||
	    !crypto_make_random(request.key, sizeof(request.key)))
		return NULL;
	snprintf(request.name, sizeof(request.name), "%s", name);
	address_format_host(peer, request.address);
	pairing_make_room(pairing, &request.source);
	place = pairing_take_place(pairing);
	if (place) {
		request.number = ++pairing->last_number;
		*place = request;
	}
	explicit_bzero(&request, sizeof(request));
	return place;
}

struct pairing_request *pairing_find(struct pairing *pairing, const char *key)
{
	pairing_expire(pairing);
	if (strlen(key) != TOKEN_TEXT_BYTES - 1)
		return NULL;
	for (unsigned at = 0; at < PAIRING_PLACES; at++) {
		struct pairing_request *request = &pairing->requests[at];

		if (request->state != PAIRING_FREE &&
		    crypto_texts_equal(request->key, key))
			return request;
	}
	return NULL;
}

int pairing_check_code(struct pairing *pairing, const char *code,
		       struct pairing_request **request_out)
{
	int64_t now_ms = clock_boot_ms();

	pairing_expire(pairing);
	if (now_ms < pairing->paused_until_ms)
		return PAIRING_E_PAUSED;
	*request_out = pairing_find_code(pairing, code);
	if (*request_out) {
		pairing->wrong_codes = 0;
		return 0;
	}
	if (++pairing->wrong_codes < PAIRING_WRONG_MAX)
		return PAIRING_E_WRONG_CODE;
	pairing->wrong_codes = 0;
	pairing->paused_until_ms = now_ms + PAIRING_PAUSE_MS;
	return PAIRING_E_WRONG_CODE;
}

void pairing_approve(struct pairing_request *request, const struct client *client,
		     const char *token)
{
	pairing_end(request, PAIRING_APPROVED);
	snprintf(request->client_name, sizeof(request->client_name), "%s", client->name);
	snprintf(request->token, sizeof(request->token), "%s", token);
}

void pairing_reject(struct pairing_request *request)
{
	pairing_end(request, PAIRING_REJECTED);
}

void pairing_set_fetched(struct pairing_request *request)
{
	pairing_end(request, PAIRING_FETCHED);
}

const struct pairing_request *pairing_next(struct pairing *pairing, int64_t after_number)
{
	const struct pairing_request *next = NULL;

	pairing_expire(pairing);
	for (unsigned at = 0; at < PAIRING_PLACES; at++) {
		const struct pairing_request *request = &pairing->requests[at];

		if (pairing_waits(request, NULL) && request->number > after_number &&
		    (!next || request->number < next->number))
			next = request;
	}
	return next;
}

/* ---- the network */

void pairing_open_for(struct pairing *pairing, int64_t duration_ms)
{
	pairing->open_until_ms = duration_ms ? clock_boot_ms() + duration_ms : 0;
}

bool pairing_is_open(const struct pairing *pairing)
{
	return clock_boot_ms() < pairing->open_until_ms;
}

bool pairing_needs_network(const struct pairing *pairing)
{
	bool is_held = false;

	for (unsigned at = 0; at < PAIRING_PLACES; at++)
		is_held |= pairing->requests[at].holds_network &&
			   pairing_left_ms(&pairing->requests[at]);
	return is_held || pairing_is_open(pairing);
}

void pairing_deinit(struct pairing *pairing)
{
	explicit_bzero(pairing, sizeof(*pairing));
}
