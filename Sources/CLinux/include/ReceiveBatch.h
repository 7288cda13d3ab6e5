// recvmmsg, which the C library declares for _GNU_SOURCE only and Swift's Glibc module therefore lacks.
#pragma once
#include <stdint.h>

/// The most packets that one call takes.
enum { receive_batch_limit = 32 };

/// Takes up to `count` waiting packets from `socket` without waiting; packet i is written to `buffer + i * stride`,
/// its length to `lengths[i]`: a length above `stride` means that the packet was cut. Returns their number, or -1 with errno.
int receive_batch(int socket, uint8_t *buffer, uint32_t stride, uint32_t count, uint32_t *lengths);
