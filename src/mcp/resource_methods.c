/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Each method first checks the client's scopes for the URI, then looks up the resource:
 * the answer to a client without the scopes does not depend on whether the resource
 * exists.
 *
 * Source: MCP 2026-07-28, server/resources, server/utilities/completion.
 */
#include "mcp/era.h"

#include <string.h>

#include "base/escape.h"
#include "mcp/tool_set.h"

#define RESOURCE_METHODS_JSON_TYPE "application/json"

/* Lists */

/* Returns "" if memory runs out. */
static const char *resource_methods_template(const struct resource *resource,
					     struct arena *arena)
{
	const char *template =
		arena_printf(arena, "%s{%s}%s", resource->uri, resource->variable,
			     resource->tail ? resource->tail : "");

	return template ? template : "";
}

static void resource_methods_write_row(struct json_writer *writer,
				       const struct resource *resource,
				       struct arena *arena,
				       const struct schema_reader *reader)
{
	json_open_object(writer);
	if (!resource->variable)
		json_put_string(writer, "uri", resource->uri);
	else
		json_put_string(writer, "uriTemplate",
				resource_methods_template(resource, arena));
	json_put_string(writer, "name", resource->name);
	json_put_string(writer, "title", resource->title);
	schema_put_text(writer, "description", resource->description, reader);
	json_put_string(writer, "mimeType",
			resource->document ? resource->document().type
					   : RESOURCE_METHODS_JSON_TYPE);
	json_close_object(writer);
}

static void resource_methods_list(struct request *request, const char *key,
				  bool templates)
{
	const struct resource *const *resources = request->context->resources;
	unsigned scopes = exchange_client(request->exchange)->scopes;
	const struct schema_reader reader =
		tool_set_reader(request->context->tools, scopes);
	struct json_writer *writer;

	if (!request_has_no_cursor(request) || !(writer = request_open_result(request)))
		return;
	json_open_array_at(writer, key);
	for (; *resources; resources++) {
		if (!(*resources)->variable != templates &&
		    request_scopes_cover(scopes, (*resources)->scopes))
			resource_methods_write_row(writer, *resources, request->arena,
						   &reader);
	}
	json_close_array(writer);
	request_close_result(request);
}

void resource_methods_run_list(struct request *request)
{
	resource_methods_list(request, "resources", false);
}

void resource_methods_run_list_templates(struct request *request)
{
	resource_methods_list(request, "resourceTemplates", true);
}

/* Reading */

static void resource_methods_write_uri(struct json_writer *writer, const void *uri)
{
	json_open_object(writer);
	json_put_string(writer, "uri", uri);
	json_close_object(writer);
}

/* Answers with the error for this RESOURCE_E_*. */
static void resource_methods_refuse(struct request *request, const char *uri, int outcome)
{
	struct rpc_error error = {
		.write_data = resource_methods_write_uri,
		.data = escape_quote(request->arena, uri, RESOURCE_URI_MAX),
	};

	if (outcome == RESOURCE_E_NOT_FOUND) {
		error.code = request->era->resource_not_found;
		error.text =
			"Resource not found: see resources/list and resources/templates/list";
	} else {
		error.code = RPC_INVALID_PARAMS;
		error.text =
			"params.uri is not a valid URI: percent-encode special characters";
	}
	request_fail_with(request, &error);
}

bool resource_methods_find(struct request *request, struct resource_call *call)
{
	const struct resource *const *resources = request->context->resources;
	const char *uri = json_string(json_member(request->message.params, "uri"));
	int outcome;

	if (!uri) {
		request_fail(request, RPC_INVALID_PARAMS,
			     "params.uri must be the URI of a resource");
		return false;
	}
	if (!request_check_scopes(request, resource_scopes(resources, uri),
				  "This resource"))
		return false;
	call->services = request->context->services;
	call->client = exchange_client(request->exchange);
	call->arena = request->arena;
	outcome = resource_find(resources, uri, call);
	if (outcome)
		resource_methods_refuse(request, uri, outcome);
	return outcome == 0;
}

/* Returns 0, -errno or RESOURCE_E_NOT_FOUND. */
static int resource_methods_write_content(const struct resource_call *call,
					  struct buffer *content)
{
	struct json_writer *writer = json_writer_new(content);
	int error;

	if (!writer)
		return -1;
	error = call->resource->write(call, writer);
	if (error && !json_writer_is_whole(
			     writer)) /* the writer has to be closed around a value */
		json_write_null(writer);
	json_writer_free(writer);
	return !error && content->failed ? -1 : error;
}

static void resource_methods_answer_document(struct request *request,
					     const struct resource_document *document)
{
	const char *uri = json_string(json_member(request->message.params, "uri"));
	struct json_writer *writer = request_open_result(request);

	if (!writer)
		return;
	json_open_array_at(writer, "contents");
	json_open_object(writer);
	json_put_string(writer, "uri", uri);
	json_put_string(writer, "mimeType", document->type);
	json_key(writer, "text");
	json_write_text(writer, document->text, document->length);
	if (document->write_meta) {
		json_key(writer, "_meta");
		document->write_meta(writer);
	}
	json_close_object(writer);
	json_close_array(writer);
	request_close_result(request);
}

static void resource_methods_read_content(struct request *request,
					  const struct resource_call *call)
{
	struct resource_document document = { .type = RESOURCE_METHODS_JSON_TYPE };
	struct buffer content = BUFFER_INIT;
	int error = resource_methods_write_content(call, &content);

	document.text = content.data;
	document.length = content.length;
	if (error == RESOURCE_E_NOT_FOUND)
		resource_methods_refuse(
			request, json_string(json_member(request->message.params, "uri")),
			error);
	else if (error)
		request_fail(request, RPC_INTERNAL_ERROR,
			     "The resource could not be read: try again later");
	else
		resource_methods_answer_document(request, &document);
	buffer_deinit(&content);
}

void resource_methods_run_read(struct request *request)
{
	struct resource_document document;
	struct resource_call call;

	if (!resource_methods_find(request, &call))
		return;
	if (!call.resource->document) {
		resource_methods_read_content(request, &call);
		return;
	}
	document = call.resource->document();
	resource_methods_answer_document(request, &document);
}

/* Completion */

/* Returns the template that params.ref names; NULL if there is none. */
static const struct resource *resource_methods_find_template(struct request *request)
{
	const struct resource *const *resources = request->context->resources;
	const struct json *ref = json_member(request->message.params, "ref");
	const char *type = json_string(json_member(ref, "type"));
	const char *uri = json_string(json_member(ref, "uri"));

	if (!type || strcmp(type, "ref/resource") != 0 || !uri || !*uri)
		return NULL;
	for (; *resources; resources++) {
		if ((*resources)->variable &&
		    strcmp(uri, resource_methods_template(*resources, request->arena)) ==
			    0)
			return *resources;
	}
	return NULL;
}

static void resource_methods_answer_completion(struct request *request,
					       const struct resource_call *call)
{
	struct resource_completion completion = { .writer =
							  request_open_result(request) };

	if (!completion.writer)
		return;
	json_open_object_at(completion.writer, "completion");
	json_open_array_at(completion.writer, "values");
	if (call->resource->complete) /* an error leaves the list empty or short */
		call->resource->complete(call, &completion);
	json_close_array(completion.writer);
	json_put_boolean(completion.writer, "hasMore", completion.more);
	json_close_object(completion.writer);
	request_close_result(request);
}

void resource_methods_run_complete(struct request *request)
{
	const struct json *argument = json_member(request->message.params, "argument");
	const char *name = json_string(json_member(argument, "name"));
	struct resource_call call = {
		.resource = resource_methods_find_template(request),
		.value = json_string(json_member(argument, "value")),
		.services = request->context->services,
		.client = exchange_client(request->exchange),
		.arena = request->arena,
	};

	if (!call.resource)
		request_fail(request, RPC_INVALID_PARAMS,
			     "params.ref must be of type ref/resource with the "
			     "uriTemplate of a resource template as its uri");
	else if (!name || !call.value || strcmp(name, call.resource->variable) != 0)
		request_fail(request, RPC_INVALID_PARAMS,
			     "params.argument must have the name of the template's "
			     "variable, and a value");
	else if (request_check_scopes(request, call.resource->scopes, "This completion"))
		resource_methods_answer_completion(request, &call);
}
