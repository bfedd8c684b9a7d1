/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The server with TLS and a self-made certificate, and a client that checks it. */
#include "unit_test.h"
#include "http_peer.h"

#include <fcntl.h>
#include <gnutls/gnutls.h>
#include <gnutls/x509.h>

#include "base/explanation.h"
#include "config/config_list.h"
#include "http/tls.h"
#include "scratch.h"

static char folder[CONFIG_TEXT_BYTES], trusted[2 * CONFIG_TEXT_BYTES];
static char key[2 * CONFIG_TEXT_BYTES];

static void make_certificate(void)
{
	struct certificate_fingerprint fingerprint;
	struct explanation error = { "" };

	if (certificate_make(folder, NULL, &fingerprint, &error) != 0)
		fail_msg("%s", error.text);
}

static int setup(void **state)
{
	lab_setup(state);
	assert_non_null(mkdtemp(scratch_template(
		lab.config.state_dir, sizeof(lab.config.state_dir), "ofono-mcp-tls")));
	lab.config.tls_loopback = true;
	snprintf(folder, sizeof(folder), "%.100s/tls", lab.config.state_dir);
	snprintf(trusted, sizeof(trusted), "%s/cert.pem", folder);
	snprintf(key, sizeof(key), "%s/key.pem", folder);
	make_certificate();
	return 0;
}

static int teardown(void **state)
{
	unlink(trusted);
	unlink(key);
	rmdir(folder);
	assert_int_equal(rmdir(lab.config.state_dir), 0);
	return lab_teardown(state);
}

/* A client */

struct guest {
	struct peer *peer;
	gnutls_certificate_credentials_t credentials;
	gnutls_session_t session;
	int result; /* of the handshake */
	bool done;
	char in[4096];
	size_t length;
	bool ended;
};

static struct guest *guest_new(const char *name)
{
	struct guest *guest = calloc(1, sizeof(*guest));

	assert_non_null(guest);
	guest->peer = peer_connect();
	assert_int_equal(gnutls_certificate_allocate_credentials(&guest->credentials), 0);
	assert_true(gnutls_certificate_set_x509_trust_file(guest->credentials, trusted,
							   GNUTLS_X509_FMT_PEM) == 1);
	assert_int_equal(gnutls_init(&guest->session, GNUTLS_CLIENT | GNUTLS_NONBLOCK),
			 0);
	assert_int_equal(gnutls_set_default_priority(guest->session), 0);
	gnutls_credentials_set(guest->session, GNUTLS_CRD_CERTIFICATE,
			       guest->credentials);
	gnutls_server_name_set(guest->session, GNUTLS_NAME_DNS, name, strlen(name));
	gnutls_session_set_verify_cert(guest->session, name, 0);
	assert_int_equal(fcntl(guest->peer->fd, F_SETFL,
			       fcntl(guest->peer->fd, F_GETFL) | O_NONBLOCK),
			 0);
	gnutls_transport_set_int(guest->session, guest->peer->fd);
	return guest;
}

static void guest_free(struct guest *guest)
{
	gnutls_deinit(guest->session);
	gnutls_certificate_free_credentials(guest->credentials);
	peer_close(guest->peer);
	free(guest);
}

static bool guest_shook_hands(struct guest *guest)
{
	if (!guest->done) {
		guest->result = gnutls_handshake(guest->session);
		guest->done = guest->result == 0 || gnutls_error_is_fatal(guest->result);
	}
	return guest->done;
}

static struct guest *guest_connect(void)
{
	struct guest *guest = guest_new("localhost");

	LAB_WAIT(guest_shook_hands(guest));
	assert_int_equal(guest->result, 0);
	return guest;
}

static void guest_say(struct guest *guest, const char *text)
{
	assert_int_equal(gnutls_record_send(guest->session, text, strlen(text)),
			 strlen(text));
}

static bool guest_heard(struct guest *guest, const char *text)
{
	ssize_t length;

	while (!guest->ended && guest->length < sizeof(guest->in) - 1) {
		length = gnutls_record_recv(guest->session, guest->in + guest->length,
					    sizeof(guest->in) - 1 - guest->length);
		if (length == GNUTLS_E_AGAIN)
			break;
		if (length > 0)
			guest->length += (size_t)length;
		else if (length == 0 || gnutls_error_is_fatal((int)length))
			guest->ended = true;
	}
	guest->in[guest->length] = '\0';
	return strstr(guest->in, text) != NULL;
}

#define GET(path) "GET " path " HTTP/1.1\r\nHost: localhost\r\n\r\n"

/* Tests */

FIXTURE(setup, teardown)

TEST(test_a_client_that_checks_the_certificate_accepts_it)
{
	struct guest *guest;

	lab_start();
	guest = guest_connect();
	guest_say(guest, GET("/early"));
	LAB_WAIT(guest_heard(guest, "\r\n\r\nearly"));
	assert_true(gnutls_protocol_get_version(guest->session) >= GNUTLS_TLS1_2);
	guest_free(guest);
}

TEST(test_a_client_refuses_the_certificate_for_another_name)
{
	struct guest *guest;

	lab_start();
	guest = guest_new("elsewhere.example");
	LAB_WAIT(guest_shook_hands(guest));
	assert_int_equal(guest->result, GNUTLS_E_CERTIFICATE_VERIFICATION_ERROR);
	guest_free(guest);
}

TEST(test_a_late_answer_arrives_over_tls)
{
	struct guest *guest;

	lab_start();
	guest = guest_connect();
	guest_say(guest,
		  GET("/later")
			  GET("/early")); /* the second is read together with the first */
	LAB_WAIT(lab.record_count == 1 && lab.records[0].completed);
	lab_answer(lab.records[0].exchange, 200, "answer");
	LAB_WAIT(guest_heard(guest, "answer"));
	LAB_WAIT(guest_heard(guest, "\r\n\r\nearly"));
	guest_free(guest);
}

TEST(test_a_waiting_request_is_abandoned_over_tls)
{
	struct guest *guest;

	lab_start();
	guest = guest_connect();
	guest_say(guest, GET("/later"));
	LAB_WAIT(lab.record_count == 1 && lab.records[0].completed);
	guest_free(guest);
	LAB_WAIT(lab.records[0].abandoned == 1 && lab.records[0].ended == 1);
	LAB_WAIT(http_server_connections(lab.server) == 0);
}

TEST(test_a_stream_arrives_over_tls)
{
	const struct stream_event event = { .data = "{\"n\":1}", .length = 7 };
	struct guest *guest;

	lab_start();
	guest = guest_connect();
	guest_say(guest, GET("/stream"));
	LAB_WAIT(lab.record_count == 1 && lab.records[0].stream);
	assert_true(stream_push(lab.records[0].stream, &event));
	LAB_WAIT(guest_heard(guest, "data: {\"n\":1}"));
	guest_free(guest);
	LAB_WAIT(lab.records[0].abandoned == 1);
}

TEST(test_a_late_request_ends_the_connection_over_tls)
{
	struct guest *guest;

	lab.config.request_timeout_seconds = 1;
	lab_start();
	guest = guest_connect();
	guest_say(guest, "GET /early HTTP/1.1\r\nHost: local");
	LAB_WAIT(guest_heard(guest, "") && guest->ended);
	guest_free(guest);
}

TEST(test_freeing_the_server_abandons_requests_over_tls)
{
	struct guest *guest;

	lab_start();
	guest = guest_connect();
	guest_say(guest, GET("/later"));
	LAB_WAIT(lab.record_count == 1 && lab.records[0].completed);
	http_server_free(lab.server); /* abandons the request */
	lab.server = NULL;
	assert_int_equal(lab.records[0].abandoned, 1);
	LAB_WAIT(guest_heard(guest, "") && guest->ended);
	guest_free(guest);
}

TEST(test_a_new_certificate_is_used_by_new_connections)
{
	struct guest *before, *after;

	lab_start();
	before = guest_connect();
	make_certificate();
	http_server_reload_certificate(lab.server);
	after = guest_connect(); /* trusts only the new certificate */
	guest_say(before, GET("/early"));
	LAB_WAIT(guest_heard(before, "\r\n\r\nearly"));
	guest_free(before);
	guest_free(after);
}
