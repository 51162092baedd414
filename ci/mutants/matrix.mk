# The kill matrix. Included by the Makefile.
.PHONY: matrix
matrix: build/bed  ## mutant by invariant by requirement, and what is tied to nothing
	@build/bed matrix

$(B)/test_matrix: | $(B)/bed
