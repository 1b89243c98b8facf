/* SPDX-License-Identifier: MIT */
/*
 * breakpad/kind.h - finds out, from the first bytes of a symbol file, how its
 * text is stored.
 */
#ifndef GSYM_BREAKPAD_KIND_H
#define GSYM_BREAKPAD_KIND_H

#include <stddef.h>
#include <stdint.h>

enum bp_kind {
	BP_PLAIN, /**< UTF-8 text, or no symbol file */
	BP_GZIP,
	BP_ZSTD,
	BP_CABINET, /**< cabinet, an archive of Windows */
	BP_UTF16,
};

/** The kind of a file that begins with the SIZE bytes at HEAD. */
enum bp_kind gsym_bp_kind(const uint8_t *head, size_t size);

#endif
