#pragma once
#include <mosquitto.h>
// From 2.1 on the above includes it, and warns of who does it twice.
#if LIBMOSQUITTO_VERSION_NUMBER < 2001000
#include <mqtt_protocol.h>
#endif
// libmosquitto hands out its TLS session, and no reasons: why a certificate was refused only OpenSSL can tell.
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509_vfy.h>
