/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "unit_test.h"
#include "ofono_lab.h"

#include "bus/property.h"

struct thing {
	bool on;
	uint8_t strength;
	char name[8];
	uint32_t flags;
	char number[12];
	uint8_t counts[3];
	uint8_t slot;
	char guard[8];
};

static const char *const flag_words[] = { "a", "b", "c", NULL };
static const char *const count_words[] = { "pin", "puk", "pin2", NULL };

static const struct property table[] = {
	PROPERTY("On", PROPERTY_BOOLEAN, struct thing, on),
	PROPERTY("Strength", PROPERTY_BYTE, struct thing, strength),
	PROPERTY("Slot", PROPERTY_SMALL, struct thing, slot),
	PROPERTY("Name", PROPERTY_STRING, struct thing, name),
	PROPERTY("Flags", PROPERTY_FLAGS, struct thing, flags, .words = flag_words),
	PROPERTY("Numbers", PROPERTY_FIRST, struct thing, number),
	PROPERTY("Retries", PROPERTY_COUNTS, struct thing, counts, .words = count_words),
};

enum { ROWS = sizeof(table) / sizeof(table[0]) };

static bool change(struct thing *thing, struct fact fact)
{
	DBusMessage *signal = changed_signal("/", "x.y", fact);
	bool differs = property_changed(table, ROWS, signal, thing);

	dbus_message_unref(signal);
	return differs;
}

TEST(test_every_type_is_stored)
{
	struct thing thing = { .guard = "guard" };

	assert_true(change(&thing, (struct fact)FLAG("On", 1)));
	assert_true(thing.on);
	assert_true(change(&thing, (struct fact)BYTE("Strength", 77)));
	assert_int_equal(thing.strength, 77);
	assert_true(change(&thing, (struct fact)NUMBER("Slot", 2)));
	assert_int_equal(thing.slot, 2);
	assert_true(change(&thing, (struct fact)NUMBER("Slot", 70000)));
	assert_int_equal(thing.slot, 255);
	assert_true(change(&thing, (struct fact)TEXT("Name", "abc")));
	assert_string_equal(thing.name, "abc");
	assert_true(change(&thing, (struct fact)WORDS("Flags", "c", "z", "a")));
	assert_int_equal(thing.flags, 5);
	assert_true(change(&thing, (struct fact)WORDS("Numbers", "+49", "+36")));
	assert_string_equal(thing.number, "+49");
	assert_true(change(&thing, (struct fact)COUNT("Retries", "puk", 10)));
	assert_int_equal(thing.counts[0], 0);
	assert_int_equal(thing.counts[1], 10);
	assert_string_equal(thing.guard, "guard");
}

TEST(test_the_same_value_is_no_change)
{
	struct thing thing = { .on = true, .strength = 5, .name = "abc" };

	assert_false(change(&thing, (struct fact)FLAG("On", 1)));
	assert_false(change(&thing, (struct fact)BYTE("Strength", 5)));
	assert_false(change(&thing, (struct fact)TEXT("Name", "abc")));
	assert_false(change(&thing, (struct fact)WORDS("Flags", NULL)));
	assert_false(change(&thing, (struct fact)WORDS("Numbers", NULL)));
	assert_true(change(&thing, (struct fact)TEXT("Name", "ab")));
	assert_true(change(&thing, (struct fact)TEXT("Name", "abc")));
	assert_true(change(&thing, (struct fact)FLAG("On", 0)));
}

TEST(test_wrong_type_and_unknown_name_are_ignored)
{
	struct thing thing = { .strength = 5, .name = "abc" }, before = thing;

	assert_false(change(&thing, (struct fact)FLAG("Name", 1)));
	assert_false(change(&thing, (struct fact)WORDS("Name", "x")));
	assert_false(change(&thing, (struct fact)TEXT("On", "true")));
	assert_false(change(&thing, (struct fact)TEXT("Strength", "7")));
	assert_false(change(&thing, (struct fact)TEXT("Flags", "a")));
	assert_false(change(&thing, (struct fact)COUNT("Flags", "a", 1)));
	assert_false(change(&thing, (struct fact)TEXT("Numbers", "+49")));
	assert_false(change(&thing, (struct fact)WORDS("Retries", "pin")));
	assert_false(change(&thing, (struct fact)COUNT("Retries", "other", 3)));
	assert_false(change(&thing, (struct fact)TEXT("Unheard", "of")));
	assert_memory_equal(&thing, &before, sizeof(thing));
}

TEST(test_long_text_is_cut_at_a_character)
{
	struct thing thing = { .guard = "guard" };
	const char zeros[sizeof(thing.name)] = "";

	change(&thing, (struct fact)TEXT("Name", "1234567"));
	assert_string_equal(thing.name, "1234567");
	change(&thing, (struct fact)TEXT("Name", "12345678"));
	assert_string_equal(thing.name, "1234567");
	assert_true(change(&thing, (struct fact)TEXT("Name", "123456\u00e4")));
	assert_string_equal(thing.name, "123456");
	change(&thing, (struct fact)TEXT("Name", "1234\U0001F600"));
	assert_string_equal(thing.name, "1234");
	change(&thing, (struct fact)TEXT("Name", "123\U0001F600"));
	assert_string_equal(thing.name, "123\U0001F600");
	change(&thing, (struct fact)WORDS("Numbers", "+4915112345678"));
	assert_string_equal(thing.number, "+4915112345");
	/* unused bytes are zero again: structs are compared as memory */
	change(&thing, (struct fact)TEXT("Name", ""));
	assert_memory_equal(thing.name, zeros, sizeof(zeros));
	assert_string_equal(thing.guard, "guard");
}

TEST(test_a_whole_dictionary_is_stored)
{
	const struct fact facts[] = {
		TEXT("Other", "x"),  FLAG("On", 1), FLAG("Name", 1),
		BYTE("Strength", 9), LAST,
	};
	DBusMessage *message = dbus_message_new_signal("/", "x.y", "Z");
	struct thing thing = { .name = "stays" };
	DBusMessageIter iterator;

	dbus_message_iter_init_append(message, &iterator);
	facts_append(&iterator, facts);
	dbus_message_iter_init(message, &iterator);
	assert_true(property_store_all(table, ROWS, &iterator, &thing));
	assert_true(thing.on);
	assert_int_equal(thing.strength, 9);
	assert_string_equal(thing.name, "stays");
	dbus_message_iter_init(message, &iterator);
	assert_false(property_store_all(table, ROWS, &iterator, &thing));
	dbus_message_unref(message);
}

TEST(test_an_empty_dictionary_changes_nothing)
{
	DBusMessage *message = dbus_message_new_signal("/", "x.y", "Z");
	struct thing thing = { 0 };
	DBusMessageIter iterator;

	dbus_message_iter_init_append(message, &iterator);
	facts_append(&iterator, NULL);
	dbus_message_iter_init(message, &iterator);
	assert_false(property_store_all(table, ROWS, &iterator, &thing));
	dbus_message_unref(message);
}

TEST(test_other_signals_are_ignored)
{
	DBusMessage *other = dbus_message_new_signal("/", "x.y", "Other");
	DBusMessage *bare = dbus_message_new_signal("/", "x.y", "PropertyChanged");
	DBusMessage *good = changed_signal("/", "x.y", (struct fact)FLAG("On", 1));
	const char *name = "On";
	struct thing thing = { 0 };

	dbus_message_append_args(bare, DBUS_TYPE_STRING, &name, DBUS_TYPE_INVALID);
	assert_null(property_changed_name(other));
	assert_null(property_changed_name(bare));
	assert_string_equal(property_changed_name(good), "On");
	assert_false(property_changed(table, ROWS, other, &thing));
	assert_false(property_changed(table, ROWS, bare, &thing));
	dbus_message_unref(other);
	dbus_message_unref(bare);
	dbus_message_unref(good);
}
