/* SPDX-License-Identifier: MIT */
/* The names of warnings. */
#include <gsym/convert.h>

const char *gsym_warning_name(enum gsym_warning kind)
{
	static const char *const names[GSYM_WARN_COUNT] = {
		[GSYM_WARN_NO_DEBUG_INFO] = "no-debug-info",
		[GSYM_WARN_BAD_UNIT] = "bad-unit",
		[GSYM_WARN_BAD_DIE] = "bad-die",
		[GSYM_WARN_BAD_RANGES] = "bad-ranges",
		[GSYM_WARN_BAD_LINE_TABLE] = "bad-line-table",
		[GSYM_WARN_BAD_FILE_INDEX] = "bad-file-index",
		[GSYM_WARN_NO_NAME] = "no-name",
		[GSYM_WARN_DUPLICATE_RANGE] = "duplicate-range",
		[GSYM_WARN_UNCONTAINED_INLINE] = "uncontained-inline",
		[GSYM_WARN_DEAD_CODE] = "dead-code",
		[GSYM_WARN_MISSING_FILE] = "missing-file",
		[GSYM_WARN_BAD_SECTION] = "bad-section",
		[GSYM_WARN_BAD_SYMBOL] = "bad-symbol",
		[GSYM_WARN_SIZE_LIMIT] = "size-limit",
		[GSYM_WARN_BAD_RELOCATION] = "bad-relocation",
		[GSYM_WARN_BAD_RECORD] = "bad-record",
		[GSYM_WARN_ORPHAN] = "orphan",
		[GSYM_WARN_CONFLICT] = "conflict",
		[GSYM_WARN_UNKNOWN_RECORD] = "unknown-record",
		[GSYM_WARN_GO_TABLE] = "go-table",
		[GSYM_WARN_BAD_GO_TABLE] = "bad-go-table",
		[GSYM_WARN_IDENTITY] = "identity",
		[GSYM_WARN_WORK_LIMIT] = "work-limit",
		[GSYM_WARN_OVERLAP] = "overlap",
		[GSYM_WARN_CONTRADICTION] = "contradiction",
	};

	return (unsigned)kind < GSYM_WARN_COUNT ? names[kind] : NULL;
}
