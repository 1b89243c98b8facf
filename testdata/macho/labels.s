# Functions that only the symbol table knows.
	.text
	.globl _by_hand
	.p2align 4
_by_hand:
	ret
	ret
_inner:
	ret
	ret
	.globl _last
_last:
	ret
	.subsections_via_symbols
