# wirebed: one file builds everything and finds everything by name. `make help` lists what there is.
#   make V=asan build/asan/bed      any variant, any program
.DEFAULT_GOAL := help
# What OSS-Fuzz hands over, kept for makes below before the names get our own meaning.
export HANDED := $(or $(HANDED),$(CFLAGS),-O1)
export HANDED_CC := $(or $(HANDED_CC),$(CC))
export HANDED_CXX := $(or $(HANDED_CXX),$(CXX))
export HANDED_CXXFLAGS := $(or $(HANDED_CXXFLAGS),$(CXXFLAGS))
V ?= gcc
NAME :=
SECONDS :=
FLOORS :=
B := build/$(V)
Q := $(if $(VERBOSE),,@)
SAY := [ ! -t 1 ] || echo
.DELETE_ON_ERROR:
.SUFFIXES:
MAKEFLAGS += --no-builtin-rules

# ---- variants: two lines each -------------------------------------------------------------------
SAN := -g -fno-omit-frame-pointer -fno-sanitize-recover=all -DWB_NO_POOL -DWB_COUNTED
# The fake stack of use-after-return costs a tenth of the speed; the asan variant keeps it.
FAST := -fsanitize-address-use-after-return=never
# Outside the core the fast variants leave out what costs most and finds least; asan has it all.
LIGHT := -mllvm -asan-stack=0 -fno-sanitize-address-use-after-scope \
         -fno-sanitize=alignment,null,pointer-overflow
CC_gcc     := gcc
CF_gcc     := -O2 -g -DWB_COUNTED -DWB_PARANOID
CC_clang   := clang-19
CF_clang   := -O2 -g -DWB_COUNTED
CC_asan    := clang-19
CF_asan    := -O1 $(SAN) -fsanitize=address,undefined -DWB_PARANOID
CC_msan    := clang-19
CF_msan    := -O1 $(SAN) -fsanitize=memory -fsanitize-memory-track-origins=2
CC_tsan    := clang-19
CF_tsan    := -O1 $(SAN) -fsanitize=thread
CC_cov     := clang-19
CF_cov     := -O0 -g -DWB_COUNTED -fprofile-instr-generate -fcoverage-mapping \
              -mllvm -runtime-counter-relocation -Wno-unused-command-line-argument
CC_fuzz    := clang-19
CF_fuzz    := -O2 $(SAN) -fsanitize=address,undefined $(FAST)
CC_afl     := clang-19
CF_afl     := -O2 $(SAN) -fsanitize=address,undefined $(FAST)
CC_cmplog  := AFL_QUIET=1 AFL_LLVM_CMPLOG=1 AFL_LLVM_ALLOWLIST=ci/afl-covered.txt afl-clang-fast
CF_cmplog  := -O2 -g -w -DWB_NO_POOL -DWB_COUNTED
CC_bench   := clang-19
CF_bench   := -O2 $(SAN) -fsanitize=address,undefined $(FAST)
CC_release := gcc
CF_release := -O2 -DNDEBUG
CC_counted := gcc
CF_counted := -O2 -DWB_COUNTED
CC_probed  := gcc
CF_probed  := -O2 -DNDEBUG
CC_mutant  := gcc
CF_mutant  := -O1 -w -DWB_COUNTED
CC_hunt    := clang-19
CF_hunt    := $(CF_fuzz) -w
CC_side    := gcc
CF_side    := -O1 -g -w -fPIC -fvisibility=hidden -DWB_COUNTED
CC_so      := clang-19
CF_so      := -O2 -fPIC -DSIM_MUTATE_AFL

# As an image of OSS-Fuzz builds it: its compiler and flags as they are, ours behind them.
CC_oss     := $(HANDED_CC)
CF_oss     := $(HANDED) -DWB_NO_POOL -DWB_COUNTED
CC_tool    := $(HANDED_CC)
CF_tool    := -O1 -DWB_COUNTED

# ---- engines: coverage of the core and the marks only: the simulator's branches are no find -----
COVERED   := core/% sim/mark.c
COV_fuzz  := -fsanitize=fuzzer-no-link
COV_hunt  := $(COV_fuzz)
OUT_fuzz  := $(LIGHT)
OUT_hunt  := $(LIGHT)
OUT_afl   := $(LIGHT)
OUT_bench := $(LIGHT)
OUT_oss   := $(if $(findstring fuzzer-no-link,$(HANDED)),-fno-sanitize=fuzzer-no-link)
COV_afl   := -fsanitize-coverage=trace-pc-guard
COV_side  := -fsanitize-coverage=trace-pc -Dmemcpy=vet_copy -Dmemmove=vet_move -Dmemcmp=vet_compare
OUT_side  := -D_Noreturn=
ENG_fuzz  := -fsanitize=fuzzer
ENG_hunt  := $(ENG_fuzz)
ENG_afl   := /usr/lib/afl/libAFLDriver.a /usr/lib/afl/afl-compiler-rt.o -lm -lrt -ldl -lpthread
ENG_cmplog := /usr/lib/afl/libAFLDriver.a

WARN := -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wstrict-prototypes -Wmissing-prototypes \
        -Wswitch-enum -Wundef -Wvla $(if $(filter oss tool,$(V)),,-Werror)
CC     := $(CC_$(V))
# Where threads are coroutines, atomics tell the simulator; real threads meet the plain ones.
RACE   := $(if $(filter $(V),release probed counted tsan),,-DWB_RACE)
CFLAGS := -std=c11 -D_GNU_SOURCE -I. $(WARN) $(RACE) $(CF_$(V))
VARIANTS := $(sort $(patsubst CC_%,%,$(filter CC_%,$(.VARIABLES))))
$(if $(CC),,$(error no variant `$(V)'; there are $(VARIANTS)))

# ---- discovery: the file's name is its registration ---------------------------------------------
SUBJECT ?= targets/subject/core.c
LIBS    :=
TARGETS := $(sort $(patsubst targets/fuzz_%.c,%,$(wildcard targets/fuzz_*.c)))
TESTS   := $(sort $(patsubst targets/%.c,%,$(wildcard targets/test_*.c)))
CORE    := $(sort $(wildcard core/*/*.c))
APART   := targets/bed/% targets/driver/% targets/live/% targets/subject/% targets/vet/%
HELPERS := $(filter-out $(APART),$(wildcard targets/*/*.c))
ROOMS   := $(sort $(wildcard sim/*.c oracles/*.c) $(HELPERS))
ENGINE  := targets/driver/engine.c $(wildcard targets/driver/*_engine.c)
DRIVER  := $(filter-out targets/driver/main.c $(ENGINE),$(sort $(wildcard targets/driver/*.c)))
BED     := $(sort $(wildcard targets/bed/*.c))
LIVE    := $(sort $(wildcard targets/live/*.c))
# Only tests link the drivers of real servers; what a library is missing for is skipped there.
has      = $(shell $(CC) -include $(1) -E -x c /dev/null >/dev/null 2>&1 && echo $(2))
URING   := $(call has,liburing.h,-luring)
TLS     := $(call has,openssl/ssl.h,-lssl -lcrypto)
LIVE_DEFINES := $(if $(URING),-DLIVE_HAS_URING) $(if $(TLS),-DLIVE_HAS_TLS)
# A bench with C files in ci/bench/NAME is the program bench_NAME, beside what it is compared with.
BENCHES := $(sort $(patsubst ci/bench/%/main.c,%,$(wildcard ci/bench/*/main.c)))
BESIDE  := $(call has,libmemcached/memcached.h,-lmemcached)
BESIDE_DEFINES := $(if $(BESIDE),-DBENCH_HAS_LIBMEMCACHED)
include oracles/watch/watch.mk
obj      = $(patsubst %.c,$(B)/%.o,$(1))
LIB     := $(call obj,$(CORE) $(ROOMS) $(DRIVER)) $(B)/subject.o
MAIN    := $(call obj,$(if $(ENG_$(V)),$(ENGINE),targets/driver/main.c))

.PHONY: all
all: $(TARGETS:%=$(B)/fuzz_%) $(B)/bed $(TESTS:%=$(B)/%)  ## build every program of the variant V

$(TARGETS:%=$(B)/fuzz_%): $(B)/fuzz_%: $(B)/targets/fuzz_%.o $(MAIN) $(LIB)
	@$(SAY) "  LD   $@"
	$(Q)$(CC) $(CFLAGS) -o $@ $^ $(ENG_$(V)) $(LIBS)

# The mutator as AFL++ loads it; in the variant `so`.
$(TARGETS:%=$(B)/mutate_%.so): $(B)/mutate_%.so: $(B)/targets/fuzz_%.o $(call obj,$(ENGINE)) $(LIB)
	@$(SAY) "  LD   $@"
	$(Q)$(CC) $(CFLAGS) -shared -o $@ $^

# The same with the engine of OSS-Fuzz, which is C++.
$(TARGETS:%=$(B)/engine_%): $(B)/engine_%: $(B)/targets/fuzz_%.o $(call obj,$(ENGINE)) $(LIB)
	@$(SAY) "  LD   $@"
	$(Q)$(HANDED_CXX) $(HANDED_CXXFLAGS) -o $@ $^ $(LIBS) $(LIB_FUZZING_ENGINE)

$(B)/bed: $(call obj,$(BED)) $(TARGETS:%=$(B)/targets/fuzz_%.o) $(LIB)
	@$(SAY) "  LD   $@"
	$(Q)$(CC) $(CFLAGS) -o $@ $^ $(WATCH_LIBS) $(LIBS)

$(TESTS:%=$(B)/%): $(B)/%: $(B)/targets/%.o $(TARGETS:%=$(B)/targets/fuzz_%.o) $(LIB) \
        $(call obj,$(LIVE))
	@$(SAY) "  LD   $@"
	$(Q)$(CC) $(CFLAGS) -o $@ $(filter-out $(REPLACED),$^) -lcmocka $(URING) $(TLS) $(LIBS)
$(addprefix $(B)/,$(filter test_bed%,$(TESTS)) test_trace_html test_report): | $(B)/bed
$(B)/test_promises: | $(B)/test_corpus

.SECONDEXPANSION:
$(BENCHES:%=$(B)/bench_%): $(B)/bench_%: $$(call obj,$$(wildcard ci/bench/%/*.c)) \
        $(call obj,$(wildcard ci/bench/common/*.c) $(CORE) sim/backing.c) \
        $(call obj,$(filter-out %/capture.c,$(LIVE)))
	@$(SAY) "  LD   $@"
	$(Q)$(CC) $(CFLAGS) -o $@ $^ $(BESIDE) $(URING) $(TLS) $(WATCH_LIBS)

$(B)/targets/fuzz_%.o: NAMED = -DFUZZ_NAME='"$(patsubst targets/fuzz_%,%,$*)"'
$(B)/targets/live/%.o: NAMED = $(LIVE_DEFINES)
$(B)/ci/bench/%.o: NAMED = $(BESIDE_DEFINES)
$(B)/%.o: %.c $(B)/flags
	@mkdir -p $(@D)
	@$(SAY) "  CC   $@"
	$(Q)$(CC) $(CFLAGS) $(NAMED) $(if $(filter $(COVERED),$<),$(COV_$(V)),$(OUT_$(V))) \
	    -MMD -MP -c -o $@ $<

# A change of flags rebuilds the variant.
FLAGS = $(subst ','\'',$(CC) $(CFLAGS) $(COV_$(V)) $(OUT_$(V)) $(SUBJECT) $(LIVE_DEFINES) \
    $(BESIDE_DEFINES) $(WATCH_DEFINES))
$(B)/flags: FORCE
	@mkdir -p $(B)
	@echo '$(FLAGS)' | cmp -s - $@ || echo '$(FLAGS)' > $@
.PHONY: FORCE
FORCE:

include targets/vet/side.mk targets/subject/subject.mk
# ---- commands -----------------------------------------------------------------------------------
SUB     = $(MAKE) --no-print-directory $(if $(filter -j%,$(MAKEFLAGS)),,-j2)
SHOWN  := $(filter-out canary,$(TARGETS))
KNOWN   = $(or $(filter $(NAME),$(TARGETS)),$(error no target `$(NAME)'; there are $(SHOWN)))
CHOSEN  = $(if $(NAME),$(KNOWN),$(SHOWN))

# `bed` as people and printed commands call it.
build/bed: FORCE
	+@$(SUB) V=gcc build/gcc/bed
	@ln -sf gcc/bed $@

COMMANDS := Makefile $(sort $(wildcard ci/*/*.mk))
.PHONY: help fuzz check check-all bench vet tidy mutants hunt cov format afl clean
help:  ## this page
	@echo "make COMMAND [NAME=target] [V=variant] [VERBOSE=1]"
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  %-9s %s\n", $$1, $$2 }' $(COMMANDS)
	@echo "variants: $(VARIANTS)"
	@echo "targets:  $(SHOWN)"
	@echo "the tool: build/bed help; watch a running client: build/bed watch PID"

fuzz:  ## fuzz one target or all in turn; SECONDS=60 for each
	@ci/setup.sh
	@[ -e build/fuzz ] || echo "building: a minute or two, the first time"
	+@$(SUB) V=fuzz $(CHOSEN:%=build/fuzz/fuzz_%)
	+@$(SUB) V=asan build/asan/bed
	+@$(SUB) build/bed
	@build/asan/bed fuzz $(NAME) $(if $(SECONDS),--seconds $(SECONDS))

check:  ## everything that must pass; ends in "N passed, N failed"
	@ci/setup.sh
	@ci/check.sh

check-all:  ## check, and all that takes longer (ci/all/): says what ran, what did not, and why
	@ci/setup.sh all
	@ci/check-all.sh $(NAME)

bench:  ## measure against the bars of ci/bench/NAME.sh; exit 1 when one is short
	@ci/setup.sh
	@ci/bench.sh $(NAME)

vet:  ## what differs from the git revision BASE= in behaviour and cost; NAME= one target
	@ci/setup.sh
	+@ci/vet.sh "$(BASE)" $(if $(NAME),--target $(KNOWN))

tidy:  ## what a machine can check of the house rules
	@ci/tidy.sh

mutants:  ## planted bugs (ci/mutants) that the corpus must kill; NAME= a target or a patch
	@ci/setup.sh
	@ci/mutants.sh $(NAME)

hunt:  ## planted bugs (ci/hunt) that fuzzing must find from nothing; NAME= as above
	@ci/setup.sh
	@ci/hunt.sh $(NAME)

cov:  ## what the corpus alone covers of core/; FLOORS=1 raises ci/floors.txt to it
	@ci/setup.sh
	@FLOORS=$(FLOORS) ci/cov.sh

afl:  ## fuzz the target NAME with AFL++; SECONDS=60
	@ci/setup.sh
	@ci/afl.sh $(if $(NAME),$(KNOWN),$(error which one? NAME= of $(SHOWN))) $(or $(SECONDS),60)

format:  ## lay out all C files with clang-format-14
	@ci/setup.sh
	@find core sim oracles targets ci -name '*.[ch]' | xargs -r clang-format-14 -i

clean:  ## remove build/
	rm -rf build

# Commands of one room live beside what they call.
-include $(sort $(wildcard ci/*/*.mk))

-include $(shell find $(B) -name '*.d' 2>/dev/null)
