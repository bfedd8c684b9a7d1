/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "mcp/ask_question.h"

#include <string.h>

void ask_question_write(struct json_writer *writer, const struct ask_question *question,
			enum ask_form form)
{
	json_put_string(writer, "method", "elicitation/create");
	json_key(writer, "params");
	json_open_object(writer);
	if (form == ASK_FORM_TITLES) /* what is older knows no other mode, and no word */
		json_put_string(writer, "mode", "form");
	json_put_string(writer, "message", question->message);
	json_key(writer, "requestedSchema");
	ask_form_write(writer, question->fields, form);
	json_close_object(writer);
}

void ask_question_put_input(struct json_writer *writer,
			    const struct ask_question *question)
{
	json_key(writer, question->key);
	json_open_object(writer);
	ask_question_write(writer, question, ASK_FORM_TITLES);
	json_close_object(writer);
}

bool ask_action_read(const struct json *result, enum ask_action *action_out)
{
	static const char *const words[] = { [ASK_ACCEPT] = "accept",
					     [ASK_DECLINE] = "decline",
					     [ASK_CANCEL] = "cancel" };
	const char *word = json_string(json_member(result, "action"));

	for (int i = 0; word && i < (int)(sizeof(words) / sizeof(words[0])); i++) {
		if (strcmp(word, words[i]) == 0) {
			*action_out = (enum ask_action)i;
			return true;
		}
	}
	return false;
}
