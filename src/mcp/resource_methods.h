/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Resource methods: the MCP methods over the resource table.
 */
#ifndef MCP_RESOURCE_METHODS_H
#define MCP_RESOURCE_METHODS_H

#include "mcp/request.h"
#include "mcp/resource.h"

/* resources/list, resources/templates/list, resources/read, completion/complete */
void resource_methods_run_list(struct request *request);
void resource_methods_run_list_templates(struct request *request);
void resource_methods_run_read(struct request *request);
void resource_methods_run_complete(struct request *request);

/* Finds params.uri and checks that the client may read it. False: the request has been
 * answered. */
bool resource_methods_find(struct request *request, struct resource_call *call);

#endif
