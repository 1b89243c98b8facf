/* SPDX-License-Identifier: MIT */
#include <criterion/criterion.h>
#include <criterion/redirect.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/options.h"
#include "common/report.h"

enum { OPT_FLAG = 1, OPT_VALUE, OPT_VALVE, OPT_OPTIONAL, OPT_HASH,
       OPT_FILE, OPT_FOLDER, OPT_SEARCHED };

/* Options that other tools have, too. */
static char kept[64];

static void keep(const struct options *options, int id)
{
	size_t used = strlen(kept);

	snprintf(kept + used, sizeof(kept) - used, "%d%s ", id,
		 options->value ? options->value : "");
}

static const struct option_spec group_options[] = {
	{ .help = "Of a group" },
	{ 1, 'g', "grouped", NULL, "a flag", OPTION_BY_ID },
	{ 2, 0, "grouped-value", "N", "a value", OPTION_BY_ID },
	{ 0 }
};
static const struct option_group group = { group_options, keep, NULL };
static const struct option_group *const groups[] = { &group };

static const struct option_spec table[] = {
	{ .help = "Things" },
	{ OPT_FLAG, 'f', "flag", NULL, "a flag", OPTION_BY_ID },
	{ OPT_VALUE, 'v', "value", "N", "a value\nof two lines", OPTION_BY_ID },
	{ OPT_VALVE, 0, "a-valve-with-a-long-name", "N", "another",
	  OPTION_BY_ID },
	{ OPTION_GROUP(0) },
	{ .help = "More things" },
	{ OPT_OPTIONAL, 'o', "optional", "[=N]", "a value or not",
	  OPTION_BY_ID },
	{ OPT_HASH, 0, "hash", NULL, "another", OPTION_BY_ID },
	{ OPT_FILE, 'p', "path", "FILE", "a path", OPTION_BY_ID },
	{ OPT_FOLDER, 0, "into", "DIR", "a folder", OPTION_BY_ID },
	{ OPT_SEARCHED, 0, "searched", "[DIR]", "a folder, or none",
	  OPTION_BY_ID },
	{ 0 }
};
static const struct option_peer peers[] = {
	{ "theirs", "do it so" }, { "t", "or so" }, { 0 }
};
static const char *const examples[] = { "tool x", "does x", NULL };
static const struct tool tool = {
	.name = "tool",
	.operands = "FILE",
	.summary = "Test options.",
	.options = table,
	.groups = groups,
	.peers = peers,
	.examples = examples,
	.exit_status = "0.",
};

/* Parse ARGV, which ends with NULL.  Returns the id and value of each option
 * and operand, such as "1 2=x -1=file ". */
static const char *walk(const char **argv)
{
	static char text[256];
	struct options options;
	int argc = 0, id;
	while (argv[argc])
		argc++;
	text[0] = 0;
	report_start("tool");
	options_init(&options, &tool, NULL, argc, (char **)argv);
	while ((id = options_next(&options)) != OPTION_END)
		snprintf(text + strlen(text), sizeof(text) - strlen(text),
			 "%d%s%s ", id, options.value ? "=" : "",
			 options.value ? options.value : "");
	options_fini(&options);
	return text;
}

#define WALK(...) walk((const char *[]){ "tool", __VA_ARGS__, NULL })

Test(options, takes_every_form)
{
	cr_expect_str_eq(WALK("--flag", "--value=x", "--value", "y"),
			 "1 2=x 2=y ");
	cr_expect_str_eq(WALK("-f", "-vx", "-v", "y", "-fv=z"),
			 "1 2=x 2=y 1 2==z ");
	cr_expect_str_eq(WALK("a", "--flag", "b"), "1 -1=a -1=b ");
	cr_expect_str_eq(WALK("--", "--flag", "-f"), "-1=--flag -1=-f ");
	cr_expect_str_eq(WALK("-", "-f"), "1 -1=- ");
	cr_expect_str_eq(WALK("--value="), "2= ");
	cr_expect_str_eq(WALK("--value=a=b", "-v", "--flag"),
			 "2=a=b 2=--flag ");
	cr_expect_str_eq(WALK("--optional", "x", "-ox", "-o", "--optional=y"),
			 "4= 4=x 4= 4=y -1=x ");
}

Test(options, keeps_those_of_a_group)
{
	kept[0] = 0;
	cr_expect_str_eq(WALK("-fg", "--grouped", "a", "--grouped-value", "7",
			      "--grouped-value=8", "-f"),
			 "1 1 -1=a ");
	cr_expect_str_eq(kept, "1 1 27 28 ");
	cr_expect(options_takes_next(&tool, "--grouped-value"));
	cr_expect(options_takes_next(&tool, "-fv"));
	cr_expect_not(options_takes_next(&tool, "--grouped"));
	cr_expect_not(options_takes_next(&tool, "--optional"));
	cr_expect_not(options_takes_next(&tool, "grouped-value"));
	cr_expect_not(options_takes_next(&tool, "-"));
}

Test(options, ends_with_the_first_operand_for_posix)
{
	setenv("POSIXLY_CORRECT", "1", 1);
	cr_expect_str_eq(WALK("-f", "a", "--flag", "--", "b"),
			 "1 -1=a -1=--flag -1=-- -1=b ");
}

/* Expect that ARGV is refused, with the message WANTED. */
static void refuse(const char **argv, const char *wanted)
{
	char got[512] = "";
	FILE *errors = tmpfile();
	pid_t child = fork();
	int status;

	if (child == 0) {
		dup2(fileno(errors), STDERR_FILENO);
		walk(argv);
		_exit(0);
	}
	waitpid(child, &status, 0);
	cr_expect(WIFEXITED(status) && WEXITSTATUS(status) == STATUS_ERROR);
	rewind(errors);
	cr_expect(fgets(got, sizeof(got), errors));
	fclose(errors);
	got[strcspn(got, "\n")] = 0;
	cr_expect_str_eq(got, wanted);
}

#define REFUSE(wanted, ...) \
	refuse((const char *[]){ "tool", __VA_ARGS__, NULL }, "tool: " wanted)

Test(options, names_what_is_wrong)
{
	REFUSE("unknown option '--nothing'", "--nothing=1");
	REFUSE("unknown option '-x'", "-fx");
	REFUSE("option '--value' needs a value", "--value");
	REFUSE("option '-v' needs a value", "-fv");
	REFUSE("option '--flag' takes no value", "--flag=1");
	REFUSE("unknown option '--'", "--=1");
}

Test(options, refuses_empty_paths)
{
	cr_expect_str_eq(WALK("--path=x", "-py", "--into", "z", "--searched="),
			 "6=x 6=y 7=z 8= ");
	REFUSE("the value of option '--path' is empty", "--path=");
	REFUSE("the value of option '--into' is empty", "--into=");
	REFUSE("the value of option '--into' is empty", "--into", "");
	REFUSE("the value of option '-p' is empty", "-p", "");
	REFUSE("option '--searched' needs a value", "--searched");
}

Test(options, takes_no_abbreviations)
{
	REFUSE("unknown option '--fl': did you mean '--flag'?", "--fl");
	REFUSE("unknown option '--a-valve': did you mean "
	       "'--a-valve-with-a-long-name'?", "--a-valve=1");
	REFUSE("unknown option '--val': did you mean '--value'?", "--val=1");
	/* --h could be --hash. */
	REFUSE("unknown option '--h'", "--h");
}

Test(options, names_the_nearest_option)
{
	REFUSE("unknown option '--flags': did you mean '--flag'?", "--flags");
	REFUSE("unknown option '--falg': did you mean '--flag'?", "--falg");
	REFUSE("unknown option '--vlaue': did you mean '--value'?",
	       "--vlaue=1");
	REFUSE("unknown option '--hlep': did you mean '--help'?", "--hlep");
	REFUSE("unknown option '--fog'", "--fog");
	REFUSE("unknown option '--a-valve-with-a-longer-name-than-all'",
	       "--a-valve-with-a-longer-name-than-all");
}

Test(options, names_what_to_do_instead)
{
	REFUSE("unknown option '--theirs': do it so", "--theirs=1");
	REFUSE("unknown option '-t': or so", "-t");
	REFUSE("unknown option '--t'", "--t");
}

/* --version is not the beginning of another option, so it can be shortened. */
Test(options, shortens_version, .exit_code = 0)
{
	cr_redirect_stdout();
	WALK("--vers");
	cr_assert_fail("--vers did not end the process");
}

/* Expect that the value TEXT is the number WANTED. */
static void number(const char *text, uint64_t lowest, uint64_t highest,
		   uint64_t wanted)
{
	struct options options = { .value = text, .name = "value" };
	cr_expect_eq(options_number(&options, lowest, highest), wanted);
}

Test(options, checks_numbers)
{
	number("12", 1, 12, 12);
	number("0x10", 0, UINT64_MAX, 16);
}

Test(options, refuses_numbers_out_of_range, .exit_code = 2)
{
	cr_redirect_stderr();
	number("0", 1, 12, 0);
}

Test(options, refuses_what_is_no_number, .exit_code = 2)
{
	cr_redirect_stderr();
	number("many", 1, 12, 0);
}

Test(options, finds_choices)
{
	static const char *const choices[] = { "v1", "v2", NULL };
	struct options options = { .value = "v2", .name = "format" };
	cr_assert_eq(options_choice(&options, choices), 1);
}

Test(options, shows_help, .exit_code = 0)
{
	cr_redirect_stdout();
	WALK("--help");
	cr_assert_fail("--help did not end the process");
}

/* What a tool keeps by its rows alone. */
struct rows {
	bool flag;
	unsigned set, word;
	uint64_t number, address;
	const char *text;
	struct option_list list;
};

Test(options, keeps_values_by_their_rows)
{
	static const char *const words[] = { "red", "blue", NULL };
	static const struct option_spec specs[] = {
		{ 0, 'f', "flag", NULL, "", OPTION_FLAG(struct rows, flag) },
		{ 0, 0, "no-flag", NULL, "", OPTION_SET(struct rows, flag, 0) },
		{ 0, 0, "set", NULL, "", OPTION_SET(struct rows, set, 7) },
		{ 0, 'w', "word", "[=WORD]", "",
		  OPTION_WORD(struct rows, word, words, 5), .most = 9 },
		{ 0, 0, "number", "MIB", "",
		  OPTION_NUMBER(struct rows, number, 1, 4), .shift = 20 },
		{ 0, 0, "address", "A", "",
		  OPTION_ADDRESS(struct rows, address) },
		{ 0, 0, "text", "T", "", OPTION_TEXT(struct rows, text) },
		{ 0, 0, "list", "T", "", OPTION_LIST(struct rows, list) },
		{ 0, 0, "others", NULL, "", OPTION_FLAG(struct rows, flag),
		  .commands = 2 },
		{ 0 }
	};
	const struct tool rows_tool = { .options = specs, .command_bits = 1 };
	const char *argv[] = { "tool", "-f", "--set", "--word=blue",
			       "--number=3", "--address=1f", "--text=a",
			       "--list=x", "--list", "y", NULL };
	const char *more[] = { "tool", "-w", "--no-flag", NULL };
	struct rows rows = { 0 };
	struct options options;

	options_init(&options, &rows_tool, &rows, 10, (char **)argv);
	cr_expect_eq(options_next(&options), OPTION_END);
	options_fini(&options);
	cr_expect(rows.flag);
	cr_expect_eq(rows.set, 7);
	cr_expect_eq(rows.word, 6);
	cr_expect_eq(rows.number, 3 << 20);
	cr_expect_eq(rows.address, 0x1f);
	cr_expect_str_eq(rows.text, "a");
	cr_expect_eq(rows.list.count, 2);
	cr_expect_str_eq(rows.list.items[1], "y");
	options_init(&options, &rows_tool, &rows, 3, (char **)more);
	cr_expect_eq(options_next(&options), OPTION_END);
	options_fini(&options);
	cr_expect_not(rows.flag);
	cr_expect_eq(rows.word, 9);
	cr_expect_not(options_takes_next(&rows_tool, "--others"));
	gsym_vec_fini(&rows.list);
}
