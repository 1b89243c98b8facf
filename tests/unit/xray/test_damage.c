/* SPDX-License-Identifier: MIT */
/*
 * What is lost by each kind of damage.  A trace has a block of thread 1, a
 * damaged block of thread 2, and a block of thread 3.  Threads 1 and 3 have to
 * keep all of their events, and thread 2 those before the damage.
 */
#include "traces.h"

/* Begin a block of thread TID, in which function TID is entered at time 100 *
 * TID.  Returns the offset of the block, for end_block. */
static size_t open_block(struct trace *t, unsigned version, uint32_t tid)
{
	size_t at = t->size;

	EXTENTS(t, 0);
	NEW_BUFFER(t, tid);
	WALL_TIME(t, tid, 0);
	if (version >= 3)
		PID(t, 7);
	NEW_CPU(t, 0, 100 * tid);
	put_function(t, 0, tid, 0);
	return at;
}

/* Add a block of thread TID with a call of function TID. */
static void whole_block(struct trace *t, unsigned version, uint32_t tid)
{
	size_t at = open_block(t, version, tid);

	put_function(t, 1, tid, 1);
	end_block(t, at);
}

/* A header and the block of thread 1. */
static struct trace start(unsigned version, bool big)
{
	struct trace t = { .big = big };

	put_header(&t, version, 1, 1000000000, 4096);
	whole_block(&t, version, 1);
	return t;
}

/* Expect the reports DAMAGE, separated by "; ", and the EVENTS of thread 2,
 * each as "time:kind:function".  Threads 1 and 3 have to have two events of
 * their functions each. */
static void expect(const struct trace *t, const char *damage,
		   const char *events)
{
	struct damages d = { 0 };
	struct gsym_xray_log *log = open_trace(t->bytes, t->size, &d), *again;
	struct gsym_xray_options strict = { .strict = true };
	struct gsym_error error = { 0 };
	struct gsym_xray_event e;
	struct gsym_xray_iter *iter;
	unsigned sound[4] = { 0 };
	char text[512] = "", found[512] = "";
	size_t at = 0;

	cr_assert(gsym_xray_timeline(log, &iter, NULL) == GSYM_OK);
	while (gsym_xray_next(iter, &e)) {
		if (e.tid == 1 || e.tid == 3)
			sound[e.tid] += e.function == e.tid;
		else
			at += (size_t)snprintf(text + at, sizeof(text) - at,
					       "%s%" PRIu64 ":%d:%u",
					       at ? " " : "", e.tsc,
					       (int)e.kind, e.function);
	}
	gsym_xray_iter_free(iter);
	gsym_xray_close(log);
	at = 0;
	for (unsigned i = 0; i < d.count && i < 16; i++)
		at += (size_t)snprintf(found + at, sizeof(found) - at, "%s%s",
				       at ? "; " : "", d.text[i]);
	cr_expect(!strcmp(found, damage), "'%s', not '%s'", found, damage);
	cr_expect(!strcmp(text, events), "'%s', not '%s'", text, events);
	cr_expect(sound[1] == 2 && sound[3] == 2, "%s: %u %u", damage,
		  sound[1], sound[3]);
	/* With "strict" the first damage is an error. */
	cr_expect(gsym_xray_open(t->bytes, t->size, &strict, &again, &error) ==
		  (d.count ? GSYM_ERR_CORRUPT : GSYM_OK));
	cr_expect(!strcmp(error.message, d.count ? d.text[0] : ""), "%s",
		  error.message);
	if (!d.count)
		gsym_xray_close(again);
}

/* Offsets in a trace of version 3 or later: of the block of thread 2, and of
 * its second function record. */
enum { SECOND = 32 + 5 * 16 + 16, BODY = SECOND + 5 * 16 + 8 };

/* End the block of thread 2 at AT and add the block of thread 3. */
static void finish(struct trace *t, size_t at, unsigned version)
{
	end_block(t, at);
	whole_block(t, version, 3);
}

Test(damage, the_sound_trace_has_none)
{
	for (unsigned version = 2; version <= 5; version++)
		for (int big = 0; big < 2; big++) {
			struct trace t = start(version, big);

			whole_block(&t, version, 2);
			whole_block(&t, version, 3);
			expect(&t, "", "200:0:2 201:1:2");
		}
}

Test(damage, a_block_longer_than_the_file_is_clipped)
{
	static const uint64_t beyond[] = { 1, 1000, UINT64_MAX >> 1 };

	for (int i = 0; i < 3; i++) {
		struct trace t = start(5, false);
		char text[128];

		whole_block(&t, 5, 3);
		size_t at = open_block(&t, 5, 2);
		put_function(&t, 1, 2, 1);
		size_t end = t.size;
		t.size = at + 1;
		put(&t, end - at - 16 + beyond[i], 8);
		t.size = end;
		snprintf(text, sizeof(text), "block reaches %" PRIu64
			 " bytes beyond the file at offset %zu", beyond[i], at);
		expect(&t, text, "200:0:2 201:1:2");
	}
}

/* The size of a block would overflow if it were added to the block's
 * offset. */
Test(damage, counts_are_compared_before_they_are_added)
{
	struct trace t = start(5, false);

	whole_block(&t, 5, 3);
	size_t at = open_block(&t, 5, 2), end = t.size;
	t.size = at + 1;
	put(&t, UINT64_MAX - at, 8);
	t.size = end;
	struct damages d = { 0 };
	struct gsym_xray_log *log = open_trace(t.bytes, t.size, &d);
	cr_expect(d.count == 1 && d.kinds[0] == GSYM_XRAY_CLIPPED);
	gsym_xray_close(log);
}

Test(damage, a_record_that_does_not_fit_is_dropped)
{
	for (unsigned left = 1; left < 8; left++) {
		struct trace t = start(5, false);
		size_t at = open_block(&t, 5, 2);

		put_function(&t, 1, 2, 1);
		t.size -= left;
		finish(&t, at, 5);
		expect(&t, "record is cut at offset 216", "200:0:2");
	}
	for (unsigned left = 1; left < 16; left++) {
		struct trace t = start(5, false);
		size_t at = open_block(&t, 5, 2);

		TSC_WRAP(&t, 1000);
		t.size -= left;
		finish(&t, at, 5);
		expect(&t, "record is cut at offset 216", "200:0:2");
	}
	cr_expect(BODY == 216);
}

Test(damage, an_unknown_kind_ends_the_block)
{
	struct trace t = start(5, false);
	size_t at = open_block(&t, 5, 2);

	put_meta(&t, 10, 0, 0, 0, 0, 0, 0);
	put_function(&t, 1, 2, 1);
	finish(&t, at, 5);
	expect(&t, "unknown kind 10 at offset 216", "200:0:2");
	/* Process records came with version 3. */
	t = start(2, false);
	at = open_block(&t, 2, 2);
	PID(&t, 7);
	finish(&t, at, 2);
	expect(&t, "unknown kind 9 at offset 184", "200:0:2");
}

Test(damage, actions_4_to_7_end_the_block)
{
	static const char *const texts[] = {
		"unknown action 4 at offset 216",
		"unknown action 5 at offset 216",
		"unknown action 6 at offset 216",
		"unknown action 7 at offset 216",
	};

	for (int i = 0; i < 8; i++) {
		struct trace t = start(5, i & 1);
		size_t at = open_block(&t, 5, 2);

		put_function(&t, 4 + i / 2, 2, 1);
		put_function(&t, 1, 2, 1);
		finish(&t, at, 5);
		expect(&t, texts[i / 2], "200:0:2");
	}
}

Test(damage, the_end_of_a_buffer_ends_the_block)
{
	struct trace t = start(5, false);
	size_t at = open_block(&t, 5, 2);

	END_OF_BUFFER(&t);
	put_function(&t, 1, 2, 1);
	finish(&t, at, 5);
	expect(&t, "end of buffer within a block at offset 216", "200:0:2");
}

Test(damage, extents_within_a_block_start_a_new_one_if_plausible)
{
	struct trace t = start(5, false);
	size_t at = open_block(&t, 5, 2);

	/* The size of the outer block includes the inner block. */
	whole_block(&t, 5, 3);
	end_block(&t, at);
	expect(&t, "extents within a block at offset 216", "200:0:2");

	/* These extents are not followed by a block. */
	t = start(5, false);
	at = open_block(&t, 5, 2);
	EXTENTS(&t, 8);
	put_function(&t, 1, 2, 1);
	finish(&t, at, 5);
	expect(&t, "extents within a block at offset 216", "200:0:2");
}

Test(damage, sizes_of_events_that_cannot_be_end_the_block)
{
	static const uint32_t sizes[] = { 9, 1000, INT32_MAX, UINT32_MAX,
					  UINT32_C(1) << 31 };

	for (int i = 0; i < 10; i++) {
		struct trace t = start(5, i & 1);
		size_t at = open_block(&t, 5, 2);

		/* A custom or a typed event, which 8 bytes follow. */
		put_meta(&t, i < 5 ? 5 : 8, sizes[i % 5], 4, 1, 4, 0, 0);
		put_function(&t, 1, 2, 1);
		finish(&t, at, 5);
		expect(&t, sizes[i % 5] > INT32_MAX
				   ? "event of negative size at offset 216"
				   : "record is cut at offset 216",
		       "200:0:2");
	}
}

Test(damage, bytes_between_blocks_are_skipped_up_to_a_plausible_one)
{
	struct trace t = start(5, false);

	whole_block(&t, 5, 2);
	size_t at = t.size;
	/* Bytes that look like extents, but are not followed by a block. */
	put(&t, 0x0f0f0f0f, 4);
	EXTENTS(&t, 8);
	put(&t, 0x0f, 1);
	whole_block(&t, 5, 3);
	cr_expect(at == 224);
	expect(&t, "21 bytes belong to no block, skipped at offset 224",
	       "200:0:2 201:1:2");
}

Test(damage, a_block_without_a_thread_is_skipped)
{
	struct trace t = start(5, false);
	size_t at = t.size;

	EXTENTS(&t, 0);
	WALL_TIME(&t, 2, 0);
	NEW_CPU(&t, 0, 200);
	put_function(&t, 0, 2, 0);
	finish(&t, at, 5);
	expect(&t, "block names no thread at offset 128", "");
	cr_expect(at == SECOND);
}

/* Early writers of version 2 left extents out. */
Test(damage, a_block_without_extents_reaches_up_to_the_next_extents)
{
	struct trace t = { 0 };

	put_header(&t, 2, 1, 1000000000, 4096);
	NEW_BUFFER(&t, 2);
	WALL_TIME(&t, 1, 0);
	NEW_CPU(&t, 0, 200);
	put_function(&t, 0, 2, 0);
	put_function(&t, 1, 2, 1);
	whole_block(&t, 2, 1);
	whole_block(&t, 2, 3);
	expect(&t, "", "200:0:2 201:1:2");
}

Test(damage, extents_of_0_are_an_empty_block)
{
	struct trace t = start(5, false);

	EXTENTS(&t, 0);
	EXTENTS(&t, 0);
	whole_block(&t, 5, 3);
	expect(&t, "", "");
}

Test(damage, records_before_the_first_function_come_in_any_order)
{
	struct trace t = start(5, false);
	size_t at = t.size;

	EXTENTS(&t, 0);
	NEW_BUFFER(&t, 2);
	NEW_CPU(&t, 0, 200);
	PID(&t, 7);
	WALL_TIME(&t, 2, 0);
	put_function(&t, 0, 2, 0);
	finish(&t, at, 5);
	expect(&t, "", "200:0:2");
}

/* The record after an event has overwritten its bytes. */
Test(damage, bytes_of_an_event_may_be_absent_before_version_5)
{
	for (unsigned version = 2; version <= 4; version++) {
		struct trace t = start(version, false);
		size_t at = open_block(&t, version, 2);
		size_t event = t.size;
		char text[128];

		/* If 4 bytes of the next record are taken for the event's,
		 * the next record seems to have action 5. */
		put_meta(&t, 5, 4, 4, 210, 8, 0, 0);
		put_function(&t, 1, 2, 0xaaaaaaaa);
		put_function(&t, 0, 2, 1);
		finish(&t, at, version);
		snprintf(text, sizeof(text), "bytes of an event were "
			 "overwritten at offset %zu", event);
		expect(&t, text, "200:0:2 210:4:0 2863311730:1:2 "
				 "2863311731:0:2");
	}
	/* Such a writer overwrites the bytes of every event. */
	struct trace t = start(3, false);
	size_t at = open_block(&t, 3, 2), event = t.size;
	for (unsigned i = 0; i < 2; i++) {
		put_meta(&t, 5, 4, 4, 210 + i, 8, 0, 0);
		put_function(&t, 1 - i, 2, 0xaaaaaaaa);
	}
	finish(&t, at, 3);
	char text[160];
	snprintf(text, sizeof(text), "bytes of an event were overwritten at "
		 "offset %zu; bytes of an event were overwritten at offset "
		 "%zu", event, event + 24);
	expect(&t, text, "200:0:2 210:4:0 2863311730:1:2 2863311730:4:0 "
			 "5726623260:0:2");
	/* In a block with other damage as well an unknown action is not taken
	 * for overwritten bytes. */
	t = start(3, false);
	at = open_block(&t, 3, 2);
	put_meta(&t, 5, 4, 4, 210, 8, 0, 0);
	put_function(&t, 1, 2, 0xaaaaaaaa);
	put_function(&t, 7, 2, 1);
	finish(&t, at, 3);
	expect(&t, "unknown action 5 at offset 236", "200:0:2 210:4:0");
	/* Writers of version 5 do not overwrite bytes of events. */
	t = start(5, false);
	at = open_block(&t, 5, 2);
	put_meta(&t, 5, 4, 4, 10, 4, 0, 0);
	put_function(&t, 1, 2, 0xaaaaaaaa);
	put_function(&t, 0, 2, 1);
	finish(&t, at, 5);
	expect(&t, "unknown action 5 at offset 236", "200:0:2 210:4:0");
}

/* ---- basic mode -------------------------------------------------------- */

/* Append a record (TYPE 0) or an argument, which is TSC (TYPE 1). */
static void put_basic(struct trace *t, unsigned type, unsigned action,
		      uint32_t function, uint64_t tsc, uint32_t tid)
{
	put(t, type, 2);
	put(t, 0, 1);
	put(t, action, 1);
	put(t, function, 4);
	if (type == 1) {
		put(t, tid, 4);
		put(t, 7, 4);
		put(t, tsc, 8);
	} else {
		put(t, tsc, 8);
		put(t, tid, 4);
		put(t, 7, 4);
	}
	put(t, 0xaaaaaaaaaaaaaaaa, 8);
}

static struct trace start_basic(unsigned version)
{
	struct trace t = { 0 };

	put_header(&t, version, 0, 1000000000, 0);
	for (uint32_t tid = 1; tid < 4; tid += 2) {
		put_basic(&t, 0, 0, tid, 100 * tid, tid);
		put_basic(&t, 0, 1, tid, 100 * tid + 1, tid);
	}
	return t;
}

Test(damage, basic_records_are_skipped_one_by_one)
{
	struct trace t = start_basic(3);

	put_basic(&t, 2, 0, 2, 200, 2);
	put_basic(&t, 0, 0, 2, 201, 2);
	put_basic(&t, 0, 4, 2, 202, 2);
	put_basic(&t, 0, 1, 2, 203, 2);
	expect(&t, "unknown record type 2 at offset 160; unknown action 4 at "
	       "offset 224",
	       "201:0:2 203:1:2");
}

Test(damage, a_basic_record_that_is_cut_is_ignored)
{
	for (unsigned left = 1; left < 32; left++) {
		struct trace t = start_basic(3);
		char text[64];

		put_basic(&t, 0, 0, 2, 200, 2);
		put_basic(&t, 0, 1, 2, 201, 2);
		t.size -= left;
		snprintf(text, sizeof(text), "record of %u bytes is cut at "
			 "offset 192", 32 - left);
		expect(&t, text, "200:0:2");
	}
}

Test(damage, basic_arguments_belong_to_the_record_before)
{
	/* The function and the thread that the argument names. */
	static const uint32_t whose[][2] = { { 2, 2 }, { 4, 2 }, { 2, 4 } };

	for (int i = 0; i < 3; i++) {
		struct trace t = start_basic(3);

		put_basic(&t, 0, 3, 2, 200, 2);
		put_basic(&t, 1, 0, whose[i][0], 42, whose[i][1]);
		put_basic(&t, 0, 1, 2, 201, 2);
		/* The record before this argument is no call of 4. */
		put_basic(&t, 1, 0, 4, 42, 2);
		expect(&t, i ? "argument of no call at offset 192; "
			       "argument of no call at offset 256"
			     : "argument of no call at offset 256",
		       "200:3:2 201:1:2");
	}
}

/* The products of the numbers of these threads and the constant that hash
 * tables use agree in all bits but the lowest.  If all threads shared a slot of
 * the table opening would take quadratic time: minutes. */
Test(damage, numbers_of_threads_cannot_be_chosen_to_collide)
{
	enum { COUNT = 500000 };
	const uint64_t golden = UINT64_C(0x9e3779b97f4a7c15);
	uint64_t inverse = golden;
	size_t size = 32 + (size_t)32 * COUNT;
	uint8_t *bytes = malloc(size);
	struct trace t = { 0 };
	struct gsym_xray_log *log;

	cr_assert(bytes);
	for (int i = 0; i < 6; i++)
		inverse *= 2 - golden * inverse;
	cr_assert(golden * inverse == 1);
	put_header(&t, 3, 0, 1000000000, 0);
	memcpy(bytes, t.bytes, 32);
	for (uint64_t i = 0; i < COUNT; i++) {
		t.size = 0;
		put(&t, 0, 4);
		put(&t, 1, 4);
		put(&t, 100, 8);
		put(&t, inverse * i, 8);
		put(&t, 0, 8);
		memcpy(bytes + 32 + 32 * i, t.bytes, 32);
	}
	log = open_trace(bytes, size, NULL);
	cr_expect(gsym_xray_thread_count(log) == COUNT);
	gsym_xray_close(log);
	free(bytes);
}
