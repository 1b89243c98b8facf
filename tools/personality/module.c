/* SPDX-License-Identifier: MIT */
/*
 * personality/module.c - the modules that were asked about: programs, and
 * members of archives.  Each is opened once, and stays open: clients ask about
 * the same few again and again.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/archive.h"
#include "base/fd.h"
#include "common/file.h"
#include "common/out.h"
#include "common/report.h"
#include "personality/personality.h"

/* ---- members of archives ------------------------------------------------- */

/*
 * A member of an archive, lib.a(member.o), is a module, too.  Programs are
 * opened and converted by their paths, so the member is copied to a temporary
 * file.  Two members may have one name.  If the architecture does not tell
 * which one is meant, none is taken.
 */

/* Of so many members with one name the architecture is looked at.  Each is
 * copied for that. */
enum { MOST_ALIKE = 16 };

static struct temporary folder;
static char *copy_path;

static void member_end(void)
{
	temporary_remove(&folder);
	free(copy_path);
	copy_path = NULL;
}

/* Make the copy the bytes of M.  Returns why that is not possible. */
static const char *copy_member(const struct gsym_archive_member *m)
{
	static const char prefix[] = "gsym.member.";
	bool done;
	if (!copy_path) {
		temporary_sweep(temporary_base(), prefix);
		temporary_plan(&folder, temporary_base(), prefix);
		if (!temporary_make(&folder))
			return strerror(errno);
		copy_path = path_print("%s/member", folder.path);
	}
	int fd = open(copy_path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC,
		      0600);
	if (fd < 0)
		return strerror(errno);
	done = out_write_all(fd, m->bytes, m->size);
	int error = errno;
	if (close(fd) < 0 && done)
		return strerror(errno);
	return done ? NULL : strerror(error);
}

/* The architectures that a path can name, as FILE:ARCHITECTURE, and what ELF
 * has for each; 0: it has none of this name. */
static const struct {
	const char *name;
	uint16_t machine; /* EM_* */
	unsigned address_size;
} architectures[] = {
	{ "i386", 3, 4 },      { "i486", 3, 4 },     { "i686", 3, 4 },
	{ "mips", 8, 4 },      { "mips64", 8, 8 },   { "ppc", 20, 4 },
	{ "powerpc", 20, 4 },  { "ppc64", 21, 8 },   { "ppc64le", 21, 8 },
	{ "s390x", 22, 8 },    { "arm", 40, 4 },     { "armv6", 40, 4 },
	{ "armv6m", 40, 4 },   { "armv7", 40, 4 },   { "armv7em", 40, 4 },
	{ "armv7m", 40, 4 },   { "x86_64", 62, 8 },  { "aarch64", 183, 8 },
	{ "arm64", 183, 8 },   { "riscv32", 243, 4 }, { "riscv64", 243, 8 },
	{ "arm64_32", 0, 0 },  { "arm64e", 0, 0 },   { "armv7k", 0, 0 },
	{ "armv7s", 0, 0 },    { "x86_64h", 0, 0 },
};
enum { ARCHITECTURES = sizeof(architectures) / sizeof(architectures[0]) };

/* Whether the copy is of the ARCHITECTURE, as LLVM names it.  Of formats other
 * than ELF it is not known: any is right. */
static bool is_for(const char *architecture)
{
	struct gsym_module *file = NULL;
	struct gsym_module_facts facts = { 0 };
	if (must_status(gsym_module_open(copy_path, &file, NULL)) == GSYM_OK)
		gsym_module_get_facts(file, &facts);
	gsym_module_close(file);
	for (size_t i = 0; i < ARCHITECTURES; i++)
		if (strcmp(architectures[i].name, architecture) == 0 &&
		    architectures[i].machine == facts.machine &&
		    architectures[i].address_size == facts.address_size)
			return true;
	return file && !facts.machine;
}

/* Copy the member NAME of A that is for the ARCHITECTURE, if one is given.
 * Returns how many members fit: 0, 1, or 2 for more.  *WHY says why the copy
 * cannot be made. */
static int take(struct gsym_archive *a, const char *name,
		const char *architecture, const char **why)
{
	struct gsym_archive_member m, found = { 0 };
	struct gsym_error error;
	int count = 0, alike = 0;
	size_t length = strlen(name);
	while (count < 2 && alike < MOST_ALIKE &&
	       gsym_archive_next(a, &m, &error) == GSYM_OK) {
		if (m.name_size != length || memcmp(m.name, name, length) != 0)
			continue;
		alike++;
		if (architecture) {
			*why = copy_member(&m);
			if (*why)
				return 0;
			if (!is_for(architecture))
				continue;
		}
		found = m;
		count++;
	}
	if (count == 1)
		*why = copy_member(&found);
	return count;
}

/* If PATH is ARCHIVE(MEMBER), copy the member to a file of this process.
 * ARCHITECTURE is that of one among several members of the name; NULL: none is
 * named.  Returns the path of the copy, which is valid until member_end, or
 * NULL with *WHY set: to why there is no member, malloc'ed; to NULL if PATH is
 * not of this form, or its archive does not exist. */
static const char *member_start(const char *path, const char *architecture,
				char **why)
{
	const char *open = strrchr(path, '('), *problem = NULL;
	size_t length = strlen(path), size;
	struct gsym_archive a;
	*why = NULL;
	if (!open || path[length - 1] != ')')
		return NULL;
	char *archive = must_have(strndup(path, (size_t)(open - path)));
	char *name = must_have(
		strndup(open + 1, length - (size_t)(open - path) - 2));
	int fd = gsym_fd_open_file(archive), count = 0;
	const uint8_t *bytes = fd < 0 ? NULL : gsym_fd_map(fd, &size);
	if (bytes && gsym_archive_open(&a, bytes, size)) {
		count = take(&a, name, architecture, &problem);
		if (problem)
			*why = path_print("%s", problem);
		else if (count != 1)
			*why = path_print(
				"%s member '%s' with arch '%s' in '%s'",
				count ? "more than one" : "no matching", name,
				architecture ? architecture : "", archive);
	} else if (fd >= 0) {
		*why = path_print("'%s' is not a valid archive", archive);
	}
	gsym_fd_unmap(bytes, bytes ? size : 0);
	if (fd >= 0)
		close(fd);
	free(archive);
	free(name);
	return count == 1 && !problem ? copy_path : NULL;
}

/* ---- modules ------------------------------------------------------------- */

/* When there are more modules, all are closed: a client that names so many does
 * not ask about them again. */
#define MOST_MODULES GSYM_LIMIT(4096, 1)
enum {
	LONGEST_ID = 256,
	/* How many symbols of a section are looked for in the GSYM data, and
	 * how many bytes after a place without a symbol the next place is. */
	MOST_SYMBOLS = 64,
	SYMBOL_STEP = 16,
};

struct modules {
	const struct settings *settings;
	struct source *source;
	/* The modules by the numbers of their names, and those by the numbers
	 * of their build IDs. */
	struct module_set {
		struct gsym_intern names;
		GSYM_VEC(struct module *);
	} sets[2];
	/* The addresses in the module that the command line names; none if it
	 * asks for anything else. */
	struct {
		GSYM_VEC(uint64_t);
	} addresses;
};

/* A callback of the source. */
static void note(void *context, const char *text)
{
	(void)context;
	extra_note("note: %s", text);
}

/* Note the addresses among the operands. */
static void note_addresses(struct modules *m)
{
	const struct settings *s = m->settings;
	if (!s->path || s->section || s->relative)
		return;
	for (size_t i = 0; i < s->operand_count; i++) {
		struct request r;
		request_read(s, s->operands[i], strlen(s->operands[i]), &r);
		if (r.place != PLACE_ADDRESS || r.kind != REQUEST_CODE) {
			m->addresses.count = 0;
			return;
		}
		*must_push(&m->addresses) = r.address - s->adjust;
	}
}

struct modules *module_start(const struct settings *s)
{
	struct modules *m = must_have(calloc(1, sizeof(*m)));
	m->settings = s;
	note_addresses(m);
	m->source = source_new(&s->source, &(struct source_host){
		.note = note,
		.converts = SOURCE_CONVERTS,
		.silent = true,
		.limited = true,
		.most_now = s->convert_limit,
		.any = s->no_verify,
	});
	return m;
}

static void close_set(struct module_set *set)
{
	for (size_t i = 0; i < set->count; i++) {
		struct module *module = set->items[i];
		gsym_demangler_free(module->demangler);
		names_fini(&module->names);
		source_close(&module->symbols);
		gsym_module_close(module->file);
		free(module->reason);
		free(module->name);
		free(module);
	}
	gsym_intern_fini(&set->names);
	gsym_vec_fini(set);
}

static void close_all(struct modules *m)
{
	close_set(&m->sets[false]);
	close_set(&m->sets[true]);
}

void module_end(struct modules *m)
{
	close_all(m);
	gsym_vec_fini(&m->addresses);
	source_free(m->source);
	free(m);
}

/* ---- symbols ------------------------------------------------------------- */

/* What --fallback says for the module M, the program P, which has no GSYM
 * data. */
static void fall_back(struct modules *all, struct module *m,
		      struct source_program *p)
{
	/* The debug file of a program that is gone may be there. */
	if (m->error)
		p->path = NULL;
	for (const enum fallback *b = all->settings->fallbacks; *b; b++) {
		if (*b == FALLBACK_CONVERT &&
		    source_convert(all->source, p, &m->symbols) == SOURCE_HAVE)
			return;
		m->by_symbols = *b == FALLBACK_SYMBOLS && m->file;
		if (m->by_symbols)
			return;
	}
}

/* Find the GSYM data of M.  PATH is NULL if the build ID of SIZE bytes at ID
 * alone is known.  ARCHITECTURE: that of the program among several in the file;
 * NULL: none is named. */
static void find_symbols(struct modules *all, struct module *m,
			 const char *path, const char *architecture,
			 const uint8_t *id, size_t size, bool fresh)
{
	struct source_program p = {
		.path = path,
		.architecture = architecture,
		.id = id,
		.id_size = size,
		.file = m->file,
		.addresses = all->addresses.items,
		.address_count = all->addresses.count,
		/* Of which program a file beside several ones is nobody
		 * knows. */
		.lenient = !architecture,
		.fresh = fresh || all->settings->disable_gsym,
		.unconverted = true,
	};
	if (source_open(all->source, &p, &m->symbols) != SOURCE_HAVE)
		fall_back(all, m, &p);
	m->reader = m->symbols.reader;
}

/* ---- opening ------------------------------------------------------------- */

/* Cut the name of an architecture and the colon before it from PATH.  Returns
 * the name; NULL if there is none. */
static const char *cut_architecture(char *path)
{
	char *colon = strrchr(path, ':');
	for (size_t i = 0; colon && i < ARCHITECTURES; i++)
		if (strcmp(colon + 1, architectures[i].name) == 0) {
			*colon = 0;
			return architectures[i].name;
		}
	return NULL;
}

/* The address that the GSYM data of M, a relocatable object, have for the start
 * of SECTION: a function says so that is in the symbol table and, under a name
 * that nothing else has, in the GSYM data.  Without such a function the
 * address that sections have by default. */
static uint64_t find_section_base(struct module *m,
				  const struct gsym_module_section *section)
{
	struct gsym_store_symbol symbol;
	uint32_t index, other;
	uint64_t at = 0;
	for (int tries = 0; tries < MOST_SYMBOLS && at < section->size;
	     tries++) {
		uint64_t address = section->address + at;
		at += SYMBOL_STEP;
		if (must_status(gsym_module_symbol_at(
			    m->file, address, 0, &symbol)) != GSYM_OK ||
		    symbol.start < section->address)
			continue;
		uint64_t offset = symbol.start - section->address;
		if (offset + symbol.size > at)
			at = offset + symbol.size;
		if (gsym_find_function(m->reader, symbol.name, 0, &index) ==
			    GSYM_OK &&
		    gsym_find_function(m->reader, symbol.name, index + 1,
				       &other) != GSYM_OK)
			return gsym_address_at(m->reader, index) - offset;
	}
	return section->address;
}

/* Set M->base by -j and --relative-address. */
static void find_base(const struct settings *s, struct module *m)
{
	struct gsym_module_section section;
	if (s->relative)
		m->base = m->facts.image_base;
	if (!s->section)
		return;
	m->placeless = !m->file || gsym_module_find_section(
					   m->file, s->section, &section) !=
					   GSYM_OK;
	if (m->placeless)
		return;
	m->section_size = section.size;
	m->base = m->facts.relocatable && m->reader
			  ? find_section_base(m, &section)
			  : section.address;
	m->displaced = m->base != section.address;
}

/* Open PATH, the file of M or a copy of it, and find its GSYM data. */
static void open_file(struct modules *all, struct module *m, const char *path,
		      const char *architecture, bool copied)
{
	if (must_status(gsym_module_open(path, &m->file, NULL)) == GSYM_OK)
		gsym_module_get_facts(m->file, &m->facts);
	/* A file with one program has that, whatever is named. */
	if (m->file)
		architecture = NULL;
	/* This user owns the copy, but maybe not the archive: no GSYM data are
	 * found by the build ID of a member, or kept under it. */
	find_symbols(all, m, path, architecture, m->facts.build_id,
		     copied ? 0 : m->facts.build_id_size, copied);
	if (m->reader || (m->file && !m->facts.cut_off))
		m->error = NULL;
	else if (m->file)
		m->error = "section header table goes past the end of the "
			   "file";
	else if (!m->error)
		m->error = "The file was not recognized as a valid object "
			   "file";
	find_base(all->settings, m);
}

static void open_path(struct modules *all, struct module *m)
{
	char *path = must_have(strdup(m->name));
	const char *architecture = cut_architecture(path), *copy = NULL;
	struct stat st;
	if (!architecture)
		architecture = all->settings->architecture;
	m->missing = stat(path, &st) < 0 && errno == ENOENT;
	if (m->missing)
		copy = member_start(path, architecture, &m->reason);
	if (m->reason)
		m->error = m->reason;
	else if (!copy && stat(path, &st) < 0)
		m->error = strerror(errno);
	else if (!copy && S_ISDIR(st.st_mode))
		m->error = strerror(EISDIR);
	if (!m->reason)
		open_file(all, m, copy ? copy : path, architecture, copy);
	member_end();
	free(path);
}

static void open_id(struct modules *all, struct module *m)
{
	uint8_t id[LONGEST_ID];
	size_t size = number_parse_bytes(m->name, id, sizeof(id));
	if (size)
		find_symbols(all, m, NULL, NULL, id, size, false);
	if (!m->reader)
		m->error = "could not find build ID";
	find_base(all->settings, m);
}

struct module *module_get(struct modules *all, const struct request *request)
{
	const struct settings *s = all->settings;
	struct text name = request->module;
	bool by_id = request->by_id;
	const char *given = s->build_id ? s->build_id : s->path;
	if (given) {
		name = (struct text){ given, strlen(given) };
		by_id = s->build_id != NULL;
	}
	/* No file has a NUL in its name. */
	if (!name.length || memchr(name.bytes, 0, name.length))
		return NULL;
	struct module_set *set = &all->sets[by_id];
	uint32_t number;
	if (gsym_intern_find(&set->names, name.bytes, name.length, &number))
		return set->items[number];
	if (all->sets[false].count + all->sets[true].count >= MOST_MODULES)
		close_all(all);
	must_intern(&set->names, name.bytes, name.length);
	struct module *m = must_have(calloc(1, sizeof(*m)));
	m->name = must_have(strndup(name.bytes, name.length));
	*must_push(set) = m;
	if (by_id)
		open_id(all, m);
	else
		open_path(all, m);
	if (s->demangle)
		m->demangler = demangler_new(
			s->personality == PERSONALITY_ADDR2LINE ?
				0 : GSYM_DEMANGLE_LLVM);
	return m;
}
