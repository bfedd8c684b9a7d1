/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Real contacts, sims and store; oFono is the fake of fake_ofono.h. */
#include "unit_test.h"
#include "config/config.h"
#include "fake_ofono.h"
#include "phone/contact.h"
#include "sms/sender.h"
#include "store_bench.h"

#define CARD(name, number) \
	"BEGIN:VCARD\r\nVERSION:3.0\r\nFN:" name "\r\nTEL:" number "\r\nEND:VCARD\r\n"

static sd_event *loop;
static struct config config;
static struct sims *sims;
static struct contacts *contacts;
static struct modem *modem;

static int set_up(void **state)
{
	config_defaults(&config);
	fake_init();
	if (store_set_up(state) || sd_event_new(&loop) < 0)
		return -1;
	open_store();
	if (sims_new(loop, &fake_ofono, store, &sims) ||
	    contacts_new(NULL, &config, sims, &fake_ofono, &contacts))
		return -1;
	modem = fake_modem_add("/sim0");
	fake_card(modem, "8936", "216300000000001"); /* Hungary */
	fake_ready(modem);
	modem->interfaces |= MODEM_PHONEBOOK;
	return 0;
}

static int tear_down(void **state)
{
	contacts_free(contacts);
	sims_free(sims);
	sd_event_unref(loop);
	fake_deinit();
	return store_tear_down(state);
}

static void tell(struct modem *which, const char *text)
{
	const struct ofono_event event = {
		.type = PHONEBOOK_READ,
		.modem = which,
		.text = text,
	};

	observers_notify(&fake_ofono.observers, &event);
}

static const char *name_of(const char *number)
{
	const struct contact *contact = contacts_find(contacts, store, number);

	return contact ? contact->name : "";
}

static void write_file(const char *text)
{
	FILE *file;

	snprintf(config.contacts_file, sizeof(config.contacts_file), "%s/x.vcf", root);
	file = fopen(config.contacts_file, "w");
	assert_non_null(file);
	fputs(text, file);
	fclose(file);
}

FIXTURE(set_up, tear_down)

TEST(test_a_contact_is_found_by_any_spelling_of_its_number)
{
	assert_string_equal(name_of("+36201234567"), "");
	tell(modem, CARD("Anna", "06 20 123-4567") CARD("Bela", "+36301112222")
			    CARD("Operator", "1777"));
	assert_string_equal(name_of("+36201234567"), "Anna");
	assert_string_equal(name_of("0036201234567"), "Anna");
	assert_string_equal(name_of("06201234567"), "Anna");
	assert_string_equal(name_of("06301112222"), "Bela");
	assert_string_equal(name_of("1777"), "Operator");
	assert_string_equal(name_of("+49201234567"), "");
	assert_string_equal(name_of("Anna"), "");
	assert_string_equal(name_of(""), "");
	assert_null(contacts_find(NULL, store, "1777"));
}

static void expect_trust(const char *number, enum sender_trust trust)
{
	const struct store_party_address end = { .number = number };

	assert_int_equal(sender_trust(&config, store, contacts, &end), trust);
}

/* More than a number that was written to, less than a number in the owner's list. */
TEST(test_a_contact_is_trusted_less_than_an_allowed_number)
{
	struct explanation error;

	expect_trust("+36201234567", SENDER_UNKNOWN);
	tell(modem, CARD("Anna", "06201234567") CARD("Bank", "1"));
	expect_trust("+36201234567", SENDER_CONTACT);
	expect_trust("Anna", SENDER_ALPHANUMERIC);
	expect_trust("Bank", SENDER_ALPHANUMERIC);
	expect_trust("", SENDER_UNKNOWN);
	config_set(&config, "incoming.owner_numbers", "+36201234567", "test", &error);
	expect_trust("+36201234567", SENDER_OWNER);
	config_set(&config, "incoming.blocked_senders", "+36201234567", "test", &error);
	expect_trust("+36201234567", SENDER_BLOCKED);
	assert_int_equal(sender_trust(&config, store, NULL,
				      &(struct store_party_address){ 0, "1" }),
			 SENDER_UNKNOWN);
}

TEST(test_the_contacts_of_a_card_go_with_it)
{
	struct modem *second = fake_modem_add("/sim1");

	fake_card(second, "8937", "216300000000002");
	fake_ready(second);
	second->interfaces |= MODEM_PHONEBOOK;
	tell(modem, CARD("Anna", "1"));
	tell(second, CARD("Bela", "2"));
	fake_changed(modem);
	assert_string_equal(name_of("1"), "Anna");
	modem->interfaces &= ~(uint32_t)MODEM_PHONEBOOK;
	fake_changed(modem);
	assert_string_equal(name_of("1"), "");
	assert_string_equal(name_of("2"), "Bela");
	fake_modem_remove(second);
	assert_string_equal(name_of("2"), "");
}

static char *many_cards(size_t count, size_t padding)
{
	enum { CARD_BYTES = 128 };
	char *text = malloc(count * CARD_BYTES + padding + 1), *at = text;

	assert_non_null(text);
	memset(at, ' ', padding);
	at += padding;
	for (size_t i = 0; i < count; i++)
		at += sprintf(at, CARD("Somebody %06zu", "+3620%07zu"), i, i);
	*at = '\0';
	return text;
}

/* By the number of contacts, or by the bytes of the answer. */
TEST(test_a_truncated_phonebook_is_reported)
{
	static const struct {
		size_t count, padding;
	} cases[] = { { 5000, 0 }, { 2, 1024 * 1024 - 100 } };
	char *text;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		text = many_cards(cases[i].count, cases[i].padding);
		tell(modem, text);
		free(text);
		assert_string_equal(contacts_problem(contacts),
				    "SIM 1: it has more contacts than the gateway keeps; "
				    "the last ones are left out");
		assert_true(contacts_are_truncated(contacts));
		tell(modem, CARD("Anna", "06201234567"));
		assert_string_equal(contacts_problem(contacts), "");
		assert_false(contacts_are_truncated(contacts));
	}
	write_file("nothing");
	contacts_reload(contacts);
	text = many_cards(5000, 0);
	tell(modem, text);
	free(text);
	assert_non_null(
		strstr(contacts_problem(contacts), "and a number; SIM 1: it has"));
	modem->interfaces &= ~(uint32_t)MODEM_PHONEBOOK;
	fake_changed(modem);
	assert_null(strstr(contacts_problem(contacts), "SIM 1"));
}

TEST(test_another_card_replaces_the_contacts)
{
	tell(modem, CARD("Anna", "1"));
	fake_card(modem, "8938", "216300000000003");
	tell(modem, CARD("Cili", "2"));
	assert_string_equal(name_of("1"), "");
	assert_string_equal(name_of("2"), "Cili");
	tell(modem, "");
	assert_string_equal(name_of("2"), "");
	fake_card(modem, "", "");
	tell(modem, CARD("Nobody's", "3"));
	assert_string_equal(name_of("3"), "");
}

/* Two modems show one card. */
TEST(test_a_card_in_two_modems_keeps_its_contacts_until_both_go)
{
	struct modem *second = fake_modem_add("/sim1");

	fake_card(second, "8936", "216300000000001");
	tell(modem, CARD("Anna", "1"));
	tell(second, CARD("Anna", "1"));
	fake_modem_remove(second);
	assert_string_equal(name_of("1"), "Anna");
	fake_modem_remove(modem);
	assert_string_equal(name_of("1"), "");
}

/* What is kept of a card is limited. */
TEST(test_a_hostile_card_is_bounded)
{
	size_t length = 2 << 20;
	char *text = malloc(length + 1), *at = text;

	memset(text, ' ', length);
	at = stpcpy(at, CARD("Anna", "1"));
	*at = ' ';
	strcpy(text + length - strlen(CARD("Late", "2")), CARD("Late", "2"));
	tell(modem, text);
	assert_string_equal(name_of("1"), "Anna");
	assert_string_equal(name_of("2"), "");
	at = text;
	for (unsigned i = 1; i < 10000; i++)
		at += sprintf(at, CARD("Somebody of that name", "%u"), i);
	tell(modem, text);
	assert_in_range(contact_book_count(contacts_book(contacts)), 500, 2000);
	assert_string_equal(name_of("500"), "Somebody of that name");
	assert_string_equal(name_of("9999"), "");
	free(text);
}

TEST(test_a_list_of_the_desktop_has_one_user)
{
	size_t count = 9;

	assert_int_equal(contacts_begin_desktop(contacts, 1000), 0);
	assert_int_equal(contacts_add_desktop(contacts, 1000, CARD("Anna", "1")), 0);
	assert_int_equal(contacts_add_desktop(contacts, 1001, CARD("Eve", "2")),
			 CONTACTS_E_OUT_OF_ORDER);
	assert_int_equal(contacts_end_desktop(contacts, 1001, &count),
			 CONTACTS_E_OUT_OF_ORDER);
	assert_int_equal(contacts_end_desktop(contacts, 1000, &count), 0);
	assert_int_equal(count, 1);
	assert_string_equal(name_of("1"), "Anna");
	assert_int_equal(contacts_begin_desktop(contacts, 1000), 0);
	assert_int_equal(contacts_begin_desktop(contacts, 1001), 0);
	assert_int_equal(contacts_add_desktop(contacts, 1000, CARD("Bela", "2")),
			 CONTACTS_E_OUT_OF_ORDER);
	assert_int_equal(contacts_end_desktop(contacts, 1001, &count), 0);
	assert_int_equal(count, 0);
	assert_string_equal(name_of("1"), "");
}

TEST(test_private_contacts_of_a_card_are_hidden)
{
	tell(modem, CARD("Anna", "1\r\nCLASS:PRIVATE") CARD("Bela", "2"));
	assert_string_equal(name_of("1"), "");
	assert_string_equal(name_of("2"), "Bela");
	assert_string_equal(contacts_problem(contacts), "");
	assert_non_null(strstr(contacts_skipped(contacts), "SIM 1: 1 vCard"));
}

TEST(test_cards_are_not_read_when_disabled)
{
	assert_true(fake_ofono.uses_phonebooks);
	tell(modem, CARD("Anna", "1"));
	config.contacts_of_sims = false;
	contacts_reload(contacts);
	assert_false(fake_ofono.uses_phonebooks);
	assert_string_equal(name_of("1"), "");
	tell(modem, CARD("Anna", "1")); /* the answer was in progress */
	assert_string_equal(name_of("1"), "");
	config.contacts_of_desktop = false;
	assert_false(contacts_are_enabled(&config));
}

/* A file that is too large, then none. */
TEST(test_an_unreadable_file_keeps_the_contacts_and_a_removed_one_does_not)
{
	tell(modem, CARD("Of the card", "1"));
	write_file(CARD("Of the file", "1"));
	contacts_reload(contacts);
	assert_string_equal(contacts_problem(contacts), "");
	assert_string_equal(name_of("1"), "Of the file");
	assert_int_equal(truncate(config.contacts_file, 9 << 20), 0);
	contacts_reload(contacts);
	assert_non_null(strstr(contacts_problem(contacts), "8 MiB"));
	assert_string_equal(name_of("1"), "Of the file");
	assert_int_equal(unlink(config.contacts_file), 0);
	contacts_reload(contacts);
	assert_non_null(strstr(contacts_problem(contacts), "no such file"));
	assert_string_equal(name_of("1"), "Of the card");
	config.contacts_file[0] = '\0';
	contacts_reload(contacts);
	assert_string_equal(contacts_problem(contacts), "");
}
