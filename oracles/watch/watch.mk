# Probes, and who watches them. The variant gcc has both; release, in which benches run, watches
# without probes of its own; probed is release with them, for what they cost when nobody listens.
# `bed watch` of any other variant says what it lacks.
ROOMS += oracles/watch/rules.c oracles/watch/words.c
BED   += oracles/watch/session.c
WATCHES := $(filter gcc release probed,$(V))
TESTED  := $(filter gcc,$(V))
BPFTOOL := $(if $(WATCHES),$(shell PATH=$$PATH:/usr/sbin command -v bpftool))
BPF_CC  := $(if $(WATCHES),$(shell command -v clang-19))
LACKING := $(if $(WATCHES),$(strip $(if $(call has,bpf/libbpf.h,1),,libbpf-dev) \
           $(if $(BPFTOOL),,bpftool) $(if $(BPF_CC),,clang-19)),the variant gcc or release)
WATCH_LIBS    := $(if $(LACKING),,-lbpf -lelf -lz)
WATCH_DEFINES := $(if $(LACKING),-DWATCH_LACKS='"this bed was built without what it needs: \
                 $(LACKING)"')
CFLAGS += $(if $(filter gcc probed,$(V)),$(call has,sys/sdt.h,-DWB_PROBES))

$(B)/oracles/watch/%.o: NAMED = -isystem $(B)/watch $(WATCH_DEFINES)
$(B)/oracles/watch/words.o: $(B)/watch/watch_calls.h
$(B)/oracles/watch/session.o: $(if $(LACKING),,$(B)/watch/watch.skel.h)
$(B)/bench_reply: $(B)/oracles/watch/session.o $(B)/oracles/watch/words.o
$(addprefix $(B)/,$(filter test_watch%,$(TESTS))): | $(B)/bed

# The kernel's side, how it is loaded, and the names of system calls on this machine.
MACHINE = $(patsubst aarch64,arm64,$(patsubst x86_64,x86,$(shell uname -m)))
$(B)/watch/watch.bpf.o: oracles/watch/watch.bpf.c oracles/watch/event.h
	@mkdir -p $(@D)
	$(Q)$(BPF_CC) -g -O2 -Wall -Werror -ffreestanding -target bpf -mcpu=v3 \
	    -D__TARGET_ARCH_$(MACHINE) -I. -I/usr/include/$(shell $(CC) -print-multiarch) -c -o $@ $<

$(B)/watch/watch.skel.h: $(B)/watch/watch.bpf.o
	$(Q)$(BPFTOOL) gen skeleton $< name watch_bpf >$@

$(B)/watch/watch_calls.h:
	@mkdir -p $(@D)
	$(Q)echo '#include <sys/syscall.h>' | $(CC) -E -dM - | \
	    sed -nE 's/^#define __NR_([a-z][a-z0-9_]*) .*/[__NR_\1] = "\1",/p' | \
	    grep -v '"syscalls"' >$@

# A test program with bugs in what it drives, and without the checks of the core that would see
# them first. A line that no longer matches stops the build.
PLANTS := reply/intake reply/reply reply/quick reply/steps route/announce_pub
ifneq ($(TESTED),)
$(B)/test_watch_plants: $(patsubst %,$(B)/planted/%.o,$(notdir $(PLANTS)))
$(B)/test_watch_plants: REPLACED := $(PLANTS:%=$(B)/core/%.o)
endif
planted = @mkdir -p $(@D); sed '$(1)' $< >$@; ! cmp -s $< $@
$(B)/planted/intake.c: core/reply/intake.c
	$(call planted,s/r->taken += n;/r->taken += n + (r->off < r->len);/)
$(B)/planted/%.c: core/reply/%.c
	@mkdir -p $(@D)
	@cp $< $@
$(B)/planted/announce_pub.c: core/route/announce_pub.c
	$(call planted,s/withheld -= c->view == WB_PUB_WITHHELD;/withheld -= 0;/)
$(B)/planted/%.o: $(B)/planted/%.c $(B)/flags
	$(Q)$(CC) $(filter-out -DWB_PARANOID,$(CFLAGS)) -c -o $@ $<
$(B)/targets/test_watch%.o: NAMED = $(if $(TESTED),-DWATCH_TESTED)
