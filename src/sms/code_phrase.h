/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Code phrase: whether the words around a piece call it a code.
 *
 * Private to the search for codes (code_shape.c).
 */
#ifndef SMS_CODE_PHRASE_H
#define SMS_CODE_PHRASE_H

#include "sms/code_piece.h"

enum { CODE_PHRASE_CLAUSE_WORDS = 12 }; /* between a name and the colon before its code */

/* A name of codes in the sentence, at most `most` words before this word. */
bool code_phrase_has_name_before(const struct code_context *context, size_t word,
				 unsigned most);
/* After a colon or an equals sign. */
bool code_phrase_is_behind_colon(const struct code_context *context,
				 const struct code_piece *piece);
/* The clause ends with the piece. */
bool code_phrase_is_clause_end(const struct code_context *context,
			       const struct code_piece *piece);
/* "your code is X" */
bool code_phrase_is_called_before(const struct code_context *context,
				  const struct code_piece *piece);
/* "code for the door: X", "the code of your card is X" */
bool code_phrase_names(const struct code_context *context,
		       const struct code_piece *piece);
/* "X is your code" */
bool code_phrase_is_called_behind(const struct code_context *context,
				  const struct code_piece *piece);
/* "enter X", "type the word X". Letters with digits need no further hint. */
bool code_phrase_is_entered(const struct code_context *context,
			    const struct code_piece *piece);
/* "Password for your account at Northwind X." */
bool code_phrase_is_end_of_named_sentence(const struct code_context *context,
					  const struct code_piece *piece);
/* "We reset your password. The new one is X." */
bool code_phrase_is_named_before(const struct code_context *context,
				 const struct code_piece *piece);
/* "Authorise: X" */
bool code_phrase_is_behind_hint(const struct code_context *context,
				const struct code_piece *piece);
/* Any of the above, or alone on a line of a text that names a code. */
bool code_phrase_is_called(const struct code_context *context,
			   const struct code_piece *piece);
/* "order X", "EUR X", "X minutes": the number belongs to something else. */
bool code_phrase_is_of_something_else(const struct code_context *context,
				      const struct code_piece *piece);
/* A name of codes is fewer than `most` words away, and the number belongs to nothing else. */
bool code_phrase_is_near(const struct code_context *context,
			 const struct code_piece *piece, unsigned most);
/* A word of these kinds in the sentence, a few words before or after the piece. */
bool code_phrase_has_beside(const struct code_context *context,
			    const struct code_piece *piece, unsigned kinds);
/* "Confirm with X" */
bool code_phrase_is_means(const struct code_context *context,
			  const struct code_piece *piece);
/* "Send it to 36180": a recipient, not a code. */
bool code_phrase_is_receiver(const struct code_context *context,
			     const struct code_piece *piece);
/* The number belongs to something else. A phone number to call or text has no letters. */
bool code_phrase_is_other_number(const struct code_context *context,
				 const struct code_piece *piece);
/* "text X to 80808": a public keyword. */
bool code_phrase_is_keyword(const struct code_context *context,
			    const struct code_piece *piece);
/* A number follows in the sentence. */
bool code_phrase_has_number_behind(const struct code_context *context,
				   const struct code_piece *piece);

#endif
