/*
 * announce.c: the request that opens an announce stream. moq-lite, messages; announces.
 */
#include "core/route/announce.h"

#include "core/base/wire.h"

#define STREAM_TYPE_ANNOUNCE 1u

uint64_t wb_announce_field_any(enum wb_moq_version version, struct wb_wire *w, uint64_t max)
{
    uint64_t value = 0;

    if (w->err != WB_OK)
        return 0;
    w->err = wb_moq_get(version, &w->left, &value);
    if (w->err == WB_MORE)
        w->err = WB_E_SHORT; /* the body is complete */
    else if (w->err == WB_OK && value > max)
        w->err = WB_E_BOUNDS;
    return w->err == WB_OK ? value : 0;
}

enum wb_err wb_announce_request_get(enum wb_moq_version version, struct wb_view body,
                                    uint8_t *path_room, size_t room,
                                    struct wb_announce_request *out)
{
    struct wb_wire w = wb_wire_of(body);
    struct wb_announce_request request = {0};
    struct wb_view raw = wb_wire_bytes(&w, wb_announce_field(version, &w, UINT64_MAX));
    size_t len = 0;

    if (w.err == WB_OK)
        w.err = wb_path_measure(raw, &len);
    if (version == WB_LITE_05)
        request.exclude_hop = wb_announce_field(version, &w, WB_NODE_MAX);
    if (version >= WB_LITE_07)
        request.hidden = wb_wire_bool(&w);
    WB_TRY(wb_wire_done(&w));
    if (len > room)
        return WB_E_BOUNDS;
    request.prefix = wb_view_of(path_room, wb_path_write(raw, path_room));
    *out = request;
    return WB_OK;
}

enum wb_err wb_announce_request_put(enum wb_moq_version version, struct wb_buf *out,
                                    const struct wb_announce_request *request)
{
    size_t before = out->len;
    size_t body = wb_moq_size(version, request->prefix.len) + request->prefix.len;
    enum wb_err e;

    if (version == WB_LITE_05)
        body += wb_moq_size(version, request->exclude_hop);
    if (version >= WB_LITE_07)
        body++;
    e = wb_moq_put(version, out, STREAM_TYPE_ANNOUNCE);
    if (e == WB_OK)
        e = wb_moq_put(version, out, body);
    if (e == WB_OK)
        e = wb_moq_put(version, out, request->prefix.len);
    if (e == WB_OK)
        e = wb_buf_add(out, request->prefix);
    if (e == WB_OK && version == WB_LITE_05)
        e = wb_moq_put(version, out, request->exclude_hop);
    if (e == WB_OK && version >= WB_LITE_07)
        e = wb_buf_add_u8(out, request->hidden);
    if (e != WB_OK)
        wb_buf_truncate(out, before);
    return e;
}

enum wb_err wb_announce_seqno_request_get(struct wb_view body, uint64_t *out_node,
                                          uint64_t *out_seqno)
{
    struct wb_wire w = wb_wire_of(body);
    uint64_t node = wb_announce_field(WB_LITE_07, &w, WB_NODE_MAX);
    uint64_t seqno = wb_announce_field(WB_LITE_07, &w, UINT64_MAX);

    WB_TRY(wb_wire_done(&w));
    if (node == 0)
        return WB_E_NODE;
    *out_node = node;
    *out_seqno = seqno;
    return WB_OK;
}

enum wb_err wb_announce_seqno_request_put(struct wb_buf *out, uint64_t node, uint64_t seqno)
{
    size_t before = out->len;
    size_t body = wb_moq_size(WB_LITE_07, node) + wb_moq_size(WB_LITE_07, seqno);
    enum wb_err e = wb_moq_put(WB_LITE_07, out, WB_ROUTED_SEQNO_REQUEST);

    if (e == WB_OK)
        e = wb_moq_put(WB_LITE_07, out, body);
    if (e == WB_OK)
        e = wb_moq_put(WB_LITE_07, out, node);
    if (e == WB_OK)
        e = wb_moq_put(WB_LITE_07, out, seqno);
    if (e != WB_OK)
        wb_buf_truncate(out, before);
    return e;
}
