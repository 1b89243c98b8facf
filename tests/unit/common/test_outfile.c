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
#include <unistd.h>

#include "common/outfile.h"
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
	const int numbers[] = { SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGBUS };
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

static void make_companion(void)
{
	put("beside", "symbols");
	outfile_companion(strdup("beside"));
}

Test(outfile, a_companion_stays_with_a_file_that_is_complete)
{
	make_companion();
	outfile_open("x", NULL);
	outfile_commit("text", 4);
	cr_expect_eq(entries(), 2);
	/* A later file that is abandoned does not take the companion away. */
	outfile_open("y", NULL);
	outfile_abandon();
	cr_expect_eq(entries(), 2);
}

/* The wait status of a child that does not complete the output PATH, which
 * has a companion: it raises the signal NUMBER, if that is not 0, or commits
 * with a file size limit of LIMIT bytes. */
static int end_of_companion(const char *path, int number, size_t limit)
{
	pid_t child = fork();
	if (child == 0) {
		dup2(open("/dev/null", O_WRONLY), STDERR_FILENO);
		signal(SIGTERM, SIG_DFL);
		make_companion();
		outfile_open(path, NULL);
		if (number)
			raise(number);
		setrlimit(RLIMIT_FSIZE, &(struct rlimit){ limit, limit });
		outfile_commit("a text", 6);
		_exit(0);
	}
	int status;
	waitpid(child, &status, 0);
	return status;
}

Test(outfile, a_companion_goes_with_one_that_is_not)
{
	int status = end_of_companion("x", SIGTERM, 0);
	cr_expect(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM);
	cr_expect_eq(entries(), 0);
	status = end_of_companion("x", 0, 3);
	cr_expect(WIFEXITED(status) && WEXITSTATUS(status) == STATUS_ERROR);
	cr_expect_eq(entries(), 0);
	/* The output is a folder. */
	status = end_of_companion(".", 0, 100);
	cr_expect(WIFEXITED(status) && WEXITSTATUS(status) == STATUS_ERROR);
	cr_expect_eq(entries(), 0);
}
