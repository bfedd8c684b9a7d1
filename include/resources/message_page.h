/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Message page: the newest messages of a kind, as the content of a resource.
 */
#ifndef RESOURCES_MESSAGE_PAGE_H
#define RESOURCES_MESSAGE_PAGE_H

#include "mcp/resource.h"
#include "sms/store.h"

/*
 * {"notice":...,"messages":[...],"count":N,"more":...}, at most filter->limit messages and
 * about 256 KiB. 0, -errno, or RESOURCE_E_NOT_FOUND when there is none and `needed`.
 */
int message_page_write(const struct resource_call *call, struct message_filter *filter,
		       bool needed, struct json_writer *writer);

#endif
