/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * session_contacts: the contacts of the owner's desktop, from the program that runs in its session.
 * They are more than one request holds:
 *
 *   {"begin":true}               -> {}             a new list, which has one user
 *   {"vcards":"BEGIN:VCARD..."}  -> {}             pieces; one may end anywhere
 *   {"end":true}                 -> {"count":12}   the list replaces the one before
 *
 * One request may do all three, in this order. What fails is "disabled" by the owner, "out_of_order",
 * or "too_large" (tests/integration/test_session_contacts.py).
 */
#include "gateway/command.h"
#include "gateway/control.h"
#include "phone/contact.h"
#include "tools/services.h"

static void command_session_fail(struct control_call *call, int error)
{
	switch (error) {
	case CONTACTS_E_DISABLED:
		control_call_fail(call, "disabled",
				  "Set desktop = yes under [contacts], then reload",
				  "the owner wants no contacts of the desktop");
		return;
	case CONTACTS_E_OUT_OF_ORDER:
		control_call_fail(call, "out_of_order", "Begin again: {\"begin\":true}",
				  "uid %lld has not begun a list of contacts, or another "
				  "began since",
				  (long long)call->peer_uid);
		return;
	case CONTACTS_E_TOO_LARGE:
		control_call_fail(call, "too_large",
				  "Send fewer vCards, or leave out their notes",
				  "the vCards are larger than %d MiB without their "
				  "photographs, or than %d MiB with them",
				  CONTACT_FILE_MAX >> 20, CONTACT_FILE_TOTAL_MAX >> 20);
		return;
	default:
		control_call_fail(call, "internal", "Try again later", "out of memory");
	}
}

static void command_session_run_contacts(struct control_call *call)
{
	struct contacts *contacts = call->control->services->contacts;
	const char *vcards = control_call_argument(call, "vcards");
	bool begins = control_call_flag(call, "begin"),
	     ends = control_call_flag(call, "end");
	struct json_writer *writer;
	size_t count = 0;
	int error = 0;

	if (!vcards && !begins && !ends) {
		control_call_fail(
			call, CONTROL_INVALID_ARGUMENT, "Give begin, vcards or end",
			"the request neither begins nor ends a list, nor adds to it");
		return;
	}
	if (begins)
		error = contacts_begin_desktop(contacts, call->peer_uid);
	if (!error && vcards)
		error = contacts_add_desktop(contacts, call->peer_uid, vcards);
	if (!error && ends)
		error = contacts_end_desktop(contacts, call->peer_uid, &count);
	if (error) {
		command_session_fail(call, error);
		return;
	}
	writer = control_call_open_result(call);
	if (!writer)
		return;
	if (ends)
		json_put_integer(writer, "count", (int64_t)count);
	control_call_close(call);
}

const struct control_command command_session_contacts = {
	.name = "session_contacts",
	.needs_gateway = true,
	.run = command_session_run_contacts,
};
