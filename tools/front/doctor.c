/* SPDX-License-Identifier: MIT */
/*
 * "gsym doctor": which symbols this machine has for a program or a process,
 * where they were searched, what is missing, and the command that gets it.  It
 * asks the symbol source of all tools, so it sees what they see.
 */
#include "config.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <gsym/process.h>
#include <gsym/program.h>

#include "base/fd.h"
#include "base/system.h"
#include "base/text.h"
#include "common/file.h"
#include "common/options.h"
#include "common/out.h"
#include "common/report.h"
#include "front/front.h"
#include "source/source.h"

static const char *const doctor_examples[] = {
	"gsym doctor", "where symbols are searched on this machine",
	"gsym doctor /usr/bin/python3", "which symbols there are for a program",
	"gsym doctor 1234", "the same for all files of the process 1234",
	"gsym doctor --gsym-file-directory=/srv/gsym prog",
	"the search that gsym-lookup would do with this option", NULL
};

static const struct option_group *const doctor_groups[] = { &source_group };
static const struct option_spec doctor_options[] = {
	{ .help = "Symbols" },
	{ OPTION_GROUP(0) },
	{ 0 }
};

static const struct tool doctor_tool = {
	.name = "gsym",
	.command = "doctor",
	.operands = "[PROGRAM | PID]",
	.summary = "Say which symbols this machine has for a program or a "
		   "process, where they\nwere searched, what is missing, and "
		   "the command that gets it.",
	.options = doctor_options,
	.groups = doctor_groups,
	.examples = doctor_examples,
	.without_sandbox = true,
	.exit_status = "0 there are symbols for all that was named; 1 some "
		       "are missing;\n2 error.",
};

/* A server that asks those of the distributions. */
#define ALL_SERVERS "https://debuginfod.elfutils.org/"

struct doctor {
	struct out out;
	struct source *source;
	/** The program was named: its search is shown path by path. */
	bool shows_paths;
	/** Files without symbols. */
	unsigned missing;
	/** A line "searched" or "get them" was written. */
	bool has_heading;
};

/* ---- the source ---------------------------------------------------------- */

static void tried(void *context, const char *path, const char *why)
{
	struct doctor *d = context;

	if (!d->shows_paths || !why)
		return;
	if (!d->has_heading)
		out_text(&d->out, "  searched:\n");
	d->has_heading = true;
	out_text(&d->out, "    ");
	out_foreign(&d->out, path);
	out_text(&d->out, ": ");
	out_foreign(&d->out, why);
	out_text(&d->out, "\n");
}

static void begin_doctor(struct doctor *d)
{
	const struct source_host host = {
		.context = d, .tried = tried, .silent = true
	};

	report_cut_files(false);
	out_init(&d->out, STDOUT_FILENO, "standard output", OUT_COLOUR_AUTO);
	d->source = source_new(source_asked(), &host);
}

/* ---- commands that get symbols ------------------------------------------- */

/* Write PATH, which a terminal must not get, as a word of a command line. */
static void write_escaped(struct out *out, const char *path)
{
	out_text(out, *path == '-' ? "\"$(printf './" : "\"$(printf '");
	for (const char *at = path; *at; at++)
		if (isalnum((unsigned char)*at) || strchr("/._+-", *at))
			out_bytes(out, at, 1);
		else
			out_printf(out, "\\%03o", (unsigned char)*at);
	out_text(out, "')\"");
}

/* Write PATH as a word of a command line. */
static void write_word(struct out *out, const char *path)
{
	bool plain = *path && *path != '-';
	size_t size = strlen(path);

	for (const char *at = path; *at; at++) {
		plain &= isalnum((unsigned char)*at) || strchr("/._+-", *at);
		if (gsym_utf8_harmful(at, size - (size_t)(at - path))) {
			write_escaped(out, path);
			return;
		}
	}
	if (plain) {
		out_text(out, path);
		return;
	}
	out_text(out, *path == '-' ? "'./" : "'");
	for (const char *at = path; *at;) {
		size_t length = strcspn(at, "'");
		out_bytes(out, at, length);
		at += length;
		if (*at++)
			out_text(out, "'\\''");
		else
			break;
	}
	out_text(out, "'");
}

/* Say how to get the symbols of the program PATH, whose debug info is in the
 * file DEBUG; NULL: in none here.  HAS_ID: it has a build ID.  INSTALL: into
 * the cache, where the file is found by build ID; else beside the program. */
static void write_command(struct doctor *d, const char *path, const char *debug,
			  bool has_id, bool install)
{
	struct out *out = &d->out;
	const char *cache = source_cache(d->source);

	/* A shell takes the line feed from the end of $(...). */
	if (path[0] && path[strlen(path) - 1] == '\n') {
		out_text(out, "  the path ends with a line feed: rename the "
			      "file to get them\n");
		return;
	}
	out_text(out, "  get them: ");
	if (!debug && has_id && !getenv("DEBUGINFOD_URLS"))
		out_text(out, "DEBUGINFOD_URLS=" ALL_SERVERS " ");
	out_text(out, "gsym-create ");
	if (!debug && has_id)
		out_text(out, "--debuginfod ");
	if (install && cache) {
		out_text(out, "--own-files --install=");
		write_word(out, cache);
		out_text(out, " ");
	}
	write_word(out, path);
	out_text(out, "\n");
	if (debug)
		return;
	out_text(out, has_id ? "  or install the package with the debug file; "
			       "without debug info gsym-create\n  takes the "
			       "names of the symbol table, if there is one\n"
			     : "  it has no build ID, by which debug files are "
			       "found: link it with --build-id\n");
}

static void write_debug_info(struct doctor *d, const char *path,
			     const char *debug)
{
	out_text(&d->out, "  debug info: ");
	if (!debug)
		out_text(&d->out, "none on this machine");
	else if (strcmp(debug, path) == 0)
		out_text(&d->out, "in the file itself");
	else
		out_foreign(&d->out, debug);
	out_text(&d->out, "\n");
}

static void write_head(struct doctor *d, const char *path, const uint8_t *id,
		       size_t size)
{
	out_bold(&d->out);
	out_foreign(&d->out, path);
	out_plain(&d->out);
	out_text(&d->out, size ? ": build ID " : ": no build ID");
	out_hex_bytes(&d->out, id, size);
	out_text(&d->out, "\n");
	d->has_heading = false;
}

/* Say that the symbols are in the file PATH and SUFFIX. */
static void write_symbols(struct doctor *d, const char *path,
			  const char *suffix)
{
	out_text(&d->out, "  symbols: ");
	out_foreign(&d->out, path);
	out_text(&d->out, suffix);
}

/* ---- a program ----------------------------------------------------------- */

/* Say what PATH has.  Its symbols are S, which were found or not. */
static void write_program(struct doctor *d, const struct source_program *p,
			  const struct source_symbols *s)
{
	struct gsym_header header;
	const char *path = s->entry ? gsym_store_path(s->entry) : s->path;

	if (s->reader) {
		gsym_get_header(s->reader, &header);
		write_symbols(d, path ? path : "made for this run alone", "");
		out_number(&d->out, ", functions: ", header.function_count);
		/* Entry 0 of the file table is no file. */
		if (header.file_count < 2)
			out_text(&d->out, ", no lines: names of functions "
					  "alone");
		out_text(&d->out, "\n");
		return;
	}
	char *debug = source_debug_info(d->source, p);
	d->missing++;
	out_text(&d->out, debug && source_converts(source_asked(), true)
			? "  symbols: none; gsym lookup converts the program "
			  "when it is asked\n"
			: "  symbols: none\n");
	write_debug_info(d, p->path, debug);
	write_command(d, p->path, debug, p->id_size > 0, false);
	free(debug);
}

static void look_at_program(struct doctor *d, const char *path)
{
	uint8_t id[256];
	struct source_program program = { .path = path, .id = id };
	struct source_symbols symbols;
	struct stat st;

	if (stat(path, &st) < 0)
		die("cannot open '%s': %s", path, strerror(errno));
	if (!S_ISREG(st.st_mode))
		die("cannot open '%s': it is a folder, device or pipe, not a "
		    "file", path);
	enum gsym_status status = gsym_store_read_id(
		path, id, sizeof(id), &program.id_size, NULL);
	must(status != GSYM_ERR_MEMORY);
	write_head(d, path, id, program.id_size);
	d->shows_paths = true;
	enum source_answer answer = source_open(d->source, &program, &symbols);
	d->shows_paths = false;
	if (answer != SOURCE_HAVE && status == GSYM_ERR_FORMAT)
		die_status("open", path, symbols.status, &symbols.error);
	write_program(d, &program, &symbols);
	source_close(&symbols);
}

/* ---- a process ----------------------------------------------------------- */

/* The path by which this process finds the file of M of the process PID,
 * malloc'ed. */
static char *path_from_here(int64_t pid, const struct gsym_process_module *m)
{
	char *outside = path_print("/proc/%" PRId64 "/root%s", pid, m->path);
	struct stat here, there;

	if (stat(m->path, &here) == 0 && stat(outside, &there) == 0 &&
	    file_same(&here, &there)) {
		free(outside);
		return must_have(strdup(m->path));
	}
	return outside;
}

/* Say how to get the symbols of M, which are missing. */
static void write_missing(struct doctor *d, int64_t pid,
			  const struct gsym_process_module *m)
{
	char root[64], name[SYSTEM_PATH_SIZE];
	struct source_program program = { .id = m->build_id,
					  .id_size = m->build_id_size };
	char *debug, *path = path_from_here(pid, m);

	snprintf(root, sizeof(root), "/proc/%" PRId64 "/root", pid);
	int fd = gsym_fd_open_below(root, m->path);
	gsym_system_path_of(name, fd);
	program.path = name;
	program.fd = fd;
	debug = fd < 0 ? NULL : source_debug_info(d->source, &program);
	out_text(&d->out, "  symbols: none\n");
	write_debug_info(d, program.path, debug);
	/* In the root folder of another process the path may be a link that
	 * leads out of that folder. */
	if (fd >= 0 && file_is(AT_FDCWD, path, fd))
		write_command(d, path, debug, m->build_id_size > 0, true);
	else
		out_text(&d->out, "  this path leads to another file now\n");
	if (fd >= 0)
		close(fd);
	free(debug);
	free(path);
}

/* Whether the file of M has symbols in itself or beside it, which
 * gsym_process_load has found without a build ID. */
static bool has_symbols(struct doctor *d, const struct gsym_process_module *m)
{
	struct gsym_header header;

	if (!m->reader || m->build_id_size)
		return false;
	gsym_get_header(m->reader, &header);
	/* In an ELF file the data do not begin at its start. */
	write_symbols(d, m->path, header.image_offset ? "\n" : ".gsym\n");
	return true;
}

static void look_at_module(struct doctor *d, int64_t pid,
			   const struct gsym_process_module *m)
{
	const struct gsym_store_entry *entry;
	struct gsym_error error = { 0 };

	if (m->kind != GSYM_PROCESS_FILE && m->kind != GSYM_PROCESS_DELETED &&
	    m->kind != GSYM_PROCESS_INSIDE)
		return;
	write_head(d, m->path, m->build_id, m->build_id_size);
	if (m->build_id_size &&
	    source_find(d->source, m->build_id, m->build_id_size, &entry,
			&error) == SOURCE_HAVE) {
		write_symbols(d, gsym_store_path(entry), "\n");
		return;
	}
	if (has_symbols(d, m))
		return;
	d->missing++;
	if (m->kind == GSYM_PROCESS_FILE)
		write_missing(d, pid, m);
	else
		out_text(&d->out, m->kind == GSYM_PROCESS_DELETED
				? "  symbols: none; the file was deleted or "
				  "replaced since it was mapped\n"
				: "  symbols: none; the library lies inside "
				  "another file\n");
}

static void write_searched(struct doctor *d)
{
	char searched[1024];

	source_searched(d->source, searched, sizeof(searched));
	out_text(&d->out, "searched by build ID: ");
	out_foreign(&d->out, searched);
	out_text(&d->out, "\n");
}

static void look_at_process(struct doctor *d, int64_t pid)
{
	struct gsym_process *process;
	struct gsym_process_module module;
	struct gsym_error error = { 0 };
	enum gsym_status status = gsym_process_open(pid, &process, &error);

	if (status != GSYM_OK)
		die("cannot read process %" PRId64 ": %s", pid,
		    report_reason(status, &error));
	must(gsym_process_load(process, NULL, NULL) == GSYM_OK);
	for (uint32_t i = 0; i < gsym_process_module_count(process); i++)
		if (gsym_process_get_module(process, i, &module) == GSYM_OK)
			look_at_module(d, pid, &module);
	gsym_process_close(process);
	write_searched(d);
}

/* ---- the machine --------------------------------------------------------- */

static void write_variable(struct doctor *d, const char *name,
			   const char *without)
{
	const char *value = getenv(name);

	out_printf(&d->out, "%s: ", name);
	out_foreign(&d->out, value ? value : without);
	out_text(&d->out, "\n");
}

static void look_at_machine(struct doctor *d)
{
	const char *cache;

	out_text(&d->out, "gsym " PACKAGE_VERSION "\n");
	write_searched(d);
	cache = source_cache(d->source);
	out_text(&d->out, "cache: ");
	if (!cache)
		out_text(&d->out, "none: neither XDG_CACHE_HOME nor HOME is an "
				  "absolute path");
	else
		out_foreign(&d->out, cache);
	if (cache && access(cache, W_OK) < 0)
		out_text(&d->out, errno == ENOENT
				? " (is made when it is needed)"
				: " (cannot be written)");
	out_text(&d->out, "\n");
	write_variable(d, "GSYM_CONVERT",
		       "not set: programs that are named are converted");
	write_variable(d, "DEBUGINFOD_URLS",
		       "not set: --debuginfod asks no server");
	out_text(&d->out, "Name a program or the number of a process to see "
			  "which symbols there are.\n");
}

int doctor_main(int argc, char **argv)
{
	struct doctor d = { 0 };
	struct options options;
	const char *what = NULL;
	uint64_t pid;

	report_set_command("doctor");
	options_init(&options, &doctor_tool, NULL, argc, argv);
	if (options_next(&options) == OPTION_OPERAND)
		what = options.value;
	if (options_next(&options) != OPTION_END)
		die_usage("more than one PROGRAM is given: '%s'",
			  options.value);
	begin_doctor(&d);
	if (!what)
		look_at_machine(&d);
	else if (number_parse(what, strlen(what), &pid) == NUMBER_OK &&
		 pid && pid <= INT32_MAX && access(what, F_OK) < 0)
		look_at_process(&d, (int64_t)pid);
	else
		look_at_program(&d, what);
	out_fini(&d.out);
	source_free(d.source);
	source_options_fini(source_asked());
	options_fini(&options);
	return d.missing ? STATUS_NO : STATUS_DONE;
}
