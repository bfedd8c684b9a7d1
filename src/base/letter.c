/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/letter.h"

/* U+00C0 to U+017F without accents, as small letters; ' ' is no letter */
static const char latin_folded[] =
	"aaaaaaaceeeeiiiidnooooo ouuuuytsaaaaaaaceeeeiiiidnooooo ouuuuyty"
	"aaaaaaccccccccddddeeeeeeeeeegggggggghhhhiiiiiiiiiiiijjkkklllllll"
	"lllnnnnnnnnnoooooooorrrrrrssssssssttttttuuuuuuuuuuuuwwyyyzzzzzzs";

static bool is_within(uint32_t character, uint32_t first, uint32_t last)
{
	return character >= first && character <= last;
}

uint32_t utf8_fold(uint32_t character)
{
	if (is_within(character, 'A', 'Z'))
		return character - 'A' + 'a';
	if (is_within(character, 0xc0, 0x17f))
		return (unsigned char)latin_folded[character - 0xc0];
	if (is_within(character, 0x391, 0x3a9) || is_within(character, 0x410, 0x42f))
		return character + 0x20;
	if (is_within(character, 0x400, 0x40f))
		return character + 0x50;
	return character;
}

bool utf8_is_accent(uint32_t character)
{
	return is_within(character, 0x300, 0x36f);
}
