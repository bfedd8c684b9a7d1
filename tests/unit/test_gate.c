/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "unit_test.h"
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "config/config.h"
#include "http/gate.h"

#include "head_cut.h"

static bool trusts_loopback(const struct config *asked)
{
	return asked->metrics_on_loopback;
}

static const struct http_server_route routes[] = {
	{ .path = "/mcp",
	  .methods = HTTP_GET | HTTP_POST | HTTP_DELETE,
	  .json_body = true,
	  .useless_scopes = CLIENT_METRICS },
	{ .path = "/healthz", .methods = HTTP_GET, .public = true },
	{ .path = "/metrics",
	  .methods = HTTP_GET,
	  .scopes = CLIENT_METRICS | CLIENT_READ,
	  .trusts_loopback = trusts_loopback },
	{ .path = NULL },
};

static struct config config;
static const char
	*local_name; /* of the connection; NULL: it is of nobody in particular */

static bool find_nobody(void *data, const uint8_t hash[AUTH_HASH_BYTES],
			struct client *client_out)
{
	return false;
}

static const struct auth open_auth = { .open = true };
static const struct auth closed_auth = { .find = find_nobody };

/* The verdict about a request with this head. */
static void judge(char *text, const struct auth *auth, bool local,
		  struct gate_verdict *verdict)
{
	struct request_head_error flaw = { 400, "libmicrohttpd refuses it itself" };
	struct request_head *head = head_cut(text);
	struct gate_request request = { .head = head,
					.config = &config,
					.routes = routes,
					.auth = auth,
					.local = local,
					.local_name = local_name,
					.verdict = verdict };

	if (head && request_head_is_whole(head) && request_head_check(head, &flaw))
		gate_check(&request);
	else
		*verdict = (struct gate_verdict){ .status = flaw.status,
						  .text = flaw.text,
						  .close = true };
	free(head);
}

/* `headers`: "Name: value|Name: value" */
static void check_with(const struct auth *auth, bool local, const char *method,
		       const char *path, const char *version, const char *headers,
		       struct gate_verdict *verdict)
{
	static char text[16 * 1024];
	size_t length = (size_t)snprintf(text, sizeof(text), "%s %s %s\r\n", method, path,
					 version);

	for (; *headers; headers++)
		length += (size_t)snprintf(text + length, sizeof(text) - length,
					   *headers == '|' ? "\r\n" : "%c", *headers);
	snprintf(text + length, sizeof(text) - length, "\r\n\r\n");
	judge(text, auth, local, verdict);
}

static void check(const char *method, const char *path, const char *version,
		  const char *headers, struct gate_verdict *verdict)
{
	check_with(&open_auth, false, method, path, version, headers, verdict);
}

#define HOST "Host: 127.0.0.1:9531"
#define JSON HOST "|Content-Type: application/json"

static const struct row {
	unsigned status;
	const char *method;
	const char *path;
	const char *headers;
} rows[] = {
	/* accepted */
	{ 0, "POST", "/mcp", JSON "|Content-Length: 2" },
	{ 0, "POST", "/mcp/", JSON "|Content-Length: 2" },
	{ 0, "POST", "/mcp", JSON },
	{ 0, "POST", "/mcp", JSON "|Content-Length: 0" },
	{ 0, "POST", "/mcp", JSON "|Content-Length: 65536" },
	{ 0, "POST", "/mcp", JSON "|Transfer-Encoding: chunked" },
	{ 0, "POST", "/mcp", JSON "|Transfer-Encoding: Chunked" },
	{ 0, "POST", "/mcp", HOST "|Content-Type: Application/JSON; charset=utf-8" },
	{ 0, "POST", "/mcp", HOST "|Content-Type: application/json ;charset=utf-8" },
	{ 0, "POST", "/mcp", JSON "|Content-Encoding: identity" },
	{ 0, "GET", "/mcp", HOST },
	{ 0, "HEAD", "/mcp", HOST },
	{ 0, "DELETE", "/mcp", HOST },
	{ 0, "GET", "/healthz", HOST },
	{ 0, "GET", "/mcp", HOST "|X-Odd!#$%&'*+-.^_`~: \tv\xc3\xa4lue" },
	{ 0, "GET", "/mcp", HOST "|Empty:" },
	/* framing */
	{ 400, "POST", "/mcp", JSON "|Content-Length: 2|Content-Length: 2" },
	{ 400, "POST", "/mcp", JSON "|Content-Length: 2|content-length: 3" },
	{ 400, "POST", "/mcp", JSON "|Content-Length: 2|Transfer-Encoding: chunked" },
	{ 400, "POST", "/mcp", JSON "|Transfer-Encoding: gzip" },
	{ 400, "POST", "/mcp", JSON "|Transfer-Encoding: gzip, chunked" },
	{ 400, "POST", "/mcp", JSON "|Transfer-Encoding: chunked " },
	{ 0, "POST", "/mcp", JSON "|Transfer-Encoding: \tchunked" },
	{ 400, "POST", "/mcp",
	  JSON "|Transfer-Encoding: \x0b"
	       "chunked" },
	{ 400, "POST", "/mcp",
	  JSON "|Transfer-Encoding: chunked|Transfer-Encoding: chunked" },
	{ 400, "POST", "/mcp", JSON "|Content-Length: 2x" },
	{ 400, "POST", "/mcp", JSON "|Content-Length: +2" },
	{ 400, "POST", "/mcp", JSON "|Content-Length: -2" },
	{ 400, "POST", "/mcp", JSON "|Content-Length: 2, 2" },
	{ 400, "POST", "/mcp", JSON "|Content-Length: 0x10" },
	{ 400, "POST", "/mcp", JSON "|Content-Length:" },
	{ 400, "POST", "/mcp", JSON "|Content-Length : 2" },
	{ 400, "GET", "/mcp", HOST "|Bad\tName: 1" },
	{ 400, "GET", "/mcp", HOST "|Bad\x01Name: 1" },
	{ 400, "GET", "/mcp", HOST "|: 1" },
	{ 400, "GET", "/mcp", HOST "|X(1): 1" },
	{ 400, "GET", "/mcp", HOST "|X: a\rb" },
	{ 400, "GET", "/mcp", HOST "|X: a\x7f" },
	{ 400, "GET", "/mcp", HOST "|Authorization: Bearer a|Authorization: Bearer b" },
	/* Host */
	{ 400, "GET", "/mcp", "Accept: */*" },
	{ 400, "GET", "/mcp", "Host: localhost:65536" },
	{ 400, "GET", "/mcp", "Host: 127.0.0.1:99999" },
	{ 400, "GET", "/mcp", "Host: [::1]:99999" },
	{ 0, "GET", "/mcp", "Host: localhost:65535" },
	{ 0, "GET", "/mcp", "Host: PHONE.example." },
	{ 421, "GET", "/mcp", "Host: evil.example" },
	/* Origin */
	{ 0, "GET", "/mcp", HOST "|Origin: http://localhost:6274" },
	{ 0, "GET", "/mcp", HOST "|Origin: https://console.example" },
	{ 403, "GET", "/mcp", HOST "|Origin: http://console.example" },
	{ 403, "GET", "/mcp", HOST "|Origin: http://192.0.2.7" },
	{ 0, "GET", "/mcp", "Host: 192.0.2.7:9531|Origin: http://192.0.2.7:9531" },
	{ 0, "GET", "/mcp", "Host: PHONE.example |Origin: https://phone.example" },
	{ 403, "GET", "/mcp", "Host: 192.0.2.7:9531|Origin: http://192.0.2.7" },
	{ 403, "GET", "/mcp", "Host: 192.0.2.7:9531|Origin: http://192.0.2.7:95311" },
	{ 403, "GET", "/mcp", "Host: 192.0.2.7:9531|Origin: ftp://192.0.2.7:9531" },
	{ 403, "GET", "/mcp", "Host: 192.0.2.7:9531|Origin: 192.0.2.7:9531" },
	{ 421, "GET", "/mcp", "Host: evil.example|Origin: http://evil.example" },
	{ 400, "GET", "/mcp", HOST "|Origin: http://localhost|Origin: http://localhost" },
	/* path before method; preflight before token */
	{ 404, "GET", "/", HOST },
	{ 400, "GET", "", HOST },
	{ 404, "GET", "/mcp//", HOST },
	{ 404, "GET", "/mcp%00", HOST },
	{ 404, "GET", "/mcp/../mcp", HOST },
	{ 404, "GET", "http://127.0.0.1/mcp", HOST },
	{ 404, "OPTIONS", "*", HOST },
	{ 404, "GET", "/.well-known/oauth-protected-resource", HOST },
	{ 204, "OPTIONS", "/mcp", HOST },
	{ 204, "OPTIONS", "/mcp", HOST "|Origin: http://localhost:6274" },
	{ 403, "OPTIONS", "/mcp", HOST "|Origin: https://evil.example" },
	{ 405, "PUT", "/mcp", HOST },
	{ 405, "TRACE", "/mcp", HOST },
	/* body */
	{ 415, "POST", "/mcp", HOST },
	{ 415, "POST", "/mcp", HOST "|Content-Type: text/plain" },
	{ 413, "POST", "/mcp", JSON "|Content-Length: 65537" },
	{ 413, "POST", "/mcp", JSON "|Content-Length: 18446744073709551616" },
	{ 413, "POST", "/mcp", JSON "|Content-Length: 99999999999999999999999999" },
	{ 413, "GET", "/mcp", HOST "|Content-Length: 65537" },
	{ 415, "POST", "/mcp", JSON "|Content-Encoding: gzip" },
	/* the first failed check decides */
	{ 421, "PUT", "/nowhere", "Host: evil.example|Origin: null" },
	{ 403, "PUT", "/nowhere", HOST "|Origin: null" },
	{ 404, "PUT", "/nowhere", HOST },
	{ 400, "GET", "/mcp", "Host: evil.example|Content-Length: x" },
	{ 415, "POST", "/mcp", HOST "|Content-Length: 65537" },
};

TEST(test_each_gate_refuses_with_its_status)
{
	size_t at;

	for (at = 0; at < sizeof(rows) / sizeof(rows[0]); at++) {
		const struct row *row = &rows[at];
		struct gate_verdict verdict;

		check(row->method, row->path, "HTTP/1.1", row->headers, &verdict);
		if (verdict.status != row->status)
			fail_msg("%s %s [%s]: %u, not %u (%s)", row->method, row->path,
				 row->headers, verdict.status, row->status, verdict.text);
		if (verdict.status && verdict.status != 204)
			assert_true(strlen(verdict.text) > 10);
		assert_int_equal(verdict.close, verdict.status == 400);
	}
	printf("%zu requests\n", at);
}

TEST(test_http_1_0_needs_no_host)
{
	struct gate_verdict verdict;

	check("GET", "/mcp", "HTTP/1.0", "Accept: */*", &verdict);
	assert_int_equal(verdict.status, 0);
	check("POST", "/mcp", "HTTP/1.0", JSON "|Transfer-Encoding: chunked", &verdict);
	assert_int_equal(verdict.status, 400);
}

TEST(test_the_own_host_name_is_allowed)
{
	struct gate_verdict verdict;
	char name[128], text[256];

	assert_int_equal(gethostname(name, sizeof(name)), 0);
	snprintf(text, sizeof(text), "Host: %s:9531", name);
	check("GET", "/mcp", "HTTP/1.1", text, &verdict);
	assert_int_equal(verdict.status, 0);
	snprintf(text, sizeof(text), "Host: %s.local", name);
	check("GET", "/mcp", "HTTP/1.1", text, &verdict);
	assert_int_equal(verdict.status, 0);
	snprintf(text, sizeof(text), "Host: %s.evil.example", name);
	check("GET", "/mcp", "HTTP/1.1", text, &verdict);
	assert_int_equal(verdict.status, 421);
}

TEST(test_the_token_is_checked_last)
{
	static const struct row closed[] = {
		{ 401, "GET", "/mcp", HOST },
		{ 401, "POST", "/mcp", JSON },
		{ 401, "POST", "/mcp", JSON "|Authorization: Bearer wrong" },
		{ 0, "GET", "/healthz", HOST },
		{ 204, "OPTIONS", "/mcp", HOST },
		{ 405, "PUT", "/mcp", HOST },
		{ 415, "POST", "/mcp", HOST },
		{ 404, "GET", "/.well-known/oauth-protected-resource", HOST },
		{ 404, "POST", "/.well-known/oauth-protected-resource/mcp", JSON },
		{ 404, "OPTIONS", "/.well-known/oauth-authorization-server", HOST },
		{ 404, "PUT", "/.well-known/openid-configuration", HOST },
	};
	size_t at;

	for (at = 0; at < sizeof(closed) / sizeof(closed[0]); at++) {
		const struct row *row = &closed[at];
		struct gate_verdict verdict;

		check_with(&closed_auth, false, row->method, row->path, "HTTP/1.1",
			   row->headers, &verdict);
		if (verdict.status != row->status)
			fail_msg("%s %s: %u", row->method, row->path, verdict.status);
		assert_int_equal(verdict.wrong_token,
				 strstr(row->headers, "Bearer") != NULL);
	}
}

static unsigned scopes;

static bool find_one(void *data, const uint8_t hash[AUTH_HASH_BYTES],
		     struct client *client_out)
{
	*client_out = (struct client){ .id = 1, .scopes = scopes };
	return true;
}

/* The status of GET /metrics; `token`: of a client with these scopes. */
static unsigned ask_metrics(bool local, bool token, unsigned has)
{
	static const struct auth auth = { .find = find_one };
	struct gate_verdict verdict;

	scopes = has;
	check_with(&auth, local, "GET", "/metrics", "HTTP/1.1",
		   token ? HOST "|Authorization: Bearer x" : HOST, &verdict);
	return verdict.status;
}

static unsigned ask_mcp(unsigned has)
{
	static const struct auth auth = { .find = find_one };
	struct gate_verdict verdict;

	scopes = has;
	check_with(&auth, true, "POST", "/mcp", "HTTP/1.1",
		   JSON "|Authorization: Bearer x", &verdict);
	return verdict.status;
}

static bool find_anna(void *data, const char *name, struct client *client_out)
{
	*client_out = (struct client){ .id = 7, .scopes = CLIENT_READ };
	return strcmp(name, "local:anna") == 0;
}

/* POST /mcp on the connection of a local user, NULL: of nobody. */
static struct gate_verdict ask_locally(const char *name, const char *headers)
{
	static const struct auth auth = { .find = find_nobody, .find_local = find_anna };
	struct gate_verdict verdict;

	local_name = name;
	check_with(&auth, true, "POST", "/mcp", "HTTP/1.1", headers, &verdict);
	local_name = NULL;
	return verdict;
}

TEST(test_a_local_user_needs_no_token_unless_revoked)
{
	struct gate_verdict verdict = ask_locally("local:anna", JSON);

	assert_int_equal(verdict.status, 0);
	assert_int_equal(verdict.client.id, 7);
	assert_true(verdict.right_token);
	verdict = ask_locally("local:revoked", JSON);
	assert_int_equal(verdict.status, 403);
	assert_false(verdict.right_token || verdict.wrong_token);
	/* a token that is sent counts, and nothing in a header makes a local user */
	assert_int_equal(
		ask_locally("local:anna", JSON "|Authorization: Bearer x").status, 401);
	assert_int_equal(ask_locally(NULL, JSON "|Authorization: local:anna").status,
			 401);
}

TEST(test_routes_need_their_scopes)
{
	assert_int_equal(ask_metrics(true, false, 0), 401);
	assert_int_equal(ask_metrics(true, true, 0), 403);
	assert_int_equal(ask_metrics(true, true, CLIENT_METRICS),
			 403); /* it needs all of them */
	assert_int_equal(ask_metrics(true, true, CLIENT_SCOPES_ALL & ~CLIENT_METRICS),
			 403);
	assert_int_equal(ask_metrics(false, true, CLIENT_METRICS | CLIENT_READ), 0);
	assert_int_equal(ask_mcp(CLIENT_METRICS), 403); /* useless there */
	assert_int_equal(ask_mcp(CLIENT_METRICS | CLIENT_READ), 0);
	assert_int_equal(ask_mcp(CLIENT_SEND), 0);
	config.metrics_on_loopback = true;
	assert_int_equal(ask_metrics(true, false, 0), 0);
	assert_int_equal(ask_metrics(true, true, 0), 0);
	assert_int_equal(ask_metrics(false, false, 0), 401);
	assert_int_equal(ask_metrics(false, true, 0), 403);
	config.metrics_on_loopback = false;
}

TEST(test_the_verdict_has_route_origin_and_client)
{
	struct gate_verdict verdict;

	check("POST", "/mcp/", "HTTP/1.1",
	      JSON "|Content-Length: 012|Origin: http://localhost:1", &verdict);
	assert_int_equal(verdict.status, 0);
	assert_ptr_equal(verdict.route, &routes[0]);
	assert_string_equal(verdict.origin, "http://localhost:1");
	assert_string_equal(verdict.client.name, "open");

	check("POST", "/mcp", "HTTP/1.1", JSON "|Transfer-Encoding: chunked", &verdict);
	assert_null(verdict.origin);

	check("PUT", "/nowhere", "HTTP/1.1", HOST "|Content-Length: 3", &verdict);
	assert_null(verdict.route);

	check("GET", "/mcp", "HTTP/1.1", HOST "|Origin: https://evil.example", &verdict);
	assert_null(verdict.origin);
}

static int setup(void **state)
{
	config_defaults(&config);
	config.allowed_host.count = 1;
	strcpy(config.allowed_host.items[0], "phone.example");
	config.allowed_origin.count = 1;
	strcpy(config.allowed_origin.items[0], "https://console.example");
	return 0;
}

/* The status of a request with these bytes as the name or value of a header. */
static unsigned status_with(const char *name, const char *value, size_t length)
{
	struct gate_verdict verdict;
	char text[128];

	snprintf(text, sizeof(text),
		 "GET /healthz HTTP/1.1\r\n" HOST "\r\n%s: %.*s\r\n\r\n", name,
		 (int)length, value);
	judge(text, &open_auth, false, &verdict);
	return verdict.status;
}

static bool may_stand_in_value(int byte)
{
	return byte == '\t' || (byte >= ' ' && byte != 0x7f);
}

/* At every position, in case a parser reads several bytes at once. */
TEST(test_control_characters_are_refused_anywhere_in_a_value)
{
	enum { LENGTH = 19 };
	char value[LENGTH + 1];

	for (int byte = 1; byte <= 0xff; byte++) {
		for (size_t at = 0; at < LENGTH; at++) {
			memset(value, at % 2 ? '\t' : '\xc3', LENGTH);
			value[LENGTH] = '\0';
			value[at] = (char)byte;
			assert_int_equal(status_with("X", value, LENGTH),
					 may_stand_in_value(byte) ? 0 : 400);
		}
	}
}

TEST(test_only_token_characters_are_allowed_in_a_name)
{
	static const char others[] = "!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyz"
				     "ABCDEFGHIJKLMNOPQRSTUVWXYZ";

	for (int byte = 1; byte <= 0xff; byte++) {
		const char name[] = { 'X', (char)byte, '\0' };

		if (byte != ':') /* it ends the name */
			assert_int_equal(status_with(name, "y", 1),
					 strchr(others, byte) ? 0 : 400);
	}
}

GROUP_FIXTURE(setup, NULL)
