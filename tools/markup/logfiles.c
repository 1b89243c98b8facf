/* SPDX-License-Identifier: MIT */
/*
 * GSYM files that are not found by build ID: by base name below the folders of
 * --symbols, and by the kernel's release.
 *
 * Names come from logs, which may be hostile: no name leads out of the folders
 * that options give.
 */
#include "config.h"

#include <dirent.h>
#include <fts.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/path.h"
#include "common/report.h"
#include "markup/markup.h"

/* The most files below the folders of --symbols. */
enum { MOST_FILES = 65536 };

/* A file below a folder of --symbols. */
struct candidate {
	char *path;
	/* The base name of the module, within PATH; not NUL-terminated. */
	const char *name;
	size_t size;
	/* FAILED: it cannot be opened. */
	struct markup_symbols *symbols;
	bool failed;
};

struct markup_files {
	struct candidate *items;
	size_t count;
	/* The readers of files that were opened. */
	struct gsym_reader **readers;
	size_t reader_count;
	/* Paths that markup_by_path was asked for, and the answers. */
	struct {
		char *path;
		struct markup_symbols *symbols;
	} * paths;
	size_t path_count;
};

/* ---- opening ------------------------------------------------------------- */

static void *grow(void *items, size_t count, size_t size)
{
	items = reallocarray(items, count + 1, size);
	if (!items)
		die("out of memory");
	return items;
}

/* The GSYM data in the file PATH; NULL, with *WHY set, if there are none. */
static struct markup_symbols *open_file(struct markup *m, const char *path,
					char *why, size_t why_size)
{
	struct markup_files *files = m->files;
	struct gsym_error error = { 0 };
	struct gsym_reader *reader;
	enum gsym_status status = markup_open(m, path, &reader, &error);
	if (status != GSYM_OK) {
		snprintf(why, why_size, "%s", report_reason(status, &error));
		return NULL;
	}
	files->readers = grow(files->readers, files->reader_count,
			      sizeof(*files->readers));
	files->readers[files->reader_count++] = reader;
	struct markup_symbols *s = calloc(1, sizeof(*s));
	if (!s)
		die("out of memory");
	s->reader = reader;
	s->path = strdup(path);
	if (!s->path)
		die("out of memory");
	s->next = m->known;
	m->known = s;
	return s;
}

static struct markup_files *files_of(struct markup *m);

/* As markup_by_path, for a path that was not asked for before. */
static struct markup_symbols *open_path(struct markup *m, const char *path,
					bool missing_ok)
{
	char why[256];
	uint8_t id[64];
	size_t size;
	if (missing_ok && access(path, F_OK) != 0)
		return NULL;
	struct markup_symbols *s = open_file(m, path, why, sizeof(why));
	if (s)
		return s;
	if (gsym_store_read_id(path, id, sizeof(id), &size, NULL) == GSYM_OK) {
		s = markup_find_id(m, id, size);
		if (!s && m->convert && markup_convert(m, path, 0, id, size)) {
			gsym_store_retry(m->store);
			s = markup_find_id(m, id, size);
		}
	}
	if (!s)
		markup_note(m, "'%s' is not used: %s", path, why);
	return s;
}

struct markup_symbols *markup_by_path(struct markup *m, const char *path,
				      bool missing_ok)
{
	struct markup_files *files = files_of(m);
	for (size_t i = 0; i < files->path_count; i++)
		if (strcmp(files->paths[i].path, path) == 0)
			return files->paths[i].symbols;
	struct markup_symbols *s = open_path(m, path, missing_ok);
	/* The author of a log must not make the list long. */
	if (files->path_count >= 4096 || (missing_ok && !s))
		return s;
	files->paths =
		grow(files->paths, files->path_count, sizeof(*files->paths));
	files->paths[files->path_count].path = strdup(path);
	if (!files->paths[files->path_count].path)
		die("out of memory");
	files->paths[files->path_count++].symbols = s;
	return s;
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
		size_t size = strlen(ends[i]);
		if (c->size > size &&
		    memcmp(c->name + c->size - size, ends[i], size) == 0)
			c->size -= size;
		else if (i == 0)
			return false;
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

static void add_file(struct markup_files *files, const char *path)
{
	struct candidate c = { .path = strdup(path) };
	if (!c.path)
		die("out of memory");
	if (!set_name(&c)) {
		free(c.path);
		return;
	}
	files->items = grow(files->items, files->count, sizeof(c));
	files->items[files->count++] = c;
}

/* List the files below FOLDER.  Links to folders are not followed. */
static void list_folder(struct markup *m, struct markup_files *files,
			const char *folder)
{
	char *paths[] = { (char *)folder, NULL };
	FTS *walk = fts_open(paths, FTS_PHYSICAL | FTS_NOCHDIR | FTS_COMFOLLOW,
			     NULL);
	FTSENT *entry;
	struct stat st;
	if (!walk)
		die("out of memory");
	while ((entry = fts_read(walk))) {
		if (entry->fts_info == FTS_ERR || entry->fts_info == FTS_DNR ||
		    (entry->fts_info == FTS_NS && entry->fts_level == 0))
			markup_note(m, "'%s' cannot be read: %s",
				    entry->fts_path,
				    strerror(entry->fts_errno));
		if (entry->fts_info != FTS_F &&
		    (entry->fts_info != FTS_SL ||
		     stat(entry->fts_path, &st) < 0 || !S_ISREG(st.st_mode)))
			continue;
		if (files->count >= MOST_FILES) {
			markup_note(m,
				    "'%s' has more than %d files: others "
				    "are not used",
				    folder, MOST_FILES);
			break;
		}
		add_file(files, entry->fts_path);
	}
	fts_close(walk);
}

static struct markup_files *files_of(struct markup *m)
{
	if (m->files)
		return m->files;
	m->files = calloc(1, sizeof(*m->files));
	if (!m->files)
		die("out of memory");
	for (size_t i = 0; i < m->symbols.count; i++)
		list_folder(m, m->files, m->symbols.items[i]);
	if (m->files->count)
		qsort(m->files->items, m->files->count,
		      sizeof(*m->files->items), compare);
	return m->files;
}

/* Open C, unless that failed before. */
static struct markup_symbols *open_candidate(struct markup *m,
					     struct candidate *c)
{
	char why[256];
	if (c->symbols || c->failed)
		return c->symbols;
	c->symbols = open_file(m, c->path, why, sizeof(why));
	c->failed = !c->symbols;
	if (c->failed)
		markup_note(m, "'%s' is not used: %s", c->path, why);
	return c->symbols;
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
	struct markup_files *files = files_of(m);
	struct candidate *found = NULL;
	bool several = false;
	const struct candidate wanted = { .name = name, .size = name_size };
	struct candidate *c =
		files->count ? bsearch(&wanted, files->items, files->count,
				       sizeof(*c), compare_only_names)
			     : NULL;
	while (c && c > files->items && compare_only_names(c - 1, c) == 0)
		c--;
	for (; c && c < files->items + files->count; c++) {
		struct gsym_header header;
		if (compare_only_names(c, &wanted) != 0)
			break;
		if (!open_candidate(m, c))
			continue;
		if (id_size && same_id(c->symbols->reader, id, id_size))
			return c->symbols;
		gsym_get_header(c->symbols->reader, &header);
		if (id_size && !markup_has_id(&header))
			continue;
		if (found && id_size)
			several = true;
		if (found && !id_size &&
		    !same_id(found->symbols->reader, header.uuid,
			     header.uuid_size)) {
			markup_note(m,
				    "neither '%s' nor '%s' is used: they "
				    "have different build IDs, and the log "
				    "has none",
				    found->path, c->path);
			return NULL;
		}
		if (!found)
			found = c;
	}
	return found && !several ? found->symbols : NULL;
}

/* ---- releases ------------------------------------------------------------ */

/* The file of FOLDER whose name is NAME and END, where "-" and "_" are the
 * same.  The path is malloc'ed; NULL if there is none. */
static char *find_in(const char *folder, const char *name, const char *end)
{
	char wanted[128], *path = NULL;
	struct dirent *entry;
	DIR *d = opendir(folder);
	int size = snprintf(wanted, sizeof(wanted), "%s%s", name, end);
	while (d && !path && (entry = readdir(d)))
		if (compare_names(entry->d_name, strlen(entry->d_name), wanted,
				  (size_t)size) == 0)
			path = path_print("%s/%s", folder, entry->d_name);
	if (d)
		closedir(d);
	return path;
}

static struct markup_symbols *in_folder(struct markup *m, const char *folder,
					const char *release, const char *name)
{
	char *below, *path;
	struct markup_symbols *s = NULL;
	if (!folder)
		return NULL;
	below = path_print("%s/by-release/%s", folder, release);
	path = find_in(below, *name ? name : "vmlinux", ".gsym");
	if (path)
		s = markup_by_path(m, path, true);
	free(path);
	free(below);
	return s;
}

struct markup_symbols *markup_beside_kernel(struct markup *m, const char *name)
{
	char *folder = strdup(m->kernel);
	char *slash = folder ? strrchr(folder, '/') : NULL;
	struct markup_symbols *s = NULL;
	if (!folder)
		die("out of memory");
	if (slash)
		*slash = 0;
	char *path = find_in(slash ? folder : ".", name, ".gsym");
	if (path)
		s = markup_by_path(m, path, true);
	free(path);
	free(folder);
	return s;
}

/* The first file NAME or NAME.debug below FOLDER; "-" and "_" are the same.
 * The path is malloc'ed; NULL if there is none. */
static char *find_below(const char *folder, const char *name)
{
	char *paths[] = { (char *)folder, NULL }, *found = NULL;
	FTS *walk = fts_open(paths, FTS_PHYSICAL | FTS_NOCHDIR | FTS_COMFOLLOW,
			     NULL);
	FTSENT *entry;
	size_t size = strlen(name), count = 0;
	if (!walk)
		die("out of memory");
	while (!found && count < MOST_FILES && (entry = fts_read(walk))) {
		size_t length = entry->fts_namelen;
		count++;
		if (length == size + 6 &&
		    strcmp(entry->fts_name + size, ".debug") == 0)
			length = size;
		if (entry->fts_info == FTS_F &&
		    compare_names(entry->fts_name, length, name, size) == 0) {
			found = strdup(entry->fts_path);
			if (!found)
				die("out of memory");
		}
	}
	fts_close(walk);
	return found;
}

/* The path of the debug file of the kernel or its module NAME, of this RELEASE,
 * in the debug folder FOLDER.  Malloc'ed; NULL if there is none. */
static char *debug_file(const char *folder, const char *release,
			const char *name)
{
	char *modules = path_print("%s/lib/modules/%s", folder, release);
	char *path;
	if (*name) {
		path = find_below(modules, name);
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
	char *path = debug_file(folder, release, name);
	struct markup_symbols *s = path ? markup_by_path(m, path, true) : NULL;
	free(path);
	return s;
}

struct markup_symbols *markup_by_release(struct markup *m, const char *release,
					 const char *name)
{
	struct markup_symbols *s = NULL;
	for (size_t i = 0; !s && i < m->gsym_directories.count; i++)
		s = in_folder(m, m->gsym_directories.items[i], release, name);
	for (size_t i = 0; !s && i < m->debug_directory_count; i++)
		s = in_folder(m, m->debug_directories[i], release, name);
	return s ? s : in_folder(m, m->cache, release, name);
}

struct markup_symbols *markup_convert_release(struct markup *m,
					      const char *release,
					      const char *name)
{
	struct markup_symbols *s = markup_by_release(m, release, name);
	for (size_t i = 0; !s && m->convert && i < m->debug_directory_count;
	     i++)
		s = convert_in(m, m->debug_directories[i], release, name);
	return s;
}

void markup_files_free(struct markup *m)
{
	struct markup_files *files = m->files;
	if (!files)
		return;
	for (size_t i = 0; i < files->reader_count; i++)
		gsym_close(files->readers[i]);
	for (size_t i = 0; i < files->count; i++)
		free(files->items[i].path);
	for (size_t i = 0; i < files->path_count; i++)
		free(files->paths[i].path);
	free(files->readers);
	free(files->items);
	free(files->paths);
	free(files);
}
