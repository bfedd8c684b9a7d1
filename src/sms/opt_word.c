/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sms/opt_word.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "sms/opt_sentence.h"
#include "text/text.h"

enum {
	OPT_WORD_COUNT_MAX = 12, /* words of a text that may opt out */
	OPT_WORD_TEXT_BYTES = 160,
	OPT_WORD_FOLDED_BYTES = 2 * OPT_WORD_TEXT_BYTES,
};

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
	{ "en", OPT_OUT, "stop" },		   /* CTIA */
	{ "en", OPT_OUT, "stopall" },		   /* CTIA */
	{ "en", OPT_OUT, "unsubscribe" },	   /* CTIA */
	{ "en", OPT_OUT, "cancel" },		   /* CTIA */
	{ "en", OPT_OUT, "end" },		   /* CTIA */
	{ "en", OPT_OUT, "quit" },		   /* CTIA */
	{ "en", OPT_OUT, "revoke" },		   /* FCC */
	{ "en", OPT_OUT, "optout" },		   /* FCC */
	{ "en", OPT_OUT, "remove" },		   /* AWS */
	{ "en", OPT_OUT, "optmeout" },		   /* FCC: any reasonable way to say it */
	{ "en", OPT_OUT, "donottext" },		   /* FCC */
	{ "en", OPT_OUT, "donttext" },		   /* FCC */
	{ "en", OPT_OUT, "donotmessage" },	   /* FCC */
	{ "en", OPT_OUT, "dontmessage" },	   /* FCC */
	{ "en", OPT_OUT, "donotcontact" },	   /* FCC */
	{ "en", OPT_OUT, "dontcontact" },	   /* FCC */
	{ "en", OPT_OUT, "takemeoff" },		   /* FCC */
	{ "en", OPT_OUT, "takemynumberoff" },	   /* FCC */
	{ "en", OPT_OUT, "nomoretexts" },	   /* FCC */
	{ "en", OPT_OUT, "nomoremessages" },	   /* FCC */
	{ "en", OPT_IN, "start" },		   /* Twilio, Braze */
	{ "en", OPT_IN, "unstop" },		   /* Twilio, Braze */
	{ "en", OPT_IN, "yes" },		   /* Twilio, Braze */
	{ "en", OPT_IN, "optin" },		   /* usage */
	{ "en", OPT_IN, "subscribe" },		   /* usage */
	{ "fr", OPT_OUT, "arret" },		   /* AWS: Canada */
	{ "fr", OPT_OUT, "arreter" },		   /* usage */
	{ "fr", OPT_OUT, "stopsms" },		   /* usage: "STOP SMS" */
	{ "fr", OPT_OUT, "desabonner" },	   /* usage */
	{ "fr", OPT_OUT, "desinscrire" },	   /* usage */
	{ "fr", OPT_OUT, "desabonnezmoi" },	   /* usage */
	{ "fr", OPT_OUT, "arretez" },		   /* usage */
	{ "fr", OPT_OUT, "darreter" },		   /* usage: "merci d'arrêter" */
	{ "fr", OPT_OUT, "plusdesms" },		   /* usage */
	{ "fr", OPT_OUT, "plusdemessages" },	   /* usage */
	{ "fr", OPT_IN, "commencer" },		   /* usage: Canada */
	{ "fr", OPT_IN, "debut" },		   /* usage: Canada */
	{ "es", OPT_OUT, "baja" },		   /* usage */
	{ "es", OPT_OUT, "alto" },		   /* usage */
	{ "es", OPT_OUT, "parar" },		   /* usage; also Portuguese */
	{ "es", OPT_OUT, "cancelar" },		   /* usage; also Portuguese */
	{ "es", OPT_OUT, "darmedebaja" },	   /* usage */
	{ "es", OPT_OUT, "damedebaja" },	   /* usage */
	{ "es", OPT_OUT, "dardebaja" },		   /* usage */
	{ "es", OPT_OUT, "dadmedebaja" },	   /* usage */
	{ "es", OPT_OUT, "denmedebaja" },	   /* usage */
	{ "es", OPT_IN, "alta" },		   /* usage */
	{ "es", OPT_IN, "iniciar" },		   /* usage; also Portuguese */
	{ "pt", OPT_OUT, "pare" },		   /* usage */
	{ "pt", OPT_OUT, "sair" },		   /* usage */
	{ "pt", OPT_IN, "voltar" },		   /* usage */
	{ "it", OPT_OUT, "ferma" },		   /* usage */
	{ "it", OPT_OUT, "basta" },		   /* usage */
	{ "it", OPT_OUT, "disattiva" },		   /* usage */
	{ "it", OPT_OUT, "cancellami" },	   /* usage */
	{ "it", OPT_IN, "attiva" },		   /* usage */
	{ "de", OPT_OUT, "stopp" },		   /* usage; also Swedish and Norwegian */
	{ "de", OPT_OUT, "abmelden" },		   /* usage */
	{ "de", OPT_OUT, "stoppen" },		   /* usage */
	{ "de", OPT_OUT, "abbestellen" },	   /* usage */
	{ "de", OPT_OUT, "keinesmsmehr" },	   /* usage */
	{ "de", OPT_OUT, "keinenachrichtenmehr" }, /* usage */
	{ "de", OPT_OUT, "meldensiemichab" },	   /* usage */
	{ "de", OPT_OUT, "meldemichab" },	   /* usage */
	{ "de", OPT_OUT, "meldmichab" },	   /* usage */
	{ "de", OPT_OUT, "meldmichbitteab" },	   /* usage */
	{ "de", OPT_IN, "anmelden" },		   /* usage */
	{ "nl", OPT_OUT, "afmelden" },		   /* usage */
	{ "nl", OPT_OUT, "uitschrijven" },	   /* usage */
	{ "nl", OPT_OUT, "meldmijaf" },		   /* usage */
	{ "nl", OPT_OUT, "meldmeaf" },		   /* usage */
	{ "nl", OPT_OUT, "schrijfmijuit" },	   /* usage */
	{ "nl", OPT_OUT, "schrijfmeuit" },	   /* usage */
	{ "nl", OPT_IN, "aanmelden" },		   /* usage */
	{ "hu", OPT_OUT, "leall" },		   /* usage */
	{ "hu", OPT_OUT, "leallitas" },		   /* usage */
	{ "hu", OPT_OUT, "leiratkozas" },	   /* usage */
	{ "hu", OPT_OUT, "leiratkozom" },	   /* usage */
	{ "hu", OPT_OUT, "leszeretnekiratkozni" }, /* usage */
	{ "hu", OPT_OUT, "iratkoztassanakle" },	   /* usage */
	{ "hu", OPT_OUT, "allitsakle" },	   /* usage */
	{ "hu", OPT_OUT, "hagyjakabba" },	   /* usage */
	{ "hu", OPT_IN, "feliratkozas" },	   /* usage */
	{ "hu", OPT_IN, "feliratkozom" },	   /* usage */
	{ "pl", OPT_OUT, "rezygnuje" },		   /* usage */
	{ "pl", OPT_OUT, "wypisz" },		   /* usage */
	{ "pl", OPT_OUT, "przestancie" },	   /* usage */
	{ "pl", OPT_OUT, "przestac" },		   /* usage */
	{ "cs", OPT_OUT, "odhlasit" },		   /* usage; also Slovak */
	{ "cs", OPT_IN, "prihlasit" },		   /* usage */
	{ "sv", OPT_OUT, "avsluta" },		   /* usage */
	{ "sv", OPT_IN, "starta" },		   /* usage */
	{ "da", OPT_OUT, "afmeld" },		   /* usage */
	{ "da", OPT_IN, "tilmeld" },		   /* usage */
	{ "no", OPT_OUT, "avmeld" },		   /* usage */
	{ "fi", OPT_OUT, "lopeta" },		   /* usage */
	{ "fi", OPT_OUT, "peruuta" },		   /* usage */
	{ "fi", OPT_IN, "aloita" },		   /* usage */
	{ "ro", OPT_OUT, "opreste" },		   /* usage */
	{ "ro", OPT_OUT, "oprește" },		   /* usage */
	{ "ro", OPT_OUT, "dezabonare" },	   /* usage */
	{ "tr", OPT_OUT, "iptal" },		   /* usage */
	{ "tr", OPT_OUT, "ret" },		   /* usage: in advertisements */
	{ "tr", OPT_OUT, "dur" },		   /* usage */
	{ "tr", OPT_IN, "basla" },		   /* usage */
	{ "ru", OPT_OUT, "\u0441\u0442\u043e\u043f" },			 /* usage */
	{ "ru", OPT_OUT, "\u043e\u0442\u043f\u0438\u0441\u043a\u0430" }, /* usage */
	{ "ru", OPT_OUT, "отписаться" },				 /* usage */
	{ "ru", OPT_OUT, "отпишите" },					 /* usage */
	{ "ru", OPT_IN, "\u0441\u0442\u0430\u0440\u0442" },		 /* usage */
	{ "el", OPT_OUT, "\u03c3\u03c4\u03bf\u03c0" },			 /* usage */
	{ "he", OPT_OUT, "\u05d4\u05e1\u05e8" },			 /* usage */
	{ "he", OPT_OUT, "\u05d4\u05e1\u05e8\u05d4" },			 /* usage */
	{ "ar", OPT_OUT, "\u0625\u064a\u0642\u0627\u0641" },		 /* usage */
	{ "ar", OPT_OUT, "\u0627\u064a\u0642\u0627\u0641" },		 /* usage */
	{ "ar", OPT_IN, "\u0627\u0634\u062a\u0631\u0627\u0643" },	 /* usage */
	{ "zh", OPT_OUT,
	  "\u9000\u8ba2" }, /* usage; T and TD are also used, but are too short */
	{ "zh", OPT_OUT, "\u505c\u6b62" },	       /* usage; also Japanese */
	{ "zh", OPT_OUT, "请退订" },		       /* usage */
	{ "zh", OPT_IN, "\u8ba2\u9605" },	       /* usage */
	{ "ja", OPT_OUT, "\u914d\u4fe1\u505c\u6b62" }, /* usage */
	{ "ja", OPT_OUT, "配信停止してください" },     /* usage */
	{ "ko", OPT_OUT, "\uc218\uc2e0\uac70\ubd80" }, /* usage */
};

/* clang-format off */

/*
 * What people politely write around such a word, and when, folded, with a space between words. No other word may
 * stand there: "stop texting me, please", but not "stop at the station".
 */
static const char *const opt_word_polite[] = {
	/* en */ "please", "pls", "plz", "kindly", "hi", "hello", "hey", "thanks", "thank you",
	         "thank u", "thx", "ty", "no thanks", "no thank you", "sorry", "right now",
	         "now", "immediately", "asap", "again", "any more", "anymore",
	/* de */ "bitte", "danke", "vielen dank", "hallo", "sofort",
	/* fr */ "s il vous plait", "s il te plait", "svp", "stp", "merci", "bonjour",
	         "tout de suite",
	/* es */ "por favor", "porfa", "gracias", "hola", "ya",
	/* pt */ "obrigado", "obrigada", "ola",
	/* it */ "per favore", "per piacere", "grazie", "ciao", "buongiorno", "subito",
	/* nl */ "alstublieft", "alsjeblieft", "aub", "graag", "dank u", "dank je", "bedankt",
	         "direct",
	/* hu */ "kerem", "kerlek", "legyszi", "legyszives", "koszonom", "koszi",
	         "koszonom szepen", "most", "azonnal",
	/* pl */ "prosze", "dziekuje", "dzieki",
	/* cs */ "prosim", "dekuji", "diky", "dakujem",
	/* sv */ "tack", "snalla", "hej",
	/* da */ "tak", "venligst",
	/* no */ "takk", "vennligst",
	/* fi */ "kiitos", "ole hyva",
	/* ro */ "va rog", "multumesc",
	/* tr */ "lutfen", "tesekkurler", "tesekkur ederim",
	/* ru */ "пожалуйста", "спасибо",
	/* el */ "παρακαλώ", "ευχαριστώ",
	/* he */ "בבקשה", "תודה",
	/* ar */ "من فضلك", "شكرا",
	/* zh */ "谢谢", "请",
	/* ko */ "부탁드립니다",
	NULL,
};

/* Only before it. */
static const char *const opt_word_front[] = {
	/* en */ "can you", "could you", "would you", "will you", "i want to", "i want you to",
	         "i would like to", "i d like to", "just", "now",
	/* de */ "ich mochte", "ich mochte mich", "ich will", "ich will mich", "mich",
	         "bitte mich",
	/* fr */ "je veux", "je veux me", "je souhaite", "je souhaite me", "veuillez",
	         "veuillez me", "me",
	/* es */ "quiero", "quisiera", "deseo",
	/* pt */ "quero", "desejo",
	/* it */ "voglio", "vorrei",
	/* nl */ "ik wil", "ik wil me", "me",
	/* hu */ "szeretnek",
	NULL,
};

/* Only behind it. */
static const char *const opt_word_behind[] = {
	/* en */ "me", "us", "stop", "unsubscribe", "texts", "texting",
	         "messages", "messaging", "msg", "msgs", "sms", "sending", "contacting",
	         "spamming", "calling", "all", "these", "those", "this",
	         "the", "your", "more", "from",
	         "from you", "off", "to", "list", "this number", "my number", "my phone",
	         "alerts", "notifications", "spam",
	/* de */ "mich", "nachrichten", "die", "diese", "von der liste", "vom newsletter",
	         "senden", "zu senden",
	/* fr */ "moi", "les", "ces", "de", "m envoyer des", "envoyer des", "envoyer",
	/* es */ "mensajes", "los", "de", "enviar", "mandar", "de la lista", "de enviarme",
	         "de mandarme", "enviarme",
	/* pt */ "mensagens", "as", "enviar", "de", "de enviar", "de me enviar", "da lista",
	/* it */ "messaggi", "dalla lista", "i", "gli", "di", "di inviare", "di mandarmi",
	         "di inviarmi", "con",
	/* nl */ "mij", "berichten", "met", "van", "sturen",
	/* hu */ "az", "uzeneteket", "a hirlevelrol",
	/* pl */ "mnie", "z listy", "wiadomosci",
	/* ru */ "меня", "от", "рассылки", "рассылку", "смс",
	NULL,
};

/* clang-format on */

/*
 * The folded words with a space between them. Returns false if the text has something else, or too
 * much.
 */
static bool opt_word_fold(const char *text, char folded[OPT_WORD_FOLDED_BYTES])
{
	struct text_word words[TEXT_WORDS_MAX];
	size_t count = text_word_split(text, words), length = 0;

	if (count < 1 || count > OPT_WORD_COUNT_MAX)
		return false;
	for (size_t i = 0; i < count; i++) {
		size_t bytes = strlen(words[i].folded);

		if (words[i].type != TEXT_WORD ||
		    length + bytes + 1 >= OPT_WORD_FOLDED_BYTES)
			return false;
		if (length)
			folded[length++] = ' ';
		memcpy(folded + length, words[i].folded, bytes + 1);
		length += bytes;
	}
	return true;
}

/* Are these words, without the spaces between them, the word? "opt out" is, "s t o p" is not. */
static bool opt_word_is(const char *folded, const char *word)
{
	size_t spaces = 0, letters = strlen(word);

	for (; *folded; folded++) {
		if (*folded == ' ')
			spaces++;
		else if (*folded != *word++)
			return false;
	}
	return !*word && 2 * spaces < letters;
}

/* Returns OPT_NONE if the words are not exactly one of the table. */
static enum opt opt_word_look_up(const char *folded, const char **word_out)
{
	for (size_t i = 0; i < sizeof(opt_words) / sizeof(*opt_words); i++) {
		if (!opt_word_is(folded, opt_words[i].word))
			continue;
		*word_out = opt_words[i].word;
		return opt_words[i].opt;
	}
	return OPT_NONE;
}

/* Leaves out the longest of the phrases at the beginning; something has to follow it. */
static bool opt_word_cut_front(char **folded, const char *const *phrases)
{
	size_t longest = 0;

	for (; *phrases; phrases++) {
		size_t length = strlen(*phrases);

		if (length > longest && strncmp(*folded, *phrases, length) == 0 &&
		    (*folded)[length] == ' ')
			longest = length;
	}
	*folded += longest ? longest + 1 : 0;
	return longest;
}

/* The same at the end. */
static bool opt_word_cut_behind(char *folded, const char *const *phrases)
{
	size_t whole = strlen(folded), longest = 0;

	for (; *phrases; phrases++) {
		size_t length = strlen(*phrases);

		if (length > longest && whole > length + 1 &&
		    folded[whole - length - 1] == ' ' &&
		    strcmp(folded + whole - length, *phrases) == 0)
			longest = length;
	}
	if (longest)
		folded[whole - longest - 1] = '\0';
	return longest;
}

/* What was left out. */
struct opt_word_around {
	bool asks;  /* "can you", "ich möchte" */
	bool names; /* what to stop: "texting me" */
};

static bool opt_word_cut(char **folded, struct opt_word_around *around)
{
	if (opt_word_cut_front(folded, opt_word_polite) ||
	    opt_word_cut_behind(*folded, opt_word_polite))
		return true;
	if (opt_word_cut_front(folded, opt_word_front))
		return around->asks = true;
	if (opt_word_cut_behind(*folded, opt_word_behind))
		return around->names = true;
	return false;
}

/* "can you stop?" asks a driver, "can you stop texting me?" does not. */
static bool opt_word_may_be_chat(const struct opt_word_around *around, const char *word)
{
	static const char *const everyday[] = { "stop",	 "cancel",   "end",	"quit",
						"alto",	 "parar",    "pare",	"sair",
						"basta", "cancelar", "arreter", NULL };

	for (size_t i = 0; everyday[i]; i++) {
		if (strcmp(everyday[i], word) == 0)
			return around->asks && !around->names;
	}
	return false;
}

enum opt opt_word_find(const char *text, const char **word_out)
{
	char buffer[OPT_WORD_FOLDED_BYTES], *folded = buffer;
	struct opt_word_around around = { 0 };
	const char *word = NULL;
	enum opt opt;

	if (strnlen(text, OPT_WORD_TEXT_BYTES) == OPT_WORD_TEXT_BYTES ||
	    !opt_word_fold(text, folded))
		return OPT_NONE;
	opt = opt_word_look_up(folded, word_out);
	if (opt != OPT_NONE)
		return opt;
	word = opt_sentence_find(folded);
	if (word) {
		*word_out = word;
		return OPT_OUT;
	}
	while (opt == OPT_NONE && opt_word_cut(&folded, &around))
		opt = opt_word_look_up(folded, &word);
	if (opt != OPT_OUT || opt_word_may_be_chat(&around, word))
		return OPT_NONE; /* "yes please" may answer something else */
	*word_out = word;
	return OPT_OUT;
}
