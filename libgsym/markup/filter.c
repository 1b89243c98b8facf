/* SPDX-License-Identifier: MIT */
/* The public functions of gsym/markup.h. */
#include "markup/filter.h"

#include <limits.h>
#include <stdio.h>

#include "base/error.h"
#include "base/sized.h"
#include "markup/html.h"
#include "markup/paint.h"
#include "markup/wait.h"

/* ---- making and freeing ---------------------------------------------- */

enum gsym_status
gsym_markup_new_sized(const struct gsym_markup_host *host, size_t host_size,
		      const struct gsym_markup_options *options,
		      size_t options_size, struct gsym_markup **ret,
		      struct gsym_error *error)
{
	struct gsym_markup *f;
	enum gsym_status status;

	if (!ret ||
	    host_size < GSYM_SIZE_THROUGH(struct gsym_markup_host, reset) ||
	    options_size < GSYM_SIZE_THROUGH(struct gsym_markup_options, title))
		return gsym_fail_argument(error);
	if (options &&
	    options_size >=
		    GSYM_SIZE_THROUGH(struct gsym_markup_options, logs) &&
	    options->logs & ~(GSYM_MARKUP_LOG_ALL | GSYM_MARKUP_LOG_MAPS))
		return gsym_fail_argument(error);
	f = calloc(1, sizeof(*f));
	if (!f)
		return gsym_fail_memory(error);
	if (host)
		gsym_sized_copy(&f->host, sizeof(f->host), host, host_size);
	if (options)
		gsym_sized_copy(&f->options, sizeof(f->options), options,
				options_size);
	f->llvm = f->options.style == GSYM_MARKUP_STYLE_LLVM;
	if (f->llvm) {
		f->options.html = false;
		f->options.logs = 0;
		f->options.headers = GSYM_MARKUP_HEADERS_NONE;
	}
	if (f->options.style == GSYM_MARKUP_STYLE_FUCHSIA &&
	    f->options.module_lines == GSYM_MARKUP_MODULES_FULL)
		f->options.module_lines = GSYM_MARKUP_MODULES_SHORT;
	gsym_mk_out_init(&f->out, &f->host, &f->options);
	f->out.page.process = f->process = gsym_mk_process_add(&f->processes,
					 (struct gsym_mk_slice){ "", 0 });
	if (f->options.logs)
		f->logs = calloc(1, sizeof(*f->logs));
	status = f->process && (f->logs || !f->options.logs)
			 ? gsym_mk_headers_init(&f->headers, &f->options, error)
			 : gsym_fail_memory(error);
	if (status != GSYM_OK) {
		gsym_markup_free(f);
		return status;
	}
	*ret = f;
	return GSYM_OK;
}

void gsym_markup_free(struct gsym_markup *f)
{
	if (!f)
		return;
	gsym_mk_processes_free(&f->processes);
	gsym_mk_headers_fini(&f->headers);
	gsym_mk_memo_fini(&f->memo);
	gsym_vec_fini(&f->draft);
	/* Without gsym_markup_finish the last messages are not reported. */
	f->host.diagnose = NULL;
	gsym_mk_messages_end(f);
	gsym_mk_out_fini(&f->out);
	gsym_vec_fini(&f->partial.text);
	gsym_vec_fini(&f->scratch);
	gsym_vec_fini(&f->footnotes);
	if (f->logs) {
		gsym_vec_fini(&f->logs->held.text);
		gsym_vec_fini(&f->logs->held.lines);
	}
	free(f->logs);
	free(f);
}

/* ---- the log --------------------------------------------------------- */

/* The status of a call: whether memory ran out during it. */
static enum gsym_status verdict(struct gsym_markup *f)
{
	bool failed = gsym_mk_headers_out_of_memory(&f->headers) ||
		      f->out.out_of_memory;

	f->out.out_of_memory = false;
	return failed ? GSYM_ERR_MEMORY : GSYM_OK;
}

enum gsym_status gsym_markup_feed(struct gsym_markup *f, const char *bytes,
				  size_t size)
{
	if (!f || (!bytes && size) || f->finished)
		return GSYM_ERR_ARGUMENT;
	if (f->options.html)
		gsym_mk_page_start(&f->out, f->options.title);
	gsym_mk_feed(f, bytes, size);
	return verdict(f);
}

void gsym_markup_flush(struct gsym_markup *f)
{
	if (!f)
		return;
	if (!f->open_module)
		gsym_mk_complete(&f->out);
	gsym_mk_drain(&f->out, true);
}

enum gsym_status gsym_markup_finish(struct gsym_markup *f)
{
	if (!f)
		return GSYM_ERR_ARGUMENT;
	if (f->finished)
		return GSYM_OK;
	if (f->options.html)
		gsym_mk_page_start(&f->out, f->options.title);
	gsym_mk_feed_end(f);
	if (f->logs)
		gsym_mk_log_release(f);
	if (f->llvm) {
		gsym_mk_llvm_end_module(f);
		gsym_mk_sgr_reset(&f->out);
	} else {
		gsym_mk_write_waiting(f);
	}
	if (f->options.html)
		gsym_mk_page_end(&f->out);
	gsym_mk_complete(&f->out);
	gsym_mk_drain(&f->out, true);
	gsym_mk_messages_end(f);
	f->finished = true;
	return verdict(f);
}

/* ---- time ------------------------------------------------------------ */

/* Milliseconds: until the module lines of a process that has no other lines are
 * written, until a line without end is passed on, and until an element of
 * several lines is given up. */
enum {
	PATIENCE_MODULE = 200,
	PATIENCE_LINE = 1000,
	PATIENCE_ELEMENT = 2000,
};

/* Returns true if PATIENCE milliseconds have passed since SINCE.  If not,
 * f->due becomes the remaining time, unless it is less already. */
static bool overdue(struct gsym_markup *f, uint64_t since, uint64_t patience)
{
	uint64_t left;

	if (f->now >= since + patience)
		return true;
	left = since + patience - f->now;
	if (left < f->due)
		f->due = left;
	return false;
}

static void end_overdue(struct gsym_markup *f, struct gsym_mk_process *p)
{
	if (p->open.active &&
	    overdue(f, p->open.since, PATIENCE_ELEMENT))
		gsym_mk_give_up(f, p);
	if (gsym_mk_block_open(p) && overdue(f, p->heard, PATIENCE_MODULE))
		gsym_mk_write_block(f, p);
}

int gsym_markup_clock(struct gsym_markup *f, uint64_t now)
{
	struct gsym_mk_partial *partial;
	struct gsym_mk_process *p = NULL;

	if (!f)
		return 0;
	partial = &f->partial;
	f->now = now;
	f->due = UINT64_MAX;
	if (!f->llvm && !f->finished) {
		if (f->logs && f->logs->held.lines.count &&
		    overdue(f, f->logs->held.since, gsym_mk_log_patience(f)))
			gsym_mk_log_release(f);
		/* Module lines are never written into the middle of a line. */
		if (f->processes.waiting && !partial->continued)
			while ((p = gsym_mk_process_next(&f->processes, p)))
				end_overdue(f, p);
		if (partial->text.count &&
		    !gsym_mk_find_opener(partial->text.items,
					 partial->text.count) &&
		    overdue(f, partial->since, PATIENCE_LINE)) {
			gsym_mk_feed_part(f);
			partial->since = now;
		}
	}
	gsym_markup_flush(f);
	return f->due < INT_MAX ? (int)f->due : -1;
}

/* ---- modules --------------------------------------------------------- */

void gsym_markup_retry(struct gsym_markup *f)
{
	struct gsym_mk_process *p = NULL;

	while (f && (p = gsym_mk_process_next(&f->processes, p))) {
		for (struct gsym_mk_module *m = p->context.modules; m;
		     m = m->before)
			if (!m->symbols)
				m->asked = false;
		if (p->log)
			gsym_mk_log_retry(p->log);
	}
}

enum gsym_status gsym_markup_add(struct gsym_markup *f,
				 const struct gsym_markup_module *module,
				 const struct gsym_markup_segment *segment)
{
	struct gsym_mk_element e = { 0 };
	struct gsym_mk_context *c;
	struct gsym_mk_mapping m = { 0 };

	if (!f || !module || !segment || segment->last < segment->start ||
	    (!module->name && module->name_size) ||
	    (!module->build_id && module->build_id_size))
		return GSYM_ERR_ARGUMENT;
	c = &f->process->context;
	e.id = module->id;
	e.name = (struct gsym_mk_slice){ module->name, module->name_size };
	e.build_id_size = module->build_id_size < GSYM_MK_BUILD_ID
				  ? module->build_id_size
				  : GSYM_MK_BUILD_ID;
	m.start = segment->start;
	m.last = segment->last;
	m.relative = segment->relative;
	if (e.build_id_size)
		memcpy(e.build_id, module->build_id, e.build_id_size);
	m.module = gsym_mk_module_add(c, &e);
	if (!m.module)
		return GSYM_ERR_MEMORY;
	snprintf(m.mode, sizeof(m.mode), "%.3s", segment->mode);
	if (!gsym_mk_mapping_cut(c, m.start, m.last) ||
	    !gsym_mk_mapping_add(c, &m))
		return GSYM_ERR_MEMORY;
	return GSYM_OK;
}
