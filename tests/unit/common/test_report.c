/* SPDX-License-Identifier: MIT */
#include "config.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/report.h"

static FILE *errors;

static void set_up(void)
{
	report_start("tool");
	errors = tmpfile();
	cr_assert(errors);
	dup2(fileno(errors), STDERR_FILENO);
}

TestSuite(report, .init = set_up);

/* Fail unless the messages so far are WANTED, and forget them. */
static void expect(const char *wanted)
{
	char got[4096] = "";
	ssize_t n = pread(fileno(errors), got, sizeof(got) - 1, 0);
	cr_expect_eq(n, (ssize_t)strlen(wanted));
	cr_expect_str_eq(got, wanted);
	cr_assert_eq(ftruncate(fileno(errors), 0), 0);
	lseek(fileno(errors), 0, SEEK_SET);
}

Test(report, begins_with_the_tool)
{
	warn("%s %d", "text", 1);
	expect("tool: text 1\n");
}

Test(report, replaces_control_characters)
{
	warn("a\tb\nc\033[1md\x7f" "e\x1f" "f\x01");
	expect("tool: a?b?c?[1md?e?f?\n");
}

Test(report, replaces_marks_that_change_the_direction_of_text)
{
	warn("a\xd8\x9c" "b\xe2\x80\xaa\xe2\x80\xaf\xe2\x81\xa6");
	expect("tool: a??b???\xe2\x80\xaf???\n");
	warn("\x9b" "31m\xe4\xbd\x9b");
	expect("tool: ?31m\xe4\xbd\x9b\n");
}

Test(report, writes_lines_without_the_tool)
{
	report_line("error: '%s' c", "a\033b\xe2\x80\xae");
	expect("error: 'a?b??" "?' c\n");
}

/* U+0080 to U+009F are two bytes in UTF-8. */
Test(report, replaces_control_characters_beyond_ascii)
{
	warn("a\xc2\x80" "b\xc2\x9b" "31mc\xc2\x9f");
	expect("tool: a??b??31mc??\n");
	/* The characters after them, with the same first byte; and letters
	 * with the same second byte. */
	warn("\xc2\xa0\xc2\xbf\xc3\x80\xc3\x9f\xe2\x82\x9b");
	expect("tool: \xc2\xa0\xc2\xbf\xc3\x80\xc3\x9f\xe2\x82\x9b\n");
	/* A first byte without its second. */
	warn("\xc2" "a\xc2");
	expect("tool: \xc2" "a\xc2\n");
}

Test(report, cuts_long_messages)
{
	char text[5000], wanted[2048];
	memset(text, 'x', sizeof(text) - 1);
	text[sizeof(text) - 1] = 0;
	warn("%s", text);
	memset(wanted, 'x', sizeof(wanted));
	memcpy(wanted, "tool: ", 6);
	wanted[2046] = '\n';
	wanted[2047] = 0;
	expect(wanted);
}

Test(report, gives_the_reason_once)
{
	struct gsym_error error = { 0 };
	cr_expect_str_eq(report_reason(GSYM_ERR_MEMORY, NULL),
			 gsym_status_text(GSYM_ERR_MEMORY));
	cr_expect_str_eq(report_reason(GSYM_ERR_MEMORY, &error),
			 gsym_status_text(GSYM_ERR_MEMORY));
	error.code = GSYM_ERR_MEMORY;
	strcpy(error.message, "why");
	cr_expect_str_eq(report_reason(GSYM_ERR_MEMORY, &error), "why");
}
