/*
 * base.h: what every file of the core may use: asserts that stay on, and the attributes of a
 * contract.
 */
#ifndef WB_BASE_H
#define WB_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define WB_MUST_USE __attribute__((warn_unused_result))
#define WB_NOINLINE __attribute__((noinline))

/*
 * States what only a bug of ours can break; bad input never reaches it. On in every build. The
 * condition is the message, so one condition each.
 */
#define WB_ASSERT(condition) ((condition) ? (void)0 : wb_panic(__FILE__, __LINE__, #condition))

#define WB_UNREACHABLE() wb_panic(__FILE__, __LINE__, "unreachable")

/* In paranoid builds every public function checks its object on the way in and out. */
#ifdef WB_PARANOID
#define WB_CHECKED(call) (call)
#else
#define WB_CHECKED(call) ((void)0)
#endif

/* Counted work: a cost is an invariant like any other. Counters vanish from release builds. */
#ifdef WB_COUNTED
#define WB_COUNT(counter, n) ((void)((counter) += (n)))
#else
#define WB_COUNT(counter, n) ((void)sizeof(counter), (void)sizeof(n))
#endif

/* Prints `ASSERTION FAILED: WB_ASSERT file:line condition` on stderr and aborts. */
_Noreturn WB_NOINLINE void wb_panic(const char *file, int line, const char *condition);

#endif
