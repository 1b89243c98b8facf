/* SPDX-License-Identifier: MIT */
/* Reads sections, functions and names of WebAssembly modules. */
#include "config.h"

#include "object/object.h"

#include "base/error.h"

enum {
	MODULE_VERSION = 1,
	HEADER_SIZE = 8,
	/* Numbers of sections. */
	IMPORT = 2,
	MEMORY = 5,
	EXPORT = 7,
	SECTIONS = 14,
	/* Kinds of imports, after WASM_FUNCTION. */
	TABLE = 1,
	LINEAR_MEMORY = 2,
	GLOBAL = 3,
	TAG = 4,
	/* Flags of a memory or table. */
	HAS_MOST = 1,
	IS_64 = 4,
	HAS_PAGE_SIZE = 8,
	/* A part of the section "name". */
	FUNCTION_NAMES = 1,
};

bool gsym_wasmview_matches(const uint8_t *bytes, size_t size)
{
	return size >= HEADER_SIZE && !memcmp(bytes, "\0asm", 4);
}

struct object_name gsym_wasmview_text(struct gsym_cursor *c)
{
	uint64_t size = gsym_cursor_uleb(c);
	const uint8_t *bytes = gsym_cursor_bytes(c, size);

	return (struct object_name){ bytes ? (const char *)bytes : "",
				     bytes ? (size_t)size : 0, false };
}

/* ---- sections ----------------------------------------------------------- */

struct gsym_cursor gsym_wasmview_sections(const struct wasmview *v)
{
	struct gsym_cursor c =
		gsym_cursor_init(v->bytes, v->size, GSYM_HOST_BIG_ENDIAN);

	gsym_cursor_skip(&c, HEADER_SIZE);
	return c;
}

bool gsym_wasmview_section(struct gsym_cursor *c, struct wasmview_section *ret)
{
	static const char *const names[SECTIONS] = {
		"",	  "TYPE",   "IMPORT", "FUNCTION", "TABLE",
		"MEMORY", "GLOBAL", "EXPORT", "START",	  "ELEM",
		"CODE",	  "DATA",   "DATACOUNT", "TAG",
	};
	struct gsym_cursor inside;
	uint64_t size;
	const uint8_t *bytes;

	if (!gsym_cursor_left(c))
		return false;
	ret->number = gsym_cursor_u8(c);
	size = gsym_cursor_uleb(c);
	bytes = gsym_cursor_bytes(c, size);
	if (!bytes)
		return false;
	inside = gsym_cursor_init(bytes, (size_t)size, c->swap);
	if (ret->number == WASM_CUSTOM)
		ret->name = gsym_wasmview_text(&inside);
	else
		ret->name = object_name_of(
			ret->number < SECTIONS ? names[ret->number] : NULL);
	ret->data = inside.at;
	ret->size = gsym_cursor_left(&inside);
	ret->offset = (uint64_t)(inside.at - c->start);
	return true;
}

/* Find the custom section NAME.  False if there is none. */
static bool find_custom(const struct wasmview *v, const char *name,
			struct wasmview_section *ret)
{
	struct gsym_cursor c = gsym_wasmview_sections(v);

	while (gsym_wasmview_section(&c, ret))
		if (ret->number == WASM_CUSTOM &&
		    object_name_is(&ret->name, name))
			return true;
	return false;
}

struct object_name gsym_wasmview_id(const struct wasmview *v)
{
	struct object_name none = { 0 };
	struct wasmview_section s;
	struct gsym_cursor c;

	if (!find_custom(v, "build_id", &s))
		return none;
	c = gsym_cursor_init(s.data, s.size, false);
	return gsym_wasmview_text(&c);
}

/* ---- imports and memories ----------------------------------------------- */

/* Skip the type of a value: a byte, and after some a type of references. */
static void skip_type(struct gsym_cursor *c)
{
	enum { REF_NULL = 0x63, REF = 0x64 };
	uint8_t first = gsym_cursor_u8(c);

	if (first == REF_NULL || first == REF)
		gsym_cursor_skip_leb(c);
}

/* Skip the limits of a memory or table; returns their flags. */
static unsigned skip_limits(struct gsym_cursor *c)
{
	unsigned flags = gsym_cursor_u8(c);

	gsym_cursor_skip_leb(c);
	if (flags & HAS_MOST)
		gsym_cursor_skip_leb(c);
	if (flags & HAS_PAGE_SIZE)
		gsym_cursor_skip_leb(c);
	return flags;
}

/* Count the functions among the imports, and see how wide their memories
 * are. */
static void read_imports(struct wasmview *v, struct gsym_cursor c)
{
	uint64_t count = gsym_cursor_uleb(&c);

	for (; count && !c.failed; count--) {
		gsym_wasmview_text(&c);
		gsym_wasmview_text(&c);
		switch (gsym_cursor_u8(&c)) {
		case WASM_FUNCTION:
			gsym_cursor_skip_leb(&c);
			v->imported += !c.failed;
			break;
		case TABLE:
			skip_type(&c);
			skip_limits(&c);
			break;
		case LINEAR_MEMORY:
			v->wide |= (skip_limits(&c) & IS_64) != 0;
			break;
		case GLOBAL:
			skip_type(&c);
			gsym_cursor_skip(&c, 1);
			break;
		case TAG:
			gsym_cursor_skip(&c, 1);
			gsym_cursor_skip_leb(&c);
			break;
		default:
			return;
		}
	}
}

static void read_memories(struct wasmview *v, struct gsym_cursor c)
{
	uint64_t count = gsym_cursor_uleb(&c);

	for (; count && !c.failed; count--)
		v->wide |= (skip_limits(&c) & IS_64) != 0;
}

/* Note what S is needed for. */
static void take_section(struct wasmview *v, const struct wasmview_section *s)
{
	struct gsym_cursor c =
		gsym_cursor_init(s->data, s->size, GSYM_HOST_BIG_ENDIAN);

	switch (s->number) {
	case IMPORT:
		read_imports(v, c);
		break;
	case MEMORY:
		read_memories(v, c);
		break;
	case EXPORT:
		v->exports = c;
		break;
	case WASM_CODE:
		/* A sound module has one. */
		if (v->code_offset)
			break;
		v->code = c;
		v->code_offset = s->offset;
		break;
	case WASM_CUSTOM:
		if (object_name_is(&s->name, "name"))
			v->names = c;
		break;
	}
}

/* The most sections of a module: each is found by a walk over those before it.
 * Modules have some dozens. */
enum { MOST_SECTIONS = GSYM_LIMIT(4096, 64) };

enum gsym_status gsym_wasmview_open(const uint8_t *bytes, size_t size,
				    struct wasmview *v,
				    struct gsym_error *error)
{
	const struct gsym_cursor none =
		gsym_cursor_init(NULL, 0, GSYM_HOST_BIG_ENDIAN);
	struct wasmview_section s;
	struct gsym_cursor c;
	uint32_t version;
	int count = 0;

	if (!gsym_wasmview_matches(bytes, size))
		return gsym_fail(error, GSYM_ERR_FORMAT, 0,
				 "no webassembly module");
	version = gsym_load_u32(bytes + 4, GSYM_HOST_BIG_ENDIAN);
	if (version != MODULE_VERSION)
		return gsym_fail(error, GSYM_ERR_UNSUPPORTED, 4,
				 version >> 16 ?
					 "a webassembly component: unpack its "
					 "modules first (wasm-tools component "
					 "unbundle)" :
					 "webassembly header: the version is "
					 "unknown");
	*v = (struct wasmview){ .bytes = bytes, .size = size, .code = none,
				.names = none, .exports = none };
	c = gsym_wasmview_sections(v);
	do {
		v->damaged_at = gsym_cursor_offset(&c);
		if (!gsym_cursor_left(&c))
			v->damaged_at = 0;
		if (!v->damaged_at || !gsym_wasmview_section(&c, &s))
			return GSYM_OK;
		take_section(v, &s);
	} while (++count <= MOST_SECTIONS);
	return gsym_fail(error, GSYM_ERR_UNSUPPORTED, v->damaged_at,
			 "webassembly module: more than %d sections",
			 MOST_SECTIONS);
}

/* ---- functions ---------------------------------------------------------- */

uint64_t gsym_wasmview_first(const struct wasmview *v)
{
	struct gsym_cursor c = v->code;

	gsym_cursor_uleb(&c);
	return gsym_cursor_offset(&c);
}

struct wasmview_walk gsym_wasmview_functions(const struct wasmview *v)
{
	struct wasmview_walk walk = { .code = v->code, .next = v->imported };
	uint64_t count = gsym_cursor_uleb(&walk.code);

	if (count > UINT32_MAX - v->imported)
		count = UINT32_MAX - v->imported;
	walk.end = v->imported + (uint32_t)count;
	return walk;
}

bool gsym_wasmview_function(struct wasmview_walk *walk,
			    struct wasmview_function *ret)
{
	uint64_t size;

	if (walk->next == walk->end)
		return false;
	size = gsym_cursor_uleb(&walk->code);
	ret->number = walk->next++;
	ret->start = gsym_cursor_offset(&walk->code);
	gsym_cursor_skip(&walk->code, size);
	ret->end = gsym_cursor_offset(&walk->code);
	return !walk->code.failed;
}

/* ---- names -------------------------------------------------------------- */

struct gsym_cursor gsym_wasmview_names(const struct wasmview *v)
{
	struct gsym_cursor c = v->names;

	while (gsym_cursor_left(&c)) {
		uint8_t part = gsym_cursor_u8(&c);
		struct object_name contents = gsym_wasmview_text(&c);
		struct gsym_cursor inside = gsym_cursor_init(
			contents.bytes, contents.size, c.swap);

		if (part != FUNCTION_NAMES)
			continue;
		gsym_cursor_uleb(&inside); /* their number */
		return inside;
	}
	return gsym_cursor_init(NULL, 0, c.swap);
}

bool gsym_wasmview_name(struct gsym_cursor *c, uint32_t *number,
			struct object_name *ret)
{
	uint64_t value = gsym_cursor_uleb(c);

	*ret = gsym_wasmview_text(c);
	*number = value < UINT32_MAX ? (uint32_t)value : UINT32_MAX;
	return !c->failed;
}

struct gsym_cursor gsym_wasmview_exports(const struct wasmview *v)
{
	struct gsym_cursor c = v->exports;

	gsym_cursor_uleb(&c); /* their number */
	return c;
}

bool gsym_wasmview_export(struct gsym_cursor *c, uint32_t *number,
			  struct object_name *ret)
{
	while (gsym_cursor_left(c)) {
		uint64_t value;
		uint8_t kind;

		*ret = gsym_wasmview_text(c);
		kind = gsym_cursor_u8(c);
		value = gsym_cursor_uleb(c);
		*number = value < UINT32_MAX ? (uint32_t)value : UINT32_MAX;
		if (kind == WASM_FUNCTION && !c->failed)
			return true;
	}
	return false;
}

/* ---- as an object ------------------------------------------------------- */

static enum gsym_status wasm_open(const uint8_t *bytes, size_t size,
			     struct object *ret, struct gsym_error *error)
{
	enum gsym_status status =
		gsym_wasmview_open(bytes, size, &ret->wasm, error);

	ret->address_size = ret->wasm.wide ? 8 : 4;
	return status;
}

static const uint8_t *wasm_id(const struct object *o,
			      uint8_t room[PE_PDB_SIZE], size_t *size)
{
	struct object_name id = gsym_wasmview_id(&o->wasm);

	(void)room;
	*size = id.size;
	return (const uint8_t *)id.bytes;
}

static bool wasm_section(const struct object *o, uint64_t number,
		    struct object_section *ret)
{
	struct gsym_cursor c = gsym_wasmview_sections(&o->wasm);
	struct wasmview_section s;

	do {
		if (!gsym_wasmview_section(&c, &s))
			return false;
	} while (number--);
	*ret = (struct object_section){
		.name = s.name,
		.size = s.size,
		.data = s.data,
		.data_size = s.size,
	};
	return true;
}

/* Only code has addresses. */
static bool wasm_segment(const struct object *o, uint64_t number,
		    struct object_segment *ret)
{
	uint64_t first = gsym_wasmview_first(&o->wasm);

	*ret = (struct object_segment){
		.address = first,
		.offset = o->wasm.code_offset + first,
		.file_size = gsym_cursor_left(&o->wasm.code) - first,
		.loaded = true,
		.executable = true,
	};
	return !number && o->wasm.code_offset;
}

static bool wasm_begin(const struct object *o, struct object_walk *walk)
{
	walk->wasm.names = gsym_wasmview_names(&o->wasm);
	walk->wasm.functions = gsym_wasmview_functions(&o->wasm);
	return !walk->table;
}

/* Names are sorted by the numbers of their functions, so one walk over both
 * finds all. */
static bool wasm_symbol(const struct object *o, struct object_walk *walk,
		   struct object_symbol *ret)
{
	struct wasmview_function f = { 0 };
	struct object_name name;
	uint32_t number;

	(void)o;
	while (gsym_wasmview_name(&walk->wasm.names, &number, &name)) {
		while (walk->wasm.functions.next <= number)
			if (!gsym_wasmview_function(&walk->wasm.functions, &f))
				return false;
		if (f.number != number || !f.end || !name.size)
			continue;
		*ret = (struct object_symbol){
			.name = name,
			.address = f.start,
			.size = f.end - f.start,
			.section = UINT64_MAX,
		};
		return true;
	}
	return false;
}

static bool wasm_is_program(const struct object *o)
{
	return o->wasm.code_offset;
}

const struct object_kind gsym_object_wasm = {
	.matches = gsym_wasmview_matches,
	.open = wasm_open,
	.id = wasm_id,
	.section = wasm_section,
	.segment = wasm_segment,
	.begin = wasm_begin,
	.symbol = wasm_symbol,
	.is_program = wasm_is_program,
};
