/* SPDX-License-Identifier: MIT */
/* What the tests of frames and of facts share. */
#ifndef TESTS_UNIT_LOGS_EXPECT_H
#define TESTS_UNIT_LOGS_EXPECT_H

#include <criterion/criterion.h>
#include <string.h>

#include "logs/dialect.h"

#define ID "4e5b31cbda5fbf63a21efc0cbc37168753c6833f"
#define ANDROID GSYM_MARKUP_LOG_ANDROID
#define SANITIZER GSYM_MARKUP_LOG_SANITIZER
#define SYSTEMD GSYM_MARKUP_LOG_SYSTEMD
#define JVM GSYM_MARKUP_LOG_JVM
#define GENERIC GSYM_MARKUP_LOG_GENERIC
#define GLIBC GSYM_MARKUP_LOG_GLIBC
#define KERNEL GSYM_MARKUP_LOG_KERNEL
#define APPLE GSYM_MARKUP_LOG_APPLE
#define MAPS GSYM_MARKUP_LOG_MAPS
#define STRACE GSYM_MARKUP_LOG_STRACE
#define PYTORCH GSYM_MARKUP_LOG_PYTORCH

/* Expect that WHAT was read of LINE is WANTED; NULL: nothing. */
static inline void expect_text(struct logs_text got, const char *wanted,
			       const char *what, const char *line)
{
	if (!wanted)
		wanted = "";
	cr_expect(got.size == strlen(wanted) &&
			  (!got.size ||
			   memcmp(got.at, wanted, got.size) == 0),
		  "%s of '%s': '%.*s', not '%s'", what, line, (int)got.size,
		  got.at, wanted);
}

#endif
