/* SPDX-License-Identifier: MIT */
/* personality/choose.c - decides which program gsym-lookup is, and runs it. */
#include "config.h"

#include <string.h>

#include "common/path.h"
#include "common/report.h"
#include "personality/personality.h"

/* LLVM decides by parts of the name as well: the name may have the prefix of a
 * target and the suffix of a version, as in arm-none-eabi-addr2line-2.40. */
static enum personality by_name(const char *name)
{
	if (strstr(name, "llvm-addr2line"))
		return PERSONALITY_LLVM_ADDR2LINE;
	if (strstr(name, "eu-addr2line"))
		return PERSONALITY_REFUSED;
	if (strstr(name, "addr2line"))
		return PERSONALITY_ADDR2LINE;
	if (strstr(name, "symbolizer"))
		return PERSONALITY_LLVM_SYMBOLIZER;
	return PERSONALITY_NONE;
}

static enum personality by_option(const char *word)
{
	static const struct {
		const char *word;
		enum personality personality;
	} words[] = {
		{ "gsym", PERSONALITY_NONE },
		{ "addr2line", PERSONALITY_ADDR2LINE },
		{ "llvm-addr2line", PERSONALITY_LLVM_ADDR2LINE },
		{ "llvm-symbolizer", PERSONALITY_LLVM_SYMBOLIZER },
	};
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strcmp(word, words[i].word) == 0)
			return words[i].personality;
	return PERSONALITY_UNKNOWN;
}

enum personality choose_personality(int argc, char *const *argv, int *skip)
{
	static const char option[] = "--personality=";
	const size_t length = sizeof(option) - 1;
	*skip = 0;
	if (argc > 1 && strncmp(argv[1], option, length) == 0) {
		*skip = 1;
		return by_option(argv[1] + length);
	}
	return argc > 0 ? by_name(path_base(argv[0])) : PERSONALITY_NONE;
}

/* Whether the module of the command line cannot be used.  The programs that are
 * replaced look at it before they read a line. */
static bool is_bad_module(const struct settings *s, const struct module *m)
{
	if (s->personality != PERSONALITY_ADDR2LINE) {
		if (m->error)
			extra_note("error: '%s': %s", m->name, m->error);
		return m->error && !s->build_id;
	}
	if (m->missing && m->error)
		extra_note("'%s': No such file", m->name);
	else if (m->error)
		extra_note("%s: file format not recognized", m->name);
	else if (m->placeless)
		extra_note("%s: cannot find section %s", m->name, s->section);
	return m->error || m->placeless;
}

static int answer_all(const struct settings *s)
{
	struct answers *answers = answer_start(s);
	int status = 0;
	if (s->path || s->build_id) {
		const struct request none = { .place = PLACE_NOTHING };
		const struct answer *a = answer_get(answers, &none);
		status = is_bad_module(s, a->module);
	}
	if (!status)
		input_answer(s, answers);
	answer_end(answers);
	return status;
}

bool choose_run(int *argc, char ***argv, int *status)
{
	struct settings s = { 0 };
	int skip;
	s.personality = choose_personality(*argc, *argv, &skip);
	if (skip)
		(*argv)[1] = (*argv)[0];
	*argv += skip;
	*argc -= skip;
	if (s.personality == PERSONALITY_NONE)
		return false;
	s.argv = *argv;
	s.program = path_base(s.argv[0]);
	report_start(s.program);
	if (s.personality == PERSONALITY_UNKNOWN)
		die("--personality is gsym, addr2line, llvm-addr2line or "
		    "llvm-symbolizer");
	if (s.personality == PERSONALITY_REFUSED)
		die("the output of eu-addr2line differs from addr2line's and "
		    "is not imitated");
	extra_start(&s);
	extra_environment(&s);
	if (s.personality == PERSONALITY_ADDR2LINE)
		addr2line_settings(&s, *argc, *argv);
	else
		llvm_settings(&s, *argc, *argv);
	extra_finish(&s);
	if (s.filter_markup)
		real_run_markup(&s);
	*status = s.filter_markup ? 1 : answer_all(&s);
	extra_free(&s);
	return true;
}
