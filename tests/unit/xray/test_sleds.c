/* SPDX-License-Identifier: MIT */
/* Instrumentation maps, from the sections of a binary, which are built here,
 * and from text. */
#include "traces.h"

/* The sections xray_instr_map and xray_fn_idx of a binary. */
struct binary {
	struct trace sleds, index;
	struct gsym_xray_section section, index_section;
};

enum { SLEDS_AT = 0x2001, INDEX_AT = 0x3000 };

static void put_sled(struct trace *t, unsigned word, uint64_t sled,
		     uint64_t function, unsigned kind, unsigned version)
{
	size_t end = t->size + 4 * word;
	uint64_t place = version >= 2 ? SLEDS_AT + t->size : 0;

	put(t, sled - place, word);
	put(t, function - (version >= 2 ? place + word : 0), word);
	put(t, kind, 1);
	put(t, 1, 1);
	put(t, version, 1);
	while (t->size < end)
		put(t, 0, 1);
}

static struct gsym_xray_section section_of(const struct trace *t,
					   unsigned word, uint64_t address)
{
	return (struct gsym_xray_section){
		.data = t->bytes, .size = t->size, .address = address,
		.word = word, .big_endian = t->big,
	};
}

/* Two functions: 0x1000 with an entry and an exit, 0x1100 with an entry that
 * logs its argument and a tail exit. */
static void fill(struct binary *b, unsigned word, bool big, unsigned version)
{
	*b = (struct binary){ .sleds.big = big, .index.big = big };
	put_sled(&b->sleds, word, 0x1000, 0x1000, 0, version);
	put_sled(&b->sleds, word, 0x1010, 0x1000, 1, version);
	put_sled(&b->sleds, word, 0x1108, 0x1100, 3, version);
	put_sled(&b->sleds, word, 0x1120, 0x1100, 2, version);
	b->section = section_of(&b->sleds, word, SLEDS_AT);
}

static struct gsym_xray_map *open_map(const struct binary *b)
{
	struct gsym_xray_map *map = NULL;
	struct gsym_error error = { 0 };

	gsym_xray_map_open(&b->section, 1, &map, &error);
	cr_assert(map, "%s", error.message);
	return map;
}

static uint32_t count_sleds(const struct gsym_xray_map *map)
{
	struct gsym_xray_sled sled;
	uint32_t count = 0;

	while (gsym_xray_map_sled_at(map, count, &sled) == GSYM_OK)
		count++;
	return count;
}

Test(sleds, every_version_word_and_byte_order)
{
	for (unsigned i = 0; i < 12; i++) {
		unsigned word = i & 1 ? 4 : 8, kinds;
		struct gsym_xray_sled sled;
		struct binary b;
		uint64_t address;

		fill(&b, word, i & 2, i / 4);
		struct gsym_xray_map *map = open_map(&b);
		cr_expect(gsym_xray_map_functions(map) == 2 &&
			  count_sleds(map) == 4);
		cr_expect(gsym_xray_map_function(map, 1, &address, &kinds) ==
			  GSYM_OK && address == 0x1000 && kinds == 3);
		cr_expect(gsym_xray_map_function(map, 2, &address, &kinds) ==
			  GSYM_OK && address == 0x1100 &&
			  kinds == (1 << 3 | 1 << 2));
		cr_expect(gsym_xray_map_function(map, 3, &address, &kinds) ==
			  GSYM_NOT_FOUND);
		cr_expect(gsym_xray_map_function(map, 0, &address, &kinds) ==
			  GSYM_NOT_FOUND);
		cr_expect(gsym_xray_map_sled_at(map, 2, &sled) == GSYM_OK &&
			  sled.address == 0x1108 && sled.function == 2 &&
			  sled.kind == 3 && sled.always &&
			  sled.version == i / 4 && !sled.name);
		cr_expect(!gsym_xray_map_name(map, 1));
		gsym_xray_map_close(map);
	}
}

Test(sleds, no_whole_number_of_sleds_or_another_version_is_refused)
{
	struct gsym_xray_map *map = NULL;
	struct gsym_error error = { 0 };
	struct binary b;

	fill(&b, 8, false, 2);
	b.section.size--;
	cr_expect(gsym_xray_map_open(&b.section, 1, &map, &error) ==
		  GSYM_ERR_CORRUPT);
	fill(&b, 8, false, 3);
	cr_expect(gsym_xray_map_open(&b.section, 1, &map, &error) ==
			  GSYM_ERR_UNSUPPORTED &&
		  strstr(error.message, "version 3"));
}

/* An object's functions are in sections of their own, and their numbers go
 * on. */
Test(sleds, several_sections)
{
	struct trace tables[2] = { 0 };
	struct gsym_xray_section sections[2];
	struct gsym_xray_map *map = NULL;
	struct gsym_xray_sled sled;

	put_sled(&tables[0], 8, 0x1000, 0x1000, 0, 0);
	put_sled(&tables[1], 8, 0x1100, 0x1100, 0, 0);
	put_sled(&tables[1], 8, 0x1110, 0x1100, 1, 0);
	for (unsigned i = 0; i < 2; i++)
		sections[i] = section_of(&tables[i], 8, SLEDS_AT);
	cr_assert(gsym_xray_map_open(sections, 2, &map, NULL) == GSYM_OK);
	cr_expect(gsym_xray_map_functions(map) == 2 && count_sleds(map) == 3);
	cr_assert(gsym_xray_map_sled_at(map, 1, &sled) == GSYM_OK);
	cr_expect(sled.address == 0x1100 && sled.function == 2);
	gsym_xray_map_close(map);
	sections[1].size--;
	cr_expect(gsym_xray_map_open(sections, 2, &map, NULL) ==
		  GSYM_ERR_CORRUPT);
	cr_assert(gsym_xray_map_open(sections, 0, &map, NULL) == GSYM_OK);
	cr_expect(count_sleds(map) == 0);
	gsym_xray_map_close(map);
}

static enum gsym_status check(struct binary *b, unsigned word)
{
	struct gsym_xray_map *map = open_map(b);
	enum gsym_status status;

	b->index_section = section_of(&b->index, word, INDEX_AT);
	status = gsym_xray_map_check_index(map, &b->section,
					   &b->index_section, NULL);
	gsym_xray_map_close(map);
	return status;
}

Test(sleds, the_index_is_checked_in_both_formats)
{
	for (unsigned i = 0; i < 4; i++) {
		unsigned word = i & 1 ? 4 : 8;
		struct binary b;

		/* Today's format: a relative address, the number of sleds. */
		fill(&b, word, i & 2, 2);
		put(&b.index, SLEDS_AT - INDEX_AT, word);
		put(&b.index, 2, word);
		put(&b.index, UINT64_C(6) * word + SLEDS_AT - INDEX_AT, word);
		put(&b.index, 2, word);
		cr_expect(check(&b, word) == GSYM_OK);
		b.index.bytes[i & 2 ? word * 4 - 1 : word * 3] = 1;
		cr_expect(check(&b, word) == GSYM_ERR_CORRUPT);

		/* The old format: the addresses of begin and end. */
		fill(&b, word, i & 2, 2);
		for (unsigned k = 0; k < 4; k++)
			put(&b.index, SLEDS_AT + (k + 1) / 2 * 8 * word, word);
		cr_expect(check(&b, word) == GSYM_OK);
		b.index.size -= 2 * word;
		cr_expect(check(&b, word) == GSYM_ERR_CORRUPT);
	}
}

/* ---- text ---------------------------------------------------------------- */

static struct gsym_xray_map *parse(const char *text)
{
	struct gsym_xray_map *map = NULL;
	struct gsym_error error = { 0 };
	/* A block of this size lets a sanitizer notice reads beyond it. */
	size_t size = strlen(text);
	char *copy = malloc(size ? size : 1);

	memcpy(copy, text, size);
	gsym_xray_map_parse(copy, size, &map, &error);
	free(copy);
	cr_assert(map, "%s", error.message);
	return map;
}

Test(sledtext, what_llvm_prints)
{
	struct gsym_xray_map *map = parse(
		"---\n"
		"- { id: 1, address: 0x1031E, function: 0x10300, kind: "
		"function-enter, always-instrument: true, function-name: "
		"'a ''b', version: 2 }\n"
		"- { id: 1, address: 66342, function: 66304, kind: tail-exit, "
		"always-instrument: false, function-name: '' }\n"
		"...\n");
	struct gsym_xray_sled sled;

	cr_assert(count_sleds(map) == 2 && gsym_xray_map_functions(map) == 1);
	gsym_xray_map_sled_at(map, 0, &sled);
	cr_expect(sled.address == 0x1031e && sled.kind == 0 && sled.always &&
		  sled.version == 2 && sled.function_address == 0x10300);
	cr_expect(!strcmp(gsym_xray_map_name(map, 1), "a 'b"));
	gsym_xray_map_sled_at(map, 1, &sled);
	cr_expect(sled.address == 66342 && sled.kind == 2 && !sled.always &&
		  sled.version == 0 && sled.function_address == 0x10300 &&
		  !sled.name);
	gsym_xray_map_close(map);
}

Test(sledtext, keys_in_any_order_lines_and_blocks)
{
	struct gsym_xray_map *map = parse(
		"# a comment\n"
		"- {kind: log-args-enter,\r\n  function: 0x20, id: 7,\n"
		"   function-name: \"a\\\"b, c\", colour: red } # and one\n"
		"-\n  id: 3\n  function-name: f(int, char)\n"
		"  function: 0x10\n  kind: custom-event\n"
		"- kind: typed-event\n  id: 3\n  function: 0x10");
	struct gsym_xray_sled sled;
	uint64_t address;
	unsigned kinds;

	/* Sorted by the numbers of functions, which may have gaps. */
	cr_assert(count_sleds(map) == 3 && gsym_xray_map_functions(map) == 2);
	cr_expect(gsym_xray_map_sled_at(map, 0, &sled) == GSYM_OK &&
		  sled.function == 3 && sled.kind == 4);
	cr_expect(gsym_xray_map_function(map, 3, &address, &kinds) == GSYM_OK &&
		  address == 0x10 && kinds == (1 << 4 | 1 << 5));
	cr_expect(gsym_xray_map_function(map, 7, &address, &kinds) == GSYM_OK &&
		  address == 0x20 && kinds == 1 << 3);
	for (unsigned none = 0; none < 10; none++)
		cr_expect(none == 3 || none == 7 ||
			  gsym_xray_map_function(map, none, &address,
						 &kinds) == GSYM_NOT_FOUND);
	cr_expect(!strcmp(gsym_xray_map_name(map, 7), "a\"b, c"));
	cr_expect(!strcmp(gsym_xray_map_name(map, 3), "f(int, char)"));
	gsym_xray_map_close(map);
}

/* Escapes in double quotes are those of YAML, but "\\xe9" is a byte. */
Test(sledtext, escapes)
{
	struct gsym_xray_map *map =
		parse("- { id: 1, function: 1, kind: tail-exit, function-name: "
		      "\"a\\u202Eb\\n\\t\\0\" }\n"
		      "- { id: 2, function: 2, kind: tail-exit, function-name: "
		      "\"\\xE9\\u00e9\\U0001F600\\ud800\\U00110000\" }\n"
		      "- { id: 3, function: 3, kind: tail-exit, function-name: "
		      "\"\\u12\\x1\\q\\\"\\\\\" }\n"
		      "- { id: 4, function: 4, kind: tail-exit, function-name: "
		      "'\\u202E''\"' }\n");

	cr_expect_str_eq(gsym_xray_map_name(map, 1), "a\xe2\x80\xae"
						     "b\n\t");
	cr_expect_str_eq(gsym_xray_map_name(map, 2),
			 "\xe9\xc3\xa9\xf0\x9f\x98\x80"
			 "\xef\xbf\xbd\xef\xbf\xbd");
	cr_expect_str_eq(gsym_xray_map_name(map, 3), "u12x1q\"\\");
	cr_expect_str_eq(gsym_xray_map_name(map, 4), "\\u202E'\"");
	gsym_xray_map_close(map);
}

Test(sledtext, mistakes_are_told_with_their_line)
{
	static const struct {
		const char *text, *message;
	} mistakes[] = {
		{ "id: 1\n", "line 1 of the map: not a list" },
		{ "- { id: 1, function: 1, kind: enter }",
		  "line 1 of the map: a kind of sled" },
		{ "\n- { id: 0, function: 1, kind: tail-exit }",
		  "line 2 of the map: functions are numbered" },
		{ "- { id: 1, kind: tail-exit }", "without id, function" },
		{ "- { id: 0x10000000 }", "not a number" },
		{ "- { id: 99999999999999999999 }", "not a number" },
		{ "- { id: x }", "not a number" },
		{ "- { id: 0x }", "not a number" },
		{ "- { id: }", "not a number" },
		{ "- { id: 1", "a comma or a brace" },
		{ "- { id: 1, ", "neither a key" },
		{ "- { id: '1 }\n'", "a quote is missing" },
		{ "- { id: \"1\\", "a quote is missing" },
		{ "- { id: '1''", "a quote is missing" },
		{ "- { id: '1'2 }", "a comma or a brace" },
		{ "- { 12: 1 }", "neither a key" },
	};

	for (size_t i = 0; i < sizeof(mistakes) / sizeof(*mistakes); i++) {
		struct gsym_xray_map *map = NULL;
		struct gsym_error error = { 0 };
		size_t size = strlen(mistakes[i].text);
		char *copy = malloc(size);

		memcpy(copy, mistakes[i].text, size);
		cr_expect(gsym_xray_map_parse(copy, size, &map, &error) ==
				  GSYM_ERR_CORRUPT && !map,
			  "%s", mistakes[i].text);
		cr_expect(strstr(error.message, mistakes[i].message),
			  "%s: %s", mistakes[i].text, error.message);
		free(copy);
	}
}

Test(sledtext, an_empty_list_is_a_map_without_functions)
{
	struct gsym_xray_map *map = parse("---\n...\n");

	cr_expect(!count_sleds(map) && !gsym_xray_map_functions(map));
	gsym_xray_map_close(map);
}
