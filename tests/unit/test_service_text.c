/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Service texts, ordinary texts that look like them, and what is masked. */
#include <string.h>

#include "unit_test.h"
#include "text/service_text.h"

#define PROVISIONING "<wap-provisioningdoc><characteristic type=\"PXLOGICAL\">"

static const struct {
	const char *text;
	const char *kind;
} service_texts[] = {
	{ "//VVM:STATUS:st=R;rc=0;srv=vvm.example.com;ipt=143;u=800@vvm;pw=8236;",
	  "voicemail" },
	{ "//VVM:SYNC:ev=NM;id=3446456;c=1;t=v;s=01234567898;dt=02/08/2026 12:53 +0200;l=30",
	  "voicemail" },
	{ "//VVM:SYNC:ev=MBU;c=0", "voicemail" },
	{ "//VVM:STATUS:", "voicemail" },
	{ "//VVM::st=N;rc=0", "voicemail" },
	{ "//VZWVVM:STATUS:st=B;rc=3;srv=1:vvm.example.com", "voicemail" },
	{ "//ANDROIDVVM:SYNC:ev=GU", "voicemail" },
	{ "//ANDROID:BS;ev=NM;c=2", "voicemail" },
	{ "MBOXUPDATE?m=11;server=example.com;port=143;name=12345@example.com;pw=CphQ",
	  "voicemail" },
	{ "STATUS?state=Active;server=vvm.example.com;port=143;pw=a1;name=5551234",
	  "voicemail" },
	{ "STATE?state=Active;server=vvm.example;port=143;", "voicemail" },
	{ "UNRECOGNIZED?cmd=STATUS", "voicemail" },
	{ "vvm-a.operator.example:80?f=0&v=900&m=15550100&p=99&S=I&s=443&t=1:15550100:A",
	  "voicemail" },
	{ PROVISIONING "<parm name=\"AAUTHSECRET\" value=\"abc\"/>", "settings" },
	{ "<?xml version=\"1.0\"?>\n<!DOCTYPE wap-provisioningdoc>\n" PROVISIONING,
	  "settings" },
	{ "<?xml version=\"1.0\"?><!DOCTYPE si PUBLIC \"-//WAPFORUM//DTD SI 1.0//EN\" \"\"><si>",
	  "settings" },
	{ "<!DOCTYPE sl PUBLIC \"-//WAPFORUM//DTD SL 1.0//EN\"><sl href=\"http://a.example\"/>",
	  "settings" },
	{ "<si><indication href=\"http://a.example\">New settings</indication></si>",
	  "settings" },
	{ "//SCKL15811581010101 024A3A", "settings" },
	{ "//BREW:01009D51:start", "settings" },
	{ "214011001388741-rcscfg", "registration" },
	{ "+36201234567-rcscfg,param", "registration" },
	{ "214011001388741-aescfg,ap2003", "registration" },
	{ "REG-REQ?v=3;t=76AAFD15711EF157;r=8875166862", "registration" },
	{ "REG-RESP?v=3;r=2202323240;n=+12675550100;s=026570EDEC", "registration" },
};

static const char *const ordinary_texts[] = {
	"",
	"What does //VVM:SYNC:ev=NM mean? My phone got it",
	" //VVM:STATUS:st=R",
	"\"//VVM:STATUS:st=R;rc=0\" is what I see",
	"//vvm:status:st=r",
	"// VVM: call me",
	"//TODO: buy milk",
	"//TODO:URGENT: buy milk",
	"//HOME: key=under the mat",
	"https://a.example/?st=R;rc=0",
	"//a.example/VVM:STATUS:",
	"STATUS? Are you home?",
	"STATUS? =)",
	"Status?state=what do you mean",
	"STATUS: st=R",
	"STATE?",
	"MBOXUPDATE? I do not know that word",
	"UNRECOGNIZED? Try again",
	"a.example:80?f=0 is the link",
	"www.a.example:8080?f=1&v=2&q=3",
	"<si>",
	"<3 <3 <si><indication",
	"<?xml version=\"1.0\"?><recipe>two eggs</recipe>",
	"Look: " PROVISIONING,
	"//SCKL is an old ringtone format",
	"My flat number is 214-rcscfg",
	"214011001388741",
	"20:15-rcscfg",
	"REG-REQ",
	"REG-REQ? Please register",
	"<#> Your WhatsApp code: 123-456 4sgLq1p5sV6",
	"<#> 4711 is your code FA+9qCX9VSu",
	"G-482913 is your Google verification code.",
	"Your voicemail PIN=8236. Call 1217",
	"config=prod is broken, pw=hunter2",
	"pw=8236",
	"agent 482913 is the alarm on?",
};

TEST(test_service_texts_are_recognised_with_their_kind)
{
	for (size_t i = 0; i < sizeof(service_texts) / sizeof(*service_texts); i++) {
		const char *kind = service_text_kind(service_texts[i].text);

		if (!kind || strcmp(kind, service_texts[i].kind) != 0)
			fail_msg("%s: %s", kind ? kind : "no kind",
				 service_texts[i].text);
	}
}

TEST(test_texts_for_people_that_look_alike_are_none)
{
	struct buffer masked = BUFFER_INIT;

	for (size_t i = 0; i < sizeof(ordinary_texts) / sizeof(*ordinary_texts); i++) {
		if (service_text_kind(ordinary_texts[i]) ||
		    service_text_mask(ordinary_texts[i], &masked))
			fail_msg("a service text: %s", ordinary_texts[i]);
	}
	assert_int_equal(masked.length, 0);
}

static void assert_masked(const char *text, const char *expected)
{
	struct buffer masked = BUFFER_INIT;

	assert_true(service_text_mask(text, &masked));
	buffer_append(&masked, "", 1);
	assert_string_equal(masked.data, expected);
	buffer_deinit(&masked);
}

TEST(test_passwords_and_user_names_are_masked)
{
	assert_masked(
		"//VVM:STATUS:st=R;srv=a.example;ipt=143;u=800@vvm;pw=8236;lang=1",
		"//VVM:STATUS:st=R;srv=a.example;ipt=143;u=******;pw=******;lang=1");
	assert_masked("//VVM:STATUS:PIN=12==34;smtp_u=a;smtp_pw=b c",
		      "//VVM:STATUS:PIN=******;smtp_u=******;smtp_pw=******");
	assert_masked("MBOXUPDATE?m=11;name=12345@a.example;pw=Cph&Q",
		      "MBOXUPDATE?m=11;name=******;pw=******");
	assert_masked("STATUS?state=Active;P=1234", "STATUS?state=Active;P=******");
	assert_masked("STATUS?state=Active&P=1234&port=1",
		      "STATUS?state=Active&P=******");
	assert_masked("REG-RESP?v=3;r=22;n=+1267;s=0265",
		      "REG-RESP?v=3;r=22;n=+1267;s=******");
}

TEST(test_a_value_may_end_with_the_text)
{
	assert_masked("//VVM:STATUS:pw=8236", "//VVM:STATUS:pw=******");
	assert_masked("//VVM:STATUS:pw=\"82;36", "//VVM:STATUS:pw=\"******");
	assert_masked("a.example:80?f=0&v=900&m=15550100&p=1&t=1:15550100",
		      "a.example:80?f=0&v=900&m=******");
}

TEST(test_values_in_quotes_end_with_the_quote)
{
	assert_masked(PROVISIONING "<parm name=\"AAUTHSECRET\" value=\"a;b\"/></x>",
		      PROVISIONING "<parm name=\"******\" value=\"******\"/></x>");
	assert_masked(PROVISIONING "<parm value='a\"b'/>",
		      PROVISIONING "<parm value='******'/>");
}

TEST(test_without_a_secret_nothing_is_masked)
{
	static const char *const texts[] = {
		"//VVM:SYNC:ev=NM;id=3446456;c=1",
		"//VVM:STATUS:pw=;u=",
		"//VVM:STATUS:pw_len=4-8;tui=1217",
		"214011001388741-rcscfg",
	};
	struct buffer masked = BUFFER_INIT;

	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		assert_false(service_text_mask(texts[i], &masked));
	assert_int_equal(masked.length, 0);
}
