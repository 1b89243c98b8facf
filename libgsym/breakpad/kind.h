/* SPDX-License-Identifier: MIT */
/*
 * breakpad/kind.h - tells from its first bytes how the text of a symbol file is
 * stored.
 */
#ifndef GSYM_BREAKPAD_KIND_H
#define GSYM_BREAKPAD_KIND_H

#include <stddef.h>
#include <stdint.h>

enum bp_kind {
	BP_PLAIN, /**< UTF-8 text, or no text at all */
	BP_GZIP,
	BP_ZSTD,
	BP_CABINET, /**< an archive of Windows */
	BP_UTF16,
};

/** The kind of a file that begins with the SIZE bytes at HEAD. */
enum bp_kind gsym_bp_kind(const uint8_t *head, size_t size);

#endif
