/* SPDX-License-Identifier: MIT */
/*
 * demangle/spell.c - demangles names with libiberty, within bounds of time and
 * memory that libiberty does not keep; spells the result as LLVM does.
 */
#include "config.h"

#include "demangle/spell.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- libiberty ----------------------------------------------------------- */

#ifdef HAVE_LIBIBERTY

#include <libiberty/demangle.h>
#include <setjmp.h>

/* Why libiberty was left by longjmp. */
enum { TOO_LONG = 1, NO_MEMORY };

/* Where libiberty's allocations of this thread go if memory runs out. */
static _Thread_local jmp_buf *escape;

/*
 * libiberty's own xmalloc and xrealloc end the process if memory runs out.
 * These take their place.  They are weak: a program that is linked with
 * libiberty itself may have libiberty's.
 */
void *xmalloc(size_t size);
void *xrealloc(void *old, size_t size);

static void *or_escape(void *memory)
{
	if (memory)
		return memory;
	/* Another user of libiberty, whose own functions would end the process,
	 * too. */
	if (!escape)
		abort();
	longjmp(*escape, NO_MEMORY);
}

__attribute__((weak)) void *xmalloc(size_t size)
{
	return or_escape(malloc(size ? size : 1));
}

__attribute__((weak)) void *xrealloc(void *old, size_t size)
{
	return or_escape(realloc(old, size ? size : 1));
}

/* The output of libiberty for one name. */
struct result {
	jmp_buf escape;
	size_t length;
	char text[GSYM_DEMANGLE_MAX_RESULT];
};

/*
 * Append a piece of output to the result at OPAQUE.  A mangled name of a few
 * hundred bytes can stand for a result of any size, by back references, and
 * libiberty has no way to be stopped.  The callback variants of its functions
 * keep all state on the stack, so leaving them by longjmp leaks nothing.
 */
static void collect(const char *piece, size_t length, void *opaque)
{
	struct result *result = opaque;

	if (length >= sizeof(result->text) - result->length)
		longjmp(result->escape, TOO_LONG);
	/* An empty piece may be NULL. */
	if (length)
		memcpy(result->text + result->length, piece, length);
	result->length += length;
}

/*
 * Returns true if libiberty's time for NAME could grow without bound.  If a
 * conversion operator has a template parameter as its type, template arguments
 * after it belong to the parameter or to the operator, and libiberty tries
 * both.  So each level of nesting doubles the time.  Real names have few
 * levels.
 */
static bool takes_forever(const char *name)
{
	static const char base36[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
	enum { MOST_LEVELS = 16 };
	int levels = 0;

	for (const char *at = strstr(name, "cv") ? name : "";
	     (at = strchr(at, 'T')) != NULL;) {
		at += 1 + strspn(at + 1, base36);
		if (at[0] == '_' && at[1] == 'I')
			levels++;
	}
	return levels > MOST_LEVELS;
}

/* Demangle a Rust or C++ name to RESULT; false if NAME is not one.  Without
 * DMGL_NO_RECURSE_LIMIT libiberty refuses C++ names of more than 1024 bytes,
 * because of deep nesting.  Names of GSYM_DEMANGLE_MAX_NAME bytes take less
 * than 1 MiB of stack. */
static bool call_back(const char *name, bool rust, struct result *result)
{
	const int style = DMGL_PARAMS | DMGL_ANSI | DMGL_AUTO;

	return rust ? rust_demangle_callback(name, style, collect, result) :
		      cplus_demangle_v3_callback(name,
						 style | DMGL_NO_RECURSE_LIMIT,
						 collect, result);
}

/* Demangle a Rust or C++ name.  GSYM_NOT_FOUND: NAME is not one, or beyond a
 * bound. */
static enum gsym_status through_callback(const char *name, bool rust,
					 char **ret)
{
	enum gsym_status status = GSYM_NOT_FOUND;
	struct result *result;

	if (!rust && takes_forever(name))
		return status;
	result = malloc(sizeof(*result));
	if (!result)
		return GSYM_ERR_MEMORY;
	result->length = 0;
	escape = &result->escape;
	switch (setjmp(result->escape)) {
	case 0:
		if (call_back(name, rust, result)) {
			*ret = strndup(result->text, result->length);
			status = *ret ? GSYM_OK : GSYM_ERR_MEMORY;
		}
		break;
	case NO_MEMORY:
		status = GSYM_ERR_MEMORY;
		break;
	}
	escape = NULL;
	free(result);
	return status;
}

/*
 * Demangle a D name.  libiberty's demangler for D has no callback variant.  A
 * result can double in size with every two back references, so their number
 * is limited.
 */
static enum gsym_status through_dlang(const char *name, char **ret)
{
	enum { MOST_REFERENCES = 24 };
	enum gsym_status status = GSYM_ERR_MEMORY;
	size_t references = 0;
	jmp_buf here;

	for (const char *at = name; *at; at++)
		references += *at == 'Q';
	if (references > MOST_REFERENCES)
		return GSYM_NOT_FOUND;
	escape = &here;
	if (setjmp(here) == 0) {
		*ret = dlang_demangle(name, 0);
		status = *ret && strlen(*ret) < GSYM_DEMANGLE_MAX_RESULT
				 ? GSYM_OK
				 : GSYM_NOT_FOUND;
		if (status != GSYM_OK)
			free(*ret);
	}
	escape = NULL;
	return status;
}

/* Whether NAME may have what gsym_demangle_rewrite leaves out: a quick test. */
static bool may_be_rewritten(const char *name)
{
	for (; (name = strpbrk(name, "TQ")); name++)
		if (*name == 'Q' || (name[1] && strchr("yntkp", name[1])))
			return true;
	return false;
}

/* Whether NAME may have a constructor or destructor with a tag, "C2B7abi1234":
 * a quick test. */
static bool is_tagged(const char *name)
{
	for (; (name = strpbrk(name, "CD")); name++)
		if (name[1] >= '0' && name[1] <= '3' && name[2] == 'B')
			return true;
	return false;
}

/* Demangle a C++ name with parts that libiberty does not know. */
static enum gsym_status through_rewriting(const char *name, char **ret)
{
	char *rewritten;
	enum gsym_status status = gsym_demangle_rewrite(name, &rewritten);

	if (status != GSYM_OK)
		return status;
	status = through_callback(rewritten, false, ret);
	free(rewritten);
	return status;
}

enum gsym_status gsym_demangle_iberty(const char *name, char **ret)
{
	enum gsym_status status;

	if (strnlen(name, GSYM_DEMANGLE_MAX_NAME + 1) > GSYM_DEMANGLE_MAX_NAME)
		return GSYM_NOT_FOUND;
	if (name[1] == 'D')
		return through_dlang(name, ret);
	/* Rust's legacy names, which end with a hash, "17h0123456789abcdefE",
	 * are valid C++ names, too: try Rust first. */
	status = name[1] == 'R' || strstr(name, "17h")
			 ? through_callback(name, true, ret)
			 : GSYM_NOT_FOUND;
	if (name[1] != 'Z')
		return status;
	if (status == GSYM_NOT_FOUND && is_tagged(name))
		status = through_rewriting(name, ret);
	if (status == GSYM_NOT_FOUND)
		status = through_callback(name, false, ret);
	if (status == GSYM_NOT_FOUND && may_be_rewritten(name))
		status = through_rewriting(name, ret);
	return status;
}

#else

enum gsym_status gsym_demangle_iberty(const char *name, char **ret)
{
	(void)name, (void)ret;
	return GSYM_NOT_FOUND;
}

#endif

/* ---- LLVM's spelling ----------------------------------------------------- */

/* Whether TEXT up to AT ends with END. */
static bool ends_with(const char *text, const char *at, const char *end)
{
	size_t length = strlen(end);

	return (size_t)(at - text) >= length &&
	       memcmp(at - length, end, length) == 0;
}

/* Whether the text from TEXT to END ends with "operator" and SIGN. */
static bool is_operator(const char *text, const char *end, const char *sign)
{
	return ends_with(text, end, sign) &&
	       ends_with(text, end - strlen(sign), "operator");
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

/* Replace BEFORE in TEXT by NOW, which is shorter. */
static void replace(char *text, const char *before, const char *now)
{
	size_t size, length = strlen(now);
	char *to = text, *found;

	for (; (found = strstr(text, before)); text = found + strlen(before)) {
		size = (size_t)(found - text);
		memmove(to, text, size);
		memcpy(to + size, now, length);
		to += size + length;
	}
	memmove(to, text, strlen(text) + 1);
}

/* Remove empty arguments of templates from TEXT: "f<, int, , 3>". */
static void drop_empty_arguments(char *text)
{
	char *to = text;

	for (const char *from = text; *from; from++) {
		bool first = to > text && to[-1] == '<' &&
			     !is_operator(text, to, "<") &&
			     !is_operator(text, to, "<<");
		bool next = to - text > 1 && memcmp(to - 2, ", ", 2) == 0;

		if ((first || next) && memcmp(from, ", ", 2) == 0)
			from++;
		else
			*to++ = *from;
	}
	*to = 0;
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

/* The length of "#N}" right before AT in TEXT; 0: there is none.  *NUMBER
 * becomes N. */
static size_t count_before(const char *text, const char *at, unsigned *number)
{
	const char *from = at - 1;

	if (from < text || *from != '}')
		return 0;
	while (from > text && from[-1] >= '0' && from[-1] <= '9')
		from--;
	if (from == at - 1 || from == text || from[-1] != '#')
		return 0;
	*number = (unsigned)strtoul(from, NULL, 10);
	return (size_t)(at - from) + 1;
}

/* Write the name of the NUMBERth unnamed type that is a WORD before TO, as LLVM
 * does: 'lambda', 'lambda0', 'lambda1'.  Returns its start. */
static char *write_unnamed(char *to, const char *word, unsigned number)
{
	char name[40];
	int size = number > 1 ? snprintf(name, sizeof(name), "'%s%u'", word,
					 number - 2)
			      : snprintf(name, sizeof(name), "'%s'", word);

	return memcpy(to - size, name, (size_t)size);
}

/* Replace "{lambda(auto:1)#2}" in TEXT by "'lambda0'(auto:1)", and "{unnamed
 * type#2}" by "'unnamed0'".  This goes from the end to the start, because a
 * lambda has its number at its end.  What is written is never longer than what
 * was read. */
static void name_unnamed(char *text)
{
	enum { MOST = 64 };
	static const char lambda[] = "{lambda(", unnamed[] = "{unnamed type";
	char *end = text + strlen(text), *at = end, *to = end;
	unsigned counts[MOST], depth = 0, number;
	size_t lambdas = 0;

	for (const char *p = text; (p = strstr(p, ")#")); p += 2)
		lambdas++;
	if (lambdas > MOST)
		return;
	while (at > text) {
		size_t length = count_before(text, at, &number);

		if (length && ends_with(text, at - length, ")")) {
			counts[depth++] = number;
			at -= length;
		} else if (length && ends_with(text, at - length, unnamed)) {
			at -= length + sizeof(unnamed) - 1;
			to = write_unnamed(to, "unnamed", number);
		} else if (depth && ends_with(text, at, lambda)) {
			at -= sizeof(lambda) - 1;
			*--to = '(';
			to = write_unnamed(to, "lambda", counts[--depth]);
		} else {
			*--to = *--at;
		}
	}
	memmove(text, to, (size_t)(end - to) + 1);
}

/* Replace "auto:1" in TEXT, the type of a parameter of a lambda, by "auto". */
static void drop_auto_numbers(char *text)
{
	static const char word[] = "auto:";

	while ((text = strstr(text, word))) {
		char *rest = text += sizeof(word) - 1;

		while (*rest >= '0' && *rest <= '9')
			rest++;
		if (rest != text)
			memmove(text - 1, rest, strlen(rest) + 1);
	}
}

/* Whether LLVM leaves out a parenthesis between TO, the end of TEXT so far, and
 * BEGIN: around an operand of '&' or '!' that is a template argument and begins
 * with a name.  libiberty writes "<&(f(int)), !(is_same<A, B>)>". */
static bool is_needless_parenthesis(const char *text, const char *to,
				    char begin)
{
	bool first = to - text > 1 && to[-2] == '<';
	bool next = to - text > 2 && to[-2] == ' ' && to[-3] == ',';

	return (first || next) && (to[-1] == '&' || to[-1] == '!') &&
	       (begin == '_' || ((begin | 32) >= 'a' && (begin | 32) <= 'z'));
}

/* Remove the parentheses that LLVM leaves out from TEXT. */
static void drop_parentheses(char *text)
{
	enum { MOST = 64 };
	bool dropped[MOST];
	size_t depth = 0;
	char *to = text;

	for (const char *from = text; *from; from++) {
		bool drop = false;

		if (*from == '(') {
			drop = depth < MOST &&
			       is_needless_parenthesis(text, to, from[1]);
			if (depth < MOST)
				dropped[depth] = drop;
			depth++;
		} else if (*from == ')' && depth) {
			depth--;
			drop = depth < MOST && dropped[depth];
		}
		if (!drop)
			*to++ = *from;
	}
	*to = 0;
}

/* Replace "{parm#1}" in TEXT, a parameter in a decltype, by "fp", "{parm#2}" by
 * "fp0" and so on. */
static void name_parameters(char *text)
{
	static const char before[] = "{parm#";
	char *to = text, *from = text, *found;

	while ((found = strstr(from, before))) {
		size_t length = (size_t)(found - from);
		bool has_number = isdigit(
			(unsigned char)found[sizeof(before) - 1]);
		unsigned long number;

		/* A name may have any bytes: strtoul takes a sign. */
		if (!has_number)
			length += sizeof(before) - 1;
		memmove(to, from, length);
		to += length;
		from += length;
		if (!has_number)
			continue;
		number = strtoul(found + sizeof(before) - 1, &from, 10);
		/* The new text is shorter: a number has no more digits than the
		 * next one. */
		to += number > 1 ? sprintf(to, "fp%lu", number - 2)
				 : sprintf(to, "fp");
		from += *from == '}';
	}
	memmove(to, from, strlen(from) + 1);
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
	replace(result, "decltype(nullptr)", "std::nullptr_t");
	/* "<&(u8, u8)>" is a reference to a tuple of Rust. */
	if (name[1] == 'Z' && !strstr(name, "17h")) {
		replace(result, "decltype (", "decltype(");
		drop_empty_arguments(result);
		name_parameters(result);
		drop_parentheses(result);
	}
	name_unnamed(result);
	drop_auto_numbers(result);
	join_clones(result);
	if (dot) {
		memmove(result + 1, result, strlen(result) + 1);
		result[0] = '.';
	}
	*ret = result;
	return GSYM_OK;
}
