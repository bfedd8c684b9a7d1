/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Paired client: an agent as the owner's commands name and show it.
 *
 *   "name", "scopes" ["read"], "sims" [1] ([] for any), "allow" ["+3620*"] ([] for any), "ask",
 *   "limits" {"per_minute": 5, ...} (null means as configured, 0 no limit), "paired"
 */
#pragma once

#include "base/buffer.h"
#include "base/json.h"
#include "gateway/control.h"
#include "store/store_client.h"

struct config;
struct explanation;

/* Returns why an agent may not have this name, which is valid UTF-8; NULL if it may. */
const char *paired_client_name_error(const char *name);

/* Finds the client that the argument "name" names. Returns false if the call has been answered. */
bool paired_client_find(struct control_call *call, struct store_client_row *row_out);

/* Writes the members into the open object. */
void paired_client_put(struct json_writer *writer, const struct store_client_row *row);
/* Writes the whole object as the member "client". */
void paired_client_put_member(struct json_writer *writer,
			      const struct store_client_row *row);

/*
 * Agent URL: the URLs under which agents reach the gateway, and the certificate by which they
 * recognise it.
 *
 *   "urls": ["https://192.0.2.7:9531/mcp", "http://127.0.0.1:9531/mcp"],
 *   "tls": {"fingerprint": "AB:CD:...", "certificate": "/var/lib/ofono-mcp/tls/cert.pem"}
 *
 * One URL for each configured address.  A wildcard address becomes the addresses of the
 * interfaces that are served (http/network_interface.h), never those of mobile data, and
 * HOST.local.  URLs that other machines can reach come first
 * (tests/integration/test_owner_commands.py::test_pair_prints_all_addresses_except_mobile_data).
 * The result is the same whether or not the gateway runs
 * (tests/integration/test_tls_pairing.py).
 */

/* The end of every URL. */
#define AGENT_URL_PATH "/mcp"

/*
 * Loads the certificate, if there is one; with `wanted` creates one if there is none. Returns 0, or
 * -errno with the error's text.
 */
int agent_url_secure(const struct control *control, bool wanted,
		     struct explanation *error);

/* Writes the members "urls" and, with TLS, "tls" into the open object. */
void agent_url_write(const struct control *control, struct json_writer *writer);

/* Returns true if programs on other machines can reach this URL. */
bool agent_url_is_for_others(const char *url);

/* Client snippet: the lines to paste into the configuration of one MCP client (doc/stdio.md). */

#define CLIENT_SNIPPET_NAMES                                    \
	"claude-desktop, claude-code, cursor, vscode, codex,\n" \
	"                   antigravity or chatgpt"

extern const char *const client_snippet_names[]; /* ends with NULL */

/*
 * Appends that of one client, or all of them for NULL. `has_certificate` means that the client's
 * machine does not trust the URL's certificate by itself.
 */
void client_snippet_write(struct buffer *to, const char *client, const char *url,
			  const char *token, bool has_certificate);
