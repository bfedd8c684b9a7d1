/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "mcp/asking.h"

#include <errno.h>
#include <gnutls/crypto.h>

#include "base/log.h"

int asking_init(struct asking *asking)
{
	LIST_INIT(&asking->elicitations);
	if (gnutls_rnd(GNUTLS_RND_KEY, &asking->key, sizeof(asking->key)) != 0 ||
	    gnutls_rnd(GNUTLS_RND_NONCE, &asking->epoch, sizeof(asking->epoch)) != 0)
		return -EIO;
	if (asking->shelf && asking->shelf->key(asking->shelf->data, &asking->key))
		log_warning(
			"mcp: the key of questions could not be stored: those that are "
			"open will not outlive the gateway");
	return 0;
}

void asking_close(struct asking *asking, const char *order, int64_t until_ms)
{
	const struct asking_shelf *shelf = asking->shelf;

	if (shelf && shelf->close(shelf->data, order, until_ms))
		log_warning("mcp: that a person declined could not be stored");
}

bool asking_is_closed(struct asking *asking, const char *order)
{
	const struct asking_shelf *shelf = asking->shelf;

	return shelf && shelf->is_closed(shelf->data, order);
}
