/* SPDX-License-Identifier: MIT */
/*
 * demangle/rewrite.c - C++ names without the parts that libiberty does not
 * know: those of clang 18 and later, and tags of constructors.
 *
 * Names may declare template parameters before their arguments: "TnNS_1AE" a
 * value of a type, "Tk3Any" a type with a concept, "Ty", "Tt", "Tp"; and have
 * the constraints of a template, "Q".  libiberty before 2024 knows none of
 * these in arguments, later ones not all, and LLVM prints none.  So they are
 * left out, as are tags of constructors, "C2B7abi1234".  But later parts of a
 * name refer to components of earlier ones by number (S_, S0_), also to those
 * in a declaration: so each reference becomes the text of its component.
 *
 * What is parsed is the mangling of the Itanium C++ ABI, chapter 5, as far as
 * these names use it.  Any other name is refused.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "demangle/spell.h"

enum {
	RW_COMPONENTS = 512,
	RW_POOL = 1 << 16,
	RW_DEPTH = 96,
	/* A byte of no name, in what must not be in the result. */
	RW_REFUSED = '?',
};

/* A part of a name that has a number.  Its text in the pool is "Z...E", if it
 * lies in a function, and the name itself, without the N and E around the name
 * if it is NESTED. */
struct component {
	size_t at;
	size_t lead_size, size;
	bool nested;
};

struct rewriter {
	/* The rest of the name; empty after a failure. */
	const char *at;
	bool failed, changed;
	unsigned depth;
	size_t size, pool_size, count;
	struct component components[RW_COMPONENTS];
	char pool[RW_POOL];
	char out[GSYM_DEMANGLE_MAX_NAME + 1];
};

/* Where a component begins in the output: LEAD to LEAD_END is its "Z...E". */
struct place {
	size_t lead, lead_end, name, end;
	bool nested;
};

/* ---- input and output ---------------------------------------------------- */

static void rw_fail(struct rewriter *r)
{
	r->failed = true;
	r->at = "";
}

static void rw_put(struct rewriter *r, const char *text, size_t size)
{
	if (size > GSYM_DEMANGLE_MAX_NAME - r->size) {
		rw_fail(r);
		return;
	}
	memcpy(r->out + r->size, text, size);
	r->size += size;
}

/* Copy SIZE bytes of the name. */
static void rw_copy(struct rewriter *r, size_t size)
{
	if (strnlen(r->at, size) < size) {
		rw_fail(r);
		return;
	}
	rw_put(r, r->at, size);
	if (!r->failed)
		r->at += size;
}

static bool rw_is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Whether TEXT is next. */
static bool rw_is(const struct rewriter *r, const char *text)
{
	return strncmp(r->at, text, strlen(text)) == 0;
}

/* Copy C, which has to be next. */
static void rw_expect(struct rewriter *r, char c)
{
	if (*r->at == c)
		rw_copy(r, 1);
	else
		rw_fail(r);
}

/* Copy digits, and '_'. */
static void rw_number(struct rewriter *r)
{
	rw_copy(r, strspn(r->at, "0123456789"));
	rw_expect(r, '_');
}

/* Whether the next two bytes are one of the WORDS, which have two bytes and a
 * blank each. */
static bool rw_is_one_of(const struct rewriter *r, const char *words)
{
	for (; *words; words += 3)
		if (r->at[0] == words[0] && r->at[1] == words[1])
			return true;
	return false;
}

/* Whether a declaration of a template parameter is next. */
static bool rw_is_declaration(const struct rewriter *r)
{
	return rw_is_one_of(r, "Ty Tn Tk Tt Tp ");
}

/* ---- components ---------------------------------------------------------- */

static struct place rw_here(const struct rewriter *r)
{
	return (struct place){ r->size, r->size, r->size, 0, false };
}

/* The text from P on, up to END, gets the next number. */
static void rw_remember(struct rewriter *r, const struct place *p,
			       size_t end)
{
	size_t lead = p->lead_end - p->lead, size = end - p->name;

	if (r->failed || r->count == RW_COMPONENTS ||
	    lead + size > RW_POOL - r->pool_size) {
		rw_fail(r);
		return;
	}
	r->components[r->count++] = (struct component){
		r->pool_size, lead, size, p->nested
	};
	memcpy(r->pool + r->pool_size, r->out + p->lead, lead);
	memcpy(r->pool + r->pool_size + lead, r->out + p->name, size);
	r->pool_size += lead + size;
}

/* Read "S_" or "S0_"; NULL on failure. */
static const struct component *rw_reference(struct rewriter *r)
{
	size_t index = 0;
	const char *at = r->at + 1;

	for (; rw_is_digit(*at) || (*at >= 'A' && *at <= 'Z'); at++) {
		size_t digit = (size_t)(rw_is_digit(*at) ? *at - '0'
						      : *at - 'A' + 10);

		index = 36 * index + digit;
		if (index >= RW_COMPONENTS)
			break;
	}
	index += at > r->at + 1;
	if (*at != '_' || index >= r->count) {
		rw_fail(r);
		return NULL;
	}
	r->at = at + 1;
	return &r->components[index];
}

static void rw_source_name(struct rewriter *r)
{
	size_t length = 0;
	const char *at = r->at;

	for (; rw_is_digit(*at) && length <= GSYM_DEMANGLE_MAX_NAME; at++)
		length = 10 * length + (size_t)(*at - '0');
	if (!length || length > GSYM_DEMANGLE_MAX_NAME)
		rw_fail(r);
	else
		rw_copy(r, (size_t)(at - r->at) + length);
}

/* Copy "T_" or "T0_". */
static void rw_parameter(struct rewriter *r)
{
	rw_expect(r, 'T');
	rw_number(r);
}

/* A reference at the start of a nested name, whose N is at START. */
static void rw_begin_nested(struct rewriter *r, size_t start,
				   struct place *p)
{
	const struct component *c = rw_reference(r);
	size_t size = p->name - start;
	char qualifiers[8];

	if (!c || size > sizeof(qualifiers)) {
		rw_fail(r);
		return;
	}
	memcpy(qualifiers, r->out + start, size);
	r->size = start;
	rw_put(r, r->pool + c->at, c->lead_size);
	p->lead_end = r->size;
	rw_put(r, qualifiers, size);
	p->name = r->size;
	rw_put(r, r->pool + c->at + c->lead_size, c->size);
}

/* Parts that EACH reads, up to an E. */
static void rw_up_to_end(struct rewriter *r,
				void (*each)(struct rewriter *r))
{
	while (!r->failed && *r->at != 'E')
		each(r);
	rw_expect(r, 'E');
}

/* ---- the grammar --------------------------------------------------------- */

static void type(struct rewriter *r);
static void encoding(struct rewriter *r);
static void arguments(struct rewriter *r);
static void expression(struct rewriter *r);

/* A reference as a type or a name, with its template arguments. */
static void referred(struct rewriter *r)
{
	const struct component *c = rw_reference(r);
	struct place p = rw_here(r);

	if (!c)
		return;
	rw_put(r, r->pool + c->at, c->lead_size);
	p.lead_end = r->size;
	p.nested = c->nested;
	if (c->nested)
		rw_put(r, "N", 1);
	p.name = r->size;
	rw_put(r, r->pool + c->at + c->lead_size, c->size);
	if (*r->at == 'I') {
		arguments(r);
		rw_remember(r, &p, r->size);
	}
	if (c->nested)
		rw_put(r, "E", 1);
}

/* ---- names --------------------------------------------------------------- */

/* "Ul...E_" or "Ut_" */
static void unnamed(struct rewriter *r)
{
	bool lambda = r->at[1] == 'l';

	if (!lambda && r->at[1] != 't') {
		rw_fail(r);
		return;
	}
	rw_copy(r, 2);
	/* libiberty knows these. */
	while (lambda && rw_is(r, "Ty"))
		rw_copy(r, 2);
	if (lambda)
		rw_up_to_end(r, type);
	rw_number(r);
}

static void unqualified(struct rewriter *r)
{
	bool special = rw_is_one_of(r, "C1 C2 C3 D0 D1 D2 ");

	if (*r->at == 'L')
		rw_copy(r, 1);
	if (rw_is_digit(*r->at)) {
		rw_source_name(r);
	} else if (*r->at == 'U') {
		unnamed(r);
	} else if (*r->at >= 'a' && *r->at <= 'z') {
		bool conversion = rw_is(r, "cv"), literal = rw_is(r, "li");

		rw_copy(r, 2);
		if (conversion)
			type(r);
		else if (literal)
			rw_source_name(r);
	} else if (special) {
		rw_copy(r, 2);
	} else {
		rw_fail(r);
	}
	while (*r->at == 'B') {
		size_t size = r->size;

		rw_copy(r, 1);
		rw_source_name(r);
		/* libiberty takes the first parameter for the result. */
		r->size = special ? size : r->size;
		r->changed |= special;
	}
}

/* Copy "DtEXPRE". */
static void type_of_expression(struct rewriter *r)
{
	rw_copy(r, 2);
	expression(r);
	rw_expect(r, 'E');
}

static void nested(struct rewriter *r, struct place *p)
{
	size_t start = r->size;

	*p = rw_here(r);
	rw_copy(r, 1 + strspn(r->at + 1, "rVK"));
	if (*r->at == 'R' || *r->at == 'O')
		rw_copy(r, 1);
	p->name = r->size;
	p->nested = true;
	for (bool first = true; !r->failed && *r->at != 'E'; first = false) {
		bool counts = true;

		if (rw_is_one_of(r, "Sa Sb Ss Si So Sd ")) {
			rw_copy(r, 2);
			counts = false;
		} else if (rw_is(r, "St")) {
			rw_copy(r, 2);
			unqualified(r);
		} else if (*r->at == 'S') {
			if (first)
				rw_begin_nested(r, start, p);
			else
				rw_fail(r);
			counts = false;
		} else if (*r->at == 'M') {
			rw_copy(r, 1);
			counts = false;
		} else if (*r->at == 'I') {
			arguments(r);
		} else if (*r->at == 'T') {
			rw_parameter(r);
		} else if (rw_is_one_of(r, "Dt DT ")) {
			type_of_expression(r);
		} else {
			unqualified(r);
		}
		if (counts && *r->at != 'E')
			rw_remember(r, p, r->size);
	}
	p->end = r->size;
	rw_expect(r, 'E');
}

/* "Z ENCODING E NAME", without the number that tells equal names apart, which
 * nobody prints. */
static void local(struct rewriter *r, struct place *p)
{
	struct place inner;

	*p = rw_here(r);
	rw_copy(r, 1);
	encoding(r);
	rw_expect(r, 'E');
	if (*r->at == 'd') {
		rw_copy(r, 1);
		rw_number(r);
	}
	p->lead_end = p->name = r->size;
	if (*r->at == 's') {
		rw_copy(r, 1);
		p->end = r->size;
	} else if (*r->at == 'N') {
		nested(r, &inner);
		if (inner.lead != inner.lead_end)
			rw_fail(r);
		p->name = inner.name;
		p->nested = true;
		p->end = inner.end;
	} else {
		unqualified(r);
		if (*r->at == 'I') {
			rw_remember(r, p, r->size);
			arguments(r);
		}
		p->end = r->size;
	}
	if (rw_is(r, "__"))
		r->at += 2 + strspn(r->at + 2, "0123456789");
	else if (*r->at == '_' && rw_is_digit(r->at[1]))
		r->at++;
	else
		return;
	r->at += *r->at != 0;
}

/* A name that is no reference.  P becomes its place. */
static void name(struct rewriter *r, struct place *p)
{
	if (*r->at == 'N') {
		nested(r, p);
		return;
	}
	if (*r->at == 'Z') {
		local(r, p);
		return;
	}
	*p = rw_here(r);
	if (rw_is(r, "St"))
		rw_copy(r, 2);
	unqualified(r);
	if (*r->at == 'I') {
		rw_remember(r, p, r->size);
		arguments(r);
	}
	p->end = r->size;
}

/* A name, or a reference to one. */
static void any_name(struct rewriter *r)
{
	struct place p;

	if (*r->at == 'S' && r->at[1] != 't')
		referred(r);
	else
		name(r, &p);
}

/* ---- types --------------------------------------------------------------- */

/* "F...E" */
static void function(struct rewriter *r)
{
	rw_expect(r, 'F');
	if (*r->at == 'Y')
		rw_copy(r, 1);
	while (!r->failed && *r->at != 'E' && !rw_is_one_of(r, "RE OE "))
		type(r);
	if (*r->at != 'E')
		rw_copy(r, 1);
	rw_expect(r, 'E');
}

/* A type that begins with D.  Returns whether the type has a number. */
static bool d_type(struct rewriter *r)
{
	if (rw_is_one_of(r, "Da Dc Dn Di Ds Du Dh Df Dd De ")) {
		rw_copy(r, 2);
		return false;
	}
	if (rw_is_one_of(r, "Dt DT ")) {
		type_of_expression(r);
	} else if (rw_is(r, "Dp")) {
		rw_copy(r, 2);
		type(r);
	} else if (rw_is(r, "Do")) {
		rw_copy(r, 2);
		function(r);
	} else {
		rw_fail(r);
	}
	return true;
}

/* "A10_i" or "AT__i" */
static void array(struct rewriter *r)
{
	rw_copy(r, 1);
	if (rw_is_digit(*r->at) || *r->at == '_') {
		rw_number(r);
	} else {
		expression(r);
		rw_expect(r, '_');
	}
	type(r);
}

/* A type with a number, but for names.  Returns false if the type has none. */
static bool compound(struct rewriter *r, const struct place *p)
{
	size_t qualifiers = strspn(r->at, "rVK");

	if (qualifiers || (*r->at && strchr("PROCG", *r->at))) {
		rw_copy(r, qualifiers ? qualifiers : 1);
		type(r);
		return true;
	}
	switch (*r->at) {
	case 'M':
		rw_copy(r, 1);
		type(r);
		type(r);
		return true;
	case 'A':
		array(r);
		return true;
	case 'F':
		function(r);
		return true;
	case 'D':
		return d_type(r);
	case 'T':
		rw_parameter(r);
		if (*r->at != 'I')
			return true;
		rw_remember(r, p, r->size);
		arguments(r);
		return true;
	case 'u':
		rw_copy(r, 1);
		rw_source_name(r);
		if (*r->at == 'I') {
			/* To libiberty these are arguments of the template
			 * around the type. */
			r->out[p->name] = RW_REFUSED;
			arguments(r);
		}
		return true;
	}
	if (*r->at >= 'a' && *r->at <= 'z')
		rw_copy(r, 1);
	else
		rw_fail(r);
	return false;
}

static void type(struct rewriter *r)
{
	struct place p = rw_here(r);

	if (r->depth++ == RW_DEPTH)
		rw_fail(r);
	if (rw_is_one_of(r, "Sa Sb Ss Si So Sd ")) {
		rw_copy(r, 2);
		if (*r->at == 'I') {
			arguments(r);
			rw_remember(r, &p, r->size);
		}
	} else if (*r->at == 'S' && r->at[1] != 't') {
		referred(r);
	} else if (rw_is_digit(*r->at) ||
		   (*r->at && strchr("NZSU", *r->at))) {
		name(r, &p);
		rw_remember(r, &p, p.end);
	} else if (compound(r, &p)) {
		rw_remember(r, &p, r->size);
	}
	r->depth--;
}

/* ---- template arguments -------------------------------------------------- */

/* Read a declaration. */
static void declaration(struct rewriter *r)
{
	char kind;

	if (!rw_is_declaration(r) || r->depth++ == RW_DEPTH) {
		rw_fail(r);
		return;
	}
	kind = r->at[1];
	r->at += 2;
	if (kind == 'n') {
		type(r);
	} else if (kind == 'k') {
		any_name(r);
	} else if (kind == 'p') {
		declaration(r);
	} else if (kind == 't') {
		while (rw_is_declaration(r))
			declaration(r);
		rw_expect(r, 'E');
	}
	r->depth--;
}

/* "Li5E", "L_Z1fvE" */
static void literal(struct rewriter *r)
{
	rw_copy(r, 1);
	if (rw_is(r, "_Z")) {
		rw_copy(r, 2);
		encoding(r);
	} else {
		type(r);
		rw_copy(r, strspn(r->at, "0123456789abcdefn_"));
	}
	rw_expect(r, 'E');
}

static void argument(struct rewriter *r)
{
	size_t size = r->size;

	if (r->depth++ == RW_DEPTH)
		rw_fail(r);
	while (rw_is_declaration(r)) {
		declaration(r);
		r->size = size;
		r->changed = true;
	}
	if (*r->at == 'X') {
		rw_copy(r, 1);
		expression(r);
		rw_expect(r, 'E');
	} else if (*r->at == 'L') {
		literal(r);
	} else if (*r->at == 'J') {
		rw_copy(r, 1);
		rw_up_to_end(r, argument);
	} else {
		type(r);
	}
	r->depth--;
}

/* "I...E", with a constraint perhaps. */
static void arguments(struct rewriter *r)
{
	rw_expect(r, 'I');
	while (!r->failed && *r->at != 'E' && *r->at != 'Q')
		argument(r);
	if (*r->at == 'Q') {
		size_t size = r->size;

		r->at++;
		expression(r);
		r->size = size;
		r->changed = true;
	}
	rw_expect(r, 'E');
}

/* ---- expressions --------------------------------------------------------- */

/* A name with template arguments, which have no number here. */
static void simple_name(struct rewriter *r)
{
	if (rw_is(r, "on"))
		rw_copy(r, 4);
	else
		rw_source_name(r);
	if (*r->at == 'I')
		arguments(r);
}

/* "sr3stdE7declval", "srT_5value" */
static void scoped_name(struct rewriter *r)
{
	struct place p;

	rw_copy(r, 2);
	p = rw_here(r);
	if (rw_is_digit(*r->at)) {
		rw_up_to_end(r, simple_name);
	} else if (*r->at == 'S') {
		referred(r);
	} else {
		if (*r->at == 'T')
			rw_parameter(r);
		else
			type_of_expression(r);
		rw_remember(r, &p, r->size);
		/* Compilers number the parts behind a name with template
		 * arguments in different ways. */
		if (*r->at == 'I')
			rw_fail(r);
	}
	simple_name(r);
}

/* "fp_", "fL0p_" */
static void function_parameter(struct rewriter *r)
{
	bool outer = r->at[1] == 'L';

	rw_copy(r, 2);
	if (outer) {
		rw_copy(r, strspn(r->at, "0123456789"));
		rw_expect(r, 'p');
	}
	rw_copy(r, strspn(r->at, "rVK"));
	rw_number(r);
}

/* An expression that begins with a word of two letters. */
static void operation(struct rewriter *r)
{
	static const char unary[] =
		"ps ng ad de co nt pp mm nx sp sz az te tw dl da ";
	static const char binary[] =
		"pl mi ml dv rm an or eo aS pL mI mL dV rM aN oR eO ls rs lS "
		"rS eq ne lt gt le ge ss aa oo cm pm ix ds dt pt ";
	unsigned count = rw_is_one_of(r, unary)	? 1
			 : rw_is_one_of(r, binary) ? 2
			 : rw_is(r, "qu")		? 3
						: 0;
	bool types = rw_is_one_of(r, "st at ti ");
	bool casts = rw_is_one_of(r, "dc sc cc rc cv tl ");
	bool lists = rw_is_one_of(r, "tl cl cp il ");
	bool step = rw_is_one_of(r, "pp mm "), conversion = rw_is(r, "cv");

	if (!count && !types && !casts && !lists) {
		rw_fail(r);
		return;
	}
	rw_copy(r, 2);
	if (types || casts)
		type(r);
	if ((step || conversion) && *r->at == '_') {
		rw_copy(r, 1);
		lists = conversion;
	}
	if (casts && !lists)
		count = 1;
	while (count--)
		expression(r);
	if (lists)
		rw_up_to_end(r, expression);
}

static void expression(struct rewriter *r)
{
	if (r->depth++ == RW_DEPTH)
		rw_fail(r);
	if (*r->at == 'L') {
		literal(r);
	} else if (*r->at == 'T') {
		rw_parameter(r);
	} else if (rw_is_digit(*r->at) || rw_is(r, "on")) {
		simple_name(r);
	} else if (rw_is(r, "sr")) {
		scoped_name(r);
	} else if (rw_is(r, "fp") ||
		   (rw_is(r, "fL") && rw_is_digit(r->at[2]))) {
		function_parameter(r);
	} else if (rw_is_one_of(r, "fl fr fL fR ")) {
		bool both = r->at[1] == 'L' || r->at[1] == 'R';

		rw_copy(r, 4);
		expression(r);
		if (both)
			expression(r);
	} else if (rw_is(r, "gs") || rw_is(r, "sZ")) {
		rw_copy(r, 2);
		expression(r);
	} else {
		operation(r);
	}
	r->depth--;
}

/* ---- the whole ----------------------------------------------------------- */

static void encoding(struct rewriter *r)
{
	if (r->depth++ == RW_DEPTH)
		rw_fail(r);
	if (rw_is_one_of(r, "TV TT TI TS ")) {
		rw_copy(r, 2);
		type(r);
	} else {
		if (rw_is(r, "GV"))
			rw_copy(r, 2);
		any_name(r);
		while (*r->at && !strchr("E.Q", *r->at))
			type(r);
	}
	r->depth--;
}

enum gsym_status gsym_demangle_rewrite(const char *mangled, char **ret)
{
	struct rewriter *r = calloc(1, sizeof(*r));
	enum gsym_status status = GSYM_NOT_FOUND;

	if (!r)
		return GSYM_ERR_MEMORY;
	r->at = mangled;
	rw_copy(r, 2);
	encoding(r);
	/* What the compiler adds, such as ".cold". */
	if (*r->at == '.')
		rw_copy(r, strlen(r->at));
	if (!*r->at && !r->failed && r->changed &&
	    !memchr(r->out, RW_REFUSED, r->size)) {
		*ret = strndup(r->out, r->size);
		status = *ret ? GSYM_OK : GSYM_ERR_MEMORY;
	}
	free(r);
	return status;
}
