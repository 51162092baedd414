# The kill matrix. Included by the Makefile.
.PHONY: matrix
matrix:  ## mutant by invariant by requirement, and what is tied to nothing
	@ci/setup.sh
	+@$(SUB) build/bed
	@build/bed matrix

$(B)/test_matrix: | $(B)/bed
