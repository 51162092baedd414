# The build for OSS-Fuzz and what its images run. Included by the Makefile.
.PHONY: oss-fuzz oss-fuzz-tests
# What ci/oss-fuzz/build.sh calls: every fuzzer with its seeds, dictionary and options in OUT.
oss-fuzz:
	$(if $(OUT),,$(error OUT is not set: OSS-Fuzz calls this, or ci/ossfuzz-local.sh))
	+@$(MAKE) --no-print-directory V=tool build/tool/bed
	+@$(MAKE) --no-print-directory V=oss $(SHOWN:%=build/oss/engine_%)
	@for t in $(SHOWN); do cp build/oss/engine_$$t "$(OUT)/fuzz_$$t" || exit 1; done
	@ci/oss-fuzz/pack.sh build/tool/bed $(SHOWN)

# What ci/oss-fuzz/run_tests.sh calls: all tests but those that need servers or other tools.
OFFLINE := $(filter-out test_live% test_bed% test_trace_html test_promises test_loading,$(TESTS))
oss-fuzz-tests:
	+@$(MAKE) --no-print-directory V=tool build/tool/bed $(OFFLINE:%=build/tool/%)
	@for t in $(OFFLINE); do build/tool/$$t || exit 1; done
