/* SPDX-License-Identifier: MIT */
/* The command line of gsym-xray: each command has options of its own. */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "common/must.h"
#include "common/number.h"
#include "common/options.h"
#include "common/report.h"
#include "common/sandbox.h"
#include "xray/options.h"
#include "xray/xray.h"

static const char exit_status[] =
	"0 done, even if a trace is damaged; 1 see dump --check;\n"
	"2 error, or a trace is damaged and --strict was given.";

static const struct option_group *const groups[] = { &source_group };

/* ---- values -------------------------------------------------------------- */

/* Divide the value of an option, such as "1=libfoo.so": returns the text after
 * '=', and stores the number, which must be below LIMIT, in *NUMBER.  Dies. */
static const char *numbered(const struct options *o, uint64_t limit,
			    uint64_t *number)
{
	const char *equals = strchr(o->value, '=');
	if (!equals || !equals[1] ||
	    number_parse(o->value, equals - o->value, number) != NUMBER_OK ||
	    *number >= limit)
		die_usage("--%s needs a number below %" PRIu64 ", '=' and a "
			  "%s, not '%s'", o->name, limit,
			  limit == XRAY_OBJECTS ? "file" : "name", o->value);
	return equals + 1;
}

static void name_event_type(struct xray *x, const struct options *o)
{
	uint64_t number;
	const char *name = numbered(o, UINT16_MAX + 1, &number);
	if (!x->event_types)
		x->event_types =
			must_have(calloc(UINT16_MAX + 1, sizeof(char *)));
	x->event_types[number] = (char *)name;
}

/* Keep the option of row CHOICE. */
static void keep(struct xray *x, const struct options *o,
		 const struct xray_choice *choice)
{
	struct xray *side = choice->after ? x->after : x;
	void *at = (char *)side + choice->at;
	const char *path;
	uint64_t number;
	switch (choice->keep) {
	case XRAY_FLAG:
		if (choice->words)
			options_choice(o, choice->words);
		*(bool *)at = true;
		break;
	case XRAY_VALUE:
		*(const char **)at = o->value;
		break;
	case XRAY_WORD:
		*(int *)at = options_choice(o, choice->words);
		break;
	case XRAY_NUMBER:
		number = options_number(o, choice->least, choice->most);
		*(uint64_t *)at = number << choice->shift;
		break;
	case XRAY_OBJECT:
		path = numbered(o, XRAY_OBJECTS, &number);
		side->objects[number].path = path;
		break;
	case XRAY_EVENT_TYPE:
		name_event_type(x, o);
		break;
	case XRAY_TRACE:
		side->traces[side->trace_count++].path = o->value;
		break;
	}
}

/* Die if a trace of SIDE is the output of X. */
static void check_output(const struct xray *side, const struct xray *x)
{
	for (size_t i = 0; x->output && i < side->trace_count; i++) {
		struct stat in, out;
		if (stat(side->traces[i].path, &in) == 0 &&
		    stat(x->output, &out) == 0 && in.st_dev == out.st_dev &&
		    in.st_ino == out.st_ino && S_ISREG(in.st_mode))
			die("cannot write '%s': it is the input", x->output);
	}
}

/* Die if operands and options do not fit the command or each other. */
static void check_options(struct xray *x, const struct xray_command *command)
{
	if (!x->trace_count)
		die_usage(command->bit & TRACES ? "no FILE is given"
						: "no PROGRAM is given");
	if (!(command->bit & TRACES)) {
		if (x->trace_count > 1)
			die_usage("%s takes one PROGRAM", command->name);
		x->objects[0].path = x->traces[0].path;
	}
	if (x->gsym_path && !x->objects[0].path)
		die_usage("--gsym needs --instr-map: only the program tells "
			  "the addresses of the functions in a trace");
	source_check_options(source_asked());
	if (sandbox_asked() != SANDBOX_OFF)
		source_check_sandbox(source_asked());
	check_output(x, x);
	if (x->after)
		check_output(x->after, x);
}

/* ---- diff ---------------------------------------------------------------- */

/* Make X->after, for a command that compares. */
static void begin_sides(struct xray *x, int argc)
{
	x->after = must_have(calloc(1, sizeof(*x->after)));
	x->after->traces =
		must_have(calloc((size_t)argc + 1, sizeof(*x->traces)));
	x->noise = UINT64_MAX;
}

/* Let PATH be the first trace of X. */
static void put_first(struct xray *x, const char *path)
{
	x->traces[x->trace_count++] = x->traces[0];
	x->traces[0].path = path;
}

/* Give each side its operand, BEFORE and AFTER, of the COUNT OPERANDS.  Options
 * that are not given for AFTER have the values of BEFORE. */
static void end_sides(struct xray *x, const char *const *operands,
		      size_t count)
{
	struct xray *after = x->after;
	if (count != 2)
		die_usage("diff needs two traces, BEFORE and AFTER");
	put_first(x, operands[0]);
	put_first(after, operands[1]);
	if (!after->objects[0].path) {
		after->objects[0].path = x->objects[0].path;
		if (!after->gsym_path)
			after->gsym_path = x->gsym_path;
	}
	for (int i = 1; i < XRAY_OBJECTS; i++)
		if (!after->objects[i].path)
			after->objects[i].path = x->objects[i].path;
	after->warn_of_damage = true;
	after->strict = x->strict;
	after->frequency = x->frequency;
	after->no_demangle = x->no_demangle;
}

/* ---- commands ------------------------------------------------------------ */

/* Fill TABLE with the options of the commands in MASK, under the headings that
 * have options. */
static void table_of(unsigned mask, struct option_spec table[XRAY_CHOICES + 1])
{
	const struct option_spec *heading = NULL;
	size_t count = 0;
	for (size_t i = 0; i < XRAY_CHOICES; i++) {
		const struct option_spec *spec = &xray_choices[i].spec;
		if (!(xray_choices[i].commands & mask))
			continue;
		if (spec->help && !spec->name) {
			heading = spec;
			continue;
		}
		if (heading)
			table[count++] = *heading;
		heading = NULL;
		table[count] = *spec;
		if (spec->name)
			table[count].id = (int)i + 1;
		count++;
	}
	table[count] = (struct option_spec){ 0 };
}

/* The index of the command in ARGV, where options may precede it; 0: there is
 * none. */
static int find_command(int argc, char **argv)
{
	struct option_spec table[XRAY_CHOICES + 1];
	const struct tool tool = { .options = table, .groups = groups };
	table_of(ALL, table);
	for (int i = 1; i < argc; i++) {
		if (argv[i][0] != '-' || !argv[i][1])
			return i;
		if (!strcmp(argv[i], "--"))
			return i + 1 < argc ? i + 1 : 0;
		if (options_takes_next(&tool, argv[i]))
			i++;
	}
	return 0;
}

/* Read a command line without a command: show the help or the version, or
 * die. */
static _Noreturn void overview(int argc, char **argv)
{
	static const char *const examples[] = {
		"gsym-xray info xray-log.prog.*", "what was recorded?",
		"gsym-xray account -m prog xray-log.prog.*",
		"what takes the time?",
		"gsym-xray convert -m prog -o trace.json xray-log.prog.*",
		"a file for Perfetto", NULL
	};
	struct option_spec table[XRAY_COMMANDS + 2] = {
		{ 0, 0, NULL, NULL, "Commands; each has its own --help" },
	};
	for (size_t i = 0; i < XRAY_COMMANDS; i++)
		table[i + 1] = (struct option_spec){
			.id = (int)i + 1,
			.name = xray_commands[i].name,
			.help = xray_commands[i].line,
		};
	struct tool tool = {
		.name = "gsym-xray",
		.operands = "COMMAND FILE...",
		.summary = "Show traces of LLVM's XRay: calls with times, "
			   "names and lines.",
		.options = table,
		.commands = true,
		.examples = examples,
		.exit_status = exit_status,
	};
	struct options options;
	options_init(&options, &tool, argc, argv);
	while (options_next(&options) != OPTION_END)
		;
	die_usage("no COMMAND is given");
}

/* The command NAME, which may be llvm-xray's name of the command.  Dies if
 * there is none. */
static const struct xray_command *find_command_named(const char *name)
{
	if (!strcmp(name, "fdr-dump"))
		name = "dump";
	for (size_t i = 0; i < XRAY_COMMANDS; i++)
		if (!strcmp(xray_commands[i].name, name))
			return &xray_commands[i];
	die_usage("there is no command '%s'", name);
}

/* Turn llvm-xray's option "-instr_map" into "--instr-map". */
static void speak_llvm(int argc, char **argv)
{
	for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
		const char *name = argv[i] + (argv[i][0] == '-');
		name += *name == '-';
		if (name == argv[i] || strncmp(name, "instr_map", 9) != 0 ||
		    (name[9] && name[9] != '='))
			continue;
		must(asprintf(&argv[i], "--instr-map%s", name + 9) >= 0);
	}
}

const struct xray_command *xray_options_parse(struct xray *x, int argc,
					      char **argv)
{
	struct option_spec table[XRAY_CHOICES + 1];
	struct options options;
	const char **operands;
	size_t count = 0;
	bool two;
	int id, at;
	speak_llvm(argc, argv);
	at = find_command(argc, argv);
	if (!at)
		overview(argc, argv);
	const struct xray_command *command = find_command_named(argv[at]);
	report_set_command(command->name);
	/* Remove the command from the arguments. */
	for (int i = at; i < argc; i++)
		argv[i] = argv[i + 1];
	table_of(command->bit, table);
	struct tool tool = {
		.name = "gsym-xray",
		.command = command->name,
		.operands = command->operands,
		.summary = command->summary,
		.options = table,
		.groups = groups,
		.examples = command->examples,
		.exit_status = exit_status,
	};
	options_init(&options, &tool, argc - 1, argv);
	two = command->bit == DIFF;
	if (two)
		begin_sides(x, argc);
	operands = must_have(calloc((size_t)argc + 1, sizeof(*operands)));
	while ((id = options_next(&options)) > 0)
		keep(x, &options, &xray_choices[id - 1]);
	for (; id != OPTION_END; id = options_next(&options))
		operands[count++] = options.value;
	options_fini(&options);
	if (two)
		end_sides(x, operands, count);
	for (size_t i = 0; i < count && !two; i++)
		x->traces[x->trace_count++].path = operands[i];
	free(operands);
	check_options(x, command);
	return command;
}
