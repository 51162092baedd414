/*
 * checks.c: the x_check functions of the core, whose work is not counted; the build lists them.
 */
#include "targets/vet/quiet.h"

VET_CHECKS
