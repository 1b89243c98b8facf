/* SPDX-License-Identifier: MIT */
/* What an element is, what its fields may hold, and which address it is
 * about. */
#include "logs.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof(*(array)))

#define LOWERCASE "error: tags must be all lowercase characters"

/* ---- the scanner ------------------------------------------------------- */

static const struct {
	const char *in, *llvm, *said, *ours;
} scanner_rows[] = {
	{ "{{{symbol:x}}}}", "x}", "", "x}" },
	{ "{{{symbol:x}}}}}}", "x}}}", "", "x}}}" },
	{ "{{{symbol:x}} }}}", "x}} ", "", "x}} " },
	{ "{{{symbol:{{{x}}}}}}", "{{{x}}}", "", "{{{x}}}" },
	{ "{{{{symbol:x}}}}", "}", LOWERCASE " @3\n", "{x}" },
	{ "{{{ {{{symbol:x}}}", "", LOWERCASE " @3\n", "{{{ x" },
	{ "{{{}}}{{{symbol:x}}}", "{{{}}}x", "", "{{{}}}x" },
	{ "{{{:}}}", "{{{:}}}", "", "{{{:}}}" },
	{ "{{{:symbol:x}}}", "{{{:symbol:x}}}", "", "{{{:symbol:x}}}" },
	{ "{{{symbol:x", "{{{symbol:x", "", "{{{symbol:x" },
	{ "symbol:x}}}", "symbol:x}}}", "", "symbol:x}}}" },
	{ "{{{symbol:x}}", "{{{symbol:x}}", "", "{{{symbol:x}}" },
	{ "text}}}{{{symbol:a}}}{{{", "text}}}a{{{", "", "text}}}a{{{" },
	{ "{{{symbol:a}}}{{{symbol:b}}} {{{symbol:c}}}", "ab c", "", "ab c" },
	{ "{{{symbol:a\033[31mb}}}", "a\033[31mb", "", "a\\x1b[31mb" },
	{ "{{{sym\033[31mbol:x}}}", "", LOWERCASE " @3\n", "{{{symbol:x}}}" },
	{ "{{{unknown:1:2}}}", "{{{unknown:1:2}}}", "", "{{{unknown:1:2}}}" },
	{ "{{{hexdict:A: 0}}}", "{{{hexdict:A: 0}}}", "",
	  "[[[hexdict:A: 0]]]" },
	{ "{{{dumpfile:t:n}}}", "{{{dumpfile:t:n}}}", "",
	  "[[[dumpfile:t:n]]]" },
	{ "{{{SYMBOL:x}}}", "", LOWERCASE " @3\n", "{{{SYMBOL:x}}}" },
	{ "{{{sym1:x}}}", "", LOWERCASE " @3\n", "{{{sym1:x}}}" },
	{ "{{{foo-bar:x}}}", "", LOWERCASE " @3\n", "{{{foo-bar:x}}}" },
	{ "{{{ symbol:x}}}", "", LOWERCASE " @3\n", "{{{ symbol:x}}}" },
	{ "{{{symbol :x}}}", "", LOWERCASE " @3\n", "{{{symbol :x}}}" },
	{ "tpl {{{ body }}} and {{{user.name}}} end", "tpl  and  end",
	  LOWERCASE " @7\n" LOWERCASE " @24\n",
	  "tpl {{{ body }}} and {{{user.name}}} end" },
	{ "random {{{ text {{{symbol:x}}}", "random ", LOWERCASE " @10\n",
	  "random {{{ text x" },
};

Test(markup, elements_scanner)
{
	for (size_t i = 0; i < COUNT(scanner_rows); i++) {
		char log[128], llvm[128], ours[128];

		snprintf(log, sizeof(log), "%s\n", scanner_rows[i].in);
		snprintf(llvm, sizeof(llvm), "%s\n", scanner_rows[i].llvm);
		snprintf(ours, sizeof(ours), "%s\n", scanner_rows[i].ours);
		expect_llvm(log, llvm, scanner_rows[i].said);
		/* Our own style has no message about unknown tags. */
		expect_ours(log, ours, "");
	}
	/* In llvm-symbolizer's style no element has several lines. */
	expect_llvm("{{{hexdict:\n a {{{symbol:_Z1fv}}} b\n}}}\n",
		    "{{{hexdict:\n a f() b\n}}}\n", "");
}

/* ---- scalars ----------------------------------------------------------- */

/* Each list ends with NULL. */
static const char *const good_addresses[] = {
	"0",
	"00000",
	"0x0",
	"0x1",
	"0x123",
	"0xfF",
	"0xABCDEF",
	"0x0000000000000000000000000001010",
	"0xffffffffffffffff",
	NULL
};
static const char *const bad_addresses[] = {
	"",	 "0x",	  "0X10",  "1",	    "10",
	"1234",	 "00x1",  "(nilx", " 0x10", "0x10 ",
	"+0x10", "-0x10", "0x10h", "0x1_0", "0x10000000000000000",
	NULL
};
static const char *const good_numbers[] = {
	"0",   "1",   "010", "0x10", "0X10",
	"0b1", "0B1", "0o7", "0O7",  "18446744073709551613",
	NULL
};
static const char *const bad_numbers[] = { "",
					   "+1",
					   "-1",
					   " 1",
					   "1 ",
					   "08",
					   "1a",
					   "0b2",
					   "0o8",
					   "0x",
					   "0xg",
					   "18446744073709551616",
					   "0x10000000000000000",
					   NULL };
static const char *const good_frames[] = { "0", "9", "007",
					   "18446744073709551615", NULL };
static const char *const bad_frames[] = {
	"", "0x1", "+1", "-1", " 1", "1 ", "18446744073709551616", NULL
};
static const char *const good_ids[] = { "a",   "ab",	     "AB",
					"abc", "0123456789", NULL };
static const char *const bad_ids[] = { "",    "0xab", "xy", "a b",
				       " ab", "ab ",  NULL };
static const char *const good_modes[] = { "r",	"w",   "x",   "rw", "rx",
					  "wx", "rwx", "RWX", "Rx", NULL };
static const char *const bad_modes[] = { "",	"xr",  "rr", "wr", "rwxp",
					 "r-x", "r x", "q",  NULL };
static const char *const good_kinds[] = { "ra", "pc", NULL };
static const char *const bad_kinds[] = { "",	"RA", "PC",	"rA",
					 " ra", "x",  "sp 0x1", NULL };

/* Each field that takes a scalar: an element with %s in its place, the noun in
 * messages, and the lines that the element needs before it. */
static const struct {
	const char *element;
	const char *noun;
	const char *const *good, *const *bad;
	const char *before;
	/** Our own style shows this error for each text that is no valid
	 * scalar. */
	bool any;
} scalar_places[] = {
	{ "{{{pc:%s}}}", "address", good_addresses, bad_addresses, "", false },
	{ "{{{data:%s}}}", "address", good_addresses, bad_addresses, "",
	  false },
	{ "{{{bt:0:%s}}}", "address", good_addresses, bad_addresses, "",
	  false },
	{ "{{{bt:%s:0x10}}}", "frame number", good_frames, bad_frames, "",
	  false },
	{ "{{{pc:0x10:%s}}}", "PC type", good_kinds, bad_kinds, "", false },
	{ "{{{bt:0:0x10:%s}}}", "PC type", good_kinds, bad_kinds, "", true },
	{ "{{{module:%s:n:elf:ab}}}", "module ID", good_numbers, bad_numbers,
	  "", false },
	{ "{{{module:0:n:elf:%s}}}", "build ID", good_ids, bad_ids, "", false },
	{ "{{{mmap:%s:0x10:load:0:r:0x0}}}", "address", good_addresses,
	  bad_addresses, "{{{module:0:m:elf:aa}}}\n", false },
	{ "{{{mmap:0x10:%s:load:0:r:0x0}}}", "size", good_numbers, bad_numbers,
	  "{{{module:0:m:elf:aa}}}\n", false },
	{ "{{{mmap:0x10:0x10:load:%s:r:0x0}}}", "module ID", good_numbers,
	  bad_numbers, "", false },
	{ "{{{mmap:0x10:0x10:load:0:%s:0x0}}}", "mode", good_modes, bad_modes,
	  "{{{module:0:m:elf:aa}}}\n", false },
	{ "{{{mmap:0x10:0x10:load:0:r:%s}}}", "address", good_addresses,
	  bad_addresses, "{{{module:0:m:elf:aa}}}\n", false },
};

/* Whether C has the message that SCALAR is no NOUN. */
static bool refused(const struct capture *c, const char *noun,
		    const char *scalar)
{
	char wanted[128];

	snprintf(wanted, sizeof(wanted), "error: expected %s; found '%s'", noun,
		 scalar);
	return strstr(c->messages, wanted) != NULL;
}

static void try_scalar(size_t place, const char *scalar, bool good)
{
	struct gsym_markup_options options = { 0 };
	char element[128], log[256], kept[160];

	snprintf(element, sizeof(element), scalar_places[place].element,
		 scalar);
	snprintf(log, sizeof(log), "%s<%s>\n", scalar_places[place].before,
		 element);
	snprintf(kept, sizeof(kept), "<%s>\n", element);
	for (int style = 0; style < 2; style++) {
		bool llvm = style == 1, taken = good;
		struct capture c;

		options.style = llvm ? GSYM_MARKUP_STYLE_LLVM
				     : GSYM_MARKUP_STYLE_DEFAULT;
		if (!llvm && scalar_places[place].any)
			taken = true;
		capture_log(&c, log, strlen(log), 1000, &options);
		cr_expect_eq(refused(&c, scalar_places[place].noun, scalar),
			     !taken, "style %d, '%s':\n%s%s", style, element,
			     c.messages, c.text);
		/* Our own style keeps an element that it refuses;
		 * llvm-symbolizer drops it. */
		bool unknown = strstr(c.messages, "unknown module ID");
		if (!llvm)
			cr_expect_eq(strstr(c.text, kept) != NULL,
				     !taken || unknown, "'%s':\n%s", element,
				     c.text);
		else if (!taken)
			cr_expect_null(strstr(c.text, element), "'%s':\n%s",
				       element, c.text);
		capture_fini(&c);
	}
}

Test(markup, scalars_of_all_elements)
{
	for (size_t i = 0; i < COUNT(scalar_places); i++) {
		for (const char *const *s = scalar_places[i].good; *s; s++)
			try_scalar(i, *s, true);
		for (const char *const *s = scalar_places[i].bad; *s; s++)
			try_scalar(i, *s, false);
	}
}

Test(markup, scalars_values)
{
	expect_llvm("{{{module:010:n:elf:abc}}}\n{{{module:0X1F:n:elf:AB}}}\n"
		    "{{{module:0b101:n:elf:0}}}\n{{{module:0o17:n:elf:1}}}\n",
		    "[[[ELF module #0x8 \"n\"; BuildID=0abc]]]\n"
		    "[[[ELF module #0x1f \"n\"; BuildID=ab]]]\n"
		    "[[[ELF module #0x5 \"n\"; BuildID=00]]]\n"
		    "[[[ELF module #0xf \"n\"; BuildID=01]]]\n",
		    "");
	/* Our own style knows what glibc prints for a null pointer. */
	expect_ours("{{{pc:(nil)}}} {{{data:(nil)}}} {{{bt:0:(nil)}}}\n",
		    "[[[pc:(nil)]]] [[[data:(nil)]]] [[[bt:0:(nil)]]]\n",
		    "error: no mmap covers address @6\n"
		    "error: no mmap covers address @23\n"
		    "error: no mmap covers address @38\n");
	expect_llvm("{{{pc:(nil)}}}\n", "\n",
		    "error: expected address; found '(nil)' @6\n");
	expect_llvm("{{{module:0:a:ELF:aa}}}\n{{{module:0:a:elf:aa}}}\n"
		    "{{{mmap:0x10:0x10:LOAD:0:r:0}}}\n",
		    "[[[ELF module #0x0 \"a\"; BuildID=aa]]]\n",
		    "error: unknown module type @14\n"
		    "error: unknown mmap type @18\n");
	expect_ours("{{{module:0:a:ELF:aa}}}\n", "{{{module:0:a:ELF:aa}}}\n",
		    "error: unknown module type @14\n");
	expect_ours(
		"{{{module:0:C:/x.exe:elf:ab}}}\n{{{module:1:a}b:elf:ab}}}\n",
		"[[[ELF module #0x0 \"C:/x.exe\"; BuildID=ab]]]\n"
		"[[[ELF module #0x1 \"a}b\"; BuildID=ab]]]\n",
		"");
	expect_ours("{{{module:0::elf:ab:x}}}\n{{{module:1::elf:elf:cd}}}\n",
		    "[[[ELF module #0x0 \"\"; BuildID=ab]]]\n"
		    "[[[ELF module #0x1 \":elf\"; BuildID=cd]]]\n",
		    "note: expected 4 field(s); found 5 @9\n");
	/* An unknown module is reported before a wrong last address is. */
	expect_llvm("{{{mmap:0x10:0x10:load:7:r:x}}}\n", "",
		    "error: unknown module ID @23\n");
}

/* ---- numbers of fields ------------------------------------------------- */

/* The rule for the number of fields of an element. */
struct field_rule {
	const char *tag;
	/** Valid values. */
	const char *fields[8];
	/** Fewer fields are an error, more fields a remark. */
	unsigned least, most;
	/** The start of the error and of the remark. */
	const char *few, *many;
	/** The lines that the element needs before it. */
	const char *before;
};

static const struct field_rule field_rules[] = {
	{ "symbol",
	  { "s", "b", "c", "d", "e", "f", "g", "h" },
	  1,
	  1,
	  "expected 1 field(s)",
	  "expected 1 field(s)",
	  "" },
	{ "data",
	  { "0x1800", "b", "c", "d", "e", "f", "g", "h" },
	  1,
	  1,
	  "expected 1 field(s)",
	  "expected 1 field(s)",
	  CONTEXT },
	{ "pc",
	  { "0x1010", "ra", "c", "d", "e", "f", "g", "h" },
	  1,
	  2,
	  "expected at least 1 field(s)",
	  "expected at most 2 field(s)",
	  CONTEXT },
	{ "bt",
	  { "0", "0x1010", "pc", "d", "e", "f", "g", "h" },
	  2,
	  3,
	  "expected at least 2 field(s)",
	  "expected at most 3 field(s)",
	  CONTEXT },
	{ "reset",
	  { "a", "b", "c", "d", "e", "f", "g", "h" },
	  0,
	  0,
	  "",
	  "expected 0 field(s)",
	  CONTEXT },
	{ "module",
	  { "7", "n", "elf", "ab", "e", "f", "g", "h" },
	  4,
	  4,
	  "expected at least 3 field(s)",
	  "expected 4 field(s)",
	  "" },
	{ "mmap",
	  { "0x9000", "0x10", "load", "0", "r", "0", "g", "h" },
	  6,
	  6,
	  "expected at least 3 field(s)",
	  "expected 6 field(s)",
	  CONTEXT },
};

static void make_element(const struct field_rule *r, unsigned count, char *to,
			 size_t room)
{
	int used = snprintf(to, room, "{{{%s", r->tag);

	for (unsigned i = 0; i < count; i++)
		used += snprintf(to + used, room - (size_t)used, ":%s",
				 r->fields[i]);
	snprintf(to + used, room - (size_t)used, "}}}");
}

static void try_fields(const struct field_rule *r, unsigned count, bool llvm)
{
	struct gsym_markup_options options = {
		.style = llvm ? GSYM_MARKUP_STYLE_LLVM
			      : GSYM_MARKUP_STYLE_DEFAULT,
	};
	char element[128], log[512], said[128] = "";
	const char *few = r->few;
	struct capture c;

	make_element(r, count, element, sizeof(element));
	snprintf(log, sizeof(log), "%s<%s>\n", r->before, element);
	/* The type is known only from the third field on, and the type decides
	 * the number of fields. */
	if (r->least > 3 && count >= 3)
		few = r->many;
	if (count < r->least)
		snprintf(said, sizeof(said), "error: %s; found %u @%zu\n", few,
			 count, 4 + strlen(r->tag));
	else if (count > r->most && !(strcmp(r->tag, "bt") == 0 && !llvm))
		snprintf(said, sizeof(said), "%s: %s; found %u @%zu\n",
			 llvm ? "warning" : "note", r->many, count,
			 4 + strlen(r->tag));
	capture_log(&c, log, strlen(log), 1000, &options);
	cr_expect_str_eq(c.messages, said, "%s, llvm %d: %s", element, llvm,
			 c.messages);
	/* Our own style keeps invalid elements; both styles replace valid
	 * ones. */
	cr_expect_eq(strstr(c.text, element) != NULL, count < r->least && !llvm,
		     "%s, llvm %d: %s", element, llvm, c.text);
	capture_fini(&c);
}

Test(markup, fields_numbers)
{
	for (size_t i = 0; i < COUNT(field_rules); i++)
		for (unsigned count = 0; count <= 8; count++) {
			try_fields(&field_rules[i], count, true);
			try_fields(&field_rules[i], count, false);
		}
}

/* The kind of address (ra or pc) is used even if fields follow it; in
 * llvm-symbolizer's style only if it is the last field. */
Test(markup, fields_extra)
{
	static const char log[] = CONTEXT
		"{{{bt:0:0x1011:pc:from context}}}\n{{{bt:0:0x1011:x y}}}\n"
		"{{{pc:0x1011:ra:x}}}\n";

	expect_ours(log,
		    SHOWN "    #0    0x0000000000001011 (m+0x11) from context\n"
			  "    #0    0x0000000000001010 (m+0x10) x y\n"
			  "m+0x10\n",
		    "note: expected at most 2 field(s); found 3 @5\n");
	expect_llvm(log,
		    SHOWN "    #0    0x0000000000001010 (m+0x10)\n\n"
			  "[[[pc:0x1011:ra:x]]]\n",
		    "warning: expected at most 3 field(s); found 4 @5\n"
		    "error: expected PC type; found 'x y' @15\n"
		    "warning: expected at most 2 field(s); found 3 @5\n");
}

/* ---- frame numbers ----------------------------------------------------- */

Test(markup, numbers_of_frames)
{
	static const struct {
		const char *number, *shown;
	} rows[] = {
		{ "0", "    #0" },
		{ "9", "    #9" },
		{ "007", "    #7" },
		{ "10", "   #10" },
		{ "999", "  #999" },
		{ "12345", "#12345" },
		{ "123456", "#123456" },
		{ "18446744073709551615", "#18446744073709551615" },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		char log[512], wanted[1024];
		const char *s = rows[i].shown;

		snprintf(log, sizeof(log),
			 CONTEXT
			 "{{{bt:%s:0x1010:pc}}}\n{{{bt:%s:0x1101:ra}}}\n",
			 rows[i].number, rows[i].number);
		snprintf(wanted, sizeof(wanted),
			 SHOWN
			 "%s    0x0000000000001010 (m+0x10)\n"
			 "%s.1  0x0000000000001100 in /src/a.c:7:0 (m+0x100)\n"
			 "%s.2  0x0000000000001100 mid b.c:8:0 (m+0x100)\n"
			 "%s    0x0000000000001100 out <invalid>:0:0 "
			 "(m+0x100)\n",
			 s, s, s, s);
		expect_llvm(log, wanted, "");
		snprintf(wanted, sizeof(wanted),
			 SHOWN
			 "%s    0x0000000000001010 (m+0x10)\n"
			 "%s.1  0x0000000000001100 in /src/a.c:7 (m+0x100)\n"
			 "%s.2  0x0000000000001100 mid b.c:8 (m+0x100)\n"
			 "%s    0x0000000000001100 out (m+0x100)\n",
			 s, s, s, s);
		expect_ours(log, wanted, "");
	}
}

/* ---- which address it is ----------------------------------------------- */

static const struct {
	const char *element;
	/** NULL: no mapping covers the address. */
	const char *llvm, *ours;
} edge_rows[] = {
	/* The mapping is [0x1000, 0x1fff]. */
	{ "{{{bt:0:0xfff:pc}}}", NULL, NULL },
	{ "{{{bt:0:0x1000:pc}}}", "    #0    0x0000000000001000 (k+0x500)",
	  "    #0    0x0000000000001000 (k+0x500)" },
	{ "{{{bt:0:0x1fff:pc}}}", "    #0    0x0000000000001fff (k+0x14ff)",
	  "    #0    0x0000000000001fff (k+0x14ff)" },
	{ "{{{bt:0:0x2000:pc}}}", NULL, NULL },
	{ "{{{bt:0:0x1000:ra}}}", NULL, NULL },
	{ "{{{bt:0:0x1000}}}", NULL, NULL },
	{ "{{{bt:0:0x2000:ra}}}", "    #0    0x0000000000001fff (k+0x14ff)",
	  "    #0    0x0000000000001fff (k+0x14ff)" },
	{ "{{{bt:0:0x2000}}}", "    #0    0x0000000000001fff (k+0x14ff)",
	  "    #0    0x0000000000001fff (k+0x14ff)" },
	{ "{{{pc:0x1000}}}", "[[[pc:0x1000]]]", "k+0x500" },
	{ "{{{pc:0xfff}}}", NULL, NULL },
	{ "{{{pc:0x2000}}}", NULL, NULL },
	{ "{{{pc:0x2000:pc}}}", NULL, NULL },
	{ "{{{pc:0x2000:ra}}}", "[[[pc:0x2000:ra]]]", "k+0x14ff" },
	{ "{{{data:0x1000}}}", "<invalid>", "k+0x500" },
	{ "{{{data:0x2000}}}", NULL, NULL },
	/* A negative load bias makes the relative address large. */
	{ "{{{bt:0:0x101000:pc}}}",
	  "    #0    0x0000000000101000 (k+0xffffffff80101000)",
	  "    #0    0x0000000000101000 (k+0xffffffff80101000)" },
	/* One byte before 0 is 2^64-1 in llvm-symbolizer, and 0 in our own
	 * style. */
	{ "{{{bt:0:0x0:ra}}}", NULL, NULL },
	{ "{{{bt:0:0x0:pc}}}", NULL, NULL },
	/* A mapping that ends at 2^64 is empty in llvm-symbolizer. */
	{ "{{{bt:0:0xffffffffffffffff:pc}}}", NULL,
	  "    #0    0xffffffffffffffff (k+0xfff)" },
	{ "{{{bt:0:0xffffffffffffffff:ra}}}", NULL,
	  "    #0    0xfffffffffffffffe (k+0xffe)" },
	{ "{{{data:0xfffffffffffff000}}}", NULL, "k+0x0" },
};

static void try_edge(size_t i, bool llvm)
{
	static const char context[] =
		"{{{module:0:k:elf:aa}}}\n"
		"{{{mmap:0x1000:0x1000:load:0:rx:0x500}}}\n"
		"{{{mmap:0x100000:0x10000:load:0:r:0xffffffff80100000}}}\n"
		"{{{mmap:0xfffffffffffff000:0x1000:load:0:r:0}}}\n";
	const char *element = edge_rows[i].element;
	const char *shown = llvm ? edge_rows[i].llvm : edge_rows[i].ours;
	char log[512], wanted[512], raw[64];

	snprintf(raw, sizeof(raw), "[[[%.*s]]]", (int)strlen(element) - 6,
		 element + 3);
	snprintf(log, sizeof(log), "%s%s\n", context, element);
	snprintf(wanted, sizeof(wanted),
		 "[[[ELF module #0x0 \"k\"; BuildID=aa [0x1000-0x1fff](rx),"
		 "[0x100000-0x10ffff](r),[0xfffffffffffff000-"
		 "0xffffffffffffffff](r)]]]\n%s\n",
		 shown ? shown : raw);
	if (llvm)
		expect_llvm(log, wanted, NULL);
	else
		expect_ours(log, wanted, NULL);
}

Test(markup, addresses_edges)
{
	for (size_t i = 0; i < COUNT(edge_rows); i++) {
		try_edge(i, true);
		try_edge(i, false);
	}
}

/* Mappings without bytes overlap none.  llvm-symbolizer takes each of them for
 * the first one with its start, and that for the first one of the line. */
Test(markup, addresses_mappings_without_bytes_in_llvm_style)
{
	static const char module[] = "{{{module:0:k:elf:aa}}}\n";
	static const char line[] = "[[[ELF module #0x0 \"k\"; BuildID=aa";
	static const struct {
		const char *maps, *ranges;
	} rows[] = {
		{ "{{{mmap:0xfffffffffffff000:0x1000:load:0:r:0}}}\n"
		  "{{{mmap:0xfffffffffffff000:0x1000:load:0:x:0}}}\n",
		  " [0xfffffffffffff000-0xffffffffffffffff](r)"
		  " [0xfffffffffffff000-0xffffffffffffffff](r)" },
		{ "{{{mmap:0xfffffffffffff000:0x1000:load:0:r:0}}}\n"
		  "{{{mmap:0x1000:0x10:load:0:x:0}}}\n"
		  "{{{mmap:0xfffffffffffff000:0x1001:load:0:r:0}}}\n",
		  " [0x1000-0x100f](x)"
		  ",[0xfffffffffffff000-0xffffffffffffffff](r)"
		  ",[0xfffffffffffff000-0xffffffffffffffff](r)" },
		{ "{{{mmap:0x2000:0x0:load:0:r:0}}}\n"
		  "{{{mmap:0x2000:0x10:load:0:x:0}}}\n",
		  " [0x2000-0x1fff](r) [0x2000-0x1fff](r)" },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		char log[512], wanted[512];

		snprintf(log, sizeof(log), "%s%sx\n", module, rows[i].maps);
		snprintf(wanted, sizeof(wanted), "%s%s]]]\nx\n", line,
			 rows[i].ranges);
		expect_llvm(log, wanted, "");
	}
	/* The line is that of the module whose mapping was first. */
	expect_llvm("{{{module:0:k:elf:aa}}}\n"
		    "{{{mmap:0xfffffffffffff000:0x1000:load:0:r:0}}}\n"
		    "{{{module:1:l:elf:bb}}}\n"
		    "{{{mmap:0xfffffffffffff000:0x1000:load:1:x:0}}}\n",
		    "[[[ELF module #0x0 \"k\"; BuildID=aa "
		    "[0xfffffffffffff000-0xffffffffffffffff](r)]]]\n"
		    "[[[ELF module #0x1 \"l\"; BuildID=bb]]]\n"
		    "[[[ELF module #0x0 \"k\"; adds "
		    "[0xfffffffffffff000-0xffffffffffffffff](r)]]]\n",
		    "");
}

Test(markup, addresses_what_no_suffix_means)
{
	struct gsym_markup_options options = { 0 };
	static const char log[] =
		CONTEXT "{{{pc:0x1011}}} {{{bt:1:0x1011}}} {{{pc:0x1011:pc}}} "
			"{{{bt:1:0x1011:ra}}}\n";
	static const char *const wanted[] = {
		SHOWN "m+0x11     #1    0x0000000000001010 (m+0x10) m+0x11 "
		      "    #1    0x0000000000001010 (m+0x10)\n",
		SHOWN "m+0x10     #1    0x0000000000001010 (m+0x10) m+0x11 "
		      "    #1    0x0000000000001010 (m+0x10)\n",
		SHOWN "m+0x11     #1    0x0000000000001011 (m+0x11) m+0x11 "
		      "    #1    0x0000000000001010 (m+0x10)\n",
	};

	for (int i = 0; i < 3; i++) {
		options.unsuffixed = GSYM_MARKUP_UNSUFFIXED_DEFAULT + i;
		expect_log(log, strlen(log), wanted[i], strlen(wanted[i]), "",
			   &options);
	}
	/* 0 is never decremented, even if it is a return address. */
	expect_ours("{{{module:0:m:elf:aa}}}\n{{{mmap:0x0:0x10:load:0:rx:0}}}\n"
		    "{{{bt:0:0x0:ra}}} {{{pc:0:ra}}}\n",
		    "[[[ELF module #0x0 \"m\"; BuildID=aa [0x0-0xf](rx)]]]\n"
		    "    #0    0x0000000000000000 (m+0x0) m+0x0\n",
		    "");
	/* An address that the program cut to 32 bits, in a segment that goes
	 * on beyond 4 GiB. */
	expect_ours("{{{module:0:m:elf:aa}}}\n"
		    "{{{mmap:0xfffff000:0x2000:load:0:rx:0}}}\n"
		    "{{{bt:0:0x10:pc}}} {{{bt:0:0x1000:pc}}}\n",
		    "[[[ELF module #0x0 \"m\"; BuildID=aa "
		    "[0xfffff000-0x100000fff](rx)]]]\n"
		    "    #0    0x0000000100000010 (m+0x1010) "
		    "[[[bt:0:0x1000:pc]]]\n",
		    "error: no mmap covers address @25\n");
	static const char cut[] = "{{{module:0:m:elf:aa}}}\n"
				  "{{{mmap:0xfffff000:0x2000:load:0:rx:0}}}\n"
				  "{{{bt:0:0x11}}} {{{data:0x12}}}\n";
	static const char fuchsia[] =
		"[[[ELF module #0x0 \"m\" BuildID=aa 0xfffff000]]]\n"
		"   #0    0x0000000000000011 in <m>+0x1011 m+0x1012\n";
	struct gsym_markup_options options2 = {
		.style = GSYM_MARKUP_STYLE_FUCHSIA,
	};
	struct capture c;

	expect_log(cut, strlen(cut), fuchsia, strlen(fuchsia), "", &options2);
	options2 = (struct gsym_markup_options){ .html = true };
	capture_log(&c, cut, strlen(cut), strlen(cut), &options2);
	cr_expect_not_null(strstr(c.text, "offset:</i> 0x1012"), "%s", c.text);
	capture_fini(&c);
}

/* In a sentence a frame is its function and place, on one line. */
Test(markup, numbers_frames_in_a_sentence)
{
	expect_ours(CONTEXT "SUMMARY: XSanitizer: SEGV {{{bt:0:0x1111:pc}}}\n"
			    "==1== SUMMARY: a {{{bt:0:0x1111:pc}}} x\n"
			    "it crashed in {{{bt:0:0x1111:pc}}}, twice\n"
			    "it crashed at {{{bt:0:0x1490:pc}}}\n"
			    "INFO {{{bt:0:0x1490:pc}}}\n",
		    SHOWN "SUMMARY: XSanitizer: SEGV in /src/a.c:7\n"
			  "==1== SUMMARY: a in /src/a.c:7 x\n"
			  "it crashed in in /src/a.c:7, twice\n"
			  "it crashed at (m+0x490)\n"
			  "INFO     #0    0x0000000000001490 (m+0x490)\n",
		    "");
}
