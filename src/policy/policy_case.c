/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The case that a check opens, as rules see it, and what they say of it. */
#include "policy/policy_private.h"
#include "store/store.h"

enum { MS_PER_SECOND = 1000 };

bool policy_case_is_call(const struct policy_case *about)
{
	return about->request->act == POLICY_CALL;
}

int policy_case_refuse(struct policy_case *about, enum failure failure,
		       const char *message)
{
	about->refusal = (struct refusal){ failure, message };
	return POLICY_E_REFUSED;
}

int policy_case_ask_owner(struct policy_case *about, enum failure failure,
			  const char *message)
{
	policy_case_refuse(about, failure, message);
	return POLICY_E_NEEDS_OWNER;
}

int policy_case_refuse_unread(struct policy_case *about, const char *message)
{
	const char *trouble = store_trouble(about->parts->store);

	return policy_case_refuse(about, FAILURE_INTERNAL, trouble ? trouble : message);
}

void policy_case_set_retry(struct policy_case *about, int64_t wall_ms)
{
	int64_t left_ms = wall_ms - about->now_ms;

	about->retry_at_ms = wall_ms;
	about->refusal.retry_after_seconds =
		left_ms > 0 ? (left_ms + MS_PER_SECOND - 1) / MS_PER_SECOND : 1;
}
