/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "unit_test.h"
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "text/code_mask.h"
#include "text/extract.h"

#define M CODE_MASK

/* NULL: nothing is hidden. */
static const struct {
	const char *text, *masked;
} cases[] = {
	{ "", NULL },
	{ "Lunch at 12:45? Room 4021", NULL },
	{ "Call 5551234 or +36201234567 if you did not ask for a code", NULL },
	{ "Your balance is 45000. Never share your PIN with anyone.", NULL },
	{ "Your code is 482910", "Your code is " M },
	{ "482910 is your code. 482910!", M " is your code. " M "!" },
	{ "Signal code: 456 789.\nKeep it", "Signal code: " M ".\nKeep it" },
	{ "A7K2Q9 is your Steam Guard code: a7k2q9", M " is your Steam Guard code: " M },
	/* also where it stands in another way */
	{ "Telegram code: 48291\nOr tap: https://t.me/login/48291",
	  "Telegram code: " M "\nOr tap: https://t.me/login/" M },
	{ "Your code is 482910 (4 8 2 9 1 0, 482-910)",
	  "Your code is " M " (" M ", " M ")" },
	{ "747723 is your code.\n\n@example.com #747723",
	  M " is your code.\n\n@example.com #" M },
	{ "@bank.example #AB-12_3!", "@bank.example #" M },
	{ "@bank.example #-12-", "@bank.example #" M },
	{ "@bank.example #---", "@bank.example #" M },
	{ "@bank.example #1-2-3-4", "@bank.example #" M },
	/* two of them */
	{ "Your code is 111111, or use code 222222",
	  "Your code is " M ", or use code " M },
	/* other digits */
	{ "Your code is \uff14\uff18\uff12\uff19\uff11\uff10!", "Your code is " M "!" },
	{ "Your code is 1 2 3 4 5 6 now", "Your code is " M " now" },
	{ "Einmalpasswort: 77-88-99.", "Einmalpasswort: " M "." },
	{ "Use 4821 to verify", "Use " M " to verify" },
	{ "Your code is 48\u200b29\u202e10.", "Your code is " M "." },
	{ "\u06a9\u062f: \u06f4\u06f8\u06f2\u06f9\u06f1\u06f0", "\u06a9\u062f: " M },
	/* in groups, too long for one, or called so behind it only */
	{ "login code: ABCD-1234", "login code: " M },
	{ "A1B2-C3D4-E5F6 is your login code", M " is your login code" },
	{ "Your code is 1234-abc, not abc1234", "Your code is " M ", not abc1234" },
	{ "passcode 12345678901", "passcode " M },
	{ "Your security code is 0123456789", "Your security code is " M },
	{ "Your code: 123 456 789 012", "Your code: " M },
	{ "PUK 12345678, code 12-34-56-78", "PUK " M ", code " M },
	{ "Ref 771234 your code", "Ref " M " your code" },
	{ "Order 771234 is your code", "Order " M " is your code" },
	/* and what is plainly none */
	{ "Ref 771234 your code 4829", "Ref 771234 your code " M },
	{ "Account 12345678: PIN blocked", NULL },
	{ "Send the code to 06201234567, or the PIN for 06 20 123 4567", NULL },
	{ "Your code is valid until 21-11-2026. New code: 2026-11-22", NULL },
	{ "Ihr Code kostet 1.250,00 EUR, mit PIN 12 500 Ft", NULL },
	{ "PIN sent. Card XXXX-XXXX-1234, COVID-19 code of conduct", NULL },
	/* no plain numbers */
	{ "Your code is ABCDEF", "Your code is " M },
	{ "ABCDEF is your login code, really", M " is your login code, really" },
	{ "Your code is B3K9QX", "Your code is " M },
	{ "Your code is KQ7-ZPX.", "Your code is " M "." },
	{ "Code 482/913 for 24/7 access", "Code " M " for 24/7 access" },
	{ "12.34.56 is your code", M " is your code" },
	{ "Your code:\n4\n8\n2\n9\nBye", "Your code:\n" M "\nBye" },
	{ "PIN\r\n482\r\n913", "PIN\r\n" M },
	{ "Your temporary password is Kx9#mP2q!", "Your temporary password is " M },
	{ "Passwort: Sommer!23x. Viel Erfolg", "Passwort: " M ". Viel Erfolg" },
	{ "The code is four eight two nine, not five", "The code is " M ", not five" },
	{ "Kod: n\u00e9gy nyolc kett\u0151 kilenc", "Kod: " M },
	{ "\u9a8c\u8bc1\u7801\u662f\u56db\u516b\u4e8c\u4e5d",
	  "\u9a8c\u8bc1\u7801\u662f" M },
	{ "B3K9QX", M },
	{ "482/913", M },
	/* and what only looks like them */
	{ "Your code expires on 12.03.2026 at 14:30", NULL },
	{ "Your PIN was changed. SMITH & Sons, case 482/2026", NULL },
	{ "Booking code KQ7ZPX, flight TP1337", NULL },
	{ "SALE: 20% off with code WINTER20", NULL },
	{ "One two three, and your password was reset", NULL },
	{ "NEVER SHARE YOUR PIN CODE WITH ANYBODY", NULL },
	{ "ABCDEF", NULL },
	/* a card, whose digits stay, and a code below it */
	{ "Pay with 4532 11** **** 9921, code 4082911736",
	  "Pay with 4532 11** **** 9921, code " M },
	{ "Card 4532 1100 1122 9921\nPayment code:\n4082911736",
	  "Card 4532 1100 1122 9921\nPayment code:\n" M },
	/* blanks between its characters */
	{ "Your code is Q W X Z", "Your code is " M },
	{ "Rows A B C D are full", NULL },
	/* a price stays */
	{ "支付5000元，验证码480211", "支付5000元，验证码" M },
	{ "满200减30，优惠码QIU30", NULL },
	/* a number that lets somebody in; that of a booking does not */
	{ "认证号码：482913", "认证号码：" M },
	{ "您的验证号码为482913", "您的验证号码为" M },
	{ "驗證號碼：482913", "驗證號碼：" M },
	{ "酒店确认号码 8829301，请凭此入住", NULL },
	{ "您的订单号码：482913", NULL },
	/* digit by digit, and other lists */
	{ "code: 4,8,2,9,1,3", "code: " M },
	{ "Your code is 4,8,2,9,1,3.", "Your code is " M "." },
	{ "4,8,2,9,1,3 is your code", M " is your code" },
	{ "Your code is valid for seats 1,2,3,4", NULL },
	{ "Le code de la route, pages 1,2,3,4", NULL },
	{ "Access code needed in rooms 1,2,3,4.", NULL },
	/* typed in, and nothing names it */
	{ "Type 40216 into the terminal", "Type " M " into the terminal" },
	{ "Mit 5507 schlie\u00dft du die Registrierung ab",
	  "Mit " M " schlie\u00dft du die Registrierung ab" },
	{ "Geben Sie 7741 ein, um fortzufahren", "Geben Sie " M " ein, um fortzufahren" },
	{ "\u00cdrd be a 3391 sz\u00e1mot", "\u00cdrd be a " M " sz\u00e1mot" },
	{ "The screen wants 2491", "The screen wants " M },
	{ "Shove 30718 into the form", "Shove " M " into the form" },
	{ "Type 4000 words by Monday", NULL },
	{ "The site had 30947 downloads", NULL },
	{ "The bus leaves at 1430 from stop 40216", NULL },
	{ "Mit 5507 Stimmen gewann sie", NULL },
	/* only in a text about logging in: a short sentence, a choice */
	{ "Login attempt. Your number: 60482", "Login attempt. Your number: " M },
	{ "Iemand logt in. Ben jij het? Kies 2846.",
	  "Iemand logt in. Ben jij het? Kies " M "." },
	{ "Login successful. Your number in the queue is 112", NULL },
	{ "Choose from 4500 titles and log in any time", NULL },
	{ "Confirmation sent. Class in Hall 4410", NULL },
	/* what it is good for */
	{ "T7-4QX lets you back into your account",
	  M " lets you back into your account" },
	{ "Con 8812 terminas el registro", "Con " M " terminas el registro" },
	{ "Con 3000 metros terminas la ruta", NULL },
	{ "Hello. G8-2MK logs you in", "Hello. " M " logs you in" },
	/* a number that is asked for, or sent back */
	{ "The app will ask for a number: 5526", "The app will ask for a number: " M },
	{ "They may ask for the order number: 5526", NULL },
	{ "Send 2083 back", "Send " M " back" },
	{ "Send 1500 chairs back", NULL },
	{ "Ask at counter 4410", NULL },
	/* what nobody asked for is ignored */
	{ "Orrin: 208-664. Not you? Ignore this.",
	  "Orrin: " M ". Not you? Ignore this." },
	/* told to somebody who delivers */
	{ "The driver will ask. Tell her 2938.", "The driver will ask. Tell her " M "." },
	{ "The driver comes at 1430, in van 8812", NULL },
	/* odd groups */
	{ "Enter 778 30 1 on the next page", "Enter " M " on the next page" },
	{ "Your PIN is 38 55 10 4", "Your PIN is " M },
	{ "Confirm your phone with 391-55-20", "Confirm your phone with " M },
	{ "Punch in 310-44 at the side door", "Punch in " M " at the side door" },
	{ "New number of Jo: 06 99 00 48 29", NULL },
	/* letters, and a mixed script */
	{ "Your login code: WQX", "Your login code: " M },
	{ "7K3PM gets you into the app", M " gets you into the app" },
	{ "Sign in with XK4R9", "Sign in with " M },
	{ "Sign-in code \u041a-4410", "Sign-in code " M },
	{ "The car is XK14RWD", NULL },
	/* raised, lowered and framed digits */
	{ "Your code is \u2074\u2078\u00b2\u2079\u00b9\u00b3", "Your code is " M },
	{ "PIN \u00b9\u00b2\u00b3\u00b9", "PIN " M },
	{ "PIN \u2087\u2081\u2083\u2084", "PIN " M },
	{ "PIN \u2467\u2462\u24ea\u2461", "PIN " M },
	/* nothing explains it, and it stands beside a verb, beside a door, or alone */
	{ "Show 7781 to a colleague", "Show " M " to a colleague" },
	{ "Tell them B4N9TX", "Tell them " M },
	{ "Use 6614 on the pods to get in", "Use " M " on the pods to get in" },
	{ "Zum Abschluss der Bestellung bitte 61 90 33 eintippen",
	  "Zum Abschluss der Bestellung bitte " M " eintippen" },
	{ "It says 904417, quick", "It says " M ", quick" },
	{ "Just got it: 83019", "Just got it: " M },
	{ "The lockbox opens with 4417. Checkout is at 11.",
	  "The lockbox opens with " M ". Checkout is at 11." },
	{ "Bluebird: 559046 to pay 1200 EUR", "Bluebird: " M " to pay 1200 EUR" },
	{ "The gate in the yard is 5591 then star",
	  "The gate in the yard is " M " then star" },
	{ "Your Bluebird account: 881402. Valid 5 min.",
	  "Your Bluebird account: " M ". Valid 5 min." },
	{ "Gate of the yard 4738, ring twice", "Gate of the yard " M ", ring twice" },
	{ "Your booking: 881402. Valid until Sunday.", NULL },
	{ "The answer to question 3 is 1296", NULL },
	{ "Choose model 4471, it is quieter", NULL },
	{ "Show table 4117 in the report", NULL },
	{ "I need 1485 more words", NULL },
	{ "Give him 1550 for it", NULL },
	{ "Use 2031 as the year", NULL },
	{ "Your seat is 1417, enter by gate C", NULL },
	{ "Meter reading: 48213", NULL },
	{ "No. 447102 is on its way", NULL },
	{ "20 euros off at checkout with AB12CD", NULL },
	{ "Let BA2490 know", NULL },
	/* nothing says what it is */
	{ "482910", M },
	{ "482 910\n", M },
	{ "12", NULL },
	{ "12345678901", NULL },
	{ "4021 please", NULL },
};

TEST(test_masked)
{
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct buffer masked = BUFFER_INIT;
		bool any = code_mask(cases[i].text, &masked);

		buffer_append(&masked, "", 1);
		assert_string_equal(masked.data, cases[i].masked ? cases[i].masked : "");
		assert_int_equal(any, cases[i].masked != NULL);
		buffer_deinit(&masked);
	}
}

/* Whatever comes: where a code would be given out it is not to be read any more. */
TEST(test_any_text)
{
	static const char *const pieces[] = {
		"code",	  " ",	     "is ",    "-",	 "4821",
		"123",	  ".",	     ": ",     "\n",	 "PIN",
		"@a.b #", "1 2 3 4", "\u202e", "\u0664", "\uff14\uff18\uff12",
		"*",	  "EUR",     "A7K2",
	};
	static struct extract extract, left;
	unsigned codes = 0;

	srandom(1);
	for (unsigned round = 0; round < 20000; round++) {
		struct buffer masked = BUFFER_INIT;
		char text[512] = "";

		for (long count = random() % 14; count; count--)
			strcat(text, pieces[random() % 18]);
		extract_from(text, &extract);
		if (code_mask(text, &masked)) {
			buffer_append(&masked, "", 1);
			assert_true(utf8_valid(masked.data, masked.length));
			assert_non_null(strstr(masked.data, CODE_MASK));
			extract_from(masked.data, &left);
			if (*extract.code && strcmp(extract.code, left.code) == 0)
				fail_msg("\"%s\": \"%s\"", text, masked.data);
			codes++;
		} else {
			assert_string_equal(extract.code, "");
		}
		buffer_deinit(&masked);
	}
	assert_true(codes > 1000);
}

/* TEXT_WORDS_MAX: what stands behind the last word that is read */
TEST(test_code_behind_many_words)
{
	static const char word[] = "word ";
	static const char *const codes[] = { "482910", "778 30 1", "KQ7-ZPX", "QWXZ" };

	for (size_t i = 0; i < sizeof(codes) / sizeof(*codes); i++) {
		struct buffer text = BUFFER_INIT, masked = BUFFER_INIT;

		for (unsigned at = 0; at < 600; at++)
			buffer_append(&text, word, strlen(word));
		buffer_append_text(&text, "and the code is ");
		buffer_append_text(&text, codes[i]);
		buffer_append_text(&text, " in room 12");
		buffer_append(&text, "", 1);
		assert_true(code_mask(text.data, &masked));
		buffer_append(&masked, "", 1);
		assert_null(strstr(masked.data, codes[i]));
		assert_non_null(strstr(masked.data, "is " M " in room 12"));
		buffer_deinit(&text);
		buffer_deinit(&masked);
	}
}

/* How long a code is tells nothing. */
TEST(test_one_length)
{
	struct buffer four = BUFFER_INIT, eight = BUFFER_INIT;

	assert_true(code_mask("PIN: 4829", &four));
	assert_true(code_mask("PIN: 48291055", &eight));
	assert_int_equal(four.length, eight.length);
	assert_memory_equal(four.data, eight.data, four.length);
	buffer_deinit(&four);
	buffer_deinit(&eight);
}
