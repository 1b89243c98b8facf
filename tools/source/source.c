/* SPDX-License-Identifier: MIT */
/* The options that say where symbols come from, the same ones in all tools that
 * look symbols up; and asks one place after the other for the GSYM data of a
 * program. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "common/file.h"
#include "common/out.h"
#include "common/report.h"
#include "source/source.h"
#include "source/state.h"

/* ---- options ------------------------------------------------------------- */

/* Rows of options that are kept in the MEMBER of struct source_options, as
 * the macros OPTION_... of common/options.h say. */
#define LIST(name, value, member, help) \
	{ 0, 0, name, value, help, OPTION_LIST(struct source_options, member) }
#define SET(name, member, number, help) \
	{ 0, 0, name, NULL, help, \
	  OPTION_SET(struct source_options, member, number) }
#define SECONDS(name, member, help) \
	{ 0, 0, name, "SECONDS", help, \
	  OPTION_NUMBER(struct source_options, member, 1, 1000000) }
#define MIB(name, member, help) \
	{ 0, 0, name, "MIB", help, \
	  OPTION_NUMBER(struct source_options, member, 1, 1u << 30), \
	  .shift = 20 }

static const struct option_spec specs[] = {
	LIST("gsym-file-directory", "DIR", gsym_folders,
	     "search DIR for GSYM files by build ID,\n"
	     ".build-id/NN/REST.debug.gsym or REST.debug.gsym,\n"
	     "and by NAME.gsym; repeatable"),
	LIST("debug-file-directory", "DIR", debug_folders,
	     "search DIR for GSYM files by build ID, and for debug\n"
	     "files; repeatable; default: /usr/lib/debug"),
	OPTION_PATH_MAPS(struct source_options, path_maps),
	SET("convert", conversion, SOURCE_ASKED,
	    "where there is a program or debug file but no GSYM\n"
	    "file, make it and keep it in the cache folder"),
	SET("no-convert", conversion, SOURCE_FORBIDDEN,
	    "convert nothing, as with GSYM_CONVERT=no in the\n"
	    "environment"),
	SECONDS("convert-time", convert_seconds,
		"the most time for a conversion; default: 600"),
	MIB("convert-memory", convert_bytes,
	    "the most memory for a conversion; default: 1024\n"
	    "and 32 times the size of the file"),
	SET("debuginfod", debuginfod, true,
	    "ask the servers of DEBUGINFOD_URLS for GSYM data,\n"
	    "then for debug files, which are converted"),
	{ 0, 0, "fetch", "COMMAND",
	  "where there is no GSYM file, have COMMAND ID PATH\n"
	  "make it, and keep it in the cache folder",
	  OPTION_TEXT(struct source_options, fetch) },
	SECONDS("fetch-timeout", fetch_seconds,
		"the most time for COMMAND; default: 60"),
	MIB("fetch-size", fetch_bytes,
	    "the most MiB that COMMAND may write; default: 4096"),
	{ 0 }
};

static struct source_options asked;

struct source_options *source_asked(void)
{
	return &asked;
}

const struct option_group source_group = { .options = specs, .kept = &asked };

bool source_converts(const struct source_options *o, bool usually)
{
	const char *variable = getenv("GSYM_CONVERT");
	if (o->conversion)
		return o->conversion == SOURCE_ASKED;
	if (variable && strcmp(variable, "no") == 0)
		return false;
	return usually || (variable && strcmp(variable, "yes") == 0);
}

void source_check_options(const struct source_options *o)
{
	const char *word = o->fetch;
	if (!word && (o->fetch_seconds || o->fetch_bytes))
		die_usage("--fetch-timeout and --fetch-size need --fetch");
	if (word && !word[strspn(word, " \t\n")])
		die_usage("--fetch needs a command");
}

void source_check_sandbox(const struct source_options *o)
{
	if (o->fetch || o->debuginfod || o->conversion == SOURCE_ASKED)
		die_usage("--sandbox runs no command and has no network: it "
			  "does not go with --convert, --debuginfod and "
			  "--fetch");
}

bool source_makes(const struct source_options *o)
{
	return o->fetch || o->debuginfod || source_converts(o, false);
}

void source_options_fini(struct source_options *o)
{
	gsym_vec_fini(&o->gsym_folders);
	gsym_vec_fini(&o->debug_folders);
	gsym_vec_fini(&o->path_maps);
}

/* The folder of this process. */
#define OWN_PREFIX "gsym."

/* What the options are by default. */
enum { FETCH_SECONDS = 60, CONVERT_SECONDS = 600 };
#define FETCH_BYTES (UINT64_C(4096) << 20)

/* ---- start and end ------------------------------------------------------- */

/* Divide --fetch into words, with room for two more. */
static void divide(struct source *s)
{
	char *at;
	s->text = must_have(strdup(s->o.fetch));
	s->words = must_have(
		calloc(strlen(s->o.fetch) + 4, sizeof(*s->words)));
	for (char *word = strtok_r(s->text, " \t\n", &at); word;
	     word = strtok_r(NULL, " \t\n", &at))
		s->words[s->word_count++] = word;
}

struct source *source_new(const struct source_options *o,
			  const struct source_host *host)
{
	static const char *usual_items[] = { "/usr/lib/debug" };
	static const struct option_list usual = { usual_items, 1, 1 };
	struct source *s = must_have(calloc(1, sizeof(*s)));
	source_check_options(o);
	options_check_path_maps(&o->path_maps);
	s->o = *o;
	s->host = *host;
	s->o.fetch_seconds = o->fetch_seconds ? o->fetch_seconds
					      : FETCH_SECONDS;
	s->o.fetch_bytes = o->fetch_bytes ? o->fetch_bytes : FETCH_BYTES;
	if (!o->convert_seconds)
		s->o.convert_seconds = CONVERT_SECONDS;
	if (host->converts != SOURCE_CONVERTS_NEVER) {
		s->converts = source_converts(
			o, host->converts == SOURCE_CONVERTS);
		s->converts_served = o->debuginfod && source_converts(o, true);
	}
	s->debug_folders = o->debug_folders.count ? o->debug_folders : usual;
	if (o->fetch)
		divide(s);
	pthread_mutex_init(&s->mutex, NULL);
	return s;
}

bool source_may_make(const struct source *s)
{
	return !s->host.files_only &&
	       (s->o.fetch || s->o.debuginfod || s->converts);
}

bool source_may_convert(const struct source *s)
{
	return s->converts;
}

static void report_file(void *context, const char *path, const char *why)
{
	source_note(context, "'%s' is not used: %s", path, why);
}

/* Tell the host that the file PATH was tried.  WHY: why it is not used; NULL:
 * it is. */
static void tell_tried(const struct source *s, const char *path,
		       const char *why)
{
	if (s->host.tried)
		s->host.tried(s->host.context, path, why);
}

/* A callback of the store.  The folder of this process, which holds nothing
 * before a maker has worked, is of no interest. */
static void trace_store(void *context, const char *path, const char *why)
{
	const struct source *s = context;

	if (!why || !s->own.path || strncmp(path, s->own.path,
					    strlen(s->own.path)) != 0)
		tell_tried(s, path, why);
}

static void make_store(struct source *s)
{
	if (s->started)
		return;
	s->started = true;
	s->store = must_have(gsym_store_new());
	s->cache = path_cache();
	gsym_store_set_report(s->store, report_file, s);
	gsym_store_set_trace(s->store, trace_store, s);
	gsym_store_accept_any(s->store, s->host.any);
	gsym_store_check(s->store, s->host.check);
	gsym_store_copy(s->store, s->host.copy);
	must_status(gsym_store_map_paths(s->store, s->o.path_maps.items,
					 s->o.path_maps.count));
	if (source_may_make(s)) {
		/* Threads may search the store by the time it is made. */
		temporary_plan(&s->own, temporary_base(), OWN_PREFIX);
		must_status(gsym_store_add_gsym_directory(s->store,
							     s->own.path));
	}
	for (size_t i = 0; i < s->o.gsym_folders.count; i++)
		must_status(gsym_store_add_gsym_directory(
			s->store, s->o.gsym_folders.items[i]));
	for (size_t i = 0; i < s->debug_folders.count; i++)
		must_status(gsym_store_add_debug_directory(
			s->store, s->debug_folders.items[i]));
	if (!s->host.no_cache || source_may_make(s))
		must_status(gsym_store_set_cache(s->store, s->cache));
}

struct gsym_store *source_store(struct source *s)
{
	make_store(s);
	return s->store;
}

const char *source_cache(const struct source *s)
{
	return s->cache;
}

/* Append the folder PATH to the USED of SIZE bytes at TEXT.  Returns the bytes
 * that are used then. */
static size_t add_folder(char *text, size_t size, size_t used, const char *path)
{
	struct stat st;
	const char *state = stat(path, &st) == 0 && S_ISDIR(st.st_mode)
				    ? ""
				    : " (there is no such folder)";
	int n = snprintf(text + used, size - used, "%s'%s'%s",
			 used ? ", " : "", path, state);

	return n < 0 || (size_t)n >= size - used ? size - 1 : used + (size_t)n;
}

void source_searched(struct source *s, char *text, size_t size)
{
	size_t used = 0;

	make_store(s);
	text[0] = 0;
	for (size_t i = 0; i < s->o.gsym_folders.count; i++)
		used = add_folder(text, size, used, s->o.gsym_folders.items[i]);
	for (size_t i = 0; i < s->debug_folders.count; i++)
		used = add_folder(text, size, used, s->debug_folders.items[i]);
	if (s->cache && !s->host.no_cache)
		add_folder(text, size, used, s->cache);
}

const struct option_list *source_debug_folders(const struct source *s)
{
	return &s->debug_folders;
}

void source_retry(struct source *s)
{
	gsym_store_retry(source_store(s));
	pthread_mutex_lock(&s->mutex);
	source_forget(s);
	pthread_mutex_unlock(&s->mutex);
}

void source_free(struct source *s)
{
	if (!s)
		return;
	gsym_store_free(s->store);
	temporary_remove(&s->own);
	debuginfod_free(s->servers);
	source_forget(s);
	pthread_mutex_destroy(&s->mutex);
	free(s->cache);
	free(s->words);
	free(s->text);
	free(s);
}

/* ---- by build ID --------------------------------------------------------- */

enum source_answer source_make(struct source *s, const struct source_program *p)
{
	struct source_program program = *p;
	struct gsym_module *opened = source_open_module(&program);
	enum source_answer answer;
	make_store(s);
	answer = source_keep(s, &program, SOURCE_ALL_MAKERS, NULL);
	gsym_module_close(opened);
	return answer;
}

enum source_answer source_find(struct source *s, const uint8_t *id, size_t size,
			       const struct gsym_store_entry **ret,
			       struct gsym_error *error)
{
	struct gsym_store *store = source_store(s);
	const struct source_program p = { .id = id, .id_size = size };
	enum source_answer answer = SOURCE_ABSENT;
	enum gsym_status status =
		must_status(gsym_store_find(store, id, size, ret, error));
	if (status == GSYM_NOT_FOUND && source_may_make(s)) {
		answer = source_make(s, &p);
		if (answer == SOURCE_HAVE) {
			gsym_store_retry(store);
			status = must_status(gsym_store_find(
				store, id, size, ret, error));
		}
	}
	if (status == GSYM_OK)
		return SOURCE_HAVE;
	if (status == GSYM_ERR_IO)
		return SOURCE_FAILED;
	error->code = GSYM_OK;
	return answer == SOURCE_HAVE ? SOURCE_ABSENT : answer;
}

/* ---- by path ------------------------------------------------------------- */

/* A search. */
struct search {
	struct source *s;
	/** What is known by now. */
	struct source_program p;
	struct source_symbols *ret;
	uint8_t id[256];
	/** The file of P is a program, whose build ID, if it has one, is
	 *  known. */
	bool is_program;
	/** P.file, if the search has opened it. */
	struct gsym_module *opened;
};

/* Whether READER is of the program: neither has a build ID, or both have the
 * same one.  That of a file that is no program is not known. */
static bool is_same(const struct search *f, const struct gsym_reader *reader)
{
	struct gsym_header header;
	if (f->s->host.any || (!f->p.id_size && !f->is_program))
		return true;
	gsym_get_header(reader, &header);
	return (!f->p.id_size && !header.uuid_size) ||
	       gsym_uuid_matches(header.uuid, header.uuid_size, f->p.id,
				 f->p.id_size);
}

/* Use the GSYM data in the file PATH, which is kept or freed, if they are of
 * the program.  ITSELF: it is the file of the program, which is opened before
 * anything else is known of it, so a failure is kept for later. */
static bool try_file(struct search *f, char *path, bool itself)
{
	struct gsym_error error = { 0 };
	struct gsym_reader *reader;
	enum gsym_status status =
		source_open_file(f->s, path, &reader, &error);
	const char *why = NULL;
	if (status != GSYM_OK)
		why = report_reason(status, &error);
	else if (!is_same(f, reader))
		why = "it has another build ID";
	tell_tried(f->s, path, why);
	if (itself) {
		f->ret->status = status;
		f->ret->error = error;
	}
	if (!why) {
		f->ret->reader = f->ret->own = reader;
		f->ret->path = path;
		return true;
	}
	if (status == GSYM_OK)
		gsym_close(reader);
	if (status == GSYM_OK ||
	    (!itself && status != GSYM_ERR_IO && status != GSYM_ERR_FORMAT))
		source_note(f->s, "'%s' is not used: %s", path, why);
	free(path);
	return false;
}

/* The build ID in a path like .../.build-id/ab/cdef....debug. */
static size_t id_of_path(const char *path, uint8_t *id, size_t capacity)
{
	static const char mark[] = ".build-id/";
	char digits[513];
	const char *at = strstr(path, mark);
	if (!at)
		return 0;
	at += sizeof(mark) - 1;
	size_t rest = strlen(at) > 3 ? strspn(at + 3, "0123456789abcdef") : 0;
	if (rest < 8 || rest > 500 || at[2] != '/')
		return 0;
	memcpy(digits, at, 2);
	memcpy(digits + 2, at + 3, rest);
	digits[2 + rest] = 0;
	return number_parse_bytes(digits, id, capacity);
}

static void identify(struct search *f)
{
	enum gsym_status status;
	size_t size;
	if (f->is_program && f->p.id_size)
		return;
	status = must_status(gsym_store_read_id(
		f->p.path, f->id, sizeof(f->id), &size, NULL));
	f->is_program = status == GSYM_OK || status == GSYM_NOT_FOUND;
	if (f->p.id_size)
		return;
	if (!size)
		size = id_of_path(f->p.path, f->id, sizeof(f->id));
	f->p.id = f->id;
	f->p.id_size = size;
}

/* The folders and the cache, by build ID. */
static bool try_store(struct search *f)
{
	struct source_symbols *ret = f->ret;
	if (!f->p.id_size ||
	    must_status(gsym_store_find(source_store(f->s), f->p.id,
					   f->p.id_size, &ret->entry, NULL)) !=
		    GSYM_OK) {
		ret->entry = NULL;
		return false;
	}
	ret->reader = gsym_store_reader(ret->entry);
	return true;
}

/* LLVM's rule: DIR/NAME.gsym. */
static bool try_names(struct search *f)
{
	const struct option_list *folders = &f->s->o.gsym_folders;
	for (size_t i = 0; i < folders->count; i++)
		if (try_file(f, path_print("%s/%s.gsym", folders->items[i],
					   path_base(f->p.path)), false))
			return true;
	return false;
}

/* Open the program, for debug files and makers. */
static void open_program(struct search *f)
{
	struct gsym_module *opened = source_open_module(&f->p);
	if (opened)
		f->opened = opened;
}

/* The section of the debug file, and the file beside it. */
static bool try_debug_file(struct search *f)
{
	char *path, *beside;
	open_program(f);
	path = source_debug_file(f->s, &f->p);
	if (!path)
		return false;
	beside = path_print("%s.gsym", path);
	if (!try_file(f, path, false))
		return try_file(f, beside, false);
	free(beside);
	return true;
}

/* What exists. */
static bool try_all(struct search *f)
{
	bool path = f->p.path != NULL;
	if (path && (f->is_program || f->p.lenient) &&
	    try_file(f, path_print("%s.gsym", f->p.path), false))
		return true;
	if (f->s->host.files_only)
		return false;
	return try_store(f) ||
	       (path && (f->is_program || f->p.lenient) && try_names(f)) ||
	       (f->is_program && try_debug_file(f));
}

static enum source_answer make(struct search *f, unsigned makers)
{
	enum source_answer answer;
	make_store(f->s);
	open_program(f);
	if (makers & SOURCE_BY_CONVERSION &&
	    source_first(f->s, &f->p, f->ret) == SOURCE_HAVE)
		return SOURCE_HAVE;
	f->p.addresses = NULL;
	f->p.address_count = 0;
	answer = source_keep(f->s, &f->p, makers, f->ret);
	if (answer != SOURCE_HAVE || f->ret->reader)
		return answer;
	gsym_store_retry(source_store(f->s));
	return try_store(f) ? SOURCE_HAVE : SOURCE_ABSENT;
}

static struct search search_of(struct source *s, const struct source_program *p,
			       struct source_symbols *ret)
{
	*ret = (struct source_symbols){ 0 };
	return (struct search){
		.s = s, .p = *p, .ret = ret, .is_program = p->file != NULL
	};
}

enum source_answer source_open(struct source *s, const struct source_program *p,
			       struct source_symbols *ret)
{
	struct search f = search_of(s, p, ret);
	enum source_answer answer = SOURCE_ABSENT;
	if (p->path && !p->fresh &&
	    try_file(&f, path_print("%s", p->path), true))
		return SOURCE_HAVE;
	if (p->path)
		identify(&f);
	ret->is_program = f.is_program;
	/* What is damaged, or is not there, is not converted. */
	if (!f.p.id_size && !f.is_program && !p->lenient &&
	    ret->status != GSYM_ERR_FORMAT)
		return SOURCE_FAILED;
	if (ret->status != GSYM_OK && ret->status != GSYM_ERR_FORMAT &&
	    ret->status != GSYM_ERR_IO)
		source_note(s, "'%s' is not used: %s", p->path,
			    report_reason(ret->status, &ret->error));
	if (!p->fresh && try_all(&f))
		answer = SOURCE_HAVE;
	else if (source_may_make(s))
		answer = make(&f, p->unconverted ? SOURCE_ALL_MAKERS &
							   ~SOURCE_BY_CONVERSION
						 : SOURCE_ALL_MAKERS);
	gsym_module_close(f.opened);
	return answer;
}

enum source_answer source_convert(struct source *s,
				  const struct source_program *p,
				  struct source_symbols *ret)
{
	struct search f = search_of(s, p, ret);
	enum source_answer answer;
	if (p->path)
		identify(&f);
	answer = make(&f, SOURCE_BY_CONVERSION);
	gsym_module_close(f.opened);
	return answer;
}

void source_refuse(const struct source *s, const char *path,
		   const struct source_symbols *symbols)
{
	enum gsym_status status = symbols->status;
	if (symbols->is_program)
		die("cannot open '%s': %s; 'gsym-create %s' makes '%s.gsym'",
		    path, report_reason(status, &symbols->error), path, path);
	die_status(s->host.check && status == GSYM_ERR_CORRUPT ? "use" : "open",
		   path, status, &symbols->error);
}

void source_close(struct source_symbols *symbols)
{
	gsym_close(symbols->own);
	free(symbols->path);
	*symbols = (struct source_symbols){ 0 };
}
