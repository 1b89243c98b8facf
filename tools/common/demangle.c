/* SPDX-License-Identifier: MIT */
/* Demangles names with libiberty, and caches the results. */
#include "config.h"

#include "common/demangle.h"

#include <setjmp.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#ifdef HAVE_LIBIBERTY
#include <libiberty/demangle.h>
#endif

#include "common/report.h"

/* The cache is a hash table by the address of the name, with open addressing,
 * at most half full.  It starts small, for small inputs, and doubles.  When
 * the largest table is half full, or the results take too many bytes, it is
 * emptied as a whole. */
enum {
	CACHE_FIRST_BITS = 8,  /* log2 of the slots at first */
	CACHE_LAST_BITS = 16,  /* log2 of the slots at most */
	CACHE_BYTES = 16 << 20, /* bytes of results at most */
};

struct slot {
	const char *name;
	char *result; /* NULL: NAME is not mangled */
};

struct demangler {
	struct slot *slots;
	unsigned bits;  /* log2 of the number of slots */
	size_t entries; /* slots in use */
	size_t bytes;   /* bytes of all results */
	bool llvm;
};

static size_t slot_count(const struct demangler *demangler)
{
	return (size_t)1 << demangler->bits;
}

/* Make an empty table of 1 << BITS slots.  The old one is not freed. */
static void make_slots(struct demangler *demangler, unsigned bits)
{
	demangler->bits = bits;
	demangler->slots = calloc(slot_count(demangler), sizeof(struct slot));
	if (!demangler->slots)
		die("out of memory");
	demangler->entries = 0;
}

struct demangler *demangler_new(void)
{
	struct demangler *demangler = calloc(1, sizeof(*demangler));
	if (!demangler)
		die("out of memory");
	make_slots(demangler, CACHE_FIRST_BITS);
	return demangler;
}

static void empty_cache(struct demangler *demangler)
{
	for (size_t i = 0; i < slot_count(demangler); i++)
		free(demangler->slots[i].result);
	memset(demangler->slots, 0,
	       slot_count(demangler) * sizeof(*demangler->slots));
	demangler->entries = 0;
	demangler->bytes = 0;
}

void demangler_free(struct demangler *demangler)
{
	if (!demangler)
		return;
	empty_cache(demangler);
	free(demangler->slots);
	free(demangler);
}

#ifdef HAVE_LIBIBERTY

/* The output of libiberty for one name. */
struct result {
	jmp_buf too_long; /* where to go if TEXT is full */
	size_t length;
	char text[DEMANGLE_MAX_RESULT];
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
		longjmp(result->too_long, 1);
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
	if (!strstr(name, "cv"))
		return false;
	for (const char *at = name; (at = strchr(at, 'T')) != NULL;) {
		at += 1 + strspn(at + 1, base36);
		if (at[0] == '_' && at[1] == 'I')
			levels++;
	}
	return levels > MOST_LEVELS;
}

/* Demangle a Rust or C++ name; NULL if it is not one, or its result is too
 * long. */
static char *through_callback(const char *name, bool rust)
{
	struct result *result = malloc(sizeof(*result));
	if (!result)
		die("out of memory");
	char *copy = NULL;
	result->length = 0;
	if (setjmp(result->too_long) == 0) {
		const int style = DMGL_PARAMS | DMGL_ANSI | DMGL_AUTO;
		/* Without DMGL_NO_RECURSE_LIMIT libiberty refuses C++ names of
		 * more than 1024 bytes, because of deep nesting.  Names of
		 * DEMANGLE_MAX_NAME bytes take less than 1 MiB of stack. */
		int done = rust ? rust_demangle_callback(name, style, collect,
							 result)
				: cplus_demangle_v3_callback(
					  name, style | DMGL_NO_RECURSE_LIMIT,
					  collect, result);
		if (done) {
			copy = strndup(result->text, result->length);
			if (!copy)
				die("out of memory");
		}
	}
	free(result);
	return copy;
}

/*
 * Demangle a D name.  libiberty's demangler for D has no callback variant.  A
 * result can double in size with every two back references, so their number
 * is limited.
 */
static char *through_dlang(const char *name)
{
	size_t references = 0;
	for (const char *at = name; *at; at++)
		references += *at == 'Q';
	return references > 24 ? NULL : dlang_demangle(name, 0);
}

static char *demangle_any(const char *name)
{
	if (strnlen(name, DEMANGLE_MAX_NAME + 1) > DEMANGLE_MAX_NAME)
		return NULL;
	if (name[1] == 'D')
		return through_dlang(name);
	/* Rust's legacy names are valid C++ names, too: try Rust first. */
	char *result = through_callback(name, true);
	if (!result && name[1] == 'Z' && !takes_forever(name))
		result = through_callback(name, false);
	return result;
}

#else

static char *demangle_any(const char *name)
{
	(void)name;
	return NULL;
}

#endif

/* ---- LLVM's spelling -------------------------------------------------- */

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
	for (const char *from = text; *from; from++)
		if (!is_needless(text, from, to))
			*to++ = *from;
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

/* Demangle the first LENGTH bytes of NAME, and append the rest of NAME in
 * parentheses.  NULL if these bytes are not mangled. */
static char *demangle_part(const char *name, size_t length)
{
	char *part = strndup(name, length);
	char *result = part ? demangle_any(part) : NULL;
	free(part);
	if (!result)
		return NULL;
	size_t used = strlen(result);
	char *longer = realloc(result, used + strlen(name + length) + 4);
	if (!longer) {
		free(result);
		return NULL;
	}
	strcpy(stpcpy(stpcpy(longer + used, " ("), name + length), ")");
	return longer;
}

/* Demangle NAME, which may have suffixes of the compiler such as ".cold".  To
 * LLVM everything after a dot is a suffix.  libiberty knows some suffixes of
 * C++ names, and drops those of Rust names. */
static char *demangle_suffixed(const char *name)
{
	enum { MOST_DOTS = 8 };
	const char *dot = strchr(name, '.');
	if (name[1] == 'R' && dot)
		return demangle_part(name, dot - name);
	char *result = demangle_any(name);
	if (name[1] != 'Z')
		return result;
	for (int i = 0; dot && !result && i < MOST_DOTS; i++) {
		result = demangle_part(name, dot - name);
		dot = strchr(dot + 1, '.');
	}
	return result;
}

/* Demangle NAME and spell the result as LLVM does. */
static char *demangle_llvm(const char *name)
{
	bool dot = name[0] == '.';
	if (dot)
		name++;
	if (name[0] == '_' && name[1] == '_')
		name++;
	/* LLVM does not demangle transaction clones. */
	if (strncmp(name, "_ZGTt", 5) == 0 || strncmp(name, "_ZGTn", 5) == 0)
		return NULL;
	char *result =
		demangle_candidate(name) ? demangle_suffixed(name) : NULL;
	if (!result)
		return NULL;
	close_brackets(result);
	name_nullptr(result);
	join_clones(result);
	if (!dot)
		return result;
	size_t length = strlen(result);
	char *longer = malloc(length + 2);
	if (longer) {
		longer[0] = '.';
		memcpy(longer + 1, result, length + 1);
	}
	free(result);
	return longer;
}

void demangler_set_llvm(struct demangler *demangler)
{
	demangler->llvm = true;
}

char *demangle_copy(const struct demangler *demangler, const char *name)
{
	if (demangler->llvm)
		return demangle_llvm(name);
	return demangle_candidate(name) ? demangle_any(name) : NULL;
}

/* ---- the cache --------------------------------------------------------- */

/* The slot of NAME, or the free slot for it. */
static struct slot *slot_of(const struct demangler *demangler,
			    const char *name)
{
	uint64_t hash = (uint64_t)(uintptr_t)name * 0x9e3779b97f4a7c15u;
	size_t at = hash >> (64 - demangler->bits);
	while (demangler->slots[at].name && demangler->slots[at].name != name)
		at = (at + 1) % slot_count(demangler);
	return &demangler->slots[at];
}

/* Make room for another entry with a result of BYTES bytes. */
static void make_room(struct demangler *demangler, size_t bytes)
{
	size_t count = slot_count(demangler);
	bool full = demangler->entries >= count / 2;
	if (demangler->bytes + bytes > CACHE_BYTES ||
	    (full && demangler->bits == CACHE_LAST_BITS)) {
		empty_cache(demangler);
	} else if (full) {
		struct slot *old = demangler->slots;
		make_slots(demangler, demangler->bits + 1);
		for (size_t i = 0; i < count; i++)
			if (old[i].name) {
				*slot_of(demangler, old[i].name) = old[i];
				demangler->entries++;
			}
		free(old);
	}
}

/* Whether the first bytes of NAME show that it is not mangled; then the cache
 * is not needed. */
static bool is_plain(const struct demangler *demangler, const char *name)
{
	return demangler->llvm ? name[0] != '_' && name[0] != '.'
			       : !demangle_candidate(name);
}

const char *demangle(struct demangler *demangler, const char *name)
{
	if (is_plain(demangler, name))
		return name;
	const struct slot *known = slot_of(demangler, name);
	if (known->name)
		return known->result ? known->result : name;

	char *result = demangle_copy(demangler, name);
	size_t bytes = result ? strlen(result) + 1 : 0;
	make_room(demangler, bytes);
	*slot_of(demangler, name) = (struct slot){ name, result };
	demangler->entries++;
	demangler->bytes += bytes;
	return result ? result : name;
}
