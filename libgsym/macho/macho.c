/* SPDX-License-Identifier: MIT */
/*
 * A program in a Mach-O file as a container: the header, the load commands and
 * the sections; and its debug file, which dsymutil made and which lies in a
 * folder: NAME.dSYM/Contents/Resources/DWARF/NAME.
 */
#include "config.h"

#include "base/debug_path.h"
#include "base/error.h"
#include "base/text.h"
#include "container/input.h"
#include "macho/macho.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <sys/stat.h>

static void file_free(void *p)
{
	struct macho_file *file = p;

	gsym_macho_archives_free(file->archives);
	gsym_vec_fini(&file->sections);
	free(file);
}

/* ---- sections --------------------------------------------------------- */

/*
 * The container's name of SECTION in SEGMENT; NULL without memory.  A name in
 * a Mach-O file has 16 bytes at most: longer names of debug sections are cut
 * there, and completed here.
 */
static char *section_name(struct macho_file *file, const char *segment,
			  const char *section)
{
	static const char *const cut[] = { "str_offsets", "line_str",
					   "rnglists", "aranges" };
	char text[2 * MACHO_NAME + 8];
	const char *name = section;
	const char *dot = ".debug_";

	if (!strncmp(name, "__debug_", 8)) {
		name += 8;
	} else if (!strncmp(name, "__zdebug_", 9)) {
		name += 9;
		dot = ".zdebug_";
	} else {
		snprintf(text, sizeof(text), "%s,%s", segment, section);
		return gsym_arena_string(&file->container->arena, text,
					 strlen(text));
	}
	for (size_t i = 0; strlen(section) == MACHO_NAME &&
			   i < sizeof(cut) / sizeof(cut[0]); i++)
		if (!strncmp(cut[i], name, strlen(name))) {
			name = cut[i];
			break;
		}
	snprintf(text, sizeof(text), "%s%s", dot, name);
	return gsym_arena_string(&file->container->arena, text, strlen(text));
}

/* Find the bytes of S at OFFSET.  FILE_SIZE is the size of S's segment in the
 * file: debug files have headers for all segments of the program, but only the
 * bytes of __DWARF. */
static void find_bytes(struct macho_file *file, uint32_t flags,
		       uint64_t file_size, uint64_t offset,
		       struct gsym_container_section *s)
{
	s->file_offset = file->offset + offset;
	if (!s->size || !file_size || !machoview_has_bytes(flags))
		return;
	if (offset > file->view.size || s->size > file->view.size - offset) {
		gsym_container_warn(file->container, GSYM_WARN_BAD_SECTION,
				    "%s: 0x%" PRIx64 " bytes at 0x%" PRIx64
				    " reach beyond the end of the file",
				    s->name, s->size, s->file_offset);
		return;
	}
	s->data = file->view.bytes + offset;
	s->data_size = s->size;
}

static bool put_section(struct macho_file *file,
			const struct machoview_section *from,
			uint64_t file_size)
{
	struct gsym_container_section s = {
		.name = section_name(file, from->segment, from->name),
		.address = from->address,
		.size = from->size,
		.loaded = strcmp(from->segment, "__DWARF") != 0,
	};

	if (!s.name || !gsym_vec_add(&file->sections, *from))
		return false;
	s.executable = s.loaded && machoview_is_code(from->flags);
	find_bytes(file, from->flags, file_size, from->offset, &s);
	return gsym_vec_add(&file->container->sections, s);
}

/* ---- load commands ---------------------------------------------------- */

static enum gsym_status read_segment(struct macho_file *file,
				     struct gsym_cursor *c,
				     struct gsym_error *error)
{
	struct gsym_container *container = file->container;
	struct machoview_segment s;

	gsym_machoview_segment(&file->view, c, &s);
	if (!gsym_container_add_segment(
		    container,
		    (struct gsym_segment){
			    .address = s.address,
			    .data_size = c->failed ? 0 : s.file_size,
			    .writable = s.protection & VM_PROT_WRITE,
			    .executable = s.protection & VM_PROT_EXECUTE,
		    },
		    file->view.bytes, file->view.size, s.offset))
		return gsym_fail_memory(error);
	if (!c->failed && !container->has_base && !strcmp(s.name, "__TEXT")) {
		container->has_base = true;
		container->base = s.address;
	}
	for (uint32_t i = 0; i < s.count && !c->failed; i++) {
		struct machoview_section section;

		if (gsym_machoview_section(&file->view, c, &section) &&
		    !put_section(file, &section, s.file_size))
			return gsym_fail_memory(error);
	}
	return GSYM_OK;
}

static enum gsym_status read_commands(struct macho_file *file,
				      struct gsym_error *error)
{
	struct machoview *v = &file->view;
	struct gsym_cursor c = v->commands;
	uint64_t origin = file->offset + (uint64_t)(c.start - v->bytes);

	for (uint32_t i = 0; i < v->command_count; i++) {
		uint64_t at = origin + gsym_cursor_offset(&c);
		struct machoview_command command;
		enum gsym_status status = GSYM_OK;

		if (!gsym_machoview_command(&c, &command))
			return gsym_fail(error, GSYM_ERR_CORRUPT, at,
					 "load command %u of %u at 0x%" PRIx64
					 ": its size is wrong",
					 i + 1, v->command_count, at);
		gsym_machoview_note(v, &command);
		if (command.kind == (v->wide ? LC_SEGMENT_64 : LC_SEGMENT))
			status = read_segment(file, &command.body, error);
		if (status != GSYM_OK)
			return status;
		if (command.body.failed)
			return gsym_fail(error, GSYM_ERR_CORRUPT, at,
					 "load command %u of %u at 0x%" PRIx64
					 ": it breaks off",
					 i + 1, v->command_count, at);
	}
	return GSYM_OK;
}

/* ---- opening ---------------------------------------------------------- */

/* Read the header of the program at SLICE of the file at BYTES. */
static enum gsym_status read_header(struct macho_file *file,
				    const uint8_t *bytes,
				    const struct machoview_slice *slice,
				    struct gsym_error *error)
{
	struct machoview *v = &file->view;
	enum gsym_status status =
		gsym_machoview_open(bytes + slice->offset, (size_t)slice->size,
				    v, error);

	file->offset = slice->offset;
	if (status == GSYM_ERR_FORMAT)
		return gsym_fail(error, GSYM_ERR_UNSUPPORTED, file->offset,
				 "universal file: there is no mach-o program "
				 "at 0x%" PRIx64,
				 file->offset);
	if (v->cpu != slice->cpu)
		return gsym_fail(error, GSYM_ERR_CORRUPT, file->offset,
				 "universal header: the program at 0x%" PRIx64
				 " is for another processor",
				 file->offset);
	if (status != GSYM_OK)
		return status;
	switch (v->type) {
	case MH_CORE:
	case MH_DYLIB_STUB:
	case MH_FILESET:
		return gsym_fail(error, GSYM_ERR_UNSUPPORTED, file->offset,
				 "mach-o header: files of type %u (core "
				 "files, stubs, sets of files) cannot be read",
				 v->type);
	}
	return GSYM_OK;
}

static void find_pointers(struct macho_file *file)
{
	if (!file->view.fixups.count)
		return;
	file->fixups =
		gsym_macho_piece(file, file->view.fixups, 1, "chained fixups");
	file->container->pointers = gsym_macho_each_pointer;
}

static enum gsym_status load_program(struct macho_file *file,
				     const uint8_t *bytes,
				     const struct machoview_slice *slice,
				     struct gsym_error *error)
{
	struct gsym_container *c = file->container;
	enum gsym_status status = read_header(file, bytes, slice, error);

	if (status != GSYM_OK)
		return status;
	memcpy(c->architecture, gsym_macho_architecture(slice).name,
	       sizeof(c->architecture));
	c->big_endian = file->view.swap != GSYM_HOST_BIG_ENDIAN;
	c->address_size = file->view.wide ? 8 : 4;
	c->code_bit0 = file->view.cpu == CPU_TYPE_ARM;
	status = read_commands(file, error);
	if (status != GSYM_OK)
		return status;
	c->uuid = file->view.uuid;
	c->uuid_size = file->view.uuid ? MACHO_UUID : 0;
	if (!gsym_container_collect_text(c) || !gsym_macho_read_symbols(file) ||
	    !gsym_macho_read_debug_map(file) ||
	    !gsym_inflate_zdebug(c, file->view.size) ||
	    !gsym_macho_relocate(file))
		return gsym_fail_memory(error);
	find_pointers(file);
	return GSYM_OK;
}

/*
 * The FILL of Mach-O files: load the program for the architecture of the
 * options, which may be NULL if the file holds a single program.  A damaged
 * section or table is left out, and noted among the container's warnings.
 *
 * GSYM_ERR_FORMAT: no Mach-O file; GSYM_ERR_ARGUMENT: the file has no program
 * for the architecture, or has several and none is named;
 * GSYM_ERR_UNSUPPORTED: a core file, or another kind that has no debug info;
 * GSYM_ERR_CORRUPT: a header or a load command is damaged; GSYM_ERR_MEMORY.
 */
static enum gsym_status fill(struct gsym_container *c,
			     const struct gsym_load *from,
			     struct gsym_error *error)
{
	struct macho_file *file = calloc(1, sizeof(*file));
	struct machoview_slice slice;
	enum gsym_status status;

	if (!file)
		return gsym_fail_memory(error);
	c->private_data = file;
	c->free_private = file_free;
	file->container = c;
	status = gsym_macho_choose(from->bytes, from->size,
				   from->options->architecture, &slice, error);
	if (status == GSYM_OK)
		status = load_program(file, from->bytes, &slice, error);
	gsym_vec_fini(&file->sections);
	return status;
}

/* ---- the debug file ----------------------------------------------------- */

enum {
	/* Folders around a program that may have a dSYM folder beside them:
	 * in X.framework/Versions/A/X it is the third one. */
	MAX_FOLDERS = 4,
	/* The most files of one dSYM folder that are opened. */
	MAX_FILES = 64,
};

struct search {
	struct gsym_find_attempt last; /* the first member */
	/* A message about the first file with another UUID; "": none was
	 * found. */
	char other[GSYM_ERROR_MESSAGE_SIZE];
};

/* ---- whether a file is the debug file ------------------------------------ */

/* Whether DEBUG, loaded from PATH, is the debug file; refuses it if not. */
static bool is_right(struct gsym_find_attempt *a, const char *path,
		     const struct gsym_container *debug)
{
	struct search *s = (struct search *)a;
	const struct gsym_container *p = a->program;
	char theirs[33], ours[33];

	if (!gsym_container_alike(p, debug))
		return gsym_find_refuse(a, GSYM_ERR_ARGUMENT,
					"it is for %s, not for %s",
					debug->architecture, p->architecture);
	if (!gsym_container_same_id(p, debug)) {
		gsym_digits(ours, sizeof(ours), p->uuid, p->uuid_size);
		gsym_digits(theirs, sizeof(theirs), debug->uuid,
			    debug->uuid_size);
		if (!s->other[0])
			snprintf(s->other, sizeof(s->other), "'%.120s' is of "
				 "another build: its UUID is %s, not %s", path,
				 *theirs ? theirs : "none", ours);
		return gsym_find_refuse(a, GSYM_ERR_ARGUMENT,
					"its UUID is %s, not %s",
					*theirs ? theirs : "none",
					*ours ? ours : "none");
	}
	if (!gsym_container_has(debug, ".debug_info"))
		return gsym_find_refuse(a, GSYM_ERR_FORMAT,
					"it has no debug info");
	return true;
}

/* ---- dSYM folders -------------------------------------------------------- */

/* Call TAKE with CONTEXT for the path, malloc'ed, of each entry of the folder
 * INSIDE of PATH, up to MAX_FILES of them, until TAKE returns true.  Returns
 * whether it did, or memory ran out, when TAKE gets NULL.  *ERROR becomes 0, or
 * the errno of a folder that cannot be opened. */
static bool each_entry(const char *path, const char *inside,
		       gsym_debug_path_fn *take, void *context, int *error)
{
	char *name = gsym_path_print("%s/%s", path, inside);
	DIR *folder = name ? opendir(name) : NULL;
	const struct dirent *entry;
	bool over = !name && take(context, NULL);
	unsigned files = 0;

	*error = name && !folder ? errno : 0;
	while (folder && !over && files < MAX_FILES &&
	       (entry = readdir(folder))) {
		if (entry->d_name[0] == '.')
			continue;
		files++;
		over = take(context, gsym_path_print("%s/%s", name,
						     entry->d_name));
	}
	if (folder)
		closedir(folder);
	free(name);
	return over;
}

static const char dwarf_folder[] = "Contents/Resources/DWARF";

/* Try all files of the dSYM folder PATH, which is malloc'ed and freed here. */
static bool try_folder(void *search, char *path)
{
	struct search *s = search;
	const struct gsym_convert_options *o = &s->last.options;
	int error = 0;
	bool over = path ? each_entry(path, dwarf_folder, gsym_find_try, s,
				      &error)
			 : gsym_find_try(s, NULL);

	errno = error;
	if (error)
		gsym_find_refuse(&s->last, GSYM_ERR_IO,
				 error == ENOENT || error == ENOTDIR
					 ? "not there"
					 : "cannot open: %m");
	if (error && o->file)
		o->file(o->context, GSYM_FILE_DEBUG, path, s->last.problem);
	free(path);
	return over;
}

/* Try X.dSYM for the folders X around PATH whose names have a dot. */
static bool try_around(struct search *s, const char *path)
{
	char *folder = strdup(path);
	bool over = false;

	for (int i = 0; folder && !over && i < MAX_FOLDERS; i++) {
		char *slash = strrchr(folder, '/');

		if (!slash || slash == folder)
			break;
		*slash = '\0';
		slash = strrchr(folder, '/');
		/* "." and ".." are no names. */
		if (strchr(slash ? slash + 2 : folder + 1, '.') &&
		    strcmp(slash ? slash + 1 : folder, ".."))
			over = try_folder(s, gsym_path_print("%s.dSYM",
							     folder));
	}
	if (!folder) {
		s->last.status = GSYM_ERR_MEMORY;
		over = true;
	}
	free(folder);
	return over;
}

static bool try_beside(struct search *s, const char *path)
{
	return try_folder(s, gsym_path_print("%s.dSYM", path)) ||
	       try_around(s, path);
}

/* Try PATH, which the options name: a dSYM folder, or the file in one. */
static void try_named(struct search *s, const char *path)
{
	struct stat st;

	if (stat(path, &st) < 0) {
		gsym_find_refuse(&s->last, GSYM_ERR_IO, "cannot open: %m");
	} else if (S_ISDIR(st.st_mode)) {
		if (!try_folder(s, strdup(path)) &&
		    s->last.status == GSYM_ERR_IO)
			gsym_find_refuse(&s->last, GSYM_ERR_FORMAT,
					 "it is no dSYM folder");
	} else {
		gsym_find_try(s, strdup(path));
	}
}

/* Try what the options' callback fetches. */
static bool try_fetch(struct search *s)
{
	const struct gsym_convert_options *o = &s->last.options;
	const struct gsym_container *p = s->last.program;
	struct gsym_error why = { 0 };
	enum gsym_status status;
	char *path = NULL;
	bool over;
	int error;

	if (!o->fetch_dsym || !p->uuid_size)
		return false;
	status = o->fetch_dsym(o->context, p->uuid, p->uuid_size, &path, &why);
	if (status != GSYM_OK) {
		if (status != GSYM_NOT_FOUND)
			gsym_container_warn(s->last.program,
					    GSYM_WARN_MISSING_FILE,
					    "no dSYM by UUID: %.150s",
					    why.message);
		return false;
	}
	/* An archive that Xcode made has dSYM folders. */
	over = each_entry(path, "dSYMs", try_folder, s, &error);
	if (!over)
		try_named(s, path);
	free(path);
	return over || s->last.found;
}

static bool search_all(struct search *s, const char *path, const char *real)
{
	const char *base = strrchr(path, '/');

	if (try_beside(s, path) ||
	    (real && strcmp(real, path) && try_beside(s, real)))
		return true;
	for (size_t i = 0; i < s->last.find->directory_count; i++)
		if (try_folder(s, gsym_path_print("%s/%s.dSYM",
						  s->last.find->directories[i],
						  base ? base + 1 : path)))
			return true;
	return try_fetch(s);
}

/*
 * If the options name a file, or a dSYM folder, that is the only candidate.
 * Else the candidates are all files in Contents/Resources/DWARF of the folders
 *  1. PATH.dSYM, and the same for the file that PATH leads to if PATH is a
 *     symbolic link;
 *  2. X.dSYM for folders X that PATH lies in, if X has a dot in its name, as
 *     folders of applications and frameworks have;
 *  3. BASE.dSYM in each tree, where BASE is the last component of PATH.
 * The right file has PROGRAM's UUID.  If only files with other UUIDs are found,
 * and PROGRAM has no debug map, that is noted among PROGRAM's warnings.
 */
static enum gsym_status find_debug(const struct gsym_find *find,
				   const char *path,
				   struct gsym_container *program,
				   struct gsym_container **ret, char **found,
				   struct gsym_error *error)
{
	struct search s = { .last = gsym_find_begin(find, program, is_right) };
	char *real = realpath(path, NULL);

	if (!real && errno == ENOMEM)
		return gsym_fail_memory(error);
	s.last.options.architecture = program->architecture;
	if (find->options->debug_file) {
		gsym_find_refuse(&s.last, GSYM_ERR_FORMAT,
				 "no file in Contents/Resources/DWARF");
		try_named(&s, find->options->debug_file);
	} else if (!search_all(&s, path, real)) {
		s.last.status = GSYM_NOT_FOUND;
		if (s.other[0] && !program->objects.count)
			gsym_container_warn(program, GSYM_WARN_MISSING_FILE,
					    "%s", s.other);
	}
	free(real);
	return gsym_find_end(&s.last, ret, found, error);
}

const struct gsym_input gsym_macho_input = {
	.format = GSYM_FORMAT_MACHO,
	.name = "Mach-O",
	.matches = gsym_machoview_matches,
	.fill = fill,
	.find_debug = find_debug,
};

/* ---- a dSYM folder as an input ------------------------------------------- */

struct only {
	char *path; /* of the first file */
	bool several, memory;
};

/* Take note of PATH, which is malloc'ed, if it is a file. */
static bool take_file(void *context, char *path)
{
	struct only *only = context;
	struct stat st;
	bool file = path && stat(path, &st) == 0 && S_ISREG(st.st_mode);

	only->memory |= !path;
	only->several |= file && only->path;
	if (file && !only->path)
		only->path = path;
	else
		free(path);
	return only->memory || only->several;
}

enum gsym_status gsym_macho_bundle(const char *path, char **ret,
				   struct gsym_error *error)
{
	struct only only = { 0 };
	enum gsym_status status = GSYM_OK;
	struct stat st;
	int failed;

	*ret = NULL;
	if (stat(path, &st) < 0 || !S_ISDIR(st.st_mode))
		return GSYM_OK;
	each_entry(path, dwarf_folder, take_file, &only, &failed);
	errno = failed;
	if (only.memory)
		status = gsym_fail_memory(error);
	else if (only.several)
		status = gsym_fail(error, GSYM_ERR_FORMAT, 0,
				   "several files in Contents/Resources/DWARF: "
				   "name one");
	else if (failed && failed != ENOENT && failed != ENOTDIR)
		status = gsym_fail(error, GSYM_ERR_IO, 0, "cannot read: %m");
	else if (!failed && !only.path)
		status = gsym_fail(error, GSYM_ERR_FORMAT, 0,
				   "no file in Contents/Resources/DWARF");
	if (status == GSYM_OK)
		*ret = only.path;
	else
		free(only.path);
	return status;
}
