/* SPDX-License-Identifier: MIT */
/* The callbacks of the filter that find symbols of modules, in the store. */
#include "config.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/number.h"
#include "common/path.h"
#include "common/report.h"
#include "markup/markup.h"

/* A GSYM file of --module, and where it is loaded. */
struct markup_preset {
	char *path;
	uint64_t address;
	struct gsym_reader *reader;
	struct markup_symbols symbols;
};

/* IDs that no log uses by chance. */
#define PRESET_ID UINT64_C(0xfffffff0fffffff0)

static void report_file(void *context, const char *path, const char *why)
{
	markup_note(context, "'%s' is not used: %s", path, why);
}

void markup_symbols_start(struct markup *m)
{
	gsym_store_set_report(m->store, report_file, m);
	gsym_store_check(m->store, m->check);
	gsym_store_copy(m->store, m->copy);
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
		free(m->known->path);
		free(m->known->release);
		free(m->known->program_release);
		free(m->known->tells_id);
		free(m->known->tells_release);
		free(m->known);
		m->known = next;
	}
	free(m->plain);
}

/* ---- modules named by options -------------------------------------------- */

void markup_preset(struct markup *m, const char *value)
{
	const char *at = strrchr(value, '@');
	uint64_t address;
	if (!at || number_parse(at + 1, strlen(at + 1), &address) != NUMBER_OK)
		die_usage("'%s' is not FILE@ADDRESS", value);
	m->presets = reallocarray(m->presets, m->preset_count + 1,
				  sizeof(*m->presets));
	if (!m->presets)
		die("out of memory");
	struct markup_preset *preset = &m->presets[m->preset_count++];
	*preset = (struct markup_preset){
		.path = strndup(value, at - value),
		.address = address,
	};
	if (!preset->path)
		die("out of memory");
}

/* The last byte of all functions of READER. */
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

enum gsym_status markup_open(const struct markup *m, const char *path,
			     struct gsym_reader **ret, struct gsym_error *error)
{
	enum gsym_status status = m->copy ? gsym_open_copy(path, ret, error)
					  : gsym_open(path, ret, error);

	if (status == GSYM_OK && m->check &&
	    gsym_checksum(*ret, error) == GSYM_ERR_CORRUPT) {
		gsym_close(*ret);
		return GSYM_ERR_CORRUPT;
	}
	return status;
}

void markup_add_presets(struct markup *m)
{
	for (size_t i = 0; i < m->preset_count; i++) {
		struct markup_preset *preset = &m->presets[i];
		struct gsym_error error = { 0 };
		struct gsym_header header;
		enum gsym_status status =
			markup_open(m, preset->path, &preset->reader, &error);
		if (status != GSYM_OK)
			die_status(status == GSYM_ERR_CORRUPT ? "use" : "open",
				   preset->path, status, &error);
		preset->symbols.reader = preset->reader;
		gsym_get_header(preset->reader, &header);
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

/* Files that were missing before the reset may exist now. */
void markup_reset(void *context)
{
	struct markup *m = context;
	gsym_store_retry(m->store);
}

struct markup_symbols *markup_find_id(struct markup *m, const uint8_t *id,
				      size_t size)
{
	const struct gsym_store_entry *entry;
	if (!size)
		return NULL;
	enum gsym_status status =
		gsym_store_find(m->store, id, size, &entry, NULL);
	if (status == GSYM_NOT_FOUND && markup_may_fetch(m) &&
	    markup_fetch(m, id, size)) {
		gsym_store_retry(m->store);
		status = gsym_store_find(m->store, id, size, &entry, NULL);
	}
	if (status == GSYM_ERR_MEMORY)
		die("out of memory");
	if (status != GSYM_OK)
		return NULL;
	for (struct markup_symbols *s = m->known; s; s = s->next)
		if (s->entry == entry)
			return s;
	struct markup_symbols *symbols = calloc(1, sizeof(*symbols));
	if (!symbols)
		die("out of memory");
	symbols->entry = entry;
	symbols->reader = gsym_store_reader(entry);
	symbols->next = m->known;
	m->known = symbols;
	return symbols;
}

const struct gsym_store_entry *markup_entry(struct markup *m,
					    struct markup_symbols *s)
{
	struct gsym_header header;
	if (s->entry || s->asked)
		return s->entry ? s->entry : s->named;
	s->asked = true;
	gsym_get_header(s->reader, &header);
	if (header.uuid_size &&
	    gsym_store_find_symbols(m->store, header.uuid, header.uuid_size,
				    &s->named, NULL) == GSYM_ERR_MEMORY)
		die("out of memory");
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
	if (status == GSYM_ERR_MEMORY)
		die("out of memory");
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
	if (lasting && !m->use_demangler)
		return name;
	/* The filter keeps the results. */
	free(m->plain);
	m->plain = demangle_copy(GSYM_DEMANGLE_LLVM, name);
	return m->plain ? m->plain : name;
}
