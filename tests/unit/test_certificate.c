/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "unit_test.h"
#include <errno.h>
#include <gnutls/x509.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/explanation.h"
#include "config/config.h"
#include "http/tls.h"
#include "scratch.h"

static char home[64], folder[80], certificate_path[96], key_path[96];

static int setup(void **state)
{
	assert_non_null(
		mkdtemp(scratch_template(home, sizeof(home), "ofono-mcp-certificate")));
	snprintf(folder, sizeof(folder), "%s/tls", home);
	snprintf(certificate_path, sizeof(certificate_path), "%s/cert.pem", folder);
	snprintf(key_path, sizeof(key_path), "%s/key.pem", folder);
	return 0;
}

static int teardown(void **state)
{
	unlink(certificate_path);
	unlink(key_path);
	rmdir(folder);
	return rmdir(home); /* fails if anything else is left */
}

static struct tls_fingerprint make(const struct config_list *names)
{
	struct tls_fingerprint fingerprint;
	struct explanation error = { "" };
	static struct config config;
	struct tls tls = { 0 };

	snprintf(config.state_dir, sizeof(config.state_dir), "%s", home);
	if (certificate_make(folder, names, &error) != 0 ||
	    tls_load(&tls, &config, &error) != 0)
		fail_msg("%s", error.text);
	assert_int_equal(tls_fingerprint(&tls, &fingerprint), 0);
	tls_unload(&tls);
	return fingerprint;
}

static gnutls_x509_crt_t load(void)
{
	gnutls_x509_crt_t certificate;
	gnutls_datum_t text;

	assert_int_equal(gnutls_load_file(certificate_path, &text), 0);
	assert_int_equal(gnutls_x509_crt_init(&certificate), 0);
	assert_int_equal(gnutls_x509_crt_import(certificate, &text, GNUTLS_X509_FMT_PEM),
			 0);
	gnutls_free(text.data);
	return certificate;
}

FIXTURE(setup, teardown)

TEST(test_a_certificate_names_this_machine)
{
	struct config_list names = { .count = 1, .items = { "gateway.example.org" } };
	char host[256 + sizeof(".local")];
	gnutls_x509_crt_t certificate;

	make(&names);
	certificate = load();
	assert_int_equal(gethostname(host, 256), 0);
	assert_true(gnutls_x509_crt_check_hostname(certificate, host));
	strcat(host, ".local");
	assert_true(gnutls_x509_crt_check_hostname(certificate, host));
	assert_true(gnutls_x509_crt_check_hostname(certificate, "localhost"));
	assert_true(gnutls_x509_crt_check_hostname(certificate, "127.0.0.1"));
	assert_true(gnutls_x509_crt_check_hostname(certificate, "gateway.example.org"));
	assert_false(gnutls_x509_crt_check_hostname(certificate, "example.org"));
	gnutls_x509_crt_deinit(certificate);
}

TEST(test_a_certificate_is_p256_and_valid_for_ten_years)
{
	gnutls_x509_crt_t certificate;
	unsigned bits;
	time_t now = time(NULL);

	make(NULL);
	certificate = load();
	assert_int_equal(gnutls_x509_crt_get_pk_algorithm(certificate, &bits),
			 GNUTLS_PK_ECDSA);
	assert_int_equal(bits, 256);
	assert_true(gnutls_x509_crt_get_activation_time(certificate) <= now);
	assert_true(gnutls_x509_crt_get_expiration_time(certificate) >
		    now + (time_t)10 * 365 * 24 * 3600);
	assert_int_equal(gnutls_x509_crt_get_ca_status(certificate, NULL), 0);
	gnutls_x509_crt_deinit(certificate);
}

static int64_t wall_1970(void)
{
	return 5000;
}

TEST(test_a_phone_without_the_time_makes_a_valid_certificate)
{
	static const struct clock_source clock = { .monotonic_ms = wall_1970,
						   .wall_ms = wall_1970 };
	gnutls_x509_crt_t certificate;

	clock_set_source(&clock);
	make(NULL);
	clock_set_source(NULL);
	certificate = load();
	assert_true(gnutls_x509_crt_get_expiration_time(certificate) >
		    CLOCK_SANE_MS / 1000 + (time_t)9 * 365 * 24 * 3600);
	gnutls_x509_crt_deinit(certificate);
}

TEST(test_the_fingerprint_matches_the_file)
{
	struct tls_fingerprint made = make(NULL);
	gnutls_x509_crt_t certificate = load();
	unsigned char hash[TLS_HASH_BYTES];
	size_t size = sizeof(hash);
	char text[3 * TLS_HASH_BYTES + 1];

	assert_int_equal(gnutls_x509_crt_get_fingerprint(certificate, GNUTLS_DIG_SHA256,
							 hash, &size),
			 0);
	gnutls_x509_crt_deinit(certificate);
	for (size_t at = 0; at < size; at++)
		snprintf(text + 3 * at, 4, "%02X:", hash[at]);
	text[strlen(text) - 1] = '\0';
	assert_string_equal(made.text, text);
}

TEST(test_a_new_pair_replaces_the_old_one)
{
	struct tls_fingerprint first = make(NULL), second = make(NULL);
	gnutls_certificate_credentials_t credentials;

	assert_string_not_equal(first.text, second.text);
	assert_int_equal(gnutls_certificate_allocate_credentials(&credentials), 0);
	assert_int_equal(gnutls_certificate_set_x509_key_file(credentials,
							      certificate_path, key_path,
							      GNUTLS_X509_FMT_PEM),
			 0); /* the key matches */
	gnutls_certificate_free_credentials(credentials);
}

TEST(test_leftovers_of_an_interrupted_attempt_are_removed)
{
	char fresh[96], left[112];

	snprintf(fresh, sizeof(fresh), "%s.new", folder);
	snprintf(left, sizeof(left), "%s/key.pem", fresh);
	assert_int_equal(mkdir(fresh, 0700), 0);
	fclose(fopen(left, "w"));
	make(NULL);
	assert_int_equal(access(fresh, F_OK), -1);
}

/* Opening a FIFO would wait for its writer for ever. */
TEST(test_times_of_what_is_no_file_are_refused_at_once)
{
	struct certificate_times times;
	struct explanation error = { "" };

	assert_int_equal(mkdir(folder, 0700), 0);
	assert_int_equal(mkfifo(certificate_path, 0600), 0);
	assert_int_equal(certificate_times(certificate_path, &times, &error), -EINVAL);
	assert_non_null(strstr(error.text, certificate_path));
	assert_int_equal(certificate_times("/dev/zero", &times, &error), -EINVAL);
}

TEST(test_errors_name_the_file)
{
	struct certificate_times times;
	struct explanation error = { "" };

	assert_int_equal(certificate_make("/nonexistent/tls", NULL, &error), -ENOENT);
	assert_non_null(strstr(error.text, "/nonexistent/tls: "));
	assert_true(certificate_times(certificate_path, &times, &error) < 0);
	assert_non_null(strstr(error.text, certificate_path));
	make(NULL);
	assert_int_equal(certificate_times(key_path, &times, &error), -EINVAL);
	assert_non_null(strstr(error.text, key_path));
}
