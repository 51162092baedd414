/*
 * world_show.c: what a person who reads a trace wants besides its lines: bytes, what is pending,
 * waits that end at once. Printed while somebody looks and at no other time; never in the hash.
 */
#include "targets/reply/world.h"

#include <stdarg.h>
#include <stdio.h>

#define SHOW_BYTES 48

static FILE *show_begin(const struct world *w)
{
    FILE *out = w->run->trace.live;
    uint64_t us = w->sched.now_ns / 1000;
    if (out != NULL)
        fprintf(out, "%6llu.%03u ms  ", (unsigned long long)(us / 1000), (unsigned)(us % 1000));
    return out;
}

void world_show(const struct world *w, const char *format, ...)
{
    FILE *out = show_begin(w);
    if (out == NULL)
        return;
    va_list args;
    va_start(args, format);
    vfprintf(out, format, args);
    va_end(args);
    fputc('\n', out);
}

static void show_byte(uint8_t byte, FILE *out)
{
    if (byte == '\r')
        fputs("\\r", out);
    else if (byte == '\n')
        fputs("\\n", out);
    else if (byte == '"' || byte == '\\')
        fprintf(out, "\\%c", byte);
    else if (byte >= 0x20 && byte < 0x7f)
        fputc(byte, out);
    else
        fprintf(out, "\\x%02x", byte);
}

void world_show_bytes(const struct world *w, const struct world_conn *c, struct wb_view bytes)
{
    FILE *out = bytes.len > 0 ? show_begin(w) : NULL;
    if (out == NULL)
        return;
    fprintf(out, "bytes    c%u \"", (unsigned)c->id);
    for (size_t i = 0; i < bytes.len && i < SHOW_BYTES; i++)
        show_byte(bytes.data[i], out);
    fprintf(out, "\"%s\n", bytes.len > SHOW_BYTES ? " ..." : "");
}

void world_show_counts(const struct world *w, const struct world_conn *c, uint64_t dropped,
                       size_t pending_before)
{
    const struct wb_reply_stats *s = &c->judge.last;
    size_t pending = s->len - s->off;
    if (dropped > 0)
        world_show(w, "dropped  c%u %llu bytes", (unsigned)c->id, (unsigned long long)dropped);
    if (pending != pending_before)
        world_show(w, "pending  c%u %zu bytes", (unsigned)c->id, pending);
}
