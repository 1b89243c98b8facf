/* SPDX-License-Identifier: MIT */
/* Prints stacks of frames as text or as JSON. */
#include "config.h"

#include "common/names.h"

#include "base/path_map.h"
#include "common/out.h"

bool frames_take_text(uint64_t *left, const char *text)
{
	size_t length = strnlen(text, *left + 1);
	bool fits = length <= *left;
	*left = fits ? *left - length : 0;
	return fits;
}

bool frames_take(uint64_t *left, struct gsym_demangler *demangler,
		 const struct gsym_frame *frames, size_t count)
{
	/* A few demangled names always fit. */
	if (count < FRAMES_BYTES / 2 / GSYM_DEMANGLE_MAX_RESULT)
		demangler = NULL;
	for (size_t i = 0; i < count; i++) {
		const struct gsym_frame *f = &frames[i];
		if (!frames_take_text(left, f->function) ||
		    !frames_take_text(left, f->directory) ||
		    !frames_take_text(left, f->basename) ||
		    (demangler &&
		     !frames_take_text(left, demangle(demangler,
						      f->function))))
			return false;
	}
	return true;
}

/* Write TEXT, a string of a GSYM file, escaped for JSON or for text. */
static void put_string(struct out *out, bool json, const char *text)
{
	if (json)
		json_escape(out, text, strlen(text));
	else
		out_foreign(out, text);
}

void frames_path(struct out *out, const char *directory, const char *basename)
{
	out_foreign(out, directory);
	out_text(out, gsym_path_separator(directory));
	out_foreign(out, basename);
}

/* The name of the function of F as STYLE shows it; "" if it has none. */
static const char *name_of(const struct frames_style *style,
			   const struct gsym_frame *f)
{
	return style->demangler ? demangle(style->demangler, f->function)
				: f->function;
}

/* The directory of F as STYLE shows it. */
static const char *directory_of(const struct frames_style *style,
				const struct gsym_frame *f)
{
	return style->basenames ? "" : f->directory;
}

static bool has_place(const struct gsym_frame *f)
{
	return *f->directory || *f->basename;
}

/* Write the file of F, without its line, and "??:" if that is not known. */
static void put_file(struct out *out, const struct frames_style *style,
		     const struct gsym_frame *f)
{
	if (has_place(f))
		frames_path(out, directory_of(style, f), f->basename);
	else
		out_text(out, "??");
	out_text(out, ":");
}

unsigned frames_width(uint64_t address)
{
	char digits[GSYM_NUMBER_MAX];
	return 2 + gsym_hex_put(digits, address) + 2;
}

void frames_begin(struct out *out, const struct frames_style *style,
		  uint64_t address)
{
	if (style->json) {
		out_text(out, "{\"address\":\"");
		out_hex(out, address);
		out_text(out, "\",\"frames\":[");
	} else if (style->title) {
		out_foreign_bytes(out, style->title, style->title_length);
		out_text(out, ":\n");
	} else if (!style->go) {
		out_hex(out, address);
		out_text(out, ": ");
	}
}

static void json_frames(struct out *out, const struct frames_style *style,
			const struct gsym_frame *frames, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const struct gsym_frame *f = &frames[i];
		if (i)
			out_text(out, ",");
		out_text(out, "{\"function\":\"");
		put_string(out, true, name_of(style, f));
		out_text(out, "\",\"file\":\"");
		json_escape_path(out, directory_of(style, f), f->basename);
		out_number(out, "\",\"line\":", f->line);
		out_number(out, ",\"offset\":", f->offset);
		out_text(out, f->inlined ? ",\"inlined\":true}"
					 : ",\"inlined\":false}");
	}
}

static void indent_line(struct out *out, unsigned indent)
{
	memset(out_reserve(out, indent), ' ', indent);
	out_take(out, indent);
}

static void text_frame(struct out *out, const struct frames_style *style,
		       const struct gsym_frame *f)
{
	const char *name = name_of(style, f);
	/* A nameless function is told by its place; without one, by how far
	 * its start is. */
	bool nameless = !f->inlined &&
			(!*f->function || !strcmp(f->function, "??"));

	out_bold(out);
	out_foreign(out, *name ? name : "??");
	out_plain(out);
	if (f->offset && !(nameless && has_place(f)))
		out_number(out, " + ", f->offset);
	if (has_place(f)) {
		out_text(out, " at ");
		put_file(out, style, f);
		out_decimal(out, f->line);
	}
	if (f->inlined) {
		out_dim(out);
		out_text(out, " (inlined)");
		out_plain(out);
	}
	out_text(out, "\n");
}

/* A frame as faddr2line writes it. */
static void titled_frame(struct out *out, const struct frames_style *style,
			 const struct gsym_frame *f, bool first)
{
	const char *name = name_of(style, f);

	if (!first)
		out_text(out, " (inlined by) ");
	out_foreign(out, *name ? name : "??");
	out_text(out, " at ");
	put_file(out, style, f);
	if (f->line)
		out_decimal(out, f->line);
	else
		out_text(out, "?");
	out_text(out, "\n");
}

void frames_stack(struct out *out, const struct frames_style *style,
		  const struct gsym_frame *frames, size_t count,
		  unsigned indent)
{
	if (style->json) {
		json_frames(out, style, frames, count);
		out_text(out, "]");
		return;
	}
	if (count == 0)
		out_text(out, "??\n");
	for (size_t i = 0; i < count; i++) {
		if (style->title) {
			titled_frame(out, style, &frames[i], i == 0);
			continue;
		}
		if (i)
			indent_line(out, indent);
		text_frame(out, style, &frames[i]);
	}
}

void frames_module(struct out *out, const struct frames_style *style,
		   const char *path, uint64_t address)
{
	if (style->json) {
		out_text(out, "],\"module\":\"");
		put_string(out, true, path);
		out_text(out, "\",\"module_address\":\"");
		out_hex(out, address);
		out_text(out, "\"");
		return;
	}
	out_text(out, style->go ? "?\?(...)\n\t" : "?? (");
	out_foreign(out, *path ? path : "memory");
	out_text(out, "+");
	out_hex(out, address);
	out_text(out, style->go ? "\n" : ")\n");
}

/* Write NAME as the Go runtime does: with "..." instead of type arguments. */
static void go_name(struct out *out, const char *name)
{
	const char *open = strchr(name, '[');
	const char *close = strrchr(name, ']');
	if (open && close && close > open) {
		out_foreign_bytes(out, name, (size_t)(open - name));
		out_text(out, "[...]");
		name = close + 1;
	}
	out_foreign(out, name);
}

void frames_go(struct out *out, const struct frames_style *style,
	       const struct gsym_frame *frames, size_t count, uint64_t address,
	       uint64_t start)
{
	for (size_t i = 0; i < count; i++) {
		const struct gsym_frame *f = &frames[i];
		const char *name = name_of(style, f);

		/* The runtime prints the name of the built-in function. */
		if (strcmp(f->function, "runtime.gopanic") == 0)
			name = "panic";
		out_bold(out);
		go_name(out, *name ? name : "??");
		out_plain(out);
		out_text(out, "(...)\n\t");
		put_file(out, style, f);
		out_decimal(out, f->line);
		/* Like the runtime: nothing at the function's start. */
		if (!f->inlined && address != start) {
			out_text(out, " +");
			out_hex(out, address - start);
		}
		out_text(out, "\n");
	}
	if (count == 0) {
		out_text(out, "?\?(...)\n\t");
		out_hex(out, address);
		out_text(out, "\n");
	}
}

void frames_merged(struct out *out, const struct frames_style *style,
		   const struct gsym_frame *frames, size_t count,
		   unsigned indent, bool first)
{
	if (style->json) {
		out_text(out, first ? ",\"merged\":[{\"frames\":["
				    : ",{\"frames\":[");
		json_frames(out, style, frames, count);
		out_text(out, "]}");
		return;
	}
	indent_line(out, indent);
	out_text(out, "merged: ");
	frames_stack(out, style, frames, count, indent + 8);
}

void frames_merged_end(struct out *out, const struct frames_style *style)
{
	if (style->json)
		out_text(out, "]");
}

void frames_call(struct out *out, const struct frames_style *style,
		 const struct gsym_call_site *site, unsigned indent)
{
	const char *pattern;
	if (style->json) {
		out_text(out, ",\"calls\":[");
	} else {
		indent_line(out, indent);
		out_text(out, "calls: ");
	}
	for (uint32_t i = 0; (pattern = gsym_call_site_pattern(site, i));
	     i++) {
		if (style->demangler)
			pattern = demangle(style->demangler, pattern);
		if (i)
			out_text(out, style->json ? "," : ", ");
		if (style->json)
			out_text(out, "\"");
		put_string(out, style->json, pattern);
		if (style->json)
			out_text(out, "\"");
	}
	if (style->json)
		out_text(out, "]");
	else
		out_text(out, site->pattern_count ? "\n" : "??\n");
}

void frames_damage(struct out *out, const struct frames_style *style,
		   const char *reason)
{
	if (style->json) {
		out_text(out, "],\"error\":\"");
		put_string(out, true, reason);
		out_text(out, "\"");
	} else {
		out_text(out, "?? (");
		out_foreign(out, reason);
		out_text(out, ")\n");
	}
}

void frames_end(struct out *out, const struct frames_style *style)
{
	if (style->json)
		out_text(out, "}\n");
}

void frames_refuse(struct out *out, const struct frames_style *style,
		   const char *input, size_t length, const char *problem)
{
	if (style->json) {
		out_text(out, "{\"input\":\"");
		json_escape(out, input, length);
		out_text(out, "\",\"error\":\"");
		put_string(out, true, problem);
		out_text(out, "\"}\n");
	} else {
		out_foreign_bytes(out, input, length);
		out_text(out, ": ");
		out_foreign(out, problem);
		out_text(out, "\n");
	}
}
