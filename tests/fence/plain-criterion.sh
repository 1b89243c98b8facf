#!/bin/sh
# SPDX-License-Identifier: MIT
# The stand-in for criterion, with which unit tests run under emulators, notices
# each way in which a test can fail.
set -u
: "${top_srcdir:?}"
. "$top_srcdir/tests/support/tools.sh"
plain=$top_srcdir/tests/support/plain-criterion
tmp=$(mktemp -d) || exit 99
trap 'rm -rf "$tmp"' EXIT
cat >"$tmp/test.c" <<'END'
#include <criterion/criterion.h>
#include <criterion/parameterized.h>
#include <criterion/redirect.h>
#include <unistd.h>

static int number, numbers[] = { 1, 2, 3 };

static void set_up(void)
{
	number += 5;
}

static void tear_down(void)
{
	number -= 5;
	cr_expect_eq(number, 0);
}

TestSuite(s, .init = set_up, .fini = tear_down);
Test(s, set_up_once) { cr_assert_eq(number, 5); }
Test(s, set_up_again) { cr_assert_eq(number, 5, "is %d", number); }
Test(s, spoils_the_end) { number = 0; }
Test(s, two_faults) { cr_expect(0); cr_expect_str_eq("a", "b"); }
Test(s, fault_ends_it) { cr_assert(0, "of %d", 7); cr_assert(0, "never"); }
Test(s, silent_fault) { cr_redirect_stdout(); puts("not ok"); cr_expect(0); }
Test(s, signal) { raise(SIGSEGV); }
Test(s, status, .exit_code = 2) { exit(2); }
Test(s, other_status) { exit(2); }
Test(s, hangs, .timeout = 0.05) { pause(); }
Test(s, skipped) { cr_skip("no %s", "luck"); }
ParameterizedTestParameters(s, each)
{
	return cr_make_param_array(int, numbers, 3);
}
ParameterizedTest(int *each, s, each) { cr_assert_neq(*each, 2); }
END
cat >"$tmp/wanted" <<'END'
ok - s::set_up_once
ok - s::set_up_again
# test.c:16: number == 0: 
not ok - s::spoils_the_end
# test.c:23: 0: 
# test.c:23: "a" is "b": 
not ok - s::two_faults
# test.c:24: 0: of 7
not ok - s::fault_ends_it
# test.c:25: 0: 
not ok - s::silent_fault
# Segmentation fault
not ok - s::signal
ok - s::status
# another exit status
not ok - s::other_status
# it takes too long
not ok - s::hangs
ok - s::skipped # SKIP no luck
ok - s::each
# test.c:35: *each != 2: 
not ok - s::each
ok - s::each
1..14
END
cd "$tmp" || exit 99
# Without CFLAGS: a sanitizer would report the signal itself.
${CC:-cc} -Wall -Wextra -I"$plain" test.c "$plain/plain.c" -o test || exit 1
./test >said && {
	echo "faults do not make the program fail"
	exit 1
}
diff wanted said
