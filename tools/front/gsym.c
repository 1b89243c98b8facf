/* SPDX-License-Identifier: MIT */
/*
 * gsym - one name to type for all tools: "gsym lookup ..." runs gsym-lookup.
 * "gsym help" shows the guide, and "gsym doctor" says which symbols there are.
 */
#include "config.h"

#include <errno.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "common/file.h"
#include "common/names.h"
#include "common/options.h"
#include "common/out.h"
#include "common/report.h"
#include "common/run.h"
#include "front/front.h"

/* A topic of "gsym help": a page of the guide, doc/guide/NAME.md. */
struct help_topic {
	const char *name;
	/* For the list of topics. */
	const char *line;
	/* The lines of the page; NULL after the last one. */
	const char *const *text;
};
/* The commands, as --help shows them.  The first ones are tools: "gsym NAME"
 * runs the program "gsym-NAME". */
static const struct option_spec commands[] = {
	{ .help = "Tools, with their own --help" },
	{ .name = "create",
	  .help = "convert debug info and symbols to GSYM files" },
	{ .name = "lookup",
	  .help = "look addresses up: of a program, a process, the\n"
		  "kernel, or many programs" },
	{ .name = "markup", .help = "name the addresses in a log" },
	{ .name = "dump", .help = "show and check what is in a GSYM file" },
#ifdef HAVE_GSYM_XRAY
	{ .name = "xray", .help = "show traces of LLVM's XRay" },
#endif
	{ .name = "addr2line", .help = "gsym-lookup with addr2line's options" },
	{ .name = "symbolizer",
	  .help = "gsym-lookup with llvm-symbolizer's options" },
	{ .help = "Help" },
	{ .name = "doctor",
	  .help = "which symbols there are for a program or\n"
		  "process, and which command gets those that\n"
		  "are missing" },
	{ .name = "help", .help = "the topics of the guide, or one of them" },
	{ 0 },
};

/* The first tool; a row without a name follows the last one. */
static const struct option_spec *const tools = commands + 1;

/* The topics; an entry without a name ends the list. */
static const struct help_topic help_topics[] = {
	{ "build", "I want symbols from my build", help_page_build },
	{ "crash-log", "I have the log of a crash", help_page_crash_log },
	{ "perf", "I have a record of perf", help_page_perf },
	{ "core", "I have a core file or a running process",
	  help_page_core },
	{ "fleet", "I have the profiles of many machines", help_page_fleet },
	{ "library", "I write a program that looks addresses up",
	  help_page_library },
	{ 0 },
};

/* Become the program "gsym-NAME", with ARGV as its arguments; ARGV[0] is
 * replaced.  Dies if it cannot be run. */
static _Noreturn void run_tool(const char *name, char **argv)
{
	char path[PATH_MAX];
	char *program = path_print("gsym-%s", name);

	/* Its messages name the tool as the user has to look it up. */
	argv[0] = program;
	execvp(run_find(program, path, sizeof(path)), argv);
	die("cannot run '%s': %s", program,
	    errno == ENOENT ? "it is not installed" : strerror(errno));
}

static void list(struct out *out)
{
	out_text(out, "Tasks:\n");
	for (const struct help_topic *t = help_topics; t->name; t++)
		out_printf(out, "  gsym help %-12s %s\n", t->name, t->line);
	out_text(out, "\nTools:\n");
	for (const struct option_spec *t = tools; t->name; t++) {
		size_t first = strcspn(t->help, "\n");

		out_printf(out, "  gsym help %-12s %.*s\n", t->name,
			   (int)first, t->help);
		if (t->help[first])
			out_printf(out, "%25s%s\n", "", t->help + first + 1);
	}
	out_text(out, "\nWhat is missing here: gsym doctor [PROGRAM | PID]\n"
		      "Manuals: man gsym, man gsym-create, man 5 gsym (the "
		      "format), man libgsym\n");
}

static _Noreturn void refuse_topic(const char *name)
{
	const char *near = NULL;
	size_t changes = strlen(name) / 2 + 1;

	for (const struct help_topic *t = help_topics; t->name; t++)
		if (names_nearer(name, strlen(name), t->name, &changes))
			near = t->name;
	for (const struct option_spec *t = tools; t->name; t++)
		if (names_nearer(name, strlen(name), t->name, &changes))
			near = t->name;
	if (near)
		die("there is no topic '%s': did you mean '%s'?  'gsym help' "
		    "lists them", name, near);
	die("there is no topic '%s': 'gsym help' lists them", name);
}

/* The name of a tool with or without "gsym-"; NULL if NAME is none. */
static const char *tool_name(const char *name)
{
	if (strncmp(name, "gsym-", 5) == 0)
		name += 5;
	for (const struct option_spec *t = tools; t->name; t++)
		if (strcmp(name, t->name) == 0)
			return t->name;
	return NULL;
}

/* "gsym help": ARGV[1] is the topic, if ARGC is more than 1.  Returns the exit
 * status. */
static int help_main(int argc, char **argv)
{
	static const struct option_spec none[] = { { 0 } };
	static const char *const examples[] = {
		"gsym help", "the list of topics",
		"gsym help perf", "what to do with a record of perf",
		"gsym help lookup", "the options of gsym-lookup", NULL
	};
	static const struct tool tool = {
		.name = "gsym",
		.command = "help",
		.operands = "[TOPIC]",
		.summary = "Show a topic of the guide, the options of a tool, "
			   "or the list of both.",
		.options = none,
		.examples = examples,
		.exit_status = "0 done; 2 there is no such TOPIC.",
	};
	char option[] = "--help=all";
	struct options options;
	struct out out;
	const char *name = NULL;
	const struct help_topic *t = help_topics;

	report_set_command("help");
	options_init(&options, &tool, NULL, argc, argv);
	if (options_next(&options) == OPTION_OPERAND)
		name = options.value;
	if (options_next(&options) != OPTION_END)
		die_usage("more than one TOPIC is given: '%s'", options.value);
	options_fini(&options);
	if (name && tool_name(name))
		run_tool(tool_name(name),
			      (char *[]){ option, option, NULL });
	while (name && t->name && strcmp(name, t->name) != 0)
		t++;
	if (!t->name)
		refuse_topic(name);
	out_init(&out, STDOUT_FILENO, "standard output", OUT_COLOUR_NEVER);
	if (!name)
		list(&out);
	for (const char *const *line = t->text; name && *line; line++)
		out_text(&out, *line);
	out_fini(&out);
	return STATUS_DONE;
}

/* ---- commands ------------------------------------------------------------ */

static const char *const examples[] = {
	"gsym create prog", "convert the debug info of prog to prog.gsym",
	"gsym lookup prog 0x1173", "function, file and line of an address",
	"gsym doctor prog", "which symbols there are for prog, and where from",
	"gsym help crash-log", "what to do with the log of a crash", NULL
};

/* --help, --version, or a mistake: there is no command. */
static _Noreturn void without_command(int argc, char **argv)
{
	static const struct tool tool = {
		.name = "gsym",
		.operands = "COMMAND [ARGUMENT...]",
		.summary = "Turn addresses into functions, source files, lines "
			   "and inlined calls.\nEach command is a program of "
			   "its own, too: gsym create is gsym-create.",
		.options = commands,
		.commands = true,
		.examples = examples,
		.exit_status = "that of the command; 2 if there is no such "
			       "command.",
	};
	struct options options;

	options_init(&options, &tool, NULL, argc, argv);
	while (options_next(&options) != OPTION_END)
		;
	die_usage("no COMMAND is given");
}

static _Noreturn void refuse(const char *name)
{
	size_t changes = strlen(name) / 2 + 1;
	const char *near = NULL;

	for (const struct option_spec *t = tools; t->help; t++)
		if (t->name && names_nearer(name, strlen(name), t->name,
					    &changes))
			near = t->name;
	if (near)
		die_usage("there is no command '%s': did you mean '%s'?", name,
			  near);
	die_usage("there is no command '%s'", name);
}

int main(int argc, char **argv)
{
	const char *name = argc > 1 ? argv[1] : "-";

	report_start("gsym");
	if (name[0] == '-')
		without_command(argc, argv);
	/* Scripts that know the names of the programs alone. */
	if (strncmp(name, "gsym-", 5) == 0)
		name += 5;
	if (strcmp(name, "doctor") == 0)
		return doctor_main(argc - 1, argv + 1);
	if (strcmp(name, "help") == 0)
		return help_main(argc - 1, argv + 1);
	for (const struct option_spec *t = tools; t->name; t++)
		if (strcmp(name, t->name) == 0)
			run_tool(name, argv + 1);
	refuse(name);
}
