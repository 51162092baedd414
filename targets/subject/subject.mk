# The subject that is tested may lie anywhere: its object has one place in each variant. Included by
# the Makefile.
$(B)/subject.o: $(SUBJECT) $(B)/flags
	@mkdir -p $(@D)
	@$(SAY) "  CC   $@"
	$(Q)$(CC) $(CFLAGS) $(OUT_$(V)) -MMD -MP -c -o $@ $<
