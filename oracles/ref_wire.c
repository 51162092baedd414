/*
 * ref_wire.c: moq-lite 1.1, one sentence each. A character is decoded to its number, and text is
 * UTF-8 when each number is legal and took as few bytes as it can.
 */
#include "oracles/ref_wire.h"

#include "oracles/ref_varint.h"

/* Bytes that UTF-8 spends on a character; 0 for what is none. */
static size_t character_size(uint32_t number)
{
    if (number >= 0xd800 && number < 0xe000)
        return 0;
    if (number < 0x80)
        return 1;
    if (number < 0x800)
        return 2;
    if (number < 0x10000)
        return 3;
    return number < 0x110000 ? 4 : 0;
}

static bool is_utf8(const uint8_t *text, size_t len)
{
    for (size_t i = 0; i < len;) {
        uint32_t number = text[i];
        size_t size = 1;

        if (text[i] >= 0xc0)
            size = text[i] < 0xe0 ? 2 : text[i] < 0xf0 ? 3 : 4;
        else if (text[i] >= 0x80)
            return false;
        if (text[i] >= 0xf8 || len - i < size)
            return false;
        if (size > 1)
            number %= size == 2 ? 32u : size == 3 ? 16u : 8u;
        for (size_t j = 1; j < size; j++) {
            if (text[i + j] < 0x80 || text[i + j] >= 0xc0)
                return false;
            number = number * 64 + text[i + j] % 64;
        }
        if (character_size(number) != size)
            return false;
        i += size;
    }
    return true;
}

/* u8, u16 and bool: big endian. */
static struct ref_wire_field fixed(struct wb_view body, size_t offset, size_t size)
{
    struct ref_wire_field field = {.status = WB_E_SHORT};

    if (body.len - offset < size)
        return field;
    field.status = WB_OK;
    field.begin = offset;
    field.end = offset + size;
    for (size_t i = offset; i < offset + size; i++)
        field.value = field.value * 256 + body.data[i];
    return field;
}

struct ref_wire_field ref_wire_read(enum ref_wire_kind kind, struct wb_view body, size_t offset)
{
    struct wb_view left = {body.len > offset ? body.data + offset : NULL, body.len - offset};
    struct ref_varint number = ref_varint_read(REF_VARINT_QUIC, left);
    struct ref_wire_field field = {.status = WB_E_SHORT};
    bool has_length = kind == REF_WIRE_BLOCK || kind == REF_WIRE_STRING;

    if (kind == REF_WIRE_U8 || kind == REF_WIRE_U16)
        return fixed(body, offset, kind == REF_WIRE_U8 ? 1 : 2);
    if (kind == REF_WIRE_BOOL) {
        field = fixed(body, offset, 1);
        if (field.value > 1)
            field.status = WB_E_VALUE;
        return field;
    }
    if (number.status != WB_OK) /* the body is complete, so no more will come */
        return field;
    field.value = number.value;
    field.begin = offset + number.size;
    field.end = field.begin;
    if (has_length && number.value > body.len - field.begin)
        return field;
    field.status = WB_OK;
    if (kind == REF_WIRE_U32 && number.value > 0xffffffff)
        field.status = WB_E_BOUNDS;
    if (has_length)
        field.end += (size_t)number.value;
    if (kind == REF_WIRE_STRING && number.value > 0 &&
        !is_utf8(body.data + field.begin, (size_t)number.value))
        field.status = WB_E_STRING;
    return field;
}
