/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Texts as they are sent, with made-up numbers: which code and which link they carry.
 */
#include "unit_test.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "text/extract.h"

static const struct {
	const char *text, *code;
} codes[] = {
	/* English */
	{ "Your verification code is 482910", "482910" },
	{ "482910 is your Facebook confirmation code", "482910" },
	{ "G-482910 is your Google verification code.", "482910" },
	{ "FB-48291 is your Facebook confirmation code", "48291" },
	{ "Your WhatsApp code: 123-456\n\nDon't share this code with others", "123456" },
	{ "Your Apple ID Code is: 339201. Don't share it with anyone.", "339201" },
	{ "<#> Your Uber code is 4821. Reply STOP to 89203 to unsubscribe. qlRnn4A1sbt",
	  "4821" },
	{ "Use 715388 as your Microsoft account security code", "715388" },
	{ "Microsoft access code: 8842", "8842" },
	{ "Your Steam Guard code is: 4F7KQ", "4F7KQ" },
	{ "A7K2Q9 is your Steam Guard code", "A7K2Q9" },
	{ "Amazon: 384756. Don't share this code with anyone, not even Amazon.",
	  "384756" },
	{ "Your one-time password for the purchase of EUR 45.90 at "
	  "SHOP on card ending 1234 is 847291. Valid for 10 minutes.",
	  "847291" },
	{ "OTP for txn of INR 2500.00 on card ending 4321 is 998877.Valid till 14:35:20",
	  "998877" },
	{ "Your code for account 5521: 883412", "883412" },
	{ "Code for your order no. 55210 is 7731", "7731" },
	{ "PIN: 2024", "2024" },
	{ "2019 is your PIN", "2019" },
	{ "Use 553311 to verify your account.", "553311" },
	{ "[TikTok] 553312 is your verification code, valid for 5 minutes.", "553312" },
	{ "Your passcode is \"90210\".", "90210" },
	{ "Login token: 8842 1907", "88421907" },
	{ "Signal code: 456 789", "456789" },
	{ "Enter *884213* as your code", "884213" },
	{ "Your security code is 0123456789", "" }, /* a phone number has this form */
	{ "Your parcel is in locker 12. Pickup code: 88213377", "88213377" },
	{ "Use code 20261121 to open the gate", "20261121" },
	{ "Your login code: ABCD-1234", "ABCD-1234" },
	{ "A1B2-C3D4-E5F6 is your recovery code", "A1B2-C3D4-E5F6" },
	{ "Your code is G-482910", "482910" },
	/* a verb and no name, and digits of other forms */
	{ "Type 40216 into the terminal", "40216" },
	{ "Geben Sie 7741 ein, um fortzufahren", "7741" },
	{ "Type 4000 words", "" },
	{ "Your code is \u2074\u2078\u00b2\u2079\u00b9\u00b3", "482913" },
	{ "PIN \u00b9\u00b2\u00b3\u00b9", "1231" },
	{ "TELEGRAM CODE 55123", "55123" },
	/* below the digits of a card */
	{ "Card 453211******9921\nCode: 4082911736", "4082911736" },
	{ "Visa 4716 88** **** 3021\nYour code is\n913640", "913640" },
	{ "Pay with 453211-******-9921, code 4082911736", "4082911736" },
	{ "Pay with 4532 11** **** 9921, code 4082911736", "4082911736" },
	{ "Confirm your code for card 453211 \u2022\u2022\u2022\u2022 9921:\n774411",
	  "774411" },
	{ "453211******9921 pays, see the code in the app", "" },
	{ "Code 482910 **** 10 minutes", "482910" },
	{ "Code **482910** or **771234**", "482910" },
	/* blanks between its characters */
	{ "Your code is 4  8  2  9", "4829" },
	{ "Your code is K 7 P 3 X 9", "K7P3X9" },
	/* a price or a coupon beside it */
	{ "\u4f18\u60e0\u4ef799\u5143,\u9a8c\u8bc1\u7801480211", "480211" },
	{ "\u652f\u4ed85000\u5143,\u9a8c\u8bc1\u7801480211", "480211" },
	/* Russian in Latin letters */
	{ "Parol 7718 dlya vkhoda", "7718" },
	{ "Podtverdite vkhod: 905412", "905412" },
	{ "CODE=4821", "4821" },
	{ "Door code 4711#", "4711" },
	{ "482910\nis your code", "482910" },
	{ "Telegram code: 48291\n\nOr tap:\nhttps://t.me/login/48291\n\noLeq9AcOZkT",
	  "48291" },
	{ "Meeting ID 123 456 7890, passcode 991203", "991203" },
	{ "Hi mum, my new number is 07700900123, code of the door is still 4711",
	  "4711" },
	{ "Your taxi is here, plate ABC123, driver code 4821", "4821" },
	/* German */
	{ "Ihr Code lautet: 583920", "583920" },
	{ "Ihr Best\u00e4tigungscode ist 77412. Geben Sie ihn niemandem weiter.",
	  "77412" },
	{ "TAN f\u00fcr Ihre \u00dcberweisung von 250,00 EUR auf Konto DE12 3456 7890: 482913",
	  "482913" },
	{ "Die mTAN f\u00fcr den Auftrag vom 21.11.2026 14:30 Uhr lautet 668204",
	  "668204" },
	{ "Ihr Einmalkennwort: k8Zp42", "k8Zp42" },
	{ "583921 ist Ihr Sicherheitscode", "583921" },
	/* French */
	{ "Votre code de v\u00e9rification est 904133.", "904133" },
	{ "Votre code SMS est : 904134", "904134" },
	{ "Votre mot de passe \u00e0 usage unique : 55190233", "55190233" },
	{ "Code 774412 pour valider votre achat de 45,90 EUR avec la carte **1234",
	  "774412" },
	/* Spanish */
	{ "Su codigo es 33120944 para compra de 120,50 EUR con tarjeta *4412",
	  "33120944" },
	{ "Tu c\u00f3digo de verificaci\u00f3n es 120934. No lo compartas.", "120934" },
	{ "120935 es tu c\u00f3digo de Instagram", "120935" },
	{ "Su clave de acceso: 7741", "7741" },
	/* Italian */
	{ "Il tuo codice di verifica \u00e8 662014", "662014" },
	{ "662015 \u00e8 il codice per accedere", "662015" },
	/* Portuguese */
	{ "O seu c\u00f3digo de confirma\u00e7\u00e3o \u00e9 331208.", "331208" },
	{ "Sua senha: 4418", "4418" },
	/* Dutch */
	{ "Je verificatiecode is 771203. Deel deze code met niemand.", "771203" },
	{ "Uw TAN-code voor de betaling van \u20ac 12,50 is 440918", "440918" },
	/* Polish */
	{ "Tw\u00f3j kod weryfikacyjny to 559201", "559201" },
	{ "Has\u0142o SMS: 88213377. Przelew 1 250,00 PLN na rachunek 12...4455",
	  "88213377" },
	{ "Kod do logowania: 991203. Nie prosimy o kod przez telefon 801300800",
	  "991203" },
	/* Hungarian */
	{ "OTP: v\u00e1s\u00e1rl\u00e1s 12.990 Ft, k\u00e1rtya: "
	  "*4412, j\u00f3v\u00e1hagy\u00f3 k\u00f3d: 884120",
	  "884120" },
	{ "Az \u00d6n azonos\u00edt\u00f3 k\u00f3dja: 447120", "447120" },
	{ "447121 a meger\u0151s\u00edt\u0151 k\u00f3dod, 5 percig \u00e9rv\u00e9nyes.",
	  "447121" },
	{ "Bel\u00e9p\u00e9si jelszava: Xk42Pq. \u00c9rv\u00e9nyes: 2026. 11. 21. 14:30",
	  "Xk42Pq" },
	{ "482910 a nyit\u00f3k\u00f3dod, c\u00edm: Budapest 1111", "482910" },
	/* Finnish */
	{ "Vahvistuskoodisi on 602144.", "602144" },
	{ "Kertak\u00e4ytt\u00f6inen tunnuslukusi: 6021", "6021" },
	/* Swedish, Norwegian, Danish */
	{ "Din verifieringskod \u00e4r 889123", "889123" },
	{ "889124 \u00e4r din eng\u00e5ngskod", "889124" },
	{ "Din engangskode er 889125", "889125" },
	/* Russian and Ukrainian */
	{ "\u0412\u0430\u0448 \u043a\u043e\u0434 "
	  "\u043f\u043e\u0434\u0442\u0432\u0435\u0440"
	  "\u0436\u0434\u0435\u043d\u0438\u044f: 204816. "
	  "\u041d\u0438\u043a\u043e\u043c\u0443 "
	  "\u043d\u0435 \u0441\u043e\u043e\u0431\u0449\u0430\u0439\u0442\u0435!",
	  "204816" },
	{ "\u041f\u0410\u0420\u041e\u041b\u042c 5521 \u0434\u043b\u044f \u0432\u0445\u043e\u0434\u0430",
	  "5521" },
	/* others */
	{ "V\u00e1\u0161 k\u00f3d: 771209", "771209" },
	{ "Do\u011frulama kodunuz: 551903", "551903" },
	{ "\u60a8\u7684\u9a8c\u8bc1\u7801\u662f123456\uff0c5\u5206\u949f\u5185\u6709\u6548",
	  "123456" },
	{ "Use **482910** to sign in", "482910" },
	{ "\u3010\u652f\u4ed8\u5b9d\u3011\u60a8\u7684\u6821\u9a8c\u7801\u662f 593021",
	  "593021" },
	{ "\u60a8\u7684\u52a8\u6001\u5bc6\u7801:593022,\u8bf7\u52ff\u6cc4\u9732",
	  "593022" },
	{ "\u304a\u5ba2\u69d8\u306e\u8a8d\u8a3c\u756a\u53f7\u306f593023\u3067\u3059",
	  "593023" },
	{ "\ube44\ubc00\ubc88\ud638 593024 \ub97c \uc785\ub825\ud558\uc138\uc694",
	  "593024" },
	{ "\u0e23\u0e2b\u0e31\u0e2a\u0e02\u0e2d\u0e07\u0e04\u0e38\u0e13\u0e04\u0e37\u0e2d 593025",
	  "593025" },
	{ "\u0631\u0645\u0632 \u0627\u0644\u062a\u062d\u0642\u0642 "
	  "\u0627\u0644\u062e\u0627\u0635 \u0628\u0643 \u0647\u0648 482193",
	  "482193" },
	{ "\u06a9\u062f \u062a\u0627\u06cc\u06cc\u062f \u0634\u0645\u0627: 48219",
	  "48219" },
	{ "\u05e7\u05d5\u05d3 \u05d4\u05d0\u05d9\u05de\u05d5\u05ea "
	  "\u05e9\u05dc\u05da \u05d4\u05d5\u05d0 482194",
	  "482194" },
	{ "\u0906\u092a\u0915\u093e \u0913\u091f\u0940\u092a\u0940 482195 \u0939\u0948",
	  "482195" },
	{ "M\u00e3 x\u00e1c minh c\u1ee7a b\u1ea1n l\u00e0 482196", "482196" },
	{ "Teie kood on 482197", "482197" },
	{ "Kinnituskood: 482198", "482198" },
	{ "\u5c0a\u656c\u7684\u7528\u6237\u60a8\u597d\u60a8\u6b63"
	  "\u5728\u8fdb\u884c\u624b\u673a\u53f7\u767b\u5f55\u64cd"
	  "\u4f5c\u8bf7\u6ce8\u610f\u60a8\u7684\u9a8c\u8bc1\u7801\u662f593026\u8bf7\u52ff\u6cc4\u9732",
	  "593026" },
	/* digits of other scripts, in frames, one by one, with something between them */
	{ "Your code is \uff14\uff18\uff12\uff19\uff11\uff10", "482910" },
	{ "\u0631\u0645\u0632 \u0627\u0644\u062a\u062d\u0642\u0642: "
	  "\u0664\u0668\u0662\u0669\u0661\u0660",
	  "482910" },
	{ "\u06a9\u062f: \u06f4\u06f8\u06f2\u06f9\u06f1\u06f0", "482910" },
	{ "Your code is 4\ufe0f\u20e38\ufe0f\u20e32\ufe0f\u20e39\ufe0f\u20e3", "4829" },
	{ "Your code is 1 2 3 4 5 6", "123456" },
	{ "Code: 4-8-2-9", "4829" },
	{ "Your code is 482\u200b910", "482910" },
	{ "Your code is 4\u2060 8\u2060 2\u2060 9. Tell nobody", "4829" },
	{ "Your code is \uff21\uff17K2Q9", "A7K2Q9" },
	{ "Your code is 1 2 3", "" },
	{ "Einmalpasswort (OTP): 77-88-99", "778899" },
	{ "Votre code de v\u00e9rification est le 55 66 77.", "556677" },
	{ "Use 4821 to verify your account.", "4821" },
	{ "Please enter 4829 in the app to confirm your payment of 20 EUR", "4829" },
	/* pairs and what is typed in that are none */
	{ "Votre code a chang\u00e9. Appelez le 06 12 34 56 78", "" },
	{ "Your code is no longer needed from 21-11-26 on", "" },
	{ "Code 4821, valid until 21 11 26", "4821" },
	{ "Use 4821 points today", "" },
	{ "Use 4821 as the number of the room", "" },
	/* bound to a site */
	{ "747723 is your ExampleCo code.\n\n@example.com #747723", "747723" },
	{ "Your code is 111111\n@example.com #222222 %frame.example", "222222" },
	{ "@bank.example #AB-12_3!", "AB-12_3!" },
	{ "mail me@example.com #5 or call 123456", "" },
	{ "text @example.com #123456 in a line", "" },
	/* no codes */
	{ "", "" },
	{ "Lunch at 12:45? Room 4021", "" },
	{ "Your balance is 45000. Never share your PIN with anyone.", "" },
	{ "Balance: HUF 123456. The PIN of your card was changed.", "" },
	{ "Pay 125000 Ft with your PIN code", "" },
	{ "Your code costs $4500 or 4500 \u20ac", "" },
	{ "Call 5551234 or +36201234567 if you did not ask for a code", "" },
	{ "Code ung\u00fcltig. R\u00fcckfragen: 030 123 4567", "" },
	{ "If this was not you, call us on 06 20 123 4567. Never give out a code.", "" },
	{ "Your code expires on 21.11.2026 at 14:30", "" },
	{ "Your code was used on 2026-11-21", "" },
	{ "The code of conduct was changed in 2024", "" },
	{ "Open https://bank.example/code/123456?pin=778899 to log in", "" },
	{ "Your code: see bit.ly/4821903", "" },
	{ "20% off with promo code SAVE2026", "" },
	{ "Use discount code 482910 today", "" },
	{ "Votre code promo : 482910", "" },
	{ "Ihr Gutscheincode: 482910", "" },
	{ "Kuponk\u00f3d: 482910", "" },
	{ "\u041f\u0440\u043e\u043c\u043e\u043a\u043e\u0434: 482910", "" },
	{ "Our ZIP code is 90210", "" },
	{ "Your order 4829103 was shipped. Confirm at the door.", "" },
	{ "Text STOP to 70707. Code of practice applies.", "" },
	{ "Card *1234 was used with PIN", "" },
	{ "Card **1234 was used with PIN", "" },
	{ "PIN changed for card \u2022\u2022\u2022\u20221234", "" },
	{ "Card 1234 5678 9012 3456: the PIN is on its way", "" },
	{ "The code is valid for 3600 seconds", "" },
	{ "Happy New Year 2027!", "" },
	{ "Flight LH1234 boards at gate 4021", "" },
	{ "Booking confirmed. Confirmation number 8821934", "" },
	{ "Your bill of 4500 must be verified", "" },
	{ "Confirmed for 14 Nov 2026 at 1430", "" },
	{ "Account 12345678: PIN blocked. Call 0800123456", "" },
	{ "Swish: 500 kr fr\u00e5n Anna. Ingen kod beh\u00f6vs.", "" },
	{ "482910", "" }, /* nothing says what it is */
	{ "Your code is 12", "" },
	{ "Your code is 12345678901", "" },
	{ "Ref 771234 your code", "" }, /* or so they call it */
	{ "The rooms A321-NEO and B4021-OLD have no code", "" },
};

TEST(test_codes)
{
	unsigned wrong = 0;

	for (size_t i = 0; i < sizeof(codes) / sizeof(*codes); i++) {
		static struct extract extract;

		extract_from(codes[i].text, &extract);
		if (strcmp(extract.code, codes[i].code) == 0)
			continue;
		print_message("\"%s\": \"%s\", not \"%s\"\n", codes[i].text, extract.code,
			      codes[i].code);
		wrong++;
	}
	print_message("%zu texts, %u wrong\n", sizeof(codes) / sizeof(*codes), wrong);
	assert_int_equal(wrong, 0);
}

TEST(test_domains)
{
	static const struct {
		const char *text, *domain;
	} cases[] = {
		{ "747723 is your code.\n\n@example.com #747723", "example.com" },
		{ "code\r\n@login.bank.example #1 @frame.example\r\n",
		  "login.bank.example" },
		{ "@a.example #1\n@b.example #2\nlast", "b.example" },
		{ "@ #1", "" },
		{ "@example.com #", "" },
		{ "@example.com  #1", "" },
		{ "@example.com\n#1", "" },
		{ "@exa\u202emple.com #1", "" },
		{ "@example.com #1\u202e2", "" },
		{ " @example.com #1", "" },
		{ "Your code is 482910", "" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		static struct extract extract;

		extract_from(cases[i].text, &extract);
		assert_string_equal(extract.domain, cases[i].domain);
	}
}

TEST(test_links)
{
	static const struct {
		const char *text, *link;
	} cases[] = {
		{ "", "" },
		{ "no link: example.com", "" },
		{ "https://", "" },
		{ "https://.", "" },
		{ "ftp://example.com", "" },
		{ "see https://example.com/a?b=c#d.", "https://example.com/a?b=c#d" },
		{ "HTTP://EXAMPLE.COM!", "HTTP://EXAMPLE.COM" },
		{ "(https://example.com/a)", "https://example.com/a" },
		{ "(https://example.com/a_(b)), then", "https://example.com/a_(b)" },
		{ "\"https://example.com\"", "https://example.com" },
		{ "<https://example.com>", "https://example.com" },
		{ "\u201chttps://example.com\u201d", "https://example.com" },
		{ "one\nhttps://a.example\nhttps://b.example", "https://a.example" },
		{ "https://\u00e1rv\u00edz.example/t\u0171r\u0151 x",
		  "https://\u00e1rv\u00edz.example/t\u0171r\u0151" },
		{ "\u94fe\u63a5\uff1ahttps://a.example/x\uff0c\u8c22\u8c22",
		  "https://a.example/x" },
		{ "\u3010https://a.example/x\u3011", "https://a.example/x" },
		{ "https://\u4f8b\u3048.example/\u30d1\u30b9\uff1f",
		  "https://\u4f8b\u3048.example/\u30d1\u30b9" },
		{ "https://good.example\u202e/live", "https://good.example" },
		{ "https://good.example\u200b.evil.example", "https://good.example" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		static struct extract extract;

		extract_from(cases[i].text, &extract);
		assert_string_equal(extract.link, cases[i].link);
	}
}

/* What does not fit is left out, never cut. */
TEST(test_sizes)
{
	static struct extract extract;
	static char text[8192];

	snprintf(text, sizeof(text), "https://%0*d", EXTRACT_LINK_BYTES - 9, 0);
	extract_from(text, &extract);
	assert_int_equal(strlen(extract.link), EXTRACT_LINK_BYTES - 1);
	snprintf(text, sizeof(text), "https://%0*d", EXTRACT_LINK_BYTES - 8, 0);
	extract_from(text, &extract);
	assert_string_equal(extract.link, "");
	snprintf(text, sizeof(text), "@%0*d #1", EXTRACT_DOMAIN_BYTES, 0);
	extract_from(text, &extract);
	assert_string_equal(extract.domain, "");
	assert_string_equal(extract.code, "");
	snprintf(text, sizeof(text), "@a.example #%0*d", EXTRACT_CODE_BYTES, 0);
	extract_from(text, &extract);
	assert_string_equal(extract.domain, "");
	assert_string_equal(extract.code, "");
}

/* Whatever comes, it ends and stays within bounds; the sanitizers look on. */
TEST(test_any_text)
{
	static const char *const pieces[] = {
		"code",	  " ",
		"-",	  "4821",
		"123",	  ".",
		":",	  "\n",
		"@a.b #", "https://",
		"G-",	  "\u202e",
		"\u9a8c", "\u043a\u043e\u0434",
		"*",	  "+",
		"EUR",	  "is",
		"A7K2",	  "\U0001f600",
		"_",	  "12345678901234567890",
		"(",	  ")",
		"\u2022", "/",
		"%",
	};
	static char text[65536];
	static struct extract extract;

	srandom(1);
	for (unsigned round = 0; round < 20000; round++) {
		unsigned count = round % 100 ? (unsigned)random() % 12 : 4000;

		text[0] = '\0';
		for (size_t length = 0; count; count--)
			length += (size_t)snprintf(
				text + length, sizeof(text) - length, "%s",
				pieces[(size_t)random() %
				       (sizeof(pieces) / sizeof(*pieces))]);
		extract_from(text, &extract);
		assert_true(strlen(extract.code) < EXTRACT_CODE_BYTES);
		assert_true(strlen(extract.domain) < EXTRACT_DOMAIN_BYTES);
		assert_true(strlen(extract.link) < EXTRACT_LINK_BYTES);
	}
}
