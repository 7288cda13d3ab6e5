#pragma once
#include <mosquitto.h>
#include <mqtt_protocol.h>
// libmosquitto hands out its TLS session, and no reasons: why a certificate was refused only OpenSSL can tell.
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509_vfy.h>
