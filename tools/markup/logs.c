/* SPDX-License-Identifier: MIT */
/* The callbacks of the filter for backtraces without markup, and --stats. */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>

#include "common/path.h"
#include "common/release.h"
#include "common/report.h"
#include "markup/markup.h"

/* ---- modules ------------------------------------------------------------- */

/* The symbols of the kernel or one of its modules. */
static struct markup_symbols *
find_kernel(struct markup *m, const struct gsym_markup_log_module *module)
{
	char name[80] = "", release[80];
	struct markup_symbols *found = NULL;
	if (module->name_size >= sizeof(name) - 4 ||
	    module->release_size >= sizeof(release))
		return NULL;
	if (module->name_size)
		snprintf(name, sizeof(name), "%.*s.ko", (int)module->name_size,
			 module->name);
	if (m->kernel && !module->name_size)
		return markup_by_path(m, m->kernel, false);
	snprintf(release, sizeof(release), "%.*s", (int)module->release_size,
		 module->release);
	if (!*release && m->release)
		snprintf(release, sizeof(release), "%s", m->release);
	if (!*release || release_is_valid(release))
		found = markup_by_release(m, release, name);
	if (!found)
		found = markup_by_name(m, *name ? name : "vmlinux",
				       strlen(*name ? name : "vmlinux"),
				       module->build_id, module->build_id_size);
	return found;
}

/* Where programs of Apple's systems are linked to. */
#define APPLE_PROGRAM UINT64_C(0x100000000)

/* Set RET->lowest, the lowest address that MODULE was linked to.  GSYM files do
 * not have it.  It is 0 for libraries and for programs that may lie anywhere;
 * other programs lie at 0x400000. */
static void set_lowest(const struct gsym_markup_log_module *module,
		       const struct gsym_reader *reader,
		       struct gsym_markup_log_symbols *ret)
{
	struct gsym_header header;
	gsym_get_header(reader, &header);
	bool library = memmem(module->name, module->name_size, ".so", 3);
	/* Of Apple's systems: libraries begin at 0, programs at 4 GiB, and
	 * libraries of the system anywhere. */
	if (module->log == GSYM_MARKUP_LOG_APPLE) {
		uint64_t first = gsym_address_at(reader, 0);
		ret->lowest = first & ~(APPLE_PROGRAM - 1);
		ret->lowest_known = first < APPLE_PROGRAM * 2;
		return;
	}
	ret->lowest =
		!library && header.base_address >= 0x400000 ? 0x400000 : 0;
	ret->lowest_known = library || header.base_address < 0x10000000;
}

bool markup_log_module(void *context,
		       const struct gsym_markup_log_module *module,
		       struct gsym_markup_log_symbols *ret)
{
	struct markup *m = context;
	uint8_t id[64];
	size_t id_size, base_size = module->name_size;
	const char *base = path_base_of(module->name, &base_size);
	struct markup_symbols *s =
		markup_find_id(m, module->build_id, module->build_id_size);
	ret->certain = s != NULL;
	if (!s && module->log == GSYM_MARKUP_LOG_KERNEL) {
		/* The size of each function is compared. */
		s = find_kernel(m, module);
		ret->certain = true;
	} else if (!s) {
		const char *blank = memchr(base, ' ', base_size);
		s = markup_by_name(m, base, base_size, module->build_id,
				   module->build_id_size);
		/* A program may write its arguments behind its name. */
		if (!s && blank)
			s = markup_by_name(m, base, (size_t)(blank - base),
					   module->build_id,
					   module->build_id_size);
		ret->certain = s && module->build_id_size;
	}
	if (!s && !module->build_id_size && module->name_size) {
		id_size = markup_root_id(m, module->name, module->name_size, id,
					 sizeof(id));
		s = markup_find_id(m, id, id_size);
	}
	if (!s)
		return false;
	ret->symbols = s;
	set_lowest(module, s->reader, ret);
	return true;
}

/* ---- functions ----------------------------------------------------------- */

/* The bytes from the start of function INDEX to the next greater start; 0 if
 * there is none. */
static uint64_t extent_of(const struct gsym_reader *reader, uint32_t index)
{
	uint64_t start = gsym_address_at(reader, index);
	uint32_t count = gsym_function_count(reader);
	while (++index < count)
		if (gsym_address_at(reader, index) > start)
			return gsym_address_at(reader, index) - start;
	return 0;
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
		if (status == GSYM_ERR_MEMORY)
			die("out of memory");
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

size_t markup_log_functions(void *context, void *symbols, const char *name,
			    size_t size,
			    struct gsym_markup_log_function *functions,
			    size_t capacity)
{
	struct markup_symbols *s = symbols;
	uint32_t from = 0, index;
	size_t count = 0;
	/* Logs of the kernel have several frames as a rule, and one name more
	 * is searched for the folder of its sources. */
	s->names.many = true;
	while (names_find(&s->names, s->reader, name, size, from, &index)) {
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
	return count ? count
		     : second_names(context, s, name, size, functions,
				    capacity);
}

/* ---- start and end ------------------------------------------------------- */

/* The FORMS forms of backtraces, in the order of enum gsym_markup_log, and the
 * word for all of them. */
static const char *const forms[] = {
	"kernel",  "android", "sanitizer", "glibc", "jvm", "systemd",
	"generic", "apple",   "maps",	   "strace", "auto", NULL,
};
enum { FORMS = sizeof(forms) / sizeof(*forms) - 2 };

void markup_set_logs(struct markup *m, const struct options *options)
{
	const char *at = options->value;
	m->options.logs = 0;
	do {
		size_t length = strcspn(at, ",");
		char word[32];
		struct options one = *options;
		snprintf(word, sizeof(word), "%.*s", (int)length, at);
		one.value = word;
		int form = FORMS;
		if (*options->value)
			form = options_choice(&one, forms);
		m->options.logs |=
			form == FORMS ? GSYM_MARKUP_LOG_ALL : 1u << form;
		at += length;
	} while (*at++);
}

void markup_logs_start(struct markup *m)
{
	static struct utsname running;
	if (m->release && strcmp(m->release, "running") == 0) {
		if (uname(&running) < 0)
			die("cannot find out the release of the kernel");
		m->release = running.release;
	}
	if (m->release && !release_is_valid(m->release))
		die_usage("'%s' is not a release of a kernel", m->release);
	/* --module tells what addresses alone mean. */
	if (m->options.logs && m->preset_count)
		m->options.logs |= GSYM_MARKUP_LOG_MAPS;
	m->options.strip_prefixes = m->strip.items;
	m->options.strip_prefix_count = m->strip.count;
}

bool markup_logs_end(struct markup *m)
{
	struct gsym_markup_log_count counts[FORMS];
	bool missing = false;
	if (!m->options.logs)
		return false;
	gsym_markup_log_counts(m->filter, counts, FORMS);
	for (size_t i = 0; i < FORMS; i++) {
		const struct gsym_markup_log_count *c = &counts[i];
		missing |= c->answered < c->frames;
		if (!m->stats || !c->frames)
			continue;
		fprintf(stderr,
			"%s: %" PRIu64 " frames, %" PRIu64 " answered, %" PRIu64
			" without module, %" PRIu64 " without function, "
			"%" PRIu64 " of another build\n",
			forms[i], c->frames, c->answered, c->no_module,
			c->no_function, c->mismatch);
	}
	return missing;
}
