/* SPDX-License-Identifier: MIT */
/* Compressed streams that are inflated in steps: zlib with ISA-L if it is
 * there, which takes a tenth more time than libdeflate, and zstd with
 * libzstd. */
#include "config.h"

#include "container/container.h"

#include <stdlib.h>

#ifdef HAVE_ISAL
#include <isa-l.h>
#endif
#ifdef HAVE_ZSTD
#include <zstd.h>
#endif

struct gsym_inflate_stream {
	struct gsym_inflate_job job;
	size_t in;  /* bytes of the input that the library has */
	bool ended; /* the last step came to the end of the stream */
#ifdef HAVE_ISAL
	struct inflate_state zlib;
#endif
#ifdef HAVE_ZSTD
	ZSTD_DCtx *zstd;
#endif
};

#ifdef HAVE_ISAL

/* Write up to SIZE bytes to TO.  Returns their number; 0 also for damage. */
static size_t step_zlib(struct gsym_inflate_stream *s, uint8_t *to, size_t size)
{
	const struct gsym_inflate_job *job = &s->job;
	struct inflate_state *z = &s->zlib;
	uint32_t in = job->in_size - s->in < UINT32_MAX
			      ? (uint32_t)(job->in_size - s->in)
			      : UINT32_MAX;
	uint32_t out = size < UINT32_MAX ? (uint32_t)size : UINT32_MAX;

	z->next_in = (uint8_t *)job->in + s->in;
	z->avail_in = in;
	z->next_out = to;
	z->avail_out = out;
	s->ended = false;
	if (isal_inflate(z) != ISAL_DECOMP_OK)
		return 0;
	s->ended = z->block_state == ISAL_BLOCK_FINISH;
	s->in += in - z->avail_in;
	return out - z->avail_out;
}

#endif

#ifdef HAVE_ZSTD

/* As step_zlib. */
static size_t step_zstd(struct gsym_inflate_stream *s, uint8_t *to, size_t size)
{
	ZSTD_inBuffer in = { s->job.in, s->job.in_size, s->in };
	ZSTD_outBuffer out = { to, size, 0 };
	size_t left = ZSTD_decompressStream(s->zstd, &out, &in);

	s->in = in.pos;
	s->ended = !left && s->in == s->job.in_size;
	return ZSTD_isError(left) ? 0 : out.pos;
}

#endif

struct gsym_inflate_stream *
gsym_inflate_stream_new(const struct gsym_inflate_job *job)
{
	struct gsym_inflate_stream *s = calloc(1, sizeof(*s));
	bool ok = false;

	if (!s)
		return NULL;
	s->job = *job;
#ifdef HAVE_ISAL
	/* ISA-L counts in 32 bits. */
	if (job->method == GSYM_INFLATE_ZLIB && job->out_size <= UINT32_MAX) {
		isal_inflate_init(&s->zlib);
		s->zlib.crc_flag = ISAL_ZLIB;
		ok = true;
	}
#endif
#ifdef HAVE_ZSTD
	if (job->method == GSYM_INFLATE_ZSTD) {
		s->zstd = ZSTD_createDCtx();
		ok = s->zstd;
	}
#endif
	if (ok)
		return s;
	gsym_inflate_stream_free(s);
	return NULL;
}

/* As step_zlib, for any method. */
static size_t step(struct gsym_inflate_stream *s, uint8_t *to, size_t size)
{
#ifdef HAVE_ISAL
	if (s->job.method == GSYM_INFLATE_ZLIB)
		return step_zlib(s, to, size);
#endif
#ifdef HAVE_ZSTD
	if (s->job.method == GSYM_INFLATE_ZSTD)
		return step_zstd(s, to, size);
#endif
	(void)s;
	(void)to;
	(void)size;
	return 0;
}

bool gsym_inflate_stream_next(struct gsym_inflate_stream *s, uint8_t *to,
			      size_t size)
{
	while (size) {
		size_t in = s->in;
		size_t made = step(s, to, size);

		if (!made && s->in == in)
			return false;
		to += made;
		size -= made;
	}
	return true;
}

size_t gsym_inflate_stream_taken(const struct gsym_inflate_stream *s)
{
	return s->in;
}

bool gsym_inflate_stream_is_over(struct gsym_inflate_stream *s)
{
	uint8_t more;

	/* The library reads the end and the checksum, or makes one byte too
	 * many. */
	while (!s->ended) {
		size_t in = s->in;

		if (step(s, &more, 1) || (s->in == in && !s->ended))
			return false;
	}
	return true;
}

void gsym_inflate_stream_free(struct gsym_inflate_stream *s)
{
	if (!s)
		return;
#ifdef HAVE_ZSTD
	ZSTD_freeDCtx(s->zstd);
#endif
	free(s);
}
