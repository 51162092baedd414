/*
 * trace_picture.c: running with a trace, and finding the way of drawing.
 */
#include "targets/bed/trace_picture.h"

#include "targets/bed/bed.h"
#include "targets/bed/html.h"
#include "targets/bed/trace_announce.h"
#include "targets/bed/trace_chain.h"
#include "targets/bed/trace_html.h"
#include "targets/bed/trace_line.h"
#include "targets/bed/trace_mesh.h"
#include "targets/bed/trace_plain.h"
#include "targets/bed/trace_race.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* What the child printed into the file, as text. */
static void take_text(int fd, struct wb_buf *out)
{
    uint8_t block[4096];
    off_t at = 0;
    ssize_t n;

    while ((n = pread(fd, block, sizeof block, at)) > 0) {
        bed_must(wb_buf_add(out, wb_view_of(block, (size_t)n)));
        at += n;
    }
}

bool trace_run_make(const struct fuzz_target *target, struct wb_view input, const char *id,
                    struct trace_run *out)
{
    struct sim_run *run = fuzz_run_state();
    int fd = memfd_create("trace", MFD_CLOEXEC);
    FILE *live = fd >= 0 ? fdopen(fd, "w") : NULL;

    *out = (struct trace_run){.target = target, .input = input, .id = id, .text = bed_buf()};
    if (live == NULL) {
        bed_cannot("no room for a trace: %s", strerror(errno));
        if (fd >= 0)
            close(fd);
        return false;
    }
    setvbuf(live, NULL, _IOLBF, 0);
    run->trace.live = live;
    bool ok = replay_run(target, input, REPLAY_ONCE, true, &out->verdict);
    run->trace.live = NULL;
    if (ok) {
        take_text(fd, &out->text);
        out->count = trace_steps(wb_buf_view(&out->text), &out->steps);
    } else {
        bed_cannot("cannot start a child: %s", strerror(errno));
    }
    fclose(live);
    return ok;
}

void trace_run_free(struct trace_run *run)
{
    free(run->steps);
    wb_buf_fini(&run->text);
    replay_verdict_free(&run->verdict);
}

/* ---- ways of drawing ------------------------------------------------------------------------- */

static bool is_any(const struct trace_run *run)
{
    (void)run;
    return true;
}

/* The first that fits. */
static const struct trace_look looks[] = {
    {.is = trace_race_is,
     .draw = trace_race_draw,
     .legend = trace_race_legend,
     .story = "What the readers got",
     .text = "A sequence diagram of the writer, the frame, its segments and the readers. The list "
             "of steps that follows says the same in words."},
    {.is = trace_chain_is,
     .draw = trace_chain_draw,
     .picture = trace_chain_put,
     .legend = trace_chain_legend,
     .story = "What was delivered",
     .text = "A sequence diagram of an origin, two relays and a viewer. The list of steps that "
             "follows says the same in words."},
    {.is = trace_announce_is,
     .draw = trace_announce_draw,
     .picture = trace_mesh_put,
     .legend = trace_announce_legend,
     .story = "What the viewers saw",
     .text = "A sequence diagram of publishers, router and viewers. The list of steps that follows "
             "says the same in words."},
    {.is = trace_line_is,
     .picture = trace_line_put,
     .legend = trace_line_legend,
     .story = "What was said"},
    {.is = trace_has_lanes,
     .draw = trace_draw,
     .legend = trace_legend,
     .story = "What the client got, and how it ended",
     .text = "A sequence diagram of client, reader, streams and server. The list of steps that "
             "follows says the same in words."},
    {.is = trace_plain_is,
     .draw = trace_plain_draw,
     .text = "A sequence diagram of what goes into the core and what it tells. The list of steps "
             "that follows says the same in words."},
    {.is = is_any, .draw = trace_draw, .story = "What was delivered", .text = ""},
};

const struct trace_look *trace_look_of(const struct trace_run *run)
{
    const struct trace_look *look = looks;

    while (!look->is(run))
        look++;
    return look;
}

int trace_run_put(const struct trace_run *run, const char *title, struct wb_buf *out)
{
    const struct trace_look *look = trace_look_of(run);
    struct diagram d;
    int width = 0;

    if (look->picture != NULL)
        look->picture(run, out);
    if (look->draw == NULL)
        return 0;
    look->draw(run, &d);
    if (d.steps == 0 && d.lane_count == 0)
        html_raw(out, "<p class=\"muted\">This target judges each input as a whole, and notes no "
                      "steps.</p>\n");
    else
        diagram_write(&d, title, look->text, out);
    width = d.lane_count > 0 ? d.width : 0;
    diagram_fini(&d);
    return width;
}

void trace_story_put(const struct replay_verdict *v, struct wb_buf *out)
{
    const char *at = v->story;

    if (v->failed || at == NULL || at[0] == '\0')
        return;
    html_raw(out, "<ol class=\"story\">");
    while (*at != '\0') {
        const char *bar = strstr(at, " | ");
        size_t len = bar != NULL ? (size_t)(bar - at) : strlen(at);

        html_raw(out, "<li><code>");
        html_text(out, wb_view_of(at, len));
        html_raw(out, "</code></li>");
        at += len + (bar != NULL ? 3 : 0);
    }
    html_raw(out, "</ol>\n");
}

void trace_style(struct wb_buf *out)
{
    html_raw(out, "code.op{font-weight:700}\n"
                  ".conn{border:1px solid var(--line);border-radius:4px;padding:0 4px}\n"
                  ".legend{list-style:none;padding:0;margin:8px 0;display:grid;gap:6px 24px;"
                  "grid-template-columns:repeat(auto-fill,minmax(min(100%,400px),1fr))}\n"
                  ".legend li{display:flex;gap:8px;align-items:flex-start;font-size:14px;"
                  "line-height:20px}\n"
                  ".legend svg{flex:none;margin:0}\n"
                  ".story{margin:8px 0;padding-left:2em}\n");
    trace_line_style(out);
    trace_mesh_style(out);
}
