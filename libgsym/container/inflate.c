/* SPDX-License-Identifier: MIT */
/* Inflating sections: zlib with libdeflate if it is there (it takes half the
 * time), zstd with libzstd. */
#include "config.h"

#include "container/container.h"

#include <stdlib.h>
#include <string.h>

#ifdef HAVE_LIBDEFLATE
#include <libdeflate.h>
#else
#include <zlib.h>
#endif
#ifdef HAVE_ZSTD
#include <zstd.h>
#endif

enum {
	/* Deflate's best ratio: a run of 258 bytes in two bits. */
	MAX_RATIO = 1032,
	/* Zstandard can have a better ratio, but only small sections do. */
	SLACK = 1 << 20,
};

/* Whether IN_SIZE compressed bytes can become OUT_SIZE. */
static bool is_plausible(uint64_t in_size, uint64_t out_size)
{
	return out_size <= SLACK || (out_size - SLACK) / MAX_RATIO <= in_size;
}

/* Whether a file of FILE_SIZE bytes may become TOTAL bytes. */
static bool is_permitted(uint64_t file_size, uint64_t total)
{
	return total <= GSYM_INFLATE_FLOOR ||
	       total / GSYM_INFLATE_RATIO <= file_size;
}

bool gsym_inflate_admit(struct gsym_inflate_job *job, uint64_t file_size,
			uint64_t *total)
{
	job->problem = NULL;
	if (job->out_size > UINT64_MAX - *total ||
	    !is_plausible(job->in_size, job->out_size) ||
	    !is_plausible(file_size, *total + job->out_size))
		job->problem = "its compression header is damaged";
	else if (!is_permitted(file_size, *total + job->out_size))
		job->problem = "the compressed sections of the file would "
			       "become more than 32 times its size";
	else
		*total += job->out_size;
	return !job->problem;
}

#ifdef HAVE_LIBDEFLATE

/* Linkers may write several streams, one after the other. */
static bool inflate_zlib(struct gsym_inflate_job *job, bool *memory)
{
	struct libdeflate_decompressor *d = libdeflate_alloc_decompressor();
	size_t in = 0;
	size_t out = 0;
	bool ok = true;

	*memory = d != NULL;
	if (!d)
		return false;
	while (ok && out < job->out_size && in < job->in_size) {
		size_t used = 0;
		size_t made = 0;

		ok = libdeflate_zlib_decompress_ex(d, job->in + in,
				job->in_size - in, job->out + out,
				job->out_size - out, &used, &made) ==
		     LIBDEFLATE_SUCCESS;
		in += used;
		out += made;
	}
	libdeflate_free_decompressor(d);
	return ok && out == job->out_size;
}

#else

static bool inflate_zlib(struct gsym_inflate_job *job, bool *memory)
{
	size_t in = 0;
	size_t out = 0;
	int status = Z_STREAM_END;
	z_stream z = { 0 };

	*memory = inflateInit(&z) == Z_OK;
	if (!*memory)
		return false;
	while (out < job->out_size || status == Z_OK) {
		size_t in_left = job->in_size - in;
		size_t out_left = job->out_size - out;
		uInt in_part = in_left < UINT32_MAX / 2 ? (uInt)in_left
							: UINT32_MAX / 2;
		uInt out_part = out_left < UINT32_MAX / 2 ? (uInt)out_left
							  : UINT32_MAX / 2;

		if (status == Z_STREAM_END && inflateReset(&z) != Z_OK)
			break;
		z.next_in = (Bytef *)job->in + in;
		z.avail_in = in_part;
		z.next_out = job->out + out;
		z.avail_out = out_part;
		status = inflate(&z, Z_NO_FLUSH);
		if ((status != Z_OK && status != Z_STREAM_END) ||
		    (z.avail_in == in_part && z.avail_out == out_part))
			break;
		in += in_part - z.avail_in;
		out += out_part - z.avail_out;
	}
	inflateEnd(&z);
	return status == Z_STREAM_END && out == job->out_size;
}

#endif

#ifdef HAVE_ZSTD

static bool inflate_zstd(struct gsym_inflate_job *job, bool *memory)
{
	ZSTD_DCtx *context = ZSTD_createDCtx();
	size_t size = 0;

	*memory = context;
	if (context)
		size = ZSTD_decompressDCtx(context, job->out, job->out_size,
					   job->in, job->in_size);
	ZSTD_freeDCtx(context);
	return context && size == job->out_size;
}

#endif

uint32_t gsym_container_crc32(const uint8_t *bytes, size_t size)
{
#ifdef HAVE_LIBDEFLATE
	return libdeflate_crc32(0, bytes, size);
#else
	return (uint32_t)crc32_z(0, bytes, size);
#endif
}

bool gsym_inflate_allocate(struct gsym_inflate_job *job)
{
	job->out = malloc(job->out_size ? job->out_size : 1);
	return job->out;
}

bool gsym_inflate_fill(struct gsym_inflate_job *job)
{
	bool memory = true;
	bool ok = false;

	job->problem = "its compressed bytes are damaged";
	if (job->method == GSYM_INFLATE_STORED) {
		memcpy(job->out, job->in, job->in_size);
		ok = true;
	} else if (job->method == GSYM_INFLATE_ZLIB)
		ok = inflate_zlib(job, &memory);
	else
#ifdef HAVE_ZSTD
		ok = inflate_zstd(job, &memory);
#else
		job->problem = "it is compressed with zstd, which was left "
			       "out of this build";
#endif
	if (ok)
		job->problem = NULL;
	return memory;
}

#ifdef HAVE_ZSTD

/* Append the runs of frames of JOB to PARTS.  *KNOWN becomes whether all frames
 * tell their size, and make OUT_SIZE bytes together.  False without memory. */
static bool divide_zstd(const struct gsym_inflate_job *job, size_t least,
			struct gsym_inflate_parts *parts, bool *known)
{
	struct gsym_inflate_job run = *job;
	size_t in = 0, out = 0;

	run.in_size = run.out_size = 0;
	while (in < job->in_size) {
		size_t left = job->in_size - in;
		size_t packed =
			ZSTD_findFrameCompressedSize(job->in + in, left);
		/* If a frame does not tell its size, SIZE is huge. */
		unsigned long long size =
			ZSTD_getFrameContentSize(job->in + in, left);

		*known = !ZSTD_isError(packed) && size <= job->out_size - out;
		if (!*known)
			return true;
		in += packed;
		out += (size_t)size;
		run.in_size += packed;
		run.out_size += (size_t)size;
		if (run.out_size < least && in < job->in_size)
			continue;
		if (!gsym_vec_add(parts, run))
			return false;
		run.in = job->in + in;
		run.out = job->out + out;
		run.in_size = run.out_size = 0;
	}
	*known = out == job->out_size;
	return true;
}

#endif

bool gsym_inflate_divide(const struct gsym_inflate_job *job, size_t least,
			 struct gsym_inflate_parts *parts)
{
#ifdef HAVE_ZSTD
	size_t count = parts->count;
	bool known = false;

	if (job->method == GSYM_INFLATE_ZSTD &&
	    !divide_zstd(job, least, parts, &known))
		return false;
	if (known)
		return true;
	parts->count = count;
#else
	(void)least;
#endif
	return gsym_vec_add(parts, *job);
}

bool gsym_inflate(struct gsym_inflate_job *job)
{
	bool memory = gsym_inflate_allocate(job) && gsym_inflate_fill(job);

	if (!memory || job->problem) {
		free(job->out);
		job->out = NULL;
	}
	return memory;
}

/* ---- the old form of compressed sections -------------------------------- */

/* Debug sections called .zdebug_*, as Go's linker writes them into all file
 * formats. */

bool gsym_inflate_read_zdebug(const uint8_t *bytes, size_t size,
			      struct gsym_inflate_job *job)
{
	struct gsym_cursor c =
		gsym_cursor_init(bytes, size, !GSYM_HOST_BIG_ENDIAN);
	const uint8_t *magic = gsym_cursor_bytes(&c, 4);
	uint64_t out_size = gsym_cursor_u64(&c);

	if (c.failed || memcmp(magic, "ZLIB", 4) != 0 || out_size > SIZE_MAX)
		return false;
	*job = (struct gsym_inflate_job){
		.method = GSYM_INFLATE_ZLIB,
		.in = c.at,
		.in_size = gsym_cursor_left(&c),
		.out_size = (size_t)out_size,
	};
	return true;
}

/* Inflate S; *TOTAL counts the bytes of all sections. */
static bool inflate_section(struct gsym_container *c,
			    struct gsym_container_section *s,
			    uint64_t file_size, uint64_t *total)
{
	struct gsym_inflate_job job = { .problem = NULL };
	uint64_t packed_size = s->data_size;

	if (!gsym_inflate_read_zdebug(s->data, (size_t)s->data_size, &job))
		job.problem = "its compression header is damaged";
	else
		gsym_inflate_admit(&job, file_size, total);
	s->data = NULL;
	s->data_size = 0;
	if (job.problem)
		;
	else if (!gsym_vec_reserve(&c->made, 1) || !gsym_inflate(&job))
		return false;
	if (job.problem) {
		gsym_container_warn_section(c, s, job.problem);
		return true;
	}
	*gsym_vec_push(&c->made) = job.out;
	s->data = job.out;
	s->data_size = s->size = job.out_size;
	s->packed_size = packed_size;
	return true;
}

bool gsym_inflate_zdebug(struct gsym_container *c, uint64_t file_size)
{
	uint64_t total = 0;

	for (size_t i = 0; i < c->sections.count; i++) {
		struct gsym_container_section *s = &c->sections.items[i];

		if (s->data && !strncmp(s->name, ".zdebug_", 8) &&
		    !inflate_section(c, s, file_size, &total))
			return false;
	}
	return true;
}
