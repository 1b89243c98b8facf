/* SPDX-License-Identifier: MIT */
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

/* The cache: open addressing by the address of the name, half full at most.
 * It grows, for small inputs should not pay for a large table, and is emptied
 * as a whole when it holds too many results or too many bytes. */
enum {
	CACHE_FIRST_BITS = 8,
	CACHE_LAST_BITS = 16,
	CACHE_BYTES = 16 << 20,
};

struct slot {
	const char *name;
	char *result; /* NULL: NAME is not mangled */
};

struct demangler {
	struct slot *slots;
	unsigned bits; /* of their number */
	size_t entries;
	size_t bytes;
	bool llvm;
};

static size_t slot_count(const struct demangler *demangler)
{
	return (size_t)1 << demangler->bits;
}

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

/* What a demangler printed so far. */
struct result {
	jmp_buf too_long;
	size_t length;
	char text[DEMANGLE_MAX_RESULT];
};

/*
 * libiberty hands its output over piece by piece and cannot be told to
 * stop, and back references make names of a few hundred bytes describe
 * results of any size.  Its callback variants keep their state on the stack,
 * so leaving them by longjmp loses nothing.
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
 * What follows a template parameter within the type of a conversion operator
 * may be the parameter's arguments or the operator's: libiberty reads it as the
 * one, and again as the other.  So each level doubles the time, and a name of
 * 200 bytes takes longer than anybody waits.  Real names have few levels.
 */
static bool takes_forever(const char *name)
{
	enum { MOST_LEVELS = 16 };
	int levels = 0;
	if (!strstr(name, "cv"))
		return false;
	for (const char *at = name; (at = strchr(at, 'T')) != NULL;) {
		at += 1 + strspn(at + 1, "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ");
		if (at[0] == '_' && at[1] == 'I')
			levels++;
	}
	return levels > MOST_LEVELS;
}

static char *through_callback(const char *name, bool rust)
{
	struct result *result = malloc(sizeof(*result));
	if (!result)
		return NULL;
	char *copy = NULL;
	result->length = 0;
	if (setjmp(result->too_long) == 0) {
		const int style = DMGL_PARAMS | DMGL_ANSI | DMGL_AUTO;
		/* With their limit C++ names of more than 1024 bytes would
		 * stay as they are, for fear of deep nesting; but ours have a
		 * bound of their own, for which 1 MiB of stack is enough. */
		int done = rust ? rust_demangle_callback(name, style, collect,
							 result)
				: cplus_demangle_v3_callback(
					  name, style | DMGL_NO_RECURSE_LIMIT,
					  collect, result);
		if (done)
			copy = strndup(result->text, result->length);
	}
	free(result);
	return copy;
}

/*
 * The D demangler has no callback variant.  Each level of a result that
 * doubles takes two back references, so few of them bound its size.
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
	/* Rust's older names are C++ names with a hash; try Rust first. */
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

/* Does the text before END end with "operator" and SIGN? */
static bool is_operator(const char *text, const char *end, const char *sign)
{
	static const char word[] = "operator";
	size_t length = strlen(sign);
	const size_t whole = sizeof(word) - 1 + length;
	return (size_t)(end - text) >= whole &&
	       memcmp(end - whole, word, sizeof(word) - 1) == 0 &&
	       memcmp(end - length, sign, length) == 0;
}

/* Is the blank at FROM, behind what stands before TO, one that LLVM does not
 * write?  "> >" becomes ">>", but not within "operator> >"; "operator< <"
 * becomes "operator<<". */
static bool is_needless(const char *text, const char *from, const char *to)
{
	if (*from != ' ' || to == text)
		return false;
	if (from[1] == '>')
		return to[-1] == '>' && !is_operator(text, to, ">");
	return from[1] == '<' && (is_operator(text, to, "<") ||
				  is_operator(text, to, "<<"));
}

/* In place. */
static void close_brackets(char *text)
{
	char *to = text;
	for (const char *from = text; *from; from++)
		if (!is_needless(text, from, to))
			*to++ = *from;
	*to = 0;
}

/* "decltype(nullptr)" becomes "std::nullptr_t", which is shorter.  In place. */
static void name_nullptr(char *text)
{
	static const char before[] = "decltype(nullptr)";
	static const char now[] = "std::nullptr_t";
	while ((text = strstr(text, before))) {
		char *behind = text + sizeof(before) - 1;
		memcpy(text, now, sizeof(now) - 1);
		text += sizeof(now) - 1;
		memmove(text, behind, strlen(behind) + 1);
	}
}

/* " [clone .isra.0] [clone .cold]" becomes " (.isra.0.cold)".  In place. */
static void join_clones(char *text)
{
	static const char mark[] = " [clone ";
	const size_t length = sizeof(mark) - 1;
	char *from = strstr(text, mark), *to = from;
	if (!from)
		return;
	/* What is written is never longer than what was read. */
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

/* The LENGTH bytes of NAME demangled, and the rest in parentheses. */
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

/* To LLVM everything behind a dot is what a compiler appended; libiberty
 * knows some of it, and leaves it out of Rust's names. */
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

static char *demangle_llvm(const char *name)
{
	bool dot = name[0] == '.';
	if (dot)
		name++;
	if (name[0] == '_' && name[1] == '_')
		name++;
	/* Clones for transactions, which LLVM leaves as they are. */
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

/* The slot of NAME, or the free one where it belongs. */
static struct slot *slot_of(const struct demangler *demangler,
			    const char *name)
{
	uint64_t hash = (uint64_t)(uintptr_t)name * 0x9e3779b97f4a7c15u;
	size_t at = hash >> (64 - demangler->bits);
	while (demangler->slots[at].name && demangler->slots[at].name != name)
		at = (at + 1) % slot_count(demangler);
	return &demangler->slots[at];
}

/* Room for another entry. */
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

/* Also in LLVM's spelling most names of C are seen to be plain at once. */
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
