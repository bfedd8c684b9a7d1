/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sms/inbox_draft.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "sms/indexer.h"
#include "text/agent_address.h"
#include "text/text.h"

/* ---- damaged emoji */

/*
 * In UTF-8 U+F000..U+F8FF are EF 80..A3 xx, and U+1F000..U+1F8FF are F0 9F 80..A3 xx: only the
 * bytes before 80..A3 differ. Valid text never ends after an EF.
 */
static bool inbox_draft_is_cut_emoji(const char *at)
{
	const unsigned char *bytes = (const unsigned char *)at;

	return bytes[0] == 0xef && bytes[1] >= 0x80 && bytes[1] <= 0xa3;
}

/* Has a character of four bytes, so the oFono that delivered it does not damage them. */
static bool inbox_draft_is_beyond_16_bits(const char *at)
{
	return (unsigned char)*at >= 0xf0;
}

static size_t inbox_draft_count_damaged(const char *text)
{
	size_t count = 0;

	for (; *text; text++) {
		if (inbox_draft_is_beyond_16_bits(text))
			return 0;
		count += inbox_draft_is_cut_emoji(text);
	}
	return count;
}

char *inbox_draft_mend(const char *text, bool *mended_out)
{
	size_t damaged = inbox_draft_count_damaged(text);
	char *mended = malloc(strlen(text) + damaged + 1), *end = mended;

	if (!mended)
		return NULL;
	for (; *text; text++) {
		if (damaged && inbox_draft_is_cut_emoji(text)) {
			*end++ = '\xf0';
			*end++ = '\x9f';
		} else {
			*end++ = *text;
		}
	}
	*end = '\0';
	*mended_out = damaged;
	return mended;
}

/* ---- opt-out words */

enum { WORDS_MOST = 3, TEXT_BYTES_MOST = 64, JOINED_BYTES = 2 * TEXT_BYTES_MOST };

/*
 * The words are folded as in text/text.h and have no spaces: "opt out" and "opt-out" are
 * "optout".
 *
 * Sources: CTIA, "Messaging Principles and Best Practices"; FCC, the rule of 2025 (47 CFR
 * 64.1200(a)(10)); AWS, "Required opt-out keywords" of End User Messaging, with the French
 * words that Canada requires; Twilio and Braze, their default keywords. Other languages have
 * the words that senders there print ("STOPP an 1234"), marked "usage". STOP works in all.
 */
static const struct {
	const char *language;
	enum opt opt;
	const char *word;
} opt_words[] = {
	{ "en", OPT_OUT, "stop" },	  /* CTIA */
	{ "en", OPT_OUT, "stopall" },	  /* CTIA */
	{ "en", OPT_OUT, "unsubscribe" }, /* CTIA */
	{ "en", OPT_OUT, "cancel" },	  /* CTIA */
	{ "en", OPT_OUT, "end" },	  /* CTIA */
	{ "en", OPT_OUT, "quit" },	  /* CTIA */
	{ "en", OPT_OUT, "revoke" },	  /* FCC */
	{ "en", OPT_OUT, "optout" },	  /* FCC */
	{ "en", OPT_OUT, "remove" },	  /* AWS */
	{ "en", OPT_IN, "start" },	  /* Twilio, Braze */
	{ "en", OPT_IN, "unstop" },	  /* Twilio, Braze */
	{ "en", OPT_IN, "yes" },	  /* Twilio, Braze */
	{ "en", OPT_IN, "optin" },	  /* usage */
	{ "en", OPT_IN, "subscribe" },	  /* usage */
	{ "fr", OPT_OUT, "arret" },	  /* AWS: Canada */
	{ "fr", OPT_OUT, "arreter" },	  /* usage */
	{ "fr", OPT_OUT, "stopsms" },	  /* usage: "STOP SMS" */
	{ "fr", OPT_OUT, "desabonner" },  /* usage */
	{ "fr", OPT_IN, "commencer" },	  /* usage: Canada */
	{ "fr", OPT_IN, "debut" },	  /* usage: Canada */
	{ "es", OPT_OUT, "baja" },	  /* usage */
	{ "es", OPT_OUT, "alto" },	  /* usage */
	{ "es", OPT_OUT, "parar" },	  /* usage; Portuguese, too */
	{ "es", OPT_OUT, "cancelar" },	  /* usage; Portuguese, too */
	{ "es", OPT_IN, "alta" },	  /* usage */
	{ "es", OPT_IN, "iniciar" },	  /* usage; Portuguese, too */
	{ "pt", OPT_OUT, "pare" },	  /* usage */
	{ "pt", OPT_OUT, "sair" },	  /* usage */
	{ "pt", OPT_IN, "voltar" },	  /* usage */
	{ "it", OPT_OUT, "ferma" },	  /* usage */
	{ "it", OPT_OUT, "basta" },	  /* usage */
	{ "it", OPT_OUT, "disattiva" },	  /* usage */
	{ "it", OPT_IN, "attiva" },	  /* usage */
	{ "de", OPT_OUT, "stopp" },	  /* usage; Swedish and Norwegian, too */
	{ "de", OPT_OUT, "abmelden" },	  /* usage */
	{ "de", OPT_OUT, "abbestellen" }, /* usage */
	{ "de", OPT_IN, "anmelden" },	  /* usage */
	{ "nl", OPT_OUT, "afmelden" },	  /* usage */
	{ "nl", OPT_IN, "aanmelden" },	  /* usage */
	{ "hu", OPT_OUT, "leall" },	  /* usage */
	{ "hu", OPT_OUT, "leallitas" },	  /* usage */
	{ "hu", OPT_OUT, "leiratkozas" }, /* usage */
	{ "hu", OPT_OUT, "leiratkozom" }, /* usage */
	{ "hu", OPT_IN, "feliratkozas" }, /* usage */
	{ "hu", OPT_IN, "feliratkozom" }, /* usage */
	{ "pl", OPT_OUT, "rezygnuje" },	  /* usage */
	{ "pl", OPT_OUT, "wypisz" },	  /* usage */
	{ "cs", OPT_OUT, "odhlasit" },	  /* usage; Slovak, too */
	{ "cs", OPT_IN, "prihlasit" },	  /* usage */
	{ "sv", OPT_OUT, "avsluta" },	  /* usage */
	{ "sv", OPT_IN, "starta" },	  /* usage */
	{ "da", OPT_OUT, "afmeld" },	  /* usage */
	{ "da", OPT_IN, "tilmeld" },	  /* usage */
	{ "no", OPT_OUT, "avmeld" },	  /* usage */
	{ "fi", OPT_OUT, "lopeta" },	  /* usage */
	{ "fi", OPT_OUT, "peruuta" },	  /* usage */
	{ "fi", OPT_IN, "aloita" },	  /* usage */
	{ "ro", OPT_OUT, "opreste" },	  /* usage */
	{ "ro", OPT_OUT, "dezabonare" },  /* usage */
	{ "tr", OPT_OUT, "iptal" },	  /* usage */
	{ "tr", OPT_OUT, "ret" },	  /* usage: in advertisements */
	{ "tr", OPT_OUT, "dur" },	  /* usage */
	{ "tr", OPT_IN, "basla" },	  /* usage */
	{ "ru", OPT_OUT, "\u0441\u0442\u043e\u043f" },			 /* usage */
	{ "ru", OPT_OUT, "\u043e\u0442\u043f\u0438\u0441\u043a\u0430" }, /* usage */
	{ "ru", OPT_IN, "\u0441\u0442\u0430\u0440\u0442" },		 /* usage */
	{ "el", OPT_OUT, "\u03c3\u03c4\u03bf\u03c0" },			 /* usage */
	{ "he", OPT_OUT, "\u05d4\u05e1\u05e8" },			 /* usage */
	{ "he", OPT_OUT, "\u05d4\u05e1\u05e8\u05d4" },			 /* usage */
	{ "ar", OPT_OUT, "\u0625\u064a\u0642\u0627\u0641" },		 /* usage */
	{ "ar", OPT_OUT, "\u0627\u064a\u0642\u0627\u0641" },		 /* usage */
	{ "ar", OPT_IN, "\u0627\u0634\u062a\u0631\u0627\u0643" },	 /* usage */
	{ "zh", OPT_OUT,
	  "\u9000\u8ba2" }, /* usage; T and TD are also used, but are too short */
	{ "zh", OPT_OUT, "\u505c\u6b62" },	       /* usage; Japanese, too */
	{ "zh", OPT_IN, "\u8ba2\u9605" },	       /* usage */
	{ "ja", OPT_OUT, "\u914d\u4fe1\u505c\u6b62" }, /* usage */
	{ "ko", OPT_OUT, "\uc218\uc2e0\uac70\ubd80" }, /* usage */
};

/* Joins the folded words. False: the text has more than words, or too many. */
static bool inbox_draft_join_words(const char *text, char joined[JOINED_BYTES])
{
	struct text_word found[TEXT_WORDS_MAX];
	size_t count = text_word_split(text, found), length = 0;

	if (count < 1 || count > WORDS_MOST)
		return false;
	for (size_t i = 0; i < count; i++) {
		size_t folded = strlen(found[i].folded);

		if (found[i].type != TEXT_WORD || length + folded >= JOINED_BYTES)
			return false;
		memcpy(joined + length, found[i].folded, folded + 1);
		length += folded;
	}
	return true;
}

enum opt inbox_draft_find_opt(const char *text, const char **word_out)
{
	char joined[JOINED_BYTES];

	if (strnlen(text, TEXT_BYTES_MOST) == TEXT_BYTES_MOST ||
	    !inbox_draft_join_words(text, joined))
		return OPT_NONE;
	for (size_t i = 0; i < sizeof(opt_words) / sizeof(*opt_words); i++) {
		if (strcmp(opt_words[i].word, joined) != 0)
			continue;
		*word_out = opt_words[i].word;
		return opt_words[i].opt;
	}
	return OPT_NONE;
}

/* ---- drafts */

/* Without memory the row keeps the text as it is, damaged or not. */
static void inbox_draft_repair(struct inbox_draft *draft)
{
	bool is_repaired = false;

	draft->text = inbox_draft_mend(draft->row.text, &is_repaired);
	if (is_repaired)
		draft->row.flags |= MESSAGE_REPAIRED;
	if (draft->text)
		draft->row.text = draft->text;
}

static void inbox_draft_complete(struct inbox_draft *draft)
{
	struct store_incoming_draft *row = &draft->row;

	if (!*row->text)
		row->flags |= MESSAGE_UNREADABLE;
	if (row->reported_ms < CLOCK_SANE_MS)
		row->flags |= MESSAGE_CLOCK_WRONG;
	if (agent_address_is_in(row->text))
		row->flags |= MESSAGE_ADDRESSES_AGENTS;
	row->flags |= indexer_judge(row->text);
	row->opt = inbox_draft_find_opt(row->text, &row->opt_word);
}

void inbox_draft_from_signal(struct inbox_draft *draft, const struct ofono_event *event,
			     int64_t sim_id)
{
	draft->row = (struct store_incoming_draft){
		.sim_id = sim_id,
		.reported_ms = clock_wall_ms(),
		.number = event->sender,
		.text = event->text,
		.sent_time = event->sent_time,
		.flags = event->immediate ? MESSAGE_IMMEDIATE : 0,
	};
	draft->text = NULL;
	if (ofono_line(event->modem->ofono) == OFONO_LINE_UPSTREAM)
		inbox_draft_repair(draft);
	inbox_draft_complete(draft);
}

/*
 * Did an ofonod write the file that damages emoji? ofonod only loads a plugin of its own
 * version, so the version in the file is that of ofonod. Upstream has damaged emoji since
 * 1.28. The forks call themselves 1.29, and no system ships upstream's 1.29. Files of older
 * plugins have no version; those plugins were built for upstream only.
 */
static bool inbox_draft_is_damaged(const struct inbox_spooled *spooled,
				   enum ofono_line line)
{
	unsigned major, minor;

	if (sscanf(spooled->ofono, "%u.%u", &major, &minor) != 2)
		return line != OFONO_LINE_FORK;
	return major > 1 || (major == 1 && minor >= 28 && minor != 29);
}

int inbox_draft_from_spool(struct inbox_draft *draft, const struct inbox_spooled *spooled,
			   enum ofono_line line, int64_t sim_id)
{
	bool is_damaged = inbox_draft_is_damaged(spooled, line);

	draft->row = (struct store_incoming_draft){
		.sim_id = sim_id,
		.reported_ms = spooled->received_ms,
		.number = spooled->sender,
		.text = spooled->text,
		.sent_time = spooled->sent_time,
		.spool_file = spooled->file,
	};
	draft->text = NULL;
	if (is_damaged)
		inbox_draft_repair(draft);
	if (is_damaged && !draft->text)
		return -ENOMEM;
	inbox_draft_complete(draft);
	return 0;
}

void inbox_draft_deinit(struct inbox_draft *draft)
{
	free(draft->text);
}
