/*
 * report_page.c: what the sections of the report share: its style, its one script, small pieces.
 */
#include "targets/bed/report.h"

#include "targets/bed/chart.h"
#include "targets/bed/html.h"

#include <ctype.h>
#include <string.h>

static const char style_frame[] =
    "html{scroll-behavior:smooth;scroll-padding-top:56px}\n"
    "@media (prefers-reduced-motion:reduce){html{scroll-behavior:auto}}\n"
    "main{max-width:1320px;padding:0 20px 96px}\n"
    "a{color:var(--accent);text-decoration-thickness:1px;text-underline-offset:3px}\n"
    "a:focus-visible,input:focus-visible,select:focus-visible{outline:3px solid var(--accent);"
    "outline-offset:2px;border-radius:3px}\n"
    ".head{padding:56px 0 8px}\n"
    ".head "
    "h1{font-size:clamp(1.75rem,4.5vw,2.6rem);font-weight:600;letter-spacing:-.02em;margin:0}\n"
    ".head .lead{font-size:1.125rem;line-height:1.6;max-width:62ch;margin:16px 0 12px}\n"
    ".head .when{font-size:.875rem;color:var(--muted);max-width:none;overflow-wrap:anywhere}\n"
    ".nav{position:sticky;top:0;z-index:2;background:var(--bg);margin:20px -20px 0;"
    "padding:0 20px;border-bottom:1px solid var(--line);overflow-x:auto;scrollbar-width:none}\n"
    ".nav ul{display:flex;gap:22px;list-style:none;margin:0;padding:0;white-space:nowrap}\n"
    ".nav a{display:block;padding:13px 0;font-size:.9rem;color:var(--muted);text-decoration:none}\n"
    ".nav a:hover{color:var(--accent)}\n"
    "section{margin-top:72px}\n"
    "section h2{font-size:1.5rem;font-weight:600;letter-spacing:-.01em;margin:0 0 6px}\n"
    "section h3{font-size:1rem;font-weight:600;margin:36px 0 10px}\n"
    "section .lead{color:var(--muted);margin:0 0 22px;max-width:72ch}\n"
    ".num{font-variant-numeric:tabular-nums}\n"
    ".missing{border:1px dashed var(--plain-edge);border-radius:8px;padding:14px 18px;"
    "color:var(--muted);max-width:none}\n"
    ".pill{display:inline-block;border-radius:999px;padding:1px 9px;font-size:.75rem;"
    "line-height:1.5;border:1px solid var(--line);color:var(--muted);white-space:nowrap}\n"
    ".pill.good{color:var(--good-edge);border-color:currentColor}\n"
    ".pill.warn{color:var(--warn-edge);border-color:currentColor}\n"
    ".pill.bad{color:var(--bad-edge);border-color:currentColor}\n"
    ".pill.strong{color:var(--ink)}\n"
    "details{margin:0}\n"
    "summary{font-weight:400;padding:10px 0}\n"
    ".group{border-top:1px solid var(--line)}\n"
    ".group:last-of-type{border-bottom:1px solid var(--line)}\n"
    ".group .in{padding:0 0 18px 18px}\n"
    ".group>summary::marker{color:var(--muted)}\n"
    "@media (max-width:600px){.group .in{padding-left:0}}\n"
    "[hidden]{display:none !important}\n";

static const char style_parts[] =
    ".tiles{display:grid;grid-template-columns:repeat(2,minmax(0,1fr));gap:0 28px;"
    "list-style:none;margin:0;padding:0}\n"
    "@media (min-width:700px){.tiles{grid-template-columns:repeat(3,minmax(0,1fr))}"
    ".tiles.row{grid-template-columns:repeat(5,minmax(0,1fr))}}\n"
    ".two{margin-top:34px}\n"
    "@media (min-width:1000px){.two{display:grid;grid-template-columns:minmax(0,1fr) 340px;"
    "gap:72px;align-items:start}}\n"
    ".two h2{font-size:1rem;font-weight:600;margin:0;padding:14px 0 4px;"
    "border-top:1px solid var(--line)}\n"
    ".tiles li{border-top:1px solid var(--line)}\n"
    ".tiles a{display:block;height:100%;padding:14px 0 18px;color:inherit;text-decoration:none}\n"
    ".tiles a:hover b{color:var(--accent)}\n"
    ".tiles b{display:block;font-size:1.75rem;font-weight:600;letter-spacing:-.02em;"
    "line-height:1.25;font-variant-numeric:tabular-nums}\n"
    ".tiles b small{font-size:1rem;font-weight:400;color:var(--muted);letter-spacing:0}\n"
    ".tiles span{display:block;font-size:.85rem;line-height:1.4;color:var(--muted)}\n"
    ".notes{list-style:none;padding:0;margin:0}\n"
    ".notes li{padding:6px 0 6px 22px;position:relative;overflow-wrap:anywhere}\n"
    ".notes li::before{content:'';position:absolute;left:2px;top:14px;width:9px;height:9px;"
    "border-radius:50%;background:var(--warn-edge)}\n"
    ".notes li.bad::before{background:var(--bad-edge);border-radius:1px}\n"
    ".notes li.good::before{background:var(--good-edge)}\n"
    ".cards{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,360px),1fr));"
    "gap:40px 36px}\n"
    ".card{min-width:0;border-top:1px solid var(--plain-edge);padding-top:14px}\n"
    ".card h3{margin:0;font-size:1.05rem;overflow-wrap:anywhere}\n"
    ".card .say{color:var(--muted);font-size:.9rem;line-height:1.5;margin:2px 0 10px;"
    "min-height:3em}\n"
    ".facts4{display:grid;grid-template-columns:repeat(3,minmax(0,1fr));gap:8px 18px;"
    "margin:12px 0 10px;font-size:.95rem}\n"
    ".facts4 div{min-width:0}\n"
    ".facts4 dt{color:var(--muted);font-size:.78rem}\n"
    ".facts4 dd{margin:0;font-weight:600;font-variant-numeric:tabular-nums}\n"
    ".facts4 dd small{font-weight:400;color:var(--muted)}\n"
    ".card details{font-size:.85rem}\n"
    ".card summary{color:var(--muted);padding:4px 0}\n"
    ".words-in{overflow-wrap:anywhere;line-height:1.9}\n"
    ".words-in code{background:var(--panel);border-radius:4px;padding:1px 5px}\n"
    ".folders{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,520px),1fr));"
    "gap:8px 64px;align-items:start}\n"
    ".bars{display:grid;grid-template-columns:minmax(0,1.1fr) minmax(0,1fr) 46px minmax(0,1fr) "
    "46px;"
    "gap:3px 12px;align-items:center;font-size:.85rem;margin:0}\n"
    ".bars.scores{grid-template-columns:minmax(0,240px) minmax(0,200px) 46px minmax(0,1fr);"
    "gap:6px 14px}\n"
    "@media (max-width:560px){.bars{grid-template-columns:minmax(0,1fr) 46px minmax(0,1fr) 46px}"
    ".bars .f{grid-column:1/-1;padding-top:6px}.bars .h.f{display:none}}\n"
    ".bars .n{text-align:right;font-variant-numeric:tabular-nums}\n"
    ".bars .f,.bars .s{overflow-wrap:anywhere}\n"
    ".bars .h{color:var(--muted);font-size:.78rem;padding-bottom:4px}\n"
    "@media (max-width:700px){.bars.scores{grid-template-columns:minmax(0,1fr) 46px}"
    ".bars.scores .f,.bars.scores .s{grid-column:1/-1}.bars.scores .f{padding-top:10px}"
    ".bars.scores .h{display:none}}\n"
    ".filter{display:flex;flex-wrap:wrap;gap:10px 14px;align-items:center;margin:0 0 14px}\n"
    ".filter label{font-size:.85rem;color:var(--muted)}\n"
    ".filter input,.filter select{font:inherit;font-size:.95rem;color:var(--ink);"
    "background:var(--panel);border:1px solid var(--plain-edge);border-radius:6px;"
    "padding:7px 10px;min-width:0;max-width:100%}\n"
    ".filter input{width:min(340px,100%)}\n"
    ".filter output{font-size:.85rem;color:var(--muted);font-variant-numeric:tabular-nums}\n";

static const char style_lists[] =
    ".rows{list-style:none;margin:0;padding:0}\n"
    ".rows>li{padding:12px 0;border-top:1px solid var(--line);overflow-wrap:anywhere}\n"
    ".rows>li:target,.reg:target>summary{background:var(--tint);"
    "box-shadow:-10px 0 var(--tint),10px 0 var(--tint)}\n"
    ".rows .id{font:600 .85rem ui-monospace,SFMono-Regular,Consolas,'DejaVu Sans Mono',monospace}\n"
    ".rows .say{margin:0;max-width:74ch}\n"
    ".rows .by{font-size:.8rem;color:var(--muted);margin:2px 0 0}\n"
    ".req{display:grid;grid-template-columns:112px minmax(0,1fr) 92px 250px 250px;gap:4px 24px}\n"
    ".req.top{font-size:.78rem;color:var(--muted);padding:0 0 6px}\n"
    ".req .mark{display:flex;flex-direction:column;align-items:flex-start;gap:4px}\n"
    ".tie{font-size:.8rem;line-height:1.75;min-width:0}\n"
    ".tie .what{display:none;color:var(--muted)}\n"
    ".tie summary{padding:0;color:var(--muted)}\n"
    ".tie .none{color:var(--warn-edge)}\n"
    ".tie code{display:block;background:none;padding:0 0 0 1em;text-indent:-1em;"
    "font-size:.95em;line-height:1.6}\n"
    "@media (max-width:1000px){.tie code{display:inline-block;padding:0 6px 0 0;text-indent:0}}\n"
    ".one{display:grid;grid-template-columns:92px minmax(0,1fr) 190px;gap:2px 18px;"
    "align-items:baseline}\n"
    ".one.wide{grid-template-columns:minmax(0,230px) minmax(0,1fr) 210px}\n"
    ".rows>li.one{padding:8px 0}\n"
    ".one .at{font-size:.8rem;color:var(--muted);text-align:right}\n"
    "@media (max-width:1000px){.req{grid-template-columns:minmax(0,1fr)}.req.top{display:none}"
    ".req .mark{flex-direction:row;align-items:center;gap:10px}.tie .what{display:inline}}\n"
    "@media (max-width:700px){.one,.one.wide{grid-template-columns:minmax(0,1fr)}"
    ".one .at{text-align:left}}\n";

static const char style_tables[] =
    ".heat{border-collapse:separate;border-spacing:2px;font-size:.78rem;"
    "font-variant-numeric:tabular-nums}\n"
    ".heat th{font-weight:400;color:var(--muted);text-align:right;padding:2px 8px 2px 2px;"
    "white-space:nowrap}\n"
    ".heat thead th{vertical-align:bottom;text-align:left;padding:2px;height:118px}\n"
    ".heat thead span{writing-mode:vertical-rl;transform:rotate(180deg);display:inline-block}\n"
    ".heat td{min-width:34px;height:24px;text-align:center;border-radius:3px;"
    "background:var(--panel);color:var(--muted)}\n"
    ".heat .l1{background:color-mix(in srgb,var(--accent) 12%,var(--bg));color:var(--ink)}\n"
    ".heat .l2{background:color-mix(in srgb,var(--accent) 26%,var(--bg));color:var(--ink)}\n"
    ".heat .l3{background:var(--accent);color:var(--on-accent)}\n"
    ".heat-box{width:fit-content;padding:8px}\n"
    ".legends{margin:0 0 18px}\n"
    ".legends summary{color:var(--accent)}\n"
    ".legends h3{margin:14px 0 4px}\n"
    ".legends p{font-size:.92rem}\n"
    ".reg{border-top:1px solid var(--line);content-visibility:auto;"
    "contain-intrinsic-size:auto 56px}\n"
    ".reg summary{display:grid;grid-template-columns:16px minmax(0,1fr) auto;gap:2px 8px;"
    "padding:11px 0;list-style:none;overflow-wrap:anywhere}\n"
    ".reg summary::-webkit-details-marker{display:none}\n"
    ".reg summary::before{content:'\\25b8';color:var(--muted)}\n"
    ".reg[open]>summary::before{content:'\\25be'}\n"
    ".reg summary small{grid-column:2;color:var(--muted)}\n"
    ".reg summary .pill{grid-column:3;grid-row:1;align-self:start}\n"
    ".reg .in{padding:4px 0 28px}\n"
    ".reg .in>p{margin:4px 0 12px;font-size:.9rem;max-width:none;overflow-wrap:anywhere}\n"
    ".reg .in h4{font-size:.85rem;font-weight:600;margin:18px 0 6px}\n"
    ".reg pre{font-size:.78rem}\n"
    ".table{border-collapse:collapse;font-size:.85rem;font-variant-numeric:tabular-nums;"
    "width:100%}\n"
    ".table th{font-weight:400;color:var(--muted);font-size:.78rem;text-align:left;"
    "padding:4px 14px 6px 0;white-space:nowrap}\n"
    ".table td{padding:5px 14px 5px 0;border-top:1px solid var(--line);vertical-align:middle}\n"
    ".table .n{text-align:right;white-space:nowrap}\n"
    ".table tbody th{color:var(--ink);font-size:.85rem;border-top:1px solid var(--line);"
    "white-space:normal;overflow-wrap:anywhere}\n"
    "@media (max-width:700px){.table.fold thead{display:none}.table.fold tr{display:grid;"
    "grid-template-columns:minmax(0,1fr) auto;gap:2px 12px;border-top:1px solid var(--line);"
    "padding:8px 0;align-items:center}.table.fold tbody th{grid-column:1/-1}"
    ".table.fold td,.table.fold tbody th{border:0;padding:0}.table.fold td:nth-child(2){"
    "text-align:left}.table.fold td:nth-child(3){grid-column:1/-1;order:1}"
    ".table.fold td:nth-child(5){grid-column:1/-1;order:2}.table.fold td:empty{display:none}"
    ".table.fold .bullet{width:100%}}\n";

void report_style(struct wb_buf *out)
{
    chart_style(out);
    html_raw(out, style_frame);
    html_raw(out, style_parts);
    html_raw(out, style_lists);
    html_raw(out, style_tables);
}

/* No < and no & in it, so that the page stays well-formed. */
static const char script[] =
    "(function(){\n"
    "var all=function(s,e){return [].slice.call((e||document).querySelectorAll(s));};\n"
    "all('form.filter').forEach(function(f){\n"
    "  var rows=all(f.getAttribute('data-rows')),say=f.querySelector('output');\n"
    "  var words=rows.map(function(r){return r.textContent.toLowerCase();});\n"
    "  var groups=all(f.getAttribute('data-groups'));\n"
    "  function run(){\n"
    "    var q=f.elements.q.value.toLowerCase().trim().split(/\\s+/),n=0;\n"
    "    var k=f.elements.k?f.elements.k.value:'',any=q[0]!==''||k!=='';\n"
    "    rows.forEach(function(r,i){\n"
    "      var ok=q.every(function(w){return words[i].indexOf(w)!==-1;});\n"
    "      if(k!=='')ok=ok?(' '+r.getAttribute('data-k')+' ').indexOf(' '+k+' ')!==-1:false;\n"
    "      r.hidden=!ok;n+=ok?1:0;\n"
    "    });\n"
    "    groups.forEach(function(g){\n"
    "      var left=all(f.getAttribute('data-rows'),g).some(function(r){return !r.hidden;});\n"
    "      g.hidden=!left;if(g.tagName==='DETAILS')g.open=any?left:false;\n"
    "    });\n"
    "    say.textContent=any?n+' of '+rows.length:'';\n"
    "  }\n"
    "  f.hidden=false;f.addEventListener('input',run);\n"
    "  f.addEventListener('submit',function(e){e.preventDefault();});\n"
    "});\n"
    "function show(){\n"
    "  var e=location.hash.length>1?document.getElementById(location.hash.slice(1)):null;\n"
    "  for(var p=e;p;p=p.parentElement)if(p.tagName==='DETAILS')p.open=true;\n"
    "  if(e)e.scrollIntoView();\n"
    "}\n"
    "window.addEventListener('hashchange',show);show();\n"
    "})();\n";

void report_script(struct wb_buf *out)
{
    html_raw(out, "<script>\n");
    html_raw(out, script);
    html_raw(out, "</script>\n");
}

void report_section(const char *id, const char *title, const char *lead, struct wb_buf *out)
{
    bed_buf_print(out, "<section id=\"%s\" aria-labelledby=\"%s-title\">\n<h2 id=\"%s-title\">", id,
                  id, id);
    html_raw(out, title);
    html_raw(out, "</h2>\n<p class=\"lead\">");
    html_raw(out, lead);
    html_raw(out, "</p>\n");
}

void report_section_end(struct wb_buf *out)
{
    html_raw(out, "</section>\n\n");
}

void report_missing(const char *what, const char *command, struct wb_buf *out)
{
    html_raw(out, "<p class=\"missing\">");
    html_raw(out, what);
    html_raw(out, " not measured yet: <code>");
    html_raw(out, command);
    html_raw(out, "</code></p>\n");
}

void report_put_number(uint64_t n, struct wb_buf *out)
{
    if (n >= 1000) {
        report_put_number(n / 1000, out);
        bed_buf_print(out, "\xe2\x80\xaf%03u", (unsigned)(n % 1000));
    } else {
        bed_buf_print(out, "%u", (unsigned)n);
    }
}

void report_put_percent(uint64_t part, uint64_t whole, struct wb_buf *out)
{
    uint64_t permille = whole == 0 ? 1000 : part * 1000 / whole;

    if (permille == 1000)
        html_raw(out, "100");
    else
        bed_buf_print(out, "%u.%u", (unsigned)(permille / 10), (unsigned)(permille % 10));
}

void report_put_anchor(const char *prefix, const char *text, struct wb_buf *out)
{
    bed_buf_print(out, "%s-", prefix);
    for (; *text != '\0'; text++)
        bed_buf_print(out, "%c", isalnum((unsigned char)*text) ? *text : '-');
}

void report_filter(const char *id, const char *rows, const char *hint, const char *const *kinds,
                   struct wb_buf *out)
{
    bed_buf_print(out,
                  "<form class=\"filter\" hidden=\"hidden\" data-rows=\"#%s %s\" "
                  "data-groups=\"#%s .group\"><label for=\"%s-q\">Filter</label>"
                  "<input id=\"%s-q\" name=\"q\" type=\"search\" placeholder=\"%s\"/>",
                  id, rows, id, id, id, hint);
    if (kinds != NULL) {
        bed_buf_print(out,
                      "<label for=\"%s-k\">Show</label><select id=\"%s-k\" name=\"k\">"
                      "<option value=\"\">all</option>",
                      id, id);
        for (; kinds[0] != NULL; kinds += 2)
            bed_buf_print(out, "<option value=\"%s\">%s</option>", kinds[0], kinds[1]);
        html_raw(out, "</select>");
    }
    html_raw(out, "<output></output></form>\n");
}
