/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "numbers/country.h"

#include <stdlib.h>
#include <string.h>

#include "numbers/plan.h"

enum { CALLING_CODE_DIGITS_MOST = 3 };

const struct country *country_of_iso(const char *code)
{
	for (size_t i = 0; i < plan_country_count; i++) {
		if (strcmp(plan_countries[i].code, code) == 0)
			return &plan_countries[i];
	}
	return NULL;
}

static const struct country *country_of_calling_code(unsigned code)
{
	size_t low = 0, high = plan_country_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (plan_countries[middle].calling_code < code)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == plan_country_count || plan_countries[low].calling_code != code)
		return NULL;
	return &plan_countries[low];
}

const struct country *country_of_digits(const char *digits, size_t *length_out)
{
	unsigned code = 0;

	if (*digits == '0')
		return NULL;
	for (size_t length = 1; length <= CALLING_CODE_DIGITS_MOST && *digits; length++) {
		const struct country *country;

		code = code * 10 + (unsigned)(*digits++ - '0');
		country = country_of_calling_code(code);
		if (!country)
			continue;
		*length_out = length;
		return country;
	}
	return NULL;
}

const struct country *country_next(const struct country *country)
{
	const struct country *next = country + 1;

	if (next == plan_countries + plan_country_count ||
	    next->calling_code != country->calling_code)
		return NULL;
	return next;
}

bool country_is_none(const struct country *country)
{
	return country->code[0] == '0';
}

/*
 * Mobile country codes, from the list of ITU-T E.212, maintained by hand: no Debian package
 * has all of them. A code that several countries share stands for the largest one; 901 and
 * test networks have no country.
 */
static const struct {
	uint16_t first, last;
	char code[3];
} country_mobile_codes[] = {
	{ 202, 202, "GR" }, { 204, 204, "NL" }, { 206, 206, "BE" }, { 208, 208, "FR" },
	{ 212, 212, "MC" }, { 213, 213, "AD" }, { 214, 214, "ES" }, { 216, 216, "HU" },
	{ 218, 218, "BA" }, { 219, 219, "HR" }, { 220, 220, "RS" }, { 221, 221, "XK" },
	{ 222, 222, "IT" }, { 225, 225, "VA" }, { 226, 226, "RO" }, { 228, 228, "CH" },
	{ 230, 230, "CZ" }, { 231, 231, "SK" }, { 232, 232, "AT" }, { 234, 235, "GB" },
	{ 238, 238, "DK" }, { 240, 240, "SE" }, { 242, 242, "NO" }, { 244, 244, "FI" },
	{ 246, 246, "LT" }, { 247, 247, "LV" }, { 248, 248, "EE" }, { 250, 250, "RU" },
	{ 255, 255, "UA" }, { 257, 257, "BY" }, { 259, 259, "MD" }, { 260, 260, "PL" },
	{ 262, 262, "DE" }, { 266, 266, "GI" }, { 268, 268, "PT" }, { 270, 270, "LU" },
	{ 272, 272, "IE" }, { 274, 274, "IS" }, { 276, 276, "AL" }, { 278, 278, "MT" },
	{ 280, 280, "CY" }, { 282, 282, "GE" }, { 283, 283, "AM" }, { 284, 284, "BG" },
	{ 286, 286, "TR" }, { 288, 288, "FO" }, { 289, 289, "GE" }, { 290, 290, "GL" },
	{ 292, 292, "SM" }, { 293, 293, "SI" }, { 294, 294, "MK" }, { 295, 295, "LI" },
	{ 297, 297, "ME" }, { 302, 302, "CA" }, { 308, 308, "PM" }, { 310, 316, "US" },
	{ 330, 330, "PR" }, { 332, 332, "VI" }, { 334, 334, "MX" }, { 338, 338, "JM" },
	{ 340, 340, "GP" }, { 342, 342, "BB" }, { 344, 344, "AG" }, { 346, 346, "KY" },
	{ 348, 348, "VG" }, { 350, 350, "BM" }, { 352, 352, "GD" }, { 354, 354, "MS" },
	{ 356, 356, "KN" }, { 358, 358, "LC" }, { 360, 360, "VC" }, { 362, 362, "CW" },
	{ 363, 363, "AW" }, { 364, 364, "BS" }, { 365, 365, "AI" }, { 366, 366, "DM" },
	{ 368, 368, "CU" }, { 370, 370, "DO" }, { 372, 372, "HT" }, { 374, 374, "TT" },
	{ 376, 376, "TC" }, { 400, 400, "AZ" }, { 401, 401, "KZ" }, { 402, 402, "BT" },
	{ 404, 406, "IN" }, { 410, 410, "PK" }, { 412, 412, "AF" }, { 413, 413, "LK" },
	{ 414, 414, "MM" }, { 415, 415, "LB" }, { 416, 416, "JO" }, { 417, 417, "SY" },
	{ 418, 418, "IQ" }, { 419, 419, "KW" }, { 420, 420, "SA" }, { 421, 421, "YE" },
	{ 422, 422, "OM" }, { 424, 424, "AE" }, { 425, 425, "IL" }, { 426, 426, "BH" },
	{ 427, 427, "QA" }, { 428, 428, "MN" }, { 429, 429, "NP" }, { 430, 431, "AE" },
	{ 432, 432, "IR" }, { 434, 434, "UZ" }, { 436, 436, "TJ" }, { 437, 437, "KG" },
	{ 438, 438, "TM" }, { 440, 441, "JP" }, { 450, 450, "KR" }, { 452, 452, "VN" },
	{ 454, 454, "HK" }, { 455, 455, "MO" }, { 456, 456, "KH" }, { 457, 457, "LA" },
	{ 460, 461, "CN" }, { 466, 466, "TW" }, { 467, 467, "KP" }, { 470, 470, "BD" },
	{ 472, 472, "MV" }, { 502, 502, "MY" }, { 505, 505, "AU" }, { 510, 510, "ID" },
	{ 514, 514, "TL" }, { 515, 515, "PH" }, { 520, 520, "TH" }, { 525, 525, "SG" },
	{ 528, 528, "BN" }, { 530, 530, "NZ" }, { 534, 534, "MP" }, { 535, 535, "GU" },
	{ 536, 536, "NR" }, { 537, 537, "PG" }, { 539, 539, "TO" }, { 540, 540, "SB" },
	{ 541, 541, "VU" }, { 542, 542, "FJ" }, { 543, 543, "WF" }, { 544, 544, "AS" },
	{ 545, 545, "KI" }, { 546, 546, "NC" }, { 547, 547, "PF" }, { 548, 548, "CK" },
	{ 549, 549, "WS" }, { 550, 550, "FM" }, { 551, 551, "MH" }, { 552, 552, "PW" },
	{ 553, 553, "TV" }, { 554, 554, "TK" }, { 555, 555, "NU" }, { 602, 602, "EG" },
	{ 603, 603, "DZ" }, { 604, 604, "MA" }, { 605, 605, "TN" }, { 606, 606, "LY" },
	{ 607, 607, "GM" }, { 608, 608, "SN" }, { 609, 609, "MR" }, { 610, 610, "ML" },
	{ 611, 611, "GN" }, { 612, 612, "CI" }, { 613, 613, "BF" }, { 614, 614, "NE" },
	{ 615, 615, "TG" }, { 616, 616, "BJ" }, { 617, 617, "MU" }, { 618, 618, "LR" },
	{ 619, 619, "SL" }, { 620, 620, "GH" }, { 621, 621, "NG" }, { 622, 622, "TD" },
	{ 623, 623, "CF" }, { 624, 624, "CM" }, { 625, 625, "CV" }, { 626, 626, "ST" },
	{ 627, 627, "GQ" }, { 628, 628, "GA" }, { 629, 629, "CG" }, { 630, 630, "CD" },
	{ 631, 631, "AO" }, { 632, 632, "GW" }, { 633, 633, "SC" }, { 634, 634, "SD" },
	{ 635, 635, "RW" }, { 636, 636, "ET" }, { 637, 637, "SO" }, { 638, 638, "DJ" },
	{ 639, 639, "KE" }, { 640, 640, "TZ" }, { 641, 641, "UG" }, { 642, 642, "BI" },
	{ 643, 643, "MZ" }, { 645, 645, "ZM" }, { 646, 646, "MG" }, { 647, 647, "RE" },
	{ 648, 648, "ZW" }, { 649, 649, "NA" }, { 650, 650, "MW" }, { 651, 651, "LS" },
	{ 652, 652, "BW" }, { 653, 653, "SZ" }, { 654, 654, "KM" }, { 655, 655, "ZA" },
	{ 657, 657, "ER" }, { 658, 658, "SH" }, { 659, 659, "SS" }, { 702, 702, "BZ" },
	{ 704, 704, "GT" }, { 706, 706, "SV" }, { 708, 708, "HN" }, { 710, 710, "NI" },
	{ 712, 712, "CR" }, { 714, 714, "PA" }, { 716, 716, "PE" }, { 722, 722, "AR" },
	{ 724, 724, "BR" }, { 730, 730, "CL" }, { 732, 732, "CO" }, { 734, 734, "VE" },
	{ 736, 736, "BO" }, { 738, 738, "GY" }, { 740, 740, "EC" }, { 742, 742, "GF" },
	{ 744, 744, "PY" }, { 746, 746, "SR" }, { 748, 748, "UY" }, { 750, 750, "FK" },
	{ 995, 995, "IO" },
};

const struct country *country_of_mobile_code(unsigned mobile_code)
{
	for (size_t i = 0;
	     i < sizeof(country_mobile_codes) / sizeof(country_mobile_codes[0]); i++) {
		if (mobile_code >= country_mobile_codes[i].first &&
		    mobile_code <= country_mobile_codes[i].last)
			return country_of_iso(country_mobile_codes[i].code);
	}
	return NULL;
}

const struct country *country_of_mobile_digits(const char *mobile_code)
{
	return country_of_mobile_code((unsigned)atoi(mobile_code));
}
