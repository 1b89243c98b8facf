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
 * come back now and then, and go on without a slot after that.
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

/* The argument of semctl, which each program has to define. */
union semun {
	int val;
	struct semid_ds *buf;
};

/* The seconds without a change of the semaphore after which nobody waits any
 * more. */
enum { PATIENCE = 60 };

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

/* Wait for a slot of ID; false: there is none, and none came back for a
 * while. */
static bool wait_for_slot(int id)
{
	time_t change = time(NULL), last;
	bool taken;

	report_work("waiting for other conversions");
	while (!(taken = take(id, 1, 1)) &&
	       (errno == EAGAIN || errno == EINTR) &&
	       time(NULL) - change < PATIENCE) {
		report_work_done(0, 1);
		if (is_own(id, &last) && last > change)
			change = last;
	}
	report_work_end();
	return taken;
}

unsigned create_take_slots(unsigned processors, unsigned most)
{
	int id = open_slots(processors);
	unsigned more = most - 1;

	if (id < 0 || !wait_for_slot(id))
		return 0;
	while (more && !take(id, more, 0))
		more--;
	return more + 1;
}
#else
unsigned create_take_slots(unsigned processors, unsigned most)
{
	(void)processors;
	(void)most;
	return 0;
}
#endif
