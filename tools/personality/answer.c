/* SPDX-License-Identifier: MIT */
/* personality/answer.c - looks up what a request asks for. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/names.h"
#include "common/report.h"
#include "personality/personality.h"

enum {
	/* The most frames of an address: one for each level of the inline
	 * tree. */
	FRAME_CAPACITY = GSYM_MAX_INLINE_DEPTH + 2,
	LONGEST_NAME = 64 << 10,
	/* A record without a size reaches up to the next one.  The last record
	 * would answer for every address after it, and clients use such
	 * addresses to ask for the answer that says that nothing is known. */
	FARTHEST = 64 << 10,
};

struct answers {
	const struct settings *settings;
	struct modules *modules;
	struct gsym_frame frames[FRAME_CAPACITY];
	struct answer answer;
};

struct answers *answer_start(const struct settings *settings)
{
	struct answers *all = must_have(calloc(1, sizeof(*all)));
	all->settings = settings;
	all->modules = module_start(settings);
	return all;
}

void answer_end(struct answers *all)
{
	module_end(all->modules);
	free(all);
}

/* ---- names --------------------------------------------------------------- */

/* Whether NAME may be a function's.  Clients send "," and "-1" to ask for the
 * answer that says that nothing is known; a search through all functions would
 * take long. */
static bool may_be_name(const struct text *name)
{
	unsigned char c = name->length ? (unsigned char)name->bytes[0] : 0;
	return (c | 32) >= 'a' ? (c | 32) <= 'z' || c >= 128 || c == '_'
			       : c == '.' || c == '$';
}

/* Set *ADDRESS to the start of the next function NAME, from the index *NEXT
 * on. */
static bool find_name(struct module *m, const struct text *name,
		      uint32_t *next, uint64_t *address)
{
	uint32_t index;
	if (!m->reader || !may_be_name(name) || name->length > LONGEST_NAME)
		return false;
	if (!names_find(&m->names, m->reader, name->bytes, name->length, *next,
			&index))
		return false;
	*next = index + 1;
	*address = gsym_address_at(m->reader, index);
	return true;
}

/* Set A->address to the place that the request asks for, and *WHERE to its
 * address in the module. */
static bool find_place(const struct settings *s, struct answer *a,
		       uint64_t *where)
{
	const struct request *r = a->request;
	if (r->place == PLACE_NOTHING)
		return false;
	if (r->place == PLACE_NAME &&
	    find_name(a->module, &r->name, &a->next_index, &a->address)) {
		*where = a->address += r->offset;
		return true;
	}
	if (r->place == PLACE_NAME && !r->or_address)
		return false;
	a->address = r->address;
	*where = a->address - s->adjust + a->module->base;
	/* No program has code there: it marks the end of a batch. */
	if (a->address == UINT64_MAX ||
	    (s->section && a->address - s->adjust >= a->module->section_size))
		*where = UINT64_MAX;
	return true;
}

/* ---- code ---------------------------------------------------------------- */

static bool is_unknown(const struct gsym_frame *frame)
{
	return !*frame->function &&
	       (!*frame->basename || strcmp(frame->basename, "??") == 0);
}

/* Remove the frames about which nothing is known, but for one: clients take
 * such a frame for the end of the answer. */
static void drop_unknown(struct answer *a)
{
	size_t kept = 0;
	for (size_t i = 0; i < a->count; i++)
		if (!is_unknown(&a->frames[i]))
			a->frames[kept++] = a->frames[i];
	a->count = kept ? kept : a->count > 0;
}

static void note_damage(struct module *m)
{
	if (!m->reported)
		extra_note("note: the GSYM data of '%s' are damaged", m->name);
	m->reported = true;
}

/* Find the record that covers WHERE. */
static bool find_record(struct answer *a, uint64_t where, unsigned flags,
			struct gsym_match *match)
{
	if (where == UINT64_MAX || !a->module->reader)
		return false;
	enum gsym_status status =
		gsym_lookup(a->module->reader, where, flags, a->frames,
			    FRAME_CAPACITY, match, NULL);
	if (status == GSYM_ERR_CORRUPT)
		note_damage(a->module);
	return status == GSYM_OK &&
	       (match->size || where - match->start < FARTHEST);
}

/* Begin with the rows of record INDEX; false if it has none. */
static bool start_rows(const struct module *m, uint32_t index,
		       struct gsym_line_iter *rows)
{
	struct gsym_function function;
	return gsym_function_at(m->reader, index, &function, NULL) ==
		       GSYM_OK &&
	       gsym_lines(&function, rows, NULL) == GSYM_OK;
}

/* The code at WHERE, in record INDEX, comes from line 0 of a file: set the
 * first frame to the place of the nearest code before it in the record that has
 * a line. */
static void approximate(struct answer *a, uint32_t index, uint64_t where)
{
	struct gsym_line row, last = { 0 };
	struct gsym_line_iter rows;
	if (!start_rows(a->module, index, &rows))
		return;
	while (gsym_line_next(&rows, &row, NULL) == GSYM_OK &&
	       row.address <= where)
		if (row.line)
			last = row;
	if (!last.line ||
	    gsym_file_at(a->module->reader, last.file,
			 &a->frames[0].directory,
			 &a->frames[0].basename) != GSYM_OK)
		return;
	a->frames[0].line = last.line;
	a->approximate = true;
}

static bool find_symbol(const struct module *m, uint64_t where,
			struct gsym_store_symbol *symbol)
{
	if (where == UINT64_MAX)
		return false;
	enum gsym_status status = GSYM_NOT_FOUND;
	if (m->file)
		status = gsym_module_symbol_at(m->file, where, 0, symbol);
	if (status == GSYM_NOT_FOUND && m->symbols.entry)
		status = gsym_store_symbol_at(m->symbols.entry, where, 0,
					      symbol);
	return must_status(status) == GSYM_OK;
}

/* Whether NAME is a linkage name of C++, Rust or D. */
static bool is_mangled(const char *name)
{
	return name[0] == '_' && (name[1] == 'Z' || name[1] == 'R' ||
				  name[1] == 'D');
}

/* Whether the symbol of the function of FRAME in M need not be looked for.
 * Compilers of C give a function the name of its symbol, or say its linkage
 * name.  So the symbol could only be an alias, of which llvm-symbolizer takes
 * the last; reading the symbols of a kernel for that takes 50 ms. */
static bool is_known(const struct settings *s, const struct module *m,
		     const struct gsym_frame *frame)
{
	enum { MANY = 65536 };
	size_t length = strlen(frame->basename);
	return length > 2 && strcmp(frame->basename + length - 2, ".c") == 0 &&
	       (s->personality == PERSONALITY_ADDR2LINE ||
		gsym_function_count(m->reader) > MANY);
}

/* Give the last frame of A, which covers WHERE and is not inlined, the name
 * that the program's symbols have: "api" and not "n::api" for a function with
 * C linkage, "MAIN__" for a program in Fortran.  The programs that are replaced
 * do so, and their clients compare the name with that of the symbol. */
static void name_by_symbol(const struct settings *s, struct answer *a,
			   uint64_t where)
{
	struct gsym_frame *frame = &a->frames[a->count - 1];
	struct gsym_store_symbol symbol;
	bool binutils = s->personality == PERSONALITY_ADDR2LINE;
	/* binutils does so for functions without a linkage name alone. */
	if (s->names != NAMES_LINKAGE || a->module->displaced ||
	    is_known(s, a->module, frame) ||
	    (binutils && is_mangled(frame->function)) ||
	    !find_symbol(a->module, where, &symbol) ||
	    (binutils && symbol.start != a->start))
		return;
	frame->function = symbol.name;
	a->start = symbol.start;
}

static bool has_lines(const struct module *m, uint32_t index)
{
	struct gsym_line_iter rows;
	struct gsym_line row;
	return start_rows(m, index, &rows) &&
	       gsym_line_next(&rows, &row, NULL) == GSYM_OK;
}

/* If FRAME, which covers WHERE, has no file, give it the one that the symbol
 * table names. */
static void file_by_symbol(const struct settings *s, const struct module *m,
			   uint64_t where, struct gsym_frame *frame)
{
	unsigned flags = s->personality == PERSONALITY_ADDR2LINE
				 ? GSYM_MODULE_GLOBAL : 0;
	const char *file;
	if ((*frame->basename && strcmp(frame->basename, "??") != 0) ||
	    !m->file || m->displaced ||
	    must_status(gsym_module_file_at(m->file, where, flags, &file)) !=
		    GSYM_OK)
		return;
	frame->directory = "";
	frame->basename = file;
}

static void answer_code(const struct settings *s, struct answer *a,
			uint64_t where)
{
	/* Without inlined calls addr2line, and LLVM in its style, shows the
	 * innermost function; LLVM in its own styles the outermost one. */
	bool outermost = s->personality != PERSONALITY_ADDR2LINE &&
			 !s->inlines && s->style != STYLE_GNU;
	bool binutils = s->personality == PERSONALITY_ADDR2LINE;
	bool lines = false; /* the record has lines */
	struct gsym_store_symbol symbol;
	struct gsym_match match;
	/* A name asks for the function that has the name. */
	if (!binutils && a->request->place == PLACE_NAME)
		outermost = true;
	if (find_record(a, where, outermost ? GSYM_LOOKUP_NO_INLINES : 0,
			&match)) {
		a->count = match.frame_count < FRAME_CAPACITY
				   ? match.frame_count
				   : FRAME_CAPACITY;
		a->start = match.start;
		lines = has_lines(a->module, match.index);
		name_by_symbol(s, a, where);
		if (s->skip_zero && a->count && !a->frames[0].line &&
		    *a->frames[0].basename)
			approximate(a, match.index, where);
	} else if ((a->module->by_symbols || a->module->reader) &&
		   find_symbol(a->module, where, &symbol) &&
		   (a->module->by_symbols ||
		    where - symbol.start < symbol.size)) {
		/* What GSYM data do not have, and a symbol covers, is a
		 * variable, as a rule. */
		a->frames[0] = (struct gsym_frame){
			.function = symbol.name,
			.directory = "",
			.basename = "",
		};
		a->count = 1;
		a->start = symbol.start;
	}
	/* LLVM reads the symbols for names alone, and binutils only where there
	 * is no debug info. */
	if (a->count && (binutils ? !lines : s->names == NAMES_LINKAGE))
		file_by_symbol(s, a->module, where, &a->frames[a->count - 1]);
	drop_unknown(a);
	if (!s->inlines && a->count > 1)
		a->count = 1;
}

/* ---- data ---------------------------------------------------------------- */

/* Set A->declared if record INDEX has a single row: that of a declaration. */
static void find_declaration(struct answer *a, uint32_t index)
{
	struct gsym_line_iter rows;
	struct gsym_line row, more;
	if (!start_rows(a->module, index, &rows) ||
	    gsym_line_next(&rows, &row, NULL) != GSYM_OK ||
	    gsym_line_next(&rows, &more, NULL) == GSYM_OK)
		return;
	gsym_file_at(a->module->reader, row.file, &a->declared.directory,
		     &a->declared.basename);
	a->declared.line = row.line;
}

static void answer_data(const struct settings *s, struct answer *a,
			uint64_t where)
{
	struct gsym_store_symbol symbol;
	struct gsym_match match;
	/* A record without a size may be a label in front of other data. */
	if (find_record(a, where, GSYM_LOOKUP_NO_INLINES, &match) &&
	    (match.size || match.start == where)) {
		a->datum = a->frames[0].function;
		a->start = match.start;
		a->size = match.size;
		find_declaration(a, match.index);
	} else if (find_symbol(a->module, where, &symbol)) {
		a->datum = symbol.name;
		a->start = symbol.start;
		a->size = symbol.size;
	}
	if (a->datum)
		file_by_symbol(s, a->module, where, &a->declared);
}

/* ---- the whole ----------------------------------------------------------- */

/* Whether the names of A fit into an answer, as DEMANGLER shows them. */
static bool fits(const struct answer *a, struct gsym_demangler *demangler)
{
	uint64_t left = FRAMES_BYTES;
	return frames_take(&left, demangler, a->frames, a->count) &&
	       frames_take(&left, NULL, &a->declared, 1) &&
	       (!a->datum || frames_take_text(&left, a->datum));
}

/* Keep the linkage names of A, or take back what is known, if its names are too
 * long for an answer. */
static void drop_long(struct answer *a)
{
	if (fits(a, a->module->demangler))
		return;
	/* Boost makes stacks of inlined calls whose names have half a megabyte
	 * if they are readable. */
	a->mangled = fits(a, NULL);
	if (a->mangled)
		return;
	if (!a->module->reported)
		extra_note("note: '%s': " FRAMES_TOO_LONG, a->module->name);
	a->module->reported = true;
	a->count = 0;
	a->datum = NULL;
}

static void note_problem(const struct settings *s, struct answer *a)
{
	const struct request *r = a->request;
	int length = r->line.length < 200 ? (int)r->line.length : 200;
	/* llvm-addr2line answers such a request by itself if the command line
	 * names the program. */
	if (r->problem && length &&
	    (s->personality == PERSONALITY_LLVM_SYMBOLIZER ||
	     !(s->path || s->build_id)))
		extra_note("error: '%.*s': %s", length, r->line.bytes,
			   r->problem);
	if (a->module && a->module->error && !a->module->reported &&
	    s->style != STYLE_JSON && !s->path && !s->build_id) {
		extra_note("error: '%s': %s", a->module->name,
			   a->module->error);
		a->module->reported = true;
	}
}

/* An answer to REQUEST with nothing in it. */
static struct answer start(struct answers *all, const struct request *request)
{
	return (struct answer){
		.request = request,
		.frames = all->frames,
		.declared = { .function = "", .directory = "", .basename = "" },
	};
}

bool answer_next(struct answers *all)
{
	const struct settings *s = all->settings;
	const struct answer last = all->answer;
	struct answer *a = &all->answer;
	uint64_t where;
	if (s->personality == PERSONALITY_ADDR2LINE || !last.next_index ||
	    last.request->kind != REQUEST_CODE)
		return false;
	*a = start(all, last.request);
	a->module = last.module;
	a->next_index = last.next_index;
	if (!find_place(s, a, &where)) {
		*a = last;
		return false;
	}
	answer_code(s, a, where);
	if (a->count)
		drop_long(a);
	return true;
}

const struct answer *answer_get(struct answers *all,
				 const struct request *request)
{
	const struct settings *s = all->settings;
	struct answer *a = &all->answer;
	uint64_t where;
	*a = start(all, request);
	if (!request->problem)
		a->module = module_get(all->modules, request);
	note_problem(s, a);
	if (!a->module || a->module->error || !find_place(s, a, &where))
		a->nowhere = true;
	else if (request->kind == REQUEST_CODE)
		answer_code(s, a, where);
	else if (request->kind == REQUEST_DATA)
		answer_data(s, a, where);
	if (a->count || a->datum)
		drop_long(a);
	return a;
}

/* PLAIN without the suffix of a local alias, which the compiler has made beside
 * the function itself; PLAIN itself, if it has none or no room in TO. */
static const char *without_alias(const char *plain, char *to, size_t size)
{
	static const char *const marks[] = { ".localalias",
					     " [clone .localalias]",
					     " (.localalias)" };
	size_t length = strlen(plain);
	for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]); i++) {
		size_t mark = strlen(marks[i]);
		if (length <= mark || length - mark >= size ||
		    strcmp(plain + length - mark, marks[i]) != 0)
			continue;
		memcpy(to, plain, length - mark);
		to[length - mark] = 0;
		return to;
	}
	return plain;
}

const char *answer_name(const struct settings *s, const struct answer *a,
			const char *name)
{
	static char text[GSYM_DEMANGLE_MAX_RESULT + 64];
	const char *plain = name;
	if (s->demangle && !a->mangled && a->module && a->module->demangler)
		plain = demangle(a->module->demangler, name);
	if (a->request->kind != REQUEST_CODE)
		return plain;
	if (s->names != NAMES_SHORT || strlen(plain) >= sizeof(text))
		return without_alias(plain, text, sizeof(text));
	/* The name of debug info may have scopes, too. */
	if (plain != name || strstr(plain, "::"))
		names_base(plain, text);
	else
		snprintf(text, sizeof(text), "%.*s", (int)names_stem(name),
			 name);
	return text;
}
