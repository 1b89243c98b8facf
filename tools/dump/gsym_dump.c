/* SPDX-License-Identifier: MIT */
/*
 * gsym-dump - show the contents of a GSYM file, count its bytes by their use,
 * and check it.
 */
#include "config.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/file.h"
#include "common/options.h"
#include "common/report.h"
#include "common/run.h"
#include "dump/dump.h"

/* ---- statistics: every byte is counted once ------------------------------ */

/* The use of a byte that is not in a table. */
enum kind {
	/* In function records: size and name, then the information of enum
	 * gsym_info, whose names are in dump_infos. */
	KIND_NAMES,
	KIND_UNKNOWN = GSYM_INFO_COUNT,
	KIND_ENDS,
	/* Between tables and records. */
	KIND_PADDING,
	KIND_UNUSED,
	/* In lists of merged functions, between the records of these. */
	KIND_LISTS,
	KIND_COUNT
};

static const struct {
	const char *text, *key;
} kind_names[KIND_COUNT] = {
	[KIND_NAMES] = { "sizes and names", "size_and_name" },
	[KIND_UNKNOWN] = { "unknown kinds", "unknown" },
	[KIND_ENDS] = { "ends of lists", "end_of_list" },
	[KIND_PADDING] = { "padding", "padding" },
	[KIND_UNUSED] = { "in no table or record", "unused" },
	[KIND_LISTS] = { "counts and sizes", "count_and_size" },
};

/* The bytes of a table or a function record. */
struct extent {
	uint64_t offset, size;
	uint32_t record; /* index of the function, or NO_RECORD + section */
};
#define NO_RECORD (UINT32_MAX - GSYM_SECTION_COUNT)

/* Counts of bytes, and the number of records.  MERGED is what the bytes of
 * kinds[GSYM_INFO_MERGED] are, by kind. */
struct statistics {
	uint64_t sections[GSYM_SECTION_COUNT];
	uint64_t kinds[KIND_COUNT];
	uint64_t records;
	uint64_t merged[KIND_COUNT];
	uint64_t merged_records;
};

static int by_offset(const void *a, const void *b)
{
	const struct extent *x = a, *y = b;
	if (x->offset != y->offset)
		return x->offset < y->offset ? -1 : 1;
	return (x->record > y->record) - (x->record < y->record);
}

/* The bytes of kind and length, with which each part of a record begins. */
enum { TUPLE_HEAD = 8 };

/* Add the bytes of the record of F to KINDS. */
static void count_parts(struct dump *dump, const struct gsym_function *f,
			uint64_t kinds[KIND_COUNT])
{
	uint64_t parts[KIND_COUNT] = {
		[KIND_NAMES] = 4 + dump->header.string_offset_size,
		[KIND_ENDS] = TUPLE_HEAD,
	};
	uint64_t sum = 0;
	for (int i = GSYM_INFO_LINES; i < GSYM_INFO_COUNT; i++)
		if (f->info[i].offset)
			parts[i] = TUPLE_HEAD + f->info[i].size;
	for (int i = 0; i < KIND_COUNT; i++)
		sum += parts[i];
	/* The other parts are of kinds that the library does not know. */
	parts[KIND_UNKNOWN] = f->record_size > sum ? f->record_size - sum : 0;
	for (int i = 0; i < KIND_COUNT; i++)
		kinds[i] += parts[i];
}

/* Count the bytes of the functions that were merged into F. */
static void count_merged(struct dump *dump, struct statistics *s,
			 struct gsym_function *f)
{
	uint64_t list = TUPLE_HEAD + f->info[GSYM_INFO_MERGED].size;
	struct gsym_function other;

	if (!f->info[GSYM_INFO_MERGED].offset)
		return;
	for (uint32_t i = 0; i < f->merged_count; i++) {
		if (gsym_merged_at(f, i, &other, NULL) != GSYM_OK ||
		    other.record_size > list)
			break;
		count_parts(dump, &other, s->merged);
		s->merged_records++;
		list -= other.record_size;
	}
	s->merged[KIND_LISTS] += list;
}

/* Count the bytes of the record of function INDEX. */
static void count_record(struct dump *dump, struct statistics *s,
			 uint32_t index)
{
	struct gsym_function f;
	if (gsym_function_at(dump->reader, index, &f, NULL) != GSYM_OK)
		return;
	count_parts(dump, &f, s->kinds);
	count_merged(dump, s, &f);
	s->records++;
}

/* The *COUNT tables and records by offset, malloc'ed. */
static struct extent *collect(struct dump *dump, size_t *count)
{
	const struct gsym_header *h = &dump->header;
	struct extent *extents = must_have(
		calloc(GSYM_SECTION_COUNT + (size_t)h->function_count,
		       sizeof(*extents)));
	size_t n = 0;
	for (int i = 0; i < GSYM_SECTION_COUNT; i++) {
		/* In version 1 the build ID is part of the header.  Function
		 * records are added one by one below. */
		if (h->sections[i].size == 0 || i == GSYM_SECTION_FUNCTIONS ||
		    (i == GSYM_SECTION_UUID && h->version == 1))
			continue;
		extents[n++] = (struct extent){ h->sections[i].offset,
						h->sections[i].size,
						NO_RECORD + i };
	}
	for (uint32_t i = 0; i < h->function_count; i++) {
		struct gsym_function f;
		enum gsym_status status =
			gsym_function_at(dump->reader, i, &f, NULL);
		if (!dump_take(dump, i, f.record_size, "functions"))
			break;
		if (status != GSYM_OK) {
			dump->damaged++;
			continue;
		}
		extents[n++] = (struct extent){
			f.record_offset, f.record_size, i
		};
	}
	qsort(extents, n, sizeof(*extents), by_offset);
	*count = n;
	return extents;
}

/* Count SIZE bytes that are in no table or record. */
static void count_gap(struct statistics *s, uint64_t size)
{
	s->kinds[size < 8 ? KIND_PADDING : KIND_UNUSED] += size;
}

static void count_all(struct dump *dump, struct statistics *s)
{
	size_t count;
	struct extent *extents = collect(dump, &count);
	uint64_t end = 0;

	for (size_t i = 0; i < count; i++) {
		const struct extent *e = &extents[i];
		/* Several functions may share a record. */
		if (e->offset + e->size <= end)
			continue;
		if (e->offset < end) {
			/* Damage: only the bytes after END are new. */
			s->kinds[KIND_UNUSED] += e->offset + e->size - end;
		} else {
			count_gap(s, e->offset - end);
			if (e->record >= NO_RECORD)
				s->sections[e->record - NO_RECORD] += e->size;
			else
				count_record(dump, s, e->record);
		}
		end = e->offset + e->size;
	}
	if (end < dump->header.image_size)
		count_gap(s, dump->header.image_size - end);
	free(extents);
}

/* Show the count BYTES, called TEXT, or KEY in JSON. */
static void show_count(struct dump *dump, const char *text, const char *key,
		       uint64_t bytes)
{
	if (bytes == 0)
		return;
	if (dump->as_json) {
		json_number(&dump->json, key, bytes);
		return;
	}
	double whole = dump->header.image_size;
	out_printf(&dump->out, "  %12" PRIu64 " %6.2f %%  %s\n", bytes,
		   100 * (double)bytes / whole, text);
}

/* Show the counts of KINDS. */
static void show_kinds(struct dump *dump, const uint64_t kinds[KIND_COUNT])
{
	for (int i = 0; i < KIND_COUNT; i++) {
		bool info = i >= GSYM_INFO_LINES && i < GSYM_INFO_COUNT;

		show_count(dump,
			   info ? dump_infos[i].bytes : kind_names[i].text,
			   info ? dump_infos[i].bytes_key : kind_names[i].key,
			   kinds[i]);
	}
}

static void show_sections(struct dump *dump, const struct statistics *s)
{
	static const char *const keys[GSYM_SECTION_COUNT] = {
		[GSYM_SECTION_HEADER] = "header",
		[GSYM_SECTION_DIRECTORY] = "global_data_directory",
		[GSYM_SECTION_UUID] = "uuid_section",
		[GSYM_SECTION_ADDRESSES] = "address_table",
		[GSYM_SECTION_ADDRESS_INFO] = "addr_info_offsets",
		[GSYM_SECTION_FILES] = "file_table",
		[GSYM_SECTION_STRINGS] = "string_table",
		[GSYM_SECTION_CHECKSUM] = "checksum",
	};

	for (int i = 0; i < GSYM_SECTION_COUNT; i++)
		if (keys[i])
			show_count(dump, dump_section_name(i), keys[i],
				   s->sections[i]);
}

/* Show which bytes the lists of merged functions have, if there are lists. */
static void show_merged(struct dump *dump, const struct statistics *s)
{
	uint64_t all = s->kinds[GSYM_INFO_MERGED];

	if (all == 0)
		return;
	if (dump->as_json) {
		json_number(&dump->json, "merged_records", s->merged_records);
		json_object(&dump->json, "merged_bytes");
	} else {
		dump_heading(dump, "Bytes of merged functions");
	}
	show_kinds(dump, s->merged);
	show_count(dump, "in all", "all", all);
	if (dump->as_json)
		json_end(&dump->json);
}

/* Show the number of bytes for each use. */
static void show_statistics(struct dump *dump)
{
	struct statistics s = { 0 };

	count_all(dump, &s);
	if (dump->as_json) {
		json_object(&dump->json, NULL);
		json_string(&dump->json, "path", dump->path);
		json_number(&dump->json, "functions",
			    dump->header.function_count);
		json_number(&dump->json, "records", s.records);
		json_object(&dump->json, "bytes");
	} else {
		dump_heading(dump, "Bytes");
	}
	show_sections(dump, &s);
	show_kinds(dump, s.kinds);
	show_count(dump, "in all", "all", dump->header.image_size);
	if (dump->as_json)
		json_end(&dump->json);
	show_merged(dump, &s);
	if (dump->as_json)
		json_end_line(&dump->json);
}

/* ---- the tool ------------------------------------------------------------ */

/* What the command line asks for, beside the file. */
struct request {
	bool header, functions, files, strings, statistics, verify;
	bool as_json, demangle;
	enum out_colour colour;
	/* The values of --function. */
	struct option_list which;
};

/* How an option is kept in the MEMBER of struct request. */
#define FLAG(member) OPTION_FLAG(struct request, member)

static const struct option_spec dump_options[] = {
	{ .help = "What to show (may be combined)" },
	{ 0, 0, "header", NULL, "header and sections (the default)",
	  FLAG(header) },
	{ 0, 0, "functions", NULL, "every function, one a line",
	  FLAG(functions) },
	{ 0, 0, "function", "WHICH",
	  "the whole record of the function at the address\n"
	  "WHICH or with the name WHICH: lines, inlined\n"
	  "calls, merged functions, call sites; repeatable",
	  OPTION_LIST(struct request, which) },
	{ 0, 0, "files", NULL, "the file table", FLAG(files) },
	{ 0, 0, "strings", NULL, "the string table", FLAG(strings) },
	{ 0, 0, "statistics", NULL,
	  "what the bytes are used for", FLAG(statistics) },
	{ 0, 0, "verify", NULL,
	  "check the whole file, and its checksum if it has\n"
	  "one; show every problem with its offset; exit 1\n"
	  "if there are any", FLAG(verify) },
	{ .help = "How to show it" },
	{ 0, 'j', "json", NULL, "as JSON, one object a line", FLAG(as_json) },
	{ 0, 'C', "demangle", NULL,
	  "show readable C++, Rust and D names", FLAG(demangle) },
	{ 0, 0, "no-demangle", NULL,
	  "show names as they are in the file (the default)",
	  OPTION_SET(struct request, demangle, false) },
	{ 0, 0, "color", "WHEN",
	  "use colour: auto (the default), always or never",
	  OPTION_WORD(struct request, colour, out_colours, 0) },
	{ 0 }
};

/* Options of addr2line, llvm-symbolizer and llvm-gsymutil. */
#define OPERAND "FILE is an operand: gsym-dump FILE"
#define LOOKUP "'gsym-lookup FILE ADDRESS...' looks up addresses"
#define CONVERT "'gsym-create PROGRAM' converts, and writes PROGRAM.gsym"
static const struct option_peer dump_peers[] = {
	{ "e", OPERAND },
	{ "exe", OPERAND },
	{ "obj", OPERAND },
	{ "address", LOOKUP },
	{ "addresses", LOOKUP },
	{ "addresses-from-stdin", LOOKUP },
	{ "lookup", LOOKUP },
	{ "convert", CONVERT },
	{ "dsym", CONVERT },
	{ 0 }
};

static const char *const dump_examples[] = {
	"gsym-dump prog.gsym", "header and sections",
	"gsym-dump --function=main prog.gsym", "the whole record of main",
	"gsym-dump --verify prog.gsym", "check the file", NULL
};

static const struct tool dump_tool = {
	.name = "gsym-dump",
	.operands = "FILE",
	.summary = "Show what is in FILE, a GSYM file or an ELF file with a "
		   ".gsym section, or\n"
		   "in FILE.gsym if FILE is a program without it.",
	.options = dump_options,
	.peers = dump_peers,
	.examples = dump_examples,
	.exit_status = "0 done; 1 --verify found a problem, or there is no "
		       "such --function;\n2 error, or damage in the parts to "
		       "be shown.",
};

static void parse_options(struct dump *dump, struct request *request,
			  struct options *options)
{
	int id = options_next(options);

	if (id == OPTION_END)
		die_usage("no FILE is given");
	dump->path = options->value;
	if (options_next(options) != OPTION_END)
		die_usage("more than one FILE is given: '%s'", options->value);
	if (!request->functions && !request->which.count && !request->files &&
	    !request->strings && !request->statistics && !request->verify)
		request->header = true;
	if (request->demangle)
		dump->demangler = demangler_new(0);
	out_init(&dump->out, STDOUT_FILENO, "standard output",
		 request->colour);
	dump->as_json = request->as_json;
	json_init(&dump->json, &dump->out);
}

/* Say that no function is called NAME, and which names are near. */
static void report_unknown(struct dump *dump, const char *name)
{
	char near[NAMES_NEAR_SIZE];

	if (names_near(dump->reader, name, strlen(name), near))
		warn("no function '%s' in '%s'; near: %s", name, dump->path,
		     near);
	else
		warn("no function '%s' in '%s'", name, dump->path);
}

/* Show the views of REQUEST.  Returns the exit status. */
static int show(struct dump *dump, const struct request *request)
{
	int result = STATUS_DONE;
	if (request->header)
		dump_header(dump);
	if (request->functions)
		dump_functions(dump);
	for (size_t i = 0; i < request->which.count; i++) {
		if (dump_function(dump, request->which.items[i]))
			continue;
		out_flush(&dump->out);
		report_unknown(dump, request->which.items[i]);
		result = STATUS_NO;
	}
	if (request->files)
		dump_files(dump);
	if (request->strings)
		dump_strings(dump);
	if (request->statistics)
		show_statistics(dump);
	if (request->verify && dump_verify(dump) > 0)
		result = STATUS_NO;
	return result;
}

/* Open FILE, or the GSYM file beside it. */
static void open_file(struct dump *dump)
{
	const struct source_options none = { 0 };
	const struct source_program program = { .path = dump->path };
	char *beside = path_print("%s.gsym", dump->path);

	sandbox_read_files(sandbox_asked(), (const char *const[]){
		dump->path, beside, NULL });
	free(beside);
	dump->source = source_new(&none, &(struct source_host){
		.files_only = true });
	if (source_open(dump->source, &program, &dump->symbols) != SOURCE_HAVE)
		source_refuse(dump->source, dump->path, &dump->symbols);
	dump->reader = dump->symbols.reader;
	dump->path = dump->symbols.path;
	gsym_get_header(dump->reader, &dump->header);
}

int main(int argc, char **argv)
{
	struct dump dump = { 0 };
	/* Static, so that leak checkers find its memory when die exits. */
	static struct request request;
	struct options options;

	report_start("gsym-dump");
	options_init(&options, &dump_tool, &request, argc, argv);
	parse_options(&dump, &request, &options);
	open_file(&dump);

	int result = show(&dump, &request);
	out_fini(&dump.out);
	if (dump.damaged) {
		warn("'%s' is damaged; parts that cannot be read: %" PRIu64,
		     dump.path, dump.damaged);
		result = STATUS_ERROR;
	}
	gsym_demangler_free(dump.demangler);
	names_fini(&dump.names);
	source_close(&dump.symbols);
	source_free(dump.source);
	gsym_vec_fini(&request.which);
	options_fini(&options);
	return result;
}
