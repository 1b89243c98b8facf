/* SPDX-License-Identifier: MIT */
/*
 * A WebAssembly module as a container: its code, DWARF in custom sections,
 * names of functions, build ID; the debug file that it names, and its split
 * units.  Addresses are those of the DWARF: offsets within the code section.
 */
#include "base/debug_path.h"
#include "base/error.h"
#include "container/input.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>

/* A function of the module. */
struct function {
	uint64_t start, end;
	bool named;
};

struct wasm_file {
	struct wasmview view;
	struct gsym_container *container;
	GSYM_VEC_OF(struct function) functions;
	/* The number of the code section in the container; SIZE_MAX: none. */
	size_t code;
};

/* ---- sections ----------------------------------------------------------- */

/* Append S, called NAME.  Code begins after the number of functions. */
static bool put_section(struct wasm_file *file,
			const struct wasmview_section *s, const char *name)
{
	struct gsym_container *c = file->container;
	bool code = s->number == WASM_CODE;
	uint64_t skip = code ? gsym_wasmview_first(&file->view) : 0;
	const struct gsym_container_section to = {
		.name = name,
		.address = skip,
		.size = s->size - skip,
		.data = s->size > skip ? s->data + skip : NULL,
		.data_size = s->size - skip,
		.file_offset = s->offset + skip,
		.loaded = code,
		.executable = code,
	};

	if (!gsym_vec_add(&c->sections, to))
		return false;
	if (!code)
		return true;
	file->code = c->sections.count - 1;
	return gsym_container_add_segment(
		c,
		(struct gsym_segment){ .address = skip,
				       .data_size = s->size - skip,
				       .executable = true },
		file->view.bytes, file->view.size, s->offset + skip);
}

static bool read_sections(struct wasm_file *file)
{
	struct gsym_cursor c = gsym_wasmview_sections(&file->view);
	struct wasmview_section s;

	file->code = SIZE_MAX;
	while (gsym_wasmview_section(&c, &s)) {
		const char *name = gsym_arena_string(&file->container->arena,
						     s.name.bytes,
						     object_name_size(&s.name));

		/* A module has one code section. */
		if (s.number == WASM_CODE && file->code != SIZE_MAX)
			continue;
		if (!name || !put_section(file, &s, name))
			return false;
	}
	if (file->view.damaged_at)
		gsym_container_warn(file->container, GSYM_WARN_BAD_SECTION,
				    "section at 0x%" PRIx64
				    ": it reaches beyond the end of the file",
				    file->view.damaged_at);
	return true;
}

/* ---- symbols ------------------------------------------------------------ */

static bool read_functions(struct wasm_file *file)
{
	struct wasmview_walk walk = gsym_wasmview_functions(&file->view);
	struct wasmview_function from;

	while (gsym_wasmview_function(&walk, &from)) {
		if (!gsym_vec_add(&file->functions,
				  (struct function){ from.start, from.end,
						     false }))
			return false;
	}
	if (walk.code.failed)
		gsym_container_warn(file->container, GSYM_WARN_BAD_SECTION,
				    "CODE: function %u reaches beyond the end "
				    "of the section",
				    walk.next - 1);
	return true;
}

/* Append a symbol for function NUMBER, which has no name so far. */
static bool put_symbol(struct wasm_file *file, uint32_t number,
		       struct object_name name,
		       enum gsym_symbol_binding binding)
{
	struct gsym_container *c = file->container;
	uint32_t index = number - file->view.imported;
	struct gsym_symbol symbol;
	struct function *f;

	if (number < file->view.imported || index >= file->functions.count ||
	    !name.size)
		return true;
	f = &file->functions.items[index];
	if (f->named)
		return true;
	f->named = true;
	symbol = (struct gsym_symbol){
		.name = gsym_arena_string(&c->arena, name.bytes, name.size),
		.value = f->start,
		.size = f->end - f->start,
		.section = gsym_symbol_home(file->code),
		.type = GSYM_SYMBOL_FUNCTION,
		.binding = binding,
	};
	c->symbol_bytes += name.size;
	return symbol.name && gsym_vec_add(&c->symbols, symbol);
}

/* Exports have names that others call the functions by.  They count where the
 * section "name" has none. */
static bool read_symbols(struct wasm_file *file)
{
	struct gsym_cursor names = gsym_wasmview_names(&file->view);
	struct gsym_cursor exports = gsym_wasmview_exports(&file->view);
	struct object_name name;
	uint32_t number;

	if (!read_functions(file))
		return false;
	while (gsym_wasmview_name(&names, &number, &name))
		if (!put_symbol(file, number, name, GSYM_SYMBOL_LOCAL))
			return false;
	while (gsym_wasmview_export(&exports, &number, &name))
		if (!put_symbol(file, number, name, GSYM_SYMBOL_GLOBAL))
			return false;
	return true;
}

/* ---- loading ------------------------------------------------------------ */

/* What is after a damaged section is left out, and noted among the warnings. */
static enum gsym_status fill(struct gsym_container *c,
			     const struct gsym_load *from,
			     struct gsym_error *error)
{
	struct wasm_file file = { .container = c };
	const struct wasmview *v = &file.view;
	enum gsym_status status =
		gsym_wasmview_open(from->bytes, from->size, &file.view, error);
	struct object_name id;

	if (status != GSYM_OK)
		return status;
	c->address_size = v->wide ? 8 : 4;
	snprintf(c->architecture, sizeof(c->architecture), "%s",
		 v->wide ? "wasm64" : "wasm32");
	id = gsym_wasmview_id(v);
	c->uuid = (const uint8_t *)id.bytes;
	c->uuid_size = id.size;
	if (!read_sections(&file) || !read_symbols(&file) ||
	    !gsym_container_collect_text(c))
		status = gsym_fail_memory(error);
	gsym_vec_fini(&file.functions);
	return status;
}

/* ---- debug files -------------------------------------------------------- */

/* Whether A and B have the same bytes of code. */
static bool same_code(const struct gsym_container *a,
		      const struct gsym_container *b)
{
	const struct gsym_segment *x = a->segments.items;
	const struct gsym_segment *y = b->segments.items;

	return a->segments.count && b->segments.count &&
	       x->data_size == y->data_size &&
	       !memcmp(x->data, y->data, (size_t)x->data_size);
}

/* Whether DEBUG is the debug file; refuses it if not. */
static bool is_right(struct gsym_find_attempt *a, const char *path,
		     const struct gsym_container *debug)
{
	const struct gsym_container *p = a->program;
	bool ids = p->uuid_size && debug->uuid_size;

	(void)path;
	if (!gsym_container_alike(p, debug))
		return gsym_find_refuse(a, GSYM_ERR_ARGUMENT,
					"it is no module for %s",
					p->architecture);
	if (ids && !gsym_container_same_id(p, debug))
		return gsym_find_refuse(a, GSYM_ERR_ARGUMENT,
					"it has another build id");
	if (!ids && !same_code(p, debug))
		return gsym_find_refuse(a, GSYM_ERR_ARGUMENT,
					"it has other code");
	if (!gsym_container_has(debug, ".debug_info"))
		return gsym_find_refuse(a, GSYM_ERR_FORMAT,
					"it has no debug info");
	return true;
}

/* The file that PROGRAM says to have its debug info, malloc'ed; NULL if it
 * names none, or a server.  *MEMORY becomes false without memory. */
static char *named_file(const struct gsym_container *program, bool *memory)
{
	struct gsym_cursor c =
		gsym_container_named(program, "external_debug_info");
	struct object_name name = gsym_wasmview_text(&c);
	char *text;

	if (!name.size || name.size > PATH_MAX ||
	    memchr(name.bytes, 0, name.size))
		return NULL;
	text = gsym_path_print("%.*s", (int)name.size, name.bytes);
	*memory = text != NULL;
	if (!text || !strstr(text, "://"))
		return text;
	free(text);
	return NULL;
}

/* Try the file that the program, loaded from PATH, names.  Returns whether the
 * search is over. */
static bool try_named(struct gsym_find_attempt *a, const char *path)
{
	bool memory = true, over;
	char *name = named_file(a->program, &memory);
	const char *slash = name ? strrchr(name, '/') : NULL;

	if (!name) {
		a->status = memory ? GSYM_NOT_FOUND : GSYM_ERR_MEMORY;
		return !memory;
	}
	over = *name == '/' ? gsym_find_try(a, strdup(name))
			    : gsym_find_beside(a, path, name);
	if (!over && slash)
		over = gsym_find_beside(a, path, slash + 1);
	if (!over)
		gsym_container_warn(a->program, GSYM_WARN_MISSING_FILE,
				    "the debug file %.80s is not used: %.120s",
				    name, a->problem);
	free(name);
	return over;
}

/* Without a file that the options name, the candidates are
 * .build-id/hh/rest.debug in each tree, the file that the section
 * external_debug_info names, relative to the folder of PATH, and its last
 * component in that folder.  No server is asked.
 *
 * The right file has the build ID of PROGRAM, or, if one of the two has none,
 * the same code.  If a file is named and not found, that is noted among the
 * warnings of PROGRAM. */
static enum gsym_status find_debug(const struct gsym_find *find,
				   const char *path,
				   struct gsym_container *program,
				   struct gsym_container **ret, char **found,
				   struct gsym_error *error)
{
	struct gsym_find_attempt a = gsym_find_begin(find, program, is_right);

	if (find->options->debug_file)
		gsym_find_try(&a, strdup(find->options->debug_file));
	else if (!gsym_find_by_id(&a, program->uuid, program->uuid_size) &&
		 !try_named(&a, path))
		a.status = GSYM_NOT_FOUND;
	return gsym_find_end(&a, ret, found, error);
}

const struct gsym_input gsym_wasm_input = {
	.format = GSYM_FORMAT_WASM,
	.name = "WebAssembly",
	.matches = gsym_wasmview_matches,
	.fill = fill,
	.find_debug = find_debug,
	/* llvm-dwp makes packages of them. */
	.split = &gsym_wasm_input,
};
