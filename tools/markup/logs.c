/* SPDX-License-Identifier: MIT */
/* The callbacks of the filter for backtraces without markup: modules,
 * functions, and lines of source code, of files below the folders of
 * --source-root; and --stats. */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/path_map.h"
#include "common/file.h"
#include "common/report.h"
#include "markup/markup.h"

/* ---- modules ------------------------------------------------------------- */

/* The symbols of the kernel or one of its modules: by --kernel, by the release,
 * or by the name.  NAME is the file name of the module, or "".  *BUILD becomes
 * MARKUP_BUILD_SAME if the release of the log has led to them. */
static struct markup_symbols *
search_kernel(struct markup *m, const struct gsym_markup_log_module *module,
	      const char *name, enum markup_build *build)
{
	const char *base = *name ? name : "vmlinux";
	char release[80];
	struct markup_symbols *found = NULL;
	if (m->kernel && !*name)
		return markup_by_path(m, m->kernel, false);
	if (m->kernel)
		found = markup_beside_kernel(m, name);
	if (found || module->release_size >= sizeof(release))
		return found;
	snprintf(release, sizeof(release), "%.*s", (int)module->release_size,
		 module->release);
	if (!*release && m->release)
		snprintf(release, sizeof(release), "%s", m->release);
	if (*release && path_is_release(release))
		found = markup_convert_release(m, release, name);
	if (found && module->release_size)
		*build = MARKUP_BUILD_SAME;
	return found ? found
		     : markup_by_name(m, base, strlen(base), module->build_id,
				      module->build_id_size);
}

/* Compare the kernel or module S with what the log says about its build, unless
 * BUILD is known already.  A module beside the file of --kernel is of the same
 * release. */
static void compare_kernel(struct markup *m, struct markup_symbols *s,
			   const struct gsym_markup_log_module *module,
			   const char *name, enum markup_build build,
			   struct gsym_markup_log_symbols *ret)
{
	struct gsym_markup_log_module release = *module;
	enum markup_build compared =
		markup_compare_build(m, s, module, name, &ret->other);
	if (compared != MARKUP_BUILD_UNKNOWN)
		build = compared;
	release.build_id_size = 0;
	if (build == MARKUP_BUILD_UNKNOWN && m->kernel && *name &&
	    (s = markup_by_path(m, m->kernel, false)))
		build = markup_compare_build(m, s, &release, "", &ret->other);
	ret->certain = build == MARKUP_BUILD_SAME;
}

/* The symbols of the kernel or one of its modules: S, or if that is NULL others
 * than those of the build ID.  NULL if there are none. */
static struct markup_symbols *
find_kernel(struct markup *m, const struct gsym_markup_log_module *module,
	    struct markup_symbols *s, struct gsym_markup_log_symbols *ret)
{
	enum markup_build build = MARKUP_BUILD_UNKNOWN;
	char name[80] = "";
	if (module->name_size >= sizeof(name) - 4)
		return NULL;
	if (module->name_size)
		snprintf(name, sizeof(name), "%.*s.ko", (int)module->name_size,
			 module->name);
	if (!s)
		s = search_kernel(m, module, name, &build);
	if (s)
		compare_kernel(m, s, module, name, build, ret);
	return s;
}

/* As find_kernel, for a program or library. */
static struct markup_symbols *
find_program(struct markup *m, const struct gsym_markup_log_module *module,
	     struct markup_symbols *s, struct gsym_markup_log_symbols *ret)
{
	uint8_t id[64];
	size_t id_size, size = module->name_size;
	const char *base = path_base_of(module->name, &size);
	const char *blank = memchr(base, ' ', size);
	if (!s)
		s = markup_by_name(m, base, size, module->build_id,
				   module->build_id_size);
	/* A program may write its arguments behind its name. */
	if (!s && blank)
		s = markup_by_name(m, base, (size_t)(blank - base),
				   module->build_id, module->build_id_size);
	if (!s && !module->build_id_size && module->name_size) {
		id_size = markup_root_id(m, module->name, module->name_size, id,
					 sizeof(id));
		s = markup_find_id(m, id, id_size);
	}
	if (s)
		ret->certain = markup_compare_build(m, s, module, "",
						    &ret->other) ==
			       MARKUP_BUILD_SAME;
	if (s && !ret->certain)
		markup_set_code(m, s, ret);
	return s;
}

/* Where programs of Apple's systems are linked to. */
#define APPLE_PROGRAM UINT64_C(0x100000000)

/* Set RET->lowest, the lowest address that MODULE was linked to: 0 for
 * libraries and for programs that may lie anywhere.  For other programs LOWEST
 * is the base address of the GSYM file, such as 0x400000 or lld's 0x200000.  In
 * files that were made from Breakpad's, the base address is the start of a
 * function: then LOWEST is the usual address. */
static void set_lowest(const struct gsym_markup_log_module *module,
		       const struct gsym_reader *reader,
		       struct gsym_markup_log_symbols *ret)
{
	enum { LINKER_ALIGNS = 0x10000, USUAL = 0x400000 };
	struct gsym_header header;
	gsym_get_header(reader, &header);
	bool library =
		gsym_path_is_library(module->name, module->name_size);
	uint64_t base = library ? 0 : header.base_address;
	/* Of Apple's systems: libraries begin at 0, programs at 4 GiB, and
	 * libraries of the system anywhere. */
	if (module->log == GSYM_MARKUP_LOG_APPLE) {
		uint64_t first = gsym_address_at(reader, 0);
		ret->lowest = first & ~(APPLE_PROGRAM - 1);
		ret->lowest_known = first < APPLE_PROGRAM * 2;
		return;
	}
	bool begins = gsym_function_count(reader) &&
		      gsym_address_at(reader, 0) == base;
	if (base % LINKER_ALIGNS == 0 && !begins)
		ret->lowest = base;
	else
		ret->lowest = base >= USUAL ? USUAL : 0;
	ret->lowest_known = ret->lowest == base || base < 0x10000000;
}

/* How the symbols S of MODULE were found, for --explain. */
static const char *found_by(const struct markup *m,
			    const struct gsym_markup_log_module *module,
			    const struct markup_symbols *s,
			    const struct gsym_markup_log_symbols *found)
{
	if (found->other)
		return "--no-verify";
	if (found->certain)
		return module->build_id_size ? "build ID" : "release";
	if (s->entry)
		return "the build ID of a file";
	return module->log == GSYM_MARKUP_LOG_KERNEL && m->kernel
		       ? "--kernel; the log does not confirm the build"
		       : "name; the log does not confirm the build";
}

bool markup_log_module(void *context,
		       const struct gsym_markup_log_module *module,
		       struct gsym_markup_log_symbols *ret)
{
	struct markup *m = context;
	struct markup_symbols *s =
		markup_find_id(m, module->build_id, module->build_id_size);
	if (module->log == GSYM_MARKUP_LOG_KERNEL)
		s = find_kernel(m, module, s, ret);
	else
		s = find_program(m, module, s, ret);
	if (!s)
		return false;
	ret->symbols = s;
	ret->file = s->entry ? gsym_store_path(s->entry) : s->path;
	ret->found_by = found_by(m, module, s, ret);
	set_lowest(module, s->reader, ret);
	return true;
}

void markup_explain(void *context, uint64_t line, const char *text)
{
	struct markup *m = context;
	if (m->one_place)
		out_flush(&m->out);
	fprintf(stderr, "line %" PRIu64 ": %s\n", line, text);
}

bool markup_log_offset(void *context, void *symbols, uint64_t offset,
		       uint64_t *address)
{
	const struct gsym_store_entry *entry = markup_entry(context, symbols);
	return (entry && gsym_store_address_of(entry, offset, address, NULL) ==
				 GSYM_OK) ||
	       markup_wasm_address(context, symbols, offset, address);
}

/* ---- functions ----------------------------------------------------------- */

/* The bytes from the start of function INDEX to the next greater start; 0 if
 * there is none.  A file may have any number of functions with one start, so
 * the last of them is searched in ever smaller steps. */
static uint64_t extent_of(const struct gsym_reader *reader, uint32_t index)
{
	uint64_t start = gsym_address_at(reader, index);
	uint32_t count = gsym_function_count(reader), last = index;
	for (uint32_t step = UINT32_C(1) << 31; step; step >>= 1)
		if (step < count - last &&
		    gsym_address_at(reader, last + step) <= start)
			last += step;
	return last + 1 < count ? gsym_address_at(reader, last + 1) - start : 0;
}

/* The functions of S whose second name is the SIZE bytes at NAME: GSYM data
 * have one name for a start, the symbol table beside them has all.  As
 * markup_log_functions. */
static size_t second_names(struct markup *m, struct markup_symbols *s,
			   const char *name, size_t size,
			   struct gsym_markup_log_function *functions,
			   size_t capacity)
{
	const struct gsym_store_entry *entry = markup_entry(m, s);
	struct gsym_store_symbol symbol;
	size_t count = 0;
	for (size_t skip = 0; entry && skip <= capacity; skip++) {
		struct gsym_frame frame;
		struct gsym_match match;
		enum gsym_status status = gsym_store_symbol_named(
			entry, name, size, skip, &symbol);
		must(status != GSYM_ERR_MEMORY);
		if (status != GSYM_OK)
			break;
		if (gsym_lookup(s->reader, symbol.start, 0, &frame, 1, &match,
				NULL) != GSYM_OK ||
		    match.start != symbol.start)
			continue;
		if (count < capacity)
			functions[count] = (struct gsym_markup_log_function){
				symbol.start, match.size,
				extent_of(s->reader, match.index)
			};
		count++;
	}
	return count;
}

/* Whether the SIZE bytes at NAME are the readable form of a mangled name: only
 * then the names of all functions are demangled. */
static bool is_readable(const char *name, size_t size)
{
	return memmem(name, size, "::", 2) || memchr(name, '(', size);
}

/* A search of tools/common/names.h. */
typedef bool find_fn(struct names *names, const struct gsym_reader *reader,
		     const char *name, size_t size, uint32_t from,
		     uint32_t *index);

/* The functions of S that FIND finds.  As markup_log_functions. */
static size_t find_all(find_fn *find, struct markup_symbols *s,
		       const char *name, size_t size,
		       struct gsym_markup_log_function *functions,
		       size_t capacity)
{
	uint32_t from = 0, index;
	size_t count = 0;
	while (find(&s->names, s->reader, name, size, from, &index)) {
		struct gsym_function function;
		from = index + 1;
		if (gsym_function_at(s->reader, index, &function, NULL) !=
		    GSYM_OK)
			continue;
		if (count < capacity)
			functions[count] = (struct gsym_markup_log_function){
				function.start, function.size,
				extent_of(s->reader, index)
			};
		/* The filter does not need to know how many more there are. */
		if (count++ > capacity)
			break;
	}
	return count;
}

size_t markup_log_functions(void *context, void *symbols, const char *name,
			    size_t size,
			    struct gsym_markup_log_function *functions,
			    size_t capacity)
{
	struct markup_symbols *s = symbols;
	size_t count;
	/* Logs of the kernel have several frames as a rule, and one name more
	 * is searched for the folder of its sources. */
	s->names.many = true;
	count = find_all(names_find, s, name, size, functions, capacity);
	if (!count)
		count = second_names(context, s, name, size, functions,
				     capacity);
	if (!count && is_readable(name, size))
		count = find_all(names_find_readable, s, name, size, functions,
				 capacity);
	return count;
}

/* ---- source code --------------------------------------------------------- */

enum {
	/* Files that are kept, and the size of the largest one. */
	KEPT = 16,
	LARGEST = 1 << 20,
	LONGEST_PATH = 4096,
};

/* A file of source code; TEXT is NULL if it cannot be read. */
struct text_file {
	char *path;
	char *text;
	size_t size;
	/* Where lines begin, and the end of TEXT. */
	uint32_t *lines;
	size_t line_count;
};

struct markup_sources {
	struct text_file items[KEPT];
	/* The next one to be replaced. */
	size_t oldest;
};

static void drop(struct text_file *s)
{
	free(s->path);
	free(s->text);
	free(s->lines);
	*s = (struct text_file){ 0 };
}

/* Read all of FD, which is closed, to S; false if it is too large, or cannot be
 * read. */
static bool read_text(struct text_file *s, int fd)
{
	struct stat st;
	if (fstat(fd, &st) == 0 && st.st_size <= LARGEST)
		s->text = (char *)file_read_whole(fd, &s->size);
	close(fd);
	return s->text;
}

static void find_lines(struct text_file *s)
{
	size_t count = 2;
	for (size_t i = 0; i < s->size; i++)
		count += s->text[i] == '\n';
	s->lines = must_have(malloc(count * sizeof(*s->lines)));
	s->lines[0] = 0;
	s->line_count = 0;
	for (size_t i = 0; i < s->size; i++)
		if (s->text[i] == '\n')
			s->lines[++s->line_count] = (uint32_t)i + 1;
	if (s->lines[s->line_count] < s->size)
		s->lines[++s->line_count] = (uint32_t)s->size + 1;
}

/* Set S to the file PATH below the first folder that has it. */
static void open_source(struct markup *m, struct text_file *s, const char *path)
{
	drop(s);
	s->path = must_have(strdup(path));
	for (size_t i = 0; i < m->source_roots.count; i++) {
		int fd = gsym_fd_open_below(m->source_roots.items[i], path);
		if (fd < 0)
			continue;
		if (!read_text(s, fd)) {
			report_note("note: the source file '%s' is not used: "
				    "it cannot be read, or has more than 1 MiB",
				    path);
			return;
		}
		find_lines(s);
		return;
	}
}

static struct text_file *find_source(struct markup *m, const char *path)
{
	struct text_file *s;
	if (!m->sources)
		m->sources = must_have(calloc(1, sizeof(*m->sources)));
	for (size_t i = 0; i < KEPT; i++) {
		s = &m->sources->items[i];
		if (s->path && strcmp(s->path, path) == 0)
			return s;
	}
	s = &m->sources->items[m->sources->oldest++ % KEPT];
	open_source(m, s, path);
	return s;
}

const char *markup_source(void *context, const struct gsym_markup_frame *frame,
			  uint32_t line, size_t *size)
{
	char path[LONGEST_PATH];
	bool slash = *frame->directory && *frame->basename != '/';
	int length = snprintf(path, sizeof(path), "%s%s%s", frame->directory,
			      slash ? "/" : "", frame->basename);
	if (length < 0 || (size_t)length >= sizeof(path))
		return NULL;
	const struct text_file *s = find_source(context, path);
	if (!s->text || !line || line > s->line_count)
		return NULL;
	*size = s->lines[line] - 1 - s->lines[line - 1];
	const char *text = s->text + s->lines[line - 1];
	*size -= *size && text[*size - 1] == '\r';
	return text;
}

void markup_sources_free(struct markup *m)
{
	for (size_t i = 0; m->sources && i < KEPT; i++)
		drop(&m->sources->items[i]);
	free(m->sources);
}

/* ---- start and end ------------------------------------------------------- */

/* The forms of backtraces are bits of an unsigned number. */
enum { MOST_FORMS = 32 };

const char *const *markup_log_words(void)
{
	static const char *words[MOST_FORMS + 2];
	size_t count = 0;

	while (count < MOST_FORMS && gsym_markup_log_name(count)) {
		words[count] = gsym_markup_log_name(count);
		count++;
	}
	words[count] = "auto";
	return words;
}

/* The forms of the word in the LENGTH bytes at AT.  Dies if there is no such
 * word. */
static unsigned forms_of(const struct options *options, const char *at,
			 size_t length)
{
	struct options one = *options;
	char word[32];
	size_t form;

	snprintf(word, sizeof(word), "%.*s", (int)length, at);
	one.value = word;
	form = (size_t)options_choice(&one, markup_log_words());
	return gsym_markup_log_name(form) ? 1u << form : GSYM_MARKUP_LOG_ALL;
}

void markup_set_logs(struct markup *m, const struct options *options)
{
	const char *at = options->value;
	size_t length;

	m->options.logs.forms = *at ? 0 : GSYM_MARKUP_LOG_ALL;
	/* A comma at the end is followed by an empty word. */
	while (*options->value) {
		length = strcspn(at, ",");
		m->options.logs.forms |= forms_of(options, at, length);
		at += length;
		if (!*at++)
			break;
	}
}

void markup_logs_start(struct markup *m)
{
	static struct utsname running;
	if (m->release && strcmp(m->release, "running") == 0) {
		if (uname(&running) < 0)
			die("cannot find out the release of the kernel");
		m->release = running.release;
	}
	if (m->release && !path_is_release(m->release))
		die_usage("'%s' is not a release of a kernel", m->release);
	/* --module tells what addresses alone mean. */
	if (m->options.logs.forms && m->preset_count)
		m->options.logs.forms |= GSYM_MARKUP_LOG_MAPS;
	m->options.logs.strip_prefixes = m->strip.items;
	m->options.logs.strip_prefix_count = m->strip.count;
}

bool markup_logs_end(struct markup *m)
{
	struct gsym_markup_log_count counts[MOST_FORMS];
	size_t forms;
	bool missing = false;
	if (!m->options.logs.forms)
		return false;
	forms = gsym_markup_log_counts(m->filter, counts, MOST_FORMS);
	for (size_t i = 0; i < forms && i < MOST_FORMS; i++) {
		const struct gsym_markup_log_count *c = &counts[i];
		missing |= c->answered < c->frames;
		if (!m->stats || !c->frames)
			continue;
		fprintf(stderr,
			"%s: %" PRIu64 " frames, %" PRIu64 " answered, %" PRIu64
			" without module, %" PRIu64 " without function, "
			"%" PRIu64 " of another build\n",
			gsym_markup_log_name(i), c->frames, c->answered,
			c->no_module, c->no_function, c->mismatch);
	}
	return missing;
}
