# The build for OSS-Fuzz and what its images run. Included by the Makefile.
.PHONY: oss-fuzz oss-fuzz-tests
# Which fuzzers: all; a subject that is only a part of one builds those that drive it.
FUZZERS ?= $(SHOWN)
# What ci/oss-fuzz/build.sh calls: every fuzzer with its seeds, dictionary and options in OUT. The
# tool runs here and now, without sanitizers: seeds and words are the same for each subject.
oss-fuzz:
	$(if $(OUT),,$(error OUT is not set: OSS-Fuzz calls this, or ci/ossfuzz-local.sh))
	+@$(MAKE) --no-print-directory V=tool SUBJECT=targets/subject/core.c LIBS= build/tool/bed
	+@$(MAKE) --no-print-directory V=oss $(FUZZERS:%=build/oss/engine_%)
	+@$(MAKE) --no-print-directory V=oss $(FUZZERS:%=$(OUT)/fuzz_%) \
	    $(FUZZERS:%=$(OUT)/fuzz_%_seed_corpus.zip)

# A subject's library that changed is linked anew.
$(TARGETS:%=$(B)/engine_%): $(filter %.a,$(LIBS))

ifneq ($(OUT),)
$(FUZZERS:%=$(OUT)/fuzz_%): $(OUT)/fuzz_%: build/oss/engine_%
	@cp $< $@
$(FUZZERS:%=$(OUT)/fuzz_%_seed_corpus.zip): $(OUT)/fuzz_%_seed_corpus.zip: build/tool/bed \
        $$(shell find corpus/% corpus/%.dict -type f 2>/dev/null) ci/oss-fuzz/pack.sh
	@ci/oss-fuzz/pack.sh $< $*
endif

# What ci/oss-fuzz/run_tests.sh calls: all tests but those that need servers, a kernel to watch, or
# other tools. What tells most comes first: make stops at the first that fails.
OFFLINE := $(filter-out test_live% test_bed% test_watch% test_trace_html test_promises \
           test_loading test_corpus,$(TESTS))
OFFLINE_RUNS := $(TARGETS:%=offline-corpus-%) $(OFFLINE:%=offline-%)
.PHONY: $(OFFLINE_RUNS)
oss-fuzz-tests:
	+@$(MAKE) --no-print-directory --output-sync=target V=tool $(OFFLINE_RUNS)
$(TARGETS:%=offline-corpus-%): offline-corpus-%: $(B)/test_corpus
	@$< $*
$(OFFLINE:%=offline-%): offline-%: $(B)/%
	@$<
