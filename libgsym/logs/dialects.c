/* SPDX-License-Identifier: MIT */
/* The dialects, and the choice of the one that a line is in. */
#include "config.h"

#include "logs/dialect.h"

#define ADDRESS(name) &gsym_logs_##name,
const struct logs_dialect *const gsym_logs_dialects[LOGS_FORMS] = {
	LOGS_DIALECTS(ADDRESS)
};

const struct logs_dialect *gsym_logs_dialect(enum gsym_markup_log log)
{
	size_t i = 0;

	while (gsym_logs_dialects[i]->log != log)
		i++;
	return gsym_logs_dialects[i];
}

bool gsym_logs_frame(unsigned logs, const char *at, const char *from,
		     const char *end, struct logs_frame *ret)
{
	if (from > at)
		return ret->dialect->frames &&
		       ret->dialect->frames(at, from, end, ret);
	for (size_t i = 0; i < LOGS_FORMS; i++) {
		const struct logs_dialect *d = gsym_logs_dialects[i];

		if (!(logs & d->log) ||
		    !(d->frame ? d->frame(at, end, ret)
			       : d->frames(at, at, end, ret)))
			continue;
		ret->log = d->log;
		ret->dialect = d;
		return true;
	}
	return false;
}

bool gsym_logs_fact(unsigned logs, const char *at, const char *end,
		    struct logs_fact *ret)
{
	for (size_t i = 0; i < LOGS_FORMS; i++) {
		const struct logs_dialect *d = gsym_logs_dialects[i];

		*ret = (struct logs_fact){ .log = d->log };
		if (logs & d->log && d->fact && d->fact(at, end, ret))
			return true;
	}
	return false;
}

unsigned gsym_logs_announced(unsigned logs, const char *bytes, size_t size)
{
	unsigned words = gsym_logs_words(bytes, size);

	for (size_t i = 0; i < LOGS_FORMS; i++) {
		const struct logs_dialect *d = gsym_logs_dialects[i];

		if (d->words && !(d->words & words))
			logs &= ~(unsigned)d->log;
	}
	return logs;
}
