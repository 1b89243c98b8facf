/* SPDX-License-Identifier: MIT */
/* The callbacks of the filter that find symbols of modules, in the store. */
#include "config.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/system.h"
#include "common/file.h"
#include "common/out.h"
#include "common/report.h"
#include "common/run.h"
#include "markup/markup.h"

/* A GSYM file of --module, and where it is loaded. */
struct markup_preset {
	char *path;
	/** LINKED: where the program was linked to, not at ADDRESS. */
	bool linked;
	uint64_t address;
	struct gsym_reader *reader;
	struct markup_symbols symbols;
};

/* IDs that no log uses by chance. */
#define PRESET_ID UINT64_C(0xfffffff0fffffff0)

/* A callback of the source: makers may take long. */
static void before(void *context)
{
	struct markup *m = context;
	out_flush(&m->out);
}

/* Seconds until makers are asked again: a log may grow for days, and a file may
 * appear meanwhile. */
enum { AGAIN = 60 };

void markup_symbols_start(struct markup *m)
{
	/* The answers in llvm-symbolizer's style do not depend on what was
	 * converted before. */
	m->source = source_new(source_asked(), &(struct source_host){
		.context = m,
		.before = before,
		.wake = markup_signal_pipe,
		.again = AGAIN,
		.converts = sandbox_asked() ? SOURCE_CONVERTS_NEVER
					    : SOURCE_CONVERTS_IF_ASKED,
		.any = m->options.logs.any_build,
		.check = m->check,
		.copy = m->copy,
		.no_cache = m->options.style == GSYM_MARKUP_STYLE_LLVM,
	});
	source_store(m->source);
	if (!m->copy)
		report_cut_files(true);
}

void markup_symbols_end(struct markup *m)
{
	/* The filter has pointers to symbols and to their strings. */
	gsym_markup_free(m->filter);
	m->filter = NULL;
	for (size_t i = 0; i < m->preset_count; i++) {
		gsym_close(m->presets[i].reader);
		free(m->presets[i].path);
	}
	free(m->presets);
	while (m->known) {
		struct markup_symbols *next = m->known->next;
		names_fini(&m->known->names);
		gsym_close(m->known->own);
		gsym_module_close(m->known->program);
		gsym_module_close(m->known->wasm);
		free(m->known->path);
		free(m->known->release);
		free(m->known->program_release);
		free(m->known->tells_id);
		free(m->known->tells_release);
		free(m->known);
		m->known = next;
	}
	gsym_intern_fini(&m->entries);
	gsym_vec_fini(&m->by_entry);
	free(m->plain);
}

/* ---- modules named by options -------------------------------------------- */

void markup_preset(struct markup *m, const char *value)
{
	const char *at = strrchr(value, '@');
	uint64_t address = 0;
	if (at && number_parse(at + 1, strlen(at + 1), &address) != NUMBER_OK)
		die_usage("'%s' is not FILE or FILE@ADDRESS", value);
	m->presets = must_have(reallocarray(m->presets, m->preset_count + 1,
					    sizeof(*m->presets)));
	struct markup_preset *preset = &m->presets[m->preset_count++];
	*preset = (struct markup_preset){
		.path = must_have(at ? strndup(value, (size_t)(at - value))
				     : strdup(value)),
		.linked = !at,
		.address = address,
	};
}

static uint64_t last_byte(const struct gsym_reader *reader,
			  const struct gsym_header *header)
{
	uint64_t last = header->base_address;
	for (uint32_t i = header->function_count; i-- > 0;) {
		struct gsym_function function;
		if (gsym_function_at(reader, i, &function, NULL) != GSYM_OK)
			continue;
		uint64_t end = function.start + function.size;
		if (end < function.start)
			end = UINT64_MAX;
		if (end > function.start)
			end--;
		if (end > last)
			last = end;
		/* Functions are sorted by their starts.  A function that
		 * others lie in ends after them, but few lie in one. */
		if (header->function_count - i > 256)
			break;
	}
	return last;
}

void markup_add_presets(struct markup *m)
{
	for (size_t i = 0; i < m->preset_count; i++) {
		struct markup_preset *preset = &m->presets[i];
		struct gsym_error error = { 0 };
		struct gsym_header header;
		enum gsym_status status =
			source_open_file(m->source, preset->path,
					 &preset->reader, &error);
		if (status != GSYM_OK)
			die_status(status == GSYM_ERR_CORRUPT ? "use" : "open",
				   preset->path, status, &error);
		preset->symbols.reader = preset->reader;
		gsym_get_header(preset->reader, &header);
		if (preset->linked)
			preset->address = header.base_address;
		const char *name = path_base(preset->path);
		struct gsym_markup_module module = {
			.id = PRESET_ID + i,
			.name = name,
			.name_size = strlen(name),
			.build_id = header.uuid,
			.build_id_size = header.uuid_size,
		};
		struct gsym_markup_segment segment = {
			.start = preset->address,
			.last = preset->address +
				(last_byte(preset->reader, &header) -
				 header.base_address),
			.relative = header.base_address,
			.module = module.id,
			.mode = "rx",
		};
		status = gsym_markup_add(m->filter, &module, &segment);
		if (status != GSYM_OK)
			die("'%s' does not fit at address 0x%" PRIx64,
			    preset->path, preset->address);
	}
}

/* ---- callbacks ----------------------------------------------------------- */

void markup_retry(void *context)
{
	struct markup *m = context;
	gsym_store_retry(source_store(m->source));
	m->retries++;
}

static struct markup_symbols *add(struct markup *m,
				  const struct gsym_reader *reader)
{
	struct markup_symbols *s = must_have(calloc(1, sizeof(*s)));
	s->reader = reader;
	s->next = m->known;
	m->known = s;
	return s;
}

struct markup_symbols *markup_add(struct markup *m, struct gsym_reader *reader,
				  const char *path)
{
	struct markup_symbols *s = add(m, reader);
	s->own = reader;
	s->path = must_have(strdup(path));
	return s;
}

struct markup_symbols *markup_of_entry(struct markup *m,
				       const struct gsym_store_entry *entry)
{
	uint32_t number = must_intern(&m->entries, (const void *)&entry,
				      sizeof(entry));
	struct markup_symbols *s;
	if (number < m->by_entry.count)
		return m->by_entry.items[number];
	s = add(m, gsym_store_reader(entry));
	s->entry = entry;
	*must_push(&m->by_entry) = s;
	return s;
}

struct markup_symbols *markup_find_id(struct markup *m, const uint8_t *id,
				      size_t size)
{
	const struct gsym_store_entry *entry;
	struct gsym_error error;
	if (!size ||
	    source_find(m->source, id, size, &entry, &error) != SOURCE_HAVE)
		return NULL;
	return markup_of_entry(m, entry);
}

const struct gsym_store_entry *markup_entry(struct markup *m,
					    struct markup_symbols *s)
{
	struct gsym_header header;
	if (s->entry || s->named || s->asked == m->retries + 1)
		return s->entry ? s->entry : s->named;
	s->asked = m->retries + 1;
	gsym_get_header(s->reader, &header);
	must(!header.uuid_size ||
	     gsym_store_find_symbols(source_store(m->source), header.uuid,
				     header.uuid_size, &s->named,
				     NULL) != GSYM_ERR_MEMORY);
	return s->named;
}

void *markup_module(void *context, const struct gsym_markup_module *module)
{
	struct markup *m = context;
	if (module->id >= PRESET_ID && module->id - PRESET_ID < m->preset_count)
		return &m->presets[module->id - PRESET_ID].symbols;
	return markup_find_id(m, module->build_id, module->build_id_size);
}

/* Find the symbol at ADDRESS in the symbol table; FLAGS as for
 * gsym_store_symbol_at. */
static bool find_symbol(const struct markup_symbols *s, uint64_t address,
			unsigned flags, struct gsym_store_symbol *symbol)
{
	enum gsym_status status =
		s->entry ? gsym_store_symbol_at(s->entry, address, flags,
						symbol)
			 : GSYM_NOT_FOUND;
	must(status != GSYM_ERR_MEMORY);
	return status == GSYM_OK;
}

/* Find a frame in the symbol table, for an address that the GSYM file does not
 * cover.  Returns the number of frames. */
static size_t code_by_symbol(const struct markup *m,
			     const struct markup_symbols *s, uint64_t address,
			     struct gsym_markup_frame *frame)
{
	struct gsym_store_symbol symbol;
	if (m->options.style == GSYM_MARKUP_STYLE_LLVM ||
	    !find_symbol(s, address, 0, &symbol))
		return 0;
	*frame = (struct gsym_markup_frame){
		.function = symbol.name,
		.directory = "",
		.basename = "",
		.offset = address - symbol.start,
	};
	return 1;
}

size_t markup_code(void *context, void *symbols, uint64_t address,
		   struct gsym_markup_frame *frames, size_t count)
{
	const struct markup *m = context;
	const struct markup_symbols *s = symbols;
	struct gsym_frame found[GSYM_MARKUP_MAX_FRAMES];
	struct gsym_match match;
	if (count > GSYM_MARKUP_MAX_FRAMES)
		count = GSYM_MARKUP_MAX_FRAMES;
	if (gsym_lookup(s->reader, address, 0, found, count, &match, NULL) !=
	    GSYM_OK)
		return code_by_symbol(m, s, address, frames);
	if (match.frame_count < count)
		count = match.frame_count;
	for (size_t i = 0; i < count; i++)
		frames[i] = (struct gsym_markup_frame){
			.function = found[i].function,
			.directory = found[i].directory,
			.basename = found[i].basename,
			.line = found[i].line,
			.offset = found[i].offset,
		};
	return count;
}

/* Find the variable at ADDRESS in the GSYM file.  A record of unknown size
 * counts at its start only: it may be a label before other data. */
static bool data_by_record(const struct markup_symbols *s, uint64_t address,
			   struct gsym_markup_datum *ret)
{
	struct gsym_frame frame;
	struct gsym_match match;
	if (gsym_lookup(s->reader, address, GSYM_LOOKUP_NO_INLINES, &frame, 1,
			&match, NULL) != GSYM_OK ||
	    (!match.size && address != match.start))
		return false;
	*ret = (struct gsym_markup_datum){ frame.function,
					   address - match.start };
	return true;
}

bool markup_data(void *context, void *symbols, uint64_t address,
		 struct gsym_markup_datum *ret)
{
	const struct markup *m = context;
	const struct markup_symbols *s = symbols;
	struct gsym_store_symbol symbol;
	bool llvm = m->options.style == GSYM_MARKUP_STYLE_LLVM;
	if (!llvm && data_by_record(s, address, ret))
		return true;
	if (find_symbol(s, address, llvm ? GSYM_STORE_FAR : 0, &symbol)) {
		*ret = (struct gsym_markup_datum){ symbol.name,
						   address - symbol.start };
		return true;
	}
	return llvm && data_by_record(s, address, ret);
}

const char *markup_demangle(void *context, const char *name, bool lasting)
{
	struct markup *m = context;
	/* As in llvm-symbolizer, names of symbol elements are demangled even
	 * with --no-demangle. */
	if (lasting && m->no_demangle)
		return name;
	/* The filter keeps the results. */
	free(m->plain);
	m->plain = demangle_copy(GSYM_DEMANGLE_LLVM, name);
	return m->plain ? m->plain : name;
}
