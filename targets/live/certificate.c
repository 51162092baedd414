#include "targets/live/certificate.h"

#ifdef LIVE_HAS_TLS

#include "targets/live/foreign.h"

#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <stdio.h>

#define SECONDS_VALID 86400L

static bool write_key(const char *path, const EVP_PKEY *key)
{
    FILE *out = fopen(path, "wb");
    if (!out)
        return false;
    bool ok = PEM_write_PrivateKey(out, key, NULL, NULL, 0, NULL, NULL) == 1;
    return fclose(out) == 0 && ok;
}

static bool write_certificate(const char *path, X509 *certificate)
{
    FILE *out = fopen(path, "wb");
    if (!out)
        return false;
    bool ok = PEM_write_X509(out, certificate) == 1;
    return fclose(out) == 0 && ok;
}

/* Valid from a day ago on, for clocks that differ. */
static bool fill(X509 *x, EVP_PKEY *key)
{
    X509_NAME *name = X509_get_subject_name(x);
    const unsigned char *host = (const unsigned char *)"localhost";
    return X509_set_version(x, X509_VERSION_3) && ASN1_INTEGER_set(X509_get_serialNumber(x), 1) &&
           X509_gmtime_adj(X509_getm_notBefore(x), -SECONDS_VALID) &&
           X509_gmtime_adj(X509_getm_notAfter(x), SECONDS_VALID) && X509_set_pubkey(x, key) &&
           X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC, host, -1, -1, 0) &&
           X509_set_issuer_name(x, name) && X509_sign(x, key, EVP_sha256()) > 0;
}

bool live_certificate_make(const char *key_path, const char *certificate_path)
{
    LIVE_FOREIGN_BEGIN();
    EVP_PKEY *key = EVP_EC_gen("P-256");
    X509 *x = key ? X509_new() : NULL;
    bool ok =
        x && fill(x, key) && write_key(key_path, key) && write_certificate(certificate_path, x);
    X509_free(x);
    EVP_PKEY_free(key);
    LIVE_FOREIGN_END();
    return ok;
}

#else

bool live_certificate_make(const char *key_path, const char *certificate_path)
{
    (void)key_path;
    (void)certificate_path;
    return false;
}

#endif
