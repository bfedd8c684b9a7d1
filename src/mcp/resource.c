/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "mcp/resource.h"

#include <string.h>

#include "base/shown_text.h"
#include "base/utf8.h"
#include "mcp/endpoint.h"
#include "mcp/era.h"
#include "mcp/permission.h"

#define JSON_TYPE "application/json"

/* URIs */

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 'a' ^ 'A';
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* RFC 3986: visible ASCII but for a few, and whole escapes. */
static bool uri_is_whole(const char *uri)
{
	const char *at;

	if (strlen(uri) > RESOURCE_URI_MAX || !strstr(uri, "://"))
		return false;
	for (at = uri; *at; at++) {
		if (*at <= ' ' || *at >= 0x7f || strchr("\"<>\\^`{|}", *at))
			return false;
		if (*at == '%' && (hex_digit(at[1]) < 0 || hex_digit(at[2]) < 0))
			return false;
	}
	return true;
}

static bool has_control(const char *text)
{
	while (*text && (unsigned char)*text >= ' ' && *text != 0x7f)
		text++;
	return *text;
}

/*
 * A plus is a plus: + means a blank in forms, not in paths. NULL: not UTF-8, or with
 * control characters.
 */
static const char *decode(const char *text, struct arena *arena)
{
	char *decoded = arena_alloc(arena, strlen(text) + 1), *to = decoded;

	if (!decoded)
		return NULL;
	for (; *text; text++) {
		if (*text != '%') {
			*to++ = *text;
			continue;
		}
		*to++ = (char)(hex_digit(text[1]) << 4 | hex_digit(text[2]));
		text += 2;
	}
	*to = '\0';
	if (strlen(decoded) != (size_t)(to - decoded) || has_control(decoded) ||
	    !utf8_valid(decoded, strlen(decoded)))
		return NULL;
	return decoded;
}

/* Schemes have no case (RFC 3986 section 3.1), but nobody writes them so. */
static bool begins_with(const char *text, const char *start)
{
	return strncmp(text, start, strlen(start)) == 0;
}

static bool fits_plain(const char *uri, struct resource_call *call)
{
	call->value = NULL;
	call->subject = call->resource->uri;
	return strcmp(uri, call->resource->uri) == 0;
}

static const char *tail_of(const struct resource *resource)
{
	return resource->tail ? resource->tail : "";
}

static bool fits_template(const char *uri, struct resource_call *call)
{
	const char *tail = tail_of(call->resource), *written;
	size_t before = strlen(call->resource->uri), after = strlen(tail);
	size_t length = strlen(uri);

	if (length <= before + after || !begins_with(uri, call->resource->uri) ||
	    strcmp(uri + length - after, tail) != 0)
		return false;
	written = arena_copy(call->arena, uri + before, length - before - after);
	if (!written || strpbrk(written, "/?#"))
		return false;
	call->value = decode(written, call->arena);
	if (call->value)
		call->value = call->resource->spell(call);
	if (!call->value)
		return false;
	call->subject = arena_printf(call->arena, "%s%s%s", call->resource->uri,
				     call->value, tail);
	return call->subject;
}

int resource_find(const struct resource *const *resources, const char *uri,
		  struct resource_call *call)
{
	if (!uri_is_whole(uri))
		return RESOURCE_E_MALFORMED;
	for (; *resources; resources++) {
		call->resource = *resources;
		if (call->resource->variable ? fits_template(uri, call)
					     : fits_plain(uri, call))
			return 0;
	}
	return RESOURCE_E_NOT_FOUND;
}

/* Before anything is looked up: whether it is there is told to none who may not know. */
unsigned resource_scopes(const struct resource *const *resources, const char *uri)
{
	unsigned scopes = 0;

	for (; *resources; resources++) {
		if ((*resources)->variable ? begins_with(uri, (*resources)->uri)
					   : strcmp(uri, (*resources)->uri) == 0)
			scopes |= (*resources)->scopes;
	}
	return scopes;
}

/* Lists */

static void write_about(struct json_writer *writer, const struct resource *resource)
{
	json_put_string(writer, "name", resource->name);
	json_put_string(writer, "title", resource->title);
	json_put_string(writer, "description", resource->description);
	json_put_string(writer, "mimeType",
			resource->document ? resource->document().type : JSON_TYPE);
}

/* "" without memory. */
static const char *template_of(const struct resource *resource, struct arena *arena)
{
	const char *template = arena_printf(arena, "%s{%s}%s", resource->uri,
					    resource->variable, tail_of(resource));

	return template ? template : "";
}

static void write_row(struct json_writer *writer, const struct resource *resource,
		      struct arena *arena)
{
	json_open_object(writer);
	if (!resource->variable) {
		json_put_string(writer, "uri", resource->uri);
	} else {
		json_put_string(writer, "uriTemplate", template_of(resource, arena));
	}
	write_about(writer, resource);
	json_close_object(writer);
}

static void run_list(struct request *request, const char *key, bool templates)
{
	const struct resource *const *resources = endpoint_resources(request->endpoint);
	unsigned scopes = exchange_client(request->exchange)->scopes;
	const struct json *cursor = json_member(request->message.params, "cursor");
	struct json_writer *writer;

	if (cursor && cursor->type != JSON_NULL) { /* one page: none was ever given out */
		request_fail(request, RPC_INVALID_PARAMS,
			     "unknown cursor: ask again without one");
		return;
	}
	writer = request_open_result(request);
	if (!writer)
		return;
	json_key(writer, key);
	json_open_array(writer);
	for (; *resources; resources++) {
		if (!(*resources)->variable != templates &&
		    permission_covers(scopes, (*resources)->scopes))
			write_row(writer, *resources, request->arena);
	}
	json_close_array(writer);
	request_close_result(request);
}

void resource_run_list(struct request *request)
{
	run_list(request, "resources", false);
}

void resource_run_list_templates(struct request *request)
{
	run_list(request, "resourceTemplates", true);
}

/* Reading */

static void write_uri(struct json_writer *writer, const void *uri)
{
	json_open_object(writer);
	json_put_string(writer, "uri", uri);
	json_close_object(writer);
}

/* Answers that it is malformed or not there (RESOURCE_E_*). */
static void refuse(struct request *request, const char *uri, int outcome)
{
	struct rpc_error error = {
		.write_data = write_uri,
		.data = shown_text_quote(request->arena, uri, RESOURCE_URI_MAX),
	};

	if (outcome == RESOURCE_E_NOT_FOUND) {
		error.code = request->era->resource_not_found;
		error.text = "Resource not found: resources/list and "
			     "resources/templates/list tell which there are";
	} else {
		error.code = RPC_INVALID_PARAMS;
		error.text = "params.uri is not a URI: percent-encode what may not stand "
			     "in one";
	}
	request_fail_with(request, &error);
}

bool resource_of_request(struct request *request, struct resource_call *call)
{
	const struct resource *const *resources = endpoint_resources(request->endpoint);
	const char *uri = json_string(json_member(request->message.params, "uri"));
	int outcome;

	if (!uri) {
		request_fail(request, RPC_INVALID_PARAMS,
			     "params.uri must be the URI of a resource");
		return false;
	}
	if (!permission_admit(request, resource_scopes(resources, uri), "This resource"))
		return false;
	call->services = endpoint_services(request->endpoint);
	call->client = exchange_client(request->exchange);
	call->arena = request->arena;
	outcome = resource_find(resources, uri, call);
	if (outcome)
		refuse(request, uri, outcome);
	return outcome == 0;
}

/* 0, -errno or RESOURCE_E_NOT_FOUND. */
static int write_content(const struct resource_call *call, struct buffer *content)
{
	struct json_writer *writer = json_writer_new(content);
	int error;

	if (!writer)
		return -1;
	error = call->resource->write(call, writer);
	if (error && !json_writer_is_whole(writer)) /* it wants a whole document */
		json_write_null(writer);
	json_writer_free(writer);
	return !error && content->failed ? -1 : error;
}

static void answer_document(struct request *request,
			    const struct resource_document *document)
{
	const char *uri = json_string(json_member(request->message.params, "uri"));
	struct json_writer *writer = request_open_result(request);

	if (!writer)
		return;
	json_key(writer, "contents");
	json_open_array(writer);
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

static void read_content(struct request *request, const struct resource_call *call)
{
	struct resource_document document = { .type = JSON_TYPE };
	struct buffer content = BUFFER_INIT;
	int error = write_content(call, &content);

	document.text = content.data;
	document.length = content.length;
	if (error == RESOURCE_E_NOT_FOUND)
		refuse(request, json_string(json_member(request->message.params, "uri")),
		       error);
	else if (error)
		request_fail(request, RPC_INTERNAL_ERROR,
			     "The resource could not be read: try again later");
	else
		answer_document(request, &document);
	buffer_deinit(&content);
}

void resource_run_read(struct request *request)
{
	struct resource_document document;
	struct resource_call call;

	if (!resource_of_request(request, &call))
		return;
	if (!call.resource->document) {
		read_content(request, &call);
		return;
	}
	document = call.resource->document();
	answer_document(request, &document);
}

/* Completion */

void completion_add(struct completion *completion, const char *value)
{
	if (completion->count == RESOURCE_COMPLETIONS) {
		completion->more = true;
		return;
	}
	json_write_string(completion->writer, value);
	completion->count++;
}

/* The template that params.ref names; NULL: none. */
static const struct resource *find_template(struct request *request)
{
	const struct resource *const *resources = endpoint_resources(request->endpoint);
	const struct json *ref = json_member(request->message.params, "ref");
	const char *type = json_string(json_member(ref, "type"));
	const char *uri = json_string(json_member(ref, "uri"));

	if (!type || strcmp(type, "ref/resource") != 0 || !uri || !*uri)
		return NULL;
	for (; *resources; resources++) {
		if ((*resources)->variable &&
		    strcmp(uri, template_of(*resources, request->arena)) == 0)
			return *resources;
	}
	return NULL;
}

static void answer_completion(struct request *request, const struct resource_call *call)
{
	struct completion completion = { .writer = request_open_result(request) };

	if (!completion.writer)
		return;
	json_key(completion.writer, "completion");
	json_open_object(completion.writer);
	json_key(completion.writer, "values");
	json_open_array(completion.writer);
	if (call->resource->complete) /* what cannot be read is not proposed */
		call->resource->complete(call, &completion);
	json_close_array(completion.writer);
	json_put_boolean(completion.writer, "hasMore", completion.more);
	json_close_object(completion.writer);
	request_close_result(request);
}

void resource_run_complete(struct request *request)
{
	const struct json *argument = json_member(request->message.params, "argument");
	const char *name = json_string(json_member(argument, "name"));
	struct resource_call call = {
		.resource = find_template(request),
		.value = json_string(json_member(argument, "value")),
		.services = endpoint_services(request->endpoint),
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
	else if (permission_admit(request, call.resource->scopes, "This completion"))
		answer_completion(request, &call);
}
