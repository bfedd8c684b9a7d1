/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Each address book by itself:
 *
 *   OpenAddressBook -> Open -> GetView -> Start -> ObjectsAdded ... -> Complete
 *
 * When all of them are complete, their vCards go to the gateway, in pieces. The views stay, and
 * what they report from then on is a reason to read everything again.
 */
#include "session/address_book.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/buffer.h"
#include "base/event_loop.h"
#include "base/json.h"
#include "base/log.h"
#include "bus/bus.h"
#include "session/address_source.h"
#include "session/session_call.h"

#define ADDRESS_BOOK_SOURCES	       "org.gnome.evolution.dataserver.Sources5"
#define ADDRESS_BOOK_SOURCES_PATH      "/org/gnome/evolution/dataserver/SourceManager"
#define ADDRESS_BOOK_FACTORY	       "org.gnome.evolution.dataserver.AddressBook10"
#define ADDRESS_BOOK_FACTORY_INTERFACE "org.gnome.evolution.dataserver.AddressBookFactory"
#define ADDRESS_BOOK_FACTORY_PATH      "/org/gnome/evolution/dataserver/AddressBookFactory"
#define ADDRESS_BOOK_BOOK	       "org.gnome.evolution.dataserver.AddressBook"
#define ADDRESS_BOOK_VIEW	       "org.gnome.evolution.dataserver.AddressBookView"
#define ADDRESS_BOOK_WITH_A_NUMBER     "(exists \"phone\")"

enum {
	ADDRESS_BOOK_ANSWER_MS = 30 * 1000,
	/* More than one change follows another, when an address book is synchronised. */
	ADDRESS_BOOK_QUIET_US = 1000 * 1000,
	/* evolution-data-server has ended, or did not answer. */
	ADDRESS_BOOK_PAUSE_US = 60 * 1000 * 1000,
	ADDRESS_BOOK_ACCURACY_US = 100 * 1000,
	ADDRESS_BOOK_TEXT_MAX = 8 * 1024 * 1024, /* what the gateway takes */
	/* JSON has at most six for each, and the gateway takes a line of 64 KiB. */
	ADDRESS_BOOK_PIECE_BYTES = 10 * 1024,
	ADDRESS_BOOK_PATH_BYTES = 256,
};

struct address_book {
	struct address_books *books;
	struct bus_call *call;		    /* NULL if none is under way */
	char name[ADDRESS_BOOK_PATH_BYTES]; /* of the service that has it */
	char path[ADDRESS_BOOK_PATH_BYTES];
	char view[ADDRESS_BOOK_PATH_BYTES]; /* "" before there is one */
	/* The unique name of the program that has the view: others may send signals, too. */
	char owner[ADDRESS_BOOK_PATH_BYTES];
	bool is_complete; /* read to its end, or it cannot be read */
	struct buffer cards;
};

struct address_books {
	sd_event *loop;
	const char *control_socket;
	struct bus *bus;
	sd_event_source *timer; /* reads again */
	struct bus_call *listing;
	struct address_source_list sources; /* that `all` is of */
	struct address_book all[ADDRESS_SOURCE_BOOKS_MAX];
	bool is_wanted; /* the gateway is there */
	bool is_read;	/* since the last change */
	struct session_call *sending;
	struct buffer text; /* that is being sent */
	size_t sent;
};

static const char *const address_books_match_rules[] = {
	"type='signal',sender='" ADDRESS_BOOK_SOURCES
	"',path_namespace='" ADDRESS_BOOK_SOURCES_PATH "'",
	"type='signal',sender='" ADDRESS_BOOK_FACTORY "',interface='" ADDRESS_BOOK_VIEW
	"'",
	"type='signal',sender='" DBUS_SERVICE_DBUS "',interface='" DBUS_INTERFACE_DBUS
	"',member='NameOwnerChanged',arg0='" ADDRESS_BOOK_FACTORY "'",
	NULL
};

/* ---- to the gateway */

static void address_books_send_piece(struct address_books *books);

static void address_books_on_item(void *data, const struct json *item)
{
}

static void address_books_on_sent(void *data, const struct json *result,
				  const char *problem)
{
	struct address_books *books = data;

	books->sending = NULL;
	if (problem)
		log_warning("the gateway does not take the desktop's contacts: %s",
			    problem);
	else if (books->sent < books->text.length)
		address_books_send_piece(books);
	else
		log_info("the gateway knows the desktop's contacts");
	if (!books->sending)
		buffer_deinit(&books->text);
}

/* Returns how much of it goes at once: whole lines. */
static size_t address_books_measure_piece(const char *text, size_t length)
{
	const char *end;

	if (length <= ADDRESS_BOOK_PIECE_BYTES)
		return length;
	end = memrchr(text, '\n', ADDRESS_BOOK_PIECE_BYTES);
	return (size_t)(end + 1 - text);
}

static int address_books_write_request(const struct address_books *books, size_t length,
				       struct buffer *request)
{
	struct json_writer *writer = json_writer_new(request);

	if (!writer)
		return -ENOMEM;
	json_open_object(writer);
	json_put_string(writer, "command", "session_contacts");
	json_open_object_at(writer, "arguments");
	json_put_boolean(writer, "begin", books->sent == 0);
	json_key(writer, "vcards");
	json_write_text(writer, books->text.data + books->sent, length);
	json_put_boolean(writer, "end", books->sent + length == books->text.length);
	json_close_object(writer);
	json_close_object(writer);
	json_writer_free(writer);
	buffer_append(request, "", 1);
	return request->failed ? -ENOMEM : 0;
}

static void address_books_send_piece(struct address_books *books)
{
	static const struct session_call_handlers handlers = { address_books_on_item,
							       address_books_on_sent };
	size_t length = address_books_measure_piece(books->text.data + books->sent,
						    books->text.length - books->sent);
	struct buffer request = BUFFER_INIT;
	int error = address_books_write_request(books, length, &request);

	if (!error)
		error = session_call_new(books->loop, books->control_socket, request.data,
					 false, &handlers, books, &books->sending);
	if (error)
		log_warning("the desktop's contacts cannot be sent to the gateway: %s",
			    strerror(-error));
	books->sent += length;
	buffer_deinit(&request);
}

static void address_books_stop_sending(struct address_books *books)
{
	session_call_free(books->sending);
	books->sending = NULL;
	buffer_deinit(&books->text);
	books->sent = 0;
}

static void address_books_send(struct address_books *books)
{
	address_books_stop_sending(books);
	for (size_t i = 0; i < books->sources.count; i++) {
		struct buffer *cards = &books->all[i].cards;

		books->text.failed |= cards->failed;
		if (books->text.length + cards->length <= ADDRESS_BOOK_TEXT_MAX)
			buffer_append(&books->text, cards->data, cards->length);
		else
			log_warning("an address book of the desktop is too large for the "
				    "gateway");
		buffer_deinit(cards);
	}
	if (books->text.failed)
		log_warning("the desktop's contacts are too large for this program");
	else
		address_books_send_piece(books);
}

/* ---- vCards */

/* `line` is unfolded, or the first part of it. */
static bool address_book_is_needed(const char *line)
{
	static const char *const needed[] = { "BEGIN",	  "END", "VERSION", "FN",   "N",
					      "NICKNAME", "ORG", "TEL",	    "CLASS" };
	size_t length = strcspn(line, ":;");
	const char *group = memrchr(line, '.', length);
	const char *name = group ? group + 1 : line;

	length -= (size_t)(name - line);
	for (size_t i = 0; i < sizeof(needed) / sizeof(*needed); i++) {
		if (strlen(needed[i]) == length &&
		    strncasecmp(name, needed[i], length) == 0)
			return true;
	}
	return false;
}

static void address_book_add_card(struct address_book *book, const char *card)
{
	bool is_needed = false;

	while (*card) {
		size_t length = strcspn(card, "\r\n");

		if (*card != ' ' && *card != '\t')
			is_needed = address_book_is_needed(card);
		if (is_needed && length < ADDRESS_BOOK_PIECE_BYTES &&
		    book->cards.length < ADDRESS_BOOK_TEXT_MAX) {
			buffer_append(&book->cards, card, length);
			buffer_append_text(&book->cards, "\n");
		}
		card += length;
		card += strspn(card, "\r\n");
	}
}

static void address_book_add_cards(struct address_book *book, DBusMessage *signal)
{
	DBusMessageIter at, list;
	const char *card;

	if (!dbus_message_has_signature(signal, "as"))
		return;
	dbus_message_iter_init(signal, &at);
	dbus_message_iter_recurse(&at, &list);
	for (; dbus_message_iter_get_arg_type(&list) == DBUS_TYPE_STRING;
	     dbus_message_iter_next(&list)) {
		dbus_message_iter_get_basic(&list, &card);
		address_book_add_card(book, card);
	}
}

/* ---- one address book */

static void address_book_complete(struct address_book *book)
{
	struct address_books *books = book->books;

	book->is_complete = true;
	for (size_t i = 0; i < books->sources.count; i++) {
		if (!books->all[i].is_complete)
			return;
	}
	address_books_send(books);
}

/* It is empty, then, and tried again later. */
static void address_book_fail(struct address_book *book, const char *why)
{
	log_info("an address book of the desktop cannot be read: %s",
		 why ? why : "the answer has an unexpected form");
	event_loop_start_timer(book->books->timer, ADDRESS_BOOK_PAUSE_US);
	address_book_complete(book);
}

/* Takes `message`, and sends it if it is not NULL. */
static void address_book_call(struct address_book *book, DBusMessage *message,
			      bus_reply reply)
{
	book->call = message ? bus_call(book->books->bus, message, ADDRESS_BOOK_ANSWER_MS,
					reply, book)
			     : NULL;
	if (!book->call)
		address_book_fail(book, "out of memory");
}

static void address_book_on_started(void *data, DBusMessage *reply)
{
	struct address_book *book = data;

	book->call = NULL;
	if (dbus_message_get_error_name(reply))
		address_book_fail(book, dbus_message_get_error_name(reply));
}

static bool address_book_copy(char text_out[ADDRESS_BOOK_PATH_BYTES], const char *text)
{
	if (strlen(text) >= ADDRESS_BOOK_PATH_BYTES)
		return false;
	strcpy(text_out, text);
	return true;
}

static void address_book_on_view(void *data, DBusMessage *reply)
{
	struct address_book *book = data;
	const char *owner = dbus_message_get_sender(reply), *path = NULL;

	book->call = NULL;
	if (!dbus_message_get_args(reply, NULL, DBUS_TYPE_OBJECT_PATH, &path,
				   DBUS_TYPE_INVALID) ||
	    !owner || !address_book_copy(book->owner, owner) ||
	    !address_book_copy(book->view, path))
		address_book_fail(book, dbus_message_get_error_name(reply));
	else
		address_book_call(book,
				  dbus_message_new_method_call(
					  book->name, path, ADDRESS_BOOK_VIEW, "Start"),
				  address_book_on_started);
}

static void address_book_on_open(void *data, DBusMessage *reply)
{
	const char *query = ADDRESS_BOOK_WITH_A_NUMBER;
	struct address_book *book = data;
	DBusMessage *message;

	book->call = NULL;
	if (dbus_message_get_error_name(reply)) {
		address_book_fail(book, dbus_message_get_error_name(reply));
		return;
	}
	message = dbus_message_new_method_call(book->name, book->path, ADDRESS_BOOK_BOOK,
					       "GetView");
	if (message && !dbus_message_append_args(message, DBUS_TYPE_STRING, &query,
						 DBUS_TYPE_INVALID)) {
		dbus_message_unref(message);
		message = NULL;
	}
	address_book_call(book, message, address_book_on_view);
}

static void address_book_on_found(void *data, DBusMessage *reply)
{
	struct address_book *book = data;
	const char *path = NULL, *name = NULL;

	book->call = NULL;
	if (!dbus_message_get_args(reply, NULL, DBUS_TYPE_STRING, &path, DBUS_TYPE_STRING,
				   &name, DBUS_TYPE_INVALID) ||
	    !dbus_validate_path(path, NULL) || !dbus_validate_bus_name(name, NULL) ||
	    !address_book_copy(book->path, path) || !address_book_copy(book->name, name))
		address_book_fail(book, dbus_message_get_error_name(reply));
	else
		address_book_call(book,
				  dbus_message_new_method_call(name, path,
							       ADDRESS_BOOK_BOOK, "Open"),
				  address_book_on_open);
}

static void address_book_open(struct address_book *book, const char *uid)
{
	DBusMessage *message = dbus_message_new_method_call(
		ADDRESS_BOOK_FACTORY, ADDRESS_BOOK_FACTORY_PATH,
		ADDRESS_BOOK_FACTORY_INTERFACE, "OpenAddressBook");

	if (message && !dbus_message_append_args(message, DBUS_TYPE_STRING, &uid,
						 DBUS_TYPE_INVALID)) {
		dbus_message_unref(message);
		message = NULL;
	}
	address_book_call(book, message, address_book_on_found);
}

/* Whether it was still there makes no difference. */
static void address_book_on_disposed(void *data, DBusMessage *reply)
{
}

static void address_book_close(struct address_book *book)
{
	bus_call_cancel(book->call);
	if (*book->view && bus_is_connected(book->books->bus)) {
		DBusMessage *message = dbus_message_new_method_call(
			book->name, book->view, ADDRESS_BOOK_VIEW, "Dispose");

		if (message) {
			dbus_message_set_auto_start(message, FALSE);
			bus_call(book->books->bus, message, 0, address_book_on_disposed,
				 NULL);
		}
	}
	buffer_deinit(&book->cards);
	memset(book, 0, sizeof(*book));
}

/* ---- all of them */

static void address_books_close(struct address_books *books)
{
	for (size_t i = 0; i < books->sources.count; i++)
		address_book_close(&books->all[i]);
	books->sources.count = 0;
}

static void address_books_read(struct address_books *books,
			       const struct address_source_list *sources)
{
	address_books_close(books);
	books->sources = *sources;
	books->is_read = true;
	for (size_t i = 0; i < sources->count; i++)
		books->all[i].books = books;
	for (size_t i = 0; i < sources->count; i++)
		address_book_open(&books->all[i], sources->uids[i]);
	if (!sources->count)
		address_books_send(books);
}

static void address_books_on_list(void *data, DBusMessage *reply)
{
	const char *error = dbus_message_get_error_name(reply);
	struct address_books *books = data;
	struct address_source_list sources;

	books->listing = NULL;
	if (error && strcmp(error, DBUS_ERROR_SERVICE_UNKNOWN) == 0) {
		log_info("the desktop has no address books: evolution-data-server is not "
			 "running");
		return;
	}
	if (error || address_source_read(reply, &sources)) {
		event_loop_start_timer(books->timer, ADDRESS_BOOK_PAUSE_US);
		return;
	}
	if (!books->is_read || sources.count != books->sources.count ||
	    memcmp(sources.uids, books->sources.uids, sizeof(sources.uids)) != 0)
		address_books_read(books, &sources);
}

static void address_books_list(struct address_books *books)
{
	DBusMessage *message;

	if (!books->is_wanted || !bus_is_connected(books->bus))
		return;
	bus_call_cancel(books->listing);
	message = dbus_message_new_method_call(
		ADDRESS_BOOK_SOURCES, ADDRESS_BOOK_SOURCES_PATH,
		"org.freedesktop.DBus.ObjectManager", "GetManagedObjects");
	books->listing = message ? bus_call(books->bus, message, ADDRESS_BOOK_ANSWER_MS,
					    address_books_on_list, books)
				 : NULL;
	if (!books->listing)
		event_loop_start_timer(books->timer, ADDRESS_BOOK_PAUSE_US);
}

static int address_books_on_timer(sd_event_source *source, uint64_t usec, void *data)
{
	address_books_list(data);
	return 0;
}

static void address_books_on_change(struct address_books *books)
{
	books->is_read = false;
	event_loop_start_timer(books->timer, ADDRESS_BOOK_QUIET_US);
}

/* ---- signals */

static void address_books_on_view_signal(struct address_books *books, DBusMessage *signal)
{
	const char *path = dbus_message_get_path(signal);
	const char *member = dbus_message_get_member(signal);
	struct address_book *book = NULL;

	for (size_t i = 0; i < books->sources.count; i++) {
		if (strcmp(books->all[i].view, path) == 0 &&
		    dbus_message_has_sender(signal, books->all[i].owner))
			book = &books->all[i];
	}
	if (!book)
		return; /* another program's */
	if (strcmp(member, "ObjectsAdded") == 0 && !book->is_complete)
		address_book_add_cards(book, signal);
	else if (strncmp(member, "Objects", strlen("Objects")) == 0)
		address_books_on_change(books);
	else if (strcmp(member, "Complete") == 0 && !book->is_complete)
		address_book_complete(book);
}

/* evolution-data-server has come, or it has gone, and its views with it. */
static void address_books_on_owner(struct address_books *books, DBusMessage *signal)
{
	const char *name, *before, *now;

	if (!dbus_message_get_args(signal, NULL, DBUS_TYPE_STRING, &name,
				   DBUS_TYPE_STRING, &before, DBUS_TYPE_STRING, &now,
				   DBUS_TYPE_INVALID))
		return;
	if (*now && !books->is_read)
		event_loop_start_timer(books->timer, ADDRESS_BOOK_QUIET_US);
	else if (!*now && books->is_read)
		event_loop_start_timer(books->timer, ADDRESS_BOOK_PAUSE_US);
	books->is_read &= *now != '\0';
}

static void address_books_on_signal(void *data, DBusMessage *signal)
{
	const char *interface = dbus_message_get_interface(signal);
	struct address_books *books = data;

	if (strcmp(interface, ADDRESS_BOOK_VIEW) == 0) {
		address_books_on_view_signal(books, signal);
	} else if (dbus_message_is_signal(signal, DBUS_INTERFACE_DBUS,
					  "NameOwnerChanged")) {
		if (dbus_message_has_sender(signal, DBUS_SERVICE_DBUS))
			address_books_on_owner(books, signal);
	} else if (dbus_message_get_path(signal)) {
		/* One was added, removed, disabled or enabled, or something else changed. */
		event_loop_start_timer(books->timer, ADDRESS_BOOK_QUIET_US);
	}
}

static void address_books_on_connected(void *data)
{
	address_books_list(data);
}

static void address_books_on_disconnected(void *data)
{
	struct address_books *books = data;

	books->is_read = false;
	address_books_close(books);
}

static void address_books_on_unreachable(void *data)
{
}

/* ---- life */

void address_books_start(struct address_books *books)
{
	books->is_wanted = true;
	books->is_read = false;
	address_books_list(books);
}

void address_books_stop(struct address_books *books)
{
	books->is_wanted = false;
	bus_call_cancel(books->listing);
	books->listing = NULL;
	sd_event_source_set_enabled(books->timer, SD_EVENT_OFF);
	address_books_stop_sending(books);
	address_books_close(books);
}

int address_books_new(sd_event *loop, const char *session_bus, const char *control_socket,
		      struct address_books **books_out)
{
	static const struct bus_handlers handlers = {
		.connected = address_books_on_connected,
		.disconnected = address_books_on_disconnected,
		.unreachable = address_books_on_unreachable,
		.signal = address_books_on_signal,
	};
	struct address_books *books = calloc(1, sizeof(*books));
	int error;

	if (!books)
		return -ENOMEM;
	books->loop = loop;
	books->control_socket = control_socket;
	error = event_loop_add_timer(loop, &books->timer, ADDRESS_BOOK_ACCURACY_US,
				     address_books_on_timer, books);
	if (error >= 0)
		error = bus_new(loop, session_bus, address_books_match_rules, &handlers,
				books, &books->bus);
	if (error < 0) {
		address_books_free(books);
		return error;
	}
	*books_out = books;
	return 0;
}

void address_books_free(struct address_books *books)
{
	if (!books)
		return;
	if (books->bus)
		address_books_stop(books);
	bus_free(books->bus);
	sd_event_source_disable_unref(books->timer);
	free(books);
}
