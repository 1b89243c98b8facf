/* SPDX-License-Identifier: MIT */
/*
 * Maps the text of a symbol file, copying it to a temporary file first where
 * that is needed; recognises symbol files, plain and compressed, by their first
 * bytes.
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif
#include "breakpad/file.h"

#include "base/error.h"
#include "base/fd.h"
#include "base/system.h"
#include "breakpad/breakpad.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#ifdef HAVE_ZSTD
#include <zstd.h>
#endif

/* ---- the first bytes ----------------------------------------------------- */

/* How the text is stored. */
enum bp_kind {
	BP_PLAIN, /* UTF-8 text, or no symbol file */
	BP_GZIP,
	BP_ZSTD,
	BP_CABINET, /* cabinet, an archive of Windows */
	BP_UTF16,
};

/* The kind of a file that begins with the SIZE bytes at HEAD. */
static enum bp_kind kind_of(const uint8_t *head, size_t size)
{
	static const uint8_t zstd[4] = { 0x28, 0xb5, 0x2f, 0xfd };

	if (size >= 2 && head[0] == 0x1f && head[1] == 0x8b)
		return BP_GZIP;
	if (size >= 4 && !memcmp(head, zstd, 4))
		return BP_ZSTD;
	if (size >= 4 && !memcmp(head, "MSCF", 4))
		return BP_CABINET;
	if (size >= 2 &&
	    ((head[0] == 0xff && head[1] == 0xfe) ||
	     (head[0] == 0xfe && head[1] == 0xff) ||
	     (head[0] == 'M' && !head[1]) || (!head[0] && head[1] == 'M')))
		return BP_UTF16;
	return BP_PLAIN;
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

/* The first word of a text that begins with the SIZE bytes at HEAD. */
static struct bp_text first_word(const uint8_t *head, size_t size)
{
	struct bp_text text = { (const char *)head, (const char *)head + size };
	struct bp_text word;

	bp_skip_utf8_mark(&text);
	while (text.at < text.end && is_blank(*text.at))
		text.at++;
	word = (struct bp_text){ text.at, text.at };
	while (word.end < text.end && *word.end && !is_blank(*word.end))
		word.end++;
	return word;
}

size_t gsym_breakpad_blanks(const uint8_t *head, size_t size)
{
	return (size_t)((const uint8_t *)first_word(head, size).at - head);
}

bool gsym_breakpad_plain_matches(const uint8_t *head, size_t size)
{
	struct bp_text word = first_word(head, size);

	return bp_is(word, "MODULE") &&
	       (const uint8_t *)word.end < head + size &&
	       (*word.end == ' ' || *word.end == '\t');
}

bool gsym_breakpad_matches(const uint8_t *head, size_t size)
{
	/* No program begins with the first bytes of a compressed file, a
	 * cabinet archive or a text in UTF-16. */
	return kind_of(head, size) != BP_PLAIN ||
	       gsym_breakpad_plain_matches(head, size);
}

bool gsym_breakpad_starts(const uint8_t *head, size_t size)
{
	static const char *const words[] = {
		"MODULE", "INFO",  "FILE",   "FUNC",
		"PUBLIC", "STACK", "INLINE", "INLINE_ORIGIN",
	};
	struct bp_text word = first_word(head, size);

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (bp_is(word, words[i]))
			return true;
	return false;
}

enum {
	BLOCK = 128 << 10, /* bytes of one read */
	/* A text of more than MOST_BYTES may have at most MOST_TIMES the size
	 * of the compressed file, so a hostile file cannot fill the disk.  Real
	 * files inflate to ten to thirty times their size. */
	MOST_TIMES = 256,
	MOST_BYTES = 64 << 20,
};

/* ---- copying ------------------------------------------------------------- */

static bool write_all(int fd, const uint8_t *bytes, size_t size)
{
	while (size) {
		ssize_t n = write(fd, bytes, size);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		bytes += n;
		size -= (size_t)n;
	}
	return true;
}

static ssize_t read_some(int fd, uint8_t *bytes, size_t size)
{
	ssize_t n;

	do
		n = read(fd, bytes, size);
	while (n < 0 && errno == EINTR);
	return n;
}

/* The file to read. SIZE bytes of BLOCK were read from FD and not yet used. */
struct source {
	int fd;
	uint8_t block[BLOCK];
	size_t size;
	bool failed;
	/* Has the progress callback; may be NULL.  DONE of TOTAL bytes were
	 * read; TOTAL is 0 if it is not known. */
	const struct gsym_convert_options *options;
	uint64_t done, total;
	bool cancelled;
};

/* Report the progress.  Copying counts as a third of the work: the text is read
 * twice more.  False: the conversion is to be stopped. */
static bool report_progress(struct source *s)
{
	if (s->options && s->options->progress)
		s->cancelled =
			!s->options->progress(s->options->context,
					      s->total ? s->done : 0,
					      s->total ? 3 * s->total : 1);
	return !s->cancelled;
}

/* Read the next block, which is full unless the file ends.  False at the end of
 * the file, or if reading failed or was stopped. */
static bool next_block(struct source *s)
{
	ssize_t n = 0;

	s->size = 0;
	while (s->size < BLOCK && report_progress(s)) {
		n = read_some(s->fd, s->block + s->size, BLOCK - s->size);
		if (n <= 0)
			break;
		s->size += (size_t)n;
		s->done += (size_t)n;
	}
	s->failed = n < 0;
	return s->size && !s->failed && !s->cancelled;
}

/* Takes the text: the file FD in FOLDER or, if ROOM is not 0, the first ROOM
 * bytes from the first word on, which go to BYTES. */
struct target {
	int fd;
	const char *folder;
	char *bytes;
	uint64_t size;
	size_t room;
	bool full; /* the rest of the text is not needed */
	struct gsym_error *error;
};

static enum gsym_status cannot_read(struct gsym_error *error)
{
	return gsym_fail(error, GSYM_ERR_IO, 0, "cannot read: %m");
}

static enum gsym_status cannot_write(const struct target *to)
{
	return gsym_fail(to->error, GSYM_ERR_IO, 0,
			 "a temporary file in '%.100s' cannot be written: %m",
			 to->folder);
}

static enum gsym_status damaged(const struct target *to)
{
	return gsym_fail(to->error, GSYM_ERR_CORRUPT, 0,
			 "the compressed data are damaged, or end too early");
}

/* Append SIZE bytes of text, which were made of the bytes of SOURCE so far. */
static enum gsym_status append_text(const struct source *source,
				    struct target *to, const uint8_t *bytes,
				    size_t size)
{
	if (to->room) {
		size_t blanks =
			to->size ? 0 : gsym_breakpad_blanks(bytes, size);

		bytes += blanks;
		size -= blanks;
		if (size > to->room - to->size)
			size = to->room - to->size;
		memcpy(to->bytes + to->size, bytes, size);
	} else if (!write_all(to->fd, bytes, size)) {
		return cannot_write(to);
	}
	to->size += size;
	to->full = to->room && to->size == to->room;
	if (!to->room && to->size > MOST_BYTES &&
	    to->size / MOST_TIMES > source->done)
		return gsym_fail(to->error, GSYM_ERR_LIMIT, 0,
				 "the compressed text becomes more than %d "
				 "times as large",
				 MOST_TIMES);
	return GSYM_OK;
}

static enum gsym_status copy_plain(struct source *s, struct target *to)
{
	enum gsym_status status;

	do
		status = append_text(s, to, s->block, s->size);
	while (status == GSYM_OK && !to->full && next_block(s));
	return status;
}

static enum gsym_status copy_gzip(struct source *s, struct target *to)
{
	z_stream z = { .next_in = s->block, .avail_in = (uInt)s->size };
	enum gsym_status status = GSYM_OK;
	uint8_t plain[BLOCK];
	int result = Z_OK;

	if (inflateInit2(&z, 15 + 16) != Z_OK)
		return gsym_fail_memory(to->error);
	while (status == GSYM_OK && !to->full) {
		if (!z.avail_in) {
			if (!next_block(s))
				break;
			z.next_in = s->block;
			z.avail_in = (uInt)s->size;
		}
		if (result == Z_STREAM_END) /* another gzip member follows */
			inflateReset(&z);
		z.next_out = plain;
		z.avail_out = sizeof(plain);
		result = inflate(&z, Z_NO_FLUSH);
		status = result == Z_OK || result == Z_STREAM_END
				 ? append_text(s, to, plain,
					       sizeof(plain) - z.avail_out)
				 : damaged(to);
	}
	inflateEnd(&z);
	return status == GSYM_OK && !to->full && result != Z_STREAM_END
		       ? damaged(to)
		       : status;
}

static enum gsym_status copy_zstd(struct source *s, struct target *to)
{
#ifdef HAVE_ZSTD
	ZSTD_DStream *z = ZSTD_createDStream();
	ZSTD_inBuffer in = { s->block, s->size, 0 };
	enum gsym_status status = GSYM_OK;
	uint8_t plain[BLOCK];
	size_t left = 1;

	if (!z)
		return gsym_fail_memory(to->error);
	while (status == GSYM_OK && !to->full) {
		ZSTD_outBuffer out = { plain, sizeof(plain), 0 };

		/* zstd takes the last byte of a frame only when all of the
		 * frame's text was written. */
		if (in.pos == in.size) {
			if (!next_block(s))
				break;
			in = (ZSTD_inBuffer){ s->block, s->size, 0 };
		}
		left = ZSTD_decompressStream(z, &out, &in);
		status = ZSTD_isError(left)
				 ? damaged(to)
				 : append_text(s, to, plain, out.pos);
	}
	ZSTD_freeDStream(z);
	return status == GSYM_OK && !to->full && left ? damaged(to) : status;
#else
	(void)s;
	return damaged(to);
#endif
}

/* ---- opening ------------------------------------------------------------- */

static enum gsym_status map_text(int fd, struct bp_text *ret,
				 struct gsym_error *error)
{
	size_t size;
	const char *map = (const char *)gsym_fd_map(fd, &size);

	if (!map)
		return errno ? gsym_fail(error, GSYM_ERR_IO, 0,
					 "cannot map: %m")
			     : gsym_fail(error, GSYM_ERR_FORMAT, 0,
					 "the file is empty");
	*ret = (struct bp_text){ map, map + size };
	return GSYM_OK;
}

/* Copy the text of SOURCE to TO, inflated. */
static enum gsym_status copy(struct source *source, enum bp_kind kind,
			     struct target *to)
{
	enum gsym_status status = kind == BP_GZIP   ? copy_gzip(source, to)
				  : kind == BP_ZSTD ? copy_zstd(source, to)
						    : copy_plain(source, to);

	if (source->cancelled)
		return gsym_fail(to->error, GSYM_ERR_CANCELLED, 0, "%s",
				 gsym_status_text(GSYM_ERR_CANCELLED));
	return source->failed ? cannot_read(to->error) : status;
}

/* Copy SOURCE to a temporary file, and set *RET to its descriptor. */
static enum gsym_status spool(struct source *source, enum bp_kind kind,
			      int *ret, struct gsym_error *error)
{
	const char *folder = source->options->temporary_directory;
	struct target to = { .folder = folder ? folder : "/tmp",
			     .error = error };
	enum gsym_status status;

	to.fd = *to.folder ? gsym_system_nameless(to.folder)
			   : gsym_system_memory_file("gsym");
	status = to.fd < 0 ? cannot_write(&to) : copy(source, kind, &to);
	if (status == GSYM_OK)
		*ret = to.fd;
	else if (to.fd >= 0)
		close(to.fd);
	return status;
}

/* Copy SOURCE to a temporary file and map that. */
static enum gsym_status spool_text(struct source *source, enum bp_kind kind,
				   struct bp_text *ret,
				   struct gsym_error *error)
{
	int fd;
	enum gsym_status status = spool(source, kind, &fd, error);

	if (status == GSYM_OK) {
		status = map_text(fd, ret, error);
		close(fd);
	}
	return status;
}

static enum gsym_status
open_descriptor(int fd, const struct gsym_convert_options *options,
		struct bp_text *ret, bool *copied, struct gsym_error *error)
{
	struct source *source = calloc(1, sizeof(*source));
	bool plain;
	enum gsym_status status;
	enum bp_kind kind;
	struct stat st;

	if (!source)
		return gsym_fail_memory(error);
	source->fd = fd;
	next_block(source);
	source->options = options;
	kind = kind_of(source->block, source->size);
	if (fstat(fd, &st) < 0)
		source->failed = true;
	else if (S_ISREG(st.st_mode))
		source->total = (uint64_t)st.st_size;
	plain = kind == BP_PLAIN && source->total;
	if (source->failed)
		status = cannot_read(error);
	else if (kind == BP_UTF16)
		status = gsym_fail(error, GSYM_ERR_UNSUPPORTED, 0,
				   "UTF-16 text: convert it to UTF-8");
	else if (kind == BP_CABINET)
		status = gsym_fail(error, GSYM_ERR_UNSUPPORTED, 0,
				   "a cabinet archive: unpack it first");
	else if (plain)
		status = map_text(fd, ret, error);
	else
		status = spool_text(source, kind, ret, error);
	*copied = status == GSYM_OK && source->total && !plain;
	free(source);
	return status;
}

enum gsym_status gsym_bp_spool_open(const char *path,
				    const struct gsym_convert_options *options,
				    struct bp_text *ret, bool *copied,
				    struct gsym_error *error)
{
	int fd = gsym_fd_open(path, O_RDONLY);
	enum gsym_status status;

	if (fd < 0)
		return gsym_fail(error, GSYM_ERR_IO, 0, "cannot open: %m");
	status = open_descriptor(fd, options, ret, copied, error);
	close(fd);
	return status;
}

enum gsym_status
gsym_breakpad_standard_input(const struct gsym_convert_options *options,
			     int *ret, struct gsym_error *error)
{
	struct source *source;
	enum gsym_status status;
	struct stat st;

	if (fstat(STDIN_FILENO, &st) == 0 && S_ISREG(st.st_mode) &&
	    lseek(STDIN_FILENO, 0, SEEK_CUR) == 0) {
		*ret = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0);
		return *ret < 0 ? cannot_read(error) : GSYM_OK;
	}
	source = calloc(1, sizeof(*source));
	if (!source)
		return gsym_fail_memory(error);
	source->fd = STDIN_FILENO;
	source->options = options;
	next_block(source);
	status = source->failed ? cannot_read(error)
				: spool(source, BP_PLAIN, ret, error);
	free(source);
	return status;
}

/* Whether a cabinet archive that begins with HEAD has a file named *.sym. */
static bool holds_symbols(const uint8_t *head, size_t size)
{
	static const char end[] = ".sym";

	return memmem(head, size, end, sizeof(end));
}

/* As gsym_bp_spool_head, for a SOURCE whose first block was read. */
static enum gsym_status head_of(struct source *source, struct bp_text *ret)
{
	static const uint8_t words[][6] = { { 'M', 0, 'O', 0, 'D', 0 },
					    { 0, 'M', 0, 'O', 0, 'D' } };
	const uint8_t *bytes = source->block;
	enum bp_kind kind = kind_of(bytes, source->size);
	struct target to = { .fd = -1,
			     .bytes = (char *)(uintptr_t)ret->at,
			     .room = bp_length(*ret) };

	if (kind == BP_CABINET)
		return holds_symbols(bytes, source->size) ? GSYM_ERR_UNSUPPORTED
							  : GSYM_NOT_FOUND;
	if (kind == BP_UTF16) {
		if (bytes[0] >= 0xfe && source->size > 2)
			bytes += 2; /* the byte order mark */
		return source->size >= 8 && (!memcmp(bytes, words[0], 6) ||
					     !memcmp(bytes, words[1], 6))
			       ? GSYM_ERR_UNSUPPORTED
			       : GSYM_NOT_FOUND;
	}
	/* Damage after the first bytes does not matter here. */
	if (copy(source, kind, &to) == GSYM_ERR_MEMORY)
		return GSYM_ERR_MEMORY;
	ret->end = ret->at + (size_t)to.size;
	return to.size ? GSYM_OK : GSYM_NOT_FOUND;
}

enum gsym_status gsym_bp_spool_head(const char *path, struct bp_text *ret)
{
	struct source *source = calloc(1, sizeof(*source));
	enum gsym_status status = GSYM_NOT_FOUND;

	if (!source)
		return GSYM_ERR_MEMORY;
	source->fd = gsym_fd_open(path, O_RDONLY | O_NONBLOCK);
	if (source->fd < 0) {
		free(source);
		return GSYM_ERR_IO;
	}
	if (next_block(source))
		status = head_of(source, ret);
	else if (source->failed)
		status = GSYM_ERR_IO;
	close(source->fd);
	free(source);
	return status;
}

void gsym_bp_spool_free(struct bp_text text)
{
	gsym_fd_unmap(text.at, bp_length(text));
}
