/* SPDX-License-Identifier: MIT */
/* Functions for texts that the C library of Windows lacks. */
#include "base/system_windows/posix.h"

void *memmem(const void *bytes, size_t size, const void *part, size_t length)
{
	const char *at = bytes, *end = at + size;

	if (!length)
		return (void *)(uintptr_t)at;
	while (at && (size_t)(end - at) >= length) {
		at = memchr(at, *(const char *)part,
			    (size_t)(end - at) - length + 1);
		if (at && memcmp(at, part, length) == 0)
			return (void *)(uintptr_t)at;
		at += at != NULL;
	}
	return NULL;
}

char *stpcpy(char *to, const char *from)
{
	size_t size = strlen(from);

	memcpy(to, from, size + 1);
	return to + size;
}

char *strndup(const char *text, size_t length)
{
	size_t size = strnlen(text, length);
	char *copy = malloc(size + 1);

	if (copy) {
		memcpy(copy, text, size);
		copy[size] = 0;
	}
	return copy;
}

char *strsep(char **text, const char *separators)
{
	char *part = *text;

	if (!part)
		return NULL;
	*text += strcspn(part, separators);
	if (**text)
		*(*text)++ = 0;
	else
		*text = NULL;
	return part;
}

ssize_t getdelim(char **line, size_t *room, int end, FILE *file)
{
	size_t size = 0;
	int c;

	do {
		c = getc(file);
		if (size + 2 > *room) {
			size_t more = *room ? 2 * *room : 128;
			char *larger = realloc(*line, more);

			if (!larger)
				return -1;
			*line = larger;
			*room = more;
		}
		if (c != EOF)
			(*line)[size++] = (char)c;
	} while (c != EOF && c != end);
	(*line)[size] = 0;
	return size ? (ssize_t)size : -1;
}

#undef strerror
static const char missing[] = "not available on this system";

/* The text of ERROR if it has another one here than in the C library. */
static const char *own_text(int error)
{
	if (error == ENODEV)
		return "a name of a device, or a path of a device or server";
	return error == ENOSYS ? missing : NULL;
}

char *gsym_windows_strerror(int error)
{
	const char *own = own_text(error);

	return own ? (char *)(uintptr_t)own : strerror(error);
}

int strerror_r(int error, char *text, size_t size)
{
	const char *own = own_text(error);

	if (!own)
		return strerror_s(text, size, error);
	snprintf(text, size, "%s", own);
	return 0;
}

int regcomp(regex_t *regex, const char *pattern, int flags)
{
	(void)pattern, (void)flags;
	regex->re_nsub = 0;
	return REG_ESPACE;
}

size_t regerror(int error, const regex_t *regex, char *text, size_t size)
{
	(void)error, (void)regex;
	return (size_t)snprintf(text, size, "regular expressions are %s",
				missing);
}
