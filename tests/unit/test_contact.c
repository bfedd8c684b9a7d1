/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "unit_test.h"
#include "phone/contact.h"
#include "phone/vcard.h"
#include "scratch.h"

static struct contact_book *book;

static int set_up(void **state)
{
	book = contact_book_new();
	return book ? 0 : -1;
}

static int tear_down(void **state)
{
	contact_book_free(book);
	return 0;
}

static void add(struct contact_list *list, const char *name, const char *number)
{
	struct vcard card = { .count = 1 };

	strcpy(card.name, name);
	strcpy(card.numbers[0], number);
	contact_list_add(list, &card);
}

/* A list with one contact. */
static bool put(int64_t sim_id, const char *name, const char *number)
{
	struct contact_list *list = contact_list_new(sim_id, CONTACT_LIST_SIM_BYTES);

	add(list, name, number);
	return contact_book_put(book, sim_id, list);
}

static const char *whose(const char *number, const char *other)
{
	char spellings[2][NUMBER_FORM_BYTES];
	const struct contact *contact;

	strcpy(spellings[0], number);
	strcpy(spellings[1], other);
	contact = contact_book_find(book, (const char(*)[NUMBER_FORM_BYTES])spellings, 2);
	return contact ? contact->name : "";
}

FIXTURE(set_up, tear_down)

TEST(test_the_file_precedes_the_desktop_and_that_the_cards)
{
	uint32_t edition = contact_book_edition(book);

	assert_string_equal(whose("+361", "061"), "");
	assert_true(put(7, "of seven", "+361"));
	assert_true(put(3, "of three", "061"));
	assert_string_equal(whose("+361", "061"), "of three");
	assert_true(put(CONTACT_OF_FILE, "of the file", "+361"));
	assert_string_equal(whose("+361", "061"), "of the file");
	assert_true(put(CONTACT_OF_DESKTOP, "of the desktop", "061"));
	assert_string_equal(whose("+361", "061"), "of the file");
	assert_string_equal(whose("061", "062"), "of the desktop");
	assert_int_equal(contact_book_count(book), 4);
	assert_int_equal(contact_book_at(book, 3)->sim_id, 7);
	assert_int_not_equal(contact_book_edition(book), edition);
}

TEST(test_a_list_is_replaced)
{
	assert_true(put(1, "before", "1"));
	assert_true(put(2, "other", "2"));
	assert_true(put(1, "after", "3"));
	assert_string_equal(whose("1", "3"), "after");
	assert_string_equal(whose("1", "1"), "");
	assert_true(contact_book_put(book, 1, NULL));
	assert_true(contact_book_put(book, 9, NULL));
	assert_string_equal(whose("3", "2"), "other");
	assert_int_equal(contact_book_count(book), 1);
	assert_int_equal(contact_book_at(book, 0)->sim_id, 2);
	assert_null(contact_book_find(NULL, NULL, 0));
}

TEST(test_the_number_of_lists_is_limited)
{
	for (int64_t id = 1; id <= CONTACT_BOOK_LISTS_MAX; id++)
		assert_true(put(id, "some", "1"));
	assert_false(put(20, "too many", "2"));
	assert_string_equal(whose("2", "1"), "some");
	assert_true(put(3, "replaced", "2"));
	assert_string_equal(whose("2", "2"), "replaced");
}

TEST(test_a_full_list_leaves_contacts_out)
{
	struct contact_list *list = contact_list_new(1, 4096);
	char number[NUMBER_FORM_BYTES];
	size_t count;

	for (unsigned i = 0; i < 200; i++) {
		snprintf(number, sizeof(number), "%u", i);
		add(list, "somebody", number);
	}
	count = list->contact_count;
	assert_true(list->is_full);
	assert_in_range(count, 20, 199);
	assert_true(contact_book_put(book, 1, list));
	for (unsigned i = 0; i < 200; i++) {
		snprintf(number, sizeof(number), "%u", i);
		assert_string_equal(whose(number, number), i < count ? "somebody" : "");
	}
}

static bool fits(const char *words, const char *name)
{
	struct contact_query query;

	return contact_query_parse(&query, words) && contact_query_matches(&query, name);
}

TEST_WITH(test_a_query_ignores_case_accents_and_order, NULL, NULL)
{
	char longest[VCARD_NAME_BYTES + 1] = "";

	assert_true(fits("anna", "Kov\xc3\xa1"
				 "cs Anna"));
	assert_true(fits(" ANN  kovacs ", "Kov\xc3\xa1"
					  "cs Anna"));
	assert_true(fits("KOV\xc3\x81", "kova\xcc\x81"
					"cs")); /* a combining accent */
	assert_true(fits("\xd0\x98\xd0\xb2\xd0\xb0\xd0\xbd",
			 "\xd0\xb8\xd0\x92\xd0\x90\xd0\x9d"));
	assert_true(
		fits("\xce\xb1\xce\xbb\xce\xb5\xce\xbe\xce\xb7\xcf\x83",
		     "\xce\x91\xce\xbb\xce\xad\xce\xbe\xce\xb7\xcf\x82")); /* Alexis */
	assert_true(fits("\xd0\xa1\xd0\xb5\xd0\xbc\xd0\xb5\xd0\xbd",
			 "\xd0\xa1\xd0\xb5\xd0\xbc\xd1\x91\xd0\xbd")); /* Semyon */
	assert_true(fits("stefan", "\xc8\x98tefan"));
	assert_true(fits("o'brien", "O\xe2\x80\x99"
				    "Brien"));
	assert_true(fits("\xe6\x9d\x8e", "\xe6\x9d\x8e\xe6\x98\x8e"));
	assert_true(fits("", "Anna"));
	assert_false(fits("anna b", "Anna"));
	assert_false(fits("anna", ""));
	memset(longest, 'a', VCARD_NAME_BYTES);
	assert_false(fits(longest, longest));
	longest[VCARD_NAME_BYTES - 1] = '\0';
	assert_true(fits(longest, longest));
}

/* In the smallest steps. */
static struct contact_list *read_file(const char *path, int expected, const char *words)
{
	char problem[CONTACT_FILE_PROBLEM_BYTES];
	struct contact_list *list = NULL;
	struct contact_file *file = NULL;
	int result = contact_file_open(path, &file);

	if (!result) {
		do
			result = contact_file_step(file, 1);
		while (result > 0);
	}
	if (!result)
		list = contact_file_take(file);
	contact_file_close(file);
	assert_int_equal(result, expected);
	contact_file_describe(path, result, list, problem);
	if (!strstr(problem, words) || (!*words && *problem))
		fail_msg("\"%s\" is not in \"%s\"", words, problem);
	return list;
}

TEST_WITH(test_reading_a_file_reports_its_problem, NULL, NULL)
{
	static const char card[] = "BEGIN:VCARD\nFN:Anna\nTEL:1\nEND:VCARD\n";
	char path[64];
	int fd = mkstemp(scratch_template(path, sizeof(path), "contacts"));
	struct contact_list *list;

	assert_null(read_file("/nonexistent/x.vcf", -ENOENT, "no such file"));
	assert_null(read_file("/dev/null", -EINVAL, "not a regular file"));
	list = read_file(path, 0, "it has no vCard");
	assert_int_equal(list->contact_count, 0);
	contact_list_free(list);
	assert_int_equal(write(fd, card, strlen(card)), strlen(card));
	list = read_file(path, 0, "");
	assert_int_equal(list->contact_count, 1);
	contact_list_free(list);
	assert_int_equal(ftruncate(fd, CONTACT_FILE_MAX), 0);
	contact_list_free(read_file(path, 0, ""));
	assert_int_equal(ftruncate(fd, CONTACT_FILE_MAX + 4096), 0);
	assert_null(read_file(path, -EFBIG, "larger than 8 MiB"));
	close(fd);
	unlink(path);
}

static int remove_entry(const char *path, const struct stat *status, int type,
			struct FTW *walk)
{
	return remove(path);
}

static const char *path_in(const char *folder, const char *name)
{
	static char path[128];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	return path;
}

static void write_in(const char *folder, const char *name, const char *text)
{
	FILE *file = fopen(path_in(folder, name), "w");

	assert_non_null(file);
	fputs(text, file);
	fclose(file);
}

static void expect_names(const struct contact_list *list, const char *expected)
{
	const struct contact *contact;
	char names[256] = "";

	TAILQ_FOREACH (contact, &list->contacts, link) {
		strcat(strcat(names, contact->name), " ");
	}
	assert_string_equal(names, expected);
}

/* In the order of names; a card without END ends with its file. */
TEST_WITH(test_a_folder_of_files_is_one_list, NULL, NULL)
{
	char folder[64];
	struct contact_list *list;

	assert_non_null(mkdtemp(scratch_template(folder, sizeof(folder), "contacts")));
	list = read_file(folder, 0, "it has no vCard");
	contact_list_free(list);
	write_in(folder, "b.vcf", "BEGIN:VCARD\nFN:Bela\nTEL:2\n");
	write_in(folder, "c.VCF", "TEL:5\nBEGIN:VCARD\nFN:Cili\nTEL:3\nEND:VCARD\n");
	write_in(folder, "a.vcf", "BEGIN:VCARD\nFN:Anna\nTEL:1");
	write_in(folder, ".d.vcf", "BEGIN:VCARD\nFN:Hidden\nTEL:4\nEND:VCARD\n");
	write_in(folder, "e.vcf~", "BEGIN:VCARD\nFN:Backup\nTEL:4\nEND:VCARD\n");
	write_in(folder, ".vcf", "BEGIN:VCARD\nFN:Nameless\nTEL:4\nEND:VCARD\n");
	assert_int_equal(mkdir(path_in(folder, "f.vcf"), 0700), 0);
	write_in(folder, "f.vcf/g.vcf", "BEGIN:VCARD\nFN:Below\nTEL:4\nEND:VCARD\n");
	list = read_file(folder, 0, "");
	expect_names(list, "Anna Bela Cili ");
	assert_int_equal(list->unread.count, 0);
	contact_list_free(list);
	nftw(folder, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
}

TEST_WITH(test_what_is_wrong_in_a_folder_is_counted_without_names, NULL, NULL)
{
	char folder[64], problem[CONTACT_FILE_PROBLEM_BYTES];
	struct contact_list *list;

	assert_non_null(mkdtemp(scratch_template(folder, sizeof(folder), "contacts")));
	write_in(folder, "a.vcf", "BEGIN:VCARD\nFN:Anna\nTEL:none\nTEL:1\nEND:VCARD\n");
	assert_int_equal(mkfifo(path_in(folder, "b.vcf"), 0600), 0);
	assert_int_equal(symlink("/nonexistent", path_in(folder, "c.vcf")), 0);
	write_in(folder, "d.vcf", "BEGIN:VCARD\nFN:Dora\nTEL:none\nTEL:1\nEND:VCARD\n");
	list = read_file(folder, 0, "not a regular file");
	expect_names(list, "Anna Dora ");
	assert_int_equal(list->unread.count, 2);
	assert_int_equal(list->unread.first, 2);
	contact_file_describe(folder, 0, list, problem);
	assert_non_null(strstr(problem, "2 TELs"));
	assert_null(strstr(problem, "(line"));
	assert_null(strstr(problem, ".vcf"));
	contact_list_free(list);
	nftw(folder, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
}

TEST_WITH(test_the_size_of_a_folder_is_limited, NULL, NULL)
{
	char folder[64], name[16];

	assert_non_null(mkdtemp(scratch_template(folder, sizeof(folder), "contacts")));
	write_in(folder, "a.vcf", "text");
	write_in(folder, "b.vcf", "text");
	assert_int_equal(truncate(path_in(folder, "a.vcf"), CONTACT_FILE_MAX / 2), 0);
	assert_int_equal(truncate(path_in(folder, "b.vcf"), CONTACT_FILE_MAX / 2), 0);
	contact_list_free(read_file(folder, 0, "it has no vCard"));
	write_in(folder, "c.vcf", "NOTE:x");
	assert_null(read_file(folder, -EFBIG, "larger than 8 MiB"));
	assert_int_equal(truncate(path_in(folder, "a.vcf"), 0), 0);
	for (unsigned i = 3; i < CONTACT_FILE_FOLDER_MAX; i++) {
		snprintf(name, sizeof(name), "%u.vcf", i);
		write_in(folder, name, "");
	}
	contact_list_free(read_file(folder, 0, "it has no vCard"));
	write_in(folder, "d.vcf", "");
	assert_null(read_file(folder, -E2BIG, "10,000"));
	nftw(folder, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
}

/* 9 MiB of each, folded, in one line, and not folded. */
TEST_WITH(test_photographs_do_not_count_as_text, NULL, NULL)
{
	static const char *const lines[] = { " QUJDREVGR0hJSktM\r\n", " QUJDREVGR0hJSktM",
					     "QUJDREVGR0hJSktM\n" };
	static const char *const headers[] = {
		"PHOTO;JPEG;BASE64:\n", "LOGO:data:image/png;base64,",
		"SOUND;ENCODING=b:", "item1.KEY;X509;ENCODING=BASE64:\n"
	};
	char path[64];
	struct contact_list *list;
	FILE *file;

	close(mkstemp(scratch_template(path, sizeof(path), "contacts")));
	for (size_t i = 0; i < 12; i++) {
		const char *line = lines[i / 4];

		file = fopen(path, "w");
		assert_non_null(file);
		fprintf(file, "BEGIN:VCARD\nVERSION:2.1\nFN:Anna\n%s", headers[i % 4]);
		for (size_t bytes = 0; bytes < (9 << 20); bytes += strlen(line))
			fputs(line, file);
		fputs("\n\nTEL:1\nEND:VCARD\n", file);
		fclose(file);
		list = read_file(path, 0, "");
		assert_int_equal(list->contact_count, 1);
		contact_list_free(list);
	}
	unlink(path);
}
