/*
 * probe.h: static probes of the provider `wirebed`, for who watches from outside (`bed watch`).
 *
 * A build with -DWB_PROBES has them as notes of the ELF file and one `nop` each; any other has
 * none, and evaluates no argument. Arguments are what is at hand: they must cost nothing. Where
 * one must be computed, a file defines _SDT_HAS_SEMAPHORES before all includes, one WB_PROBE_GATE
 * for each of its probes, and asks WB_PROBE_IS_HEARD first.
 */
#ifndef WB_PROBE_H
#define WB_PROBE_H

#ifdef WB_PROBES

#include <sys/sdt.h>
#ifdef __clang__ /* what the macros of that header do is theirs */
#pragma clang diagnostic ignored "-Wunknown-warning-option"
#pragma clang diagnostic ignored "-Wgnu-zero-variadic-macro-arguments"
#pragma clang diagnostic ignored "-Wc23-extensions"
#endif

#define WB_PROBE1(name, a)          DTRACE_PROBE1(wirebed, name, a)
#define WB_PROBE2(name, a, b)       DTRACE_PROBE2(wirebed, name, a, b)
#define WB_PROBE3(name, a, b, c)    DTRACE_PROBE3(wirebed, name, a, b, c)
#define WB_PROBE4(name, a, b, c, d) DTRACE_PROBE4(wirebed, name, a, b, c, d)
/* How many listen; the kernel counts. Read by every probe of the file. */
#define WB_PROBE_GATE(name)                                                                        \
    unsigned short wirebed_##name##_semaphore __attribute__((section(".probes"), used))
#define WB_PROBE_IS_HEARD(name) (__builtin_expect(wirebed_##name##_semaphore != 0, 0))

#else

#define WB_PROBE1(name, a)          ((void)sizeof(a))
#define WB_PROBE2(name, a, b)       ((void)sizeof(a), (void)sizeof(b))
#define WB_PROBE3(name, a, b, c)    ((void)sizeof(a), (void)sizeof(b), (void)sizeof(c))
#define WB_PROBE4(name, a, b, c, d) (WB_PROBE2(name, a, b), WB_PROBE2(name, c, d))
#define WB_PROBE_GATE(name)         _Static_assert(1, "no probes")
#define WB_PROBE_IS_HEARD(name)     0

#endif
#endif
