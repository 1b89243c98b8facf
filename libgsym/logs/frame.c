/* SPDX-License-Identifier: MIT */
/* The choice of the recogniser for a line. */
#include "config.h"

#include "logs/scan.h"

bool gsym_logs_frame(unsigned logs, const char *at, const char *from,
		     const char *end, struct logs_frame *ret)
{
	static const struct {
		unsigned log;
		bool (*find)(const char *at, const char *end,
			     struct logs_frame *ret);
	} forms[] = {
		{ GSYM_MARKUP_LOG_ANDROID, gsym_logs_android },
		{ GSYM_MARKUP_LOG_SANITIZER, gsym_logs_sanitizer },
		{ GSYM_MARKUP_LOG_SYSTEMD, gsym_logs_systemd },
		{ GSYM_MARKUP_LOG_JVM, gsym_logs_jvm },
		{ GSYM_MARKUP_LOG_APPLE, gsym_logs_apple },
		{ GSYM_MARKUP_LOG_GENERIC, gsym_logs_generic },
		{ GSYM_MARKUP_LOG_GLIBC, gsym_logs_glibc },
		{ GSYM_MARKUP_LOG_MAPS, gsym_logs_maps },
	};

	for (size_t i = 0; from == at && i < sizeof(forms) / sizeof(*forms);
	     i++)
		if (logs & forms[i].log && forms[i].find(at, end, ret))
			return true;
	return logs & GSYM_MARKUP_LOG_KERNEL &&
	       gsym_logs_kernel(at, from, end, ret);
}
