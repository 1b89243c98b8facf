/* SPDX-License-Identifier: MIT */
/*
 * proofs/proof.h - what harnesses and the contracts of loops are written with.
 * CBMC knows the functions whose names begin with __CPROVER_; they are declared
 * for other compilers, so that harnesses compile.
 */
#ifndef GSYM_PROOFS_PROOF_H
#define GSYM_PROOFS_PROOF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#ifndef GSYM_PROOF
void __CPROVER_assume(bool condition);
void __CPROVER_assert(bool condition, const char *what);
bool __CPROVER_r_ok(const void *bytes, size_t size);
#endif

/** From here on CONDITION holds. */
#define GIVEN(condition) __CPROVER_assume(condition)
/** CONDITION has to hold here, whatever the input is. */
#define PROVE(condition) __CPROVER_assert(condition, #condition)

/* To CBMC any result of these is possible. */
bool nondet_bool(void);
uint8_t nondet_u8(void);
uint16_t nondet_u16(void);
uint32_t nondet_u32(void);
uint64_t nondet_u64(void);

/** Bytes of an object: more than an address space has, and few enough for the
 *  56 bits of an offset of CBMC. */
#define ANY_SIZE ((uint64_t)1 << 50)

/** An object of SIZE bytes, which have any values. */
static inline uint8_t *any_bytes(size_t size)
{
	uint8_t *bytes = malloc(size);

	GIVEN(bytes != NULL);
	return bytes;
}

/** Any number that is at most MOST. */
static inline uint64_t any_up_to(uint64_t most)
{
	uint64_t number = nondet_u64();

	GIVEN(number <= most);
	return number;
}

/* For contracts: P is in the same object as END, and not behind it. */
#define BEFORE(p, end)                    \
	(__CPROVER_same_object(p, end) && \
	 __CPROVER_POINTER_OFFSET(p) <= __CPROVER_POINTER_OFFSET(end))
/* For contracts: P is where it was before the loop, or behind that. */
#define AHEAD(p) BEFORE(__CPROVER_loop_entry(p), p)
/* For contracts: the bytes of the cursor C are those from before the loop or
 * fewer, and it keeps its rules. */
#define SHRINKS(c)                                         \
	(BEFORE((c).at, (c).end) && AHEAD((c).at) &&       \
	 BEFORE((c).end, __CPROVER_loop_entry((c).end)) && \
	 (!(c).failed || (c).at == (c).end) &&             \
	 ((c).failed || !__CPROVER_loop_entry((c).failed)))

/* For contracts: the data of the tuple T, if it is one, lie in the object with
 * START. */
#define INSIDE(t, start)                                \
	(!(t).type ||                                   \
	 (__CPROVER_same_object((t).data, start) &&     \
	  __CPROVER_POINTER_OFFSET((t).data) + (t).size \
		  <= __CPROVER_OBJECT_SIZE(start)))

/* For contracts: each section of the layout L is empty or lies in the image. */
#define SECTIONS_FIT(l)                                               \
	__CPROVER_forall                                              \
	{                                                             \
		unsigned i;                                           \
		(i < GSYM_SECTION_COUNT) ==>                          \
			((l)->sections[i].offset <= (l)->size &&      \
			 (l)->sections[i].size <=                     \
				 (l)->size - (l)->sections[i].offset) \
	}

#endif
