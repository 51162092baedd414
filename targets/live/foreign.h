/*
 * foreign.h: for MemorySanitizer, which sees nothing of what the kernel writes by way of io_uring
 * or a library that it did not compile.
 */
#ifndef LIVE_FOREIGN_H
#define LIVE_FOREIGN_H

#if defined(__has_feature)
#if __has_feature(memory_sanitizer)
#define LIVE_MSAN
#endif
#endif

#ifdef LIVE_MSAN
#include <sanitizer/msan_interface.h>
#define LIVE_WRITTEN(data, len) __msan_unpoison(data, len)
/* Around calls of such a library: what it hands to the C library is not looked at. */
#define LIVE_FOREIGN_BEGIN() __msan_scoped_disable_interceptor_checks()
#define LIVE_FOREIGN_END()   __msan_scoped_enable_interceptor_checks()
/* A callback of it: what it is given counts as written. */
#define LIVE_CALLED_BACK __attribute__((no_sanitize("memory"), noinline))
#else
#define LIVE_WRITTEN(data, len) ((void)(data), (void)(len))
#define LIVE_FOREIGN_BEGIN()    ((void)0)
#define LIVE_FOREIGN_END()      ((void)0)
#define LIVE_CALLED_BACK
#endif

#endif
