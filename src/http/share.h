/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Share: how many of the connections that are served one address has.
 *
 * Each connection holds the share of its address; the last one to leave takes it along.
 */
#ifndef HTTP_SHARE_H
#define HTTP_SHARE_H

#include <sys/queue.h>

#include "base/address.h"

struct share {
	struct address_source source;
	unsigned holders;
	unsigned served;    /* of these; the others are on their way out */
	unsigned strangers; /* of those that are served, with no right token yet */
	LIST_ENTRY(share) link;
};

LIST_HEAD(share_list, share);

/* The share of this address, held once more. NULL: no memory. */
struct share *share_hold(struct share_list *list, const struct address_source *source);
void share_release(struct share *share);

#endif
