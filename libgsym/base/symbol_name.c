/* SPDX-License-Identifier: MIT */
/* Which symbol stands for which function of the debug info. */
#include "base/symbol_name.h"

#include <stddef.h>
#include <string.h>

/* The first bytes of names of C++, Rust and Swift (today's, of 4.2 and of 4.0,
 * each with the '_' of Mach-O or without). */
static const char *const mangled_starts[] = {
	"_Z", "_R", "$s", "$S", "_$s", "_$S", "_T0", "?",
};

bool gsym_name_is_mangled(const char *name)
{
	for (size_t i = 0;
	     i < sizeof(mangled_starts) / sizeof(mangled_starts[0]); i++)
		if (!strncmp(name, mangled_starts[i],
			     strlen(mangled_starts[i])))
			return true;
	/* Names of D go on with a length; _DYNAMIC is a name of C. */
	return name[0] == '_' && name[1] == 'D' && name[2] >= '0' &&
	       name[2] <= '9';
}

/* Names of so many bytes are not compared: any number of symbols may be
 * compared with one name. */
enum { LONGEST = 4096 };

/* Whether SYMBOL ends after what was compared, but for a suffix. */
static bool ends(const char *symbol)
{
	return !*symbol || *symbol == '.' || *symbol == '@';
}

/* Whether both names, which are mangled, are equal, but for the kind of a
 * constructor or destructor: gcc describes C1 and C2 as C4. */
static bool is_same_mangled(const char *symbol, const char *name)
{
	char last = 0;

	for (; *name && *name != '.'; last = *name++, symbol++) {
		bool kinds = (last == 'C' || last == 'D') && *name >= '0' &&
			     *name <= '9' && *symbol >= '0' && *symbol <= '9';

		if (*symbol != *name && !kinds)
			return false;
	}
	return ends(symbol);
}

static bool is_identifier(char c)
{
	return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
	       (c >= 'A' && c <= 'Z');
}

/* The last component of NAME, without template arguments and parameters;
 * *LENGTH is 0 if it is no identifier. */
static const char *last_component(const char *name, size_t *length)
{
	const char *start = name, *at;
	unsigned depth = 0;

	for (at = name; *at && (depth || *at != '('); at++) {
		depth += *at == '<';
		depth -= *at == '>' && depth;
		if (!depth && at[0] == ':' && at[1] == ':')
			start = at + 2;
	}
	for (at = start; is_identifier(*at); at++)
		;
	*length = *at && *at != '<' && *at != '(' ? 0 : (size_t)(at - start);
	if (!strncmp(start, "operator", strlen("operator")))
		*length = 0;
	return start;
}

/* Whether SYMBOL holds the LENGTH bytes at PART.  True for parts that no person
 * wrote. */
static bool holds(const char *symbol, const char *part, size_t length)
{
	char text[256];

	if (length >= sizeof(text))
		return true;
	memcpy(text, part, length);
	text[length] = 0;
	return strstr(symbol, text);
}

/* Whether SYMBOL is a readable name, as linkers of WebAssembly write them, and
 * the mangled NAME holds its last component. */
static bool is_readable_for(const char *symbol, const char *name)
{
	const char *last;
	size_t length;

	if (gsym_name_is_mangled(symbol) || !strpbrk(symbol, "(:"))
		return false;
	last = last_component(symbol, &length);
	return !length || holds(name, last, length);
}

bool gsym_symbol_stands_for(const char *symbol, const char *name)
{
	size_t length = strnlen(name, LONGEST);
	const char *last;

	if (length == LONGEST || strnlen(symbol, LONGEST) == LONGEST)
		return true;
	if (!strncmp(symbol, name, length) && ends(symbol + length))
		return true;
	if (*symbol == '_' && !strncmp(symbol + 1, name, length) &&
	    ends(symbol + 1 + length))
		return true;
	if (gsym_name_is_mangled(name))
		return is_same_mangled(symbol, name) ||
		       is_readable_for(symbol, name);
	if (!strcmp(symbol, "MAIN__"))
		return true;
	last = last_component(name, &length);
	if (!length)
		return true;
	return gsym_name_is_mangled(symbol) || strchr(symbol, '$')
		       ? holds(symbol, last, length)
		       : !strncmp(symbol, last, length) &&
				 ends(symbol + length);
}
