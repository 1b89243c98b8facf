/* SPDX-License-Identifier: MIT */
/*
 * create/slots.c - as many conversions of a user at a time as there are
 * processors.
 *
 * A build without a jobserver may begin a conversion for each of its programs
 * at once.  Each of them needs memory for all of its input, and gains nothing
 * from the others.  So the kernel keeps a semaphore for each user, which counts
 * slots.  A conversion waits for one slot, and takes those that are free for
 * more threads.  The kernel gives the slots of a process back when the process
 * ends, whatever ended it.
 *
 * A conversion that was stopped keeps its slots.  Others wait as long as slots
 * come and go now and then, and go on without a slot after that.  Nothing keeps
 * another user of the machine from taking the number of the semaphore first:
 * then there are no slots.
 */
#include "config.h"

#include "create/create.h"

#ifdef HAVE_SEMTIMEDOP
#include <errno.h>
#include <sys/ipc.h>
#include <sys/sem.h>
#include <time.h>
#include <unistd.h>

#include "common/report.h"
#include "common/run.h"

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

bool create_wait_for_slot(unsigned processors)
{
	slots = open_slots(processors);
	return slots >= 0 && wait_for_slot(slots);
}

unsigned create_take_slots(unsigned most)
{
	while (most && !take(slots, most, 0))
		most--;
	return most;
}
#else
bool create_wait_for_slot(unsigned processors)
{
	(void)processors;
	return false;
}

unsigned create_take_slots(unsigned most)
{
	(void)most;
	return 0;
}
#endif
