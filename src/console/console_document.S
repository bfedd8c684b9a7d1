/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The console as make composed it. Every assembler can include the bytes of a file, so building
 * needs nothing but the compiler.
 */
	.section .rodata
	.global console_document_begin
	.hidden console_document_begin
	.global console_document_end
	.hidden console_document_end
	.balign 16
console_document_begin:
	.incbin CONSOLE_DOCUMENT
console_document_end:
	.byte 0
	.section .note.GNU-stack, "", %progbits
