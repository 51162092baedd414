/*
 * certificate.h: a throw-away key and the certificate that it signs for itself.
 */
#ifndef LIVE_CERTIFICATE_H
#define LIVE_CERTIFICATE_H

#include <stdbool.h>

/* Writes both as PEM, over what is there. False when that fails, or OpenSSL is missing. */
bool live_certificate_make(const char *key_path, const char *certificate_path);

#endif
