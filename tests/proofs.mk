# SPDX-License-Identifier: MIT
# Proofs of the reader with CBMC, which are no tests of the suite: see
# tests/proofs/README.md.  The suite checks that they fit the code
# (tests/fence/proofs.sh).

# make prove PROOFS='gsym_uleb_read gsym_line_step' runs these alone.
.PHONY: prove
prove:
	@python3 $(srcdir)/tests/proofs/prove $(PROOFS)
EXTRA_DIST += tests/proofs/README.md tests/proofs/prove tests/proofs/loops \
	tests/proofs/bodies tests/proofs/inlines.c \
	tests/proofs/any.h tests/proofs/proof.h \
	tests/proofs/models.c tests/proofs/models_leb.c \
	tests/proofs/cursor.c tests/proofs/lines.c tests/proofs/lists.c \
	tests/proofs/lookup.c \
	tests/proofs/layout.c tests/proofs/layout.h tests/proofs/search.c
