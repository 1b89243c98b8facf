/* SPDX-License-Identifier: MIT */
/* Draws the progress line. */
#include "config.h"

#include "common/progress.h"

#include <stdio.h>
#include <unistd.h>

#include "common/clock.h"
#include "common/out.h"
#include "common/report.h"

/* Milliseconds before the line is first shown, and between updates. */
enum { FIRST_MS = 500, NEXT_MS = 100 };

static struct {
	const char *what;
	bool on;
	size_t shown; /* columns of the line on the terminal; 0: no line */
	int64_t next; /* when to update the line, see clock_milliseconds */
} line;

/* Erase the line from the terminal. */
static void erase(void)
{
	char blank[100];
	if (line.shown == 0)
		return;
	int n = snprintf(blank, sizeof(blank), "\r%*s\r", (int)line.shown, "");
	out_write_all(STDERR_FILENO, blank, n);
	line.shown = 0;
}

void progress_start(const char *what)
{
	line.what = what;
	line.on = !report_is_quiet() && isatty(STDERR_FILENO);
	line.next = clock_milliseconds() + FIRST_MS;
	line.shown = 0;
	if (line.on)
		report_set_hook(erase);
}

void progress_update(uint64_t done, uint64_t total)
{
	if (!line.on)
		return;
	int64_t now = clock_milliseconds();
	if (now < line.next)
		return;
	line.next = now + NEXT_MS;
	double share = total ? (double)done / (double)total : 0;
	char text[80];
	int n = snprintf(text, sizeof(text), "\r%s: %3.0f %%", line.what,
			 100 * (share > 1 ? 1 : share));
	if (n < 0)
		return;
	if (n >= (int)sizeof(text))
		n = sizeof(text) - 1;
	out_write_all(STDERR_FILENO, text, n);
	line.shown = n - 1;
}

void progress_end(void)
{
	erase();
	line.on = false;
	report_set_hook(NULL);
}
