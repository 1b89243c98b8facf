/* SPDX-License-Identifier: MIT */
/* The signals that end gsym-markup. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "common/report.h"
#include "markup/markup.h"

static volatile sig_atomic_t got_signal;
/* Signals write to this pipe.  So a signal that comes just before a poll ends
 * that poll, too. */
static int wake[2] = { -1, -1 };

static void on_signal(int signal)
{
	int saved = errno;
	ssize_t n = write(wake[1], "", 1);
	(void)n;
	got_signal = signal;
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
	static const int signals[] = { SIGINT, SIGTERM };
	if (pipe2(wake, O_CLOEXEC | O_NONBLOCK) != 0)
		die("cannot make a pipe: %s", strerror(errno));
	for (size_t i = 0; i < 2; i++) {
		/* A signal that the caller ignores stays ignored. */
		sigaction(signals[i], NULL, &before);
		if (before.sa_handler != SIG_IGN)
			sigaction(signals[i], &action, NULL);
	}
}
