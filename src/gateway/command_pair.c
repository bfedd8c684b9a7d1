/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pairings, pair_check, pair_reject: the computers that ask to be paired (policy/pairing.h).
 * `pair` with their code approves one (command_clients.c). No answer has a code.
 */
#include <string.h>

#include "base/clock.h"
#include "config/config.h"
#include "gateway/command.h"
#include "gateway/paired_client.h"
#include "gateway/running.h"
#include "tools/view.h"

enum {
	COMMAND_PAIR_MS_PER_SECOND = 1000,
	/* `pair --wait` calls again within this time, or it has ended */
	COMMAND_PAIR_OPEN_MS = 15 * 1000,
};

static struct pairing *command_pair_pairing(const struct control_call *call)
{
	return running_pairing(call->control->running);
}

static void command_pair_put(struct json_writer *writer,
			     const struct pairing_request *request)
{
	int64_t age_ms = clock_boot_ms() - request->begun_ms;

	json_put_string(writer, "name", request->name);
	json_put_string(writer, "address", request->address);
	view_put_time(writer, "asked_at", clock_wall_ms() - age_ms);
	view_put_time(writer, "until", clock_wall_ms() + pairing_left_ms(request));
	json_put_integer(writer, "seconds_left",
			 pairing_left_ms(request) / COMMAND_PAIR_MS_PER_SECOND);
}

static const struct pairing_request *command_pair_next(
	const struct control_call *call, const struct pairing_request *after)
{
	return pairing_next(command_pair_pairing(call), after ? after->number : 0);
}

bool command_pair_send_waiting(struct control_call *call, unsigned *count_out)
{
	const struct pairing_request *request = NULL;
	struct json_writer *writer;

	*count_out = 0;
	while (call->control->running && (request = command_pair_next(call, request))) {
		if (!(writer = control_call_open_item(call)))
			return false;
		json_put_string(writer, "approval", "pairing");
		command_pair_put(writer, request);
		control_call_close(call);
		(*count_out)++;
	}
	return true;
}

/* Returns false if the call has been answered. */
static bool command_pair_is_allowed(struct control_call *call)
{
	if (config_pair_page(call->control->config) != CONFIG_PAIR_PAGE_NO)
		return true;
	control_call_fail(
		call, "pair_page_off",
		"Set pair_page = auto under [server] in the configuration and run " PROGRAM_NAME
		" reload, or pair a program by its name: " PROGRAM_NAME " pair NAME",
		"no computer can ask to be paired, because pair_page is no");
	return false;
}

/* With "open" it also opens the page to the network, for as long as it is called again. */
static void command_pair_run_list(struct control_call *call)
{
	const struct pairing_request *request = NULL;
	struct json_writer *writer;

	if (!command_pair_is_allowed(call))
		return;
	if (control_call_flag(call, "open"))
		running_open_pairing(call->control->running, COMMAND_PAIR_OPEN_MS);
	if (control_call_flag(call, "close"))
		running_open_pairing(call->control->running, 0);
	if (!(writer = control_call_open_result(call)))
		return;
	json_open_array_at(writer, "pairings");
	while ((request = command_pair_next(call, request))) {
		json_open_object(writer);
		command_pair_put(writer, request);
		json_close_object(writer);
	}
	json_close_array(writer);
	agent_url_write(call->control, writer);
	control_call_close(call);
}

struct pairing_request *command_pair_find(struct control_call *call)
{
	const char *code = control_call_argument(call, "code");
	struct pairing *pairing;
	struct pairing_request *request;
	int64_t left_ms;

	if (!call->control->running) {
		control_call_fail(
			call, "not_running", "Start it: systemctl start " PROGRAM_NAME,
			"the gateway is not running, so no computer has a code");
		return NULL;
	}
	pairing = command_pair_pairing(call);
	switch (pairing_check_code(pairing, code ? code : "", &request)) {
	case 0:
		return request;
	case PAIRING_E_PAUSED:
		left_ms = pairing->paused_until_ms - clock_boot_ms();
		control_call_fail(
			call, "paused",
			"Wait, then type the code that the computer shows now",
			"too many wrong codes; the next is taken in %lld seconds",
			(long long)(left_ms / COMMAND_PAIR_MS_PER_SECOND + 1));
		return NULL;
	default:
		control_call_fail(
			call, "wrong_code",
			"Compare it with the computer's page; a code is valid for ten minutes",
			"no computer that waits shows this code");
		return NULL;
	}
}

void command_pair_report(const struct control_call *call)
{
	if (call->control->services)
		change_source_report_status(call->control->services->changes);
}

static void command_pair_run_check(struct control_call *call)
{
	const struct pairing_request *request = command_pair_find(call);
	struct json_writer *writer;

	if (!request || !(writer = control_call_open_result(call)))
		return;
	json_open_object_at(writer, "pairing");
	command_pair_put(writer, request);
	json_close_object(writer);
	control_call_close(call);
}

static void command_pair_run_reject(struct control_call *call)
{
	struct pairing_request *request = command_pair_find(call);
	struct json_writer *writer;

	if (!request)
		return;
	pairing_reject(request);
	command_pair_report(call);
	if (!(writer = control_call_open_result(call)))
		return;
	json_put_string(writer, "rejected", request->name);
	control_call_close(call);
}

const struct control_command command_pairings = {
	.name = "pairings",
	.needs_gateway = true,
	.run = command_pair_run_list,
};

const struct control_command command_pair_check = {
	.name = "pair_check",
	.needs_gateway = true,
	.run = command_pair_run_check,
};

const struct control_command command_pair_reject = {
	.name = "pair_reject",
	.needs_gateway = true,
	.run = command_pair_run_reject,
};
