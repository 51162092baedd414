/*
 * ref_decimal.h: strict decimals by comparing texts. The second opinion on core/base/decimal.h;
 * calls nothing of the core.
 */
#ifndef REF_DECIMAL_H
#define REF_DECIMAL_H

#include "core/base/bytes.h"
#include "core/base/err.h"

#define REF_DECIMAL_TEXT 24 /* the digits of any number, and a NUL */

struct ref_decimal {
    enum wb_err status; /* WB_OK, WB_E_NUMBER, WB_E_BOUNDS */
    uint64_t value;
};

struct ref_decimal ref_decimal_read(struct wb_view text, uint64_t max);
/* Digits and a NUL; returns the number of digits. */
size_t ref_decimal_write(uint64_t value, char out[REF_DECIMAL_TEXT]);

#endif
