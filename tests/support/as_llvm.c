/* SPDX-License-Identifier: MIT */
/* as_llvm FILE <ADDRESSES - look up the addresses of standard input in FILE,
 * and print the answers in the format of llvm-gsymutil
 * --addresses-from-stdin.
 *
 * as_llvm --dump FILE - print each record in the format of llvm-gsymutil
 * FILE. */
#include <gsym/reader.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 1 + GSYM_MAX_INLINE_DEPTH };

static const char *separator(const char *directory)
{
	if (!*directory)
		return "";
	return strchr(directory, '\\') && !strchr(directory, '/') ? "\\" : "/";
}

static void print_frame(const struct gsym_frame *f)
{
	fputs(f->function, stdout);
	if (f->offset)
		printf(" + %" PRIu64, f->offset);
	if (*f->directory || *f->basename)
		printf(" @ %s%s%s:%" PRIu32, f->directory,
		       separator(f->directory),
		       *f->basename ? f->basename : "<invalid-file>", f->line);
	if (f->inlined)
		fputs(" [inlined]", stdout);
}

/* The path of file INDEX; nothing for file 0. */
static void print_file(const struct gsym_reader *reader, uint32_t index)
{
	const char *directory = "", *basename = "";

	if (!index)
		return;
	if (gsym_file_at(reader, index, &directory, &basename) != GSYM_OK) {
		fputs("<invalid-file>", stdout);
		return;
	}
	printf("%s%s%s", directory, separator(directory), basename);
}

static void print_lines(const struct gsym_function *f, int indent)
{
	struct gsym_line_iter iter;
	struct gsym_line line;

	if (!f->has_lines)
		return;
	printf("%*sLineTable:\n", indent, "");
	gsym_lines(f, &iter, NULL);
	while (gsym_line_next(&iter, &line, NULL) == GSYM_OK) {
		printf("%*s  0x%016" PRIx64 " ", indent, "", line.address);
		print_file(f->reader, line.file);
		printf(":%" PRIu32 "\n", line.line);
	}
}

static void print_inlines(const struct gsym_function *f, int indent)
{
	static struct gsym_inline_iter iter;
	struct gsym_inline node;

	if (!f->has_inlines)
		return;
	if (!indent)
		puts("InlineInfo:");
	gsym_inlines(f, &iter, NULL);
	while (gsym_inline_next(&iter, &node, NULL) == GSYM_OK) {
		int width = indent + 2 * (int)node.depth;
		struct gsym_range r;

		for (uint32_t i = 0; gsym_inline_range(&node, i, &r) == GSYM_OK;
		     i++)
			printf("%*s[0x%016" PRIx64 " - 0x%016" PRIx64 ")",
			       i ? 1 : width, "", r.start, r.end);
		printf(" %s", node.name);
		if (node.call_file) {
			fputs(" called from ", stdout);
			print_file(f->reader, node.call_file);
			printf(":%" PRIu32, node.call_line);
		}
		putchar('\n');
	}
}

static void print_calls(struct gsym_function *f, int indent)
{
	static const char *const flags[] = { "None", "InternalCall",
					     "ExternalCall",
					     "InternalCall | ExternalCall" };
	struct gsym_call_site site;

	if (!f->call_site_count)
		return;
	printf("%*sCallSites (by relative return offset):\n", indent, "");
	for (uint32_t i = 0; gsym_call_site_at(f, i, &site, NULL) == GSYM_OK;
	     i++) {
		printf("%*s  0x%04" PRIx64 " Flags[%s]", indent, "",
		       site.return_offset, flags[site.flags & 3]);
		for (uint32_t j = 0; j < site.pattern_count; j++)
			printf("%s%s", j ? ";" : " MatchRegex[",
			       gsym_call_site_pattern(&site, j));
		puts(site.pattern_count ? "]" : "");
	}
}

static void print_function(struct gsym_function *f, int indent)
{
	struct gsym_function merged;

	printf("[0x%016" PRIx64 " - 0x%016" PRIx64 ") \"%s\"\n", f->start,
	       f->start + f->size, f->name);
	print_lines(f, indent);
	print_inlines(f, indent);
	print_calls(f, indent);
	for (uint32_t i = 0; gsym_merged_at(f, i, &merged, NULL) == GSYM_OK;
	     i++) {
		printf("++ Merged FunctionInfos[%" PRIu32 "]:\n    ", i);
		print_function(&merged, 4);
	}
}

static int dump(const struct gsym_reader *reader)
{
	struct gsym_function f;
	uint32_t count = gsym_function_count(reader);

	for (uint32_t i = 0; i < count; i++) {
		if (gsym_function_at(reader, i, &f, NULL) != GSYM_OK)
			return 1;
		printf("FunctionInfo @ 0x%08" PRIx64 ": ", f.record_offset);
		print_function(&f, 0);
	}
	return 0;
}

static void look_up(const struct gsym_reader *reader, uint64_t address)
{
	static struct gsym_frame frames[MOST];
	struct gsym_match match;

	printf("0x%016" PRIx64 ": ", address);
	if (gsym_lookup(reader, address, 0, frames, MOST, &match, NULL) !=
	    GSYM_OK) {
		printf("error: address 0x%" PRIx64 " is not in GSYM\n\n",
		       address);
		return;
	}
	for (uint32_t i = 0; i < match.frame_count; i++) {
		if (i)
			printf("\n%20s", "");
		print_frame(&frames[i]);
	}
	fputs("\n\n", stdout);
}

int main(int argc, char **argv)
{
	bool whole = argc == 3 && !strcmp(argv[1], "--dump");
	struct gsym_reader *reader;
	struct gsym_error error;
	char line[256];
	int status = 0;

	if (argc != 2 && !whole) {
		fprintf(stderr, "usage: %s FILE <ADDRESSES | --dump FILE\n",
			argv[0]);
		return 2;
	}
	if (gsym_open(argv[argc - 1], &reader, &error) != GSYM_OK) {
		fprintf(stderr, "%s: %s\n", argv[argc - 1], error.message);
		return 2;
	}
	if (whole)
		status = dump(reader);
	else
		while (fgets(line, sizeof(line), stdin))
			look_up(reader, strtoull(line, NULL, 0));
	gsym_close(reader);
	return status;
}
