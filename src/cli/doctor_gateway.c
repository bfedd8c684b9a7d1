/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Of the doctor: clock, storage, the gateway that runs or not, tokens, the last message.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/json_reader.h"
#include "cli/ask_gateway.h"
#include "cli/doctor.h"
#include "cli/member.h"
#include "cli/progress.h"
#include "cli/shown_time.h"
#include "config/config.h"
#include "gateway/control_call.h"
#include "gateway/control_socket.h"
#include "sms/outbox.h"
#include "store/store_file.h"

#define START_IT                                                                        \
	"Start it: systemctl start ofono-mcp; by hand: ofono-mcp serve; what keeps it " \
	"from that, its log tells: journalctl -u ofono-mcp"

#define RESTART_IT                                                  \
	"Look into its log, then start it anew: systemctl restart " \
	"ofono-mcp; by hand: kill -9, then ofono-mcp serve"

enum {
	PATH_BYTES = CONFIG_TEXT_BYTES + 32,
	SILENCE_S = 8, /* what is asked here is answered at once */
};

static void look_at_clock(struct doctor *doctor)
{
	int64_t now_ms = clock_wall_ms();
	const struct shown_time now = shown_time_of(now_ms);

	if (now_ms >= CLOCK_SANE_MS)
		doctor_tell(doctor, &(struct finding){ DOCTOR_OK, "clock" }, "it is %s",
			    now.text);
	else
		doctor_tell(doctor,
			    &(struct finding){ DOCTOR_PROBLEM, "clock",
					       "Set it: timedatectl set-ntp true, or "
					       "date --set" },
			    "it says %s, so messages get wrong times", now.text);
}

static void look_who_may_write(struct doctor *doctor, const char *folder)
{
	char fix[PATH_MAX + sizeof("chmod go-w ")];

	if (!store_file_others_may_write(folder))
		return;
	snprintf(fix, sizeof(fix), "chmod go-w %s", folder);
	doctor_tell(doctor, &(struct finding){ DOCTOR_PROBLEM, "storage", fix },
		    "others may write to %s, so no gateway starts there", folder);
}

/* False: there is no folder yet. */
static bool look_at_folder(struct doctor *doctor)
{
	const char *folder = doctor->config.state_dir;
	struct stat status;
	int failure = stat(folder, &status) < 0 ? errno : 0;

	if (!failure && !S_ISDIR(status.st_mode))
		failure = ENOTDIR;
	if (!failure) {
		look_who_may_write(doctor, folder);
		if (outbox_has_disk_space(&doctor->config))
			doctor_tell(doctor, &(struct finding){ DOCTOR_OK, "storage" },
				    "there is room at %s", folder);
		else
			doctor_tell(doctor,
				    &(struct finding){ DOCTOR_PROBLEM, "storage",
						       "Free space on that disk" },
				    "less than %lld MiB are left at %s, so nothing is "
				    "sent",
				    (long long)doctor->config.reserve_mib, folder);
		return true;
	}
	doctor_tell(doctor,
		    &(struct finding){ DOCTOR_WARNING, "storage",
				       "Start the gateway, which makes it; or name "
				       "another with --state-dir" },
		    "%s is not there (%s)", folder, strerror(failure));
	return false;
}

/* The answers of the gateway, or of its ledger */

struct answer {
	struct arena *arena;
	const struct json *result; /* NULL: none */
	const char *code;	   /* of an error */
	char problem[512];	   /* as long as an explanation */
	struct progress progress;
};

/* There is one line, the last. */
static bool on_told(void *data, const char *text, size_t length)
{
	struct answer *answer = data;
	struct json_reader *reader = json_reader_new(answer->arena);
	const struct json *line = NULL;

	if (!reader)
		return true;
	if (json_reader_feed(reader, text, length) == 0 &&
	    json_reader_finish(reader, &line) == 0) {
		const struct json *error = json_member(line, "error");

		answer->result = json_member(line, "result");
		answer->code = member_text(error, "code");
		snprintf(answer->problem, sizeof(answer->problem), "%s",
			 member_text(error, "message"));
	}
	json_reader_free(reader);
	return true;
}

static void on_second(void *data)
{
	struct answer *answer = data;

	progress_tick(&answer->progress);
}

/* The arena is due to be freed in either case. */
static void ask(struct doctor *doctor, const char *command, const char *line,
		struct answer *answer)
{
	struct explanation error = { "" };
	const struct gateway_question question = {
		.config = &doctor->config,
		.command = command,
		.line = line,
		.length = strlen(line),
		.told = on_told,
		.second = on_second,
		.data = answer,
		.silence_s = SILENCE_S,
		.is_silent = &doctor->gateway_is_silent,
	};

	*answer =
		(struct answer){ .code = "", .arena = arena_new(4 * CONTROL_ARENA_MAX) };
	progress_begin(&answer->progress, "asking the gateway");
	if (!answer->arena)
		snprintf(answer->problem, sizeof(answer->problem), "out of memory");
	else if (!ask_gateway(&question, &error))
		snprintf(answer->problem, sizeof(answer->problem), "%s", error.text);
	progress_clear(&answer->progress);
}

static void tell_sending(struct doctor *doctor, const struct json *status)
{
	if (member_is_true(status, "paused"))
		doctor_tell(doctor,
			    &(struct finding){ DOCTOR_WARNING, "sending",
					       "To go on: ofono-mcp resume" },
			    "it is paused");
	else if (member_is_true(status, "can_send"))
		doctor_tell(doctor, &(struct finding){ DOCTOR_OK, "sending" },
			    "a message could go out now");
	else
		doctor_tell(doctor,
			    &(struct finding){ DOCTOR_PROBLEM, "sending",
					       "See what else is told here" },
			    "no message can go out now: %s",
			    member_text(status, "why_not"));
	if (strcmp(member_text(status, "waiting_approval"), "0") != 0)
		doctor_tell(doctor,
			    &(struct finding){ DOCTOR_WARNING, "approvals",
					       "Look at them: ofono-mcp approvals" },
			    "%s wait for your yes",
			    member_text(status, "waiting_approval"));
}

struct differences {
	char text[192];
	size_t length;
};

static void note_difference(void *data, const char *section, const char *name,
			    bool adopted)
{
	struct differences *differences = data;
	size_t room = sizeof(differences->text) - differences->length;
	int length = snprintf(differences->text + differences->length, room, "%s%s.%s",
			      differences->length ? ", " : "", section, name);

	(void)adopted;
	differences->length += (size_t)length < room ? (size_t)length : 0;
	differences->text[differences->length] = '\0';
}

/* Options of serve may have told it, or an older file. */
static void take_running(struct doctor *doctor, const struct json *status)
{
	struct differences differences = { .length = 0 };
	struct config present;

	if (strcmp(member_text(status, "version"), OFONO_MCP_VERSION) != 0 ||
	    !config_read_json(json_member(status, "configuration"), &doctor->running))
		return;
	present = doctor->config;
	config_adopt(&present, &doctor->running, note_difference, &differences);
	if (differences.length)
		doctor_tell(doctor,
			    &(struct finding){ DOCTOR_WARNING, "settings",
					       "If that is not meant: ofono-mcp reload, "
					       "or start the gateway anew" },
			    "the gateway that runs has others than the configuration, "
			    "from options of serve or an older file: %s",
			    differences.text);
}

static void tell_advertisement(struct doctor *doctor, const struct json *status)
{
	const char *text = member_text(status, "advertisement");

	if (member_is_true(status, "advertised"))
		doctor_tell(doctor, &(struct finding){ DOCTOR_OK, "mDNS" },
			    "the network is told of it as %s", text);
	else if (!doctor->running.advertise)
		doctor_tell(doctor, &(struct finding){ DOCTOR_OK, "mDNS" },
			    "nobody is told of it (%s)", text);
	else
		doctor_tell(doctor,
			    &(struct finding){ DOCTOR_WARNING, "mDNS",
					       "See ADVERTISING in ofono-mcp.conf(5)" },
			    "the network is not told of it: %s", text);
}

static void tell_contacts(struct doctor *doctor, const struct json *status)
{
	const struct json *contacts = json_member(status, "contacts");
	const char *problem = member_text(contacts, "problem");

	if (*problem)
		doctor_tell(doctor,
			    &(struct finding){ DOCTOR_WARNING, "contacts",
					       "Mend it, then: ofono-mcp reload" },
			    "%s", problem);
	else
		doctor_tell(doctor, &(struct finding){ DOCTOR_OK, "contacts" },
			    "%s are known by name", member_text(contacts, "count"));
}

/* Nobody answered: either none is there, or what it keeps stops it. */
static const char *fix_of(const struct doctor *doctor, const struct answer *answer)
{
	if (doctor->gateway_is_silent)
		return RESTART_IT;
	if (doctor->gateway_runs)
		return "Look into its log";
	if (!*answer->code && getuid() == 0)
		return "Mend that, then start it: systemctl start ofono-mcp";
	return START_IT;
}

static void look_at_status(struct doctor *doctor)
{
	struct answer answer;

	ask(doctor, "status", "{\"command\":\"status\"}", &answer);
	doctor->gateway_runs = answer.result ||
			       (*answer.code && strcmp(answer.code, "not_running") != 0);
	if (answer.result) {
		doctor_tell(doctor, &(struct finding){ DOCTOR_OK, "gateway" },
			    "it runs, version %s", member_text(answer.result, "version"));
		take_running(doctor, answer.result);
		tell_sending(doctor, answer.result);
		tell_advertisement(doctor, answer.result);
		tell_contacts(doctor, answer.result);
	} else {
		doctor_tell(doctor,
			    &(struct finding){ DOCTOR_PROBLEM, "gateway",
					       fix_of(doctor, &answer) },
			    "%s", answer.problem);
	}
	arena_free(answer.arena);
}

static void look_at_clients(struct doctor *doctor)
{
	struct answer answer;
	unsigned long count;

	ask(doctor, "clients", "{\"command\":\"clients\"}", &answer);
	count = (unsigned long)member_list(answer.result, "clients")->count;
	doctor->has_clients = !answer.result || count;
	if (!answer.result)
		doctor_tell(doctor,
			    &(struct finding){ DOCTOR_WARNING, "tokens",
					       getuid() == 0
						       ? "See what is told of the gateway"
						       : "Run it as root, or as the "
							 "gateway's user" },
			    "nobody can tell who is paired: %s", answer.problem);
	else if (count || doctor->running.open)
		doctor_tell(doctor, &(struct finding){ DOCTOR_OK, "tokens" },
			    doctor->running.open ? "none is asked for (open); paired: %lu"
						 : "agents that are paired: %lu",
			    count);
	else
		doctor_tell(doctor,
			    &(struct finding){ DOCTOR_WARNING, "tokens",
					       "Pair one: ofono-mcp pair NAME" },
			    "no agent is paired, so every call is refused");
	arena_free(answer.arena);
}

static void tell_last(struct doctor *doctor, const struct json *message)
{
	const char *state = member_text(message, "state");
	const char *reason = member_text(message, "reason");
	bool is_bad = strcmp(state, "failed") == 0 || strcmp(state, "unknown") == 0;
	struct finding finding = { is_bad ? DOCTOR_WARNING : DOCTOR_OK, "last message" };
	char fix[96];

	snprintf(fix, sizeof(fix), "Look at it: ofono-mcp show %s",
		 member_text(message, "message_id"));
	if (is_bad)
		finding.fix = fix;
	doctor_tell(doctor, &finding, "of %s, to a number that ends with %.3s: %s%s%s%s",
		    shown_time(member_text(message, "created_at")).text,
		    strlen(member_text(message, "phone_number")) > 3
			    ? member_text(message, "phone_number") +
				      strlen(member_text(message, "phone_number")) - 3
			    : "",
		    state, *reason ? " (" : "", reason, *reason ? ")" : "");
}

static void look_at_last(struct doctor *doctor)
{
	struct answer answer;
	const struct json *messages;

	ask(doctor, "list",
	    "{\"command\":\"list\",\"arguments\":{\"direction\":\"out\",\"limit\":1}}",
	    &answer);
	messages = member_list(answer.result, "messages");
	if (messages->first)
		tell_last(doctor, messages->first);
	else if (answer.result)
		doctor_tell(doctor, &(struct finding){ DOCTOR_OK, "last message" },
			    "none was sent yet");
	arena_free(answer.arena);
}

/* What we may not see may be there. */
static bool is_absent(const char *path)
{
	return access(path, F_OK) < 0 && errno != EACCES;
}

/* To ask would make a ledger where none is. */
static bool has_ledger(const struct doctor *doctor)
{
	struct sockaddr_un address;
	struct explanation error;
	char path[PATH_BYTES];

	snprintf(path, sizeof(path), "%s/gateway.db", doctor->config.state_dir);
	return !is_absent(path) ||
	       (control_socket_address(&doctor->config, &address, &error) &&
		!is_absent(address.sun_path));
}

static bool is_closed(const struct doctor *doctor)
{
	struct sockaddr_un address;
	struct explanation error;

	return control_socket_address(&doctor->config, &address, &error) &&
	       faccessat(AT_FDCWD, address.sun_path, W_OK, AT_EACCESS) < 0 &&
	       errno == EACCES;
}

static void tell_closed(struct doctor *doctor)
{
	struct answer answer;

	ask(doctor, "status", "{\"command\":\"status\"}", &answer);
	doctor_tell(doctor,
		    &(struct finding){ DOCTOR_WARNING, "gateway", DOCTOR_AS_ROOT }, "%s",
		    answer.problem);
	arena_free(answer.arena);
}

void doctor_look_at_gateway(struct doctor *doctor)
{
	doctor->running = doctor->config;
	look_at_clock(doctor);
	if (!look_at_folder(doctor) || !has_ledger(doctor)) {
		doctor_tell(doctor,
			    &(struct finding){ DOCTOR_PROBLEM, "gateway", START_IT },
			    "it does not run, and never did here");
		return;
	}
	doctor->gateway_is_closed = is_closed(doctor);
	if (doctor->gateway_is_closed) {
		tell_closed(doctor);
		return;
	}
	look_at_status(doctor);
	if (doctor->gateway_is_silent)
		return;
	look_at_clients(doctor);
	if (doctor->gateway_runs)
		look_at_last(doctor);
}
