/* SPDX-License-Identifier: MIT */
/* personality/arguments.c - lists of arguments, from text and from files. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "common/file.h"
#include "common/must.h"
#include "common/report.h"
#include "personality/personality.h"

void arguments_add(struct arguments *a, const char *text, size_t length)
{
	must_reserve(a, 2);
	a->items[a->count++] = must_have(strndup(text, length));
	a->items[a->count] = NULL;
}

void arguments_add_words(struct arguments *a, const char *text)
{
	static const char blanks[] = " \t\n\v\f\r";
	while (text && *(text += strspn(text, blanks))) {
		size_t length = strcspn(text, blanks);
		arguments_add(a, text, length);
		text += length;
	}
}

/* Read the word at *AT into WORD, without its quotes and backslashes, and move
 * *AT to the end of the word.  Returns the length. */
static size_t read_word(const char **at, const char *end, char *word)
{
	size_t length = 0;
	char quote = 0;
	for (; *at < end; ++*at) {
		char c = **at;
		if (c == '\\' && *at + 1 < end) {
			word[length++] = *++*at;
		} else if (quote ? c == quote : c == '\'' || c == '"') {
			quote = quote ? 0 : c;
		} else if (!quote && strchr(" \t\n\v\f\r", c) && c) {
			break;
		} else {
			word[length++] = c;
		}
	}
	return length;
}

void arguments_add_expanded(struct arguments *a, const char *argument)
{
	size_t size = 0;
	char *bytes = NULL;
	if (argument[0] == '@')
		bytes = (char *)file_read(argument + 1, &size);
	if (!bytes) {
		arguments_add(a, argument, strlen(argument));
		return;
	}
	char *word = must_have(malloc(size + 1));
	const char *at = bytes, *end = bytes + size;
	for (;;) {
		while (at < end && *at && strchr(" \t\n\v\f\r", *at))
			at++;
		if (at == end)
			break;
		arguments_add(a, word, read_word(&at, end, word));
	}
	free(word);
	free(bytes);
}

void arguments_free(struct arguments *a)
{
	for (size_t i = 0; i < a->count; i++)
		free(a->items[i]);
	gsym_vec_fini(a);
}
