/* SPDX-License-Identifier: MIT */
/*
 * create.h - what the files of gsym-create share: what was asked for, what
 * a conversion gave, and how both are reported.
 */
#ifndef TOOLS_CREATE_CREATE_H
#define TOOLS_CREATE_CREATE_H

#include <gsym/convert.h>
#include <gsym/reader.h>

struct debuginfod;

/** What was asked for. */
struct create {
	const char *input, *output;
	unsigned version;
	/** 0: that of the input; 1: little; 2: big. */
	int order;
	unsigned threads;
	enum gsym_dwarf_reader reader;
	enum gsym_from from;
	bool merged, call_sites, data;
	/** Of --callsites-yaml-file, or NULL. */
	const char *yaml;
	/** The ELF file to embed into; NULL. */
	const char *embed;
	/** The folder to install to, and the file that was; NULL. */
	const char *install;
	char *installed;
	/** INPUT is a folder, to be converted to this one, or installed. */
	bool recursive;
	const char *output_dir;
	/** It is one of the files of a folder. */
	bool in_tree;
	/** Bytes of a segment; 0: one file. */
	uint64_t segment_size;
	bool verify, strict, json, quiet, verbose;
	/** Of --base, and the file of --program. */
	uint64_t base;
	const char *program;
	/** Of --section-base; the names are malloc'ed. */
	struct gsym_section_base *section_bases;
	size_t section_base_count;
	/** Of --arch: names or numbers. */
	const char **wanted;
	size_t wanted_count;
	/** The program of INPUT that is being converted; NULL: its only one. */
	const char *architecture;
	double start;
	const char *debug_file, *symtab_file, *package;
	/** Of --oso-prepend-path, or NULL. */
	const char *object_prefix;
	/** NULL: the usual ones. */
	const char **directories;
	size_t directory_count;
	bool debuginfod;
	/** Made when it is needed first. */
	struct debuginfod *client;
};

/** So many warnings of a kind are shown where each is about a record of its
 *  own. */
enum { CREATE_SHOWN = 5 };

struct warning {
	uint64_t count;
	/** Different texts that are kept. */
	unsigned shown;
	char first[CREATE_SHOWN][GSYM_ERROR_MESSAGE_SIZE];
};

/** One conversion, done. */
struct conversion {
	struct create *create;
	/** What is under way, for the progress line. */
	const char *what;
	/** The file that the debug info came from, if it is not the input. */
	char *debug_file;
	/** Objects of a debug map that it came from. */
	uint64_t objects;
	/** It is the second opinion: its warnings are not shown. */
	bool second;
	struct gsym_convert_facts facts;
	struct gsym_build_summary summary;
	struct warning warnings[GSYM_WARN_COUNT];
	/** The first warning that speaks of damage; "" if there is none. */
	char damage[GSYM_ERROR_MESSAGE_SIZE];
	/** The image, if it is in memory: NULL if it went to the output right
	 *  away. */
	uint8_t *bytes;
	uint64_t size;
	/** Bytes that were written, and in how many segments. */
	uint64_t written;
	uint64_t segments;
	bool big_endian;
	double seconds;
};

/** What --verify found. */
struct verification {
	bool done;
	uint64_t functions;
	uint64_t differences;
};

/** Which architectures of INPUT to convert (malloc'ed), all or those that
 *  were asked for: an array of *COUNT, NULL for inputs that have no choice.
 *  Dies if INPUT lacks one. */
struct gsym_architecture *create_architectures(const struct create *create,
					       size_t *count);
struct options;

/** What the arguments say; dies where they contradict each other.  The
 *  strings live until create_parse_end. */
void create_parse(struct create *create, struct options *options, int argc,
		  char **argv);
void create_parse_end(struct create *create, struct options *options);
/** Another --debug-file-directory. */
void create_add_directory(struct create *create, const char *directory);
/** Callbacks of conversions: a file that was tried, and one to be fetched
 *  by debuginfod. */
void create_note_file(void *context, enum gsym_file_role role,
		      const char *path, const char *refused);
enum gsym_status create_fetch(void *context, const uint8_t *build_id,
			      size_t size, char **path,
			      struct gsym_error *error);
/** Free what the functions above keep: for conversions, for all of them. */
void create_forget_files(struct conversion *first, struct conversion *second);
void create_files_end(struct create *create);

/** Add the call sites that the YAML file PATH names to BUILDER.  Dies. */
void create_callsites(const char *path, struct gsym_builder *builder);
/** See, before a long conversion, whether its output can be written.  Dies. */
void create_prepare(const struct create *create);
/** Exit status of a conversion IN_TREE that found no functions. */
enum { CREATE_EMPTY = 3 };
/** Convert what CREATE says, from reading to the report; the number of
 *  differences that --verify found.  Dies. */
uint64_t create_all(struct create *create);
/** Convert all files of a folder; the exit status.  Dies. */
int create_tree(const struct create *create);
/** Make the folders that PATH lies in.  Dies. */
void create_make_folders(char *path);
/** The name of what is installed in DIRECTORY for a build ID of SIZE (at least
 *  2) bytes; malloc'ed. */
char *create_installed_name(const char *directory, const uint8_t *id,
			    size_t size, const char *suffix);
/** It is known where to install what was read: prepare for that.  Dies. */
void create_begin(struct conversion *conversion);
/** Whether nobody but the output needs the image, which then can go there while
 *  it is made. */
bool create_streams(const struct conversion *conversion);
/** A gsym_piece_fn of the output. */
enum gsym_status create_put_piece(void *context, uint64_t offset,
				  const uint8_t *bytes, size_t size);
/** Write the image of CONVERSION to where it belongs, if it is not there yet,
 *  and put it in place.  Dies. */
void create_put(struct conversion *conversion);
/** How many of the warnings of KIND are shown. */
unsigned create_shown(enum gsym_warning kind, const struct warning *warning);
/** A clock for --verbose. */
double create_seconds(void);
/** Compare the images of two conversions, and check the first as a file.
 *  SECOND is NULL if the input is a GSYM file, to be compared itself. */
void create_verify(const struct conversion *first,
		   const struct conversion *second,
		   struct verification *verification);
/** The summary. */
void create_report(const struct conversion *conversion,
		   const struct verification *verification);

#endif /* TOOLS_CREATE_CREATE_H */
