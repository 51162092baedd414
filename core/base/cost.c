/*
 * cost.c: where counted work is counted; one place a thread.
 */
#include "core/base/cost.h"

_Thread_local struct wb_cost wb_cost;
