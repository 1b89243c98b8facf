/* SPDX-License-Identifier: MIT */
#include <criterion/criterion.h>
#include <criterion/redirect.h>
#include <stdio.h>
#include <string.h>

#include "common/options.h"
#include "common/report.h"

enum { OPT_FLAG = 1, OPT_VALUE, OPT_VALVE };

static const struct option_spec table[] = {
	{ 0, 0, NULL, NULL, "Things" },
	{ OPT_FLAG, 'f', "flag", NULL, "a flag" },
	{ OPT_VALUE, 'v', "value", "N", "a value\nof two lines" },
	{ OPT_VALVE, 0, "a-valve-with-a-long-name", "N", "another" },
	{ 0 }
};
static const char *const examples[] = { "tool x", "does x", NULL };
static const struct tool tool = {
	.name = "tool",
	.operands = "FILE",
	.summary = "Test options.",
	.options = table,
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
	options_init(&options, &tool, argc, (char **)argv);
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
	cr_expect_str_eq(WALK("--fl", "-"), "1 -1=- ");
	cr_expect_str_eq(WALK("--value="), "2= ");
}

Test(options, refuses_unknown_long, .exit_code = 2)
{
	cr_redirect_stderr();
	WALK("--nothing=1");
}

Test(options, refuses_unknown_short, .exit_code = 2)
{
	cr_redirect_stderr();
	WALK("-fx");
}

Test(options, refuses_missing_value, .exit_code = 2)
{
	cr_redirect_stderr();
	WALK("--value");
}

Test(options, refuses_value_for_a_flag, .exit_code = 2)
{
	cr_redirect_stderr();
	WALK("--flag=1");
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
