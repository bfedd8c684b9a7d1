/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Contact list: the contacts of one place, a SIM card or the owner's file, as its vCards had
 * them. It takes as much memory as it was given and leaves out the rest.
 */
#ifndef PHONE_CONTACT_LIST_H
#define PHONE_CONTACT_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/queue.h>

enum {
	CONTACT_LIST_FILE_BYTES = 512 * 1024, /* about 5,000 contacts */
	CONTACT_LIST_SIM_BYTES = 128 * 1024,
};

struct contact {
	const char *name; /* as vcard.name */
	unsigned count;
	const char **numbers; /* as vcard.numbers */
	int64_t sim_id;	      /* 0: of the owner's file */
	TAILQ_ENTRY(contact) link;
};

TAILQ_HEAD(contacts_row, contact);

struct contact_list {
	struct contacts_row contacts;
	size_t contact_count;
	size_t number_count;
	bool is_full; /* there were more */
	/* Private to contact_list.c */
	struct arena *arena;
	int64_t sim_id;
};

struct contact_list *contact_list_new(int64_t sim_id,
				      size_t limit_bytes); /* NULL: no memory */
void contact_list_free(struct contact_list *list);	   /* NULL is fine */

/* The function for vcard_reader_init(), with the list as its data. */
struct vcard;
void contact_list_add(void *list, const struct vcard *card);

#endif
