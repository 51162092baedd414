# A fuzzer without the custom mutator, as AFL++ and honggfuzz see a target on OSS-Fuzz.
$(TARGETS:%=$(B)/plain_%): $(B)/plain_%: $(B)/targets/fuzz_%.o $(B)/targets/driver/engine.o $(LIB)
	@$(SAY) "  LD   $@"
	$(Q)$(CC) $(CFLAGS) -o $@ $^ $(ENG_$(V)) $(LIBS)
