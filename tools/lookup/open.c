/* SPDX-License-Identifier: MIT */
/*
 * lookup/open.c - opens the GSYM data: of FILE, of a build ID, or of a process
 * (--pid, --maps and --kernel), and finds which file of a process a run-time
 * address lies in.
 */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/system.h"
#include "base/text.h"
#include "common/file.h"
#include "common/out.h"
#include "common/report.h"
#include "common/run.h"
#include "lookup/lookup.h"

/* ---- processes ----------------------------------------------------------- */

/* The most files without GSYM data that are named. */
enum { MOST_NOTES = 8 };

struct lookup_process {
	struct gsym_process *process;
	uint32_t count;
	/* The elements of the following arrays. */
	uint32_t room;
	/* For each module: an address lay in it, and it has no GSYM data.
	 * Several threads may set it. */
	atomic_bool *missed;
	/* For each module: its GSYM data have a wrong checksum. */
	bool *refused;
};

static struct gsym_process *open_process(const struct lookup *l)
{
	struct gsym_process *process;
	struct gsym_error error = { 0 };
	enum gsym_status status;
	uint8_t *text;
	size_t size;

	if (l->asked->kernel) {
		status = gsym_process_open_kernel(l->asked->kernel, &process,
						  &error);
		if (status != GSYM_OK)
			die("cannot read the symbols of the kernel: %s",
			    report_reason(status, &error));
		return process;
	}
	if (!l->asked->maps) {
		status = gsym_process_open(l->asked->pid, &process, &error);
		if (status != GSYM_OK)
			die("cannot read process %" PRId64 ": %s",
			    l->asked->pid, report_reason(status, &error));
		return process;
	}
	text = file_read(l->asked->maps, &size);
	if (!text)
		die("cannot read '%s': %s", l->asked->maps, strerror(errno));
	status = gsym_process_open_maps((const char *)text, size,
					l->asked->root ? l->asked->root : "",
					&process, &error);
	must_succeed("read", l->asked->maps, status, &error);
	free(text);
	return process;
}

/* --check: compare the checksums of all GSYM data.  The store has compared
 * those of its files, but not those beside the files of the process, and in
 * their sections. */
static void check_modules(struct lookup_process *p)
{
	for (uint32_t i = 0; i < p->count; i++) {
		struct gsym_process_module m;
		struct gsym_error error = { 0 };

		if (gsym_process_get_module(p->process, i, &m) != GSYM_OK ||
		    !m.reader ||
		    gsym_checksum(m.reader, &error) != GSYM_ERR_CORRUPT)
			continue;
		p->refused[i] = true;
		report_note("note: the GSYM data of '%s' are not used: %s",
			    m.path, report_reason(GSYM_ERR_CORRUPT, &error));
	}
}

/* Find the GSYM data of all modules.  That may change the number of modules of
 * a kernel. */
static void load(const struct lookup *l, struct lookup_process *p)
{
	must(gsym_process_load(p->process, source_store(l->source), NULL) ==
	     GSYM_OK);
	p->count = gsym_process_module_count(p->process);
	if (p->count <= p->room)
		return;
	p->missed = must_have(
		reallocarray(p->missed, p->count, sizeof(*p->missed)));
	p->refused = must_have(
		reallocarray(p->refused, p->count, sizeof(*p->refused)));
	for (; p->room < p->count; p->room++) {
		atomic_init(&p->missed[p->room], false);
		p->refused[p->room] = false;
	}
}

/* Open the process that L asks for, and find the GSYM data of its files.  Dies
 * on failure. */
static void start_process(struct lookup *l)
{
	struct lookup_process *p = must_have(calloc(1, sizeof(*p)));
	p->process = open_process(l);
	load(l, p);
	if (l->asked->check)
		check_modules(p);
	l->process = p;
}

static void close_process(struct lookup *l)
{
	if (!l->process)
		return;
	gsym_process_close(l->process->process);
	free(l->process->missed);
	free(l->process->refused);
	free(l->process);
}

/* The place of the run-time ADDRESS, and its module.  Returns false if nothing
 * is mapped there. */
static bool find(const struct lookup_process *p, uint64_t address,
		 struct gsym_process_place *place,
		 struct gsym_process_module *module)
{
	return gsym_process_find(p->process, address, place) == GSYM_OK &&
	       gsym_process_get_module(p->process, place->module, module) ==
		       GSYM_OK;
}

/* Open the file of MODULE, as the process sees it; -1 if that is not possible,
 * or not needed. */
static int open_program(const struct lookup *l,
			const struct gsym_process_module *module)
{
	char root[64];

	if (module->kind != GSYM_PROCESS_FILE ||
	    !source_may_convert(l->source))
		return -1;
	if (l->asked->maps)
		return gsym_fd_open_below(l->asked->root ? l->asked->root : "",
					  module->path);
	snprintf(root, sizeof(root), "/proc/%" PRId64 "/root", l->asked->pid);
	return gsym_fd_open_below(root, module->path);
}

/* Have the makers make the GSYM data of MODULE.  Returns whether the store has
 * them now. */
static bool make(const struct lookup *l,
		 const struct gsym_process_module *module)
{
	struct source_program program = {
		.id = module->build_id, .id_size = module->build_id_size
	};
	char name[SYSTEM_PATH_SIZE];
	int fd;
	bool made;

	if (!source_may_make(l->source) || !module->build_id_size)
		return false;
	fd = open_program(l, module);
	if (fd >= 0) {
		gsym_system_path_of(name, fd);
		program.path = name;
		program.fd = fd;
	}
	made = source_make(l->source, &program) == SOURCE_HAVE;
	if (fd >= 0)
		close(fd);
	return made;
}

bool lookup_enter(struct lookup *l, uint64_t address,
		  struct gsym_process_place *place,
		  struct gsym_process_module *module)
{
	struct lookup_process *p = l->process;

	l->reader = NULL;
	if (!find(p, address, place, module))
		return false;
	if (!module->reader && !p->missed[place->module] &&
	    make(l, module)) {
		gsym_store_retry(source_store(l->source));
		load(l, p);
		if (!find(p, address, place, module))
			return false;
	}
	l->reader = p->refused[place->module] ? NULL : module->reader;
	if (!module->reader)
		atomic_store_explicit(&p->missed[place->module], true,
				      memory_order_relaxed);
	return true;
}

/* Whether ADDRESS lies in memory without a file, where code is that was made at
 * run time. */
static bool in_memory(const struct lookup_process *p, uint64_t address)
{
	struct gsym_process_place place;
	struct gsym_process_module module;

	return find(p, address, &place, &module) &&
	       (module.kind == GSYM_PROCESS_MEMORY ||
		module.kind == GSYM_PROCESS_MEMFD);
}

bool lookup_symbol(const struct lookup *l, uint64_t address,
		   struct gsym_frame *frame)
{
	struct gsym_match match;

	return l->process &&
	       (l->asked->kernel || in_memory(l->process, address)) &&
	       gsym_process_lookup(l->process->process, address,
				   GSYM_LOOKUP_NO_INLINES, frame, 1, &match,
				   NULL) == GSYM_OK;
}

/* "build ID ab12...", or that there is none.  TO has 2 * 64 + 16 bytes. */
static const char *identity(const struct gsym_process_module *m, char *to)
{
	size_t size = m->build_id_size < 64 ? m->build_id_size : 64;

	if (!size)
		return "no build ID";
	strcpy(to, "build ID ");
	gsym_digits(to + 9, 2 * 64 + 1, m->build_id, size);
	return to;
}

void lookup_tell_missing(const struct lookup *l)
{
	const struct lookup_process *p = l->process;
	uint32_t count = gsym_process_module_count(p->process), told = 0;

	for (uint32_t i = 0; i < count; i++) {
		struct gsym_process_module m;
		char text[2 * 64 + 16];

		if (!p->missed[i] ||
		    gsym_process_get_module(p->process, i, &m) != GSYM_OK ||
		    m.kind == GSYM_PROCESS_MEMORY ||
		    /* Code made at run time, and symbols of kallsyms alone. */
		    (m.kind == GSYM_PROCESS_KERNEL && i && !m.build_id))
			continue;
		if (told++ < MOST_NOTES)
			report_note("note: no GSYM data for '%s', %s", m.path,
				    identity(&m, text));
	}
	if (told > MOST_NOTES)
		report_note("note: no GSYM data for %u other files",
			    told - MOST_NOTES);
}

/* ---- GSYM data ----------------------------------------------------------- */

/* The most notes about files that --stream cannot use: there may be as many as
 * lines. */
enum { STREAM_NOTES = 8 };

/* A callback of the source. */
static void note(void *context, const char *text)
{
	struct lookup *l = context;

	if (l->asked->stream && l->notes++ >= STREAM_NOTES)
		return;
	report_note("note: %s", text);
}

/* A callback of the source: --verbose. */
static void tried(void *context, const char *path, const char *why)
{
	(void)context;
	warn("%s '%s'%s%s", why ? "tried" : "used", path, why ? ": " : "",
	     why ? why : "");
}

static void start_source(struct lookup *l)
{
	bool file = lookup_of_file(l->asked), sandboxed = sandbox_asked();
	const struct source_host host = {
		.context = l,
		.note = note,
		.tried = l->asked->verbose ? tried : NULL,
		.converts = sandboxed ? SOURCE_CONVERTS_NEVER
			    : file    ? SOURCE_CONVERTS
				      : SOURCE_CONVERTS_IF_ASKED,
		.silent = file,
		.files_only = file && sandboxed,
		.any = l->asked->any,
		.check = l->asked->check,
		.copy = l->asked->copy,
	};

	l->source = source_new(source_asked(), &host);
}

static _Noreturn void refuse_id(struct lookup *l)
{
	char searched[1024];

	source_searched(l->source, searched, sizeof(searched));
	die("there is no GSYM file for the build ID %s; searched: %s%s",
	    l->asked->build_id, searched,
	    l->asked->verbose ? "" : "; --verbose shows each path");
}

static void open_by_id(struct lookup *l)
{
	const struct gsym_store_entry *entry;
	struct gsym_error error = { 0 };
	uint8_t id[64];
	size_t size = number_parse_bytes(l->asked->build_id, id, sizeof(id));
	enum source_answer answer;

	if (!size)
		die_usage("'%s' is not a build ID", l->asked->build_id);
	answer = source_find(l->source, id, size, &entry, &error);
	if (answer == SOURCE_FAILED && error.code)
		die("%s", report_reason(error.code, &error));
	if (answer != SOURCE_HAVE)
		refuse_id(l);
	l->path = gsym_store_path(entry);
	l->reader = gsym_store_reader(entry);
}

/* Open FILE, which is L->path. */
static void open_file(struct lookup *l)
{
	const struct source_program program = {
		.path = l->path,
		.addresses = l->asked->addresses.items,
		.address_count = l->asked->addresses.count,
	};
	struct source_symbols *s = &l->symbols;

	if (source_open(l->source, &program, s) != SOURCE_HAVE)
		source_refuse(l->source, l->path, s);
	l->reader = s->reader;
	if (s->partial)
		report_note("note: of '%s' only what the addresses need was "
			    "converted%s; 'gsym-create %s' makes '%s.gsym', "
			    "which lasts", l->path,
			    s->behind ? ", and another process converts the "
					"whole, for the cache"
				      : "",
			    l->path, l->path);
	else if (s->converted)
		report_note("note: '%s' was converted%s; 'gsym-create %s' "
			    "makes '%s.gsym', which lasts", l->path,
			    s->kept ? ", and the result is in the cache"
				    : " for this run alone",
			    l->path, l->path);
	else if (s->path)
		l->path = s->path;
}

void lookup_open(struct lookup *l)
{
	if (!l->asked->copy)
		report_cut_files(!lookup_of_process(l->asked));
	start_source(l);
	if (lookup_of_process(l->asked))
		start_process(l);
	else if (l->asked->build_id)
		open_by_id(l);
	else if (!l->asked->stream)
		open_file(l);
}

void lookup_close(struct lookup *l)
{
	close_process(l);
	source_close(&l->symbols);
	source_free(l->source);
	source_options_fini(source_asked());
}
