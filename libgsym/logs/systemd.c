/* SPDX-License-Identifier: MIT */
/*
 * Backtraces of systemd-coredump and of eu-stack -b:
 *
 *	#1  0x000055857dd1a1b2 n/a (/src/coredump/waiter + 0x11b2)
 *	    [0379de177ce0c0525a2c7973b983e6c7c1f1f16d]@0x55857dd19000+0x11b1
 *	#1  0x000055857dd1a1b2 n/a (/src/waiter (deleted) + 0x11b2)
 */
#include "config.h"

#include "logs/scan.h"

/* The second line of a frame of eu-stack -b. */
static bool eu_stack(const char *at, const char *end, struct logs_frame *ret)
{
	const char *digits = gsym_logs_hex_before(at, end, &ret->number);
	const char *open;
	uint64_t base;

	if (!digits || digits == at || digits[-1] != '+')
		return false;
	digits = gsym_logs_hex_before(at, digits - 1, &base);
	if (!digits || digits - at < 2 || digits[-1] != '@' ||
	    digits[-2] != ']')
		return false;
	open = logs_before_digits(at, digits - 2);
	ret->build_id = logs_between(open, digits - 2);
	if (open == at || open[-1] != '[' || ret->build_id.size < 8)
		return false;
	ret->start = open - 1;
	return true;
}

/* The "#N" before END that an address with 16 digits follows, at AT or after a
 * blank; *AFTER is the place after its digits, and *NAME that after the
 * address.  NULL if there is none. */
static const char *find_frame(const char *at, const char *end,
			      const char **after, const char **name,
			      struct logs_frame *ret)
{
	*after = at;
	while ((at = gsym_logs_number(*after, end, after))) {
		const char *digits = logs_gap(*after, end);
		const char *stop = logs_hex(digits, end, &ret->address);

		*name = NULL;
		if (stop && stop - digits == 18)
			*name = logs_gap(stop, end);
		if (*name)
			break;
	}
	return at;
}

static bool coredump(const char *at, const char *end, struct logs_frame *ret)
{
	const char *plus, *open, *after, *name = NULL, *stop;

	if (end == at || end[-1] != ')')
		return false;
	plus = gsym_logs_hex_before(at, end - 1, &ret->number);
	plus = plus ? logs_before(at, plus, " + ") : NULL;
	if (!plus)
		return false;
	ret->start = find_frame(at, plus, &after, &name, ret);
	open = name ? gsym_logs_last(name, plus, " (") : NULL;
	if (!open || open == name || open + 2 == plus)
		return false;
	stop = logs_before(open, plus, " (deleted)");
	if (stop)
		open = gsym_logs_last(name, stop, " (");
	if (!open || open == name)
		return false;
	ret->module = logs_between(open + 2, stop ? stop : plus);
	/* Code that is in no file. */
	if (logs_word(open, plus, " (n/a") == plus)
		return false;
	if (!logs_word(name, open, "n/a") || open - name != 3)
		ret->function = logs_between(name, open);
	ret->counts_from = LOGS_MAPPED;
	/* Frame 0 has the program counter itself. */
	ret->returns = after - ret->start != 2 || ret->start[1] != '0';
	return true;
}

static bool frame(const char *at, const char *end, struct logs_frame *ret)
{
	const char *stop = logs_trim(at, end);

	if (stop == at || (stop[-1] != ')' && gsym_digit(stop[-1]) >= 16))
		return false;
	logs_frame_to(end, ret);
	return coredump(at, stop, ret) || eu_stack(at, stop, ret);
}

/* "Module libgeo.so with build-id 1899dc4c", "Found module a without
 * build-id." */
static bool module(const char *at, const char *end, struct logs_fact *ret)
{
	static const char with[] = " with build-id";
	const char *name = logs_after(at, end, "odule ");
	const char *stop, *id;

	if (!name)
		return false;
	stop = logs_find(name, end, with);
	id = logs_word(stop, end, with);
	if (logs_word(id, end, ":"))
		id++;
	id = logs_gap(id, end);
	if (id)
		ret->build_id = logs_between(id, logs_over_digits(id, end));
	if (!stop)
		stop = logs_find(name, end, " without build-id");
	ret->name = logs_between(name, stop ? stop : name);
	return ret->name.size > 0;
}

static bool fact(const char *at, const char *end, struct logs_fact *ret)
{
	const char *from = logs_after(at, end, "Process ");

	ret->kind = LOGS_PROCESS;
	from = logs_word(logs_decimal(from, end), end, " (");
	if (from && logs_after(from, end, ") of user "))
		return true;
	ret->kind = LOGS_MODULE;
	return module(at, end, ret);
}

const struct logs_dialect gsym_logs_systemd = {
	.log = GSYM_MARKUP_LOG_SYSTEMD,
	.name = "systemd",
	.words = LOGS_WORD_SUM | LOGS_WORDS_UNSIZED | LOGS_WORD_BUILD_ID |
		 LOGS_WORD_PROCESS,
	.frame = frame,
	.second = gsym_logs_second_number,
	.fact = fact,
};
