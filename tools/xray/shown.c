/* SPDX-License-Identifier: MIT */
/* Times and names in the form in which people read them. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/report.h"
#include "xray/xray.h"

int xray_time_text(double value, bool ticks, const char *micro, char *to,
		   size_t size)
{
	const struct {
		const char *name;
		double size; /* nanoseconds */
	} units[] = { { "s", 1e9 }, { "ms", 1e6 }, { micro, 1e3 } };
	for (size_t i = 0; !ticks && i < sizeof(units) / sizeof(units[0]);
	     i++) {
		double n = value / units[i].size;
		/* 999.95 us would be written as 1000.0 us. */
		if (n < 0.99995)
			continue;
		return snprintf(to, size, "%.*f %s",
				n < 9.9995	? 3
				: n < 99.995 ? 2
				: n < 999.95 ? 1
					     : 0,
				n, units[i].name);
	}
	return snprintf(to, size, "%.0f%s", value, ticks ? "" : " ns");
}

/* Bytes of "(anonymous namespace)" at AT; 0 if AT begins with something
 * else. */
static size_t anonymous(const char *at)
{
	static const char name[] = "(anonymous namespace)";
	return strncmp(at, name, sizeof(name) - 1) == 0 ? sizeof(name) - 1 : 0;
}

/* The start of the function's own name in TEXT, which may begin with the type
 * that a template function returns. */
static const char *without_type(const char *text)
{
	const char *parenthesis = strchr(text, '('), *at = text;
	if (!parenthesis || anonymous(parenthesis))
		return text;
	for (const char *p = text; p < parenthesis; p++)
		if (*p == ' ')
			at = p + 1;
	return at;
}

char *xray_short_name(const char *name)
{
	/* "..." may replace a single character. */
	char *text = malloc(3 * strlen(name) + 1), *to = text, *result;
	unsigned depth = 0;
	if (!text)
		die("out of memory");
	/* Angle brackets of operators are not those of templates. */
	if (strstr(name, "operator") || strstr(name, "lambda"))
		return strcpy(text, name);
	while (*name) {
		size_t kept = depth ? 0 : anonymous(name);
		if (kept) {
			memcpy(to, name, kept);
			to += kept;
			name += kept;
			continue;
		}
		if (*name == '<' || *name == '(') {
			if (!depth++)
				*to++ = *name;
		} else if (depth && (*name == '>' || *name == ')')) {
			if (!--depth) {
				if (name[-1] != to[-1])
					to = stpcpy(to, "...");
				*to++ = *name;
			}
		} else if (!depth) {
			*to++ = *name;
		}
		name++;
	}
	*to = 0;
	result = strdup(without_type(text));
	free(text);
	if (!result)
		die("out of memory");
	return result;
}
