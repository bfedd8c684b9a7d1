/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sms/opt_sentence.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* What a word does in such a sentence; a word may do several things. */
enum opt_sentence_role {
	FILL = 1 << 0,	   /* nothing that changes the meaning */
	THE = 1 << 1,	   /* as FILL, but not with PLAN: that may be any subscription */
	LEAVE = 1 << 2,	   /* unsubscribe */
	STOP = 1 << 3,	   /* stop an activity */
	END = 1 << 4,	   /* end a subscription */
	REMOVE = 1 << 5,   /* delete a number */
	TAKE = 1 << 6,	   /* take off a list */
	NOT = 1 << 7,	   /* not, no */
	MORE = 1 << 8,	   /* more, again */
	WANT = 1 << 9,	   /* I want */
	GET = 1 << 10,	   /* to receive */
	SEND = 1 << 11,	   /* as one tells somebody to send or write, or not to */
	SENDING = 1 << 12, /* as one tells somebody to stop it */
	MESSAGE = 1 << 13, /* messages */
	PLAN = 1 << 14,	   /* subscription */
	LIST = 1 << 15,	   /* list of recipients */
	OFF = 1 << 16,	   /* off, from */
	NUMBER = 1 << 17,  /* phone number */
	MY = 1 << 18,	   /* my */
	ME = 1 << 19,	   /* me, us */
	I = 1 << 20,	   /* I, we */
};

struct opt_sentence_words {
	unsigned roles;
	const char *words; /* folded as in text/text.h, with spaces around them */
};

/* clang-format off */

/*
 * Verbs have only the forms in which one tells somebody to do it, because others tell what
 * happens: "I get no messages any more" is a complaint.
 */
static const struct opt_sentence_words opt_sentence_en[] = {
	{ FILL, " please pls kindly hi hello thanks thank you sorry now "
	  "immediately any these those your to with d t do longer "
	  "wrong number at phone for " },
	{ THE, " the this that " },
	{ ME, " me us " },
	{ LEAVE, " unsubscribe " },
	{ STOP, " stop cease " },
	{ END, " cancel end stop " },
	{ REMOVE, " remove delete erase " },
	{ TAKE, " take " },
	{ NOT, " no not never don dont " },
	{ MORE, " more further again longer anymore " },
	{ WANT, " want wish " },
	{ GET, " receive get " },
	{ SEND, " send text message write contact " },
	{ SENDING, " sending texting messaging contacting writing " },
	{ MESSAGE, " messages msgs texts sms " },
	{ PLAN, " subscription " },
	{ LIST, " list lists " },
	{ OFF, " from off " },
	{ NUMBER, " number " },
	{ MY, " my " },
	{ I, " i we " },
	{ 0, NULL },
};

static const struct opt_sentence_words opt_sentence_de[] = {
	{ FILL, " bitte danke vielen dank hallo sofort mir sie die diese "
	  "diesen ihre ihrer der dem auf auch zu " },
	{ THE, " das den " },
	{ ME, " mich uns schreiben kontaktieren " },
	{ LEAVE, " austragen " },
	{ STOP, " stop stopp stoppen horen hor unterlassen beenden " },
	{ END, " kundigen beenden abbestellen stornieren " },
	{ REMOVE, " loschen streichen entfernen losche streiche entferne " },
	{ TAKE, " nehmen nimm " },
	{ NOT, " kein keine keinen nicht nie " },
	{ MORE, " mehr weitere weiteren wieder " },
	{ WANT, " mochte will wunsche wunschen wollen mochten " },
	{ GET, " bekommen erhalten empfangen " },
	{ SEND, " schicken senden schreiben schick schreib kontaktieren " },
	{ SENDING, " schicken senden schreiben " },
	{ MESSAGE, " sms nachrichten werbung werbenachrichten " },
	{ PLAN, " newsletter abo abonnement " },
	{ LIST, " liste verteiler " },
	{ OFF, " von vom aus " },
	{ NUMBER, " nummer telefonnummer " },
	{ MY, " meine " },
	{ I, " ich wir " },
	{ 0, NULL },
};

static const struct opt_sentence_words opt_sentence_fr[] = {
	{ FILL, " s il vous te plait svp stp merci bonjour bonsoir de d des "
	  "du la les vos votre ces cette m en aux " },
	{ THE, " le " },
	{ ME, " me m moi nous " },
	{ LEAVE, " desinscription desabonnement desinscrivez desabonnez " },
	{ STOP, " stop arretez arreter cessez cesser " },
	{ END, " annuler annulez resilier resiliez " },
	{ REMOVE, " supprimez supprimer effacez effacer " },
	{ TAKE, " retirez retirer supprimez supprimer enlevez enlever " },
	{ NOT, " ne n pas " },
	{ MORE, " plus " },
	{ WANT, " veux souhaite voulons " },
	{ GET, " recevoir " },
	{ SEND, " envoyez envoyer ecrivez ecrire contactez contacter " },
	{ SENDING, " envoyer ecrire contacter " },
	{ MESSAGE, " sms messages textos pub publicite publicites " },
	{ PLAN, " abonnement inscription " },
	{ LIST, " liste listes " },
	{ OFF, " de " },
	{ NUMBER, " numero " },
	{ MY, " mon " },
	{ I, " je " },
	{ FILL, " veuillez l " },
	{ 0, NULL },
};

static const struct opt_sentence_words opt_sentence_es[] = {
	{ FILL, " por favor porfa gracias hola de la los las su sus ya " },
	{ THE, " el " },
	{ ME, " me nos " },
	{ STOP, " stop dejen deja dejad paren cesen " },
	{ END, " cancelar cancelen cancela anular cancele " },
	{ REMOVE, " eliminar borrar eliminen borren elimine borre " },
	{ TAKE | ME, " eliminenme borrenme quitenme eliminame borrame quitame "
	  "elimineme borreme quiteme saquenme saqueme " },
	{ NOT, " no " },
	{ MORE, " mas " },
	{ WANT, " quiero deseo queremos " },
	{ GET, " recibir " },
	{ SEND, " envien envie envies manden mandes mande escriban escriba " },
	{ SENDING, " enviar mandar enviarme mandarme escribirme " },
	{ MESSAGE, " mensajes sms publicidad " },
	{ PLAN, " suscripcion " },
	{ LIST, " lista listas " },
	{ OFF, " de " },
	{ NUMBER, " numero " },
	{ MY, " mi " },
	{ I, " yo " },
	{ 0, NULL },
};

static const struct opt_sentence_words opt_sentence_pt[] = {
	{ FILL, " por favor obrigado obrigada ola de da do as os sua suas "
	  "estas essas " },
	{ THE, " o a " },
	{ ME, " me nos " },
	{ LEAVE, " descadastrar descadastre descadastrem " },
	{ STOP, " stop parem pare chega " },
	{ END, " cancelar cancele cancelem " },
	{ REMOVE, " remover remova removam apague apaguem exclua excluam " },
	{ TAKE, " tire tirem retire retirem remova removam " },
	{ NOT, " nao " },
	{ MORE, " mais " },
	{ WANT, " quero desejo queremos " },
	{ GET, " receber " },
	{ SEND, " envie enviem mande mandem escreva escrevam " },
	{ SENDING, " enviar mandar escrever " },
	{ MESSAGE, " mensagens sms propaganda " },
	{ PLAN, " assinatura inscricao subscricao " },
	{ LIST, " lista listas " },
	{ OFF, " da de " },
	{ NUMBER, " numero " },
	{ MY, " meu " },
	{ FILL, " minha eu quero " },
	{ 0, NULL },
};

static const struct opt_sentence_words opt_sentence_it[] = {
	{ FILL, " per favore piacere grazie ciao buongiorno subito i gli di "
	  "la vostri vostra questi il da con " },
	{ THE, " l lo " },
	{ ME, " mi " },
	{ LEAVE, " disiscrivetemi disiscrivimi disiscrizione disiscrivermi "
	  "cancellarmi cancellatemi " },
	{ STOP, " stop basta smettetela smettila smettete " },
	{ END, " annulla annullare annullate disdire cancellare " },
	{ REMOVE, " cancellate rimuovete eliminate cancella " },
	{ TAKE | ME, " toglietemi toglimi rimuovetemi rimuovimi " },
	{ NOT, " non niente " },
	{ MORE, " piu " },
	{ WANT, " voglio vorrei desidero " },
	{ GET, " ricevere " },
	{ SEND, " inviatemi mandatemi scrivetemi scrivete inviate mandate "
	  "contattatemi " },
	{ SENDING, " scrivermi inviarmi mandarmi " },
	{ ME, " scrivetemi contattatemi " },
	{ MESSAGE, " messaggi sms pubblicita " },
	{ PLAN, " iscrizione abbonamento " },
	{ LIST, " lista " },
	{ OFF, " dalla dalle " },
	{ NUMBER, " numero " },
	{ MY, " mio " },
	{ I, " io " },
	{ 0, NULL },
};

static const struct opt_sentence_words opt_sentence_nl[] = {
	{ FILL, " aub alstublieft alsjeblieft graag bedankt dank u je de "
	  "deze uw met van af uit en jes te " },
	{ THE, " het " },
	{ ME, " mij me ons " },
	{ LEAVE, " uitschrijven " },
	{ STOP, " stop stoppen " },
	{ END, " opzeggen annuleren " },
	{ REMOVE, " verwijder verwijderen wis wissen " },
	{ TAKE, " haal verwijder schrap " },
	{ NOT, " geen niet nooit " },
	{ MORE, " meer verdere " },
	{ WANT, " wil wens willen " },
	{ GET, " ontvangen krijgen " },
	{ SEND, " stuur stuurt schrijf " },
	{ SENDING, " sturen schrijven " },
	{ MESSAGE, " berichten sms smsjes reclame " },
	{ PLAN, " abonnement inschrijving nieuwsbrief " },
	{ LIST, " lijst " },
	{ OFF, " van " },
	{ NUMBER, " nummer " },
	{ MY, " mijn " },
	{ I, " ik wij " },
	{ 0, NULL },
};

static const struct opt_sentence_words opt_sentence_hu[] = {
	{ FILL, " kerem kerlek legyszi koszonom koszi szepen azonnal az a "
	  "nekem t ek et " },
	{ LEAVE, " leiratkozni leiratkoznek leiratkozas " },
	{ FILL | WANT, " szeretnek " },
	{ STOP, " stop allitsak hagyjak " },
	{ REMOVE | TAKE | ME, " toroljenek toroljon torolje toroljek " },
	{ NOT, " ne nem " },
	{ MORE, " tobb tobbet tobbe tobbszor " },
	{ WANT, " kerek akarok kerunk " },
	{ GET, " kapni " },
	{ SEND, " kuldjenek kuldjon irjanak irjon kuldozgessenek " },
	{ ME, " irjanak irjon " },
	{ MESSAGE, " uzenetet uzeneteket sms reklamot " },
	{ LIST | OFF, " listarol " },
	{ NUMBER | MY, " szamomat szamom telefonszamomat " },
	{ 0, NULL },
};

static const struct opt_sentence_words opt_sentence_pl[] = {
	{ FILL, " prosze dziekuje dzieki mi o z tej waszej sie do tych " },
	{ ME, " mnie nas pisac piszcie " },
	{ LEAVE, " wypisac wypisanie wypiszcie " },
	{ STOP, " stop przestancie przestac " },
	{ END, " rezygnuje anuluj anulujcie " },
	{ REMOVE, " usuncie usunac usun " },
	{ TAKE, " usuncie usunac wykreslcie wypiszcie " },
	{ NOT, " nie " },
	{ MORE, " wiecej juz " },
	{ WANT, " chce zycze " },
	{ GET, " otrzymywac dostawac " },
	{ SEND, " wysylajcie wysylac pisac piszcie przysylajcie przysylac " },
	{ SENDING, " wysylac pisac przysylac " },
	{ MESSAGE, " wiadomosci sms smsow reklam " },
	{ PLAN, " subskrypcji subskrypcje newslettera " },
	{ LIST, " listy " },
	{ OFF, " z " },
	{ NUMBER, " numer " },
	{ MY, " moj " },
	{ 0, NULL },
};

static const struct opt_sentence_words opt_sentence_ru[] = {
	{ FILL, " пожалуйста спасибо мне нам с "
	  "вашу вашей эти эту прошу "
	  "здравствуйте " },
	{ ME, " меня нас мне нам пишите писать " },
	{ LEAVE, " отпишите отписаться отписать " },
	{ STOP, " стоп прекратите хватит "
	  "перестаньте " },
	{ END, " отмена отмените отказ "
	  "отказываюсь " },
	{ REMOVE, " удалите удалить " },
	{ TAKE, " уберите удалите исключите "
	  "убрать удалить " },
	{ NOT, " не " },
	{ MORE, " больше " },
	{ WANT, " хочу желаю " },
	{ GET, " получать " },
	{ SEND, " присылайте пишите присылать "
	  "писать отправляйте слать шлите " },
	{ SENDING, " присылать писать слать "
	  "отправлять " },
	{ MESSAGE, " смс сообщения сообщений "
	  "рассылку рекламу sms " },
	{ PLAN, " подписки подписку рассылки " },
	{ LIST, " рассылки списка базы " },
	{ OFF, " из от " },
	{ NUMBER, " номер " },
	{ MY, " мой " },
	{ I, " я " },
	{ 0, NULL },
};

static const struct opt_sentence_words *const opt_sentence_languages[] = {
	opt_sentence_en, opt_sentence_de, opt_sentence_fr, opt_sentence_es, opt_sentence_pt,
	opt_sentence_it, opt_sentence_nl, opt_sentence_hu, opt_sentence_pl, opt_sentence_ru,
};

/* clang-format on */

enum { OPT_SENTENCE_WORD_BYTES = 64 };

/* The roles of the word in the language; 0 if it has none there. */
static unsigned opt_sentence_role_of(const struct opt_sentence_words *language,
				     const char *word, size_t length)
{
	char spaced[OPT_SENTENCE_WORD_BYTES];
	unsigned roles = 0;

	if (length + 3 > sizeof(spaced))
		return 0;
	spaced[0] = ' ';
	memcpy(spaced + 1, word, length);
	memcpy(spaced + 1 + length, " ", 2);
	for (; language->words; language++) {
		if (strstr(language->words, spaced))
			roles |= language->roles;
	}
	return roles;
}

/* The roles of all words; 0 if the language does not have every one of them. */
static unsigned opt_sentence_roles(const struct opt_sentence_words *language,
				   const char *folded)
{
	unsigned roles = 0;

	while (*folded) {
		size_t length = strcspn(folded, " ");
		unsigned role = opt_sentence_role_of(language, folded, length);

		if (!role)
			return 0;
		roles |= role;
		folded += length + (folded[length] == ' ');
	}
	return roles;
}

static bool opt_sentence_has(unsigned roles, unsigned all, unsigned none)
{
	return (roles & all) == all && !(roles & none);
}

/* The rules, each with its word. */
static const char *opt_sentence_judge(unsigned roles)
{
	static const struct {
		unsigned all, none;
		const char *word;
	} rules[] = {
		{ LEAVE, NOT, "unsubscribe" },
		/* "stop, text me" is chat. */
		{ STOP | SENDING, NOT | I, "stop" },
		{ STOP | MESSAGE, NOT | I | SEND, "stop" },
		{ END | PLAN, NOT | I | THE, "cancel" },
		{ TAKE | LIST | OFF | ME, NOT | I, "remove" },
		{ REMOVE | LIST | OFF | ME, NOT | I, "remove" },
		{ REMOVE | NUMBER | MY, NOT | I, "remove" },
		{ TAKE | LIST | OFF | NUMBER | MY, NOT | I, "remove" },
		/* "I do not want to write" is no opt-out, and "I get no messages" is none. */
		{ NOT | WANT | MESSAGE, STOP | LEAVE | SEND | SENDING | THE, "no more" },
		{ NOT | SEND | MESSAGE, STOP | LEAVE | I | WANT | GET | THE, "no more" },
		{ NOT | SEND | MORE | ME, STOP | LEAVE | I | WANT | GET | THE,
		  "no more" },
		{ NOT | MORE | MESSAGE, STOP | LEAVE | I | WANT | GET | THE, "no more" },
	};

	for (size_t i = 0; i < sizeof(rules) / sizeof(*rules); i++) {
		if (opt_sentence_has(roles, rules[i].all, rules[i].none))
			return rules[i].word;
	}
	return NULL;
}

const char *opt_sentence_find(const char *folded)
{
	const size_t count =
		sizeof(opt_sentence_languages) / sizeof(*opt_sentence_languages);
	const char *word = NULL;

	for (size_t i = 0; i < count && !word; i++)
		word = opt_sentence_judge(
			opt_sentence_roles(opt_sentence_languages[i], folded));
	return word;
}
