# All mutants of the core in one build: build/mutate/src has the planted core, build/mutate/o the
# objects. Included by the Makefile.
.PHONY: mutate
mutate:  ## generated mutants of core/ (ci/mutate/README.md); NAME= a file; FLOORS=1 keeps the result
	@ci/setup.sh
	@FLOORS=$(FLOORS) ci/mutate.sh $(NAME)

MUT   := build/mutate
LLVM  := /usr/lib/llvm-19
MUTCF := -std=c11 -D_GNU_SOURCE -I$(MUT)/src -I. -include ci/mutate/schema.h -O1 -w -DWB_COUNTED \
         -DWB_RACE -fmacro-prefix-map=$(MUT)/src/=
# Programs that try all of something: they kill as the corpus does. Behind @: for whom alone.
MUTATE_MODES := test_window_all test_race
FOR_test_race := @weak,core/media/frame
mutobj = $(patsubst %.c,$(MUT)/o/%.o,$(1))
MUTLIB := $(call mutobj,$(CORE) $(filter-out oracles/watch/%,$(ROOMS)) $(DRIVER) \
          targets/subject/core.c ci/mutate/schema.c) \
          $(SHOWN:%=$(MUT)/o/targets/fuzz_%.o)

$(MUT)/plant: $(wildcard ci/mutate/plant*.[ch])
	@mkdir -p $(@D)
	$(Q)gcc -std=c11 -D_GNU_SOURCE -I. $(WARN) -O1 -isystem $(LLVM)/include -o $@ \
	    $(filter %.c,$^) -L$(LLVM)/lib -Wl,-rpath,$(LLVM)/lib -lclang-19
$(MUT)/o/core/%.o: $(MUT)/src/core/%.c ci/mutate/mutate.mk
	@mkdir -p $(@D)
	$(Q)gcc $(MUTCF) -MMD -MP -c -o $@ $<
$(MUT)/o/targets/fuzz_%.o: NAMED = -DFUZZ_NAME='"$(patsubst targets/fuzz_%,%,$*)"'
$(MUT)/o/%.o: %.c ci/mutate/mutate.mk
	@mkdir -p $(@D)
	$(Q)gcc $(MUTCF) $(NAMED) -MMD -MP -c -o $@ $<
$(MUT)/runner: $(call mutobj,$(sort $(wildcard ci/mutate/run*.c))) $(MUTLIB)
	$(Q)gcc -Wl,--wrap=wb_mem_take -o $@ $^
$(MUTATE_MODES:%=$(MUT)/%): $(MUT)/%: $(MUT)/o/targets/%.o $(MUTLIB)
	$(Q)gcc -o $@ $^ -lcmocka
.PHONY: mutate-programs
mutate-programs: $(MUT)/runner $(MUTATE_MODES:%=$(MUT)/%)
mutate-modes:
	@echo $(foreach m,$(MUTATE_MODES),$(MUT)/$(m)$(FOR_$(m)))
ifneq ($(filter mutate% $(MUT)/%,$(MAKECMDGOALS)),)
-include $(shell find $(MUT)/o -name '*.d' 2>/dev/null)
endif
