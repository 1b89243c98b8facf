/* SPDX-License-Identifier: MIT */
/* From a frame of a backtrace to the symbols of its module, and to the address
 * that it stands for. */
#include "config.h"

#include "markup/logs.h"

#include <inttypes.h>

#include "base/digit.h"
#include "base/hash.h"
#include "markup/diagnose.h"
#include "markup/filter.h"
#include "markup/host.h"
#include "markup/logname.h"

/* What became of a frame. */
enum outcome { ANSWER, NOTHING, NO_MODULE, NO_FUNCTION, MISMATCH };

enum { ROOM = GSYM_MK_LOG_ROOM_FUNCTIONS, PAGE = 4096 };
#define FUNCTIONS GSYM_MK_LOG_FUNCTIONS

/* ---- modules --------------------------------------------------------- */

/* The module of FRAME.  Frames that name no file have the build ID as the name
 * of their module. */
static struct gsym_mk_log_module *module_of(struct gsym_mk_log_state *s,
					    const struct logs_frame *frame)
{
	struct gsym_mk_slice name = gsym_mk_log_slice(frame->module);
	struct gsym_mk_log_module *m;

	if (frame->package ||
	    (!name.size && frame->log != GSYM_MARKUP_LOG_KERNEL))
		name = gsym_mk_log_slice(frame->build_id);
	m = gsym_mk_log_module(s, frame->log, name);
	if (m && frame->build_id.size)
		gsym_mk_log_identify(m, gsym_mk_log_slice(frame->build_id));
	return m;
}

static void say_missing(struct gsym_markup *f, struct gsym_mk_log_module *m)
{
	const struct gsym_mk_log_state *s = f->process->log;
	char id[2 * GSYM_MK_BUILD_ID + 1];

	m->missed = true;
	gsym_digits(id, sizeof(id), m->id, m->id_size);
	if (m->log == GSYM_MARKUP_LOG_KERNEL)
		gsym_mk_say(f, GSYM_MARKUP_ERROR, NULL,
			    "no symbols for the kernel%s%.*s%s%.*s%s%s",
			    m->name.size ? "'s module " : "",
			    (int)m->name.size, m->name.at,
			    s->release_size ? "; release=" : "",
			    (int)s->release_size, s->release,
			    m->id_size ? "; BuildID=" : "", id);
	else
		gsym_mk_say(f, GSYM_MARKUP_ERROR, NULL,
			    "no symbols for module \"%.*s\"; BuildID=%s",
			    (int)(m->name.size < 200 ? m->name.size : 200),
			    m->name.at, id);
}

/* Ask the host for the symbols of M, unless it was asked; NULL if there are
 * none.  DOUBTFUL: without a message. */
static void *symbols_of(struct gsym_markup *f, struct gsym_mk_log_module *m,
			bool doubtful)
{
	const struct gsym_mk_log_state *s = f->process->log;
	const struct gsym_markup_log_module about = {
		.log = m->log,
		.name = m->name.at,
		.name_size = m->name.size,
		.build_id = m->id,
		.build_id_size = m->id_size,
		.release = s->release,
		.release_size =
			m->log == GSYM_MARKUP_LOG_KERNEL ? s->release_size : 0,
	};

	if (!m->asked && f->host.log_module) {
		/* The host may take long to find symbols: write the output so
		 * far. */
		gsym_mk_drain(&f->out, true);
		if (!f->host.log_module(f->host.context, &about, &m->found))
			m->found = (struct gsym_markup_log_symbols){ 0 };
	}
	m->asked = true;
	if (!m->found.symbols && !m->missed && !doubtful)
		say_missing(f, m);
	return m->found.symbols;
}

/* Set the module of HIT. */
static void name_module(struct gsym_mk_log_hit *hit, struct gsym_mk_slice name,
			const uint8_t *id, size_t id_size)
{
	hit->module = name;
	hit->build_id = (struct gsym_mk_slice){ (const char *)id, id_size };
}

/* ---- addresses ------------------------------------------------------- */

/* Whether a signal handler returns to ADDRESS: a function for that begins
 * there. */
static bool is_trampoline(struct gsym_markup *f, void *symbols,
			  uint64_t address)
{
	static const char *const names[] = {
		"__restore_rt",
		"__restore",
		"__default_rt_sa_restorer",
		"__kernel_rt_sigreturn",
		"__kernel_sigreturn",
	};
	struct gsym_mk_levels l = gsym_mk_levels_of(f, symbols, address);
	const struct gsym_markup_frame *last;

	if (!l.count)
		return false;
	last = &l.items[l.count - 1].frame;
	if (last->offset)
		return false;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (strcmp(last->function, names[i]) == 0)
			return true;
	return false;
}

/* The last byte of the call that returns to ADDRESS; ADDRESS itself if a signal
 * interrupted the program there, as AFTER, or the trampoline of the signal,
 * tells. */
static uint64_t adjusted(struct gsym_markup *f, void *symbols,
			 enum gsym_markup_log log, uint64_t address, bool after)
{
	/* Trampolines begin at multiples of 4: elsewhere the look-up is
	 * saved. */
	if (!after && address % 4 == 0 && is_trampoline(f, symbols, address)) {
		f->process->log->after_signal |= log;
		return address;
	}
	return after || !address ? address : address - 1;
}

/* Learn the load bias of M from a frame that has both addresses. */
static void learn_bias(struct gsym_mk_log_module *m,
		       const struct logs_frame *frame)
{
	uint64_t bias = frame->address - frame->number;

	if (frame->meaning != LOGS_LINKED || !frame->address ||
	    (frame->log != GSYM_MARKUP_LOG_GLIBC &&
	     frame->log != GSYM_MARKUP_LOG_GENERIC) ||
	    bias % PAGE)
		return;
	m->biased = true;
	m->bias = bias;
}

/* The address of a function and an offset, of which the log has also the
 * address in memory.  The bias tells the address; before it is known, the
 * function does, if the place within the page is right. */
static enum outcome by_function(struct gsym_markup *f,
				struct gsym_mk_log_module *m,
				const struct logs_frame *frame, uint64_t *ret)
{
	struct gsym_markup_log_function found[ROOM];
	size_t count, left = 0;

	if (m->biased) {
		*ret = frame->address - m->bias;
		return ANSWER;
	}
	if (!f->host.log_functions)
		return NO_FUNCTION;
	count = f->host.log_functions(f->host.context, m->found.symbols,
				      frame->function.at, frame->function.size,
				      found, FUNCTIONS);
	for (size_t i = 0; i < count && i < FUNCTIONS; i++) {
		uint64_t address = found[i].start + frame->number;

		if ((address ^ frame->address) % PAGE)
			continue;
		*ret = address;
		left++;
	}
	if (left == 1) {
		m->biased = true;
		m->bias = frame->address - *ret;
	}
	return left == 1 ? ANSWER : count ? MISMATCH : NO_FUNCTION;
}

/* The address of an offset in the file of M.  The segments of the file tell it,
 * which GSYM data do not have.  A frame that has a function, too, tells how far
 * the segment was moved, for itself and for frames without a function.  The
 * bias is the offset less the address. */
static enum outcome by_offset(struct gsym_markup *f,
			      struct gsym_mk_log_module *m,
			      const struct logs_frame *frame, uint64_t *ret)
{
	struct gsym_markup_log_function found[ROOM];
	size_t count = 0, left = 0;

	if (frame->function.size && f->host.log_functions)
		count = f->host.log_functions(
			f->host.context, m->found.symbols, frame->function.at,
			frame->function.size, found, FUNCTIONS);
	for (size_t i = 0; i < count && i < FUNCTIONS; i++) {
		uint64_t address = found[i].start + frame->offset;

		/* The place within a page stays. */
		if ((address ^ frame->number) % PAGE)
			continue;
		*ret = address;
		left++;
	}
	if (left == 1 && count <= FUNCTIONS) {
		m->biased = true;
		m->bias = frame->number - *ret;
		return ANSWER;
	}
	if (count)
		return MISMATCH;
	*ret = frame->number - m->bias;
	return m->biased ? ANSWER : NOTHING;
}

/* Whether N can be the address in memory of code of M: glibc prints addresses
 * alone of programs that lie at the addresses that they were linked to. */
static bool may_be_loaded_at(const struct gsym_mk_log_module *m, uint64_t n)
{
	enum { LOWEST = 0x10000 };

	return n >= LOWEST && n >= m->found.lowest &&
	       !memmem(m->name.at, m->name.size, ".so", 3);
}

/* Note that M's symbols lack a function of the log, once. */
static void say_disagreed(struct gsym_markup *f, struct gsym_mk_log_module *m,
			  struct gsym_mk_slice function)
{
	if (m->disagreed)
		return;
	m->disagreed = true;
	gsym_mk_say(f, GSYM_MARKUP_NOTE, NULL,
		    "the symbols of \"%.*s\" do not have %.*s where the log "
		    "has it: another build?",
		    (int)(m->name.size < 200 ? m->name.size : 200), m->name.at,
		    (int)(function.size < 200 ? function.size : 200),
		    function.at);
}

/* Whether the answer at hand may be true.  Symbols that were found by the name
 * of their module may be of another build; then they disagree with the function
 * that the log has. */
static bool agrees(struct gsym_markup *f, const struct gsym_mk_log_module *m,
		   const struct logs_frame *frame)
{
	const struct gsym_mk_levels *l = &f->logs->answer.levels;
	struct gsym_mk_slice name =
		gsym_mk_log_plain(gsym_mk_log_slice(frame->function));
	struct gsym_markup_log_function one;

	if (m->found.certain || f->options.log_any_build || !name.size)
		return true;
	for (size_t i = 0; i < l->count; i++) {
		const char *function = l->items[i].frame.function;
		struct gsym_mk_slice linkage = { function, strlen(function) };
		const char *plain = gsym_mk_demangle(f, function);

		if (gsym_mk_log_same_name(name, linkage) ||
		    gsym_mk_log_same_name(name, (struct gsym_mk_slice){
							plain, strlen(plain) }))
			return true;
	}
	/* Old releases of Android print offsets in the file for some
	 * libraries. */
	if (frame->log == GSYM_MARKUP_LOG_ANDROID && f->process->log->version &&
	    f->process->log->version <= 10)
		return false;
	return f->host.log_functions &&
	       f->host.log_functions(f->host.context, m->found.symbols, name.at,
				     name.size, &one, 1) > 0;
}

/* The address of a frame of a program. */
static enum outcome locate(struct gsym_markup *f, struct gsym_mk_log_module *m,
			   struct gsym_mk_log_hit *hit, bool after)
{
	const struct logs_frame *frame = &hit->frame;
	const struct gsym_mk_log_state *s = f->process->log;
	uint64_t address = frame->number;
	enum outcome outcome = ANSWER;

	if (frame->meaning == LOGS_MAPPED) {
		if (!m->found.lowest_known)
			return NOTHING;
		address += m->found.lowest;
	} else if (frame->meaning == LOGS_FUNCTION) {
		outcome = by_function(f, m, frame, &address);
	} else if (frame->meaning == LOGS_FILE) {
		outcome = by_offset(f, m, frame, &address);
	} else if (frame->log == GSYM_MARKUP_LOG_GLIBC &&
		   frame->address == frame->number &&
		   !may_be_loaded_at(m, frame->number)) {
		return NOTHING;
	}
	if (outcome != ANSWER)
		return outcome;
	/* The lowest bit of an address of Thumb code tells the state of the
	 * processor. */
	if (frame->log == GSYM_MARKUP_LOG_ANDROID && !s->x86 &&
	    address <= UINT32_MAX)
		address &= ~(uint64_t)1;
	if (frame->returns)
		address = adjusted(f, hit->symbols, frame->log, address, after);
	if (!gsym_mk_log_look_up(f, hit->symbols, address))
		return NO_FUNCTION;
	if (!agrees(f, m, frame)) {
		say_disagreed(f, m, gsym_mk_log_slice(frame->function));
		return MISMATCH;
	}
	hit->addresses[0] = address;
	hit->count = 1;
	return ANSWER;
}

/* JVM: whether the frame has the program counter itself. */
static void settle_jvm(struct gsym_mk_log_state *s, struct logs_frame *frame)
{
	uint64_t key = gsym_mk_hash(gsym_mk_log_slice(frame->module)) ^
		       gsym_hash_mix(frame->number);

	if (frame->problem) {
		s->problem = key;
		return;
	}
	if (s->native || key == s->problem)
		frame->returns = false;
	s->native = false;
}

/* Find FRAME's address in the memory that the log described, and make it one in
 * the module that lies there; NULL if none lies there. */
static struct gsym_mk_log_module *find_memory(struct gsym_mk_log_state *s,
					      struct logs_frame *frame)
{
	const struct gsym_mk_mapping *at =
		gsym_mk_mapping_find(&s->memory, frame->number);

	if (!at)
		return NULL;
	frame->number = gsym_mk_relative(at, frame->number);
	frame->meaning = LOGS_MAPPED;
	return gsym_mk_log_module(s, frame->log, at->module->name);
}

/* The address of a frame in memory that elements of markup describe. */
static enum outcome resolve_element(struct gsym_markup *f,
				    struct gsym_mk_log_hit *hit)
{
	uint64_t address = hit->frame.number;
	const struct gsym_mk_mapping *at = gsym_mk_locate(f, &address);

	hit->symbols = at ? gsym_mk_symbols(f, at->module) : NULL;
	if (!hit->symbols)
		return NO_MODULE;
	name_module(hit, at->module->name, at->module->build_id,
		    at->module->build_id_size);
	address = gsym_mk_relative(at, address);
	if (hit->frame.returns)
		address = adjusted(f, hit->symbols, hit->frame.log, address,
				   false);
	if (!gsym_mk_log_look_up(f, hit->symbols, address))
		return NO_FUNCTION;
	hit->addresses[0] = address;
	hit->count = 1;
	return ANSWER;
}

static enum outcome resolve_program(struct gsym_markup *f,
				    struct gsym_mk_log_hit *hit)
{
	struct gsym_mk_log_state *s = gsym_mk_log_state(f);
	struct gsym_mk_log_module *m = NULL;
	bool after;

	if (s && hit->frame.meaning == LOGS_MEMORY) {
		m = find_memory(s, &hit->frame);
		if (!m)
			return resolve_element(f, hit);
	} else if (s) {
		m = module_of(s, &hit->frame);
	}
	if (!m) {
		f->out.out_of_memory = true;
		return NOTHING;
	}
	after = s->after_signal & hit->frame.log;
	s->after_signal &= ~(unsigned)hit->frame.log;
	if (hit->frame.log == GSYM_MARKUP_LOG_JVM)
		settle_jvm(s, &hit->frame);
	learn_bias(m, &hit->frame);
	if (hit->frame.answered)
		return ANSWER;
	name_module(hit, m->name, m->id, m->id_size);
	hit->symbols = symbols_of(f, m, hit->frame.doubtful);
	return hit->symbols ? locate(f, m, hit, after) : NO_MODULE;
}

/* ---- the kernel ------------------------------------------------------ */

static void say_size(struct gsym_markup *f, struct gsym_mk_log_module *m,
		     const struct logs_frame *frame,
		     const struct gsym_markup_log_function *found)
{
	if (m->disagreed)
		return;
	m->disagreed = true;
	gsym_mk_say(f, GSYM_MARKUP_NOTE, NULL,
		    "%.*s has 0x%" PRIx64 " bytes in the symbols of %.*s, "
		    "0x%" PRIx64 " in the log: another build?",
		    (int)frame->function.size, frame->function.at,
		    gsym_mk_log_size(found),
		    (int)(m->name.size ? m->name.size : 7),
		    m->name.size ? m->name.at : "vmlinux", frame->size);
}

/* The functions that are called NAME, or NAME without the suffix of a clone if
 * there is none. */
static size_t find_functions(struct gsym_markup *f, void *symbols,
			     struct gsym_mk_slice name,
			     struct gsym_markup_log_function *found)
{
	size_t count = 0;

	while (f->host.log_functions) {
		count = f->host.log_functions(f->host.context, symbols, name.at,
					      name.size, found, FUNCTIONS);
		if (count || !gsym_mk_log_cut_suffix(&name))
			break;
	}
	/* Those that do not fit might be the right ones. */
	return count <= FUNCTIONS ? count : 0;
}

/* Look the COUNT functions at FOUND up, and keep addresses in HIT: one of those
 * that give the same text. */
static enum outcome choose(struct gsym_markup *f, struct gsym_mk_log_hit *hit,
			   const struct gsym_markup_log_function *found,
			   size_t count, bool returns)
{
	uint64_t sums[GSYM_MK_LOG_ROOM_CHOICES];

	for (size_t i = 0; i < count; i++) {
		uint64_t address = found[i].start + hit->frame.number - returns;
		uint64_t sum;
		size_t known = 0;

		if (!gsym_mk_log_look_up(f, hit->symbols, address))
			continue;
		sum = gsym_mk_log_text_hash(f);
		while (known < hit->count && sums[known] != sum)
			known++;
		if (known < hit->count)
			continue;
		if (hit->count == GSYM_MK_LOG_CHOICES)
			return NO_FUNCTION;
		sums[hit->count] = sum;
		hit->addresses[hit->count++] = address;
	}
	return hit->count ? ANSWER : NO_FUNCTION;
}

bool gsym_mk_log_has_kernel(struct gsym_markup *f)
{
	struct gsym_mk_log_module *m = gsym_mk_log_kernel(f->process->log);

	return m && symbols_of(f, m, true);
}

/* Search the folder that the kernel was built in: the text before /init/main.c
 * in the file of a function that is in it. */
static void find_strip(struct gsym_markup *f, struct gsym_mk_log_state *s)
{
	static const char *const names[] = { "kernel_init", "start_kernel" };
	static const char wanted[] = "/init";
	struct gsym_mk_log_module *m = gsym_mk_log_kernel(s);
	struct gsym_markup_log_function one;
	void *symbols = m ? symbols_of(f, m, true) : NULL;

	s->strip_known = true;
	s->strip.count = 0;
	for (size_t i = 0; symbols && f->host.log_functions && i < 2; i++) {
		struct gsym_mk_levels levels;
		size_t length;

		if (f->host.log_functions(f->host.context, symbols, names[i],
					  strlen(names[i]), &one, 1) != 1)
			continue;
		levels = gsym_mk_levels_of(f, symbols, one.start);
		if (!levels.count)
			continue;
		const struct gsym_markup_frame *last =
			&levels.items[levels.count - 1].frame;

		length = strlen(last->directory);
		if (length < sizeof(wanted) - 1 ||
		    strcmp(last->basename, "main.c") != 0 ||
		    strcmp(last->directory + length - 5, wanted) != 0)
			continue;
		if (gsym_vec_reserve(&s->strip, length)) {
			memcpy(s->strip.items, last->directory, length - 4);
			s->strip.count = length - 4;
		}
		return;
	}
}

static enum outcome resolve_kernel(struct gsym_markup *f,
				   struct gsym_mk_log_hit *hit)
{
	const struct logs_frame *frame = &hit->frame;
	struct gsym_mk_log_state *s = gsym_mk_log_state(f);
	struct gsym_markup_log_function found[ROOM];
	struct gsym_mk_log_module *m = s ? module_of(s, frame) : NULL;
	uint64_t key = gsym_mk_hash(gsym_mk_log_slice(frame->function)) ^
		       gsym_hash_mix(frame->number);
	size_t count, fitting;

	if (!m)
		return NOTHING;
	if (frame->begins ||
	    f->line_number > s->report_line + GSYM_MK_LOG_REPORT)
		s->mark_count = 0;
	s->report_line = f->line_number;
	if (frame->marked)
		gsym_mk_log_mark(s, key);
	if (frame->answered)
		return ANSWER;
	if (f->options.strip_kernel && !s->strip_known)
		find_strip(f, s);
	name_module(hit, m->name, m->id, m->id_size);
	hit->symbols = symbols_of(f, m, false);
	if (!hit->symbols)
		return NO_MODULE;
	count = find_functions(f, hit->symbols,
			       gsym_mk_log_slice(frame->function), found);
	if (!count || frame->number > frame->size)
		return NO_FUNCTION;
	struct gsym_markup_log_function first = found[0];

	fitting = gsym_mk_log_keep_fitting(f, hit->symbols, frame, found,
					   count);
	if (!fitting) {
		say_size(f, m, frame, &first);
		return MISMATCH;
	}
	return choose(f, hit, found, fitting,
		      frame->returns && !gsym_mk_log_is_marked(s, key));
}

/* ---- all ------------------------------------------------------------- */

bool gsym_mk_log_resolve(struct gsym_markup *f, struct gsym_mk_log_hit *hit)
{
	struct gsym_markup_log_count *c = f->logs->counts;
	enum outcome outcome = NO_MODULE;

	hit->symbols = NULL;
	hit->count = 0;
	if (f->host.code)
		outcome = hit->frame.log == GSYM_MARKUP_LOG_KERNEL
				  ? resolve_kernel(f, hit)
				  : resolve_program(f, hit);
	for (unsigned log = hit->frame.log; log > 1; log >>= 1)
		c++;
	/* A text that may be no frame counts if its module is known. */
	if (hit->frame.doubtful && outcome == NO_MODULE)
		return false;
	c->frames++;
	c->answered += outcome == ANSWER;
	c->no_module += outcome == NO_MODULE;
	c->no_function += outcome == NO_FUNCTION || outcome == NOTHING;
	c->mismatch += outcome == MISMATCH;
	return outcome == ANSWER && !hit->frame.answered;
}
