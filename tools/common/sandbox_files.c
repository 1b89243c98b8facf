/* SPDX-License-Identifier: MIT */
/* Landlock.  Sources: landlock(7), and the kernel's
 * Documentation/userspace-api/landlock.rst. */
#include "config.h"

#include "common/sandbox_files.h"

#include <errno.h>
#include <stddef.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Of <linux/landlock.h>, which systems before Linux 5.13 do not have.  The
 * numbers of the calls are the same on all architectures but Alpha. */
enum {
	CREATE_RULESET = 444,
	ADD_RULE = 445,
	RESTRICT_SELF = 446,
	ASK_VERSION = 1,
	RULE_BENEATH = 1,
};

#define RIGHT(n) (UINT64_C(1) << (n))
#define RIGHT_EXECUTE RIGHT(0)
#define RIGHT_WRITE RIGHT(1)
#define RIGHT_READ RIGHT(2)
#define RIGHT_LIST RIGHT(3)
#define RIGHT_REMOVE_FOLDER RIGHT(4)
#define RIGHT_REMOVE_FILE RIGHT(5)
/* Folders, files, sockets, pipes, devices and symbolic links. */
#define RIGHTS_MAKE \
	(RIGHT(6) | RIGHT(7) | RIGHT(8) | RIGHT(9) | RIGHT(10) | RIGHT(11) | \
	 RIGHT(12))
#define RIGHT_MAKE_FOLDER RIGHT(7)
#define RIGHT_MAKE_FILE RIGHT(8)
#define RIGHT_MAKE_LINK RIGHT(12)
#define RIGHT_MOVE RIGHT(13)	 /* to another folder; from version 2 on */
#define RIGHT_TRUNCATE RIGHT(14) /* from version 3 on */
#define RIGHT_CONTROL RIGHT(15)	 /* ioctl of devices; from version 5 on */

/* What is needed in a folder for outputs.  They are new files, which are not
 * truncated. */
#define RIGHTS_FOLDER \
	(RIGHT_WRITE | RIGHT_REMOVE_FILE | RIGHT_MAKE_FOLDER | \
	 RIGHT_MAKE_FILE | RIGHT_MAKE_LINK)

struct ruleset {
	uint64_t files;
	uint64_t network; /* from version 4 on */
	uint64_t scopes;  /* from version 6 on */
};

struct beneath {
	uint64_t allowed;
	int32_t place;
} __attribute__((packed));

int sandbox_files_version(void)
{
	long version = syscall(CREATE_RULESET, NULL, (size_t)0, ASK_VERSION);

	return version > 0 ? (int)version : 0;
}

/* The rights that S takes away everywhere, as VERSION of Landlock knows them.
 * Sets *SIZE to the part of the set that VERSION knows. */
static struct ruleset rights(const struct sandbox *s, int version, size_t *size)
{
	struct ruleset set = {
		.files = RIGHT_EXECUTE | RIGHT_WRITE | RIGHT_REMOVE_FOLDER |
			 RIGHT_REMOVE_FILE | RIGHTS_MAKE,
	};

	if (s->restricts_inputs)
		set.files |= RIGHT_READ | RIGHT_LIST;
	if (version >= 2)
		set.files |= RIGHT_MOVE;
	if (version >= 3)
		set.files |= RIGHT_TRUNCATE;
	if (version >= 5)
		set.files |= RIGHT_CONTROL;
	/* Binding and connecting of TCP sockets. */
	if (version >= 4)
		set.network = RIGHT(0) | RIGHT(1);
	/* Abstract Unix sockets, and signals. */
	if (version >= 6)
		set.scopes = RIGHT(0) | RIGHT(1);
	*size = version < 4   ? offsetof(struct ruleset, network)
		: version < 6 ? offsetof(struct ruleset, scopes)
			      : sizeof(set);
	return set;
}

/* Grant rights at PLACE in the rules RULES: FOLDER if PLACE is a folder, else
 * FILE. */
static bool allow(int rules, int place, uint64_t folder, uint64_t file)
{
	struct beneath rule = { .place = place };
	struct stat st;

	if (fstat(place, &st) != 0)
		return false;
	rule.allowed = S_ISDIR(st.st_mode) ? folder : file;
	/* Pipes without a name are not restricted: EBADFD. */
	return syscall(ADD_RULE, rules, RULE_BENEATH, &rule, 0) == 0 ||
	       errno == EBADFD;
}

bool sandbox_files_restrict(const struct sandbox *s, int version)
{
	size_t size;
	const struct ruleset set = rights(s, version, &size);
	int rules = (int)syscall(CREATE_RULESET, &set, size, 0);
	bool done = rules >= 0;

	for (unsigned i = 0; done && i < s->output_count; i++)
		done = allow(rules, s->outputs[i], RIGHTS_FOLDER,
			     RIGHT_WRITE);
	for (unsigned i = 0; done && i < s->input_count; i++)
		/* A folder is opened, and refused then. */
		done = allow(rules, s->inputs[i], RIGHT_LIST, RIGHT_READ);
	done = done && syscall(RESTRICT_SELF, rules, 0) == 0;
	if (rules >= 0)
		close(rules);
	return done;
}
