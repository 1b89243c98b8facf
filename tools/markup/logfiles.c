/* SPDX-License-Identifier: MIT */
/*
 * GSYM files that are not found by build ID: by base name below the folders of
 * --symbols, and by the kernel's release.
 *
 * Names come from logs, which may be hostile: no name leads out of the folders
 * that options give.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/system.h"
#include "base/text.h"
#include "common/file.h"
#include "common/report.h"
#include "markup/markup.h"

/* The most files of a list. */
#define MOST_FILES GSYM_LIMIT(65536u, 1)
/* The most lists of folders that are kept. */
enum { ROOM_LISTS = 256 };
#define MOST_LISTS GSYM_LIMIT(ROOM_LISTS, 1u)
/* The most paths whose symbols are kept. */
#define MOST_PATHS GSYM_LIMIT(65536u, 1)

/* What a path led to. */
struct answer {
	struct markup_symbols *symbols;
	/* Opening the file failed in this round, and a note has told so.  In
	 * the next round it is tried again: the reason may have been a lack of
	 * descriptors or memory. */
	bool failed;
	unsigned round;
};

/* A file of a list. */
struct candidate {
	char *path;
	/* Its base name, of --symbols that of the module, within PATH; not
	 * NUL-terminated. */
	const char *name;
	size_t size;
	struct answer answer;
};

/* What a list has. */
enum list_kind {
	/* The GSYM files below a folder of --symbols. */
	LIST_SYMBOLS,
	/* The files in a folder, or below it. */
	LIST_FOLDER,
	LIST_TREE,
};

/* Files, sorted by names. */
struct list {
	enum list_kind kind;
	/* Of what kind and folder it is; the value of m->round then. */
	char *folder;
	unsigned round;
	GSYM_VEC(struct candidate);
};

struct markup_files {
	/* The files below all folders of --symbols. */
	struct list symbols;
	struct list lists[ROOM_LISTS];
	size_t list_count;
	/* Paths that markup_by_path was asked for, and the answers by their
	 * numbers. */
	struct gsym_intern paths;
	struct {
		GSYM_VEC(struct answer);
	} answers;
};

/* Whether A has symbols, or there is no sense in trying again yet. */
static bool is_final(const struct markup *m, const struct answer *a)
{
	return a->symbols || (a->failed && a->round == m->round);
}

/* Opening PATH has failed because of WHY. */
static void fail(struct markup *m, struct answer *a, const char *path,
		 const char *why)
{
	if (!a->failed)
		report_note("note: '%s' is not used: %s", path, why);
	*a = (struct answer){ NULL, true, m->round };
}

/* ---- opening ------------------------------------------------------------- */

static struct markup_files *files_of(struct markup *m);

/* As markup_by_path, for a path that has no symbols so far. */
static struct markup_symbols *open_path(struct markup *m, const char *path,
					bool missing_ok, struct answer *answer)
{
	const struct source_program program = { .path = path };
	struct source_symbols found;
	struct markup_symbols *s;
	if (missing_ok && access(path, F_OK) != 0)
		return NULL;
	if (source_open(m->source, &program, &found) != SOURCE_HAVE) {
		fail(m, answer, path,
		     report_reason(found.status, &found.error));
		return NULL;
	}
	if (found.entry)
		return markup_of_entry(m, found.entry);
	s = markup_add(m, found.own, found.path ? found.path : path);
	free(found.path);
	return s;
}

struct markup_symbols *markup_by_path(struct markup *m, const char *path,
				      bool missing_ok)
{
	struct markup_files *files = files_of(m);
	uint32_t count = files->paths.count, most = MOST_PATHS;
	uint32_t number =
		must_intern_within(&files->paths, most, path, strlen(path));
	/* The author of a log must not have ever more files opened. */
	if (number == most)
		return NULL;
	if (number == count)
		*must_push(&files->answers) = (struct answer){ 0 };
	struct answer *a = &files->answers.items[number];
	if (!is_final(m, a))
		a->symbols = open_path(m, path, missing_ok, a);
	return a->symbols;
}

/* ---- --symbols ----------------------------------------------------------- */

/* Set the name of the module that the GSYM file of C is for: its base name
 * without ".gsym", ".debug" and ".dbg". */
static bool set_name(struct candidate *c)
{
	static const char *const ends[] = { ".gsym", ".debug", ".dbg" };
	c->name = path_base(c->path);
	c->size = strlen(c->name);
	for (size_t i = 0; i < sizeof(ends) / sizeof(*ends); i++) {
		size_t size = gsym_cut_end(c->name, c->size, ends[i]);
		if (i == 0 && size == c->size)
			return false;
		c->size = size;
	}
	return true;
}

static int compare_names(const char *a, size_t a_size, const char *b,
			 size_t b_size)
{
	size_t both = a_size < b_size ? a_size : b_size;
	for (size_t i = 0; i < both; i++) {
		/* Modules of the kernel have either in their names. */
		char x = a[i] == '-' ? '_' : a[i];
		char y = b[i] == '-' ? '_' : b[i];
		if (x != y)
			return x < y ? -1 : 1;
	}
	return a_size == b_size ? 0 : a_size < b_size ? -1 : 1;
}

static int compare_only_names(const void *a, const void *b)
{
	const struct candidate *x = a, *y = b;
	return compare_names(x->name, x->size, y->name, y->size);
}

static int compare(const void *a, const void *b)
{
	const struct candidate *x = a, *y = b;
	int order = compare_only_names(a, b);
	return order ? order : strcmp(x->path, y->path);
}

static void add_file(struct list *list, const char *path)
{
	struct candidate c = { .path = must_have(strdup(path)) };
	if (list->kind != LIST_SYMBOLS) {
		c.name = path_base(c.path);
		c.size = strlen(c.name);
	} else if (!set_name(&c)) {
		free(c.path);
		return;
	}
	*must_push(list) = c;
}

/* Whether ENTRY is a regular file for LIST, or a link to one. */
static bool is_listed(const struct list *list, const struct walk_entry *entry)
{
	struct stat st;
	return entry->kind == WALK_FILE ||
	       (entry->kind == WALK_LINK && list->kind != LIST_TREE &&
		stat(entry->path, &st) == 0 && S_ISREG(st.st_mode));
}

/* Add the files of FOLDER to LIST.  Links to folders are not followed. */
static void list_folder(struct list *list, const char *folder)
{
	struct walk *walk = path_walk_open(folder);
	const struct walk_entry *entry;

	while ((entry = path_walk_next(walk))) {
		/* By-release folders need not exist. */
		if (list->kind == LIST_SYMBOLS && entry->kind == WALK_FAILED &&
		    (entry->level == 0 || S_ISDIR(entry->st.st_mode)))
			report_note("note: '%s' cannot be read: %s",
				    entry->path, strerror(entry->error));
		if (list->kind == LIST_FOLDER && entry->level > 0)
			path_walk_skip(walk);
		if (!is_listed(list, entry))
			continue;
		if (list->count >= MOST_FILES) {
			report_note("note: '%s' has more than %u files: others "
				    "are not used",
				    folder, MOST_FILES);
			break;
		}
		add_file(list, entry->path);
	}
	path_walk_close(walk);
}

static void sort_list(struct list *list)
{
	if (list->count)
		qsort(list->items, list->count, sizeof(*list->items), compare);
}

static void free_list(struct list *list)
{
	for (size_t i = 0; i < list->count; i++)
		free(list->items[i].path);
	gsym_vec_fini(list);
	free(list->folder);
	*list = (struct list){ 0 };
}

/* The first file of LIST with the SIZE bytes at NAME as its name; NULL. */
static struct candidate *find_listed(const struct list *list, const char *name,
				     size_t size)
{
	const struct candidate wanted = { .name = name, .size = size };
	struct candidate *c =
		list->count ? bsearch(&wanted, list->items, list->count,
				      sizeof(*c), compare_only_names)
			    : NULL;
	while (c && c > list->items && compare_only_names(c - 1, c) == 0)
		c--;
	return c;
}

/* The list of this KIND of FOLDER, which is made anew when missing files are
 * looked for again. */
static const struct list *list_of(struct markup *m, enum list_kind kind,
				  const char *folder)
{
	struct markup_files *files = files_of(m);
	size_t at = 0;
	while (at < files->list_count &&
	       (files->lists[at].kind != kind ||
		strcmp(files->lists[at].folder, folder) != 0))
		at++;
	struct list *list = &files->lists[at];
	if (at < files->list_count && list->round == m->round)
		return list;
	if (at == files->list_count && at >= MOST_LISTS) {
		/* Logs that name very many releases. */
		while (files->list_count)
			free_list(&files->lists[--files->list_count]);
		list = files->lists;
	}
	if (list == &files->lists[files->list_count])
		files->list_count++;
	free_list(list);
	*list = (struct list){ .kind = kind, .round = m->round,
			       .folder = path_print("%s", folder) };
	list_folder(list, list->folder);
	sort_list(list);
	return list;
}

static struct markup_files *files_of(struct markup *m)
{
	if (m->files)
		return m->files;
	m->files = must_have(calloc(1, sizeof(*m->files)));
	for (size_t i = 0; i < m->symbols.count; i++)
		list_folder(&m->files->symbols, m->symbols.items[i]);
	sort_list(&m->files->symbols);
	return m->files;
}

static struct markup_symbols *open_candidate(struct markup *m,
					     struct candidate *c)
{
	struct gsym_error error = { 0 };
	struct gsym_reader *reader;
	enum gsym_status status;
	if (is_final(m, &c->answer))
		return c->answer.symbols;
	status = source_open_file(m->source, c->path, &reader, &error);
	if (status == GSYM_OK)
		c->answer.symbols = markup_add(m, reader, c->path);
	else
		fail(m, &c->answer, c->path, report_reason(status, &error));
	return c->answer.symbols;
}

static bool same_id(const struct gsym_reader *reader, const uint8_t *id,
		    size_t size)
{
	struct gsym_header header;
	gsym_get_header(reader, &header);
	return gsym_uuid_matches(header.uuid, header.uuid_size, id, size);
}

struct markup_symbols *markup_by_name(struct markup *m, const char *name,
				      size_t name_size, const uint8_t *id,
				      size_t id_size)
{
	const struct list *list = &files_of(m)->symbols;
	bool several = false;
	const struct candidate wanted = { .name = name, .size = name_size };
	struct candidate *found = NULL;
	struct candidate *c = find_listed(list, name, name_size);
	for (; c && c < list->items + list->count; c++) {
		struct gsym_header header;
		if (compare_only_names(c, &wanted) != 0)
			break;
		if (!open_candidate(m, c))
			continue;
		if (id_size && same_id(c->answer.symbols->reader, id, id_size))
			return c->answer.symbols;
		gsym_get_header(c->answer.symbols->reader, &header);
		if (id_size && !markup_has_id(&header))
			continue;
		if (found && id_size)
			several = true;
		if (found && !id_size &&
		    !same_id(found->answer.symbols->reader, header.uuid,
			     header.uuid_size)) {
			report_note("note: neither '%s' nor '%s' is used: they "
				    "have different build IDs, and the log "
				    "has none",
				    found->path, c->path);
			return NULL;
		}
		if (!found)
			found = c;
	}
	return found && !several ? found->answer.symbols : NULL;
}

/* ---- releases ------------------------------------------------------------ */

/* The path of the file of FOLDER, or for LIST_TREE below it, whose name is NAME
 * and END, where "-" and "_" are the same; NULL if there is none. */
static const char *find_in(struct markup *m, enum list_kind kind,
			   const char *folder, const char *name,
			   const char *end)
{
	char wanted[128];
	int size = snprintf(wanted, sizeof(wanted), "%s%s", name, end);
	if (size < 0 || (size_t)size >= sizeof(wanted))
		return NULL;
	const struct candidate *c = find_listed(list_of(m, kind, folder),
						wanted, (size_t)size);
	return c ? c->path : NULL;
}

/* The symbols of the GSYM file of NAME in FOLDER; NULL if there is none. */
static struct markup_symbols *open_in(struct markup *m, const char *folder,
				      const char *name)
{
	const char *path = find_in(m, LIST_FOLDER, folder, name, ".gsym");
	return path ? markup_by_path(m, path, true) : NULL;
}

static struct markup_symbols *in_folder(struct markup *m, const char *folder,
					const char *release, const char *name)
{
	if (!folder)
		return NULL;
	char *below = path_print("%s/by-release/%s", folder, release);
	struct markup_symbols *s = open_in(m, below, *name ? name : "vmlinux");
	free(below);
	return s;
}

struct markup_symbols *markup_beside_kernel(struct markup *m, const char *name)
{
	char *folder = must_have(strdup(m->kernel));
	char *slash = strrchr(folder, '/');
	if (slash)
		*slash = 0;
	struct markup_symbols *s = open_in(m, slash ? folder : ".", name);
	free(folder);
	return s;
}

/* The path of the debug file of the kernel or its module NAME, of this RELEASE,
 * in the debug folder FOLDER.  Malloc'ed; NULL if there is none. */
static char *debug_file(struct markup *m, const char *folder,
			const char *release, const char *name)
{
	char *modules = path_print("%s/lib/modules/%s", folder, release);
	char *path;
	if (*name) {
		const char *found = find_in(m, LIST_TREE, modules, name, "");
		if (!found)
			found = find_in(m, LIST_TREE, modules, name, ".debug");
		path = found ? path_print("%s", found) : NULL;
		free(modules);
		return path;
	}
	path = path_print("%s/boot/vmlinux-%s", folder, release);
	if (access(path, R_OK) != 0) {
		free(path);
		path = path_print("%s/vmlinux", modules);
	}
	free(modules);
	return path;
}

/* Convert the debug file of the kernel or its module NAME, of this RELEASE, in
 * the debug folder FOLDER. */
static struct markup_symbols *convert_in(struct markup *m, const char *folder,
					 const char *release, const char *name)
{
	char *path = debug_file(m, folder, release, name);
	struct markup_symbols *s = path ? markup_by_path(m, path, true) : NULL;
	free(path);
	return s;
}

struct markup_symbols *markup_by_release(struct markup *m, const char *release,
					 const char *name)
{
	const struct option_list *gsym = &source_asked()->gsym_folders;
	const struct option_list *debug = source_debug_folders(m->source);
	struct markup_symbols *s = NULL;
	for (size_t i = 0; !s && i < gsym->count; i++)
		s = in_folder(m, gsym->items[i], release, name);
	for (size_t i = 0; !s && i < debug->count; i++)
		s = in_folder(m, debug->items[i], release, name);
	return s ? s : in_folder(m, source_cache(m->source), release, name);
}

struct markup_symbols *markup_convert_release(struct markup *m,
					      const char *release,
					      const char *name)
{
	const struct option_list *debug = source_debug_folders(m->source);
	bool converts = source_may_convert(m->source);
	struct markup_symbols *s = markup_by_release(m, release, name);
	for (size_t i = 0; !s && converts && i < debug->count; i++)
		s = convert_in(m, debug->items[i], release, name);
	return s;
}

/* ---- files below a root -------------------------------------------------- */

/* Read the build ID of the open file FD to ID.  --convert converts the file if
 * there are no symbols for the build ID. */
static size_t id_of(struct markup *m, int fd, uint8_t *id, size_t capacity)
{
	char name[SYSTEM_PATH_SIZE];
	size_t size;
	struct source_program program = { .path = name, .fd = fd, .id = id };
	gsym_system_path_of(name, fd);
	if (gsym_store_read_id(name, id, capacity, &size, NULL) != GSYM_OK)
		return 0;
	program.id_size = size;
	if (source_may_convert(m->source) &&
	    !markup_find_id(m, id, size) &&
	    source_make(m->source, &program) == SOURCE_HAVE)
		markup_retry(m);
	return size;
}

/* Say that the build ID of PATH is that of the file below the folder ROOT. */
static void tell_root(const char *root, const char *path)
{
	size_t size = strlen(root);

	while (size && root[size - 1] == '/')
		size--;
	report_note("note: the build ID of '%s' is that of '%.*s/%s'", path,
		    (int)size, root, path + strspn(path, "/"));
}

size_t markup_root_id(struct markup *m, const char *name, size_t name_size,
		      uint8_t *id, size_t capacity)
{
	char path[4096];
	if (name_size >= sizeof(path) || memchr(name, 0, name_size))
		return 0;
	memcpy(path, name, name_size);
	path[name_size] = 0;
	for (size_t i = 0; i < m->roots.count; i++) {
		int fd = gsym_fd_open_below(m->roots.items[i], path);
		size_t size = fd >= 0 ? id_of(m, fd, id, capacity) : 0;
		if (fd >= 0)
			close(fd);
		if (!size)
			continue;
		tell_root(m->roots.items[i], path);
		return size;
	}
	return 0;
}

/* ---- the end ------------------------------------------------------------- */

void markup_files_free(struct markup *m)
{
	struct markup_files *files = m->files;
	if (!files)
		return;
	free_list(&files->symbols);
	while (files->list_count)
		free_list(&files->lists[--files->list_count]);
	gsym_intern_fini(&files->paths);
	gsym_vec_fini(&files->answers);
	free(files);
}
