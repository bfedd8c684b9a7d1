/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "gateway/paired_client.h"

/* <URL>, <TOKEN> and <TRUST>, arguments of the bridge that follow the URL, stand for the values. */
static const struct client_snippet {
	const char *name;
	const char *text;
} client_snippets[] = {
	{ "claude-desktop",
	  "Claude Desktop (claude_desktop_config.json) starts a program, "
	  "here " PROGRAM_NAME " on the\n"
	  "same computer:\n\n"
	  "  {\"mcpServers\":{\"phone\":{\"command\":\"" PROGRAM_NAME
	  "\",\"args\":[\"stdio\",\"--url\",\n"
	  "    \"<URL>\"<TRUST>],\"env\":{\"OFONO_MCP_TOKEN\":\"<TOKEN>\"}}}}\n\n"
	  "or, with ssh to this machine and without a token, " PROGRAM_NAME " here:\n\n"
	  "  {\"mcpServers\":{\"phone\":{\"command\":\"ssh\",\n"
	  "    \"args\":[\"phone\",\"" PROGRAM_NAME "\",\"stdio\"]}}}\n" },
	{ "claude-code", "Claude Code:\n\n"
			 "  claude mcp add --transport http phone <URL> \\\n"
			 "    --header \"Authorization: Bearer <TOKEN>\"\n" },
	{ "cursor",
	  "An agent that reads mcpServers, such as Cursor (~/.cursor/mcp.json):\n\n"
	  "  {\"mcpServers\":{\"phone\":{\"type\":\"http\",\"url\":\"<URL>\",\n"
	  "    \"headers\":{\"Authorization\":\"Bearer <TOKEN>\"}}}}\n" },
	{ "vscode", "VS Code (.vscode/mcp.json):\n\n"
		    "  {\"servers\":{\"phone\":{\"type\":\"http\",\"url\":\"<URL>\",\n"
		    "    \"headers\":{\"Authorization\":\"Bearer <TOKEN>\"}}}}\n" },
	{ "codex",
	  "Codex (~/.codex/config.toml), which reads the token from its environment:\n\n"
	  "  [mcp_servers.phone]\n"
	  "  url = \"<URL>\"\n"
	  "  bearer_token_env_var = \"OFONO_MCP_TOKEN\"\n\n"
	  "  export OFONO_MCP_TOKEN=<TOKEN>\n" },
	{ "antigravity", "Antigravity (mcp_config.json): as Claude Desktop.\n" },
	{ "chatgpt", "ChatGPT, through OpenAI's tunnel-client beside the gateway:\n\n"
		     "  export MCP_SERVER_URL=<URL> OFONO_AUTH=\"Bearer <TOKEN>\"\n"
		     "  export MCP_EXTRA_HEADERS=\"Authorization: env:OFONO_AUTH\"\n" },
};

enum { CLIENT_SNIPPETS = sizeof(client_snippets) / sizeof(client_snippets[0]) };

/* In the order of the table. */
const char *const client_snippet_names[] = { "claude-desktop", "claude-code",
					     "cursor",	       "vscode",
					     "codex",	       "antigravity",
					     "chatgpt",	       NULL };

struct client_snippet_value {
	const char *name, *value;
};

static const struct client_snippet_value *client_snippet_find(
	const struct client_snippet_value *values, const char *text)
{
	while (values->name && strncmp(text, values->name, strlen(values->name)) != 0)
		values++;
	return values->name ? values : NULL;
}

static void client_snippet_expand(struct buffer *to, const char *text,
				  const struct client_snippet_value *values)
{
	while (*text) {
		const struct client_snippet_value *value =
			client_snippet_find(values, text);

		if (value) {
			buffer_append_text(to, value->value);
			text += strlen(value->name);
		} else {
			buffer_append(to, text++, 1);
		}
	}
}

void client_snippet_write(struct buffer *to, const char *client, const char *url,
			  const char *token, bool has_certificate)
{
	const struct client_snippet_value values[] = {
		{ "<URL>", url },
		{ "<TOKEN>", token },
		{ "<TRUST>", has_certificate ? ",\"--ca-file\",\"phone.pem\"" : "" },
		{ NULL },
	};
	/* its own lines say "as Claude Desktop" */
	bool is_bridged = client && strcmp(client, "antigravity") == 0;

	for (size_t at = 0; at < CLIENT_SNIPPETS; at++) {
		const struct client_snippet *snippet = &client_snippets[at];

		if (client && strcmp(client, snippet->name) != 0 && !(is_bridged && !at))
			continue;
		if (at && (!client || is_bridged))
			buffer_append_text(to, "\n");
		client_snippet_expand(to, snippet->text, values);
	}
}
