/* SPDX-License-Identifier: MIT */
/* front.h - what the files of gsym share. */
#ifndef TOOLS_FRONT_FRONT_H
#define TOOLS_FRONT_FRONT_H

/** A tool that "gsym NAME" runs. */
struct front_tool {
	/** Of the command; the program is "gsym-NAME". */
	const char *name;
	/** For --help. */
	const char *line;
};
/** The tools; an entry without a name ends the list. */
extern const struct front_tool front_tools[];

/** A topic of "gsym help": a page of the guide, doc/guide/NAME.md. */
struct help_topic {
	const char *name;
	/** For the list of topics. */
	const char *line;
	/** The lines of the page; NULL after the last one. */
	const char *const *text;
};
/** The topics; an entry without a name ends the list. */
extern const struct help_topic help_topics[];

/** The pages of the guide, which the build makes from doc/guide. */
extern const char *const help_page_crash_log[], *const help_page_perf[],
	*const help_page_core[], *const help_page_fleet[],
	*const help_page_library[];

/** Become the program "gsym-NAME", with ARGV as its arguments; ARGV[0] is
 *  replaced.  Dies if it cannot be run. */
_Noreturn void help_run_tool(const char *name, char **argv);
/** "gsym help": ARGV[1] is the topic, if ARGC is more than 1.  Returns the exit
 *  status. */
int help_main(int argc, char **argv);
/** "gsym doctor".  Returns the exit status. */
int doctor_main(int argc, char **argv);

#endif /* TOOLS_FRONT_FRONT_H */
