/* SPDX-License-Identifier: MIT */
/* Apple's reports in JSON: frames, which are objects, and images. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "logs/scan.h"
#include "unit/logs/expect.h"

/* An image of an Apple report has so many addresses. */
#define IMAGE_SIZE (UINT64_C(1) << 40)

static bool next_ips(const char *at, const char *end, struct logs_frame *ret)
{
	return gsym_logs_apple.report->next(logs_between(at, end), at, end,
					    ret);
}

Test(frames, ips)
{
	static const char line[] =
		"\"frames\":[{\"imageOffset\" : 7,\"imageIndex\":2},"
		"{\"imageOffset\":8,\"symbol\":\"{a}\\\"\","
		"\"sourceFile\":\"a.c\",\"imageIndex\":0},"
		"{\"imageOffset\":9},"
		"{\"imageOffset\":1099511627776,\"imageIndex\":1},"
		"{\"imageOffset\":5,\"imageIndex\":1}";
	const char *end = line + sizeof(line) - 1;
	struct logs_frame f;

	cr_assert(next_ips(line, end, &f));
	cr_expect_eq(f.number, 2 * IMAGE_SIZE + 7);
	cr_expect_not(f.returns);
	cr_expect_not(f.answered);
	cr_expect(*f.insert == '}' && f.insert[1] == ',');
	cr_assert(next_ips(f.resume, end, &f));
	cr_expect_eq(f.number, 8);
	cr_expect(f.returns);
	cr_expect(f.answered);
	expect_text(f.function, "{a}\\\"", "function", line);
	cr_assert(next_ips(f.resume, end, &f));
	cr_expect_eq(f.number, IMAGE_SIZE + 5);
	cr_expect_not(next_ips(f.resume, end, &f));
	/* Objects that end elsewhere. */
	cr_expect_not(next_ips(line, line + 40, &f));
}

/* A scan to the ends of the line for each key would take an hour. */
Test(frames, ips_takes_time_in_proportion, .timeout = 600)
{
	enum { COUNT = 600000 };
	static const char key[] = "\"imageOffset\"";
	const size_t size = sizeof(key) - 1;
	char *line = malloc(COUNT * size);
	struct logs_frame f;

	cr_assert_not_null(line);
	for (size_t i = 0; i < COUNT; i++)
		memcpy(line + i * size, key, size);
	cr_expect_not(next_ips(line, line + COUNT * size, &f));
	*line = '{';
	cr_expect_not(next_ips(line, line + COUNT * size, &f));
	free(line);
}

/* A key before a report is none of the report. */
Test(frames, objects_of_a_report)
{
	static const char line[] = "\"o\":\"1\" {\"b\":\"5\"} \"o\"";
	const char *end = line + sizeof(line) - 1, *open, *close;
	const struct logs_text report = logs_between(line + 8, end - 4);

	cr_expect(gsym_logs_object_at(report, line + 9, &open, &close));
	cr_expect_eq(open, line + 8);
	cr_expect_eq(*close, '}');
	cr_expect_not(gsym_logs_object_at(report, line, &open, &close));
	cr_expect_not(gsym_logs_object_at(report, end, &open, &close));
}

Test(facts, ips_images)
{
	static const char list[] =
		"\"usedImages\" : [ {\"uuid\":\"0123\",\"name\":\"a\"},"
		"{\"size\":0}, {\"name\" : \"}\"} ]";
	const char *end = list + sizeof(list) - 1;
	const struct logs_text report = logs_between(list, end);
	const struct logs_report *apple = gsym_logs_apple.report;
	const char *at = NULL;
	struct logs_fact f;

	cr_assert(apple->module(report, &at, 0, &f));
	expect_text(f.build_id, "0123", "UUID", list);
	expect_text(f.name, "a", "name", list);
	cr_expect_eq(f.start, 0);
	cr_assert(apple->module(report, &at, 1, &f));
	expect_text(f.name, "", "name", list);
	cr_assert(apple->module(report, &at, 2, &f));
	expect_text(f.name, "}", "name", list);
	cr_expect_eq(f.start, 2 * IMAGE_SIZE);
	cr_expect_not(apple->module(report, &at, 3, &f));
	cr_expect_eq(apple->part(list, end), LOGS_LIST_BEGINS | LOGS_LIST_ENDS);
	cr_expect_eq(apple->part(end - 1, end), LOGS_LIST_ENDS);
	cr_expect_eq(apple->part(list, list + 20), LOGS_LIST_BEGINS);
}
