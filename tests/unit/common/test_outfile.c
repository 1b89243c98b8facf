/* SPDX-License-Identifier: MIT */
#include "config.h"

#include <criterion/criterion.h>
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "common/file.h"
#include "common/report.h"

static char folder[] = "/tmp/test_outfile.XXXXXX";

static void set_up(void)
{
	report_start("test");
	cr_assert(mkdtemp(folder));
	cr_assert_eq(chdir(folder), 0);
}

static void tear_down(void)
{
	DIR *dir = opendir(folder);
	for (struct dirent *e; (e = readdir(dir));)
		if (e->d_name[0] != '.' || strlen(e->d_name) > 2)
			unlinkat(dirfd(dir), e->d_name, 0);
	closedir(dir);
	rmdir(folder);
}

TestSuite(outfile, .init = set_up, .fini = tear_down);

/* The number of entries of the folder. */
static int entries(void)
{
	int count = 0;
	DIR *dir = opendir(folder);
	for (struct dirent *e; (e = readdir(dir));)
		count += strcmp(e->d_name, ".") && strcmp(e->d_name, "..");
	closedir(dir);
	return count;
}

static void put(const char *path, const char *text)
{
	FILE *file = fopen(path, "w");
	fputs(text, file);
	fclose(file);
}

static void expect_content(const char *path, const char *wanted)
{
	char got[64] = "";
	FILE *file = fopen(path, "r");
	cr_assert(file);
	got[fread(got, 1, sizeof(got) - 1, file)] = 0;
	fclose(file);
	cr_expect_str_eq(got, wanted);
}

Test(outfile, appears_when_complete)
{
	umask(027);
	outfile_open("x", NULL);
	cr_assert_eq(access("x", F_OK), -1);
	outfile_commit("text", 4);
	struct stat st;
	cr_assert_eq(stat("x", &st), 0);
	cr_expect_eq(st.st_mode & 0777, 0640);
	expect_content("x", "text");
	cr_expect_eq(entries(), 1);
}

Test(outfile, replaces_and_keeps_permissions)
{
	put("x", "old");
	chmod("x", 0604);
	outfile_open("x", "/dev/null");
	expect_content("x", "old");
	outfile_commit("new", 3);
	expect_content("x", "new");
	struct stat st;
	stat("x", &st);
	cr_expect_eq(st.st_mode & 0777, 0604);
	cr_expect_eq(entries(), 1);
}

Test(outfile, writes_through_links)
{
	put("x", "old");
	cr_assert_eq(symlink("x", "link"), 0);
	outfile_open("link", NULL);
	outfile_commit("new", 3);
	expect_content("x", "new");
	struct stat st;
	lstat("link", &st);
	cr_expect(S_ISLNK(st.st_mode));
}

Test(outfile, leaves_nothing_when_abandoned)
{
	put("x", "old");
	outfile_open("x", NULL);
	cr_expect_eq(entries(), 2);
	outfile_abandon();
	cr_expect_eq(entries(), 1);
	expect_content("x", "old");
}

/* The wait status of a child that opens the output PATH, for INPUT, and then
 * raises the signal NUMBER, if that is not 0, or commits 6 bytes with a file
 * size limit of LIMIT bytes, if that is not 0. */
static int end_of_child(const char *path, const char *input, int number,
			size_t limit)
{
	pid_t child = fork();
	if (child == 0) {
		dup2(open("/dev/null", O_WRONLY), STDERR_FILENO);
		for (int i = 1; i < 32; i++)
			signal(i, SIG_DFL);
		report_start("test");
		outfile_open(path, input);
		if (number)
			raise(number);
		if (limit)
			setrlimit(RLIMIT_FSIZE,
				  &(struct rlimit){ limit, limit });
		outfile_commit("a text", 6);
		_exit(0);
	}
	int status;
	waitpid(child, &status, 0);
	return status;
}

Test(outfile, leaves_nothing_when_killed)
{
	const int numbers[] = { SIGINT, SIGTERM, SIGHUP, SIGPIPE };
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		int status = end_of_child("x", NULL, numbers[i], 0);
		cr_expect(WIFSIGNALED(status) &&
			  WTERMSIG(status) == numbers[i]);
		cr_expect_eq(entries(), 0);
	}
}

Test(outfile, leaves_nothing_when_it_cannot_write)
{
	int status = end_of_child("x", NULL, 0, 3);
	cr_expect(WIFEXITED(status) && WEXITSTATUS(status) == STATUS_ERROR);
	cr_expect_eq(entries(), 0);
}

/* Expect that the output PATH is refused for INPUT. */
static void expect_refusal(const char *path, const char *input)
{
	int before = entries();
	int status = end_of_child(path, input, 0, 0);
	cr_expect(WIFEXITED(status) && WEXITSTATUS(status) == STATUS_ERROR,
		  "%s", path);
	cr_expect_eq(entries(), before);
}

Test(outfile, refuses_what_it_must_not_replace)
{
	put("input", "program");
	cr_assert_eq(link("input", "alias"), 0);
	cr_assert_eq(symlink("nowhere", "dangling"), 0);
	expect_refusal(".", NULL);
	expect_refusal("input", "input");
	expect_refusal("alias", "input");
	expect_refusal("dangling", "input");
	expect_refusal("missing/x", NULL);
	expect_refusal("/dev/full", NULL);
	expect_content("input", "program");
}

Test(outfile, writes_devices_in_place)
{
	int status = end_of_child("/dev/null", NULL, 0, 0);
	cr_expect(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	struct stat st;
	cr_assert_eq(stat("/dev/null", &st), 0);
	cr_expect(S_ISCHR(st.st_mode));
}

Test(outfile, takes_pieces_in_any_order)
{
	outfile_open("x", NULL);
	cr_assert(outfile_is_file());
	cr_expect(outfile_put(3, "text", 4));
	cr_expect(outfile_put(0, "a ", 2));
	outfile_commit(NULL, 0);
	char got[8] = "";
	FILE *file = fopen("x", "r");
	cr_assert(file);
	cr_expect_eq(fread(got, 1, sizeof(got), file), 7);
	fclose(file);
	/* The byte between the pieces is zero. */
	cr_expect_eq(memcmp(got, "a \0text", 7), 0);

	outfile_open("/dev/null", NULL);
	cr_expect(!outfile_is_file());
	outfile_abandon();
}

Test(outfile, tells_at_the_end_of_a_piece_that_was_not_written)
{
	pid_t child = fork();
	if (child == 0) {
		dup2(open("/dev/null", O_WRONLY), STDERR_FILENO);
		outfile_open("x", NULL);
		setrlimit(RLIMIT_FSIZE, &(struct rlimit){ 8, 8 });
		if (!outfile_put(0, "1234", 4) || outfile_put(4, "56789", 5) ||
		    outfile_put(0, "1234", 4))
			_exit(0);
		outfile_commit(NULL, 0);
		_exit(0);
	}
	int status;
	waitpid(child, &status, 0);
	cr_expect(WIFEXITED(status) && WEXITSTATUS(status) == STATUS_ERROR);
	cr_expect_eq(entries(), 0);
}

/* ---- temporary files of killed processes --------------------------------- */

/* The pid of a child that has opened the output PATH, and waits to be
 * killed. */
static pid_t start_writer(const char *path)
{
	int ready[2];
	char byte;
	cr_assert_eq(pipe(ready), 0);
	pid_t child = fork();
	if (child == 0) {
		outfile_open(path, NULL);
		if (write(ready[1], "x", 1) == 1)
			pause();
		_exit(0);
	}
	cr_assert_eq(read(ready[0], &byte, 1), 1);
	close(ready[0]);
	close(ready[1]);
	return child;
}

static void kill_writer(pid_t child)
{
	int status;
	kill(child, SIGKILL);
	waitpid(child, &status, 0);
}

Test(outfile, removes_what_a_killed_process_left)
{
	kill_writer(start_writer("x"));
	cr_expect_eq(entries(), 1);
	outfile_open("x", NULL);
	cr_expect_eq(entries(), 1);
	outfile_commit("text", 4);
	cr_expect_eq(entries(), 1);
	expect_content("x", "text");
}

Test(outfile, leaves_the_files_of_living_processes)
{
	pid_t child = start_writer("x"), second = start_writer("x");
	cr_expect_eq(entries(), 2);
	outfile_open("x", NULL);
	cr_expect_eq(entries(), 3);
	outfile_commit("text", 4);
	cr_expect_eq(entries(), 3);
	/* The writer of the first file is dead, so the file is removed; the
	 * writer of the second one lives, so that file stays. */
	kill_writer(child);
	outfile_open("x", NULL);
	outfile_commit("more", 4);
	cr_expect_eq(entries(), 2);
	kill_writer(second);
	expect_content("x", "more");
}

/* The name of the only temporary file in the folder. */
static const char *temporary_entry(void)
{
	static char name[256];
	DIR *dir = opendir(folder);

	name[0] = 0;
	for (struct dirent *e; (e = readdir(dir));)
		if (strstr(e->d_name, ".gsym-new."))
			snprintf(name, sizeof(name), "%s", e->d_name);
	closedir(dir);
	return name;
}

/* Let the file PATH have been changed AGE seconds ago. */
static void set_age(const char *path, long age)
{
	struct timespec times[2] = { { .tv_sec = time(NULL) - age },
				     { .tv_sec = time(NULL) - age } };

	cr_assert_eq(utimensat(AT_FDCWD, path, times, 0), 0);
}

Test(outfile, leaves_files_of_other_hosts_for_a_week)
{
	enum { DAY = 24 * 60 * 60 };
	/* The process numbers of another host say nothing on this one. */
	static const char other[] =
		".x.gsym-new.0123456789abcdef.4026531836.4194305."
		"0123456789abcdef";
	static const char old[] = ".x.gsym-new.0.0.7.0123456789abcdef";

	put(other, "half");
	put(old, "half");
	outfile_open("x", NULL);
	outfile_commit("text", 4);
	cr_expect_eq(entries(), 3);
	set_age(other, 6 * DAY);
	set_age(old, 6 * DAY);
	outfile_open("x", NULL);
	outfile_commit("text", 4);
	cr_expect_eq(entries(), 3);
	set_age(other, 8 * DAY);
	set_age(old, 8 * DAY);
	outfile_open("x", NULL);
	outfile_commit("text", 4);
	cr_expect_eq(entries(), 1);
	/* The files of other targets are not touched. */
	put(".y.gsym-new.0.0.7.0123456789abcdef", "half");
	set_age(".y.gsym-new.0.0.7.0123456789abcdef", 8 * DAY);
	outfile_open("x", NULL);
	outfile_commit("text", 4);
	cr_expect_eq(entries(), 2);
}

Test(outfile, leaves_old_files_that_are_not_left_behind)
{
	enum { DAY = 24 * 60 * 60 };
	static const char *const foreign[] = {
		".x.gsym-new.notes",
		".x.gsym-new.0.0.7.0123456789abcdef.txt",
		".x.gsym-new.0.0.0.0123456789abcdef",
		".x.gsym-new.0.0.4294967297.0123456789abcdef",
	};
	size_t count = sizeof(foreign) / sizeof(foreign[0]);
	pid_t child = start_writer("x");

	/* A process may run for weeks. */
	set_age(temporary_entry(), 8 * DAY);
	/* Names that only begin as those of temporary files do. */
	for (size_t i = 0; i < count; i++) {
		put(foreign[i], "text");
		set_age(foreign[i], 8 * DAY);
	}
	outfile_open("x", NULL);
	outfile_commit("text", 4);
	cr_expect_eq(entries(), 2 + count);
	kill_writer(child);
}

/* The exit status of a child that completes "x" after another process did
 * CHANGE to its temporary file. */
static int end_after(void (*change)(const char *temporary))
{
	int status;
	pid_t child = fork();

	if (child == 0) {
		dup2(open("/dev/null", O_WRONLY), STDERR_FILENO);
		outfile_open("x", NULL);
		change(temporary_entry());
		outfile_commit("mine", 4);
		_exit(0);
	}
	waitpid(child, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void remove_it(const char *temporary)
{
	unlink(temporary);
}

static void replace_it(const char *temporary)
{
	unlink(temporary);
	put(temporary, "half of another file");
}

Test(outfile, renames_only_the_file_that_was_written)
{
	put("x", "old");
	cr_expect_eq(end_after(remove_it), STATUS_ERROR);
	expect_content("x", "old");
	cr_expect_eq(end_after(replace_it), STATUS_ERROR);
	expect_content("x", "old");
}

Test(outfile, leaves_files_and_links_of_others)
{
	enum { DAY = 24 * 60 * 60 };
	static const char inner[] = ".x.gsym-new.0.0.7.0123456789abcdef";
	static const char pipe[] = ".x.gsym-new.0.0.8.0123456789abcdef";

	put("target", "text");
	cr_assert_eq(symlink("target", ".x.gsym-new.0"), 0);
	cr_assert_eq(mkdir(inner, 0700), 0);
	cr_assert_eq(mkfifo(pipe, 0600), 0);
	set_age(inner, 8 * DAY);
	set_age(pipe, 8 * DAY);
	outfile_open("x", NULL);
	outfile_commit("new", 3);
	cr_expect_eq(entries(), 5);
	expect_content("target", "text");
	expect_content("x", "new");
	cr_assert_eq(rmdir(inner), 0);
}

Test(outfile, takes_names_of_any_length)
{
	char name[256];
	memset(name, 'n', 255);
	name[255] = 0;
	outfile_open(name, NULL);
	outfile_commit("text", 4);
	expect_content(name, "text");
	cr_expect_eq(entries(), 1);
}

/* ---- a file that may be kept --------------------------------------------- */

/* What another process writes to "x" while two files are compared; 0: nothing.
 * Each one is written once. */
static const char *others = "";

/* A file is better if its first byte is greater. */
static bool is_greater(void *context, int mine, int there)
{
	char a = 0, b = 0;

	cr_expect_eq(context, &others);
	if (there < 0 || pread(mine, &a, 1, 0) != 1 ||
	    pread(there, &b, 1, 0) != 1)
		return false;
	if (*others) {
		const char text[2] = { *others++, 0 };

		put("new", text);
		cr_assert_eq(rename("new", "x"), 0);
	}
	return a > b;
}

/* Write TEXT to "x" if it is better than the file there.  Returns whether it
 * is. */
static bool prefer(const char *text)
{
	outfile_open("x", NULL);
	outfile_prefer(is_greater, &others);
	return outfile_commit(text, strlen(text));
}

Test(outfile, keeps_the_better_file)
{
	cr_expect(prefer("5"));
	expect_content("x", "5");
	cr_expect(!prefer("4"));
	cr_expect(!prefer("5"));
	expect_content("x", "5");
	cr_expect(prefer("6"));
	expect_content("x", "6");
	cr_expect_eq(entries(), 1);
	/* Something that is no file is not compared. */
	unlink("x");
	cr_assert_eq(symlink("nowhere", "x"), 0);
	pid_t child = fork();
	if (child == 0) {
		outfile_open_below("./x", 1, NULL);
		outfile_prefer(is_greater, &others);
		_exit(outfile_commit("7", 1));
	}
	int status;
	waitpid(child, &status, 0);
	cr_expect(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	cr_expect_eq(entries(), 1);
}

Test(outfile, keeps_the_best_of_several_writers)
{
	put("x", "1");
	/* A better file comes after the comparison: it comes back. */
	others = "9";
	cr_expect(!prefer("5"));
	expect_content("x", "9");
	/* A worse one. */
	put("x", "1");
	others = "2";
	cr_expect(prefer("5"));
	expect_content("x", "5");
	/* One after the other, also while a file comes back. */
	put("x", "1");
	others = "3972";
	cr_expect(!prefer("5"));
	expect_content("x", "9");
	cr_expect_eq(entries(), 1);
}

/* ---- trees --------------------------------------------------------------- */

/* Link PATH below "./tree" to TARGET; whether that worked. */
static bool link_below(const char *path, const char *target)
{
	return !outfile_link_below(path, strlen("./tree"), target);
}

static void expect_link(const char *path, const char *wanted)
{
	char got[64] = "";

	cr_expect_gt(readlink(path, got, sizeof(got) - 1), 0);
	cr_expect_str_eq(got, wanted);
}

Test(outfile, links_below_a_folder)
{
	cr_assert_eq(mkdir("tree", 0777), 0);
	cr_expect(link_below("./tree/a/link", "../one"));
	expect_link("tree/a/link", "../one");
	cr_expect(link_below("./tree/a/link", "../two"));
	expect_link("tree/a/link", "../two");
	/* A file is no link, and a link is no folder. */
	put("tree/a/file", "text");
	cr_expect_not(link_below("./tree/a/file", "../two"));
	expect_content("tree/a/file", "text");
	cr_assert_eq(mkdir("out", 0777), 0);
	cr_assert_eq(symlink("../out", "tree/b"), 0);
	cr_expect_not(link_below("./tree/b/link", "../one"));
	cr_expect_eq(rmdir("out"), 0, "the link was made outside");
	for (const char *const *at = (const char *const[]){
		     "tree/a/link", "tree/a/file", "tree/b", NULL }; *at; at++)
		cr_expect_eq(unlink(*at), 0);
	cr_expect_eq(rmdir("tree/a"), 0);
	cr_expect_eq(rmdir("tree"), 0);
}

/* ---- several files ------------------------------------------------------- */

Test(outfile, several_files_appear_together)
{
	put("b", "old");
	for (const char *name = "a\0b\0c\0"; *name; name += 2) {
		outfile_open(name, NULL);
		outfile_hold(name, 1);
	}
	cr_expect_eq(entries(), 4);
	expect_content("b", "old");
	outfile_commit(NULL, 0);
	cr_expect_eq(entries(), 3);
	expect_content("a", "a");
	expect_content("b", "b");
	expect_content("c", "c");
}

/* The wait status of a child that writes three files, of which the last exceeds
 * the file size limit, or is interrupted by the signal NUMBER. */
static int end_of_group(int number)
{
	pid_t child = fork();
	if (child == 0) {
		dup2(open("/dev/null", O_WRONLY), STDERR_FILENO);
		signal(SIGTERM, SIG_DFL);
		setrlimit(RLIMIT_FSIZE, &(struct rlimit){ 8, 8 });
		outfile_open("a", NULL);
		outfile_hold("text", 4);
		outfile_open("b", NULL);
		outfile_hold("text", 4);
		outfile_open("c", NULL);
		if (number)
			raise(number);
		outfile_hold("too much text", 13);
		_exit(0);
	}
	int status;
	waitpid(child, &status, 0);
	return status;
}

Test(outfile, of_several_files_all_or_none_stay)
{
	put("b", "old");
	int status = end_of_group(0);
	cr_expect(WIFEXITED(status) && WEXITSTATUS(status) == STATUS_ERROR);
	cr_expect_eq(entries(), 1);
	status = end_of_group(SIGTERM);
	cr_expect(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM);
	cr_expect_eq(entries(), 1);
	expect_content("b", "old");
}

Test(outfile, many_files_may_be_open)
{
	struct rlimit limit;
	cr_assert_eq(getrlimit(RLIMIT_NOFILE, &limit), 0);
	limit.rlim_cur = 64;
	cr_assert_eq(setrlimit(RLIMIT_NOFILE, &limit), 0);
	if (limit.rlim_max < 512)
		cr_skip_test("no more than %d files may be open",
			     (int)limit.rlim_max);
	for (int i = 0; i < 200; i++) {
		char name[8];
		sprintf(name, "%d", i);
		outfile_open(name, NULL);
		outfile_hold("x", 1);
	}
	outfile_commit(NULL, 0);
	cr_expect_eq(entries(), 200);
}

/* ---- trees --------------------------------------------------------------- */

/* How a child ends that writes "new" to PATH below the first ROOT bytes. */
static bool write_below(const char *path, size_t root)
{
	pid_t child = fork();
	if (child == 0) {
		dup2(open("/dev/null", O_WRONLY), STDERR_FILENO);
		outfile_open_below(path, root, "input");
		outfile_commit("new", 3);
		_exit(0);
	}
	int status;
	waitpid(child, &status, 0);
	cr_expect(WIFEXITED(status));
	return WEXITSTATUS(status) == 0;
}

static void remove_tree(void)
{
	cr_assert_eq(system("rm -rf ./tree ./link"), 0);
}

Test(outfile, makes_the_folders_of_a_tree)
{
	cr_expect(write_below("tree/deep/a/b/x", 9));
	expect_content("tree/deep/a/b/x", "new");
	cr_expect(write_below("tree//a/x", 5));
	expect_content("tree/a/x", "new");
	cr_expect(write_below("tree/x", 4));
	expect_content("tree/x", "new");
	/* The root may be a link. */
	cr_assert_eq(symlink("tree", "link"), 0);
	cr_expect(write_below("link/c/x", 4));
	expect_content("tree/c/x", "new");
	remove_tree();
}

Test(outfile, follows_no_links_in_a_tree)
{
	put("victim", "precious");
	cr_assert_eq(mkdir("outside", 0700), 0);
	cr_assert_eq(mkdir("tree", 0700), 0);
	cr_assert_eq(symlink("../victim", "tree/x"), 0);
	cr_assert_eq(symlink("../nowhere", "tree/y"), 0);
	cr_assert_eq(symlink("../outside", "tree/a"), 0);
	/* Links instead of the file are replaced. */
	cr_expect(write_below("tree/x", 4));
	cr_expect(write_below("tree/y", 4));
	struct stat st;
	cr_assert_eq(lstat("tree/x", &st), 0);
	cr_expect(S_ISREG(st.st_mode));
	expect_content("tree/x", "new");
	expect_content("tree/y", "new");
	cr_expect_eq(access("nowhere", F_OK), -1);
	expect_content("victim", "precious");
	/* Links instead of a folder are an error. */
	cr_expect_not(write_below("tree/a/x", 4));
	cr_expect_not(write_below("tree/a/b/x", 4));
	cr_expect_eq(access("outside/x", F_OK), -1);
	cr_expect_eq(access("outside/b", F_OK), -1);
	cr_assert_eq(rmdir("outside"), 0);
	remove_tree();
}

Test(outfile, refuses_other_things_in_a_tree)
{
	put("input", "program");
	cr_assert_eq(mkdir("tree", 0700), 0);
	cr_assert_eq(mkdir("tree/x", 0700), 0);
	cr_assert_eq(mkfifo("tree/pipe", 0600), 0);
	cr_assert_eq(link("input", "tree/input"), 0);
	put("tree/file", "old");
	chmod("tree/file", 0604);
	cr_expect_not(write_below("tree/x", 4));
	cr_expect_not(write_below("tree/pipe", 4));
	cr_expect_not(write_below("tree/input", 4));
	cr_expect_not(write_below("tree/file/x", 4));
	cr_expect_not(write_below("input/x", 5));
	expect_content("input", "program");
	cr_expect(write_below("tree/file", 4));
	struct stat st;
	cr_assert_eq(stat("tree/file", &st), 0);
	cr_expect_eq(st.st_mode & 0777, 0604);
	remove_tree();
}
