/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A request that passes, for tests to change. SIM 1 is Hungarian, SIM 2 Austrian.
 */
#pragma once

#include "config/config.h"
#include "config/config_policy.h"
#include "policy_bench.h"

static struct client client;
static struct policy_request request;
static char codes[512]; /* of all rules that refuse */

static inline int request_set_up(void **state)
{
	int error = policy_set_up(state);

	client = client_open;
	request = (struct policy_request){
		.arena = arena,
		.client = &client,
		.number = "+36201234567",
		.text = "hello",
		.segments = 1,
		.sim_id = 1,
	};
	return error;
}

static inline void configure(const char *key, const char *value)
{
	struct explanation error;
	char name[40];

	snprintf(name, sizeof(name), "policy.%s", key);
	if (strcmp(key, "countries") == 0)
		config_list_clear(&bench_config.policy.countries);
	assert_int_equal(config_set(&bench_config, name, value, "test", &error), 0);
	assert_int_equal(config_policy_check(&bench_config.policy, &error), 0);
}

static inline void collect(void *data, const struct policy_verdict *verdict)
{
	size_t length = strlen(codes);

	if (verdict->needs_owner)
		return; /* not refused */
	snprintf(codes + length, sizeof(codes) - length, "%s ",
		 verdict->repeat ? "repeat" : verdict->code);
}

static inline const char *all_codes(void)
{
	codes[0] = '\0';
	policy_check_all(policy, &request, collect, NULL);
	return codes;
}

/* "": it passes. policy_check() must report the first refusal of policy_check_all(). */
static inline const char *code(void)
{
	struct policy_verdict verdict = { .code = "" };
	int outcome = policy_check(policy, &request, &verdict);
	const char *all = all_codes();

	assert_true(outcome == 0 || outcome == POLICY_E_REFUSED);
	assert_int_equal(strncmp(all, verdict.code, strlen(verdict.code)), 0);
	assert_int_equal(*all == '\0', outcome == 0);
	if (outcome) {
		assert_non_null(verdict.message);
		assert_true(*verdict.fix);
		assert_int_equal(verdict.retryable, verdict.retry_after_seconds > 0);
	}
	return verdict.code;
}

static inline const char *code_of(const char *number)
{
	request.number = number;
	return code();
}
