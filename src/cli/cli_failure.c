/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/cli_failure.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/buffer.h"
#include "base/json.h"
#include "base/utf8.h"
#include "cli/command.h"

enum { TEXT_BYTES = 1024 };

void cli_failure_make_valid(char *text)
{
	if (utf8_valid(text, strlen(text)))
		return;
	for (; *text; text++) {
		if (*text & 0x80)
			*text = '?';
	}
}

const char *cli_failure_full_stop(const char *sentence)
{
	const char *command = strstr(sentence, "ofono-mcp ");
	const char *last = strrchr(sentence, ' ');

	return command && last[1] == '/' ? "" : ".";
}

void cli_failure_write_json(const char *code, const char *message, const char *fix)
{
	struct buffer text = BUFFER_INIT;
	struct json_writer *writer = json_writer_new(&text);

	if (!writer)
		return;
	json_open_object(writer);
	json_key(writer, "error");
	json_open_object(writer);
	json_put_string(writer, "code", code);
	json_put_string(writer, "message", message);
	json_put_string(writer, "fix", fix);
	json_close_object(writer);
	json_close_object(writer);
	json_writer_free(writer);
	printf("%.*s\n", (int)text.length, text.data ? text.data : "");
	buffer_deinit(&text);
}

int cli_failure_report(const struct cli_failure *error, const char *format, ...)
{
	char message[TEXT_BYTES];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(message, sizeof(message), format, arguments);
	va_end(arguments);
	cli_failure_make_valid(message);
	if (error->json)
		cli_failure_write_json(error->code, message, error->fix);
	fflush(stdout); /* earlier output comes before the error */
	fprintf(stderr, "ofono-mcp %s: %s.\n%s%s\n", error->command, message, error->fix,
		cli_failure_full_stop(error->fix));
	return EXIT_CODE_FAILED;
}
