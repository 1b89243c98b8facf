/* SPDX-License-Identifier: MIT */
/* Functions by name: record by record, or with an index; functions by the
 * readable forms of their names. */
#include "config.h"

#include "common/names.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/order.h"
#include "common/report.h"

/* The number of names that are searched without an index.  In a kernel, making
 * the index takes 12 ms, and a search through all records 3 ms. */
enum { NAMES_WITHOUT_INDEX = 4 };

static bool find_slowly(const struct gsym_reader *reader, const char *name,
			size_t size, uint32_t from, uint32_t *index)
{
	char *copy;
	bool found;

	if (memchr(name, 0, size))
		return false;
	copy = must_have(strndup(name, size));
	found = gsym_find_function(reader, copy, from, index) == GSYM_OK;
	free(copy);
	return found;
}

bool names_find(struct names *names, const struct gsym_reader *reader,
		const char *name, size_t size, uint32_t from, uint32_t *index)
{
	if (!reader)
		return false;
	/* A search with a FROM reads only records that the search before it did
	 * not read, so both count as one. */
	if (!from && !names->index &&
	    (names->many || ++names->searched > NAMES_WITHOUT_INDEX))
		must(gsym_name_index_new(reader, &names->index, NULL) ==
		     GSYM_OK);
	return names->index ?
		gsym_name_index_find(names->index, name, size, from, index) ==
			GSYM_OK :
		find_slowly(reader, name, size, from, index);
}

/* ---- readable names ---------------------------------------------------- */

/* The bytes of names that are demangled for an index, as a multiple of the
 * bytes of a file's strings.  Names of hostile files may share their bytes. */
enum { READABLE_SHARE = 4 };

/* Where the parameters of the readable name TEXT begin, or TEXT's end. */
static size_t parameters_of(const char *text)
{
	const char *end = strrchr(text, ')');
	size_t depth = 0;

	for (const char *at = end; at && at > text; at--) {
		depth += *at == ')';
		if (*at == '(' && --depth == 0)
			return (size_t)(at - text);
	}
	return strlen(text);
}

/* Where the name of a function begins in TEXT up to END: the readable form of a
 * template has its return type before it. */
static size_t start_of(const char *text, size_t end)
{
	size_t depth = 0, start = 0;

	if (memmem(text, end, "operator", 8))
		return 0;
	for (size_t i = 0; i < end; i++) {
		if (strchr("<({[", text[i]))
			depth++;
		else if (strchr(">)}]", text[i]) && depth)
			depth--;
		else if (text[i] == ' ' && !depth)
			start = i + 1;
	}
	return start;
}

/* The readable names of READER's functions, one after the other. */
struct readable {
	const struct gsym_reader *reader;
	/* Also names that are not mangled. */
	bool all;
	uint32_t next;
	/* The bytes of names that may still be demangled. */
	uint64_t left;
	/* The function, and the readable form of its name, malloc'ed. */
	uint32_t index;
	char *text;
};

static struct readable readable_start(const struct gsym_reader *reader)
{
	struct readable r = { .reader = reader };
	struct gsym_header header;

	if (gsym_get_header(reader, &header) == GSYM_OK)
		r.left = header.sections[GSYM_SECTION_STRINGS].size *
			 READABLE_SHARE;
	return r;
}

/* Go to the next function, one with a mangled name unless R->all; false after
 * the last one. */
static bool readable_next(struct readable *r)
{
	struct gsym_function function;

	free(r->text);
	r->text = NULL;
	while (!r->text && r->next < gsym_function_count(r->reader)) {
		r->index = r->next++;
		if (gsym_function_at(r->reader, r->index, &function, NULL) !=
		    GSYM_OK)
			continue;
		size_t size = strlen(function.name);
		if (size > r->left)
			return false;
		r->left -= size;
		r->text = demangle_copy(0, function.name);
		if (!r->text && r->all)
			r->text = must_have(strndup(function.name, size));
	}
	return r->text;
}

static uint64_t hash_of(const struct names *names, const char *text,
			size_t size)
{
	return gsym_hash_bytes((uintptr_t)names, text, size);
}

static void add_readable(struct names *names, uint32_t index, const char *text,
			 size_t size)
{
	*must_push(&names->readable) = (struct gsym_sort_item){
		.key = hash_of(names, text, size), .index = index
	};
}

/* Demangle all names of READER, and keep their hashes. */
static void read_names(struct names *names, const struct gsym_reader *reader)
{
	struct readable r = readable_start(reader);
	struct gsym_sort_item *scratch;
	size_t count;

	names->read = true;
	while (readable_next(&r)) {
		size_t end = parameters_of(r.text);
		size_t start = start_of(r.text, end);

		add_readable(names, r.index, r.text, strlen(r.text));
		add_readable(names, r.index, r.text + start, end - start);
	}
	count = names->readable.count;
	if (!count)
		return;
	scratch = must_have(calloc(count, sizeof(*scratch)));
	gsym_sort_by_key(names->readable.items, count, scratch);
	free(scratch);
}

/* Whether the function at INDEX has the readable name TEXT, with or without
 * parameters. */
static bool has_readable(const struct gsym_reader *reader, uint32_t index,
			 const char *text, size_t size)
{
	struct gsym_function function;
	bool same;
	char *name;
	size_t end, start;

	if (gsym_function_at(reader, index, &function, NULL) != GSYM_OK)
		return false;
	name = demangle_copy(0, function.name);
	if (!name)
		return false;
	end = parameters_of(name);
	start = start_of(name, end);
	same = (strlen(name) == size && memcmp(name, text, size) == 0) ||
	       (end - start == size && memcmp(name + start, text, size) == 0);
	free(name);
	return same;
}

/* Whether ITEM lies behind all functions that have another HASH, or an index
 * below FROM. */
static bool is_from(const struct gsym_sort_item *item, uint64_t hash,
		    uint32_t from)
{
	return item->key > hash || (item->key == hash && item->index >= from);
}

bool names_find_readable(struct names *names, const struct gsym_reader *reader,
			 const char *text, size_t size, uint32_t from,
			 uint32_t *index)
{
	uint64_t hash = hash_of(names, text, size);

	if (!reader || !size)
		return false;
	if (!names->read)
		read_names(names, reader);
	for (size_t i = GSYM_FIRST(k, 0, names->readable.count,
				   is_from(&names->readable.items[k], hash,
					   from));
	     i < names->readable.count && names->readable.items[i].key == hash;
	     i++) {
		*index = names->readable.items[i].index;
		if (has_readable(reader, *index, text, size))
			return true;
	}
	return false;
}

/* ---- names that are near ------------------------------------------------ */

static size_t least(size_t a, size_t b)
{
	return a < b ? a : b;
}

enum { DISTANCE_MAX = 32 };

/* How many characters to insert, delete, replace, or swap with their neighbour
 * to make the COUNT bytes at NAME of the LENGTH bytes at TEXT; SIZE_MAX if one
 * of them has DISTANCE_MAX bytes or more. */
static size_t distance_of(const char *text, size_t length, const char *name,
			  size_t count)
{
	size_t rows[3][DISTANCE_MAX];

	if (length >= DISTANCE_MAX || count >= DISTANCE_MAX)
		return SIZE_MAX;
	for (size_t k = 0; k <= count; k++)
		rows[0][k] = k;
	for (size_t i = 1; i <= length; i++) {
		size_t *now = rows[i % 3], *before = rows[(i + 2) % 3];

		now[0] = i;
		for (size_t k = 1; k <= count; k++) {
			bool same = text[i - 1] == name[k - 1];

			now[k] = least(before[k - 1] + !same,
				       least(before[k], now[k - 1]) + 1);
			if (i > 1 && k > 1 && text[i - 1] == name[k - 2] &&
			    text[i - 2] == name[k - 1])
				now[k] = least(now[k],
					       rows[(i + 1) % 3][k - 2] + 1);
		}
	}
	return rows[length % 3][count];
}

bool names_nearer(const char *text, size_t length, const char *name,
		  size_t *changes)
{
	size_t distance = distance_of(text, length, name, strlen(name));

	if (distance >= *changes)
		return false;
	*changes = distance;
	return true;
}

/* The last part of the readable name TEXT up to END: "buy" of "shop::buy". */
static const char *last_part(const char *text, size_t end, size_t *size)
{
	size_t start = start_of(text, end);

	for (size_t i = start; i + 1 < end; i++)
		if (text[i] == ':' && text[i + 1] == ':')
			start = i + 2;
	*size = end - start;
	return text + start;
}

bool names_near(const struct gsym_reader *reader, const char *name, size_t size,
		char text[NAMES_NEAR_SIZE])
{
	struct readable r = readable_start(reader);
	char *copy = must_have(strndup(name, size));
	size_t length, used = 0, count = 0;
	const char *part = last_part(copy, parameters_of(copy), &length);

	r.all = true;
	while (count < NAMES_NEAR && readable_next(&r)) {
		size_t other_length, written = strlen(r.text);
		const char *other = last_part(r.text, parameters_of(r.text),
					      &other_length);

		if (distance_of(part, length, other, other_length) >
			    length / 3 ||
		    written + 2 >= NAMES_NEAR_SIZE - used)
			continue;
		used += (size_t)snprintf(text + used, NAMES_NEAR_SIZE - used,
					 "%s%s", count++ ? ", " : "", r.text);
	}
	free(r.text);
	free(copy);
	return count > 0;
}

/* ---- base names ---------------------------------------------------------- */

size_t names_stem(const char *name)
{
	static const char *const marks[] = { ".isra.", ".constprop.",
					     ".part.", ".llvm.",
					     ".cold",  ".lto_priv." };
	const char *end = strstr(name, " [clone ");
	size_t length = end ? (size_t)(end - name) : strlen(name);

	for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]); i++) {
		const char *at = strstr(name, marks[i]);

		if (at && at != name && (size_t)(at - name) < length)
			length = (size_t)(at - name);
	}
	return length;
}

/* Whether a template argument begins at AT, behind "operator<<".  Then the
 * operator is "<": LLVM writes "operator<" and "<int>" without a blank. */
static bool is_argument(const char *at)
{
	static const char scope[] = "(anonymous namespace)";

	return !strchr("([< ", *at) ||
	       strncmp(at, scope, sizeof(scope) - 1) == 0;
}

/* The bytes of "operator" and its sign at AT: "operator()"; 0 if there is no
 * operator. */
static size_t operator_length(const char *at)
{
	/* Those that begin with others first. */
	static const char *const signs[] = {
		"<=>", "<<=", ">>=", "->*", "\"\" ", "()", "[]", "<<",
		">>",  "<=",  ">=",  "==",  "!=",	 "&&", "||", "++",
		"--",  "->",  "+=",  "-=",  "*=",	 "/=", "%=", "^=",
		"&=",  "|=",
	};
	static const char word[] = "operator";
	const char *sign = at + sizeof(word) - 1;

	if (strncmp(at, word, sizeof(word) - 1) != 0 || *sign == '_' ||
	    (*sign >= '0' && *sign <= '9') ||
	    ((*sign | 32) >= 'a' && (*sign | 32) <= 'z'))
		return 0;
	for (size_t i = 0; i < sizeof(signs) / sizeof(signs[0]); i++)
		if (strncmp(sign, signs[i], strlen(signs[i])) == 0 &&
		    !(strcmp(signs[i], "<<") == 0 && is_argument(sign + 2)))
			return sizeof(word) - 1 + strlen(signs[i]);
	return sizeof(word) - 1 + (strchr("+-*/%^&|~!=<>,", *sign) && *sign);
}

/* Whether a qualifier or suffix of a function may follow at AT. */
static bool is_after_parameters(const char *at)
{
	return strchr("([&", *at) || strncmp(at, "const", 5) == 0 ||
	       strncmp(at, "volatile", 8) == 0;
}

/* Whether AT, behind a parenthesis, begins with a declarator: "(*f(int))(char)"
 * or "(S::*f(int))[3]", where f is the function. */
static bool is_declarator(const char *at)
{
	size_t word = strcspn(at, "(<{[ )");

	return *at == '*' || *at == '&' ||
	       memmem(at, word, "::*", 3) != NULL;
}

/* The base name in TEXT: from the result to *END.  *SCOPE is where the scopes
 * before it begin, behind the type of the result. */
static const char *find_base(const char *text, const char **end,
			     const char **scope)
{
	const char *start = text, *at = text;
	/* Before the parameters, of which there are none yet if it is NULL. */
	const char *stop = NULL;
	size_t depth = 0, sign;
	/* A conversion, "operator T", has a type in the place of a sign. */
	bool is_operator = false, is_conversion = false;

	*scope = text;
	for (; *at; at++) {
		if (depth) {
			depth += strchr("<({[", *at) != NULL;
			depth -= strchr(">)}]", *at) != NULL;
		} else if (!stop && !is_operator &&
			   (sign = operator_length(at))) {
			start = at;
			at += sign - 1;
			is_operator = true;
			is_conversion = at[1] == ' ';
		} else if (!stop && strncmp(at, "::<", 3) == 0) {
			/* Rust's arguments: "f::<T>". */
			stop = at++;
		} else if (at[0] == ':' && at[1] == ':' &&
			   !(is_conversion && !stop)) {
			start = ++at + 1;
			stop = NULL;
			is_operator = is_conversion = false;
		} else if (*at == ' ' && !is_operator &&
			   !(stop && is_after_parameters(at + 1))) {
			*scope = start = at + 1;
			stop = NULL;
		} else if (at == start && at != text &&
			   (*at == '*' || *at == '&' ||
			    (*at == '(' && is_declarator(at + 1)))) {
			/* Part of the type of the result. */
			*scope = start = at + 1;
		} else if (strchr("<({[", *at)) {
			/* Only the last parentheses of
			 * "operator void (S::*)()()" are the parameters. */
			if (*at == '(' && at != start &&
			    (!stop || (is_conversion && at[-1] == ')')))
				stop = at;
			depth++;
		}
	}
	*end = stop ? stop : at;
	return start;
}

void names_base(const char *text, char *to)
{
	const char *end, *scope, *at = find_base(text, &end, &scope);

	while (at < end) {
		/* LLVM writes operator"" _k for operator""_k of the source. */
		if (*at == ' ' && at[-1] == '"')
			at++;
		else if (strncmp(at, "[abi:", 5) == 0)
			at += strcspn(at, "]") + 1;
		else
			*to++ = *at++;
	}
	*to = 0;
}

/* The end of the brackets that open at AT, or END. */
static const char *skip_brackets(const char *at, const char *end)
{
	size_t depth = 0;

	for (; at < end; at++) {
		if (at[0] == '-' && at[1] == '>')
			at++;
		else if (strchr("<({[", *at))
			depth++;
		else if (strchr(">)}]", *at) && --depth == 0)
			return at + 1;
	}
	return end;
}

bool names_template(const char *text, char *to)
{
	static const char space[] = "(anonymous namespace)";
	const char *end, *at, *base = find_base(text, &end, &at);
	/* Rust's arguments follow the base name. */
	bool found = strncmp(end, "::<", 3) == 0;

	for (const char *start = at, *sign = NULL; at < end;) {
		size_t copied = at == base ? operator_length(at) : 0;

		if (copied)
			sign = at + copied;
		else if (strncmp(at, space, sizeof(space) - 1) == 0)
			copied = sizeof(space) - 1;
		/* "operator<< <int>": the blank is no part of the name. */
		at += at == sign && *at == ' ';
		if (!copied && *at == '<' && at > start &&
		    (sign || !strchr(" <(&*,", at[-1]))) {
			at = skip_brackets(at, end);
			*to++ = '<';
			*to++ = '>';
			found = true;
		} else if (!copied && *at == '(') {
			at = skip_brackets(at, end);
			at += strncmp(at, " const", 6) == 0 ? 6 : 0;
		} else {
			copied = copied ? copied : 1;
			memcpy(to, at, copied);
			to += copied;
			at += copied;
		}
	}
	*to = 0;
	return found;
}

void names_fini(struct names *names)
{
	gsym_name_index_free(names->index);
	gsym_vec_fini(&names->readable);
	*names = (struct names){ 0 };
}
