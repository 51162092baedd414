/*
 * numbers.h: what every reader and writer of varints must do beside the model (VAR-*).
 */
#ifndef BASE_NUMBERS_H
#define BASE_NUMBERS_H

#include "targets/fuzz.h"

enum numbers_kind { NUMBERS_QUIC, NUMBERS_ONES_SEVEN, NUMBERS_ONES, NUMBERS_U32, NUMBERS_OPTIONAL };

struct numbers_read {
    enum wb_err status;
    size_t size;
    uint64_t value;
    bool is_present; /* false for an absent optional only */
};

/* Reads the one at the start of `in` and all its prefixes, and holds them against the model. */
struct numbers_read numbers_check_read(enum numbers_kind kind, struct wb_view in);
/* Writes `value` in every form and holds the bytes against the model; a refused allocation is fine.
 */
void numbers_check_written(struct wb_mem *mem, uint64_t value);
/* Writes `value` as a quic number, or as an optional one: WB_OK, WB_E_BOUNDS or WB_E_NOMEM. */
enum wb_err numbers_check_quic(struct wb_mem *mem, uint64_t value, bool is_optional);

#endif
