/*
 * ref_reply.c: the reply grammar over offsets of a stream that is all there. Every rule is one
 * function, in the order in which a breach is named: line, code, grammar of the code, request's
 * codes, count, opaque, key, block.
 *
 *   va      = "VA" SP size *(SP token) CRLF block(size)         size = "0" / nonzero 0*9DIGIT
 *   two     = ("HD"/"EN"/"NF"/"NS"/"EX") *(SP token) [SP] CRLF
 *   mn      = "MN" CRLF
 *   me      = "ME" SP key *(SP token) CRLF
 *   version = "VERSION" SP text CRLF
 *   error   = "ERROR" [SP text] CRLF / ("CLIENT_ERROR"/"SERVER_ERROR") SP text CRLF
 *   value   = "VALUE" SP key SP num SP num [SP num] CRLF    stat = "STAT" SP token SP text CRLF
 *   number  = 1*20DIGIT *SP CRLF                            word = "END"/"STORED"/... CRLF
 *
 * One space stands before a size, one or more elsewhere. A line has at most 2048 bytes with its CR
 * LF; LF alone ends none; a CR that no LF follows is data. Source: memcached doc/protocol.txt,
 * "Meta Commands", "Error strings", "Retrieval command".
 */
#include "oracles/ref_reply.h"

#include <string.h>

#define REF_LINE_MAX      2048
#define REF_SIZE_DIGITS   10
#define REF_NUMBER_DIGITS 20

struct ref_span {
    size_t begin, end;
};

/* What is known while one reply is read. */
struct ref_reader {
    const uint8_t *bytes;
    size_t len;
    const struct wb_reply_shape *shape;
    uint64_t value_max;
    size_t units;
    size_t next_key; /* keys before it can answer no more */
};

static const struct {
    const char *name;
    enum wb_reply_code code;
} ref_codes[] = {
    {"VA", WB_REPLY_VA},
    {"HD", WB_REPLY_HD},
    {"EN", WB_REPLY_EN},
    {"NF", WB_REPLY_NF},
    {"NS", WB_REPLY_NS},
    {"EX", WB_REPLY_EX},
    {"MN", WB_REPLY_MN},
    {"ME", WB_REPLY_ME},
    {"VERSION", WB_REPLY_VERSION},
    {"ERROR", WB_REPLY_ERROR},
    {"CLIENT_ERROR", WB_REPLY_CLIENT_ERROR},
    {"SERVER_ERROR", WB_REPLY_SERVER_ERROR},
    {"VALUE", WB_REPLY_VALUE},
    {"STAT", WB_REPLY_STAT},
    {"END", WB_REPLY_END},
    {"STORED", WB_REPLY_STORED},
    {"NOT_STORED", WB_REPLY_NOT_STORED},
    {"EXISTS", WB_REPLY_EXISTS},
    {"NOT_FOUND", WB_REPLY_NOT_FOUND},
    {"DELETED", WB_REPLY_DELETED},
    {"TOUCHED", WB_REPLY_TOUCHED},
    {"OK", WB_REPLY_OK},
    {"RESET", WB_REPLY_RESET},
};

/* The one CLIENT_ERROR that says nothing about framing. */
static const char ref_kept[] = "CLIENT_ERROR cannot increment or decrement non-numeric value";

static bool ref_is(const struct ref_reader *r, struct ref_span span, const char *text)
{
    size_t len = strlen(text);
    return span.end - span.begin == len && memcmp(r->bytes + span.begin, text, len) == 0;
}

static bool ref_is_view(const struct ref_reader *r, struct ref_span span, struct wb_view view)
{
    size_t len = span.end - span.begin;
    return len == view.len && (len == 0 || memcmp(r->bytes + span.begin, view.data, len) == 0);
}

/* From `begin` up to the next space or the end of the line. */
static struct ref_span ref_word(const struct ref_reader *r, size_t begin, size_t line_end)
{
    struct ref_span word = {begin, begin};
    while (word.end < line_end && r->bytes[word.end] != ' ')
        word.end++;
    return word;
}

static size_t ref_after_spaces(const struct ref_reader *r, size_t at, size_t line_end)
{
    while (at < line_end && r->bytes[at] == ' ')
        at++;
    return at;
}

/* The next token at or after *at; false when only spaces are left. */
static bool ref_token(const struct ref_reader *r, size_t *at, size_t line_end, struct ref_span *out)
{
    *out = ref_word(r, ref_after_spaces(r, *at, line_end), line_end);
    *at = out->end;
    return out->begin < out->end;
}

static size_t ref_digits(const struct ref_reader *r, struct ref_span span)
{
    size_t n = 0;
    while (span.begin + n < span.end && r->bytes[span.begin + n] >= '0' &&
           r->bytes[span.begin + n] <= '9')
        n++;
    return n;
}

/* size = "0" / nonzero 0*9DIGIT, and no more than is allowed. */
static bool ref_size(const struct ref_reader *r, struct ref_span span, uint64_t *out)
{
    size_t digits = span.end - span.begin;
    uint64_t value = 0;

    if (digits < 1 || digits > REF_SIZE_DIGITS || ref_digits(r, span) != digits)
        return false;
    if (r->bytes[span.begin] == '0' && digits > 1)
        return false;
    for (size_t i = span.begin; i < span.end; i++)
        value = value * 10 + (uint64_t)(r->bytes[i] - '0');
    *out = value;
    return value <= r->value_max;
}

/*
 * Finds the line's end. WB_MORE while neither LF nor the 2048th byte is there; u->line_end is where
 * CR LF starts.
 */
static enum wb_err ref_line(const struct ref_reader *r, struct ref_reply_unit *u)
{
    size_t at = u->begin;
    while (at < r->len && at - u->begin < REF_LINE_MAX && r->bytes[at] != '\n')
        at++;
    if (at - u->begin == REF_LINE_MAX)
        return WB_E_LINE_TOO_LONG;
    if (at == r->len)
        return WB_MORE;
    if (at == u->begin || r->bytes[at - 1] != '\r')
        return WB_E_BAD_LINE;
    u->line_end = at - 1;
    u->end = at + 1;
    return WB_OK;
}

/* num = 1*20DIGIT. */
static bool ref_number(const struct ref_reader *r, struct ref_span span)
{
    size_t digits = span.end - span.begin;
    return digits >= 1 && digits <= REF_NUMBER_DIGITS && ref_digits(r, span) == digits;
}

/*
 * What follows "VALUE": a key, then flags, size and perhaps a cas, each after exactly one space;
 * the first that is wrong gives the error.
 */
static enum wb_err ref_classic_value(const struct ref_reader *r, size_t code_end,
                                     struct ref_reply_unit *u)
{
    struct ref_span field[3] = {{0, 0}, {0, 0}, {0, 0}}, key;
    size_t at = code_end, fields = 0;
    uint64_t value = 0;

    if (!ref_token(r, &at, u->line_end, &key))
        return WB_E_BAD_LINE;
    for (; at < u->line_end && fields < 3; fields++) {
        field[fields] = ref_word(r, at + 1, u->line_end);
        at = field[fields].end;
    }
    if (fields == 0 || !ref_number(r, field[0]) || fields == 1)
        return WB_E_BAD_LINE;
    if (!ref_size(r, field[1], &value))
        return WB_E_BAD_LEN;
    if (fields == 3 && !ref_number(r, field[2]))
        return WB_E_BAD_LINE;
    if (at < u->line_end)
        return WB_E_BAD_LINE;
    u->has_value = true;
    u->value_begin = u->end;
    u->value_len = (size_t)value;
    return WB_OK;
}

/* What follows "STAT": a name, one space at least, and any text. */
static bool ref_classic_stat(const struct ref_reader *r, size_t at, size_t line_end)
{
    struct ref_span name;
    return ref_token(r, &at, line_end, &name) && at < line_end;
}

static enum wb_err ref_code(const struct ref_reader *r, struct ref_span word,
                            struct ref_reply_unit *u)
{
    for (size_t i = 0; i < sizeof ref_codes / sizeof ref_codes[0]; i++) {
        if (ref_is(r, word, ref_codes[i].name)) {
            u->code = ref_codes[i].code;
            return WB_OK;
        }
    }
    u->code = WB_REPLY_NUMBER;
    return ref_number(r, word) ? WB_OK : WB_E_BAD_CODE;
}

/* "VA" SP size *(SP token): the size first, then the tail, then what an `s` flag says of the size.
 */
static enum wb_err ref_va(const struct ref_reader *r, size_t code_end, struct ref_reply_unit *u)
{
    struct ref_span size, token;
    uint64_t value = 0;

    if (code_end == u->line_end)
        return WB_E_BAD_LEN;
    size = ref_word(r, code_end + 1, u->line_end);
    if (!ref_size(r, size, &value))
        return WB_E_BAD_LEN;
    if (size.end < u->line_end && r->bytes[u->line_end - 1] == ' ')
        return WB_E_BAD_LINE;
    for (size_t at = size.end; ref_token(r, &at, u->line_end, &token);) {
        if (r->bytes[token.begin] != 's')
            continue;
        token.begin++;
        if (!ref_is_view(r, token, (struct wb_view){r->bytes + size.begin, size.end - size.begin}))
            return WB_E_BAD_LEN;
    }
    u->has_value = true;
    u->value_begin = u->end;
    u->value_len = (size_t)value;
    u->flags_begin = ref_after_spaces(r, size.end, u->line_end);
    return WB_OK;
}

static enum wb_err ref_me(const struct ref_reader *r, size_t code_end, size_t line_end)
{
    struct ref_span key;
    size_t at = code_end;
    if (!ref_token(r, &at, line_end, &key) || r->bytes[line_end - 1] == ' ')
        return WB_E_BAD_LINE;
    return WB_OK;
}

/* The line after its code. */
static enum wb_err ref_grammar(const struct ref_reader *r, size_t code_end,
                               struct ref_reply_unit *u)
{
    bool alone = code_end == u->line_end;

    u->flags_begin = ref_after_spaces(r, code_end, u->line_end);
    switch (u->code) {
    case WB_REPLY_VA:
        return ref_va(r, code_end, u);
    case WB_REPLY_HD:
    case WB_REPLY_EN:
    case WB_REPLY_NF:
    case WB_REPLY_NS:
    case WB_REPLY_EX:
    case WB_REPLY_ERROR:
        return WB_OK;
    case WB_REPLY_MN:
    case WB_REPLY_END:
    case WB_REPLY_STORED:
    case WB_REPLY_NOT_STORED:
    case WB_REPLY_EXISTS:
    case WB_REPLY_NOT_FOUND:
    case WB_REPLY_DELETED:
    case WB_REPLY_TOUCHED:
    case WB_REPLY_OK:
    case WB_REPLY_RESET:
        return alone ? WB_OK : WB_E_BAD_LINE;
    case WB_REPLY_VALUE:
        return ref_classic_value(r, code_end, u);
    case WB_REPLY_STAT:
        return ref_classic_stat(r, code_end, u->line_end) ? WB_OK : WB_E_BAD_LINE;
    case WB_REPLY_NUMBER:
        return u->flags_begin == u->line_end ? WB_OK : WB_E_BAD_LINE;
    case WB_REPLY_ME:
        return ref_me(r, code_end, u->line_end);
    case WB_REPLY_VERSION:
    case WB_REPLY_CLIENT_ERROR:
    case WB_REPLY_SERVER_ERROR:
        return alone ? WB_E_BAD_LINE : WB_OK;
    case WB_REPLY_CODE_COUNT:
        break;
    }
    return WB_E_BAD_CODE;
}

static bool ref_is_error(enum wb_reply_code code)
{
    return code == WB_REPLY_ERROR || code == WB_REPLY_CLIENT_ERROR || code == WB_REPLY_SERVER_ERROR;
}

/* After ERROR and CLIENT_ERROR nobody knows where the request ended; the kept text apart. */
static bool ref_is_fatal(const struct ref_reader *r, const struct ref_reply_unit *u)
{
    struct ref_span line = {u->begin, u->line_end};
    return u->code == WB_REPLY_ERROR ||
           (u->code == WB_REPLY_CLIENT_ERROR && !ref_is(r, line, ref_kept));
}

/* MN of a batch, END of a classic get or stats. */
static bool ref_is_marker(const struct ref_reader *r, const struct ref_reply_unit *u)
{
    return (r->shape->until_mn && u->code == WB_REPLY_MN) ||
           (r->shape->until_end && u->code == WB_REPLY_END);
}

/* The unit after which no other of this reply comes: up to END, any error line takes its place. */
static bool ref_is_last(const struct ref_reader *r, const struct ref_reply_unit *u)
{
    return ref_is_marker(r, u) || (r->shape->until_end && ref_is_error(u->code));
}

/* The codes that carry an opaque and a key as flags. */
static bool ref_has_flags(enum wb_reply_code code)
{
    return code == WB_REPLY_VA || code == WB_REPLY_HD || code == WB_REPLY_EN ||
           code == WB_REPLY_NF || code == WB_REPLY_NS || code == WB_REPLY_EX;
}

/* Can this request be answered with it? */
static enum wb_err ref_expected(const struct ref_reader *r, const struct ref_reply_unit *u)
{
    bool listed = (r->shape->codes >> u->code & 1) != 0;
    return listed || ref_is_error(u->code) || ref_is_marker(r, u) ? WB_OK : WB_E_UNEXPECTED_CODE;
}

/* After `count` units only what ends the reply, or a fatal error, may come. */
static enum wb_err ref_count(const struct ref_reader *r, const struct ref_reply_unit *u)
{
    bool room = r->units < r->shape->count;
    return room || ref_is_last(r, u) || ref_is_fatal(r, u) ? WB_OK : WB_E_TOO_MANY;
}

/* The first flag of that letter, without it. */
static bool ref_flag(const struct ref_reader *r, const struct ref_reply_unit *u, uint8_t letter,
                     struct ref_span *out)
{
    for (size_t at = u->flags_begin; ref_token(r, &at, u->line_end, out);) {
        if (r->bytes[out->begin] == letter) {
            out->begin++;
            return true;
        }
    }
    return false;
}

static enum wb_err ref_opaque(const struct ref_reader *r, const struct ref_reply_unit *u)
{
    struct ref_span opaque;
    if (r->shape->opaque.len == 0 || !ref_has_flags(u->code))
        return WB_OK;
    if (!ref_flag(r, u, 'O', &opaque) || !ref_is_view(r, opaque, r->shape->opaque))
        return WB_E_OPAQUE_MISMATCH;
    return WB_OK;
}

/* The key that a unit is for: a flag, or the first token of VALUE. */
static bool ref_own_key(const struct ref_reader *r, const struct ref_reply_unit *u,
                        struct ref_span *out)
{
    size_t at = u->flags_begin;
    return u->code == WB_REPLY_VALUE ? ref_token(r, &at, u->line_end, out)
                                     : ref_flag(r, u, 'k', out);
}

/* Up to MN or END, keys come in the order asked and may be missing; else each unit is that of the
 * key at its place. */
static enum wb_err ref_key(struct ref_reader *r, const struct ref_reply_unit *u)
{
    const struct wb_reply_shape *shape = r->shape;
    bool open = shape->until_mn || shape->until_end;
    struct ref_span key;

    if (shape->keys == NULL || !(ref_has_flags(u->code) || u->code == WB_REPLY_VALUE))
        return WB_OK;
    if (!ref_own_key(r, u, &key))
        return WB_E_KEY_MISMATCH;
    if (!open)
        r->next_key = r->units;
    for (size_t i = r->next_key; i < shape->keys_count; i++) {
        if (ref_is_view(r, key, shape->keys[i])) {
            r->next_key = i + 1;
            return WB_OK;
        }
        if (!open)
            break;
    }
    return WB_E_KEY_MISMATCH;
}

/* block(n) = n octets CRLF; the two bytes are judged one by one. */
static enum wb_err ref_block(const struct ref_reader *r, struct ref_reply_unit *u)
{
    if (!u->has_value)
        return WB_OK;
    if (r->len - u->value_begin <= u->value_len)
        return WB_MORE;
    u->end = u->value_begin + u->value_len;
    if (r->bytes[u->end] != '\r')
        return WB_E_BAD_BLOCK_END;
    if (u->end + 1 == r->len)
        return WB_MORE;
    if (r->bytes[u->end + 1] != '\n')
        return WB_E_BAD_BLOCK_END;
    u->end += 2;
    return WB_OK;
}

/* One unit at `begin`, every rule in turn. */
static enum wb_err ref_unit(struct ref_reader *r, size_t begin, struct ref_reply_unit *u)
{
    struct ref_span word;

    *u = (struct ref_reply_unit){.begin = begin};
    WB_TRY(ref_line(r, u));
    word = ref_word(r, u->begin, u->line_end);
    WB_TRY(ref_code(r, word, u));
    WB_TRY(ref_grammar(r, word.end, u));
    WB_TRY(ref_expected(r, u));
    WB_TRY(ref_count(r, u));
    WB_TRY(ref_opaque(r, u));
    WB_TRY(ref_key(r, u));
    return ref_block(r, u);
}

struct ref_reply_result ref_reply_parse(struct wb_view stream, const struct wb_reply_shape *shape,
                                        uint64_t value_max, struct ref_reply_unit *units,
                                        size_t units_max)
{
    struct ref_reader r = {stream.data, stream.len, shape, value_max, 0, 0};
    struct ref_reply_result result = {WB_MORE, 0, 0};
    struct ref_reply_unit u;

    for (bool over = false; !over;) {
        result.status = ref_unit(&r, result.end, &u);
        if (result.status != WB_OK)
            break;
        if (r.units < units_max)
            units[r.units] = u;
        r.units++;
        result.end = u.end;
        if (ref_is_fatal(&r, &u)) {
            result.status = u.code == WB_REPLY_ERROR ? WB_E_ERROR : WB_E_CLIENT_ERROR;
            break;
        }
        over = shape->until_mn || shape->until_end ? ref_is_last(&r, &u) : r.units == shape->count;
    }
    result.units = r.units;
    return result;
}
