/* SPDX-License-Identifier: MIT */
/* Hand-written code: lines, but no functions in the debug info.  Nobody runs
 * it, so on machines not named here it does not return. */
#if defined(__i386__) || defined(__x86_64__) || defined(__aarch64__)
#define RETURN ret
#else
#define RETURN nop
#endif
	.text
	.globl assembly_sized
	.type assembly_sized, STT_FUNC
assembly_sized:
	nop
	nop
	RETURN
	.size assembly_sized, . - assembly_sized

	.globl assembly_label
assembly_label:
	nop
inner_label:
	nop
	RETURN
	.section .note.GNU-stack, "", %progbits
