/* SPDX-License-Identifier: MIT */
/* The stand-in's tests that run once for each of several parameters. */
#ifndef PLAIN_PARAMETERIZED_H
#define PLAIN_PARAMETERIZED_H

#include <criterion/criterion.h>

#define cr_make_param_array(Type, Array, Length) \
	((struct criterion_test_params){ sizeof(Type), Array, Length })

#define ParameterizedTestParameters(Suite, Name) \
	static struct criterion_test_params Suite##_##Name##_params(void)

#define ParameterizedTest(Param, Suite, Name, ...)                    \
	static void Suite##_##Name##_impl(Param);                     \
	static void Suite##_##Name##_with(void *param)                \
	{                                                             \
		Suite##_##Name##_impl(param);                         \
	}                                                             \
	PLAIN_REGISTER(Suite##_##Name, .suite = #Suite,               \
		       .name = #Name,                                 \
		       .run_with = Suite##_##Name##_with,             \
		       .params = Suite##_##Name##_params,             \
		       .options = { .description = "", __VA_ARGS__ }) \
	static void Suite##_##Name##_impl(Param)

#endif
