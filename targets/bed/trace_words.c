/*
 * trace_words.c: each step of a run as a sentence, for somebody who knows none of the codes.
 */
#include "targets/bed/bed.h"
#include "targets/bed/html.h"
#include "targets/bed/trace_html.h"

#include "core/reply/reply.h"
#include "sim/text.h"

#include <string.h>

const char *trace_request_name(unsigned long long kind)
{
    static const char *const names[] = {
        "get",           "set",          "delete",        "arith",          "debug",
        "noop",          "version",      "batch of gets", "batch of sets",  "row of gets",
        "classic get",   "classic gets", "classic set",   "classic delete", "classic incr",
        "classic touch", "classic stats"};
    return kind < sizeof names / sizeof names[0] ? names[kind] : "request";
}

const char *trace_ready_name(unsigned long long mask)
{
    static const char *const names[] = {"nothing", "readable", "writable", "readable or writable"};
    return names[mask & 3];
}

const char *trace_io_name(unsigned long long io)
{
    static const char *const names[] = {"bytes", "EAGAIN", "interrupted", "end of stream", "reset"};
    return io < sizeof names / sizeof names[0] ? names[io] : "error";
}

static const char *code_text(unsigned long long code)
{
    static const char *const texts[WB_REPLY_CODE_COUNT] = {
        [WB_REPLY_HD] = "done, and there is no value to give",
        [WB_REPLY_VA] = "a value",
        [WB_REPLY_EN] = "a miss",
        [WB_REPLY_NF] = "not found",
        [WB_REPLY_NS] = "not stored",
        [WB_REPLY_EX] = "changed by somebody else in between",
        [WB_REPLY_MN] = "the end of a batch",
        [WB_REPLY_ME] = "what the server knows of the item",
        [WB_REPLY_VERSION] = "the server's version",
        [WB_REPLY_ERROR] = "the server reports an error",
        [WB_REPLY_CLIENT_ERROR] = "the server reports an error",
        [WB_REPLY_SERVER_ERROR] = "the server reports an error",
        [WB_REPLY_VALUE] = "a value, after its key",
        [WB_REPLY_END] = "the end of a classic get or of statistics",
        [WB_REPLY_STORED] = "stored",
        [WB_REPLY_NOT_STORED] = "not stored",
        [WB_REPLY_EXISTS] = "changed by somebody else in between",
        [WB_REPLY_NOT_FOUND] = "not found",
        [WB_REPLY_DELETED] = "deleted",
        [WB_REPLY_TOUCHED] = "given a new time to live",
        [WB_REPLY_OK] = "done",
        [WB_REPLY_RESET] = "reset",
        [WB_REPLY_STAT] = "a figure of the server's",
        [WB_REPLY_NUMBER] = "the new number",
    };
    return code < WB_REPLY_CODE_COUNT && texts[code] != NULL ? texts[code] : "a unit of the answer";
}

static const char *state_text(unsigned long long state)
{
    static const char *const texts[] = {
        "nothing is asked", "the request is on its way out",
        "the request is sent, its answer is awaited",
        "an answer nobody waits for any more may still come, and goes before the next one",
        "the connection is of no use any more"};
    return state < sizeof texts / sizeof texts[0] ? texts[state] : "";
}

void trace_words_status(struct wb_view name, struct wb_buf *out)
{
    for (int e = 0; e < WB_ERR_COUNT; e++)
        if (wb_view_equal(wb_view_text(wb_err_name(e)), name))
            html_text(out, wb_view_text(wb_err_text(e)));
}

static void put_status(struct wb_view name, struct wb_buf *out)
{
    html_raw(out, "<code>");
    html_text(out, name);
    html_raw(out, "</code>, ");
    trace_words_status(name, out);
}

static void put_bytes(const struct trace_step *step, struct wb_buf *out)
{
    if (step->bytes.len == 0)
        return;
    struct wb_view bytes = step->bytes, more = wb_view_text("\" ...");
    bool is_cut = bytes.len > more.len &&
                  wb_view_equal(wb_view_sub(bytes, bytes.len - more.len, bytes.len), more);
    html_raw(out, ": <code>");
    html_text(out, is_cut ? wb_view_sub(bytes, 0, bytes.len - more.len + 1) : bytes);
    html_raw(out, is_cut ? "</code> and more" : "</code>");
}

static void put_count(unsigned long long bytes, struct wb_buf *out)
{
    bed_buf_print(out, "%llu byte%s", bytes, bytes == 1 ? "" : "s");
}

static void words_request(const struct trace_step *step, struct wb_buf *out)
{
    bool is_taken = wb_view_equal(step->status, wb_view_text("WB_OK"));

    bed_buf_print(out, "The client makes request %llu, a <b>%s</b>", step->n[0],
                  trace_request_name(step->n[1]));
    if (is_taken) {
        html_raw(out, ".");
        return;
    }
    html_raw(out, "; the reader refuses it: ");
    put_status(step->status, out);
    html_raw(out, ".");
}

static void words_write(const struct trace_step *step, struct wb_buf *out)
{
    unsigned long long n = step->n[0], of = step->n[1];

    if (step->n[2] != 0) {
        bed_buf_print(out, "A write of ");
        put_count(of, out);
        bed_buf_print(out, " moves nothing: %s.", trace_io_name(step->n[2]));
        return;
    }
    html_raw(out, n == of ? "The request goes out, " : "Only a part of the request goes out, ");
    put_count(n, out);
    if (n != of)
        bed_buf_print(out, " of %llu", of);
    put_bytes(step, out);
    html_raw(out, ".");
}

static void words_read(const struct trace_step *step, struct wb_buf *out)
{
    switch (step->n[2]) {
    case 0:
        put_count(step->n[0], out);
        bed_buf_print(out, " %s read; there was room for %llu.", step->n[0] == 1 ? "is" : "are",
                      step->n[1]);
        break;
    case 1:
        html_raw(out, "A read finds nothing (EAGAIN).");
        break;
    case 2:
        html_raw(out, "A read is interrupted by a signal (EINTR).");
        break;
    case 3:
        html_raw(out, "A read finds the end: the server has closed the connection.");
        break;
    default:
        html_raw(out, "A read fails: the connection was reset.");
        break;
    }
}

static void words_wake(const struct trace_step *step, struct wb_buf *out)
{
    unsigned long long said = step->n[0], there = step->n[1];

    if (said == 0 && (there & WB_REPLY_READABLE) != 0)
        html_raw(out, "The wait ends with a <b>timeout</b>, though there is something to read: it "
                      "was starved.");
    else if (said == 0)
        html_raw(out, "The wait ends with a <b>timeout</b>.");
    else if ((said & there) == 0)
        bed_buf_print(out,
                      "The wait ends, said to be %s, but nothing is there: a spurious wake-up.",
                      trace_ready_name(said));
    else
        bed_buf_print(out, "The wait ends: the connection is %s.", trace_ready_name(said & there));
    if (!step->has_poll)
        return;
    if (step->poll == said && said != 0)
        html_raw(out, " A look without waiting confirms it.");
    else
        bed_buf_print(out, " A last look without waiting finds %s.",
                      step->poll != 0 ? "that it is ready after all" : "nothing either");
}

static void words_wait(const struct trace_step *step, struct wb_buf *out)
{
    if (step->is_starved)
        bed_buf_print(
            out,
            "A wait begins whose scheduler is kept busy: it sleeps to its limit, %llu ms, "
            "whatever comes.",
            step->n[1]);
    else
        bed_buf_print(out, "The reader waits for the connection to be %s, until %llu ms at most.",
                      trace_ready_name(step->n[0]), step->n[1]);
}

static void words_ready(const struct trace_step *step, struct wb_buf *out)
{
    bed_buf_print(out, "No need to wait: the connection is %s already.",
                  trace_ready_name(step->n[1]));
}

static void words_spurious(const struct trace_step *step, struct wb_buf *out)
{
    bed_buf_print(out, "The wait ends at once, said to be %s, though nothing is there.",
                  trace_ready_name(step->n[0]));
}

static void words_poll(const struct trace_step *step, struct wb_buf *out)
{
    bed_buf_print(out, "A look without waiting finds the connection %s.",
                  step->n[1] != 0 ? trace_ready_name(step->n[1]) : "not ready");
}

static void words_unit(const struct trace_step *step, struct wb_buf *out)
{
    bool is_wire = step->kind == TRACE_WIRE_UNIT;
    unsigned long long code = step->n[is_wire ? 1 : 0], bytes = step->n[is_wire ? 2 : 1];

    bed_buf_print(out, "The reader delivers <b>%s</b>, %s", wb_reply_code_name((int)code),
                  code_text(code));
    if (code == WB_REPLY_VA || code == WB_REPLY_VALUE) {
        html_raw(out, " of ");
        put_count(bytes, out);
    }
    if (is_wire)
        bed_buf_print(out, "; its last byte is byte %llu of the stream", step->n[0]);
    html_raw(out, ".");
}

static void words_end(const struct trace_step *step, struct wb_buf *out)
{
    if (wb_view_equal(step->status, wb_view_text("WB_OK"))) {
        html_raw(out, "The request is answered in full: <code>WB_OK</code>, ");
        bed_buf_print(out, "%llu unit%s.", step->n[0], step->n[0] == 1 ? "" : "s");
        return;
    }
    html_raw(out, "The request ends: ");
    put_status(step->status, out);
    bed_buf_print(out, " (%llu unit%s before).", step->n[0], step->n[0] == 1 ? "" : "s");
}

static void words_server(const struct trace_step *step, struct wb_buf *out)
{
    html_raw(out, step->kind == TRACE_TAKEN ? "The server takes "
                  : step->kind == TRACE_RAW
                      ? "The server sends what the scenario says word for word, "
                      : "The server answers, ");
    put_count(step->n[0], out);
    put_bytes(step, out);
    html_raw(out, ".");
}

static void words_probe(const struct trace_step *step, struct wb_buf *out)
{
    static const char *const probes[] = {
        "there is a byte nobody asked for", "all is quiet, the connection may be used",
        "the look is interrupted", "the server has closed", "the connection was reset"};

    bed_buf_print(out, "Before the connection is used again it is looked at: %s.",
                  step->n[0] < sizeof probes / sizeof probes[0] ? probes[step->n[0]] : "?");
}

static void words_opened(const struct trace_step *step, struct wb_buf *out)
{
    bed_buf_print(out, "Connection %u is opened, with a fresh reader.", (unsigned)step->conn);
}

static void words_delivery(const struct trace_step *step, struct wb_buf *out)
{
    bed_buf_print(out, "<b>Delivery %llu</b>: a fresh reader gets the stream of ", step->n[0]);
    put_count(step->n[1], out);
    html_raw(out, ", cut in another way.");
}

static void words_wire_end(const struct trace_step *step, struct wb_buf *out)
{
    html_raw(out, "The stream ends: ");
    put_status(step->status, out);
    html_raw(out, ".");
}

static void words_other(const struct trace_step *step, struct wb_buf *out)
{
    html_text(out, step->line);
}

/* A step's sentence is fixed, or made; ops and states have none of their own. */
static const char *const fixed_words[TRACE_KINDS] = {
    [TRACE_CLOSE] = "The client closes the connection, as the reader wants it.",
    [TRACE_ABANDON] = "The client gives the request up.",
    [TRACE_FIN] = "The server closes its side after what it wrote.",
    [TRACE_RESET] = "The connection is reset.",
    [TRACE_CALM] = "<b>The scenario is over.</b> All faults heal, and each connection that lives "
                   "makes one more request: nothing may be stuck.",
};

static void (*const made_words[TRACE_KINDS])(const struct trace_step *, struct wb_buf *) = {
    [TRACE_OTHER] = words_other,       [TRACE_REQUEST] = words_request,
    [TRACE_WRITE] = words_write,       [TRACE_READ] = words_read,
    [TRACE_WAIT] = words_wait,         [TRACE_WAKE] = words_wake,
    [TRACE_READY] = words_ready,       [TRACE_SPURIOUS] = words_spurious,
    [TRACE_POLL] = words_poll,         [TRACE_UNIT] = words_unit,
    [TRACE_END] = words_end,           [TRACE_PROBE] = words_probe,
    [TRACE_ANSWER] = words_server,     [TRACE_RAW] = words_server,
    [TRACE_TAKEN] = words_server,      [TRACE_OPENED] = words_opened,
    [TRACE_DELIVERY] = words_delivery, [TRACE_WIRE_UNIT] = words_unit,
    [TRACE_WIRE_END] = words_wire_end,
};

void trace_words_op(const struct sim_ops *ops, const struct sim_op *op, struct wb_buf *out)
{
    const struct sim_op_desc *desc = sim_ops_find(ops, op->opcode);
    struct wb_buf text = bed_buf();

    bed_must(sim_text_show_op(ops, op, &text));
    html_raw(out, "<code class=\"op\">");
    html_text(out, wb_buf_view(&text));
    html_raw(out, "</code> ");
    wb_buf_fini(&text);
    if (desc == NULL || desc->text == NULL)
        return;
    html_raw(out, "<span class=\"muted\">");
    html_text(out, wb_view_text(desc->text));
    html_raw(out, "</span>");
}

void trace_words(const struct trace_step *step, struct wb_buf *out)
{
    if (fixed_words[step->kind] != NULL)
        html_raw(out, fixed_words[step->kind]);
    if (made_words[step->kind] != NULL)
        made_words[step->kind](step, out);
    if (step->is_nothing)
        html_raw(out, " <b>Here it does nothing.</b>");
    if (step->dropped > 0) {
        html_raw(out, " ");
        put_count(step->dropped, out);
        html_raw(out, step->dropped == 1 ? " of the late answer is thrown away."
                                         : " of the late answer are thrown away.");
    }
    if (step->has_pending && step->pending > 0) {
        html_raw(out, " ");
        put_count(step->pending, out);
        html_raw(out,
                 step->pending == 1 ? " is pending in the reader." : " are pending in the reader.");
    }
    if (!step->has_state)
        return;
    bed_buf_print(out, " It is now <b>%s</b>: %s", wb_reply_state_name((int)step->state),
                  state_text(step->state));
    if (step->state == WB_REPLY_DEAD && step->reason.len > 0) {
        html_raw(out, ", because of ");
        put_status(step->reason, out);
    }
    html_raw(out, ".");
}
