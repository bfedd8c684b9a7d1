/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Store, phones: the phones of a hub, their SIMs, and how far each was followed. Empty in a
 * gateway. Part of the store of store/store.h.
 *
 * `next_key` is on disk before it is sent to the phone, so one of the two keys always opens what
 * the phone says (tests/unit/test_hub_phones.c).
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct store;

enum {
	STORE_PHONE_NAME_BYTES = 33,
	STORE_PHONE_KEY_BYTES = 32,
	STORE_PHONE_CURSOR_BYTES = 128,
};

struct store_phone_row {
	int64_t id;
	char name[STORE_PHONE_NAME_BYTES];
	uint8_t key[STORE_PHONE_KEY_BYTES];
	uint8_t next_key[STORE_PHONE_KEY_BYTES];
	bool has_next_key;
	int64_t enrolled_ms;
	/* when it got a key of its own; 0 if its code was not used yet */
	int64_t joined_ms;
	int64_t seen_ms;		       /* when it answered last; 0 for never */
	char cursor[STORE_PHONE_CURSOR_BYTES]; /* "" for the beginning */
};

/*
 * Adds the phone, with its audit line. Fills `id`. Returns 0, STORE_E_EXISTS, STORE_E_FULL or
 * -errno.
 */
int store_phone_add(struct store *store, struct store_phone_row *row);
/* Stores keys and times. Returns 0, STORE_E_NOT_FOUND, STORE_E_FULL or -errno. */
int store_phone_put(struct store *store, const struct store_phone_row *row);
/* The same and the cursor, lazily: a power failure may lose it together with what it passed. */
int store_phone_advance(struct store *store, const struct store_phone_row *row);
/*
 * Removes the phone, with its audit line; its SIMs have no phone then. Returns 0,
 * STORE_E_NOT_FOUND, STORE_E_FULL or -errno.
 */
int store_phone_remove(struct store *store, const struct store_phone_row *row);
/* Lists them in order of name. Returns 0 or -errno. */
int store_phone_list(struct store *store,
		     void (*visit)(void *data, const struct store_phone_row *row),
		     void *data);

/*
 * The card with this ICCID is in the phone now, and not in another one; until another phone shows
 * it, the phone is the one that had it last. Does nothing if the SIM has no ID yet. Returns 0,
 * STORE_E_FULL or -errno.
 */
int store_phone_put_sim(struct store *store, const struct store_phone_row *row,
			const char *iccid);
/*
 * Replaces an ID, at first 0, by the next greater one of a SIM of the phone; by 0 after the last.
 * Returns 0 or -errno.
 */
int store_phone_next_sim(struct store *store, const struct store_phone_row *row,
			 int64_t *sim_id);
