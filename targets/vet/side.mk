# What `bed vet` loads, in the variant `side`; it shows vet_side() alone. Included by the Makefile.
CHECKS  = $(filter-out wb_announce_sub_check, \
          $(shell sed -nE 's/^void (wb_[a-z_]+_check)\([^,]*\)$$/\1/p' $(CORE) | sort -u))
SUBS    = new free next end claims routes floor claim_at check
WRAPPED = $(CHECKS) wb_mem_take sim_trace_mix sim_trace_mix_bytes subject_ingest \
          wb_announce_pub_new wb_announce_pub_flush $(SUBS:%=wb_announce_sub_%)
$(B)/targets/vet/checks.o: NAMED = -D'VET_CHECKS=$(foreach c,$(CHECKS),VET_QUIET($c))'
$(B)/targets/vet/checks.o: $(CORE) targets/vet/side.mk
# For revisions whose core has other ends of connections than this code knows.
$(B)/targets/vet/joint.o $(B)/targets/vet/relay.o: NAMED = $(if $(VET_APART),-DVET_APART)
$(B)/side.so: $(filter-out %/inv.o,$(LIB)) $(TARGETS:%=$(B)/targets/fuzz_%.o) \
        $(call obj,$(wildcard targets/vet/*.c))
	@$(SAY) "  LD   $@"
	$(Q)$(CC) $(CFLAGS) -shared -Wl,-Bsymbolic,-z,defs $(WRAPPED:%=-Wl,--wrap=%) -o $@ $^ $(LIBS)
# Coverage-guided, over two such objects: ci/vet/differ.sh.
build/vet/fuzz_vet: ci/vet/differ.c targets/vet/side.h
	@mkdir -p $(@D)
	$(Q)$(CC_fuzz) -std=c11 -D_GNU_SOURCE -I. $(WARN) -O1 -g $(ENG_fuzz) -o $@ $<
# Its name says of which target.
$(TARGETS:%=build/vet/fuzz_vet_%): build/vet/fuzz_vet
	$(Q)ln -f $< $@
.PHONY: fuzz_vet
fuzz_vet: $(patsubst %,build/vet/fuzz_vet_%,$(filter-out canary,$(TARGETS)))
