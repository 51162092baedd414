#include "targets/live/tls.h"

#ifdef LIVE_HAS_TLS

#include "targets/live/foreign.h"
#include "targets/live/socket.h"

#include <errno.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <stdlib.h>
#include <sys/socket.h>

#define RECORD       16384
#define SMALL_RECORD 512

struct tls {
    SSL_CTX *context;
    SSL *ssl;
    BIO_METHOD *method;
    uint64_t unfinished; /* the request of which a record is half sent; 0 = none */
    uint64_t measured;   /* the request whose last line has `last_line` bytes; 0 = none */
    size_t last_line;
    uint64_t received; /* bytes of the socket, so far */
    struct live_tls_counts counts;
};

/* ---- the socket below: counted, and no SIGPIPE ---- */

LIVE_CALLED_BACK static int bio_write(BIO *bio, const char *data, int len)
{
    struct live_conn *c = BIO_get_data(bio);
    LIVE_WRITTEN(data, (size_t)len);
    BIO_clear_retry_flags(bio);
    live_count(c, LIVE_SEND);
    ssize_t n = send(c->fd, data, (size_t)len, MSG_NOSIGNAL);
    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        BIO_set_retry_write(bio);
    return (int)n;
}

/*
 * Once the handshake, which blocks, is over, a read behind a short one makes no call, as on a plain
 * socket; neither does the first one of a request, which only looks for what is decrypted already.
 */
LIVE_CALLED_BACK static int bio_read(BIO *bio, char *data, int len)
{
    struct live_conn *c = BIO_get_data(bio);
    BIO_clear_retry_flags(bio);
    if (c->emptied) {
        c->emptied = false;
        BIO_set_retry_read(bio);
        return -1;
    }
    live_count(c, LIVE_RECV);
    ssize_t n = recv(c->fd, data, (size_t)len, 0);
    struct tls *t = c->inner;
    c->emptied = t && n > 0 && n < len;
    if (t && n > 0)
        t->received += (uint64_t)n;
    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        BIO_set_retry_read(bio);
    if (n == 0)
        BIO_set_flags(bio, BIO_FLAGS_IN_EOF);
    return (int)n;
}

LIVE_CALLED_BACK static long bio_control(BIO *bio, int command, long number, void *pointer)
{
    (void)number;
    (void)pointer;
    if (command == BIO_CTRL_EOF)
        return BIO_test_flags(bio, BIO_FLAGS_IN_EOF) != 0;
    return command == BIO_CTRL_FLUSH;
}

static BIO *make_bio(struct tls *t, struct live_conn *c)
{
    t->method = BIO_meth_new(BIO_TYPE_SOURCE_SINK | BIO_get_new_index(), "counted socket");
    if (!t->method || !BIO_meth_set_write(t->method, bio_write) ||
        !BIO_meth_set_read(t->method, bio_read) || !BIO_meth_set_ctrl(t->method, bio_control))
        return NULL;
    BIO *bio = BIO_new(t->method);
    if (!bio)
        return NULL;
    BIO_set_data(bio, c);
    BIO_set_init(bio, 1);
    return bio;
}

/* ---- opening ---- */

static void free_tls(struct tls *t)
{
    SSL_free(t->ssl); /* and the BIO; all three take NULL */
    SSL_CTX_free(t->context);
    BIO_meth_free(t->method);
    free(t);
    ERR_clear_error();
}

/* The server's certificate is its own authority. */
static bool make_context(struct tls *t, const struct live_address *at)
{
    t->context = SSL_CTX_new(TLS_client_method());
    if (!t->context || !at->certificate ||
        !SSL_CTX_load_verify_locations(t->context, at->certificate, NULL))
        return false;
    SSL_CTX_set_verify(t->context, SSL_VERIFY_PEER, NULL);
    /* what the end of the stream cuts off is the reader's to notice */
    SSL_CTX_set_options(t->context, SSL_OP_IGNORE_UNEXPECTED_EOF);
    SSL_CTX_set_mode(t->context, SSL_MODE_ENABLE_PARTIAL_WRITE |
                                     SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER | SSL_MODE_AUTO_RETRY);
    SSL_CTX_set_read_ahead(t->context, 1); /* a record's head and body in one call */
    return !at->small_records ||
           (SSL_CTX_set_tlsext_max_fragment_length(t->context, TLSEXT_max_fragment_length_512) &&
            SSL_CTX_set_max_send_fragment(t->context, SMALL_RECORD));
}

/* NULL when the server cannot be trusted, or has none. */
static struct tls *connect_tls(struct live_conn *c, const struct live_address *at)
{
    struct tls *t = calloc(1, sizeof *t);
    if (!t)
        return NULL;
    BIO *bio = make_context(t, at) ? make_bio(t, c) : NULL;
    t->ssl = bio ? SSL_new(t->context) : NULL;
    if (!t->ssl) {
        BIO_free(bio);
        free_tls(t);
        return NULL;
    }
    SSL_set_bio(t->ssl, bio, bio);
    if (SSL_connect(t->ssl) != 1) {
        free_tls(t);
        return NULL;
    }
    return t;
}

static enum wb_err attach(struct live_conn *c, const struct live_address *at)
{
    LIVE_FOREIGN_BEGIN();
    c->inner = connect_tls(c, at);
    LIVE_FOREIGN_END();
    return c->inner && live_socket_unblock(c->fd) ? WB_OK : WB_E_RESET;
}

static void detach(struct live_conn *c)
{
    LIVE_FOREIGN_BEGIN();
    if (c->inner)
        free_tls(c->inner);
    LIVE_FOREIGN_END();
}

/* ---- wants ---- */

static struct live_io io_of(const struct tls *t, int result, size_t n)
{
    if (result > 0)
        return (struct live_io){.io = WB_REPLY_IO_BYTES, .n = n};
    switch (SSL_get_error(t->ssl, result)) {
    case SSL_ERROR_WANT_READ:
        return (struct live_io){.io = WB_REPLY_IO_AGAIN, .direction = WB_REPLY_READABLE};
    case SSL_ERROR_WANT_WRITE:
        return (struct live_io){.io = WB_REPLY_IO_AGAIN, .direction = WB_REPLY_WRITABLE};
    case SSL_ERROR_ZERO_RETURN:
        return (struct live_io){.io = WB_REPLY_IO_EOF};
    default:
        return (struct live_io){.io = WB_REPLY_IO_RESET};
    }
}

/*
 * memcached 1.6.18 reads at most 16 KiB of a record, less where a value or a line is in progress,
 * and then waits for the socket, although the rest is decrypted inside its library. What stands
 * last in a long request must thus be a record of its own, or it may never be read. It is looked
 * for once, in the whole request: a value may have no line end at all.
 */
static size_t last_line(const struct live_conn *c, struct wb_view bytes)
{
    struct tls *t = c->inner;
    size_t len = 1;
    if (c->request_size <= RECORD)
        return 0;
    if (t->measured != c->requests) {
        while (len < bytes.len && bytes.data[bytes.len - len - 1] != '\n')
            len++;
        t->measured = c->requests;
        t->last_line = len;
        t->counts.searched += len;
    }
    return t->last_line < bytes.len ? t->last_line : 0;
}

/*
 * A record that is half sent belongs to its request. When that was given up, what is left of it
 * would go out in place of the next one: the connection cannot be used again.
 */
static struct live_io write_record(struct live_conn *c, struct wb_view bytes)
{
    struct tls *t = c->inner;
    size_t n = 0;
    if (t->unfinished != 0 && t->unfinished != c->requests)
        return (struct live_io){.io = WB_REPLY_IO_RESET};
    LIVE_FOREIGN_BEGIN();
    ERR_clear_error();
    int result = SSL_write_ex(t->ssl, bytes.data, bytes.len - last_line(c, bytes), &n);
    struct live_io done = io_of(t, result, n);
    LIVE_FOREIGN_END();
    t->unfinished = done.io == WB_REPLY_IO_AGAIN ? c->requests : 0;
    return done;
}

static struct live_io read_into(struct tls *t, uint8_t *data, size_t len)
{
    size_t n = 0;
    LIVE_FOREIGN_BEGIN();
    ERR_clear_error();
    int result = SSL_read_ex(t->ssl, data, len, &n);
    struct live_io done = io_of(t, result, n);
    LIVE_FOREIGN_END();
    size_t left = (size_t)SSL_pending(t->ssl);
    LIVE_WRITTEN(data, n);
    if (n + left > t->counts.record_max)
        t->counts.record_max = n + left;
    return done;
}

/*
 * At most what is decrypted already goes into the second part. With AGAIN, what came of a record
 * that is not whole.
 */
static struct live_io read_record(struct live_conn *c, const struct wb_reply_want *want)
{
    struct tls *t = c->inner;
    uint64_t before = t->received;
    struct live_io done = read_into(t, want->into[0].data, want->into[0].len);
    if (done.io == WB_REPLY_IO_BYTES && done.n == want->into[0].len && want->into[1].len > 0 &&
        SSL_pending(t->ssl) > 0)
        done.n += read_into(t, want->into[1].data, want->into[1].len).n;
    if (done.io == WB_REPLY_IO_AGAIN)
        done.n = (size_t)(t->received - before);
    t->counts.reads_leaving += SSL_pending(t->ssl) > 0;
    return done;
}

static unsigned wait_below(struct live_conn *c, unsigned mask, uint64_t until_ns)
{
    struct tls *t = c->inner;
    t->counts.waits_with += (mask & WB_REPLY_READABLE) && SSL_pending(t->ssl) > 0;
    return live_socket_wait(c, mask, until_ns);
}

/* What is on the socket need not be the application's: it may be a session ticket. */
static enum wb_reply_io probe(struct live_conn *c)
{
    struct tls *t = c->inner;
    uint8_t byte;
    size_t n = 0;
    live_count(c, LIVE_PROBE);
    c->emptied = false; /* much may have come since */
    LIVE_FOREIGN_BEGIN();
    ERR_clear_error();
    struct live_io done = io_of(t, SSL_peek_ex(t->ssl, &byte, 1, &n), 1);
    LIVE_FOREIGN_END();
    return done.io;
}

struct live_tls_counts live_tls_counts(const struct live_conn *c)
{
    const struct tls *t = c->inner;
    return t->counts;
}

static const char *missing(void)
{
    return NULL;
}

const struct live_driver live_tls_driver = {
    .name = "tls",
    .tls = true,
    .poll_is_wait = true,
    .missing = missing,
    .attach = attach,
    .detach = detach,
    .write = write_record,
    .read = read_record,
    .wait = wait_below,
    .poll = live_socket_poll,
    .probe = probe,
};

#else

static const char *missing(void)
{
    return "OpenSSL was not installed when this was built";
}

struct live_tls_counts live_tls_counts(const struct live_conn *c)
{
    (void)c;
    return (struct live_tls_counts){0};
}

const struct live_driver live_tls_driver = {.name = "tls", .tls = true, .missing = missing};

#endif
