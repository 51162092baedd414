/*
 * ref_varint.c: a varint is a mark and then its value, both as text of '0' and '1'.
 */
#include "oracles/ref_varint.h"

#include <string.h>

#define BITS_MAX (8 * REF_VARINT_SIZE_MAX)

struct row {
    const char *mark; /* the bits that every varint of this size starts with */
    size_t size;
};

/* RFC 9000 section 16, table 4. */
static const struct row quic_rows[] = {{"00", 1}, {"01", 2}, {"10", 4}, {"11", 8}, {NULL, 0}};

/* moq-lite 1.1: leading ones. */
static const struct row ones_rows[] = {
    {"0", 1},      {"10", 2},      {"110", 3},      {"1110", 4},     {"11110", 5},
    {"111110", 6}, {"1111110", 7}, {"11111110", 8}, {"11111111", 9}, {NULL, 0},
};

static const struct row *rows_of(enum ref_varint_form form)
{
    return form == REF_VARINT_QUIC ? quic_rows : ones_rows;
}

static bool is_seven(enum ref_varint_form form, const struct row *row)
{
    return form != REF_VARINT_QUIC && row->size == 7;
}

/* The first bytes of `in` as bits; returns how many bits. */
static size_t bits_of(struct wb_view in, char bits[BITS_MAX + 1])
{
    size_t count = 0;

    for (size_t i = 0; i < in.len && i < REF_VARINT_SIZE_MAX; i++)
        for (unsigned place = 128; place > 0; place /= 2)
            bits[count++] = in.data[i] / place % 2 == 1 ? '1' : '0';
    bits[count] = '\0';
    return count;
}

struct ref_varint ref_varint_read(enum ref_varint_form form, struct wb_view in)
{
    struct ref_varint result = {.status = WB_MORE};
    char bits[BITS_MAX + 1];
    size_t count = bits_of(in, bits);
    const struct row *row = rows_of(form);

    if (count == 0)
        return result;
    while (strncmp(bits, row->mark, strlen(row->mark)) != 0)
        row++;
    if (is_seven(form, row) && form != REF_VARINT_ONES_SEVEN) {
        result.status = WB_E_VALUE;
        return result;
    }
    if (count < row->size * 8)
        return result;
    for (size_t i = strlen(row->mark); i < row->size * 8; i++)
        result.value = result.value + result.value + (bits[i] == '1' ? 1 : 0);
    result.size = row->size;
    result.status = WB_OK;
    return result;
}

size_t ref_varint_write(enum ref_varint_form form, uint64_t value, uint8_t out[REF_VARINT_SIZE_MAX])
{
    char digits[64]; /* of the value, lowest first */
    size_t count = 0, room = 0, mark;
    char bits[BITS_MAX];
    const struct row *row = rows_of(form);

    for (uint64_t rest = value; rest > 0; rest /= 2)
        digits[count++] = rest % 2 == 1 ? '1' : '0';
    for (; row->mark != NULL; row++) {
        room = row->size * 8 - strlen(row->mark);
        if (room >= count && !is_seven(form, row))
            break;
    }
    if (row->mark == NULL)
        return 0;
    mark = strlen(row->mark);
    memset(bits, '0', sizeof(bits));
    memcpy(bits, row->mark, mark);
    for (size_t i = 0; i < count; i++)
        bits[mark + room - 1 - i] = digits[i];
    for (size_t i = 0; i < row->size; i++) {
        unsigned byte = 0;

        for (size_t j = 0; j < 8; j++)
            byte = byte * 2 + (bits[i * 8 + j] == '1' ? 1 : 0);
        out[i] = (uint8_t)byte;
    }
    return row->size;
}

struct ref_varint_signed ref_varint_unzigzag(uint64_t n)
{
    if (n % 2 == 1)
        return (struct ref_varint_signed){.is_negative = true, .magnitude = n / 2 + 1};
    return (struct ref_varint_signed){.magnitude = n / 2};
}
