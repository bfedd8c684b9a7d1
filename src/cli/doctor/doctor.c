/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How the doctor reports, and its checks of the numbers for commands, of secrets and of ports.
 */
#include <errno.h>
#include <poll.h>
#include <pwd.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/address.h"
#include "base/buffer.h"
#include "base/clock.h"
#include "base/escape.h"
#include "base/explanation.h"
#include "base/json.h"
#include "base/utf8.h"
#include "cli/command.h"
#include "cli/doctor/doctor.h"
#include "cli/json_field.h"
#include "cli/terminal.h"
#include "http/tls.h"
#include "phone/unlocker.h"
#include "sms/opt_out.h"

enum { TEXT_BYTES = 1024 };

static const struct {
	const char *name;
	enum terminal_colour colour;
} levels[] = {
	[DOCTOR_OK] = { "ok", COLOUR_GOOD },
	[DOCTOR_NOTE] = { "note", COLOUR_STRONG },
	[DOCTOR_WARNING] = { "warning", COLOUR_WARNING },
	[DOCTOR_PROBLEM] = { "problem", COLOUR_BAD },
};

struct terminal_time doctor_time(const struct doctor *doctor, const char *text)
{
	int64_t wall_ms;

	return doctor->writer && clock_parse(text, &wall_ms) ? terminal_time_of(wall_ms)
							     : terminal_time(text);
}

bool doctor_is_gateway_user(const struct doctor *doctor)
{
	struct stat status;

	return stat(doctor->config.state_dir, &status) == 0 && status.st_uid == geteuid();
}

/* Once is enough. */
static bool doctor_has_said_as_root(struct doctor *doctor, const char *fix)
{
	bool before = doctor->said_as_root;

	if (strcmp(fix, DOCTOR_AS_ROOT) != 0)
		return false;
	doctor->said_as_root = true;
	return before;
}

/* Escapes the text: names in it come from networks and cards. */
void doctor_report(struct doctor *doctor, enum doctor_level level, const char *about,
		   const char *fix, const char *format, ...)
{
	struct buffer shown = BUFFER_INIT;
	char text[TEXT_BYTES];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	escape_line(&shown, utf8_valid(text, strlen(text)) ? text : "?");
	doctor->counts[level]++;
	if (doctor->writer) {
		json_open_object(doctor->writer);
		json_put_string(doctor->writer, "level", levels[level].name);
		json_put_string(doctor->writer, "about", about);
		json_key(doctor->writer, "message");
		json_write_text(doctor->writer, shown.data ? shown.data : "",
				shown.length);
		if (fix)
			json_put_string(doctor->writer, "fix", fix);
		json_close_object(doctor->writer);
	} else {
		printf("%s%-8s%s %s: %.*s\n", terminal_colour_on(levels[level].colour),
		       levels[level].name, terminal_colour_off(), about,
		       (int)shown.length, shown.data ? shown.data : "");
		if (fix && !doctor_has_said_as_root(doctor, fix))
			printf("%9s%s%s\n", "", fix, options_full_stop(fix));
		fflush(stdout);
	}
	buffer_deinit(&shown);
}

/*
 * What [agent] promises and cannot keep: nobody can text a command that counts, or everybody can.
 * The status of the running gateway says who is enrolled and which SIM cards are there. Numbers
 * that are none, and approvals without codes, are errors of the configuration already
 * (src/config/config_agent.c).
 */

/* Is it one of the SIM cards in the status? */
static bool doctor_agent_has_sim(const struct json *status, int64_t sim_id)
{
	const struct json *sims = json_field_list(status, "subscriptions");
	int64_t id;

	json_foreach (sim, sims) {
		if (json_integer(json_member(sim, "subscription_id"), &id) &&
		    id == sim_id)
			return true;
	}
	return false;
}

static void doctor_agent_check_numbers(struct doctor *doctor, const struct json *numbers)
{
	json_foreach (number, numbers) {
		if (!json_field_is_true(number, "enrolled"))
			doctor_report(doctor, DOCTOR_WARNING, "agent",
				      "Give it a secret: " PROGRAM_NAME " agent enrol",
				      "commands from %s are refused: it is not enrolled",
				      json_field_text(number, "number"));
	}
}

void doctor_agent_check(struct doctor *doctor, const struct json *status)
{
	const struct config_agent *settings = &doctor->running.agent;
	const struct json *agent = json_member(status, "agent");
	const struct json *numbers = json_field_list(agent, "numbers");
	unsigned warnings = doctor->counts[DOCTOR_WARNING];

	if (!numbers->count)
		return;
	if (json_field_is_true(agent, "needs_code"))
		doctor_agent_check_numbers(doctor, numbers);
	else
		doctor_report(
			doctor, DOCTOR_WARNING, "agent",
			"Set code = totp under [agent], then: " PROGRAM_NAME
			" agent enrol",
			"anybody who forges the sender of an SMS can text commands");
	if (opt_out_is_word(settings->word))
		doctor_report(doctor, DOCTOR_WARNING, "agent",
			      "Choose another word under [agent]",
			      "\"%s\" alone opts you out of all messages, or in again",
			      settings->word);
	if (settings->sim && !doctor_agent_has_sim(status, settings->sim))
		doctor_report(
			doctor, DOCTOR_WARNING, "agent",
			"To list the SIM cards: " PROGRAM_NAME " status",
			"no SIM in this phone has the ID %lld, so it receives nothing",
			(long long)settings->sim);
	if (doctor->counts[DOCTOR_WARNING] == warnings)
		doctor_report(doctor, DOCTOR_OK, "agent", NULL,
			      "numbers that can text commands: %zu", numbers->count);
}

/*
 * Secrets: whether the certificate is valid, and whether the gateway's user, and nobody else, can
 * read the key and the file of PINs.
 */

enum { SOON_DAYS = 30 };

/* Says how to get a new certificate. The gateway creates only those in its own folder. */
static const char *doctor_secrets_certificate_fix(const struct doctor *doctor)
{
	return *doctor->config.tls_certificate
		       ? "Put a new one there, then: " PROGRAM_NAME " reload"
		       : "Remove cert.pem and key.pem there, then run " PROGRAM_NAME
			 " client rotate --tls NAME, which creates new "
			 "ones; agents must then trust the new certificate";
}

static void doctor_secrets_report_times(struct doctor *doctor, const char *path,
					const struct certificate_times *times)
{
	int64_t now_ms = clock_wall_ms();
	const struct terminal_time from =
		doctor_time(doctor, terminal_time_of(times->from_ms).text);
	const struct terminal_time until =
		doctor_time(doctor, terminal_time_of(times->until_ms).text);

	if (now_ms < times->from_ms) {
		doctor_report(doctor, DOCTOR_PROBLEM, "certificate",
			      "Check the clock of this machine",
			      "%s is not valid before %s", path, from.text);
	} else if (now_ms > times->until_ms) {
		doctor_report(doctor, DOCTOR_PROBLEM, "certificate",
			      doctor_secrets_certificate_fix(doctor), "%s expired at %s",
			      path, until.text);
	} else if (times->until_ms - now_ms < SOON_DAYS * (int64_t)CLOCK_MS_PER_DAY) {
		doctor_report(doctor, DOCTOR_WARNING, "certificate",
			      doctor_secrets_certificate_fix(doctor),
			      "%s expires soon, at %s", path, until.text);
	} else {
		doctor_report(doctor, DOCTOR_OK, "certificate", NULL,
			      "%s is valid until %s", path, until.text);
	}
}

/* Returns false if there is none, or it cannot be read. */
static bool doctor_secrets_check_certificate(struct doctor *doctor)
{
	const struct config *config = &doctor->config;
	struct explanation error = { "" };
	struct certificate_times times = { 0 };
	char path[PATH_MAX];

	tls_certificate_path(config, path);
	if (!*config->tls_certificate && access(path, F_OK) < 0)
		return false; /* plain HTTP, which doctor_network_check() reports */
	if (certificate_times(path, &times, &error) == 0) {
		doctor_secrets_report_times(doctor, path, &times);
		return true;
	}
	doctor_report(doctor, DOCTOR_PROBLEM, "certificate",
		      doctor_secrets_certificate_fix(doctor), "%s", error.text);
	return false;
}

/* Key and PINs */

enum { FIX_BYTES = 512 };

static const char *doctor_secrets_user_name(void)
{
	const struct passwd *user = getpwuid(geteuid());

	return user ? user->pw_name : "the gateway's user";
}

static void doctor_secrets_check_key(struct doctor *doctor)
{
	struct explanation error = { "" };
	struct tls tls = { 0 };
	char fix[FIX_BYTES];
	bool is_read;

	/* a gateway that runs has read it, perhaps with groups that only its unit grants */
	if (doctor->gateway_runs &&
	    strcmp(doctor->running.tls_key, doctor->config.tls_key) == 0)
		return;
	is_read = tls_load(&tls, &doctor->config, &error) == 0;
	tls_unload(&tls);
	if (is_read)
		return;
	snprintf(fix, sizeof(fix),
		 "The gateway's user is %s. Correct it, then restart the gateway: "
		 "systemctl restart " PROGRAM_NAME,
		 doctor_secrets_user_name());
	doctor_report(doctor, DOCTOR_PROBLEM, "certificate", fix, "%s", error.text);
}

static const char *doctor_secrets_pin_file_problem(int outcome)
{
	switch (outcome) {
	case PIN_FILE_E_EXPOSED:
		return "it belongs to another user, is a link, or others may read or change it";
	case PIN_FILE_E_MALFORMED:
		return "a line in it is not \"ICCID PIN\"";
	default:
		return outcome < 0 ? strerror(-outcome) : NULL;
	}
}

static void doctor_secrets_check_pins(struct doctor *doctor)
{
	const char *path = doctor->config.pin_file;
	char pin[PIN_BYTES], fix[FIX_BYTES];
	const char *problem;

	if (!*path)
		return;
	problem = doctor_secrets_pin_file_problem(unlocker_find_pin(path, "", pin));
	snprintf(fix, sizeof(fix),
		 "Give it to the gateway's user: chown %s FILE; chmod 600 FILE",
		 doctor_secrets_user_name());
	if (problem)
		doctor_report(doctor, DOCTOR_PROBLEM, "PINs", fix, "%s is not used: %s",
			      path, problem);
	else
		doctor_report(doctor, DOCTOR_OK, "PINs", NULL,
			      "%s is readable, by the gateway's user only", path);
}

void doctor_secrets_check(struct doctor *doctor)
{
	bool is_readable = doctor_secrets_check_certificate(doctor);

	if (!doctor_is_gateway_user(doctor))
		return;
	if (is_readable)
		doctor_secrets_check_key(doctor);
	doctor_secrets_check_pins(doctor);
}

/*
 * Addresses: whether somebody listens there, who can reach it, and whether others could read the
 * traffic.
 */

enum { CONNECT_MS = 2000 };

static bool doctor_network_is_connected(int fd, const struct address *address)
{
	struct pollfd wait = { .fd = fd, .events = POLLOUT };
	socklen_t length = sizeof(int);
	int error = 0;

	if (connect(fd, &address->any, address->length) == 0)
		return true;
	if (errno != EINPROGRESS || poll(&wait, 1, CONNECT_MS) <= 0)
		return false;
	return getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &length) == 0 && error == 0;
}

/* Returns true if somebody listens there. A wildcard address is tried on loopback. */
static bool doctor_network_answers(struct address address)
{
	int fd = socket(address.any.sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK,
			0);
	bool reached;

	if (fd < 0)
		return false;
	if (address_is_any(&address) && address.any.sa_family == AF_INET)
		address.in.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	else if (address_is_any(&address))
		address.in6.sin6_addr = in6addr_loopback;
	reached = doctor_network_is_connected(fd, &address);
	close(fd);
	return reached;
}

static bool doctor_network_has_certificate(const struct config *config)
{
	char path[PATH_MAX];

	tls_certificate_path(config, path);
	return *config->tls_certificate || access(path, F_OK) == 0;
}

static void doctor_network_report_served(struct doctor *doctor, const char *text,
					 const struct address *address)
{
	const struct config *config = &doctor->running;
	bool is_local = address_is_loopback(address);
	bool is_tls = doctor_network_has_certificate(config) &&
		      (!is_local || config->tls_loopback);

	if (is_local)
		doctor_report(
			doctor, DOCTOR_OK, "port", NULL,
			"%s is served, for programs on this machine only, over HTTP%s",
			text, is_tls ? "S" : "");
	else
		doctor_report(doctor, is_tls ? DOCTOR_OK : DOCTOR_WARNING, "port",
			      is_tls ? NULL
				     : "Serve HTTPS: tls_certificate in section [server] "
				       "of the configuration; or trust that network",
			      "%s is served to other machines, on %s, but never on "
			      "mobile data, over %s",
			      text,
			      config->interfaces.count ? "the configured interfaces"
						       : "every network",
			      is_tls ? "HTTPS"
				     : "HTTP, which exposes tokens to eavesdroppers");
}

static void doctor_network_report_silent(struct doctor *doctor, const char *text,
					 const struct address *address)
{
	if (!doctor->gateway_runs)
		return; /* reported already */
	if (!address_is_loopback(address) && !doctor->has_clients)
		doctor_report(doctor, DOCTOR_NOTE, "port",
			      "Pair an agent: " PROGRAM_NAME " pair NAME",
			      "%s is closed until an agent is paired", text);
	else
		doctor_report(doctor, DOCTOR_PROBLEM, "port",
			      "Check the log of the gateway, and whether it runs with "
			      "this configuration",
			      "nobody listens at %s", text);
}

/*
 * Without access to the gateway we cannot know whose port it is, or whether it should
 * be open.
 */
static void doctor_network_report_unknown(struct doctor *doctor, const char *text,
					  bool reached)
{
	if (reached)
		doctor_report(
			doctor, DOCTOR_OK, "port", NULL,
			"somebody listens at %s; only root can see whether it is the gateway",
			text);
	else
		doctor_report(doctor, DOCTOR_NOTE, "port", DOCTOR_AS_ROOT,
			      "nobody listens at %s", text);
}

static void doctor_network_check_port(struct doctor *doctor, const char *text)
{
	struct address address;

	if (!address_parse(text, &address))
		return;
	if (doctor->gateway_is_closed)
		doctor_network_report_unknown(doctor, text,
					      doctor_network_answers(address));
	else if (!doctor_network_answers(address))
		doctor_network_report_silent(doctor, text, &address);
	else if (doctor->gateway_runs)
		doctor_network_report_served(doctor, text, &address);
	else
		doctor_report(
			doctor, DOCTOR_PROBLEM, "port",
			"Stop that program, or configure another address with listen",
			"another program listens at %s", text);
}

void doctor_network_check(struct doctor *doctor)
{
	const struct config_list *listen = &doctor->running.listen;

	if (doctor->gateway_is_silent)
		return; /* the kernel accepts connections for it, so they prove nothing */
	for (size_t at = 0; at < listen->count; at++)
		doctor_network_check_port(doctor, listen->items[at]);
}
