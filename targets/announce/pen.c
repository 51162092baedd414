/*
 * pen.c: bytes of announce messages, with no help of the core.
 */
#include "targets/announce/ann.h"

#include <string.h>

/* clang-format off */
#define PATHS(X) \
    X("") X(".h") X("a") X("a/.p") X("a/b") X("a/b/c") X("a/b/c/d") X("a/b/e") \
    X("a/bc") X("ab") X("b") X("b/c") X("b/c/x-1") X("b/c/x-2") X("room/cam") X("room/mic")
/* clang-format on */
#define PATH_TEXT(text) text,
#define PATH_LEN(text)  sizeof(text) - 1,

const char *const ann_paths[REF_PATHS] = {PATHS(PATH_TEXT)};
static const size_t lens[REF_PATHS] = {PATHS(PATH_LEN)};

void ann_pen_begin(struct ann_pen *pen, enum wb_moq_version version)
{
    pen->ones = version == WB_LITE_07;
    pen->len = 0;
}

void ann_pen_u8(struct ann_pen *pen, uint8_t byte)
{
    WB_ASSERT(pen->len < ANN_PEN);
    pen->bytes[pen->len++] = byte;
}

static void put_big(struct ann_pen *pen, uint8_t lead, uint64_t value, int bytes)
{
    for (int i = bytes - 1; i >= 0; i--)
        ann_pen_u8(pen, (uint8_t)((value >> (8 * i)) | (i == bytes - 1 ? lead : 0)));
}

static void put_ones(struct ann_pen *pen, uint64_t value)
{
    static const uint8_t leads[] = {0x00, 0x80, 0xc0, 0xe0, 0xf0, 0xf8};

    for (int bytes = 1; bytes <= 6; bytes++)
        if (value < UINT64_C(1) << (7 * bytes)) {
            put_big(pen, leads[bytes - 1], value, bytes);
            return;
        }
    if (value < UINT64_C(1) << 56)
        ann_pen_u8(pen, 0xfe);
    else
        ann_pen_u8(pen, 0xff);
    put_big(pen, 0, value, value < UINT64_C(1) << 56 ? 7 : 8);
}

void ann_pen_v(struct ann_pen *pen, uint64_t value)
{
    if (value < 64)
        ann_pen_u8(pen, (uint8_t)value);
    else if (pen->ones)
        put_ones(pen, value);
    else if (value < 16384)
        put_big(pen, 0x40, value, 2);
    else if (value < UINT64_C(1) << 30)
        put_big(pen, 0x80, value, 4);
    else
        put_big(pen, 0xc0, value, 8);
}

void ann_pen_text(struct ann_pen *pen, const char *text)
{
    size_t len = strlen(text);

    ann_pen_v(pen, len);
    WB_ASSERT(len <= ANN_PEN - pen->len);
    memcpy(pen->bytes + pen->len, text, len);
    pen->len += len;
}

struct wb_epoch ann_epoch(uint8_t epoch)
{
    struct wb_epoch e = {.some = epoch != 0};

    if (!e.some)
        return e;
    e.bytes[5] = epoch;
    e.bytes[6] = 0x70;
    e.bytes[8] = 0x80;
    return e;
}

uint8_t ann_epoch_number(const struct wb_epoch *epoch)
{
    struct wb_epoch mine;

    if (!epoch->some)
        return 0;
    mine = ann_epoch(epoch->bytes[5]);
    return mine.some && memcmp(mine.bytes, epoch->bytes, sizeof mine.bytes) == 0 ? epoch->bytes[5]
                                                                                 : REF_NONE;
}

void ann_pen_epoch(struct ann_pen *pen, uint8_t epoch)
{
    struct wb_epoch e = ann_epoch(epoch);

    ann_pen_v(pen, e.some ? sizeof e.bytes : 0);
    if (!e.some)
        return;
    WB_ASSERT(sizeof e.bytes <= ANN_PEN - pen->len);
    memcpy(pen->bytes + pen->len, e.bytes, sizeof e.bytes);
    pen->len += sizeof e.bytes;
}

void ann_pen_wrap(struct ann_pen *pen, size_t from, int type)
{
    struct ann_pen head;
    size_t body = pen->len - from;

    head.ones = pen->ones;
    head.len = 0;
    if (type >= 0)
        ann_pen_v(&head, (uint64_t)type);
    ann_pen_v(&head, body);
    WB_ASSERT(pen->len + head.len <= ANN_PEN);
    memmove(pen->bytes + from + head.len, pen->bytes + from, body);
    memcpy(pen->bytes + from, head.bytes, head.len);
    pen->len += head.len;
}

uint8_t ann_path_number(struct wb_view path)
{
    for (uint8_t p = 0; p < REF_PATHS; p++) {
        size_t i = 0;

        if (lens[p] != path.len)
            continue;
        while (i < path.len && (uint8_t)ann_paths[p][i] == path.data[i])
            i++;
        if (i == path.len)
            return p;
    }
    return REF_NONE;
}
