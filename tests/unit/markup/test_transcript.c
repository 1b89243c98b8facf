/* SPDX-License-Identifier: MIT */
/* A whole log of two modules, in llvm-symbolizer's style and in our own. */
#include "logs.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

static const char logged[] =
	"{{{reset}}}\n"
	"{{{module:0:demo:elf:de300010203040506070809a}}}\n"
	"{{{mmap:0x561dc6d1b000:0x1000:load:0:r:0x0}}}\n"
	"{{{mmap:0x561dc6d1c000:0x1000:load:0:rx:0x1000}}}\n"
	"{{{mmap:0x561dc6d1d000:0x1000:load:0:r:0x2000}}}\n"
	"{{{mmap:0x561dc6d1e000:0x2000:load:0:rw:0x3000}}}\n"
	"{{{module:1:libshape.so:elf:5ba9e0010203040506070809}}}\n"
	"{{{mmap:0x7f244f378000:0x1000:load:1:r:0x0}}}\n"
	"{{{mmap:0x7f244f379000:0x1000:load:1:rx:0x1000}}}\n"
	"{{{mmap:0x7f244f37a000:0x1000:load:1:r:0x2000}}}\n"
	"{{{mmap:0x7f244f37b000:0x2000:load:1:rw:0x3000}}}\n"
	"starting\n"
	"in leaf, called from {{{pc:0x7f244f379166:ra}}}\n"
	"{{{bt:0:0x7f244f37912c:ra}}}\n"
	"{{{bt:1:0x7f244f379166:ra}}}\n"
	"{{{bt:2:0x561dc6d1c0db:ra}}}\n"
	"{{{bt:3:0x7f244f1b224a:ra}}}\n"
	"{{{bt:4:0x7f244f1b2305:ra}}}\n"
	"{{{bt:5:0x561dc6d1c111:ra}}}\n"
	"bias {{{data:0x7f244f37c048}}} table {{{data:0x561dc6d1f060}}} "
	"table+20 {{{data:0x561dc6d1f074}}} count {{{data:0x561dc6d1f160}}}\n"
	"code as data {{{data:0x7f244f379150}}}, data as code "
	"{{{pc:0x561dc6d1f060}}}, stack {{{data:0x7ffd7490be2c}}}\n";

#define MODULES                                                          \
	"[[[ELF module #0x0 \"demo\"; BuildID=de300010203040506070809a " \
	"[0x561dc6d1b000-0x561dc6d1bfff](r),"                            \
	"[0x561dc6d1c000-0x561dc6d1cfff](rx),"                           \
	"[0x561dc6d1d000-0x561dc6d1dfff](r),"                            \
	"[0x561dc6d1e000-0x561dc6d1ffff](rw)]]]\n"                       \
	"[[[ELF module #0x1 \"libshape.so\"; "                           \
	"BuildID=5ba9e0010203040506070809 "                              \
	"[0x7f244f378000-0x7f244f378fff](r),"                            \
	"[0x7f244f379000-0x7f244f379fff](rx),"                           \
	"[0x7f244f37a000-0x7f244f37afff](r),"                            \
	"[0x7f244f37b000-0x7f244f37cfff](rw)]]]\n"                       \
	"starting\n"

#define AREA "geo::Shape::area(int, void (*)(char const*, void*, void*))"

static const char llvm[] = MODULES
	"in leaf, called from shape_entry[/src/demo/shape.cpp:19]\n"
	"    #0.1  0x00007f244f37912b geo::leaf /src/demo/shape.cpp:7:0 "
	"(libshape.so+0x112b)\n"
	"    #0.2  0x00007f244f37912b geo::middle /src/demo/shape.cpp:11:0 "
	"(libshape.so+0x112b)\n"
	"    #0    0x00007f244f37912b " AREA " /src/demo/shape.cpp:14:0 "
	"(libshape.so+0x112b)\n"
	"    #1    0x00007f244f379165 shape_entry /src/demo/shape.cpp:19:0 "
	"(libshape.so+0x1165)\n"
	"    #2    0x0000561dc6d1c0da main /src/demo/main.cpp:55:0 "
	"(demo+0x10da)\n"
	"[[[bt:3:0x7f244f1b224a:ra]]]\n"
	"[[[bt:4:0x7f244f1b2305:ra]]]\n"
	"    #5    0x0000561dc6d1c110 _start <invalid>:0:0 (demo+0x1110)\n"
	"bias bias table table table+20 table count shape_count\n"
	"code as data shape_entry, data as code [[[pc:0x561dc6d1f060]]], "
	"stack [[[data:0x7ffd7490be2c]]]\n";

static const char ours[] = MODULES
	"in leaf, called from shape_entry[/src/demo/shape.cpp:19]\n"
	"    #0.1  0x00007f244f37912b geo::leaf /src/demo/shape.cpp:7 "
	"(libshape.so+0x112b)\n"
	"    #0.2  0x00007f244f37912b geo::middle /src/demo/shape.cpp:11 "
	"(libshape.so+0x112b)\n"
	"    #0    0x00007f244f37912b " AREA " /src/demo/shape.cpp:14 "
	"(libshape.so+0x112b)\n"
	"    #1    0x00007f244f379165 shape_entry /src/demo/shape.cpp:19 "
	"(libshape.so+0x1165)\n"
	"    #2    0x0000561dc6d1c0da main /src/demo/main.cpp:55 "
	"(demo+0x10da)\n"
	"[[[bt:3:0x7f244f1b224a:ra]]]\n"
	"[[[bt:4:0x7f244f1b2305:ra]]]\n"
	"    #5    0x0000561dc6d1c110 _start (demo+0x1110)\n"
	"bias bias+0x8 table table table+20 table+0x14 count shape_count\n"
	"code as data shape_entry, data as code demo+0x4060, "
	"stack [[[data:0x7ffd7490be2c]]]\n";

static const char said[] = "error: no mmap covers address @6\n"
			   "error: no mmap covers address @6\n"
			   "error: no mmap covers address @92\n";

/* The functions of the GSYM files. */
struct place {
	uint8_t module;
	uint64_t start, end;
	struct gsym_markup_frame frames[3];
};

static const struct place places[] = {
	{ 0x5b,
	  0x1110,
	  0x1150,
	  { { "geo::leaf", "/src/demo", "shape.cpp", 7, 0, 0 },
	    { "geo::middle", "/src/demo", "shape.cpp", 11, 0, 0 },
	    { AREA, "/src/demo", "shape.cpp", 14, 0, 11 } } },
	{ 0x5b,
	  0x1150,
	  0x1170,
	  { { "shape_entry", "/src/demo", "shape.cpp", 19, 0, 0x15 } } },
	{ 0xde,
	  0x1090,
	  0x10f0,
	  { { "main", "/src/demo", "main.cpp", 55, 0, 0x4a } } },
	{ 0xde, 0x10f0, 0x1120, { { "_start", "", "", 0, 0, 0x20 } } },
};

static const struct {
	uint8_t module;
	uint64_t start, end;
	const char *name;
} variables[] = {
	{ 0x5b, 0x4040, 0x4060, "bias" },
	{ 0x5b, 0x1150, 0x1170, "shape_entry" },
	{ 0xde, 0x4060, 0x4160, "table" },
	{ 0xde, 0x4160, 0x4164, "shape_count" },
};

static void *module(void *context, const struct gsym_markup_module *m)
{
	static uint8_t symbols[256];

	(void)context;
	symbols[m->build_id[0]] = m->build_id[0];
	return &symbols[m->build_id[0]];
}

static size_t code(void *context, void *symbols, uint64_t address,
		   struct gsym_markup_frame *frames, size_t capacity)
{
	(void)context;
	for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++) {
		const struct place *p = &places[i];
		size_t count = 0;

		if (p->module != *(uint8_t *)symbols || address < p->start ||
		    address >= p->end)
			continue;
		while (count < 3 && count < capacity &&
		       p->frames[count].function) {
			frames[count] = p->frames[count];
			count++;
		}
		return count;
	}
	return 0;
}

static bool data(void *context, void *symbols, uint64_t address,
		 struct gsym_markup_datum *ret)
{
	(void)context;
	for (size_t i = 0; i < sizeof(variables) / sizeof(*variables); i++)
		if (variables[i].module == *(uint8_t *)symbols &&
		    address >= variables[i].start &&
		    address < variables[i].end) {
			*ret = (struct gsym_markup_datum){
				variables[i].name, address - variables[i].start
			};
			return true;
		}
	return false;
}

static void transcript(enum gsym_markup_style style, const char *wanted)
{
	struct gsym_markup_options options = { .style = style };
	struct gsym_markup_host host;
	struct gsym_markup *filter;
	struct capture c;

	capture_host(&c, &host);
	host.module = module;
	host.code = code;
	host.data = data;
	cr_assert_eq(gsym_markup_new(&host, &options, &filter, NULL), GSYM_OK);
	gsym_markup_feed(filter, logged, strlen(logged));
	gsym_markup_finish(filter);
	gsym_markup_free(filter);
	cr_expect_str_eq(c.text, wanted, "got\n%s\nnot\n%s", c.text, wanted);
	cr_expect_str_eq(c.messages, said);
	capture_fini(&c);
}

Test(markup, transcript_of_llvm)
{
	transcript(GSYM_MARKUP_STYLE_LLVM, llvm);
}

Test(markup, transcript_of_ours)
{
	transcript(GSYM_MARKUP_STYLE_DEFAULT, ours);
}
