/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Pairing: the requests of computers that ask, from their browser or shell, to be paired.
 *
 *   WAITING -- the owner types the code and approves --> APPROVED
 *   WAITING -- rejected, ten minutes, or pushed out --> REJECTED, EXPIRED, PUSHED_OUT
 *   APPROVED -- the computer gets its token, or ten minutes --> FETCHED, EXPIRED
 *
 * The computer shows the code, and the owner types it on the phone, which never shows it: so the
 * owner cannot approve the request of somebody else by mistake, whatever name it bears.
 *
 * Requests live in memory only, and ended ones as long as their places are not needed. The key of a
 * request is the secret that its computer holds as a cookie. All times are clock_boot_ms().
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/address.h"
#include "base/client.h"
#include "base/crypto.h"

enum {
	PAIRING_WAITING_MAX = 16,
	PAIRING_WAITING_PER_ADDRESS = 3,
	PAIRING_PLACES = 3 * PAIRING_WAITING_MAX,
	PAIRING_LIFETIME_MS = 10 * 60 * 1000,
	PAIRING_CODE_BYTES = 7, /* six digits and NUL */
	PAIRING_WRONG_MAX = 5,	/* wrong codes, then a pause */
	PAIRING_PAUSE_MS = 60 * 1000,
};

enum pairing_state {
	PAIRING_FREE, /* an unused place */
	PAIRING_WAITING,
	PAIRING_APPROVED,
	PAIRING_FETCHED,
	PAIRING_REJECTED,
	PAIRING_EXPIRED,
	PAIRING_PUSHED_OUT,
};

struct pairing_request {
	enum pairing_state state;
	int64_t number; /* greater than that of each earlier request */
	char key[TOKEN_TEXT_BYTES];
	char code[PAIRING_CODE_BYTES];
	char name[CLIENT_NAME_BYTES]; /* as the computer calls itself */
	struct address_source source;
	char address[ADDRESS_TEXT_BYTES]; /* without the port */
	int64_t begun_ms;
	bool holds_network; /* it began while the page was open to the network */
	/* when approved: */
	char client_name[CLIENT_NAME_BYTES]; /* as the owner calls it */
	char token[TOKEN_TEXT_BYTES];	     /* "" once it was fetched */
};

struct pairing { /* if zeroed, there are no requests */
	struct pairing_request requests[PAIRING_PLACES];
	int64_t last_number;
	unsigned wrong_codes;
	int64_t paused_until_ms;
	int64_t open_until_ms; /* the owner waits for a computer */
};

enum pairing_error {
	PAIRING_E_WRONG_CODE = 1, /* no waiting request has this code */
	PAIRING_E_PAUSED,	  /* too many wrong codes: see paused_until_ms */
};

/*
 * Adds a waiting request. If its address has as many as are allowed, the oldest of them is pushed
 * out; if all together have, the oldest of the address that has the most. Returns NULL if there are
 * no random numbers, or too many approved requests have not been fetched.
 */
const struct pairing_request *pairing_begin(struct pairing *pairing, const char *name,
					    const struct address *peer);

/* Returns NULL if no request has this key. Valid until the next pairing_begin(). */
struct pairing_request *pairing_find(struct pairing *pairing, const char *key);

/* Returns the milliseconds until it expires; 0 unless it is waiting or approved. */
int64_t pairing_left_ms(const struct pairing_request *request);

/*
 * Finds the waiting request with the code that the owner typed. Returns 0, or enum pairing_error;
 * wrong codes count.
 */
int pairing_check_code(struct pairing *pairing, const char *code,
		       struct pairing_request **request_out);

void pairing_approve(struct pairing_request *request, const struct client *client,
		     const char *token);
void pairing_reject(struct pairing_request *request);

/* The computer has the token of this approved request. */
void pairing_set_fetched(struct pairing_request *request);

/*
 * Returns the waiting request that began next after the one with this number (0 for the first);
 * NULL if there is none.
 */
const struct pairing_request *pairing_next(struct pairing *pairing, int64_t after_number);

/* Opens the page to the network for a while, or closes it with 0. */
void pairing_open_for(struct pairing *pairing, int64_t duration_ms);
bool pairing_is_open(const struct pairing *pairing);
/* Is it open, or does a request that came while it was still need the network? */
bool pairing_needs_network(const struct pairing *pairing);

/* Wipes the tokens and keys. */
void pairing_deinit(struct pairing *pairing);
