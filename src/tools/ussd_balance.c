/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tools/ussd_balance.h"

#include "base/clock.h"
#include "base/log.h"
#include "config/config.h"
#include "tools/balance_view.h"

static int64_t read_ms_of(const struct services *services, int64_t sim_id)
{
	struct policy_balance_state known;

	return policy_get_balance(services->policy, sim_id, &known) ? clock_wall_ms()
								    : known.last.read_ms;
}

void ussd_balance_keep(const struct services *services, int64_t sim_id, const char *code,
		       const char *text, struct ussd_balance *balance_out)
{
	const struct config_list *patterns = &services->config->ussd_balance_pattern;
	struct ussd_balance balance = { 0 };

	if (!balance_pattern_has(patterns, code))
		return;
	balance.found = balance_pattern_read(patterns, code, text, &balance.balance);
	if (!balance.found) {
		log_info("ussd: no balance_pattern fits the answer to %s", code);
		balance.note = "The owner's balance_pattern finds no balance in this "
			       "answer; the one that was read before goes on to count.";
	} else if (policy_put_balance(services->policy, sim_id, code, &balance.balance)) {
		log_warning("ussd: a balance could not be stored");
		balance.note = "It could not be written to the phone's storage; the one "
			       "that was read before goes on to count.";
		balance.read_ms = clock_wall_ms();
	} else {
		balance.read_ms = read_ms_of(services, sim_id);
	}
	*balance_out = balance;
}

void ussd_balance_put(struct json_writer *writer, const struct ussd_balance *balance)
{
	if (balance->found)
		balance_view_put_reading(writer, &balance->balance, balance->read_ms);
	if (balance->note)
		json_put_string(writer, "balance_note", balance->note);
}
