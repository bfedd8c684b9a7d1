/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Change: something that clients may want to hear of. Who makes changes keeps observers of
 * this event and hands them in (endpoint_new()); streams listen.
 */
#ifndef MCP_CHANGE_H
#define MCP_CHANGE_H

enum change_type {
	CHANGE_RESOURCE, /* what resources/read gives for `subject` */
	CHANGE_TOOLS,	 /* what tools/list gives */
};

struct change {
	enum change_type type;
	/* A URI whose variable is not percent-encoded, see resource_find(); else NULL. */
	const char *subject;
};

#endif
