/* SPDX-License-Identifier: MIT */
/*
 * Reports of rust-minidump's minidump-stackwalk in JSON, which is one line or,
 * with --pretty, many (its json-schema.md):
 *
 *	{"crash_info":{...},"modules":[{...,"code_id":"0123...",
 *	"filename":"prog",...}],"threads":[{"frames":[{"file":null,"frame":0,
 *	"function":null,...,"line":null,...,"module":"prog",
 *	"module_offset":"0x0000000000004000",...,"trust":"context",...}]
 *
 * Frame 0 of a thread has the program counter; others have the return address
 * less 1.
 */
#include "config.h"

#include "logs/scan.h"

/* Whether a value at AT is that of the key "file", "function" or "line", which
 * becomes *RET. */
static bool key_before(const char *start, const char *at, enum logs_value *ret)
{
	static const char *const keys[] = {
		[LOGS_VALUE_FUNCTION] = "\"function\"",
		[LOGS_VALUE_FILE] = "\"file\"",
		[LOGS_VALUE_LINE] = "\"line\"",
	};
	const char *end = logs_trim(start, at);

	if (end == start || *--end != ':')
		return false;
	end = logs_trim(start, end);
	for (*ret = LOGS_VALUE_FUNCTION; *ret <= LOGS_VALUE_LINE; ++*ret)
		if (logs_before(start, end, keys[*ret]))
			return true;
	return false;
}

/* The next value null of a frame. */
static bool next(struct logs_text report, const char *at, const char *end,
		 struct logs_frame *ret)
{
	static const char word[] = "null";

	for (; (at = logs_find(at, end, word)); at += sizeof(word) - 1) {
		const char *open, *close, *offset;
		enum logs_value value;

		if (!key_before(report.at, at, &value) ||
		    !gsym_logs_object_at(report, at, &open, &close))
			continue;
		*ret = (struct logs_frame){
			.start = open,
			.insert = at,
			.resume = at + sizeof(word) - 1,
			.value = value,
			.counts_from = LOGS_MAPPED,
			.module = json_string_of(open, close, "\"module\""),
			.function = json_string_of(open, close, "\"function\""),
			.called = true,
		};
		offset = json_string_of(open, close,
					"\"module_offset\"").at;
		if (!ret->module.size || ret->function.size ||
		    !logs_hex(offset, close, &ret->number))
			continue;
		ret->returns = !logs_word(
			json_value_of(open, close, "\"trust\""), close,
			"\"context\"");
		return true;
	}
	return false;
}

/* The next module that has a build ID. */
static bool module(struct logs_text report, const char **at, uint64_t index,
		   struct logs_fact *ret)
{
	/* Smaller IDs are no build IDs. */
	enum { LEAST_DIGITS = 32 };
	const char *stop = report.at + report.size;

	(void)index;
	if (!*at)
		*at = report.at;
	while ((*at = logs_find(*at, stop, "\"code_id\""))) {
		const char *open, *close;

		if (!gsym_logs_object_at(report, (*at)++, &open, &close))
			continue;
		*ret = (struct logs_fact){
			.kind = LOGS_MODULE,
			.name = json_string_of(open, close, "\"filename\""),
			.build_id = json_string_of(open, close, "\"code_id\""),
		};
		if (ret->name.size && ret->build_id.size >= LEAST_DIGITS)
			return true;
	}
	return false;
}

static bool is_whole(const char *at, const char *end)
{
	return logs_word(at, end, "{\"crash_info\":") &&
	       logs_trim(at, end)[-1] == '}';
}

/* The last line ends all of the report. */
static unsigned part(const char *at, const char *end)
{
	if (end - at == 1 && *at == '}')
		return LOGS_LIST_BEGINS | LOGS_LIST_ENDS;
	return at == end || *at != ' ' ? LOGS_NO_PART : 0;
}

static const struct logs_report report = {
	.part = part,
	.is_whole = is_whole,
	.module = module,
	.next = next,
};

/* Among the first lines of a report of many lines. */
static bool fact(const char *at, const char *end, struct logs_fact *ret)
{
	ret->kind = LOGS_REPORT_JSON;
	return logs_word(logs_blanks(at, end), end,
			 "\"adjusted_address\": ");
}

const struct logs_dialect gsym_logs_stackwalk = {
	.log = GSYM_MARKUP_LOG_STACKWALK,
	.name = "stackwalk",
	.words = LOGS_WORD_ADJUSTED,
	.fact = fact,
	.wait = { LOGS_MODULE, false },
	.report = &report,
	.fresh = true,
};
