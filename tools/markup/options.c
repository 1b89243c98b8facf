/* SPDX-License-Identifier: MIT */
/* The --help of gsym-markup. */
#include "config.h"

#include <stddef.h>

#include "markup/options.h"
#include "source/source.h"

static const struct option_spec markup_options[] = {
	{ 0, 0, NULL, NULL, "Symbols" },
	OPTION_GROUP(0),
	{ OPT_MODULE, 0, "module", "FILE[@ADDRESS]",
	  "the functions of the GSYM file FILE are loaded at\n"
	  "ADDRESS, or where they were linked to; for logs that\n"
	  "do not say; repeatable" },
	{ OPT_NO_VERIFY, 0, "no-verify", NULL,
	  "use GSYM files that have another build ID" },
	{ OPT_CHECK, 0, "check", NULL,
	  "read each GSYM file whole before it is used, and do\n"
	  "not use it if it has a checksum that is wrong" },
	{ OPT_COPY, 0, "copy", NULL,
	  "read GSYM files to memory instead of mapping them" },
	{ 0, 0, NULL, NULL, "Backtraces without markup" },
	{ OPT_LOGS, 0, "logs", "[=LIST]",
	  "read all, or those of LIST: kernel, android, jvm,\n"
	  "sanitizer, glibc, systemd, generic, apple, maps,\n"
	  "strace, pytorch" },
	{ OPT_SYMBOLS, 0, "symbols", "DIR",
	  "use GSYM files below DIR by base names; repeatable" },
	{ OPT_KERNEL, 0, "kernel", "FILE",
	  "the GSYM file of the kernel, beside those of modules" },
	{ OPT_RELEASE, 0, "release", "REL",
	  "the kernel's release where the log does not say" },
	{ OPT_ROOT, 0, "root", "DIR",
	  "read build IDs of files at logged paths below DIR" },
	{ OPT_LOG_STYLE, 0, "log-style", "STYLE",
	  "default, or script: as other programs write them" },
	{ OPT_LOG_INLINES, 0, "log-inlines", "HOW", "lines, none or short" },
	{ OPT_STRIP_PREFIX, 0, "strip-prefix", "PREFIX",
	  "show files without PREFIX; auto (default): kernel's" },
	{ OPT_SOURCE_LINES, 0, "source-lines", "N",
	  "show N lines of source code, up to 20, at each place" },
	{ OPT_SOURCE_ROOT, 0, "source-root", "DIR",
	  "source code is below DIR; repeatable" },
	{ OPT_STATS, 0, "stats", NULL, "count frames, to standard error" },
	{ OPT_EXPLAIN, 0, "explain", NULL,
	  "say for each frame how it was read and which file\n"
	  "answered, or why none did, to standard error" },
	{ 0, 0, NULL, NULL, "Input" },
	{ OPT_FOLLOW, 'f', "follow", NULL,
	  "read on when FILE grows, as tail -F does" },
	{ OPT_BY_PROCESS, 0, "by-process", "[=KIND]",
	  "each process has modules of its own; KIND says how\n"
	  "lines name their process: auto (the default),\n"
	  "fuchsia, logcat, syslog, journal, sanitizer or\n"
	  "regex:ERE" },
	{ OPT_KERNEL_PROCESS, 0, "kernel-process", "PID",
	  "the process whose modules are the kernel's" },
	{ OPT_UNSUFFIXED, 0, "unsuffixed", "KIND",
	  "addresses without :ra or :pc are return addresses\n"
	  "(ra) or exact (pc)" },
	{ 0, 0, NULL, NULL, "Output" },
	{ OPT_STYLE, 0, "style", "STYLE", "default, llvm or fuchsia" },
	{ OPT_COMPAT, 0, "compat", "TOOL",
	  "llvm: write what llvm-symbolizer would; the cache is\n"
	  "not searched" },
	{ OPT_FORMAT, 0, "format", "FORMAT", "text or html" },
	{ OPT_OUTPUT_DIR, 0, "output-dir", "DIR",
	  "HTML: write a series of pages, and their index, to\n"
	  "DIR: for logs that are too large for one page" },
	{ OPT_PAGE_SIZE, 0, "page-size", "MIB",
	  "with --output-dir: a page has MIB MiB of the log;\n"
	  "default: 4" },
	{ OPT_CRASHES, 0, "crashes", "FORMAT",
	  "write each crash once, with a count: json or sarif" },
	{ OPT_COLOR, 0, "color", "[=WHEN]", "auto, always or never" },
	{ OPT_STRIP_ANSI, 0, "strip-ansi", NULL,
	  "without colour, remove every SGR sequence" },
	{ OPT_MODULE_LINES, 0, "module-lines", "WHICH", "full, short or none" },
	{ OPT_HEXDICT, 0, "hexdict", "HOW", "footnotes, inline or off" },
	{ OPT_PC_INLINES, 0, "pc-inlines", NULL,
	  "in pc elements, show the functions that the code\n"
	  "was inlined into, too" },
	{ OPT_INDENT, 0, "indent", NULL,
	  "further lines of a frame begin with blanks, not\n"
	  "with the header of the log line" },
	{ OPT_BASENAMES, 's', "basenames", NULL,
	  "show files without their folders" },
	{ OPT_NO_DEMANGLE, 0, "no-demangle", NULL,
	  "show the linkage names of code and data" },
	{ OPT_RAW_NAMES, 0, "raw-names", NULL,
	  "write control characters in names as they are" },
	{ OPT_SOURCE_URL, 0, "source-url", "TEMPLATE",
	  "HTML: link files; %f is the file, %l the line" },
	{ OPT_DUMPFILE_URL, 0, "dumpfile-url", "TEMPLATE",
	  "HTML: link dump files; %t is the type, %n the name" },
	{ OPT_TITLE, 0, "title", "TEXT", "HTML: the title of the page" },
	{ 0, 0, NULL, NULL, "Dump files" },
	{ OPT_DUMPFILE_OUTPUT, 0, "dumpfile-output", "FILE",
	  "write all dumpfile elements, with what the log said\n"
	  "about memory, as JSON" },
	{ OPT_ON_DUMPFILE, 0, "on-dumpfile", "TYPE=PROGRAM",
	  "run PROGRAM TYPE NAME for each dumpfile element of\n"
	  "type TYPE; repeatable" },
	{ 0, 0, NULL, NULL, "Messages" },
	{ OPT_STRICT, 0, "strict", NULL,
	  "exit with status 1 if the log had an error" },
	{ 0 }
};

/* What most logs need: --help has to fit on two screens. */
static const char *const usual_options[] = { "gsym-file-directory",
					     "debug-file-directory",
					     "convert",
					     "debuginfod",
					     "logs",
					     "symbols",
					     "kernel",
					     "release",
					     "follow",
					     "format",
					     "crashes",
					     "basenames",
					     NULL };

static const char *const markup_examples[] = {
	"gsym-markup <crash.log",
	"with the GSYM files below /usr/lib/debug",
	"gsym-markup --format=html crash.log >crash.html",
	"a page for a browser",
	"dmesg | gsym-markup --logs=kernel --kernel=vmlinux.gsym",
	"backtraces of the kernel",
	NULL
};

static const struct option_group *const markup_groups[] = { &source_group };

const struct tool markup_tool = {
	.name = "gsym-markup",
	.operands = "[FILE...]",
	.summary = "Show logs in the Symbolizer Markup Format with "
		   "functions, files and lines in\n"
		   "place of addresses; with --logs, other logs with "
		   "backtraces, too.",
	.options = markup_options,
	.groups = markup_groups,
	.usual = usual_options,
	.examples = markup_examples,
	.exit_status = "0 done; 1 see --strict; 2 something went wrong.",
};
