/* SPDX-License-Identifier: MIT */
/* Standard input of a tool that answers it. */
#include "config.h"

#include "common/input.h"

#include <errno.h>
#include <poll.h>
#include <unistd.h>

bool input_ready(void)
{
	struct pollfd input = { .fd = STDIN_FILENO, .events = POLLIN };
	return poll(&input, 1, 0) != 0;
}

ssize_t input_read(struct out *out, char *to, size_t size)
{
	if (!input_ready())
		out_flush(out);
	for (;;) {
		ssize_t n = read(STDIN_FILENO, to, size);
		if (n >= 0)
			return n;
		if (errno == EAGAIN) {
			/* The other program made the pipe non-blocking. */
			struct pollfd input = { .fd = STDIN_FILENO,
						.events = POLLIN };
			out_flush(out);
			poll(&input, 1, -1);
		} else if (errno != EINTR) {
			return -1;
		}
	}
}
