/* SPDX-License-Identifier: MIT */
/* The choice of the recogniser for a line. */
#include "config.h"

#include "logs/scan.h"

/* The forms, in the order in which a line is tried.  The kernel's recogniser is
 * of another kind. */
static const struct {
	enum gsym_markup_log log;
	const char *name;
	bool (*find)(const char *at, const char *end, struct logs_frame *ret);
} forms[LOGS_FORMS] = {
	{ GSYM_MARKUP_LOG_ANDROID, "android", gsym_logs_android },
	{ GSYM_MARKUP_LOG_SANITIZER, "sanitizer", gsym_logs_sanitizer },
	{ GSYM_MARKUP_LOG_SYSTEMD, "systemd", gsym_logs_systemd },
	{ GSYM_MARKUP_LOG_JVM, "jvm", gsym_logs_jvm },
	{ GSYM_MARKUP_LOG_APPLE, "apple", gsym_logs_apple },
	{ GSYM_MARKUP_LOG_GENERIC, "generic", gsym_logs_generic },
	/* Its lines look like lines of glibc. */
	{ GSYM_MARKUP_LOG_STRACE, "strace", gsym_logs_strace },
	{ GSYM_MARKUP_LOG_GLIBC, "glibc", gsym_logs_glibc },
	{ GSYM_MARKUP_LOG_MAPS, "maps", gsym_logs_maps },
	{ GSYM_MARKUP_LOG_KERNEL, "kernel", NULL },
};

const char *gsym_logs_name(enum gsym_markup_log log)
{
	size_t i = 0;

	while (forms[i].log != log)
		i++;
	return forms[i].name;
}

bool gsym_logs_frame(unsigned logs, const char *at, const char *from,
		     const char *end, struct logs_frame *ret)
{
	for (size_t i = 0; from == at && i < LOGS_FORMS; i++)
		if (logs & forms[i].log && forms[i].find &&
		    forms[i].find(at, end, ret))
			return true;
	return logs & GSYM_MARKUP_LOG_KERNEL &&
	       gsym_logs_kernel(at, from, end, ret);
}
