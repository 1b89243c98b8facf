/* SPDX-License-Identifier: MIT */
/* The line before the one at hand, and what it says about the first frame of
 * that. */
#include "config.h"

#include "filter/read.h"

void gsym_mk_log_keep(struct gsym_mk_log_reader *r, const char *at, size_t size)
{
	size_t kept = size < sizeof(r->before) ? size : sizeof(r->before);

	memcpy(r->before, at + (size - kept), kept);
	r->before_size = kept;
}

/* The sign in one of the pieces of the line before, which others have wrapped.
 * The line at hand may be unwrapped already, so its views are left alone. */
static enum logs_sign unwrapped_sign(unsigned forms, const char *at,
				     const char *end)
{
	struct logs_runs {
		struct logs_run runs[LOGS_RUNS];
		char arena[GSYM_MK_LOG_BEFORE];
	} *room = malloc(sizeof(*room));
	struct logs_unwrapping u = { .logs = forms };
	enum logs_sign sign = LOGS_NO_SIGN;
	struct logs_view view;

	if (!room)
		return sign;
	u.arena = room->arena;
	u.runs = room->runs;
	gsym_logs_unwrap(&u, at, end);
	while (gsym_logs_next_view(&u, &view)) {
		enum logs_sign own = gsym_logs_sign(view.at, view.end);

		/* A frame behind the sign is the one that the sign is for. */
		if (own != LOGS_NO_SIGN ||
		    gsym_logs_announced(forms, view.at,
					(size_t)(view.end - view.at)))
			sign = own;
	}
	free(room);
	return sign;
}

/* Whether the line before, AT to END, is of PROCESS. */
static bool is_same_process(const struct gsym_mk_log_reader *r,
			    struct logs_text process, const char *at,
			    const char *end)
{
	struct logs_text name = logs_string("");

	if (r->options->headers == GSYM_MARKUP_HEADERS_NONE)
		return true;
	gsym_mk_header(r->headers, at, (size_t)(end - at), &name);
	return logs_same(name, process);
}

enum logs_sign gsym_mk_log_sign_before(const struct gsym_mk_log_reader *r,
				       struct logs_text process)
{
	const char *at = r->before, *end = at + r->before_size;
	enum logs_sign sign;

	if (!gsym_logs_has_sign(at, end))
		return LOGS_NO_SIGN;
	sign = gsym_logs_sign(at, end);
	if (sign == LOGS_NO_SIGN &&
	    gsym_logs_signs(at, end, gsym_logs_all_signs))
		sign = unwrapped_sign(r->options->logs.forms, at, end);
	return sign != LOGS_NO_SIGN && is_same_process(r, process, at, end)
		       ? sign
		       : LOGS_NO_SIGN;
}
