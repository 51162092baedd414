/*
 * wire.c: GROUP, FRAME headers and DATAGRAM are a few integers in a row, in the version's form.
 */
#include "core/media/wire.h"

/* A field of a body that is complete: nothing more can come. */
static enum wb_err field_get(enum wb_moq_version version, struct wb_view *body, uint64_t *out)
{
    enum wb_err err = wb_moq_get(version, body, out);

    return err == WB_MORE ? WB_E_SHORT : err;
}

/* Appends all or nothing. */
static enum wb_err fields_put(enum wb_moq_version version, struct wb_buf *out,
                              const uint64_t *values, size_t count)
{
    size_t before = out->len;

    for (size_t i = 0; i < count; i++) {
        enum wb_err err = wb_moq_put(version, out, values[i]);

        if (err != WB_OK) {
            wb_buf_truncate(out, before);
            return err;
        }
    }
    return WB_OK;
}

enum wb_err wb_group_header_get(enum wb_moq_version version, struct wb_view body,
                                struct wb_group_header *out)
{
    struct wb_group_header header = {0};

    WB_TRY(field_get(version, &body, &header.subscribe));
    WB_TRY(field_get(version, &body, &header.sequence));
    if (wb_moq_has_frame_bounds(version))
        WB_TRY(field_get(version, &body, &header.first));
    if (body.len > 0)
        return WB_E_LONG;
    *out = header;
    return WB_OK;
}

enum wb_err wb_group_header_put(enum wb_moq_version version, struct wb_buf *out,
                                const struct wb_group_header *header)
{
    uint64_t fields[] = {0, header->subscribe, header->sequence, header->first};
    size_t count = wb_moq_has_frame_bounds(version) ? 4 : 3;

    if (count == 3 && header->first != 0)
        return WB_E_VERSION;
    for (size_t i = 1; i < count; i++)
        fields[0] += wb_moq_size(version, fields[i]);
    return fields_put(version, out, fields, count);
}

enum wb_err wb_frame_header_get(enum wb_moq_version version, struct wb_view *in,
                                uint64_t *timestamp, uint64_t *out_size)
{
    struct wb_view rest = *in;
    uint64_t now = *timestamp, delta, size;

    if (wb_moq_is_timed(version)) {
        WB_TRY(wb_moq_get(version, &rest, &delta));
        now += (uint64_t)wb_unzigzag(delta); /* below 0 it wraps to more than the largest */
        if (now > WB_VARINT_MAX)
            return WB_E_BOUNDS;
    }
    WB_TRY(wb_moq_get(version, &rest, &size));
    if (size > WB_MOQ_FRAME_MAX)
        return WB_E_FRAME_TOO_LARGE;
    *in = rest;
    *timestamp = now;
    *out_size = size;
    return WB_OK;
}

enum wb_err wb_frame_header_put(enum wb_moq_version version, struct wb_buf *out,
                                uint64_t *timestamp, uint64_t new_timestamp, uint64_t size)
{
    uint64_t fields[] = {wb_zigzag((int64_t)(new_timestamp - *timestamp)), size};

    if (size > WB_MOQ_FRAME_MAX)
        return WB_E_FRAME_TOO_LARGE;
    if (!wb_moq_is_timed(version))
        return fields_put(version, out, fields + 1, 1);
    if (new_timestamp > WB_VARINT_MAX)
        return WB_E_BOUNDS;
    WB_TRY(fields_put(version, out, fields, 2));
    *timestamp = new_timestamp;
    return WB_OK;
}

enum wb_err wb_datagram_get(enum wb_moq_version version, struct wb_view packet,
                            struct wb_datagram *out)
{
    struct wb_datagram datagram = {0};

    if (!wb_moq_is_timed(version))
        return WB_E_VERSION;
    WB_TRY(field_get(version, &packet, &datagram.subscribe));
    WB_TRY(field_get(version, &packet, &datagram.sequence));
    WB_TRY(field_get(version, &packet, &datagram.timestamp));
    if (datagram.timestamp > WB_VARINT_MAX || packet.len > WB_MOQ_DATAGRAM_MAX)
        return WB_E_BOUNDS;
    datagram.payload = packet;
    *out = datagram;
    return WB_OK;
}

enum wb_err wb_datagram_put(enum wb_moq_version version, struct wb_buf *out,
                            const struct wb_datagram *datagram)
{
    const uint64_t fields[] = {datagram->subscribe, datagram->sequence, datagram->timestamp};
    size_t before = out->len;
    enum wb_err err;

    if (!wb_moq_is_timed(version))
        return WB_E_VERSION;
    if (datagram->timestamp > WB_VARINT_MAX || datagram->payload.len > WB_MOQ_DATAGRAM_MAX)
        return WB_E_BOUNDS;
    WB_TRY(fields_put(version, out, fields, 3));
    err = wb_buf_add(out, datagram->payload);
    if (err != WB_OK)
        wb_buf_truncate(out, before);
    return err;
}
