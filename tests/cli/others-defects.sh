#!/bin/sh
# SPDX-License-Identifier: MIT
# Defects that were reported to other projects about converters to GSYM.  Each
# part has the number of the report and its circumstances.
. "${top_srcdir:-$(dirname "$0")/../..}/tests/cli/lib.sh"
need nm
need strip

# libbpf/blazesym 1308: of two names of one function (__clone3 and
# __GI___clone3) now the one and now the other was in the output.
blazesym_1308_output_differs_from_run_to_run()
{
	cat >alias.c <<-'END'
	#define NAMES(n) \
		int __clone##n(int i) { return i + n; } \
		extern int __GI___clone##n(int) \
			__attribute__((alias("__clone" #n))); \
		int __attribute__((noinline)) first##n(int i) { return i * 3; }
	NAMES(1) NAMES(2) NAMES(3) NAMES(4) NAMES(5) NAMES(6) NAMES(7)
	END
	cc -g -O2 -shared -fPIC -o alias.so alias.c || fail 'cannot compile'
	gsym-create -q -j1 -o wanted.gsym alias.so || fail "status $?"
	for run in 1 2 3 4 5 6 7 8; do
		gsym-create -q -j$run -o other.gsym alias.so || fail "status $?"
		cmp wanted.gsym other.gsym || fail "run $run differs"
	done
}

# llvm/llvm-project 115515: the entry of a kernel, a label without type and size
# inside the code of another label, had no answer.
llvm_115515_entry_symbol_of_a_kernel_is_lost()
{
	cat >entry.s <<-'END'
		.section .note.GNU-stack,"",@progbits
		.text
		.globl entry_SYSCALL_64
	entry_SYSCALL_64:
		nop
		nop
		.globl entry_SYSCALL_64_after_hwframe
	entry_SYSCALL_64_after_hwframe:
		nop
		nop
	END
	cc -g -c -o entry.o entry.s && cc -g -shared -o entry.so entry.o ||
		fail 'cannot assemble'
	start=$(nm entry.so |
		sed -n 's/^0*\([0-9a-f]*\) T entry.*after_hwframe$/0x\1/p')
	gsym-create -q entry.so || fail "status $?"
	gsym-lookup entry.so.gsym "$start" $((start + 1)) >answers
	grep -q '^0x[0-9a-f]*: entry_SYSCALL_64_after_hwframe at .*entry\.s:9$' \
		answers || fail "$(cat answers)"
	grep -q ': entry_SYSCALL_64_after_hwframe + 1 at ' answers ||
		fail "$(cat answers)"
}

# llvm/llvm-project 147332: a stripped C library, which has .dynsym alone, had
# "no functions to encode".
llvm_147332_no_functions_for_a_stripped_libc()
{
	cat >libc.c <<-'END'
	int getpid_of_libc(void) { return 1; }
	int puts_of_libc(int i) { return i * 7; }
	END
	cc -g -O1 -shared -fPIC -o libc.so libc.c && strip libc.so ||
		fail 'cannot compile'
	[ -z "$(nm libc.so 2>/dev/null)" ] || fail 'not stripped'
	gsym-create -q libc.so || fail "status $?"
	for name in getpid_of_libc puts_of_libc; do
		start=$(nm -D libc.so | sed -n "s/^0*\([0-9a-f]*\) T $name\$/0x\1/p")
		gsym-lookup libc.so.gsym "$start" | grep -q ": $name\$" ||
			fail "no $name at $start"
	done
}

blazesym_1308_output_differs_from_run_to_run
llvm_115515_entry_symbol_of_a_kernel_is_lost
llvm_147332_no_functions_for_a_stripped_libc
