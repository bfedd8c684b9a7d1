/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Message page: the newest messages of a kind, as the content of a resource.
 */
#ifndef TOOLS_RESOURCE_MESSAGE_PAGE_H
#define TOOLS_RESOURCE_MESSAGE_PAGE_H

#include "mcp/resource.h"
#include "store/store.h"

struct message_page {
	struct store_listing_filter filter; /* of what an index tells apart */
	unsigned limit;
	bool needed; /* without a message there is no such resource */
};

/*
 * {"notice":...,"messages":[...],"count":N,"more":...}, at most `limit` messages and about
 * 256 KiB. 0, -errno or RESOURCE_E_NOT_FOUND.
 */
int message_page_write(const struct resource_call *call, const struct message_page *page,
		       struct json_writer *writer);

#endif
