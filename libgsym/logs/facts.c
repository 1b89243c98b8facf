/* SPDX-License-Identifier: MIT */
/* Lines that say something about the frames near them. */
#include "config.h"

#include "logs/facts.h"

#include "logs/scan.h"

static const char *find(const char *at, const char *end, const char *word)
{
	size_t size = strlen(word);
	const char *found = memmem(at, (size_t)(end - at), word, size);

	return found ? found + size : NULL;
}

/* ---- the kernel ------------------------------------------------------ */

static bool is_release(struct logs_text text)
{
	for (size_t i = 0; i < text.size; i++)
		if (!logs_is_name(text.at[i]) && !strchr("+-~", text.at[i]))
			return false;
	return text.size && text.size <= 64 && logs_is_digit(*text.at) &&
	       !memmem(text.at, text.size, "..", 2);
}

/* The word that ends at END. */
static struct logs_text word_before(const char *at, const char *end)
{
	const char *from = end;

	while (from > at && from[-1] != ' ')
		from--;
	return logs_between(from, end);
}

/* "Not tainted 6.12.117 #1 7f76f39f", "Tainted: G  OE  6.12.117 #1" */
static bool tainted(const char *at, const char *end, struct logs_fact *ret)
{
	const char *from = find(at, end, "ainted"), *stop = from, *number;
	struct logs_text id;

	do {
		stop = stop ? find(stop, end, " #") : NULL;
		number = logs_decimal(stop, end);
	} while (stop && !number);
	if (!number)
		return false;
	ret->name = word_before(from, logs_trim(from, stop - 2));
	if (!is_release(ret->name))
		return false;
	id = word_before(number, logs_trim(number, end));
	if (id.size == 32 || id.size == 40) {
		size_t digits = 0;

		while (digits < id.size && gsym_digit(id.at[digits]) < 16)
			digits++;
		if (digits == id.size)
			ret->build_id = id;
	}
	return true;
}

/* "Linux version 6.12.117 (debian-kernel@...) #1 SMP" */
static bool version(const char *at, const char *end, struct logs_fact *ret)
{
	const char *from = find(at, end, "Linux version "), *stop = from;

	while (stop && stop < end && *stop != ' ')
		stop++;
	if (!from || !logs_word(stop, end, " ("))
		return false;
	ret->name = logs_between(from, stop);
	return is_release(ret->name);
}

static bool kernel(const char *at, const char *end, struct logs_fact *ret)
{
	ret->kind = LOGS_REPORT_END;
	if (find(at, end, "---[ end trace"))
		return true;
	ret->kind = LOGS_RELEASE;
	return tainted(at, end, ret) || version(at, end, ret);
}

/* ---- systemd --------------------------------------------------------- */

/* "Module libgeo.so with build-id 1899dc4c", "Found module a without
 * build-id." */
static bool module(const char *at, const char *end, struct logs_fact *ret)
{
	const char *name = find(at, end, "odule "), *stop, *id;

	stop = name ? find(name, end, " with build-id") : NULL;
	id = stop;
	if (stop) {
		stop -= strlen(" with build-id");
		id = logs_word(id, end, ":") ? id + 1 : id;
		id = logs_gap(id, end);
		ret->build_id = logs_between(id ? id : end, id ? id : end);
		while (id && id < end && gsym_digit(*id++) < 16)
			ret->build_id.size++;
	} else {
		stop = name ? find(name, end, " without build-id") : NULL;
		if (!stop)
			return false;
		stop -= strlen(" without build-id");
	}
	ret->name = logs_between(name, stop);
	return ret->name.size > 0;
}

static bool systemd(const char *at, const char *end, struct logs_fact *ret)
{
	const char *from = find(at, end, "Process ");

	ret->kind = LOGS_PROCESS;
	from = logs_word(logs_decimal(from, end), end, " (");
	if (from && find(from, end, ") of user "))
		return true;
	ret->kind = LOGS_MODULE;
	return module(at, end, ret);
}

/* ---- Android --------------------------------------------------------- */

/* "Build fingerprint: 'a/b/c:10/QP1A.190711.020/1:user/release-keys'" */
static bool fingerprint(const char *at, const char *end, struct logs_fact *ret)
{
	const char *from = find(at, end, "Build fingerprint: '");

	from = from ? memchr(from, ':', (size_t)(end - from)) : NULL;
	if (!from)
		return false;
	for (from++; from < end && logs_is_digit(*from); from++)
		if (ret->number < 1000)
			ret->number =
				10 * ret->number + (unsigned)(*from - '0');
	return ret->number > 0;
}

static bool android(const char *at, const char *end, struct logs_fact *ret)
{
	const char *from = find(at, end, "ABI: '");

	if (from) {
		const char *stop = memchr(from, '\'', (size_t)(end - from));

		ret->kind = LOGS_ABI;
		ret->name = logs_between(from, stop ? stop : end);
		return true;
	}
	ret->kind = LOGS_VERSION;
	if (fingerprint(at, end, ret))
		return true;
	ret->kind = LOGS_CRASH;
	return find(at, end, "*** *** *** ***");
}

static bool jvm(const char *at, const char *end, struct logs_fact *ret)
{
	ret->kind = LOGS_STACK;
	if (logs_word(at, end, "Stack: [0x"))
		return true;
	ret->kind = LOGS_NATIVE;
	return find(at, end, "Native frames:");
}

/* ---- Apple ----------------------------------------------------------- */

/* Step back over the UUID "<82d13d98219e3040b62a07a297007a7c>", which ends at
 * END.  RET becomes its digits, with the dashes that some reports have. */
static const char *before_uuid(const char *at, const char *end,
			       struct logs_text *ret)
{
	const char *open = end - 1;

	if (end == at || *open != '>')
		return NULL;
	while (open > at && (gsym_digit(open[-1]) < 16 || open[-1] == '-'))
		open--;
	*ret = logs_between(open, end - 1);
	return open > at && open[-1] == '<' && ret->size >= 32 ? open - 1
							       : NULL;
}

/* "0x102230000 - 0x102237fff App Name arm64  <82d13d98...> /path/App Name" */
static bool image(const char *at, const char *end, struct logs_fact *ret)
{
	const char *start = logs_find(at, end, "0x"), *stop;
	const char *path = logs_find(at, end, "> /");

	stop = logs_hex(start, end, &ret->start);
	stop = logs_word(logs_gap(stop, end), end, "-");
	stop = logs_hex(logs_gap(stop, end), end, &ret->last);
	if (!logs_gap(stop, end) || !path ||
	    !before_uuid(stop, path + 1, &ret->build_id) ||
	    ret->last < ret->start)
		return false;
	ret->name = logs_between(path + 2, logs_trim(path, end));
	return true;
}

/* "Process:             App Name [455]" */
static bool apple(const char *at, const char *end, struct logs_fact *ret)
{
	const char *process = logs_gap(find(at, end, "Process:"), end);
	const char *stop = logs_trim(at, end);

	ret->kind = LOGS_REPORT_JSON;
	/* The key as a string of JSON; or in a line of JSON, which other text
	 * may begin. */
	if ((end - at == 10 && memcmp(at, "parentProc", 10) == 0) ||
	    find(at, end, "\"parentProc\""))
		return true;
	ret->kind = LOGS_REPORT;
	if (process && stop > process && stop[-1] == ']' &&
	    logs_is_digit(stop[-2]))
		return true;
	ret->kind = LOGS_IMAGE;
	return image(at, end, ret);
}

/* ---- maps ------------------------------------------------------------ */

/* "7f2db7d39000-7f2db7d40000 r-xp 00000000 fe:00 4065345   /usr/lib/librt.so"
 * from AT on. */
static bool map_at(const char *at, const char *end, struct logs_fact *ret)
{
	const char *stop = logs_digits(at, end, &ret->start), *path;
	uint64_t number;

	stop = logs_digits(logs_word(stop, end, "-"), end, &ret->last);
	stop = logs_word(stop, end, " ");
	if (!stop || end - stop < 5 || !memchr("r-", stop[0], 2) ||
	    !memchr("w-", stop[1], 2) || !memchr("x-", stop[2], 2) ||
	    !memchr("ps", stop[3], 2) || ret->last <= ret->start)
		return false;
	ret->last--;
	stop = logs_digits(logs_gap(stop + 4, end), end, &ret->offset);
	stop = logs_word(logs_digits(logs_gap(stop, end), end, &number), end,
			 ":");
	stop = logs_digits(stop, end, &number);
	stop = logs_decimal(logs_gap(stop, end), end);
	if (!stop)
		return false;
	path = logs_gap(stop, end);
	if (logs_word(path, end, "/"))
		ret->name = logs_between(path, logs_trim(path, end));
	return true;
}

static bool map(const char *at, const char *end, struct logs_fact *ret)
{
	ret->kind = LOGS_MAP;
	for (const char *from = at; from < end; from++) {
		if (map_at(from, end, ret))
			return true;
		while (from < end && *from != ' ' && *from != '\t')
			from++;
	}
	return false;
}

bool gsym_logs_fact(unsigned logs, const char *at, const char *end,
		    struct logs_fact *ret)
{
	*ret = (struct logs_fact){ 0 };
	return (logs & GSYM_MARKUP_LOG_KERNEL && kernel(at, end, ret)) ||
	       (logs & GSYM_MARKUP_LOG_SYSTEMD && systemd(at, end, ret)) ||
	       (logs & GSYM_MARKUP_LOG_ANDROID && android(at, end, ret)) ||
	       (logs & GSYM_MARKUP_LOG_JVM && jvm(at, end, ret)) ||
	       (logs & GSYM_MARKUP_LOG_APPLE && apple(at, end, ret)) ||
	       (logs & GSYM_MARKUP_LOG_MAPS && map(at, end, ret));
}
