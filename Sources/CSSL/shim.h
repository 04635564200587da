// libssl for the TLS servers of tests and of the sandbox; the daemon's own TLS is libcurl's. Functions for what Swift cannot import: macros
// and variadic calls.
#pragma once
#include <openssl/bio.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

static inline EVP_PKEY *CSSL_generate_key(void) { return EVP_EC_gen("P-256"); }

static inline long CSSL_bio_contents(BIO *bio, char **bytes) { return BIO_get_mem_data(bio, bytes); }
