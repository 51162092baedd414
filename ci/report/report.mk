# The page of the state of everything. Included by the Makefile.
.PHONY: report history
report:  ## build/report/index.html, all that was measured on one page; RUNS=20000
	@ci/setup.sh
	+@$(SUB) build/bed
	@RUNS=$(RUNS) ci/report/report.sh $(PART)

history:  ## append the figures of the last benches to ci/bench/history.tsv; NAME= one bench
	@ci/report/history.sh $(NAME)
