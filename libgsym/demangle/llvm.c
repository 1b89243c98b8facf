/* SPDX-License-Identifier: MIT */
/* demangle/llvm.c - spells the names that libiberty demangles as LLVM does. */
#include "demangle/spell.h"

#include <stdlib.h>
#include <string.h>

/* Whether the text from TEXT to END ends with "operator" and SIGN. */
static bool is_operator(const char *text, const char *end, const char *sign)
{
	static const char word[] = "operator";
	size_t length = strlen(sign);
	const size_t whole = sizeof(word) - 1 + length;

	return (size_t)(end - text) >= whole &&
	       memcmp(end - whole, word, sizeof(word) - 1) == 0 &&
	       memcmp(end - length, sign, length) == 0;
}

/* Whether there is a blank at FROM that LLVM does not write.  The text before
 * it has been copied: from TEXT to TO.  LLVM writes ">>" for "> >", except in
 * "operator> >", and "operator<<" for "operator< <". */
static bool is_needless(const char *text, const char *from, const char *to)
{
	if (*from != ' ' || to == text)
		return false;
	if (from[1] == '>')
		return to[-1] == '>' && !is_operator(text, to, ">");
	return from[1] == '<' && (is_operator(text, to, "<") ||
				  is_operator(text, to, "<<"));
}

/* Remove the blanks that LLVM does not write from TEXT. */
static void close_brackets(char *text)
{
	char *to = text;

	for (const char *from = text; *from;) {
		size_t blanks = is_needless(text, from, to);
		size_t length = 1 + strcspn(from + 1, " ");

		memmove(to, from + blanks, length - blanks);
		to += length - blanks;
		from += length;
	}
	*to = 0;
}

/* Replace "decltype(nullptr)" in TEXT by "std::nullptr_t", which is shorter. */
static void name_nullptr(char *text)
{
	static const char before[] = "decltype(nullptr)";
	static const char now[] = "std::nullptr_t";

	while ((text = strstr(text, before))) {
		char *rest = text + sizeof(before) - 1;

		memcpy(text, now, sizeof(now) - 1);
		text += sizeof(now) - 1;
		memmove(text, rest, strlen(rest) + 1);
	}
}

/* Replace " [clone .isra.0] [clone .cold]" in TEXT by " (.isra.0.cold)". */
static void join_clones(char *text)
{
	static const char mark[] = " [clone ";
	const size_t length = sizeof(mark) - 1;
	char *from = strstr(text, mark), *to = from;

	if (!from)
		return;
	/* TO never overtakes FROM: the new text is shorter. */
	for (bool first = true; strncmp(from, mark, length) == 0;
	     first = false) {
		from += length;
		if (first) {
			*to++ = ' ';
			*to++ = '(';
		}
		while (*from && *from != ']')
			*to++ = *from++;
		from += *from == ']';
	}
	*to++ = ')';
	*to = 0;
}

/* Append LONGER bytes of room to *TEXT, which is freed if memory runs out. */
static enum gsym_status lengthen(char **text, size_t longer)
{
	char *moved = realloc(*text, strlen(*text) + 1 + longer);

	if (!moved)
		free(*text);
	else
		*text = moved;
	return moved ? GSYM_OK : GSYM_ERR_MEMORY;
}

/* Demangle the first LENGTH bytes of NAME, and append the rest of NAME in
 * parentheses.  GSYM_NOT_FOUND if these bytes are not mangled. */
static enum gsym_status demangle_part(const char *name, size_t length,
				      char **ret)
{
	char *part = strndup(name, length), *result = NULL;
	enum gsym_status status;

	if (!part)
		return GSYM_ERR_MEMORY;
	status = gsym_demangle_iberty(part, &result);
	free(part);
	if (status == GSYM_OK)
		status = lengthen(&result, strlen(name + length) + 3);
	if (status != GSYM_OK)
		return status;
	strcat(strcat(strcat(result, " ("), name + length), ")");
	*ret = result;
	return GSYM_OK;
}

/* Demangle NAME, which may have suffixes of the compiler such as ".cold".  To
 * LLVM everything after a dot is a suffix.  libiberty knows some suffixes of
 * C++ names, and drops those of Rust names. */
static enum gsym_status demangle_suffixed(const char *name, char **ret)
{
	enum { MOST_DOTS = 8 };
	const char *dot = strchr(name, '.');
	enum gsym_status status;

	if (name[1] == 'R' && dot)
		return demangle_part(name, (size_t)(dot - name), ret);
	status = gsym_demangle_iberty(name, ret);
	if (name[1] != 'Z')
		return status;
	for (int i = 0; dot && status == GSYM_NOT_FOUND && i < MOST_DOTS; i++) {
		status = demangle_part(name, (size_t)(dot - name), ret);
		dot = strchr(dot + 1, '.');
	}
	return status;
}

enum gsym_status gsym_demangle_llvm(const char *name, char **ret)
{
	enum gsym_status status;
	bool dot = name[0] == '.';
	char *result = NULL;

	if (dot)
		name++;
	if (name[0] == '_' && name[1] == '_')
		name++;
	/* LLVM does not demangle transaction clones. */
	if (!gsym_demangle_candidate(name) ||
	    strncmp(name, "_ZGTt", 5) == 0 || strncmp(name, "_ZGTn", 5) == 0)
		return GSYM_NOT_FOUND;
	status = demangle_suffixed(name, &result);
	/* There is one more character for the dot, and the suffix. */
	if (status == GSYM_OK &&
	    strlen(result) + 1 >= GSYM_DEMANGLE_MAX_RESULT) {
		free(result);
		return GSYM_NOT_FOUND;
	}
	if (status == GSYM_OK && dot)
		status = lengthen(&result, 1);
	if (status != GSYM_OK)
		return status;
	close_brackets(result);
	name_nullptr(result);
	join_clones(result);
	if (dot) {
		memmove(result + 1, result, strlen(result) + 1);
		result[0] = '.';
	}
	*ret = result;
	return GSYM_OK;
}
