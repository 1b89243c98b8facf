/* SPDX-License-Identifier: MIT */
/* The traces of testdata/xray: what is read of them is compared with
 * REFERENCE.tsv. */
#include "traces.h"

/* A row of REFERENCE.tsv. */
struct row {
	char trace[64];
	char numbers[6][16];
	char notes[256];
};

static bool parse_row(const char *line, struct row *row)
{
	char copy[512], *at = copy, *field;
	unsigned n = 0;

	memset(row, 0, sizeof(*row));
	snprintf(copy, sizeof(copy), "%.*s", (int)strcspn(line, "\n"), line);
	while ((field = strsep(&at, "\t"))) {
		if (n == 0)
			snprintf(row->trace, sizeof(row->trace), "%s", field);
		else if (n < 7)
			snprintf(row->numbers[n - 1], 16, "%s", field);
		else
			snprintf(row->notes, sizeof(row->notes), "%s", field);
		n++;
	}
	return n == 8 && *copy != '#' && strcmp(row->trace, "trace");
}

/* Compare the damage D of LOG with the notes of ROW.  Notes are separated by
 * ";".  Each names a damage, perhaps with " at OFFSET", but "blocks N", which
 * is the number of blocks. */
static void check_notes(const struct row *row, const struct gsym_xray_log *log,
			const struct damages *d)
{
	char copy[256], *at = copy, *note;
	unsigned count = 0;

	snprintf(copy, sizeof(copy), "%s", row->notes);
	while ((note = strsep(&at, ";"))) {
		const char *place = strstr(note, " at ");
		unsigned blocks, number;

		if (sscanf(note, " blocks %u", &blocks) == 1) {
			cr_expect(gsym_xray_block_count(log) == blocks,
				  "%s: %u blocks", row->trace,
				  gsym_xray_block_count(log));
			continue;
		}
		if (!*note)
			continue;
		if (count < d->count && place)
			cr_expect(d->offsets[count] ==
					  strtoull(place + 4, NULL, 10),
				  "%s: '%s' but %s", row->trace, note,
				  d->text[count]);
		if (count < d->count &&
		    sscanf(note, " extent past end of file by %u", &number) ==
			    1) {
			char wanted[32];

			snprintf(wanted, sizeof(wanted), " %u bytes", number);
			cr_expect(strstr(d->text[count], wanted), "%s",
				  d->text[count]);
		}
		count++;
	}
	cr_expect(count == d->count, "%s: %u damages, not %u; first %s",
		  row->trace, d->count, count, d->text[0]);
}

static void check_row(const struct row *row)
{
	size_t size;
	uint8_t *bytes = load_trace(row->trace, &size);
	uint64_t events = 0, calls = 0, threads = 0;
	struct damages damages = { 0 };
	struct gsym_xray_log *log;
	struct gsym_xray_account *account = gsym_xray_account_new(0);
	struct gsym_xray_repairs r;
	char text[128], wanted[128];

	cr_assert(account);
	cr_assert(bytes, "no trace %s", row->trace);
	if (!strcmp(row->notes, "rejected")) {
		cr_expect(gsym_xray_open(bytes, size, NULL, &log, NULL) ==
			  GSYM_ERR_FORMAT, "%s", row->trace);
		gsym_xray_account_free(account);
		free(bytes);
		return;
	}
	log = open_trace(bytes, size, &damages);
	for (uint32_t i = 0; i < gsym_xray_thread_count(log); i++) {
		struct gsym_xray_thread thread;
		struct gsym_xray_iter *iter;
		struct gsym_xray_event event;
		uint64_t n = 0;

		gsym_xray_thread_at(log, i, &thread);
		cr_assert(gsym_xray_events(log, i, &iter, NULL) == GSYM_OK);
		while (gsym_xray_next(iter, &event)) {
			n++;
			calls += event.kind < GSYM_XRAY_CUSTOM;
			gsym_xray_account_event(account, &event);
		}
		gsym_xray_iter_free(iter);
		gsym_xray_account_end(account);
		/* The first walk has to count the same events. */
		cr_expect(n == thread.events, "%s", row->trace);
		threads += n > 0;
		events += n;
	}
	gsym_xray_account_repairs(account, &r);
	gsym_xray_account_free(account);
	snprintf(text, sizeof(text), "%" PRIu64 " %" PRIu64 " %" PRIu64
		 " %" PRIu64 " %" PRIu64 " %" PRIu64, events, calls, threads,
		 r.orphans, r.inferred, r.unfinished);
	snprintf(wanted, sizeof(wanted), "%s %s %s %s %s %s", row->numbers[0],
		 row->numbers[1], row->numbers[2], row->numbers[3],
		 row->numbers[4], row->numbers[5]);
	cr_expect(!strcmp(text, wanted), "%s: %s, not %s", row->trace, text,
		  wanted);
	check_notes(row, log, &damages);
	/* Strict reading refuses a trace with any damage. */
	struct gsym_xray_options strict = { .strict = true };
	struct gsym_xray_log *again = NULL;
	cr_expect((gsym_xray_open(bytes, size, &strict, &again, NULL) ==
		   GSYM_OK) == !damages.count, "%s", row->trace);
	gsym_xray_close(again);
	gsym_xray_close(log);
	free(bytes);
}

Test(fixtures, reference)
{
	size_t size, rows = 0;
	char *table = (char *)load("expect", "REFERENCE.tsv", &size);
	struct row row;

	cr_assert(table);
	for (char *line = table; line && *line;
	     line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL)
		if (parse_row(line, &row)) {
			check_row(&row);
			rows++;
		}
	cr_expect(rows > 60, "%zu rows", rows);
	free(table);
}

/* Traces that differ in byte order alone have the same events. */
Test(fixtures, twins)
{
	static const char *const names[] = {
		"syn-fdr-v1", "syn-fdr-v2", "syn-fdr-v3", "syn-fdr-v4",
		"syn-fdr-v5", "syn-fdr-v4-typed", "syn-basic-v1",
		"syn-basic-v2", "syn-basic-v3",
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		char *text[2];

		for (int k = 0; k < 2; k++) {
			char name[64];
			size_t size;

			snprintf(name, sizeof(name), "%s-%s", names[i],
				 k ? "be" : "le");
			uint8_t *bytes = load_trace(name, &size);
			cr_assert(bytes, "%s", name);
			struct gsym_xray_log *log = open_trace(bytes, size,
							       NULL);
			struct gsym_xray_header h;
			gsym_xray_get_header(log, &h);
			cr_expect(h.big_endian == (k == 1) &&
				  h.constant_tsc && h.nonstop_tsc &&
				  h.frequency == 1000000000);
			text[k] = timeline(log);
			gsym_xray_close(log);
			free(bytes);
		}
		cr_expect(*text[0] && !strcmp(text[0], text[1]), "%s:\n%s%s",
			  names[i], text[0], text[1]);
		free(text[0]);
		free(text[1]);
	}
}

/* The events of a synthetic trace, which is there in every version. */
Test(fixtures, story)
{
	size_t size;
	uint8_t *bytes = load_trace("syn-fdr-v5-be", &size);
	struct gsym_xray_log *log = open_trace(bytes, size, NULL);
	char *text = timeline(log);

	cr_expect(!strcmp(text,
			  "1000 100/101 cpu0 enter #1\n"
			  "1010 100/101 cpu0 arg #2 1122334455667788\n"
			  "1030 100/101 cpu0 custom #0 0 'evt!'\n"
			  "1060 100/101 cpu0 exit #2\n"
			  "2000 100/102 cpu1 enter #3\n"
			  "2500 100/102 cpu3 tail #3\n"
			  "2505 100/102 cpu3 enter #4\n"
			  "2512 100/102 cpu3 typed #0 9 'typed'\n"
			  "2600 100/102 cpu3 exit #4\n"
			  "5000001000 100/101 cpu0 exit #1\n"),
		  "%s", text);
	free(text);
	gsym_xray_close(log);
	free(bytes);
}

/* The more bytes of a trace are left, the more events are read. */
Test(fixtures, truncation)
{
	static const char *const names[] = {
		"calls-fdr", "calls-basic", "events-long", "shapes-wrap",
		"shapes-ring", "syn-fdr-v1-le", "syn-fdr-v2-be",
		"syn-fdr-v4-typed-le", "syn-basic-v1-be", "bad-junk-between",
		"odd-wall-rollover",
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		size_t size;
		uint8_t *bytes = load_trace(names[i], &size);
		uint64_t most = 0, before = 0;

		cr_assert(bytes);
		for (size_t cut = 0; cut <= size; cut++) {
			/* A block of this size lets a sanitizer notice reads
			 * beyond it. */
			uint8_t *copy = malloc(cut + 1);
			struct gsym_xray_log *log = NULL;
			uint64_t events = 0;

			memcpy(copy, bytes, cut);
			copy = realloc(copy, cut ? cut : 1);
			if (gsym_xray_open(copy, cut, NULL, &log, NULL) ==
			    GSYM_OK) {
				char *text = timeline(log);

				for (char *c = text; *c; c++)
					events += *c == '\n';
				free(text);
			}
			cr_expect(events >= before, "%s cut at %zu", names[i],
				  cut);
			before = events;
			most = events > most ? events : most;
			gsym_xray_close(log);
			free(copy);
		}
		cr_expect(most == before && most, "%s", names[i]);
		free(bytes);
	}
}

/* The number of events in the first CUT bytes of a trace.  All payloads are
 * read, so that a sanitizer notices reads beyond the bytes. */
static uint64_t count_events(const uint8_t *bytes, size_t cut)
{
	uint8_t *copy = malloc(cut ? cut : 1);
	struct gsym_xray_log *log = NULL;
	struct gsym_xray_event event;
	struct gsym_xray_iter *iter;
	uint64_t events = 0, sum = 0;

	cr_assert(copy);
	memcpy(copy, bytes, cut);
	if (gsym_xray_open(copy, cut, NULL, &log, NULL) == GSYM_OK) {
		cr_assert(gsym_xray_timeline(log, &iter, NULL) == GSYM_OK);
		for (; gsym_xray_next(iter, &event); events++)
			for (uint32_t i = 0; event.data && i < event.size; i++)
				sum += event.data[i];
		gsym_xray_iter_free(iter);
	}
	gsym_xray_close(log);
	free(copy);
	return events + 0 * sum;
}

/* No trace that is cut has more events than the whole trace. */
Test(fixtures, every_trace_cut_at_every_byte)
{
	size_t size, traces = 0;
	char *table = (char *)load("expect", "REFERENCE.tsv", &size);
	struct row row;

	cr_assert(table);
	for (char *line = table; line && *line;
	     line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL) {
		if (!parse_row(line, &row))
			continue;
		uint8_t *bytes = load_trace(row.trace, &size);
		cr_assert(bytes, "%s", row.trace);
		uint64_t whole = count_events(bytes, size);
		for (size_t cut = 0; cut < size; cut++)
			cr_expect(count_events(bytes, cut) <= whole,
				  "%s cut at %zu", row.trace, cut);
		free(bytes);
		traces++;
	}
	cr_expect(traces > 60, "%zu traces", traces);
	free(table);
}
