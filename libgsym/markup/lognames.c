/* SPDX-License-Identifier: MIT */
/* Names of functions, as logs and symbols write them. */
#include "config.h"

#include "markup/lognames.h"

#include "base/system.h"

/* ---- parts of names --------------------------------------------------- */

/* The size of NAME up to its parameters.  "(anonymous namespace)" at the start
 * is a part of the name. */
static size_t up_to_parameters(struct gsym_mk_slice name)
{
	static const char anonymous[] = "(anonymous namespace)";
	const size_t length = sizeof(anonymous) - 1;
	size_t from = 0;

	while (name.size - from >= length &&
	       memcmp(name.at + from, anonymous, length) == 0) {
		const char *next;

		from += length;
		next = memchr(name.at + from, '(', name.size - from);
		if (!next)
			return name.size;
		if ((size_t)(name.at + name.size - next) < length ||
		    memcmp(next, anonymous, length) != 0)
			return (size_t)(next - name.at);
		from = (size_t)(next - name.at);
	}
	const char *open = memchr(name.at + from, '(', name.size - from);

	return open ? (size_t)(open - name.at) : name.size;
}

struct gsym_mk_slice gsym_mk_log_plain(struct gsym_mk_slice name)
{
	const char *at;

	/* The log has no name: AT is NULL. */
	if (!name.size)
		return name;
	at = memchr(name.at, '@', name.size);
	if (at)
		name.size = (size_t)(at - name.at);
	name.size = up_to_parameters(name);
	while (name.size && name.at[name.size - 1] == ' ')
		name.size--;
	return name;
}

bool gsym_mk_log_cut_suffix(struct gsym_mk_slice *name)
{
	static const char *const suffixes[] = { ".isra", ".constprop", ".part",
						".cold", ".llvm" };
	size_t end = name->size;

	while (end && name->at[end - 1] >= '0' && name->at[end - 1] <= '9')
		end--;
	if (end && end < name->size && name->at[end - 1] == '.')
		end--;
	else
		end = name->size;
	for (size_t i = 0; i < sizeof(suffixes) / sizeof(*suffixes); i++) {
		size_t size = strlen(suffixes[i]);

		if (end > size &&
		    memcmp(name->at + end - size, suffixes[i], size) == 0) {
			name->size = end - size;
			return true;
		}
	}
	return false;
}

/* NAME without the marks of names that are internal to a library. */
static struct gsym_mk_slice public_name(struct gsym_mk_slice name)
{
	static const char *const marks[] = { "__libc_", "__GI_", "_" };

	for (size_t i = 0; i < sizeof(marks) / sizeof(*marks); i++) {
		size_t size = strlen(marks[i]);

		while (name.size > size && memcmp(name.at, marks[i], size) == 0)
			name = (struct gsym_mk_slice){ name.at + size,
						       name.size - size };
	}
	return name;
}

bool gsym_mk_log_same_name(struct gsym_mk_slice a, struct gsym_mk_slice b)
{
	a = gsym_mk_log_plain(a);
	b = gsym_mk_log_plain(b);
	while (gsym_mk_log_cut_suffix(&a) || gsym_mk_log_cut_suffix(&b))
		;
	a = public_name(a);
	b = public_name(b);
	size_t size = a.size < b.size ? a.size : b.size;

	return size && memcmp(a.at, b.at, size) == 0;
}

static bool is_word(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
	       (c >= 'A' && c <= 'Z') || c == '_';
}

bool gsym_mk_log_names(struct gsym_mk_slice text, struct gsym_mk_slice name)
{
	const char *at = text.at, *end = at + text.size;

	name.size = up_to_parameters(name);
	if (!name.size)
		return false;
	while (at &&
	       (at = memmem(at, (size_t)(end - at), name.at, name.size))) {
		const char *after = at + name.size;

		if ((at == text.at || (!is_word(at[-1]) && at[-1] != ':')) &&
		    (after == end || !is_word(*after)))
			return true;
		at++;
	}
	return false;
}

bool gsym_mk_log_names_trampoline(struct gsym_mk_slice name)
{
	static const char *const names[] = {
		"__restore_rt",
		"__restore",
		"__default_rt_sa_restorer",
		"__kernel_rt_sigreturn",
		"__kernel_sigreturn",
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (name.size == strlen(names[i]) &&
		    memcmp(name.at, names[i], name.size) == 0)
			return true;
	return false;
}
