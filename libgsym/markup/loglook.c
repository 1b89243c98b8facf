/* SPDX-License-Identifier: MIT */
/* From a frame of a backtrace to the symbols of its module, and to the address
 * that it stands for. */
#include "config.h"

#include "markup/loglook.h"

#include "base/hash.h"
#include "markup/diagnose.h"
#include "markup/filter.h"
#include "markup/host.h"
#include "markup/logname.h"

enum { ROOM = GSYM_MK_LOG_ROOM_FUNCTIONS, PAGE = 4096 };
#define FUNCTIONS GSYM_MK_LOG_FUNCTIONS

/* ---- addresses ------------------------------------------------------- */

/* Whether signal handlers return to the function NAME. */
static bool names_trampoline(struct gsym_mk_slice name)
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

/* Whether M may have the function that signal handlers return to. */
static bool is_libc(const struct gsym_mk_log_module *m)
{
	static const char *const names[] = { "libc.so", "libc-", "libpthread",
					     "ld-musl", "libc.musl" };
	const char *slash = m->name.size ? memrchr(m->name.at, '/',
						   m->name.size)
					 : NULL;
	const char *base = slash ? slash + 1 : m->name.at;
	size_t size = m->name.size - (size_t)(base - m->name.at);

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (size >= strlen(names[i]) &&
		    memcmp(base, names[i], strlen(names[i])) == 0)
			return true;
	return false;
}

/* Whether a signal handler returns to ADDRESS: a function for that begins
 * there. */
static bool is_trampoline(struct gsym_markup *f, void *symbols,
			  uint64_t address)
{
	struct gsym_mk_levels l = gsym_mk_levels_of(f, symbols, address);
	const struct gsym_markup_frame *last;

	if (!l.count)
		return false;
	last = &l.items[l.count - 1].frame;
	return !last->offset &&
	       names_trampoline((struct gsym_mk_slice){
		       last->function, strlen(last->function) });
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
static enum gsym_look by_function(struct gsym_markup *f,
				  struct gsym_mk_log_module *m,
				  const struct logs_frame *frame, uint64_t *ret)
{
	struct gsym_markup_log_function found[ROOM];
	size_t count, left = 0;

	if (m->biased) {
		*ret = frame->address - m->bias;
		return GSYM_LOOK_ANSWER;
	}
	if (!f->host.log_functions)
		return GSYM_LOOK_NO_FUNCTION;
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
	/* One that did not fit might be right, too. */
	if (left == 1 && count <= FUNCTIONS) {
		m->biased = true;
		m->bias = frame->address - *ret;
		return GSYM_LOOK_ANSWER;
	}
	return count ? GSYM_LOOK_MISMATCH : GSYM_LOOK_NO_FUNCTION;
}

/* Whether a look-up of the address OTHER, unless that is ADDRESS, has no answer
 * in M. */
static bool is_one_answer(struct gsym_markup *f,
			  const struct gsym_mk_log_module *m, uint64_t address,
			  uint64_t other)
{
	return address == other ||
	       !gsym_mk_log_look_up(f, m->found.symbols, other - 1);
}

/* The address of an offset in the file of M.  A frame that has a function, too,
 * tells how far the segment was moved, for itself and for frames without a
 * function.  Else the host may know the segments of the file.  The bias is the
 * offset less the address. */
static enum gsym_look by_offset(struct gsym_markup *f,
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
		return GSYM_LOOK_ANSWER;
	}
	if (count)
		return GSYM_LOOK_MISMATCH;
	*ret = frame->number - m->bias;
	if (m->biased)
		return GSYM_LOOK_ANSWER;
	/* Where strace was built with libdw the number is the address. */
	return f->host.log_offset &&
			       f->host.log_offset(f->host.context,
						  m->found.symbols,
						  frame->number, ret) &&
			       is_one_answer(f, m, *ret, frame->number)
		       ? GSYM_LOOK_ANSWER
		       : GSYM_LOOK_NOTHING;
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

	if (m->found.certain || !name.size)
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

/* Whether ADDRESS is where FRAME says that it is: so many bytes after the start
 * of a function of M.  True if M lacks the function. */
static bool is_in_place(struct gsym_markup *f,
			const struct gsym_mk_log_module *m,
			const struct logs_frame *frame, uint64_t address)
{
	struct gsym_markup_log_function found[ROOM];
	uint64_t offset = frame->meaning == LOGS_FUNCTION ? frame->number
							  : frame->offset;
	size_t count = 0;

	if (m->found.certain ||
	    (!frame->placed && frame->meaning != LOGS_FUNCTION))
		return true;
	if (f->host.log_functions)
		count = f->host.log_functions(
			f->host.context, m->found.symbols, frame->function.at,
			frame->function.size, found, FUNCTIONS);
	for (size_t i = 0; i < count && i < FUNCTIONS; i++)
		if (found[i].start + offset == address)
			return true;
	return count == 0 || count > FUNCTIONS;
}

/* Note that FRAME has shown that M's symbols are of another build. */
static void distrust(struct gsym_markup *f, struct gsym_mk_log_module *m,
		     const struct logs_frame *frame)
{
	/* Old releases of Android print offsets in the file for some
	 * libraries: this frame alone is wrong. */
	m->distrusted = frame->log != GSYM_MARKUP_LOG_ANDROID ||
			!f->process->log->version ||
			f->process->log->version > 10;
	if (m->disagreed)
		return;
	m->disagreed = true;
	gsym_mk_say(f, GSYM_MARKUP_ERROR, NULL,
		    "%.*s lies elsewhere in the symbols of \"%.*s\" than in "
		    "the log: another build, which gives no answers",
		    (int)(frame->function.size < 200 ? frame->function.size
						     : 200),
		    frame->function.at,
		    (int)(m->name.size < 200 ? m->name.size : 200), m->name.at);
}

/* The address of a frame of a program. */
static enum gsym_look locate(struct gsym_markup *f,
			     struct gsym_mk_log_module *m,
			     struct gsym_mk_log_hit *hit, bool after)
{
	const struct logs_frame *frame = &hit->frame;
	const struct gsym_mk_log_state *s = f->process->log;
	uint64_t address = frame->number;
	enum gsym_look outcome = GSYM_LOOK_ANSWER;

	if (frame->meaning == LOGS_MAPPED) {
		if (!m->found.lowest_known)
			return GSYM_LOOK_NOTHING;
		address += m->found.lowest;
	} else if (frame->meaning == LOGS_FUNCTION) {
		outcome = by_function(f, m, frame, &address);
	} else if (frame->meaning == LOGS_FILE) {
		outcome = by_offset(f, m, frame, &address);
	} else if (frame->log == GSYM_MARKUP_LOG_GLIBC &&
		   frame->address == frame->number &&
		   !may_be_loaded_at(m, frame->number)) {
		return GSYM_LOOK_NOTHING;
	}
	if (outcome != GSYM_LOOK_ANSWER)
		return outcome;
	hit->unsure = m->found.other || m->distrusted ||
		      !is_in_place(f, m, frame, address);
	if (hit->unsure && !f->options.log_any_build) {
		distrust(f, m, frame);
		return GSYM_LOOK_MISMATCH;
	}
	/* The lowest bit of an address of Thumb code tells the state of the
	 * processor. */
	if (frame->log == GSYM_MARKUP_LOG_ANDROID && !s->x86 &&
	    address <= UINT32_MAX)
		address &= ~(uint64_t)1;
	if (frame->returns)
		address = adjusted(f, hit->symbols, frame->log, address, after);
	if (!gsym_mk_log_look_up(f, hit->symbols, address))
		return GSYM_LOOK_NO_FUNCTION;
	hit->unsure |= !agrees(f, m, frame);
	if (hit->unsure && !f->options.log_any_build) {
		say_disagreed(f, m, gsym_mk_log_slice(frame->function));
		return GSYM_LOOK_MISMATCH;
	}
	hit->addresses[0] = address;
	hit->count = 1;
	return GSYM_LOOK_ANSWER;
}

/* HIT, which has an answer, follows a frame that may be a signal trampoline:
 * its address may be exact.  If the answers for a return address and for an
 * exact one differ, both are given where there is room for both. */
static enum gsym_look give_both(struct gsym_markup *f,
				struct gsym_mk_log_hit *hit)
{
	uint64_t sum = gsym_mk_log_text_hash(f), exact = hit->addresses[0] + 1;

	if (gsym_mk_log_look_up(f, hit->symbols, exact) &&
	    gsym_mk_log_text_hash(f) == sum)
		return GSYM_LOOK_ANSWER;
	if (hit->frame.layout != LOGS_APPEND) {
		hit->count = 0;
		return GSYM_LOOK_NO_FUNCTION;
	}
	hit->unsure = true;
	if (f->logs->answer.levels.count &&
	    hit->count < GSYM_MK_LOG_CHOICES)
		hit->addresses[hit->count++] = exact;
	return GSYM_LOOK_ANSWER;
}

/* Whether the line of FRAME, an address alone, may have the name of a function:
 * debuggers write "??" where they have none. */
static bool has_name(const struct logs_frame *frame)
{
	return frame->log == GSYM_MARKUP_LOG_MAPS &&
	       !memmem(frame->start, (size_t)(frame->insert - frame->start),
		       "??", 2);
}

/* Note what FRAME, which is in M, says about the next one.  A trampoline is
 * never the first frame of a stack. */
static void note_signal(struct gsym_mk_log_state *s,
			const struct logs_frame *frame,
			const struct gsym_mk_log_module *m)
{
	if (names_trampoline(gsym_mk_log_slice(frame->function)))
		s->after_signal |= frame->log;
	else if (frame->returns && !frame->function.size &&
		 !m->found.symbols && is_libc(m) && !has_name(frame))
		s->after_libc |= frame->log;
}

/* The module of a frame that has a function, but no module: the one in which
 * the function lies at the address.  Its place in memory is known from another
 * frame.  NULL if there is none, or if there are several. */
static struct gsym_mk_log_module *
find_by_function(struct gsym_markup *f, struct gsym_mk_log_state *s,
		 const struct logs_frame *frame)
{
	struct gsym_mk_log_module *found = NULL;
	const struct gsym_mk_slice name =
		gsym_mk_log_plain(gsym_mk_log_slice(frame->function));
	unsigned tries = GSYM_LIMIT(64u, 1);

	for (struct gsym_mk_log_module *m = s->oldest; m && tries;
	     m = m->younger) {
		const struct gsym_markup_frame *last;
		const char *plain;

		if (m->log != frame->log || !m->biased || !m->found.symbols)
			continue;
		tries--;
		if (!gsym_mk_log_look_up(f, m->found.symbols,
					 frame->address - m->bias))
			continue;
		last = &f->logs->answer.levels
				.items[f->logs->answer.levels.count - 1]
				.frame;
		plain = gsym_mk_demangle(f, last->function);
		if (last->offset != frame->number ||
		    !gsym_mk_log_same_name(name, (struct gsym_mk_slice){
							 plain,
							 strlen(plain) }))
			continue;
		if (found)
			return NULL;
		found = m;
	}
	return found;
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
static enum gsym_look resolve_element(struct gsym_markup *f,
				      struct gsym_mk_log_hit *hit)
{
	uint64_t address = hit->frame.number;
	const struct gsym_mk_mapping *at = gsym_mk_locate(f, &address);

	hit->symbols = at ? gsym_mk_symbols(f, at->module) : NULL;
	if (!hit->symbols)
		return GSYM_LOOK_NO_MODULE;
	gsym_mk_log_name_module(hit, at->module->name, at->module->build_id,
		    at->module->build_id_size);
	address = gsym_mk_relative(at, address);
	if (hit->frame.returns)
		address = adjusted(f, hit->symbols, hit->frame.log, address,
				   false);
	if (!gsym_mk_log_look_up(f, hit->symbols, address))
		return GSYM_LOOK_NO_FUNCTION;
	hit->addresses[0] = address;
	hit->count = 1;
	return GSYM_LOOK_ANSWER;
}

static enum gsym_look resolve_program(struct gsym_markup *f,
				      struct gsym_mk_log_hit *hit)
{
	struct gsym_mk_log_state *s = gsym_mk_log_state(f);
	struct gsym_mk_log_module *m = NULL;
	bool after, perhaps;
	enum gsym_look outcome;

	if (s && hit->frame.meaning == LOGS_MEMORY) {
		m = find_memory(s, &hit->frame);
		if (!m)
			return resolve_element(f, hit);
	} else if (s && hit->frame.log == GSYM_MARKUP_LOG_GLIBC &&
		   !hit->frame.module.size) {
		m = find_by_function(f, s, &hit->frame);
		if (!m)
			return GSYM_LOOK_NO_MODULE;
	} else if (s) {
		m = gsym_mk_log_module_of(s, &hit->frame);
	}
	if (!m) {
		f->out.out_of_memory = true;
		return GSYM_LOOK_NOTHING;
	}
	after = s->after_signal & hit->frame.log;
	perhaps = s->after_libc & hit->frame.log;
	s->after_signal &= ~(unsigned)hit->frame.log;
	s->after_libc &= ~(unsigned)hit->frame.log;
	if (hit->frame.log == GSYM_MARKUP_LOG_JVM)
		settle_jvm(s, &hit->frame);
	learn_bias(m, &hit->frame);
	if (hit->frame.answered)
		return GSYM_LOOK_ANSWER;
	gsym_mk_log_name_module(hit, m->name, m->id, m->id_size);
	hit->symbols = gsym_mk_log_symbols(f, m, hit->frame.doubtful);
	outcome = hit->symbols ? locate(f, m, hit, after)
			       : GSYM_LOOK_NO_MODULE;
	note_signal(s, &hit->frame, m);
	return outcome == GSYM_LOOK_ANSWER && perhaps && hit->frame.returns
		       ? give_both(f, hit)
		       : outcome;
}

/* ---- all ------------------------------------------------------------- */

bool gsym_mk_log_resolve(struct gsym_markup *f, struct gsym_mk_log_hit *hit)
{
	struct gsym_markup_log_count *c = f->logs->counts;
	enum gsym_look outcome = GSYM_LOOK_NO_MODULE;

	hit->symbols = NULL;
	hit->module = gsym_mk_log_slice(hit->frame.module);
	f->logs->found = (struct gsym_markup_log_symbols){ 0 };
	hit->count = 0;
	hit->unsure = false;
	if (f->host.code)
		outcome = hit->frame.log == GSYM_MARKUP_LOG_KERNEL
				  ? gsym_mk_log_resolve_kernel(f, hit)
				  : resolve_program(f, hit);
	if (f->host.explain && (!hit->frame.doubtful ||
				outcome != GSYM_LOOK_NO_MODULE))
		gsym_mk_log_explain(f, hit, outcome);
	for (unsigned log = hit->frame.log; log > 1; log >>= 1)
		c++;
	/* A text that may be no frame counts if its module is known. */
	if (hit->frame.doubtful && outcome == GSYM_LOOK_NO_MODULE)
		return false;
	c->frames++;
	c->answered += outcome == GSYM_LOOK_ANSWER;
	c->no_module += outcome == GSYM_LOOK_NO_MODULE;
	c->no_function += outcome == GSYM_LOOK_NO_FUNCTION ||
			  outcome == GSYM_LOOK_NOTHING;
	c->mismatch += outcome == GSYM_LOOK_MISMATCH;
	return outcome == GSYM_LOOK_ANSWER && !hit->frame.answered;
}
