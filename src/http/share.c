/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "http/share.h"

#include <stdlib.h>

struct share *share_hold(struct share_list *list, const struct address_source *source)
{
	struct share *share;

	LIST_FOREACH (share, list, link) {
		if (address_source_is(&share->source, source)) {
			share->holders++;
			return share;
		}
	}
	share = calloc(1, sizeof(*share));
	if (!share)
		return NULL;
	share->source = *source;
	share->holders = 1;
	LIST_INSERT_HEAD(list, share, link);
	return share;
}

void share_release(struct share *share)
{
	if (--share->holders)
		return;
	LIST_REMOVE(share, link);
	free(share);
}
