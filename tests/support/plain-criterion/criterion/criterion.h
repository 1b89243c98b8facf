/* SPDX-License-Identifier: MIT */
/* A stand-in for the parts of criterion that the unit tests use.  It is for
 * machines that have no criterion and for emulators, under which criterion's
 * sandbox does not run.  tests/matrix/machines builds the tests with it. */
#ifndef PLAIN_CRITERION_H
#define PLAIN_CRITERION_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The options after the name of a test or suite. */
struct plain_options {
	void (*init)(void);
	void (*fini)(void);
	int exit_code;
	/* In seconds.  The runner waits twenty times as long. */
	double timeout;
	bool disabled;
	const char *description;
};

/* The parameters of a test that runs once for each of LENGTH elements, of SIZE
 * bytes each. */
struct criterion_test_params {
	size_t size;
	void *params;
	size_t length;
};

struct plain_test {
	const char *suite;
	const char *name; /* NULL: the suite itself */
	void (*run)(void);
	void (*run_with)(void *param);
	struct criterion_test_params (*params)(void);
	struct plain_options options;
	struct plain_test *next;
};

void plain_register(struct plain_test *test);
/* Report a failure at FILE and LINE.  With FATAL the test ends. */
void plain_fail(bool fatal, const char *file, int line, const char *what,
		const char *format, ...);
/* End the test, which counts as skipped. */
_Noreturn void plain_skip(const char *format, ...);

#define PLAIN_REGISTER(Id, ...)                                       \
	static struct plain_test plain_##Id = { __VA_ARGS__ };        \
	__attribute__((constructor)) static void plain_add_##Id(void) \
	{                                                             \
		plain_register(&plain_##Id);                          \
	}

#define TestSuite(Suite, ...)                           \
	PLAIN_REGISTER(suite_##Suite, .suite = #Suite,  \
		       .options = { .description = "",  \
				    __VA_ARGS__ })      \
	_Static_assert(1, "a semicolon stands after it")

#define Test(Suite, Name, ...)                                       \
	static void Suite##_##Name##_impl(void);                     \
	PLAIN_REGISTER(Suite##_##Name, .suite = #Suite,              \
		       .name = #Name, .run = Suite##_##Name##_impl,  \
		       .options = { .description = "", __VA_ARGS__ }) \
	static void Suite##_##Name##_impl(void)

#define PLAIN_CHECK(Fatal, Condition, What, ...)                         \
	((Condition) ? (void)0                                           \
		     : plain_fail(Fatal, __FILE__, __LINE__, What,       \
				  "" __VA_ARGS__))

#define cr_assert(A, ...) PLAIN_CHECK(true, A, #A, __VA_ARGS__)
#define cr_assert_not(A, ...) PLAIN_CHECK(true, !(A), "!" #A, __VA_ARGS__)
#define cr_assert_null(A, ...) PLAIN_CHECK(true, !(A), "!" #A, __VA_ARGS__)
#define cr_assert_not_null(A, ...) PLAIN_CHECK(true, A, #A, __VA_ARGS__)
#define cr_assert_eq(A, B, ...) \
	PLAIN_CHECK(true, (A) == (B), #A " == " #B, __VA_ARGS__)
#define cr_assert_neq(A, B, ...) \
	PLAIN_CHECK(true, (A) != (B), #A " != " #B, __VA_ARGS__)
#define cr_assert_lt(A, B, ...) \
	PLAIN_CHECK(true, (A) < (B), #A " < " #B, __VA_ARGS__)
#define cr_assert_leq(A, B, ...) \
	PLAIN_CHECK(true, (A) <= (B), #A " <= " #B, __VA_ARGS__)
#define cr_assert_gt(A, B, ...) \
	PLAIN_CHECK(true, (A) > (B), #A " > " #B, __VA_ARGS__)
#define cr_assert_geq(A, B, ...) \
	PLAIN_CHECK(true, (A) >= (B), #A " >= " #B, __VA_ARGS__)
#define cr_assert_str_eq(A, B, ...) \
	PLAIN_CHECK(true, !strcmp(A, B), #A " is " #B, __VA_ARGS__)
#define cr_assert_str_neq(A, B, ...) \
	PLAIN_CHECK(true, strcmp(A, B), #A " is not " #B, __VA_ARGS__)
#define cr_assert_str_empty(A, ...) \
	PLAIN_CHECK(true, !*(A), #A " is empty", __VA_ARGS__)
#define cr_assert_arr_eq(A, B, Size, ...) \
	PLAIN_CHECK(true, !memcmp(A, B, Size), #A " is " #B, __VA_ARGS__)
#define cr_assert_fail(...) PLAIN_CHECK(true, false, "fail", __VA_ARGS__)

#define cr_expect(A, ...) PLAIN_CHECK(false, A, #A, __VA_ARGS__)
#define cr_expect_not(A, ...) PLAIN_CHECK(false, !(A), "!" #A, __VA_ARGS__)
#define cr_expect_null(A, ...) PLAIN_CHECK(false, !(A), "!" #A, __VA_ARGS__)
#define cr_expect_not_null(A, ...) PLAIN_CHECK(false, A, #A, __VA_ARGS__)
#define cr_expect_eq(A, B, ...) \
	PLAIN_CHECK(false, (A) == (B), #A " == " #B, __VA_ARGS__)
#define cr_expect_neq(A, B, ...) \
	PLAIN_CHECK(false, (A) != (B), #A " != " #B, __VA_ARGS__)
#define cr_expect_lt(A, B, ...) \
	PLAIN_CHECK(false, (A) < (B), #A " < " #B, __VA_ARGS__)
#define cr_expect_leq(A, B, ...) \
	PLAIN_CHECK(false, (A) <= (B), #A " <= " #B, __VA_ARGS__)
#define cr_expect_gt(A, B, ...) \
	PLAIN_CHECK(false, (A) > (B), #A " > " #B, __VA_ARGS__)
#define cr_expect_geq(A, B, ...) \
	PLAIN_CHECK(false, (A) >= (B), #A " >= " #B, __VA_ARGS__)
#define cr_expect_str_eq(A, B, ...) \
	PLAIN_CHECK(false, !strcmp(A, B), #A " is " #B, __VA_ARGS__)
#define cr_expect_str_neq(A, B, ...) \
	PLAIN_CHECK(false, strcmp(A, B), #A " is not " #B, __VA_ARGS__)
#define cr_expect_str_empty(A, ...) \
	PLAIN_CHECK(false, !*(A), #A " is empty", __VA_ARGS__)
#define cr_expect_arr_eq(A, B, Size, ...) \
	PLAIN_CHECK(false, !memcmp(A, B, Size), #A " is " #B, __VA_ARGS__)
#define cr_expect_fail(...) PLAIN_CHECK(false, false, "fail", __VA_ARGS__)

#define cr_skip(...) plain_skip("" __VA_ARGS__)
#define cr_skip_test(...) plain_skip("" __VA_ARGS__)

#endif
