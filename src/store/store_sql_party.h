/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The statements of opt-outs (store_party.c), for store_sql.c. */
#pragma once

/* opt_out.confirmed: 0 no, 1 the sender got the confirmation, 2 the owner decides first. */
#define OPT_OUT_ASKING "2"

#define STORE_SQL_PARTY_STATEMENTS                                                      \
	/* The first STOP counts: it is confirmed once. */                              \
	[OPT_OUT_SET] =                                                                 \
		"INSERT INTO opt_out (phone_number, at, word, message_id, confirmed)"   \
		" VALUES (?1, ?2, ?3, ?4, ?5)"                                          \
		" ON CONFLICT (phone_number) DO UPDATE SET at = excluded.at,"           \
		" confirmed = 0, message_id = excluded.message_id"                      \
		" WHERE confirmed = " OPT_OUT_ASKING " AND excluded.confirmed = 0",     \
	[OPT_OUT_CLEAR] = "DELETE FROM opt_out WHERE phone_number = ?1",                \
	[OPT_OUT_KNOWN] = "SELECT at, message_id FROM opt_out WHERE phone_number = ?1"  \
			  " AND confirmed <> " OPT_OUT_ASKING,                          \
	[OPT_OUT_ALL] = "SELECT phone_number, word, at, message_id,"                    \
			" confirmed = " OPT_OUT_ASKING " FROM opt_out ORDER BY id",     \
	[OPT_OUT_CONFIRM] = "UPDATE opt_out SET confirmed = 1 WHERE phone_number = ?1 " \
			    "AND confirmed = 0",
