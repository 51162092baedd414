/*
 * decimal.h: strict decimal numbers as text protocols send them: digits, no sign, no leading zero
 * but "0" itself.
 */
#ifndef WB_DECIMAL_H
#define WB_DECIMAL_H

#include "core/base/bytes.h"

/*
 * Reads all of `text` as one number of at most `max`. WB_E_NUMBER when it is empty, holds anything
 * but digits, or starts with a needless zero; WB_E_BOUNDS when it is larger than max, however many
 * digits it has. *out changes on WB_OK only.
 */
WB_MUST_USE enum wb_err wb_decimal_get(struct wb_view text, uint64_t max, uint64_t *out);

#define WB_DECIMAL_DIGITS_MAX 20
/* Writes the digits of `value`, no NUL, and returns how many (1 to 20). */
size_t wb_decimal_put(uint8_t out[WB_DECIMAL_DIGITS_MAX], uint64_t value);

#endif
