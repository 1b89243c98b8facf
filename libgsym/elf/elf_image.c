/* SPDX-License-Identifier: MIT */
/* Loads an ELF file as a container: checks its header, names its machine, and
 * reads its sections. */
#include "config.h"

#include "elf/elf.h"

#include "base/error.h"

#include <gsym/program.h>

#include <inttypes.h>
#ifdef HAVE_LZMA
#include <lzma.h>
#endif
#include <stdio.h>
#include <string.h>

/* ---- the file header ---------------------------------------------------- */

/* Check a header table of COUNT entries, STRIDE bytes apart: it lies inside
 * the file, and its entries have EXPECTED bytes. */
static enum gsym_status check_table(const struct elfview *v, const char *what,
				    uint64_t offset, uint64_t count,
				    unsigned stride, unsigned expected,
				    struct gsym_error *error)
{
	if (count && stride != expected)
		return gsym_fail(error, GSYM_ERR_CORRUPT, offset,
				 "%s: an entry has %u bytes instead of %u",
				 what, stride, expected);
	if (offset > v->size || count > (v->size - offset) / expected)
		return gsym_fail(error, GSYM_ERR_CORRUPT, offset,
				 "%s: %" PRIu64 " at 0x%" PRIx64
				 " reach beyond the end of the file",
				 what, count, offset);
	return GSYM_OK;
}

enum gsym_status gsym_elf_read_header(const uint8_t *bytes, size_t size,
				      struct elfview *v,
				      struct gsym_error *error)
{
	enum gsym_status status = gsym_elfview_header(bytes, size, v, error);

	if (status != GSYM_OK)
		return status;
	if (bytes[EI_VERSION] != EV_CURRENT)
		return gsym_fail(error, GSYM_ERR_UNSUPPORTED, EI_VERSION,
				 "elf header: the version is %u",
				 bytes[EI_VERSION]);
	if (v->type != ET_EXEC && v->type != ET_DYN &&
	    v->type != ELFVIEW_RELOCATABLE)
		return gsym_fail(error, GSYM_ERR_UNSUPPORTED, EI_NIDENT,
				 "elf header: the file type is %u", v->type);
	if (v->numbers_lost)
		return gsym_fail(error, GSYM_ERR_CORRUPT, v->section_table,
				 "section headers: the first one, at 0x%" PRIx64
				 ", lies beyond the end of the file",
				 v->section_table);
	status = check_table(v, "section headers", v->section_table,
			     v->section_count, v->section_stride,
			     elfview_section_size(v), error);
	if (status == GSYM_OK)
		status = check_table(v, "program headers", v->segment_table,
				     v->segment_count, v->segment_stride,
				     elfview_segment_size(v), error);
	if (v->names >= v->section_count)
		v->names = 0;
	return status;
}

/* ---- machines ----------------------------------------------------------- */

/* The names of machines, with the class and byte order of their files. */
static const struct machine {
	uint16_t number;
	bool wide, big;
	const char *name;
} machines[] = {
	{ EM_386, false, false, "i386" },
	{ EM_X86_64, true, false, "x86_64" },
	{ EM_ARM, false, false, "arm" },
	{ EM_ARM, false, true, "armeb" },
	{ EM_AARCH64, true, false, "aarch64" },
	{ EM_AARCH64, true, true, "aarch64_be" },
	{ EM_S390, true, true, "s390x" },
	{ EM_S390, false, true, "s390" },
	{ EM_PPC, false, true, "powerpc" },
	{ EM_PPC, false, false, "powerpcle" },
	{ EM_PPC64, true, true, "powerpc64" },
	{ EM_PPC64, true, false, "powerpc64le" },
	{ EM_RISCV, true, false, "riscv64" },
	{ EM_RISCV, false, false, "riscv32" },
	{ EM_MIPS, true, true, "mips64" },
	{ EM_MIPS, true, false, "mips64el" },
	{ EM_MIPS, false, true, "mips" },
	{ EM_MIPS, false, false, "mipsel" },
	{ EM_SPARC, false, true, "sparc" },
	{ EM_SPARC32PLUS, false, true, "sparc" },
	{ EM_SPARCV9, true, true, "sparcv9" },
	{ EM_XTENSA, false, true, "xtensaeb" },
	{ EM_XTENSA, false, false, "xtensa" },
	{ EM_BPF, true, false, "bpfel" },
	{ EM_BPF, true, true, "bpfeb" },
	{ EM_QDSP6, false, false, "hexagon" },
};

enum { MACHINES = sizeof(machines) / sizeof(machines[0]) };

/* Write the name of V's architecture to RET, cut to SIZE bytes. */
static void name_architecture(const struct elfview *v, char *ret, size_t size)
{
	bool big = v->swap != GSYM_HOST_BIG_ENDIAN;
	const char *name = NULL;
	int most = -1;

	/* The best row of the machine: x32 has files of 32 bits for x86_64. */
	for (size_t i = 0; i < MACHINES; i++) {
		const struct machine *m = &machines[i];
		int points = (m->wide == v->wide) + (m->big == big);

		if (m->number != v->machine || points <= most)
			continue;
		name = m->name;
		most = points;
	}
	if (name)
		snprintf(ret, size, "%s", name);
	else
		snprintf(ret, size, "machine %u", v->machine);
}

bool gsym_elf_header_for(const char *architecture, struct elfview *ret)
{
	for (size_t i = 0; i < MACHINES; i++) {
		if (strcmp(machines[i].name, architecture) != 0)
			continue;
		*ret = (struct elfview){
			.wide = machines[i].wide,
			.swap = machines[i].big != GSYM_HOST_BIG_ENDIAN,
			.type = ET_DYN,
			.machine = machines[i].number,
		};
		return true;
	}
	return false;
}

enum gsym_status gsym_elf_build_id(const uint8_t *elf, size_t elf_size,
				   const uint8_t **ret, size_t *ret_size,
				   struct gsym_error *error)
{
	struct elfview view;
	enum gsym_status status;

	if (!elf || !ret || !ret_size)
		return gsym_fail_argument(error);
	status = gsym_elf_read_header(elf, elf_size, &view, error);
	if (status == GSYM_OK && !gsym_elfview_build_id(&view, ret, ret_size))
		status = GSYM_NOT_FOUND;
	return status;
}

/* ---- sections --------------------------------------------------------- */

/* Section NUMBER, without its name. */
static struct gsym_container_section read_section(struct elf_file *file,
						  size_t number)
{
	const struct elfview *v = &file->view;
	struct elfview_section from = gsym_elfview_section(v, number);
	struct gsym_container_section s = {
		.name = "",
		.address = from.address,
		.size = from.size,
		.file_offset = from.offset,
		.loaded = from.flags & ELFVIEW_ALLOC,
		.executable = from.flags & ELFVIEW_CODE,
	};

	if (!elfview_has_bytes(&from) || !from.size)
		return s;
	if (elfview_in_file(v, &from)) {
		s.data = v->bytes + from.offset;
		s.data_size = from.size;
	} else {
		gsym_container_warn(file->container, GSYM_WARN_BAD_SECTION,
				    "section %zu: 0x%" PRIx64
				    " bytes at 0x%" PRIx64
				    " reach beyond the end of the file",
				    number, from.size, from.offset);
	}
	return s;
}

static bool read_sections(struct elf_file *file)
{
	const struct elfview *v = &file->view;
	struct gsym_container *c = file->container;
	struct elfview_strings names = elfview_names(v);

	if (!gsym_vec_reserve(&c->sections, v->section_count))
		return false;
	for (size_t i = 0; i < v->section_count; i++)
		*gsym_vec_push(&c->sections) = read_section(file, i);
	for (size_t i = 1; i < v->section_count; i++) {
		const char *name =
			elfview_string(&names, gsym_elfview_section(v, i).name);

		if (name)
			c->sections.items[i].name = name;
		else
			gsym_container_warn(c, GSYM_WARN_BAD_SECTION,
					    "section %zu: its name is not in "
					    "the table of names", i);
	}
	return true;
}

/* ---- mini debug info ---------------------------------------------------- */

/* .gnu_debugdata is an ELF file, compressed with xz, with a symbol table of the
 * functions that are not in .dynsym. */

#ifdef HAVE_LZMA

enum {
	FIRST_SIZE = 1 << 16,
	/* More than the largest dictionary of xz's presets. */
	MAX_MEMORY = 80 << 20,
	/* What the input may become: a multiple of its size, or as many bytes,
	 * whichever is more.  Symbol tables become 4 to 8 times as large. */
	MAX_RATIO = 16,
	MAX_FLOOR = 16 << 20,
};

/* Enlarge *OUT, to which Z writes, to at most MOST bytes.  False if memory is
 * short or *OUT has MOST bytes; *PROBLEM then says which. */
static bool grow(lzma_stream *z, size_t most, uint8_t **out, size_t *size,
		 const char **problem)
{
	size_t more = *size ? 2 * *size : FIRST_SIZE;
	uint8_t *bytes;

	if (*size == most) {
		*problem = "it becomes more than 16 times as large";
		return false;
	}
	if (more > most)
		more = most;
	bytes = realloc(*out, more);
	if (!bytes) {
		*problem = "there is no memory to decompress it";
		return false;
	}
	z->next_out = bytes + *size;
	z->avail_out = more - *size;
	*out = bytes;
	*size = more;
	return true;
}

/* Skip the padding behind a stream: zeros, four at a time.  Whether another
 * stream follows. */
static bool next_stream(lzma_stream *z)
{
	static const uint8_t padding[4], magic[6] = "\3757zXZ";

	while (z->avail_in >= sizeof(padding) &&
	       !memcmp(z->next_in, padding, sizeof(padding))) {
		z->next_in += sizeof(padding);
		z->avail_in -= sizeof(padding);
	}
	return z->avail_in >= sizeof(magic) &&
	       !memcmp(z->next_in, magic, sizeof(magic));
}

/* Decompress SIZE bytes of xz to RET, malloc'ed.  *LEFT becomes the number of
 * bytes behind the last stream, which are ignored.  Returns NULL, or a text
 * that says what is wrong. */
static const char *unxz(const uint8_t *bytes, size_t size, uint8_t **ret,
			size_t *ret_size, size_t *left)
{
	size_t most = size > MAX_FLOOR / MAX_RATIO ? size * MAX_RATIO
						   : MAX_FLOOR;
	lzma_stream z = LZMA_STREAM_INIT;
	const char *problem = NULL;
	lzma_ret status = LZMA_OK;
	uint8_t *out = NULL;
	size_t out_size = 0;

	z.next_in = bytes;
	z.avail_in = size;
	do {
		status = lzma_stream_decoder(&z, MAX_MEMORY, 0);
		while (status == LZMA_OK &&
		       (z.avail_out ||
			grow(&z, most, &out, &out_size, &problem)))
			status = lzma_code(&z, LZMA_FINISH);
	} while (status == LZMA_STREAM_END && next_stream(&z));
	if (status == LZMA_MEM_ERROR)
		problem = "there is no memory to decompress it";
	else if (status == LZMA_MEMLIMIT_ERROR)
		problem = "it takes more than 80 MiB to decompress";
	else if (status != LZMA_STREAM_END && !problem)
		problem = "its compressed bytes are damaged";
	*ret_size = out_size - z.avail_out;
	*left = z.avail_in;
	lzma_end(&z);
	if (!problem)
		*ret = out;
	else
		free(out);
	return problem;
}

#else

static const char *unxz(const uint8_t *bytes, size_t size, uint8_t **ret,
			size_t *ret_size, size_t *left)
{
	(void)bytes;
	(void)size;
	(void)ret;
	(void)ret_size;
	(void)left;
	return "it is compressed with xz, which was left out of this build";
}

#endif

/* ---- opening ---------------------------------------------------------- */

/* Append the symbols of .gnu_debugdata, which stand in for a .symtab that was
 * stripped.  A damaged section is noted as a warning.  False without memory. */
static bool join_debugdata(struct elf_file *file)
{
	struct gsym_container *c = file->container;
	const struct gsym_container_section *s =
		gsym_container_section(c, ".gnu_debugdata");
	struct gsym_error error = { 0 };
	struct gsym_container *inner;
	struct elfview_table symtab;
	const char *problem;
	uint8_t *bytes = NULL;
	size_t size, left = 0;

	if (!s || !s->data ||
	    gsym_elfview_table(&file->view, ELFVIEW_SYMTAB, &symtab))
		return true;
	problem = unxz(s->data, (size_t)s->data_size, &bytes, &size, &left);
	if (left && !problem)
		gsym_container_warn_section(c, s,
					    "the bytes behind the end of its "
					    "compressed data are ignored");
	if (problem) {
		gsym_container_warn_section(c, s, problem);
		return true;
	}
	if (gsym_container_load(c->input, bytes, size, GSYM_LOAD_SYMBOLS, NULL,
				&inner, &error) != GSYM_OK) {
		gsym_container_warn_section(c, s, error.message);
		free(bytes);
		return error.code != GSYM_ERR_MEMORY;
	}
	if (!gsym_vec_add(&inner->made, bytes)) {
		gsym_container_free(inner);
		free(bytes);
		return false;
	}
	if (gsym_container_alike(c, inner))
		return gsym_container_join_symbols(c, inner);
	gsym_container_warn_section(
		c, s, "the file in it is of another architecture");
	gsym_container_free(inner);
	return true;
}

/* Whether C has symbols of code without a size, which the table for unwinding
 * ends. */
static bool has_labels(const struct gsym_container *c)
{
	for (size_t i = 0; i < c->symbols.count; i++) {
		const struct gsym_symbol *s = &c->symbols.items[i];

		if (!s->size && s->section < c->sections.count &&
		    c->sections.items[s->section].executable)
			return true;
	}
	return false;
}

/* Whether the table for unwinding is needed: it ends symbols without a size,
 * and without symbols it tells which of the functions that the debug info has
 * at 0 is alive. */
static bool needs_frames(const struct gsym_container *c)
{
	return has_labels(c) || (c->text.count && c->text.items[0].start <= 1 &&
				 !c->symbols.count);
}

/* Fill the container of FILE, whose header was read. */
static enum gsym_status load(struct elf_file *file,
			     const struct gsym_load *from,
			     struct gsym_error *error)
{
	const struct gsym_convert_options *options = from->options;
	struct gsym_container *c = file->container;
	enum gsym_status status = GSYM_OK;
	bool all = from->extent == GSYM_LOAD_ALL ||
		   from->extent == GSYM_LOAD_PASSING;

	if (!read_sections(file))
		return gsym_fail_memory(error);
	if (c->relocatable)
		status = gsym_elf_place(file, options->section_bases,
					options->section_base_count, error);
	if (status == GSYM_OK && (all || (file->for_data && c->relocatable)))
		status = gsym_elf_make_contents(file, options->threads, error);
	if (status != GSYM_OK)
		return status;
	gsym_elfview_build_id(&file->view, &c->uuid, &c->uuid_size);
	if (!gsym_elf_read_segments(file) || !gsym_container_collect_text(c))
		return gsym_fail_memory(error);
	if (from->extent != GSYM_LOAD_FACTS &&
	    !gsym_elf_read_symbols(file, options->threads))
		return gsym_fail_memory(error);
	if (all && !options->no_plt && !gsym_elf_read_stubs(file))
		return gsym_fail_memory(error);
	if (all && (options->eh_frame || needs_frames(c)) &&
	    !gsym_elf_read_frames(file))
		return gsym_fail_memory(error);
	if (all && !join_debugdata(file))
		return gsym_fail_memory(error);
	if (file->for_data && !file->view.section_count &&
	    !gsym_elf_read_dynamic_symbols(file))
		return gsym_fail_memory(error);
	return GSYM_OK;
}

/* A symbol name without its version is a copy.  Many names may be ends of one
 * long string, so the size of all copies is limited. */
static size_t name_limit(size_t file_size)
{
	enum { SHARE = 16, SPARE = 1 << 28 };

	return file_size < (SIZE_MAX - SPARE) / SHARE
		       ? file_size * SHARE + SPARE
		       : SIZE_MAX;
}

/*
 * The FILL of ELF files.  Of the options it uses the number of threads, which
 * inflate one debug section each, and the addresses of sections of a
 * relocatable object.  A damaged section loses its bytes, and is noted among
 * the container's warnings.  With GSYM_LOAD_DATA the loaded sections of a
 * relocatable object that hold no code are relocated, and a file without
 * section headers has the symbols that its dynamic section points to.
 *
 * GSYM_ERR_FORMAT: no ELF file; GSYM_ERR_UNSUPPORTED: a class, byte order or
 * type (core file) that cannot be read; GSYM_ERR_CORRUPT: the file header or a
 * header table is damaged; GSYM_ERR_ARGUMENT: the options place sections that
 * do not exist, or over each other; GSYM_ERR_MEMORY.
 */
static enum gsym_status fill(struct gsym_container *c,
			     const struct gsym_load *from,
			     struct gsym_error *error)
{
	struct elf_file *file = calloc(1, sizeof(*file));
	struct elfview *v = &file->view;
	enum gsym_status status;

	if (!file)
		return gsym_fail_memory(error);
	c->private_data = file;
	c->free_private = free;
	file->container = c;
	file->for_data = from->extent == GSYM_LOAD_DATA;
	/* COMPILED_IN is told the compilation directories of all units before
	 * the first one is converted.  Without a conversion of units nobody
	 * would find damage. */
	file->passing = from->extent == GSYM_LOAD_PASSING &&
			!from->options->compiled_in &&
			from->options->from != GSYM_FROM_SYMBOLS;
	file->mapped = from->mapped;
	status = gsym_elf_read_header(from->bytes, from->size, v, error);
	if (status != GSYM_OK)
		return status;
	name_architecture(v, c->architecture, sizeof(c->architecture));
	c->big_endian = v->swap != GSYM_HOST_BIG_ENDIAN;
	c->address_size = v->wide ? 8 : 4;
	c->relocatable = v->type == ELFVIEW_RELOCATABLE;
	c->code_bit0 = v->machine == EM_ARM || v->machine == EM_MIPS;
	c->arena.limit = name_limit(from->size);
	return load(file, from, error);
}

bool gsym_elf_is_stub(const uint8_t *elf, size_t elf_size)
{
	struct elfview view;
	bool stub = false;

	if (!elf || gsym_elfview_open(elf, elf_size, &view, NULL) != GSYM_OK)
		return false;
	for (uint64_t i = 0; i < view.segment_count && !stub; i++)
		stub = gsym_elfview_segment(&view, i).type == ELFVIEW_OF_STUB;
	return stub;
}

static bool has_symbols(const struct gsym_container *debug)
{
	return gsym_container_has(debug, ".symtab");
}

const struct gsym_input gsym_elf_input = {
	.format = GSYM_FORMAT_ELF,
	.name = "ELF",
	.matches = gsym_elfview_matches,
	.fill = fill,
	.has_symbols = has_symbols,
	.is_stub = gsym_elf_is_stub,
	.find_debug = gsym_find_debug_file,
	.find_alternate = gsym_elf_find_alternate,
	.split = &gsym_elf_input,
};
