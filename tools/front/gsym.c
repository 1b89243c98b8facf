/* SPDX-License-Identifier: MIT */
/*
 * gsym - one name to type for all tools: "gsym lookup ..." runs gsym-lookup.
 * "gsym help" shows the guide, and "gsym doctor" says which symbols there are.
 */
#include "config.h"

#include <string.h>

#include "common/must.h"
#include "common/names.h"
#include "common/options.h"
#include "common/report.h"
#include "front/front.h"

/* The most rows of --help: the commands, two headings, and the end. */
enum { MOST_ROWS = 16 };

static const char *const examples[] = {
	"gsym create prog", "convert the debug info of prog to prog.gsym",
	"gsym lookup prog 0x1173", "function, file and line of an address",
	"gsym doctor prog", "which symbols there are for prog, and where from",
	"gsym help crash-log", "what to do with the log of a crash", NULL
};

/* The table of the commands, for --help. */
static void list_commands(struct option_spec table[MOST_ROWS])
{
	size_t n = 0;

	table[n++] = (struct option_spec){ .help = "Tools, with their own "
						   "--help" };
	for (const struct front_tool *t = front_tools; t->name; t++)
		table[n++] = (struct option_spec){
			.name = t->name, .help = t->line
		};
	table[n++] = (struct option_spec){ .help = "Help" };
	table[n++] = (struct option_spec){
		.name = "doctor",
		.help = "which symbols there are for a program or\n"
			"process, and which command gets those that\n"
			"are missing"
	};
	table[n++] = (struct option_spec){
		.name = "help",
		.help = "the topics of the guide, or one of them"
	};
	table[n] = (struct option_spec){ 0 };
}

/* --help, --version, or a mistake: there is no command. */
static _Noreturn void without_command(int argc, char **argv)
{
	struct option_spec table[MOST_ROWS];
	const struct tool tool = {
		.name = "gsym",
		.operands = "COMMAND [ARGUMENT...]",
		.summary = "Turn addresses into functions, source files, lines "
			   "and inlined calls.\nEach command is a program of "
			   "its own, too: gsym create is gsym-create.",
		.options = table,
		.commands = true,
		.examples = examples,
		.exit_status = "that of the command; 2 if there is no such "
			       "command.",
	};
	struct options options;

	list_commands(table);
	options_init(&options, &tool, NULL, argc, argv);
	while (options_next(&options) != OPTION_END)
		;
	die_usage("no COMMAND is given");
}

/* Die: there is no command NAME. */
static _Noreturn void refuse(const char *name)
{
	const char *near = NULL;
	size_t changes = strlen(name) / 2 + 1;
	struct option_spec table[MOST_ROWS];

	list_commands(table);
	for (size_t i = 0; table[i].help; i++)
		if (table[i].name && names_nearer(name, strlen(name),
						  table[i].name, &changes))
			near = table[i].name;
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
	for (const struct front_tool *t = front_tools; t->name; t++)
		if (strcmp(name, t->name) == 0)
			help_run_tool(name, argv + 1);
	refuse(name);
}
