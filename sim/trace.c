#include "sim/trace.h"

#include "sim/ops.h"

#include <inttypes.h>
#include <string.h>

/* Odd numbers without a pattern: the fractional parts of square roots of primes. */
#define MIX_0 UINT64_C(0x6a09e667f3bcc909)
#define MIX_1 UINT64_C(0xbb67ae8584caa73b)
#define MIX_2 UINT64_C(0x3c6ef372fe94f82b)
#define MIX_3 UINT64_C(0xa54ff53a5f1d36f1)
#define MIX_4 UINT64_C(0x510e527fade682d1)
#define MIX_5 UINT64_C(0x9b05688c2b3e6c1f)

#define TRACE_KIND 8 /* bytes of a format that enter the hash */

static uint64_t mix(uint64_t h, uint64_t value)
{
    h = (h ^ value ^ (value >> 32)) * MIX_0;
    return h ^ (h >> 29);
}

/* The least byte first on every machine. */
static uint64_t load64(const void *data)
{
    uint64_t value;
    memcpy(&value, data, sizeof(value));
    return __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? value : __builtin_bswap64(value);
}

uint64_t sim_hash(struct wb_view bytes, uint64_t seed)
{
    uint64_t h = seed ^ ((uint64_t)bytes.len * MIX_1);
    const uint8_t *p = bytes.data;
    size_t left = bytes.len;
    if (left >= 32) {
        /* Four lanes, none of which waits for another: payloads are hashed in every run. */
        uint64_t lane[4] = {h, h ^ MIX_3, h ^ MIX_4, h ^ MIX_5};
        for (; left >= 32; p += 32, left -= 32) {
            for (size_t i = 0; i < 4; i++)
                lane[i] = mix(lane[i], load64(p + 8 * i));
        }
        h = mix(mix(mix(lane[0], lane[1]), lane[2]), lane[3]);
    }
    for (; left >= 8; p += 8, left -= 8)
        h = mix(h, load64(p));
    uint64_t tail = 0;
    for (size_t i = 0; i < left; i++)
        tail |= (uint64_t)p[i] << 8 * i;
    return mix(mix(h, tail), MIX_2);
}

void sim_trace_reset(struct sim_trace *t)
{
    t->hash = MIX_5;
    t->count = 0;
    t->names = NULL;
}

static void trace_print_ms(uint64_t ns, FILE *out)
{
    uint64_t rest = ns % 1000000;
    char digits[8];
    fprintf(out, "%" PRIu64, ns / 1000000);
    if (rest > 0) {
        int n = snprintf(digits, sizeof(digits), "%06" PRIu64, rest);
        while (n > 0 && digits[n - 1] == '0')
            digits[--n] = '\0';
        fprintf(out, ".%s", digits);
    }
}

/* The name of an op, its number where no table has one. */
static void trace_print_op(const struct sim_ops *ops, uint64_t opcode, FILE *out)
{
    const struct sim_op_desc *desc =
        ops != NULL && opcode < SIM_OPCODES ? sim_ops_find(ops, (uint8_t)opcode) : NULL;

    if (desc != NULL)
        fputs(desc->name, out);
    else
        fprintf(out, "%" PRIx64, opcode);
}

static void trace_print_line(const struct sim_trace *t, const struct sim_trace_line *line,
                             FILE *out)
{
    size_t next = 0;
    fprintf(out, "%6" PRIu64 ".%03" PRIu64 " ms  ", line->time_ns / 1000000,
            line->time_ns / 1000 % 1000);
    for (const char *p = line->format; *p != '\0'; p++) {
        bool is_arg = p[0] == '%' && p[1] != '\0' && strchr("uxetno", p[1]) != NULL;
        if (!is_arg || next == SIM_TRACE_ARGS) {
            fputc(*p, out);
            continue;
        }
        uint64_t value = line->arg[next++];
        switch (*++p) {
        case 'u':
            fprintf(out, "%" PRIu64, value);
            break;
        case 'x':
            fprintf(out, "%" PRIx64, value);
            break;
        case 'e':
            fputs(wb_err_name(value < WB_ERR_COUNT ? (int)value : -1), out);
            break;
        case 'n':
            fputs(t->names != NULL ? t->names[value] : "?", out);
            break;
        case 'o':
            trace_print_op(t->ops, value, out);
            break;
        default:
            trace_print_ms(value, out);
            break;
        }
    }
    fputc('\n', out);
}

void sim_trace_add(struct sim_trace *t, uint64_t time_ns, const char *format, uint64_t a,
                   uint64_t b, uint64_t c, uint64_t d)
{
    struct sim_trace_line *line = &t->ring[t->count % SIM_TRACE_RING];
    line->format = format;
    line->time_ns = time_ns;
    line->arg[0] = a;
    line->arg[1] = b;
    line->arg[2] = c;
    line->arg[3] = d;
    t->count++;
    /* The products do not wait for each other: one long dependency a line, not six. */
    uint64_t sum = (load64(format) * MIX_1) ^ ((time_ns ^ (time_ns >> 32)) * MIX_2);
    sum += ((a ^ (a >> 32)) * MIX_3) ^ ((b ^ (b >> 31)) * MIX_4);
    sum += ((c ^ (c >> 30)) * MIX_5) ^ ((d ^ (d >> 29)) * MIX_0);
    t->hash = mix(t->hash, sum);
    if (t->live != NULL)
        trace_print_line(t, line, t->live);
}

void sim_trace_mix(struct sim_trace *t, uint64_t value)
{
    t->hash = mix(t->hash, value);
}

void sim_trace_mix_bytes(struct sim_trace *t, struct wb_view bytes)
{
    t->hash = sim_hash(bytes, t->hash);
}

void sim_trace_print(const struct sim_trace *t, size_t lines, FILE *out)
{
    uint64_t held = t->count < SIM_TRACE_RING ? t->count : SIM_TRACE_RING;
    uint64_t shown = lines < held ? lines : held;
    for (uint64_t i = t->count - shown; i < t->count; i++)
        trace_print_line(t, &t->ring[i % SIM_TRACE_RING], out);
}

_Static_assert(TRACE_KIND == sizeof(uint64_t), "the kind of a line is read as one number");
