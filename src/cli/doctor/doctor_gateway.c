/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The doctor's checks of the clock, storage, the gateway, tokens and the last message.
 * The gateway is asked with its own commands: status, clients, list. If it does not
 * run, this program runs those of them that need only the message store. Nothing is
 * asked if that would create a store.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "cli/owner_command.h"
#include "cli/doctor/doctor.h"
#include "cli/json_field.h"
#include "cli/terminal.h"
#include "config/config.h"
#include "gateway/control.h"
#include "sms/outbox.h"
#include "store/store_bad_row.h"
#include "store/store_file.h"

#define START_IT                                                             \
	"Start it: systemctl start " PROGRAM_NAME "; by hand: " PROGRAM_NAME \
	" serve; if it does "                                                \
	"not start, its log says why: journalctl -u " PROGRAM_NAME

#define RESTART_IT                                                        \
	"Check its log, then restart it: systemctl restart " PROGRAM_NAME \
	"; by hand: kill -9, then " PROGRAM_NAME " serve"

enum {
	PATH_BYTES = CONFIG_TEXT_BYTES + 32,
	SILENCE_S = 8, /* these commands answer at once */
};

static void doctor_gateway_check_clock(struct doctor *doctor)
{
	int64_t now_ms = clock_wall_ms();
	const struct terminal_time now = terminal_time_of(now_ms);

	if (now_ms >= CLOCK_SANE_MS)
		doctor_report(doctor, DOCTOR_OK, "clock", NULL, "it is %s", now.text);
	else
		doctor_report(doctor, DOCTOR_PROBLEM, "clock",
			      "Set it: timedatectl set-ntp true, or date --set",
			      "it says %s, so messages get wrong times", now.text);
}

static void doctor_gateway_check_folder_mode(struct doctor *doctor, const char *folder)
{
	char fix[PATH_MAX + sizeof("chmod go-w ")];

	if (!store_file_others_may_write(folder))
		return;
	snprintf(fix, sizeof(fix), "chmod go-w %s", folder);
	doctor_report(doctor, DOCTOR_PROBLEM, "storage", fix,
		      "other users may write to %s, so no gateway starts there", folder);
}

/* Returns false if the folder does not exist yet. */
static bool doctor_gateway_check_folder(struct doctor *doctor)
{
	const char *folder = doctor->config.state_dir;
	struct stat status;
	int failure = stat(folder, &status) < 0 ? errno : 0;

	if (!failure && !S_ISDIR(status.st_mode))
		failure = ENOTDIR;
	if (!failure) {
		doctor_gateway_check_folder_mode(doctor, folder);
		if (outbox_has_disk_space(&doctor->config))
			doctor_report(doctor, DOCTOR_OK, "storage", NULL,
				      "enough free space at %s", folder);
		else
			doctor_report(
				doctor, DOCTOR_PROBLEM, "storage",
				"Free space on that disk",
				"less than %lld MiB are free at %s, so nothing is sent",
				(long long)doctor->config.reserve_mib, folder);
		return true;
	}
	doctor_report(
		doctor, DOCTOR_WARNING, "storage",
		"Start the gateway, which creates it; or name another folder with --state-dir",
		"%s does not exist (%s)", folder, strerror(failure));
	return false;
}

/* Running commands */

struct doctor_gateway_answer {
	struct arena *arena;
	const struct json *result; /* NULL if there is none */
	const char *code;	   /* of an error */
	char problem[512];	   /* as long as an explanation */
	struct progress progress;
};

/* The answer is one line. */
static bool doctor_gateway_on_line(void *data, const char *text, size_t length)
{
	struct doctor_gateway_answer *answer = data;
	const struct json *line = json_field_parse(answer->arena, text, length);
	const struct json *error = json_member(line, "error");

	if (!line)
		return true;
	answer->result = json_member(line, "result");
	answer->code = json_field_text(error, "code");
	snprintf(answer->problem, sizeof(answer->problem), "%s",
		 json_field_text(error, "message"));
	return true;
}

/* The caller frees the arena in either case. */
static void doctor_gateway_run_command(struct doctor *doctor, const char *command,
				       const char *line,
				       struct doctor_gateway_answer *answer)
{
	struct explanation error = { "" };
	const struct control_client_request question = {
		.config = &doctor->config,
		.command = command,
		.line = line,
		.length = strlen(line),
		.on_line = doctor_gateway_on_line,
		.progress = &answer->progress,
		.data = answer,
		.timeout_s = SILENCE_S,
		.timed_out = &doctor->gateway_is_silent,
	};

	*answer = (struct doctor_gateway_answer){
		.code = "", .arena = arena_new(4 * CONTROL_ARENA_MAX)
	};
	progress_begin(&answer->progress, "asking the gateway");
	if (!answer->arena)
		snprintf(answer->problem, sizeof(answer->problem), "out of memory");
	else if (!control_client_run(&question, &error))
		snprintf(answer->problem, sizeof(answer->problem), "%s", error.text);
	progress_clear(&answer->progress);
}

static void doctor_gateway_report_sending(struct doctor *doctor,
					  const struct json *status)
{
	if (json_field_is_true(status, "paused"))
		doctor_report(doctor, DOCTOR_WARNING, "sending",
			      "To resume: " PROGRAM_NAME " resume", "sending is paused");
	else if (json_field_is_true(status, "can_send"))
		doctor_report(doctor, DOCTOR_OK, "sending", NULL,
			      "a message could be sent now");
	else
		doctor_report(doctor, DOCTOR_PROBLEM, "sending", "See the other findings",
			      "no message can be sent now: %s",
			      json_field_text(status, "why_not"));
	if (strcmp(json_field_text(status, "waiting_approval"), "0") != 0)
		doctor_report(doctor, DOCTOR_NOTE, "approvals",
			      "To see them: " PROGRAM_NAME " approvals",
			      "messages waiting for your approval: %s",
			      json_field_text(status, "waiting_approval"));
}

struct doctor_gateway_differences {
	char text[192];
	size_t length;
};

static void doctor_gateway_add_difference(void *data, const char *section,
					  const char *name, bool adopted)
{
	struct doctor_gateway_differences *differences = data;
	size_t room = sizeof(differences->text) - differences->length;
	int length = snprintf(differences->text + differences->length, room, "%s%s.%s",
			      differences->length ? ", " : "", section, name);

	differences->length += (size_t)length < room ? (size_t)length : 0;
	differences->text[differences->length] = '\0';
}

/* Settings may differ because of options of serve, or because the file changed later. */
static void doctor_gateway_compare_settings(struct doctor *doctor,
					    const struct json *status)
{
	struct doctor_gateway_differences differences = { .length = 0 };
	struct config present;

	if (strcmp(json_field_text(status, "version"), OFONO_MCP_VERSION) != 0 ||
	    !config_read_json(json_member(status, "configuration"), &doctor->running))
		return;
	present = doctor->config;
	config_adopt(&present, &doctor->running, doctor_gateway_add_difference,
		     &differences);
	if (differences.length)
		doctor_report(doctor, DOCTOR_WARNING, "settings",
			      "If that is not intended: " PROGRAM_NAME
			      " reload, or restart the gateway",
			      "these differ from the file, because of options of serve, "
			      "or because the file has changed: %s",
			      differences.text);
}

static void doctor_gateway_report_mdns(struct doctor *doctor, const struct json *status)
{
	const char *text = json_field_text(status, "advertisement");

	if (json_field_is_true(status, "advertised"))
		doctor_report(doctor, DOCTOR_OK, "mDNS", NULL,
			      "the gateway is advertised as %s", text);
	else if (!doctor->running.advertise)
		doctor_report(doctor, DOCTOR_OK, "mDNS", NULL, "off (%s)", text);
	else
		doctor_report(doctor, DOCTOR_WARNING, "mDNS",
			      "See ADVERTISING in ofono-mcp.conf(5)",
			      "the gateway is not advertised: %s", text);
}

static void doctor_gateway_report_contacts(struct doctor *doctor,
					   const struct json *status)
{
	const struct json *contacts = json_member(status, "contacts");
	const char *problem = json_field_text(contacts, "problem");
	const char *skipped = json_field_text(contacts, "skipped");

	if (*problem)
		doctor_report(doctor, DOCTOR_WARNING, "contacts",
			      "Correct it, then: " PROGRAM_NAME " reload", "%s", problem);
	if (!*problem || *skipped)
		doctor_report(doctor, DOCTOR_OK, "contacts", NULL, "%s are known%s%s",
			      json_field_text(contacts, "count"),
			      *skipped ? "; left out: " : "", skipped);
}

static void doctor_gateway_report_webhooks(struct doctor *doctor,
					   const struct json *status)
{
	const struct json *webhooks = json_member(status, "webhooks");
	const struct json *suspended = json_field_list(webhooks, "suspended");
	const char *held = json_field_text(webhooks, "held");

	if (*held)
		doctor_report(doctor, DOCTOR_PROBLEM, "webhooks",
			      "Set the clock: timedatectl set-ntp true, or date --set",
			      "deliveries wait: %s", held);
	else if (suspended->count)
		doctor_report(doctor, DOCTOR_WARNING, "webhooks",
			      "To see which, and until when: " PROGRAM_NAME " webhook",
			      "suspended, because their receivers do not answer: %zu",
			      suspended->count);
	else if (webhooks)
		doctor_report(doctor, DOCTOR_OK, "webhooks", NULL, "%s subscriptions",
			      json_field_text(webhooks, "subscriptions"));
}

/* Nobody answered: there is no gateway, or its data stops it. */
static const char *doctor_gateway_fix(const struct doctor *doctor,
				      const struct doctor_gateway_answer *answer)
{
	if (doctor->gateway_is_silent)
		return RESTART_IT;
	if (doctor->gateway_runs)
		return "Check its log";
	if (!*answer->code && getuid() == 0)
		return "Correct that, then start it: systemctl start " PROGRAM_NAME;
	return START_IT;
}

static void doctor_gateway_check_status(struct doctor *doctor)
{
	struct doctor_gateway_answer answer;

	doctor_gateway_run_command(doctor, "status", "{\"command\":\"status\"}", &answer);
	doctor->gateway_runs = answer.result ||
			       (*answer.code && strcmp(answer.code, "not_running") != 0);
	if (answer.result) {
		doctor_report(doctor, DOCTOR_OK, "gateway", NULL, "running, version %s",
			      json_field_text(answer.result, "version"));
		doctor_gateway_compare_settings(doctor, answer.result);
		doctor_gateway_report_sending(doctor, answer.result);
		doctor_gateway_report_mdns(doctor, answer.result);
		doctor_gateway_report_contacts(doctor, answer.result);
		doctor_gateway_report_webhooks(doctor, answer.result);
		doctor_agent_check(doctor, answer.result);
	} else {
		doctor_report(doctor, DOCTOR_PROBLEM, "gateway",
			      doctor_gateway_fix(doctor, &answer), "%s", answer.problem);
	}
	arena_free(answer.arena);
}

static void doctor_gateway_check_clients(struct doctor *doctor)
{
	struct doctor_gateway_answer answer;
	unsigned long count;

	doctor_gateway_run_command(doctor, "clients", "{\"command\":\"clients\"}",
				   &answer);
	count = (unsigned long)json_field_list(answer.result, "clients")->count;
	doctor->has_clients = !answer.result || count;
	if (!answer.result)
		doctor_report(doctor, DOCTOR_WARNING, "tokens",
			      getuid() == 0 ? "See the finding about the gateway"
					    : "Run it as root, or as the gateway's user",
			      "the paired agents are unknown: %s", answer.problem);
	else if (count || doctor->running.open)
		doctor_report(doctor, DOCTOR_OK, "tokens", NULL,
			      doctor->running.open
				      ? "none is needed (open); paired agents: %lu"
				      : "paired agents: %lu",
			      count);
	else
		doctor_report(doctor, DOCTOR_WARNING, "tokens",
			      "Pair one: " PROGRAM_NAME " pair NAME",
			      "no agent is paired, so every call is refused");
	arena_free(answer.arena);
}

static void doctor_gateway_report_message(struct doctor *doctor,
					  const struct json *message)
{
	const char *given = json_field_text(message, "state");
	const char *state = *given ? given : "sent";
	const char *reason = json_field_text(message, "reason");
	const char *number = json_field_text(message, "to");
	const char *accepted = json_field_text(message, "at");
	const char *when = *accepted ? accepted : json_field_text(message, "send_at");
	bool is_bad = strcmp(state, "failed") == 0 || strcmp(state, "unknown") == 0;
	char fix[96];

	snprintf(fix, sizeof(fix), "To see it: " PROGRAM_NAME " show %s",
		 json_field_text(message, "message_id"));
	doctor_report(doctor, is_bad ? DOCTOR_WARNING : DOCTOR_OK, "last message",
		      is_bad ? fix : NULL, "of %s, to a number ending in %.3s: %s%s%s%s",
		      doctor_time(doctor, when).text,
		      strlen(number) > 3 ? number + strlen(number) - 3 : "", state,
		      *reason ? " (" : "", reason, *reason ? ")" : "");
}

static void doctor_gateway_check_last_message(struct doctor *doctor)
{
	struct doctor_gateway_answer answer;
	const struct json *messages;

	doctor_gateway_run_command(doctor, "list",
				   "{\"command\":\"list\",\"arguments\":{\"direction\":"
				   "\"out\",\"limit\":1}}",
				   &answer);
	messages = json_field_list(answer.result, "messages");
	if (messages->first)
		doctor_gateway_report_message(doctor, messages->first);
	else if (answer.result)
		doctor_report(doctor, DOCTOR_OK, "last message", NULL, "none sent yet");
	arena_free(answer.arena);
}

/* A path that we may not see may still exist. */
static bool doctor_gateway_is_absent(const char *path)
{
	return access(path, F_OK) < 0 && errno != EACCES;
}

/* Otherwise a command would create a message store. */
static bool doctor_gateway_has_store(const struct doctor *doctor)
{
	struct sockaddr_un address;
	struct explanation error;
	char path[PATH_BYTES];

	snprintf(path, sizeof(path), "%s/gateway.db", doctor->config.state_dir);
	return !doctor_gateway_is_absent(path) ||
	       (control_socket_address(&doctor->config, &address, &error) &&
		!doctor_gateway_is_absent(address.sun_path));
}

static bool doctor_gateway_is_closed(const struct doctor *doctor)
{
	struct sockaddr_un address;
	struct explanation error;

	return control_socket_address(&doctor->config, &address, &error) &&
	       faccessat(AT_FDCWD, address.sun_path, W_OK, AT_EACCESS) < 0 &&
	       errno == EACCES;
}

static void doctor_gateway_report_closed(struct doctor *doctor)
{
	struct doctor_gateway_answer answer;

	doctor_gateway_run_command(doctor, "status", "{\"command\":\"status\"}", &answer);
	doctor_report(doctor, DOCTOR_NOTE, "gateway", DOCTOR_AS_ROOT, "%s",
		      answer.problem);
	arena_free(answer.arena);
}

static void doctor_gateway_report_bad_rows(void *data, const char *table, int64_t rows)
{
	doctor_report(
		data, DOCTOR_WARNING, "message store",
		"They are in its table bad_row. Find out what wrote to gateway.db, and check the disk",
		"%lld bad row%s of the table %s %s set aside", (long long)rows,
		rows == 1 ? "" : "s", table, rows == 1 ? "was" : "were");
}

void doctor_gateway_check(struct doctor *doctor)
{
	doctor->running = doctor->config;
	doctor_gateway_check_clock(doctor);
	if (!doctor_gateway_check_folder(doctor) || !doctor_gateway_has_store(doctor)) {
		doctor_report(doctor, DOCTOR_PROBLEM, "gateway", START_IT,
			      "not running, and it has never run here");
		return;
	}
	doctor->gateway_is_closed = doctor_gateway_is_closed(doctor);
	if (doctor->gateway_is_closed) {
		doctor_gateway_report_closed(doctor);
		return;
	}
	store_bad_row_list(doctor->config.state_dir, doctor_gateway_report_bad_rows,
			   doctor);
	doctor_gateway_check_status(doctor);
	if (doctor->gateway_is_silent)
		return;
	doctor_gateway_check_clients(doctor);
	if (doctor->gateway_runs)
		doctor_gateway_check_last_message(doctor);
}
