/* SPDX-License-Identifier: MIT */
/*
 * The sandbox of Linux: files, as rules for Landlock, and rights that this
 * process gives up.  Sources: landlock(7), and the kernel's
 * Documentation/userspace-api/landlock.rst.
 */
#include "config.h"

#include <errno.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "common/sandbox.h"

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
	for (unsigned i = 0; done && i < s->parent_count; i++)
		done = allow(rules, s->parents[i], RIGHT_REMOVE_FOLDER, 0);
	for (unsigned i = 0; done && i < s->input_count; i++)
		/* A folder is opened, and refused then. */
		done = allow(rules, s->inputs[i], RIGHT_LIST, RIGHT_READ);
	done = done && syscall(RESTRICT_SELF, rules, 0) == 0;
	if (rules >= 0)
		close(rules);
	return done;
}

/* ---- rights -------------------------------------------------------------- */

/* struct __user_cap_header_struct and __user_cap_data_struct of
 * <linux/capability.h>. */
struct capability_header {
	uint32_t version;
	int32_t pid;
};

struct capability_data {
	uint32_t effective, permitted, inheritable;
};

#define CAPABILITIES 0x20080522 /* the version: two words of 32 bits */
/* For files of other users: CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH, CAP_FOWNER.
 */
#define KEPT_LOW 0xeu
/* For the addresses in /proc/kallsyms: CAP_SYSLOG, 34. */
#define KEPT_HIGH (1u << 2)

/* As root: give up all capabilities that access to files does not need.
 * CAP_PERFMON, for one, reads the environment of all processes.  Returns
 * whether that worked. */
static bool drop_capabilities(void)
{
	struct capability_header header = { .version = CAPABILITIES };
	struct capability_data data[2] = { { 0 } };

	if (syscall(SYS_capget, &header, data) != 0)
		return false;
	data[0].permitted &= KEPT_LOW;
	data[1].permitted &= KEPT_HIGH;
	for (int i = 0; i < 2; i++) {
		data[i].effective &= data[i].permitted;
		data[i].inheritable = 0;
	}
	return syscall(SYS_capset, &header, data) == 0;
}

bool sandbox_files_drop_rights(void)
{
	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
	       drop_capabilities();
}
