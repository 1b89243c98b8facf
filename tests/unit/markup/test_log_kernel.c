/* SPDX-License-Identifier: MIT */
/* Frames of the kernel, which have names and no addresses. */
#include "log_host.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

Test(logs, kernel_names_and_sizes)
{
	struct gsym_markup_options options = all();

	/* One function; several, told apart by size; several that are not. */
	expect("[ 1.1]  one+0x8/0x20\n",
	       "[ 1.1]  one+0x8/0x20 (fs/one.c:10)\n");
	expect(" twice+0x8/0x20\n", " twice+0x8/0x20 (b/b.c:21)\n");
	expect(" twice+0x8/0x10 [m]\n", " twice+0x8/0x10 [m] (a/a.c:20)\n");
	expect(" same+0x8/0x10\n", " same+0x8/0x10 (a/a.c:30 or b/b.c:31)\n");
	expect(" equal+0x8/0x10\n", " equal+0x8/0x10 (a/e.h:32)\n");
	expect(" many+0x8/0x10\n", " many+0x8/0x10\n");
	expect(" copies+0x8/0x10\n",
	       " copies+0x8/0x10 (a/c.h:48 or a/d.h:49)\n");
	/* A clone has the name with a suffix. */
	expect(" one.isra.0+0x8/0x20\n",
	       " one.isra.0+0x8/0x20 (fs/one.c:10)\n");
	expect(" one.cold+0x8/0x20\n", " one.cold+0x8/0x20 (fs/one.c:10)\n");
	expect(" one.cold.x+0x8/0x20\n", " one.cold.x+0x8/0x20\n");
	/* Another size: one message for a module. */
	expect_with(" one+0x8/0x21\n one+0x9/0x21\n",
		    " one+0x8/0x21\n one+0x9/0x21\n",
		    "one has 0x20 bytes in the symbols of vmlinux, 0x21 in the "
		    "log: another build?\n",
		    &options, false);
	options.logs.any_build = true;
	expect_with(" twice+0x8/0x1f\n", " twice+0x8/0x1f (b/b.c:21?)\n", "",
		    &options, false);
}

/* The kernel's symbols lack weak functions that others replace: functions
 * before them seem to be longer. */
Test(logs, kernel_dead_functions)
{
	struct gsym_markup_options options = all();
	static const char message[] =
		"head has 0x10 bytes in the symbols of vmlinux, 0x%s in the "
		"log: another build?\n";
	char said[200];

	expect(" head+0x8/0x20\n head+0x10/0x40\n",
	       " head+0x8/0x20 (h/h.c:100)\n head+0x10/0x40 (h/h.c:100)\n");
	/* Its own code, no dead code; whole functions; no other's name. */
	snprintf(said, sizeof(said), message, "20");
	expect_with(" head+0x11/0x20\n", " head+0x11/0x20\n", said, &options,
		    false);
	snprintf(said, sizeof(said), message, "30");
	expect_with(" head+0x8/0x30\n", " head+0x8/0x30\n", said, &options,
		    false);
	snprintf(said, sizeof(said), message, "50");
	expect_with(" head+0x8/0x50\n", " head+0x8/0x50\n", said, &options,
		    false);
}

/* Several functions of a name may have dead ones after them. */
Test(logs, kernel_dead_functions_of_one_name)
{
	expect(" heads+0x8/0x20\n",
	       " heads+0x8/0x20 (h/h.c:110 or i/i.c:112)\n");
}

/* A line with frames of another build costs a bounded number of look-ups. */
Test(logs, kernel_dead_functions_are_few)
{
	struct gsym_markup_options options = all();
	static const char frame[] = "\"head+0x8/0x50\",";
	enum { FRAMES = 5000, SIZE = sizeof(frame) - 1 };
	char *log = malloc((size_t)FRAMES * SIZE + 40);
	struct run r = { 0 };
	size_t size = 1;

	cr_assert_not_null(log);
	log[0] = '[';
	for (size_t i = 0; i < FRAMES; i++, size += SIZE)
		memcpy(log + size, frame, SIZE);
	strcpy(log + size, "\"\"]\n head+0x8/0x20\n");
	filter(&r, log, strlen(log), 1 << 20, &options, NULL);
	cr_expect(strstr(r.text, " head+0x8/0x20 (h/h.c:100)\n"));
	cr_expect_lt(r.looked, 1100, "%u look-ups", r.looked);
	free(r.text);
	free(log);
}

Test(logs, kernel_offsets)
{
	struct gsym_markup_options options = all();

	/* A call that is the last instruction returns to the end. */
	expect(" one+0x20/0x20\n", " small (include/s.h:5) [inline]\n"
				   " one+0x20/0x20 (fs/one.c:10)\n");
	expect(" one+0x0/0x20\n", " one+0x0/0x20 (fs/one.c:10)\n");
	expect(" one+0x21/0x20\n", " one+0x21/0x20\n");
	/* The bytes up to the end of a section are not known. */
	expect(" last+0x8/0x10\n", " last+0x8/0x10 (l/l.c:90)\n");
	expect_with(" last+0x4/0x7\n", " last+0x4/0x7\n",
		    "last has 0x8 bytes in the symbols of vmlinux, 0x7 in the "
		    "log: another build?\n",
		    &options, false);
}

Test(logs, kernel_exact_addresses)
{
	/* 0x1f has an inlined call.  A return address of 0x20 does, too. */
	expect("RIP: 0010:one+0x1f/0x20\n ? one+0x1f/0x20\n",
	       "small (include/s.h:5) [inline]\n"
	       "RIP: 0010:one+0x1f/0x20 (fs/one.c:10)\n"
	       " small (include/s.h:5) [inline]\n"
	       " ? one+0x1f/0x20 (fs/one.c:10)\n");
	expect("RIP: 0010:one+0x1f/0x20\n---[ end trace 0 ]---\n"
	       " one+0x1f/0x20\n",
	       "small (include/s.h:5) [inline]\n"
	       "RIP: 0010:one+0x1f/0x20 (fs/one.c:10)\n"
	       "---[ end trace 0 ]---\n one+0x1f/0x20 (fs/one.c:10)\n");
	expect("RIP: 0010:one+0x1f/0x20\n"
	       "WARNING: CPU: 0 PID: 1 at a.c:1 twice+0x8/0x10\n"
	       " one+0x1f/0x20\n",
	       "small (include/s.h:5) [inline]\n"
	       "RIP: 0010:one+0x1f/0x20 (fs/one.c:10)\n"
	       "WARNING: CPU: 0 PID: 1 at a.c:1 twice+0x8/0x10 (a/a.c:20)\n"
	       " one+0x1f/0x20 (fs/one.c:10)\n");
}

Test(logs, kernel_release_and_build_id)
{
	static const char log[] = " one+0x8/0x20\n"
				  "CPU: 0 PID: 1 Comm: x Not tainted 6.1.0 #1 "
				  "0123456789abcdef0123456789abcdef01234567\n"
				  " one+0x8/0x20\n one+0x8/0x20\n";
	struct gsym_markup_options options = all();
	struct run r = { 0 };

	filter(&r, log, sizeof(log) - 1, 1000, &options, NULL);
	cr_expect_eq(r.asked, 2, "asked %u times", r.asked);
	cr_expect_str_eq(r.release, "6.1.0");
	cr_expect_str_eq(r.id, "0123456789abcdef0123456789abcdef01234567");
	free(r.text);
}

/* The first line of a report waits for the release. */
static const char warning[] = "WARNING: CPU: 0 PID: 1 at a.c:1 one+0x8/0x20\n"
			      "Modules linked in: x\n"
			      "CPU: 0 PID: 1 Comm: x Not tainted 6.1.0 #1\n"
			      " one+0x8/0x20\n";
static const char answered[] =
	"WARNING: CPU: 0 PID: 1 at a.c:1 one+0x8/0x20 (fs/one.c:10)\n"
	"Modules linked in: x\n"
	"CPU: 0 PID: 1 Comm: x Not tainted 6.1.0 #1\n"
	" one+0x8/0x20 (fs/one.c:10)\n";

Test(logs, kernel_first_line)
{
	struct gsym_markup_options options = all();

	for (size_t step = 1; step < 300; step += 97) {
		struct run r = { .by_release = true };

		filter(&r, warning, sizeof(warning) - 1, step, &options, NULL);
		cr_expect_str_eq(r.text, answered, "%s", r.text);
		cr_expect_str_eq(r.messages, "", "%s", r.messages);
		free(r.text);
	}
	/* A log that ends before the release. */
	static const char *const ends[] = { "\n", "", "\nx", "\r\nx\r\n" };
	for (size_t i = 0; i < 4; i++) {
		struct run r = { .by_release = true };
		char log[128];

		snprintf(log, sizeof(log), "BUG: KASAN: x in one+0x8/0x20%s",
			 ends[i]);
		filter(&r, log, strlen(log), 1000, &options, NULL);
		cr_expect_str_eq(r.text, log);
		cr_expect_str_eq(r.messages, "no symbols for the kernel\n");
		free(r.text);
	}
}

/* rsyslog writes the lines of a message as one. */
Test(logs, kernel_report_in_one_line)
{
	struct gsym_markup_options options = all();
	static const char log[] =
		"WARNING: CPU: 0 PID: 1 at a.c:1 one+0x8/0x20#012"
		"CPU: 0 PID: 1 Comm: x Not tainted 6.1.0 #1#012"
		" one+0x8/0x20\n";
	struct run r = { .by_release = true };

	filter(&r, log, sizeof(log) - 1, 1000, &options, NULL);
	cr_expect_str_eq(r.text,
			 "WARNING: CPU: 0 PID: 1 at a.c:1 one+0x8/0x20 "
			 "(fs/one.c:10)#012"
			 "CPU: 0 PID: 1 Comm: x Not tainted 6.1.0 #1#012"
			 " one+0x8/0x20 (fs/one.c:10)\n");
	cr_expect_str_eq(r.messages, "");
	free(r.text);
}

Test(logs, kernel_first_line_is_not_held_for_long)
{
	struct gsym_markup_options options = all();
	struct run r = { .by_release = true };
	struct gsym_markup_host host = host_of(&r);
	struct gsym_markup *f;

	/* 32 lines at most. */
	cr_assert_eq(gsym_markup_new(&host, &options, &f, NULL), GSYM_OK);
	gsym_markup_feed(f, warning, 66);
	for (int i = 0; i < 40; i++)
		gsym_markup_feed(f, "x\n", 2);
	gsym_markup_flush(f);
	cr_assert_not_null(r.text);
	cr_expect(r.size == 66 + 80, "%zu", r.size);
	gsym_markup_free(f);
	free(r.text);

	/* 200 milliseconds at most. */
	r = (struct run){ .by_release = true };
	cr_assert_eq(gsym_markup_new(&host, &options, &f, NULL), GSYM_OK);
	gsym_markup_clock(f, 1000);
	gsym_markup_feed(f, warning, 66);
	cr_expect_eq(gsym_markup_clock(f, 1100), 100);
	cr_expect_eq(r.size, 0);
	gsym_markup_clock(f, 1200);
	cr_expect_eq(r.size, 66);
	gsym_markup_free(f);
	free(r.text);
}

/* ---- symbols of another build ---------------------------------------- */

static const char distrusted[] =
	"one has 0x20 bytes in the symbols of vmlinux, 0x21 in the log: "
	"another build, which gives no answers\n";

/* The first function of another size takes the trust from the whole report:
 * lines before it are held back, and get no answers either. */
Test(logs, kernel_of_another_build)
{
	struct gsym_markup_options options = all();
	static const char report[] =
		"------------[ cut here ]------------\n"
		"RIP: 0010:twice+0x8/0x20\n"
		" same+0x8/0x10\n"
		" equal+0x8/0x10 [m]\n"
		" one+0x8/0x21\n"
		" twice+0x8/0x10\n";
	static const char apart[] =
		" twice+0x8/0x20\n one+0x9/0x21\n same+0x8/0x10\n"
		"------------[ cut here ]------------\n"
		" twice+0x8/0x20\n equal+0x8/0x10 [m]\n";

	expect_with(report, report, distrusted, &options, true);
	expect_with(apart, apart, distrusted, &options, true);
	/* A list of frames in one line. */
	expect_with("{\"a\":\"twice+0x8/0x20 one+0x8/0x21\"}\n",
		    "{\"a\":\"twice+0x8/0x20 one+0x8/0x21\"}\n", distrusted,
		    &options, true);
	/* A function that the symbols lack says nothing. */
	expect_with(" none+0x8/0x20\n one+0x8/0x20\n",
		    " none+0x8/0x20\n one+0x8/0x20 (fs/one.c:10)\n", "",
		    &options, true);
	/* Those that are certain lose one frame. */
	expect_with(" one+0x8/0x21\n one+0x8/0x20\n",
		    " one+0x8/0x21\n one+0x8/0x20 (fs/one.c:10)\n",
		    "one has 0x20 bytes in the symbols of vmlinux, 0x21 in "
		    "the log: another build?\n",
		    &options, false);
	/* A log with two sizes of one function is damaged. */
	expect_with(" one+0x8/0x20\n one+0x8/0x21\n twice+0x8/0x20\n",
		    " one+0x8/0x20 (fs/one.c:10)\n one+0x8/0x21\n"
		    " twice+0x8/0x20 (b/b.c:21)\n",
		    "one has 0x20 bytes in the symbols of vmlinux, 0x21 in "
		    "the log: another build?\n",
		    &options, true);
	/* With --no-verify answers are marked. */
	options.logs.any_build = true;
	expect_with(" one+0x8/0x21\n one+0x20/0x21\n twice+0x8/0x10\n",
		    " one+0x8/0x21 (fs/one.c:10?)\n"
		    " small (include/s.h:5?) [inline]\n"
		    " one+0x20/0x21 (fs/one.c:10?)\n"
		    " twice+0x8/0x10 (a/a.c:20?)\n",
		    "", &options, true);
}

/* Another kernel has to be judged anew. */
Test(logs, kernel_of_another_build_then_the_right_one)
{
	struct gsym_markup_options options = all();

	expect_with("x: Not tainted 6.1 #1\n one+0x8/0x21\n one+0x8/0x20\n"
		    "x: Not tainted 6.2 #1\n one+0x8/0x20\n",
		    "x: Not tainted 6.1 #1\n one+0x8/0x21\n one+0x8/0x20\n"
		    "x: Not tainted 6.2 #1\n one+0x8/0x20 (fs/one.c:10)\n",
		    distrusted, &options, true);
}

/* The host says that it has another build. */
Test(logs, kernel_that_the_host_knows_as_another_build)
{
	struct gsym_markup_options options = all();
	static const char log[] = "x: Not tainted 6.1.0 #1\n"
				  "RIP: 0010:one+0x8/0x20\n";
	struct run r = { .other = "'k' is of release 6.2.0" };

	filter(&r, log, sizeof(log) - 1, 1000, &options, NULL);
	cr_expect_str_eq(r.text, log);
	cr_expect_str_eq(r.messages, "no symbols for the kernel; release=6.1.0:"
				     " 'k' is of release 6.2.0\n");
	free(r.text);
	options.logs.any_build = true;
	r = (struct run){ .other = "x" };
	filter(&r, log, sizeof(log) - 1, 1000, &options, NULL);
	cr_expect_str_eq(r.text, "x: Not tainted 6.1.0 #1\n"
				 "RIP: 0010:one+0x8/0x20 (fs/one.c:10?)\n");
	cr_expect_str_eq(r.messages, "");
	free(r.text);
}

/* Lines are held back until enough functions agree, for 32 lines and 200
 * milliseconds. */
Test(logs, kernel_on_trial_is_not_held_for_long)
{
	struct gsym_markup_options options = all();
	struct run r = { .guessed = true };
	struct gsym_markup_host host = host_of(&r);
	struct gsym_markup *f;

	cr_assert_eq(gsym_markup_new(&host, &options, &f, NULL), GSYM_OK);
	gsym_markup_clock(f, 1000);
	gsym_markup_feed(f, " one+0x8/0x20\n", 14);
	cr_expect_eq(gsym_markup_clock(f, 1100), 100);
	cr_expect_eq(r.size, 0);
	gsym_markup_clock(f, 1200);
	cr_expect_str_eq(r.text, " one+0x8/0x20 (fs/one.c:10)\n");
	for (int i = 0; i < 40; i++)
		gsym_markup_feed(f, " one+0x8/0x20\n", 14);
	gsym_markup_flush(f);
	cr_expect_eq(r.size, 33 * 28, "%zu", r.size);
	gsym_markup_free(f);
	free(r.text);
}

/* Assemblers leave the folder of the build in the names of files. */
Test(logs, kernel_folder_of_assemblers)
{
	expect(" entry_SYSCALL_64+0x8/0x10\n",
	       " entry_SYSCALL_64+0x8/0x10 (arch/x86/entry/entry_64.S:120)\n");
}

/* Of the frames of a line those alone are marked that are unsure. */
Test(logs, kernel_script_any_build)
{
	struct gsym_markup_options options = all();

	options.logs.script = true;
	options.logs.any_build = true;
	expect_with(" one+0x8/0x20 one+0x8/0x24\n",
		    " one (fs/one.c:10)  one (fs/one.c:10?) \n", NULL, &options,
		    false);
}

/* A frame of another program, and one whose line was cut, take the trust from
 * no other frame. */
Test(logs, kernel_frames_that_prove_nothing)
{
	static const char *const others[] = {
		"h haproxy[7]: one+0x8/0x386a\n",
		/* 0x20, without its last digit. */
		" one+0x1/0x2\n",
		"(XEN)    [<ffff82d04023aaaa>] R one+0x8/0x99\n",
	};
	struct gsym_markup_options options = all();
	char log[200], wanted[200];

	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++) {
		sprintf(log, "%s twice+0x8/0x20\n", others[i]);
		sprintf(wanted, "%s twice+0x8/0x20 (b/b.c:21)\n", others[i]);
		expect_with(log, wanted, NULL, &options, true);
	}
}
