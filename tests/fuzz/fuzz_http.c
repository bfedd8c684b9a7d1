/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One connection, and every byte on it: the parser, the gates, the endpoint behind them.
 * A byte of 0xF8, which no text contains, separates pieces of input. */
#include "fuzz_peer.h"

#define CUT 0xF8

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	peers_init();
	gateway_open();
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t length)
{
	struct peer *peer = peer_open();

	while (length) {
		const uint8_t *cut = memchr(data, CUT, length);
		size_t part = cut ? (size_t)(cut - data) : length;
		struct buffer out = BUFFER_INIT;

		souvenirs_write(&out, (const char *)data, part);
		peer_send(peer, out.data, out.length);
		buffer_deinit(&out);
		peers_turn();
		part += cut != NULL;
		data += part;
		length -= part;
	}
	peers_end();
	gateway_rest();
	return 0;
}
