/* SPDX-License-Identifier: MIT */
/*
 * create/protect.c - what a conversion may take of the machine: threads, as
 * many as the jobserver of make (or Ninja) has tokens for, or as other
 * conversions and the load of the machine leave; memory (--max-memory) and time
 * (--max-time); and the folders that it writes to (--sandbox).
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#ifdef HAVE_SEMTIMEDOP
#include <sys/ipc.h>
#include <sys/sem.h>
#endif
#include <time.h>
#include <unistd.h>

#include "common/file.h"
#include "common/report.h"
#include "common/run.h"
#include "create/create.h"

/* ---- slots --------------------------------------------------------------- */

/*
 * A build without a jobserver may begin a conversion for each of its programs
 * at once.  Each of them needs memory for all of its input, and gains nothing
 * from the others.  So the kernel keeps a semaphore for each user, which counts
 * slots: as many as there are processors.  A conversion waits for one slot, and
 * takes those that are free for more threads.  The kernel gives the slots of a
 * process back when the process ends, whatever ended it.
 *
 * A conversion that was stopped keeps its slots.  Others wait as long as slots
 * come and go now and then, and go on without a slot after that.  Nothing keeps
 * another user of the machine from taking the number of the semaphore first:
 * then there are no slots.
 */
#ifdef HAVE_SEMTIMEDOP
/* The argument of semctl, which each program has to define. */
union semun {
	int val;
	struct semid_ds *buf;
};

/* The milliseconds without a change of the semaphore after which nobody waits
 * any more. */
enum { PATIENCE = 120000 };

/* Set *CHANGE to when the semaphore ID was changed last, 0: never.  False: ID
 * is another user's, or it is gone. */
static bool is_own(int id, time_t *change)
{
	struct semid_ds state;

	if (semctl(id, 0, IPC_STAT, (union semun){ .buf = &state }) != 0 ||
	    state.sem_perm.uid != geteuid() || state.sem_perm.cuid != geteuid())
		return false;
	*change = state.sem_otime;
	return true;
}

/* Give the new semaphore ID its COUNT slots.  It counts as made once an
 * operation has changed it. */
static bool fill(int id, unsigned count)
{
	struct sembuf change[] = { { .sem_op = 1 }, { .sem_op = -1 } };

	return semctl(id, 0, SETVAL, (union semun){ .val = (int)count }) == 0 &&
	       semop(id, change, 2) == 0;
}

/* The semaphore of this user for COUNT processors; -1: there is none. */
static int open_slots(unsigned count)
{
	enum { TRIES = 100 };
	const struct timespec moment = { .tv_nsec = 1000000 };
	key_t key = (key_t)(0x67730000 ^ geteuid() ^ count << 24);
	time_t change = 0;
	int id;

	if (key == IPC_PRIVATE)
		return -1;
	id = semget(key, 1, IPC_CREAT | IPC_EXCL | 0600);
	if (id >= 0)
		return fill(id, count) ? id : -1;
	id = errno == EEXIST ? semget(key, 1, 0600) : -1;
	/* Another process may be making it at this moment. */
	for (int i = 0; id >= 0 && i < TRIES; i++) {
		if (!is_own(id, &change))
			return -1;
		if (change)
			return id;
		nanosleep(&moment, NULL);
	}
	/* The other process has ended before it was made. */
	return id >= 0 && fill(id, count) ? id : -1;
}

/* Take COUNT slots of ID, which come back when the process ends.  Waits for
 * SECONDS at most; 0: does not wait. */
static bool take(int id, unsigned count, int seconds)
{
	struct sembuf change = {
		.sem_op = (short)-(int)count,
		.sem_flg = (short)(SEM_UNDO | (seconds ? 0 : IPC_NOWAIT)),
	};
	const struct timespec most = { .tv_sec = seconds };

	return semtimedop(id, &change, 1, &most) == 0;
}

/* For how many milliseconds ID, which was changed last at CHANGE, has been left
 * alone.  A clock that was set says nothing. */
static int64_t quiet_for(time_t change)
{
	time_t now = time(NULL);

	if (now < change)
		return 0;
	return now - change < PATIENCE / 1000 ? (int64_t)(now - change) * 1000
					      : PATIENCE;
}

/* Wait for a slot of ID; false: there is none, and none came back for a
 * while. */
static bool wait_for_slot(int id)
{
	enum { FIRST = 1, STEP = 10 };
	time_t change = 0, last;
	int64_t start = clock_milliseconds(), quiet;
	bool taken = take(id, 1, 0);

	if (taken || !is_own(id, &change))
		return taken;
	quiet = quiet_for(change);
	report_work("waiting for other conversions");
	for (int step = FIRST;
	     !taken && quiet + (clock_milliseconds() - start) < PATIENCE;
	     step = STEP) {
		taken = take(id, 1, step);
		if (!taken && errno != EAGAIN && errno != EINTR)
			break;
		report_work_done(0, 1);
		if (!taken && is_own(id, &last) && last != change) {
			change = last;
			quiet = 0;
			start = clock_milliseconds();
		}
	}
	report_work_end();
	return taken;
}

static int slots = -1;

/* Wait for one of PROCESSORS slots, which all conversions of a user share, and
 * take it.  False: there are none, or none came back for a while. */
static bool get_slot(unsigned processors)
{
	slots = open_slots(processors);
	return slots >= 0 && wait_for_slot(slots);
}

/* Take up to MOST more slots, if they are free.  Returns how many. */
static unsigned take_slots(unsigned most)
{
	while (most && !take(slots, most, 0))
		most--;
	return most;
}
#else
static bool get_slot(unsigned processors)
{
	(void)processors;
	return false;
}

static unsigned take_slots(unsigned most)
{
	(void)most;
	return 0;
}
#endif

/* ---- tokens of a jobserver ----------------------------------------------- */

/* The tokens that this process holds: bytes, which go back to the jobserver as
 * they came.  A process may always use one thread without a token. */
static struct {
	pid_t owner;
	int to; /* where the tokens go back */
	char tokens[GSYM_THREADS_MAX];
	size_t count;
} held;

/* Give all tokens back.  For signal handlers, too. */
static void give_back(void)
{
	/* Children of --recursive hold none. */
	if (held.owner != getpid())
		return;
	while (held.count &&
	       write(held.to, &held.tokens[held.count - 1], 1) == 1)
		held.count--;
}

/* The value of the last jobserver option in the MAKEFLAGS of the environment;
 * NULL: there is none. */
static const char *find_option(void)
{
	static const char *const names[] = { "--jobserver-auth=",
					     "--jobserver-fds=" };
	const char *flags = getenv("MAKEFLAGS"), *found = NULL;

	for (size_t i = 0; flags && !found && i < 2; i++)
		for (const char *at = flags; (at = strstr(at, names[i]));)
			found = at += strlen(names[i]);
	return found;
}

/* Whether FD is a pipe, as what a jobserver hands down. */
static bool is_pipe(int fd)
{
	struct stat st;

	return fd >= 0 && fstat(fd, &st) == 0 && S_ISFIFO(st.st_mode);
}

/* Open the pipe of the jobserver by OPTION: R,W are file descriptors, and
 * fifo:PATH is a named pipe.  Set *FROM, which never blocks, and *TO.  False:
 * the jobserver is not for this process. */
static bool open_server(const char *option, int *from, int *to)
{
	char path[4096], *end;
	int size = (int)strcspn(option, " "), in;

	if (strncmp(option, "fifo:", 5) == 0) {
		snprintf(path, sizeof(path), "%.*s", size - 5, option + 5);
		*from = *to = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC);
		return is_pipe(*from);
	}
	in = (int)strtoul(option, &end, 10);
	*to = *end == ',' ? (int)strtoul(end + 1, NULL, 10) : -1;
	if (!is_pipe(in) || !is_pipe(*to))
		return false;
	/* Others share IN, and expect that reads of it block: only a second
	 * description of the pipe can be set not to. */
	snprintf(path, sizeof(path), "/proc/self/fd/%d", in);
	*from = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	return *from >= 0;
}

/* Take up to MOST tokens of the jobserver by OPTION.  Returns whether it can be
 * used. */
static bool take_tokens(const char *option, unsigned most)
{
	int from = -1;
	ssize_t got = 0;

	if (!open_server(option, &from, &held.to)) {
		if (from >= 0)
			close(from);
		return false;
	}
	held.owner = getpid();
	if (most && !atexit(give_back)) {
		outfile_at_signal(give_back);
		got = read(from, held.tokens,
			   most < sizeof(held.tokens) ? most
						      : sizeof(held.tokens));
	}
	held.count = got > 0 ? (size_t)got : 0;
	if (from != held.to)
		close(from);
	return true;
}

/* The number of threads that run or wait for a processor now, besides this one;
 * 0: not known. */
static unsigned count_running(void)
{
	int fd = open("/proc/loadavg", O_RDONLY | O_CLOEXEC);
	char text[128] = "", *at = text;
	unsigned running;

	/* Three averages come first. */
	if (fd < 0)
		return 0;
	if (read(fd, text, sizeof(text) - 1) < 0)
		*text = '\0';
	close(fd);
	for (int i = 0; i < 3; i++)
		at += strcspn(at, " ") + (at[strcspn(at, " ")] == ' ');
	running = (unsigned)strtoul(at, NULL, 10);
	return running ? running - 1 : 0;
}

/* Whether PATH may be a stream: its reader or writer may take its time, and a
 * conversion that waits for it must not have others wait. */
static bool is_stream(const char *path)
{
	struct stat st;

	return path && (strcmp(path, "-") == 0 ||
			(stat(path, &st) == 0 && !S_ISREG(st.st_mode) &&
			 !S_ISDIR(st.st_mode)));
}

void create_take_tokens(struct create *create)
{
	const char *option = find_option();

	if (!create->threads && option &&
	    take_tokens(option, run_threads_default() - 1))
		create->threads = (unsigned)held.count + 1;
}

/* Without a jobserver: wait until fewer conversions run than there are
 * processors.  Then one thread, and one for each processor that is idle.  A
 * conversion from or to a stream waits for nobody. */
static void take_turn(struct create *create)
{
	unsigned processors = run_threads_default(), busy, more;
	bool has_slot;

	if (create->threads)
		return;
	has_slot = !is_stream(create->input) && !is_stream(create->output) &&
		   get_slot(processors);
	busy = count_running();
	more = busy + 1 < processors ? processors - busy - 1 : 0;
	create->threads = 1 + (has_slot ? take_slots(more) : more);
}

/* ---- memory, time and folders -------------------------------------------- */

/* The folder for temporary files of a process that can write in the folder
 * ROOT, or the folder of OUTPUT, alone; "" if OUTPUT is no file.  Malloc'ed. */
static char *temporary_folder(const char *root, const char *output)
{
	struct stat st;
	char *target, *slash;

	if (root)
		return path_print("%s", root);
	if (!output || strcmp(output, "-") == 0 ||
	    (stat(output, &st) == 0 && !S_ISREG(st.st_mode)))
		return path_print("%s", "");
	target = realpath(output, NULL);
	if (!target)
		target = path_print("%s", output);
	slash = strrchr(target, '/');
	if (slash)
		slash[slash == target] = 0;
	else
		*target = 0;
	if (*target)
		return target;
	free(target);
	return path_print("%s", ".");
}

/* Make a folder in --temporary-directory, so that this process need not change
 * other files there.  Returns its path, malloc'ed.  Dies on failure. */
static char *make_own_folder(struct create *create)
{
	static const char prefix[] = "gsym-create.";

	temporary_sweep(create->temporary_directory, prefix);
	temporary_plan(&create->own_folder, create->temporary_directory,
		       prefix);
	if (!temporary_make(&create->own_folder))
		die("cannot make a temporary folder in '%s': %s",
		    create->temporary_directory, strerror(errno));
	return path_print("%s", create->own_folder.path);
}

/* Let this process change the folders alone that the conversion writes to, and
 * DEPFILE, the place of the depfile or -1, which is closed. */
static void confine(struct create *create, int depfile)
{
	const char *root = create->install ? create->install
					   : create->output_dir;
	int outputs[3], parent = -1;
	unsigned count = 0;
	struct sandbox *s = &create->sandbox;

	outputs[0] = create->identify ? -1
		     : root	      ? outfile_folder(root)
				      : outfile_place(create->output);
	count += outputs[0] >= 0;
	if (depfile >= 0)
		outputs[count++] = depfile;
	create->temporary = create->temporary_directory
		? make_own_folder(create)
		: temporary_folder(root, create->output);
	if (create->temporary_directory) {
		outputs[count++] = outfile_folder(create->temporary);
		parent = outfile_folder(create->temporary_directory);
		s->parents = &parent;
		s->parent_count = 1;
	}
	s->needs = (create->recursive ? SANDBOX_PROCESSES : 0) |
		   (*create->temporary ? 0 : SANDBOX_MEMORY);
	s->tell = create->verbose;
	s->outputs = outputs;
	s->output_count = count;
	sandbox_enter(s);
	s->outputs = s->parents = NULL;
	while (count)
		close(outputs[--count]);
	if (parent >= 0)
		close(parent);
}

void create_protect(struct create *create)
{
	int depfile = create_begin_depfile(create);

	if (create->max_memory)
		sandbox_memory(create->max_memory);
	if (create->max_time)
		sandbox_time(create->max_time);
	/* The sandbox has no semaphores. */
	if (!create->identify)
		take_turn(create);
	create->sandbox.mode = sandbox_asked();
	if (create->sandbox.mode != SANDBOX_OFF)
		confine(create, depfile);
	else if (depfile >= 0)
		close(depfile);
}
