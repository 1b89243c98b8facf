/* SPDX-License-Identifier: MIT */
/* The facts of the published description of FDR version 1, and what runtimes
 * really write where it is wrong or incomplete. */
#include "traces.h"

/* A header of version 5 and the start of a block of process 7, thread 9,
 * time 100. */
static size_t begin(struct trace *t)
{
	size_t at;

	put_header(t, 5, 1, 1000000000, 4096);
	at = t->size;
	EXTENTS(t, 0);
	NEW_BUFFER(t, 9);
	WALL_TIME(t, 3, 500000);
	PID(t, 7);
	NEW_CPU(t, 2, 100);
	return at;
}

/* Fill up a buffer of version 1 to 256 bytes. */
static void end_buffer(struct trace *t)
{
	END_OF_BUFFER(t);
	while ((t->size - 32) % 256)
		put(t, 0xcc, 1);
}

static struct gsym_xray_header header_of(const struct trace *t)
{
	struct gsym_xray_log *log = open_trace(t->bytes, t->size, NULL);
	struct gsym_xray_header h;

	gsym_xray_get_header(log, &h);
	gsym_xray_close(log);
	return h;
}

Test(seed, header_has_32_bytes_with_fields_at_0_2_4_8_16)
{
	for (int big = 0; big < 2; big++) {
		struct trace t = { .big = big };

		put_header(&t, 1, 1, 2596121000, 256);
		cr_assert(t.size == 32);
		struct gsym_xray_header h = header_of(&t);
		cr_expect(h.version == 1 && h.fdr && h.big_endian == big &&
			  h.frequency == 2596121000 && h.buffer_size == 256);
		struct gsym_xray_log *log = NULL;
		cr_expect(gsym_xray_open(t.bytes, 31, NULL, &log, NULL) ==
			  GSYM_ERR_FORMAT);
	}
}

Test(seed, type_is_1_for_fdr_and_0_for_basic)
{
	struct trace fdr = { 0 }, basic = { 0 }, none = { 0 };
	struct gsym_xray_log *log = NULL;

	put_header(&fdr, 3, 1, 1, 1);
	put_header(&basic, 3, 0, 1, 1);
	put_header(&none, 3, 2, 1, 1);
	cr_expect(header_of(&fdr).fdr && !header_of(&basic).fdr);
	cr_expect(gsym_xray_open(none.bytes, none.size, NULL, &log, NULL) ==
		  GSYM_ERR_FORMAT);
}

Test(seed, constant_and_nonstop_tsc_are_bits_in_the_order_of_the_bytes)
{
	static const uint8_t bits[2][2] = { { 1, 2 }, { 0x80, 0x40 } };

	for (int big = 0; big < 2; big++)
		for (int which = 0; which < 2; which++) {
			struct trace t = { .big = big };

			put_header(&t, 1, 1, 1, 256);
			t.bytes[4] = bits[big][which];
			struct gsym_xray_header h = header_of(&t);
			cr_expect(h.constant_tsc == (which == 0) &&
				  h.nonstop_tsc == (which == 1));
		}
}

Test(seed, the_other_30_bits_and_the_reserved_bytes_mean_nothing)
{
	struct trace t = { 0 };

	put_header(&t, 5, 1, 1, 256);
	memset(t.bytes + 5, 0xaa, 3);
	memset(t.bytes + 24, 0x55, 8);
	cr_expect(header_of(&t).version == 5);
}

Test(seed, byte_order_is_that_of_the_producing_machine)
{
	struct trace t = { .big = true };
	size_t at = begin(&t);

	put_function(&t, 0, 0x2345678, 10);
	end_block(&t, at);
	cr_expect(
		!memcmp(t.bytes + t.size - 8, "\x02\x34\x56\x78\0\0\0\x0a", 8));
	expect_timeline(&t, "110 7/9 cpu2 enter #36984440\n");
}

Test(seed, a_file_has_blocks_of_all_threads_not_of_one)
{
	struct trace t = { 0 };
	size_t at = begin(&t);

	put_function(&t, 0, 1, 0);
	end_block(&t, at);
	at = t.size;
	EXTENTS(&t, 0);
	NEW_BUFFER(&t, 10);
	WALL_TIME(&t, 3, 0);
	PID(&t, 7);
	NEW_CPU(&t, 0, 50);
	put_function(&t, 1, 1, 0);
	end_block(&t, at);
	expect_timeline(&t, "50 7/10 cpu0 exit #1\n100 7/9 cpu2 enter #1\n");
}

Test(seed, custom_events_of_version_4_name_their_processor_even_if_it_is_0)
{
	struct trace t = { 0 };
	size_t at = 32;

	put_header(&t, 4, 1, 1, 256);
	EXTENTS(&t, 0);
	NEW_BUFFER(&t, 9);
	WALL_TIME(&t, 1, 0);
	PID(&t, 7);
	NEW_CPU(&t, 3, 100);
	put_meta(&t, 5, 1, 4, 110, 8, 0, 2);
	put(&t, 'x', 1);
	/* Typed events have no field for the processor. */
	put_meta(&t, 8, 1, 4, 120, 8, 5, 2);
	put(&t, 'y', 1);
	end_block(&t, at);
	expect_timeline(&t, "110 7/9 cpu0 custom #0 0 'x'\n"
			    "120 7/9 cpu3 typed #0 5 'y'\n");
}

Test(seed, buffer_size_is_the_stride_of_version_1_not_the_size_of_the_data)
{
	struct trace t = { 0 };

	put_header(&t, 1, 1, 1, 256);
	for (unsigned i = 0; i < 3; i++) {
		NEW_BUFFER(&t, 9);
		WALL_TIME(&t, i, 0);
		NEW_CPU(&t, 0, 100 * i);
		put_function(&t, i & 1, 1, 0);
		end_buffer(&t);
	}
	cr_assert(t.size == 32 + 3 * 256);
	expect_timeline(&t, "0 0/9 cpu0 enter #1\n100 0/9 cpu0 exit #1\n"
			    "200 0/9 cpu0 enter #1\n");
}

Test(seed, after_the_end_of_a_buffer_comes_a_buffer_and_no_header)
{
	struct damages damages = { 0 };
	struct trace t = { 0 };

	put_header(&t, 1, 1, 1, 256);
	NEW_BUFFER(&t, 9);
	WALL_TIME(&t, 1, 0);
	NEW_CPU(&t, 0, 5);
	put_function(&t, 0, 1, 0);
	/* The rest of the buffer is arbitrary: here, another function. */
	END_OF_BUFFER(&t);
	put_function(&t, 1, 1, 1);
	while ((t.size - 32) % 256)
		put(&t, 0x0f, 1);
	NEW_BUFFER(&t, 9);
	WALL_TIME(&t, 2, 0);
	NEW_CPU(&t, 0, 50);
	put_function(&t, 1, 1, 0);
	end_buffer(&t);
	expect_timeline(&t, "5 0/9 cpu0 enter #1\n50 0/9 cpu0 exit #1\n");
	gsym_xray_close(open_trace(t.bytes, t.size, &damages));
	cr_expect(damages.count == 0);
}

Test(seed, a_later_buffer_may_lack_its_cpu_record)
{
	struct trace t = { 0 };
	struct gsym_xray_log *log;
	uint64_t first, last;

	put_header(&t, 1, 1, 1, 256);
	NEW_BUFFER(&t, 9);
	WALL_TIME(&t, 1, 0);
	NEW_CPU(&t, 3, 5);
	put_function(&t, 0, 1, 0);
	end_buffer(&t);
	NEW_BUFFER(&t, 9);
	WALL_TIME(&t, 2, 0);
	put_function(&t, 1, 1, 6);
	end_buffer(&t);
	expect_timeline(&t, "5 0/9 cpu3 enter #1\n11 0/9 cpu3 exit #1\n");
	log = open_trace(t.bytes, t.size, NULL);
	cr_expect(gsym_xray_span(log, &first, &last) && first == 5 &&
		  last == 11, "%" PRIu64, last);
	gsym_xray_close(log);
}

Test(seed, function_records_have_8_bytes_and_metadata_16_unaligned)
{
	struct trace t = { 0 };
	size_t at = begin(&t);

	put_function(&t, 0, 1, 1);
	put_meta(&t, 5, 3, 4, 1, 4, 0, 0);
	put(&t, 0x636261, 3);
	put_function(&t, 1, 1, 1);
	TSC_WRAP(&t, 500);
	put_function(&t, 0, 2, 0);
	end_block(&t, at);
	expect_timeline(&t, "101 7/9 cpu2 enter #1\n"
			    "102 7/9 cpu2 custom #0 0 'abc'\n"
			    "103 7/9 cpu2 exit #1\n500 7/9 cpu2 enter #2\n");
}

Test(seed, discriminant_action_and_id_have_1_and_3_and_28_bits)
{
	for (int big = 0; big < 2; big++) {
		struct trace t = { .big = big };
		size_t at = begin(&t);

		put_function(&t, 1, 0xfffffff, 0);
		put_function(&t, 0, 0x1000001, 0);
		end_block(&t, at);
		expect_timeline(&t, "100 7/9 cpu2 exit #268435455\n"
				    "100 7/9 cpu2 enter #16777217\n");
	}
}

Test(seed, the_delta_counts_from_the_record_before_and_is_unsigned)
{
	struct trace t = { 0 };
	size_t at = begin(&t);

	put_function(&t, 0, 1, 0xffffffff);
	put_function(&t, 1, 1, 5);
	end_block(&t, at);
	expect_timeline(&t, "4294967395 7/9 cpu2 enter #1\n"
			    "4294967400 7/9 cpu2 exit #1\n");
}

Test(seed, actions_are_entry_0_exit_1_tail_exit_2_entry_with_arguments_3)
{
	struct trace t = { 0 };
	size_t at = begin(&t);

	for (unsigned action = 0; action < 4; action++)
		put_function(&t, action, 1, 0);
	end_block(&t, at);
	expect_timeline(&t, "100 7/9 cpu2 enter #1\n100 7/9 cpu2 exit #1\n"
			    "100 7/9 cpu2 tail #1\n100 7/9 cpu2 arg #1\n");
}

Test(seed, actions_4_to_7_are_damage)
{
	for (unsigned action = 4; action < 8; action++) {
		struct damages damages = { 0 };
		struct trace t = { 0 };
		size_t at = begin(&t);

		put_function(&t, 0, 1, 0);
		put_function(&t, action, 1, 0);
		put_function(&t, 1, 1, 0);
		end_block(&t, at);
		expect_timeline(&t, "100 7/9 cpu2 enter #1\n");
		gsym_xray_close(open_trace(t.bytes, t.size, &damages));
		cr_expect(damages.count == 1 &&
			  damages.kinds[0] == GSYM_XRAY_BAD_ACTION &&
			  damages.offsets[0] == t.size - 16);
	}
}

Test(seed, arguments_follow_in_metadata_from_the_first_on)
{
	struct trace t = { 0 };
	size_t at = begin(&t);

	put_function(&t, 3, 1, 0);
	ARGUMENT(&t, 0x1122334455667788);
	ARGUMENT(&t, 2);
	put_function(&t, 1, 1, 1);
	end_block(&t, at);
	expect_timeline(&t, "100 7/9 cpu2 arg #1 1122334455667788 2\n"
			    "101 7/9 cpu2 exit #1\n");
}

/* Runtimes of old write the entry as one without arguments. */
Test(seed, arguments_make_an_entry_one_with_arguments)
{
	struct trace t = { 0 };
	size_t at = begin(&t);

	put_function(&t, 0, 1, 0);
	ARGUMENT(&t, 67);
	put_function(&t, 1, 1, 1);
	ARGUMENT(&t, 68);
	end_block(&t, at);
	expect_timeline(&t, "100 7/9 cpu2 arg #1 43\n"
			    "101 7/9 cpu2 exit #1 44\n");
}

Test(seed, metadata_has_a_discriminant_a_kind_of_7_bits_and_15_bytes)
{
	struct damages damages = { 0 };
	struct trace t = { 0 };
	size_t at = begin(&t);

	cr_expect(t.bytes[at] == 0x0f && t.bytes[at + 16] == 0x01 &&
		  t.bytes[at + 32] == 0x09 && t.bytes[at + 48] == 0x13 &&
		  t.bytes[at + 64] == 0x05);
	put_meta(&t, 0x7f, 0, 0, 0, 0, 0, 0);
	end_block(&t, at);
	gsym_xray_close(open_trace(t.bytes, t.size, &damages));
	cr_expect(damages.count == 1 &&
		  damages.kinds[0] == GSYM_XRAY_BAD_KIND);
}

Test(seed, the_thread_id_has_4_bytes_not_2)
{
	struct trace t = { 0 };
	size_t at;

	put_header(&t, 5, 1, 1, 4096);
	at = t.size;
	EXTENTS(&t, 0);
	NEW_BUFFER(&t, 0x12345678);
	WALL_TIME(&t, 1, 1);
	PID(&t, 7);
	NEW_CPU(&t, 0, 1);
	put_function(&t, 0, 1, 0);
	end_block(&t, at);
	expect_timeline(&t, "1 7/305419896 cpu0 enter #1\n");
}

Test(seed, wall_time_has_seconds_and_microseconds)
{
	struct trace t = { 0 };
	struct gsym_xray_block block;
	size_t at = begin(&t);

	put_function(&t, 0, 1, 0);
	end_block(&t, at);
	struct gsym_xray_log *log = open_trace(t.bytes, t.size, NULL);
	cr_assert(gsym_xray_block_at(log, 0, &block) == GSYM_OK);
	cr_expect(block.has_wall_time && block.wall_time == 3500000 &&
		  block.has_tsc && block.tsc == 100);
	cr_expect(gsym_xray_block_at(log, 1, &block) == GSYM_NOT_FOUND);
	gsym_xray_close(log);
}

Test(seed, a_cpu_record_sets_cpu_and_time_a_wrap_the_time_alone)
{
	struct trace t = { 0 };
	size_t at = begin(&t);

	NEW_CPU(&t, 5, 200);
	put_function(&t, 0, 1, 0);
	TSC_WRAP(&t, 150);
	put_function(&t, 1, 1, 1);
	end_block(&t, at);
	struct gsym_xray_log *log = open_trace(t.bytes, t.size, NULL);
	uint64_t first, last;
	cr_expect(gsym_xray_span(log, &first, &last) && first == 151 &&
		  last == 200);
	gsym_xray_close(log);
	expect_timeline(&t, "200 7/9 cpu5 enter #1\n151 7/9 cpu5 exit #1\n");
}

/* Version 4 adds the processor; version 5 has a delta in place of the time. */
Test(seed, custom_events_have_size_and_time_and_their_bytes_follow)
{
	for (unsigned version = 2; version <= 5; version++) {
		struct trace t = { 0 };
		size_t at;

		put_header(&t, version, 1, 1, 4096);
		at = t.size;
		EXTENTS(&t, 0);
		NEW_BUFFER(&t, 9);
		WALL_TIME(&t, 1, 1);
		NEW_CPU(&t, 2, 100);
		put_function(&t, 0, 1, 0);
		if (version == 5)
			put_meta(&t, 5, 2, 4, 20, 4, 0, 0);
		else if (version == 4)
			put_meta(&t, 5, 2, 4, 120, 8, 2, 2);
		else
			put_meta(&t, 5, 2, 4, 120, 8, 0, 0);
		put(&t, 0x6968, 2);
		put_function(&t, 1, 1, version == 5 ? 30 : 50);
		end_block(&t, at);
		expect_timeline(&t, "100 0/9 cpu2 enter #1\n"
				    "120 0/9 cpu2 custom #0 0 'hi'\n"
				    "150 0/9 cpu2 exit #1\n");
	}
}

Test(seed, the_end_of_a_buffer_is_damage_in_later_versions)
{
	struct damages damages = { 0 };
	struct trace t = { 0 };
	size_t at = begin(&t);

	put_function(&t, 0, 1, 0);
	END_OF_BUFFER(&t);
	end_block(&t, at);
	gsym_xray_close(open_trace(t.bytes, t.size, &damages));
	cr_expect(damages.count == 1 && damages.kinds[0] == GSYM_XRAY_BAD_END);
}

Test(seed, the_preamble_is_read_in_any_order)
{
	struct trace t = { 0 };
	size_t at;

	put_header(&t, 5, 1, 1, 4096);
	at = t.size;
	EXTENTS(&t, 0);
	PID(&t, 7);
	NEW_CPU(&t, 1, 10);
	WALL_TIME(&t, 1, 1);
	NEW_BUFFER(&t, 9);
	put_function(&t, 0, 1, 0);
	end_block(&t, at);
	/* Extents without a new-buffer record after them are not plausible;
	 * this block is read because its size fits into the file. */
	expect_timeline(&t, "10 7/9 cpu1 enter #1\n");
}

/* The record after an event overwrote its payload. */
Test(seed, an_overwritten_payload_is_all_that_is_lost)
{
	struct damages damages = { 0 };
	struct trace t = { 0 };
	size_t at;

	put_header(&t, 3, 1, 1, 4096);
	at = t.size;
	EXTENTS(&t, 0);
	NEW_BUFFER(&t, 9);
	WALL_TIME(&t, 1, 1);
	PID(&t, 7);
	NEW_CPU(&t, 2, 100);
	put_function(&t, 0, 1, 0);
	put_meta(&t, 5, 4, 4, 120, 8, 0, 0);
	put_function(&t, 1, 1, 0x99999999);
	put_function(&t, 0, 1, 1);
	end_block(&t, at);
	struct gsym_xray_log *log = open_trace(t.bytes, t.size, &damages);
	char *text = timeline(log);
	cr_expect(!strcmp(text, "100 7/9 cpu2 enter #1\n"
				"120 7/9 cpu2 custom #0 0 ''\n"
				"2576980477 7/9 cpu2 exit #1\n"
				"2576980478 7/9 cpu2 enter #1\n"), "%s", text);
	cr_expect(damages.count == 1 &&
		  damages.kinds[0] == GSYM_XRAY_NO_PAYLOAD);
	free(text);
	gsym_xray_close(log);
}

Test(seed, nanoseconds_of_ticks)
{
	cr_expect(gsym_xray_nanoseconds(2596121000, 2596121000) == 1000000000);
	cr_expect(gsym_xray_nanoseconds(7, 0) == 7);
	cr_expect(gsym_xray_nanoseconds(3, 2) == 1500000000);
	/* The ticks times 10^9 do not fit into 64 bits. */
	cr_expect(gsym_xray_nanoseconds(UINT64_C(1) << 40, 3000000000) ==
		  366503875925);
}

/* ---- calls --------------------------------------------------------------- */

/* The repairs of the calls of all threads in LOG; *CALLS is the number of calls
 * that ended. */
static struct gsym_xray_repairs repairs_of(const struct gsym_xray_log *log,
					   uint64_t *calls)
{
	struct gsym_xray_account *account = gsym_xray_account_new(0);
	struct gsym_xray_account_row row;
	struct gsym_xray_event event;
	struct gsym_xray_repairs r;
	struct gsym_xray_iter *iter;

	cr_assert(account);
	for (uint32_t i = 0; i < gsym_xray_thread_count(log); i++) {
		cr_assert(gsym_xray_events(log, i, &iter, NULL) == GSYM_OK);
		while (gsym_xray_next(iter, &event))
			gsym_xray_account_event(account, &event);
		gsym_xray_iter_free(iter);
		gsym_xray_account_end(account);
	}
	*calls = 0;
	for (uint32_t i = 0; i < gsym_xray_account_count(account); i++) {
		gsym_xray_account_get_row(account, i, &row);
		*calls += row.calls;
	}
	gsym_xray_account_repairs(account, &r);
	gsym_xray_account_free(account);
	return r;
}

static struct gsym_xray_repairs repairs(const struct trace *t, uint64_t *calls)
{
	struct gsym_xray_log *log = open_trace(t->bytes, t->size, NULL);
	struct gsym_xray_repairs r = repairs_of(log, calls);

	gsym_xray_close(log);
	return r;
}

Test(seed, an_exit_may_lack_its_entry_and_an_entry_its_exit)
{
	struct trace t = { 0 };
	size_t at = begin(&t);
	uint64_t calls;

	put_function(&t, 1, 9, 1);
	put_function(&t, 0, 1, 1);
	put_function(&t, 0, 2, 1);
	put_function(&t, 1, 1, 1);
	put_function(&t, 0, 3, 1);
	end_block(&t, at);
	struct gsym_xray_repairs r = repairs(&t, &calls);
	cr_expect(r.orphans == 1 && r.inferred == 1 && r.unfinished == 1 &&
		  calls == 2);
}

/* Function 5 leaves by a jump, so its tail exit names 5; the return address
 * that is used in the end is that of function 2. */
Test(seed, a_tail_exit_names_the_function_that_leaves_by_the_jump)
{
	struct trace t = { 0 };
	size_t at = begin(&t);
	uint64_t calls;

	put_function(&t, 0, 2, 1);
	put_function(&t, 0, 5, 1);
	put_function(&t, 2, 5, 1);
	put_function(&t, 0, 4, 1);
	put_function(&t, 2, 4, 1);
	put_function(&t, 0, 1, 1);
	put_function(&t, 1, 1, 1);
	put_function(&t, 1, 2, 1);
	end_block(&t, at);
	struct gsym_xray_repairs r = repairs(&t, &calls);
	cr_expect(r.orphans + r.inferred + r.unfinished == 0 && calls == 4);
}

/* The same program was run with and without a least duration of calls. */
Test(seed, short_calls_may_be_missing_and_leave_no_trace)
{
	static const char *const names[] = { "calls-fdr-threshold",
					     "calls-fdr" };
	uint64_t calls[2];

	for (int i = 0; i < 2; i++) {
		size_t size;
		uint8_t *bytes = load_trace(names[i], &size);
		cr_assert(bytes);
		struct gsym_xray_log *log = open_trace(bytes, size, NULL);
		struct gsym_xray_repairs r = repairs_of(log, &calls[i]);
		cr_expect(r.orphans + r.inferred + r.unfinished == 0, "%s",
			  names[i]);
		gsym_xray_close(log);
		free(bytes);
	}
	cr_expect(calls[0] && calls[0] < calls[1]);
}

static bool note_kind(void *context, const struct gsym_xray_record *r)
{
	*(unsigned *)context |= 1u << r->kind;
	return true;
}

Test(seed, kinds_5_to_9_came_after_the_first_five)
{
	struct trace t = { 0 };
	size_t at = begin(&t);
	unsigned kinds = 0;

	put_function(&t, 3, 1, 1);
	ARGUMENT(&t, 1);
	/* The size of extents counts the bytes after them. */
	put_meta(&t, 5, 3, 4, 1, 4, 0, 0);
	put(&t, 0x0f0f0f, 3);
	put_meta(&t, 8, 2, 4, 1, 4, 7, 2);
	put(&t, 0x0f0f, 2);
	end_block(&t, at);
	struct gsym_xray_log *log = open_trace(t.bytes, t.size, NULL);
	cr_expect(gsym_xray_records(log, note_kind, &kinds, NULL) == GSYM_OK);
	cr_expect(kinds == (1 << GSYM_XRAY_NEW_BUFFER |
			    1 << GSYM_XRAY_NEW_CPU | 1 << GSYM_XRAY_WALL_TIME |
			    1 << 5 | 1 << 6 | 1 << 7 | 1 << 8 | 1 << 9 |
			    1 << GSYM_XRAY_FUNCTION), "%x", kinds);
	gsym_xray_close(log);
}

/* From version 2 on extents say how long a block is, whatever is in it. */
Test(seed, blocks_can_be_skipped)
{
	struct trace t = { 0 };
	size_t at = begin(&t);

	put_function(&t, 5, 1, 1);
	put_function(&t, 0, 1, 1);
	end_block(&t, at);
	at = t.size;
	EXTENTS(&t, 0);
	NEW_BUFFER(&t, 10);
	WALL_TIME(&t, 4, 0);
	PID(&t, 7);
	NEW_CPU(&t, 0, 500);
	put_function(&t, 0, 2, 0);
	end_block(&t, at);
	expect_timeline(&t, "500 7/10 cpu0 enter #2\n");
}
