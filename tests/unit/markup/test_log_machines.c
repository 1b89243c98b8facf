/* SPDX-License-Identifier: MIT */
/* Registers, and stacks of kernels and hypervisors other than Linux, and of
 * boards. */
#include "log_host.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define INLINED "small (/build/k/include/s.h:5) [inline]\n"
#define ONE "one (/build/k/fs/one.c:10)"
#define PLACE "(/build/k/fs/one.c:10)"

static const char map[] =
	"00010000-00020000 r-xp 00000000 fe:00 4065345  /src/p\n";

/* ESP-IDF on RISC-V: the program counter, beside other registers. */
Test(log_machines, registers)
{
	struct gsym_markup_options options = all();
	char log[400], wanted[400];

	options.logs.forms |= GSYM_MARKUP_LOG_MAPS;
	snprintf(log, sizeof(log),
		 "%sMEPC    : 0x00011010  RA      : 0x1\n"
		 "MTVEC   : 0x00011010\nxMEPC    : 0x00011010\n",
		 map);
	snprintf(wanted, sizeof(wanted),
		 "%sMEPC    : 0x00011010 " ONE "  RA      : 0x1\n"
		 "MTVEC   : 0x00011010\nxMEPC    : 0x00011010\n",
		 map);
	expect_with(log, wanted, NULL, &options, false);
	expect("MEPC    : 0x00011010\n", "MEPC    : 0x00011010\n");
}

/* RA and lr: return addresses behind the program counter. */
Test(log_machines, return_addresses_of_registers)
{
	struct gsym_markup_options options = all();
	char log[600], wanted[1000];

	options.logs.forms |= GSYM_MARKUP_LOG_MAPS;
	snprintf(log, sizeof(log),
		 "%s"
		 "MEPC    : 0x00011010  RA      : 0x00011011  SP      : 0x1\n"
		 "elr: 0000000000011010 lr : 0000000000011018 (reloc)\n"
		 "elr: 0000000000011010 lr : 0000000000011018 reloc\n"
		 "reloc pc : [<00011010>]\t   lr : [<00011019>]\n"
		 "reloc pc : [<00021010>]\t   lr : [<00011019>]\n"
		 "pc : [<00011010>]\t   lr : [<00011019>]\n",
		 map);
	snprintf(wanted, sizeof(wanted),
		 "%s"
		 "MEPC    : 0x00011010 " ONE "  RA      : 0x00011011 " ONE
		 "  SP      : 0x1\n"
		 "elr: 0000000000011010 " ONE " lr : 0000000000011018 " ONE
		 " (reloc)\n"
		 "elr: 0000000000011010 lr : 0000000000011018 reloc\n"
		 "reloc pc : [<00011010>] " ONE "\t   lr : [<00011019>] " ONE
		 "\n"
		 "reloc pc : [<00021010>]\t   lr : [<00011019>] " ONE "\n"
		 "pc : [<00011010>]\t   lr : [<00011019>]\n",
		 map);
	expect_with(log, wanted, NULL, &options, false);
}

/* The kernel's lines about programs have an offset in the file. */
Test(log_machines, faults)
{
	static const struct {
		const char *log, *wanted;
	} cases[] = {
		{ "[7.1] p[7]: segfault at 0 ip 000055c682b9d010 sp "
		  "00007fff6445ef80 error 4 in p[10,55c682b9d000+1000] likely "
		  "on CPU 1 (core 1, socket 0)\n",
		  "+1000] one (/build/k/fs/one.c:10) likely on CPU" },
		{ "traps: p[7] trap int3 ip:55c682b9d01f sp:7fff6445ef80 "
		  "error:0 in p[1f,55c682b9d000+1000]\n",
		  INLINED
		  "traps: p[7] trap int3 ip:55c682b9d01f "
		  "sp:7fff6445ef80 error:0 in p[1f,55c682b9d000+1000] " ONE
		  "\n" },
		{ "a: traps: p[7] trap int3 ip:55c682b9d01f sp:7fff6445ef80 "
		  "error:0 in p[1f,55c682b9d000+1000] one (b.c:10) likely on\n",
		  "+1000] one (b.c:10) likely on\n" },
		/* Older kernels do not print the offset. */
		{ "p[7]: segfault at 0 ip 000055c682b9d010 sp 7fff6445ef80 "
		  "error 4 in p[55c682b9d000+1000]\n",
		  "p[55c682b9d000+1000]\n" },
	};
	struct gsym_markup_options options = all();

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		for (int segments = 0; segments < 2; segments++) {
			struct run r = { .segments = segments };

			filter(&r, cases[i].log, strlen(cases[i].log), 1000,
			       &options, NULL);
			cr_expect(strstr(r.text, segments ? cases[i].wanted
							  : cases[i].log),
				  "%zu: %s", i, r.text);
			free(r.text);
		}
	}
}

/* Xen: QubesOS/qubes-issues#9030 and #7340, Dasharo/dasharo-issues#488, and
 * show_trace of its xen/arch/arm/traps.c. */
Test(log_machines, xen)
{
	static const char *const same[] = {
		"(XEN) RIP:    e033:[<0000000000001010>]\n",
		"(XEN) Xen code around <0000000000001010> (one+0x10/0x20):\n",
		"(XEN) fault at 0000000000001010 entry.o#one+0x10/0x20\n",
		"(XEN)    [<1010>] R one+0x10/0x20\n",
		"(XEN)    [<0000000000001010>] R +0x10/0x20\n",
		"(XEN)    [<0000000000001010>] R a.c#+0x10/0x20\n",
		"(XEN)    [<0000000000001010>] R one+0x10\n",
		"(XEN)    [<0000000000001010>] R one+0x10/0x20 and more\n",
		"(XEN)    [<0000000000001010>] X one+0x10/0x20\n",
		"(XEN)    [<0000000000001010>] R one+0x10/0x20 (a.c:7)\n",
	};

	expect("(XEN)    [<000000000000101f>] R one+0x1f/0x20\n"
	       "(XEN)    [<0000000000001018>] S one.c#one+0x18/0x20\n"
	       "(XEN) RIP:    e008:[<000000000000101f>] one+0x1f/0x20\n"
	       "(XEN)    [<000000000000101f>] one+0x1f/0x20 (PC)\n"
	       "(XEN)    [<000000000000101f>] one+0x1f/0x20 (LR)\n"
	       "(XEN)    [<00001018>] one+0x18/0x20\n"
	       "   [<000000000000101f>] F one+0x1f/0x20\n"
	       /* A pointer to a function. */
	       "(XEN)    [<0000000000001000>] S one+0x0/0x20\n",
	       "(XEN)    " INLINED
	       "(XEN)    [<000000000000101f>] R one+0x1f/0x20 " PLACE "\n"
	       "(XEN)    [<0000000000001018>] S one.c#one+0x18/0x20 " PLACE "\n"
	       "(XEN) RIP:    e008:" INLINED
	       "(XEN) RIP:    e008:[<000000000000101f>] one+0x1f/0x20 " PLACE
	       "\n"
	       "(XEN)    " INLINED
	       "(XEN)    [<000000000000101f>] one+0x1f/0x20 " PLACE " (PC)\n"
	       "(XEN)    [<000000000000101f>] one+0x1f/0x20 " PLACE " (LR)\n"
	       "(XEN)    [<00001018>] one+0x18/0x20 " PLACE "\n"
	       "   [<000000000000101f>] F one+0x1f/0x20 " PLACE "\n"
	       "(XEN)    [<0000000000001000>] S one+0x0/0x20 " PLACE "\n");
	for (size_t i = 0; i < sizeof(same) / sizeof(*same); i++)
		expect(same[i], same[i]);
}

/* Symbols of another Xen, and none. */
Test(log_machines, xen_of_another_build)
{
	static const char log[] =
		"(XEN)    [<0000000000001018>] R one+0x18/0x20\n"
		"(XEN)    [<ffff82d0403a5ef8>] S one+0x10/0x20\n";
	struct gsym_markup_options options = all();
	struct gsym_markup_host host;
	struct gsym_markup *f;
	struct run r = { 0 };

	expect_with(log, log,
		    "one lies elsewhere in the symbols of \"xen-syms\" than in "
		    "the log: another build, which gives no answers\n",
		    &options, true);
	host = host_of(&r);
	host.logs.module = NULL;
	cr_assert_eq(gsym_markup_new(&host, &options, &f, NULL), GSYM_OK);
	gsym_markup_feed(f, log, strlen(log));
	cr_expect_eq(gsym_markup_finish(f), GSYM_OK);
	gsym_markup_free(f);
	cr_expect_str_eq(r.text, log);
	cr_expect_str_eq(r.messages, "");
	free(r.text);
}

/* Kernels of FreeBSD and NetBSD. */
Test(log_machines, bsd)
{
	static const char *const same[] = {
		"#1 0x0000561b9df0b010 at one+0x10\n",
		"#1 0xffffffff80001010 in one+0x10\n",
		"#1 0xffffffff80001010 at one\n",
		"1 0xffffffff80001010 at one+0x10\n",
		"() at one+0x10\n",
		"one() at +0x10\n",
		"one() at :one+0x10\n",
		"one() at one+0x10/frame\n",
		"one() at unknown:one+0x10x\n",
		"x one () at one+0x10\n",
		"one() at 0xffffffff80001010\n",
		"meet me (or him) at one+0x10\n",
		/* Several functions have the name; none has it. */
		"twice() at twice+0x8/frame 0xfffffe034def4720\n",
		"none() at none+0x8\n",
		"one() at one+0x10 /src/one.c:7\n",
	};

	expect("one() at one+0x1f/frame 0xfffffe034def4720\n"
	       "one(0,c0de) at netbsd:one+0x10\n[ 1.5] x() at one+0x10\n",
	       "one() at one+0x1f/frame 0xfffffe034def4720 " PLACE "\n"
	       "one(0,c0de) at netbsd:one+0x10 " PLACE "\n"
	       "[ 1.5] x() at one+0x10 " PLACE "\n");
	/* The frame that a trap interrupted. */
	expect("--- trap 0xc, rip = 0xffffffff80950750, rsp = 0xfe ---\n"
	       "one() at one+0x1f\none() at one+0x17\n",
	       "--- trap 0xc, rip = 0xffffffff80950750, rsp = 0xfe "
	       "---\n" INLINED "one() at one+0x1f " PLACE
	       "\none() at one+0x17 " PLACE "\n");
	expect("--- trap (number 6) ---\none() at netbsd:one+0x1f\n",
	       "--- trap (number 6) ---\n" INLINED
	       "one() at netbsd:one+0x1f " PLACE "\n");
	/* The trap is of a program. */
	expect("--- trap 0xc, rip = 0x82471002b, rsp = 0xfe ---\n"
	       "one() at one+0x1f\n",
	       "--- trap 0xc, rip = 0x82471002b, rsp = 0xfe ---\n"
	       "one() at one+0x1f " PLACE "\n");
	for (size_t i = 0; i < sizeof(same) / sizeof(*same); i++)
		expect(same[i], same[i]);
}

/* Call traces of Zephyr: zephyrproject-rtos/zephyr#69912, #72973 (RISC-V, frame
 * 0 is a return address), #76791 (RISC-V, exact), #101872 (Arm), #73304 (arm64,
 * older) and its arch/arm64/core/fatal.c and arch/x86/core/fatal.c. */
Test(log_machines, zephyr)
{
	static const struct {
		const char *log, *wanted;
	} cases[] = {
		{ "E:       0: fp: 00018a20   ra: 00011020\n"
		  "E:       1: fp: 00018a30   ra: 00011018\n",
		  "E:       small (/build/k/include/s.h:5?) [inline]\n"
		  "E:       0: fp: 00018a20   ra: 00011020 one "
		  "(/build/k/fs/one.c:10?)\n"
		  "E:       1: fp: 00018a30   ra: 00011018 " ONE "\n" },
		/* The registers tell what frame 0 is. */
		{ "E:    mepc: 00011010\nE:       0: ra: 0001101f [one+0x1f]\n",
		  "E:    mepc: 00011010 " ONE "\n"
		  "E:       0: ra: 0001101f [one+0x1f] " PLACE "\n" },
		{ "E:    mepc: 0001101f\nE:       0: ra: 0001101f [one+0x1f]\n"
		  "E:       1: ra: 0001101f [other+0x1f]\n",
		  "E:    " INLINED "E:    mepc: 0001101f " ONE "\n"
		  "E:       " INLINED
		  "E:       0: ra: 0001101f [one+0x1f] " PLACE "\n"
		  "E:       1: ra: 0001101f [other+0x1f] " ONE "\n" },
		{ "E:      0: lr: 0x0001101f\nE:      1: lr: 0x00011011\n",
		  "E:      0: lr: 0x0001101f " ONE "\n"
		  "E:      1: lr: 0x00011011 " ONE "\n" },
		{ "os:      0: fp: 0x000000000007c050 lr: 0x0000000000011014 "
		  "[one+0x14]\n",
		  "os:      0: fp: 0x000000000007c050 lr: 0x0000000000011014 "
		  "[one+0x14] " PLACE "\n" },
		{ "E: backtrace 11: fp: 0x000000000007c050 lr: "
		  "0x0000000000011014\n",
		  "E: backtrace 11: fp: 0x000000000007c050 lr: "
		  "0x0000000000011014 " ONE "\n" },
		{ "E:      0: 0x00011020\n",
		  "E:      " INLINED "E:      0: 0x00011020 " ONE "\n" },
	};
	static const char *const others[] = {
		"x 0: ra: 11020\n",
		"x 0: ra: 00011020 [one]\n",
		"x 0 ra: 00011020\n",
		"12:00: ra: 00011020\n",
		"x 1234: ra: 00011020\n",
		"x 0: fp: 1 ra: 00011020\n",
		"x 0: ra: 00011020, lr: 00011020\n",
		"x0: ra: 00011020\n",
		"x 0: pc: 00011020\n",
		"x 0: ra: 00021020\n",
	};
	struct gsym_markup_options options = all();
	char log[400], wanted[800];

	options.logs.forms |= GSYM_MARKUP_LOG_MAPS;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		snprintf(log, sizeof(log), "%s%s", map, cases[i].log);
		snprintf(wanted, sizeof(wanted), "%s%s", map, cases[i].wanted);
		expect_with(log, wanted, NULL, &options, false);
	}
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++) {
		snprintf(log, sizeof(log), "%s%s", map, others[i]);
		expect_with(log, log, NULL, &options, false);
	}
}
