/* SPDX-License-Identifier: MIT */
/* front.h - what the files of gsym share. */
#ifndef TOOLS_FRONT_FRONT_H
#define TOOLS_FRONT_FRONT_H

/** The pages of the guide, which the build makes from doc/guide. */
extern const char *const help_page_build[];
extern const char *const help_page_crash_log[], *const help_page_perf[],
	*const help_page_core[], *const help_page_fleet[],
	*const help_page_library[];

/** "gsym doctor".  Returns the exit status. */
int doctor_main(int argc, char **argv);

#endif /* TOOLS_FRONT_FRONT_H */
