/* SPDX-License-Identifier: MIT */
/* The signals that end gsym-markup. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "base/system.h"
#include "common/file.h"
#include "common/report.h"
#include "markup/markup.h"

static volatile sig_atomic_t got_signal;
/* Signals write to this pipe.  So a signal that comes just before a poll ends
 * that poll, too. */
static int wake[2] = { -1, -1 };

/* Seconds that the output may take after a signal. */
enum { LAST_OUTPUT = 10 };

/* End the process by the signal that came first.  Its handler may be running:
 * then the signal comes when it returns. */
static void end_now(void)
{
	outfile_remove();
	signal(got_signal, SIG_DFL);
	raise(got_signal);
}

/* The first signal ends the log; a second one, or a reader of the output that
 * takes too long, ends the process. */
static void on_signal(int signal)
{
	int saved = errno;
	if (got_signal) {
		end_now();
		return;
	}
	got_signal = signal;
	ssize_t n = write(wake[1], "", 1);
	(void)n;
	alarm(LAST_OUTPUT);
	errno = saved;
}

int markup_interrupted(void)
{
	return got_signal;
}

int markup_signal_pipe(void)
{
	return wake[0];
}

void markup_catch_signals(void)
{
	struct sigaction action = { .sa_handler = on_signal };
	struct sigaction before;
	static const int signals[] = { SIGINT, SIGTERM, SIGALRM };
	enum { COUNT = sizeof(signals) / sizeof(*signals) };
	if (!gsym_system_pipe(wake, O_NONBLOCK))
		die("cannot make a pipe: %s", strerror(errno));
	for (size_t i = 0; i < COUNT; i++)
		sigaddset(&action.sa_mask, signals[i]);
	for (size_t i = 0; i < COUNT; i++) {
		/* A signal that the caller ignores stays ignored. */
		sigaction(signals[i], NULL, &before);
		if (before.sa_handler != SIG_IGN || signals[i] == SIGALRM)
			sigaction(signals[i], &action, NULL);
	}
}
