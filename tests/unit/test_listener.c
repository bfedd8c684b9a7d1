/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where the server listens, and when it begins to answer.
 */
#include "unit_test.h"
#include "base/explanation.h"
#include "http_peer.h"

FIXTURE(lab_setup, lab_teardown)

TEST(test_a_peer_that_connects_early_waits)
{
	struct peer *peer;

	lab_listen();
	peer = peer_connect();
	peer_get(peer, "/echo");
	lab_turn(50);
	assert_int_equal(lab.record_count, 0);
	assert_int_equal(http_server_serve(lab.server), 0);
	assert_int_equal(peer_reply(peer)->status, 200);
	peer_close(peer);
}

TEST(test_a_port_in_use_is_reported)
{
	struct http_server *second = NULL;
	struct explanation error = { "" };
	char address[64];

	lab_start();
	snprintf(address, sizeof(address), "127.0.0.1:%u", lab_listener(0).port);
	strcpy(lab.config.listen.items[0], address);
	assert_int_equal(http_server_new(lab.loop, &lab.config, lab_routes, &lab.auth,
					 &second, &error),
			 -EADDRINUSE);
	assert_null(second);
	assert_non_null(strstr(error.text, "is in use by another program"));
	assert_non_null(strstr(error.text, address));
	strcpy(lab.config.listen.items[0], "192.0.2.1:9531");
	assert_int_equal(http_server_new(lab.loop, &lab.config, lab_routes, &lab.auth,
					 &second, &error),
			 -EADDRNOTAVAIL);
	strcpy(lab.config.listen.items[0], "localhost");
	assert_int_equal(http_server_new(lab.loop, &lab.config, lab_routes, &lab.auth,
					 &second, &error),
			 -EINVAL);
}

/* `text`: a second address without its port, which must be served like the first. */
static void check_second_address(const char *text, struct sockaddr *address,
				 socklen_t length)
{
	struct peer *peer;
	in_port_t port;

	lab.config.listen.count = 2;
	strcpy(lab.config.listen.items[1], text);
	lab_start();
	peer = peer_connect();
	peer_get(peer, "/echo");
	assert_int_equal(peer_reply(peer)->status, 200);
	close(peer->fd);
	peer->fd = socket(address->sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
	port = htons(lab_listener(1).port);
	if (address->sa_family == AF_INET6)
		((struct sockaddr_in6 *)address)->sin6_port = port;
	else
		((struct sockaddr_in *)address)->sin_port = port;
	assert_int_equal(connect(peer->fd, address, length), 0);
	peer_get(peer, "/echo");
	assert_int_equal(peer_reply(peer)->status, 200);
	peer_close(peer);
}

static bool has_ipv6(const struct sockaddr_in6 *loopback)
{
	int probe = socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0);
	bool has = probe >= 0 &&
		   bind(probe, (const struct sockaddr *)loopback, sizeof(*loopback)) == 0;

	if (probe >= 0)
		close(probe);
	return has;
}

/* Without IPv6 the server must report it, and not serve only the other address. */
TEST(test_ipv6_is_served_or_refused_as_a_whole)
{
	struct sockaddr_in6 address = { .sin6_family = AF_INET6,
					.sin6_addr = IN6ADDR_LOOPBACK_INIT };
	struct explanation error = { "" };

	if (has_ipv6(&address)) {
		check_second_address("[::1]:0", (struct sockaddr *)&address,
				     sizeof(address));
		return;
	}
	lab.config.listen.count = 2;
	strcpy(lab.config.listen.items[1], "[::1]:0");
	assert_true(http_server_new(lab.loop, &lab.config, lab_routes, &lab.auth,
				    &lab.server, &error) < 0);
	assert_null(lab.server);
	assert_non_null(strstr(error.text, "[::1]:0: "));
}

/* An address that the network can reach; the test connects over loopback. */
static void lab_listen_to_the_network(void)
{
	strcpy(lab.config.listen.items[0], "0.0.0.0:0");
	lab_listen();
	assert_true(http_server_has_network(lab.server));
}

static bool refused_by_the_kernel(void)
{
	const struct sockaddr_in address = {
		.sin_family = AF_INET,
		.sin_port = htons(lab_listener(0).port),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	bool refused =
		connect(fd, (const struct sockaddr *)&address, sizeof(address)) < 0 &&
		errno == ECONNREFUSED;

	close(fd);
	return refused;
}

TEST(test_closing_a_network_address_closes_its_connections)
{
	struct peer *waits, *streams, *idle, *sends;

	lab_listen_to_the_network();
	assert_int_equal(http_server_serve(lab.server), 0);
	http_server_review(lab.server, true);
	LAB_WAIT(lab_listener(0).open);
	waits = peer_connect();
	peer_get(waits, "/later");
	LAB_WAIT(lab.record_count == 1 && lab.records[0].completed);
	streams = peer_connect();
	peer_get(streams, "/stream");
	LAB_WAIT(lab.record_count == 2 && lab.records[1].stream);
	idle = peer_connect();
	sends = peer_connect();
	peer_send(sends, "POST /echo HTTP/1.1\r\nHost: local");
	LAB_WAIT(http_server_connections(lab.server) == 4);
	http_server_review(lab.server, false);
	LAB_WAIT(peer_is_closed(waits) && peer_is_closed(streams) &&
		 peer_is_closed(idle) && peer_is_closed(sends));
	assert_int_equal(lab.records[0].abandoned, 1);
	assert_int_equal(lab.records[1].abandoned, 1);
	LAB_WAIT(http_server_connections(lab.server) == 0);
	assert_true(refused_by_the_kernel());
	http_server_review(lab.server, true); /* open it again */
	LAB_WAIT(lab_listener(0).open);
	peer_close(waits);
	waits = peer_connect_to(lab_listener(0).port);
	peer_get(waits, "/echo");
	assert_int_equal(peer_reply(waits)->status, 200);
	peer_close(waits);
	peer_close(streams);
	peer_close(idle);
	peer_close(sends);
}

TEST(test_a_server_can_stop_while_an_address_is_closed)
{
	lab_listen_to_the_network();
	assert_int_equal(http_server_serve(lab.server), 0);
	http_server_stop(lab.server, 1000, lab_on_stopped, &lab.stopped);
	http_server_review(lab.server, true); /* too late */
	LAB_WAIT(lab.stopped == 1);
	assert_false(lab_listener(0).open);
}
