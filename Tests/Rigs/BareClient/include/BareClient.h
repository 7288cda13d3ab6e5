#pragma once

#include <stddef.h>

/// Publishes `count` messages of QoS 0 on `topic` as fast as the broker takes them, with libmosquitto and nothing else.
/// Returns 0, or libmosquitto's error.
int bare_publish(int port, const char *topic, const char *payload, int count);

/// Receives `count` messages that match `filter`. Calls `ready` once the broker has accepted the subscription.
/// Returns 0, or libmosquitto's error.
int bare_subscribe(int port, const char *filter, int count, void (*ready)(void *), void *context);

/// Plays a recording (btsnoop) as fast as the broker takes it, as a small gateway in C does: finds the iBeacons, and publishes a state of
/// each beacon, at most one in so many milliseconds of the recording. Waits until the broker has acknowledged everything.
/// Returns the number of states, or -1.
long bare_gateway(int port, const char *recording, int qos, int milliseconds);

/// Walks through `count` HCI packets, one behind the other with the given lengths, and returns a sum over the parts of each iBeacon: the least
/// that a decoder has to do.
unsigned long bare_scan(const unsigned char *packets, const unsigned short *lengths, int count);

/// The bytes that this process has allocated: Swift does not import <malloc.h>.
size_t bare_allocated(void);
