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
#include "base/json_reader.h"
#include "cli/control_client.h"
#include "cli/doctor/doctor.h"
#include "cli/json_field.h"
#include "cli/progress.h"
#include "cli/terminal.h"
#include "config/config.h"
#include "gateway/control_call.h"
#include "gateway/control_socket.h"
#include "sms/outbox.h"
#include "store/store_file.h"

#define START_IT                                                                     \
	"Start it: systemctl start ofono-mcp; by hand: ofono-mcp serve; if it does " \
	"not start, its log says why: journalctl -u ofono-mcp"

#define RESTART_IT                                           \
	"Check its log, then restart it: systemctl restart " \
	"ofono-mcp; by hand: kill -9, then ofono-mcp serve"

enum {
	PATH_BYTES = CONFIG_TEXT_BYTES + 32,
	SILENCE_S = 8, /* these commands answer at once */
};

static void doctor_gateway_check_clock(struct doctor *doctor)
{
	int64_t now_ms = clock_wall_ms();
	const struct terminal_time now = terminal_time_of(now_ms);

	if (now_ms >= CLOCK_SANE_MS)
		doctor_report(doctor, &(struct doctor_finding){ DOCTOR_OK, "clock" },
			      "it is %s", now.text);
	else
		doctor_report(
			doctor,
			&(struct doctor_finding){ DOCTOR_PROBLEM, "clock",
						  "Set it: timedatectl set-ntp true, or "
						  "date --set" },
			"it says %s, so messages get wrong times", now.text);
}

static void doctor_gateway_check_folder_mode(struct doctor *doctor, const char *folder)
{
	char fix[PATH_MAX + sizeof("chmod go-w ")];

	if (!store_file_others_may_write(folder))
		return;
	snprintf(fix, sizeof(fix), "chmod go-w %s", folder);
	doctor_report(doctor, &(struct doctor_finding){ DOCTOR_PROBLEM, "storage", fix },
		      "other users may write to %s, so no gateway starts there", folder);
}

/* False: the folder does not exist yet. */
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
			doctor_report(doctor,
				      &(struct doctor_finding){ DOCTOR_OK, "storage" },
				      "enough free space at %s", folder);
		else
			doctor_report(
				doctor,
				&(struct doctor_finding){ DOCTOR_PROBLEM, "storage",
							  "Free space on that disk" },
				"less than %lld MiB are free at %s, so nothing is sent",
				(long long)doctor->config.reserve_mib, folder);
		return true;
	}
	doctor_report(doctor,
		      &(struct doctor_finding){ DOCTOR_WARNING, "storage",
						"Start the gateway, which creates it; or "
						"name another folder with --state-dir" },
		      "%s does not exist (%s)", folder, strerror(failure));
	return false;
}

/* Running commands */

struct doctor_gateway_answer {
	struct arena *arena;
	const struct json *result; /* NULL: none */
	const char *code;	   /* of an error */
	char problem[512];	   /* as long as an explanation */
	struct progress progress;
};

/* The answer is one line. */
static bool doctor_gateway_on_line(void *data, const char *text, size_t length)
{
	struct doctor_gateway_answer *answer = data;
	struct json_reader *reader = json_reader_new(answer->arena);
	const struct json *line = NULL;

	if (!reader)
		return true;
	if (json_reader_feed(reader, text, length) == 0 &&
	    json_reader_finish(reader, &line) == 0) {
		const struct json *error = json_member(line, "error");

		answer->result = json_member(line, "result");
		answer->code = json_field_text(error, "code");
		snprintf(answer->problem, sizeof(answer->problem), "%s",
			 json_field_text(error, "message"));
	}
	json_reader_free(reader);
	return true;
}

static void doctor_gateway_on_second(void *data)
{
	struct doctor_gateway_answer *answer = data;

	progress_tick(&answer->progress);
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
		.on_second = doctor_gateway_on_second,
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
		doctor_report(doctor,
			      &(struct doctor_finding){ DOCTOR_WARNING, "sending",
							"To resume: ofono-mcp resume" },
			      "sending is paused");
	else if (json_field_is_true(status, "can_send"))
		doctor_report(doctor, &(struct doctor_finding){ DOCTOR_OK, "sending" },
			      "a message could be sent now");
	else
		doctor_report(doctor,
			      &(struct doctor_finding){ DOCTOR_PROBLEM, "sending",
							"See the other findings" },
			      "no message can be sent now: %s",
			      json_field_text(status, "why_not"));
	if (strcmp(json_field_text(status, "waiting_approval"), "0") != 0)
		doctor_report(
			doctor,
			&(struct doctor_finding){ DOCTOR_WARNING, "approvals",
						  "To see them: ofono-mcp approvals" },
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

	(void)adopted;
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
		doctor_report(
			doctor,
			&(struct doctor_finding){ DOCTOR_WARNING, "settings",
						  "If that is not intended: ofono-mcp "
						  "reload, or restart the gateway" },
			"running settings differ from the file, because of options of "
			"serve or an older file: %s",
			differences.text);
}

static void doctor_gateway_report_mdns(struct doctor *doctor, const struct json *status)
{
	const char *text = json_field_text(status, "advertisement");

	if (json_field_is_true(status, "advertised"))
		doctor_report(doctor, &(struct doctor_finding){ DOCTOR_OK, "mDNS" },
			      "the gateway is advertised as %s", text);
	else if (!doctor->running.advertise)
		doctor_report(doctor, &(struct doctor_finding){ DOCTOR_OK, "mDNS" },
			      "mDNS advertising is off (%s)", text);
	else
		doctor_report(doctor,
			      &(struct doctor_finding){
				      DOCTOR_WARNING, "mDNS",
				      "See ADVERTISING in ofono-mcp.conf(5)" },
			      "the gateway is not advertised: %s", text);
}

static void doctor_gateway_report_contacts(struct doctor *doctor,
					   const struct json *status)
{
	const struct json *contacts = json_member(status, "contacts");
	const char *problem = json_field_text(contacts, "problem");

	if (*problem)
		doctor_report(
			doctor,
			&(struct doctor_finding){ DOCTOR_WARNING, "contacts",
						  "Correct it, then: ofono-mcp reload" },
			"%s", problem);
	else
		doctor_report(doctor, &(struct doctor_finding){ DOCTOR_OK, "contacts" },
			      "contacts: %s", json_field_text(contacts, "count"));
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
		return "Correct that, then start it: systemctl start ofono-mcp";
	return START_IT;
}

static void doctor_gateway_check_status(struct doctor *doctor)
{
	struct doctor_gateway_answer answer;

	doctor_gateway_run_command(doctor, "status", "{\"command\":\"status\"}", &answer);
	doctor->gateway_runs = answer.result ||
			       (*answer.code && strcmp(answer.code, "not_running") != 0);
	if (answer.result) {
		doctor_report(doctor, &(struct doctor_finding){ DOCTOR_OK, "gateway" },
			      "running, version %s",
			      json_field_text(answer.result, "version"));
		doctor_gateway_compare_settings(doctor, answer.result);
		doctor_gateway_report_sending(doctor, answer.result);
		doctor_gateway_report_mdns(doctor, answer.result);
		doctor_gateway_report_contacts(doctor, answer.result);
	} else {
		doctor_report(
			doctor,
			&(struct doctor_finding){ DOCTOR_PROBLEM, "gateway",
						  doctor_gateway_fix(doctor, &answer) },
			"%s", answer.problem);
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
		doctor_report(
			doctor,
			&(struct doctor_finding){
				DOCTOR_WARNING, "tokens",
				getuid() == 0
					? "See the finding about the gateway"
					: "Run it as root, or as the gateway's user" },
			"the paired agents are unknown: %s", answer.problem);
	else if (count || doctor->running.open)
		doctor_report(doctor, &(struct doctor_finding){ DOCTOR_OK, "tokens" },
			      doctor->running.open
				      ? "none is needed (open); paired agents: %lu"
				      : "paired agents: %lu",
			      count);
	else
		doctor_report(doctor,
			      &(struct doctor_finding){ DOCTOR_WARNING, "tokens",
							"Pair one: ofono-mcp pair NAME" },
			      "no agent is paired, so every call is refused");
	arena_free(answer.arena);
}

static void doctor_gateway_report_message(struct doctor *doctor,
					  const struct json *message)
{
	const char *state = json_field_text(message, "state");
	const char *reason = json_field_text(message, "reason");
	bool is_bad = strcmp(state, "failed") == 0 || strcmp(state, "unknown") == 0;
	struct doctor_finding finding = { is_bad ? DOCTOR_WARNING : DOCTOR_OK,
					  "last message" };
	char fix[96];

	snprintf(fix, sizeof(fix), "To see it: ofono-mcp show %s",
		 json_field_text(message, "message_id"));
	if (is_bad)
		finding.fix = fix;
	doctor_report(doctor, &finding, "of %s, to a number ending in %.3s: %s%s%s%s",
		      terminal_time(json_field_text(message, "created_at")).text,
		      strlen(json_field_text(message, "phone_number")) > 3
			      ? json_field_text(message, "phone_number") +
					strlen(json_field_text(message, "phone_number")) -
					3
			      : "",
		      state, *reason ? " (" : "", reason, *reason ? ")" : "");
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
		doctor_report(doctor,
			      &(struct doctor_finding){ DOCTOR_OK, "last message" },
			      "none sent yet");
	arena_free(answer.arena);
}

/* What we may not see may exist. */
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
	doctor_report(
		doctor,
		&(struct doctor_finding){ DOCTOR_WARNING, "gateway", DOCTOR_AS_ROOT },
		"%s", answer.problem);
	arena_free(answer.arena);
}

void doctor_gateway_check(struct doctor *doctor)
{
	doctor->running = doctor->config;
	doctor_gateway_check_clock(doctor);
	if (!doctor_gateway_check_folder(doctor) || !doctor_gateway_has_store(doctor)) {
		doctor_report(
			doctor,
			&(struct doctor_finding){ DOCTOR_PROBLEM, "gateway", START_IT },
			"not running, and it has never run here");
		return;
	}
	doctor->gateway_is_closed = doctor_gateway_is_closed(doctor);
	if (doctor->gateway_is_closed) {
		doctor_gateway_report_closed(doctor);
		return;
	}
	doctor_gateway_check_status(doctor);
	if (doctor->gateway_is_silent)
		return;
	doctor_gateway_check_clients(doctor);
	if (doctor->gateway_runs)
		doctor_gateway_check_last_message(doctor);
}
