/* SPDX-License-Identifier: MIT */
#include <criterion/criterion.h>
#include <string.h>

#include "common/out.h"
#include "unit/common/capture.h"

/* Expect that json_escape writes BYTES as WANTED. */
static void expect_string(const char *bytes, const char *wanted)
{
	struct out out;
	capture_start(&out, OUT_COLOUR_NEVER);
	json_escape(&out, bytes, strlen(bytes));
	char *got = capture_end(&out, NULL);
	cr_expect_str_eq(got, wanted);
	free(got);
}

Test(json, escapes_what_json_needs)
{
	expect_string("", "");
	expect_string("plain", "plain");
	expect_string("a\"b\\c/d", "a\\\"b\\\\c/d");
	expect_string("\n\t\r\x01\x1f", "\\u000a\\u0009\\u000d\\u0001\\u001f");
	expect_string("\x7f", "\\u007f");
	/* json_escape tests eight bytes at a time: try all positions. */
	for (int at = 0; at < 17; at++) {
		char text[] = "abcdefghijklmnopq", wanted[40];
		text[at] = '"';
		snprintf(wanted, sizeof(wanted), "%.*s\\\"%s", at, text,
			 text + at + 1);
		expect_string(text, wanted);
		text[at] = '\x1f';
		snprintf(wanted, sizeof(wanted), "%.*s\\u001f%s", at, text,
			 text + at + 1);
		expect_string(text, wanted);
	}
}

Test(json, escapes_at_any_place_of_texts_of_any_length)
{
	static const char special[] = { '"', '\\', '\x1f', '\x7f' };
	for (size_t length = 1; length <= 70; length++)
		for (size_t at = 0; at < length; at++) {
			struct out out;
			/* Bytes after the text do not count. */
			char text[80], c = special[(at + length) % 4];
			memset(text, '"', sizeof(text));
			memset(text, 'a', length);
			text[at] = c;
			capture_start(&out, OUT_COLOUR_NEVER);
			json_escape(&out, text, length);
			size_t size;
			char *got = capture_end(&out, &size);
			size_t more = c == '"' || c == '\\' ? 1 : 5;
			cr_assert_eq(size, length + more, "%zu of %zu", at,
				     length);
			cr_assert_eq(got[at], '\\');
			cr_assert(memcmp(got, text, at) == 0);
			cr_assert(memcmp(got + at + more + 1, text + at + 1,
					 length - at - 1) == 0);
			free(got);
		}
}

Test(json, leaves_utf8_alone)
{
	expect_string("\xc3\xa4", "\xc3\xa4");
	expect_string("\xe0\xa0\x80 \xed\x9f\xbf \xee\x80\x80",
		      "\xe0\xa0\x80 \xed\x9f\xbf \xee\x80\x80");
	expect_string("\xf0\x90\x80\x80 \xf4\x8f\xbf\xbf",
		      "\xf0\x90\x80\x80 \xf4\x8f\xbf\xbf");
	/* Some readers take C1 controls and line separators for line ends. */
	expect_string("\xc2\x85 \xc2\xa0", "\\u0085 \xc2\xa0");
	expect_string("\xe2\x80\xa7\xe2\x80\xa8\xe2\x80\xa9",
		      "\xe2\x80\xa7\\u2028\\u2029");
	/* Marks that change the direction of text. */
	expect_string("\xd8\x9c\xd8\x9d\xe2\x80\x8e\xe2\x80\xaa",
		      "\\u061c\xd8\x9d\\u200e\\u202a");
	expect_string("\xe2\x80\xae\xe2\x80\xaf\xe2\x81\xa6\xe2\x81\xaa",
		      "\\u202e\xe2\x80\xaf\\u2066\xe2\x81\xaa");
}

Test(json, replaces_each_byte_that_is_no_utf8)
{
	expect_string("a\xff" "b", "a\\ufffdb");
	expect_string("\x80", "\\ufffd");
	expect_string("\xc3", "\\ufffd");
	expect_string("\xc0\xaf", "\\ufffd\\ufffd");
	expect_string("\xe0\x80\x80", "\\ufffd\\ufffd\\ufffd");
	expect_string("\xed\xa0\x80", "\\ufffd\\ufffd\\ufffd");
	expect_string("\xf0\x8f\xbf\xbf", "\\ufffd\\ufffd\\ufffd\\ufffd");
	expect_string("\xf4\x90\x80\x80", "\\ufffd\\ufffd\\ufffd\\ufffd");
	expect_string("\xe2\x82", "\\ufffd\\ufffd");
	expect_string("\xe2\x82x", "\\ufffd\\ufffdx");
}

Test(json, takes_strings_longer_than_any_buffer)
{
	const size_t length = 3 * OUT_CAPACITY + 7;
	char *text = malloc(length + 1);
	for (size_t i = 0; i < length; i++)
		text[i] = i % 3 == 0 ? '\xc3' : i % 3 == 1 ? '\xa4' : '\n';
	text[length] = 0;
	struct out out;
	size_t size;
	capture_start(&out, OUT_COLOUR_NEVER);
	json_escape(&out, text, length);
	char *got = capture_end(&out, &size);
	size_t full = length / 3, rest = length % 3;
	cr_assert_eq(rest, 1, "the last character is half a sequence");
	cr_assert_eq(size, full * 8 + 6);
	for (size_t i = 0; i < full; i++)
		cr_assert(memcmp(got + 8 * i, "\xc3\xa4\\u000a", 8) == 0);
	cr_assert_str_eq(got + full * 8, "\\ufffd");
	free(got);
	free(text);
}

Test(json, puts_commas_between_members)
{
	struct out out;
	struct json json;
	capture_start(&out, OUT_COLOUR_NEVER);
	json_init(&json, &out);
	json_object(&json, NULL);
	json_string(&json, "s", "x");
	json_array(&json, "empty");
	json_end(&json);
	json_array(&json, "a");
	json_number(&json, NULL, 1);
	json_object(&json, NULL);
	json_end(&json);
	json_object(&json, NULL);
	json_bool(&json, "t", true);
	json_bool(&json, "f", false);
	json_null(&json, "n");
	json_end(&json);
	json_end(&json);
	json_hex(&json, "h", UINT64_MAX);
	json_bytes(&json, "b", (const uint8_t *)"\x00\xfe", 2);
	json_end(&json);
	json_line(&json);
	json_array(&json, NULL);
	json_end(&json);
	json_line(&json);
	char *got = capture_end(&out, NULL);
	cr_assert_str_eq(got,
			 "{\"s\":\"x\",\"empty\":[],\"a\":[1,{},{\"t\":true,"
			 "\"f\":false,\"n\":null}],\"h\":\"0xffffffffffffffff\""
			 ",\"b\":\"00fe\"}\n[]\n");
	free(got);
}

/* Expect that json_path writes DIRECTORY and BASE as WANTED. */
static void expect_path(const char *directory, const char *base,
			const char *wanted)
{
	struct out out;
	struct json json;
	capture_start(&out, OUT_COLOUR_NEVER);
	json_init(&json, &out);
	json_path(&json, NULL, directory, base);
	char *got = capture_end(&out, NULL);
	cr_expect_str_eq(got, wanted);
	free(got);
}

Test(json, joins_paths)
{
	expect_path("", "a.c", "\"a.c\"");
	expect_path("/src", "a.c", "\"/src/a.c\"");
	expect_path("/", "a.c", "\"/a.c\"");
	expect_path("C:\\src", "a.c", "\"C:\\\\src\\\\a.c\"");
	expect_path("C:\\", "a.c", "\"C:\\\\a.c\"");
	expect_path("C:\\src/x", "a.c", "\"C:\\\\src/x/a.c\"");
	expect_path("src", "", "\"src/\"");
}

Test(json, data_that_is_no_utf8_is_numbers)
{
	static const struct {
		const char *bytes;
		size_t size;
		bool text;
		const char *wanted;
	} rows[] = {
		{ "", 0, true, "{\"d\":\"\"}" },
		{ "a\xc3\xa4\"", 4, true, "{\"d\":\"a\xc3\xa4\\\"\"}" },
		{ "\x00\x01\xfe" "b", 4, false,
		  "{\"d\":\"\\u0000\\u0001\\u00feb\"}" },
		/* An incomplete sequence, and an overlong one. */
		{ "\xc3", 1, false, "{\"d\":\"\\u00c3\"}" },
		{ "\xc0\xaf", 2, false, "{\"d\":\"\\u00c0\\u00af\"}" },
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct out out;
		struct json json;
		capture_start(&out, OUT_COLOUR_NEVER);
		json_init(&json, &out);
		json_object(&json, NULL);
		cr_expect_eq(json_data(&json, "d",
				       (const uint8_t *)rows[i].bytes,
				       rows[i].size),
			     rows[i].text, "row %zu", i);
		json_end(&json);
		char *got = capture_end(&out, NULL);
		cr_expect_str_eq(got, rows[i].wanted);
		free(got);
	}
}

/* As llvm-symbolizer -p writes it. */
Test(json, pretty)
{
	struct out out;
	struct json json;
	capture_start(&out, OUT_COLOUR_NEVER);
	json_init(&json, &out);
	json.pretty = true;
	json_array(&json, NULL);
	json_object(&json, NULL);
	json_number(&json, "a", 1);
	json_array(&json, "b");
	json_end(&json);
	json_array(&json, "c");
	json_string(&json, NULL, "x");
	json_end(&json);
	json_end(&json);
	json_object(&json, NULL);
	json_end(&json);
	json_end(&json);
	json_line(&json);
	char *got = capture_end(&out, NULL);
	cr_expect_str_eq(got, "[\n"
			      "  {\n"
			      "    \"a\": 1,\n"
			      "    \"b\": [],\n"
			      "    \"c\": [\n"
			      "      \"x\"\n"
			      "    ]\n"
			      "  },\n"
			      "  {}\n"
			      "]\n");
	free(got);
}
