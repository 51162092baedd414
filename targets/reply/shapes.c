#include "targets/reply/shapes.h"

#define VIEW(text)                                                                                 \
    {                                                                                              \
        (const uint8_t *)(text), sizeof(text) - 1                                                  \
    }

static const struct wb_view keys_axb[] = {VIEW("a"), VIEW("x"), VIEW("b")};
static const struct wb_view keys_k[] = {VIEW("k")};
static const struct wb_view keys_gnh[] = {VIEW("g"), VIEW("nokey"), VIEW("h")};
static const struct wb_view keys_gng[] = {VIEW("g"), VIEW("nokey"), VIEW("g")};

/* k000 to k399 */
#define KEY(h, t, o) VIEW("k" #h #t #o)
#define KEYS_10(h, t)                                                                              \
    KEY(h, t, 0), KEY(h, t, 1), KEY(h, t, 2), KEY(h, t, 3), KEY(h, t, 4), KEY(h, t, 5),            \
        KEY(h, t, 6), KEY(h, t, 7), KEY(h, t, 8), KEY(h, t, 9)
#define KEYS_100(h)                                                                                \
    KEYS_10(h, 0), KEYS_10(h, 1), KEYS_10(h, 2), KEYS_10(h, 3), KEYS_10(h, 4), KEYS_10(h, 5),      \
        KEYS_10(h, 6), KEYS_10(h, 7), KEYS_10(h, 8), KEYS_10(h, 9)
static const struct wb_view keys_400[] = {KEYS_100(0), KEYS_100(1), KEYS_100(2), KEYS_100(3)};

/* Whole words of eight bytes, a rest of one and of three, and the longest that there is. */
#define TEN "abcdefghij"
#define TWO_HUNDRED_AND_FORTY                                                                      \
    TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN
static const struct wb_view keys_long[] = {
    VIEW("key-0001"), VIEW("key-0002-sixteen"), VIEW("key-0003-of-17-by"),
    VIEW("key-0004-of-twenty-seven-by"), VIEW("key-0005--" TWO_HUNDRED_AND_FORTY)};
/* No token can be like these. */
static const struct wb_view keys_blank[] = {VIEW("a b")};
static const struct wb_view keys_blank_of_8[] = {VIEW("key 0001")};
static const struct wb_view keys_empty[] = {VIEW("")};

#define OPAQUE_31 .opaque = VIEW("opaque-of-thirty-one-bytes-0031")

#define ONE(bits)                                                                                  \
    {                                                                                              \
        .codes = (bits), .count = 1                                                                \
    }
#define BATCH(bits, n, ...)                                                                        \
    {                                                                                              \
        .codes = (bits), .until_mn = true, .count = (n), __VA_ARGS__                               \
    }
#define UNTIL_END(bits, n, ...)                                                                    \
    {                                                                                              \
        .codes = (bits), .until_end = true, .count = (n), __VA_ARGS__                              \
    }
#define KEYS(keys_of) .keys = (keys_of), .keys_count = sizeof(keys_of) / sizeof *(keys_of)

#define QUIET_SETS    (WB_REPLY_BIT(NS) | WB_REPLY_BIT(EX) | WB_REPLY_BIT(NF))
#define QUIET_DELETES (WB_REPLY_BIT(NF) | WB_REPLY_BIT(EX))

static const struct shapes_request requests[] = {
    {"mg", "mg foo v s k\r\n", ONE(WB_REPLY_CODES_MG)},
    {"ms", "ms foo 3\r\nbar\r\n", ONE(WB_REPLY_CODES_MS)},
    {"md", "md foo\r\n", ONE(WB_REPLY_CODES_MD)},
    {"ma", "ma foo v\r\n", ONE(WB_REPLY_CODES_MA)},
    {"me", "me foo\r\n", ONE(WB_REPLY_CODES_ME)},
    {"mn", "mn\r\n", ONE(WB_REPLY_CODES_MN)},
    {"version", "version\r\n", ONE(WB_REPLY_CODES_VERSION)},
    {"400 mg until mn", "mg k v q\r\nmn\r\n", BATCH(WB_REPLY_CODES_MG, 400, )},
    {"1 mg until mn", "mg a v k q\r\nmn\r\n", BATCH(WB_REPLY_CODES_MG, 1, )},
    {"2 mg until mn", "mg a v k q\r\nmg b v k q\r\nmn\r\n", BATCH(WB_REPLY_CODES_MG, 2, )},
    {"mg a, x, b until mn", "mg a v k q\r\nmg x v k q\r\nmg b v k q\r\nmn\r\n",
     BATCH(WB_REPLY_CODES_MG, 3, KEYS(keys_axb))},
    {"mg k000 to k399 until mn", "mg k000 v k q\r\nmn\r\n",
     BATCH(WB_REPLY_CODES_MG, 400, KEYS(keys_400))},
    {"5 quiet ms until mn", "ms a 1 q\r\n1\r\nmn\r\n", BATCH(QUIET_SETS, 5, )},
    {"4 quiet md until mn", "md a q\r\nmn\r\n", BATCH(QUIET_DELETES, 4, )},
    {"mg with opaque 9",
     "mg foo v O9\r\n",
     {.codes = WB_REPLY_CODES_MG, .count = 1, .opaque = VIEW("9")}},
    {"mg a, x, b",
     "mg a v k\r\nmg x v k\r\nmg b v k\r\n",
     {.codes = WB_REPLY_CODES_MG, .count = 3, KEYS(keys_axb)}},

    {"get of 400", "get k\r\n", UNTIL_END(WB_REPLY_CODES_GET, 400, )},
    {"get of 1", "get k\r\n", UNTIL_END(WB_REPLY_CODES_GET, 1, )},
    {"get of 2", "get a b\r\n", UNTIL_END(WB_REPLY_CODES_GET, 2, )},
    {"get of 3", "get a b c\r\n", UNTIL_END(WB_REPLY_CODES_GET, 3, )},
    {"get k", "get k\r\n", UNTIL_END(WB_REPLY_CODES_GET, 1, KEYS(keys_k))},
    {"get g, nokey, h", "get g nokey h\r\n", UNTIL_END(WB_REPLY_CODES_GET, 3, KEYS(keys_gnh))},
    {"gets g, nokey, g", "gets g nokey g\r\n", UNTIL_END(WB_REPLY_CODES_GET, 3, KEYS(keys_gng))},
    {"get k000 to k399", "get k000\r\n", UNTIL_END(WB_REPLY_CODES_GET, 400, KEYS(keys_400))},
    {"set", "set foo 0 0 3\r\nbar\r\n", ONE(WB_REPLY_CODES_SET)},
    {"delete", "delete foo\r\n", ONE(WB_REPLY_CODES_DELETE)},
    {"incr", "incr foo 1\r\n", ONE(WB_REPLY_CODES_INCR)},
    {"touch", "touch foo 0\r\n", ONE(WB_REPLY_CODES_TOUCH)},
    {"stats", "stats\r\n", UNTIL_END(WB_REPLY_CODES_STATS, UINT32_MAX, )},
    {"flush_all", "flush_all\r\n", ONE(WB_REPLY_CODES_FLUSH)},
    {"stats reset", "stats reset\r\n", ONE(WB_REPLY_BIT(RESET))},
    {"3 set",
     "set a 0 0 1\r\n1\r\nset b 0 0 1\r\n1\r\nset c 0 0 1\r\n1\r\n",
     {.codes = WB_REPLY_CODES_SET, .count = 3}},

    {"mg of 8 to 250", "mg key-0001 v k q\r\nmn\r\n", BATCH(WB_REPLY_CODES_MG, 5, KEYS(keys_long))},
    {"get of 8 to 250", "get key-0001\r\n", UNTIL_END(WB_REPLY_CODES_GET, 5, KEYS(keys_long))},
    {"5 mg of 8 to 250",
     "mg key-0001 v k\r\n",
     {.codes = WB_REPLY_CODES_MG, .count = 5, KEYS(keys_long)}},
    {"mg, opaque of 31", "mg foo v O\r\n", {.codes = WB_REPLY_CODES_MG, .count = 1, OPAQUE_31}},
    {"mg of 8 to 250, opaque of 31", "mg key-0001 v k q\r\nmn\r\n",
     BATCH(WB_REPLY_CODES_MG, 5, KEYS(keys_long), OPAQUE_31)},
    {"mg up to 100", "mg foo v\r\n", ONE(WB_REPLY_CODES_MG)},
    {"3 mg up to 100", "mg foo v q\r\nmn\r\n", BATCH(WB_REPLY_CODES_MG, 3, )},
    {"get k up to 100", "get k\r\n", UNTIL_END(WB_REPLY_CODES_GET, 1, KEYS(keys_k))},
    {"mg up to 0", "mg foo v\r\n", ONE(WB_REPLY_CODES_MG)},
    {"mg up to 2^64 - 1", "mg foo v\r\n", ONE(WB_REPLY_CODES_MG)},
    {"0 mg until mn", "mn\r\n", BATCH(WB_REPLY_CODES_MG, 0, )},
    {"get of 0", "get k\r\n", UNTIL_END(WB_REPLY_CODES_GET, 0, )},
    {"mg of 3 with a blank", "mg a v k q\r\nmn\r\n", BATCH(WB_REPLY_CODES_MG, 1, KEYS(keys_blank))},
    {"mg of 8 with a blank", "mg key v k q\r\nmn\r\n",
     BATCH(WB_REPLY_CODES_MG, 1, KEYS(keys_blank_of_8))},
    {"mg of no bytes", "mg  v k q\r\nmn\r\n", BATCH(WB_REPLY_CODES_MG, 1, KEYS(keys_empty))},
    {"stats of 2", "stats\r\n", UNTIL_END(WB_REPLY_CODES_STATS, 2, )},
};

_Static_assert(sizeof requests / sizeof *requests == SHAPES_COUNT,
               "four bits of configuration choose within a family");

const struct shapes_request *shapes_at(unsigned i)
{
    WB_ASSERT(i < SHAPES_COUNT);
    return &requests[i];
}

uint64_t shapes_value_max(unsigned i)
{
    switch (i) {
    case SHAPES_LIMITS + 5:
    case SHAPES_LIMITS + 6:
    case SHAPES_LIMITS + 7:
        return 100;
    case SHAPES_LIMITS + 8:
        return 0;
    case SHAPES_LIMITS + 9:
        return UINT64_MAX;
    default:
        return WB_REPLY_VALUE_MAX;
    }
}
