# wirebed: one file builds everything and finds everything by name. `make help` lists what there is.
#   make V=asan build/asan/bed      any variant, any program
V ?= gcc
B := build/$(V)
Q := $(if $(VERBOSE),,@)
.DELETE_ON_ERROR:
.SUFFIXES:
MAKEFLAGS += --no-builtin-rules

# ---- variants: two lines each -------------------------------------------------------------------
SAN := -g -fno-omit-frame-pointer -fno-sanitize-recover=all -DWB_NO_POOL -DWB_COUNTED
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
CF_cov     := -O0 -g -DWB_COUNTED -fprofile-instr-generate -fcoverage-mapping
CC_fuzz    := clang-19
CF_fuzz    := -O2 $(SAN) -fsanitize=address,undefined
CC_afl     := clang-19
CF_afl     := -O2 $(SAN) -fsanitize=address,undefined
CC_bench   := clang-19
CF_bench   := -O2 $(SAN) -fsanitize=address,undefined
CC_release := gcc
CF_release := -O2 -DNDEBUG
CC_mutant  := gcc
CF_mutant  := -O1 -DWB_COUNTED

# ---- engines: coverage of the core and the marks only, so that nobody is paid for the simulator's branches ----
COVERED   := core/% sim/mark.c
COV_fuzz  := -fsanitize=fuzzer-no-link
COV_afl   := -fsanitize-coverage=trace-pc-guard
ENG_fuzz  := -fsanitize=fuzzer
ENG_afl   := /usr/lib/afl/libAFLDriver.a /usr/lib/afl/afl-compiler-rt.o -lm -lrt -ldl -lpthread

WARN := -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wstrict-prototypes -Wmissing-prototypes \
        -Wswitch-enum -Wundef -Wvla -Werror
CC     := $(CC_$(V))
CFLAGS := -std=c11 -D_GNU_SOURCE -I. $(WARN) $(CF_$(V))
$(if $(CC),,$(error no variant `$(V)'; there are $(sort $(patsubst CC_%,%,$(filter CC_%,$(.VARIABLES))))))

# ---- discovery: the file's name is its registration ---------------------------------------------
SUBJECT ?= targets/subject/core.c
TARGETS := $(sort $(patsubst targets/fuzz_%.c,%,$(wildcard targets/fuzz_*.c)))
TESTS   := $(sort $(patsubst targets/%.c,%,$(wildcard targets/test_*.c)))
CORE    := $(sort $(wildcard core/*/*.c))
ROOMS   := $(sort $(wildcard sim/*.c oracles/*.c targets/reply/*.c)) $(SUBJECT)
DRIVER  := $(filter-out targets/driver/main.c targets/driver/engine.c,$(sort $(wildcard targets/driver/*.c)))
BED     := $(sort $(wildcard targets/bed/*.c))
obj      = $(patsubst %.c,$(B)/%.o,$(1))
LIB     := $(call obj,$(CORE) $(ROOMS) $(DRIVER))
MAIN    := $(call obj,$(if $(ENG_$(V)),targets/driver/engine.c,targets/driver/main.c))

.PHONY: all
all: $(TARGETS:%=$(B)/fuzz_%) $(B)/bed $(TESTS:%=$(B)/%)  ## every program of the variant V

$(TARGETS:%=$(B)/fuzz_%): $(B)/fuzz_%: $(B)/targets/fuzz_%.o $(MAIN) $(LIB)
	@echo "  LD   $@"
	$(Q)$(CC) $(CFLAGS) -o $@ $^ $(ENG_$(V))

$(B)/bed: $(call obj,$(BED)) $(TARGETS:%=$(B)/targets/fuzz_%.o) $(LIB)
	@echo "  LD   $@"
	$(Q)$(CC) $(CFLAGS) -o $@ $^

$(TESTS:%=$(B)/%): $(B)/%: $(B)/targets/%.o $(TARGETS:%=$(B)/targets/fuzz_%.o) $(LIB)
	@echo "  LD   $@"
	$(Q)$(CC) $(CFLAGS) -o $@ $^ -lcmocka

$(B)/targets/fuzz_%.o: NAMED = -DFUZZ_NAME='"$*"'
$(B)/%.o: %.c $(B)/flags
	@mkdir -p $(@D)
	@echo "  CC   $@"
	$(Q)$(CC) $(CFLAGS) $(NAMED) $(if $(filter $(COVERED),$<),$(COV_$(V))) -MMD -MP -c -o $@ $<

# A change of flags rebuilds the variant.
$(B)/flags: FORCE
	@mkdir -p $(B)
	@echo '$(subst ','\'',$(CC) $(CFLAGS) $(COV_$(V)) $(SUBJECT))' | cmp -s - $@ || echo '$(subst ','\'',$(CC) $(CFLAGS) $(COV_$(V)) $(SUBJECT))' > $@
.PHONY: FORCE
FORCE:

-include $(shell find $(B) -name '*.d' 2>/dev/null)
