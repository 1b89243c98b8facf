/* SPDX-License-Identifier: MIT */
/*
 * Compares the build that a log names, by a build ID or by the release of a
 * kernel, with that of the symbols that were found for it.  Finds the code of
 * the program, which the filter compares with return addresses of the log.
 *
 * GSYM data have a build ID, but no release.  The release of a kernel's file is
 * known from its path, from the kernel's ELF file or a stub of it, or because a
 * file that was installed for the release has another build ID.
 */
#include "config.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "common/file.h"
#include "common/report.h"
#include "markup/markup.h"

/* ---- releases ------------------------------------------------------------ */

/* The SIZE bytes at AT if they are a release: malloc'ed; NULL otherwise. */
static char *copy_release(const char *at, size_t size)
{
	char *release = must_have(strndup(at, size));
	if (*release >= '0' && *release <= '9' && path_is_release(release))
		return release;
	free(release);
	return NULL;
}

/* The release of "vmlinux-RELEASE", with endings of debug files and GSYM files;
 * malloc'ed, or NULL. */
static char *release_of_name(const char *name)
{
	static const char start[] = "vmlinux-";
	static const char *const ends[] = { ".gsym", ".debug", ".dbg" };
	if (strncmp(name, start, strlen(start)) != 0)
		return NULL;
	name += strlen(start);
	size_t size = strlen(name);
	for (size_t i = 0; i < sizeof(ends) / sizeof(*ends); i++)
		size = gsym_cut_end(name, size, ends[i]);
	return copy_release(name, size);
}

/* The release of the kernel that the file PATH is of, as the path says it:
 * "by-release/RELEASE/...", "lib/modules/RELEASE/...", "vmlinux-RELEASE".
 * Malloc'ed; NULL if the path does not say it. */
static char *release_of_path(const char *path)
{
	static const char *const folders[] = { "by-release/", "lib/modules/" };
	for (size_t i = 0; i < sizeof(folders) / sizeof(*folders); i++) {
		const char *at = strstr(path, folders[i]);
		if (!at || (at > path && at[-1] != '/'))
			continue;
		at += strlen(folders[i]);
		if (!strchr(at, '/'))
			continue;
		char *release = copy_release(at, strcspn(at, "/"));
		if (release)
			return release;
	}
	return release_of_name(path_base(path));
}

/* The release of the kernel that S are of; NULL if it is not known. */
static const char *release_of(struct markup_symbols *s)
{
	char whole[PATH_MAX];
	if (s->release_known || !s->path)
		return s->release;
	s->release_known = true;
	s->release = release_of_path(s->path);
	if (!s->release && realpath(s->path, whole))
		s->release = release_of_path(whole);
	return s->release;
}

static const char *name_of(const struct markup_symbols *s)
{
	return s->entry ? gsym_store_path(s->entry) : s->path ? s->path : "";
}

/* ---- files of the program ------------------------------------------------ */

/* The search for a file of the program of S, whose build ID is in HEADER. */
struct search {
	struct markup_symbols *s;
	struct gsym_header header;
	markup_take *take;
	bool found;
};

/* Offer the file PATH, if it has the build ID. */
static void offer(struct search *search, const char *path)
{
	const struct gsym_header *h = &search->header;
	uint8_t id[64];
	size_t size;
	if (!search->found &&
	    gsym_store_read_id(path, id, sizeof(id), &size, NULL) == GSYM_OK &&
	    gsym_uuid_matches(h->uuid, h->uuid_size, id, size))
		search->found = search->take(search->s, path);
}

/* The same for the file beside the GSYM file PATH. */
static void offer_beside(struct search *search, const char *path)
{
	size_t size = gsym_cut_end(path, strlen(path), ".gsym");
	char *beside = path_print("%.*s", (int)size, path);
	offer(search, beside);
	free(beside);
}

/* The same for the file of the build ID in FOLDER, with this END of its
 * name. */
static void offer_in(struct search *search, const char *folder,
		     const char *end)
{
	const struct gsym_header *h = &search->header;
	char *path = path_build_id(folder, h->uuid, h->uuid_size, end);
	offer(search, path);
	free(path);
}

bool markup_search_program(struct markup *m, struct markup_symbols *s,
			   markup_take *take)
{
	struct search search = { .s = s, .take = take };
	const struct gsym_store_entry *entry;
	const struct option_list *folders;
	gsym_get_header(s->reader, &search.header);
	if (!markup_has_id(&search.header))
		return false;
	offer_beside(&search, name_of(s));
	entry = markup_entry(m, s);
	if (entry && gsym_store_path(entry))
		offer_beside(&search, gsym_store_path(entry));
	folders = source_debug_folders(m->source);
	for (size_t i = 0; i < folders->count; i++) {
		offer_in(&search, folders->items[i], ".debug");
		offer_in(&search, folders->items[i], "");
	}
	return search.found;
}

/* Set the release of the program of S to that of the file PATH. */
static bool take_release(struct markup_symbols *s, const char *path)
{
	char release[80];
	if (gsym_store_read_release(path, release, sizeof(release), NULL) !=
	    GSYM_OK)
		return false;
	s->program_release = copy_release(release, strlen(release));
	return s->program_release != NULL;
}

/* The release of the kernel that S are of, as an ELF file of its build ID has
 * it; NULL if it is not known. */
static const char *release_of_program(struct markup *m,
				      struct markup_symbols *s)
{
	if (!s->program_known)
		markup_search_program(m, s, take_release);
	s->program_known = true;
	return s->program_release;
}

/* Whether one of the releases A and B may be a short form of the other:
 * "6.12" of "6.12.1-amd64". */
static bool is_short(const char *a, const char *b)
{
	size_t size = strlen(a) < strlen(b) ? strlen(a) : strlen(b);
	char next = a[size] ? a[size] : b[size];
	return strncmp(a, b, size) == 0 && (next < '0' || next > '9');
}

/* ---- comparison ---------------------------------------------------------- */

/* "'a.gsym' has build ID 0123", which belongs to S. */
static const char *tell_id(struct markup_symbols *s,
			   const struct gsym_header *header)
{
	char digits[2 * 64 + 1];
	gsym_digits(digits, sizeof(digits), header->uuid, header->uuid_size);
	if (!s->tells_id)
		s->tells_id = path_print("'%s' has build ID %s", name_of(s),
					 digits);
	return s->tells_id;
}

static const char *tell_release(struct markup_symbols *s, const char *release)
{
	if (!s->tells_release)
		s->tells_release = path_print("'%s' is of release %s",
					      name_of(s), release);
	return s->tells_release;
}

/* Compare the build ID in HEADER with that of the file that is installed for
 * RELEASE and the kernel or its module NAME. */
static enum markup_build compare_installed(struct markup *m,
					   const struct gsym_header *header,
					   const char *release,
					   const char *name)
{
	struct gsym_header other;
	struct markup_symbols *installed;
	if (!markup_has_id(header) || !path_is_release(release))
		return MARKUP_BUILD_UNKNOWN;
	installed = markup_by_release(m, release, name);
	if (!installed)
		return MARKUP_BUILD_UNKNOWN;
	gsym_get_header(installed->reader, &other);
	if (!markup_has_id(&other))
		return MARKUP_BUILD_UNKNOWN;
	return gsym_uuid_matches(header->uuid, header->uuid_size, other.uuid,
				 other.uuid_size)
		       ? MARKUP_BUILD_SAME
		       : MARKUP_BUILD_OTHER;
}

enum markup_build markup_compare_build(struct markup *m,
				       struct markup_symbols *s,
				       const struct gsym_markup_log_module *log,
				       const char *module, const char **why)
{
	struct gsym_header header;
	char release[80];
	const char *mine;
	enum markup_build build;
	gsym_get_header(s->reader, &header);
	*why = NULL;
	if (log->build_id_size && markup_has_id(&header)) {
		if (gsym_uuid_matches(header.uuid, header.uuid_size,
				      log->build_id, log->build_id_size))
			return MARKUP_BUILD_SAME;
		*why = tell_id(s, &header);
		return MARKUP_BUILD_OTHER;
	}
	if (!log->release_size || log->release_size >= sizeof(release))
		return MARKUP_BUILD_UNKNOWN;
	snprintf(release, sizeof(release), "%.*s", (int)log->release_size,
		 log->release);
	if (release_of(s) && strcmp(s->release, release) == 0)
		return MARKUP_BUILD_SAME;
	/* An ELF file with the release of the log proves nothing: the release
	 * may be the build salt, which another kernel has, too. */
	mine = s->release ? s->release : release_of_program(m, s);
	if (mine && !is_short(mine, release)) {
		*why = tell_release(s, mine);
		return MARKUP_BUILD_OTHER;
	}
	build = compare_installed(m, &header, release, module);
	if (build == MARKUP_BUILD_OTHER)
		*why = tell_id(s, &header);
	return build;
}

/* ---- programs ------------------------------------------------------------ */

/* The lowest address of the sections of PROGRAM that linkers put into the
 * segment with code; 0 if other sections may lie in that segment, before those:
 * gold, and "ld -z noseparate-code", begin it with the headers of the file. */
static uint64_t code_start_of(const struct gsym_module *program)
{
	enum { PAGE = 4096, ALIGNMENT = 16 };
	static const char *const names[] = { ".init",	  ".plt",  ".plt.got",
					     ".plt.sec",  ".text", ".fini",
					     ".text.hot", ".iplt" };
	static const char *const others[] = {
		".interp",	".note.gnu.build-id",
		".hash",	".gnu.hash",
		".dynsym",	".dynstr",
		".gnu.version", ".gnu.version_r",
		".rela.dyn",	".rela.plt",
		".rel.dyn",	".rel.plt",
		".relr.dyn",	".rodata",
		".eh_frame",	".eh_frame_hdr"
	};
	struct gsym_module_section section;
	uint64_t lowest = UINT64_MAX;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (gsym_module_find_section(program, names[i], &section) ==
			    GSYM_OK &&
		    section.size && section.address < lowest)
			lowest = section.address;
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
		if (gsym_module_find_section(program, others[i], &section) ==
			    GSYM_OK &&
		    section.size && section.address < lowest &&
		    section.address + section.size + ALIGNMENT >
			    lowest / PAGE * PAGE)
			return 0;
	return lowest < UINT64_MAX ? lowest : 0;
}

/* The numbers of processors in ELF. */
enum { I386 = 3, X86_64 = 62, AARCH64 = 183 };

/* Take the code of the program PATH.  False if the file has no code, as debug
 * files have none, or is for a processor whose calls are not known. */
static bool take_code(struct markup_symbols *s, const char *path)
{
	struct gsym_module_section text;
	struct gsym_module_facts facts;
	struct gsym_module *program;
	if (gsym_module_open(path, &program, NULL) != GSYM_OK)
		return false;
	gsym_module_get_facts(program, &facts);
	if ((facts.machine == I386 || facts.machine == X86_64 ||
	     facts.machine == AARCH64) &&
	    gsym_module_find_section(program, ".text", &text) == GSYM_OK &&
	    text.data && text.data_size >= text.size) {
		s->program = program;
		s->text = (struct gsym_markup_log_code){
			text.data, text.data_size, text.address, facts.machine
		};
		s->code_start = code_start_of(program);
		return true;
	}
	gsym_module_close(program);
	return false;
}

void markup_set_code(struct markup *m, struct markup_symbols *s,
		     struct gsym_markup_log_symbols *ret)
{
	enum { LEAST = 4096, MOST = 65536 };
	/* With --copy no file is mapped. */
	if (!s->code_known && !m->copy)
		markup_search_program(m, s, take_code);
	s->code_known = true;
	const uint64_t page = s->text.machine == AARCH64 ? MOST : LEAST;
	ret->text = s->text;
	ret->code = s->code_start / LEAST * LEAST;
	ret->code_known =
		s->code_start && ret->code == s->code_start / page * page;
}

/* ---- WebAssembly --------------------------------------------------------- */

/* Take the module PATH, if it is one of WebAssembly, which is for no
 * processor. */
static bool take_wasm(struct markup_symbols *s, const char *path)
{
	struct gsym_module_section code;
	struct gsym_module_facts facts;
	struct gsym_module *module;
	if (gsym_module_open(path, &module, NULL) != GSYM_OK)
		return false;
	gsym_module_get_facts(module, &facts);
	if (!facts.machine && !facts.image_base &&
	    gsym_module_find_section(module, "CODE", &code) == GSYM_OK) {
		s->wasm = module;
		return true;
	}
	gsym_module_close(module);
	return false;
}

/* Take the module beside the symbols, which have no build ID, if it has none
 * either. */
static void take_wasm_beside(struct markup_symbols *s)
{
	const char *path = name_of(s);
	size_t size = gsym_cut_end(path, strlen(path), ".gsym");
	struct gsym_module_facts facts;
	char *beside;
	if (!path[size])
		return;
	beside = path_print("%.*s", (int)size, path);
	if (take_wasm(s, beside)) {
		gsym_module_get_facts(s->wasm, &facts);
		if (facts.build_id_size) {
			gsym_module_close(s->wasm);
			s->wasm = NULL;
		}
	}
	free(beside);
}

bool markup_wasm_address(struct markup *m, struct markup_symbols *s,
			 uint64_t offset, uint64_t *address)
{
	struct gsym_header header;
	/* With --copy no file is mapped. */
	if (!s->wasm_known && !m->copy) {
		gsym_get_header(s->reader, &header);
		if (markup_has_id(&header))
			markup_search_program(m, s, take_wasm);
		else
			take_wasm_beside(s);
	}
	s->wasm_known = true;
	return s->wasm &&
	       gsym_module_address_of(s->wasm, offset, address) == GSYM_OK;
}
