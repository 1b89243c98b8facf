/* SPDX-License-Identifier: MIT */
/*
 * create/callsites.c - call sites from a YAML file, in the form that
 * llvm-gsymutil reads:
 *
 *	functions:
 *	  - name: main
 *	    callsites:
 *	      - return_offset: 0x0d
 *	        match_regex: ["^aa$", "bb.*"]
 *	        flags: [InternalCall, ExternalCall]
 *
 * Only this file uses libyaml.
 */
#include "config.h"

#include "common/report.h"
#include "create/create.h"

#ifdef HAVE_YAML

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <yaml.h>

#include "common/file.h"
#include "common/out.h"

/* Limits of call sites, and of patterns of a call site.  They bound the work
 * for a small file in which aliases repeat a list many times. */
enum { MAX_CALLS = 1 << 24, MAX_PATTERNS = 4096 };
/* The limit of lists and mappings in one another; 6 have a meaning.  The limit
 * of anchors, by which parts of the file can be repeated. */
enum { MAX_NESTING = 16, MAX_ANCHORS = 1000 };

struct callsites {
	const char *path;
	yaml_document_t document;
	struct gsym_builder *builder;
	uint32_t function; /* the builder's string number of its name */
	uint64_t calls;    /* call sites so far */
};

/* Die with a message about NODE, which may be NULL. */
static _Noreturn void bad(const struct callsites *c, const yaml_node_t *node,
			  const char *problem)
{
	die("cannot read '%s': line %zu: %s", c->path,
	    node ? node->start_mark.line + 1 : 1, problem);
}

static yaml_node_t *node_at(struct callsites *c, yaml_node_item_t item)
{
	return yaml_document_get_node(&c->document, item);
}

/* The text of the scalar NODE, of *LENGTH bytes. */
static const char *text_of(const struct callsites *c, const yaml_node_t *node,
			   size_t *length)
{
	if (!node || node->type != YAML_SCALAR_NODE)
		bad(c, node, "a text or number is expected here");
	*length = node->data.scalar.length;
	return (const char *)node->data.scalar.value;
}

/* Whether the text of NODE is TEXT. */
static bool is(const struct callsites *c, const yaml_node_t *node,
	       const char *text)
{
	size_t length;
	const char *got = text_of(c, node, &length);
	return length == strlen(text) && memcmp(got, text, length) == 0;
}

/* The builder's string number of the text of NODE. */
static uint32_t string_of(struct callsites *c, const yaml_node_t *node)
{
	size_t length;
	uint32_t number;
	const char *text = text_of(c, node, &length);
	enum gsym_status status =
		gsym_builder_string(c->builder, text, length, &number);
	if (status == GSYM_ERR_ARGUMENT)
		bad(c, node, "a text with a NUL");
	must(status == GSYM_OK);
	return number;
}

/* Set VALUES to the values of the mapping NODE, in the order of the COUNT keys
 * at KEYS; NULL where a key is missing.  Dies if NODE has other keys. */
static void take_values(struct callsites *c, yaml_node_t *node, size_t count,
			const char *const *keys, yaml_node_t **values)
{
	memset(values, 0, count * sizeof(*values));
	if (!node || node->type != YAML_MAPPING_NODE)
		bad(c, node, "a mapping is expected here");
	for (yaml_node_pair_t *pair = node->data.mapping.pairs.start;
	     pair < node->data.mapping.pairs.top; pair++) {
		yaml_node_t *key = node_at(c, pair->key);
		size_t i = 0;
		while (i < count && !is(c, key, keys[i]))
			i++;
		if (i == count)
			bad(c, key, "an unknown key");
		if (values[i])
			bad(c, key, "a key that was given before");
		values[i] = node_at(c, pair->value);
	}
}

/* The first item of the list NODE; *END becomes the end of the items. */
static yaml_node_item_t *items(const struct callsites *c, yaml_node_t *node,
			       yaml_node_item_t **end)
{
	if (!node || node->type != YAML_SEQUENCE_NODE)
		bad(c, node, "a list is expected here");
	*end = node->data.sequence.items.top;
	return node->data.sequence.items.start;
}

/* The flags in the list NODE, as bits GSYM_CALL_... */
static uint8_t flags_of(struct callsites *c, yaml_node_t *node)
{
	yaml_node_item_t *end, *item = items(c, node, &end);
	uint8_t flags = 0;

	for (; item < end; item++) {
		yaml_node_t *flag = node_at(c, *item);
		if (is(c, flag, "InternalCall"))
			flags |= GSYM_CALL_INTERNAL;
		else if (is(c, flag, "ExternalCall"))
			flags |= GSYM_CALL_EXTERNAL;
		else if (!is(c, flag, "None"))
			bad(c, flag, "an unknown flag");
	}
	return flags;
}

/* Add the call site in the mapping NODE to the current function. */
static void add_call(struct callsites *c, yaml_node_t *node)
{
	static const char *const keys[] = { "return_offset", "match_regex",
					    "flags" };
	uint32_t patterns[MAX_PATTERNS];
	struct gsym_call call = { 0 };
	yaml_node_t *values[3];
	size_t length;

	take_values(c, node, 3, keys, values);
	if (!values[0])
		bad(c, node, "a call site without return_offset");
	const char *text = text_of(c, values[0], &length);
	enum number_result result =
		number_parse(text, length, &call.return_offset);
	if (result != NUMBER_OK)
		bad(c, values[0], number_problem(result));
	/* To llvm-gsymutil such a number is octal. */
	if (length > 1 && text[0] == '0' && (text[1] | 0x20) != 'x')
		bad(c, values[0], "a number with a leading 0: hexadecimal "
				  "needs 0x in front");
	if (values[1]) {
		yaml_node_item_t *end, *item = items(c, values[1], &end);
		if (end - item > MAX_PATTERNS)
			bad(c, values[1], "too many expressions");
		for (; item < end; item++)
			patterns[call.pattern_count++] =
				string_of(c, node_at(c, *item));
	}
	if (values[2])
		call.flags = flags_of(c, values[2]);
	if (++c->calls > MAX_CALLS)
		bad(c, node, "too many call sites");
	enum gsym_status status = gsym_builder_call_site(
		c->builder, c->function, &call, patterns);
	if (status == GSYM_ERR_ARGUMENT)
		bad(c, values[0], "an impossible return_offset");
	must(status == GSYM_OK);
}

/* Add the call sites of the function in the mapping NODE. */
static void add_function(struct callsites *c, yaml_node_t *node)
{
	static const char *const keys[] = { "name", "callsites" };
	yaml_node_t *values[2];
	yaml_node_item_t *end, *item;

	take_values(c, node, 2, keys, values);
	if (!values[0] || is(c, values[0], ""))
		bad(c, node, "a function without a name");
	c->function = string_of(c, values[0]);
	if (!values[1])
		return;
	for (item = items(c, values[1], &end); item < end; item++)
		add_call(c, node_at(c, *item));
}

static _Noreturn void bad_syntax(const struct callsites *c,
				 const yaml_parser_t *parser)
{
	die("cannot read '%s': line %zu: %s", c->path,
	    parser->problem_mark.line + 1,
	    parser->problem ? parser->problem : "out of memory");
}

static bool has_anchor(const yaml_event_t *event)
{
	switch (event->type) {
	case YAML_SCALAR_EVENT:
		return event->data.scalar.anchor;
	case YAML_SEQUENCE_START_EVENT:
		return event->data.sequence_start.anchor;
	case YAML_MAPPING_START_EVENT:
		return event->data.mapping_start.anchor;
	default:
		return false;
	}
}

/* Die if lists and mappings are nested deeper than MAX_NESTING, or if there are
 * more than MAX_ANCHORS anchors.  The time of libyaml grows with the square of
 * both. */
static void check_limits(const struct callsites *c, const uint8_t *bytes,
			 size_t size)
{
	yaml_parser_t parser;
	yaml_event_t event;
	int depth = 0, anchors = 0;
	bool end = false;

	must(yaml_parser_initialize(&parser));
	yaml_parser_set_input_string(&parser, bytes, size);
	while (!end) {
		if (!yaml_parser_parse(&parser, &event))
			bad_syntax(c, &parser);
		depth += event.type == YAML_SEQUENCE_START_EVENT ||
			 event.type == YAML_MAPPING_START_EVENT;
		depth -= event.type == YAML_SEQUENCE_END_EVENT ||
			 event.type == YAML_MAPPING_END_EVENT;
		if (depth > MAX_NESTING)
			die("cannot read '%s': line %zu: nested too deeply",
			    c->path, event.start_mark.line + 1);
		anchors += has_anchor(&event);
		if (anchors > MAX_ANCHORS)
			die("cannot read '%s': line %zu: too many anchors",
			    c->path, event.start_mark.line + 1);
		end = event.type == YAML_STREAM_END_EVENT;
		yaml_event_delete(&event);
	}
	yaml_parser_delete(&parser);
}

static void load(struct callsites *c)
{
	yaml_parser_t parser;
	size_t size;
	uint8_t *bytes = file_read(c->path, &size);

	if (!bytes)
		die("cannot open '%s': %s", c->path, strerror(errno));
	check_limits(c, bytes, size);
	must(yaml_parser_initialize(&parser));
	yaml_parser_set_input_string(&parser, bytes, size);
	if (!yaml_parser_load(&parser, &c->document))
		bad_syntax(c, &parser);
	yaml_parser_delete(&parser);
	free(bytes);
}

void create_callsites(const char *path, struct gsym_builder *builder)
{
	static const char *const keys[] = { "functions" };
	struct callsites c = { .path = path, .builder = builder };
	yaml_node_t *root, *functions = NULL;
	yaml_node_item_t *end, *item;

	load(&c);
	root = yaml_document_get_root_node(&c.document);
	take_values(&c, root, 1, keys, &functions);
	if (!functions)
		bad(&c, root, "there is no key 'functions'");
	for (item = items(&c, functions, &end); item < end; item++)
		add_function(&c, node_at(&c, *item));
	yaml_document_delete(&c.document);
}

#else

void create_callsites(const char *path, struct gsym_builder *builder)
{
	(void)builder;
	die("cannot read '%s': gsym-create was built without libyaml", path);
}

#endif
