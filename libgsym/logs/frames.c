/* SPDX-License-Identifier: MIT */
/* The dialects of a line: which ones it is tried for, its frames and its
 * facts. */
#include "config.h"

#include "logs/scan.h"

#define ADDRESS(name) &gsym_logs_##name,
const struct logs_dialect *const gsym_logs_dialects[LOGS_FORMS] = {
	LOGS_DIALECTS(ADDRESS)
};

/* The least bytes of two frames; and the most bytes of the name of a module,
 * which is a path, because names are kept in memory. */
enum { TWO_FRAMES = 20, LONGEST_NAME = 4096 };

/* Where the second frame of D begins, as the function of the dialect tells;
 * NULL if there is none. */
static const char *second(const struct logs_dialect *d, const char *at,
			  const char *end)
{
	return d->second && end - at >= TWO_FRAMES ? d->second(at, end) : NULL;
}

/* The place behind the next text in AT to END that may stand between two
 * frames, whose start becomes *BEFORE; NULL and END if there is none. */
static const char *after_joint(const char *at, const char *end,
			       const char **before)
{
	while (at < end && !logs_is_joint(*at))
		at++;
	*before = at;
	at = logs_joint(at, end);
	return at && at < end ? at : NULL;
}

/* Whether AT to END is a frame of D, behind which nothing is, but for a bracket
 * around it. */
static bool is_whole(const struct logs_dialect *d, const char *at,
		     const char *end, struct logs_frame *ret)
{
	/* The answer to a frame of LOGS_SANITIZER goes before the module, which
	 * ends the frame. */
	return end - at >= TWO_FRAMES / 2 && d->frame(at, end, ret) &&
	       (ret->insert == end || ret->layout == LOGS_SANITIZER ||
		logs_word(ret->insert, end, "]") == end);
}

/* The most parts, with joints between, of a frame and of the text before the
 * frame in its line.  Behind more parts only the last frame is found. */
enum { MOST_PARTS = 32 };

/* Whether a frame of D begins at AT, perhaps with a bracket around it. */
static bool begins(const struct logs_dialect *d, const char *at,
		   const char *end)
{
	const char *stop, *from = at;
	struct logs_frame frame;

	for (int i = 0; i < MOST_PARTS && from; i++) {
		from = after_joint(from, end, &stop);
		if (is_whole(d, at, stop, &frame) &&
		    frame.start <= at + (*at == '['))
			return true;
	}
	return false;
}

/* Where the second frame of AT to END begins, as whole frames of D on both
 * sides of a joint tell; NULL if there is none. */
static const char *split(const struct logs_dialect *d, const char *at,
			 const char *end)
{
	const char *stop, *from = at;
	struct logs_frame frame;

	for (int i = 0; i < MOST_PARTS; i++) {
		from = after_joint(from, end, &stop);
		if (!from)
			return NULL;
		if (is_whole(d, at, stop, &frame) && begins(d, from, end))
			return from;
	}
	return NULL;
}

/* Whether LAST, a frame of D at the end of a line from AT on, stands behind
 * another one. */
static bool is_behind_frame(const struct logs_dialect *d, const char *at,
			    const struct logs_frame *last)
{
	const char *start = last->start, *stop;
	struct logs_frame frame;

	start -= start > at && start[-1] == '[';
	stop = gsym_logs_before_joint(at, start);
	return stop < start && is_whole(d, at, stop, &frame);
}

/* Where the second frame of AT to END begins, the rest of a line that has
 * several of D.  *JOINTS becomes true where joints alone tell: so they do in
 * what is left of the line, which is not searched again for anything else. */
static const char *second_of_several(const struct logs_dialect *d,
				     const char *at, const char *end,
				     bool *joints)
{
	const char *found = *joints ? NULL : second(d, at, end);

	if (found || !d->frame)
		return found;
	*joints = true;
	return end - at >= TWO_FRAMES ? split(d, at, end) : NULL;
}

/* Whether AT to END, behind a frame, may be an answer to the frame: a place, or
 * the name of a function.  Other text has several words, no "f(" or ":12", and
 * no "::" or "<" in the first word, as Rust's "Vec<u8, A>::push" has. */
static bool may_be_answer(const char *at, const char *end)
{
	bool words = false;

	if (memchr("(<[+*_", *at, 6) || logs_word(at, end, "-["))
		return true;
	for (const char *from = at + 1; from < end; from++) {
		if ((*from == '(' && from[-1] != ' ') ||
		    (from[-1] == ':' && logs_is_digit(*from)))
			return true;
		if (!words && (*from == '<' || logs_word(from, end, "::")))
			return true;
		words |= *from == ' ';
	}
	return !words;
}

/* Find the frame of D at the start of AT to END, behind which text follows: of
 * the whole frames that begin at AT, the last one with at most MORE parts than
 * the one before, because " [0x1234]" (one part) or " (BuildId: 12)" (two)
 * belongs to a frame that is whole without it. */
static bool before_text(const struct logs_dialect *d, const char *at,
			const char *end, struct logs_frame *ret)
{
	enum { MORE = 2 };
	const char *stop, *from = at;
	struct logs_frame frame;
	int found = MOST_PARTS;

	for (int i = 0; i < MOST_PARTS && i <= found + MORE; i++) {
		from = after_joint(from, end, &stop);
		if (!from)
			break;
		if (is_whole(d, at, stop, &frame) &&
		    frame.start <= at + (*at == '[') &&
		    !may_be_answer(from, end)) {
			*ret = frame;
			found = i;
		}
	}
	return found < MOST_PARTS;
}

/* The end of AT to END without joints and semicolons. */
static const char *before_gap(const char *at, const char *end)
{
	end = gsym_logs_before_joint(at, end);
	while (end > at && end[-1] == ';')
		end--;
	return end;
}

/* Whether the answer of an earlier run, with a place, stands at the start of AT
 * to END, behind a frame of D and before the next one. */
static bool is_answered(const struct logs_dialect *d, const char *at,
			const char *end)
{
	const char *stop, *from = at, *answer = NULL;
	struct logs_frame frame;

	for (int i = 0; i < MOST_PARTS && from; i++) {
		from = after_joint(from, end, &stop);
		if (is_whole(d, at, stop, &frame))
			return answer && answer <= frame.start;
		if (!answer && gsym_logs_answer(at, before_gap(at, stop)))
			answer = stop;
	}
	return answer != NULL;
}

/* Find the first frame of D from FROM on, where others may follow; the second
 * one, if it is known, begins at STOP, else NULL.  JOINTS is that of
 * second_of_several. */
static bool next_of_several(const struct logs_dialect *d, const char *from,
			    const char *stop, bool joints, const char *end,
			    struct logs_frame *ret)
{
	while (from) {
		const char *own = stop ? gsym_logs_before_joint(from, stop)
				       : end;

		if (stop ? d->frame(from, own, ret) &&
				    !is_answered(d, stop, end)
			 : d->frame(from, own, ret) ||
				    before_text(d, from, end, ret)) {
			ret->rest = stop;
			ret->joints = joints;
			return true;
		}
		from = stop;
		stop = from ? second_of_several(d, from, end, &joints) : NULL;
	}
	return false;
}

/* Find the first frame of D in AT to END, which has one frame, as a rule: a
 * recogniser may take the last one of several for the only one. */
static bool first_frame(const struct logs_dialect *d, const char *at,
			const char *end, struct logs_frame *ret)
{
	const char *stop;
	bool joints;

	if (d->frames && d->frames(at, at, end, ret)) {
		ret->rest = NULL;
		return true;
	}
	if (!d->frame || !d->frame(at, end, ret))
		return false;
	ret->rest = NULL;
	stop = second(d, at, end);
	joints = !stop;
	if (joints && is_behind_frame(d, at, ret))
		stop = split(d, at, end);
	return !stop || next_of_several(d, at, stop, joints, end, ret);
}

/* The next dialect of LEFT, a bit for each, which loses its bit. */
static const struct logs_dialect *take(unsigned *left)
{
	const struct logs_dialect *d = gsym_logs_dialects[__builtin_ctz(*left)];

	*left &= *left - 1;
	return d;
}

static bool first_of_line(unsigned asked, const char *at, const char *end,
			  struct logs_frame *ret)
{
	bool answered;

	for (unsigned left = asked; left;) {
		const struct logs_dialect *d = take(&left);

		if (first_frame(d, at, end, ret)) {
			ret->dialect = d;
			return true;
		}
	}
	if (end - at < TWO_FRAMES)
		return false;
	/* Text may follow the last one of several frames.  Behind an answer of
	 * an earlier run joints tell of no frames that had none then. */
	answered = gsym_logs_answer(at, before_gap(at, end)) != NULL;
	for (unsigned left = asked; left;) {
		const struct logs_dialect *d = take(&left);
		bool joints = false;
		const char *stop =
			answered ? second(d, at, end)
				 : second_of_several(d, at, end, &joints);

		if (stop && next_of_several(d, at, stop, joints, end, ret)) {
			ret->dialect = d;
			return true;
		}
	}
	return false;
}

static bool next_of_line(const char *at, const char *from, const char *end,
			 struct logs_frame *ret)
{
	const struct logs_dialect *d = ret->dialect;
	bool found = false;

	if (ret->rest) {
		const char *next = ret->rest;
		bool joints = ret->joints;
		const char *stop = second_of_several(d, next, end, &joints);

		found = next_of_several(d, next, stop, joints, end, ret);
	} else if (d->frames) {
		found = d->frames(at, from, end, ret);
		ret->rest = NULL;
	}
	ret->dialect = d;
	return found;
}

bool gsym_logs_frame(unsigned asked, const char *at, const char *from,
		     const char *end, struct logs_frame *ret)
{
	bool found = from > at ? next_of_line(at, from, end, ret)
			       : first_of_line(asked, at, end, ret);

	return found && ret->module.size <= LONGEST_NAME;
}

bool gsym_logs_fact(unsigned asked, const char *at, const char *end,
		    struct logs_fact *ret)
{
	for (unsigned left = asked; left;) {
		const struct logs_dialect *d = take(&left);

		if (!d->fact)
			continue;
		*ret = (struct logs_fact){ .dialect = d };
		if (d->fact(at, end, ret))
			return ret->name.size <= LONGEST_NAME;
	}
	return false;
}

struct logs_asked gsym_logs_ask(unsigned logs)
{
	struct logs_asked asked = { 0 };

	for (size_t i = 0; i < LOGS_FORMS; i++) {
		const struct logs_dialect *d = gsym_logs_dialects[i];
		const unsigned bit = logs & d->log ? 1u << i : 0;

		asked.all |= bit;
		asked.wordless |= d->words ? 0 : bit;
		for (unsigned left = d->words; left; left &= left - 1)
			asked.by_word[__builtin_ctz(left)] |= bit;
	}
	return asked;
}

unsigned gsym_logs_announced(const struct logs_asked *asked, const char *bytes,
			     size_t size)
{
	unsigned found = asked->wordless;

	for (unsigned left = gsym_logs_words(bytes, size); left;
	     left &= left - 1)
		found |= asked->by_word[__builtin_ctz(left)];
	return found;
}
