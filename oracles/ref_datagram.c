/*
 * ref_datagram.c: subscribe, sequence, timestamp, and the payload to the packet's end. Source:
 * moq-lite, DATAGRAM.
 */
#include "oracles/ref_datagram.h"

#include "oracles/ref_varint.h"

#include <string.h>

static enum ref_varint_form form_of(unsigned draft)
{
    return draft >= 7 ? REF_VARINT_ONES_SEVEN : REF_VARINT_QUIC;
}

struct ref_datagram ref_datagram_read(unsigned draft, struct wb_view packet)
{
    struct ref_datagram d = {.status = WB_E_VERSION};
    uint64_t *fields[] = {&d.subscribe, &d.sequence, &d.timestamp};

    if (draft < 5)
        return d;
    d.status = WB_E_SHORT;
    for (size_t i = 0; i < 3; i++) {
        struct wb_view rest = {packet.data + d.payload, packet.len - d.payload};
        struct ref_varint v;

        if (rest.len == 0)
            return d;
        v = ref_varint_read(form_of(draft), rest);
        if (v.status != WB_OK)
            return d;
        *fields[i] = v.value;
        d.payload += v.size;
    }
    d.status = WB_OK;
    if (packet.len - d.payload > REF_DATAGRAM_PAYLOAD_MAX || d.timestamp > (UINT64_C(1) << 62) - 1)
        d.status = WB_E_BOUNDS;
    return d;
}

size_t ref_datagram_write(unsigned draft, const struct ref_datagram *datagram,
                          uint8_t out[REF_DATAGRAM_HEADER_MAX])
{
    const uint64_t fields[] = {datagram->subscribe, datagram->sequence, datagram->timestamp};
    uint8_t bytes[REF_VARINT_SIZE_MAX];
    size_t len = 0;

    for (size_t i = 0; i < 3; i++) {
        size_t size = ref_varint_write(form_of(draft), fields[i], bytes);
        memcpy(out + len, bytes, size);
        len += size;
    }
    return len;
}
